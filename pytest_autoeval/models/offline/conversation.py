"""From a conversation to an offline model's answer: which task it is, what it is about, who answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from pytest_autoeval.languages import Formula, FormulaSyntaxError, language, language_names
from pytest_autoeval.models.base import Message
from pytest_autoeval.models.offline.behaviour import Answer, behaviour_of
from pytest_autoeval.models.offline.words import NotThisEnglishError

_MARKER = re.compile(r"^[ \t]*(?P<kind>Formula|Description):", re.MULTILINE)
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Request:
    """What a conversation asks for: to describe a formula, or to read a description; and which one."""

    task: Literal["describe", "read"]
    payload: str


def answer(model: str, messages: Sequence[Message], seed: int | None = None) -> Answer:
    """What the offline model of that name answers; depends on nothing but the arguments.

    Raises :class:`UnknownOfflineModelError` or :class:`OfflineOptionError` for a name that is wrong.
    """
    behaviour = behaviour_of(model)
    request = request_in(messages)
    chance = _chance(behaviour.name, messages, seed)
    try:
        if request.task == "read":
            return behaviour.read(request.payload, chance)
        formula = _parsed(request.payload)
        if formula is None:
            return Answer("I cannot describe this: it is not written as a formula of a language that I know.")
        return Answer(behaviour.describe(formula, chance))
    except NotThisEnglishError as problem:
        return Answer(f"I cannot tell what this says; I understand only the English of the offline models. ({problem})")
    except RecursionError:
        return Answer("I cannot follow this: it nests too deeply for me.")


def request_in(messages: Sequence[Message]) -> Request:
    """What the last message of the user asks.

    It is what follows the last line that begins with ``Formula:`` or ``Description:``; such a line with nothing behind
    it at the very end is a cue for the answer, and the one before it counts. In a message without such lines it is the
    last paragraph: to describe if it is a formula, else to read.
    """
    text = next((message.content for message in reversed(messages) if message.role == "user"), "")
    end = len(text)
    for marker in reversed(list(_MARKER.finditer(text))):
        if payload := text[marker.end() : end].strip():
            return Request("describe" if marker["kind"] == "Formula" else "read", payload)
        end = marker.start()
    paragraph = _PARAGRAPHS.split(text.strip())[-1].strip()
    return Request("read" if _parsed(paragraph) is None else "describe", paragraph)


def _parsed(text: str) -> Formula | None:
    """The formula that the text strictly is, in the first language that takes it.

    One whose names are no mere numbers goes first: ``01`` would do for a name, and is a regular expression.
    """
    numbered = None
    for name in language_names():
        tongue = language(name)
        try:
            formula = tongue.parse(text)
        except FormulaSyntaxError:
            continue
        if not any(symbol.isdecimal() for symbol in tongue.symbols(formula).names):
            return formula
        numbered = numbered or formula
    return numbered


def _chance(behaviour: str, messages: Sequence[Message], seed: int | None) -> Random:
    """Random numbers for this request alone, the same on every machine."""
    request = [behaviour, seed, *([message.role, message.content] for message in messages)]
    return Random(hashlib.sha256(json.dumps(request).encode()).digest())  # noqa: S311
