"""From a conversation to an offline model's answer: what is asked, and who answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from pytest_autoeval.languages import EnglishError, LimitError
from pytest_autoeval.models.base import Message
from pytest_autoeval.models.offline import exercises, exercises_logic, exercises_ltl
from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.behaviour import Answer
from pytest_autoeval.models.offline.catalogue import behaviour_of
from pytest_autoeval.models.offline.exercises import Exercise, Request

#: The exercises by the labels over the payloads of their prompts; a label begins a line and ends in a colon.
_EXERCISES: dict[frozenset[str], Exercise] = {
    frozenset(labels): exercise
    for labels, exercise in (
        (["Formula"], exercises.describe),
        (["Description"], exercises.read),
        (["Sentence"], exercises_ltl.find_propositions),
        (["String"], exercises_ltl.judge_string),
        (["Propositions", "Sentence"], exercises_ltl.translate),
        (["Requirement"], exercises_ltl.translate_sentence),
        (["Formula", "Trace"], exercises_ltl.judge_trace),
        (["Formula", "Wanted"], exercises_ltl.write_trace),
        (["First formula", "Second formula"], exercises.judge_pair),
        (["Symbols", "Sentence"], exercises_logic.translate),
        (["Symbols", "Formula to describe"], exercises_logic.describe),
        (["Statement to formalize"], exercises_logic.translate_openly),
        (["Statement to analyse"], exercises_logic.extract),
        (["Symbols", "Sentence", "Options"], exercises_logic.choose),
        (["Sentence", "Options"], exercises_logic.choose),
        (["Symbols", "Sentence", "Candidates"], exercises_logic.rank),
        (["Sentence", "Candidates"], exercises_logic.rank),
        (["Premises", "Conclusion"], exercises_logic.conclude),
    )
}
#: Every label that an exercise has.
LABELS = frozenset().union(*_EXERCISES)
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")


def answer(
    model: str,
    messages: Sequence[Message],
    seed: int | None = None,
    *,
    structured: bool = False,
    answer_key: AnswerKey | None = None,
) -> Answer:
    """What the offline model of that name answers; depends on nothing but the arguments.

    ``structured`` asks for JSON where the answer is a choice, an order or a label. A model without an answer says so in
    words: no JSON of the schema could. ``answer_key`` is by default that of the shipped data sets.

    Raises :class:`UnknownOfflineModelError` or :class:`ModelOptionError` for a name that is wrong.
    """
    behaviour = behaviour_of(model)
    request = replace(request_in(messages), structured=structured, answer_key=answer_key or AnswerKey())
    chance = _chance(behaviour.name, request.conversation, seed)
    try:
        return _EXERCISES[frozenset(request.payloads)](behaviour, request, chance)
    except EnglishError as problem:
        return Answer(f"I cannot tell what this says; I understand only the English of the offline models. ({problem})")
    except (LimitError, RecursionError):
        return Answer("I cannot follow this: it nests too deeply for me.")


def request_in(messages: Sequence[Message]) -> Request:
    """What the last message of the user with labels asks; one without asks to look at the answer once more.

    A payload is what follows its label, up to the next one; a label with nothing behind it is a cue for the answer and
    does not count, and of two equal ones the last does. In a conversation without labels it is the last paragraph of
    the user: to describe if it is a formula, else to read.
    """
    for number in range(len(messages), 0, -1):
        message = messages[number - 1]
        payloads = _payloads(message.content) if message.role == "user" else {}
        if wanted := _asked_for(list(payloads)):
            return Request({label: payloads[label] for label in wanted}, messages[:number])
    text = next((message.content for message in reversed(messages) if message.role == "user"), "")
    paragraph = _PARAGRAPHS.split(text.strip())[-1].strip()
    label = "Description" if exercises.formula_in(paragraph) is None else "Formula"
    return Request({label: paragraph}, messages)


def _asked_for(found: Sequence[str]) -> frozenset[str] | None:
    """The labels of the exercise that a message with these is about, or None where there is none.

    Of the exercises whose labels are all there, it is one with the last label; of those, the one with the most.
    """
    for last in reversed(found):
        if possible := [wanted for wanted in _EXERCISES if last in wanted and wanted.issubset(found)]:
            return max(possible, key=len)
    return None


def _payloads(text: str) -> dict[str, str]:
    """What stands under each label, in the order of the labels' last places."""
    known = "|".join(map(re.escape, sorted(LABELS)))
    _, *pieces = re.split(rf"^[ \t]*({known}):", text, flags=re.MULTILINE)
    found: dict[str, str] = {}
    for label, payload in zip(pieces[::2], pieces[1::2], strict=True):
        if payload.strip():
            found.pop(label, None)
            found[label] = payload.strip()
    return found


def _chance(behaviour: str, messages: Sequence[Message], seed: int | None) -> Random:
    """Random numbers for this request alone, the same on every machine."""
    request = [behaviour, seed, *([message.role, message.content] for message in messages)]
    return Random(hashlib.sha256(json.dumps(request).encode()).digest())  # noqa: S311
