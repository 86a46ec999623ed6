"""Names of options in texts for a program: `max_calls=10`, where pytest has `--autoeval-max-calls=10`."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any, TypeVar, cast

from msgspec import Struct, structs

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.lazy_pattern import lazy_pattern

T = TypeVar("T")
V = TypeVar("V")

#: An option. A command to paste, as in `pytest --autoeval-models`, stays as it is.
_OPTION = lazy_pattern(r"(`[^`]*`)|--autoeval-([a-z]+(?:-[a-z]+)*)(=|(?=:))?")
#: How the line of a command begins.
_COMMAND = lazy_pattern(r"^.*\b(?:pytest|python) .*$", re.MULTILINE)


def with_keywords(text: str) -> str:
    """The text with the keywords of `run_suites` in place of options of the command line."""
    lines = text.split("\n")
    return "\n".join(line if _is_command(line) else _OPTION.sub(_keyword, line) for line in lines)


def all_with_keywords(value: V) -> V:
    """The blocks of a document, or texts in tuples and dicts of it, with keywords in all their texts."""
    changed: Any = value
    match value:
        case str():
            changed = with_keywords(value)
        case tuple():
            changed = tuple(map(all_with_keywords, value))
        case dict():
            changed = {name: all_with_keywords(inner) for name, inner in value.items()}
        case Struct():
            fields = {name: getattr(value, name) for name in value.__struct_fields__}
            changed = structs.replace(value, **all_with_keywords(fields))
    # A text stays a text, and a block one of its type.
    return cast("V", changed)


def _is_command(line: str) -> bool:
    return "`" not in line and bool(_COMMAND.match(line))


def _keyword(match: re.Match[str]) -> str:
    command, name, equals = match.groups()
    # Before a colon, as at the start of an error, the name stands alone.
    return command or f"{name.replace('-', '_')}{'=' if equals is None else equals}"


def in_keywords(values: Generator[T, None, None]) -> Generator[T, None, None]:
    """The values of a generator, whose errors name keywords."""
    try:
        yield from values
    except AutoevalError as problem:
        # The type stays: a program may catch it. Some types are made of more than a text.
        problem.args = (with_keywords(str(problem)), *problem.args[1:])
        raise
