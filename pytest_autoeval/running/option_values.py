"""The kinds of values that options take. Each function reads one kind, and raises an error of one line for other texts.

They are types as argparse takes them: a mistake is an :class:`argparse.ArgumentTypeError`.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeVar

T = TypeVar("T", int, float)
#: Keys of a request that are the plugin's own business.
_OURS = ("model", "messages", "stream", "n")


def sizes(text: str) -> tuple[int, ...]:
    """The sizes that ``A:B`` (half-open, as in Python), ``A:B:STEP``, ``N`` or ``N,M,…`` name."""
    try:
        if ":" in text:
            bounds = [int(part) for part in text.split(":")]
            found = tuple(range(*bounds)) if len(bounds) in {2, 3} else ()
        else:
            found = tuple(int(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not found or min(found) < 0:
        raise argparse.ArgumentTypeError(
            f"{text!r} names no sizes; write 0:13 for 0 to 12, 2:12:3 for 2, 5, 8, 11, or a list like 2,5,8"
        )
    return found


def count(text: str) -> int:
    """An integer ≥ 1."""
    return _number(text, int, 1, "an integer ≥ 1")


def natural(text: str) -> int:
    """An integer ≥ 0."""
    return _number(text, int, 0, "an integer ≥ 0")


def positive(text: str) -> float:
    """A number > 0."""
    number = _number(text, float, 0, "a number > 0")
    if number == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number > 0")
    return number


def amount(text: str) -> float:
    """A number ≥ 0."""
    return _number(text, float, 0, "a number ≥ 0")


def rate(text: str) -> float:
    """A rate from 0 to 1, also written as a percentage."""
    plain = text.strip().removesuffix("%")
    number = _number(plain, float, 0, "a rate from 0 to 1 (or 0% to 100%)")
    # In decimals: of 95.9 / 100 floating point makes more than 0.959, which 959 of 1,000 would not meet.
    number = float(Decimal(plain) / 100) if plain != text.strip() else number
    if number > 1:
        hint = f"; did you mean {plain}%?" if plain == text.strip() and 2 <= number <= 100 else ""
        raise argparse.ArgumentTypeError(f"{text!r} is not a rate from 0 to 1{hint}")
    return number


def level(text: str) -> float:
    """The level of a test: a rate above 0 and below 1/2."""
    number = rate(text)
    if not 0 < number < 0.5:
        raise argparse.ArgumentTypeError(f"{text!r} is no level of a test: write a rate above 0 and below 0.5, as 0.05")
    return number


def drop(text: str) -> float:
    """The rate of ``drop:5%``."""
    kind, colon, figure = text.partition(":")
    if kind.strip() != "drop" or not colon:
        raise argparse.ArgumentTypeError(f"{text!r} says nothing to fail on; write drop:5% (or drop:0.05)")
    number = rate(figure)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text!r}: a drop lies above 0 and below 100%; write drop:5%")
    return number


def switch(text: str) -> bool:
    """A yes or no in the ini file."""
    if (word := text.strip().lower()) not in {"true", "yes", "on", "1", "false", "no", "off", "0"}:
        raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")
    return word in {"true", "yes", "on", "1"}


def path_name(text: str) -> str:
    """A path that is not empty, as it is where a variable is not set."""
    if not text.strip():
        raise argparse.ArgumentTypeError("give a path: this one is empty")
    return text


def model_name(text: str) -> str:
    """A name that is not empty."""
    if not text.strip():
        raise argparse.ArgumentTypeError("give a name, such as gpt-5-mini or offline/faithful")
    return text.strip()


def request_parameters(text: str) -> dict[str, Any]:
    """A JSON object of parameters that the plugin does not set itself."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as problem:
        raise argparse.ArgumentTypeError(f"not JSON: {problem}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f'not a JSON object, such as {{"top_p": 0.9}}: {text!r}')
    if ours := [key for key in _OURS if key in value]:
        raise argparse.ArgumentTypeError(f"cannot set {', '.join(ours)}: the plugin does")
    return value


def price(text: str) -> tuple[str, float, float]:
    """``MODEL=INPUT/OUTPUT``: USD for a million tokens in, and out."""
    name, _, figures = text.rpartition("=")
    try:
        spent, made = (float(part) for part in figures.split("/"))
    except ValueError:
        spent = made = -1.0
    if not name or min(spent, made) < 0:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no price; write MODEL=INPUT/OUTPUT in USD for a million tokens, such as gpt-5-mini=0.25/2"
        )
    return name.strip(), spent, made


def _number(text: str, kind: Callable[[str], T], least: int, what: str) -> T:
    try:
        number = kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}") from None
    if not least <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}")
    return number
