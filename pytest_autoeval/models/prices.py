"""What a call costs, by a table that the user gives: prices change too often to ship any."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval.models.base import ConfigurationError

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a model charges, in USD per million tokens."""

    input: float
    output: float

    def __post_init__(self) -> None:
        for amount in (self.input, self.output):
            if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < float("inf"):
                raise ConfigurationError(f"--autoeval-price: {amount!r} is not a price in USD for a million tokens")

    def of(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """The cost in USD of one call, or None where the server reported no token counts."""
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.input + completion_tokens * self.output) / _MILLION


FREE = Price(0.0, 0.0)
"""The price of what answers from this machine: the offline models."""
