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
from pytest_autoeval.languages.logic.renaming import Name, Renaming, Replacement
from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.tasks.likeness import (
    LETTER,
    SUPPORTED,
    Likeness,
    is_denied,
    likenesses,
    orders,
)
from pytest_autoeval.tasks.phrases import best_matching

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
#: For each symbol of the answer, by position, the position of ours.
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
        return ", ".join(f"{name} is {our_name}" for name, our_name in self.pairs)


def best_alignment(
    symbols: Sequence[Symbol],
    references: Sequence[Symbol],
    decide: Decide,
    timeout: float,
    unused: Sequence[Symbol],
) -> Alignment:
    """The alignment of the symbols of an answer with those of the reference, which have :func:`same_shape`.

    ``unused`` are the symbols of our ontology that the reference does not use. ``timeout`` is in seconds, for all
    questions to the oracle together. Raises :class:`ValueError` for other shapes.
    """
    if not same_shape(symbols, references):
        raise ValueError("symbols of different kinds and numbers of places cannot be aligned")
    table = _Table(symbols, (*references, *unused), len(references))
    best = table.best()
    remaining = table.remaining_by_glosses(best)
    candidates = [*itertools.islice(table.candidates(remaining.open), MOST_QUESTIONS + 1)]
    # The time begins here: the first matching of a process imports scipy, which takes longer than an answer may.
    oracle = _Oracle(table, decide, time.monotonic() + timeout)
    for candidate in candidates[:MOST_QUESTIONS]:
        if oracle.is_equivalent(candidate):
            # Where words are no evidence, each other choice must give an equivalence too: else this one is a guess.
            certain = all(map(oracle.is_equivalent, table.guesses(candidate, candidates)))
            return table.alignment(candidate, len(candidates), certain=certain)
    # Not equivalent under any of them. This is certain only if no alignment was left out that could change it.
    worths = [table.cells[i][j].worth for i, j in enumerate(best)]
    is_literal = all(worth >= 1 for worth in worths)
    all_were_asked = (remaining.complete or is_literal) and len(candidates) <= MOST_QUESTIONS
    certain = (
        all_were_asked
        and not table.is_doubtful(best)
        and not oracle.gave_up
        and not oracle.may_be_equivalent(table.candidates(remaining.doubtful))
    )
    best_candidate = next(table.candidates([best]))
    return table.alignment(best_candidate, len(candidates), certain=certain)


def same_shape(symbols: Sequence[Symbol], references: Sequence[Symbol]) -> bool:
    """Whether there are as many symbols of each kind and number of places on both sides."""
    return sorted(map(_shape, symbols)) == sorted(map(_shape, references))


def _shape(symbol: Symbol) -> tuple[bool, int]:
    return symbol.is_term, symbol.arity


class _Candidate(NamedTuple):
    """A bijection, and for each symbol of the answer how its places correspond to those of ours."""

    bijection: Bijection
    orders: tuple[tuple[int, ...], ...]

    def partner(self, i: int) -> tuple[int, tuple[int, ...]]:
        """Our symbol for a symbol of the answer, and the order of its places."""
        return self.bijection[i], self.orders[i]


class _Remaining(NamedTuple):
    """The bijections that the glosses leave, the likeliest first; ``complete`` if all others are excluded.

    ``open`` ones can confirm an equivalence; ``doubtful`` ones can only make a difference undecided.
    """

    open: list[Bijection]
    doubtful: list[Bijection]
    complete: bool


