"""Traces in the notations of models and model checkers.

Literals ``x1 & !x2``, ``x1=1 x2=0``, ``x1: true, x2: false``; states bare, in brackets or as sets ``{x1, x2}``,
numbered or not, one per line or separated by semicolons; the loop as ``cycle{…}``, ``loop(…)``, ``(…)^ω``, ``Loop: …``
or after ``-- Loop starts here``. In the output of NuSMV and nuXmv, a state has the heading ``-> State: 1.2 <-``, and a
variable that it does not list keeps its value. A text with two readings is refused.

A trace marks the start of its loop, or ends with an ellipsis: ``[…];[…];...``. Copied listings of model checkers often
have no mark: then the last state closes the loop, which begins at the earliest equal state.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.ltl.traces.lasso import MAX_STATES, Lasso, State

TRUE_WORDS, FALSE_WORDS = frozenset({"true", "t", "1", "⊤"}), frozenset({"false", "f", "0", "⊥"})

_CLOSING = {"{": "}", "(": ")", "[": "]"}
#: Lines that model checkers print besides the states.
_REMARK = re.compile(r"(?:--(?!.*loop).*|\*\*\*.*|Trace (?:Description|Type):.*)", re.IGNORECASE)
_PREFIX = re.compile(r"\A\*{0,2}prefix[ *]{0,3}:[ *]{0,3}", re.IGNORECASE)
_ELLIPSIS = re.compile(r"(?:\.{3}|…)\s*\Z")
_POWER = re.compile(r"\(([^()]*)\) ?\^ ?(?:ω|\\omega|\{ ?(?:ω|\\omega) ?\})\s*\Z")
_LOOP = re.compile(
    r"(?P<mark>-- ?loop starts here\b(?: ?--)?)"
    r"|\b(?P<word>cycle|loop) ?(?P<opening>[{(\[])|\*{0,2}\b(?P<section>loop)[ *]{0,3}:[ *]{0,3}",
    re.IGNORECASE,
)
_HEADING = r"-> State:? \d{1,6}(?:\.\d{1,6})? <-"
_LABEL = rf"(?:{_HEADING}|\b(?:(?:state|step|position|time) ?|[stq]_?)?\d{{1,6}} ?(?::|\.(?= )))"
_STATE = re.compile(
    rf"(?P<label>{_LABEL})?\s*+"
    r"(?:(?P<opening>[{(\[])(?P<inside>[^{}()\[\]]*+)(?P<closing>[})\]])"
    rf"|(?P<bare>(?(label)(?:(?!\n{_LABEL})[^{{}}()\[\];])*+|[^{{}}()\[\];\n]++)))(?P<gap>(?:[\s;,→]|->(?! State))*+)",
    re.IGNORECASE,
)
_LITERAL = re.compile(
    r"\s*+(?P<not>[!¬~]?)\s*+(?P<name>[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)*+)"
    r"(?:\s*+(?:==?|:)\s*+(?P<value>(?:true|false|[01tf])\b|[⊤⊥]))?+\s*+(?P<joint>&&?|∧|,)?+",
    re.IGNORECASE,
)


class UnreadableTraceError(AutoevalError):
    """A text is not a trace; the message says why."""


class _Written(NamedTuple):
    """A state as written: the values listed, its number if any, and whether it keeps the other values."""

    values: dict[str, bool]
    number: int | None
    is_change: bool


def spelled(text: str, atoms: Sequence[str]) -> tuple[Lasso, bool]:
    """The trace of a whole text, and whether it ended with an ellipsis; raises :class:`UnreadableTraceError`.

    If an ellipsis stands for the loop, the loop begins at the earliest state equal to the last one, as in the output of
    model checkers. Without such a state, the whole trace repeats.
    """
    lines = (" ".join(line.split()) for line in text.split("\n"))
    text = "\n".join(line for line in lines if line and not _REMARK.fullmatch(line))
    prefix_text, loop_text, heading = _parts(text, atoms)
    if "prefix" not in atoms:
        prefix_text = _PREFIX.sub("", prefix_text)
    broke_off = loop_text is None and _ELLIPSIS.search(prefix_text) is not None
    if loop_text is None and not broke_off:
        raise UnreadableTraceError("the trace has no loop, but it has to be infinite: write the loop as cycle{…}")
    prefix = [*_written(_ELLIPSIS.sub("", prefix_text) if broke_off else prefix_text, atoms)]
    written = [*prefix, *_written(loop_text or "", atoms)]
    if len(written) > MAX_STATES:
        raise UnreadableTraceError(f"the trace has more than {MAX_STATES:,} states")
    if not written:
        raise UnreadableTraceError("the trace has no states")
    if heading and not prefix:
        raise UnreadableTraceError("there are no states before the heading of the loop: they may be elsewhere")
    if written[0].is_change and not written[0].values:
        raise UnreadableTraceError("the first state has no values")
    _check_numbers(written, len(prefix))
    states = _states(written)
    start, end = len(prefix), len(states)
    if broke_off:
        earliest = states.index(states[-1])
        start, end = (earliest, end - 1) if earliest < end - 1 else (0, end)
    elif heading == "mark" and end - start > 1 and states[start] == states[-1]:
        end -= 1  # model checkers write the first state of the loop again at its end
    if start == end:
        raise UnreadableTraceError("the loop of the trace has no states")
    return Lasso(tuple(atoms), states[:start], states[start:end]), broke_off


def _parts(text: str, atoms: Collection[str]) -> tuple[str, str | None, str]:
    """The text before the loop, that of the loop, and the group of ``_LOOP`` if the loop has a heading."""
    if power := _POWER.search(text):
        return text[: power.start()], power[1], ""
    for loop in _LOOP.finditer(text):
        if (loop["word"] or loop["section"]) in atoms:
            continue
        inside = text[loop.end() :].strip()
        if opening := loop["opening"]:
            if not inside.endswith(_CLOSING[opening]):
                raise UnreadableTraceError(f"the loop does not end with {_CLOSING[opening]!r} at the end of the trace")
            inside = inside[:-1]
        return text[: loop.start()], inside, "" if opening else loop.lastgroup or ""
    return text, None, ""


def _written(text: str, atoms: Collection[str]) -> Iterator[_Written]:
    text = text.strip(" \n\t;,")
    at, is_parted, was_whole = 0, True, False
    while at < len(text):
        match = _STATE.match(text, at)
        if match is None or (match["opening"] and match["closing"] != _CLOSING[match["opening"]]):
            raise UnreadableTraceError(f"{text[at]!r} is not allowed in a trace")
        label, opening = match["label"] or "", match["opening"] or ""
        is_change = label.startswith("->")
        values = _literals(match["inside"] if opening else match["bare"], atoms, opening, may_be_empty=is_change)
        is_whole = bool(label or opening) or len(values) == len(atoms)
        if not (is_parted or (is_whole and was_whole)):  # they could be pieces of one state
            raise UnreadableTraceError("it is unclear where a state ends: separate states by ';'")
        number = int(re.findall(r"\d+", label)[-1]) if label else None
        yield _Written(values, number, is_change)
        at, is_parted, was_whole = match.end(), re.search(";|->|→", match["gap"]) is not None, is_whole


def _literals(text: str, atoms: Collection[str], opening: str, *, may_be_empty: bool) -> dict[str, bool]:
    text = text.strip()
    values: dict[str, bool] = {}
    if text in {"1", "∅"} or (not text and (opening or may_be_empty)):
        return values
    at, joint, joints, are_assignments = 0, "", set(), True
    while at < len(text) or joint or not values:
        match = _LITERAL.match(text, at)
        if match is None:
            raise UnreadableTraceError(f"{text[at : at + 1] or joint or 'an empty state'!r} is not allowed in a trace")
        name, word = match["name"], match["value"]
        if name not in atoms:
            raise UnreadableTraceError(f"the atom {name!r} is not among {', '.join(atoms)}")
        if match["not"] and word:
            raise UnreadableTraceError(f"{word!r} is not a truth value of {match['not']}{name}")
        value = word.lower() in TRUE_WORDS if word else not match["not"]
        if values.setdefault(name, value) is not value:
            raise UnreadableTraceError(f"a state says both that {name} is true and that it is false")
        are_assignments &= word is not None
        at, joint = match.end(), match["joint"] or ""
        if at < len(text):
            joints.add("and" if joint not in ("", ",") else joint)
    if "and" in joints and len(joints) > 1:
        raise UnreadableTraceError("a state joins its literals in two ways: write ';' between states, '&' in them")
    if joints - {"and"} and not are_assignments and opening != "{":
        raise UnreadableTraceError("it is unclear where a state ends: separate states by ';', literals by '&'")
    return values


def _check_numbers(written: Sequence[_Written], start: int) -> None:
    """Numbers must be consecutive and belong to all states, or to all before the loop: else a state may be missing."""
    numbers = [state.number for state in written if state.number is not None]
    are_all = len(numbers) in (len(written), start) and len({state.is_change for state in written}) == 1
    if numbers and not (are_all and numbers == [*range(numbers[0], numbers[0] + len(numbers))]):
        raise UnreadableTraceError("the numbers of the states have gaps")


def _states(written: Sequence[_Written]) -> tuple[State, ...]:
    values: dict[str, bool] = {}
    states: list[State] = []
    for state in written:
        values = values | state.values if state.is_change else state.values
        states.append(frozenset(atom for atom, value in values.items() if value))
    return tuple(states)
