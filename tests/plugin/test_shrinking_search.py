"""The search for a smallest failing formula, by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_autoeval import formulas, language
from pytest_autoeval.languages import Formula
from pytest_autoeval.tasks.shrinking import Shrunk, shrink

LOGIC = language("propositional")
Predicate = Callable[[Formula], bool]


def search(start: Formula, failing: Predicate, budget: int) -> tuple[Shrunk, list[tuple[Formula, int]]]:
    asked: list[tuple[Formula, int]] = []

    def fails(batch: Sequence[Formula], repeat: int) -> list[bool]:
        asked.extend((formula, repeat) for formula in batch)
        return [failing(formula) for formula in batch]

    def neighbours(formula: Formula) -> Iterator[Formula]:
        return LOGIC.simpler(formula)

    return shrink(start, neighbours, fails, budget), asked


PREDICATES: dict[str, Predicate] = {
    "has a conjunction": lambda formula: "∧" in str(formula),
    "has two names": lambda formula: len(LOGIC.symbols(formula).propositions) > 1,
    "has a negated compound": lambda formula: "¬(" in str(formula),
}


@settings(max_examples=60)
@given(start=formulas("propositional", max_operators=8), name=st.sampled_from(sorted(PREDICATES)))
def test_no_smaller_neighbour_of_the_result_fails(start: Formula, name: str) -> None:
    failing = PREDICATES[name]
    if not failing(start):
        return
    result, asked = search(start, failing, 10_000)
    assert result.minimal
    assert failing(result.formula)
    assert not [smaller for smaller in LOGIC.simpler(result.formula) if failing(smaller)]
    assert len(asked) == len(set(asked)) == result.spent


@settings(max_examples=40)
@given(start=formulas("propositional", min_operators=3, max_operators=8), budget=st.integers(0, 30))
def test_the_budget_is_never_exceeded(start: Formula, budget: int) -> None:
    result, asked = search(start, lambda _: True, budget)
    assert len(asked) == result.spent <= budget
    if not budget:
        assert result.formula == start
        assert not result.minimal


def test_a_failure_that_does_not_repeat_is_not_believed() -> None:
    start = LOGIC.parse("p1 ∧ p2")
    known: set[Formula] = set()

    def once(formula: Formula) -> bool:
        seen = formula in known
        known.add(formula)
        return not seen

    result, _ = search(start, once, 100)
    assert result.formula == start
    assert result.minimal
