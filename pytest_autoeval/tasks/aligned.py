"""Judges a formula over the model's own names, which are aligned with ours.

Messages show the alignment. A formula with other kinds or numbers of names than the reference has foreign symbols: it
cannot be compared.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, cast

from msgspec import structs

from pytest_autoeval.languages import Formula, Language, Reading, language
from pytest_autoeval.languages.base import VerdictOutcome, substitute
from pytest_autoeval.languages.logic.rewriting import Renaming, renamed
from pytest_autoeval.languages.logic.signature import arguments_phrase, uses
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.evaluate import TraceWitness, holds
from pytest_autoeval.languages.ltl.traces.lasso import Lasso
from pytest_autoeval.languages.ontology import Ontology, Symbol
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.task_parts import Translated
from pytest_autoeval.tasks.alignment import Decide, best_alignment, same_shape
from pytest_autoeval.tasks.formula_answers import (
    NOT_ALIGNED,
    compared,
    no_formula_message,
    not_compared,
)
from pytest_autoeval.tasks.trial import Judgement, Trial

#: Free names that are always read as unbound variables.
_VARIABLE = re.compile(r"[u-zU-Z]\d?")
#: The number of short traces, always the same, that rule out most alignments without the oracle.
_SAMPLES = 40


class Signatures(NamedTuple):
    """The symbols of an ontology: those that a reference formula uses, and the others."""

    used: tuple[Symbol, ...]
    unused: tuple[Symbol, ...]


def symbols_used(formula: Sentence, glossary: Ontology) -> tuple[Symbol, ...]:
    """The symbols of a formula, in reading order, with their glosses if the glossary has them."""
    known = {(symbol.is_term, symbol.name, symbol.arity): symbol for symbol in glossary.symbols}
    used = dict.fromkeys(
        (use.kind in ("function", "constant"), use.name, use.arity)
        for use in uses(formula)
        if use.kind != "variable"
    )
    return tuple(
        known.get((is_term, name, arity))
        or Symbol(name, tuple(f"x{place}" for place in range(1, arity + 1)), "", is_term=is_term)
        for is_term, name, arity in used
    )


def translated_part(judgement: Judgement) -> Translated:
    return judgement.part(Translated) or Translated()


def judged_by_alignment(
    reading: Reading, listed: Sequence[Symbol], ours: Signatures, trial: Trial
) -> Judgement:
    """Judges a formula over the model's own names by their alignment with ours; undecided if it is not certain."""
    reference, lang = trial.about.formula, language(trial.about.language)
    timeout = trial.seconds_for(lang)
    if reading.formula is None:
        return not_compared(reading, no_formula_message(reading, lang), NOT_ALIGNED)
    rename = partial(_renamed, reading.formula)
    theirs = _glossed(reading.formula, listed, lang)
    if problem := _unclear_symbol(reading.formula, theirs, listed, lang) or _other_shape(
        theirs, ours.used
    ):
        return not_compared(reading, problem, NOT_ALIGNED)
    alignment = best_alignment(
        theirs, ours.used, _decider(rename, reference, lang), timeout, ours.unused
    )
    judgement = compared(reading, rename(alignment.renaming), reference, lang, timeout)
    translated = structs.replace(
        translated_part(judgement), alignment=[*alignment.pairs], alignment_basis=alignment.basis
    )
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
            states = [
                frozenset(atom for atom in atoms if numbers.random() < 0.5)
                for _ in range(numbers.randint(1, 5))
            ]
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


def _unclear_symbol(
    formula: Formula, theirs: Sequence[Symbol], listed: Sequence[Symbol], lang: Language
) -> str:
    """Why the meaning of some symbols of a formula is unclear, or an empty text."""
    arities = {
        symbol.name: [entry.arity for entry in listed if entry.name == symbol.name]
        for symbol in theirs
    }
    bound = {
        *lang.symbols(formula).variables,
        *(place for symbol in listed for place in symbol.parameters),
    }
    for symbol in theirs:
        known = arities[symbol.name]
        is_variable = symbol.name in bound or _VARIABLE.fullmatch(symbol.name)
        if not known and symbol.is_term and not symbol.arity and is_variable:
            return f"the formula uses the unbound variable {symbol.name}"
        if known and 0 not in known and symbol.arity not in known:
            there, here = arguments_phrase(known[-1]), arguments_phrase(symbol.arity)
            return (
                f"the formula uses {symbol.name} with {here}, and the answer lists it with {there}"
            )
    if twice := [str(symbol) for symbol, count in Counter(map(str, listed)).items() if count > 1]:
        return f"the answer lists {', '.join(twice)} more than once: its meaning is unclear"
    for is_term in (False, True):
        unlisted = [
            symbol.name
            for symbol in theirs
            if symbol.is_term == is_term and not arities[symbol.name]
        ]
        unused = [
            symbol.name
            for symbol in listed
            if symbol.is_term == is_term and symbol.name not in arities
        ]
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
        replacements[ltl.Atom(name)] = (
            ltl.Not(ltl.Atom(new.name)) if new.negated else ltl.Atom(new.name)
        )
    return substitute(formula, replacements)


def with_form(
    reading: Reading, form: re.Pattern[str], answer: str, read: Callable[[str], Reading]
) -> Reading:
    """The reading, compliant if the whole answer has the form and the formula in it is compliant."""
    match = form.fullmatch(answer.strip())
    compliant = match is not None and read(match["formula"]).compliant
    return (
        reading
        if reading.formula is None
        else replace(reading, compliant=compliant, recovered=not compliant)
    )


def _glossed(formula: Formula, listed: Sequence[Symbol], lang: Language) -> tuple[Symbol, ...]:
    """The symbols of a formula, with the glosses that the answer lists; the formula decides kinds and places."""
    if not isinstance(formula, Sentence):
        phrases = {symbol.name: symbol for symbol in listed}
        return tuple(
            phrases.get(name, Symbol(name, (), "")) for name in lang.symbols(formula).propositions
        )
    known = {(symbol.name, symbol.arity): symbol for symbol in listed}
    glossed = []
    for symbol in symbols_used(formula, Ontology(())):
        if same := known.get((symbol.name, symbol.arity)):
            glossed.append(replace(same, is_term=symbol.is_term))
        else:
            bare = known.get((symbol.name, 0))  # listed without places
            glossed.append(replace(symbol, gloss=bare.gloss if bare else ""))
    return tuple(glossed)
