"""When a recording answers, when the model is asked, and when its answer is kept: the record modes."""

from __future__ import annotations

import difflib
import os
import re
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from pytest_autoeval.models.base import ConfigurationError, RecordingMissError, digest_of
from pytest_autoeval.models.journal import Journal
from pytest_autoeval.models.settings import CHAT, METHOD, ModelSettings, Route

_MOST_FILES = 2000  # of a folder that are looked at for the nearest: a miss must not take longer than a call
_MOST_LINES = 16  # of a difference that are shown
_LONGEST_LINE = 160
_LONGEST_SLUG = 80
_OLD = 2.0  # seconds after which a draft is one that a kill left: to write one takes milliseconds
_SENTENCE = re.compile(r"(?<=[.:;!?]) +")


class Recordings:
    """The recordings of one model; one thread at a time uses them.

    Mode ``once`` is decided once, for the run and those that it continues (``journal``).
    """

    def __init__(self, model: str, settings: ModelSettings, journal: Journal, route: Route = CHAT) -> None:
        self._model = model
        self._mode = settings.record_mode
        self._route = route
        self._journal = journal
        self._folder = folder_of(model)
        self._own = None if settings.cassettes is None else settings.cassettes / self._folder
        more = [directory / self._folder for directory in settings.more_cassettes]
        self._folders = [*([self._own] if self._own else []), *more]
        #: Whether answers are written down.
        self.writes = self._own is not None and self._mode is not None
        #: Whether there is anything to read or to refuse.
        self.matters = self._mode is not None or any(folder.is_dir() for folder in self._folders)
        #: The recordings that were replayed or written, as ``FOLDER/FILE``.
        self.used: set[str] = set()
        #: The recordings that could not be read, so that the model was asked again: a line each, with the reason.
        self.unreadable: set[str] = set()
        self._requests: dict[Path, list[str]] | None = None
        self._can_be_written = False
        if self._own is not None and self._mode in {"once", "new_episodes", "all"}:
            _remove_drafts(self._own)

    def find(self, body: Mapping[str, Any], repeat: int) -> Any:
        """The recorded response to a request, or None where the model is to be asked.

        Raises :class:`RecordingMissError` where there is none and the mode asks no model.
        """
        if self._mode == "all":
            self._check_folder()
            return None
        # Before looking: this request's own recording must not make ``once`` believe in earlier ones.
        replays_only = self._replays_only()
        file = file_of(body, repeat, self._route)
        response = self._read(file, body)
        if response is not None:
            self.used.add(f"{self._folder}/{file}")
        elif replays_only:
            raise self._miss(body, repeat)
        else:
            self._check_folder()
        return response

    @property
    def hint(self) -> str:
        """What to add to the reason why a model cannot be asked: that there are recordings of other requests."""
        if not any(folder.is_dir() for folder in self._folders):
            return ""
        return (
            f"\nThere are recordings of {self._model}, but none of this request: "
            "--autoeval-record-mode=none shows the difference."
        )

    def has(self, body: Mapping[str, Any], repeat: int) -> bool:
        """Whether a recording would answer a request."""
        return self._mode != "all" and self._read(file_of(body, repeat, self._route), body) is not None

    def keep(self, body: Mapping[str, Any], repeat: int, response: Any) -> None:
        """Records a response, which it must: see ``writes``."""
        assert self._own is not None
        from pytest_autoeval.models.cassette import write_recording

        file = file_of(body, repeat, self._route)
        self.used.add(f"{self._folder}/{file}")
        write_recording(self._own / file, body, response, self._route)

    def _check_folder(self) -> None:
        """Raises :class:`ConfigurationError` where an answer could not be recorded, before it is paid for."""
        if self._can_be_written or self._own is None or not self.writes:
            return
        try:
            self._own.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=self._own).close()
        except OSError as error:
            raise ConfigurationError(
                f"recordings cannot be written to {self._own}: {error.strerror}; "
                "change --autoeval-cassettes or --autoeval-record-mode"
            ) from None
        self._can_be_written = True

    def _replays_only(self) -> bool:
        return self._mode == "none" or (self._mode == "once" and self._was_recorded)

    @cached_property
    def _was_recorded(self) -> bool:
        """Whether there were recordings of this model before the run, or before those that it continues."""
        name = f"{self._folder} was recorded before"
        found = self._journal.decision(name)
        if found is None:
            found = self._own is not None and any(self._own.glob("*.yaml"))
        self._journal.decide(name, found)
        return found

    def _read(self, file: str, body: Mapping[str, Any]) -> Any:
        """The recorded response; None where there is none, or a bad one that this run may replace.

        Raises :class:`ConfigurationError` for a bad one where the mode does not record what is missing.
        """
        for folder in self._folders:
            # The check spares a run without recordings the import of a YAML reader.
            if not os.path.lexists(folder / file):
                continue
            from pytest_autoeval.models.cassette import UnreadableRecordingError, read_recording

            try:
                response = read_recording(folder / file, body, self._route)
            except UnreadableRecordingError as problem:
                if not self.writes or self._replays_only():
                    raise ConfigurationError(f"{problem}; restore it, or delete it and record again") from None
                self.unreadable.add(str(problem))
            else:
                if response is not None:
                    return response
        return None

    def _miss(self, body: Mapping[str, Any], repeat: int) -> RecordingMissError:
        if self._requests is None:
            from pytest_autoeval.models.cassette import read_request

            files = [file for folder in self._folders for file in sorted(folder.glob("*.yaml"))[:_MOST_FILES]]
            found = {file: read_request(file) for file in files}
            self._requests = {file: _lines(request) for file, request in found.items() if request is not None}
        nearest, difference = _nearest(_lines(body), self._requests)
        places = " or ".join(map(str, self._folders))
        miss = RecordingMissError(
            f"{self._model}: no recording of this request in {places}, and "
            f"record mode {self._mode!r} sends no request.\n"
            f"{difference}\n"
            "Record what is missing with --autoeval-record-mode=new_episodes."
        )
        # A note: what is different for each request must not make a thousand messages of one changed prompt.
        if nearest is not None:
            miss.add_note(f"Nearest recording: {nearest}; this request is repeat {repeat}.")
        return miss


