"""How a task ends when the meaning did not survive: one exception, with the outcome's name."""

from __future__ import annotations

from pytest_autoeval.errors import AutoevalError


class MeaningLostError(AutoevalError, AssertionError):
    """The model's answer does not mean what was asked.

    ``outcome`` is one of ``different``, ``unparseable``, ``foreign symbol``, ``refused or empty``, ``truncated``.
    """

    def __init__(self, outcome: str, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


class UnsuitableSampleError(AutoevalError):
    """The sample does not say what the task asks about: the marker's grammar or data set does not go with its task."""


class UndecidedError(AutoevalError):
    """The verifier gave up: neither a pass nor the model's failure."""
