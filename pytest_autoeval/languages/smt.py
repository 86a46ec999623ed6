"""Runs SMT-LIB scripts with z3 inside a worker. Only this module imports z3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import z3

# Megabytes. It is for systems on which the memory of a process cannot be limited, such as macOS and Windows.
z3.set_param("memory_max_size", 900)


class SolverAnswer(NamedTuple):
    """z3's answer to a script: ``outcome`` is ``sat``, ``unsat`` or ``unknown``.

    ``values`` has the Boolean and integer constants of the model; a constant that does not matter may be missing.
    """

    outcome: str
    values: Mapping[str, bool | int] = {}
    reason: str = ""
    spent: int = 0


def solve(script: str, rlimit: int, options: dict[str, Any]) -> SolverAnswer:
    """Runs a script's declarations and assertions under z3's own deterministic limit of work.

    A new context makes the answer independent of what this process solved before. Two options are not z3's own: the
    ``logic`` of the script, and the ``tactics`` that rewrite its assertions first.
    """
    context = z3.Context()
    own = {name: value for name, value in options.items() if name not in {"logic", "tactics"}}
    if "logic" in options:
        solver = z3.SolverFor(options["logic"], ctx=context)
    else:
        solver = z3.Solver(ctx=context)
    solver.set(rlimit=rlimit, **own)
    assertions = z3.parse_smt2_string(script, ctx=context)
    try:
        for tactic in options.get("tactics", ()):
            goal = z3.Goal(ctx=context)
            goal.add(*assertions)
            (assertions,) = z3.Tactic(tactic, ctx=context)(goal)
        solver.add(*assertions)
        outcome = str(solver.check())
    except z3.Z3Exception as problem:  # for example out of memory; the next attempt may need less
        return SolverAnswer("unknown", reason=str(problem))
    statistics = solver.statistics()
    spent = 0
    if "rlimit count" in statistics.keys():  # noqa: SIM118 - z3's statistics have no `in` of their own
        spent = int(statistics.get_key_value("rlimit count"))
    if outcome == "sat":
        return SolverAnswer(outcome, _values(solver.model()), spent=spent)
    reason = solver.reason_unknown() if outcome == "unknown" else ""
    return SolverAnswer(outcome, reason=reason, spent=spent)


def _values(model: z3.ModelRef) -> dict[str, bool | int]:
    """The values of the Boolean and integer constants of a model."""
    values: dict[str, bool | int] = {}
    for symbol in model.decls():
        if symbol.arity() > 0:
            continue
        value = model[symbol]
        is_integer = z3.is_int_value(value)
        values[symbol.name()] = value.as_long() if is_integer else z3.is_true(value)
    return values


def satisfy(clauses: Sequence[tuple[int, ...]], rlimit: int) -> tuple[str, frozenset[int]]:
    """Whether clauses hold together in some assignment: ``sat``, ``unsat`` or ``unknown``, and the true variables.

    A literal is a variable, an integer ≥ 1, or a negated one, with a minus sign. z3 works under its own deterministic
    limit. On groundings of first-order formulas, this solver took less than half the time of the one for ``QF_UF``.
    """
    variables = max(abs(literal) for clause in clauses for literal in clause)
    # The text format of SAT solvers (DIMACS): a header, then a line for each clause, which ends in 0.
    lines = [f"p cnf {variables} {len(clauses)}"]
    lines += [" ".join(map(str, (*clause, 0))) for clause in clauses]
    context = z3.Context()
    solver = z3.SolverFor("QF_FD", ctx=context)
    solver.set(rlimit=rlimit)
    try:
        solver.from_string("\n".join(lines))
        outcome = str(solver.check())
    except z3.Z3Exception:
        return "unknown", frozenset()
    model = solver.model() if outcome == "sat" else ()
    true_names = [constant.name() for constant in model if z3.is_true(model[constant])]
    # z3 names variable 7 of such a text "k!7".
    return outcome, frozenset(int(name.removeprefix("k!")) for name in true_names)
