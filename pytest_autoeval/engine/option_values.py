"""The type of an option, and functions that read its values.

Each function reads one kind of value as argparse expects: it raises :class:`argparse.ArgumentTypeError` for other
texts.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from pytest_autoeval.errors import AutoevalError, near_names
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.removed import removed_drop

if TYPE_CHECKING:
    from pytest_autoeval.generation.measure_bounds import MeasureBounds
    from pytest_autoeval.judging.baseline_runs import Variant

T = TypeVar("T", int, float)
#: A comma before the next ``COLUMN=``; a name may have commas of its own.
_BETWEEN_COLUMNS = lazy_pattern(r",(?=\s*[\w-]+\s*=)")
#: Larger integers overflow somewhere, and larger sizes never end. No use of the tool comes near them.
_LARGEST, LARGEST_SIZE = 10**15, 100_000


#: What options need to have an effect. Each completes the sentence "it needs …".
Need = Literal[
    "",
    "a round trip",
    "another model that reads the descriptions in a round trip",
    "drawn formulas",
    "samples that are not given by --autoeval-formula",
    "sentences in other words",
    "a suite that takes data from files",
    "a prompt of a task or of a round trip",
    "a task or a round trip with this form of its prompt",
    "a description of a formula",
    "answers that can be constrained",
    "a suite without a threshold of its own",
    "a suite with a threshold",
    "a suite of sentences without an agreement of its own",
    "a verdict of the verifier",
    "a call to a model",
    "a call that is not replayed",
    "that model in the run",
]


class Option(NamedTuple):
    """The definition of an option.

    ``help`` is its line in ``pytest --help``, at most 60 characters; docs/reference/options.md says more.
    ``starts_group`` is the heading of a new group of the help, which begins with this option. A tuple as default makes
    the option repeatable, and False makes it a flag. A text as default is read like a typed value. ``ini``: whether the
    option is also an ini key.
    """

    help: str
    type: Callable[[str], Any] = str
    default: Any = None
    choices: tuple[str, ...] = ()
    metavar: str = ""
    ini: bool = True
    starts_group: str = ""
    #: Other names by which users look for the option: a message about such a name names the option.
    guesses: tuple[str, ...] = ()
    #: The option may stand without a value. Its value is then False, since argparse would pass a text to ``type``.
    value_optional: bool = False
    #: What a run must have for the option to have an effect, if not every run has it; see `engine/effects.py`.
    needs: Need = ""
    #: Whether the option decides what is asked: which samples there are and how each is asked (``what``), or whom and
    #: in which form (``whom``). A run continues only one that asked the same; its parts may ask different models.
    asks: Literal["", "what", "whom"] = ""
    #: Whether the option judges: a ``suite``, whose rows keep its value, or the ``run``. `report` takes all of them,
    #: and needs those of the run to judge as the run did.
    judges: Literal["", "suite", "run"] = ""
    #: Whether the command that asks about a sample again needs the option, because the sample does not show it.
    reproduces: bool = False
    #: The options that it cannot be combined with, each with the reason.
    excludes: tuple[tuple[str, str], ...] = ()
    #: The option without which it cannot be given, and what that is; empty if it needs none.
    requires: tuple[str, str] | None = None

    @property
    def repeatable(self) -> bool:
        return isinstance(self.default, tuple)


def option(text: str, kind: Callable[[str], Any] = str, default: Any = None, **details: Any) -> Any:
    """A field of `Settings` with its option: help text, reader of values, default, and more."""
    return field(metadata={"option": Option(text, kind, default, **details)})


def argument_of(option: Option, below: str = "") -> dict[str, Any]:
    """The keyword arguments of an option for argparse; the text ``below`` follows its help."""
    default = ", ".join(option.default) if option.repeatable else option.default
    text = f"{option.help} (default: {default})" if default else option.help
    # argparse appends to a copy of the default.
    usual = list(option.default) if option.repeatable else option.default
    keywords: dict[str, Any] = {"help": (text + below).replace("%", "%%"), "default": usual}
    if option.default is False:
        return keywords | {"action": "store_true"}
    if option.repeatable:
        keywords["action"] = "append"
    if option.value_optional:
        keywords |= {"nargs": "?", "const": False}
    if option.choices:
        return keywords | {"choices": option.choices}
    return keywords | {"type": option.type, "metavar": option.metavar}


def number(
    kind: Callable[[str], T], expected: str, allowed: Callable[[T], bool]
) -> Callable[[str], T]:
    """A function that reads a number; ``allowed`` checks it."""

    def read(text: str) -> T:
        problem = argparse.ArgumentTypeError(f"{text!r} is not {expected}")
        try:
            value = kind(text)
        except ValueError:
            raise problem from None
        if not allowed(value):
            raise problem
        if isinstance(value, int) and value > _LARGEST:
            raise argparse.ArgumentTypeError(f"{text[:20]!r} is too large a number")
        return value

    return read


count = number(int, "an integer ≥ 1", lambda number: number >= 1)
#: How often each formula is asked about: beyond this a run never ends.
times = number(int, "an integer ≥ 1, at most 10,000", lambda number: 1 <= number <= 10_000)
non_negative_integer = number(int, "an integer ≥ 0", lambda number: number >= 0)
positive = number(float, "a number > 0", lambda number: 0 < number < math.inf)
non_negative = number(float, "a number ≥ 0", lambda number: 0 <= number < math.inf)


def api_seeds(text: str) -> tuple[int, ...]:
    """Different integers ≥ 0, by commas: ``3,12,26``."""
    seeds = tuple(map(non_negative_integer, text.split(",")))
    if len(set(seeds)) < len(seeds):
        raise argparse.ArgumentTypeError(
            f"{text!r} has a seed twice, which asks twice for the same answer"
        )
    return seeds


def variant(text: str) -> Variant:
    """The variant of a baseline: ``few-shot``, ``structured``, ``reader:NAME``, ``prompts:FOLDER``, or several by
    commas.
    """
    from pytest_autoeval.judging.baseline_runs import Variant

    try:
        return Variant.read(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(
            f"{problem}; write few-shot, structured, reader:NAME or prompts:FOLDER"
        ) from None


def limit(text: str) -> int | str:
    """An integer ≥ 1, or ``none``."""
    if text == "none":
        return text
    return number(int, "an integer ≥ 1, or none", lambda number: number >= 1)(text)


def sizes(text: str) -> tuple[int, ...]:
    """The sizes of ``A:B`` (half-open, as in Python), ``A:B:STEP``, ``N`` or ``N,M,…``."""
    try:
        if ":" in text:
            bounds = [int(figure) for figure in text.split(":")]
            span = range(*bounds) if len(bounds) in {2, 3} else range(0)
            # Of a range that would fill the memory, the ends suffice for the messages below.
            numbers = tuple(span) if len(span) <= LARGEST_SIZE else (span[0], span[-1])
        else:
            numbers = tuple(int(figure) for figure in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 0:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a list of sizes; write 0:13 for 0 to 12, 2:12:3 for 2, 5, 8, 11, or a list like 2,5,8"
        )
    if max(numbers) > LARGEST_SIZE:
        raise argparse.ArgumentTypeError(
            f"{text[:20]!r} has sizes above {LARGEST_SIZE:,}; write smaller ones"
        )
    return numbers


def bounds(text: str) -> tuple[int, int]:
    """``MIN:MAX``, integers ≥ 1; ``N`` stands for ``N:N``."""
    low, _, high = text.partition(":")
    with suppress(ValueError):
        if 1 <= int(low) <= int(high or low) <= _LARGEST:
            return int(low), int(high or low)
    raise argparse.ArgumentTypeError(
        f"{text!r} is not a number of calls; write an integer ≥ 1, or 4:64 for 4 to 64"
    )


def duration(text: str) -> float:
    """The seconds of ``90s``, ``10m`` or ``1h``; more than 0."""
    amount, unit = text.strip()[:-1], text.strip()[-1:]
    with suppress(ValueError, KeyError):
        seconds = float(amount) * {"s": 1, "m": 60, "h": 3600}[unit]
        if 0 < seconds < math.inf:
            return seconds
    raise argparse.ArgumentTypeError(f"{text!r} is not a time; write 90s, 10m or 1h")


def hours(text: str) -> float:
    """A number of hours > 0, or 0 for ``submit``."""
    if text == "submit":
        return 0.0
    expected = "a number of hours > 0, or submit; to give none, write --autoeval-batch last, after the paths of tests"
    return number(float, expected, lambda hours: 0 < hours < math.inf)(text)


def rate(text: str) -> float:
    """A rate from 0 to 1, also written as a percentage."""
    plain = text.strip().removesuffix("%")
    read = number(
        float, "a rate from 0 to 1 (or 0% to 100%)", lambda number: 0 <= number < math.inf
    )(plain)
    if plain != text.strip():
        # With decimals: in floating point, 95.9 / 100 is more than 0.959, so that 959 of 1,000 would miss the
        # threshold.
        read = float(Decimal(plain) / 100)
    if read > 1:
        hint = f"; did you mean {plain}%?" if plain == text.strip() and 2 <= read <= 100 else ""
        raise argparse.ArgumentTypeError(f"{text!r} is not a rate from 0 to 1{hint}")
    return read


share = number(rate, "a rate above 0 and below 1; write 10% or 0.1", lambda rate: 0 < rate < 1)
error_rate = number(
    rate,
    "an error rate: write a rate above 0 and below 0.5, such as 0.05",
    lambda rate: 0 < rate < 0.5,
)


def shard(text: str) -> tuple[int, int]:
    """``K/N``: the K-th of N parts, counted from 1."""
    index, _, total = text.partition("/")
    with suppress(ValueError):
        if 1 <= int(index) <= int(total) < 1_000_000:
            return int(index), int(total)
    raise argparse.ArgumentTypeError(
        f"{text!r} is not a part; write K/N, such as 2/5 for the second of five parts"
    )


#: The kinds of drops.
_DROPS = ("drop", "suite-drop", "agreement")
#: A kind, or something like it, and a percentage, perhaps without colon or sign.
_MISTYPED_DROP = lazy_pattern(r"(?P<kind>[a-z-]+)[:=]?(?P<figure>\d+(?:\.\d+)?)%?")


def drop(text: str) -> dict[str, float]:
    """The losses in question against the baseline: ``drop:5%``, ``suite-drop:5%``, ``agreement:5%``, by commas.

    ``drop`` is an absolute loss of the pass rate over all suites together, ``suite-drop`` one of each suite,
    ``agreement`` one of the agreement of each suite; all are rates.
    """
    drops: dict[str, float] = {}
    for entry in text.split(","):
        kind, _, figure = entry.strip().partition(":")
        if instead := removed_drop(kind):
            raise argparse.ArgumentTypeError(instead)
        if kind in drops:
            raise argparse.ArgumentTypeError(f"{text!r} has {kind!r} twice; give one of them")
        is_known = kind in _DROPS
        with suppress(argparse.ArgumentTypeError):
            loss = rate(figure) if is_known else 0.0
            if 0 < loss < 1:
                drops[kind] = loss
                continue
        raise argparse.ArgumentTypeError(
            f"{entry.strip()!r} is not a drop above 0 and below 100%; write drop:5% (or drop:0.05) for the whole run, "
            "suite-drop:5% for each suite, agreement:5%, or several as in drop:5%,agreement:5%"
            f"{_likely_drop(entry.strip())}"
        )
    return drops


def _likely_drop(entry: str) -> str:
    """The end of a message: the drop that a mistyped entry such as ``drop:5``, ``drop5%`` or ``dorp:5%`` may mean."""
    match = _MISTYPED_DROP.fullmatch(entry)
    if match is None:
        return ""
    names = near_names(match["kind"], _DROPS)
    percent = float(match["figure"])
    if not names or not 0 < percent < 100:
        return ""
    return f". Did you mean {names[0]}:{match['figure']}%?"


def columns(text: str) -> dict[str, str]:
    """``COLUMN=NAME``, several separated by commas: which name a column has in the user's files."""
    named: dict[str, str] = {}
    for entry in _BETWEEN_COLUMNS.split(text):
        column, sign, name = entry.partition("=")
        if not sign or not column.strip() or not name.strip():
            raise argparse.ArgumentTypeError(
                f"{entry!r} names no column; write sentence=NL or sentence=NL,formula=FOL"
            )
        if column.strip() in named:
            raise argparse.ArgumentTypeError(f"{column.strip()!r} is given twice")
        named[column.strip()] = name.strip()
    from pytest_autoeval.datasets.columns import checked_columns  # only where the option is used

    try:
        checked_columns(named)
    except AutoevalError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
    return named


