"""Plugins that would cut a suite off or run it again, as if it was one small test.

A suite is as long as its samples, and a failed one fails again: its samples have limits and repeats of their own.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

#: The names of the plugins pytest-rerunfailures and pytest-timeout.
RERUNS, TIMEOUT = "rerunfailures", "timeout"
#: How users switch such a limit off, as an option or in an ini file.
_ZEROS = (None, 0, "", "0")


def run_once(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Runs an item as pytest does. Plugins that would run it several times do not get it."""
    runner: Any = item.config.pluginmanager.get_plugin("runner")
    return bool(runner.pytest_runtest_protocol(item=item, nextitem=nextitem))


def notes_of_other_plugins(config: pytest.Config) -> list[str]:
    """A line for each setting of another plugin that has no effect on suites."""
    notes = []
    if config.pluginmanager.has_plugin(RERUNS) and _is_set(config, "reruns"):
        notes.append(
            "suites are not run again by pytest-rerunfailures (--reruns); --autoeval-repeats asks each sample several "
            "times"
        )
    if config.pluginmanager.has_plugin(TIMEOUT) and (
        _is_set(config, "timeout") or os.environ.get("PYTEST_TIMEOUT")
    ):
        notes.append(
            "suites have no limit of pytest-timeout's; --autoeval-timeout limits each call, and --autoeval-patience "
            "the wait for a server"
        )
    return notes


def _is_set(config: pytest.Config, name: str) -> bool:
    """Whether a number is set for another plugin, as an option or an ini key, and is not zero."""
    try:
        value = config.getoption(name, None) or config.getini(name)
    except ValueError:  # the plugin has no such ini key
        return False
    return value not in _ZEROS
