"""Logical formulas for tests: strategies, rewritings that keep the meaning, every finite model, translation to z3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import z3
from hypothesis import strategies as st

from pytest_autoeval.languages.first_order.evaluate import FiniteModel
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Bottom,
    Equal,
    Exists,
    Forall,
    Iff,
    Implies,
    Not,
    Or,
    Quantified,
    Sentence,
    Term,
    Top,
    Xor,
)
from pytest_autoeval.languages.vocabulary import Vocabulary

CONNECTIVES = (And, Or, Xor, Implies, Iff)


def constants(*names: str) -> tuple[Term, ...]:
    return tuple(Term(name) for name in names)


def propositional(names: int = 5, max_leaves: int = 12) -> st.SearchStrategy[Sentence]:
    """Formulas over ``p1``, ``p2``, …, with ⊤ and ⊥."""
    atoms = st.sampled_from([*(Atom(f"p{index + 1}") for index in range(names)), Top(), Bottom()])
    return _grown(atoms, max_leaves)


def first_order(max_leaves: int = 6, *, equality: bool = True) -> st.SearchStrategy[Sentence]:
    """Formulas over ``p``, ``P``, ``R``, ``f`` and names some of which quantifiers bind, shadow or bind in vain."""
    names = st.sampled_from(constants("a", "b", "x", "y"))
    terms = names | names.map(lambda name: Term("f", (name,))) if equality else names
    atoms: st.SearchStrategy[Sentence] = (
        st.just(Atom("p"))
        | terms.map(lambda term: Atom("P", (term,)))
        | st.tuples(terms, terms).map(lambda pair: Atom("R", pair))
    )
    if equality:
        atoms = atoms | st.builds(Equal, terms, terms)
    quantified = st.tuples(st.sampled_from([Forall, Exists]), st.sampled_from(["x", "y"]))
    return _grown(atoms, max_leaves, quantified)


def _grown(
    atoms: st.SearchStrategy[Sentence],
    max_leaves: int,
    quantified: st.SearchStrategy[tuple[type[Quantified], str]] | None = None,
) -> st.SearchStrategy[Sentence]:
    def extended(inner: st.SearchStrategy[Sentence]) -> st.SearchStrategy[Sentence]:
        binary = st.builds(lambda kind, left, right: kind(left, right), st.sampled_from(CONNECTIVES), inner, inner)
        grown = binary | inner.map(Not)
        if quantified is None:
            return grown
        return grown | st.builds(lambda kind, body: kind[0](kind[1], body), quantified, inner)

    return st.recursive(atoms, extended, max_leaves=max_leaves)


#: Laws of propositional logic: for any three formulas, two that mean the same.
LAWS: dict[str, Callable[[Sentence, Sentence, Sentence], tuple[Sentence, Sentence]]] = {
    "double negation": lambda p, _q, _r: (p, Not(Not(p))),
    "commutation": lambda p, q, _r: (And(p, q), And(q, p)),
    "commutation of ⊕": lambda p, q, _r: (Xor(p, q), Xor(q, p)),
    "association": lambda p, q, r: (Or(p, Or(q, r)), Or(Or(p, q), r)),
    "association of ↔": lambda p, q, r: (Iff(p, Iff(q, r)), Iff(Iff(p, q), r)),
    "De Morgan ∧": lambda p, q, _r: (Not(And(p, q)), Or(Not(p), Not(q))),
    "De Morgan ∨": lambda p, q, _r: (Not(Or(p, q)), And(Not(p), Not(q))),
    "distribution ∧": lambda p, q, r: (And(p, Or(q, r)), Or(And(p, q), And(p, r))),
    "distribution ∨": lambda p, q, r: (Or(p, And(q, r)), And(Or(p, q), Or(p, r))),
    "absorption": lambda p, q, _r: (And(p, Or(p, q)), p),
    "implication": lambda p, q, _r: (Implies(p, q), Or(Not(p), q)),
    "contraposition": lambda p, q, _r: (Implies(p, q), Implies(Not(q), Not(p))),
    "equivalence": lambda p, q, _r: (Iff(p, q), And(Implies(p, q), Implies(q, p))),
    "exclusion": lambda p, q, _r: (Xor(p, q), Not(Iff(p, q))),
    "exportation": lambda p, q, r: (Implies(And(p, q), r), Implies(p, Implies(q, r))),
}

#: Laws of quantifiers: for two formulas in which x may be free and one in which it is not, two that mean the same.
QUANTIFIER_LAWS: dict[str, Callable[[Sentence, Sentence, Sentence], tuple[Sentence, Sentence]]] = {
    "De Morgan ∀": lambda p, _q, _c: (Not(Forall("x", p)), Exists("x", Not(p))),
    "De Morgan ∃": lambda p, _q, _c: (Not(Exists("x", p)), Forall("x", Not(p))),
    "distribution ∀": lambda p, q, _c: (Forall("x", And(p, q)), And(Forall("x", p), Forall("x", q))),
    "distribution ∃": lambda p, q, _c: (Exists("x", Or(p, q)), Or(Exists("x", p), Exists("x", q))),
    "prenexing ∀∧": lambda p, _q, c: (And(c, Forall("x", p)), Forall("x", And(c, p))),
    "prenexing ∃∧": lambda p, _q, c: (And(c, Exists("x", p)), Exists("x", And(c, p))),
    "prenexing ∀→": lambda p, _q, c: (Implies(Forall("x", p), c), Exists("x", Implies(p, c))),
    "prenexing →∀": lambda p, _q, c: (Implies(c, Forall("x", p)), Forall("x", Implies(c, p))),
    "order": lambda p, _q, _c: (Forall("x", Forall("y", p)), Forall("y", Forall("x", p))),
    "vacuity": lambda _p, _q, c: (c, Forall("x", c)),
    "shadowing": lambda p, _q, _c: (Exists("x", p), Forall("x", Exists("x", p))),
}


def renamed(formula: Sentence, old: str, new: str) -> Sentence:
    """The formula with every occurrence of a name, bound or free, replaced by a name that it does not have."""

    def term(node: Term) -> Term:
        if node.arguments:
            return Term(node.name, tuple(map(term, node.arguments)))
        return Term(new if node.name == old else node.name)

    match formula:
        case Atom(predicate, arguments):
            return Atom(predicate, tuple(map(term, arguments)))
        case Equal(left, right):
            return Equal(term(left), term(right))
        case Quantified(variable, body):
            return type(formula)(new if variable == old else variable, renamed(body, old, new))
        case _:
            children = tuple(renamed(child, old, new) for child in formula.children())
            return formula.with_children(children)


def models(signature: Vocabulary, size: int) -> Iterator[FiniteModel]:
    """Every model of a signature with that many elements."""
    domain = tuple(range(1, size + 1))

    def tables(arity: int, values: tuple[Any, ...]) -> list[dict[tuple[int, ...], Any]]:
        rows = list(product(domain, repeat=arity))
        return [dict(zip(rows, column, strict=True)) for column in product(values, repeat=len(rows))]

    predicates = [tables(arity, (False, True)) for _, arity in signature.predicates]
    functions = [tables(arity, domain) for _, arity in signature.functions]
    for chosen in product(product(*predicates), product(*functions), product(domain, repeat=len(signature.constants))):
        holding = (frozenset(row for row, value in table.items() if value) for table in chosen[0])
        yield FiniteModel(
            domain=domain,
            constants=dict(zip(signature.constants, chosen[2], strict=True)),
            functions=dict(zip(signature.functions, chosen[1], strict=True)),
            predicates=dict(zip(signature.predicates, holding, strict=True)),
            left=False,
            right=False,
        )


_SORT = z3.DeclareSort("U")


def in_z3(formula: Sentence, bound: Mapping[str, Any] | None = None) -> Any:  # noqa: C901, PLR0911
    """The formula as an expression of z3's Python interface."""
    bound = bound or {}

    def term(node: Term) -> Any:
        if node.arguments:
            return z3.Function(node.name, _SORT, *[_SORT] * len(node.arguments))(*map(term, node.arguments))
        return bound.get(node.name, z3.Const(node.name, _SORT))

    match formula:
        case Atom(name, ()):
            return z3.Bool(name)
        case Atom(name, arguments):
            return z3.Function(name, *[_SORT] * len(arguments), z3.BoolSort())(*map(term, arguments))
        case Equal(left, right):
            return term(left) == term(right)
        case Not(operand):
            return z3.Not(in_z3(operand, bound))
        case And(left, right):
            return z3.And(in_z3(left, bound), in_z3(right, bound))
        case Or(left, right):
            return z3.Or(in_z3(left, bound), in_z3(right, bound))
        case Xor(left, right):
            return z3.Xor(in_z3(left, bound), in_z3(right, bound))
        case Implies(left, right):
            return z3.Implies(in_z3(left, bound), in_z3(right, bound))
        case Iff(left, right):
            return in_z3(left, bound) == in_z3(right, bound)
        case Quantified(variable, body):
            constant = z3.FreshConst(_SORT, variable)
            quantifier = z3.ForAll if isinstance(formula, Forall) else z3.Exists
            return quantifier([constant], in_z3(body, {**bound, variable: constant}))
        case _:
            return z3.BoolVal(isinstance(formula, Top))