def columns_text(named: Mapping[str, str]) -> str:
    """The text that :func:`columns` reads."""
    return ",".join(f"{column}={name}" for column, name in named.items())


def measures(text: str) -> tuple[MeasureBounds, ...]:
    """``NAME=A:B``, several separated by commas: between which bounds the measures of a formula lie."""
    from pytest_autoeval.generation.measure_bounds import (  # only where the option is used
        bounds_in_text,
        bounds_of,
    )

    try:
        return bounds_of(tuple(map(bounds_in_text, text.split(","))))
    except AutoevalError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def switch(text: str) -> bool:
    """A yes or no in the ini file."""
    word = text.strip().lower()
    is_true = word in {"true", "yes", "on", "1"}
    if not is_true and word not in {"false", "no", "off", "0"}:
        raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")
    return is_true


def path(text: str) -> Path:
    """A path. An empty text, as from an unset shell variable, is refused."""
    return Path(_filled(text, "a path: this one is empty"))


def name(text: str) -> str:
    """A name that is not empty."""
    return _unicode(_filled(text, "a name, such as gpt-5-mini or offline/faithful"))


def url(text: str) -> str:
    """The address of a server, with its scheme."""
    address = _unicode(_filled(text, "the address of a server, such as http://127.0.0.1:8000/v1"))
    if "://" not in address:
        raise argparse.ArgumentTypeError(f"{text!r} has no scheme; did you mean http://{address}?")
    return address


