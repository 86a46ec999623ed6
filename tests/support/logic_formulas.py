"""Logical formulas for tests: strategies, equivalent rewritings, all finite models, translation to z3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice, product
from math import prod
from typing import Any, cast

from hypothesis import strategies as st

from pytest_autoeval.languages import language
from pytest_autoeval.languages.first_order.evaluate import FiniteModel
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.vocabulary import Vocabulary

CONNECTIVES = (fol.And, fol.Or, fol.Xor, fol.Implies, fol.Iff)


def constants(*names: str) -> tuple[fol.Term, ...]:
    return tuple(fol.Term(name) for name in names)


def parsed(text: str) -> fol.Sentence:
    """The tree of a text of first-order logic."""
    return cast("fol.Sentence", language("first_order").parse(text))


def propositional(names: int = 5, max_leaves: int = 12) -> st.SearchStrategy[fol.Sentence]:
    """Formulas over ``p1``, ``p2``, …, with ⊤ and ⊥."""
    atoms = st.sampled_from(
        [*(fol.Atom(f"p{index + 1}") for index in range(names)), fol.Top(), fol.Bottom()]
    )
    return grown(atoms, max_leaves)


def first_order(max_leaves: int = 6, *, equality: bool = True) -> st.SearchStrategy[fol.Sentence]:
    """Formulas over ``p``, ``P``, ``R``, ``f`` and names that quantifiers bind, shadow, or bind vacuously."""
    names = st.sampled_from(constants("a", "b", "x", "y"))
    terms = names | names.map(lambda name: fol.Term("f", (name,))) if equality else names
    atoms: st.SearchStrategy[fol.Sentence] = (
        st.just(fol.Atom("p"))
        | terms.map(lambda term: fol.Atom("P", (term,)))
        | st.tuples(terms, terms).map(lambda pair: fol.Atom("R", pair))
    )
    if equality:
        atoms = atoms | st.builds(fol.Equal, terms, terms)
    quantified = st.tuples(st.sampled_from([fol.Forall, fol.Exists]), st.sampled_from(["x", "y"]))
    return grown(atoms, max_leaves, quantified)


def grown(
    atoms: st.SearchStrategy[fol.Sentence],
    max_leaves: int,
    quantified: st.SearchStrategy[tuple[type[fol.Quantified], str]] | None = None,
) -> st.SearchStrategy[fol.Sentence]:
    """Formulas over some atoms, with every connective and quantifiers of some variables."""

    def extended(inner: st.SearchStrategy[fol.Sentence]) -> st.SearchStrategy[fol.Sentence]:
        binary = st.builds(
            lambda kind, left, right: kind(left, right), st.sampled_from(CONNECTIVES), inner, inner
        )
        grown = binary | inner.map(fol.Not)
        if quantified is None:
            return grown
        return grown | st.builds(lambda kind, body: kind[0](kind[1], body), quantified, inner)

    return st.recursive(atoms, extended, max_leaves=max_leaves)


#: Laws of propositional logic: two equivalent formulas, made of any three.
LAWS: dict[
    str, Callable[[fol.Sentence, fol.Sentence, fol.Sentence], tuple[fol.Sentence, fol.Sentence]]
] = {
    "double negation": lambda p, _q, _r: (p, fol.Not(fol.Not(p))),
    "commutation": lambda p, q, _r: (fol.And(p, q), fol.And(q, p)),
    "commutation of ⊕": lambda p, q, _r: (fol.Xor(p, q), fol.Xor(q, p)),
    "association": lambda p, q, r: (fol.Or(p, fol.Or(q, r)), fol.Or(fol.Or(p, q), r)),
    "association of ↔": lambda p, q, r: (fol.Iff(p, fol.Iff(q, r)), fol.Iff(fol.Iff(p, q), r)),
    "De Morgan ∧": lambda p, q, _r: (fol.Not(fol.And(p, q)), fol.Or(fol.Not(p), fol.Not(q))),
    "De Morgan ∨": lambda p, q, _r: (fol.Not(fol.Or(p, q)), fol.And(fol.Not(p), fol.Not(q))),
    "distribution ∧": lambda p, q, r: (
        fol.And(p, fol.Or(q, r)),
        fol.Or(fol.And(p, q), fol.And(p, r)),
    ),
    "distribution ∨": lambda p, q, r: (
        fol.Or(p, fol.And(q, r)),
        fol.And(fol.Or(p, q), fol.Or(p, r)),
    ),
    "absorption": lambda p, q, _r: (fol.And(p, fol.Or(p, q)), p),
    "implication": lambda p, q, _r: (fol.Implies(p, q), fol.Or(fol.Not(p), q)),
    "contraposition": lambda p, q, _r: (fol.Implies(p, q), fol.Implies(fol.Not(q), fol.Not(p))),
    "equivalence": lambda p, q, _r: (fol.Iff(p, q), fol.And(fol.Implies(p, q), fol.Implies(q, p))),
    "exclusion": lambda p, q, _r: (fol.Xor(p, q), fol.Not(fol.Iff(p, q))),
    "exportation": lambda p, q, r: (
        fol.Implies(fol.And(p, q), r),
        fol.Implies(p, fol.Implies(q, r)),
    ),
}

#: Laws of quantifiers: two equivalent formulas, made of two in which x may be free and one in which it is not.
QUANTIFIER_LAWS: dict[
    str, Callable[[fol.Sentence, fol.Sentence, fol.Sentence], tuple[fol.Sentence, fol.Sentence]]
] = {
    "De Morgan ∀": lambda p, _q, _c: (fol.Not(fol.Forall("x", p)), fol.Exists("x", fol.Not(p))),
    "De Morgan ∃": lambda p, _q, _c: (fol.Not(fol.Exists("x", p)), fol.Forall("x", fol.Not(p))),
    "distribution ∀": lambda p, q, _c: (
        fol.Forall("x", fol.And(p, q)),
        fol.And(fol.Forall("x", p), fol.Forall("x", q)),
    ),
    "distribution ∃": lambda p, q, _c: (
        fol.Exists("x", fol.Or(p, q)),
        fol.Or(fol.Exists("x", p), fol.Exists("x", q)),
    ),
    "prenexing ∀∧": lambda p, _q, c: (
        fol.And(c, fol.Forall("x", p)),
        fol.Forall("x", fol.And(c, p)),
    ),
    "prenexing ∃∧": lambda p, _q, c: (
        fol.And(c, fol.Exists("x", p)),
        fol.Exists("x", fol.And(c, p)),
    ),
    "prenexing ∀→": lambda p, _q, c: (
        fol.Implies(fol.Forall("x", p), c),
        fol.Exists("x", fol.Implies(p, c)),
    ),
    "prenexing →∀": lambda p, _q, c: (
        fol.Implies(c, fol.Forall("x", p)),
        fol.Forall("x", fol.Implies(c, p)),
    ),
    "order": lambda p, _q, _c: (
        fol.Forall("x", fol.Forall("y", p)),
        fol.Forall("y", fol.Forall("x", p)),
    ),
    "vacuity": lambda _p, _q, c: (c, fol.Forall("x", c)),
    "shadowing": lambda p, _q, _c: (fol.Exists("x", p), fol.Forall("x", fol.Exists("x", p))),
}


def renamed(formula: fol.Sentence, old: str, new: str) -> fol.Sentence:
    """The formula with every occurrence of a name, bound or free, replaced by a new name."""

    def term(node: fol.Term) -> fol.Term:
        if node.arguments:
            return fol.Term(node.name, tuple(map(term, node.arguments)))
        return fol.Term(new if node.name == old else node.name)

    match formula:
        case fol.Atom(predicate, arguments):
            return fol.Atom(predicate, tuple(map(term, arguments)))
        case fol.Equal(left, right):
            return fol.Equal(term(left), term(right))
        case fol.Quantified(variable, body):
            return type(formula)(new if variable == old else variable, renamed(body, old, new))
        case _:
            children = tuple(renamed(child, old, new) for child in formula.children())
            return formula.with_children(children)


def models(signature: Vocabulary, size: int, most: int | None = None) -> Iterator[FiniteModel]:
    """All models of a signature with this number of elements, or about ``most`` of them if they are more."""
    domain = tuple(range(1, size + 1))

    def tables(arity: int, values: tuple[Any, ...]) -> list[dict[tuple[int, ...], Any]]:
        rows = list(product(domain, repeat=arity))
        return [
            dict(zip(rows, column, strict=True)) for column in product(values, repeat=len(rows))
        ]

    predicates = [tables(arity, (False, True)) for _, arity in signature.predicates]
    functions = [tables(arity, domain) for _, arity in signature.functions]
    parts = [*predicates, *functions, *[domain] * len(signature.constants)]
    # An odd step meets every value of every part, since their numbers are powers of two.
    step = prod(map(len, parts)) // most | 1 if most else 1
    every = product(
        product(*predicates), product(*functions), product(domain, repeat=len(signature.constants))
    )
    for chosen in islice(every, 0, None, step):
        holding = (frozenset(row for row, value in table.items() if value) for table in chosen[0])
        yield FiniteModel(
            domain=domain,
            constants=dict(zip(signature.constants, chosen[2], strict=True)),
            functions=dict(zip(signature.functions, chosen[1], strict=True)),
            predicates=dict(zip(signature.predicates, holding, strict=True)),
            left=False,
            right=False,
        )


def value(formula: fol.Sentence, row: Mapping[str, bool]) -> bool:  # noqa: PLR0911 (a case for each sort of node)
    """The truth value with predicates as propositions, by definition; quantifiers are ignored."""
    parts = [value(child, row) for child in formula.children()]
    match formula:
        case fol.Atom(name, _):
            return row[name]
        case fol.Equal():
            return row["="]
        case fol.Not():
            return not parts[0]
        case fol.Xor():
            return parts[0] != parts[1]
        case fol.Implies():
            return parts[1] or not parts[0]
        case fol.Iff():
            return parts[0] == parts[1]
        case fol.And() | fol.Top() | fol.Quantified():
            return all(parts)
        case _:
            return any(parts)
