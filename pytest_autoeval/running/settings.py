"""`Settings`: every option and ini key, read once when pytest is configured.

Only the standard library is imported here: this runs in every pytest run.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from pytest_autoeval.running.options import OPTIONS, Option

Prompting = Literal["zero-shot", "few-shot", "self-refine"]

_SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The value of each option, under the option's name: from the command line, else the ini file, else its default.

    Repeatable options are tuples. Paths are absolute: relative to the current folder where they were typed, to the ini
    file's folder where they stand there. ``samples`` and ``operators`` are those of the command line, which win over a
    test's marker; ``usual_samples`` and ``usual_operators`` are those of the ini file, which the marker overrides.
    """

    model: tuple[str, ...]
    base_url: str | None
    samples: int | None
    usual_samples: int | None
    seed: int
    operators: tuple[int, ...] | None
    usual_operators: tuple[int, ...] | None
    repeats: int
    prompting: tuple[Prompting, ...]
    interface: tuple[str, ...]
    dataset: tuple[Path, ...]
    prompts: tuple[Path, ...]
    threshold: float | None
    gate: Literal["point", "interval"]
    baseline: Path | None
    fail_on: float | None
    alpha: float
    stop_early: bool
    blame: bool
    keep_counterexamples: Path | None
    record_mode: Literal["none", "once", "new_episodes", "all"] | None
    cassettes: Path
    concurrency: int
    rpm: int | None
    shrink_budget: int
    max_calls: int | None
    max_cost: float | None
    price: tuple[tuple[str, float, float], ...]
    results: Path | None
    html: Path | None
    #: False where the option stands without a value: the summary of the GitHub job is meant.
    github_summary: Path | Literal[False] | None
    temperature: float | None
    max_tokens: int | None
    max_retries: int
    timeout: float
    verify_timeout: float | None
    parameters: Mapping[str, Any] | None
    formula: tuple[str, ...]
    #: The options that stand on the command line, in the order of the help, with their parsed values.
    typed: Mapping[str, Any]
    #: The folder that pytest was started in.
    folder: Path

    def origin(self, name: str) -> str:
        """Where the value of an option comes from, for a message: `--autoeval-NAME` or `ini key autoeval_NAME`."""
        return f"--autoeval-{name}" if name in self.typed else f"ini key autoeval_{name.replace('-', '_')}"


def settings_of(config: pytest.Config) -> Settings:
    """The settings of the run. Raises :class:`pytest.UsageError` for a bad ini value, on the first call."""
    if _SETTINGS not in config.stash:
        config.stash[_SETTINGS] = _read(config)
    return config.stash[_SETTINGS]


def _read(config: pytest.Config) -> Settings:
    typed = {option.name: getattr(config.option, option.key, None) for option in OPTIONS}
    values: dict[str, Any] = {}
    for option in OPTIONS:
        written = _from_ini(option, config)
        if option.below_marker:
            values[f"usual_{option.field}"] = written
            values[option.field] = typed[option.name]
        else:
            values[option.field] = _value(option, typed[option.name], written, config)
    given = {name: value for name, value in typed.items() if value is not None}
    return Settings(**values, typed=given, folder=config.invocation_params.dir)


def _value(option: Option, typed: Any, written: Any, config: pytest.Config) -> Any:
    folder = config.invocation_params.dir
    value = typed
    if value is None and written is not None:
        value = written
        folder = config.inipath.parent if config.inipath else folder
    if value is None:
        value = option.default
    if option.flag:
        return bool(value)
    if option.is_path and value not in (None, False):
        value = [folder / entry for entry in value] if option.repeatable else folder / value
    return tuple(dict.fromkeys(value)) if option.repeatable else value


def _from_ini(option: Option, config: pytest.Config) -> Any:
    """The value in the ini file, or None."""
    written = config.getini(option.key) if option.ini else None
    if written in (None, "", []):
        return None
    read = [_parsed(option, str(entry)) for entry in (written if option.repeatable else [written])]
    return read if option.repeatable else read[0]


def _parsed(option: Option, text: str) -> Any:
    if option.choices and text not in option.choices:
        raise pytest.UsageError(f"ini key {option.key}: {text!r} is none of {', '.join(option.choices)}")
    try:
        return option.from_ini(text)
    except argparse.ArgumentTypeError as problem:
        raise pytest.UsageError(f"ini key {option.key}: {problem}") from None
