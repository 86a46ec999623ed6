"""The round trip in temporal logic on finite traces, with a strong and a weak next."""

import pytest


@pytest.mark.autoeval("ltlf", operators=range(7), samples=4)
def test_round_trip(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
