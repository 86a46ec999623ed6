"""Formulas as postfix programs, which run without recursion on truth tables, or become scripts in SMT-LIB.

A column of a truth table is a Python integer: bit *i* is the formula's value in row *i*. Bit *j* of a row's number is
the value of the *j*-th proposition (Knuth, The Art of Computer Programming 4A, 7.1.1).
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.size_limits import check_large_size

#: A column over 16 propositions has 65,536 rows in 8 KiB; for more, other methods are faster.
MAX_PROPOSITIONS = 16
#: The sampled rows of a table that is too large.
SAMPLED_ROWS = 3072
#: The column of a formula that holds in all of them.
ALL_SAMPLED_ROWS = (1 << SAMPLED_ROWS) - 1
#: The connectives' names in SMT-LIB.
SMT_SIGNS: dict[Any, str] = {
    fol.Top: "true",
    fol.Bottom: "false",
    fol.Not: "not",
    fol.And: "and",
    fol.Or: "or",
    fol.Xor: "xor",
    fol.Implies: "=>",
    fol.Iff: "=",
}

#: A proposition: its name; or a tuple that names a fact about a first-order model.
Proposition = str | tuple[Hashable, ...]


#: A step pushes a proposition's value (the proposition stands for itself) or applies a connective (given by its type).
Step = Proposition | type[Sentence]


def postfix(*formulas: Sentence) -> tuple[list[Step], list[Proposition]]:
    """A program that leaves the formulas' values on a stack, the first on top, and the propositions in reading order.

    The left operand of a connective is on top of its right one. Raises :class:`LimitError` if a formula is too large.
    """
    steps: list[Step] = []
    propositions: dict[Proposition, None] = {}
    for formula in formulas:
        # Before anything is built: an answer may be hostile.
        check_large_size(formula)
    pending: list[Any] = list(reversed(formulas))
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is fol.Atom:
            propositions[node.predicate] = None
            steps.append(node.predicate)
            continue
        steps.append(kind)
        if kind is fol.Not:
            pending.append(node.operand)
        elif isinstance(node, fol.Binary):
            pending += (node.right, node.left)
    steps.reverse()
    return steps, list(propositions)


@cache
def truth_table(count: int) -> tuple[tuple[int, ...], int]:
    """The columns of ``count`` propositions in the table of all their assignments, and the column of truth."""
    full = (1 << (1 << count)) - 1
    # Column i has 2^i zeros, then 2^i ones, and so on: the quotient has a one at the start of each period.
    columns = []
    for index in range(count):
        run_length = 1 << index
        columns.append(full // ((1 << run_length) + 1) << run_length)
    return tuple(columns), full


def sample(count: int, rows: int = SAMPLED_ROWS) -> tuple[tuple[int, ...], int]:
    """Like :func:`truth_table`, but with random rows, always the same; their number must be a multiple of 3."""
    columns = tuple(_sample_column(index, rows // 3) for index in range(count))
    return columns, (1 << rows) - 1


def fingerprint(steps: Iterable[Step], propositions: Iterable[Proposition]) -> int:
    """The last value of a program in random rows; a proposition has the same column in every program."""
    names = list(propositions)
    columns, full = named_sample(names)
    column_of = dict(zip(names, columns, strict=True))
    return run(steps, column_of, full)[-1]


def named_sample(propositions: Iterable[Proposition]) -> tuple[tuple[int, ...], int]:
    """Like :func:`sample`, but a proposition has the same column whatever the others are."""
    return tuple(map(_named_column, propositions)), ALL_SAMPLED_ROWS


@lru_cache(maxsize=4096)
def _named_column(name: Proposition) -> int:
    return _sample_column(str(name), SAMPLED_ROWS // 3)


@lru_cache(maxsize=4096)
def _sample_column(index: int | str, third: int) -> int:
    """Random bits, a third of them mostly 0 and a third mostly 1, so that most formulas take both values."""
    draw = random.Random(index).getrandbits  # noqa: S311 (no secret; the same in every process and version)
    # With even rows alone, a conjunction of 17 names is false in nearly all of them.
    rare = draw(third)
    rare &= draw(third) & draw(third)
    common = draw(third)
    common |= draw(third) | draw(third)
    even = draw(third)
    return even | rare << third | common << 2 * third


def run(steps: Iterable[Step], propositions: Mapping[Any, int], full: int) -> list[int]:
    """The stack that a postfix program leaves for the propositions' columns; ``full`` is the column of truth."""
    stack: list[int] = []
    pop, push = stack.pop, stack.append
    for step in steps:
        # The frequent steps come first: this loop is the time of a truth table.
        if step in propositions:
            push(propositions[step])
        elif step is fol.Not:
            push(full ^ pop())
        elif step is fol.And:
            push(pop() & pop())
        elif step is fol.Or:
            push(pop() | pop())
        elif step is fol.Implies:
            push((full ^ pop()) | pop())
        elif step is fol.Iff:
            push(full ^ pop() ^ pop())
        elif step is fol.Top:
            push(full)
        elif step is fol.Bottom:
            push(0)
        else:
            assert step is fol.Xor
            push(pop() ^ pop())
    return stack


def lowest_row(table: int, columns: Mapping[Proposition, int]) -> dict[Proposition, bool]:
    """The assignment of the first row whose bit is set; the table must have one."""
    lowest = table & -table
    row = lowest.bit_length() - 1
    return {name: bool(column >> row & 1) for name, column in columns.items()}


def script(steps: Iterable[Step], names: Mapping[Any, str]) -> str:
    """A script that is satisfiable if and only if the program's last value can be true.

    ``names`` gives the constants of the propositions.
    """
    lines = [f"(declare-const {name} Bool)" for name in names.values()]
    stack: list[str] = []
    for number, step in enumerate(steps):
        if step in names:
            stack.append(names[step])
        elif step is fol.Top or step is fol.Bottom:
            stack.append(SMT_SIGNS[step])
        else:
            # A name for each value keeps the text flat, however deep the formula is.
            name = f"d{number}"
            operands = stack.pop()
            if step is not fol.Not:
                operands += f" {stack.pop()}"
            value = f"({SMT_SIGNS[step]} {operands})"
            lines.append(f"(declare-const {name} Bool)(assert (= {name} {value}))")
            stack.append(name)
    return "\n".join([*lines, f"(assert {stack.pop()})"])
