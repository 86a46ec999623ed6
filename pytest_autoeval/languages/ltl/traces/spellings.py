"""Traces in the notations of people, models and model checkers.

Literals ``x1 & !x2``, ``x1=1 x2=0``, ``x1: true, x2: false``; states bare, in brackets or as sets ``{x1, x2}``,
numbered or not, one on a line or between semicolons; the loop as ``cycle{…}``, ``loop(…)``, ``(…)^ω``, ``Loop: …`` or
after ``-- Loop starts here``. In the output of NuSMV and nuXmv, a state has the heading ``-> State: 1.2 <-``, and a
variable that it does not list keeps its value. A text with two possible readings is refused.

A trace marks the beginning of its loop, or ends with an ellipsis: ``[…];[…];...``. Listings of model checkers often
lose the mark of the loop: the loop then begins at the earliest state equal to the last one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.ltl.traces.lasso import MAX_STATES, Lasso, State
from pytest_autoeval.lazy_pattern import lazy_pattern

TRUE_WORDS, FALSE_WORDS = frozenset({"true", "t", "1", "⊤"}), frozenset({"false", "f", "0", "⊥"})

_PATTERNS = {
    "space": r"[ \t\r\f\v`$\u00a0]+|\*\*",
    "newline": r"\n(?:[-*•] )?",
    "ellipsis": r"\.{3,}|…",
    "forever": r"\^ ?(?:\{ ?)?(?:ω|\\omega|omega|∞|\\infty|w)(?: ?\})?|ω",
    "heading": r"-> State:? \d[\d.]{0,11} <-",
    "mark": r"(?:-- ?)?\bloop (?:starts|begins) here\b:?(?: ?--)?",
    "prefix": r"\bprefix[ *]{0,3}:[ *]{0,3}",
    "section": r"\b(?:loop|cycle)[ *]{0,3}[:=](?!=)[ *]{0,3}",
    "loop": r"\b(?:cycle|loop)\b(?= ?[{(\[])",
    "label": r"\b(?:(?:state|step|position|time) ?|[stq]_?)\d{1,6}\b ?(?:[:=]|(?=[{\[(]))|\b\d{1,6} ?(?::|\.(?= ))",
    "separator": r";|->|→",
    "comma": r",",
    "open": r"[{(\[]",
    "close": r"[})\]]",
    "not": r"!(?!=)|[~¬]|\bnot\b",
    "and": r"&&?|∧|\band\b",
    "is": r"==?|:",
    "empty": r"∅",
    "truth": r"\b(?:true|false|[01TF])\b|[⊤⊥]",
    "name": r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*",
}
_TOKEN = lazy_pattern(
    "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS.items()), re.IGNORECASE
)
_WORD = lazy_pattern(_PATTERNS["name"])
#: Lines of model checkers that are not states.
_REMARK = lazy_pattern(r"(?:--(?!.*loop).*|\*\*\*.*|Trace (?:Description|Type):.*)", re.IGNORECASE)
_CLOSING = {"{": "}", "(": ")", "[": "]"}
_LITERAL = frozenset({"not", "name"})
_BETWEEN = frozenset({"newline", "separator", "comma"})
_INSIDE_STATE = _LITERAL | {"and", "is", "truth", "empty", "comma", "newline"}
_DEEPEST = 8


class UnreadableTraceError(AutoevalError):
    """A text is not a trace; the message gives the reason."""


class TraceToken(NamedTuple):
    """A token of a trace: its kind (a name of the patterns above) and its text."""

    kind: str
    text: str


def tokens(text: str, atoms: Collection[str]) -> list[TraceToken]:
    """The tokens of a text, followed by one of kind ``end``.

    A word that is one of the atoms is a name, whatever else it could be. Raises :class:`UnreadableTraceError` for other
    signs.
    """
    lines = (" ".join(line.split()) for line in text.split("\n"))
    text = "\n" + "\n".join(line for line in lines if line and not _REMARK.fullmatch(line))
    pieces: list[TraceToken] = []
    offset = 0
    while offset < len(text):
        word = _WORD.match(text, offset)
        # An atom may be called `loop`, `t1` or `F`.
        match = word if word and word[0] in atoms else _TOKEN.match(text, offset)
        if match is None:
            raise UnreadableTraceError(f"{text[offset]!r} is not allowed in a trace")
        kind = "name" if match is word else match.lastgroup or ""
        if kind != "space":
            pieces.append(TraceToken(kind, match[0]))
        offset = match.end()
    return [*pieces, TraceToken("end", "")]


@dataclass(frozen=True, slots=True)
class Outline:
    """The states of a text. ``loop_at`` is the index of the state at which the loop begins, None if that is not marked.

    ``goes_on``: an ellipsis ends it. ``is_closed``: the loop is marked as by model checkers, which repeat the first
    state of the loop at its end.
    """

    states: tuple[State, ...]
    loop_at: int | None = None
    goes_on: bool = False
    is_closed: bool = False

    def trace(self, atoms: Sequence[str]) -> Lasso:
        """The infinite trace; raises :class:`UnreadableTraceError`.

        If an ellipsis stands for the loop, the loop begins at the earliest state equal to the last one, as in the
        output of model checkers; if there is none, the whole trace repeats.
        """
        states, start, end = self.states, self.loop_at, len(self.states)
        if not states:
            raise UnreadableTraceError("the trace has no states")
        if start is None:
            if not self.goes_on:
                raise UnreadableTraceError(
                    "the trace has no loop, but it has to be infinite: write the loop as cycle{…}"
                )
            # A listing that ends where it has been before goes on as it did then.
            earliest = states.index(states[-1])
            start = 0
            if earliest < end - 1:
                start, end = earliest, end - 1
        elif self.is_closed and end - start > 1 and states[start] == states[-1]:
            end -= 1
        if start == end:
            raise UnreadableTraceError("the loop of the trace has no states")
        return Lasso(tuple(atoms), states[:start], states[start:end])


def outline(text: str, atoms: Sequence[str]) -> Outline:
    """The states of a whole text; raises :class:`UnreadableTraceError`."""
    return _Spelling(tokens(text, atoms), atoms).outline()


class _Spelling:
    def __init__(self, pieces: list[TraceToken], atoms: Sequence[str]) -> None:
        self._pieces = pieces
        self._atoms = atoms
        self._at = 0
        self._depth = 0
        self._between: set[str] = set()
        self._written: list[dict[str, bool]] = []
        self._is_whole = True
        self._numbers: list[int] = []
        self._loop_at: int | None = None
        self._is_over = False
        self._is_marked = False
        self._goes_on = False

    def outline(self) -> Outline:
        self._sequence("")
        if self._here.kind != "end":
            raise UnreadableTraceError(f"{self._here.text!r} closes nothing")
        numbers = self._numbers
        # Numbers may stand at all states, or at those of the prefix only.
        are_all = len(numbers) in (len(self._written), self._loop_at)
        are_consecutive = not numbers or numbers == list(
            range(numbers[0], numbers[0] + len(numbers))
        )
        if numbers and not (are_all and are_consecutive):
            raise UnreadableTraceError("the numbers of the states have gaps")
        keeps_values = any(piece.kind == "heading" for piece in self._pieces)
        states: list[State] = []
        values: dict[str, bool] = {}
        for written in self._written:
            # NuSMV prints only the variables that change.
            values = {**values, **written} if keeps_values else written
            states.append(frozenset(atom for atom, value in values.items() if value))
        return Outline(tuple(states), self._loop_at, self._goes_on, self._is_marked)

    def _sequence(self, closing: str) -> None:
        """Takes states and loops up to the closing bracket, which is taken too."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnreadableTraceError(f"brackets are nested more than {_DEEPEST} deep")
        while self._here.kind not in {"end", "close"}:
            self._item()
        if closing and self._take().text != closing:
            raise UnreadableTraceError(f"{closing!r} is missing")
        self._depth -= 1

    def _item(self) -> None:
        start, kind = len(self._written), self._here.kind
        if kind in _BETWEEN:
            self._between.add(self._take().kind)
        elif kind == "ellipsis":
            self._take()
            if self._depth > 1:
                raise UnreadableTraceError("the loop breaks off with an ellipsis")
            self._goes_on = True
        elif kind in {"mark", "section"}:
            self._is_marked = self._take().kind == "mark"
            self._begin_loop(start)
        elif kind == "prefix":
            if self._written:
                raise UnreadableTraceError("there are states before the prefix")
            self._take()
        elif kind == "loop":
            self._take()
            self._begin_loop(start)
            self._sequence(_CLOSING[self._take().text])
            self._is_over = True
        elif kind == "open" and not self._holds_one_state():
            self._sequence(_CLOSING[self._take().text])
            self._repeat_from(start)
        else:
            self._state()
            if kind == "open":
                self._repeat_from(start)

    def _begin_loop(self, start: int) -> None:
        if self._loop_at is not None:
            raise UnreadableTraceError("the trace has more than one loop")
        self._between.add("loop")
        self._loop_at = start

    def _repeat_from(self, start: int) -> None:
        if self._here.kind == "forever":
            self._take()
            self._begin_loop(start)
            self._is_over = True

    def _holds_one_state(self) -> bool:
        """Whether only literals and their joints stand before the next bracket."""
        number = self._at + 1
        while self._pieces[number].kind in _INSIDE_STATE:
            number += 1
        return self._pieces[number].kind == "close"

    def _state(self) -> None:
        if self._is_over or self._goes_on:
            raise UnreadableTraceError("there are states after the loop")
        if len(self._written) == MAX_STATES:
            raise UnreadableTraceError(f"the trace has more than {MAX_STATES:,} states")
        is_heading = self._here.kind == "heading"
        is_numbered = is_heading or self._here.kind == "label"
        if is_numbered:
            number = re.findall(r"\d+", self._take().text)[-1]
            if self._skips_to("mark", "section", "loop", "prefix"):
                return  # the number of a line, not of a state
            self._numbers.append(int(number))
            if is_heading and self._written and self._skips_to("heading", "end"):
                self._written.append({})  # all values stay
                return
            self._skips_to("open", "name", "not")
        is_bracketed = self._here.kind == "open"
        opening = self._take().text if is_bracketed else ""
        values = self._literals(is_set=opening == "{", over_lines=is_bracketed or is_numbered)
        if is_bracketed:
            self._skips_to("close")
            if self._take().text != _CLOSING[opening]:
                raise UnreadableTraceError(f"{_CLOSING[opening]!r} is missing")
        is_whole = is_bracketed or is_numbered or len(values) == len(self._atoms)
        has_separator = not self._between.isdisjoint({"separator", "loop"})
        is_parted = has_separator or (is_whole and self._is_whole)
        # Two lists of some atoms in a row could be pieces of one state.
        if self._written and not is_parted:
            raise UnreadableTraceError("it is unclear where a state ends: separate states by ';'")
        self._written.append(values)
        self._is_whole = is_whole
        self._between = set()

    def _skips_to(self, *kinds: str) -> bool:
        """Whether a token of these kinds comes next; passes over one end of a line before it."""
        number = self._at + 1 if self._here.kind == "newline" else self._at
        comes_next = self._kind_at(number) in kinds
        self._at = number if comes_next else self._at
        return comes_next

    def _kind_at(self, number: int) -> str:
        """The kind of a token; behind the last one, that of the last one."""
        return self._pieces[min(number, len(self._pieces) - 1)].kind

    def _literals(self, *, is_set: bool, over_lines: bool) -> dict[str, bool]:
        values: dict[str, bool] = {}
        if self._here.kind == "empty" or self._here.text.lower() in {"1", "true", "⊤"}:
            self._take()
            return values
        if self._here.kind == "close":
            return values
        joints: set[str] = set()
        are_assignments = True
        while True:
            if over_lines:
                self._skips_to(*_LITERAL)
            are_assignments &= self._literal(values)
            following = self._kind_at(self._at + 1)
            starts_literal = following in _LITERAL
            if self._here.kind in {"and", "comma"} and (
                starts_literal or (over_lines and following == "newline")
            ):
                joints.add(self._take().kind)
            elif self._here.kind in _LITERAL or (
                over_lines and self._here.kind == "newline" and starts_literal
            ):
                joints.add("space")
            else:
                break
        # `x1 & x2, x3` could be two states, or one.
        if "and" in joints and len(joints) > 1:
            raise UnreadableTraceError(
                "a state joins its literals in two ways: write ';' between states, '&' in them"
            )
        # `x1, x2` could be two states. `x1=1, x2=0` and `{x1, x2}` are one in every notation.
        if joints - {"and"} and not are_assignments and not is_set:
            raise UnreadableTraceError(
                "it is unclear where a state ends: separate states by ';', literals by '&'"
            )
        return values

    def _literal(self, values: dict[str, bool]) -> bool:
        """Takes one literal; returns whether it is an assignment."""
        value = True
        while self._here.kind == "not":
            self._take()
            value = not value
        name = self._take()
        if name.kind != "name":
            raise UnreadableTraceError(f"{name.text!r} is in the place of a literal")
        if name.text not in self._atoms:
            raise UnreadableTraceError(
                f"the atom {name.text!r} is not among {', '.join(self._atoms)}"
            )
        is_assignment = self._here.kind == "is"
        if is_assignment:
            self._take()
            truth = self._take()
            if truth.kind != "truth" or not value:
                raise UnreadableTraceError(f"{truth.text!r} is not a truth value of {name.text}")
            value = truth.text.lower() in TRUE_WORDS
        if values.setdefault(name.text, value) is not value:
            raise UnreadableTraceError(
                f"a state says both that {name.text} is true and that it is false"
            )
        return is_assignment

    @property
    def _here(self) -> TraceToken:
        return self._pieces[self._at]

    def _take(self) -> TraceToken:
        taken = self._pieces[self._at]
        self._at += taken.kind != "end"
        return taken
