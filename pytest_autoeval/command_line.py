"""The parsers of the commands `python -m pytest_autoeval …`: what all of them have in common."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any, NoReturn

from pytest_autoeval.errors import did_you_mean
from pytest_autoeval.option_names import add_options_of_command

#: The columns of the help, on every terminal.
_WIDTH = 80


class CommandParser(argparse.ArgumentParser):
    """A parser whose message about an unknown option names the nearest known one.

    Messages of the command name its own options, once they are parsed.
    """

    def parse_args(self, *args: Any, **keywords: Any) -> Any:
        add_options_of_command(self._option_string_actions)
        return super().parse_args(*args, **keywords)

    def error(self, message: str) -> NoReturn:
        problem, _, given = message.partition(": ")
        if problem == "unrecognized arguments":
            name = given.partition(" ")[0].partition("=")[0]
            near = did_you_mean(name, self._option_string_actions)
            if near:
                message = f"{message}.{near}"
        super().error(message)


def command_parser(name: str, description: str, examples: str) -> argparse.ArgumentParser:
    """A parser without arguments. ``examples`` stand below the options in the help, as they are written."""
    return CommandParser(
        prog=f"python -m pytest_autoeval {name}",
        description=textwrap.fill(description, _WIDTH),
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        # An abbreviation could become another option in a later release.
        allow_abbrev=False,
    )
