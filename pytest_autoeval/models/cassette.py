"""One recording on disk: one request and its response, as YAML that can be read in a diff.

Bodies stand as ``parsed_body``, texts of several lines as blocks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import get_ident
from typing import Any

import yaml

from pytest_autoeval.models.base import ConfigurationError
from pytest_autoeval.models.digest import CHAT, METHOD, Route, canonical_json

try:
    from yaml import CSafeDumper as SafeDumper
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML without libyaml: slower, the same text
    from yaml import SafeDumper, SafeLoader  # type: ignore[assignment]

_HEADERS = {"content-type": ["application/json"]}  # the only header that is kept; all others may tell secrets
# YAML reads these as line breaks of its own: only an escaped string keeps them apart from a plain one.
_FOREIGN_BREAKS = ("\r", "\x85", "\u2028", "\u2029", "\ufeff")


class _RecordingDumper(SafeDumper):
    def ignore_aliases(self, _data: Any) -> bool:
        return True  # a value that occurs twice is written twice: anchors are noise in a diff


def _represent_text(dumper: Any, text: str) -> Any:
    style = None
    if any(sign in text for sign in _FOREIGN_BREAKS):
        style = '"'
    elif "\n" in text:
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_RecordingDumper.add_representer(str, _represent_text)


def read_recording(file: Path, request_body: Mapping[str, Any], route: Route = CHAT) -> Any:
    """The recorded response to a request, or None where the file holds another request or does not exist.

    Raises :class:`ConfigurationError` where the file is no recording.
    """
    try:
        request, response = _interaction(file)
        is_this = request["uri"] == route and canonical_json(request["parsed_body"]) == canonical_json(request_body)
        return response["parsed_body"] if is_this else None
    except FileNotFoundError:
        return None
    except Exception as error:  # noqa: BLE001 - a mangled file fails in any way a YAML reader can fail
        raise ConfigurationError(
            f"{file} is not a recording that can be read ({type(error).__name__}: {error}); "
            "restore it, or delete it and record anew"
        ) from None


def read_request(file: Path) -> dict[str, Any] | None:
    """The body of the recorded request, or None where the file holds none."""
    try:
        request_body: dict[str, Any] = _interaction(file)[0]["parsed_body"]
    except Exception:  # noqa: BLE001 - only used to explain a miss: what cannot be read explains nothing
        return None
    return request_body


def _interaction(file: Path) -> tuple[Any, Any]:
    [interaction] = yaml.load(file.read_text(encoding="utf-8"), Loader=SafeLoader)["interactions"]
    return interaction["request"], interaction["response"]


def write_recording(
    file: Path, request_body: Mapping[str, Any], response: Any, route: Route = CHAT, *, overwrite: bool
) -> bool:
    """Writes a recording whole or not at all; False where another one was first and ``overwrite`` is not set.

    Raises :class:`ConfigurationError` where the file cannot be written.
    """
    request = {"method": METHOD, "uri": route, "headers": _HEADERS, "parsed_body": dict(request_body)}
    answer = {"status": {"code": 200, "message": "OK"}, "headers": _HEADERS, "parsed_body": response}
    recording = {"version": 1, "interactions": [{"request": request, "response": answer}]}
    text = yaml.dump(recording, Dumper=_RecordingDumper, sort_keys=False, allow_unicode=True, width=120)
    try:
        return _write_whole(file, text, overwrite=overwrite)
    except OSError as error:
        raise ConfigurationError(
            f"the recording {file} cannot be written: {error}; mend --autoeval-cassettes or record nothing"
        ) from None


def _write_whole(file: Path, text: str, *, overwrite: bool) -> bool:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.stem}.{os.getpid()}.{get_ident()}.draft")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        if not overwrite:
            with suppress(OSError):  # the name is taken, or the file system knows no links
                file.hardlink_to(draft)
                return True
            if file.exists():
                return False
        draft.replace(file)
        return True
    finally:
        draft.unlink(missing_ok=True)
