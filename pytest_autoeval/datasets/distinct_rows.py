"""Rows that ask different questions: a row that repeats or contradicts an earlier one is none."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Generic, Protocol, TypeVar

from pytest_autoeval.datasets.columns import RowError
from pytest_autoeval.languages import Formula, Verdict, language
from pytest_autoeval.languages.base import VerdictOutcome


def comparable_sentence(sentence: str) -> str:
    """A sentence in the form in which sentences are compared."""
    return " ".join(sentence.casefold().split()).rstrip(".")


def check_meaning(name: str, formula: Formula, earlier: Formula, source: str) -> None:
    """Raises :class:`RowError` if an earlier formula of the same sentence has another meaning."""
    if (
        formula != earlier
        and verdict_on(name, formula, earlier).outcome == VerdictOutcome.DIFFERENT
    ):
        raise RowError(
            f"{source} has {earlier} for the same sentence, which is not equivalent to {formula}"
        )


@lru_cache(maxsize=4096)
def verdict_on(name: str, formula: Formula, partner: Formula) -> Verdict:
    """The verdict on two formulas of a language. Cached, because files repeat formulas."""
    return language(name).equivalent(formula, partner)


class Sourced(Protocol):
    """A row with its source: file name and line."""

    @property
    def source(self) -> str: ...
    @property
    def id(self) -> str | None: ...


R = TypeVar("R", bound=Sourced)


class DistinctRows(Generic[R]):
    """The rows so far, with distinct questions and ids."""

    def __init__(self) -> None:
        self.rows: dict[Hashable, R] = {}
        self._ids: dict[str, R] = {}

    def add(self, row: R, question: Hashable, *, is_again: bool = False) -> None:
        """Adds a row; raises :class:`RowError` if an earlier one has its question or id.

        ``is_again``: the last row was of the same line, in another language, and so has the same id.
        """
        earlier = self.rows.get(question)
        if earlier is not None:
            raise RowError(f"repeats {earlier.source}")
        if row.id is not None:
            # Sources do not tell lines apart: two folders may have files of one name.
            if row.id in self._ids and not is_again:
                raise RowError(f"the id {row.id!r} is already used by {self._ids[row.id].source}")
            self._ids[row.id] = row
        self.rows[question] = row
