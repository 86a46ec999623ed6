"""Postfix programs as scripts in SMT-LIB, a definition for each step, so that no depth matters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_autoeval.languages.logic.syntax import And, Bottom, Iff, Implies, Not, Or, Top, Xor
from pytest_autoeval.languages.propositional.postfix import Keep, Step

#: The connectives' names in SMT-LIB.
SIGNS: dict[Any, str] = {
    Top: "true",
    Bottom: "false",
    Not: "not",
    And: "and",
    Or: "or",
    Xor: "xor",
    Implies: "=>",
    Iff: "=",
}


def script(steps: Iterable[Step], names: Mapping[Any, str]) -> str:
    """A script that is satisfiable just when the program's last value can be true; ``names`` are the propositions'."""
    lines = [f"(declare-const {name} Bool)" for name in names.values()]
    known: dict[Any, str] = dict(names)
    stack: list[str] = []
    for number, step in enumerate(steps):
        if step in known:
            stack.append(known[step])
        elif isinstance(step, Keep):
            known[step.name] = stack.pop()
        elif step is Top or step is Bottom:
            stack.append(SIGNS[step])
        else:
            operands = [stack.pop() for _ in range(1 if step is Not else 2)]
            lines.append(f"(declare-const d{number} Bool)(assert (= d{number} ({SIGNS[step]} {' '.join(operands)})))")
            stack.append(f"d{number}")
    return "\n".join([*lines, f"(assert {stack.pop()})"])
