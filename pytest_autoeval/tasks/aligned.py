"""Judges a formula over the model's own names, which are aligned with ours.

Messages show the alignment. A formula with other kinds or numbers of names than the reference has foreign symbols: it
cannot be compared.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, cast

from msgspec import structs

from pytest_autoeval.languages import Formula, Language, Reading, language
from pytest_autoeval.languages.base import VerdictOutcome, substitute
from pytest_autoeval.languages.logic.renaming import Renaming, renamed
from pytest_autoeval.languages.logic.signature import arguments_phrase, uses
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.evaluate import TraceWitness, holds
from pytest_autoeval.languages.ltl.traces.lasso import Lasso
from pytest_autoeval.languages.ontology import Ontology, Symbol
from pytest_autoeval.lazy_pattern import lazy_pattern
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
_VARIABLE = lazy_pattern(r"[u-zU-Z]\d?")
#: The number of short traces, always the same, that rule out most alignments without the oracle.
_NUMBER_OF_TRACES = 40
_LONGEST_TRACE = 5


class Signatures(NamedTuple):
    """The symbols of an ontology: those that a reference formula uses, and the others.

    The others count too: a symbol of the answer that fits one of them is not aligned with a used one.
    """

    used: tuple[Symbol, ...]
    unused: tuple[Symbol, ...]


def symbols_used(formula: Sentence, glossary: Ontology) -> tuple[Symbol, ...]:
    """The symbols of a formula, in reading order, with their glosses if the glossary has them."""
    glossed = {(symbol.is_term, symbol.name, symbol.arity): symbol for symbol in glossary.symbols}
    symbols: dict[tuple[bool, str, int], Symbol] = {}
    for use in uses(formula):
        if use.kind == "variable":
            continue
        is_term = use.kind in ("function", "constant")
        parameters = tuple(f"x{number}" for number in range(1, use.arity + 1))
        without_gloss = Symbol(use.name, parameters, "", is_term=is_term)
        key = is_term, use.name, use.arity
        symbols[key] = glossed.get(key, without_gloss)
    return tuple(symbols.values())


def translated_part(judgement: Judgement) -> Translated:
    """What a judgement records of a translation; nothing yet if it has no such part."""
    return judgement.part(Translated) or Translated()


def judged_by_alignment(
    reading: Reading, listed: Sequence[Symbol], signatures: Signatures, trial: Trial
) -> Judgement:
    """Judges a formula over the model's own names by their alignment with ours; undecided if it is not certain."""
    reference = trial.about.formula
    lang = language(trial.about.language)
    timeout = trial.seconds_for(lang)
    if reading.formula is None:
        return not_compared(reading, no_formula_message(reading, lang), NOT_ALIGNED)
    symbols = _glossed(reading.formula, listed, lang)
    problem = _unclear_symbol(reading.formula, symbols, listed, lang)
    if not problem:
        problem = _other_shape(symbols, signatures.used)
    if problem:
        return not_compared(reading, problem, NOT_ALIGNED)
    rename = partial(_renamed, reading.formula)
    decide = _decider(rename, reference, lang)
    alignment = best_alignment(symbols, signatures.used, decide, timeout, signatures.unused)
    judgement = compared(reading, rename(alignment.renaming), reference, lang, timeout)
    translated = structs.replace(
        translated_part(judgement), alignment=[*alignment.pairs], alignment_basis=alignment.basis
    )
    aligned_names = str(alignment) or "there are none"
    # The end of a message: it shows by which alignment the answer was judged.
    alignment_line = f"\n  names aligned by {alignment.basis}: {aligned_names}"
    # Under another alignment, an equivalent answer might be different, or the reverse: no answer is judged by a guess.
    if judgement.outcome != Outcome.UNDECIDED and not alignment.certain:
        message = f"undecided: another alignment of the names is possible{alignment_line}"
        uncertain = structs.replace(translated, relation=None)
        return Judgement(
            outcome=Outcome.UNDECIDED, message=message, parts=(uncertain,), reading=reading
        )
    if judgement.message:
        judgement = replace(judgement, message=judgement.message + alignment_line)
    return judgement.with_part(translated)


def _decider(rename: Callable[[Renaming], Formula], reference: Formula, lang: Language) -> Decide:
    """A function that compares the reference with the answer, renamed by an alignment, within so many seconds.

    In temporal logic, short traces distinguish most wrong alignments from the reference, and the oracle need not be
    asked.
    """
    traces: list[Lasso] = []
    if isinstance(reference, ltl.Temporal):
        atoms = lang.symbols(reference).propositions
        # One seed, so that every run judges an answer alike.
        numbers = random.Random(0)  # noqa: S311 (no secret)
        for _ in range(_NUMBER_OF_TRACES):
            length = numbers.randint(1, _LONGEST_TRACE)
            states = [
                frozenset(atom for atom in atoms if numbers.random() < 0.5) for _ in range(length)
            ]
            loop_start = numbers.randrange(length)
            traces.append(Lasso(atoms, tuple(states[:loop_start]), tuple(states[loop_start:])))

    def decide(renaming: Renaming, seconds: float) -> str:
        answer = rename(renaming)
        for trace in traces:  # other logics have none
            reference_holds = holds(cast("ltl.Temporal", reference), trace)
            if holds(cast("ltl.Temporal", answer), trace) != reference_holds:
                return VerdictOutcome.DIFFERENT
        verdict = lang.equivalent(reference, answer, timeout=seconds)
        # The trace of a witness may rule out the next alignments too.
        if isinstance(verdict.witness, TraceWitness):
            traces.append(verdict.witness.lasso)
        return verdict.outcome

    return decide