class _Table:
    """The likeness of each symbol of the answer (a row) to each of our ontology of its kind (a column).

    ``i`` is always a row and ``j`` a column. The first ``used`` columns are the symbols that the reference uses.
    """

    def __init__(self, symbols: Sequence[Symbol], references: Sequence[Symbol], used: int) -> None:
        self.symbols = symbols
        self.references = references
        self.used = used
        self.cells: list[list[Likeness]] = [[Likeness(_NEVER)] * len(references) for _ in symbols]
        # Glosses of predicates share other words than those of individuals.
        for is_term in (False, True):
            rows = [i for i, symbol in enumerate(symbols) if symbol.is_term == is_term]
            columns = [j for j, symbol in enumerate(references) if symbol.is_term == is_term]
            table = likenesses([symbols[i] for i in rows], [references[j] for j in columns])
            for i, likeness_of_symbol in zip(rows, table, strict=True):
                for j, likeness in zip(columns, likeness_of_symbol, strict=True):
                    if _shape(symbols[i]) == _shape(references[j]):
                        self.cells[i][j] = likeness

    def worth(self, i: int, j: int) -> float:
        """The evidence for a pair; negative if the glosses exclude each other."""
        cell = self.cells[i][j]
        return cell.worth - cell.is_contrary

    def is_supported(self, i: int, j: int) -> bool:
        """Whether names or glosses are evidence for a pair."""
        return self.cells[i][j].worth >= SUPPORTED

    def best(self) -> Bijection:
        """The best matching with the symbols of the ontology; ties are broken in favour of the reference."""
        tie_break = 1e-6  # far below any difference of two likenesses

        def value(i: int, j: int) -> float:
            return self.worth(i, j) - (tie_break if j >= self.used else 0.0)

        columns = range(len(self.references))
        values = [[value(i, j) for j in columns] for i in range(len(self.symbols))]
        return tuple(j for _, j in best_matching(values))

    def remaining_by_glosses(self, best: Bijection) -> _Remaining:
        """The bijections with the symbols of the reference that the glosses do not exclude."""
        rows_by_shape: dict[tuple[bool, int], list[int]] = {}
        for i, symbol in enumerate(self.symbols):
            rows_by_shape.setdefault(_shape(symbol), []).append(i)
        pairings_by_shape = [[*self._pairings(rows, best)] for rows in rows_by_shape.values()]
        open_ones: list[tuple[float, Bijection]] = []
        doubtful: list[tuple[float, Bijection]] = []
        # A bijection is one pairing of each shape.
        for pairings in itertools.islice(itertools.product(*pairings_by_shape), _MAX_COMBINATIONS):
            pairs: dict[int, int] = {}
            for _, pairs_of_shape in pairings:
                pairs |= pairs_of_shape
            bijection = tuple(pairs[i] for i in range(len(self.symbols)))
            worth = sum(self.worth(i, j) for i, j in pairs.items())
            is_doubtful = any(loss > CLEAR_LOSS for loss, _ in pairings)
            bijections = doubtful if is_doubtful else open_ones
            # Rounded: sums of equal numbers in another order differ in the last digit, and would be ranked by it.
            bijections.append((-round(worth, 9), bijection))
        combinations = math.prod(map(len, pairings_by_shape))
        most_rows = max(map(len, rows_by_shape.values()), default=0)
        complete = most_rows <= MOST_SYMBOLS and combinations <= _MAX_COMBINATIONS
        return _Remaining(_in_order(open_ones), _in_order(doubtful), complete)

    def _pairings(
        self, rows: Sequence[int], best: Bijection
    ) -> Iterator[tuple[float, dict[int, int]]]:
        """The pairings of the symbols of one shape that are not excluded, each with its loss against the best one."""
        shape = _shape(self.symbols[rows[0]])
        columns = [j for j in range(self.used) if _shape(self.references[j]) == shape]
        possible: Iterable[Sequence[int]] = [[best[i] for i in rows]]
        if len(rows) <= MOST_SYMBOLS:
            possible = itertools.permutations(columns)
        for partners in possible:
            pairs = dict(zip(rows, partners, strict=True))
            # The best partner of a symbol may be one that the reference does not use.
            if not {*partners} <= {*columns}:
                continue
            if any(self.cells[i][j].is_contrary for i, j in pairs.items()):
                continue
            loss = self._loss(pairs, best)
            if loss is not None:
                yield loss, pairs

    def _loss(self, pairs: dict[int, int], best: Bijection) -> float | None:
        """The largest average loss of a group that exchanges partners; None if a group loses too much in sum."""
        averages = []
        for rows in _exchanges(pairs, best):
            losses = [self.worth(i, best[i]) - self.worth(i, pairs[i]) for i in rows]
            loss = sum(losses)
            if loss > LARGEST_LOSS:
                return None
            averages.append(loss / len(rows))
        return max(averages, default=0.0)

    def guesses(self, chosen: _Candidate, candidates: Iterable[_Candidate]) -> Iterator[_Candidate]:
        """The candidates that differ from the chosen one only in pairs without evidence.

        Empty if the answer's symbol in each such pair is a bare letter, which may stand for anything.
        """
        supported = [self.is_supported(i, j) for i, j in enumerate(chosen.bijection)]
        has_words = [bool(symbol.gloss) or len(symbol.name) > LETTER for symbol in self.symbols]
        without_evidence = [
            words for words, evidence in zip(has_words, supported, strict=True) if not evidence
        ]
        if not any(without_evidence):
            return
        fixed = [i for i, evidence in enumerate(supported) if evidence]
        for candidate in candidates:
            if candidate == chosen:
                continue
            if all(candidate.partner(i) == chosen.partner(i) for i in fixed):
                yield candidate

    def is_doubtful(self, bijection: Bijection) -> bool:
        """Whether some pair is contrary, or a negation without evidence."""
        for i, j in enumerate(bijection):
            if self.cells[i][j].is_contrary:
                return True
            if is_denied(self.symbols[i], self.references[j]) and not self.is_supported(i, j):
                return True
        return False

    def candidates(self, bijections: Iterable[Bijection]) -> Iterator[_Candidate]:
        """Each bijection with each possible order of places, the likeliest first."""
        for bijection in bijections:
            possible = [
                orders(self.symbols[i], self.references[j], self.cells[i][j])
                for i, j in enumerate(bijection)
            ]
            for chosen in itertools.product(*possible):
                yield _Candidate(bijection, chosen)

    def alignment(self, candidate: _Candidate, remaining: int, *, certain: bool) -> Alignment:
        """A candidate as it is reported; ``remaining`` is the number of candidates that the glosses left."""
        pairs = []
        basis: Basis = "glosses" if remaining <= 1 else "glosses and oracle"
        for i in range(len(self.symbols)):
            j, order = candidate.partner(i)
            pairs.append(self._pair_text(i, j, order))
            if not self.is_supported(i, j):
                basis = "oracle"
        return Alignment(tuple(pairs), self.renaming(candidate), basis, certain)

    def renaming(self, candidate: _Candidate) -> Renaming:
        """What replaces the symbols of the answer, so that it is about the names of the reference."""
        predicates: dict[Name, Replacement] = {}
        terms: dict[Name, Replacement] = {}
        for i, symbol in enumerate(self.symbols):
            j, order = candidate.partner(i)
            names = terms if symbol.is_term else predicates
            our_name = self.references[j].name
            negated = self._is_denied(i, j)
            names[symbol.name, symbol.arity] = Replacement(our_name, order, negated=negated)
        return Renaming(predicates, terms)

    def _pair_text(self, i: int, j: int, order: tuple[int, ...]) -> tuple[str, str]:
        """A pair as text, with its places if they are exchanged."""
        name = self.symbols[i].name
        our_name = self.references[j].name
        if self._is_denied(i, j):
            our_name = f"¬{our_name}"
        if order == tuple(range(len(order))):
            return name, our_name
        arguments = [f"x{number}" for number in range(1, len(order) + 1)]
        reordered = [arguments[position] for position in order]
        text = f"{name}({', '.join(arguments)})"
        our_text = f"{our_name}({', '.join(reordered)})"
        return text, our_text

    def _is_denied(self, i: int, j: int) -> bool:
        """Whether the symbol of the answer means the negation of ours. Without evidence, a "not" says nothing."""
        if self.symbols[i].is_term or not self.is_supported(i, j):
            return False
        return is_denied(self.symbols[i], self.references[j])


