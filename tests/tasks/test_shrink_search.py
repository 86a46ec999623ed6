"""The search for a smallest failing formula: what it finds, what it spends, what it claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_autoeval import formulas
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


@pytest.mark.parametrize(("sign", "expected"), [("→", "p1 → p1"), ("↔", "p1 ↔ p1"), ("¬", "¬p1")])
def test_the_result_shows_the_fault_and_nothing_else(sign: str, expected: str) -> None:
    result = smallest(Probe(lambda formula, _: sign in str(formula)))
    assert LOGIC.measure(result.formula)["operators_with_literal_negations"] == 1
    assert sign in str(result.formula)
    assert len(str(result.formula)) == len(expected)
    assert result.minimal
    assert result.repeats == (1, 1)


PREDICATES: dict[str, Callable[[Formula], bool]] = {
    "any": lambda _: True,
    "has a conjunction": lambda formula: "∧" in str(formula),
    "has two names": lambda formula: len(LOGIC.symbols(formula).propositions) > 1,
    "has a negated compound": lambda formula: "¬(" in str(formula),
}


@settings(max_examples=150)
@given(
    start=formulas("propositional", max_operators=8),
    name=st.sampled_from(sorted(PREDICATES)),
    budget=st.integers(0, 200) | st.just(10_000),
)
def test_the_budget_is_kept_nothing_is_asked_twice_and_minimal_is_never_a_guess(
    start: Formula, name: str, budget: int
) -> None:
    failing = PREDICATES[name]
    if not failing(start):
        return
    probe = Probe(lambda formula, _: failing(formula))
    result = shrink(start, LOGIC.simpler, probe, budget)
    assert len(probe.asked) == len(set(probe.asked)) == result.spent <= budget
    assert failing(result.formula)
    if not budget:
        assert result.formula == start
    if result.minimal:
        assert not [smaller for smaller in LOGIC.simpler(result.formula) if failing(smaller)]
    assert result.minimal or budget < 10_000


def test_a_budget_that_ends_before_a_confirmation_claims_nothing() -> None:
    def only_smaller(formula: Formula) -> Iterator[Formula]:
        if str(formula) != "p1":
            yield LOGIC.parse("p1")

    result = shrink(LOGIC.parse("¬p1"), only_smaller, Probe(lambda *_: True), 1)
    assert (str(result.formula), result.minimal, result.spent) == ("¬p1", False, 1)


def test_a_formula_without_neighbours_is_minimal_at_no_cost() -> None:
    result = smallest(Probe(lambda *_: True), 0, "⊤")
    assert (result.minimal, result.spent, result.repeats) == (True, 0, (0, 0))


@pytest.mark.parametrize(
    "repeats", [{0, 1}, {0}], ids=["a failure that does not repeat", "nothing smaller fails"]
)
def test_what_is_not_confirmed_is_not_believed(repeats: set[int]) -> None:
    probe = Probe(lambda _, repeat: len(repeats) == 2 and repeat == 0)
    result = smallest(probe)
    assert (result.formula, result.minimal) == (LOGIC.parse(LARGE), True)
    assert {repeat for _, repeat in probe.asked} == repeats
