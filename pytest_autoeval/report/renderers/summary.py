"""The document as one JSON object, for programs. `docs/reference/summary.md` is made from its types."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from pytest_autoeval.inert import inert
from pytest_autoeval.record.coding import whole_signs
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.schema import described_schema
from pytest_autoeval.report.blocks import (
    Column,
    Command,
    Counterexample,
    Curve,
    Document,
    Field,
    Figures,
    Mark,
    Note,
    Point,
    Row,
    SampleKey,
    Section,
    Series,
    SuiteName,
    Table,
    Verdict,
)

#: The kinds of block, and the objects in the document and in blocks, in the order of reading.
BLOCKS: tuple[type[msgspec.Struct], ...] = (
    Verdict,
    Figures,
    Table,
    Curve,
    Counterexample,
    Note,
    Command,
)
OBJECTS: tuple[type[msgspec.Struct], ...] = (
    Figure,
    Column,
    Row,
    Series,
    Point,
    Mark,
    Field,
    SampleKey,
)


def summary_text(document: Document) -> str:
    """The document as JSON in ASCII, indented."""
    return inert(json.dumps(summary_data(document), indent=2, allow_nan=False)) + "\n"


def summary_data(document: Document) -> dict[str, Any]:
    """The document as plain values. A key with its default value is left out, but for the version of the schema."""
    return {"schema_version": document.schema_version, **whole_signs(msgspec.to_builtins(document))}


def summary_schema() -> dict[str, Any]:
    """The JSON Schema of the summary. Each key has its meaning as ``description``."""
    schema = described_schema(
        "A summary of pytest-autoeval", Document, (Document, Section, SuiteName, *BLOCKS, *OBJECTS)
    )
    document = schema["$defs"]["Document"]
    document["required"].append("schema_version")
    del document["properties"]["schema_version"]["default"]
    return schema
