"""Batches (`--autoeval-batch`): requests are sent as files, at half the price."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    from pytest_autoeval.features.batches.connection import open_batches

    registry.add_connection("batch", open_batches)
