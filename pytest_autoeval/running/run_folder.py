"""The folder of a run: what its processes share, and the answers from which an interrupted run is continued.

The folder is in pytest's cache. Without a cache it is a temporary folder, and the run cannot be continued.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock, Timeout

from pytest_autoeval.engine.settings import Settings, names_of
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.text import count

#: As `features/batches/batch_log.py` names it; not imported here, since that imports more.
_BATCHES = "batches.jsonl"
#: Seconds that an interrupted run is kept: 30 days.
_LONGEST = 30 * 24 * 3600.0
_PREFIX = "pytest-autoeval-"


class RunFolder:
    """The folder of one run. The controlling process makes it, and holds a lock on it while it lives.

    ``resumable``: answers are stored in it. ``earlier`` are the folders of the runs that this one continues, the oldest
    first. ``note`` describes what earlier runs left, and may be empty. ``ended_well`` is set at the end of a run that
    has nothing left to ask.
    """

    def __init__(self, config: pytest.Config) -> None:
        settings = settings_of(config)
        now = datetime.now().astimezone()
        about = {"when": f"{now:%Y-%m-%d %H:%M:%S}", "asks": asks_of(config, settings)}
        make = partial(_made, f"{name_of_run(now)}-", about)
        self.note = ""
        self.ended_well = False
        cache: pytest.Cache | None = getattr(config, "cache", None)
        self.resumable = cache is not None
        try:
            folder_and_lock = make(
                tempfile.gettempdir() if cache is None else cache.mkdir("autoeval")
            )
        except OSError as error:
            if settings.resume or not self.resumable:
                raise pytest.UsageError(f"the folder of this run cannot be made: {error}") from None
            # A cache that cannot be written is no reason not to run.
            folder_and_lock = make(tempfile.gettempdir())
            self.resumable = False
            self.note = f"answers are not kept for --autoeval-resume: {error}"
        self.path, lock = folder_and_lock
        self._locks = {self.path: lock}
        self.earlier = tuple(self._find_earlier(about["asks"], take=settings.resume))
        if settings.resume and not self.earlier and _is_going(self.path, about["asks"]):
            _remove(self.path, lock)
            raise pytest.UsageError(
                "--autoeval-resume: another process runs or continues this run now, and everything would be asked and "
                "paid twice; wait for its end, or interrupt it"
            )

    @property
    def kept(self) -> str:
        """What is kept of this run and of those that it continues, such as ``3 answers``; empty if there is nothing."""
        return _kept_in([self.path, *self.earlier]) if self.resumable else ""

    def close(self) -> None:
        """Removes the folder of a run that ended well, and the folders that it continued.

        Otherwise the folder stays if there are answers in it.
        """
        useless: list[Path] = []
        if self.ended_well:
            useless = [self.path, *self.earlier]
        elif not (self.resumable and _kept_in([self.path])):
            useless = [self.path]
        for folder in useless:
            _remove(folder, self._locks.pop(folder))
        # Only now may another run take what is there.
        for lock in self._locks.values():
            lock.release()
        if self.resumable:
            # Nothing may have been kept. This fails while there is something in the folder.
            with suppress(OSError):
                self.path.parent.rmdir()

    def _find_earlier(self, asks: str, *, take: bool) -> Iterator[Path]:
        """The folders of runs that asked the same and can be continued. Useless folders are removed."""
        earlier: list[Path] = []
        when = ""
        for folder, lock in _abandoned(self.path):
            about = _about(folder / "run.json")
            if not (self.resumable and about and _kept_in([folder])):
                _remove(folder, lock)
                continue
            if about["asks"] == asks:
                earlier.append(folder)
                when = about["when"]
                if take:
                    self._locks[folder] = lock
                    yield folder
                    continue
            lock.release()
        if earlier and take:
            self.note = f"continues the run of {when}: {_kept_in(earlier)} of it are kept"
        elif earlier:
            self.note = f"the run of {when} did not end well: --autoeval-resume continues it ({_kept_in(earlier)} kept)"
        elif take:
            self.note = (
                "--autoeval-resume: no interrupted run of these tests, models and options was found; "
                "everything is asked"
            )


def name_of_run(started: datetime) -> str:
    """The beginning of a folder's name. Names have the order of the runs, also of two that start in the same second."""
    return f"{_PREFIX}{started:%Y%m%d-%H%M%S-%f}"


