"""One recording on disk: one request and its response, in vcrpy's format, so that a diff shows a changed prompt.

vcrpy writes the file, with bodies as ``parsed_body`` and texts of several lines as blocks. Its YAML is written event by
event: `yaml.dump` writes the same bytes, but first makes a tree of them. Reading does without vcrpy, whose import takes
longer than a hundred answers. It goes event by event, too, because a recording may come from a stranger: libyaml's own
loader overflows the stack on deep nesting; anchors and tags could grow without bound or run code.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from io import StringIO
from pathlib import Path
from typing import Any

import yaml
from yaml import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    ScalarNode,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from yaml.representer import SafeRepresenter
from yaml.resolver import Resolver

from pytest_autoeval.given_file import read_given
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.model_settings import CHAT, METHOD, Route
from pytest_autoeval.models.protocols import CallError, ConfigurationError, ModelError
from pytest_autoeval.models.purposes import Purpose
from pytest_autoeval.models.responses import excerpt

try:
    from yaml import CSafeDumper as SafeDumper
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML without libyaml: slower, the same text
    from yaml import SafeDumper, SafeLoader  # type: ignore[assignment]

#: The only recorded header: others may hold secrets.
_HEADERS = {"content-type": ["application/json"]}
# YAML reads these as line breaks of its own: only an escaped string keeps them apart from a plain one.
_FOREIGN_BREAK = lazy_pattern("[\r\x85\u2028\u2029\ufeff]")
#: Of a recording; an answer has no more than 10 MB.
_MOST_BYTES = 16_000_000
#: Nested lists and tables.
_DEEPEST = 100
_TEXT = "tag:yaml.org,2002:str"
#: Characters of a text whose event is kept.
_SHORT = 30
#: Characters; a longer text without quotes is read as a string.
_LONGEST_NUMBER = 5000
#: Events without content are made once. Writing event by event took a recording from 0.9 ms of processor time to 0.5.
_MAPPING_START = MappingStartEvent(None, None, implicit=True, flow_style=False)
_MAPPING_END = MappingEndEvent()
_SEQUENCE_START = SequenceStartEvent(None, None, implicit=True, flow_style=False)
_SEQUENCE_END = SequenceEndEvent()
_REPRESENTER: Any = SafeRepresenter()
_RESOLVER: Any = Resolver()


class UnreadableRecordingError(ModelError):
    """A file is not a readable recording: the message is one line, with the file and the reason."""


def read_recording(file: Path, request_body: Mapping[str, Any], route: Route = CHAT) -> Any:
    """The recorded response to a request, or None if the file has no such request or does not exist.

    Raises :class:`UnreadableRecordingError` if the file is not a recording.
    """
    if not os.path.lexists(file):
        return None
    try:
        for request, response in _interactions(file):
            # Not vcrpy's matchers: they compute a diff of unequal bodies, which takes minutes for long ones.
            if (request["method"], request["uri"], request["parsed_body"]) == (
                METHOD,
                route,
                request_body,
            ):
                json.dumps(answer := response["parsed_body"])  # a date is not JSON
                return answer
    except Exception as error:  # noqa: BLE001 - a mangled file fails in any way a YAML reader can fail
        reason = getattr(error, "strerror", None) or excerpt(f"{type(error).__name__}: {error}")
        raise UnreadableRecordingError(
            f"{file} is not a recording that can be read ({reason})"
        ) from None
    return None


def read_request(file: Path) -> dict[str, Any] | None:
    """The body of the recorded request, or None if the file has none."""
    try:
        request_body: dict[str, Any] = next(_interactions(file))[0]["parsed_body"]
    except Exception:  # noqa: BLE001 - only used to explain a miss
        return None
    return request_body


def write_recording(
    file: Path,
    request_body: Mapping[str, Any],
    response: Any,
    route: Route = CHAT,
    purpose: Purpose = "",
) -> None:
    """Writes or replaces a recording, atomically.

    Raises :class:`ConfigurationError` if the file cannot be written, and :class:`CallError` for a response that
    could not be read back.
    """
    try:
        text = _yaml(_cassette(route, request_body, response))
        text += f"purpose: {purpose}\n" if purpose else ""
        if len(content := text.encode()) > _MOST_BYTES:
            raise ValueError(f"more than {_MOST_BYTES // 1_000_000} MB")  # noqa: TRY301
    except (ValueError, RecursionError, yaml.YAMLError) as problem:
        raise CallError(
            f"the server's response cannot be recorded: {excerpt(str(problem))}"
        ) from None
    # With the number of the process, since two runs may record the same request.
    draft = file.with_name(f".{file.stem}.{os.getpid()}.draft")
    try:
        try:
            _write(draft, content)
            draft.replace(file)
        except BaseException:  # Ctrl-C too
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigurationError(
            f"the recording {file} cannot be written: {error}; change --autoeval-cassettes or --autoeval-record-mode"
        ) from None


def _write(file: Path, content: bytes) -> None:
    """Writes a file. Only the first recording of a model needs to make its folder."""
    try:
        _write_at_once(file, content)
    except FileNotFoundError:
        file.parent.mkdir(parents=True, exist_ok=True)
        _write_at_once(file, content)


def _write_at_once(file: Path, content: bytes) -> None:
    """Writes without a buffer of Python's, which asks the system three things about the file first."""
    with file.open("wb", buffering=0) as unbuffered:
        rest = memoryview(content)
        # The system may take less than all of it, as on a disk that is almost full.
        while rest:
            rest = rest[unbuffered.write(rest) :]


