"""Where the file of a suite is: among the packaged suites, or below the root folder of the run."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_autoeval.by_name import shipped_folder

SHIPPED_SUITES = shipped_folder("suites")
#: In names of suites, so that these do not depend on where the package is installed.
_SHIPPED_PREFIX = "suites/"
_PACKAGE = Path(__file__).resolve().parents[1]


def suite_path(path: Path, root: Path) -> str:
    """The path of a test file as it appears in suite names: relative to the root folder, with slashes."""
    if path.is_relative_to(SHIPPED_SUITES):
        return _SHIPPED_PREFIX + path.relative_to(SHIPPED_SUITES).as_posix()
    return Path(os.path.relpath(path, root)).as_posix()


def is_shipped(file: str) -> bool:
    """Whether a path from a suite's name is that of a packaged suite."""
    return (
        file.startswith(_SHIPPED_PREFIX)
        and (SHIPPED_SUITES / file.removeprefix(_SHIPPED_PREFIX)).is_file()
    )


def file_of(suite: str, root: Path) -> Path:
    """The path of the file of a suite on this machine."""
    file = suite.partition("::")[0]
    local_file = Path(os.path.normpath(root / file))
    # A project may have a file of this path, and then it is not the packaged one that ran.
    if local_file.exists() or not is_shipped(file):
        return local_file
    return SHIPPED_SUITES / file.removeprefix(_SHIPPED_PREFIX)


def installed_module(file: Path) -> str:
    """The name of an installed packaged suite for ``--pyargs``; empty for other files."""
    if not file.is_relative_to(SHIPPED_SUITES) or not SHIPPED_SUITES.is_relative_to(_PACKAGE):
        return ""
    return ".".join((_PACKAGE.name, *file.relative_to(_PACKAGE).with_suffix("").parts))


def shown_folder(folder: Path, start: Path) -> str:
    """A folder relative to the one in which pytest was started, so that runs on several hosts say the same."""
    try:
        return Path(os.path.relpath(folder, start)).as_posix()
    except ValueError:  # on another drive of Windows
        return folder.as_posix()
