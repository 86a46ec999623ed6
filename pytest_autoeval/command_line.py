"""The parsers of the commands `python -m pytest_autoeval …`."""

from __future__ import annotations

import argparse
import textwrap

_WIDTH = 80


def command_parser(name: str, description: str, examples: str = "") -> argparse.ArgumentParser:
    """The parser of a command; ``examples`` stand below its options."""
    return argparse.ArgumentParser(
        prog=f"python -m pytest_autoeval {name}",
        description=textwrap.fill(description, _WIDTH),
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
