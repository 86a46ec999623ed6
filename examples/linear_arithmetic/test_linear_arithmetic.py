import pytest
from linear_arithmetic import LinearArithmetic

ARITHMETIC = LinearArithmetic()


@pytest.mark.autoeval("arithmetic", operators=range(1, 7), samples=5, threshold=0.9)
def test_round_trip(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)


@pytest.mark.parametrize("other", ["3 <= x", "not (x + 1) <= 3", "not (x <= 1 or x = 2)"])
def test_equivalence(other):
    assert ARITHMETIC.equivalent("not x <= 2", other).outcome == "equivalent"


def test_witness():
    verdict = ARITHMETIC.equivalent("x = y", "(x <= y and x <= 3)")
    assert (verdict.outcome, str(verdict.witness)[:4]) == ("different", "x = ")


def test_english():
    formula = ARITHMETIC.parse("(not x = 3 or (2 * y + z) <= x)")
    assert ARITHMETIC.read_description(ARITHMETIC.describe(formula)) == formula