def _in_order(bijections: Iterable[tuple[float, Bijection]]) -> list[Bijection]:
    """The bijections by their values, which are negative worths: the likeliest first."""
    return [bijection for _, bijection in sorted(bijections)]


def _exchanges(pairs: dict[int, int], best: Bijection) -> list[set[int]]:
    """The rows in which two assignments differ, in groups that exchange partners among themselves."""
    groups: list[tuple[set[int], set[int]]] = []
    for i, j in pairs.items():
        if j == best[i]:
            continue
        rows = {i}
        columns = {j, best[i]}
        # Groups that share a partner with this row become one group with it.
        for group in list(groups):
            other_rows, other_columns = group
            if other_columns & {j, best[i]}:
                groups.remove(group)
                rows |= other_rows
                columns |= other_columns
        groups.append((rows, columns))
    return [rows for rows, _ in groups]


class _Oracle:
    """The decision procedure with a deadline for all questions together."""

    def __init__(self, table: _Table, decide: Decide, deadline: float) -> None:
        self.table = table
        self.decide = decide
        self.deadline = deadline
        self.gave_up = False

    def is_equivalent(self, candidate: _Candidate) -> bool:
        """Whether the renamed answer is proved equivalent; False also if this is undecided, which ``gave_up`` notes."""
        seconds = self.deadline - time.monotonic()
        outcome: str = VerdictOutcome.UNDECIDED
        if seconds > 0:
            outcome = self.decide(self.table.renaming(candidate), seconds)
        self.gave_up |= outcome == VerdictOutcome.UNDECIDED
        return outcome == VerdictOutcome.EQUIVALENT

    def may_be_equivalent(self, candidates: Iterable[_Candidate]) -> bool:
        """Whether some candidate is equivalent, or that is not known: there are too many, or one is undecided."""
        questions = [*itertools.islice(candidates, MOST_QUESTIONS + 1)]
        if len(questions) > MOST_QUESTIONS:
            return True
        return any(self.is_equivalent(candidate) or self.gave_up for candidate in questions)
