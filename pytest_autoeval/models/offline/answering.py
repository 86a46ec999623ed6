"""Answers a conversation: finds the exercise by the labels in the prompt, and lets the model's behaviour do it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import TypeAlias

from pytest_autoeval.built_in import provided, shipped
from pytest_autoeval.languages import (
    EnglishError,
    Formula,
    Language,
    LimitError,
    formulas_of,
    language_of,
)
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour, Request
from pytest_autoeval.models.offline.offline_models import behaviour_of
from pytest_autoeval.models.protocols import Message

#: The labels of the verdict in prompts that ask for reasons before it. Such a prompt shows the label with a "yes".
_VERDICT_LABELS = ("Answer:", "[Answer]")


def describe(behaviour: Behaviour, request: Request, _chance: Random) -> Answer:
    formula = formula_in(request.payloads["Formula"])
    if formula is None:
        return Answer(
            "I cannot describe this: it is not written as a formula of a language that I know."
        )
    lang = language_of(formula)
    try:
        return Answer(behaviour.describe(formula, lang.describe))
    except EnglishError:
        # A user's language may have no English at all. An answer that quotes the formula would fail as a copy.
        if type(lang).describe is not Language.describe:
            raise
        why = f"the language {lang.name} has no English for the offline models"
        advice = "define describe and read_description, or name a real model"
        return Answer("", refusal=f"{why}: {advice}")


def read(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    return behaviour.read(request.payloads["Description"], chance)


def judge_pair(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """Whether two formulas are equivalent, with a reason if the prompt asks for one."""
    parsed = formulas_of(request.payloads["First formula"], request.payloads["Second formula"])
    if parsed is None:
        raise EnglishError("these are not two formulas of one language that I know")
    lang, (formula, compared) = parsed
    verdict = behaviour.compare(formula, compared, lang, chance)
    if verdict.outcome == VerdictOutcome.UNDECIDED:
        return Answer("I cannot tell whether they mean the same.")
    verdict_word = "yes" if verdict.outcome == VerdictOutcome.EQUIVALENT else "no"
    label = next((label for label in _VERDICT_LABELS if request.mentions(f"{label} yes")), None)
    if label is None:
        return Answer(verdict_word)
    if verdict.outcome == VerdictOutcome.EQUIVALENT:
        reason = "I looked for a case on which the two formulas come apart, and there is none."
    elif verdict.witness is None:
        reason = "The two formulas seem to come apart in some case."
    else:
        lines = map(str.strip, str(verdict.witness).splitlines())
        case = "; ".join(filter(None, lines))
        reason = (
            f"The two formulas come apart in this case, where the left is the first formula: {case}"
        )
    return Answer(f"{reason}\n\n{label} {verdict_word}")


#: Answers a request, as a model behaves; with random numbers for this request alone.
Exercise: TypeAlias = Callable[[Behaviour, Request, Random], Answer]

#: The exercises of the core, by the labels of their payloads in prompts; a label begins a line and ends in a colon.
_CORE: dict[str, Exercise] = {
    "Formula": describe,
    "Description": read,
    "First formula, Second formula": judge_pair,
}
#: The names of all exercises, by their labels.
_NAMES = {frozenset(name.split(", ")): name for name in (*_CORE, *provided("exercise"))}
#: The labels of all exercises.
LABELS = frozenset().union(*_NAMES)
#: Headings of the interface ``paper``, each alone on its line, with the labels that they stand for.
_HEADINGS = {
    "[FORMULA]": "Formula",
    "[DESCRIPTION]": "Description",
    "[FORMULA 1]": "First formula",
    "[FORMULA 2]": "Second formula",
}
_NOT_UNDERSTOOD = (
    "I cannot tell what this says; I understand only the English of the offline models."
)
_PARAGRAPHS = lazy_pattern(r"\n[ \t]*\n")


def answer(
    model: str,
    messages: Sequence[Message],
    seed: int | None = None,
    *,
    structured: bool = False,
    answer_key: AnswerKey | None = None,
) -> Answer:
    """The answer of an offline model; a function of the arguments alone.

    Args:
        model: the name, with options.
        messages: the conversation.
        seed: of the random numbers.
        structured: choices, orders and labels are given as JSON. A model that cannot answer says so in plain text.
        answer_key: default: that of the shipped data sets.

    Raises :class:`UnknownOfflineModelError` or :class:`ModelOptionError` for a wrong name.
    """
    behaviour = behaviour_of(model)
    request = replace(
        request_in(messages), structured=structured, answer_key=answer_key or AnswerKey()
    )
    # Random numbers for this request alone, the same on every machine.
    identity = [
        behaviour.name,
        seed,
        *([message.role, message.content] for message in request.conversation),
    ]
    chance = Random(hashlib.sha256(json.dumps(identity).encode()).digest())  # noqa: S311
    try:
        return _exercise(request)(behaviour, request, chance)
    except EnglishError as problem:
        return Answer(f"{_NOT_UNDERSTOOD} ({problem})")
    except (LimitError, RecursionError):
        return Answer("I cannot follow this: it nests too deeply for me.")


def understands(model: str, messages: Sequence[Message]) -> bool:
    """Whether an offline model can read the text that it is asked about. Raises as :func:`answer` does."""
    return not answer(model, messages).text.startswith(_NOT_UNDERSTOOD)


def _exercise(request: Request) -> Exercise:
    name = _NAMES[frozenset(request.payloads)]
    if name in _CORE:
        return _CORE[name]
    exercise: Exercise = shipped("exercise", name)
    return exercise


def request_in(messages: Sequence[Message]) -> Request:
    """The request in the last message of the user with labels; a later message without labels asks for a second look.

    A payload follows its label, up to the next label. An empty one is a cue for the answer and does not count; the last
    of two equal labels counts. The exercise is the one with the most labels, among those with the last label whose
    labels are all present. Without any label, the last paragraph of the user counts: the model describes a formula and
    reads any other text.
    """
    # From the end: a second look or a refinement follows the request that it is about.
    for number in range(len(messages), 0, -1):
        message = messages[number - 1]
        payloads = _payloads(message.content) if message.role == "user" else {}
        for last_label in reversed(payloads):
            # A prompt may show other exercises as examples before the one that it asks for.
            possible = [
                labels for labels in _NAMES if last_label in labels and labels <= payloads.keys()
            ]
            if possible:
                labels = max(possible, key=len)
                return Request({label: payloads[label] for label in labels}, messages[:number])
    text = next((message.content for message in reversed(messages) if message.role == "user"), "")
    paragraph = _PARAGRAPHS.split(text.strip())[-1].strip()
    label = "Description" if formula_in(paragraph) is None else "Formula"
    return Request({label: paragraph}, messages)


def _payloads(text: str) -> dict[str, str]:
    """The payload of each label, in the order of the labels' last occurrences."""
    known, headings = ("|".join(map(re.escape, sorted(names))) for names in (LABELS, _HEADINGS))
    _, *pieces = re.split(rf"^[ \t]*((?:{known}):|(?:{headings})[ \t]*$)", text, flags=re.MULTILINE)
    payloads: dict[str, str] = {}
    for found, payload in zip(pieces[::2], pieces[1::2], strict=True):
        label = _HEADINGS.get(found.strip()) or found.removesuffix(":")
        if payload.strip():
            payloads.pop(label, None)
            payloads[label] = payload.strip()
    return payloads


def formula_in(text: str) -> Formula | None:
    """The strictly parsed formula, in the language of :func:`formulas_of`, or None."""
    parsed = formulas_of(text)
    return parsed[1][0] if parsed else None
