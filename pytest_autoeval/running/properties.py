"""Hypothesis tests that ask a model: a call takes as long as it takes, and costs what it costs."""

from __future__ import annotations

from typing import Any

import pytest

_SETTINGS = "_hypothesis_internal_use_settings"


def suit_to_models(item: pytest.Item) -> None:
    """Turns off what does not suit a test that asks a model, where the test left it at its default.

    The deadline: the time of a call is no failure. The phase that explains: it asks the model for many more answers,
    only to point at lines of ours.
    """
    function: Any = getattr(item, "obj", None)
    function = getattr(function, "__func__", function)
    given = getattr(function, _SETTINGS, None)
    if given is None:
        return
    from hypothesis import Phase, settings

    default: Any = settings.default
    changes: dict[str, Any] = {}
    if given.deadline == default.deadline:
        changes["deadline"] = None
    if given.phases == default.phases:
        changes["phases"] = tuple(phase for phase in given.phases if phase is not Phase.explain)
    setattr(function, _SETTINGS, settings(given, **changes))
