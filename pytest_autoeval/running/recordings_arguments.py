"""The arguments of `python -m pytest_autoeval recordings`, and their help."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_autoeval.command_line import command_parser

_DESCRIPTION = (
    "Lists the recordings that no run uses, and removes them with --remove. A run with "
    "--autoeval-record-mode keeps in pytest's cache which recordings it used. A recording is "
    "listed if a run of whole suites left it over, and no kept run used it. The latest run of "
    "each choice of tests and options is kept; `pytest --cache-clear` forgets all. Recordings of "
    "shrinking and --autoeval-blame are listed only with --purpose."
)
_EXAMPLES = """\
examples:
  pytest --autoeval-record-mode=none
      run all suites; they replay what they need, and ask no model
  python -m pytest_autoeval recordings cassettes
      list the recordings that no run used
  python -m pytest_autoeval recordings cassettes --remove
      remove them
  python -m pytest_autoeval recordings cassettes --without=3fa2
      also list what only the run 3fa2 used, such as one with prompts of before
  python -m pytest_autoeval recordings cassettes --purpose=shrinking
      also list those of shrinking that no run used
"""


def recordings_parser() -> argparse.ArgumentParser:
    """The parser of the command."""
    parser = command_parser("recordings", _DESCRIPTION, _EXAMPLES)
    parser.add_argument(
        "cassettes",
        metavar="FOLDER",
        type=Path,
        nargs="?",
        default=Path("cassettes"),
        help="the folder of recordings (default: cassettes)",
    )
    parser.add_argument(
        "--remove", action="store_true", help="remove the recordings that are listed"
    )
    parser.add_argument(
        "--without",
        metavar="RUN",
        action="append",
        default=[],
        help="do not count this run, by its four digits in the list; repeatable",
    )
    parser.add_argument(
        "--purpose",
        metavar="NAME",
        action="append",
        default=[],
        help="also list those of a purpose, as shrinking; repeatable",
    )
    parser.add_argument(
        "--cache",
        metavar="PATH",
        type=Path,
        help="pytest's cache (default: .pytest_cache here or in a folder above)",
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="list all of them, not only the first"
    )
    return parser
