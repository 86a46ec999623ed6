"""The canonical text of a trace, ``x1 & !x2; !x1 & x2; cycle{x1 & x2}``: written, and strictly parsed.

States stand between semicolons, the loop in ``cycle{…}``. Every atom is written in every state; when reading, an atom
that a state does not mention is false there. ``1`` is a state that mentions none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError
from pytest_autoeval.languages.ltl.tokens import is_name
from pytest_autoeval.languages.ltl.traces.lasso import Lasso, State

#: Characters of the text of a trace.
MAX_LENGTH = 100_000
#: States that a trace is written with.
MAX_STATES = 1_000

_TOKEN = re.compile(r"[ \t\r\n\f\v]*(?:(?P<name>[A-Za-z_][\w.]*)|(?P<sign>[!&;{}1])|(?P<end>\Z))", re.ASCII)


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


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


class _Parser:
    """Takes one token after another; ``_next`` is the one that has not been taken."""

    def __init__(self, text: str, atoms: Sequence[str] | None) -> None:
        self._text = text
        self._given = atoms
        self._mentioned: dict[str, None] = {}
        self._states: list[State] = []
        self._next = self._token(0)

    def trace(self) -> Lasso:
        while not self._is_loop():
            self._state()
            if self._next.kind == "end":
                self._fail("the trace ends without a loop, but it has to be infinite", "'; cycle{…}'")
            self._take(";")
        start = len(self._states)
        self._advance()
        self._take("{")
        self._state()
        while self._next.kind == ";":
            self._advance()
            self._state()
        self._take("}")
        if self._next.kind != "end":
            self._fail("nothing can follow the loop, which repeats for ever", "the end")
        atoms = tuple(self._mentioned if self._given is None else self._given)
        return Lasso(atoms, tuple(self._states[:start]), tuple(self._states[start:]))

    def _state(self) -> None:
        if len(self._states) == MAX_STATES:
            raise LimitError(
                f"the trace has more than {MAX_STATES:,} states; use a shorter one", self._text, self._next.at
            )
        values: dict[str, bool] = {}
        if self._next.kind == "1":
            self._advance()
        else:
            self._literal(values)
            while self._next.kind == "&":
                self._advance()
                self._literal(values)
        self._states.append(frozenset(atom for atom, value in values.items() if value))

    def _literal(self, values: dict[str, bool]) -> None:
        start = self._next.at
        value = self._next.kind != "!"
        if not value:
            self._advance()
        if self._next.kind != "name":
            self._unexpected("an atom", *(("!", "1", "cycle{…}") if value and not values else ()))
        name = self._next.text
        if not is_name(name):
            self._fail(f"{name!r} is no name of an atom")
        if self._given is not None and name not in self._given:
            self._fail(
                f"the atom {name!r} is not among {', '.join(self._given) or 'the atoms, of which there are none'}"
            )
        if values.setdefault(name, value) is not value:
            raise FormulaSyntaxError(f"the state says both {name} and !{name}", self._text, start)
        self._mentioned[name] = None
        self._advance()

    def _is_loop(self) -> bool:
        """Whether the loop begins here: an atom may be named ``cycle`` as well."""
        return self._next.text == "cycle" and self._token(self._next.at + len("cycle")).kind == "{"

    def _take(self, kind: str) -> None:
        if self._next.kind != kind:
            self._unexpected(repr(kind))
        self._advance()

    def _advance(self) -> None:
        self._next = self._token(self._next.at + len(self._next.text))

    def _token(self, start: int) -> _Token:
        match = _TOKEN.match(self._text, start)
        if match is None:
            at = start + len(self._text[start:]) - len(self._text[start:].lstrip(" \t\r\n\f\v"))
            return _Token("other", self._text[at : at + 1], at)
        kind = match.lastgroup or ""
        text = match[kind]
        return _Token(text if kind == "sign" else kind, text, match.start(kind))

    def _unexpected(self, *expected: str) -> NoReturn:
        found = "the trace ends" if self._next.kind == "end" else f"unexpected {self._next.text!r}"
        self._fail(found, *expected)

    def _fail(self, problem: str, *expected: str) -> NoReturn:
        raise FormulaSyntaxError(problem, self._text, self._next.at, expected)
