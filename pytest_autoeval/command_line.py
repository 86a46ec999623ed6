"""The parsers of the commands `python -m pytest_autoeval …`."""

from __future__ import annotations

import argparse
import textwrap
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

_WIDTH = 80
_TYPES: Mapping[str, Callable[[str], Any]] = {"int": int, "float": float, "path": Path}


def parser_of(
    module: str, types: Mapping[str, Callable[[str], Any]] = MappingProxyType({}), **words: str
) -> argparse.ArgumentParser:
    """The parser of a command, described by the `.toml` beside its module with the keywords of :mod:`argparse`.

    ``types`` are more readers of values by name; ``words`` are inserted into the help texts.
    """
    command = tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(
        prog=f"python -m pytest_autoeval {command['name']}",
        description=textwrap.fill(command["description"], _WIDTH),
        epilog=command["examples"],  # they stand below the options
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    groups: dict[str, Any] = {"": parser}
    for argument in command["arguments"]:
        title, names = argument.pop("group", ""), argument.pop("names")
        if title not in groups:
            groups[title] = parser.add_argument_group(title)
        if "type" in argument:
            argument["type"] = {**_TYPES, **types}[argument["type"]]
        argument["help"] = argument["help"].format(**words)
        groups[title].add_argument(*names, **argument)
    return parser
