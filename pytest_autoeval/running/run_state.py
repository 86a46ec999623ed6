"""What the hooks store about a run: its registry, its suites, whether there are workers.

Only the standard library is imported here, since every pytest run loads this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.inert import inert
from pytest_autoeval.registry import Registry
from pytest_autoeval.running.options import elsewhere

if TYPE_CHECKING:
    from pytest_autoeval.record.earlier_runs import EarlierRuns
    from pytest_autoeval.running.run_folder import RunFolder
    from pytest_autoeval.running.worker import WorkerLink

#: This process's part in the run, once the plugin is used.
RUN: pytest.StashKey[Any] = pytest.StashKey()
#: The item that runs after a suite's item, if there is one.
NEXT: pytest.StashKey[pytest.Item | None] = pytest.StashKey()
#: The runs of the baseline. The controlling process reads them when it checks the settings.
BASELINE: pytest.StashKey[EarlierRuns] = pytest.StashKey()
#: What the `conftest.py` files of the run have added.
REGISTRY: pytest.StashKey[Registry] = pytest.StashKey()
#: The folder of the run, made by the controlling process.
FOLDER: pytest.StashKey[RunFolder] = pytest.StashKey()
#: The name of the plugin with the hooks around each test.
ITEM_HOOKS = "autoeval-items"
#: This process's session, after it has begun.
SESSION: pytest.StashKey[pytest.Session] = pytest.StashKey()
#: The key under which a worker finds its end of the channel.
CHANNEL = "autoeval_channel"
#: The controller's view of its workers.
WORKERS: pytest.StashKey[Any] = pytest.StashKey()
#: A worker's connection to its controller.
LINK: pytest.StashKey[WorkerLink] = pytest.StashKey()
_COLLECTED: pytest.StashKey[dict[str, PlannedSuite]] = pytest.StashKey()
_NOT_COLLECTED: pytest.StashKey[dict[str, None]] = pytest.StashKey()
#: Several workers may send their suites at once.
_NUMBERING = Lock()


class PlannedSuite(NamedTuple):
    """A collected suite: its number from 1, in the order of collection, its name and its model."""

    number: int
    name: str
    model: str


def is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def has_workers(config: pytest.Config) -> bool:
    """Whether this process controls xdist's workers."""
    return not is_worker(config) and getattr(config.option, "dist", "no") != "no"


def link_of(config: pytest.Config) -> WorkerLink:
    """A worker's connection to its controller, made at the first call."""
    if LINK not in config.stash:
        from pytest_autoeval.running.channel import write_whole
        from pytest_autoeval.running.worker import WorkerLink

        channel = config.workerinput[CHANNEL]  # type: ignore[attr-defined]
        write_whole(channel)
        config.stash[LINK] = WorkerLink(channel, config.stash.get(SESSION, None))
    return config.stash[LINK]


@contextmanager
def refusals(config: pytest.Config, where: str = "") -> Iterator[None]:
    """Inside this ``with`` our errors become usage errors of pytest, without a traceback.

    If a worker refuses, its controller prints the message.
    """
    try:
        yield
    except (AutoevalError, pytest.UsageError) as problem:
        text = inert(f"{where}: {problem}" if where else str(problem))
        if is_worker(config):
            link_of(config).notify("refused", text)
        raise pytest.UsageError(text) from None


def host_of(config: pytest.Config) -> str:
    """The name of this worker's host for messages; empty if it is the controller's."""
    return str(elsewhere(config).get("host", ""))


def run_folder(config: pytest.Config) -> RunFolder:
    """The folder of the run, made at the first call; only in the controlling process."""
    if FOLDER not in config.stash:
        from pytest_autoeval.running.run_folder import RunFolder

        folder = config.stash[FOLDER] = RunFolder(config)
        config.add_cleanup(folder.close)
    return config.stash[FOLDER]


def keep_collected(
    config: pytest.Config, suites: dict[str, tuple[str, str]]
) -> dict[str, PlannedSuite]:
    """Stores names and models of collected suites by the ids of their items, and returns them with their numbers.

    A worker gets the numbers from its controller, so that all processes agree.
    """
    if is_worker(config):
        config.stash[_COLLECTED] = _numbered_by_controller(config, suites) if suites else {}
        return config.stash[_COLLECTED]
    with _NUMBERING:
        planned = _numbered(collected(config), suites)
        config.stash[_COLLECTED] = planned
    # Those of other workers have numbers too, and are not this caller's.
    return {test: planned[test] for test in suites}


def _numbered_by_controller(
    config: pytest.Config, suites: dict[str, tuple[str, str]]
) -> dict[str, PlannedSuite]:
    """A worker's suites with the numbers that its controller gives them."""
    try:
        numbered: dict[str, PlannedSuite] = link_of(config).ask("suites", suites).result()
    except AutoevalError:  # the run is over, and none of them will run
        return _numbered({}, suites)
    return numbered


def _numbered(
    planned: dict[str, PlannedSuite], suites: dict[str, tuple[str, str]]
) -> dict[str, PlannedSuite]:
    """The known suites, and the new ones with the next numbers."""
    numbered = dict(planned)
    for test, (name, model) in suites.items():
        if test not in numbered:
            numbered[test] = PlannedSuite(len(numbered) + 1, name, model)
    return numbered


def collected(config: pytest.Config) -> dict[str, PlannedSuite]:
    """The collected suites by the ids of their items."""
    return config.stash.get(_COLLECTED, {})


def not_collected(config: pytest.Config) -> dict[str, None]:
    """What could not be collected, each once: workers report the same."""
    return config.stash.setdefault(_NOT_COLLECTED, {})


def count_failure(config: pytest.Config) -> None:
    """Counts a failed test, if other workers must stop after it (``-x``, ``--maxfail``)."""
    if _stops_with_others(config):
        link_of(config).notify("failed", 1)


def failures_of_all_workers(config: pytest.Config) -> int:
    """The failed tests of all workers, if the run has suites and stops after failures; else 0."""
    return int(link_of(config).ask("failures").result()) if _stops_with_others(config) else 0


def _stops_with_others(config: pytest.Config) -> bool:
    """Whether this is a worker of a run with suites that stops after failures, whichever worker has them."""
    return is_worker(config) and bool(config.getvalue("maxfail")) and bool(collected(config))
