"""One recording on disk: one request and its response, in vcrpy's format, so that a prompt can be read in a diff.

Bodies stand as ``parsed_body``, texts of several lines as blocks; loading puts back the JSON text that vcrpy expects.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from threading import get_ident
from typing import Any

import vcr.serialize
import yaml
from vcr.matchers import body, method, path, requests_match
from vcr.request import Request

from pytest_autoeval.models.base import ConfigurationError, canonical_json
from pytest_autoeval.models.settings import CHAT, METHOD, Route

try:
    from yaml import CSafeDumper as SafeDumper
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML without libyaml: slower, the same text
    from yaml import SafeDumper, SafeLoader  # type: ignore[assignment]

_HEADERS = {"content-type": ["application/json"]}  # the only header that is kept; all others may tell secrets
# YAML reads these as line breaks of its own: only an escaped string keeps them apart from a plain one.
_FOREIGN_BREAKS = ("\r", "\x85", "\u2028", "\u2029", "\ufeff")


def read_recording(file: Path, request_body: Mapping[str, Any], route: Route = CHAT) -> Any:
    """The recorded response to a request, or None where the file holds no such request or does not exist.

    Raises :class:`ConfigurationError` where the file is no recording.
    """
    wanted = Request(METHOD, route, canonical_json(request_body), _HEADERS)
    try:
        for request, response in _interactions(file):
            if requests_match(wanted, request, (method, path, body)):
                return json.loads(response["body"]["string"])
    except FileNotFoundError:
        pass
    except Exception as error:  # noqa: BLE001 - a mangled file fails in any way a YAML reader can fail
        raise ConfigurationError(
            f"{file} is not a recording that can be read ({type(error).__name__}: {error}); "
            "restore it, or delete it and record anew"
        ) from None
    return None


def read_request(file: Path) -> dict[str, Any] | None:
    """The body of the recorded request, or None where the file holds none."""
    try:
        request_body: dict[str, Any] = json.loads(_interactions(file)[0][0].body)
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
    text = vcr.serialize.serialize({"requests": [request], "responses": [answer]}, _Text)
    draft = file.with_name(f".{file.stem}.{os.getpid()}.{get_ident()}.draft")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            draft.write_text(text, encoding="utf-8", newline="\n")
            try:
                if not overwrite:
                    file.hardlink_to(draft)
                    return True
            except OSError:  # the name is taken, or the file system knows no links
                if file.exists():
                    return False
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"the recording {file} cannot be written: {error}; mend --autoeval-cassettes or record nothing"
        ) from None
    return True


def _interactions(file: Path) -> list[tuple[Request, dict[str, Any]]]:
    requests, responses = vcr.serialize.deserialize(file.read_text(encoding="utf-8"), _Text)
    return list(zip(requests, responses, strict=True))


class _Text:
    """What vcrpy calls a serializer."""

    @staticmethod
    def serialize(cassette: dict[str, Any]) -> str:
        for interaction in cassette["interactions"]:
            request, response = interaction["request"], interaction["response"]
            request["parsed_body"] = json.loads(request.pop("body"))
            response["parsed_body"] = json.loads(response.pop("body")["string"])
        text: str = yaml.dump(cassette, Dumper=_RecordingDumper, sort_keys=False, allow_unicode=True, width=120)
        return text

    @staticmethod
    def deserialize(text: str) -> dict[str, Any]:
        cassette: dict[str, Any] = yaml.load(text, Loader=SafeLoader)
        for interaction in cassette["interactions"]:
            request, response = interaction["request"], interaction["response"]
            request["body"] = canonical_json(request.pop("parsed_body"))
            response["body"] = {"string": canonical_json(response.pop("parsed_body"))}
        return cassette


class _RecordingDumper(SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True  # a value that occurs twice is written twice: anchors are noise in a diff


def _represent_text(dumper: Any, text: str) -> Any:
    style = None
    if any(sign in text for sign in _FOREIGN_BREAKS):
        style = '"'
    elif "\n" in text:
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_RecordingDumper.add_representer(str, _represent_text)
