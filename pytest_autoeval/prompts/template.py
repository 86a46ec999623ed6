"""A prompt template: texts with named slots, and the conversation they make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_autoeval.errors import AutoevalError

Role = Literal["system", "user", "assistant"]

#: ``$$`` is a dollar sign, ``${name}`` a slot; any other dollar sign stands for itself.
_SLOT = re.compile(r"\$(?:(?P<dollar>\$)|\{(?P<name>[^{}\n]*)\})")


class PromptError(AutoevalError):
    """A prompt template cannot be used: the message names the file and what to mend."""


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: what fills the user turn's slots, and the answer it should get."""

    slots: Mapping[str, str]
    answer: str


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """The prompt of one task for one language.

    ``path`` is its file; ``system`` may be empty; ``user`` is the turn that carries the sample; ``refine`` is the turn
    that asks, in the same conversation, to check the answer once more.
    """

    path: Path
    system: str
    user: str
    examples: tuple[Example, ...] = ()
    refine: str = ""

    def render(self, slots: Mapping[str, str], *, few_shot: bool) -> list[tuple[Role, str]]:
        """The conversation, as turns of role and content.

        ``slots`` are filled in literally, once: a ``$`` in them has no meaning. Raises :class:`PromptError` for a slot
        without a value, and for few-shot prompting without examples.
        """
        if few_shot and not self.examples:
            raise PromptError(f"{self.path}: few-shot prompting needs [[examples]], and the template has none")
        turns: list[tuple[Role, str]] = []
        if self.system:
            turns.append(("system", self._fill(self.system, slots)))
        for example in self.examples if few_shot else ():
            turns.append(("user", self._fill(self.user, example.slots)))
            turns.append(("assistant", example.answer))
        turns.append(("user", self._fill(self.user, slots)))
        return turns

    def _fill(self, text: str, slots: Mapping[str, str]) -> str:
        def value(match: re.Match[str]) -> str:
            if match["dollar"]:
                return "$"
            if match["name"] not in slots:
                raise PromptError(f"{self.path}: unknown slot ${{{match['name']}}}; {known_slots(slots)}")
            return slots[match["name"]]

        return _SLOT.sub(value, text)


def slots_in(text: str) -> Iterator[str]:
    """The names between ``${`` and ``}`` in a text, in order, well-formed or not."""
    return (match["name"] for match in _SLOT.finditer(text) if match["name"] is not None)


def known_slots(names: Iterable[str]) -> str:
    """The part of an error message that lists the known slots."""
    return f"known are: {', '.join(f'${{{name}}}' for name in sorted(names))}"
