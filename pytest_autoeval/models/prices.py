"""What a call costs, by a table that the user gives: prices change too often to ship any."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_autoeval.models.base import ConfigurationError

_MILLION = 1_000_000
_EXPECTED = 'expected JSON such as {"gpt-5-mini": [0.25, 2.0]}: USD per million input and output tokens of each model'


@dataclass(frozen=True, slots=True)
class Price:
    """What a model charges, in USD per million tokens."""

    input: float
    output: float

    def __post_init__(self) -> None:
        for amount in (self.input, self.output):
            if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < float("inf"):
                raise ConfigurationError(f"--autoeval-prices: {amount!r} is not a price in USD; {_EXPECTED}")

    def of(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """The cost in USD of one call, or None where the server told no token counts."""
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.input + completion_tokens * self.output) / _MILLION


FREE = Price(0.0, 0.0)
"""The price of what answers from this machine: the offline models."""


def parse_prices(text: str) -> Mapping[str, Price]:
    """The price table of an option's JSON text: ``{"model": [input, output]}``, USD per million tokens.

    Raises :class:`ConfigurationError` where the text is no such table.
    """
    try:
        table = json.loads(text)
    except ValueError as error:
        raise ConfigurationError(f"--autoeval-prices is not JSON ({error}); {_EXPECTED}") from None
    if not isinstance(table, dict):
        raise ConfigurationError(f"--autoeval-prices is not a JSON object; {_EXPECTED}")
    for model, amounts in table.items():
        if not isinstance(amounts, list) or len(amounts) != 2:
            raise ConfigurationError(f"--autoeval-prices: {model!r} has {amounts!r}; {_EXPECTED}")
    return {model: Price(*amounts) for model, amounts in table.items()}
