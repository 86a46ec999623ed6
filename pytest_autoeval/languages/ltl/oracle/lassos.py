"""Lassos on which a formula holds, or on which it fails, or the proof that there are none."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pytest_autoeval.languages.base import LimitError
from pytest_autoeval.languages.isolation import GaveUpError, session
from pytest_autoeval.languages.limits import check_size
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.oracle.normal import FALSE, NormalForm, TemporalNormaliser, negated
from pytest_autoeval.languages.ltl.oracle.short_words import LassoWord, ShortWords
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces.lasso import Lasso

DEFAULT_TIMEOUT = 2.0
#: No decision takes longer, in seconds, whatever time it is given.
MAX_TIMEOUT = 10.0
#: What is tried in this process, in columns of many lassos: before a process is asked, and after it found a lasso.
_WORK_BEFORE = 5_000
_WORK_AFTER = 500_000
_WORK_DRAWING = 200_000
#: Letters of the words that are drawn where trying all takes too long.
_LONGEST_TRIED = 4

_SOLVER = "pytest_autoeval.languages.ltl.oracle.solver"

Outcome = Literal["found", "none exists", "undecided"]


@dataclass(frozen=True, slots=True)
class Found:
    """Lassos that were looked for.

    ``none exists`` is a proof, ``undecided`` is none: ``reason`` says what stood against a decision. Every lasso has
    passed a check by :func:`~pytest_autoeval.languages.ltl.evaluate.holds`.
    """

    outcome: Outcome
    lassos: tuple[Lasso, ...] = ()
    reason: str = ""

    @property
    def lasso(self) -> Lasso | None:
        """The first of the lassos, None if there is none."""
        return self.lassos[0] if self.lassos else None

    def __bool__(self) -> bool:
        raise TypeError("a search has three outcomes: compare found.outcome to a name")


def satisfying(formula: Temporal, timeout: float = DEFAULT_TIMEOUT) -> Found:
    """A short lasso on which a formula holds; ``timeout`` is in seconds, at most 10."""
    return _found(formula, True, lambda form: _listed(find_word(form, timeout)[1]))


def violating(formula: Temporal, timeout: float = DEFAULT_TIMEOUT) -> Found:
    """A short lasso on which a formula does not hold; otherwise as :func:`satisfying`."""
    return _found(formula, False, lambda form: _listed(find_word(form, timeout)[1]))


def several(  # noqa: PLR0913 (what to find, and how much of it)
    formula: Temporal,
    count: int,
    seed: int,
    *,
    value: bool = True,
    longest: int = 6,
    timeout: float = DEFAULT_TIMEOUT,
) -> Found:
    """Up to ``count`` different lassos on which a formula has a ``value``, drawn at random; a ``seed`` fixes them.

    They are of different shapes, with up to ``longest`` states in prefix and loop where there are enough of those.
    ``timeout`` is in seconds, at most 10.
    """
    return _found(formula, value, lambda form: _drawn(form, count, seed, longest, timeout))


def find_word(form: NormalForm, timeout: float) -> tuple[str, LassoWord | None]:
    """What decided, and a short word that satisfies a normal form; None proves that there is none.

    Raises :class:`GaveUpError` when there is no decision within ``timeout`` seconds, or 10.
    """
    if form.root == FALSE:
        return "normal form", None
    short = ShortWords(form, _WORK_BEFORE)
    if word := short.shortest():
        return "short traces", word
    method, word = _any_word(form, short, timeout)
    if word is None:
        return method, None
    short.work += _WORK_AFTER
    return method, short.shortest(below=len(word.letters)) or short.shortened(word)


def _any_word(form: NormalForm, short: ShortWords, timeout: float) -> tuple[str, LassoWord | None]:
    for word in short.drawn(1, _LONGEST_TRIED, random.Random(0)):  # noqa: S311 (no secret)
        return "drawn traces", word
    with session(_SOLVER, min(timeout, MAX_TIMEOUT)) as solver:
        return "symbolic tableau", solver.call("find", form)


def _drawn(form: NormalForm, count: int, seed: int, longest: int, timeout: float) -> list[LassoWord]:
    """Words at random, and what the tableau yields if those are too few; [] proves that there is none."""
    if form.root == FALSE:
        return []
    short = ShortWords(form, _WORK_DRAWING)
    words = dict.fromkeys(short.drawn(count, longest, random.Random(seed)))  # noqa: S311 (no secret)
    if len(words) < count:
        with session(_SOLVER, min(timeout, MAX_TIMEOUT)) as solver:
            found = solver.call("draw", form, count, seed)
        short.work += _WORK_AFTER
        for word in found:
            words[word if len(word.letters) <= longest else short.shortened(word)] = None
    return list(words)[:count]


def _found(formula: Temporal, value: bool, search: Callable[[NormalForm], list[LassoWord]]) -> Found:
    """The outcome of a search for words on which a formula has a value, after the evaluator has confirmed each."""
    try:
        check_size(formula)
        normaliser = TemporalNormaliser()
        literal = normaliser.literal(formula)
        form = normaliser.form(literal if value else negated(literal))
        lassos = tuple(word.lasso(form.atoms, normaliser.atoms) for word in search(form))
    except LimitError as problem:
        return Found("undecided", reason=problem.problem)
    except GaveUpError as problem:
        return Found("undecided", reason=str(problem))
    if any(holds(formula, lasso) is not value for lasso in lassos):
        return Found("undecided", reason="internal: a lasso that was found did not survive its check; please report it")
    return Found("found" if lassos else "none exists", lassos)


def _listed(word: LassoWord | None) -> list[LassoWord]:
    return [] if word is None else [word]
