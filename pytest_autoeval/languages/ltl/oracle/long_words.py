"""A word that satisfies a large normal form, of one of a few shapes, by z3 (bounded model checking).

Biere, Cimatti, Clarke, Zhu, "Symbolic model checking without BDDs", TACAS 1999. The evaluator of short words computes
on gates in place of integers: each column is then the truth of a formula on one word whose letters are unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from pytest_autoeval.languages.deciding import model_of
from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.ltl.oracle.normal import NormalForm
from pytest_autoeval.languages.ltl.oracle.short_words import ColumnEvaluator, LassoWord

#: Nodes from which a tableau may be slower than these attempts.
LARGE = 150
#: The numbers of letters of prefix and loop, in this order.
_SHAPES = ((0, 2), (2, 4), (4, 8))
#: The largest number of gates of a script.
_MAX_GATES = 100_000


@dataclass(frozen=True, slots=True)
class _Gate:
    """A truth value by its name in a script, to which each operation appends a definition. Integers are all or none."""

    name: str
    lines: list[str]

    def __and__(self, operand: _Gate | int) -> _Gate | int:
        if isinstance(operand, int):
            return self if operand else 0
        return self._defined("and", operand)

    def __or__(self, operand: _Gate | int) -> _Gate | int:
        if isinstance(operand, int):
            return 1 if operand else self
        return self._defined("or", operand)

    def __xor__(self, operand: _Gate | int) -> _Gate | int:
        if isinstance(operand, int):
            return self._named(f"(not {self.name})") if operand else self
        return self._defined("xor", operand)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def _defined(self, sign: str, operand: _Gate) -> _Gate:
        return self._named(f"({sign} {self.name} {operand.name})")

    def _named(self, definition: str) -> _Gate:
        name = f"d{len(self.lines)}"
        self.lines.append(f"(define-fun {name} () Bool {definition})")
        return _Gate(name, self.lines)


def long_word(form: NormalForm, timeout: float) -> LassoWord | None:
    """A word that satisfies a form, or None, which proves nothing. ``timeout`` is in seconds, for all shapes."""
    columns = ColumnEvaluator(form)
    for prefix, loop in _SHAPES:
        # The shapes grow, so the later ones are too large as well.
        if columns.work(prefix, loop) > _MAX_GATES:
            break
        with suppress(GaveUpError):
            # Each shape gets its share of the time: a hard first one must not use up that of the others.
            values = _model(form, columns, prefix, prefix + loop, timeout / len(_SHAPES))
            if values is None:
                continue
            letters = tuple(
                _letter(values, position, len(form.atoms)) for position in range(prefix + loop)
            )
            return LassoWord(letters[:prefix], letters[prefix:])
    return None


def _letter(values: Mapping[str, bool | int], position: int, atom_count: int) -> int:
    """The letter at a position in a model; an atom that the model does not mention is false."""
    letter = 0
    for bit in range(atom_count):
        letter |= bool(values.get(_atom(position, bit))) << bit
    return letter


def _model(
    form: NormalForm, columns: ColumnEvaluator, prefix: int, size: int, timeout: float
) -> Mapping[str, bool | int] | None:
    lines: list[str] = []
    letters: list[list[_Gate]] = []
    declared: list[str] = []
    for position in range(size):
        letter = [_Gate(_atom(position, bit), lines) for bit in range(len(form.atoms))]
        letters.append(letter)
        declared += [f"(declare-const {gate.name} Bool)" for gate in letter]
    # On gates, the evaluator's only integers are 0 and 1: nothing satisfies the formula, or everything.
    goal: _Gate | int = columns.satisfied(prefix, cast("Any", letters), 1)
    if isinstance(goal, int):
        return {} if goal else None
    script = "\n".join([*declared, *lines, f"(assert {goal.name})"])
    return model_of(script, timeout, logic="QF_UF")


def _atom(position: int, bit: int) -> str:
    return f"a{position}x{bit}"
