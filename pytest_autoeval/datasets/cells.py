"""The values of a row in the known columns, checked."""

from __future__ import annotations

from typing import Any, NoReturn

from pytest_autoeval.datasets.columns import RawRow, RowError, columns_of, is_filled
from pytest_autoeval.lazy_pattern import lazy_pattern

#: The words for yes and no in published files. Labels of traces and of pairs are such words too.
_YES = frozenset(
    ("satisfying", "satisfies", "satisfied", "positive", "same", "equivalent", "yes", "true", "1")
)
_NO = frozenset(("violating", "violates", "violated", "negative", "different", "no", "false", "0"))
#: Invisible characters and special spaces, as in text copied from a PDF.
_INVISIBLE = lazy_pattern(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u200b\u2060\ufeff]")
_SPECIAL_SPACE = lazy_pattern(r"[^\S\t\n\r ]")


class Cells:
    """The values of a row in the known columns, without empty cells; ``names`` are the column names in the file.

    Control characters are removed from texts, and all spaces become plain. Raises :class:`RowError`.
    """

    def __init__(self, raw: RawRow) -> None:
        if raw.problem:
            raise RowError(raw.problem)
        self.names: dict[str, str] = {}
        self.values: dict[str, Any] = {}
        for column, name in columns_of(raw.values).items():
            # Messages name a column as the file does, also if the user gave it another name.
            self.names[column] = raw.shown.get(name, name)
            value = _plain_text(raw.values[name])
            if is_filled(value):
                self.values[column] = value

    def name(self, column: str) -> str | None:
        """The value of a column as text; None if it is empty."""
        return str(self.values[column]).strip() if column in self.values else None

    def origin(self, *columns: str) -> dict[str, str]:
        """The non-empty values of these columns, by their keys in the facts of a row."""
        return {
            "item" if column == "id" else column: str(self.name(column))
            for column in columns
            if column in self.values
        }

    def text(self, column: str) -> str | None:
        """The text of a column; None if it is empty."""
        return self.needed(column).strip() if column in self.values else None

    def needed(self, column: str) -> str:
        """The text of a column that must not be empty."""
        if column not in self.values:
            self.fail(column, "the cell is empty")
        value = self.values[column]
        if not isinstance(value, str):
            self.fail(column, f"must be text, not {value!r}")
        return value

    def texts(self, column: str) -> tuple[str, ...]:
        """The texts of a column: a list, or one text on each line. At least one is required."""
        value = self.values.get(column) or self.fail(column, "the cell is empty")
        listed = value
        if isinstance(value, str):
            listed = [line for line in value.splitlines() if line.strip()]
        if not isinstance(listed, list) or not all(isinstance(text, str) for text in listed):
            self.fail(column, f"must be a list of texts, not {value!r}")
        blank = [number for number, text in enumerate(listed, start=1) if not text.strip()]
        if blank:
            self.fail(column, f"text {blank[0]} is empty")
        return tuple(listed)

    def label(self, column: str) -> bool | None:
        """The Boolean value of a column; None if it is empty."""
        name = self.name(column)
        if name is None:
            return None
        word = name.casefold()
        if word not in _YES | _NO:
            expected = ", ".join(sorted(_YES | _NO))
            self.fail(
                column, f"{self.values[column]!r} is neither yes nor no; use one of {expected}"
            )
        return word in _YES

    def fail(self, column: str, problem: object) -> NoReturn:
        """Raises :class:`RowError` for a problem in a column."""
        raise RowError(f"column {self.names.get(column, column)!r}: {problem}")


def _plain_text(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain_text(item) for item in value]
    if not isinstance(value, str):
        return value
    visible = _INVISIBLE.sub("", value)
    return _SPECIAL_SPACE.sub(" ", visible)
