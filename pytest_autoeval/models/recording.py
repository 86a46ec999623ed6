"""The record modes: when a recording answers, when the model is called, and when its answer is recorded."""

from __future__ import annotations

import difflib
import os
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from pytest_autoeval.errors import did_you_mean
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.made_once import made_once
from pytest_autoeval.models.journal import Journal
from pytest_autoeval.models.model_settings import CHAT, METHOD, ModelSettings, Route
from pytest_autoeval.models.protocols import ConfigurationError, RecordingMissError, digest_of
from pytest_autoeval.models.purposes import Purpose, read_purpose
from pytest_autoeval.models.responses import failure_of

#: Of a folder to compare for the nearest: a miss must not take longer than a call.
_MOST_FILES = 2000
#: Of a diff to show.
_MOST_LINES = 16
_LONGEST_LINE = 160
_LONGEST_SLUG = 80
#: Of the recorded models to name.
_MOST_MODELS = 12
#: Seconds after which a draft must come from a killed run: writing takes milliseconds.
_OLD = 2.0
#: The line of a request above an answer of a model, such as that of an example.
_ANSWER = "[assistant]"
#: A prompt has few and long lines. Compared by sentences, a diff shows what changed.
_SENTENCE = lazy_pattern(r"(?<=[.:;!?]) +")
_WHAT_TO_DO = (
    "Record its answers with --autoeval-record-mode=new_episodes, or give the folder of its recordings with "
    "--autoeval-cassettes."
)


class Recordings:
    """The recordings of one model; not thread-safe.

    Mode ``once`` looks for recordings at the first request; runs that continue this one read the decision from
    ``journal``.
    """

    def __init__(
        self, model: str, settings: ModelSettings, journal: Journal, route: Route = CHAT
    ) -> None:
        self._model = model
        self._mode = settings.record_mode
        self._route = route
        self._journal = journal
        self._folder = folder_of(model)
        self._own = None if settings.cassettes is None else settings.cassettes / self._folder
        self._directories = directories_of(settings)
        self._folders = folders_of(model, settings)
        #: Whether answers are recorded.
        self.writes = self._own is not None and self._mode is not None
        #: Whether :meth:`find` can find or refuse anything.
        self.matters = self._mode is not None or any(folder.is_dir() for folder in self._folders)
        #: The recordings that were replayed or written, as ``FOLDER/FILE``.
        self.used: set[str] = set()
        #: The unreadable recordings, whose requests were sent again: a line each, with the reason.
        self.unreadable: set[str] = set()
        #: Why recordings are no answers, by their names.
        self._failed: dict[str, str] = {}
        self._requests: dict[Path, list[str]] | None = None
        self._can_be_written = False
        if self._own is not None and self._mode in {"once", "new_episodes", "all"}:
            _remove_drafts(self._own)

    def find(self, body: Mapping[str, Any], repeat: int) -> Any:
        """The recorded response to a request, or None if the model must be called.

        Raises :class:`RecordingMissError` if there is none and the mode makes no call.
        """
        if self._mode == "all":
            self._check_folder()
            return None
        # Before this request is recorded: mode ``once`` looks for earlier recordings.
        replays_only = self._replays_only()
        file = file_of(body, repeat, self._route)
        response = self._read(file, body)
        if response is not None:
            self.used.add(f"{self._folder}/{file}")
        elif replays_only and file in self._failed:
            raise RecordingMissError(
                f"{self._model}: {self._failed[file]}, and record mode {self._mode!r} sends no request; delete the "
                "file, and record the answer with --autoeval-record-mode=new_episodes"
            )
        elif replays_only:
            raise self._miss(body, repeat)
        else:
            self._check_folder()
        return response

    @property
    def hint(self) -> str:
        """An addition to configuration errors: there are recordings, but of other requests."""
        if not any(map(has_recordings, self._folders)):
            return ""
        return (
            f"\nThere are recordings of {self._model}, but none of this request: "
            "--autoeval-record-mode=none shows the difference."
        )

    def has(self, body: Mapping[str, Any], repeat: int) -> bool:
        """Whether a recording would answer a request."""
        return (
            self._mode != "all" and self._read(file_of(body, repeat, self._route), body) is not None
        )

    def keep(
        self, body: Mapping[str, Any], repeat: int, response: Any, purpose: Purpose = ""
    ) -> None:
        """Records a response; only if ``writes``."""
        assert self._own is not None
        from pytest_autoeval.models.cassette import write_recording

        file = file_of(body, repeat, self._route)
        self.used.add(f"{self._folder}/{file}")
        write_recording(self._own / file, body, response, self._route, purpose)

    def _check_folder(self) -> None:
        """Raises :class:`ConfigurationError` if an answer could not be recorded, before it is paid for."""
        if self._can_be_written or self._own is None or not self.writes:
            return
        try:
            self._own.mkdir(parents=True, exist_ok=True)
            # Tried out: the bits of permissions do not show a read-only file system or a full disk.
            tempfile.TemporaryFile(dir=self._own).close()
        except OSError as error:
            raise ConfigurationError(
                f"recordings cannot be written to {self._own}: {error.strerror}; "
                "change --autoeval-cassettes or --autoeval-record-mode"
            ) from None
        self._can_be_written = True

    def _replays_only(self) -> bool:
        return self._mode == "none" or (self._mode == "once" and self._was_recorded)

    @made_once
    def _was_recorded(self) -> bool:
        """Whether there were recordings of this model before the run, or before the runs that it continues."""
        name = f"{self._folder} was recorded before"
        decision = self._journal.decision(name)
        if decision is None:
            decision = self._own is not None and any(self._own.glob("*.yaml"))
        self._journal.decide(name, decision)
        return decision

    def _read(self, file: str, body: Mapping[str, Any]) -> Any:
        """The recorded response; None if there is none, or an unreadable one that this run may replace.

        Raises :class:`ConfigurationError` for an unreadable one that this run may not replace.
        """
        for folder in self._folders:
            # The check spares a run without recordings the import of the YAML reader.
            if not os.path.lexists(folder / file):
                continue
            from pytest_autoeval.models.cassette import UnreadableRecordingError, read_recording

            try:
                response = read_recording(folder / file, body, self._route)
            except UnreadableRecordingError as problem:
                if not self.writes or self._replays_only():
                    raise ConfigurationError(
                        f"{problem}; restore it, or delete it and record again"
                    ) from None
                self.unreadable.add(str(problem))
            else:
                if response is None:
                    continue
                if (failure := failure_of(response)) is None:
                    return response
                self._failed[file] = (
                    f"{folder / file} holds no answer but a failure of the server ({failure})"
                )
        return None

    def _miss(self, body: Mapping[str, Any], repeat: int) -> RecordingMissError:
        if self._requests is None:
            from pytest_autoeval.models.cassette import read_request

            files = [
                file
                for folder in self._folders
                for file in sorted(folder.glob("*.yaml"))[:_MOST_FILES]
            ]
            requests = {file: read_request(file) for file in files}
            self._requests = {
                file: _lines(request) for file, request in requests.items() if request is not None
            }
        # A folder that nobody made is no place to look at.
        existing = [folder for folder in self._folders if folder.is_dir()]
        places = " or ".join(map(str, existing or self._folders))
        asked, mode = _lines(body), f"record mode {self._mode!r} sends no request"
        comparable = self._requests
        if not any(file.parent == self._own for file in comparable):
            # The packaged recordings of other samples show nothing about this one.
            comparable = {
                file: lines for file, lines in comparable.items() if lines[-1:] == asked[-1:]
            }
        if not comparable:
            if self._requests:
                missing = f"no recording of this request in {places}"
                others = " The recordings of the package are of other samples."
            else:
                missing = f"nothing is recorded for this model yet in {self._own or places}"
                others = recorded_instead([self._model], self._directories)
            return RecordingMissError(
                f"{self._model}: {missing}, and {mode}.{others}\n{_WHAT_TO_DO}"
            )
        nearest, difference = nearest_request(asked, comparable)
        miss = RecordingMissError(
            f"{self._model}: no recording of this request in {places}, and {mode}.\n"
            f"{difference}\n"
            "Record what is missing with --autoeval-record-mode=new_episodes."
        )
        # A note: in the message it would make a thousand messages of one changed prompt.
        miss.add_note(f"Nearest recording: {nearest}; this request is repeat {repeat}.")
        return miss


