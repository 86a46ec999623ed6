"""The command `python -m pytest_autoeval schema results`."""

from __future__ import annotations

import json
import sys

from pytest_autoeval.command_line import parser_of
from pytest_autoeval.record.schema import results_schema


def main(arguments: list[str]) -> int:
    """Prints a JSON Schema; returns the exit code."""
    parser_of(__file__).parse_args(arguments)
    sys.stdout.write(f"{json.dumps(results_schema(), ensure_ascii=False, indent=2)}\n")
    return 0
