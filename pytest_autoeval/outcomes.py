"""How a sample can end: every outcome with its stable code, and what it means to the person who reads it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

from pytest_autoeval.errors import AutoevalError

Kind = Literal["pass", "model failure", "undecided", "error"]


class UnknownOutcomeError(AutoevalError, LookupError):
    """There is no outcome of that name or code."""


@dataclass(frozen=True, slots=True)
class SampleOutcome:
    """One way for a sample to end.

    ``name`` and ``code`` (``AE1xx``) are stable. ``kind`` tells how it counts: ``pass`` and ``model failure`` make the
    pass rate, ``undecided`` opens it into a lower and an upper bound, ``error`` is left out of it and fails the gate.
    """

    code: str
    name: str
    kind: Kind
    title: str
    meaning: str
    causes: tuple[str, ...]
    advice: str


class _Explained(NamedTuple):
    meaning: str
    causes: tuple[str, ...]
    advice: str


_TABLE: tuple[tuple[str, str, Kind, str], ...] = (
    ("AE100", "equivalent", "pass", "The meaning survived"),
    ("AE101", "different", "model failure", "The meaning changed"),
    ("AE102", "unparseable", "model failure", "No formula was found in the answer"),
    ("AE103", "foreign symbol", "model failure", "The answer uses a symbol that was not given"),
    ("AE104", "refused or empty", "model failure", "The model refused, or said nothing"),
    ("AE105", "truncated", "model failure", "The answer was cut off"),
    ("AE106", "undecided", "undecided", "The verifier gave up"),
    ("AE107", "error", "error", "The sample could not be run"),
    ("AE108", "assertion failed", "model failure", "An assertion of the test failed"),
    ("AE109", "passed", "pass", "The test passed without asking for a verdict"),
    ("AE110", "correct", "pass", "The answer is right"),
    ("AE111", "wrong answer", "model failure", "The answer is not the right one"),
    ("AE112", "unreadable answer", "model failure", "The answer answers nothing"),
    ("AE113", "malformed trace", "model failure", "The answer is no trace"),
    ("AE114", "invalid answer", "model failure", "The answer is no possible choice or order"),
)
_EXPLAINED = {
    "equivalent": _Explained(
        meaning="The verifier proved that the formula which came back is equivalent to the one that was sent.",
        causes=("The model described the formula faithfully, and read its own description faithfully.",),
        advice="Nothing. Where the sample is also marked `leaked`, the description repeats the formula or its signs.",
    ),
    "different": _Explained(
        meaning=(
            "The answer is a well-formed formula, and there is a case on which it and the original disagree. The "
            "witness is that case: an assignment, a finite model, a string or a trace, checked by a second evaluator."
        ),
        causes=(
            "The description is wrong or can be read in two ways: the scope of a negation, which parts go together.",
            "The description was read wrongly: arguments swapped, quantifiers in another order, another connective.",
            "The description leaves a part out, which long formulas provoke.",
        ),
        advice=(
            "Read the description (or the given sentence) beside the formula. If the two agree, the reading half "
            "failed, otherwise the describing half. Start with the smallest counterexample."
        ),
    ),
    "unparseable": _Explained(
        meaning="Even the lenient reader, which knows many notations, found no formula of the asked language.",
        causes=(
            "Parentheses that do not match, or a notation that the reader does not know.",
            "An explanation in place of a formula.",
        ),
        advice="Look at `answer` in the results file, and mend the prompt; few-shot examples help most with notation.",
    ),
    "foreign symbol": _Explained(
        meaning=(
            "The answer is a formula, but it uses a name that the vocabulary does not have, a name with another "
            "number of arguments, or a variable that nothing binds."
        ),
        causes=(
            "The description named something anew, so that the reading half had to guess.",
            "A constant was taken for a variable, or a variable for a constant.",
            "Letters were changed: p for p1, Tall for tall.",
            "A sentence was translated with other names, or more or fewer of them, than it has.",
        ),
        advice="Compare the names in the description, or the given ones, with the answer's. They are case-sensitive.",
    ),
    "refused or empty": _Explained(
        meaning="The answer is empty, the server marked it as refused or filtered, or it opens as refusals do.",
        causes=(
            "A content filter took offence at a harmless name.",
            "All tokens went into reasoning, so that none were left for the answer.",
        ),
        advice="Look at `finish_reason` and `calls` in the results file. Raise the limit for a model that reasons.",
    ),
    "truncated": _Explained(
        meaning="The server ended the answer at the token limit (finish reason `length`): it is no whole answer.",
        causes=("The token limit is too low for the size of formula.", "The model repeats itself without end."),
        advice="Raise the token limit. If the answers grow without end, this is the model's failure.",
    ),
    "undecided": _Explained(
        meaning=(
            "Within its limits of time and memory the verifier could neither prove the two formulas equivalent nor "
            "find a case on which they differ. The pass rate gets a lower and an upper bound; a gate uses the lower."
        ),
        causes=(
            "First-order formulas that differ only on infinite models: no procedure decides them all.",
            "An answer far larger than the formula, or built to be hard.",
        ),
        advice="Raise the verifier's time limit, or draw smaller formulas. Where small ones are undecided, report one.",
    ),
    "error": _Explained(
        meaning=(
            "Something other than the model's answer went wrong. The sample is left out of the pass rate, and a suite "
            "with an error cannot pass its gate."
        ),
        causes=(
            "Network, quota, a server that answers malformed JSON or nothing at all.",
            "A request that is not recorded, in record mode `none`.",
            "A mistake in the test's own body: an exception other than a failed assertion.",
        ),
        advice="Read `error` in the results file, mend it and run again; what was recorded is replayed.",
    ),
    "assertion failed": _Explained(
        meaning="The test's body asserted something of its own about the model's answer, and it did not hold.",
        causes=("Whatever the assertion checks.",),
        advice="Read the assertion's message under `error` in the results file.",
    ),
    "passed": _Explained(
        meaning="The test's body came to its end, and no verifier was asked whether two formulas are equivalent.",
        causes=("The test checks something other than equivalence.", "`assert_equivalent` was forgotten."),
        advice="If the test is about meaning, let it end with `assert_equivalent(…)`.",
    ),
    "correct": _Explained(
        meaning="A question was asked, and the model gave the right answer. What is right was computed, not judged.",
        causes=("The model understood the formula, the sentence or the trace that it was asked about.",),
        advice="Nothing.",
    ),
    "wrong answer": _Explained(
        meaning="The answer could be read, and it is not the right one.",
        causes=(
            "The model misjudged how operators nest, or from which position on they count.",
            "The model guesses: compare the rates of both kinds of question, not the accuracy alone.",
        ),
        advice="Read `answer` in the results file beside `expected`, or `answered` beside `propositions`.",
    ),
    "unreadable answer": _Explained(
        meaning="A question was asked, and the answer gives none in the form asked for, or several at once.",
        causes=("The model weighs both sides and does not decide.", "An explanation with no answer at its end."),
        advice="Look at `answer` in the results file: the prompt names the form, and few-shot examples show it.",
    ),
    "malformed trace": _Explained(
        meaning="A trace was asked for, and the answer has none that could be read, or one without the propositions.",
        causes=("A finite trace, with no loop.", "States that leave the notation, or have other propositions."),
        advice="Look at `answer` in the results file; few-shot examples help most with notation.",
    ),
    "invalid answer": _Explained(
        meaning="A number or an order of numbers was asked for, and the answer has none that is possible.",
        causes=("The model describes what it would choose.", "The model loses count in a long list."),
        advice="Look at `answer` and `problem` in the results file. Structured outputs rule out what is no number.",
    ),
}
#: Every outcome by its name, in the order of the codes.
OUTCOMES = MappingProxyType(
    {name: SampleOutcome(code, name, kind, title, *_EXPLAINED[name]) for code, name, kind, title in _TABLE}
)


def outcome_named(name: str) -> SampleOutcome:
    """The outcome of that name; raises :class:`UnknownOutcomeError` listing the names."""
    if name not in OUTCOMES:
        raise UnknownOutcomeError(f"there is no outcome {name!r}; known are: {', '.join(OUTCOMES)}")
    return OUTCOMES[name]


def explain(code: str) -> str:
    """What ``--autoeval-explain CODE`` (any case) prints; raises :class:`UnknownOutcomeError` listing the codes."""
    outcome = next((one for one in OUTCOMES.values() if one.code == code.strip().upper()), None)
    if outcome is None:
        listed = "\n".join(f"  {one.code}  {one.name}" for one in OUTCOMES.values())
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
    return textwrap.fill(text, 88, initial_indent=first, subsequent_indent=rest, break_long_words=False)
