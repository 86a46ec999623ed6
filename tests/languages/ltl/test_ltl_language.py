"""What the language offers beyond all languages: traces on demand, and formulas judged on a trace of one's own."""

from __future__ import annotations

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import FormulaSyntaxError
from pytest_autoeval.languages.ltl import LANGUAGE


def test_traces_on_demand_or_the_proof_that_there_are_none() -> None:
    found = LANGUAGE.satisfying("G (a -> F b) & a")
    assert found.lasso is not None
    assert LANGUAGE.holds("G (a -> F b) & a", found.lasso)
    other = LANGUAGE.violating(LANGUAGE.parse("G (a -> F b)"))
    assert other.lasso is not None
    assert not LANGUAGE.holds("G (a -> F b)", str(other.lasso))
    assert LANGUAGE.satisfying("F a & G !a").outcome == "none exists"
    assert LANGUAGE.violating("X Y a <-> a").outcome == "none exists"


@pytest.mark.parametrize(
    ("trace", "value"),
    [("a; cycle{!a & b}", True), ("a; b; cycle{a & !b}", False), ("cycle{a & b}", True), ("cycle{a}", False)],
)
def test_a_formula_is_judged_on_a_trace_as_it_is_written(trace: str, value: bool) -> None:
    assert LANGUAGE.holds("G (a -> F b)", trace) is value


def test_what_is_no_trace_is_told() -> None:
    with pytest.raises(FormulaSyntaxError, match="line 1, column"):
        LANGUAGE.holds("G a", "a; b")
    with pytest.raises(AutoevalError):
        LANGUAGE.holds("G a", "cycle{c}")
