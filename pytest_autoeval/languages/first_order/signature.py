"""The symbols of first-order formulas: what a model has to interpret."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval.languages.logic.syntax import Atom, Binary, Equal, Not, Quantified, Sentence, Term

#: A predicate or function symbol: the same name with another arity is another symbol.
Symbol = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Signature:
    """Predicates, functions of at least one argument, and constants (free names), each in reading order."""

    predicates: tuple[Symbol, ...]
    functions: tuple[Symbol, ...]
    constants: tuple[str, ...]


def signature_of(*formulas: Sentence) -> Signature:
    """The union of the formulas' signatures."""
    predicates: dict[Symbol, None] = {}
    functions: dict[Symbol, None] = {}
    constants: dict[str, None] = {}

    def visit_term(term: Term, bound: frozenset[str]) -> None:
        if term.arguments:
            functions[term.name, len(term.arguments)] = None
            for argument in term.arguments:
                visit_term(argument, bound)
        elif term.name not in bound:
            constants[term.name] = None

    def visit(node: Sentence, bound: frozenset[str]) -> None:
        match node:
            case Atom(predicate, arguments):
                predicates[predicate, len(arguments)] = None
                for argument in arguments:
                    visit_term(argument, bound)
            case Equal(left, right):
                visit_term(left, bound)
                visit_term(right, bound)
            case Not(operand):
                visit(operand, bound)
            case Binary(left, right):
                visit(left, bound)
                visit(right, bound)
            case Quantified(variable, body):
                visit(body, bound | {variable})
            case _:  # ⊤, ⊥
                pass

    for formula in formulas:
        visit(formula, frozenset())
    return Signature(tuple(predicates), tuple(functions), tuple(constants))
