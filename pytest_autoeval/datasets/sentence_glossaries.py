"""Glossaries of sentences without formulas, which give each name a phrase: ``door_open = "the door is open"``.

In first-order logic, a name may have parameters: ``"Larger(x, y)" = "x is larger than y"``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.cells import Cells
from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.file_text import text_of
from pytest_autoeval.datasets.ontologies import glossary_of_object, glossary_of_row
from pytest_autoeval.datasets.proposition_lists import read_propositions
from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary, language
from pytest_autoeval.lazy_pattern import lazy_pattern

_FORM = 'write a line such as door_open = "the door is open" for each name'
_WORD = lazy_pattern(r"\w+")


def own_glossary(cells: Cells, file: Path) -> dict[str, str] | None:
    """The glossary in a row of a table: its propositions, or its ontology."""
    if "propositions" in cells.values:
        try:
            pairs = read_propositions(cells.values["propositions"])
        except ValueError as problem:
            cells.fail("propositions", problem)
        return {name: phrase for phrase, name in pairs}
    if "ontology" in cells.values:
        try:
            symbols = glossary_of_row(cells.values["ontology"], file).symbols
        except DataSetError as problem:
            cells.fail("ontology", problem)
        return {str(symbol): symbol.gloss for symbol in symbols}
    return None


def read_glossary(path: Path) -> Mapping[str, str]:
    """The names of a TOML file, each with its phrase; raises :class:`DataSetError`."""
    try:
        names = tomllib.loads(text_of(path))
    except (ValueError, RecursionError) as problem:
        raise DataSetError(f"{path}: not TOML: {problem}; {_FORM}") from None
    return checked_glossary(names, str(path))


def checked_glossary(names: Mapping[str, Any], where: str) -> dict[str, str]:
    """Names with phrases, with single spaces; raises :class:`DataSetError`."""
    if not names:
        raise DataSetError(f"{where}: the glossary is empty; {_FORM}")
    for name, phrase in names.items():
        if not isinstance(phrase, str) or not phrase.strip():
            raise DataSetError(f"{where}: the phrase of {name!r} is {phrase!r:.60}; {_FORM}")
    glossary = {name: " ".join(phrase.split()).rstrip(" .") for name, phrase in names.items()}
    # Two names with one phrase would let a right answer fail, because it chose the other name.
    named: dict[str, str] = {}
    for name, phrase in glossary.items():
        earlier = named.setdefault(_without_parameters(name, phrase).casefold(), name)
        if earlier != name:
            raise DataSetError(
                f"{where}: {earlier} and {name} have one phrase, {phrase!r}; keep one of the names"
            )
    return glossary


def _without_parameters(name: str, phrase: str) -> str:
    """A phrase with numbers for the parameters of its name, so that "x opens y" and "a opens b" are equal."""
    parameters = _WORD.findall(name.partition("(")[2])

    def numbered(word: re.Match[str]) -> str:
        return str(parameters.index(word[0])) if word[0] in parameters else word[0]

    return _WORD.sub(numbered, phrase)


@lru_cache(maxsize=4096)
def vocabulary_of(
    entries: tuple[tuple[str, str], ...], language_name: str, where: str
) -> Vocabulary:
    """The names of a glossary, as an answer may use them; raises :class:`DataSetError` if one cannot be used."""
    if not entries:
        return Vocabulary()
    if language_name == "first_order":
        try:
            vocabulary = glossary_of_object(dict(entries)).ontology().vocabulary
        except DataSetError as problem:
            raise DataSetError(f"{where}: {problem}") from None
        if not vocabulary.predicates and not vocabulary.propositions:
            name, phrase = entries[0]
            meant = f'{name[:1].upper()}{name[1:]} = "{phrase}"'
            raise DataSetError(
                f"{where}: all names are of things, as {name} is; write {meant} if this is a statement"
            )
        return vocabulary
    lang = language(language_name)
    for name, _ in entries:
        # A name must be read as itself, and not as a formula: `a & b` and `true` are none.
        try:
            is_name = lang.symbols(lang.parse_part(name)).propositions == (name,)
        except FormulaSyntaxError:
            is_name = False
        if not is_name:
            raise DataSetError(
                f"{where}: {name!r:.60} cannot be the name of a proposition in {language_name}; {_FORM}"
            )
    return Vocabulary(propositions=tuple(name for name, _ in entries))
