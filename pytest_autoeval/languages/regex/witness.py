"""Strings: what two regular expressions differ on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_autoeval.languages.regex.minimal import small_automaton
from pytest_autoeval.languages.regex.syntax import Expression

#: States of an automaton that is still written out, to be drawn: with more, a person sees nothing.
MAX_DRAWN_STATES = 12


@dataclass(frozen=True, slots=True)
class DistinguishingString:
    """A string that one of two expressions accepts and the other does not; what it is is all that makes it equal."""

    text: str
    accepted_by: Literal["first", "second"]
    expressions: tuple[Expression, Expression] | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        other = "second" if self.accepted_by == "first" else "first"
        return f"{self.text or 'ε'} (accepted by the {self.accepted_by}, not by the {other})"

    def to_json(self) -> dict[str, Any]:
        """``kind``, the string (empty for ε), which expression accepts it, ``first`` or ``second``, and ``automata``.

        ``left`` and ``right`` say the same of the two expressions as of two formulas. The automata are the minimal one
        of each, None where it has more than ``MAX_DRAWN_STATES`` states or is not known; see
        :func:`~pytest_autoeval.languages.regex.minimal.small_automaton`.
        """
        automata: dict[str, Any] = {"first": None, "second": None}
        for side, expression in zip(automata, self.expressions or (), strict=False):
            automaton = small_automaton(expression, MAX_DRAWN_STATES)
            automata[side] = automaton and automaton.to_json()
        return {
            "kind": "string",
            "text": self.text,
            "accepted_by": self.accepted_by,
            "left": self.accepted_by == "first",
            "right": self.accepted_by == "second",
            "automata": automata,
        }
