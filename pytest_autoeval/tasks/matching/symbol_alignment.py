"""Which of a model's own symbols stands for which of ours: the best bijection, by glosses and by the oracle.

A wrong alignment is a wrong verdict. The glosses speak first: where one bijection fits them clearly better than
another, the other is out, even if the formulas would be equivalent under it. So "every cube is small" with the names
Cube and Small swapped does not pass for the right formula. A symbol that fits one of the ontology that the reference
does not use is not taken for one that it does use. Only where the glosses leave several open, the oracle chooses; but
where a pair of words has nothing in common, what but one of those proves is a guess, and leaves the verdict open.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pytest_autoeval.languages import Language
from pytest_autoeval.languages.logic.renaming import Name, Renaming, Replacement, renamed
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.tasks.matching.phrases import best_matching
from pytest_autoeval.tasks.matching.symbol_likeness import SUPPORTED, Likeness, is_denied, likenesses, orders

#: Bijections, with the orders of places under each, that are put to the oracle at most.
MOST_QUESTIONS = 720
#: More symbols of one kind than these are aligned by their glosses alone: 6 have 720 bijections.
MOST_SYMBOLS = 6
#: A bijection is clearly worse than another if some of the symbols that they exchange are less alike by this much on
#: average: it confirms nothing. While they are not less alike by `HARDLY` in sum, it is doubtful: a formula that it
#: makes equivalent is not called different either.
CLEARLY, HARDLY = 0.15, 0.8
#: Combinations of bijections of each kind that are looked at.
_MOST_COMBINED = 5_000
#: Names that are no longer are letters, with a number maybe.
_LETTER = 2
#: What a pair is worth that cannot be.
_NEVER = -1_000.0

Basis = Literal["glosses", "glosses and oracle", "oracle"]


@dataclass(frozen=True, slots=True)
class SymbolAlignment:
    """Pairs of their symbol and ours, as text, in the order of theirs.

    ``LeftOf(x2, x1)`` beside ``RightOf(x1, x2)``: the places are exchanged; ``¬Small`` beside ``NotSmall``: the glosses
    deny each other. ``basis`` is the evidence for the alignment: the ``glosses`` (names among them), which leave no
    other; the ``oracle`` among those that the glosses leave; or the oracle alone, where glosses say nothing of some
    pair. ``certain`` is False where another alignment could change the verdict and is not ruled out.
    """

    pairs: tuple[tuple[str, str], ...]
    renaming: Renaming
    basis: Basis
    certain: bool = True

    def __str__(self) -> str:
        return ", ".join(f"{theirs} is {ours}" for theirs, ours in self.pairs)


@dataclass(frozen=True, slots=True)
class FormulaWithSymbols:
    """A formula, and the symbols that it uses."""

    formula: Sentence
    symbols: tuple[Symbol, ...]


def aligned(
    theirs: FormulaWithSymbols, ours: FormulaWithSymbols, lang: Language, timeout: float, others: Sequence[Symbol] = ()
) -> SymbolAlignment:
    """The alignment of the symbols of an answer with those of the reference.

    There must be as many of each kind and number of places (:func:`same_shape`; else raises :class:`ValueError`).
    ``others`` are the symbols of our ontology that the reference does not use. ``timeout`` is in seconds, for all
    questions to the oracle together.
    """
    if not same_shape(theirs.symbols, ours.symbols):
        raise ValueError("symbols of different kinds and numbers of places cannot be aligned")
    table = _Table(theirs.symbols, (*ours.symbols, *others), len(ours.symbols))
    oracle = _Oracle(theirs.formula, ours.formula, table, lang, time.monotonic() + timeout)
    best = table.best()
    left = table.left_by_glosses(best)
    candidates = [*itertools.islice(_candidates(table, left.open), MOST_QUESTIONS + 1)]
    for candidate in candidates[:MOST_QUESTIONS]:
        if oracle.is_equivalent(candidate):
            certain = all(map(oracle.is_equivalent, table.guesses(candidate, candidates)))
            return table.alignment(candidate, _basis(table, candidate.bijection, len(candidates)), certain=certain)
    certain = (
        left.complete
        and len(candidates) <= MOST_QUESTIONS
        and not table.is_shaky(best)
        and not oracle.gave_up
        and not oracle.may_be_equivalent(_candidates(table, left.doubtful))
    )
    return table.alignment(next(table.candidates(best)), _basis(table, best, len(candidates)), certain=certain)


def same_shape(theirs: Sequence[Symbol], ours: Sequence[Symbol]) -> bool:
    """Whether there are as many symbols of each kind and number of places on both sides."""
    return sorted(map(_shape, theirs)) == sorted(map(_shape, ours))


#: For each of their symbols, by position, the position of ours.
Bijection = tuple[int, ...]


class AlignmentCandidate(NamedTuple):
    """A bijection, and for each of their symbols how its places correspond to those of ours."""

    bijection: Bijection
    orders: tuple[tuple[int, ...], ...]


def _shape(symbol: Symbol) -> tuple[bool, int]:
    return symbol.is_term, symbol.arity


class _Left(NamedTuple):
    """The bijections onto the symbols of the reference that the glosses leave, the likeliest first.

    ``open`` ones may confirm an equivalence, ``doubtful`` ones only cast doubt on a difference; ``complete`` says that
    all others are out.
    """

    open: list[Bijection]
    doubtful: list[Bijection]
    complete: bool


def _candidates(table: _Table, bijections: Sequence[Bijection]) -> Iterator[AlignmentCandidate]:
    return (candidate for bijection in bijections for candidate in table.candidates(bijection))


def _basis(table: _Table, bijection: Bijection, left: int) -> Basis:
    """What speaks for a bijection, where the glosses leave so many alignments open."""
    if not table.is_supported(bijection):
        return "oracle"
    return "glosses" if left <= 1 else "glosses and oracle"


class _Table:
    """How alike each of their symbols is to each of ours of its kind; ours that the reference uses come first."""

    def __init__(self, theirs: Sequence[Symbol], ours: Sequence[Symbol], used: int) -> None:
        self.theirs, self.ours, self.used = theirs, ours, used
        self.cells: list[list[Likeness]] = [[Likeness(_NEVER)] * len(ours) for _ in theirs]
        for is_term in (False, True):  # glosses of predicates and of individuals have other words in common
            rows = [i for i, symbol in enumerate(theirs) if symbol.is_term == is_term]
            columns = [j for j, symbol in enumerate(ours) if symbol.is_term == is_term]
            found = likenesses([theirs[i] for i in rows], [ours[j] for j in columns])
            for i, row in zip(rows, found, strict=True):
                for j, cell in zip(columns, row, strict=True):
                    if _shape(theirs[i]) == _shape(ours[j]):
                        self.cells[i][j] = cell
        self.classes = [
            ([i for i, symbol in enumerate(theirs) if _shape(symbol) == shape], self._columns(shape))
            for shape in dict.fromkeys(map(_shape, theirs))
        ]

    def _columns(self, shape: tuple[bool, int]) -> list[int]:
        return [j for j in range(self.used) if _shape(self.ours[j]) == shape]

    def worth(self, i: int, j: int) -> float:
        """What speaks for a pair; less than nothing where the glosses exclude each other."""
        cell = self.cells[i][j]
        return cell.worth - cell.is_contrary

    def best(self) -> Bijection:
        """The assignment of the most alike, among all symbols of the ontology; those of the reference before others."""
        values = [
            [self.worth(i, j) - 1e-6 * (j >= self.used) for j in range(len(self.ours))] for i in range(len(self.theirs))
        ]
        found = dict(best_matching(values).pairs)
        return tuple(found[i] for i in range(len(self.theirs)))

    def left_by_glosses(self, best: Bijection) -> _Left:
        """The bijections that are not much worse than the best assignment."""
        graded = [[*self._graded(rows, columns, best)] for rows, columns in self.classes]
        sorts: tuple[list[tuple[float, Bijection]], list[tuple[float, Bijection]]] = ([], [])
        for parts in itertools.islice(itertools.product(*graded), _MOST_COMBINED):
            margin = max((part[0] for part in parts), default=0.0)
            pairs = dict(pair for part in parts for pair in part[1])
            bijection = tuple(pairs[i] for i in range(len(self.theirs)))
            value = round(sum(self.worth(i, j) for i, j in pairs.items()), 9)
            sorts[margin > CLEARLY].append((-value, bijection))
        few = all(len(rows) <= MOST_SYMBOLS for rows, _ in self.classes)
        complete = few and math.prod(map(len, graded)) <= _MOST_COMBINED
        open_ones, doubtful = ([bijection for _, bijection in sorted(sort)] for sort in sorts)
        return _Left(open_ones, doubtful, complete)

    def _graded(
        self, rows: Sequence[int], columns: Sequence[int], best: Bijection
    ) -> Iterator[tuple[float, tuple[tuple[int, int], ...]]]:
        """The ways to pair the symbols of one kind that are not out, each with how much worse than the best it is."""
        fitting = tuple(best[i] for i in rows)
        ways = itertools.permutations(columns) if len(rows) <= MOST_SYMBOLS else [fitting]
        for way in ways:
            pairs = dict(zip(rows, way, strict=True))
            if not {*way} <= {*columns} or any(self.cells[i][j].is_contrary for i, j in pairs.items()):
                continue
            losses = [
                [self.worth(i, best[i]) - self.worth(i, pairs[i]) for i in moved] for moved in _exchanges(pairs, best)
            ]
            if all(sum(some) <= HARDLY for some in losses):
                yield max((sum(some) / len(some) for some in losses), default=0.0), tuple(pairs.items())

    def is_supported(self, bijection: Bijection) -> bool:
        """Whether something speaks for every pair."""
        return all(self.cells[i][j].worth >= SUPPORTED for i, j in enumerate(bijection))

    def guesses(
        self, chosen: AlignmentCandidate, candidates: Iterable[AlignmentCandidate]
    ) -> Iterator[AlignmentCandidate]:
        """The candidates that are as good as the chosen one, where it takes words for others that nothing speaks for.

        What is but a letter says nothing, and may stand for anything that makes the formulas equivalent.
        """
        unsupported = [self.cells[i][j].worth < SUPPORTED for i, j in enumerate(chosen.bijection)]
        if not any(
            is_open and (their.gloss or len(their.name) > _LETTER)
            for is_open, their in zip(unsupported, self.theirs, strict=True)
        ):
            return
        for other in candidates:
            pairs = zip(zip(*chosen, strict=True), zip(*other, strict=True), unsupported, strict=True)
            if other != chosen and all(is_open or ours == theirs for ours, theirs, is_open in pairs):
                yield other

    def is_shaky(self, bijection: Bijection) -> bool:
        """Whether some pair is one that cannot be, or stands for a denial on no evidence."""
        return any(
            self.cells[i][j].is_contrary
            or (is_denied(self.theirs[i], self.ours[j]) and self.cells[i][j].worth < SUPPORTED)
            for i, j in enumerate(bijection)
        )

    def candidates(self, bijection: Bijection) -> Iterator[AlignmentCandidate]:
        """A bijection with every order of the places that the glosses leave, the likeliest first."""
        ways = [orders(self.theirs[i], self.ours[j], self.cells[i][j]) for i, j in enumerate(bijection)]
        return (AlignmentCandidate(bijection, way) for way in itertools.product(*ways))

    def renaming(self, candidate: AlignmentCandidate) -> Renaming:
        """What a candidate puts in place of what."""
        predicates: dict[Name, Replacement] = {}
        terms: dict[Name, Replacement] = {}
        for i, (j, order) in enumerate(zip(*candidate, strict=True)):
            their, our = self.theirs[i], self.ours[j]
            replacement = Replacement(our.name, order, negated=self._is_denied(i, j))
            (terms if their.is_term else predicates)[their.name, their.arity] = replacement
        return Renaming(predicates, terms)

    def alignment(self, candidate: AlignmentCandidate, basis: Basis, *, certain: bool = True) -> SymbolAlignment:
        """What a candidate amounts to."""
        pairs = tuple(self._shown(i, j, order) for i, (j, order) in enumerate(zip(*candidate, strict=True)))
        return SymbolAlignment(pairs, self.renaming(candidate), basis, certain)

    def _shown(self, i: int, j: int, order: tuple[int, ...]) -> tuple[str, str]:
        their, our = self.theirs[i], self.ours[j]
        sign = "¬" if self._is_denied(i, j) else ""
        if order == tuple(range(our.arity)):
            return their.name, f"{sign}{our.name}"
        places = [f"x{place}" for place in range(1, our.arity + 1)]
        there = ", ".join(places[at] for at in order)
        return f"{their.name}({', '.join(places)})", f"{sign}{our.name}({there})"

    def _is_denied(self, i: int, j: int) -> bool:
        supported = self.cells[i][j].worth >= SUPPORTED
        return supported and not self.theirs[i].is_term and is_denied(self.theirs[i], self.ours[j])


def _exchanges(pairs: dict[int, int], best: Bijection) -> Iterator[list[int]]:
    """The rows in which two assignments differ, in groups that exchange their partners among themselves."""
    owner = {best[i]: i for i in pairs}
    pending = {i for i, j in pairs.items() if best[i] != j}
    follower = {owner[pairs[i]]: i for i in pending if pairs[i] in owner}
    while pending:
        first = min(pending)
        group = {first}
        for step in (lambda i: owner.get(pairs[i]), follower.get):
            at = step(first)
            while at is not None and at not in group:
                group.add(at)
                at = step(at)
        pending -= group
        yield sorted(group)


class _Oracle:
    """Asks whether two formulas are equivalent under an alignment, as long as there is time."""

    def __init__(self, answer: Sentence, reference: Sentence, table: _Table, lang: Language, deadline: float) -> None:
        self.answer, self.reference, self.table = answer, reference, table
        self.lang, self.deadline = lang, deadline
        self.gave_up = False

    def is_equivalent(self, candidate: AlignmentCandidate) -> bool:
        """Whether the formulas prove to be equivalent; notes where the oracle gave up."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            self.gave_up = True
            return False
        formula = renamed(self.answer, self.table.renaming(candidate))
        outcome = self.lang.equivalent(self.reference, formula, timeout=left).outcome
        self.gave_up |= outcome == "undecided"
        return outcome == "equivalent"

    def may_be_equivalent(self, candidates: Iterable[AlignmentCandidate]) -> bool:
        """Whether the formulas are equivalent under one of some alignments, or the oracle gave up."""
        some = [*itertools.islice(candidates, MOST_QUESTIONS + 1)]
        return len(some) > MOST_QUESTIONS or any(self.is_equivalent(one) or self.gave_up for one in some)
