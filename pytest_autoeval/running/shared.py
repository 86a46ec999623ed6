"""What the hooks keep of a run: its registry, whether there are workers, and what all its processes share.

Only the standard library is imported here: this is loaded in every pytest run.
"""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.inert import inert
from pytest_autoeval.registry import Registry
from pytest_autoeval.running.options import elsewhere, settings_of
from pytest_autoeval.running.progress import SuiteProgress
from pytest_autoeval.running.settings import LIMITS

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
#: The name of the plugin with the hooks around each test.
ITEM_HOOKS = "autoeval-items"
#: The key under which the controller names the folders to a worker.
FOLDERS = "autoeval_folders"
#: The key under which the controller gives a worker its end of the pipe to the hub.
CHANNEL = "autoeval_hub"

HUB: pytest.StashKey[Hub] = pytest.StashKey()
#: A worker's way to the hub.
HUB_CLIENT: pytest.StashKey[HubClient] = pytest.StashKey()
#: What the workers told their controller.
TOLD: pytest.StashKey[Told] = pytest.StashKey()
_COLLECTED: pytest.StashKey[dict[str, SuiteKey]] = pytest.StashKey()


@dataclass(slots=True)
class Told:
    """What workers told their controller: their suites and how far these are, by the ids of their items, and more.

    ``used`` are the recordings that they used, ``unreadable`` says which of them were bad, and why. ``taken_over`` is
    how many answers of earlier runs they gave out, ``refused`` why one of them cannot begin.
    """

    suites: dict[str, SuiteKey] = field(default_factory=dict)
    progress: dict[str, SuiteProgress] = field(default_factory=dict)
    failures: int = 0
    used: set[str] = field(default_factory=set)
    unreadable: set[str] = field(default_factory=set)
    taken_over: int = 0
    refused: str = ""

    def hear(self, topic: str, value: Any) -> None:
        """Takes note of something; the topics are the names of the fields."""
        match topic:
            case "suites":
                self.suites |= {test: (suite, model) for test, (suite, model) in value.items()}
            case "progress":
                self.progress |= {test: SuiteProgress(*numbers) for test, numbers in value.items()}
            case "used" | "unreadable":
                getattr(self, topic).update(value)
            case "failures" | "taken_over":
                setattr(self, topic, getattr(self, topic) + value)
            case "refused":
                self.refused = value


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
    try:
        config.hook.pytest_autoeval_register.call_historic(kwargs={"registry": registry})
    except AutoevalError:
        raise
    except Exception as error:  # noqa: BLE001  (the user's code may raise anything)
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise AutoevalError(f"{last.filename}:{last.lineno}: {type(error).__name__}: {error}") from None


def is_worker(config: pytest.Config) -> bool:
    """Whether this process is one of xdist's workers."""
    return hasattr(config, "workerinput")


def has_workers(config: pytest.Config) -> bool:
    """Whether the run is spread over xdist's workers, seen from one of them or from their controller."""
    return is_worker(config) or getattr(config.option, "dist", "no") != "no"


def hub_of(config: pytest.Config) -> Hub | None:
    """The hub in the controller of xdist's workers, made at the first call; None in a run without workers."""
    if HUB not in config.stash and has_workers(config):
        from pytest_autoeval.models.hub import Hub
        from pytest_autoeval.models.limiter import Limiter
        from pytest_autoeval.models.settings import ModelSettings

        settings = settings_of(config)
        told = config.stash[TOLD] = Told()
        limiter = Limiter(ModelSettings(**{name: getattr(settings, name) for name in LIMITS}))
        hub = config.stash[HUB] = Hub(limiter, told.hear)
        config.add_cleanup(hub.close)
    return config.stash.get(HUB, None)


def hub_client(config: pytest.Config) -> HubClient:
    """A worker's way to the hub, made at the first call."""
    if HUB_CLIENT not in config.stash:
        from pytest_autoeval.models.hub import HubClient, write_whole

        channel = config.workerinput[CHANNEL]  # type: ignore[attr-defined]
        write_whole(channel)
        client = config.stash[HUB_CLIENT] = HubClient(channel)
        config.add_cleanup(client.close)
        _end_with_controller(client.lost)
    return config.stash[HUB_CLIENT]


def _end_with_controller(lost: threading.Event) -> None:
    """Ends a worker the moment its controller is gone or interrupted: what it still asks would be paid for nothing."""

    def watch() -> None:
        lost.wait()
        os._exit(pytest.ExitCode.INTERRUPTED)

    threading.Thread(target=watch, name="autoeval-watch", daemon=True).start()


@contextmanager
def refusals(config: pytest.Config, where: str = "") -> Iterator[None]:
    """Makes an error of ours inside a ``with`` a mistake in the call of pytest, which has no traceback.

    What a worker refuses, its controller says.
    """
    try:
        yield
    except (AutoevalError, pytest.UsageError) as problem:
        text = inert(f"{where}: {problem}" if where else str(problem))
        if is_worker(config):
            hub_client(config).tell("refused", text)
        raise pytest.UsageError(text) from None


def host_of(config: pytest.Config) -> str:
    """The name of the host for messages, where this is a worker that was started elsewhere; else empty."""
    return str(elsewhere(config).get("host", ""))


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


def is_remote(config: pytest.Config) -> bool:
    """Whether this is a worker that cannot write to the folder of the run: its controller keeps everything."""
    return is_worker(config) and (host_of(config) != "" or not Path(folders(config).run).is_dir())


def keep_collected(config: pytest.Config, suites: dict[str, SuiteKey]) -> None:
    """Keeps the collected suites by the ids of their items. A worker tells them its controller too."""
    config.stash[_COLLECTED] = suites
    if suites and is_worker(config):
        hub_client(config).tell("suites", suites)


def collected(config: pytest.Config) -> dict[str, SuiteKey]:
    """The collected suites by the ids of their items; empty where nothing was collected."""
    if _COLLECTED in config.stash:
        return config.stash[_COLLECTED]
    return dict(config.stash[TOLD].suites) if TOLD in config.stash else {}


def count_failure(config: pytest.Config) -> None:
    """Counts a failed test, where another worker must stop after it (``-x``, ``--maxfail``)."""
    if _stops_with_others(config):
        hub_client(config).tell("failures", 1)


def failures_of_all_workers(config: pytest.Config) -> int:
    """The failed tests of all workers; only counted where the run has suites and stops after some failures."""
    return int(hub_client(config).ask("failures")) if _stops_with_others(config) else 0


def _stops_with_others(config: pytest.Config) -> bool:
    return is_worker(config) and bool(config.getvalue("maxfail")) and bool(collected(config))
