"""Which recordings a run used, kept in pytest's cache for `python -m pytest_autoeval recordings`.

No single run shows that a recording is needed by nobody: another suite, another prompt or other options may need it. So
each run leaves a file of its own here, and the command counts them together.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path
from shlex import join
from time import time

import pytest
from msgspec import Struct, ValidationError
from msgspec.json import decode, encode
from msgspec.structs import replace

from pytest_autoeval.inert import inert
from pytest_autoeval.models.purposes import read_purpose
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.outputs import folder_in_cache
from pytest_autoeval.running.run_folder import asks_of
from pytest_autoeval.written_file import OutputKind, write_file

#: The folder in pytest's cache.
FOLDER = "autoeval-recordings"
_KIND = OutputKind("the recordings that a run used", ('{"when"',))
_DIGITS = 4
#: Words of tests that may ask a model: the marker and our fixtures.
_ASKING = (b"autoeval", b"llm", b"round_trip")


class UsedRecordings(Struct, frozen=True, kw_only=True):
    """What a run used.

    Attributes:
        when: when it ended, in seconds since 1970.
        command: its command line.
        cassettes: the folder of recordings.
        part: why it did not ask all that its tests ask; empty for a whole run, which may show what is out of use.
        ran: the files and folders of its tests.
        asking: the files of tests below the root folder that may ask a model, also those that it did not run.
        used: the recordings that it used, as ``FOLDER/FILE``.
        unused: those of its models that it did not use.
        key: four digits of what it asked, by which a user names it.
    """

    when: float
    command: str
    cassettes: str
    part: str
    ran: tuple[str, ...]
    asking: tuple[str, ...]
    used: tuple[str, ...]
    unused: tuple[str, ...]
    key: str = ""

    @property
    def whole(self) -> bool:
        """Whether it asked all that its tests ask."""
        return not self.part


def remember(
    config: pytest.Config, *, part: str, used: Sequence[str], unused: Sequence[str]
) -> bool:
    """Keeps what a run used, in place of an earlier run that asked the same; returns whether it is kept."""
    folder = folder_in_cache(config, FOLDER)
    if folder is None:
        return False
    settings = settings_of(config)
    run = UsedRecordings(
        when=time(),
        command=inert(join(["pytest", *map(str, config.invocation_params.args)])),
        cassettes=str(settings.cassettes.resolve()),
        part=part,
        ran=tuple(map(str, _ran(config))),
        # Without a recording to remove, nobody asks which tests may need it.
        asking=tuple(map(str, _asking(config))) if unused and not part else (),
        used=tuple(used),
        unused=tuple(unused),
    )
    key = json.dumps([asks_of(config, settings), run.cassettes])
    file = folder / f"{sha256(key.encode()).hexdigest()[:16]}.json"
    # A part of a run does not replace the whole one; a whole one replaces its parts.
    file_of_part = file.with_suffix(".part.json")
    try:
        write_file(file_of_part if part else file, [encode(run)], _KIND)
        if not part:
            file_of_part.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def remembered(cache: Path, cassettes: Path) -> list[UsedRecordings]:
    """The runs in a cache that used this folder of recordings, the latest first."""
    runs = []
    for file in (cache / "d" / FOLDER).glob("*.json"):
        # Ours, and cut off or of another release.
        with suppress(OSError, ValidationError, ValueError):
            run = decode(file.read_bytes(), type=UsedRecordings)
            if Path(run.cassettes) == cassettes.resolve():
                runs.append(replace(run, key=file.name[:_DIGITS]))
    return sorted(runs, key=lambda run: run.when, reverse=True)


def not_run(runs: Iterable[UsedRecordings]) -> list[str]:
    """The files of tests that may ask a model and that no whole run ran."""
    whole = [run for run in runs if run.whole]
    ran = [Path(path) for run in whole for path in run.ran]
    asking = sorted({file for run in whole for file in run.asking})
    return [
        file
        for file in asking
        if Path(file).exists() and not any(Path(file).is_relative_to(path) for path in ran)
    ]


def out_of_use(
    runs: Sequence[UsedRecordings], cassettes: Path, purposes: Container[str] = ()
) -> list[str]:
    """The recordings that some whole run did not use, and that no run used; as ``FOLDER/FILE``.

    One that was written after the last of these runs is new, and its run may be unknown here. Recordings of a purpose,
    such as shrinking, are among them only if it is one of ``purposes``: no whole run has to make such calls.
    """
    used = {name for run in runs for name in run.used}
    left_over: dict[str, float] = {}
    whole_runs = [run for run in runs if run.whole]
    for run in whole_runs:
        for name in run.unused:
            left_over[name] = max(run.when, left_over.get(name, 0.0))
    latest = max((run.when for run in whole_runs), default=0.0)
    for purpose, names in unused_by_purpose(runs, cassettes).items():
        if purpose in purposes:
            left_over |= dict.fromkeys(names, latest)
    return sorted(
        name
        for name, when in left_over.items()
        if name not in used and _is_older(cassettes / name, when)
    )


def unused_by_purpose(runs: Iterable[UsedRecordings], cassettes: Path) -> dict[str, list[str]]:
    """The recordings that no run used, by their purpose; empty for those of drawn samples."""
    used = {name for run in runs for name in run.used}
    by_purpose: dict[str, list[str]] = defaultdict(list)
    for file in sorted(cassettes.rglob("*.yaml")):
        name = file.relative_to(cassettes).as_posix()
        if name not in used:
            by_purpose[read_purpose(file)].append(name)
    return dict(by_purpose)


def _is_older(file: Path, when: float) -> bool:
    try:
        return not file.is_symlink() and file.stat().st_mtime <= when
    except OSError:
        return False


def _ran(config: pytest.Config) -> Iterator[Path]:
    """The files and folders that the run was told to test."""
    for argument in config.args:
        path = Path(config.invocation_params.dir, argument.partition("::")[0])
        # The name of a package, with `--pyargs`, is no path.
        if path.exists():
            yield path.resolve()


def _asking(config: pytest.Config) -> Iterator[Path]:
    """The files of tests below the root folder that may ask a model, as far as their text shows."""
    patterns: list[str] = config.getini("python_files")
    skipped: list[str] = [*config.getini("norecursedirs"), "__pycache__", "node_modules"]
    for folder, folders, files in os.walk(config.rootpath):
        folders[:] = [
            name
            for name in folders
            if not any(fnmatch(name, pattern) for pattern in skipped)
            and not Path(folder, name, "pyvenv.cfg").exists()
        ]
        for name in files:
            if any(fnmatch(name, pattern) for pattern in patterns):
                path = Path(folder, name)
                if _may_ask(path):
                    yield path.resolve()


def _may_ask(path: Path) -> bool:
    try:
        text = path.read_bytes()
    except OSError:
        return False
    return any(word in text for word in _ASKING)


def cache_option(config: pytest.Config) -> list[str]:
    """The option by which the command finds pytest's cache from the folder of the run, if it needs one."""
    folder, start = folder_in_cache(config, FOLDER), settings_of(config).folder
    if folder is None:
        return []
    # Above the folder stands `d`, in which pytest keeps folders of plugins.
    cache = folder.resolve().parents[1]
    return [] if found_cache(start) == cache else [f"--cache={os.path.relpath(cache, start)}"]


def found_cache(start: Path) -> Path | None:
    """The cache of pytest in a folder or in the nearest one above it."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / ".pytest_cache" / "d" / FOLDER).is_dir():
            return folder / ".pytest_cache"
    return None
