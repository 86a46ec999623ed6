"""The round trip in temporal logic: formulas over the future, and formulas with operators of the past."""

import pytest


@pytest.mark.autoeval("ltl", operators=range(7), samples=4)
def test_future(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)


@pytest.mark.autoeval("past_ltl", operators=range(7), samples=4)
def test_past(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
