"""The search for a smallest failing formula: what it finds, what it spends, what it claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from pytest_autoeval.languages import Formula, language
from pytest_autoeval.tasks.shrinking import Shrunk, shrink

LOGIC = language("propositional")
LARGE = "((p1 ∧ ¬(p2 → p3)) ∨ (p4 ↔ p5)) ∧ (p1 ⊕ ¬p2)"


class Probe:
    """Round trips that fail where ``fails(formula, repeat)`` says so; keeps what was asked."""

    def __init__(self, fails: Callable[[Formula, int], bool]) -> None:
        self.fails = fails
        self.asked: list[tuple[Formula, int]] = []

    def __call__(self, formulas: Sequence[Formula], repeat: int) -> list[bool]:
        self.asked += [(formula, repeat) for formula in formulas]
        return [self.fails(formula, repeat) for formula in formulas]


def smallest(probe: Probe, budget: int = 10_000, text: str = LARGE) -> Shrunk:
    return shrink(LOGIC.parse(text), LOGIC.simpler, probe, budget)


def has(sign: str) -> Callable[[Formula, int], bool]:
    return lambda formula, _: sign in str(formula)


@pytest.mark.parametrize(("sign", "expected"), [("→", "p1 → p1"), ("↔", "p1 ↔ p1"), ("¬", "¬p1")])
def test_the_result_shows_the_fault_and_nothing_else(sign: str, expected: str) -> None:
    result = smallest(Probe(has(sign)))
    assert LOGIC.measure(result.formula)["operators_with_literal_negations"] == 1
    assert sign in str(result.formula)
    assert len(str(result.formula)) == len(expected)
    assert result.minimal
    assert result.repeats == (1, 1)


@pytest.mark.parametrize("budget", [*range(12), 20, 40, 80, 160])
def test_the_budget_is_kept_nothing_is_asked_twice_and_minimal_is_never_a_guess(budget: int) -> None:
    probe = Probe(has("→"))
    result = smallest(probe, budget)
    assert result.spent == len(probe.asked) <= budget
    assert len(set(probe.asked)) == len(probe.asked)
    assert "→" in str(result.formula)
    if result.minimal:
        assert not any("→" in str(neighbour) for neighbour in LOGIC.simpler(result.formula))


def test_a_budget_that_ends_before_a_confirmation_claims_nothing() -> None:
    def only_smaller(formula: Formula) -> Iterator[Formula]:
        if str(formula) != "p1":
            yield LOGIC.parse("p1")

    result = shrink(LOGIC.parse("¬p1"), only_smaller, Probe(lambda *_: True), 1)
    assert (str(result.formula), result.minimal, result.spent) == ("¬p1", False, 1)


def test_a_formula_without_neighbours_is_minimal_at_no_cost() -> None:
    result = smallest(Probe(lambda *_: True), 0, "⊤")
    assert (result.minimal, result.spent, result.repeats) == (True, 0, (0, 0))


def test_a_failure_that_does_not_repeat_is_not_believed() -> None:
    probe = Probe(lambda _, repeat: repeat == 0)
    result = smallest(probe)
    assert str(result.formula) == str(LOGIC.parse(LARGE))
    assert result.minimal
    assert {repeat for _, repeat in probe.asked} == {0, 1}


def test_where_nothing_smaller_fails_the_formula_stays() -> None:
    result = smallest(Probe(lambda *_: False))
    assert (result.formula, result.minimal) == (LOGIC.parse(LARGE), True)
    assert result.repeats == (0, 0)
