"""What the tests with odd texts share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _slow_grammars_are_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lark takes exponential time for some grammars; how that ends is the same after half a second."""
    monkeypatch.setattr("pytest_autoeval.generation.grammar_file._SECONDS", 0.5)
