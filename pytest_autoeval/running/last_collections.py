"""The searches for reference cycles with which pytest ends: one is enough after a run."""

from __future__ import annotations

import gc

import pytest

from pytest_autoeval.running.run_state import RUN

_FROZEN: pytest.StashKey[bool] = pytest.StashKey()


def freeze_after_run(config: pytest.Config) -> None:
    """Searches once, and leaves nothing to pytest's further searches if this process had a run.

    They took a second each after 10,000 samples. What this one finds is reported by pytest. Objects that somebody else
    has frozen could not be told from ours later, so nothing is done then.
    """
    searches = config.pluginmanager.has_plugin("unraisableexception")
    if searches and RUN in config.stash and not gc.get_freeze_count():
        gc.collect()
        gc.freeze()
        config.stash[_FROZEN] = True


def thaw(config: pytest.Config) -> None:
    """Undoes it, for a process that goes on after pytest."""
    if config.stash.get(_FROZEN, False):
        gc.unfreeze()
