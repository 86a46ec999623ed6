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
        # The evaluator shares no code with the search: if both values agree, `decided` says "undecided".
        left_value = evaluate(left, values)
        right_value = evaluate(right, values)
        return method, Assignment(values, left=left_value, right=right_value)

    return decided(relation, "z3", search)


def counterexample(
    steps: Sequence[Step], propositions: Sequence[Proposition], timeout: float
) -> tuple[str, Values | None]:
    """The method that decided, and values that make a program's last value true, or None.

    Raises :class:`GaveUpError` when time or memory runs out.
    """
    # The order is that of cost. Each method decides alone, or leaves the pair to the next one.
    # A table over 16 propositions costs less than any other method: 78,000 pairs a second at 12.
    if len(propositions) <= programs.MAX_PROPOSITIONS:
        columns, full = programs.truth_table(len(propositions))
        return "truth table", _by_rows(steps, propositions, columns, full)
    # Random rows cannot prove an equivalence, but they find most differences.
    columns, full = programs.sample(len(propositions))
    if values := _by_rows(steps, propositions, columns, full):
        return "sampled rows", values
    # The same clauses in another order have one normal form, which needs no search.
    normaliser = PropositionalNormaliser(propositions)
    failure = normaliser.run(steps)
    if failure in (normal_form.FALSE, normal_form.TRUE):
        # The sample has shown that the failure is no tautology, unless nobody looked at a row.
        always = dict.fromkeys(propositions, False) if failure == normal_form.TRUE else None
        return "normal form", always
    # Diagrams end in a known time: with success, or at their limit of nodes.
    if len(propositions) <= _DIAGRAM_PROPOSITIONS:
        with suppress(TooLargeError):
            return "decision diagram", _by_diagram(steps, propositions)
    # z3 comes last: it runs in a process of its own, and pigeons or products can take all the time.
    method, true = _by_clauses(PropositionalClauses(normaliser.nodes, failure), timeout)
    if true is None:
        return method, None
    # An input that no clause mentions may have either value: it is false here.
    return method, {name: literal >> 1 in true for name, literal in normaliser.inputs.items()}


def _by_rows(
    steps: Sequence[Step], propositions: Sequence[Proposition], columns: tuple[int, ...], full: int
) -> Values | None:
    values = dict(zip(propositions, columns, strict=True))
    table = programs.run(steps, values, full)[-1]
    return programs.lowest_row(table, values) if table else None


def _by_diagram(steps: Sequence[Step], propositions: Sequence[Proposition]) -> Values | None:
    diagrams = Diagrams(_DIAGRAM_NODES)
    variables: dict[Step, int] = {}
    for label, name in enumerate(propositions):
        variables[name] = diagrams.node(label, low=0, high=1)
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
    # Elimination takes cubic time for chains of ⊕ and ↔, solvers of clauses exponential time.
    rows = parity.eliminated([*form.rows, *parity.equations(form.clauses)])
    if rows:
        if rows == parity.CONTRADICTION:
            return "linear equations", None
        true = parity.solution(rows)
        # The equations are all solved. If the clauses hold too, no solver is needed.
        if parity.satisfies(true, form.clauses):
            return "linear equations", true
        # Values and equal pairs that follow from the equations help the solver.
        clauses += parity.short_clauses(rows)
    work = int(timeout * _WORK_A_SECOND)
    with session("pytest_autoeval.languages.smt", timeout) as worker:
        outcome, true = worker.call("satisfy", clauses, work)
    if outcome == "unknown":
        raise GaveUpError(OVER)
    return "z3", true if outcome == "sat" else None
