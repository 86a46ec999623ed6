"""Equivalence and entailment of first-order formulas: small models, normal forms, then z3 with bounded work.

The relations are undecidable, so there is a third outcome. A refutation is a model in which the relation fails. A proof
shows that the relation holds in all models, finite and infinite.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pytest_autoeval.languages.base import Relation, Verdict
from pytest_autoeval.languages.deciding import decided
from pytest_autoeval.languages.first_order.evaluate import MAX_VISITS, FiniteModel, evaluate, visits
from pytest_autoeval.languages.first_order.grounding import Grounding
from pytest_autoeval.languages.first_order.normal import Normaliser, Scoping
from pytest_autoeval.languages.first_order.to_smt import Script
from pytest_autoeval.languages.isolation import GaveUpError, TimeLimit, Worker, session
from pytest_autoeval.languages.limits import check_size
from pytest_autoeval.languages.logic.signature import joint_signature
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.propositional import programs
from pytest_autoeval.languages.propositional.decide import FAILURE
from pytest_autoeval.languages.propositional.diagrams import FALSE, TooLargeError, apply
from pytest_autoeval.languages.propositional.programs import Proposition

#: z3's deterministic measure of work: the limit of one attempt for each second of the time limit.
_RLIMIT_A_SECOND = 40_000
#: The largest limit that z3 accepts.
_MAX_RLIMIT = (1 << 32) - 1


class _Way(NamedTuple):
    """A way to a proof: whether z3 gets the normal form instead of the formulas, and z3's options."""

    normal: bool = False
    options: tuple[tuple[str, Any], ...] = ()


_WAYS = (
    _Way(),
    _Way(normal=True),
    _Way(options=(("auto_config", False), ("smt.case_split", 3))),
    _Way(options=(("tactics", ("simplify", "snf", "propagate-values", "simplify")),)),
)
#: An attempt of z3 (a model of some size, or a proof), with the multiple of work that it may take.
_Attempt = tuple[int | _Way, float]
_FIRST_ATTEMPTS: tuple[_Attempt, ...] = (
    *((2, 1), (3, 1), (_WAYS[0], 0.5), (_WAYS[1], 0.5), (_WAYS[2], 0.5), (_WAYS[3], 0.5), (_WAYS[0], 1)),
    *((4, 1), (5, 2), (_WAYS[0], 4), (6, 4), (7, 4), (8, 4)),
)
#: The number of turns of all ways and sizes, each with twice the work of the last. The time limit usually comes first.
_TURNS = 12
#: Nodes, times two for each quantifier around them. Moving quantifiers inwards takes too long for more.
_MAX_SCOPING = 20_000

#: The method that decided, and a model in which the relation fails, if there is one.
Decision = tuple[str, FiniteModel | None]


def decide(relation: Relation, left: Sentence, right: Sentence, timeout: float, work: float | None = None) -> Verdict:
    """Decides whether two formulas have the same value in every model, or ``right`` holds in every model of ``left``.

    ``timeout`` is in seconds of processor time. ``work`` limits z3 to the work of about that many seconds, independent
    of the machine.
    """

    def search() -> Decision:
        check_size(left)
        check_size(right)
        return _Problem(left, right, relation, timeout, work).decide()

    return decided(relation, "z3", search)


