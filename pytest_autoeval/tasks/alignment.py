"""The alignment of a model's symbols with ours: the best bijection, by their glosses and by the decision procedure.

A wrong alignment makes a wrong verdict. Glosses come first (for a proposition, its phrase). A bijection that fits them
clearly worse than another is excluded, even if it would make the formulas equivalent: "every cube is small" with Cube
and Small swapped is wrong. A symbol that fits an unused symbol of our ontology is not matched with a used one. If the
glosses leave several bijections, the decision procedure (here: the oracle) chooses. If a matched pair has no words in
common, and only some of these bijections make the formulas equivalent, the choice would be a guess: the verdict stays
undecided.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.logic.rewriting import Name, Renaming, Replacement
from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.tasks.likeness import (
    LETTER,
    SUPPORTED,
    Likeness,
    best_matching,
    is_denied,
    likenesses,
    orders,
)

#: The largest number of candidates (bijections with orders of places) that the oracle decides.
MOST_QUESTIONS = 720
#: More symbols of one kind than these are aligned by their glosses alone: 6 have 720 bijections.
MOST_SYMBOLS = 6
#: A bijection differs from the best one by exchanging partners within groups of symbols. If a group loses more than
#: `CLEAR_LOSS` likeness on average, the bijection confirms no equivalence. If no group loses more than `LARGEST_LOSS`
#: in sum, it is doubtful: an equivalence under it makes the verdict undecided.
CLEAR_LOSS, LARGEST_LOSS = 0.15, 0.8
#: The largest number of combinations, of one bijection for each kind of symbol, that are compared.
_MAX_COMBINATIONS = 5_000
#: The worth of an impossible pair.
_NEVER = -1_000.0

Basis = Literal["glosses", "glosses and oracle", "oracle"]
#: The outcome of comparing the reference with the renamed answer, within some seconds.
Decide = Callable[[Renaming, float], str]
#: For each of their symbols, by position, the position of ours.
Bijection = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Pairs of a symbol of the answer and one of the reference, as text, in the order of the answer.

    In ``LeftOf(x2, x1)`` beside ``RightOf(x1, x2)`` the places are exchanged; in ``¬Small`` beside ``NotSmall`` one
    gloss negates the other. ``basis`` is what excludes other alignments: the glosses, both, or the oracle alone.
    ``certain`` is False if another alignment is possible and could change the verdict.
    """

    pairs: tuple[tuple[str, str], ...]
    renaming: Renaming
    basis: Basis
    certain: bool = True

    def __str__(self) -> str:
        return ", ".join(f"{theirs} is {ours}" for theirs, ours in self.pairs)


def best_alignment(
    theirs: Sequence[Symbol],
    ours: Sequence[Symbol],
    decide: Decide,
    timeout: float,
    unused: Sequence[Symbol] = (),
) -> Alignment:
    """The alignment of the symbols of an answer with those of the reference, which have :func:`same_shape`.

    ``unused`` are the symbols of our ontology that the reference does not use. ``timeout`` is in seconds, for all
    questions to the oracle together. Raises :class:`ValueError` for other shapes.
    """
    if not same_shape(theirs, ours):
        raise ValueError("symbols of different kinds and numbers of places cannot be aligned")
    table = _Table(theirs, (*ours, *unused), len(ours))
    best = table.best()
    left = table.remaining_by_glosses(best)
    candidates = [*itertools.islice(table.candidates(left.open), MOST_QUESTIONS + 1)]
    # The time begins here: the first matching of a process imports scipy, which takes longer than an answer may.
    oracle = _Oracle(table, decide, time.monotonic() + timeout)
    for candidate in candidates[:MOST_QUESTIONS]:
        if oracle.is_equivalent(candidate):
            certain = all(map(oracle.is_equivalent, table.guesses(candidate, candidates)))
            return table.alignment(candidate, len(candidates), certain=certain)
    is_literal = all(table.cells[i][j].worth >= 1 for i, j in enumerate(best))
    certain = (
        (left.complete or is_literal)
        and len(candidates) <= MOST_QUESTIONS
        and not table.is_doubtful(best)
        and not oracle.gave_up
        and not oracle.may_be_equivalent(table.candidates(left.doubtful))
    )
    return table.alignment(next(table.candidates([best])), len(candidates), certain=certain)


def same_shape(theirs: Sequence[Symbol], ours: Sequence[Symbol]) -> bool:
    """Whether there are as many symbols of each kind and number of places on both sides."""
    return sorted(map(_shape, theirs)) == sorted(map(_shape, ours))


