"""How a sample can end, with codes and explanations, and the other fixed words of a row: labels and promptings."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from enum import StrEnum
from sys import intern
from types import MappingProxyType
from typing import Literal, NamedTuple

from pytest_autoeval.by_name import added
from pytest_autoeval.errors import AutoevalError, did_you_mean
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.outcome_texts import OUTCOME_TEXTS


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
    #: The worked example is another sentence of the story that the sample is from.
    SAME_STORY = "same-story"


class UnknownOutcomeError(AutoevalError, LookupError):
    """There is no outcome with that name or code."""


class SampleOutcome(NamedTuple):
    """How a sample can end.

    Attributes:
        code: stable; ``AE1xx`` for a shipped one.
        name: stable.
        kind: how it counts. ``pass`` and ``model failure`` make the pass rate, ``undecided`` opens it into a lower and
            an upper bound, ``error`` is left out of it and fails the gate.
        title: what it means, in a few words.
        meaning: what it means, in a few sentences.
        causes: the likely causes.
        advice: what to do.
        about: whether it is about the ``meaning`` of an answer or its ``form``; empty for neither.
        answer_read: whether something of the asked form was read in the answer.
        of_round_trip: whether a round trip lost the meaning in this way, in one of its halves.
    """

    code: str
    name: str
    kind: OutcomeKind
    title: str
    meaning: str = ""
    causes: tuple[str, ...] = ()
    advice: str = ""
    about: Literal["meaning", "form", ""] = ""
    answer_read: bool = True
    of_round_trip: bool = False


#: Every outcome by its name, in the order of the codes.
OUTCOMES: Mapping[str, SampleOutcome] = MappingProxyType(
    {
        Outcome(texts["name"]): SampleOutcome(**texts | {"kind": OutcomeKind(texts["kind"])})
        for texts in OUTCOME_TEXTS
    }
)


#: How each shipped outcome counts, by its name. Samples that were read share this string, so it is found at once.
_KINDS = {intern(outcome.name): outcome.kind for outcome in OUTCOMES.values()}
#: The outcomes of a user's own that results files declare, by name: files that are read together must agree.
_DECLARED: dict[str, SampleOutcome] = {}
#: The codes of outcomes of a user's own.
_OWN_CODE = lazy_pattern(r"(?!AE)[A-Z]{2,8}[0-9]{1,4}")


def check_own_outcome(outcome: SampleOutcome) -> None:
    """Raises :class:`AutoevalError` if an outcome of a user's own has a wrong value, or a name that is taken."""
    about = f"the outcome {outcome.name!r}"
    if (
        not isinstance(outcome.name, str)
        or not outcome.name.strip()
        or not outcome.name.isprintable()
    ):
        raise AutoevalError(f"the name of an outcome is {outcome.name!r}; give a text on one line")
    taken = {
        text.casefold() for shipped in OUTCOMES.values() for text in (shipped.name, shipped.code)
    }
    if outcome.name.casefold() in taken:  # `--autoeval-explain` ignores case
        raise AutoevalError(f"{about} is a shipped one; give yours another name")
    if not isinstance(outcome.code, str) or not _OWN_CODE.fullmatch(outcome.code):
        raise AutoevalError(
            f"{about}: its code is {outcome.code!r}; give two to eight capitals, not AE, and a number"
        )
    if outcome.kind not in (OutcomeKind.MODEL_FAILURE, OutcomeKind.UNDECIDED, OutcomeKind.ERROR):
        known = ", ".join(f"{kind}" for kind in OutcomeKind if kind != OutcomeKind.PASS)
        raise AutoevalError(f"{about}: its kind is {str(outcome.kind)!r}; known are: {known}")
    _check_texts(outcome, about)


