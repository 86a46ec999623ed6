"""The names that a model listed for a file of sentences, written as a glossary that the user corrects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running.outputs import folder_in_cache, listed, save
from pytest_autoeval.text import Line, count

if TYPE_CHECKING:
    import pytest

    from pytest_autoeval.engine.events import NamesListed


def write_names(
    events: Iterable[NamesListed], results: Path | None, config: pytest.Config
) -> Iterator[Line]:
    """Writes the names of each file as a glossary beside the results, or else in pytest's cache; yields lines about it.

    The name of the glossary has that of the file, and the language.
    """
    for event in events:
        name = f"{event.file.stem}.{event.language}.toml"
        folder = folder_in_cache(config, "autoeval_names")
        path = None
        if results is not None:
            path = results.with_name(f"{results.stem}.{name}")
        elif folder is not None:
            path = folder / name
        lines = list(_toml_lines(event))
        head = f"names in {event.file.name}, listed by {event.model}: {count(len(lines), 'name')}"
        for text in listed(head, lines, verbose=config.get_verbosity() > 0):
            yield Line(text, "dim")
        if path is None:
            continue
        try:
            save(path, "".join(f"{line}\n" for line in lines))
        except AutoevalError as problem:
            yield Line(str(problem), "bad")
        else:
            # Under this name the glossary is found when the file is read again.
            glossary = event.file.with_suffix(".toml").name
            yield Line(
                f"  written to {path}; correct them and save them as {glossary} beside {event.file.name}",
                "dim",
            )


def _toml_lines(event: NamesListed) -> Iterator[str]:
    """The names as lines of a glossary in TOML."""
    for name, phrase in event.names.items():
        # TOML allows only letters and digits of ASCII, "_" and "-" in a key without quotes.
        is_bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
        key = name if is_bare else _quoted(name)
        yield f"{key} = {_quoted(phrase)}"


def _quoted(text: str) -> str:
    """The text in quotes, as in TOML."""
    # A JSON text is one of TOML, apart from pairs of surrogates and the sign DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