class _Problem:
    """One question with the methods to decide it; a method returns None if it cannot."""

    def __init__(self, left: Sentence, right: Sentence, relation: Relation, timeout: float, work: float | None) -> None:
        self._time = TimeLimit(timeout)
        self._rlimit = int((timeout if work is None else work) * _RLIMIT_A_SECOND)
        self._turns = _TURNS if work is None else 1
        self._left = left
        self._right = right
        self._relation = relation
        self._signature = joint_signature(left, right)
        #: Sizes of models to skip: the relation holds in all of them, or they are too large.
        self._held_in: set[int] = set()

    def decide(self) -> Decision:
        """Raises :class:`GaveUpError` if no method decides in time."""
        quick: tuple[Callable[[], Decision | None], ...] = (
            lambda: self._by_rows(size=1),
            lambda: self._by_normal_form(self._left, self._right, inwards=False),
            lambda: self._by_rows(size=2),
            lambda: self._by_normal_form(self._left, self._right, inwards=True),
            lambda: self._by_normal_form(*self._scoped(), inwards=False),
        )
        for method in quick:
            if decision := method():
                return decision
            if self._time.is_over:
                break
        return self._by_z3()

    def _by_rows(self, size: int) -> Decision | None:
        """Evaluates the formulas in many models of one size at once, or in all of them if there are few."""
        try:
            grounding = self._grounding(size)
        except TooLargeError:
            return None
        propositions = list(grounding.propositions())
        all_models = len(propositions) <= programs.MAX_PROPOSITIONS
        columns, full = (programs.truth_table if all_models else programs.sample)(len(propositions))
        values = dict(zip(propositions, columns, strict=True))
        if table := programs.run(grounding.steps, values, full)[-1]:
            return self._fails(grounding, programs.lowest_row(table, values))
        if all_models:
            self._held_in.add(size)
        return None

    def _by_normal_form(self, left: Sentence, right: Sentence, *, inwards: bool) -> Decision | None:
        try:
            _, failure = self._failure(left, right, inwards=inwards)
        except TooLargeError:
            return None
        return ("normal form", None) if failure == FALSE else None

    def _failure(self, left: Sentence, right: Sentence, *, inwards: bool) -> tuple[Normaliser, int]:
        normaliser = Normaliser(inwards=inwards)
        stack = [normaliser.normal_form(right), normaliser.normal_form(left)]
        for step in FAILURE[self._relation]:
            apply(normaliser.diagrams, step, stack)
        return normaliser, stack.pop()

    def _by_z3(self) -> Decision:
        goals = self._goals()
        with session("pytest_autoeval.languages.smt", self._time.left) as worker:
            for attempt, multiple in _attempts(self._turns):
                rlimit = min(int(multiple * self._rlimit), _MAX_RLIMIT)
                if isinstance(attempt, int):
                    if decision := self._model_of_size(worker, attempt, rlimit):
                        return decision
                elif (goal := goals.get(attempt.normal)) is not None:
                    options = dict(attempt.options)
                    goal[:] = [text for text in goal if worker.call("solve", text, rlimit, options).outcome != "unsat"]
                    if not goal:
                        return "z3", None
        raise GaveUpError("no proof found, and no counter-model")

    def _goals(self) -> dict[bool, list[str]]:
        """Scripts, all unsatisfiable if the relation holds: of the formulas (False), of a normal form (True)."""
        script = Script(self._signature)
        left, right = map(script.sentence, self._scoped())
        directions = [(left, right)] if self._relation == "entailment" else [(left, right), (right, left)]
        goals = {False: [f"{script.declarations}(assert {holds})(assert (not {fails}))" for holds, fails in directions]}
        with contextlib.suppress(TooLargeError):
            failure = self._failure(self._left, self._right, inwards=True)
            goals[True] = [f"{script.declarations}{script.diagram(*failure)}"]
        return goals

    def _model_of_size(self, worker: Worker, size: int, rlimit: int) -> Decision | None:
        if size in self._held_in:
            return None
        try:
            grounding = self._grounding(size)
        except TooLargeError:
            self._held_in.add(size)
            return None
        names = {proposition: f"p{index}" for index, proposition in enumerate(grounding.propositions())}
        answer = worker.call("solve", programs.script(grounding.steps, names), rlimit, {"logic": "QF_UF"})
        if answer.outcome == "unsat":
            self._held_in.add(size)
        if answer.outcome != "sat":
            return None
        return self._fails(grounding, {key: answer.values.get(name) is True for key, name in names.items()})

    def _grounding(self, size: int) -> Grounding:
        grounding = Grounding(self._signature, size)
        grounding.add(self._right)
        grounding.add(self._left)
        grounding.steps += FAILURE[self._relation]
        return grounding

    def _scoped(self) -> tuple[Sentence, Sentence]:
        """Equivalents of left and right with smaller scopes of quantifiers."""
        if visits(self._left, 2) + visits(self._right, 2) > _MAX_SCOPING:
            return self._left, self._right
        scoping = Scoping(self._signature.constants)
        return scoping.scoped(self._left), scoping.scoped(self._right)

    def _fails(self, grounding: Grounding, values: Mapping[Proposition, bool]) -> Decision:
        """The model, with the formulas' values in it by an independent evaluator."""
        model = grounding.model(values)
        if visits(self._left, grounding.size) + visits(self._right, grounding.size) > MAX_VISITS:
            raise GaveUpError("a model was found, but the formulas are too large to check it")
        model = replace(model, left=evaluate(self._left, model), right=evaluate(self._right, model))
        return f"finite model of size {grounding.size}", model


def _attempts(turns: int) -> Iterator[_Attempt]:
    """The attempts in order; each turn gives z3 another random seed."""
    yield from _FIRST_ATTEMPTS
    for turn in range(1, turns):
        for normal, options in _WAYS:
            yield _Way(normal, (*options, ("smt.random_seed", turn))), 2**turn
        for size in range(2, 9 + turn):
            yield size, 2 ** (turn + 2)