def _about(file: Path) -> dict[str, Any]:
    """What a run wrote about itself; empty if it is too old or cannot be read."""
    try:
        about = json.loads(file.read_text("utf-8"))
        age = time.time() - file.stat().st_mtime
    except (OSError, ValueError, RecursionError):
        return {}
    is_whole = isinstance(about, dict) and about.keys() >= {"asks", "when"}
    return about if is_whole and age <= _LONGEST else {}


def _made(name: str, about: Mapping[str, str], root: Path | str) -> tuple[Path, FileLock]:
    """A new folder and its lock, which is held before another run can see the folder."""
    # Another run that kept nothing may just have removed it.
    Path(root).mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=name, dir=root))
    lock = FileLock(folder / "lock", thread_local=False)
    lock.acquire()
    # Last, because other runs see only folders with this file.
    (folder / "run.json").write_text(json.dumps(about), "utf-8")
    return folder, lock


def _remove(folder: Path, lock: FileLock) -> None:
    """Removes a folder whose lock is held. The lock is closed first, since Windows does not remove open files."""
    # Without this file no other run takes the folder, between the release and the removal.
    (folder / "run.json").unlink(missing_ok=True)
    lock.release()
    shutil.rmtree(folder, ignore_errors=True)


def _abandoned(own: Path) -> Iterator[tuple[Path, FileLock]]:
    """The folders beside a run's own whose processes have ended, the oldest first, with their locks held."""
    for folder in sorted(own.parent.glob(f"{_PREFIX}*")):
        # The folder may be held, gone meanwhile, or another user's.
        with suppress(OSError):
            if folder != own and (folder / "run.json").exists() and (folder / "lock").exists():
                lock = FileLock(folder / "lock", blocking=False, thread_local=False)
                lock.acquire()
                yield folder, lock


def _is_going(own: Path, asks: str) -> bool:
    """Whether a living process holds the folder of a run that asks the same."""
    for folder in own.parent.glob(f"{_PREFIX}*"):
        if folder == own or _about(folder / "run.json").get("asks") != asks:
            continue
        lock = FileLock(folder / "lock", blocking=False, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            return True
        except OSError:  # gone meanwhile
            continue
        lock.release()
    return False


def asks_of(config: pytest.Config, settings: Settings) -> str:
    """A digest of everything that decides what a run asks, except the contents of its tests and files."""
    folder, root = config.invocation_params.dir, config.rootpath
    tests = [os.path.relpath(folder / argument, root) for argument in config.args]
    chosen = [tests, config.option.keyword, config.option.markexpr]
    values = [getattr(settings, name) for name in names_of(lambda option: option.asks)]
    # Without this option, a run would ask again what is in a batch.
    values += ["batch"] if settings.batch is not None else []
    return sha256(json.dumps([chosen, values], default=str).encode()).hexdigest()


def _kept_in(folders: Sequence[Path]) -> str:
    """What there is to continue: answers and batches; empty if there is nothing."""
    answers = 0
    files = [file for folder in folders for file in folder.glob("answers-*.jsonl")]
    for file in filter(Path.is_file, files):
        # Another run may end here, and remove its folder.
        with suppress(FileNotFoundError), file.open("rb") as lines:
            # The last line may be cut off. Then it is no answer.
            answers += sum(line.endswith(b"\n") for line in lines)
    batches = "batches" if any((folder / _BATCHES).exists() for folder in folders) else ""
    return " and ".join(filter(None, [count(answers, "answer") if answers else "", batches]))
