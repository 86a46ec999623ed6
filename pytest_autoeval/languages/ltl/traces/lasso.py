"""Infinite traces that a formula can be judged on: lassos, a finite prefix and a loop that repeats for ever.

The canonical text is ``x1 & !x2; !x1 & x2; cycle{x1 & x2}``: states between semicolons, the loop in ``cycle{…}``. Every
atom is written in every state; when reading, an atom that a state does not mention is false there. ``1`` is a state
that mentions none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError
from pytest_autoeval.languages.ltl.tokens import is_name

#: Characters of the text of a trace.
MAX_LENGTH = 100_000
#: States that a trace is written with.
MAX_STATES = 1_000

State = frozenset[str]
S = TypeVar("S")

_TOKEN = re.compile(r"[A-Za-z_][\w.]*|[!&;{}1]|[^ \t\r\n\f\v]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Lasso:
    """An ultimately periodic trace: the states of ``prefix``, then those of ``loop`` for ever.

    A state is the set of the propositions that hold in it; ``atoms`` are all that the trace speaks of, in the order in
    which they are shown. ``loop`` is never empty. ``str`` is the canonical text.
    """

    atoms: tuple[str, ...]
    prefix: tuple[State, ...]
    loop: tuple[State, ...]

    def __post_init__(self) -> None:
        if not self.loop:
            raise ValueError("the loop of a lasso has at least one state")
        if strange := frozenset().union(*self.states).difference(self.atoms):
            raise ValueError(f"the trace has states over {', '.join(sorted(strange))}, which are not among its atoms")

    def __str__(self) -> str:
        return to_text(self)

    @property
    def states(self) -> tuple[State, ...]:
        """Prefix and one turn of the loop."""
        return (*self.prefix, *self.loop)

    def state(self, position: int) -> State:
        """The state at a position (from 0) of the infinite trace."""
        turned = position - len(self.prefix)
        return self.prefix[position] if turned < 0 else self.loop[turned % len(self.loop)]

    def reduced(self) -> Lasso:
        """The same infinite trace with the shortest loop and prefix: two lassos are one trace if these are equal."""
        return Lasso(self.atoms, *shortest(self.prefix, self.loop))


def shortest(prefix: tuple[S, ...], loop: tuple[S, ...]) -> tuple[tuple[S, ...], tuple[S, ...]]:
    """The shortest prefix and loop of the same infinite sequence: one for equal sequences."""
    size = len(loop)
    period = next(turn for turn in range(1, size + 1) if size % turn == 0 and loop[:turn] * (size // turn) == loop)
    loop = loop[:period]
    while prefix and prefix[-1] == loop[-1]:
        prefix, loop = prefix[:-1], (*loop[-1:], *loop[:-1])
    return prefix, loop


def to_text(lasso: Lasso) -> str:
    """The canonical text: ``parse_trace(to_text(lasso)) == lasso``."""
    states = [
        " & ".join(atom if atom in state else f"!{atom}" for atom in lasso.atoms) or "1" for state in lasso.states
    ]
    start = len(lasso.prefix)
    return "; ".join([*states[:start], f"cycle{{{'; '.join(states[start:])}}}"])


def to_python(lasso: Lasso) -> str:
    """The trace as a Python expression: ``Trace(prefix=[{"x1": True}], loop=[{"x1": False}])``."""
    states = ["{" + ", ".join(f'"{atom}": {atom in state}' for atom in lasso.atoms) + "}" for state in lasso.states]
    start = len(lasso.prefix)
    return f"Trace(prefix=[{', '.join(states[:start])}], loop=[{', '.join(states[start:])}])"


def parse_trace(text: str, atoms: Sequence[str] | None = None) -> Lasso:
    """The trace that a text strictly is, over the given atoms or else over those that it mentions, as they come.

    Raises :class:`FormulaSyntaxError`, with line and column, for anything that is no canonical trace, for an atom that
    is not among the given ones and for a state that contradicts itself; :class:`LimitError` for more than
    ``MAX_LENGTH`` characters or ``MAX_STATES`` states.
    """
    if len(text) > MAX_LENGTH:
        raise LimitError(f"the trace has {len(text):,} characters; at most {MAX_LENGTH:,} are taken", text, MAX_LENGTH)
    return _Parser(text, atoms).trace()


class _Parser:
    """Takes one token after another; ``_tokens`` are those that have not been taken, the next one last."""

    def __init__(self, text: str, atoms: Sequence[str] | None) -> None:
        self._text = text
        self._given = atoms
        self._mentioned: dict[str, None] = {}
        self._states: list[State] = []
        self._tokens = [("", len(text)), *((token[0], token.start()) for token in _TOKEN.finditer(text))]
        self._tokens[1:] = self._tokens[:0:-1]

    def trace(self) -> Lasso:
        while not self._is_loop():
            self._state()
            if not self._next:
                self._fail("the trace ends without a loop, but it has to be infinite", "'; cycle{…}'")
            self._take(";")
        start = len(self._states)
        self._take("cycle")
        self._take("{")
        self._state()
        while self._next == ";":
            self._take(";")
            self._state()
        self._take("}")
        if self._next:
            self._fail("nothing can follow the loop, which repeats for ever", "the end")
        atoms = tuple(self._mentioned if self._given is None else self._given)
        return Lasso(atoms, tuple(self._states[:start]), tuple(self._states[start:]))

    @property
    def _next(self) -> str:
        return self._tokens[-1][0]

    def _is_loop(self) -> bool:
        """Whether the loop begins here: an atom may be named ``cycle`` as well."""
        return self._next == "cycle" and self._tokens[-2][0] == "{"

    def _state(self) -> None:
        if len(self._states) == MAX_STATES:
            at = self._tokens[-1][1]
            raise LimitError(f"the trace has more than {MAX_STATES:,} states; use a shorter one", self._text, at)
        values: dict[str, bool] = {}
        if self._next == "1":
            self._take("1")
        else:
            self._literal(values)
            while self._next == "&":
                self._take("&")
                self._literal(values)
        self._states.append(frozenset(atom for atom, value in values.items() if value))

    def _literal(self, values: dict[str, bool]) -> None:
        start = self._tokens[-1][1]
        value = self._next != "!"
        if not value:
            self._take("!")
        name = self._next
        if not re.match(r"[A-Za-z_]", name):
            self._unexpected("an atom", *(("!", "1", "cycle{…}") if value and not values else ()))
        if not is_name(name):
            self._fail(f"{name!r} is no name of an atom")
        if self._given is not None and name not in self._given:
            self._fail(
                f"the atom {name!r} is not among {', '.join(self._given) or 'the atoms, of which there are none'}"
            )
        if values.setdefault(name, value) is not value:
            raise FormulaSyntaxError(f"the state says both {name} and !{name}", self._text, start)
        self._mentioned[name] = None
        self._take(name)

    def _take(self, token: str) -> None:
        if self._next != token:
            self._unexpected(repr(token))
        self._tokens.pop()

    def _unexpected(self, *expected: str) -> NoReturn:
        self._fail(f"unexpected {self._next!r}" if self._next else "the trace ends", *expected)

    def _fail(self, problem: str, *expected: str) -> NoReturn:
        raise FormulaSyntaxError(problem, self._text, self._tokens[-1][1], expected)