def _interactions(file: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each recorded request with its response; may raise any error if the file is not a recording."""
    for interaction in _loaded(read_given(file, _MOST_BYTES).decode())["interactions"]:
        yield interaction["request"], interaction["response"]


def _cassette(route: Route, request_body: Mapping[str, Any], response: Any) -> dict[str, Any]:
    """What vcrpy writes of one request and its response, with their bodies as they are.

    vcrpy itself takes bodies as JSON texts. To make these and to read them again would take as long as all the rest.
    """
    cassette = _cassette_without_bodies(route)
    (interaction,) = cassette["interactions"]
    # Not canonical JSON: a person reads the role of a message before its text.
    recorded = {
        "request": {**interaction["request"], "parsed_body": request_body},
        "response": {**interaction["response"], "parsed_body": response},
    }
    return {**cassette, "interactions": [recorded]}


@cache
def _cassette_without_bodies(route: Route) -> dict[str, Any]:
    """The rest of a cassette, which is the same for all requests of a route."""
    import vcr.serialize
    from vcr.request import Request

    answer = {"status": {"code": 200, "message": "OK"}, "headers": _HEADERS, "body": {}}
    request = Request(METHOD, route, None, _HEADERS)
    cassette: dict[str, Any] = vcr.serialize.serialize(
        {"requests": [request], "responses": [answer]}, _AsItIs
    )
    for message in cassette["interactions"][0].values():
        del message["body"]
    return cassette


class _AsItIs:
    """A serializer of vcrpy that leaves the cassette as it is."""

    @staticmethod
    def serialize(cassette: dict[str, Any]) -> dict[str, Any]:
        return cassette


def _loaded(text: str) -> Any:
    loader: Any = SafeLoader(text)
    loader.get_event()  # the start of the stream
    if not isinstance(loader.get_event(), DocumentStartEvent):
        raise ValueError("it is empty")  # noqa: TRY004 - a file, not an argument
    value = _value(loader, 1)
    loader.get_event()  # the end of the document
    if not isinstance(event := loader.get_event(), StreamEndEvent):
        raise ValueError(f"line {event.start_mark.line + 1}: a second document begins")  # noqa: TRY004
    return value


def _value(loader: Any, depth: int) -> Any:
    event = loader.get_event()
    # 500 bytes of aliases can stand for gigabytes.
    if type(event) is AliasEvent or event.anchor or event.tag:
        raise ValueError(
            f"line {event.start_mark.line + 1}: anchors, aliases and tags are not read"
        )
    if type(event) is ScalarEvent:
        is_plain = event.implicit[0] and len(event.value) <= _LONGEST_NUMBER
        return _plain_value(event.value) if is_plain else event.value
    if depth > _DEEPEST:
        raise ValueError(
            f"line {event.start_mark.line + 1}: more than {_DEEPEST} lists and tables inside each other"
        )
    parts = []
    while not loader.check_event(MappingEndEvent, SequenceEndEvent):
        parts.append(_value(loader, depth + 1))
    loader.get_event()
    return (
        dict(zip(parts[::2], parts[1::2], strict=True))
        if type(event) is MappingStartEvent
        else parts
    )


@lru_cache(maxsize=4096)
def _plain_value(text: str) -> Any:
    loader: Any = SafeLoader("")
    tag = loader.resolve(ScalarNode, text, (True, False))
    construct = loader.yaml_constructors.get(tag)
    return text if tag == _TEXT or construct is None else construct(loader, ScalarNode(tag, text))


def _yaml(value: Any) -> str:
    """A JSON value in YAML. Raises :class:`ValueError` if it has more than ``_DEEPEST`` tables inside each other.

    A value that occurs twice is written twice: anchors are noise in a diff.
    """
    text = StringIO()
    dumper: Any = SafeDumper(text, allow_unicode=True, width=120)
    dumper.open()
    dumper.emit(DocumentStartEvent(explicit=False))
    _emit_value(dumper.emit, value, 1)
    dumper.emit(DocumentEndEvent(explicit=False))
    dumper.close()
    return text.getvalue()


def _emit_value(emit: Callable[[Any], None], value: Any, depth: int) -> None:
    """Emits the events of a JSON value, those that the reader will meet."""
    if depth > _DEEPEST and isinstance(value, dict | list):
        raise ValueError(f"more than {_DEEPEST} lists and tables inside each other")
    if isinstance(value, dict):
        emit(_MAPPING_START)
        for key, member in value.items():
            emit(_short_event(key))
            _emit_value(emit, member, depth + 1)
        emit(_MAPPING_END)
    elif isinstance(value, list):
        emit(_SEQUENCE_START)
        for item in value:
            _emit_value(emit, item, depth + 1)
        emit(_SEQUENCE_END)
    elif isinstance(value, str):
        emit(_short_event(value) if len(value) <= _SHORT else _text_event(value))
    else:
        node = _REPRESENTER.represent_data(value)
        emit(ScalarEvent(None, node.tag, (True, False), node.value))


def _text_event(text: str) -> ScalarEvent:
    # A text that YAML would read as something else, such as `yes` or `1.5`, needs quotes.
    is_plain = _RESOLVER.resolve(ScalarNode, text, (True, False)) == _TEXT
    style = None
    if _FOREIGN_BREAK.search(text):
        style = '"'
    elif "\n" in text:
        style = "|"
    return ScalarEvent(None, _TEXT, (is_plain, True), text, style=style)


#: Keys, roles and names of models are the same in each recording of a run. Prompts and answers are longer.
_short_event = lru_cache(maxsize=256)(_text_event)
