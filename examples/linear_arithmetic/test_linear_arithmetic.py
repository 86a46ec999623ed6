import pytest
from linear_arithmetic import LinearArithmetic


@pytest.mark.autoeval("arithmetic", operators=range(1, 7), samples=5, threshold=0.9)
def test_round_trip(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)


def test_oracle():
    assert LinearArithmetic().equivalent("!x <= 2", "3 <= x").outcome == "equivalent"
    assert LinearArithmetic().entails("x <= y", "x = y").outcome == "does not entail"


def test_english():
    formula = LinearArithmetic().parse("(!x = 3 | (2 * y + z) <= x)")
    assert LinearArithmetic().read_description(formula.written(1)) == formula
