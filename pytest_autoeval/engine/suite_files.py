"""Where the file of a suite is: among the packaged suites, or below the root folder of the run."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_autoeval.by_name import shipped_folder

SHIPPED_SUITES = shipped_folder("suites")
_SHIPPED = "suites/"
_PACKAGE = Path(__file__).resolve().parents[1]


def shown_file(path: Path, root: Path) -> str:
    """A test's file as the name of its suite has it, however it was named: from the root folder, with slashes."""
    if path.is_relative_to(SHIPPED_SUITES):
        return _SHIPPED + path.relative_to(SHIPPED_SUITES).as_posix()
    return Path(os.path.relpath(path, root)).as_posix()


def is_shipped(file: str) -> bool:
    """Whether the file part of a suite's name is that of a packaged suite."""
    return file.startswith(_SHIPPED) and (SHIPPED_SUITES / file.removeprefix(_SHIPPED)).is_file()


def file_of(suite: str, root: Path) -> Path:
    """The file of a suite of that name, on this machine: below the root folder, or among the packaged ones."""
    file = suite.partition("::")[0]
    there = Path(os.path.normpath(root / file))
    return SHIPPED_SUITES / file.removeprefix(_SHIPPED) if is_shipped(file) and not there.exists() else there


def installed_module(file: Path) -> str:
    """The name that ``--pyargs`` takes for a packaged suite that is installed; empty for any other file."""
    if not file.is_relative_to(SHIPPED_SUITES) or not SHIPPED_SUITES.is_relative_to(_PACKAGE):
        return ""
    return ".".join((_PACKAGE.name, *file.relative_to(_PACKAGE).with_suffix("").parts))