def _check_texts(outcome: SampleOutcome, about: str) -> None:
    """Raises :class:`AutoevalError` for values that a results file cannot declare, before anything is asked."""
    for name in ("title", "meaning", "advice"):
        if not isinstance(text := getattr(outcome, name), str):
            raise AutoevalError(f"{about}: its {name} is {text!r}; give a text")
    if not outcome.title.strip():
        raise AutoevalError(f"{about}: its title is empty; say in a few words what it means")
    if not all(isinstance(cause, str) for cause in outcome.causes):
        raise AutoevalError(
            f"{about}: its causes are {list(outcome.causes)!r}; give a list of texts"
        )
    if outcome.about not in ("meaning", "form", ""):
        raise AutoevalError(f"{about}: it is about {outcome.about!r}; known are: meaning, form")
    if not isinstance(outcome.answer_read, bool):
        raise AutoevalError(f"{about}: answer_read is {outcome.answer_read!r}; give True or False")


def declare_outcome(outcome: SampleOutcome) -> None:
    """Makes an outcome known that a results file declares.

    Raises :class:`AutoevalError` if it is a wrong one, or another file declares it with another kind or code.
    """
    check_own_outcome(outcome)
    known = _DECLARED.setdefault(outcome.name, outcome)
    if (known.kind, known.code) != (outcome.kind, outcome.code):
        raise AutoevalError(
            f"the outcome {outcome.name!r} is {outcome.code} ({outcome.kind}) here, and {known.code} ({known.kind}) in "
            "another file"
        )


def known_outcomes() -> dict[str, SampleOutcome]:
    """The outcomes that samples of this run can have, by name: the shipped ones, and those that the run added."""
    return {**OUTCOMES, **added("outcome")}


#: How a shipped outcome counts, by its name; None for any other name. A report asks forty times for each sample.
shipped_kind = _KINDS.get


def outcome_named(name: str) -> SampleOutcome:
    """The outcome of a name in this run; raises :class:`UnknownOutcomeError` with the known names.

    A recorded sample has its outcome from its own suite (`outcome_among`): its run may have added others.
    """
    known = OUTCOMES if name in OUTCOMES else known_outcomes()
    if name not in known:
        raise UnknownOutcomeError(f"there is no outcome {name!r}; known are: {', '.join(known)}")
    return known[name]


_WORDS = "The page Words of the documentation explains the other words of a report, such as witness and gate."


def explain(text: str, others: Mapping[str, str] = MappingProxyType({})) -> str:
    """The text for ``--autoeval-explain CODE``, in any case, or the name of an outcome.

    ``others`` are further words with their texts. Raises :class:`UnknownOutcomeError` for any other text.
    """
    key = text.strip().casefold()
    if key in others:
        return others[key]
    if key.isdecimal():
        # The number alone is clear: every code has the same letters before it.
        key = f"ae{key}"
    by_key: dict[str, SampleOutcome] = {}
    for known_outcome in known_outcomes().values():
        by_key.setdefault(known_outcome.code.casefold(), known_outcome)
        by_key.setdefault(known_outcome.name.casefold(), known_outcome)
    if key not in by_key:
        raise _unknown_outcome(text, others)
    outcome = by_key[key]
    causes = "\n".join(_paragraph(cause, "  - ", "    ") for cause in outcome.causes)
    lines = [f"{outcome.code} {outcome.name}: {outcome.title}", ""]
    if outcome.meaning:
        lines += [_paragraph(outcome.meaning), ""]
    lines += [f"Counts as: {outcome.kind}", ""]
    if causes:
        lines += ["Likely causes", causes, ""]
    if outcome.advice:
        lines += ["What to do", _paragraph(outcome.advice, "  ", "  "), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _unknown_outcome(text: str, others: Mapping[str, str]) -> UnknownOutcomeError:
    known = known_outcomes().values()
    hint = did_you_mean(text.strip(), [*(outcome.name for outcome in known), *others])
    lines = [f"  {outcome.code}  {outcome.name}" for outcome in known]
    if others:
        lines.append(f"and how a suite ends: {', '.join(others)}")
    listed = "\n".join(lines)
    return UnknownOutcomeError(
        f"there is no outcome with the code or name {text!r}.{hint} Known are:\n{listed}\n{_WORDS}"
    )


def _paragraph(text: str, indent: str = "", next_indent: str = "") -> str:
    """A text in lines. The first one has ``indent``, the others ``next_indent``."""
    return textwrap.fill(
        text, 88, initial_indent=indent, subsequent_indent=next_indent, break_on_hyphens=False
    )
