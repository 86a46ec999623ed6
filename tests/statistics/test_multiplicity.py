"""Holm's correction, against statsmodels and its own definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from pytest_autoeval.statistics.multiplicity import holm

values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(values)
@settings(max_examples=20)  # statsmodels takes its time
def test_as_statsmodels_has_it(p_values: list[float]) -> None:
    assert np.allclose(holm(p_values), multipletests(p_values, method="holm")[1])


@given(values, st.floats(0.001, 0.2))
def test_below_alpha_is_what_the_stepwise_procedure_rejects(p_values: list[float], alpha: float) -> None:
    rejected = set()
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[index] * (len(p_values) - rank) >= alpha:
            break
        rejected.add(index)
    assert {index for index, p in enumerate(holm(p_values)) if p < alpha} == rejected


def test_nothing_and_nonsense() -> None:
    assert holm([]) == []
    for wrong in (1.5, -0.1, float("nan")):
        with pytest.raises(ValueError, match="must lie in 0…1"):
            holm([0.5, wrong])