def _remove_drafts(folder: Path) -> None:
    """Removes the drafts of killed runs."""
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
    # The digest distinguishes names with equal slugs.
    return f"{slug.lstrip('.')}-{sha256(model.encode()).hexdigest()[:8]}"


def directories_of(settings: ModelSettings) -> list[Path]:
    """The directories in which recordings of models may be, that to write to first."""
    directories = [settings.cassettes, *settings.more_cassettes]
    return [directory for directory in directories if directory is not None]


def folders_of(model: str, settings: ModelSettings) -> list[Path]:
    """The folders in which recordings of a model may be, that to write to first."""
    return [directory / folder_of(model) for directory in directories_of(settings)]


def has_recordings(folder: Path) -> bool:
    """Whether a folder has any recording. A run whose first call failed leaves an empty folder."""
    return next(folder.glob("*.yaml"), None) is not None


def recorded_models(directories: Iterable[Path]) -> list[str]:
    """The models with recordings, those of the first directory first."""
    names: dict[str, None] = {}
    for directory in directories:
        folders = sorted(directory.iterdir()) if directory.is_dir() else []
        # Folders without a name of their own, such as one with a digest, are left out.
        for folder in folders:
            name = folder.name.replace("--", "/")
            if folder_of(name) == folder.name and has_recordings(folder):
                names[name] = None
    return [*names]


