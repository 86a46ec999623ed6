"""A text with a formula on each line, such as the published formulas of a study."""

from __future__ import annotations

from functools import lru_cache

from pytest_autoeval.languages import FormulaSyntaxError, language, language_names
from pytest_autoeval.lazy_pattern import lazy_pattern

#: What parts a sentence from its formula, which is another kind of file.
_PARTED = lazy_pattern(r"\S\s*[;\t]\s*\S")
#: A line of one word could be a formula or a sentence.
_WORD = lazy_pattern(r"\w+")
#: How many lines decide what the lines of a file are.
_DECISIVE = 200


@lru_cache(maxsize=32)
def formulas_on_lines(text: str) -> tuple[tuple[int, str], ...] | None:
    """The lines of a text of formulas, each with its number; None for any other text.

    Empty lines and lines that begin with ``#`` do not count. Half of the lines must be formulas of some language, so
    that a slip in one of thousands is reported as a row, and does not turn the file into one of sentences. A single
    word could be either, so it does not count.

    Only the first lines decide, since a file may have 100,000 formulas, and each takes some milliseconds to read.
    """
    lines = []
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if line and not line.startswith("#"):
            lines.append((number, line))
    telling = [line for _, line in lines if not _WORD.fullmatch(line)]
    if not telling or any(map(_PARTED.search, telling)):
        return None
    decisive = telling[:_DECISIVE]
    number_of_formulas = sum(map(_is_formula, decisive))
    if 2 * number_of_formulas < len(decisive):
        return None
    return tuple(lines)


def _is_formula(line: str) -> bool:
    return any(_is_formula_of(name, line) for name in language_names())


def _is_formula_of(name: str, line: str) -> bool:
    lang = language(name)
    try:
        lang.parse(line)
    except FormulaSyntaxError:
        return False
    return lang.is_strict(line)