def _shape(symbol: Symbol) -> tuple[bool, int]:
    return symbol.is_term, symbol.arity


class _Candidate(NamedTuple):
    """A bijection, and for each of their symbols how its places correspond to those of ours."""

    bijection: Bijection
    orders: tuple[tuple[int, ...], ...]


class _Remaining(NamedTuple):
    """The bijections that the glosses leave, the likeliest first; ``complete`` if all others are excluded.

    ``open`` ones can confirm an equivalence; ``doubtful`` ones can only make a difference undecided.
    """

    open: list[Bijection]
    doubtful: list[Bijection]
    complete: bool


class _Table:
    """The likeness of each symbol of the answer to each of our ontology of its kind.

    Symbols of the ontology that the reference uses come first.
    """

    def __init__(self, theirs: Sequence[Symbol], ours: Sequence[Symbol], used: int) -> None:
        self.theirs, self.ours, self.used = theirs, ours, used
        self.cells: list[list[Likeness]] = [[Likeness(_NEVER)] * len(ours) for _ in theirs]
        for is_term in (
            False,
            True,
        ):  # glosses of predicates share other words than those of individuals
            rows = [i for i, symbol in enumerate(theirs) if symbol.is_term == is_term]
            columns = [j for j, symbol in enumerate(ours) if symbol.is_term == is_term]
            likeness = likenesses([theirs[i] for i in rows], [ours[j] for j in columns])
            for (i, row), (j, column) in itertools.product(enumerate(rows), enumerate(columns)):
                if _shape(theirs[row]) == _shape(ours[column]):
                    self.cells[row][column] = likeness[i][j]

    def worth(self, i: int, j: int) -> float:
        """The evidence for a pair; negative if the glosses exclude each other."""
        cell = self.cells[i][j]
        return cell.worth - cell.is_contrary

    def best(self) -> Bijection:
        """The best matching with the symbols of the ontology; ties are broken in favour of the reference."""
        columns = range(len(self.ours))
        values = [
            [self.worth(i, j) - 1e-6 * (j >= self.used) for j in columns]
            for i in range(len(self.theirs))
        ]
        return tuple(j for _, j in best_matching(values))

    def remaining_by_glosses(self, best: Bijection) -> _Remaining:
        shapes = dict.fromkeys(map(_shape, self.theirs))
        classes = [
            [i for i, symbol in enumerate(self.theirs) if _shape(symbol) == shape]
            for shape in shapes
        ]
        graded = [[*self._graded(rows, best)] for rows in classes]
        left: dict[bool, list[tuple[float, Bijection]]] = {False: [], True: []}
        for parts in itertools.islice(itertools.product(*graded), _MAX_COMBINATIONS):
            pairs = {i: j for _, part in parts for i, j in part.items()}
            bijection = tuple(pairs[i] for i in range(len(self.theirs)))
            value = round(sum(self.worth(i, j) for i, j in pairs.items()), 9)
            left[any(margin > CLEAR_LOSS for margin, _ in parts)].append((-value, bijection))
        complete = max(map(len, classes), default=0) <= MOST_SYMBOLS
        complete = complete and math.prod(map(len, graded)) <= _MAX_COMBINATIONS
        open_ones, doubtful = (
            [bijection for _, bijection in sorted(valued)] for valued in left.values()
        )
        return _Remaining(open_ones, doubtful, complete)

    def _graded(
        self, rows: Sequence[int], best: Bijection
    ) -> Iterator[tuple[float, dict[int, int]]]:
        """The pairings of the symbols of one kind that are not excluded, each with its loss against the best one."""
        columns = [
            j for j in range(self.used) if _shape(self.ours[j]) == _shape(self.theirs[rows[0]])
        ]
        fitting = tuple(best[i] for i in rows)
        for partners in itertools.permutations(columns) if len(rows) <= MOST_SYMBOLS else [fitting]:
            pairs = dict(zip(rows, partners, strict=True))
            if not {*partners} <= {*columns} or any(
                self.cells[i][j].is_contrary for i, j in pairs.items()
            ):
                continue
            losses = [
                [self.worth(i, best[i]) - self.worth(i, pairs[i]) for i in moved]
                for moved in _exchanges(pairs, best)
            ]
            if all(sum(group) <= LARGEST_LOSS for group in losses):
                yield max((sum(group) / len(group) for group in losses), default=0.0), pairs

    def guesses(self, chosen: _Candidate, candidates: Iterable[_Candidate]) -> Iterator[_Candidate]:
        """The candidates that differ from the chosen one only in pairs without evidence.

        Empty if the answer's symbol in each such pair is a bare letter, which may stand for anything.
        """
        is_open = [self.cells[i][j].worth < SUPPORTED for i, j in enumerate(chosen.bijection)]
        has_words = [their.gloss or len(their.name) > LETTER for their in self.theirs]
        if not any(map(all, zip(is_open, has_words, strict=True))):
            return
        for other in candidates:
            pairs = zip(zip(*chosen, strict=True), zip(*other, strict=True), is_open, strict=True)
            if other != chosen and all(
                may_differ or ours == theirs for ours, theirs, may_differ in pairs
            ):
                yield other

    def is_doubtful(self, bijection: Bijection) -> bool:
        """Whether some pair is contrary, or a negation without evidence."""
        return any(
            self.cells[i][j].is_contrary
            or (is_denied(self.theirs[i], self.ours[j]) and self.cells[i][j].worth < SUPPORTED)
            for i, j in enumerate(bijection)
        )

    def candidates(self, bijections: Iterable[Bijection]) -> Iterator[_Candidate]:
        """Each bijection with each possible order of places, the likeliest first."""
        for bijection in bijections:
            possible = [
                orders(self.theirs[i], self.ours[j], self.cells[i][j])
                for i, j in enumerate(bijection)
            ]
            yield from (_Candidate(bijection, chosen) for chosen in itertools.product(*possible))

    def alignment(self, candidate: _Candidate, left: int, *, certain: bool) -> Alignment:
        pairs = [
            self._shown(i, j, order) for i, (j, order) in enumerate(zip(*candidate, strict=True))
        ]
        is_supported = all(
            self.cells[i][j].worth >= SUPPORTED for i, j in enumerate(candidate.bijection)
        )
        basis: Basis = (
            "oracle" if not is_supported else "glosses" if left <= 1 else "glosses and oracle"
        )
        return Alignment(tuple(pairs), self.renaming(candidate), basis, certain)

    def renaming(self, candidate: _Candidate) -> Renaming:
        predicates: dict[Name, Replacement] = {}
        terms: dict[Name, Replacement] = {}
        for i, (j, order) in enumerate(zip(*candidate, strict=True)):
            their, our = self.theirs[i], self.ours[j]
            replacement = Replacement(our.name, order, negated=self._is_denied(i, j))
            (terms if their.is_term else predicates)[their.name, their.arity] = replacement
        return Renaming(predicates, terms)

    def _shown(self, i: int, j: int, order: tuple[int, ...]) -> tuple[str, str]:
        their, our = self.theirs[i].name, ("¬" if self._is_denied(i, j) else "") + self.ours[j].name
        if order == tuple(range(len(order))):
            return their, our
        places = [f"x{place}" for place in range(1, len(order) + 1)]
        return f"{their}({', '.join(places)})", f"{our}({', '.join(places[at] for at in order)})"

    def _is_denied(self, i: int, j: int) -> bool:
        supported = self.cells[i][j].worth >= SUPPORTED
        return supported and not self.theirs[i].is_term and is_denied(self.theirs[i], self.ours[j])


