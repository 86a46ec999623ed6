"""Tasks that translate sentences into formulas, over given names or the model's own, and formulas into sentences.

The model's own names are aligned with ours, and messages show the alignment. A formula with other kinds or numbers of
names than the reference has foreign symbols: it cannot be compared.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from msgspec import structs

from pytest_autoeval.languages import Formula, Language, Reading, Vocabulary, language
from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.languages.base import LimitError, VerdictOutcome, substitute
from pytest_autoeval.languages.logic.le_score import le_score
from pytest_autoeval.languages.logic.rewriting import Renaming, renamed
from pytest_autoeval.languages.logic.signature import arguments_phrase
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.evaluate import TraceWitness, holds
from pytest_autoeval.languages.ltl.traces.lasso import Lasso
from pytest_autoeval.languages.ontology import Ontology, Symbol
from pytest_autoeval.models.base import AnswerForm, Form
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.parts import Part
from pytest_autoeval.record.task_parts import Translated
from pytest_autoeval.tasks.alignment import Decide, best_alignment, same_shape
from pytest_autoeval.tasks.answer_readers import read_phrases, read_symbols
from pytest_autoeval.tasks.base import Judgement, Task, converse, rendered
from pytest_autoeval.tasks.comparison import (
    NOT_ALIGNED,
    compared,
    formula_form,
    formula_in,
    formula_text,
    glossary,
    judge_formula,
    listed_phrases,
    no_formula_message,
    not_compared,
)
from pytest_autoeval.tasks.extraction import Signatures, matching, reference_signatures, symbols_used
from pytest_autoeval.tasks.round_trip import description_in
from pytest_autoeval.tasks.trial import Trial

#: The forms that the prompts ask for: one line for each phrase or symbol, then the formula.
_PHRASES_FORM = re.compile(r'(?:"[^"\n]+": [A-Za-z_]\w*\n)+(?:Formula: )?(?P<formula>[^\n]+|`{3}.*)', re.DOTALL)
_SYMBOLS_FORM = re.compile(r"(?:\w+(?:\(\w+(?:, \w+)*\))?: [^\n]+\n)+Formula: (?P<formula>[^\n]+)")
#: Free names that are always read as unbound variables.
_VARIABLE = re.compile(r"[u-zU-Z]\d?")
#: The number of short traces, always the same, that rule out most alignments without the oracle.
_SAMPLES = 40


class Translation(Task):
    """Sentence and propositions → formula of temporal logic; facts are ``sentence`` and ``propositions``."""

    interfaces = ("detailed", "minimal", "python")
    constrained_interfaces = ("detailed", "minimal")
    figures = "translation"

    def __init__(self, name: str) -> None:
        self.name = name

    def slots(self, trial: Trial) -> Mapping[str, str]:
        propositions = trial.fact("propositions", list)
        return {"sentence": trial.fact("sentence", str), "propositions": listed_phrases(propositions)}

    def answer_form(self, trial: Trial) -> AnswerForm | None:
        return formula_form(trial)

    def judge(self, answer: str, trial: Trial) -> Judgement:
        subject, lang = trial.about, language(trial.about.language)
        in_python = self.interface(trial) == "python"
        return judge_formula(formula_in(answer, lang, subject.vocabulary, in_python=in_python), trial)


class LogicalTranslation(Task):
    """Sentence and ontology → formula of first-order logic; its part `Translated` has the LE score too."""

    name = "logical_translation"
    constrained_interfaces = ("",)
    form: Form | None = "formulas"
    figures = "scored translation"
    benchmark = "Logical translation"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"sentence": trial.fact("sentence", str), "symbols": glossary(trial)}

    def answer_form(self, trial: Trial) -> AnswerForm | None:
        return formula_form(trial)

    def judge(self, answer: str, trial: Trial) -> Judgement:
        return _with_le_score(judge_formula(answer, trial), trial)


class Informalization(LogicalTranslation):
    """Formula and ontology → sentence → formula, in a fresh conversation with the same ontology.

    The outcome is that of the translation back; the sentence is not compared with a reference sentence.
    """

    name = "informalization"
    form = "english"
    benchmark = "Informalization"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"formula": formula_text(trial.about), "symbols": glossary(trial)}

    def _ask_and_judge(self, trial: Trial) -> Judgement:
        subject = trial.about
        lang = language(subject.language)
        trial.description = description_in(self._ask_in_form(trial), self.name, subject.formula, lang, trial).strip()
        slots = {"sentence": trial.description, "symbols": glossary(trial)}
        prompt = rendered(trial, LogicalTranslation.name, subject.language, slots)
        return self._judge_replies(
            converse(trial, prompt, self._constrained_form(trial) if trial.constrained else None), trial
        )


def _with_le_score(judgement: Judgement, trial: Trial) -> Judgement:
    """The judgement of a translation; its part `Translated` then has the LE score."""
    score = None if judgement.reading is None else le_score_of(judgement.reading, trial.about.formula)
    return judgement.with_part(structs.replace(_translated(judgement), le_score=score))


def _translated(judgement: Judgement) -> Translated:
    return judgement.part(Translated) or Translated()


def le_score_of(reading: Reading, reference: Formula) -> float | None:
    """The LE score of a reading; None if it has no sentence of logic, or one that is too large."""
    if not isinstance(reference, Sentence) or not isinstance(reading.formula, Sentence):
        return None
    try:
        return le_score(reference, reading.formula)
    except LimitError:
        return None


class SentenceTranslation(Task):
    """Sentence → phrases with names, and a formula of temporal logic over these names."""

    name = "translate_sentence"
    interfaces = ("detailed", "minimal", "python")
    figures = "translation"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"requirement": trial.fact("sentence", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        subject, in_python = trial.about, self.interface(trial) == "python"
        lang = language(subject.language)
        try:
            listed = tuple(Symbol(name, (), phrase) for phrase, name in read_phrases(answer))
        except UnreadableError:
            listed = ()
        names = Vocabulary(propositions=tuple(symbol.name for symbol in listed)) if listed else None
        read = partial(formula_in, lang=lang, vocabulary=names, in_python=in_python)
        reading = _with_form(read(answer), _PHRASES_FORM, answer, read)
        phrases = {atom: phrase for phrase, atom in trial.fact("propositions", list)}
        ours = tuple(Symbol(name, (), phrases.get(name, "")) for name in lang.symbols(subject.formula).propositions)
        return _judged_by_alignment(reading, listed, Signatures(ours, ()), trial)


class OpenTranslation(Task):
    """Sentence → signature and glossary, and a formula of first-order logic over them."""

    name = "open_translation"
    form = "formulas"
    figures = "scored translation"
    benchmark = "Open translation"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"statement": trial.fact("sentence", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        lang = language(trial.about.language)
        ours = reference_signatures(trial)
        reading, listed = _read_symbols_and_formula(answer, lang)
        is_listed = bool(listed) or (reading.formula is not None and not lang.symbols(reading.formula).names)
        symbols = matching(None, ours.used)
        if is_listed:
            symbols = structs.replace(matching(listed, ours.used), listed=[str(symbol) for symbol in listed])
        judgement = _judged_by_alignment(reading, listed, ours, trial)
        return _with_le_score(judgement, trial).with_part(symbols)

    def parts_without_answer(self, trial: Trial) -> tuple[Part, ...]:
        return NOT_ALIGNED, matching(None, reference_signatures(trial).used)


def _judged_by_alignment(reading: Reading, listed: Sequence[Symbol], ours: Signatures, trial: Trial) -> Judgement:
    """Judges a formula over the model's own names by their alignment with ours; undecided if it is not certain."""
    reference, lang = trial.about.formula, language(trial.about.language)
    timeout = trial.seconds_for(lang)
    if reading.formula is None:
        return not_compared(reading, no_formula_message(reading, lang), NOT_ALIGNED)
    rename = partial(_renamed, reading.formula)
    theirs = _glossed(reading.formula, listed, lang)
    if problem := _unclear_symbol(reading.formula, theirs, listed, lang) or _other_shape(theirs, ours.used):
        return not_compared(reading, problem, NOT_ALIGNED)
    alignment = best_alignment(theirs, ours.used, _decider(rename, reference, lang), timeout, ours.unused)
    judgement = compared(reading, rename(alignment.renaming), reference, lang, timeout)
    translated = structs.replace(_translated(judgement), alignment=[*alignment.pairs], alignment_basis=alignment.basis)
    alignment_line = f"\n  names aligned by {alignment.basis}: {str(alignment) or 'there are none'}"
    if judgement.outcome != Outcome.UNDECIDED and not alignment.certain:
        message = f"undecided: another alignment of the names is possible{alignment_line}"
        part = structs.replace(translated, relation=None)
        return Judgement(outcome=Outcome.UNDECIDED, message=message, parts=(part,), reading=reading)
    message = judgement.message and judgement.message + alignment_line
    return replace(judgement, message=message).with_part(translated)


