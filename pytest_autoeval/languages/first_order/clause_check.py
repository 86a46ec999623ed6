"""Checks that clauses follow from a sentence, up to new symbols that leave it satisfiable.

It shares no code with `clauses`, which makes them. If a prover then refutes the clauses, the sentence has no model:

1. The negation normal form is equivalent to the sentence: their normal forms as decision diagrams are equal.
2. A Skolem term replaces a variable of ∃ in the scope of ∀, ∧ and ∨ alone. Its function is new, and used for no other
   variable. Its arguments have all universal variables on which the value may depend. Then each model of the
   sentence becomes a model of the replaced one, by choosing values for the function.
3. A definition says that a new predicate has the value of a formula, so it holds in some extension of each model.
4. The clauses follow from the formula without quantifiers and the definitions. This is a question about equations and
   propositions, since the variables stand for the same elements on both sides. z3 decides it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_autoeval.languages.first_order.circuit import SharedFormulas
from pytest_autoeval.languages.first_order.clauses import ClauseForm, Literals
from pytest_autoeval.languages.first_order.normal_forms import Normaliser
from pytest_autoeval.languages.first_order.proof_check import Refutes
from pytest_autoeval.languages.first_order.to_smt import Script
from pytest_autoeval.languages.first_order.tptp import ProofRefusedError
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.signature import free_names, joint_signature
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.propositional.diagrams import FALSE, TooLargeError

#: Nodes of the normal forms of a sentence and of its negation normal form, which share all their atoms.
_NODES = 20_000

#: z3's work on the clauses of a proof, all at once.
_RLIMIT = 1_000_000


def check_clauses(
    sentence: Sentence, form: ClauseForm, used: Sequence[Literals], refutes: Refutes
) -> None:
    """Checks the clauses ``used`` of a sentence. Raises :class:`ProofRefusedError`."""
    # First, since all that follows speaks of the normal form alone.
    check_normal_form(sentence, form.normal)
    matrix = _Matrix(sentence, form)
    if form.variables != matrix.universal:
        raise ProofRefusedError("the clauses have other variables than the formulas")
    texts = [matrix.text, *matrix.definitions()]
    conditions = "".join(f"(assert {text})" for text in texts)
    clauses = " ".join(map(matrix.clause, used))
    script = f"{matrix.script.declarations}{conditions}(assert (not (and {clauses})))"
    if used and not refutes(script, _RLIMIT):
        raise ProofRefusedError("a clause does not follow from the formulas")


def check_normal_form(sentence: Sentence, normal: Sentence) -> None:
    """Checks that a sentence and its negation normal form have one diagram, and so are equivalent."""
    formulas = SharedFormulas()
    differ = formulas.connect(fol.Xor, formulas.add(sentence), formulas.add(normal))
    try:
        equal = Normaliser(_NODES, inwards=False).normal_form(formulas, differ) == FALSE
    except TooLargeError:
        raise ProofRefusedError("the formulas are too large to check their clauses") from None
    if not equal:
        raise ProofRefusedError("the clauses are those of another formula")


class _Matrix:
    """The negation normal form with Skolem terms and without quantifiers, as SMT-LIB.

    Its universal variables are constants of the script, named as in the clauses.
    """

    def __init__(self, sentence: Sentence, form: ClauseForm) -> None:
        self._form = form
        own = joint_signature(sentence, form.normal)
        self._predicates = {name for name, _ in own.predicates}
        #: Names that no new function, constant or variable may have.
        self._taken = {*(name for name, _ in own.functions), *own.constants}
        self.universal: set[str] = set()
        defined = [formula for definition in form.definitions for formula in definition]
        literals = [literal for clause in form.clauses for literal in clause]
        nodes = form.normal.subformulas()
        unquantified = [node for node in nodes if isinstance(node, fol.Atom | fol.Equal)]
        # A signature is that of formulas: each of these terms stands in an equation with itself.
        skolem = [fol.Equal(term, term) for term in form.skolem.values()]
        bound = [fol.Equal(term, term) for term in _bound_variables(form.normal)]
        signature = joint_signature(*unquantified, *bound, *skolem, *defined, *literals)
        self.script = Script(signature)
        self.text = self._written(form.normal, frozenset(), {})

    def _written(self, node: Sentence, scope: frozenset[str], skolem: Mapping[str, str]) -> str:
        """The text of a part; ``scope`` are the universal variables around it, ``skolem`` has the others' terms."""
        match node:
            case fol.Forall(variable, body):
                self._take(variable)
                self.universal.add(variable)
                return self._written(body, scope | {variable}, skolem)
            case fol.Exists(variable, body):
                term = self._skolem_term(node, scope, skolem)
                return self._written(body, scope, {**skolem, variable: term})
            case fol.And(left, right) | fol.Or(left, right):
                sign = "and" if isinstance(node, fol.And) else "or"
                sides = [self._written(side, scope, skolem) for side in (left, right)]
                return f"({sign} {' '.join(sides)})"
            case fol.Not(operand) if not isinstance(operand, fol.Atom | fol.Equal):
                raise ProofRefusedError("a quantifier is below a negation")
            case fol.Implies() | fol.Iff() | fol.Xor():
                raise ProofRefusedError("a quantifier may have either sign")
        return self.script.sentence(node, skolem)

    def _take(self, name: str) -> None:
        """Notes a new name. Raises :class:`ProofRefusedError` if it is not new."""
        if name in self._taken:
            raise ProofRefusedError(
                "a new function, constant or variable has a name that is already used"
            )
        self._taken.add(name)

    def _skolem_term(
        self, node: fol.Exists, scope: frozenset[str], skolem: Mapping[str, str]
    ) -> str:
        term = self._form.skolem.get(node.variable)
        if term is None:
            raise ProofRefusedError("an existential variable has no Skolem term")
        self._take(node.variable)
        self._take(term.name)
        arguments = {argument.name for argument in term.arguments}
        has_applications = any(argument.arguments for argument in term.arguments)
        if has_applications or not arguments <= scope:
            raise ProofRefusedError("a Skolem term has other arguments than universal variables")
        for name in free_names(node):
            outer = {name}
            if name in skolem:  # its value depends on what its own term depends on
                outer = {argument.name for argument in self._form.skolem[name].arguments}
            if not outer & scope <= arguments:
                raise ProofRefusedError("a Skolem term lacks a variable")
        return self.script.term(term)

    def definitions(self) -> list[str]:
        """The definitions as assertions."""
        new = {definition.atom.predicate for definition in self._form.definitions}
        has_repeats = len(new) < len(self._form.definitions)
        if has_repeats or new & self._predicates:
            raise ProofRefusedError("a defined predicate is not new")
        for atom, formula in self._form.definitions:
            arguments = {argument.name for argument in atom.arguments}
            has_repeats = len(arguments) < len(atom.arguments)
            if has_repeats or not arguments <= self.universal:
                raise ProofRefusedError("a definition has other arguments than variables")
            # Else its one value would stand for several values of the formula.
            if not free_names(formula) & self.universal <= arguments:
                raise ProofRefusedError("a definition lacks a variable")
            for node in formula.subformulas():
                is_defined = isinstance(node, fol.Atom) and node.predicate in new
                if is_defined or isinstance(node, fol.Quantified):
                    raise ProofRefusedError("a definition has a quantifier or a defined predicate")
        return [
            f"(= {self.script.sentence(atom)} {self.script.sentence(formula)})"
            for atom, formula in self._form.definitions
        ]

    def clause(self, clause: Literals) -> str:
        """The text of a clause, whose variables stand for the same elements as those of the matrix."""
        if clause:
            return f"(or {' '.join(map(self.script.sentence, clause))})"
        return "false"


def _bound_variables(sentence: Sentence) -> list[fol.Term]:
    nodes = sentence.subformulas()
    return [fol.Term(node.variable) for node in nodes if isinstance(node, fol.Quantified)]
