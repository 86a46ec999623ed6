"""Which of a model's own names stands for which of ours: the best bijection, by phrases and by the oracle.

A wrong alignment is a wrong verdict. The phrases speak first: where one bijection fits them clearly better than
another, the other is out, even if the formulas would be equivalent under it. So ``G (request -> F grant)`` with the two
names swapped does not pass for the right formula. Only where the phrases leave several open, the oracle chooses.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from pytest_autoeval.languages import Formula, Language
from pytest_autoeval.languages.base import substitute
from pytest_autoeval.languages.ltl.evaluate import TraceWitness, holds
from pytest_autoeval.languages.ltl.syntax import Atom, Not, Temporal, Top
from pytest_autoeval.languages.ltl.traces.lasso import Lasso
from pytest_autoeval.tasks.matching.phrases import best_matching, distinctive_similarities, is_negated

#: More names than these are aligned by their phrases alone: 6 names have 720 bijections.
MOST_NAMES = 6
#: A bijection is clearly better than another if its pairs are more alike by this much, on average over those pairs in
#: which the two differ.
CLEARLY = 0.15
#: Traces that rule out most bijections before the oracle is asked.
_SAMPLES = 40

Basis = Literal["phrases", "oracle", "phrases and oracle"]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Pairs of their name and ours, in the order of our names; ``!x1`` where their phrase denies what ours says.

    ``basis`` is the evidence for it: the ``phrases`` alone, the ``oracle``, which finds the formulas equivalent under
    it, where the phrases leave it open, or both. ``certain`` is False where another alignment, under which the formulas
    may be equivalent, could not be ruled out in time.
    """

    pairs: tuple[tuple[str, str], ...]
    basis: Basis
    certain: bool = True

    def renamed(self, formula: Formula) -> Formula:
        """A formula over their names, over ours."""
        return substitute(formula, {Atom(theirs): _literal(ours) for theirs, ours in self.pairs})

    def __str__(self) -> str:
        return ", ".join(f"{theirs} is {ours}" for theirs, ours in self.pairs)


@dataclass(frozen=True, slots=True)
class FormulaWithPhrases:
    """A formula, and the phrases of its names as far as they are known."""

    formula: Formula
    phrases: Mapping[str, str]

    def names(self, lang: Language) -> tuple[str, ...]:
        """The names in the formula, as they come."""
        return lang.symbols(self.formula).propositions

    def phrase(self, name: str) -> str:
        """What a name stands for; where that is not known, the name itself in words."""
        return self.phrases.get(name) or in_words(name)


def aligned(theirs: FormulaWithPhrases, ours: FormulaWithPhrases, lang: Language, timeout: float) -> Alignment:
    """The alignment of two formulas with equally many names.

    ``timeout`` is in seconds, for all questions to the oracle together. Raises :class:`ValueError` where the numbers of
    names differ.
    """
    search = _Search(theirs, ours, lang, time.monotonic() + timeout)
    if len(search.theirs) != len(search.ours):
        raise ValueError(f"{len(search.theirs)} names cannot be aligned with {len(search.ours)}")
    table = _Likeness([theirs.phrase(name) for name in search.theirs], [ours.phrase(name) for name in search.ours])
    best = table.best()
    is_complete = len(search.ours) <= MOST_NAMES
    open_ones = table.not_clearly_worse(best) if is_complete else [best]
    for bijection in open_ones:
        if search.is_equivalent(bijection):
            has_phrases = len(open_ones) == 1 and table.is_supported(bijection)
            return Alignment(search.pairs(bijection), "phrases and oracle" if has_phrases else "oracle")
    certain = search.undecided <= {best} and (is_complete or table.is_literal(best))
    return Alignment(search.pairs(best), "phrases", certain)


def without_idle_names(formula: Formula, count: int, lang: Language, timeout: float) -> Formula:
    """The formula without names that prove to mean nothing in it, until ``count`` names are left.

    A name means nothing if the formula is equivalent to itself with ``true`` in the name's place. ``timeout`` is in
    seconds, for all questions together.
    """
    deadline = time.monotonic() + timeout
    for name in lang.symbols(formula).propositions:
        if len(lang.symbols(formula).propositions) <= count:
            break
        without = substitute(formula, {Atom(name): Top()})
        left = deadline - time.monotonic()
        if left > 0 and lang.equivalent(formula, without, timeout=left).outcome == "equivalent":
            formula = without
    return formula


def in_words(name: str) -> str:
    """A name as the words that it is made of: ``door_open`` and ``doorOpen`` say "door open"."""
    spaced = "".join(f" {letter}" if letter.isupper() else letter for letter in name.replace("_", " "))
    return " ".join(spaced.split()).lower()


#: For each of their names, by position, the position of ours.
Bijection = tuple[int, ...]


