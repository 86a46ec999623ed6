"""Trends (`report --history=FOLDER`): how models changed over earlier runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    from pytest_autoeval.features.trends.runs import EarlierRunsShown

    registry.add_command_option("report --history", EarlierRunsShown)
