"""What a worker needs that runs on another host or in another folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval import __version__
from pytest_autoeval.running.options import ELSEWHERE, settings_of
from pytest_autoeval.running.workers import workers_of

#: Options that name files which a worker reads, and options of which it needs to know whether they are set.
_READ = ("dataset", "prompts")
_GIVEN = ("baseline",)
#: The code that runs in the worker's Python before pytest.
_PROBE = """
import importlib.metadata, socket
try:
    version = importlib.metadata.version("pytest-autoeval")
except importlib.metadata.PackageNotFoundError:
    version = ""
channel.send((socket.gethostname(), version))
"""


def equip(node: Any) -> None:
    """Gives a worker that xdist is about to start the settings of the run.

    Raises :class:`pytest.UsageError` if the worker cannot take part.
    """
    spec = node.gateway.spec
    # On another host, or in another folder of this one.
    if not spec.popen or spec.chdir or spec.via:
        node.workerinput[ELSEWHERE] = _place_of(node.gateway, node.config)
    workers_of(node.config).connect(node)


def _place_of(gateway: Any, config: pytest.Config) -> dict[str, Any]:
    """What a worker on another host needs to know of its controller, and the name of its host.

    Raises :class:`pytest.UsageError` if its Python has another version of pytest-autoeval.
    """
    probe = gateway.remote_exec(_PROBE)
    host, version = probe.receive()
    probe.waitclose()
    # A worker of this host gets the controller's path of modules, and so the same version.
    if not gateway.spec.popen and version != __version__:
        release = f"pytest-autoeval {version} is" if version else "pytest-autoeval is not"
        problem = f"{release} installed there; it must be {__version__}, as here"
        raise pytest.UsageError(f"worker {gateway.id} on {host}: {problem}")
    settings, root = settings_of(config), config.rootpath
    return {
        "host": host,
        "folder": os.path.relpath(settings.folder, root),
        "settings": settings.digests(),
        "paths": {name: _below(getattr(settings, name), root) for name in (*_READ, *_GIVEN)},
        "there": [name for name in _READ if getattr(settings, name)],
    }


def _below(value: Path | tuple[Path, ...] | None, root: Path) -> Any:
    """Paths as texts; relative to the root folder if they are below it, since the worker's root folder is another."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return [_below(path, root) for path in value]
    return str(value.relative_to(root) if value.is_relative_to(root) else value)
