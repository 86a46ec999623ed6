"""Runs SMT-LIB scripts with z3 inside a worker. Only this module imports z3."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import z3

from pytest_autoeval.languages.isolation import GaveUpError
from pytest_autoeval.languages.solver_answer import SolverAnswer

# Megabytes. It is for systems on which the memory of a process cannot be limited, such as macOS and Windows.
z3.set_param("memory_max_size", 900)


#: A number of conflicts that no search reaches.
_NEVER = 1_000_000_000


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


class ClauseSolver:
    """Clauses that grow, and the question whether they hold together with some literals.

    Literals are integers as in :func:`satisfy`. ``rlimit`` is z3's limit of work for each question. It calls the
    functions of z3's C interface: the classes of its Python interface took nine tenths of the time.
    """

    def __init__(self, variables: int, clauses: Iterable[tuple[int, ...]], rlimit: int) -> None:
        self._context = z3.Context()
        self._solver = z3.SolverFor("QF_FD", ctx=self._context)
        self._solver.set("core.minimize", True)
        # Without a delay, z3 rewrites the clauses again and again, which took most of the time of a long search.
        self._solver.set("simplify.delay", _NEVER)
        self._solver.set(rlimit=rlimit)
        self.add_all(variables, clauses)
        #: Terms are kept: z3 frees those that no object of Python refers to.
        self._terms: dict[int, z3.BoolRef] = {}
        self._addresses: dict[int, Any] = {}
        self._literals: dict[int, int] = {}
        self._declarations: dict[int, Any] = {}
        self._true: int = z3.Z3_mk_true(self._context.ref()).value
        self._model: z3.ModelRef | None = None

    def add_all(self, variables: int, clauses: Iterable[tuple[int, ...]]) -> None:
        """Adds clauses over variables up to a number. Many clauses take a fifth of the time that :meth:`add` takes."""
        # The format DIMACS: a heading, and a line for each clause, which 0 ends.
        lines = [f"p cnf {variables} 0"]
        lines += [" ".join(map(str, (*clause, 0))) for clause in clauses]
        self._solver.from_string("\n".join(lines))

    def add(self, clause: Iterable[int]) -> None:
        array = self._array(clause)
        disjunction = z3.Z3_mk_or(self._context.ref(), len(array), array)
        z3.Z3_solver_assert(self._context.ref(), self._solver.solver, disjunction)

    def limit(self, rlimit: int) -> None:
        """Sets z3's limit of work for each of the next questions."""
        self._solver.set(rlimit=rlimit)

    def spent(self) -> int:
        """The work so far, in z3's own measure."""
        statistics = self._solver.statistics()
        return int(statistics.get_key_value("rlimit count"))

    def core(self, assumed: Iterable[int]) -> list[int] | None:
        """Literals among the assumed ones that cannot hold together; None if all can, and :meth:`holds` has a model.

        Raises :class:`GaveUpError` if z3's limit is reached.
        """
        context, solver = self._context.ref(), self._solver.solver
        array = self._array(assumed)
        outcome = z3.Z3_solver_check_assumptions(context, solver, len(array), array)
        if outcome == z3.Z3_L_UNDEF:
            raise GaveUpError(f"z3 gave up: {self._solver.reason_unknown()}")
        if outcome == z3.Z3_L_TRUE:
            self._model = self._solver.model()
            return None
        terms = z3.AstVector(z3.Z3_solver_get_unsat_core(context, solver), self._context)
        addresses = [
            z3.Z3_ast_vector_get(context, terms.vector, index) for index in range(len(terms))
        ]
        return [self._literals[address.value] for address in addresses]

    def holds(self, literal: int) -> bool:
        """Whether a literal is true in the last model. A variable that does not matter is false."""
        assert self._model is not None
        declaration = self._declaration(abs(literal))
        value = z3.Z3_model_get_const_interp(self._context.ref(), self._model.model, declaration)
        is_true = bool(value) and value.value == self._true
        return is_true == (literal > 0)

    def _declaration(self, variable: int) -> Any:
        if variable not in self._declarations:
            self._declarations[variable] = self._term(variable).decl()
        return self._declarations[variable].ast

    def _array(self, literals: Iterable[int]) -> Any:
        addresses = [self._address(literal) for literal in literals]
        return (z3.Ast * len(addresses))(*addresses)

    def _address(self, literal: int) -> Any:
        if literal not in self._addresses:
            self._addresses[literal] = self._term(literal).as_ast()
            self._literals[self._addresses[literal].value] = literal
        return self._addresses[literal]

    def _term(self, literal: int) -> z3.BoolRef:
        if literal not in self._terms:
            variable = z3.Bool(abs(literal), self._context)
            self._terms[literal] = variable if literal > 0 else z3.Not(variable)
        return self._terms[literal]
