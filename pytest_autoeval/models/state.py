"""What the workers of one run agree on: small records in a directory, or in memory if it is alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

Record = dict[str, Any]


class RunState:
    """Named JSON records that are changed by one thread of one process at a time.

    Args:
        directory: shared by all workers of the run, made if it is missing; None keeps the records in memory.
    """

    def __init__(self, directory: Path | None) -> None:
        self.directory = directory
        self._memory: dict[str, Record] = {}
        self._lock = Lock()
        if directory is not None:
            directory.mkdir(parents=True, exist_ok=True)

    def read(self, name: str) -> Record:
        """A record as it stands, empty if there is none yet."""
        if self.directory is None:
            return self._memory.get(name, {})
        try:
            # Records are replaced whole, so reading one needs no lock.
            record: Record = json.loads((self.directory / f"{name}.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        return record

    def update(self, name: str, change: Callable[[Record], Record]) -> Record:
        """Replaces a record by what ``change`` makes of it, in one step for all workers, and returns it."""
        with self._lock:
            if self.directory is None:
                self._memory[name] = change(dict(self._memory.get(name, {})))
                return self._memory[name]
            return self._update_file(self.directory, name, change)

    def _update_file(self, directory: Path, name: str, change: Callable[[Record], Record]) -> Record:
        from filelock import FileLock

        # The operating system drops the lock of a killed worker, and the record is whole at every moment.
        with FileLock(directory / f"{name}.lock", poll_interval=0.001, thread_local=False):
            record = change(self.read(name))
            draft = directory / f"{name}.draft"
            draft.write_text(json.dumps(record), encoding="utf-8")
            draft.replace(directory / f"{name}.json")
            return record
