"""The hook by which a repository's own `conftest.py` adds languages, grammars, data sets, tasks, prompts and models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_autoeval.registry import Registry


@pytest.hookspec(historic=True)
def pytest_autoeval_register(registry: Registry) -> None:
    """Called once in every process of a run, before the tests below the `conftest.py` are collected.

    `registry.add_language(...)`, `.add_grammar(...)`, `.add_prompts(...)`, `.add_model(...)`: see
    :class:`pytest_autoeval.registry.Registry`.
    """