def _unclear_symbol(
    formula: Formula, symbols: Sequence[Symbol], listed: Sequence[Symbol], lang: Language
) -> str:
    """Why the meaning of some symbols of a formula is unclear, or an empty text."""
    listed_arities: dict[str, list[int]] = {}
    variables = set(lang.symbols(formula).variables)
    for entry in listed:
        listed_arities.setdefault(entry.name, []).append(entry.arity)
        variables.update(entry.parameters)
    for symbol in symbols:
        arities = listed_arities.get(symbol.name)
        is_constant = symbol.is_term and symbol.arity == 0
        looks_like_variable = symbol.name in variables or _VARIABLE.fullmatch(symbol.name)
        if not arities and is_constant and looks_like_variable:
            return f"the formula uses the unbound variable {symbol.name}"
        # Many answers list a predicate by its name alone, as if with 0 places. Then the formula gives their number.
        if arities and 0 not in arities and symbol.arity not in arities:
            used = arguments_phrase(symbol.arity)
            listed_last = arguments_phrase(arities[-1])
            return f"the formula uses {symbol.name} with {used}, and the answer lists it with {listed_last}"
    times_listed = Counter(map(str, listed))
    repeated = [entry_text for entry_text, times in times_listed.items() if times > 1]
    if repeated:
        return f"the answer lists {', '.join(repeated)} more than once: its meaning is unclear"
    used_names = {symbol.name for symbol in symbols}
    for is_term in (False, True):
        used_of_kind = [symbol.name for symbol in symbols if symbol.is_term == is_term]
        listed_of_kind = [entry.name for entry in listed if entry.is_term == is_term]
        unlisted = [name for name in used_of_kind if name not in listed_arities]
        unused = [name for name in listed_of_kind if name not in used_names]
        # An unused name may be an unlisted one, misspelt. If only one side has a name too many, all names are clear.
        if unlisted and unused:
            return (
                f"the formula uses {', '.join(unlisted)}, which the answer does not list, "
                f"and does not use {', '.join(unused)}, which it lists: the meaning of the names is unclear"
            )
    return ""


def _other_shape(symbols: Sequence[Symbol], references: Sequence[Symbol]) -> str:
    """Why the symbols of an answer cannot be matched with those of the reference, or an empty text."""
    if same_shape(symbols, references):
        return ""
    answer_text = ", ".join(map(str, symbols)) or "nothing"
    reference_text = ", ".join(map(str, references)) or "nothing"
    return (
        f"the formula is about {answer_text}, the reference about {reference_text}: they cannot be compared; "
        "the formula may be right over its own names"
    )


def _renamed(formula: Formula, renaming: Renaming) -> Formula:
    """The formula of an answer over our names. A negated replacement stands for a gloss that negates ours."""
    if isinstance(formula, Sentence):
        return renamed(formula, renaming)
    replacements: dict[Formula, Formula] = {}
    # The symbols of temporal logic are propositions. Their key is a name and its 0 places.
    for (name, _), replacement in renaming.predicates.items():
        atom = ltl.Atom(replacement.name)
        replacements[ltl.Atom(name)] = ltl.Not(atom) if replacement.negated else atom
    return substitute(formula, replacements)


def _glossed(formula: Formula, listed: Sequence[Symbol], lang: Language) -> tuple[Symbol, ...]:
    """The symbols of a formula, with the glosses that the answer lists; the formula decides kinds and places."""
    if not isinstance(formula, Sentence):
        entries = {symbol.name: symbol for symbol in listed}
        names = lang.symbols(formula).propositions
        return tuple(entries.get(name, Symbol(name, (), "")) for name in names)
    entry_of = {(symbol.name, symbol.arity): symbol for symbol in listed}
    glossed = []
    for symbol in symbols_used(formula, Ontology(())):
        entry = entry_of.get((symbol.name, symbol.arity))
        listed_by_name_alone = entry_of.get((symbol.name, 0))
        if entry is not None:
            glossed.append(structs.replace(entry, is_term=symbol.is_term))
        elif listed_by_name_alone is not None:
            glossed.append(structs.replace(symbol, gloss=listed_by_name_alone.gloss))
        else:
            glossed.append(symbol)
    return tuple(glossed)