def _exchanges(pairs: dict[int, int], best: Bijection) -> list[set[int]]:
    """The rows in which two assignments differ, in groups that exchange partners among themselves."""
    groups: list[tuple[set[int], set[int]]] = []
    for i, j in pairs.items():
        if j != best[i]:
            rows, columns = {i}, {j, best[i]}
            for group in [group for group in groups if group[1] & columns]:
                groups.remove(group)
                rows |= group[0]
                columns |= group[1]
            groups.append((rows, columns))
    return [rows for rows, _ in groups]


class _Oracle:
    """The decision procedure with a deadline for all questions together."""

    def __init__(self, table: _Table, decide: Decide, deadline: float) -> None:
        self.table, self.decide, self.deadline = table, decide, deadline
        self.gave_up = False

    def is_equivalent(self, candidate: _Candidate) -> bool:
        left = self.deadline - time.monotonic()
        outcome = (
            self.decide(self.table.renaming(candidate), left)
            if left > 0
            else VerdictOutcome.UNDECIDED
        )
        self.gave_up |= outcome == VerdictOutcome.UNDECIDED
        return outcome == VerdictOutcome.EQUIVALENT

    def may_be_equivalent(self, candidates: Iterable[_Candidate]) -> bool:
        first = [*itertools.islice(candidates, MOST_QUESTIONS + 1)]
        return len(first) > MOST_QUESTIONS or any(
            self.is_equivalent(candidate) or self.gave_up for candidate in first
        )
