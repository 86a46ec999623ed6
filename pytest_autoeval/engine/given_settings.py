"""The settings of a run without pytest: from the options as keywords."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import ValidationError, convert

from pytest_autoeval.engine import settings as settings_module
from pytest_autoeval.engine.combinations import conflict, lacking
from pytest_autoeval.engine.option_values import Option, duration
from pytest_autoeval.engine.settings import OPTIONS, Settings
from pytest_autoeval.errors import AutoevalError, unknown_name
from pytest_autoeval.removed import removed_option


def settings_from(chosen: Mapping[str, Any]) -> Settings:
    """The settings of a run without pytest. Texts are read as on the command line; paths are relative to the current
    folder.

    Raises :class:`AutoevalError` for an unknown option, for a value that cannot be read, for an option without the one
    that it requires, and for two that exclude each other.
    """
    folder, values = Path.cwd(), dict[str, Any]()
    # Names before values: a slip in a name must not hide behind an error about another option.
    for name in chosen:
        if name not in OPTIONS:
            raise AutoevalError(removed_option(name) or unknown_name("option", name, list(OPTIONS)))
    for name, option in OPTIONS.items():
        given = chosen.get(name)
        values[name] = _checked(name, option, option.default if given is None else given, folder)
    # As pytest has them: values that were read, and paths as they were given.
    typed = {
        name: _checked(name, OPTIONS[name], given, Path())
        for name, given in chosen.items()
        if given is not None
    }
    settings = Settings(**values, model_named="model" in typed, typed=typed, folder=folder)
    _check_prompts(settings)
    # Only now, when all values are known.
    for name in OPTIONS:
        if (missing := lacking(settings, name)) is not None:
            required, description = missing
            raise AutoevalError(f"{name}= needs {required}=, {description}")
        if (excluded := conflict(settings, name)) is not None:
            excluded_name, why = excluded
            raise AutoevalError(f"{name}= cannot be combined with {excluded_name}=: {why}")
    return settings


def _check_prompts(settings: Settings) -> None:
    if not settings.prompts:
        return
    from pytest_autoeval.prompts.folders import refuse_folders
    from pytest_autoeval.prompts.template import PromptError

    try:
        refuse_folders(settings.prompts)
    except PromptError as problem:
        raise AutoevalError(f"prompts: {problem}") from None


def _checked(name: str, option: Option, given: Any, folder: Path) -> Any:
    """The value of an option. A single value of a repeatable one may stand without a list around it."""
    if option.repeatable:
        is_list = isinstance(given, Iterable) and not isinstance(given, str | Path)
        listed = given if is_list else [given]
        value: Any = tuple(_value(name, option, entry, folder) for entry in listed)
    else:
        value = _value(name, option, given, folder)
    _check_type(name, value, is_read=isinstance(given, str) or given is option.default)
    return value


def _checked_number(name: str, option: Option, value: float) -> Any:
    """A number, refused as on the command line. Times may be seconds, which stand there with a unit."""
    text = f"{value}s" if option.type is duration else str(value)
    try:
        read = option.type(text)
    except argparse.ArgumentTypeError as problem:
        raise AutoevalError(f"{name}: {problem}") from None
    if option.type is duration:
        return read
    # Names and paths are texts: a number is none, although it can be read as one.
    return value if isinstance(read, str | Path) else read


def _check_type(name: str, value: Any, *, is_read: bool) -> None:
    """Refuses a value of another type than the option has, before something deeper trips over it.

    ``is_read``: it was read from a text, or is the default.
    """
    try:
        kind = _types()[name]
        convert(value, kind)
    except ValidationError as problem:
        expected = str(problem).replace("`", "").partition(" - at")[0]
        raise AutoevalError(f"{name}={value!r:.60} cannot be used: {expected}") from None
    # Some types are those of modules that only some runs need. Their values are read from texts.
    except (KeyError, TypeError):
        if not is_read:
            raise AutoevalError(
                f"{name}={value!r:.60} cannot be used: give a text, as on the command line"
            ) from None


@cache
def _types() -> dict[str, Any]:
    """The type of each option, as far as it can be found without importing what only some runs need."""
    types: dict[str, Any] = {}
    for name in OPTIONS:
        annotation = Settings.__annotations__[name]
        with suppress(NameError):
            types[name] = eval(annotation, vars(settings_module))  # noqa: S307 - our own annotations
    return types


def _value(name: str, option: Option, value: Any, folder: Path) -> Any:
    if isinstance(value, str):
        try:
            value = option.type(value)
        except argparse.ArgumentTypeError as problem:
            raise AutoevalError(f"{name}: {problem}") from None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        value = _checked_number(name, option, value)
    # Sizes, which the option has as a tuple, and lists in its place.
    elif isinstance(value, range | list):
        value = tuple(value)
    if option.choices and value not in option.choices and value != option.default:
        raise AutoevalError(unknown_name(name, str(value), option.choices))
    return folder / value if isinstance(value, Path) else value
