"""Equivalence and entailment of propositional formulas: truth tables, decision diagrams, and z3 for what is left."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from pytest_autoeval.languages.base import Relation, Verdict
from pytest_autoeval.languages.deciding import Assignment, decided, model_of
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.propositional import programs
from pytest_autoeval.languages.propositional.diagrams import FALSE, Diagrams, TooLargeError, apply
from pytest_autoeval.languages.propositional.evaluate import evaluate
from pytest_autoeval.languages.propositional.programs import Proposition, Step

#: What a program does to the values of left and right to get the value of "the relation fails here".
FAILURE: dict[Relation, tuple[type[Sentence], ...]] = {
    "equivalence": (fol.Xor,),
    "entailment": (fol.Implies, fol.Not),
}
#: Diagrams of this many nodes take about a tenth of a second, and a recursion as deep as there are propositions.
_DIAGRAM_NODES = 20_000
_DIAGRAM_PROPOSITIONS = 200

Values = dict[Proposition, bool]


def decide(relation: Relation, left: Sentence, right: Sentence, timeout: float) -> Verdict:
    """Whether the same assignments satisfy two formulas, or all that satisfy ``left`` satisfy ``right``.

    ``timeout`` is in seconds.
    """

    def search() -> tuple[str, Assignment | None]:
        steps, propositions = programs.postfix(left, right)
        steps += FAILURE[relation]
        method, found = counterexample(steps, propositions, timeout)
        if found is None:
            return method, None
        values = {str(name): value for name, value in found.items()}
        return method, Assignment(values, left=evaluate(left, values), right=evaluate(right, values))

    return decided(relation, "z3", search)


def counterexample(
    steps: Sequence[Step], propositions: Sequence[Proposition], timeout: float
) -> tuple[str, Values | None]:
    """The method that decided, and values that make a program's last value true, if there are any.

    Raises :class:`GaveUpError` when time or memory runs out.
    """
    if len(propositions) <= programs.MAX_PROPOSITIONS:
        return "truth table", _by_rows(steps, propositions, *programs.truth_table(len(propositions)))
    if found := _by_rows(steps, propositions, *programs.sample(len(propositions))):
        return "sampled rows", found
    if len(propositions) <= _DIAGRAM_PROPOSITIONS:
        with suppress(TooLargeError):
            return "decision diagram", _by_diagram(steps, propositions)
    return "z3", _by_z3(steps, propositions, timeout)


def _by_rows(
    steps: Sequence[Step], propositions: Sequence[Proposition], columns: tuple[int, ...], full: int
) -> Values | None:
    values = dict(zip(propositions, columns, strict=True))
    table = programs.run(steps, values, full)[-1]
    return programs.lowest_row(table, values) if table else None


def _by_diagram(steps: Sequence[Step], propositions: Sequence[Proposition]) -> Values | None:
    diagrams = Diagrams(_DIAGRAM_NODES)
    variables = {name: diagrams.node(label, 0, 1) for label, name in enumerate(propositions)}
    stack: list[int] = []
    for step in steps:
        if step in variables:
            stack.append(variables[step])
        else:
            apply(diagrams, step, stack)
    if stack[-1] == FALSE:
        return None
    fixed = dict(diagrams.path(stack[-1]))
    return {name: fixed.get(label, False) for label, name in enumerate(propositions)}


def _by_z3(steps: Sequence[Step], propositions: Sequence[Proposition], timeout: float) -> Values | None:
    names = {proposition: f"p{index}" for index, proposition in enumerate(propositions)}
    found = model_of(programs.script(steps, names), timeout, logic="QF_UF")
    return None if found is None else {key: found.get(name) is True for key, name in names.items()}
