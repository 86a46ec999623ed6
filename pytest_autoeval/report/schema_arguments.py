"""The arguments of `python -m pytest_autoeval schema`, and their help."""

from __future__ import annotations

import argparse

from pytest_autoeval.command_line import command_parser

_DESCRIPTION = (
    "Prints the JSON Schema of a file that a run writes: of one line of the results "
    "(--autoeval-results), or of the summary (--autoeval-summary). Other programs can check files by "
    "it."
)
_EXAMPLES = """\
examples:
  python -m pytest_autoeval schema results > results.schema.json
      the schema of each line of a results file, with the meaning of each key
  python -m pytest_autoeval schema summary > summary.schema.json
      the schema of the summary for programs
"""


def schema_parser() -> argparse.ArgumentParser:
    """The parser of the command."""
    parser = command_parser("schema", _DESCRIPTION, _EXAMPLES)
    parser.add_argument(
        "of",
        metavar="results|summary",
        help="what the schema describes: the results of a run, or their summary for programs",
    )
    return parser
