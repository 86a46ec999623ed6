"""One recording on disk: one request and its response, in a cassette of vcrpy."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from threading import get_ident
from typing import Any

from vcr.cassette import Cassette
from vcr.matchers import body, method, path
from vcr.persisters.filesystem import CassetteNotFoundError
from vcr.record_mode import RecordMode
from vcr.request import Request
from vcr.serialize import deserialize, serialize

from pytest_autoeval.models import cassette_text
from pytest_autoeval.models.base import ConfigurationError
from pytest_autoeval.models.digest import CHAT, METHOD, Route, canonical_json

_HEADERS = {"content-type": ["application/json"]}  # the only header that is kept; all others may tell secrets


def read_recording(file: Path, request_body: Mapping[str, Any], route: Route = CHAT) -> Any:
    """The recorded response to a request, or None where the file holds no such request or does not exist.

    Raises :class:`ConfigurationError` where the file is no recording.
    """
    try:
        cassette = Cassette.load(
            path=str(file),
            serializer=cassette_text,
            persister=_WholeFiles,
            record_mode=RecordMode.NONE,
            match_on=(method, path, body),
            allow_playback_repeats=True,
        )
        request = Request(METHOD, route, canonical_json(request_body), _HEADERS)
        if not cassette.can_play_response_for(request):
            return None
        return json.loads(cassette.play_response(request)["body"]["string"])
    except Exception as error:  # noqa: BLE001 - a mangled file fails in any way a YAML reader can fail
        raise ConfigurationError(
            f"{file} is not a recording that can be read ({type(error).__name__}: {error}); "
            "restore it, or delete it and record anew"
        ) from None


def read_request(file: Path) -> dict[str, Any] | None:
    """The body of the recorded request, or None where the file holds none."""
    try:
        requests, _ = _WholeFiles.load_cassette(file, cassette_text)
        request_body: dict[str, Any] = json.loads(requests[0].body)
    except Exception:  # noqa: BLE001 - only used to explain a miss: what cannot be read explains nothing
        return None
    return request_body


def write_recording(
    file: Path, request_body: Mapping[str, Any], response: Any, route: Route = CHAT, *, overwrite: bool
) -> bool:
    """Writes a recording whole or not at all; False where another one was first and ``overwrite`` is not set.

    Raises :class:`ConfigurationError` where the file cannot be written.
    """
    answer = {
        "status": {"code": 200, "message": "OK"},
        "headers": _HEADERS,
        "body": {"string": json.dumps(response)},
    }
    # Not canonical: a person reads the role of a message before its text.
    request = Request(METHOD, route, json.dumps(request_body), _HEADERS)
    interaction = {"requests": [request], "responses": [answer]}
    try:
        return _write_whole(file, serialize(interaction, cassette_text), overwrite=overwrite)
    except OSError as error:
        raise ConfigurationError(
            f"the recording {file} cannot be written: {error}; mend --autoeval-cassettes or record nothing"
        ) from None


class _WholeFiles:
    """Where vcrpy looks for a cassette: its own way, but always in UTF-8."""

    @staticmethod
    def load_cassette(cassette_path: str | Path, serializer: Any) -> Any:
        try:
            text = Path(cassette_path).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise CassetteNotFoundError from None
        return deserialize(text, serializer)


def _write_whole(file: Path, text: str, *, overwrite: bool) -> bool:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.stem}.{os.getpid()}.{get_ident()}.draft")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        if overwrite or not _link(draft, file):
            if not overwrite and file.exists():
                return False
            draft.replace(file)
        return True
    finally:
        draft.unlink(missing_ok=True)


def _link(draft: Path, file: Path) -> bool:
    """Gives the draft its name unless that is taken; False also where the file system knows no links."""
    try:
        file.hardlink_to(draft)
    except OSError:
        return False
    return True
