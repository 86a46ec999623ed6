"""The names that a model listed for sentences without a glossary: shown, and written to a file for the next run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from pytest_autoeval.engine.events import NamesListed
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.reporting.text import Line, count
from pytest_autoeval.running.outputs import listed, save


def write_names(events: Iterable[NamesListed], results: Path | None, config: pytest.Config) -> Iterator[Line]:
    """Writes the names of each file as a glossary beside the results, or else in pytest's cache; yields lines about it.

    The name of the glossary has that of the file, and the language.
    """
    for event in events:
        name = f"{event.file.stem}.{event.language}.toml"
        if results is not None:
            path: Path | None = results.with_name(f"{results.stem}.{name}")
        else:
            cache = config.cache
            path = None if cache is None else Path(cache.mkdir("autoeval_names")) / name
        lines = list(toml_lines(event))
        head = f"names in {event.file.name}, listed by {event.model}: {count(len(lines), 'name')}"
        yield from (Line(text, "dim") for text in listed(head, lines, verbose=config.get_verbosity() > 0))
        if path is None:
            continue
        try:
            save(path, "".join(f"{line}\n" for line in lines))
        except AutoevalError as problem:
            yield Line(str(problem), "bad")
        else:
            beside = event.file.with_suffix(".toml").name
            yield Line(f"  written to {path}; correct them and save them as {beside} beside {event.file.name}", "dim")


def toml_lines(event: NamesListed) -> Iterator[str]:
    """The names as lines of a glossary in TOML."""
    for name, phrase in event.names.items():
        key = name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else _quoted(name)
        yield f"{key} = {_quoted(phrase)}"


def _quoted(text: str) -> str:
    # A JSON text is one of TOML, apart from pairs of surrogates and the sign DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
