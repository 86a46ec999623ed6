"""Equivalence and entailment of propositional formulas: truth tables, decision diagrams, then z3."""

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

#: The steps from the values of left and right to the value of "the relation fails here".
FAILURE: dict[Relation, tuple[type[Sentence], ...]] = {
    "equivalence": (fol.Xor,),
    "entailment": (fol.Implies, fol.Not),
}
#: Diagrams of this many nodes take about a tenth of a second. The recursion is as deep as the propositions are many.
_DIAGRAM_NODES = 20_000
_DIAGRAM_PROPOSITIONS = 200

Values = dict[Proposition, bool]


def decide(relation: Relation, left: Sentence, right: Sentence, timeout: float) -> Verdict:
    """Decides whether the same assignments satisfy two formulas, or all that satisfy ``left`` satisfy ``right``.

    ``timeout`` is in seconds.
    """

    def search() -> tuple[str, Assignment | None]:
        steps, propositions = programs.postfix(left, right)
        steps += FAILURE[relation]
        method, failure = counterexample(steps, propositions, timeout)
        if failure is None:
            return method, None
        values = {str(name): value for name, value in failure.items()}
        return method, Assignment(
            values, left=evaluate(left, values), right=evaluate(right, values)
        )

    return decided(relation, "z3", search)


def counterexample(
    steps: Sequence[Step], propositions: Sequence[Proposition], timeout: float
) -> tuple[str, Values | None]:
    """The method that decided, and values that make a program's last value true, or None.

    Raises :class:`GaveUpError` when time or memory runs out.
    """
    if len(propositions) <= programs.MAX_PROPOSITIONS:
        return "truth table", _by_rows(
            steps, propositions, *programs.truth_table(len(propositions))
        )
    if values := _by_rows(steps, propositions, *programs.sample(len(propositions))):
        return "sampled rows", values
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


def _by_z3(
    steps: Sequence[Step], propositions: Sequence[Proposition], timeout: float
) -> Values | None:
    names = {proposition: f"p{index}" for index, proposition in enumerate(propositions)}
    model = model_of(programs.script(steps, names), timeout, logic="QF_UF")
    return None if model is None else {key: model.get(name) is True for key, name in names.items()}
