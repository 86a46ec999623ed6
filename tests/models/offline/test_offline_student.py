"""The student errs as often as its strength says, more on longer formulas, and the same way each time it is asked."""

from __future__ import annotations

import pytest
from support.offline_conversations import round_trip

CHAIN = ("p1", "¬p1", "¬p1 ∨ p2", "(¬p1 ∨ p2) ∧ p3", "((¬p1 ∨ p2) ∧ p3) → (p4 ∨ ¬p5)")
SEEDS = range(200)


def read_by(strength: float, formula: str, seed: int) -> str:
    """The canonical text of what a student of that strength reads, fenced or not."""
    text = round_trip(f"offline/student?strength={strength}", formula, seed).text
    return text.removeprefix("```\n").removesuffix("\n```")


@pytest.mark.parametrize("formula", [*CHAIN, "∀x1. (P(x1) ∧ ¬Q(c1))", "(01*)*0"])
def test_a_perfect_student_is_faithful(formula: str) -> None:
    assert all(read_by(1, formula, seed) == formula for seed in SEEDS)


def test_longer_formulas_are_harder() -> None:
    right = [sum(read_by(0.8, formula, seed) == formula for seed in SEEDS) for formula in CHAIN]
    assert right == sorted(right, reverse=True)
    assert right[0] == len(SEEDS)
    assert len(set(right)) == len(CHAIN)


def test_the_rate_is_the_strength_at_each_operator() -> None:
    operators = 3
    right = sum(read_by(0.9, "(¬p1 ∨ p2) ∧ p3", seed) == "(¬p1 ∨ p2) ∧ p3" for seed in range(1000))
    assert right / 1000 == pytest.approx(0.9**operators, abs=0.04)


def test_the_default_strength_is_097() -> None:
    told = [round_trip("offline/student", CHAIN[-1], seed) for seed in SEEDS]
    assert told == [round_trip("offline/student?strength=0.97", CHAIN[-1], seed) for seed in SEEDS]
    assert 0 < sum(given.text.startswith("```") for given in told) < 20
