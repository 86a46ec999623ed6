"""Lassos: infinite traces with a finite prefix and a loop that repeats for ever.

The canonical text is ``x1 & !x2; !x1 & x2; cycle{x1 & x2}``: states between semicolons, the loop in ``cycle{…}``. It
writes every atom in every state; when a text is read, an atom that a state does not mention is false there. ``1`` is a
state that mentions none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError
from pytest_autoeval.languages.ltl.parser import is_name
from pytest_autoeval.lazy_pattern import lazy_pattern

#: The largest number of characters of a trace's text.
MAX_LENGTH = 100_000
#: The largest number of states of a trace's text.
MAX_STATES = 1_000

State = frozenset[str]

_SPACE = " \t\r\n\f\v"
_LOOP = lazy_pattern(r"(?:\A|;)\s*cycle\s*\{(?P<states>[^{}]*)\}\s*\Z", re.ASCII)
_LITERAL = lazy_pattern(r"\s*+(?P<not>!?)\s*+(?P<name>[A-Za-z_][\w.]*+)\s*+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Lasso:
    """An ultimately periodic trace: the states of ``prefix``, then those of ``loop`` for ever.

    A state is the set of the propositions that hold in it. ``atoms`` are all propositions of the trace, in the order of
    the text. ``loop`` is never empty. ``str`` is the canonical text: ``parse_trace(str(lasso)) == lasso``.
    """

    atoms: tuple[str, ...]
    prefix: tuple[State, ...]
    loop: tuple[State, ...]

    def __post_init__(self) -> None:
        if not self.loop:
            raise ValueError("the loop of a lasso has at least one state")
        if strange := frozenset().union(*self.states).difference(self.atoms):
            raise ValueError(
                f"the trace has states over {', '.join(sorted(strange))}, which are not among its atoms"
            )

    def __str__(self) -> str:
        states = [
            " & ".join(atom if atom in state else f"!{atom}" for atom in self.atoms) or "1"
            for state in self.states
        ]
        start = len(self.prefix)
        loop = "; ".join(states[start:])
        return "; ".join([*states[:start], f"cycle{{{loop}}}"])

    @property
    def states(self) -> tuple[State, ...]:
        """The states of the prefix and of one turn of the loop."""
        return (*self.prefix, *self.loop)


def to_python(lasso: Lasso) -> str:
    """The trace as a Python expression: ``Trace(prefix=[{"x1": True}], loop=[{"x1": False}])``."""
    states = [
        "{" + ", ".join(f'"{atom}": {atom in state}' for atom in lasso.atoms) + "}"
        for state in lasso.states
    ]
    start = len(lasso.prefix)
    prefix = ", ".join(states[:start])
    loop = ", ".join(states[start:])
    return f"Trace(prefix=[{prefix}], loop=[{loop}])"


def parse_trace(text: str, atoms: Sequence[str] | None = None) -> Lasso:
    """The trace of a text in the strict notation, over the given atoms, or else over those that it mentions, in order.

    Raises :class:`FormulaSyntaxError`, with line and column, for anything but a canonical trace, for an atom that is
    not given and for a contradictory state; :class:`LimitError` for more than ``MAX_LENGTH`` characters or
    ``MAX_STATES`` states.
    """
    if len(text) > MAX_LENGTH:
        raise LimitError(
            f"the trace has {len(text):,} characters; at most {MAX_LENGTH:,} are read",
            text,
            MAX_LENGTH,
        )
    loop = _LOOP.search(text)
    if loop is None:
        raise FormulaSyntaxError(
            "the trace has no loop at its end", text, len(text), ("'; cycle{…}'",)
        )
    # Counted before states are made: an answer may be hostile.
    if text.count(";", 0, loop.end()) >= MAX_STATES:
        raise LimitError(
            f"the trace has more than {MAX_STATES:,} states; use a shorter one", text, 0
        )
    mentioned: dict[str, None] = {}
    prefix = _states(text, 0, loop.start(), atoms, mentioned) if loop.start() else ()
    repeated = _states(text, loop.start("states"), loop.end("states"), atoms, mentioned)
    return Lasso(tuple(mentioned if atoms is None else atoms), prefix, repeated)


def _states(
    text: str, offset: int, end: int, atoms: Sequence[str] | None, mentioned: dict[str, None]
) -> tuple[State, ...]:
    """The states between two offsets of a text; adds their atoms to ``mentioned``."""
    states: list[State] = []
    for state_text in text[offset:end].split(";"):
        values: dict[str, bool] = {}
        for literal_text in state_text.split("&"):
            # The empty conjunction: a state over no atoms, or one in which none holds.
            if state_text.strip(_SPACE) != "1":
                start = offset + len(literal_text) - len(literal_text.lstrip(_SPACE))
                name, value = _literal(text, literal_text, start, atoms)
                if values.setdefault(name, value) is not value:
                    raise FormulaSyntaxError(f"the state says both {name} and !{name}", text, start)
                mentioned[name] = None
            offset += len(literal_text) + 1
        states.append(frozenset(atom for atom, value in values.items() if value))
    return tuple(states)


def _literal(
    text: str, literal_text: str, start: int, atoms: Sequence[str] | None
) -> tuple[str, bool]:
    literal = _LITERAL.fullmatch(literal_text)
    if literal is None or not is_name(literal["name"]):
        raise FormulaSyntaxError(
            f"{literal_text.strip(_SPACE)!r} is not a literal", text, start, ("an atom", "!", "1")
        )
    if atoms is not None and literal["name"] not in atoms:
        among = ", ".join(atoms) or "the atoms, of which there are none"
        raise FormulaSyntaxError(f"the atom {literal['name']!r} is not among {among}", text, start)
    return literal["name"], not literal["not"]