def _filled(text: str, expected: str) -> str:
    stripped = text.strip()
    if not stripped:
        raise argparse.ArgumentTypeError(f"give {expected}")
    # The system takes no such path, and answers with an error that does not name the option.
    if "\0" in stripped:
        raise argparse.ArgumentTypeError(f"{stripped!r} contains a NUL")
    return stripped


def _unicode(text: str) -> str:
    """The text. Bytes of the command line that are not UTF-8 are refused: no server and no results file takes them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(f"{text!r} is not UTF-8") from None
    return text


def json_object(text: str) -> dict[str, Any]:
    """A JSON object of parameters that the plugin does not set itself."""
    try:
        value = json.loads(_unicode(text))
        # Refuses NaN, numbers that are too large, and halves of surrogate pairs, which no request can carry.
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except json.JSONDecodeError as problem:
        raise argparse.ArgumentTypeError(f"not JSON: {problem}") from None
    except RecursionError:
        raise argparse.ArgumentTypeError(
            "not usable JSON: too many lists and objects inside each other"
        ) from None
    except ValueError as problem:
        raise argparse.ArgumentTypeError(f"not usable JSON: {problem}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError('not a JSON object, such as {"top_p": 0.9}')
    # The plugin counts one answer for each request, and reads it whole.
    if reserved := [key for key in ("model", "messages", "stream", "n") if key in value]:
        raise argparse.ArgumentTypeError(f"cannot set {', '.join(reserved)}: the plugin does")
    return value


def price(text: str) -> tuple[str, float, float]:
    """``MODEL=INPUT/OUTPUT``: USD per million input tokens and per million output tokens."""
    model, _, figures = text.rpartition("=")
    with suppress(ValueError):
        input_price, output_price = map(float, figures.split("/"))
        if model and all(0 <= price < math.inf for price in (input_price, output_price)):
            return model.strip(), input_price, output_price
    raise argparse.ArgumentTypeError(
        f"{text!r} is not a price; write MODEL=INPUT/OUTPUT in USD for a million tokens, such as gpt-5-mini=0.25/2"
    )
