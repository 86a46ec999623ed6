"""Tasks that translate sentences into formulas of first-order logic, and formulas into sentences.

The names are given, or the model's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from msgspec import structs

from pytest_autoeval.languages import Formula, Language, Reading, language
from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.languages.base import LimitError
from pytest_autoeval.languages.logic.le_score import le_score
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology, Symbol
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.protocols import AnswerForm, Form
from pytest_autoeval.outcomes import Prompting
from pytest_autoeval.prompts.template import Example
from pytest_autoeval.record.sample_parts import Part
from pytest_autoeval.studies.first_order_translation.extraction import (
    matching,
    reference_signatures,
)
from pytest_autoeval.tasks.aligned import judged_by_alignment, translated_part
from pytest_autoeval.tasks.answer_readers import read_symbols
from pytest_autoeval.tasks.formula_answers import (
    NOT_ALIGNED,
    formula_form,
    formula_text,
    glossary,
    judge_formula,
    with_form,
)
from pytest_autoeval.tasks.round_trip import description_in
from pytest_autoeval.tasks.task import Judgement, Task, converse, rendered
from pytest_autoeval.tasks.trial import Trial

#: The form of answer that the prompt asks for: a line for each symbol, and then the formula.
_SYMBOLS_FORM = lazy_pattern(
    r"(?:\w+(?:\(\w+(?:, \w+)*\))?: [^\n]+\n)+Formula: (?P<formula>[^\n]+)"
)


class LogicalTranslation(Task):
    """Sentence and ontology → formula of first-order logic; its part `Translated` has the LE score too."""

    name = "logical_translation"
    constrained_interfaces = ("",)
    form: Form | None = "formulas"
    figures = "scored translation"
    benchmark = "Logical translation"
    takes_story_examples = True

    def story_example(self, trial: Trial) -> Example | None:
        return _translated_example(trial)

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

    def story_example(self, trial: Trial) -> Example | None:
        premise = trial.fact("same_story", dict)
        return Example(
            {"formula": premise["formula"], "symbols": premise["symbols"]}, premise["sentence"]
        )

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"formula": formula_text(trial.about), "symbols": glossary(trial)}

    def _ask_and_judge(self, trial: Trial) -> Judgement:
        subject = trial.about
        lang = language(subject.language)
        reply = self._ask_in_form(trial)
        description = description_in(reply, self.name, subject.formula, lang, trial)
        trial.description = description.strip()
        slots = {"sentence": trial.description, "symbols": glossary(trial)}
        # The way back is another task, so its example is the other way round.
        example = None
        if trial.prompts.prompting == Prompting.SAME_STORY:
            example = _translated_example(trial)
        prompt = rendered(trial, LogicalTranslation.name, subject.language, slots, example=example)
        form = self._constrained_form(trial) if trial.constrained else None
        return self._judge_replies(converse(trial, prompt, form), trial)


def _translated_example(trial: Trial) -> Example:
    """Another sentence of the story of the sample, with its formula as the answer."""
    premise = trial.fact("same_story", dict)
    return Example(
        {"sentence": premise["sentence"], "symbols": premise["symbols"]}, premise["formula"]
    )


def _with_le_score(judgement: Judgement, trial: Trial) -> Judgement:
    """The judgement of a translation; its part `Translated` then has the LE score."""
    score = None
    if judgement.reading is not None:
        score = le_score_of(judgement.reading, trial.about.formula)
    return judgement.with_part(structs.replace(translated_part(judgement), le_score=score))


def le_score_of(reading: Reading, reference: Formula) -> float | None:
    """The LE score of a reading; None if it has no sentence of logic, or one that is too large."""
    if not isinstance(reference, Sentence) or not isinstance(reading.formula, Sentence):
        return None
    # A tree that is too large has no score; its verdict stands.
    try:
        return le_score(reference, reading.formula)
    except LimitError:
        return None


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
        signatures = reference_signatures(trial)
        reading, listed = _read_symbols_and_formula(answer, lang)
        # A formula without names needs no list.
        needs_no_list = reading.formula is not None and not lang.symbols(reading.formula).names
        symbols = matching(None, signatures.used)
        if listed or needs_no_list:
            matched = matching(listed, signatures.used)
            symbols = structs.replace(matched, listed=[str(symbol) for symbol in listed])
        judgement = judged_by_alignment(reading, listed, signatures, trial)
        return _with_le_score(judgement, trial).with_part(symbols)

    def parts_without_answer(self, trial: Trial) -> tuple[Part, ...]:
        return NOT_ALIGNED, matching(None, reference_signatures(trial).used)


def _read_symbols_and_formula(answer: str, lang: Language) -> tuple[Reading, tuple[Symbol, ...]]:
    # An answer that is a formula alone lacks its list of symbols: it is readable, but not in the form asked for.
    direct = lang.read(answer)
    if direct.compliant:
        return replace(direct, compliant=False, recovered=True), ()
    try:
        listed, text_of_formula = read_symbols(answer)
    except UnreadableError:
        listed, text_of_formula = (), answer
    vocabulary = Ontology(listed).vocabulary if listed else None
    reading = lang.read(text_of_formula, vocabulary=vocabulary)
    return with_form(reading, _SYMBOLS_FORM, answer, lang.read), listed


LOGICAL_TRANSLATION = LogicalTranslation()
INFORMALIZATION = Informalization()
OPEN_TRANSLATION = OpenTranslation()