def _decider(rename: Callable[[Renaming], Formula], reference: Formula, lang: Language) -> Decide:
    """Compares the reference with the renamed answer; in temporal logic, traces answer most of it."""
    traces: list[Lasso] = []
    if isinstance(reference, ltl.Temporal):
        atoms = lang.symbols(reference).propositions
        numbers = random.Random(0)  # noqa: S311 (no secret)
        for _ in range(_SAMPLES):
            states = [frozenset(atom for atom in atoms if numbers.random() < 0.5) for _ in range(numbers.randint(1, 5))]
            start = numbers.randrange(len(states))
            traces.append(Lasso(atoms, tuple(states[:start]), tuple(states[start:])))

    def decide(renaming: Renaming, seconds: float) -> str:
        answer = rename(renaming)
        left, right = cast("ltl.Temporal", reference), cast("ltl.Temporal", answer)
        if any(holds(left, trace) != holds(right, trace) for trace in traces):
            return VerdictOutcome.DIFFERENT
        verdict = lang.equivalent(reference, answer, timeout=seconds)
        if isinstance(verdict.witness, TraceWitness):
            traces.append(verdict.witness.lasso)
        return verdict.outcome

    return decide


def _unclear_symbol(formula: Formula, theirs: Sequence[Symbol], listed: Sequence[Symbol], lang: Language) -> str:
    """Why the meaning of some symbols of a formula is unclear, or an empty text."""
    arities = {symbol.name: [entry.arity for entry in listed if entry.name == symbol.name] for symbol in theirs}
    bound = {*lang.symbols(formula).variables, *(place for symbol in listed for place in symbol.parameters)}
    for symbol in theirs:
        known = arities[symbol.name]
        is_variable = symbol.name in bound or _VARIABLE.fullmatch(symbol.name)
        if not known and symbol.is_term and not symbol.arity and is_variable:
            return f"the formula uses the unbound variable {symbol.name}"
        if known and 0 not in known and symbol.arity not in known:
            there, here = arguments_phrase(known[-1]), arguments_phrase(symbol.arity)
            return f"the formula uses {symbol.name} with {here}, and the answer lists it with {there}"
    if twice := [str(symbol) for symbol, count in Counter(map(str, listed)).items() if count > 1]:
        return f"the answer lists {', '.join(twice)} more than once: its meaning is unclear"
    for is_term in (False, True):
        unlisted = [symbol.name for symbol in theirs if symbol.is_term == is_term and not arities[symbol.name]]
        unused = [symbol.name for symbol in listed if symbol.is_term == is_term and symbol.name not in arities]
        if unlisted and unused:
            return (
                f"the formula uses {', '.join(unlisted)}, which the answer does not list, "
                f"and does not use {', '.join(unused)}, which it lists: the meaning of the names is unclear"
            )
    return ""


