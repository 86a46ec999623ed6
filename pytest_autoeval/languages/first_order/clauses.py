"""First-order sentences as clauses for a prover, in three steps that `clause_check` can follow.

1. An equivalent in negation normal form, in which each quantifier binds a variable of its own.
2. Skolem terms in the place of existential variables, and new predicates in the place of large parts.
3. Clauses of what remains.

No verdict depends on this module alone: `clause_check` checks each step with other code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.signature import free_names, joint_signature
from pytest_autoeval.languages.logic.syntax import Sentence, Term
from pytest_autoeval.languages.propositional.diagrams import TooLargeError

#: Nodes of a negation normal form, and clauses of a problem. Nested biconditionals double it at each level.
_MAX_NODES, _MAX_CLAUSES = 20_000, 4_000
#: A disjunction of parts that would have more clauses than this gets a new predicate for one of them.
_MOST_PRODUCTS = 8

#: The literals of a clause: atoms, equations, and their negations.
Literals = tuple[Sentence, ...]


class Definition(NamedTuple):
    """A new predicate over the free variables of a part, and the part that it stands for."""

    atom: fol.Atom
    part: Sentence


@dataclass(frozen=True)
class ClauseForm:
    """ "The left formula holds and the right one does not" as clauses, with the steps that lead there.

    ``normal`` is equivalent to it. ``skolem`` has the term that replaces each existential variable of ``normal``. The
    universal ones are the variables of the clauses. The first ``premises`` clauses are those of the left formula.
    """

    normal: Sentence
    skolem: Mapping[str, Term]
    definitions: tuple[Definition, ...]
    clauses: tuple[Literals, ...]
    premises: int

    @property
    def variables(self) -> frozenset[str]:
        """The names of the variables of the clauses."""
        nodes = self.normal.subformulas()
        return frozenset(node.variable for node in nodes if isinstance(node, fol.Forall))


def clause_form(left: Sentence, right: Sentence) -> ClauseForm:
    """The clauses of "the left formula holds and the right one does not". Raises ``TooLargeError`` for too many."""
    signature = joint_signature(left, right)
    symbols = (*signature.predicates, *signature.functions)
    taken = {name for name, _ in symbols} | {*signature.constants}
    return _ClauseMaker(frozenset(taken)).form(left, right)


@dataclass
class _ClauseMaker:
    """Makes clauses; ``taken`` are the names that new symbols and variables must not have."""

    taken: frozenset[str]
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _nodes: int = 0
    _skolem: dict[str, Term] = field(default_factory=dict)
    _definitions: list[Definition] = field(default_factory=list)
    #: The clauses of the definitions.
    _defining: list[Literals] = field(default_factory=list)

    def form(self, left: Sentence, right: Sentence) -> ClauseForm:
        normal_left = self._normal(left, {}, negated=False)
        normal_right = self._normal(right, {}, negated=True)
        premises = self._side(normal_left)
        goal = self._side(normal_right)
        return ClauseForm(
            normal=fol.And(normal_left, normal_right),
            skolem=self._skolem,
            definitions=tuple(self._definitions),
            clauses=(*premises, *goal),
            premises=len(premises),
        )

    def _side(self, normal: Sentence) -> tuple[Literals, ...]:
        """The clauses of one normal form, and of the definitions that they need."""
        before = len(self._defining)
        clauses = self._clausal(self._matrix(normal, ()))
        return _without_redundant([*clauses, *self._defining[before:]])

    def _new_name(self, kind: str) -> str:
        # One counter for all kinds, which goes on: no two new names are equal.
        names = (f"{kind}{number}" for number in self._numbers)
        return next(name for name in names if name not in self.taken)

    def _normal(  # noqa: PLR0911 (a return for each sort of node)
        self, node: Sentence, bound: Mapping[str, Term], *, negated: bool
    ) -> Sentence:
        """The negation normal form of a formula or of its negation; ``bound`` has the new names of its variables."""
        self._nodes += 1
        if self._nodes > _MAX_NODES:
            raise TooLargeError
        conjunction, disjunction = (fol.Or, fol.And) if negated else (fol.And, fol.Or)

        def normal(operand: Sentence, *, opposite: bool = False) -> Sentence:
            return self._normal(operand, bound, negated=negated is not opposite)

        match node:
            case fol.Not(operand):
                return normal(operand, opposite=True)
            case fol.And(left, right):
                return conjunction(normal(left), normal(right))
            case fol.Or(left, right):
                return disjunction(normal(left), normal(right))
            case fol.Implies(left, right):
                return disjunction(normal(left, opposite=True), normal(right))
            case fol.Iff(left, right) | fol.Xor(left, right):
                equal = isinstance(node, fol.Iff) is not negated
                return self._both_ways(left, right, bound, equal=equal)
            case fol.Quantified(variable, body):
                name = self._new_name("X")
                is_universal = isinstance(node, fol.Forall) is not negated
                inner = self._normal(body, {**bound, variable: Term(name)}, negated=negated)
                return fol.Forall(name, inner) if is_universal else fol.Exists(name, inner)
            case fol.Top() | fol.Bottom():
                return fol.Top() if isinstance(node, fol.Top) is not negated else fol.Bottom()
        literal = _with_terms(node, bound)
        return fol.Not(literal) if negated else literal

    def _both_ways(
        self, left: Sentence, right: Sentence, bound: Mapping[str, Term], *, equal: bool
    ) -> Sentence:
        """That two formulas have the same value, or different values, as a conjunction of two disjunctions."""
        # Each side occurs twice, and each time with new names, so that every quantifier has a name of its own.
        disjunctions = [
            fol.Or(
                self._normal(left, bound, negated=sign),
                self._normal(right, bound, negated=sign is not equal),
            )
            for sign in (False, True)
        ]
        return fol.And(*disjunctions)

    def _matrix(self, node: Sentence, scope: tuple[str, ...]) -> Sentence:
        """The formula without quantifiers; ``scope`` are the universal variables around it."""
        match node:
            case fol.Forall(variable, body):
                return self._matrix(body, (*scope, variable))
            case fol.Exists(variable, body):
                # Only those on which its value may depend: a term with fewer arguments says more.
                names = {name for free in free_names(node) for name in self._variables_of(free)}
                arguments = tuple([Term(name) for name in scope if name in names])
                self._skolem[variable] = Term(self._new_name("skolem"), arguments)
                return self._matrix(body, scope)
            case fol.Binary(left, right):
                return type(node)(self._matrix(left, scope), self._matrix(right, scope))
        return _with_terms(node, self._skolem)

    def _variables_of(self, name: str) -> Iterator[str]:
        """The universal variables on which the value of a variable may depend."""
        if name in self._skolem:
            yield from (argument.name for argument in self._skolem[name].arguments)
        else:
            yield name

    def _clausal(self, node: Sentence) -> list[Literals]:
        """The clauses of a matrix. New predicates are added to the definitions."""
        match node:
            case fol.And(left, right):
                clauses = self._clausal(left) + self._clausal(right)
            case fol.Or(left, right):
                clauses = self._products(left, right)
            case fol.Top():
                clauses = []
            case fol.Bottom():
                clauses = [()]  # the empty clause, which never holds
            case _:
                clauses = [(node,)]
        if len(clauses) + len(self._defining) > _MAX_CLAUSES:
            raise TooLargeError
        return clauses

    def _products(self, left: Sentence, right: Sentence) -> list[Literals]:
        """The clauses of a disjunction: each clause of one side with each of the other."""
        left_clauses = self._clausal(left)
        right_clauses = self._clausal(right)
        if (
            len(left_clauses) > 1 < len(right_clauses)
            and len(left_clauses) * len(right_clauses) > _MOST_PRODUCTS
        ):
            # The side with more clauses gets the predicate, so that the fewest are multiplied.
            if len(left_clauses) > len(right_clauses):
                left_clauses = [(self._defined(left, left_clauses),)]
            else:
                right_clauses = [(self._defined(right, right_clauses),)]
        return [
            (*left_clause, *right_clause)
            for left_clause in left_clauses
            for right_clause in right_clauses
        ]

    def _defined(self, formula: Sentence, clauses: Sequence[Literals]) -> Sentence:
        """A new predicate for a part with these clauses; its variables are the part's. It occurs without negation, so
        that one direction of its definition is enough.
        """
        variables = sorted(
            name for name in free_names(formula) if name.startswith("X") and name not in self.taken
        )
        atom = fol.Atom(self._new_name("defined"), tuple(map(Term, variables)))
        self._definitions.append(Definition(atom, formula))
        self._defining += [(fol.Not(atom), *clause) for clause in clauses]
        return atom


def _with_terms(node: Sentence, terms: Mapping[str, Term]) -> Sentence:
    """A literal with terms in the place of its free names."""
    match node:
        case fol.Not(operand):
            return fol.Not(_with_terms(operand, terms))
        case fol.Atom(predicate, arguments):
            if not arguments:
                return node
            return fol.Atom(
                predicate, tuple([_replaced(argument, terms) for argument in arguments])
            )
        case fol.Equal(left, right):
            return fol.Equal(_replaced(left, terms), _replaced(right, terms))
    return node


def _replaced(term: Term, terms: Mapping[str, Term]) -> Term:
    if term.arguments:
        return Term(term.name, tuple([_replaced(argument, terms) for argument in term.arguments]))
    return terms.get(term.name, term)


def _without_redundant(clauses: Sequence[Literals]) -> tuple[Literals, ...]:
    """The clauses without those that always hold, and without repeats of literals and clauses."""
    distinct: dict[frozenset[Sentence], Literals] = {}
    for clause in clauses:
        literals = tuple(dict.fromkeys(clause))
        if not _always_holds(literals):
            distinct.setdefault(frozenset(literals), literals)
    return tuple(distinct.values())


def _always_holds(literals: Literals) -> bool:
    """Whether a clause has an atom and its negation, or an equation of a term with itself."""
    positive = {literal for literal in literals if not isinstance(literal, fol.Not)}
    for literal in literals:
        if isinstance(literal, fol.Not) and literal.operand in positive:
            return True
        if isinstance(literal, fol.Equal) and literal.left == literal.right:
            return True
    return False
