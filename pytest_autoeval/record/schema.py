"""JSON Schemas from types and their docstrings; that of the results file, from the types of its lines."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.record.calls import Call, Calls, SentMessage
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.gate_results import GateResult
from pytest_autoeval.record.lines import (
    AnyLine,
    Found,
    Planned,
    Run,
    RunEnd,
    Sample,
    Suite,
    SuiteEnd,
    SuiteRecord,
    Text,
)
from pytest_autoeval.record.own_outcomes import OwnOutcome
from pytest_autoeval.record.sample_parts import Parts
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.record.task_parts import shipped_parts

#: What docstrings call the null of JSON.
_NONE = lazy_pattern(r"\bNone\b")

#: The kinds of line, in the order in which they stand in a file, and the objects in them.
LINES: tuple[type[msgspec.Struct], ...] = (Run, Suite, Text, Sample, SuiteEnd, RunEnd)
OBJECTS: tuple[type[msgspec.Struct], ...] = (
    Call,
    SentMessage,
    Planned,
    OwnOutcome,
    Found,
    Calls,
    Figure,
    Stopped,
    GateResult,
)


def results_schema() -> dict[str, Any]:
    """The JSON Schema of one line of a results file. Each key has its meaning as ``description``."""
    return described_schema(
        "A line of the results of pytest-autoeval",
        AnyLine,
        (*LINES, *OBJECTS, *shipped_parts()),
        _of_own_type,
    )


def described_schema(
    title: str,
    kind: Any,
    structs: Iterable[type[msgspec.Struct]],
    own_type: Callable[[type], dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """The JSON Schema of a type. Its objects, and what their keys mean, are described by their docstrings.

    Args:
        title: what the schema is of.
        kind: the type.
        structs: the structs that it is made of, and others to describe. Each has a section ``Attributes``.
        own_type: gives the schema of a type that is no struct and no basic type.
    """
    structs = tuple(structs)
    (schema, *_), definitions = msgspec.json.schema_components(
        (kind, *structs), schema_hook=own_type, ref_template="#/$defs/{name}"
    )
    for struct in structs:
        # Names of classes are unique over the package.
        described = definitions[struct.__name__]
        described["description"] = inspect.getdoc(struct).partition("\n\nAttributes:")[0]  # type: ignore[union-attr]
        for name, meaning in meanings(struct).items():
            described["properties"][name]["description"] = meaning
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **schema,
        "$defs": definitions,
    }


def _of_own_type(kind: type) -> dict[str, Any]:
    if kind is SuiteRecord:
        return {"type": "integer"}
    if kind is Parts:
        schemas = {part.part_name: {"$ref": f"#/$defs/{part.__name__}"} for part in shipped_parts()}
        return {"type": "object", "properties": schemas}
    raise NotImplementedError(kind)


def meanings(kind: type[msgspec.Struct]) -> dict[str, str]:
    """The meaning of each key of a type, from the section ``Attributes`` of its docstring and those of its bases."""
    meaning_of_key: dict[str, str] = {}
    for base in reversed(kind.__mro__):  # a subclass may describe a key anew
        meaning_of_key |= _attributes(base.__doc__ or "")
    return {
        name: meaning for name, meaning in meaning_of_key.items() if name in kind.__struct_fields__
    }


def _attributes(docstring: str) -> dict[str, str]:
    meaning_of_key: dict[str, str] = {}
    name = ""
    _, _, section = inspect.cleandoc(docstring).partition("Attributes:\n")
    for line in section.splitlines():
        # A line that is indented further goes on with the attribute above it.
        starts_attribute = line.startswith("    ") and not line.startswith("     ")
        if starts_attribute:
            name, _, meaning = line.strip().partition(": ")
            meaning_of_key[name] = meaning
        elif name:
            meaning_of_key[name] += f" {line.strip()}"
    return {name: _NONE.sub("null", meaning) for name, meaning in meaning_of_key.items()}
