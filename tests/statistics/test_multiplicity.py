"""Corrections for several tests, against statsmodels and their own definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_autoeval.statistics.multiplicity import benjamini_hochberg, holm

values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.extra("statsmodels")
@given(values)
@settings(max_examples=20)  # statsmodels takes its time
def test_as_statsmodels_has_it(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert np.allclose(holm(p_values), multipletests(p_values, method="holm")[1])


@given(values, st.floats(0.001, 0.2))
def test_below_alpha_is_what_the_stepwise_procedure_rejects(
    p_values: list[float], alpha: float
) -> None:
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


def largest_list(p_values: list[float], rate: float) -> set[int]:
    """The largest number k such that k tests have p-values of at most k/n of the rate, and those tests."""
    number = len(p_values)
    for size in range(number, 0, -1):
        listed = {index for index, p in enumerate(p_values) if p <= rate * size / number}
        if len(listed) >= size:
            return listed
    return set()


rates = st.floats(0.001, 0.5)
small = st.lists(
    st.one_of(st.floats(0, 1), st.floats(0, 0.05), st.sampled_from([0.0, 0.01, 0.05])), max_size=12
)


@given(small, rates)
def test_benjamini_hochberg_lists_the_largest_set_that_is_small_enough(
    p_values: list[float], rate: float
) -> None:
    listed = benjamini_hochberg(p_values, rate)
    assert {index for index, is_listed in enumerate(listed) if is_listed} == largest_list(
        p_values, rate
    )


@pytest.mark.extra("statsmodels")
@given(values, rates)
@settings(max_examples=20)
def test_benjamini_hochberg_lists_as_statsmodels_does(p_values: list[float], rate: float) -> None:
    from statsmodels.stats.multitest import multipletests

    assert benjamini_hochberg(p_values, rate) == [
        *multipletests(p_values, alpha=rate, method="fdr_bh")[0]
    ]


@given(values, st.floats(0.001, 0.2))
def test_benjamini_hochberg_lists_all_that_holm_rejects(p_values: list[float], rate: float) -> None:
    pairs = zip(holm(p_values), benjamini_hochberg(p_values, rate), strict=True)
    assert all(listed for adjusted, listed in pairs if adjusted < rate)


def test_benjamini_hochberg_of_nothing_and_nonsense() -> None:
    assert benjamini_hochberg([], 0.05) == []
    assert benjamini_hochberg([0.05], 0.05) == [True], "a p-value at the bound is listed"
    for wrong in (1.5, -0.1, float("nan")):
        with pytest.raises(ValueError, match="must lie in 0…1"):
            benjamini_hochberg([0.5, wrong], 0.05)
