"""Every option of the group `autoeval`, each also an ini key; only the standard library is imported here."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

T = TypeVar("T", int, float)


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
    """A whole number from 1."""
    return _number(text, int, 1, "a whole number from 1")


def natural(text: str) -> int:
    """A whole number from 0."""
    return _number(text, int, 0, "a whole number from 0")


def positive(text: str) -> float:
    """A number above 0."""
    number = _number(text, float, 0, "a number above 0")
    if number == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return number


def amount(text: str) -> float:
    """A number from 0."""
    return _number(text, float, 0, "a number from 0")


def rate(text: str) -> float:
    """A rate from 0 to 1, also written as a percentage."""
    plain = text.strip().removesuffix("%")
    number = _number(plain, float, 0, "a rate from 0 to 1 (or 0% to 100%)")
    number = number / 100 if plain != text.strip() else number
    if number > 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a rate from 0 to 1; did you mean {text}%?")
    return number


def json_object(text: str) -> dict[str, Any]:
    """A JSON object."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as problem:
        raise argparse.ArgumentTypeError(f"no JSON: {problem}") from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f'not a JSON object, such as {{"top_p": 0.9}}: {text!r}')
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


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its name without ``--autoeval-``, what it takes, and what it means."""

    name: str
    help: str
    type: Callable[[str], Any] = str
    metavar: str | None = None
    default: Any = None
    repeatable: bool = False
    choices: tuple[str, ...] = ()
    ini: bool = True

    @property
    def key(self) -> str:
        """The ini key, and the name in ``config.option``."""
        return "autoeval_" + self.name.replace("-", "_")


OPTIONS: tuple[Option, ...] = (
    Option(
        "model",
        "the model under test; repeatable: each suite runs once for each. offline/… needs neither key nor "
        "network (see --autoeval-models)",
        metavar="NAME",
        repeatable=True,
        default=("offline/faithful",),
    ),
    Option("base-url", "any OpenAI-compatible server; default: OPENAI_BASE_URL, else the provider's", metavar="URL"),
    Option("samples", "formulas for each size", type=count, metavar="N"),
    Option("seed", "from which formulas are drawn", type=natural, metavar="S", default=0),
    Option("operators", "which sizes: 0:13 is 0 to 12; also 2,5,8", type=sizes, metavar="A:B"),
    Option("repeats", "ask each formula K times", type=count, metavar="K", default=1),
    Option(
        "prompting",
        "prompts without or with two worked examples",
        choices=("zero-shot", "few-shot"),
        default="zero-shot",
    ),
    Option(
        "prompts",
        "a folder whose templates (informalize/regex.toml, …) replace the shipped ones; repeatable",
        metavar="DIR",
        repeatable=True,
        default=(),
    ),
    Option("threshold", "gate every suite at this pass rate; a test's own marker wins", type=rate, metavar="RATE"),
    Option(
        "record-mode",
        "none: replay only; once: record the first time, replay afterwards; new_episodes: replay, and record what is "
        "new; all: record everything anew. Default: replay what is recorded, ask for the rest, record nothing",
        choices=("none", "once", "new_episodes", "all"),
    ),
    Option("cassettes", "the folder of recordings", metavar="DIR", default="cassettes"),
    Option("concurrency", "calls in flight, over all workers together", type=count, metavar="N", default=8),
    Option("rpm", "calls a minute, over all workers together", type=count, metavar="N"),
    Option(
        "shrink-budget",
        "round trips that shrinking may spend in a suite; 0 turns it off",
        type=natural,
        metavar="N",
        default=200,
    ),
    Option("max-calls", "stop the run after this many calls", type=count, metavar="N"),
    Option("max-cost", "stop the run at this cost; needs --autoeval-price", type=positive, metavar="USD"),
    Option(
        "price",
        "USD for a million tokens, repeatable: gpt-5-mini=0.25/2",
        type=price,
        metavar="MODEL=IN/OUT",
        repeatable=True,
        default=(),
    ),
    Option("results", "write one JSON object a sample to this file", metavar="PATH"),
    Option("temperature", "sent with each call; default: the model's own", type=amount, metavar="T"),
    Option("max-tokens", "the longest answer; default: the model's own", type=count, metavar="N"),
    Option(
        "max-retries",
        "further attempts of a call that met a rate limit or a server error",
        type=natural,
        metavar="N",
        default=2,
    ),
    Option("timeout", "seconds that one call may take", type=positive, metavar="S", default=120.0),
    Option("verify-timeout", "seconds that one verdict may take", type=positive, metavar="S", default=5.0),
    Option("parameters", "more parameters of each call, as JSON: '{\"top_p\": 0.9}'", type=json_object, metavar="JSON"),
    Option(
        "formula",
        "run only this formula, instead of drawn ones; repeatable. What a counterexample's command uses",
        metavar="TEXT",
        repeatable=True,
        default=(),
        ini=False,
    ),
)

#: Options that do something else than run, and so have no ini key.
ACTIONS: tuple[tuple[str, str], ...] = (
    ("plan", "print what a run would take (calls, tokens, cost, replayed share) and stop"),
    ("models", "list the offline models, a line each, and stop"),
)


def add_options(parser: pytest.Parser) -> None:
    """Registers the group."""
    group = parser.getgroup(
        "autoeval", "autoeval: does a language model keep the meaning between formal language and English?"
    )
    for option in OPTIONS:
        keywords: dict[str, Any] = {"help": option.help, "dest": option.key, "default": None}
        if option.default not in (None, ()):
            shown = ", ".join(option.default) if option.repeatable else option.default
            keywords["help"] += f" (default: {shown})"
        if option.choices:
            keywords["choices"] = option.choices
        else:
            keywords |= {"type": option.type, "metavar": option.metavar}
        if option.repeatable:
            keywords["action"] = "append"
        group.addoption(f"--autoeval-{option.name}", **keywords)
        if option.ini:
            parser.addini(
                option.key,
                f"as --autoeval-{option.name}",
                type="linelist" if option.repeatable else "string",
                default=None,
            )
    for name, text in ACTIONS:
        group.addoption(f"--autoeval-{name}", action="store_true", dest=f"autoeval_{name}", help=text)
    group.addoption(
        "--autoeval-explain",
        metavar="CODE",
        dest="autoeval_explain",
        help="explain an outcome's code, such as AE101, and stop",
    )


def check_options(config: pytest.Config) -> None:
    """Refuses a bad ini value before anything runs; what was typed was checked as it was parsed."""
    for option in OPTIONS:
        value(config, option)


def typed(config: pytest.Config, key: str) -> Any:
    """What was typed on the command line, or None."""
    return getattr(config.option, key, None)


def value(config: pytest.Config, option: Option) -> Any:
    """The option's value: from the command line, else the ini file, else its default."""
    given = typed(config, option.key)
    if given is not None:
        return given
    written = config.getini(option.key) if option.ini else None
    if written in (None, "", []):
        return option.default
    entries = list(written) if option.repeatable else [written]
    read = [_from_ini(option, str(entry)) for entry in entries]
    return read if option.repeatable else read[0]


def _from_ini(option: Option, text: str) -> Any:
    if option.choices and text not in option.choices:
        raise pytest.UsageError(f"ini key {option.key}: {text!r} is none of {', '.join(option.choices)}")
    try:
        return option.type(text)
    except argparse.ArgumentTypeError as problem:
        raise pytest.UsageError(f"ini key {option.key}: {problem}") from None
