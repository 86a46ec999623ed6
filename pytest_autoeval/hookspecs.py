"""The hook for a `conftest.py` that adds languages, grammars, data sets, tasks, prompts or models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_autoeval.registry import Registry


@pytest.hookspec(historic=True)
def pytest_autoeval_register(registry: Registry) -> None:
    """Define it in a `conftest.py` to add to the registry of the run.

    Pytest calls it once in each process, before it collects the tests beside and below the `conftest.py`.
    """
