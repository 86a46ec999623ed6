"""Hypothesis tests that ask a model: a call takes as long as it takes, so that its time is no failure."""

from __future__ import annotations

from typing import Any

import pytest

_SETTINGS = "_hypothesis_internal_use_settings"


def lift_deadline(item: pytest.Item) -> None:
    """Turns off Hypothesis's deadline for a test that left it at its default."""
    function: Any = getattr(item, "obj", None)
    function = getattr(function, "__func__", function)
    given = getattr(function, _SETTINGS, None)
    if given is None:
        return
    from hypothesis import settings

    default = settings.default
    if default is not None and given.deadline == default.deadline:
        setattr(function, _SETTINGS, settings(given, deadline=None))
