"""Lines of a results file as bytes, and back."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

# Declares the shipped parts: a part that is not declared when it is read stays plain values.
import pytest_autoeval.record.task_parts  # noqa: F401
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.outcomes import UnknownOutcomeError, declare_outcome
from pytest_autoeval.record.lines import SCHEMA_VERSION, AnyLine, Run, Sample, Suite, SuiteRecord
from pytest_autoeval.record.own_outcomes import outcome_among
from pytest_autoeval.record.sample_parts import Parts
from pytest_autoeval.record.whole_types import whole_type

#: Legal in JSON, but a line break, a control code, a command to a CI runner, or invalid Unicode for some programs.
_UNSAFE = lazy_pattern(
    r"#(?=#[a-zA-Z]*\[)|[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
#: Characters of a wrong value.
_SHOWN = 60


class LineError(ValueError):
    """A line is no line of a results file. ``torn``: it is not even JSON, as when its writer was killed."""

    def __init__(self, problem: str, *, torn: bool = False) -> None:
        super().__init__(problem)
        self.torn = torn


def _written(value: Any) -> Any:
    """What stands in the file for a value that JSON does not have."""
    if isinstance(value, SuiteRecord):
        return value.number
    if isinstance(value, Parts):
        return value.plain()
    raise TypeError(f"{type(value).__name__} is not JSON")


# Sorted keys of dicts: two equal runs must write equal files.
_ENCODER = msgspec.json.Encoder(enc_hook=_written, order="deterministic")
_PLAIN = msgspec.json.Decoder()


def encoded(line: AnyLine) -> bytes:
    """A line, with its line break; raises :class:`TypeError` or :class:`ValueError` for what is not JSON."""
    try:
        text = _ENCODER.encode(line).decode()
    except UnicodeEncodeError:  # half of a pair of surrogates, which only JSON's escapes can have
        text = _ENCODER.encode(whole_signs(msgspec.to_builtins(line, enc_hook=_written))).decode()
    return f"{_UNSAFE.sub(_escaped, text)}\n".encode()


def _escaped(sign: re.Match[str]) -> str:
    return f"\\u{ord(sign[0]):04x}"


def whole_signs(value: Any) -> Any:
    """Plain values with a question mark for each half of a pair of surrogates, which few programs read."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {whole_signs(key): whole_signs(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [whole_signs(member) for member in value]
    return value


def decoder(suites: Mapping[int, SuiteRecord]) -> Callable[[bytes], AnyLine]:
    """A function that decodes a line; ``suites`` are those of the lines before it, by number.

    It raises :class:`LineError`.
    """

    def read(kind: type, value: Any) -> Any:
        if kind is SuiteRecord:
            if type(value) is int and value in suites:  # True would be the suite 1
                return suites[value]
            raise ValueError(f"there is no suite {_shown(value)} above")
        return Parts.read(value)

    typed: msgspec.json.Decoder[AnyLine] = msgspec.json.Decoder(whole_type(AnyLine), dec_hook=read)

    def decode(line: bytes) -> AnyLine:
        try:
            value = typed.decode(line)
        except msgspec.ValidationError as problem:
            raise LineError(_path(str(problem))) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise LineError(f"not JSON: {problem}", torn=True) from None
        except RecursionError:
            raise LineError("too many lists and objects inside each other") from None
        # Last, since both expect a line that is JSON of the right types.
        _check_keys(line, value)
        _check_values(value)
        return value

    return decode


def _path(problem: str) -> str:
    """A message of msgspec with the path in front: ``$.size: Expected `int`, got `str```."""
    message, _, path = problem.partition(" - at `")
    path = path.partition("`")[0]
    if path in {"", "$"}:  # the line itself is wrong
        return message
    return f"{path.removeprefix('$.')}: {message}"


def _check_keys(line: bytes, value: AnyLine) -> None:
    """Raises :class:`LineError` for a key that occurs twice in an object, of which msgspec keeps the last.

    A line that is the same when what was read from it is written again has no such key: so are nearly all lines of
    ours. If it was written in another way, or has signs that we escape, a slower reader looks for the key.
    """
    text = line.strip()
    # The value is there already; plain values also have the order and the fields of another writer.
    if text == _ENCODER.encode(value) or text == msgspec.json.encode(_PLAIN.decode(line)):
        return
    # Python's decoder is much slower, since it calls a function for every object.
    json.loads(line, object_pairs_hook=object_of)


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of a JSON decoder's pairs; raises :class:`LineError` for a key that occurs twice."""
    members = dict(pairs)
    if len(members) < len(pairs):
        names = Counter(name for name, _ in pairs)
        raise LineError(f"the key {names.most_common(1)[0][0]!r} occurs twice in one object")
    return members


def _check_values(value: AnyLine) -> None:
    """Raises :class:`LineError` for a value that has the right type and no meaning."""
    if isinstance(value, Run) and value.schema_version != SCHEMA_VERSION:
        raise LineError(
            f"schema_version is {value.schema_version}; this release of pytest-autoeval reads 1 and 2"
        )
    if isinstance(value, Suite):
        _declare_outcomes(value)
    if not isinstance(value, Sample):
        return
    try:
        outcome_among(value.outcome, value.suite.asked.outcomes)
    except UnknownOutcomeError:
        raise LineError(f"there is no outcome {_shown(value.outcome)}") from None
    if not 0 <= value.chance < 1:
        raise LineError(f"chance is {value.chance}, not a number ≥ 0 and below 1")
    for call in value.calls:
        for message in call.messages or ():
            if message.content is None and message.digest is None:
                raise LineError("calls: a message lacks both content and digest")


def _declare_outcomes(suite: Suite) -> None:
    """Makes the outcomes of a user's own known, for the samples that follow. Raises :class:`LineError`."""
    for outcome in suite.outcomes:
        try:
            declare_outcome(outcome.outcome)
        except AutoevalError as problem:
            raise LineError(str(problem)) from None


def _shown(value: Any) -> str:
    """The beginning of a value, as a message shows it."""
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
