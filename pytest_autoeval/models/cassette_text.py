"""The text of a recording: vcrpy's format, with JSON bodies laid out so that a prompt can be read in a diff.

A module of this shape is what vcrpy calls a serializer. Bodies stand as ``parsed_body``, texts of several lines as
blocks; loading puts back the JSON text that vcrpy expects.
"""

from __future__ import annotations

import json
from typing import Any

import yaml

from pytest_autoeval.models.digest import canonical_json

try:
    from yaml import CSafeDumper as SafeDumper
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML without libyaml: slower, the same text
    from yaml import SafeDumper, SafeLoader  # type: ignore[assignment]

# YAML reads these as line breaks of its own: only an escaped string keeps them apart from a plain one.
_FOREIGN_BREAKS = ("\r", "\x85", "\u2028", "\u2029", "\ufeff")


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


def serialize(cassette_dict: dict[str, Any]) -> str:
    """The text of a cassette."""
    for interaction in cassette_dict["interactions"]:
        request, response = interaction["request"], interaction["response"]
        request["parsed_body"] = json.loads(request.pop("body"))
        response["parsed_body"] = json.loads(response.pop("body")["string"])
    text: str = yaml.dump(cassette_dict, Dumper=_RecordingDumper, sort_keys=False, allow_unicode=True, width=120)
    return text


def deserialize(cassette_string: str) -> dict[str, Any]:
    """The cassette of a text."""
    cassette: dict[str, Any] = yaml.load(cassette_string, Loader=SafeLoader)
    for interaction in cassette["interactions"]:
        request, response = interaction["request"], interaction["response"]
        request["body"] = canonical_json(request.pop("parsed_body"))
        response["body"] = {"string": canonical_json(response.pop("parsed_body"))}
    return cassette
