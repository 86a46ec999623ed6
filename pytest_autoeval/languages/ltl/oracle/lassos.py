"""Lassos on which a formula holds or fails, or the proof that there are none."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from pytest_autoeval.languages.base import LimitError
from pytest_autoeval.languages.isolation import GaveUpError, session
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.oracle.merged import merged
from pytest_autoeval.languages.ltl.oracle.normal import (
    FALSE,
    NormalForm,
    TemporalNormaliser,
    negated,
)
from pytest_autoeval.languages.ltl.oracle.short_words import ColumnEvaluator, LassoWord, ShortWords
from pytest_autoeval.languages.ltl.oracle.small_diagrams import WorkUsedUpError
from pytest_autoeval.languages.ltl.oracle.states import ExplicitTableau, find_by_states
from pytest_autoeval.languages.ltl.oracle.sweeping import swept
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces.lasso import Lasso
from pytest_autoeval.languages.size_limits import check_large_size

#: Seconds for the search of one trace.
DEFAULT_TIMEOUT = 2.0
#: Columns computed in this process: before the solver process is asked, after it found a lasso, and to draw a lasso.
_WORK_BEFORE = 5_000
_WORK_AFTER = 500_000
#: Words with fewer letters are tried before a tableau is made. Most formulas that differ do so on one of them.
_FIRST_SIZES = 3
#: Steps of diagrams in this process: to make a small tableau, and to search it. A step takes three microseconds.
_WORK_BUILDING = 10_000
_WORK_SEARCHING = 500
_WORK_DRAWING = 200_000
#: Nodes below which the tableau takes a few milliseconds, less than any other procedure.
_SMALL = 60
#: The work of the search by obligations: first briefly; then, for a large form, for each second that remains.
_WORK_OF_OBLIGATIONS = 100_000
_WORK_OF_OBLIGATIONS_A_SECOND = 700_000
#: A unit of that work takes less than a microsecond on a quiet machine. Ten times as long, and the search is stopped.
_SECONDS_A_UNIT = 1e-5
#: Nodes from which long words are tried: for them, a tableau may be slower.
_LARGE = 150
#: The work of the search for long words, in z3's measure, for each second that remains. It takes less than half of it.
_WORK_OF_LONG_WORDS_A_SECOND = 4_000_000
#: Letters of a drawn word, where trying all words takes too long.
_LONGEST_TRIED = 4
#: The lassos of a fingerprint: letters of each, and lassos of each shape.
_LETTERS, _ROWS = 3, 64

_OBLIGATIONS = "pytest_autoeval.languages.ltl.oracle.obligations"
_LONG_WORDS = "pytest_autoeval.languages.ltl.oracle.long_words"
_SOLVER = "pytest_autoeval.languages.ltl.oracle.solver"

Outcome = Literal["found", "none exists", "undecided"]


@dataclass(frozen=True, slots=True)
class LassoSearch:
    """The result of a search for a lasso.

    ``none exists`` is a proof. For ``undecided``, ``reason`` says why there is no decision. The lasso has been checked
    by :func:`~pytest_autoeval.languages.ltl.evaluate.holds`.
    """

    outcome: Outcome
    lasso: Lasso | None = None
    reason: str = ""

    def __bool__(self) -> bool:
        raise TypeError("a search has three outcomes: compare its outcome to one of them")


def satisfying(formula: Temporal, timeout: float = DEFAULT_TIMEOUT) -> LassoSearch:
    """A short lasso on which a formula holds; ``timeout`` is in seconds."""
    return _searched(formula, True, timeout)


def violating(formula: Temporal, timeout: float = DEFAULT_TIMEOUT) -> LassoSearch:
    """A short lasso on which a formula does not hold; otherwise as :func:`satisfying`."""
    return _searched(formula, False, timeout)


def drawn(formula: Temporal, seed: int, *, value: bool, longest: int) -> Lasso | None:
    """A random lasso of at most ``longest`` states on which a formula has a ``value``; None if the tries found none.

    The ``seed`` determines it. Raises :class:`LimitError` for a formula that is too large.
    """
    form, atoms = _normal_form(formula, value)
    word = ShortWords(form, _WORK_DRAWING).drawn(longest, random.Random(seed))  # noqa: S311 (no secret)
    return word and word.lasso(form.atoms, atoms)


def fingerprint(formula: Temporal) -> tuple[int, ...]:
    """The values of a formula on some random lassos, the same for every formula."""
    form, _ = _normal_form(formula, value=True)
    columns = ColumnEvaluator(form)
    full = (1 << _ROWS) - 1
    positions = range(_LETTERS)
    letters = [[_column(atom, position) for atom in form.atoms] for position in positions]
    return tuple(columns.satisfied(prefix, letters, full) for prefix in positions)


def is_contingent(formula: Temporal) -> bool:
    """Whether a formula holds on one of these lassos and fails on another."""
    columns = fingerprint(formula)
    full = (1 << _ROWS) - 1
    return any(columns) and any(column != full for column in columns)


@lru_cache(maxsize=4096)
def _column(atom: str, position: int) -> int:
    # The atom's name is the seed: so formulas over different atoms are compared on the same lassos.
    return random.Random(f"{atom} {position}").getrandbits(_ROWS)  # noqa: S311 (no secret)


def find_word(form: NormalForm, timeout: float) -> tuple[str, LassoWord | None]:
    """The deciding method, and a short word that satisfies a normal form; None proves that there is none.

    Raises :class:`GaveUpError` if there is no decision within ``timeout`` seconds.
    """
    if form.root == FALSE:
        return "normal form", None
    short = ShortWords(form, _WORK_BEFORE)
    # The order is that of cost: short words, a small tableau, longer words, and last a process of its own.
    if word := short.shortest(below=_FIRST_SIZES):
        return "short traces", word
    # For the tableau only: the search for words depends on the form, and its words should not change.
    smaller = merged(form)
    tableau = _small_tableau(smaller) if timeout > 0 else None
    # A contradiction that shows in the initial state needs no search.
    if tableau and tableau.initial == FALSE:
        return "symbolic tableau", None
    if word := short.shortest():
        return "short traces", word
    method, word = _any_word(form, smaller, short, tableau, timeout)
    if word is None:
        return method, None
    # A word of a tableau may be long. A reader of the witness needs a short one, so more work is allowed.
    short.work += _WORK_AFTER
    return method, short.shortest(below=len(word.letters)) or short.shortened(word)


def _small_tableau(form: NormalForm) -> ExplicitTableau | None:
    """The tableau for this process; None if it is too large."""
    with suppress(WorkUsedUpError):
        return ExplicitTableau(form, _WORK_BUILDING)
    return None


def _any_word(
    form: NormalForm,
    smaller: NormalForm,
    short: ShortWords,
    tableau: ExplicitTableau | None,
    timeout: float,
) -> tuple[str, LassoWord | None]:
    # With many atoms, all words of a few letters are too many to try, but a drawn one often satisfies the form.
    if word := short.drawn(_LONGEST_TRIED, random.Random(0)):  # noqa: S311 (no secret)
        return "drawn traces", word
    if tableau:
        # Few steps decide most small tableaux. Where they do not, merging what means the same costs less.
        tableau.diagrams.work = _WORK_SEARCHING
        with suppress(WorkUsedUpError):
            return "symbolic tableau", _with_atoms(form, smaller, find_by_states(tableau))
    if tableau:
        # Two similar formulas may have a product of tableaux. Proofs of single laws avoid it.
        smaller = swept(smaller)
        if smaller.root == FALSE:
            return "symbolic tableau", None
    if len(form.nodes) >= _SMALL and timeout > 0:
        is_decision, method, word, timeout = _of_large_form(form, smaller, timeout)
        if is_decision:
            return method, word
    # The last procedure is complete but unbounded in memory, so it runs in a process that can be killed.
    with session(_SOLVER, timeout) as solver:
        return "symbolic tableau", _with_atoms(form, smaller, solver.call("find", smaller))


def _of_large_form(
    form: NormalForm, smaller: NormalForm, timeout: float
) -> tuple[bool, str, LassoWord | None, float]:
    """Whether a form is decided without the symbolic tableau, by which method and word; and the time that remains."""
    method = "search by obligations"
    # Many conjuncts make a large tableau, but few of them matter in each state of this search.
    attempt = _by_obligations(smaller, _WORK_OF_OBLIGATIONS, timeout)
    timeout -= attempt.seconds
    if not attempt.is_decision and len(form.nodes) >= _LARGE:
        # That search may wander where a word exists. z3 chooses the letters of all positions together.
        work = int(timeout * _WORK_OF_LONG_WORDS_A_SECOND)
        attempt = _attempt(_LONG_WORDS, smaller, work, timeout / 2)
        timeout -= attempt.seconds
        if attempt.is_decision:
            method = "z3"
        else:
            work = int(timeout * _WORK_OF_OBLIGATIONS_A_SECOND)
            attempt = _by_obligations(smaller, work, timeout)
            timeout -= attempt.seconds
    return attempt.is_decision, method, _with_atoms(form, smaller, attempt.word), timeout


class _Attempt(NamedTuple):
    """Whether a search decides within its work, the word that it finds, and the seconds that it takes."""

    is_decision: bool
    word: LassoWord | None
    seconds: float


def _by_obligations(form: NormalForm, work: int, timeout: float) -> _Attempt:
    return _attempt(_OBLIGATIONS, form, work, min(work * _SECONDS_A_UNIT, timeout / 2))


def _attempt(module: str, form: NormalForm, work: int, longest: float) -> _Attempt:
    # Its work ends it earlier. Time and memory only stop it where a single question to z3 needs very much.
    with suppress(GaveUpError), session(module, longest) as solver:
        before = solver.seconds
        is_decision, word = solver.call("find", form, work)
        return _Attempt(is_decision, word, solver.seconds - before)
    return _Attempt(False, None, longest)


def _with_atoms(form: NormalForm, smaller: NormalForm, word: LassoWord | None) -> LassoWord | None:
    """A word over the atoms of the smaller form as a word over those of the form."""
    return word and word.renumbered([form.atoms.index(atom) for atom in smaller.atoms])


def _searched(formula: Temporal, value: bool, timeout: float) -> LassoSearch:
    try:
        form, atoms = _normal_form(formula, value)
        _, word = find_word(form, timeout)
    except LimitError as error:
        return LassoSearch("undecided", reason=error.problem)
    except GaveUpError as error:
        return LassoSearch("undecided", reason=str(error))
    if word is None:
        return LassoSearch("none exists")
    lasso = word.lasso(form.atoms, atoms)
    # The evaluator shares no code with the search.
    if holds(formula, lasso) is not value:
        return LassoSearch(
            "undecided", reason="internal: a lasso failed its check; please report it"
        )
    return LassoSearch("found", lasso)


def _normal_form(formula: Temporal, value: bool) -> tuple[NormalForm, tuple[str, ...]]:
    check_large_size(formula)
    normaliser = TemporalNormaliser()
    literal = normaliser.literal(formula)
    return normaliser.form(literal if value else negated(literal)), normaliser.atoms
