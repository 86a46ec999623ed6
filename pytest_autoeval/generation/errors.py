"""What can be wrong with a grammar, a vocabulary or a request to draw from them."""

from __future__ import annotations

from pytest_autoeval.errors import AutoevalError


class GrammarError(AutoevalError):
    """A grammar file cannot be drawn from. Attributes: ``path``, ``line`` and ``column`` (from 1), ``problem``."""

    def __init__(self, problem: str, path: str, line: int = 1, column: int = 1) -> None:
        self.problem = problem
        self.path = path
        self.line = line
        self.column = column
        super().__init__(f"{path}, line {line}, column {column}: {problem}")


class UnknownGrammarError(AutoevalError, LookupError):
    """No grammar of that name is known and no file of that path exists."""


class VocabularyError(AutoevalError):
    """A vocabulary cannot be made as asked, or lacks what a grammar needs."""


class DrawingError(AutoevalError):
    """What was asked of a grammar cannot be drawn."""


class FewerFormulasWarning(UserWarning):
    """Fewer distinct formulas exist than were asked for."""
