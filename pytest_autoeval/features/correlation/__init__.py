"""The command `correlate`: pass rates of models beside scores elsewhere, or beside another suite, size by size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_autoeval.features.correlation.correlate_command import main
from pytest_autoeval.features.correlation.score_files import CorrelateError, read_scores

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry

__all__ = ["CorrelateError", "pytest_autoeval_register", "read_scores"]


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_command("correlate", main)
