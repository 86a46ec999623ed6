"""Workers that were not started beside their controller: on another host, or in another folder.

They see neither the folder of the run nor its results: what a worker writes or reads there goes over the hub.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_autoeval import __version__
from pytest_autoeval.running.options import ELSEWHERE, settings_of
from pytest_autoeval.running.settings import Settings
from pytest_autoeval.running.shared import CHANNEL, FOLDERS, REGISTRY, TOLD, folders, hub_of

if TYPE_CHECKING:
    from pytest_autoeval.models.journal import Journal
    from pytest_autoeval.running.run import Run

#: The options that name what a run reads, and those that name what its controller alone writes.
_READ = ("dataset", "prompts", "baseline", "keep_counterexamples", "cassettes")
_WRITTEN = ("results", "html", "summary", "github_summary")
#: What is run in the other Python, before pytest is.
_PROBE = """
import importlib.metadata, os, socket
try:
    version = importlib.metadata.version("pytest-autoeval")
except importlib.metadata.PackageNotFoundError:
    version = ""
channel.send((socket.gethostname(), version, os.environ.get("OPENAI_BASE_URL", "")))
"""
_MAKING = threading.Lock()


def equip(node: Any) -> None:
    """Gives a worker that xdist is about to start what it needs of the run: the pipe to the hub, and the folders.

    Raises :class:`pytest.UsageError` where the worker cannot be one of the run.
    """
    from pytest_autoeval.models.hub import write_whole

    config, channel = node.config, node.gateway.newchannel()
    spec = node.gateway.spec
    if not spec.popen or spec.chdir or spec.via:  # on another host, or in another folder of this one
        node.workerinput[ELSEWHERE] = _place_of(node.gateway, config)
    else:
        node.workerinput[FOLDERS] = tuple(folders(config))
    write_whole(channel)
    node.workerinput[CHANNEL] = channel
    hub, keeper = hub_of(config), Keeper(config)
    assert hub is not None
    hub.connect(channel, keeper.answers(), keeper.close)


def _place_of(gateway: Any, config: pytest.Config) -> dict[str, Any]:
    """What a worker that is started elsewhere must know of its controller, and the name of its host.

    Raises :class:`pytest.UsageError` where the other Python has not this version of pytest-autoeval, or another server.
    """
    probe = gateway.remote_exec(_PROBE)
    host, version, url = probe.receive()
    probe.waitclose()
    worker = f"worker {gateway.id} on {host}"
    if not gateway.spec.popen and version != __version__:  # else the worker gets the controller's path of modules
        found = f"pytest-autoeval {version} is" if version else "pytest-autoeval is not"
        raise pytest.UsageError(f"{worker}: {found} installed there; it must be {__version__}, as here")
    settings, root = settings_of(config), config.rootpath
    if settings.base_url is None and url != os.environ.get("OPENAI_BASE_URL", "") and _asks_a_server(config, settings):
        problem = "OPENAI_BASE_URL differs there; name the server with --autoeval-base-url"
        raise pytest.UsageError(f"{worker}: {problem}")
    read = {name: _below(getattr(settings, name), root) for name in _READ}
    return {
        "host": host,
        "folder": os.path.relpath(settings.folder, root),
        "settings": settings.digests(),
        "paths": {**read, **dict.fromkeys(_WRITTEN)},
        "there": [name for name in _READ if name != "cassettes" and _exists(getattr(settings, name))],
    }


def _below(value: Path | tuple[Path, ...] | None, root: Path) -> Any:
    """Paths as texts: relative to the root folder, which the worker has elsewhere, where they are below it."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return [_below(path, root) for path in value]
    return str(value.relative_to(root) if value.is_relative_to(root) else value)


def _exists(value: Path | tuple[Path, ...] | None) -> bool:
    return value.exists() if isinstance(value, Path) else bool(value)


def _asks_a_server(config: pytest.Config, settings: Settings) -> bool:
    from pytest_autoeval.models.names import is_local, is_offline

    own = config.stash[REGISTRY].models
    return any(not (is_offline(name) or is_local(name) or name in own) for name in (*settings.model, *settings.reader))


class Keeper:
    """Does for one worker, in the controlling process, what the worker cannot do on another host.

    Its part in the run is made when the worker first asks for something.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._own_journal: Journal | None = None

    def answers(self) -> Mapping[str, Callable[..., Any]]:
        """What answers the worker's questions, see :class:`Hub`."""
        return {
            "failures": lambda: self._config.stash[TOLD].failures,
            "row": self._run.results.add_line,
            "find answer": self._find_answer,
            "keep answer": self._keep_answer,
            "find recording": lambda model, *request: self._run.pool.recordings(model).find(*request),
            "has recording": lambda model, *request: self._run.pool.recordings(model).has(*request),
            "keep recording": lambda model, *answered: self._run.pool.recordings(model).keep(*answered),
        }

    def close(self) -> None:
        """The worker is gone: another one may be given its answers."""
        if self._own_journal is not None:
            self._own_journal.close()

    def _keep_answer(self, key: str, kept: Sequence[Any]) -> None:
        from pytest_autoeval.models.journal import Kept

        self._journal.keep(key, Kept(*kept))

    def _find_answer(self, key: str) -> tuple[Any, ...] | None:
        kept = self._journal.find(key)
        return None if kept is None else astuple(kept)

    @property
    def _run(self) -> Run:
        from pytest_autoeval.running.run import run_of

        with _MAKING:
            run = run_of(self._config)
            _ = run.results, run.pool  # made once, for all threads
            return run

    @property
    def _journal(self) -> Journal:
        run = self._run
        with _MAKING:
            if self._own_journal is None:
                self._own_journal = run.new_journal()
            return self._own_journal
