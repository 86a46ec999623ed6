"""What the parts of a run hand each other: keys of the config's stash, and the folder that all processes share.

Only the standard library is imported here: this is loaded in every pytest run.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_autoeval.running.run import Run

#: What an item tells the controller of itself, as plain basic types on its report.
INFO: pytest.StashKey[dict[str, Any]] = pytest.StashKey()
#: This process's part in the run, once anything of the plugin was used in it.
RUN: pytest.StashKey[Run] = pytest.StashKey()
#: The keyword of a report that is neither passed nor failed.
UNDECIDED_GATE = "inconclusive"
#: The rows of the baseline, read when the options are checked.
BASELINE: pytest.StashKey[list[dict[str, Any]]] = pytest.StashKey()
#: The key under which the controller names the folder to a worker.
STATE_DIR = "autoeval_state_dir"

_MADE: pytest.StashKey[Path] = pytest.StashKey()


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is one of xdist's workers."""
    return hasattr(config, "workerinput")


def has_workers(config: pytest.Config) -> bool:
    """Whether the run is spread over xdist's workers, seen from one of them or from their controller."""
    return is_worker(config) or getattr(config.option, "dist", "no") != "no"


def state_dir(config: pytest.Config) -> Path:
    """The folder that all processes of a run share; made by the controller on first use, and named to its workers."""
    if is_worker(config):
        return Path(config.workerinput[STATE_DIR])  # type: ignore[attr-defined]
    if _MADE not in config.stash:
        config.stash[_MADE] = Path(tempfile.mkdtemp(prefix="pytest-autoeval-"))
    return config.stash[_MADE]


def made_state_dir(config: pytest.Config) -> Path | None:
    """The shared folder, if this process made one."""
    return config.stash.get(_MADE, None)


def close_run(config: pytest.Config) -> None:
    """Closes the models that this process opened."""
    run = config.stash.get(RUN, None)
    if run is not None:
        run.close()


def remove_state(config: pytest.Config) -> None:
    """Removes the shared folder, where this process made one."""
    if not is_worker(config) and _MADE in config.stash:
        shutil.rmtree(config.stash[_MADE], ignore_errors=True)
