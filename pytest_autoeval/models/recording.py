"""When a recording answers, when the model is asked, and when its answer is kept: the record modes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from pytest_autoeval.models.base import RecordingMissError
from pytest_autoeval.models.digest import CHAT, Route, file_of, folder_of
from pytest_autoeval.models.settings import ModelSettings
from pytest_autoeval.models.state import Record, RunState

if TYPE_CHECKING:
    from pytest_autoeval.models.nearest import RecordedRequests


class Recordings:
    """The recordings of one model; thread-safe, and safe beside other processes on the same directories.

    Args:
        model: the model's name.
        settings: the directories and the record mode.
        state: what the workers of a run share: mode ``once`` is decided for all of them together.
        route: where the model is asked.
    """

    def __init__(self, model: str, settings: ModelSettings, state: RunState, route: Route = CHAT) -> None:
        self.route = route
        self._model = model
        self._mode = settings.record_mode
        folder = folder_of(model)
        self._folder = folder
        self._own = None if settings.cassettes is None else settings.cassettes / folder
        directories = [*([settings.cassettes] if settings.cassettes else []), *settings.more_cassettes]
        self._folders = [directory / folder for directory in directories]
        self._state = state
        self._lock = Lock()
        self._used: set[str] = set()
        self._requests: RecordedRequests | None = None

    def find(self, body: Mapping[str, Any], repeat: int) -> Any:
        """The recorded response to a request, or None where the model is to be asked.

        Raises :class:`RecordingMissError` where there is none and the mode asks no model.
        """
        if self._mode == "all":
            return None
        # Before looking: this request's own recording must not make ``once`` believe in earlier ones.
        replays_only = self._replays_only()
        file = file_of(body, repeat, self.route)
        response = self._read(file, body)
        if response is not None:
            self._use(file)
        elif replays_only:
            raise self._miss(body, repeat)
        return response

    def has(self, body: Mapping[str, Any], repeat: int) -> bool:
        """Whether a recording would answer a request."""
        return self._mode != "all" and self._read(file_of(body, repeat, self.route), body) is not None

    def keep(self, body: Mapping[str, Any], repeat: int, response: Any) -> Any:
        """Records a response where the mode records, and returns the one to go by.

        That is another one where a second worker asked the same and was first: a replay of the run must see what the
        run saw. Mode ``all`` overwrites.
        """
        if self._own is None or self._mode is None:
            return response
        from pytest_autoeval.models.cassette import write_recording

        file = file_of(body, repeat, self.route)
        written = write_recording(self._own / file, body, response, self.route, overwrite=self._mode == "all")
        self._use(file)
        return response if written else self._read(file, body) or response

    def used(self) -> list[str]:
        """The recordings that were replayed or written, as ``FOLDER/FILE``, sorted."""
        with self._lock:
            return sorted(self._used)

    def _replays_only(self) -> bool:
        if self._mode == "once":
            name = f"once-{self._folder}"
            decided = self._state.read(name) or self._state.update(name, self._decide_once)
            return bool(decided["replays_only"])
        return self._mode == "none"

    def _decide_once(self, record: Record) -> Record:
        found = self._own is not None and any(self._own.glob("*.yaml"))
        return record or {"replays_only": found}

    def _read(self, file: str, body: Mapping[str, Any]) -> Any:
        for folder in self._folders:
            # The check spares a run without recordings the import of vcrpy.
            if (folder / file).is_file():
                from pytest_autoeval.models.cassette import read_recording

                response = read_recording(folder / file, body, self.route)
                if response is not None:
                    return response
        return None

    def _use(self, file: str) -> None:
        with self._lock:
            self._used.add(f"{self._folder}/{file}")

    def _miss(self, body: Mapping[str, Any], repeat: int) -> RecordingMissError:
        from pytest_autoeval.models.nearest import RecordedRequests

        with self._lock:
            if self._requests is None:
                self._requests = RecordedRequests(self._folders)
            nearest = self._requests.nearest(body)
        places = " or ".join(map(str, self._folders))
        miss = RecordingMissError(
            f"{self._model}: no recording of this request in {places}, and record mode {self._mode!r} asks no model.\n"
            f"{nearest.difference}\n"
            "Record what is missing with --autoeval-record-mode=new_episodes."
        )
        # A note: what is different for each request must not make a thousand messages of one changed prompt.
        if nearest.file is not None:
            miss.add_note(f"Nearest recording: {nearest.file}; asked was repeat {repeat}.")
        return miss


def unused_recordings(cassettes: Path, models: Iterable[str], used: Iterable[str]) -> list[str]:
    """The recordings of some models that a run did not use, as ``FOLDER/FILE``, sorted.

    Args:
        cassettes: the directory of recordings.
        models: the names of the models that the whole run asked.
        used: what all workers together report as used.
    """
    folders = [folder_of(model) for model in models]
    present = {f"{folder}/{file.name}" for folder in folders for file in (cassettes / folder).glob("*.yaml")}
    return sorted(present.difference(used))
