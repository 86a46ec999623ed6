"""How a sample can end, with codes and explanations, and the other fixed words of a row: labels and promptings."""

from __future__ import annotations

import textwrap
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from pytest_autoeval.errors import AutoevalError


class OutcomeKind(StrEnum):
    """How an outcome counts in the pass rate."""

    __repr__ = str.__repr__

    PASS = "pass"  # noqa: S105
    MODEL_FAILURE = "model failure"
    UNDECIDED = "undecided"
    ERROR = "error"


class Outcome(StrEnum):
    """The names of the outcomes. :data:`OUTCOMES` explains each."""

    __repr__ = str.__repr__

    EQUIVALENT = "equivalent"
    DIFFERENT = "different"
    UNPARSEABLE = "unparseable"
    FOREIGN_SYMBOL = "foreign symbol"
    REFUSED_OR_EMPTY = "refused or empty"
    TRUNCATED = "truncated"
    UNDECIDED = "undecided"
    ERROR = "error"
    ASSERTION_FAILED = "assertion failed"
    PASSED = "passed"
    CORRECT = "correct"
    WRONG_ANSWER = "wrong answer"
    UNREADABLE_ANSWER = "unreadable answer"
    MALFORMED_TRACE = "malformed trace"
    INVALID_ANSWER = "invalid answer"
    COPIED = "copied"
    CONTRADICTS_ANSWER = "contradicts an answer"
    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    NOT_VERIFIED = "not verified"


class Label(StrEnum):
    """What premises say of a conclusion."""

    __repr__ = str.__repr__

    TRUE = "True"
    FALSE = "False"
    UNCERTAIN = "Uncertain"


class Prompting(StrEnum):
    """Which kind of prompts is used."""

    __repr__ = str.__repr__

    ZERO_SHOT = "zero-shot"
    FEW_SHOT = "few-shot"
    SELF_REFINE = "self-refine"


class UnknownOutcomeError(AutoevalError, LookupError):
    """There is no outcome with that name or code."""


@dataclass(frozen=True, slots=True)
class SampleOutcome:
    """How a sample can end.

    ``name`` and ``code`` (``AE1xx``) are stable. ``kind`` says how it counts: ``pass`` and ``model failure`` make the
    pass rate, ``undecided`` opens it into a lower and an upper bound, ``error`` is left out of it and fails the gate.
    """

    code: str
    name: str
    kind: OutcomeKind
    title: str
    meaning: str
    causes: tuple[str, ...]
    advice: str


def _read() -> dict[str, SampleOutcome]:
    entries = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["outcomes"]
    outcomes = [
        SampleOutcome(**entry | {"kind": OutcomeKind(entry["kind"]), "causes": tuple(entry["causes"])})
        for entry in entries
    ]
    return {Outcome(outcome.name): outcome for outcome in outcomes}


#: Every outcome by its name, in the order of the codes; the texts stand in `outcomes.toml`.
OUTCOMES = MappingProxyType(_read())


#: How each outcome counts, by its name.
KINDS = MappingProxyType({name: outcome.kind for name, outcome in OUTCOMES.items()})


def outcome_named(name: str) -> SampleOutcome:
    """The outcome of a name; raises :class:`UnknownOutcomeError` with the known names."""
    if name not in OUTCOMES:
        raise UnknownOutcomeError(f"there is no outcome {name!r}; known are: {', '.join(OUTCOMES)}")
    return OUTCOMES[name]


def explain(code: str) -> str:
    """The text for ``--autoeval-explain CODE``, in any case; raises :class:`UnknownOutcomeError` for other codes."""
    outcome = next((known for known in OUTCOMES.values() if known.code == code.strip().upper()), None)
    if outcome is None:
        listed = "\n".join(f"  {known.code}  {known.name}" for known in OUTCOMES.values())
        raise UnknownOutcomeError(f"there is no outcome with the code {code!r}; known are:\n{listed}")
    causes = "\n".join(_paragraph(cause, "  - ", "    ") for cause in outcome.causes)
    return (
        f"{outcome.code} {outcome.name}: {outcome.title}\n\n"
        f"{_paragraph(outcome.meaning)}\n\n"
        f"Counts as: {outcome.kind}\n\n"
        f"Likely causes\n{causes}\n\n"
        f"What to do\n{_paragraph(outcome.advice, '  ', '  ')}\n"
    )


def _paragraph(text: str, first: str = "", rest: str = "") -> str:
    return textwrap.fill(text, 88, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
