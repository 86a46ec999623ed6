"""Equivalence and entailment of propositional formulas: truth tables, decision diagrams, and z3 for what is left."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

from pytest_autoeval.languages.base import LimitError, Outcome, Verdict
from pytest_autoeval.languages.isolation import GaveUpError, session
from pytest_autoeval.languages.logic.syntax import Implies, Not, Sentence, Xor
from pytest_autoeval.languages.propositional.evaluate import evaluate
from pytest_autoeval.languages.propositional.postfix import Proposition, Step, postfix
from pytest_autoeval.languages.propositional.to_smt import script
from pytest_autoeval.languages.propositional.truth_table import MAX_PROPOSITIONS, lowest_row, run, sample, truth_table
from pytest_autoeval.languages.propositional.witness import Assignment

Relation = Literal["equivalence", "entailment"]
#: What a verdict is called when the relation holds, and when it does not.
OUTCOMES: dict[Relation, tuple[Outcome, Outcome]] = {
    "equivalence": ("equivalent", "different"),
    "entailment": ("entails", "does not entail"),
}
#: What a program does to the values of left and right to get the value of "the relation fails here".
FAILURE: dict[Relation, tuple[type[Sentence], ...]] = {"equivalence": (Xor,), "entailment": (Implies, Not)}
#: z3's own measure of work, deterministic; the slowest machines do this much of it in a second.
RLIMIT_A_SECOND = 1_000_000
#: Diagrams of this many nodes take about a tenth of a second, and a recursion as deep as there are propositions.
_DIAGRAM_NODES = 20_000
_DIAGRAM_PROPOSITIONS = 200

Values = dict[Proposition, bool]


def equivalence(left: Sentence, right: Sentence, timeout: float) -> Verdict:
    """Whether two propositional formulas have the same truth table; ``timeout`` in seconds."""
    return _decide(left, right, "equivalence", timeout)


def entailment(left: Sentence, right: Sentence, timeout: float) -> Verdict:
    """Whether every assignment that satisfies ``left`` satisfies ``right``; ``timeout`` in seconds."""
    return _decide(left, right, "entailment", timeout)


def _decide(left: Sentence, right: Sentence, relation: Relation, timeout: float) -> Verdict:
    started = time.perf_counter()
    holds, fails = OUTCOMES[relation]
    method, witness = "z3", None
    try:
        steps, propositions = postfix(left, right)
        steps += FAILURE[relation]
        method, values = counterexample(steps, propositions, timeout)
        if values is not None:
            witness = _checked(left, right, relation, values)
    except (GaveUpError, LimitError) as problem:
        reason = problem.problem if isinstance(problem, LimitError) else str(problem)
        return Verdict("undecided", method, reason=reason, seconds=time.perf_counter() - started)
    return Verdict(holds if witness is None else fails, method, witness, seconds=time.perf_counter() - started)


def counterexample(
    steps: Sequence[Step], propositions: Sequence[Proposition], timeout: float
) -> tuple[str, Values | None]:
    """The method that decided, and values that make a program's last value true, if there are any.

    Raises :class:`GaveUpError` when time or memory runs out.
    """
    if len(propositions) <= MAX_PROPOSITIONS:
        return "truth table", _by_rows(steps, propositions, *truth_table(len(propositions)))
    if found := _by_rows(steps, propositions, *sample(len(propositions))):
        return "sampled rows", found
    if len(propositions) <= _DIAGRAM_PROPOSITIONS:
        from pytest_autoeval.languages.propositional.diagrams import TooLargeError

        with suppress(TooLargeError):
            return "decision diagram", _by_diagram(steps, propositions)
    return "z3", _by_z3(steps, propositions, timeout)


def _by_rows(
    steps: Sequence[Step], propositions: Sequence[Proposition], columns: tuple[int, ...], full: int
) -> Values | None:
    values = dict(zip(propositions, columns, strict=True))
    table = run(steps, values, full)[-1]
    return lowest_row(table, values) if table else None


def _by_diagram(steps: Sequence[Step], propositions: Sequence[Proposition]) -> Values | None:
    from pytest_autoeval.languages.propositional.diagrams import FALSE, Diagrams, apply

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
    with session("pytest_autoeval.languages.smt", timeout) as worker:
        answer = worker.call("solve", script(steps, names), int(timeout * RLIMIT_A_SECOND), {"logic": "QF_UF"})
    if answer.outcome == "unknown":
        raise GaveUpError(f"z3 gave up: {answer.reason}")
    return {key: name in answer.true for key, name in names.items()} if answer.outcome == "sat" else None


def _checked(left: Sentence, right: Sentence, relation: Relation, values: Values) -> Assignment:
    """The witness, after an evaluator of its own has confirmed it; never one that was not confirmed."""
    assignment = {str(name): value for name, value in values.items()}
    found = Assignment(assignment, left=evaluate(left, assignment), right=evaluate(right, assignment))
    if (found.left == found.right) if relation == "equivalence" else (found.right or not found.left):
        raise GaveUpError("internal: an assignment that was found did not survive its check; please report it")
    return found
