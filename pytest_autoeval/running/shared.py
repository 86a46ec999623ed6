"""What the hooks keep of a run: its registry, whether there are workers, and what all its processes share.

Only the standard library is imported here: this is loaded in every pytest run.
"""

from __future__ import annotations

import json
import os
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_autoeval.registry import Registry
from pytest_autoeval.running.settings import settings_of

if TYPE_CHECKING:
    from pytest_autoeval.models.hub import Hub, HubClient
    from pytest_autoeval.reporting.items import SuiteKey
    from pytest_autoeval.running.run import Run
    from pytest_autoeval.running.run_folder import RunFolder
    from pytest_autoeval.running.suite_report import SuiteReport

#: This process's part in the run, once anything of the plugin was used in it.
RUN: pytest.StashKey[Run] = pytest.StashKey()
#: The report of an item's suite, once there is one.
REPORT: pytest.StashKey[SuiteReport] = pytest.StashKey()
#: The item that runs after an item of a suite, if there is one.
NEXT: pytest.StashKey[pytest.Item | None] = pytest.StashKey()
#: The rows of the baseline, which the controlling process reads when the settings are checked.
BASELINE: pytest.StashKey[list[Any]] = pytest.StashKey()
#: What every `conftest.py` of the run has added.
REGISTRY: pytest.StashKey[Registry] = pytest.StashKey()
#: The folder of the run, which the controlling process makes.
FOLDER: pytest.StashKey[RunFolder] = pytest.StashKey()
#: The key under which the controller names the folders to a worker.
FOLDERS = "autoeval_folders"
#: The key under which the controller names the address of its hub to a worker.
HUB_ADDRESS = "autoeval_hub"

#: The hub, and in a worker the way to it.
HUB: pytest.StashKey[Hub | HubClient] = pytest.StashKey()
_COLLECTED: pytest.StashKey[dict[str, SuiteKey]] = pytest.StashKey()


class Folders(NamedTuple):
    """What a worker is given: the run's folder, whether answers are kept there, those of the runs that it continues."""

    run: str
    resumable: bool
    earlier: tuple[str, ...]


def register(config: pytest.Config) -> None:
    """Calls every `pytest_autoeval_register`, also of a `conftest.py` that is read only later."""
    registry = config.stash[REGISTRY] = Registry(config.rootpath)
    until_the_end = ExitStack()
    until_the_end.enter_context(registry.active())
    config.add_cleanup(until_the_end.close)
    config.hook.pytest_autoeval_register.call_historic(kwargs={"registry": registry})


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is one of xdist's workers."""
    return hasattr(config, "workerinput")


def has_workers(config: pytest.Config) -> bool:
    """Whether the run is spread over xdist's workers, seen from one of them or from their controller."""
    return is_worker(config) or getattr(config.option, "dist", "no") != "no"


def hub_of(config: pytest.Config) -> Hub | HubClient | None:
    """The hub in the controller of xdist's workers, a worker's way to it, None in a run without workers."""
    if HUB not in config.stash and has_workers(config):
        from pytest_autoeval.models.hub import Hub, HubClient
        from pytest_autoeval.models.limiter import Limiter
        from pytest_autoeval.models.settings import ModelSettings

        hub: Hub | HubClient
        if is_worker(config):
            hub = HubClient(config.workerinput[HUB_ADDRESS])  # type: ignore[attr-defined]
        else:
            settings, names = settings_of(config), ("concurrency", "rpm", "patience", "max_calls", "max_cost")
            hub = Hub(Limiter(ModelSettings(**{name: getattr(settings, name) for name in names})))
        config.stash[HUB] = hub
        config.add_cleanup(hub.close)
        if isinstance(hub, HubClient):
            _end_with_controller(hub.lost)
    return config.stash.get(HUB, None)


def _end_with_controller(lost: threading.Event) -> None:
    """Ends a worker the moment its controller is gone or interrupted: what it still asks would be paid for nothing."""

    def watch() -> None:
        lost.wait()
        os._exit(pytest.ExitCode.INTERRUPTED)

    threading.Thread(target=watch, name="autoeval-watch", daemon=True).start()


def run_folder(config: pytest.Config) -> RunFolder:
    """The folder of the run, made at the first call; for the controlling process."""
    if FOLDER not in config.stash:
        from pytest_autoeval.running.run_folder import RunFolder

        folder = config.stash[FOLDER] = RunFolder(config)
        config.add_cleanup(folder.close)
    return config.stash[FOLDER]


def folders(config: pytest.Config) -> Folders:
    """The folders of the run, seen from any of its processes."""
    if is_worker(config):
        return Folders(*config.workerinput[FOLDERS])  # type: ignore[attr-defined]
    run = run_folder(config)
    return Folders(str(run.path), run.resumable, tuple(map(str, run.earlier)))


def state_dir(config: pytest.Config) -> Path:
    """The folder that all processes of a run share."""
    return Path(folders(config).run)


def keep_collected(config: pytest.Config, suites: dict[str, SuiteKey]) -> None:
    """Keeps the collected suites by the ids of their items. A worker writes them down for its controller too."""
    config.stash[_COLLECTED] = suites
    if suites and is_worker(config):
        fresh = state_dir(config) / f"suites.{os.getpid()}"
        fresh.write_text(json.dumps(suites), "utf-8")
        fresh.replace(fresh.with_name("suites.json"))  # all workers collect the same


def collected(config: pytest.Config) -> dict[str, SuiteKey]:
    """The collected suites by the ids of their items; empty where nothing was collected."""
    if _COLLECTED not in config.stash:
        file = config.stash[FOLDER].path / "suites.json" if FOLDER in config.stash else Path(os.devnull)
        found = json.loads(file.read_text("utf-8")) if file.is_file() else {}
        return {test: (suite, model) for test, (suite, model) in found.items()}
    return config.stash[_COLLECTED]


def count_failure(config: pytest.Config) -> None:
    """Counts a failed test, where another worker must stop after it (``-x``, ``--maxfail``)."""
    if is_worker(config) and config.getvalue("maxfail"):
        with (state_dir(config) / "failures").open("a") as file:
            file.write("F")


def failures_of_all_workers(config: pytest.Config) -> int:
    """The failed tests of all workers; only counted where the run stops after some."""
    file = state_dir(config) / "failures" if is_worker(config) else None
    return file.stat().st_size if file is not None and file.exists() else 0
