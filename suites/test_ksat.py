"""3-SAT: the calibration suite. Flat and regular, so a failure here points to the prompt (paper, section 4.3)."""

import pytest


@pytest.mark.autoeval("ksat", operators=range(2, 15, 3), samples=5)
def test_round_trip(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