def _other_shape(theirs: Sequence[Symbol], ours: Sequence[Symbol]) -> str:
    if same_shape(theirs, ours):
        return ""
    about, expected = (", ".join(map(str, symbols)) or "nothing" for symbols in (theirs, ours))
    return (
        f"the formula is about {about}, the reference about {expected}: they cannot be compared; "
        "the formula may be right over its own names"
    )


def _renamed(formula: Formula, renaming: Renaming) -> Formula:
    if isinstance(formula, Sentence):
        return renamed(formula, renaming)
    replacements: dict[Formula, Formula] = {}
    for (name, _), new in renaming.predicates.items():
        replacements[ltl.Atom(name)] = ltl.Not(ltl.Atom(new.name)) if new.negated else ltl.Atom(new.name)
    return substitute(formula, replacements)


def _read_symbols_and_formula(answer: str, lang: Language) -> tuple[Reading, tuple[Symbol, ...]]:
    whole = lang.read(answer)
    if whole.compliant:
        return replace(whole, compliant=False, recovered=True), ()
    try:
        listed, rest = read_symbols(answer)
    except UnreadableError:
        listed, rest = (), answer
    reading = lang.read(rest, vocabulary=Ontology(listed).vocabulary if listed else None)
    return _with_form(reading, _SYMBOLS_FORM, answer, lang.read), listed


def _with_form(reading: Reading, form: re.Pattern[str], answer: str, read: Callable[[str], Reading]) -> Reading:
    """The reading, compliant if the whole answer has the form and the formula in it is compliant."""
    match = form.fullmatch(answer.strip())
    compliant = match is not None and read(match["formula"]).compliant
    return reading if reading.formula is None else replace(reading, compliant=compliant, recovered=not compliant)


def _glossed(formula: Formula, listed: Sequence[Symbol], lang: Language) -> tuple[Symbol, ...]:
    """The symbols of a formula, with the glosses that the answer lists; the formula decides kinds and places."""
    if not isinstance(formula, Sentence):
        phrases = {symbol.name: symbol for symbol in listed}
        return tuple(phrases.get(name, Symbol(name, (), "")) for name in lang.symbols(formula).propositions)
    known = {(symbol.name, symbol.arity): symbol for symbol in listed}
    glossed = []
    for symbol in symbols_used(formula, Ontology(())):
        if same := known.get((symbol.name, symbol.arity)):
            glossed.append(replace(same, is_term=symbol.is_term))
        else:
            bare = known.get((symbol.name, 0))  # listed without places
            glossed.append(replace(symbol, gloss=bare.gloss if bare else ""))
    return tuple(glossed)


TRANSLATE = Translation("translate")
TRANSLATE_PAST = Translation("translate_past")
LOGICAL_TRANSLATION = LogicalTranslation()
INFORMALIZATION = Informalization()
TRANSLATE_SENTENCE = SentenceTranslation()
OPEN_TRANSLATION = OpenTranslation()
