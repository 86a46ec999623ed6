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
from pytest_autoeval.models.offline import exercises
from pytest_autoeval.models.offline.behaviour import Answer, behaviour_of
from pytest_autoeval.models.offline.exercises import Request

_PARAGRAPHS = re.compile(r"\n[ \t]*\n")


def answer(model: str, messages: Sequence[Message], seed: int | None = None, *, structured: bool = False) -> Answer:
    """What the offline model of that name answers; depends on nothing but the arguments.

    ``structured`` asks for JSON where the answer is a choice, an order or a label. What the model cannot tell it says
    in words, as it would refuse: no JSON of the schema could say so.

    Raises :class:`UnknownOfflineModelError` or :class:`OfflineOptionError` for a name that is wrong.
    """
    behaviour = behaviour_of(model)
    request = replace(request_in(messages), structured=structured)
    chance = _chance(behaviour.name, request.conversation, seed)
    try:
        return exercises.perform(behaviour, request, chance)
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
        if wanted := exercises.asked_for(list(payloads)):
            return Request({label: payloads[label] for label in wanted}, messages[:number])
    text = next((message.content for message in reversed(messages) if message.role == "user"), "")
    paragraph = _PARAGRAPHS.split(text.strip())[-1].strip()
    label = "Description" if exercises.formula_in(paragraph) is None else "Formula"
    return Request({label: paragraph}, messages)


def _payloads(text: str) -> dict[str, str]:
    """What stands under each label, in the order of the labels' last places."""
    known = "|".join(map(re.escape, sorted(exercises.labels())))
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
