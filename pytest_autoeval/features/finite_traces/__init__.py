"""Linear temporal logic on finite traces: the language ``ltlf``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    """Adds the language, and its label in prompts. Its prompts are found in the folder ``prompts``."""
    from pytest_autoeval.features.finite_traces.exercise import describe
    from pytest_autoeval.features.finite_traces.language import LANGUAGE

    registry.add_language(LANGUAGE)
    registry.add_exercise(describe, "Formula on finite traces")
