"""What an offline model can be asked to do, each exercise told by the labels over the payloads of its prompt.

A label stands at the start of a line and ends in a colon: ``Formula:``. A function under :func:`exercise` does an
exercise; the two halves of the round trip are here, those of single languages in modules of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from random import Random

from pytest_autoeval.languages import EnglishError, Formula, FormulaSyntaxError, language, language_names
from pytest_autoeval.models.base import Message
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour


@dataclass(frozen=True, slots=True)
class Request:
    """What a conversation asks for: the payloads under their labels, and all that was said up to them.

    ``structured`` tells that the answer has to be JSON: reasons, then the answer.
    """

    payloads: Mapping[str, str]
    conversation: Sequence[Message] = ()
    structured: bool = False

    def mentions(self, word: str) -> bool:
        """Whether the word was said anywhere in the conversation."""
        return any(word in message.content for message in self.conversation)


Exercise = Callable[[Behaviour, Request, Random], Answer]

_MODULES = (
    "pytest_autoeval.models.offline.exercises_ltl",
    "pytest_autoeval.models.offline.exercises_pairs",
    "pytest_autoeval.models.offline.exercises_sentences",
    "pytest_autoeval.models.offline.exercises_choices",
    "pytest_autoeval.models.offline.exercises_entailment",
)
_REGISTERED: dict[frozenset[str], Exercise] = {}


def exercise(*labels: str) -> Callable[[Exercise], Exercise]:
    """Registers a function as what is done with payloads under just these labels."""

    def register(function: Exercise) -> Exercise:
        _REGISTERED[frozenset(labels)] = function
        return function

    return register


def labels() -> frozenset[str]:
    """Every label that an exercise has."""
    _load_modules()
    return frozenset().union(*_REGISTERED)


def asked_for(found: Sequence[str]) -> frozenset[str] | None:
    """The labels of the exercise that a message with these is about, or None where there is none.

    Of the exercises whose labels are all there, it is one with the last label; of those, the one with the most.
    """
    _load_modules()
    for last in reversed(found):
        possible = [wanted for wanted in _REGISTERED if last in wanted and wanted.issubset(found)]
        if possible:
            return max(possible, key=len)
    return None


def perform(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """The answer to a request; raises :class:`EnglishError` for text that is not understood."""
    _load_modules()
    return _REGISTERED[frozenset(request.payloads)](behaviour, request, chance)


@exercise("Formula")
def describe(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A formula into English."""
    formula = formula_in(request.payloads["Formula"])
    if formula is None:
        return Answer("I cannot describe this: it is not written as a formula of a language that I know.")
    return Answer(behaviour.describe(formula, chance))


@exercise("Description")
def read(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """English into a formula."""
    return behaviour.read(request.payloads["Description"], chance)


def reasoned(request: Request, reasons: str, answer: int | str | Sequence[int]) -> Answer:
    """The answer to a question behind the reasons for it, in the way that was asked for."""
    if request.structured:
        return Answer(json.dumps({"reasoning": reasons, "answer": answer}, ensure_ascii=False))
    shown = answer if isinstance(answer, int | str) else ", ".join(map(str, answer))
    return Answer(f"{reasons}\n\nAnswer: {shown}")


def numbered(text: str) -> tuple[str, ...]:
    """The entries of a numbered list, each on its line or on several; raises :class:`EnglishError`."""
    before, *pieces = re.split(r"^[ \t]*(\d+)[.)][ \t]+", text, flags=re.MULTILINE)
    entries = tuple(" ".join(entry.split()) for entry in pieces[1::2])
    if before.strip() or not entries or [int(number) for number in pieces[::2]] != list(range(1, len(entries) + 1)):
        raise EnglishError("what was to be a numbered list does not count from 1")
    return entries


def formula_in(text: str) -> Formula | None:
    """The formula that the text strictly is, in the first language that writes it so, or else that takes it.

    Languages share texts: ``p1 & p2`` is how one of them writes it, and what others understand. One whose names are no
    mere numbers goes first: ``01`` would do for a name, and is a regular expression.
    """
    found: list[tuple[bool, bool, Formula]] = []
    for name in language_names():
        tongue = language(name)
        try:
            formula = tongue.parse(text)
        except FormulaSyntaxError:
            continue
        is_numbered = any(symbol.isdecimal() for symbol in tongue.symbols(formula).names)
        found.append((is_numbered, tongue.format(formula) != text, formula))
    return min(found, key=lambda one: one[:2])[2] if found else None


@cache
def _load_modules() -> None:
    for module in _MODULES:
        import_module(module)
