"""The parsers of the commands `python -m pytest_autoeval …`: what all of them have in common."""

from __future__ import annotations

import argparse
import textwrap

_WIDTH = 80


def command_parser(name: str, description: str, examples: str) -> argparse.ArgumentParser:
    """A parser without arguments. ``examples`` stand below the options in the help, as they are written."""
    return argparse.ArgumentParser(
        prog=f"python -m pytest_autoeval {name}",
        description=textwrap.fill(description, _WIDTH),
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        # An abbreviation could become another option in a later release.
        allow_abbrev=False,
    )
