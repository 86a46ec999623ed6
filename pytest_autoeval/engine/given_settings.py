"""The settings of a run without pytest: from the options as keywords."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_autoeval.engine.combinations import conflict, lacking
from pytest_autoeval.engine.option_values import Option
from pytest_autoeval.engine.settings import OPTIONS, Settings
from pytest_autoeval.errors import AutoevalError, unknown_name
from pytest_autoeval.removed import removed_option


def settings_from(chosen: Mapping[str, Any]) -> Settings:
    """The settings of a run without pytest. Texts are read as on the command line; paths are relative to the current
    folder.

    Raises :class:`AutoevalError` for an unknown option, for a value that cannot be read, for an option without the one
    that it requires, and for two that exclude each other.
    """
    folder, values = Path.cwd(), {}
    for name in chosen:
        if name not in OPTIONS:
            raise AutoevalError(removed_option(name) or unknown_name("option", name, list(OPTIONS)))
    for name, option in OPTIONS.items():
        value = chosen.get(name, option.default)
        if option.repeatable:
            # A single value may stand without a list around it.
            listed = [value] if isinstance(value, str | Path) else value or ()
            value = tuple(_value(name, option, entry, folder) for entry in listed)
        else:
            value = _value(name, option, value, folder)
        values[name] = value
    settings = Settings(**values, model_named="model" in chosen, typed=dict(chosen), folder=folder)
    if settings.prompts:
        from pytest_autoeval.prompts.template import PromptError, refuse_folders

        try:
            refuse_folders(settings.prompts)
        except PromptError as problem:
            raise AutoevalError(f"prompts: {problem}") from None
    # Only now, when all values are known.
    for name in OPTIONS:
        if (missing := lacking(settings, name)) is not None:
            required, description = missing
            raise AutoevalError(f"{name}= needs {required}=, {description}")
        if (excluded := conflict(settings, name)) is not None:
            excluded_name, why = excluded
            raise AutoevalError(f"{name}= cannot be combined with {excluded_name}=: {why}")
    return settings


def _value(name: str, option: Option, value: Any, folder: Path) -> Any:
    if isinstance(value, str):
        try:
            value = option.type(value)
        except argparse.ArgumentTypeError as problem:
            raise AutoevalError(f"{name}: {problem}") from None
    # Sizes, which the option has as a tuple.
    elif isinstance(value, range):
        value = tuple(value)
    if option.choices and value not in option.choices and value != option.default:
        raise AutoevalError(unknown_name(name, str(value), option.choices))
    return folder / value if isinstance(value, Path) else value
