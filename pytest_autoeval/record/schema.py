"""The JSON Schema of the results file, made from the types of its lines and their docstrings."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec

from pytest_autoeval.record.calls import Call, Calls, SentMessage
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import (
    AnyLine,
    Found,
    Planned,
    Run,
    RunEnd,
    Sample,
    Stopped,
    Suite,
    SuiteEnd,
    SuiteRecord,
    Text,
)
from pytest_autoeval.record.parts import Part, Parts
from pytest_autoeval.record.task_parts import SHIPPED_PARTS

#: The kinds of line, in the order in which they stand in a file, and the objects in them.
LINES: tuple[type[msgspec.Struct], ...] = (Run, Suite, Text, Sample, SuiteEnd, RunEnd)
OBJECTS: tuple[type[msgspec.Struct], ...] = (Call, SentMessage, Planned, Found, Calls, Figure, Stopped)


def results_schema() -> dict[str, Any]:
    """The JSON Schema of one line of a results file. Each key has its meaning as ``description``."""
    (schema, *_), definitions = msgspec.json.schema_components(
        (AnyLine, *SHIPPED_PARTS), schema_hook=_of_own_type, ref_template="#/$defs/{name}"
    )
    for kind in (*LINES, *OBJECTS, *SHIPPED_PARTS):
        described = definitions[kind.__name__]
        described["description"] = inspect.getdoc(kind).partition("\n\nAttributes:")[0]  # type: ignore[union-attr]
        for name, meaning in meanings(kind).items():
            described["properties"][name]["description"] = meaning
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of the results of pytest-autoeval",
        **schema,
        "$defs": definitions,
    }


def _of_own_type(kind: type) -> dict[str, Any]:
    if kind is SuiteRecord:
        return {"type": "integer"}
    if kind is Parts:
        known = {part.part_name: {"$ref": f"#/$defs/{part.__name__}"} for part in SHIPPED_PARTS}
        return {"type": "object", "properties": known}
    raise NotImplementedError(kind)


def meanings(kind: type[msgspec.Struct | Part]) -> dict[str, str]:
    """The meaning of each key of a type, from the section ``Attributes`` of its docstring."""
    found: dict[str, str] = {}
    name = ""
    for line in (inspect.getdoc(kind) or "").partition("Attributes:\n")[2].splitlines():
        if line.startswith("    ") and not line.startswith("     "):
            name, _, meaning = line.strip().partition(": ")
            found[name] = meaning
        elif name:
            found[name] += f" {line.strip()}"
    return found
