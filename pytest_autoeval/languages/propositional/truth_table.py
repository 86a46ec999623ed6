"""Truth tables held in Python integers: bit *i* of a table is the formula's value in row *i*, all rows at once.

Bit *j* of a row's number is the value of the *j*-th proposition (Knuth, The Art of Computer Programming 4A, 7.1.1).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pytest_autoeval.languages.logic.syntax import And, Bottom, Iff, Implies, Not, Or, Top, Xor
from pytest_autoeval.languages.propositional.postfix import Keep, Proposition, Step

#: A table of 16 propositions has 65,536 rows, 8 KiB; past that, other methods are faster.
MAX_PROPOSITIONS = 16
#: A third of the rows that are tried of a table too large to hold.
_THIRD = 1024


@cache
def truth_table(count: int) -> tuple[tuple[int, ...], int]:
    """The columns of ``count`` propositions in the table of all their assignments, and the column of truth."""
    full = (1 << (1 << count)) - 1
    # 2^i zeros, 2^i ones, and again: the quotient has a one at the start of each period
    return tuple(full // ((1 << (1 << i)) + 1) << (1 << i) for i in range(count)), full


def sample(count: int) -> tuple[tuple[int, ...], int]:
    """As :func:`truth_table`, but with rows drawn at random, always the same ones."""
    return tuple(_sample_column(index) for index in range(count)), (1 << 3 * _THIRD) - 1


@cache
def _sample_column(index: int) -> int:
    """A third of the bits mostly 0, a third mostly 1: most formulas' values change under some such mix."""
    draw = random.Random(index).getrandbits  # noqa: S311 (no secret; the same in every process and version)
    rare = draw(_THIRD) & draw(_THIRD) & draw(_THIRD)
    common = draw(_THIRD) | draw(_THIRD) | draw(_THIRD)
    return draw(_THIRD) | rare << _THIRD | common << 2 * _THIRD


def run(  # noqa: C901 (a branch for each connective; a table of functions takes twice the time)
    steps: Iterable[Step], propositions: Mapping[Any, int], full: int
) -> list[int]:
    """The stack that a postfix program leaves over the propositions' columns, ``full`` being the column of truth."""
    values = dict(propositions)
    stack: list[int] = []
    pop, push = stack.pop, stack.append
    for step in steps:
        if step in values:
            push(values[step])
        elif step is Not:
            push(full ^ pop())
        elif step is And:
            push(pop() & pop())
        elif step is Or:
            push(pop() | pop())
        elif step is Implies:
            push((full ^ pop()) | pop())
        elif step is Iff:
            push(full ^ pop() ^ pop())
        elif step is Top:
            push(full)
        elif step is Bottom:
            push(0)
        elif step is Xor:
            push(pop() ^ pop())
        else:
            assert isinstance(step, Keep)
            values[step.name] = pop()
    return stack


def lowest_row(table: int, columns: Mapping[Proposition, int]) -> dict[Proposition, bool]:
    """The assignment of the first row whose bit is set; the table must have one."""
    row = (table & -table).bit_length() - 1
    return {name: bool(column >> row & 1) for name, column in columns.items()}
