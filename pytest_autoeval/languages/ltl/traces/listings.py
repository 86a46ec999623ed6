"""Traces as the model checkers NuSMV and nuXmv print them, a line for each variable that changes.

A state is headed ``-> State: 1.2 <-``; what it does not list keeps its value. ``-- Loop starts here`` stands before the
state to which the last one, an equal of it, leads back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pytest_autoeval.languages.ltl.traces.lasso import State
from pytest_autoeval.languages.ltl.traces.policies import Outline, UnreadableTraceError
from pytest_autoeval.languages.ltl.traces.text import MAX_STATES
from pytest_autoeval.languages.ltl.traces.tokens import TRUE_WORDS

_HEAD = re.compile(r"\s*->\s*State:?\s*(?:\d+\.)?(?P<number>\d{1,6})\s*<-\s*")
_LOOP = re.compile(r"\s*-*\s*Loop starts here\s*-*\s*", re.IGNORECASE)
_VALUE = re.compile(r"\s*(?P<name>[A-Za-z_][\w.]*)\s*=\s*(?P<value>TRUE|FALSE|[01])\s*", re.IGNORECASE)
_REMARK = re.compile(r"\s*(?:--(?!.*Loop).*|\*\*\*.*|Trace (?:Description|Type):.*)?")


def is_listing(text: str) -> bool:
    """Whether a line of the text heads a state as model checkers do."""
    return any(_HEAD.fullmatch(line) for line in text.splitlines())


def is_listing_line(line: str) -> bool:
    """Whether a line can be one of a listing, besides its remarks."""
    return any(pattern.fullmatch(line) for pattern in (_HEAD, _LOOP, _VALUE))


def listing_outline(text: str, atoms: Sequence[str]) -> Outline:
    """The states of a listing; raises :class:`UnreadableTraceError`. What the first state does not list is false.

    The text has a line that heads a state (:func:`is_listing`).
    """
    numbers: list[int] = []
    changes: list[list[tuple[str, bool]]] = []
    loops: list[int] = []
    for line in text.splitlines():
        if head := _HEAD.fullmatch(line):
            numbers.append(int(head["number"]))
            changes.append([])
        elif _LOOP.fullmatch(line):
            loops.append(len(numbers))
        elif changes and (value := _VALUE.fullmatch(line)):
            changes[-1].append((value["name"], value["value"].lower() in TRUE_WORDS))
        elif not _REMARK.fullmatch(line):
            raise UnreadableTraceError(f"the line {line.strip()[:60]!r} has no place in a trace")
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        raise UnreadableTraceError("the numbers of the states leave some out")
    if len(loops) > 1:
        raise UnreadableTraceError("the trace has more than one loop")
    if len(numbers) > MAX_STATES:
        raise UnreadableTraceError(f"the trace has more than {MAX_STATES:,} states")
    return Outline(tuple(_states(changes, atoms)), loops[0] if loops else None, is_closed=True)


def _states(changes: list[list[tuple[str, bool]]], atoms: Sequence[str]) -> Iterator[State]:
    values: dict[str, bool] = {}
    for listed in changes:
        for name, value in listed:
            if name not in atoms:
                raise UnreadableTraceError(f"the atom {name!r} is not among {', '.join(atoms)}")
            if (name, not value) in listed:
                raise UnreadableTraceError(f"a state gives {name} two values")
            values[name] = value
        yield frozenset(name for name, value in values.items() if value)
