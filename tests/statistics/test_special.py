"""The functions of arrays against those of scipy, also at their edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special as known

from pytest_autoeval.statistics import special

ANY = np.concatenate(
    [np.linspace(-800.0, 800.0, 2001), [0.0, -0.0, 1e-300, 1e300, -1e300, np.inf, -np.inf]]
)
SHARES = np.concatenate([np.linspace(0.0, 1.0, 1001), [1e-300, 1e-12, 1 - 1e-12]])


@pytest.mark.parametrize(
    ("ours", "theirs", "values"),
    [(special.expit, known.expit, ANY), (special.logit, known.logit, SHARES)],
)
def test_functions_of_one_value(
    ours: Callable[[Any], Any], theirs: Callable[[Any], Any], values: Any
) -> None:
    with np.errstate(all="raise", under="ignore"):
        found = ours(values)
    np.testing.assert_allclose(found, theirs(values), rtol=1e-13, atol=1e-15)


def test_the_logarithm_of_the_gamma_function() -> None:
    values = np.concatenate([np.arange(1, 2000), np.linspace(0.01, 3, 200)])
    np.testing.assert_allclose(
        special.gammaln(values), known.gammaln(values), rtol=1e-13, atol=1e-13
    )


@pytest.mark.parametrize(
    ("ours", "theirs"), [(special.xlogy, known.xlogy), (special.xlog1py, known.xlog1py)]
)
def test_products_with_logarithms_are_0_where_the_factor_is(
    ours: Callable[[Any, Any], Any], theirs: Callable[[Any, Any], Any]
) -> None:
    counts = np.array([0.0, 0.0, 1.0, 7.0, 2.5])[:, None]
    ends = (
        np.linspace(0.0, 1.0, 11)[None, :]
        if ours is special.xlogy
        else np.linspace(-1.0, 1.0, 11)[None, :]
    )
    with np.errstate(divide="ignore"):
        found = ours(counts, ends)
    np.testing.assert_allclose(found, theirs(counts, ends), rtol=1e-14)
    assert found[0, 0] == 0.0
    assert ours(2, 0.5).shape == ()
