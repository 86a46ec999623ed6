"""Regular expressions over 0 and 1; their size is the depth of the derivation."""

import pytest


@pytest.mark.autoeval("regex", depth=range(1, 10), samples=5)
def test_round_trip(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