class _Likeness:
    """How alike each of their phrases and each of ours are."""

    def __init__(self, theirs: Sequence[str], ours: Sequence[str]) -> None:
        self.table = distinctive_similarities(theirs, ours)

    def best(self) -> Bijection:
        """The bijection whose pairs are the most alike."""
        matching = best_matching(self.table)
        return tuple(j for _, j in matching.pairs)

    def not_clearly_worse(self, best: Bijection) -> list[Bijection]:
        """The bijections that the phrases leave open, the likeliest first."""
        open_ones = [
            bijection
            for bijection in itertools.permutations(range(len(self.table)))
            if not self._is_out(bijection, best)
        ]
        return sorted(open_ones, key=lambda bijection: (-self._worth(bijection), bijection != best, bijection))

    def is_supported(self, bijection: Bijection) -> bool:
        """Whether all pairs have something in common."""
        return all(self.table[i][j] > 0 for i, j in enumerate(bijection))

    def is_literal(self, bijection: Bijection) -> bool:
        """Whether all pairs are as alike as can be."""
        return all(self.table[i][j] == 1 for i, j in enumerate(bijection))

    def _is_out(self, bijection: Bijection, best: Bijection) -> bool:
        changed = [i for i, j in enumerate(bijection) if j != best[i]]
        return sum(self.table[i][best[i]] - self.table[i][bijection[i]] for i in changed) > CLEARLY * len(changed)

    def _worth(self, bijection: Bijection) -> float:
        return round(sum(self.table[i][j] for i, j in enumerate(bijection)), 9)


class _Search:
    """Asks whether two formulas are equivalent under a bijection of their names; traces answer most of it."""

    def __init__(self, theirs: FormulaWithPhrases, ours: FormulaWithPhrases, lang: Language, deadline: float) -> None:
        self.answer, self.reference = theirs.formula, ours.formula
        self.theirs, self.ours = theirs.names(lang), ours.names(lang)
        self._their_denials = [is_negated(theirs.phrase(name)) for name in self.theirs]
        self._our_denials = [is_negated(ours.phrase(name)) for name in self.ours]
        self.lang, self.deadline = lang, deadline
        self.traces = [(lasso, self._reference_holds(lasso)) for lasso in _sample_traces(self.ours)]
        self.undecided: set[Bijection] = set()

    def pairs(self, bijection: Bijection) -> tuple[tuple[str, str], ...]:
        """The names that a bijection pairs, in the order of ours."""
        ordered = sorted(enumerate(bijection), key=lambda pair: pair[1])
        return tuple((self.theirs[i], self._sign(i, j) + self.ours[j]) for i, j in ordered)

    def _sign(self, i: int, j: int) -> str:
        return "!" if self._their_denials[i] != self._our_denials[j] else ""

    def is_equivalent(self, bijection: Bijection) -> bool:
        """Whether the oracle proves the formulas equivalent; notes where it gave up."""
        pairs = self.pairs(bijection)
        answer = cast("Temporal", self.answer)
        if any(holds(answer, _over(lasso, pairs)) != expected for lasso, expected in self.traces):
            return False
        left = self.deadline - time.monotonic()
        if left <= 0:
            self.undecided.add(bijection)
            return False
        aligned_answer = Alignment(pairs, "oracle").renamed(self.answer)
        verdict = self.lang.equivalent(self.reference, aligned_answer, timeout=left)
        if verdict.outcome == "undecided":
            self.undecided.add(bijection)
        if isinstance(verdict.witness, TraceWitness) and set(self.ours) <= set(verdict.witness.lasso.atoms):
            self.traces.append((verdict.witness.lasso, self._reference_holds(verdict.witness.lasso)))
        return verdict.outcome == "equivalent"

    def _reference_holds(self, lasso: Lasso) -> bool:
        return holds(cast("Temporal", self.reference), lasso)


def _sample_traces(atoms: tuple[str, ...]) -> Iterator[Lasso]:
    """Short traces, always the same."""
    numbers = random.Random(0)  # noqa: S311 (no secret)
    for _ in range(_SAMPLES):
        states = [frozenset(atom for atom in atoms if numbers.random() < 0.5) for _ in range(numbers.randint(1, 5))]
        start = numbers.randrange(len(states))
        yield Lasso(atoms, tuple(states[:start]), tuple(states[start:]))


def _literal(name: str) -> Temporal:
    return Not(Atom(name[1:])) if name.startswith("!") else Atom(name)


def _over(lasso: Lasso, pairs: Sequence[tuple[str, str]]) -> Lasso:
    """The trace over their names."""

    def states(part: Iterable[frozenset[str]]) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(theirs for theirs, ours in pairs if _is_so(ours, state)) for state in part)

    return Lasso(tuple(theirs for theirs, _ in pairs), states(lasso.prefix), states(lasso.loop))


def _is_so(literal: str, state: frozenset[str]) -> bool:
    return literal[1:] not in state if literal.startswith("!") else literal in state
