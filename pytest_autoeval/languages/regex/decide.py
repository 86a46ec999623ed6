"""Equivalence and inclusion of regular expressions, by automata."""

from __future__ import annotations

import time
from typing import Literal

from pytest_autoeval.languages.base import LimitError, Outcome, Verdict
from pytest_autoeval.languages.regex.automaton import OTHER, Automaton
from pytest_autoeval.languages.regex.budget import DecisionBudget, ExhaustedError
from pytest_autoeval.languages.regex.evaluate import accepts
from pytest_autoeval.languages.regex.limits import check_size
from pytest_autoeval.languages.regex.search import distinguishing_string
from pytest_autoeval.languages.regex.syntax import (
    Expression,
)
from pytest_autoeval.languages.regex.witness import DistinguishingString

Relation = Literal["equivalence", "inclusion"]
_METHOD = "automata"
#: What a verdict is called when the relation holds, and when it does not.
_OUTCOMES: dict[Relation, tuple[Outcome, Outcome]] = {
    "equivalence": ("equivalent", "different"),
    "inclusion": ("entails", "does not entail"),
}
#: What stands for "any symbol" where no expression names a symbol: an alphabet has at least one.
_SOME_SYMBOL = "0"


def equivalence(left: Expression, right: Expression, timeout: float) -> Verdict:
    """Whether the same strings match two expressions; the witness is a shortest string that matches only one.

    ``timeout`` is in seconds. A wildcard or a negated class whose alphabet is not known is taken for any alphabet that
    has the symbols named: a verdict that would depend on further symbols is ``undecided``.
    """
    return _decide(left, right, "equivalence", timeout)


def inclusion(left: Expression, right: Expression, timeout: float) -> Verdict:
    """Whether every string that matches ``left`` matches ``right``; otherwise as :func:`equivalence`."""
    return _decide(left, right, "inclusion", timeout)


def _decide(left: Expression, right: Expression, relation: Relation, timeout: float) -> Verdict:
    started = time.monotonic()
    if left == right:
        return Verdict(_OUTCOMES[relation][0], "same tree", seconds=time.monotonic() - started)
    witness, reason = None, ""
    try:
        check_size(left)
        check_size(right)
        found = _counterexample(left, right, relation, DecisionBudget(timeout))
        if found is not None:
            witness = _checked(left, right, relation, found, started + timeout)
    except LimitError as error:
        reason = error.problem
    except ExhaustedError as error:
        reason = str(error)
    except TimeoutError:
        reason = f"a distinguishing string was found, but not checked within {timeout:g} s"
    outcome: Outcome = "undecided" if reason else _OUTCOMES[relation][witness is not None]
    return Verdict(outcome, _METHOD, witness, reason, time.monotonic() - started)


def _counterexample(left: Expression, right: Expression, relation: Relation, budget: DecisionBudget) -> str | None:
    """The first shortest string against the relation, None if there is none, in whatever alphabet.

    Raises :class:`ExhaustedError` if the budget does not suffice, or if the answer depends on the alphabet.
    """
    automaton = Automaton([left, right], budget)
    first, second = automaton.starts
    if relation == "inclusion":  # it holds if the union of both is the second
        first |= second
    alphabet = automaton.alphabet or ((_SOME_SYMBOL,) if automaton.is_open else ())
    automaton.use(alphabet)
    found = distinguishing_string(automaton, first, second, budget)
    if found is None and automaton.is_open:
        # All symbols that are not named behave alike, so one more shows what any number of them would.
        automaton.use((*alphabet, OTHER))
        if distinguishing_string(automaton, first, second, budget) is not None:
            raise ExhaustedError(
                "it depends on the alphabet what '.' or a negated class stands for; read the text with a vocabulary"
            )
    return found


def _checked(
    left: Expression, right: Expression, relation: Relation, text: str, deadline: float
) -> DistinguishingString:
    """The witness, after an evaluator of its own has confirmed it; never one that was not confirmed."""
    by_left, by_right = accepts(left, text, deadline), accepts(right, text, deadline)
    if by_left == by_right or (relation == "inclusion" and by_right):
        raise ExhaustedError("internal: a string that was found did not survive its check; please report it")
    return DistinguishingString(text, "first" if by_left else "second", (left, right))
