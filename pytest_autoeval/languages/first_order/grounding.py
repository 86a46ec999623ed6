"""First-order formulas over a domain of known size, as propositional programs.

A quantifier becomes a conjunction or disjunction over the elements 0, 1, …. Propositions encode a model:
``("holds", predicate, elements)`` is a row of a predicate's table, ``("bit", symbol, elements, i)`` the *i*-th binary
digit of a constant's or function's value. Too large values mean the last element, so every assignment is a model.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from types import MappingProxyType

from pytest_autoeval.languages.first_order.evaluate import Elements, FiniteModel, Symbol
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.signature import free_names, joint_signature
from pytest_autoeval.languages.logic.syntax import Sentence, Term
from pytest_autoeval.languages.propositional import programs
from pytest_autoeval.languages.propositional.diagrams import TooLargeError
from pytest_autoeval.languages.propositional.programs import Proposition, Step, Store
from pytest_autoeval.languages.vocabulary import Vocabulary

#: Steps of a program; so many take about a tenth of a second to write.
_MAX_STEPS = 50_000
#: Rows of all tables of a model together.
_MAX_TABLES = 10_000

Environment = Mapping[str, int]
Denotation = dict[int, Proposition | None]


class Grounding:
    """The program of formulas over a domain of ``size`` elements; ``steps`` grows with each formula added.

    Raises ``TooLargeError`` if a model's tables or the steps are too many.

    The first constant denotes element 0, the second 0 or 1, and so on: every model is isomorphic to such a model.
    """

    def __init__(self, signature: Vocabulary, size: int) -> None:
        tables = (size**arity for _, arity in (*signature.predicates, *signature.functions))
        if sum(tables) > _MAX_TABLES:
            raise TooLargeError
        self.size = size
        self.steps: list[Step] = []
        self._signature = signature
        self._ranges = {name: min(size, index + 1) for index, name in enumerate(signature.constants)}
        self._stored: set[Proposition] = set()
        self._terms: dict[Hashable, int] = {}

    def propositions(self) -> Iterator[Proposition]:
        """All propositions of a model, also those that the program does not use."""
        for symbol in self._signature.predicates:
            for elements in self._tuples(symbol[1]):
                yield ("holds", symbol, elements)
        for name, count in self._ranges.items():
            for index in range((count - 1).bit_length()):
                yield ("bit", (name, 0), (), index)
        for symbol in self._signature.functions:
            for elements in self._tuples(symbol[1]):
                for index in range((self.size - 1).bit_length()):
                    yield ("bit", symbol, elements, index)

    def model(self, values: Mapping[Proposition, bool]) -> FiniteModel:
        """The model of an assignment, with elements from 1. The values of the formulas are not set."""

        def value(symbol: Symbol, elements: Elements, count: int) -> int:
            bits = (values["bit", symbol, elements, index] << index for index in range((count - 1).bit_length()))
            return min(sum(bits), count - 1) + 1

        def shifted(elements: Elements) -> Elements:
            return tuple(element + 1 for element in elements)

        signature = self._signature
        return FiniteModel(
            domain=tuple(range(1, self.size + 1)),
            constants={name: value((name, 0), (), count) for name, count in self._ranges.items()},
            functions={
                symbol: {shifted(each): value(symbol, each, self.size) for each in self._tuples(symbol[1])}
                for symbol in signature.functions
            },
            predicates={
                symbol: frozenset(shifted(each) for each in self._tuples(symbol[1]) if values["holds", symbol, each])
                for symbol in signature.predicates
            },
            left=False,
            right=False,
        )

    def _tuples(self, arity: int) -> Iterator[Elements]:
        return product(range(self.size), repeat=arity)

    def add(self, node: Sentence, bound: Environment = MappingProxyType({})) -> None:
        """Appends the steps that push a formula's value, with elements for its ``bound`` variables."""
        free = free_names(node)
        relevant = {name: element for name, element in bound.items() if name in free}
        key = ("value", id(node), tuple(relevant.items()))
        if key in self._stored:
            self.steps.append(key)
            return
        match node:
            case fol.Atom(predicate, arguments):
                self._atom((predicate, len(arguments)), [self._term(argument, relevant) for argument in arguments])
            case fol.Equal(left, right):
                self._equation(self._term(left, relevant), self._term(right, relevant))
            case fol.Not(operand):
                self.add(operand, relevant)
                self.steps.append(fol.Not)
            case fol.Binary(left, right):
                self.add(right, relevant)
                self.add(left, relevant)
                self.steps.append(type(node))
            case fol.Quantified(variable, body):
                for element in range(self.size):
                    self.add(body, {**relevant, variable: element})
                self.steps += [fol.And if isinstance(node, fol.Forall) else fol.Or] * (self.size - 1)
            case _:
                self.steps.append(type(node))
        if len(relevant) < len(bound):
            self._store(key)
            self.steps.append(key)
        if len(self.steps) > _MAX_STEPS:
            raise TooLargeError

    def _store(self, key: Proposition) -> None:
        self.steps.append(Store(key))
        self._stored.add(key)

    def _term(self, term: Term, bound: Environment) -> Denotation:
        """The elements that a term may denote, each with its proposition; None if it is the only element."""
        if not term.arguments:
            if term.name in bound:
                return {bound[term.name]: None}
            return self._cell((term.name, 0), (), self._ranges[term.name])
        arguments = [self._term(argument, bound) for argument in term.arguments]
        symbol = (term.name, len(arguments))
        if all(len(argument) == 1 for argument in arguments):
            return self._cell(symbol, tuple(element for argument in arguments for element in argument), self.size)
        denotation: dict[int, Proposition | None] = {}
        shape = (symbol, *(tuple(argument.items()) for argument in arguments))
        number = self._terms.setdefault(shape, len(self._terms))  # keys inside keys would double with each level
        for value in range(self.size):
            key = ("denotes", number, value)
            if key not in self._stored:
                cells = ((self._cell(symbol, row, self.size)[value], facts) for row, facts in _rows(arguments))
                self._disjunction([[*facts, cell] for cell, facts in cells if cell is not None])
                self._store(key)
            denotation[value] = key
        return denotation

    def _cell(self, symbol: Symbol, elements: Elements, count: int) -> Denotation:
        """The elements that a constant or a row of a function's table may denote, decoded from its bits."""
        if count == 1:
            return {0: None}
        keys: list[Proposition] = [("is", symbol, elements, value) for value in range(count)]
        if keys[0] not in self._stored:
            for value in range(count - 1):
                for index in range((count - 1).bit_length()):
                    self.steps.append(("bit", symbol, elements, index))
                    self.steps += () if value >> index & 1 else (fol.Not,)
                self.steps += [fol.And] * ((count - 1).bit_length() - 1)
                self._store(keys[value])
            self._disjunction([[key] for key in keys[:-1]])
            self.steps.append(fol.Not)
            self._store(keys[-1])
        return dict(enumerate(keys))

    def _atom(self, predicate: Symbol, arguments: list[Denotation]) -> None:
        self._disjunction([[*facts, ("holds", predicate, elements)] for elements, facts in _rows(arguments)])

    def _equation(self, left: Denotation, right: Denotation) -> None:
        facts = ((left[value], right[value]) for value in sorted(left.keys() & right.keys()))
        self._disjunction([[fact for fact in pair if fact is not None] for pair in facts])

    def _disjunction(self, conjunctions: list[list[Proposition]]) -> None:
        for facts in conjunctions:
            self.steps += facts or (fol.Top,)
            self.steps += [fol.And] * (len(facts) - 1)
        self.steps += [fol.Or] * (len(conjunctions) - 1) if conjunctions else (fol.Bottom,)


def fingerprint(formula: Sentence) -> int | None:
    """The formula's values in random models of two elements, the same models for every formula."""
    signature = joint_signature(formula)
    try:  # a constant that nobody uses comes first, so that every other denotes either element
        grounding = Grounding(replace(signature, constants=("", *signature.constants)), size=2)
        grounding.add(formula)
    except TooLargeError:
        return None
    return programs.fingerprint(grounding.steps, grounding.propositions())


def _rows(arguments: list[Denotation]) -> Iterator[tuple[Elements, list[Proposition]]]:
    """The tuples of elements that arguments may denote, each with the propositions for it."""
    for row in product(*(argument.items() for argument in arguments)):
        yield tuple(element for element, _ in row), [fact for _, fact in row if fact is not None]
