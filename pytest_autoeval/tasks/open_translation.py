"""A sentence into a formula over symbols of the model's own; they are aligned with ours, and the alignment is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from pytest_autoeval.languages import Language, Reading, language
from pytest_autoeval.languages.logic.renaming import renamed
from pytest_autoeval.languages.logic.signature import count_of_arguments, symbols
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology, Symbol
from pytest_autoeval.tasks.answers.signature_text import read_signature
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.comparison import NOT_ALIGNED, compared, not_compared, without_formula
from pytest_autoeval.tasks.logical_translation import le_score_of
from pytest_autoeval.tasks.matching.signature_matching import (
    Signatures,
    matching_notes,
    reference_signatures,
    symbols_used,
)
from pytest_autoeval.tasks.matching.symbol_alignment import FormulaWithSymbols, aligned, same_shape
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.trial import Subject, Trial

#: The form that the prompt asks for: a line for each symbol, and the formula on the last line.
_FORM = re.compile(r"(?:\w+(?:\(\w+(?:, \w+)*\))?: [^\n]+\n)+Formula: (?P<formula>[^\n]+)")
#: A line behind whose label, or under which, the formula stands.
_LABEL = re.compile(r"^[ \t>#*_`-]*(?:(?:the|final)[ \t]+)*formula[ \t*_`]*[:：]", re.IGNORECASE | re.MULTILINE)
#: A free name that is a variable, whatever else: nothing binds it, and nothing says what it is called.
_VARIABLE = re.compile(r"[u-zU-Z]\d?")


class OpenTranslation(Task):
    """Sentence → signature and glossary, and a formula over them.

    The subject's facts are the ``sentence`` and the ``ontology``, which the model is not shown. A formula with other
    kinds or numbers of symbols than the reference has foreign symbols: whether it is right over another ontology
    cannot be computed.
    """

    name = "open_translation"
    form = "formulas"
    figures = "scored translation"
    benchmark = "Open translation"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"statement": fact(trial.about, "sentence", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        lang = language(trial.about.language)
        ours = reference_signatures(trial.about)
        reading, listed = _read(answer, lang)
        is_listed = bool(listed) or (reading.formula is not None and not lang.symbols(reading.formula).names)
        notes = {
            "le_score": le_score_of(reading, trial.about.formula),
            "ontology_answered": [str(symbol) for symbol in listed] if is_listed else None,
            **matching_notes(listed if is_listed else None, ours.used),
        }
        if reading.formula is None:
            judgement = not_compared(reading, without_formula(reading, lang), NOT_ALIGNED)
        else:
            judgement = _judged_formula(reading, cast("Sentence", reading.formula), listed, ours, trial)
        return replace(judgement, notes={**notes, **judgement.notes})

    def notes_without_answer(self, subject: Subject) -> Mapping[str, Any]:
        ours = reference_signatures(subject).used
        not_meaningful = {"relation": None, "meaningful": False, "syntactically_correct": False}
        return {"le_score": None, **matching_notes(None, ours), **not_meaningful, **NOT_ALIGNED}


def _read(answer: str, lang: Language) -> tuple[Reading, tuple[Symbol, ...]]:
    """The formula of an answer, and the symbols that it lists."""
    whole = lang.read(answer)
    if whole.compliant:
        return replace(whole, compliant=False, recovered=True), ()
    read = read_signature(answer)
    labels = [*_LABEL.finditer(read.rest)]
    text = read.rest[labels[-1].start() :] if labels else read.rest
    reading = lang.read(text, vocabulary=Ontology(read.symbols).vocabulary if read.symbols else None)
    if reading.formula is None:
        return reading, read.symbols
    in_form = _FORM.fullmatch(answer.strip())
    compliant = in_form is not None and lang.read(in_form["formula"]).compliant
    used = lang.symbols(reading.formula).names
    return replace(reading, compliant=compliant, recovered=not compliant), read_signature(answer, used).symbols


def _judged_formula(
    reading: Reading, formula: Sentence, listed: Sequence[Symbol], ours: Signatures, trial: Trial
) -> Judgement:
    lang, reference = language(trial.about.language), cast("Sentence", trial.about.formula)
    timeout = trial.seconds_for(lang)
    theirs = _glossed(formula, listed)
    if problem := _unknown(formula, theirs, listed) or _other_shape(theirs, ours.used):
        return not_compared(reading, problem, NOT_ALIGNED)
    alignment = aligned(
        FormulaWithSymbols(formula, theirs), FormulaWithSymbols(reference, ours.used), lang, timeout, ours.others
    )
    judgement = compared(reading, renamed(formula, alignment.renaming), reference, lang, timeout)
    notes = {
        **judgement.notes,
        "alignment": [list(pair) for pair in alignment.pairs],
        "alignment_basis": alignment.basis,
    }
    shown = f"\n  symbols aligned by {alignment.basis}: {str(alignment) or 'there are none'}"
    if judgement.outcome != "undecided" and not alignment.certain:
        return Judgement(
            outcome="undecided",
            message=f"undecided: the symbols may stand for others than they were aligned with{shown}",
            notes={**notes, "relation": None},
            reading=reading,
        )
    return replace(judgement, message=judgement.message and judgement.message + shown, notes=notes)


def _glossed(formula: Sentence, listed: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """The symbols of a formula with their glosses, of the kinds and with the places that they have in it."""
    by_name = {symbol.name: symbol for symbol in reversed(listed)}
    exact = {(symbol.name, symbol.arity): symbol for symbol in reversed(listed)}
    glossed = []
    for symbol in symbols_used(formula, Ontology(())):
        known = exact.get((symbol.name, symbol.arity))
        if known is not None:
            glossed.append(replace(known, is_term=symbol.is_term))
        elif symbol.name in by_name and not by_name[symbol.name].arity:  # listed without places
            glossed.append(replace(symbol, gloss=by_name[symbol.name].gloss))
        else:
            glossed.append(symbol)
    return tuple(glossed)


def _unknown(formula: Sentence, theirs: Sequence[Symbol], listed: Sequence[Symbol]) -> str:
    """Why the meaning of a formula's symbols is unclear, or an empty text."""
    names = {symbol.name: symbol for symbol in listed}
    bound = {*symbols(formula).variables, *(place for symbol in listed for place in symbol.parameters)}
    for symbol in theirs:
        known = names.get(symbol.name)
        if (
            known is None
            and symbol.is_term
            and not symbol.arity
            and (symbol.name in bound or _VARIABLE.fullmatch(symbol.name))
        ):
            return f"the formula uses the unbound variable {symbol.name}"
        if (
            known is not None
            and known.arity
            and all(one.arity != symbol.arity for one in listed if one.name == symbol.name)
        ):
            there, here = count_of_arguments(known.arity), count_of_arguments(symbol.arity)
            return f"the formula uses {symbol.name} with {here}, and the answer lists it with {there}"
    used = {symbol.name for symbol in theirs}
    for is_term in (False, True):
        unlisted = [one.name for one in theirs if one.is_term == is_term and one.name not in names]
        unused = [one.name for one in listed if one.is_term == is_term and one.name not in used]
        if unlisted and unused:
            return (
                f"the formula uses {', '.join(unlisted)}, which the answer does not list, "
                f"and not {', '.join(unused)}, which it lists: what the symbols stand for cannot be told"
            )
    return ""


def _other_shape(theirs: Sequence[Symbol], ours: Sequence[Symbol]) -> str:
    if same_shape(theirs, ours):
        return ""
    return (
        f"the formula is about {_counted(theirs)}, the reference about {_counted(ours)}: they cannot be compared, "
        "though it may be right over its own ontology"
    )


def _counted(some: Sequence[Symbol]) -> str:
    return ", ".join(str(symbol) for symbol in some) or "no symbols"


TASK = OpenTranslation()
