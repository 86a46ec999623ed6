"""Equivalence and entailment of first-order formulas: small models, normal forms, then provers with bounded work.

The relations are undecidable, so there is a third outcome. A refutation is a model in which the relation fails. A proof
shows that the relation holds in all models, finite and infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import NamedTuple

from pytest_autoeval.languages.base import Relation, Verdict
from pytest_autoeval.languages.deciding import decided
from pytest_autoeval.languages.first_order import instantiating, prover
from pytest_autoeval.languages.first_order.attempts import (
    TURNS,
    InstanceSearch,
    LargeSample,
    ProverSearch,
    SharedTime,
    Way,
    attempts,
)
from pytest_autoeval.languages.first_order.circuit import SharedFormulas
from pytest_autoeval.languages.first_order.evaluate import MAX_VISITS, FiniteModel, evaluate, visits
from pytest_autoeval.languages.first_order.grounding import (
    MAX_CELLS,
    Algebra,
    Grounding,
    ModelSpace,
    columns,
    signals,
)
from pytest_autoeval.languages.first_order.instance_check import check_instances
from pytest_autoeval.languages.first_order.normal_forms import Normaliser, Scoping
from pytest_autoeval.languages.first_order.refuting import Refutation
from pytest_autoeval.languages.first_order.to_smt import Script
from pytest_autoeval.languages.first_order.tptp import ProofRefusedError
from pytest_autoeval.languages.isolation import GaveUpError, TimeLimit, Worker, session
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.signature import joint_signature
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.propositional import circuits, programs
from pytest_autoeval.languages.propositional.circuits import Circuit
from pytest_autoeval.languages.propositional.diagrams import FALSE, TooLargeError
from pytest_autoeval.languages.propositional.programs import Proposition
from pytest_autoeval.languages.size_limits import check_size

#: z3's deterministic measure of work: the limit of one attempt for each second of the time limit.
_RLIMIT_A_SECOND = 40_000
#: The largest limit that z3 accepts.
_MAX_RLIMIT = (1 << 32) - 1


#: Nodes, times two for each quantifier around them. Moving quantifiers inwards takes too long for more.
_MAX_SCOPING = 20_000

#: Nodes of normal forms, first and last. Nearly all that decide are smaller than the first limit; so many take some
#: milliseconds to make. The second limit is for formulas that nothing quick decides; so many take a tenth of a second.
_FEW_NODES, _MANY_NODES = 1_000, 5_000
#: Gates of a grounding's circuit.
_GATES = 50_000
#: The rows of a sample that finds many models of two elements that the usual one misses, in a millisecond or two; and
#: the most propositions for it, since their columns are kept.
_MANY_ROWS, _MOST_PROPOSITIONS = 60_000, 512
#: Bits of all columns of a grounding, 75 megabytes.
_MAX_BITS = 600_000_000

#: The method that decided, and a model in which the relation fails, if there is one.
Decision = tuple[str, FiniteModel | None]


def decide(
    relation: Relation, left: Sentence, right: Sentence, timeout: float, work: float | None = None
) -> Verdict:
    """Decides whether two formulas have the same value in every model, or ``right`` holds in every model of ``left``.

    ``timeout`` is in seconds of processor time. ``work`` limits z3 to the work of about that many seconds, independent
    of the machine.
    """

    def search() -> Decision:
        check_size(left)
        check_size(right)
        # Most answers of good models are the formula itself, and equal trees have one normal form.
        if left == right:
            return "normal form", None
        return _Problem(left, right, relation, timeout, work).decide()

    return decided(relation, "z3" if work is not None else _provers(), search)


def _provers() -> str:
    """The provers that are installed, as the method of an undecided pair."""
    names = ["z3"]
    if prover.prover_path() is not None:
        names.append("E")
    if instantiating.solver_is_installed():
        names.append("cvc5")
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


class _Question(NamedTuple):
    """Two formulas as shared parts, and the signal of "the relation fails"."""

    formulas: SharedFormulas
    failure: int


def _question(left: Sentence, right: Sentence, relation: Relation) -> _Question:
    formulas = SharedFormulas()
    # The order of the atoms is the order of the variables in normal forms.
    right_signal = formulas.add(right)
    left_signal = formulas.add(left)
    if relation == "equivalence":
        return _Question(formulas, formulas.connect(fol.Xor, left_signal, right_signal))
    return _Question(formulas, formulas.connect(fol.And, left_signal, right_signal ^ 1))


#: A normal form of "the relation fails", and the normaliser that made it.
_NormalForm = tuple[Normaliser, int]


class _Problem:
    """One question with the methods to decide it; a method returns None if it cannot."""

    def __init__(
        self,
        left: Sentence,
        right: Sentence,
        relation: Relation,
        timeout: float,
        work: float | None,
    ) -> None:
        self._time = TimeLimit(timeout)
        self._rlimit = int((timeout if work is None else work) * _RLIMIT_A_SECOND)
        # Fixed work has one turn: each further one would double it.
        self._turns = TURNS if work is None else 1
        self._left = left
        self._right = right
        self._relation = relation
        self._signature = joint_signature(left, right)
        self._question = _question(left, right, relation)
        #: The normal forms made so far; None for one that is too large.
        self._normal_forms: dict[tuple[bool, bool], _NormalForm | None] = {}
        #: The scripts for z3 that are not yet proved, of the formulas (False) and of a normal form (True).
        self._goals: dict[bool, list[str]] = {}
        #: What E has to refute; those that it has refuted are removed. None if E is not used.
        self._refutations: list[Refutation] | None = None
        # Not with fixed work, which must decide the same on every machine: E and cvc5 may be absent.
        self._with_prover = work is None and prover.prover_path() is not None
        self._with_instances = work is None and instantiating.solver_is_installed()
        #: The scripts that cvc5 has to refute, without those that it has refuted; None before its first search.
        self._contradictions: list[str] | None = None
        #: The prover, z3 or E, that finds that the relation fails, in a model that it does not show.
        self._refuted_by = ""
        #: Sizes of models in all of which the relation holds, and sizes that are too large to search.
        self._held_in: set[int] = set()
        self._too_large: set[int] = set()

    def decide(self) -> Decision:
        """Raises :class:`GaveUpError` if no method decides in time."""
        # Cheap methods come first. Most different pairs differ in a model of one element, and most others in a sample
        # of models of two; a large sample costs less than a normal form that does not decide.
        quick: tuple[Callable[[], Decision | None], ...] = (
            self._by_shared_parts,
            lambda: self._by_rows(size=1),
            lambda: self._by_rows(size=2),
            lambda: self._by_normal_form(inwards=False),
            lambda: self._by_rows(size=2, many=True),
            lambda: self._by_normal_form(inwards=True),
            lambda: self._by_normal_form(inwards=False, scoped=True),
        )
        for method in quick:
            if decision := method():
                return decision
            if self._time.is_over:
                break
        return self._by_z3()

    def _by_shared_parts(self) -> Decision | None:
        return ("normal form", None) if self._question.failure == FALSE else None

    def _by_rows(self, size: int, *, many: bool = False) -> Decision | None:
        """Evaluates the formulas in random models of one size at once, or in all of them if there are few."""
        if size in self._held_in:
            return None
        try:
            models = ModelSpace(self._signature, size)
            number = len(models.propositions)
            all_models = number <= programs.MAX_PROPOSITIONS and not many
            if many and number > _MOST_PROPOSITIONS:
                return None
            if all_models:
                values, full = programs.truth_table(number)
            else:
                rows = _MANY_ROWS if many else programs.SAMPLED_ROWS
                values, full = programs.sample(number, rows)
            limit = min(MAX_CELLS, _MAX_BITS // full.bit_length())
            table = self._failure(models, values, columns(full), limit)
        except TooLargeError:
            return None
        if table:  # a bit for each model in which the relation fails
            columns_by_name = dict(zip(models.propositions, values, strict=True))
            return self._fails(models, programs.lowest_row(table, columns_by_name))
        if all_models:
            self._held_in.add(size)
        return None

    def _failure(
        self, models: ModelSpace, values: Sequence[int], algebra: Algebra, limit: int = MAX_CELLS
    ) -> int:
        """The truth value of "the relation fails" where the propositions have these truth values."""
        formulas, failure = self._question
        return Grounding(models, formulas, values, algebra, limit).values(failure)[0]

    def _by_normal_form(
        self, *, inwards: bool, scoped: bool = False, nodes: int = _FEW_NODES
    ) -> Decision | None:
        normal_form = self._normal_form(inwards, scoped, nodes)
        if normal_form is None:
            return None
        _, root = normal_form
        return ("normal form", None) if root == FALSE else None

    def _normal_form(self, inwards: bool, scoped: bool, nodes: int) -> _NormalForm | None:
        """The normal form of the formulas or of the scoped ones; None if it has more nodes."""
        key = (inwards, scoped)
        if key not in self._normal_forms:
            normaliser = Normaliser(nodes, inwards=inwards)
            question = _question(*self._scoped, self._relation) if scoped else self._question
            try:
                self._normal_forms[key] = normaliser, normaliser.normal_form(*question)
            except TooLargeError:
                if nodes == _FEW_NODES:  # not stored, so that a later call may try more nodes
                    return None
                self._normal_forms[key] = None
        return self._normal_forms[key]

    def _by_large_normal_form(self) -> Decision | None:
        for inwards, scoped in ((False, False), (True, False), (False, True)):
            if decision := self._by_normal_form(inwards=inwards, scoped=scoped, nodes=_MANY_NODES):
                return decision
        return None

    def _by_z3(self) -> Decision:
        try:
            decision = self._by_attempts()
        except GaveUpError as problem:
            raise GaveUpError(self._refutation() or str(problem)) from None
        if decision is None:
            raise GaveUpError(self._refutation() or "no proof found, and no counter-model")
        return decision

    def _refutation(self) -> str:
        """That a prover finds that the relation fails, without a model that shows it; empty if none finds so."""
        size = next(size for size in count(1) if size not in self._held_in)
        if not self._refuted_by or size == 1:
            return ""
        fails = "the second does not follow from the first"
        if self._relation == "equivalence":
            fails = "the formulas differ"
        return f"{self._refuted_by} finds that {fails}, but no case of fewer than {size} elements shows it"

    def _by_attempts(self) -> Decision | None:
        with session("pytest_autoeval.languages.smt", self._time.left) as worker:
            time = SharedTime(worker)
            for attempt, multiple in attempts(self._turns):
                rlimit = min(int(multiple * self._rlimit), _MAX_RLIMIT)
                match attempt:
                    case int():
                        decision = self._model_of_size(worker, attempt, rlimit)
                    case LargeSample(size):
                        decision = self._by_rows(size, many=True)
                    case Way():
                        decision = self._proof(worker, attempt, rlimit)
                    case ProverSearch(clauses):
                        decision = self._proof_by_prover(worker, time, clauses)
                    case InstanceSearch(seconds):
                        decision = self._proof_by_instances(worker, time, seconds)
                if decision:
                    return decision
        return None

    def _proof_by_prover(self, worker: Worker, time: SharedTime, clauses: int) -> Decision | None:
        """A proof by E, each step of which z3 has confirmed."""
        # After a refutation there is no proof to find, only a model.
        if not self._with_prover or self._refuted_by:
            return None
        if self._refutations is None:
            self._refutations = self._made_refutations()

        def refutes(script: str, rlimit: int) -> bool:
            return _is_refuted(worker, script, rlimit)

        name = ""
        for refutation in tuple(self._refutations):
            answer = prover.run_prover(refutation.text, time.left, clauses)
            time.spend(answer.seconds)
            if answer.outcome == "satisfiable":
                self._refuted_by = answer.prover
            if answer.outcome != "unsatisfiable":
                return None
            try:
                refutation.check(answer.proof, refutes)
            except ProofRefusedError:
                return None
            # A proof of one direction stays, whatever becomes of the other.
            self._refutations.remove(refutation)
            name = answer.prover
        return (name, None) if name else None

    def _proof_by_instances(
        self, worker: Worker, time: SharedTime, seconds: float
    ) -> Decision | None:
        """A proof by instances that cvc5 chooses and z3 refutes without quantifiers."""
        if not self._with_instances or self._refuted_by:
            return None
        if self._contradictions is None:
            self._contradictions = self._scripts(normal=False)

        def refutes(script: str, rlimit: int) -> bool:
            return _is_refuted(worker, script, rlimit)

        name = ""
        for script in tuple(self._contradictions):
            answer = instantiating.find_instances(script, min(seconds, time.left))
            time.spend(answer.seconds)
            if answer.instances is None:
                return None
            try:
                check_instances(script, answer.instances, refutes)
            except ProofRefusedError:
                return None
            self._contradictions.remove(script)
            name = answer.solver
        return (name, None) if name else None

    def _made_refutations(self) -> list[Refutation]:
        """What E has to refute; nothing if that is too large."""
        try:
            return [Refutation(holds, fails) for holds, fails in self._directions]
        except TooLargeError:
            return []

    @property
    def _directions(self) -> list[tuple[Sentence, Sentence]]:
        """Pairs of a formula and another one that follows from it, if the relation holds."""
        left, right = self._scoped
        if self._relation == "entailment":
            return [(left, right)]
        return [(left, right), (right, left)]

    def _proof(self, worker: Worker, way: Way, rlimit: int) -> Decision | None:
        if self._refuted_by:
            return None
        decision = self._by_large_normal_form() if way.normal else None
        if decision:
            return decision
        if way.normal not in self._goals:
            self._goals[way.normal] = self._scripts(normal=way.normal)
        # What one attempt proved need not be proved again by the next one.
        goals = self._goals[way.normal]
        options = dict(way.options)
        if not goals:
            return None
        for text in tuple(goals):
            outcome = worker.call("solve", text, rlimit, options).outcome
            if outcome == "unsat":
                goals.remove(text)
            if outcome == "sat":  # in a model that may be infinite; no proof exists
                self._refuted_by = "z3"
                return None
        return None if goals else ("z3", None)

    def _scripts(self, *, normal: bool) -> list[str]:
        """Scripts, all unsatisfiable if the relation holds: of the formulas, or of a normal form; none if too large."""
        script = Script(self._signature)
        if normal:
            normal_form = self._normal_form(inwards=True, scoped=False, nodes=_MANY_NODES)
            if normal_form is None:
                return []
            try:
                return [f"{script.declarations}{script.diagram(*normal_form)}"]
            except TooLargeError:
                return []
        scripts = []
        for holds, fails in self._directions:
            assertions = f"(assert {script.sentence(holds)})(assert (not {script.sentence(fails)}))"
            scripts.append(f"{script.declarations}{assertions}")
        return scripts

    def _model_of_size(self, worker: Worker, size: int, rlimit: int) -> Decision | None:
        if size in self._held_in or size in self._too_large:
            return None
        circuit = Circuit(_GATES)
        try:
            models = ModelSpace(self._signature, size)
            inputs = [circuit.input() for _ in models.propositions]
            failure = self._failure(models, inputs, signals(circuit))
        except TooLargeError:
            self._too_large.add(size)
            return None
        # A constant circuit needs no solver: any model shows the failure, or none does.
        outcome = "unsat"
        true_gates = frozenset[int]()
        if failure == circuits.TRUE:
            outcome = "sat"
        elif failure != circuits.FALSE:
            outcome, true_gates = worker.call("satisfy", circuit.clauses(failure), rlimit)
        if outcome == "unsat":
            self._held_in.add(size)
        if outcome != "sat":
            return None
        names = zip(models.propositions, inputs, strict=True)
        values = {name: signal >> 1 in true_gates for name, signal in names}
        return self._fails(models, values)

    @cached_property
    def _scoped(self) -> tuple[Sentence, Sentence]:
        """Equivalents of left and right with smaller scopes of quantifiers."""
        if visits(self._left, 2) + visits(self._right, 2) > _MAX_SCOPING:
            return self._left, self._right
        scoping = Scoping(self._signature.constants)
        return scoping.scoped(self._left), scoping.scoped(self._right)

    def _fails(self, models: ModelSpace, values: Mapping[Proposition, bool]) -> Decision:
        """The model, with the formulas' values in it by an independent evaluator."""
        model = models.model(values)
        if models.size > 1:  # with one element, a quantifier costs no more than any other node
            work = visits(self._left, models.size)
            work += visits(self._right, models.size)
            if work > MAX_VISITS:
                # A model that nobody has checked is no witness.
                raise GaveUpError("a model was found, but the formulas are too large to check it")
        left = evaluate(self._left, model)
        right = evaluate(self._right, model)
        return f"finite model of size {models.size}", replace(model, left=left, right=right)


def _is_refuted(worker: Worker, script: str, rlimit: int) -> bool:
    return bool(worker.call("solve", script, rlimit, {}).outcome == "unsat")
