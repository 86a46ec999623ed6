"""The curve of a suite over the size of its formulas, and its horizon: the size up to which a model passes.

The horizon is a measure of the suite: it has a column in the matrix, and models are ordered by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_autoeval.features.horizon.curves import curves
from pytest_autoeval.features.horizon.measure import HorizonMeasure

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_suite_blocks("curves", curves)
    registry.add_measure("horizon", HorizonMeasure())