def recorded_instead(models: Sequence[str], directories: Iterable[Path]) -> str:
    """Which models are recorded, and those nearest to some names, as the end of a message; empty if there is none."""
    recorded = recorded_models(directories)
    if not recorded:
        return ""
    meant = "".join(_did_you_mean(model, recorded) for model in models)
    more = f" and {len(recorded) - _MOST_MODELS} more" if len(recorded) > _MOST_MODELS else ""
    return f"{meant} Recorded are: {', '.join(recorded[:_MOST_MODELS])}{more}."


def _did_you_mean(model: str, recorded: Sequence[str]) -> str:
    # The same name of another provider, or without one, is nearer than a similar name.
    same = [name for name in recorded if _without_provider(name) == _without_provider(model)]
    return (
        f" Did you mean {' or '.join(map(repr, same))}?" if same else did_you_mean(model, recorded)
    )


def refuse_unrecorded(models: Sequence[str], settings: ModelSettings) -> None:
    """Raises :class:`ConfigurationError` if a run that only replays has no recording of any of its models."""
    if settings.record_mode != "none" or not models:
        return
    if any(has_recordings(folder) for model in models for folder in folders_of(model, settings)):
        return
    names = " and ".join(models)
    nearest = recorded_instead(models, directories_of(settings))
    folder = "" if settings.cassettes is None else f" in {settings.cassettes}"
    raise ConfigurationError(
        f"nothing is recorded for {names}{folder}, and record mode 'none' sends no request.{nearest}\n{_WHAT_TO_DO}"
    )


def _without_provider(model: str) -> str:
    return model.rpartition("/")[2].casefold()


def file_of(request_body: Mapping[str, Any], repeat: int, route: Route = CHAT) -> str:
    """The name of a request's file: 32 digits of its digest, and the repeat."""
    return (
        f"{digest_of({'method': METHOD, 'path': route, 'body': request_body})[:32]}-{repeat}.yaml"
    )


def unused_recordings(
    cassettes: Path, models: Iterable[str], used: Iterable[str]
) -> dict[str, list[str]]:
    """The recordings of some models that a run did not use, by their purpose; as ``FOLDER/FILE``, sorted."""
    folders = [folder_of(model) for model in models]
    present = {
        f"{folder}/{file.name}"
        for folder in folders
        for file in (cassettes / folder).glob("*.yaml")
    }
    unused: dict[str, list[str]] = defaultdict(list)
    for file in sorted(present.difference(used)):
        unused[read_purpose(cassettes / file)].append(file)
    return dict(unused)


def nearest_request(wanted: list[str], recorded: Mapping[Path, list[str]]) -> tuple[Path, str]:
    """The recording nearest to a request, and their difference."""
    from rapidfuzz import fuzz, process

    # The last line carries the sample: recordings of the same sample come first.
    of_sample = {file: lines for file, lines in recorded.items() if lines[-1:] == wanted[-1:]}
    candidates = of_sample or recorded
    texts = {file: "\n".join(lines) for file, lines in candidates.items()}
    # A list of one match: its text, its likeness and its file.
    matches = process.extract("\n".join(wanted), texts, scorer=fuzz.ratio, limit=1)
    file: Path = matches[0][2]
    if recorded[file] == wanted:
        return file, "The same request is recorded, but another repeat of it."
    heading = f"The nearest recorded request {_difference_in_turns(wanted, recorded[file])}:"
    difference = [f"  {line}" for line in _difference(wanted, recorded[file])]
    return file, "\n".join([heading, *difference])


def _difference(wanted: Sequence[str], recorded: Sequence[str]) -> list[str]:
    """The lines in which two requests differ, cut to the room of a message."""
    difference = difflib.unified_diff(recorded, wanted, "recorded", "asked now", n=1, lineterm="")
    lines = []
    for line in difference:
        # The line numbers after @@ belong to no file.
        text = "…" if line.startswith("@@") else line.rstrip()
        lines.append(text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…")
    if len(lines) > _MOST_LINES:
        lines[_MOST_LINES:] = [f"… and {len(lines) - _MOST_LINES} more lines"]
    return lines


def _difference_in_turns(wanted: Sequence[str], recorded: Sequence[str]) -> str:
    """How a recorded request differs: named if only one of the two has answers of a model among its messages."""
    option = "as --autoeval-prompting=few-shot adds"
    if _ANSWER in recorded and _ANSWER not in wanted:
        return f"has examples, {option}, and this one has none"
    if _ANSWER in wanted and _ANSWER not in recorded:
        return f"has no examples, {option}, and this one has some"
    return "differs"


def _lines(body: Mapping[str, Any]) -> list[str]:
    """A request as lines for a diff: its parameters, then each sentence of its messages, or each text to embed."""
    lines = [
        f"{key}: {value}" for key, value in sorted(body.items()) if key not in {"messages", "input"}
    ]
    lines += [line for text in body.get("input", []) for line in ("[text]", *text.splitlines())]
    for message in body.get("messages", []):
        lines.append(f"[{message['role']}]")
        for line in message["content"].splitlines():
            lines += _SENTENCE.split(line)
    return lines
