"""Equivalence and entailment of propositional formulas, by the cheapest method that decides.

These are truth tables, sampled rows, a normal form, decision diagrams, linear equations, and z3's solver of clauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from pytest_autoeval.languages.base import Relation, Verdict
from pytest_autoeval.languages.deciding import Assignment, decided
from pytest_autoeval.languages.isolation import OVER, GaveUpError, session
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.propositional import normal_form, parity, programs
from pytest_autoeval.languages.propositional.clauses import PropositionalClauses
from pytest_autoeval.languages.propositional.diagrams import FALSE, Diagrams, TooLargeError, apply
from pytest_autoeval.languages.propositional.evaluate import evaluate
from pytest_autoeval.languages.propositional.normal_form import PropositionalNormaliser
from pytest_autoeval.languages.propositional.programs import Proposition, Step

#: The steps from the values of left and right to the value of "the relation fails here".
FAILURE: dict[Relation, tuple[type[Sentence], ...]] = {
    "equivalence": (fol.Xor,),
    "entailment": (fol.Implies, fol.Not),
}
#: Diagrams of this many nodes take about a tenth of a second. The recursion is as deep as the propositions are many.
_DIAGRAM_NODES = 20_000
_DIAGRAM_PROPOSITIONS = 200
#: z3's measure of its own work. It does a hundredth of this in a second on some clauses, and never more on others. So
#: the limit of processor time ends a search, and the whole of it is used.
_WORK_A_SECOND = 20_000_000

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
    normaliser = PropositionalNormaliser(propositions)
    failure = normaliser.run(steps)
    if failure in (normal_form.FALSE, normal_form.TRUE):
        # The sample has shown that the failure is no tautology, unless nobody looked at a row.
        always = dict.fromkeys(propositions, False) if failure == normal_form.TRUE else None
        return "normal form", always
    if len(propositions) <= _DIAGRAM_PROPOSITIONS:
        with suppress(TooLargeError):
            return "decision diagram", _by_diagram(steps, propositions)
    method, true = _by_clauses(PropositionalClauses(normaliser.nodes, failure), timeout)
    if true is None:
        return method, None
    return method, {name: literal >> 1 in true for name, literal in normaliser.inputs.items()}


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


def _by_clauses(form: PropositionalClauses, timeout: float) -> tuple[str, frozenset[int] | None]:
    """The method that decided, and the true variables of a solution of the clauses, or None."""
    clauses = [*form.clauses, *form.equation_clauses]
    rows = parity.eliminated([*form.rows, *parity.equations(form.clauses)])
    if rows:
        if rows == parity.CONTRADICTION:
            return "linear equations", None
        true = parity.solution(rows)
        if parity.satisfies(true, form.clauses):
            return "linear equations", true
        clauses += parity.short_clauses(rows)
    work = int(timeout * _WORK_A_SECOND)
    with session("pytest_autoeval.languages.smt", timeout) as worker:
        outcome, true = worker.call("satisfy", clauses, work)
    if outcome == "unknown":
        raise GaveUpError(OVER)
    return "z3", true if outcome == "sat" else None
