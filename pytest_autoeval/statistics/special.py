"""Functions of arrays that curves and exact tests need. Importing them from scipy takes longer than a small run."""

from __future__ import annotations

from math import lgamma
from typing import Any, TypeAlias

import numpy as np

Numbers: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def expit(x: Any) -> Numbers:
    """The logistic function 1 / (1 + e⁻ˣ), exact to rounding also far from 0."""
    x = np.asarray(x, float)
    # The exponent is never above 0, so that nothing overflows.
    small = np.exp(-np.abs(x))
    numerator = np.where(x >= 0, 1.0, small)
    return np.asarray(numerator / (1.0 + small))


def logit(p: Any) -> Numbers:
    """The inverse of `expit`: ln(p / (1 − p)); infinite at 0 and 1."""
    p = np.asarray(p, float)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(p) - np.log1p(-p))


def xlogy(x: Any, y: Any) -> Numbers:
    """x · ln(y); 0 where x is 0, whatever y is."""
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    # The logarithm is not even computed there: it may be infinite.
    logarithm = np.log(y, out=np.zeros(y.shape), where=x != 0)
    return np.asarray(x * logarithm)


def xlog1py(x: Any, y: Any) -> Numbers:
    """x · ln(1 + y); 0 where x is 0, whatever y is."""
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    logarithm = np.log1p(y, out=np.zeros(y.shape), where=x != 0)
    return np.asarray(x * logarithm)


def gammaln(x: Any) -> Numbers:
    """ln Γ(x) for x > 0."""
    values = np.frompyfunc(lgamma, 1, 1)(np.asarray(x, float))
    # Its values are objects of Python.
    return np.asarray(values, float)
