"""Errors of grammars, of vocabularies, and of requests to draw from them."""

from __future__ import annotations

from pytest_autoeval.errors import AutoevalError


class GrammarError(AutoevalError):
    """A grammar file cannot be used. Attributes: ``path``, ``line`` and ``column`` (from 1), ``problem``."""

    def __init__(self, problem: str, path: str, line: int = 1, column: int = 1) -> None:
        self.problem = problem
        self.path = path
        self.line = line
        self.column = column
        super().__init__(f"{path}, line {line}, column {column}: {problem}")


class UnknownGrammarError(AutoevalError, LookupError):
    """There is no grammar of that name, and no such file."""


class VocabularyError(AutoevalError):
    """A vocabulary cannot be used, or lacks names that the grammar needs."""


class DrawingError(AutoevalError):
    """The requested formulas cannot be drawn."""


class FewerFormulasWarning(UserWarning):
    """There are fewer distinct formulas than requested."""
