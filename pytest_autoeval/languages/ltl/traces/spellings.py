"""Traces in the many spellings of people and models.

Literals ``x1 & !x2``, ``x1=1 x2=0``, ``x1: true, x2: false``; states bare, in brackets or as sets ``{x1, x2}``,
numbered or not; the loop as ``cycle{…}``, ``loop(…)``, ``(…)^ω``, ``Loop: …`` or behind ``-- Loop starts here --``.
What could be read in two ways is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pytest_autoeval.languages.ltl.traces.lasso import State
from pytest_autoeval.languages.ltl.traces.policies import Outline, UnreadableTraceError
from pytest_autoeval.languages.ltl.traces.text import MAX_STATES
from pytest_autoeval.languages.ltl.traces.tokens import TRUE_WORDS, TraceToken, tokens

_CLOSING = {"{": "}", "(": ")", "[": "]"}
_LITERAL = frozenset({"not", "name"})
_BETWEEN = frozenset({"newline", "separator", "comma", "arrow"})
#: What a bracket does not hold that is one state.
_GROUPING = frozenset(
    {"open", "separator", "arrow", "ellipsis", "forever", "mark", "section", "prefix", "loop", "label"}
)
_DEEPEST = 8
#: ``Trace:``, ``A satisfying trace = ``, ``π = `` before the trace itself.
INTRODUCTION = re.compile(
    r"\s*(?:[\w \t*-]{0,60}\b(?P<word>trace|lasso|word|execution|run|path|answer|satisfying|violating)\b[*_]{0,3}"
    r"|[πσρτ]|\\(?:pi|sigma|rho|tau))"
    r"\s*(?::=|[:=])",
    re.IGNORECASE,
)


def outline(text: str, atoms: Sequence[str]) -> Outline:
    """What a text writes down, all of it; raises :class:`UnreadableTraceError`."""
    return _Spelling(tokens(without_introduction(text, atoms), atoms), atoms).outline()


def without_introduction(text: str, atoms: Sequence[str]) -> str:
    """The text behind the words that introduce a trace: ``run = 1`` introduces none where ``run`` is an atom."""
    introduction = INTRODUCTION.match(text)
    if introduction is None or introduction["word"] in atoms:
        return text
    return text[introduction.end() :]


@dataclass(frozen=True, slots=True)
class _Written:
    """A state with what tells that it is one: brackets, a number, all atoms; ``after`` parts it from the one before."""

    state: State
    is_bracketed: bool
    is_whole: bool
    after: frozenset[str]


class _Spelling:
    def __init__(self, pieces: list[TraceToken], atoms: Sequence[str]) -> None:
        self._pieces = pieces
        self._atoms = atoms
        self._at = 0
        self._depth = 0
        self._between: set[str] = set()
        self._written: list[_Written] = []
        self._numbers: list[int] = []
        self._loop_at: int | None = None
        self._loop_is_over = False
        self._is_loop_numbered = False
        self._is_marked = False
        self._goes_on = False
        self._has_separator = any(piece.kind in {"separator", "arrow"} for piece in pieces)

    def outline(self) -> Outline:
        self._sequence("")
        if self._here.kind != "end":
            raise UnreadableTraceError(f"{self._here.text!r} closes nothing")
        self._check_numbers()
        for before, this in pairwise(self._written):
            self._check_parted(before, this)
        states = tuple(written.state for written in self._written)
        return Outline(states, self._loop_at, self._goes_on, self._is_marked)

    def _sequence(self, closing: str) -> None:
        """States and loops up to the bracket that closes them."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnreadableTraceError(f"brackets are nested more than {_DEEPEST} deep")
        while self._here.kind not in {"end", "close"}:
            self._item()
        if closing and self._here.text.lstrip("\\") != closing:
            raise UnreadableTraceError(f"{closing!r} is missing")
        self._depth -= 1

    def _item(self) -> None:
        kind = self._here.kind
        if kind in _BETWEEN:
            self._between.add(self._take().kind)
        elif kind == "ellipsis":
            self._take()
            if self._loop_at is not None and not (self._loop_is_over or self._depth == 1):
                raise UnreadableTraceError("the loop breaks off with an ellipsis")
            self._goes_on = True
        elif kind in {"mark", "section"}:
            self._is_marked = self._take().kind == "mark"
            self._begin_loop(len(self._written))
        elif kind == "prefix":
            if self._written:
                raise UnreadableTraceError("states stand before the prefix")
            self._take()
        elif kind == "label" and self._ahead.kind in {"loop", "section", "mark"}:
            self._take()
        elif kind == "loop":
            self._take()
            self._begin_loop(len(self._written))
            self._group()
            self._loop_is_over = True
        elif kind == "open":
            self._bracketed()
        else:
            self._bare()

    def _begin_loop(self, start: int) -> None:
        if self._loop_at is not None:
            raise UnreadableTraceError("the trace has more than one loop")
        self._between.add("loop")
        self._loop_at = start

    def _group(self) -> None:
        closing = _CLOSING[self._take().text.lstrip("\\")]
        self._sequence(closing)
        self._take()
        if self._loop_at is not None and self._here.kind == "forever":
            self._take()

    def _bracketed(self) -> None:
        start = len(self._written)
        if self._holds_one_state():
            opening = self._take().text.lstrip("\\")
            self._state(_CLOSING[opening], is_set=opening == "{")
            if self._here.text.lstrip("\\") != _CLOSING[opening]:
                raise UnreadableTraceError(f"{self._here.text!r} has no place in a state")
            self._take()
        else:
            opening = self._take().text.lstrip("\\")
            self._sequence(_CLOSING[opening])
            self._take()
        self._repeat_from(start)

    def _bare(self) -> None:
        start = len(self._written)
        literals = self._at
        self._state("", is_set=False)
        if self._here.kind == "forever" and self._at - literals > 2:
            raise UnreadableTraceError("what repeats for ever has to stand in brackets")
        self._repeat_from(start)

    def _repeat_from(self, start: int) -> None:
        if self._here.kind == "forever":
            self._take()
            if self._goes_on:
                raise UnreadableTraceError("the loop breaks off with an ellipsis")
            if self._loop_at != start:
                self._begin_loop(start)
            self._is_marked = False
            self._loop_is_over = True

    def _holds_one_state(self) -> bool:
        at = self._at + 1
        while self._pieces[at].kind not in {"end", "close"}:
            if self._pieces[at].kind in _GROUPING:
                return False
            at += 1
        return True

    def _state(self, closing: str, *, is_set: bool) -> None:
        if self._loop_is_over or self._goes_on:
            raise UnreadableTraceError("states stand behind what goes on for ever")
        if len(self._written) == MAX_STATES:
            raise UnreadableTraceError(f"the trace has more than {MAX_STATES:,} states")
        is_numbered = self._here.kind == "label"
        if is_numbered:
            self._is_loop_numbered |= self._loop_at is not None
            self._numbers.append(int("".join(filter(str.isdigit, self._take().text))))
            if not closing and self._here.kind == "open":
                return  # the brackets hold the state
        values, is_loose = self._literals(closing, over_lines=bool(closing) or is_numbered)
        if is_loose and not is_set and not self._has_separator:
            raise UnreadableTraceError("it cannot be told where a state ends: separate states by ';', literals by '&'")
        state = frozenset(atom for atom, value in values.items() if value)
        is_whole = is_numbered or len(values) == len(self._atoms)
        self._written.append(_Written(state, bool(closing), is_whole, frozenset(self._between)))
        self._between = set()

    def _literals(self, closing: str, *, over_lines: bool) -> tuple[dict[str, bool], bool]:
        """Literals up to what ends their state, and whether nothing but commas or spaces joined bare ones."""
        values: dict[str, bool] = {}
        if self._mentions_nothing(closing):
            return values, False
        joints: set[str] = set()
        are_assignments = True
        while True:
            are_assignments &= self._literal(values)
            if over_lines and self._here.kind == "newline" and self._ahead.kind in _LITERAL:
                self._take()
            if self._here.kind in {"and", "comma"} and self._ahead.kind in _LITERAL:
                joints.add(self._take().kind)
            elif self._here.kind in _LITERAL:
                joints.add("space")
            else:
                break
        if "and" in joints and len(joints) > 1:
            raise UnreadableTraceError(
                "a state joins its literals in two ways: separate states by ';', literals by '&'"
            )
        return values, bool(joints - {"and"}) and not are_assignments

    def _mentions_nothing(self, closing: str) -> bool:
        if self._here.kind == "empty" or self._here.text.lower() in {"1", "true", "⊤"}:
            self._take()
            return True
        return bool(closing) and self._here.kind == "close"

    def _literal(self, values: dict[str, bool]) -> bool:
        """Takes one literal; whether it is an assignment."""
        value = True
        while self._here.kind == "not":
            self._take()
            value = not value
        name = self._take()
        if name.kind != "name":
            raise UnreadableTraceError(
                f"{name.text!r} stands where a literal should" if name.text else "a state is missing"
            )
        if name.text not in self._atoms:
            raise UnreadableTraceError(f"the atom {name.text!r} is not among {', '.join(self._atoms)}")
        is_assignment = self._here.kind == "is"
        if is_assignment:
            self._take()
            truth = self._take()
            if truth.kind != "truth" or not value:
                raise UnreadableTraceError(f"{truth.text!r} is no truth value of {name.text}")
            value = truth.text.lower() in TRUE_WORDS
        if values.setdefault(name.text, value) is not value:
            raise UnreadableTraceError(f"a state says both that {name.text} is true and that it is false")
        return is_assignment

    def _check_numbers(self) -> None:
        numbers = self._numbers
        are_all = len(numbers) == len(self._written) or (len(numbers) == self._loop_at and not self._is_loop_numbered)
        if numbers and not (are_all and numbers == list(range(numbers[0], numbers[0] + len(numbers)))):
            raise UnreadableTraceError("the numbers of the states leave some out")

    def _check_parted(self, before: _Written, this: _Written) -> None:
        """Whether it is certain that two states are two, and not one in pieces."""
        parted = this.after
        if parted & {"separator", "arrow", "loop"} or (before.is_bracketed and this.is_bracketed):
            return
        if "newline" in parted and all(one.is_bracketed or one.is_whole for one in (before, this)):
            return
        raise UnreadableTraceError("it cannot be told where a state ends: separate states by ';'")

    @property
    def _here(self) -> TraceToken:
        return self._pieces[self._at]

    @property
    def _ahead(self) -> TraceToken:
        return self._pieces[min(self._at + 1, len(self._pieces) - 1)]

    def _take(self) -> TraceToken:
        taken = self._pieces[self._at]
        self._at += taken.kind != "end"
        return taken
