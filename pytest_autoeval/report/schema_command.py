"""The command `python -m pytest_autoeval schema results|summary`."""

from __future__ import annotations

import json
import sys

from pytest_autoeval.errors import AutoevalError, unknown_name
from pytest_autoeval.record.schema import results_schema
from pytest_autoeval.report.renderers.summary import summary_schema
from pytest_autoeval.report.schema_arguments import schema_parser

#: What makes the schema of each output.
_SCHEMAS = {"results": results_schema, "summary": summary_schema}


class SchemaError(AutoevalError):
    """There is no such schema. The message lists those that there are."""


def main(arguments: list[str]) -> int:
    """Prints a JSON Schema; returns the exit code. Raises :class:`SchemaError`."""
    name = schema_parser().parse_args(arguments).of
    if name not in _SCHEMAS:
        raise SchemaError(unknown_name("schema", name, _SCHEMAS))
    sys.stdout.write(f"{json.dumps(_SCHEMAS[name](), ensure_ascii=False, indent=2)}\n")
    return 0