def _remove_drafts(folder: Path) -> None:
    """Removes what kills left in a folder; a run that still writes its draft would write it once more."""
    for draft in folder.glob(".*.draft"):
        with suppress(OSError):
            if time.time() - draft.stat().st_mtime > _OLD:
                draft.unlink()


def folder_of(model: str) -> str:
    """The name of a model's folder: ``offline/faithful`` becomes ``offline--faithful``."""
    plain = model.replace("/", "--")
    slug = re.sub(r"[^A-Za-z0-9._=-]", "_", plain)[:_LONGEST_SLUG]
    if slug == plain and not slug.startswith("."):
        return slug
    # What was lost in the slug still tells two models apart.
    return f"{slug.lstrip('.')}-{sha256(model.encode()).hexdigest()[:8]}"


def file_of(request_body: Mapping[str, Any], repeat: int, route: Route = CHAT) -> str:
    """The name of a request's file: 32 digits of its digest, and the number of its repeat."""
    return f"{digest_of({'method': METHOD, 'path': route, 'body': request_body})[:32]}-{repeat}.yaml"


def unused_recordings(cassettes: Path, models: Iterable[str], used: Iterable[str]) -> list[str]:
    """The recordings of some models that a run did not use, as ``FOLDER/FILE``, sorted."""
    folders = [folder_of(model) for model in models]
    present = {f"{folder}/{file.name}" for folder in folders for file in (cassettes / folder).glob("*.yaml")}
    return sorted(present.difference(used))


def _nearest(wanted: list[str], recorded: Mapping[Path, list[str]]) -> tuple[Path | None, str]:
    """The recording nearest to a request, and how they differ. Requests that miss for one reason differ alike."""
    from rapidfuzz import fuzz, process

    # The last line carries the sample: a recording of it is nearer than one of another prompt of the same length.
    alike = {file: lines for file, lines in recorded.items() if lines[-1:] == wanted[-1:]} or recorded
    texts = {file: "\n".join(lines) for file, lines in alike.items()}
    found = process.extractOne("\n".join(wanted), texts, scorer=fuzz.ratio)
    if found is None:
        return None, "Nothing is recorded for this model."
    file: Path = found[2]
    if recorded[file] == wanted:
        return file, "The same request is recorded, but another repeat of it."
    difference = difflib.unified_diff(recorded[file], wanted, "recorded", "asked now", n=1, lineterm="")
    # The numbers behind @@ are of lines that stand in no file.
    plain = ("…" if line.startswith("@@") else line.rstrip() for line in difference)
    shown = [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…" for line in plain]
    if len(shown) > _MOST_LINES:
        shown[_MOST_LINES:] = [f"… and {len(shown) - _MOST_LINES} more lines"]
    return file, "\n".join(["The nearest recorded request differs:", *(f"  {line}" for line in shown)])


def _lines(body: Mapping[str, Any]) -> list[str]:
    """A request as lines to compare: its parameters, then each sentence of its messages, or each text to embed."""
    lines = [f"{key}: {value}" for key, value in sorted(body.items()) if key not in {"messages", "input"}]
    lines += [line for text in body.get("input", []) for line in ("[text]", *text.splitlines())]
    for message in body.get("messages", []):
        lines.append(f"[{message['role']}]")
        for line in message["content"].splitlines():
            lines += _SENTENCE.split(line)
    return lines
