"""Remembers which packages are installed, and what they bring for pytest.

Pytest looks through all of them for each `-p`, which takes longer than the rest of a small run's start.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from site import getsitepackages
from typing import Any

_FOLDERS = frozenset(getsitepackages()) | {
    folder for folder in sys.path if folder.endswith("site-packages")
}


class _Known:
    """A package whose entry points were read; the rest of it is read when it is asked for."""

    def __init__(self, package: metadata.Distribution) -> None:
        self._package = package
        self.entry_points = package.entry_points

    def __getattr__(self, name: str) -> Any:
        return getattr(self._package, name)


@cache
def _in(folder: str) -> list[Any]:
    return [_Known(package) for package in metadata.distributions(path=[folder])]


def remember_packages() -> None:
    """Has `importlib.metadata.distributions()` read each folder of packages once; other folders are read anew."""
    read = metadata.distributions

    def distributions(**where: Any) -> Iterator[Any]:
        if where:
            yield from read(**where)
            return
        for folder in sys.path:
            yield from _in(folder) if folder in _FOLDERS else read(path=[folder])

    metadata.distributions = distributions
