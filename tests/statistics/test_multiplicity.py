"""Holm's correction, against statsmodels and its own definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_autoeval.statistics.multiplicity import bonferroni, holm

values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.extra("statsmodels")
@given(values)
@settings(max_examples=20)  # statsmodels takes its time
def test_as_statsmodels_has_it(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

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


def test_bonferroni_multiplies_by_the_number_of_questions_and_stays_a_probability() -> None:
    assert [bonferroni(p, 5) for p in (0.0, 0.01, 0.3, 1.0)] == [0.0, 0.05, 1.0, 1.0]
    assert bonferroni(0.03, 1) == 0.03


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_bonferroni_rejects_nothing_that_holm_does_not(p_values: list[float]) -> None:
    corrected = [bonferroni(p, len(p_values)) for p in p_values]
    assert all(ours >= theirs for ours, theirs in zip(corrected, holm(p_values), strict=True))


@pytest.mark.parametrize(("p_value", "questions"), [(-0.1, 1), (1.1, 1), (0.5, 0)])
def test_bonferroni_refuses_what_is_out_of_range(p_value: float, questions: int) -> None:
    with pytest.raises(ValueError, match="p-value"):
        bonferroni(p_value, questions)
