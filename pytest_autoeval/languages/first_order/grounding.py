"""First-order formulas over a domain of known size: their values in many models at once, or as a Boolean circuit.

A quantifier becomes a conjunction or disjunction over the elements 0, 1, …. Propositions encode a model:
``("holds", predicate, elements)`` is a row of a predicate's table, ``("bit", symbol, elements, i)`` the *i*-th binary
digit of a constant's or function's value. Too large values mean the last element, so every assignment is a model.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial, reduce
from itertools import product
from typing import Any, NamedTuple

from pytest_autoeval.languages.first_order.circuit import Leaf, SharedFormulas, variables_in
from pytest_autoeval.languages.first_order.evaluate import Elements, FiniteModel, Symbol
from pytest_autoeval.languages.logic.signature import joint_signature
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.propositional import circuits, programs
from pytest_autoeval.languages.propositional.circuits import Circuit
from pytest_autoeval.languages.propositional.diagrams import TooLargeError
from pytest_autoeval.languages.propositional.programs import Proposition
from pytest_autoeval.languages.vocabulary import Vocabulary

#: The limit of a grounding; so many cells take about a tenth of a second to make.
MAX_CELLS = 100_000
#: Rows of all tables of a model together.
_MAX_TABLES = 10_000


class Algebra(NamedTuple):
    """What a truth value is: an integer that is a column of a truth table, or a signal of a circuit."""

    both: Callable[[int, int], int]
    either: Callable[[int, int], int]
    differ: Callable[[int, int], int]
    true: int


def columns(full: int) -> Algebra:
    """Truth values in many models at once, a bit for each; ``full`` is the column of truth. See `programs`."""
    return Algebra(operator.and_, operator.or_, operator.xor, full)


def signals(circuit: Circuit) -> Algebra:
    """Truth values as signals of a circuit."""
    return Algebra(circuit.both, circuit.either, circuit.differ, circuits.TRUE)


class ModelSpace:
    """All models of a signature with ``size`` elements, as assignments to propositions.

    The first constant denotes element 0, the second 0 or 1, and so on: every model is isomorphic to such a model.
    Raises ``TooLargeError`` if a model's tables are too large.
    """

    def __init__(self, signature: Vocabulary, size: int) -> None:
        symbols = (*signature.predicates, *signature.functions)
        if sum(size**arity for _, arity in symbols) > _MAX_TABLES:
            raise TooLargeError
        self.size = size
        self.signature = signature
        #: The number of elements that each constant may denote.
        self.ranges: dict[str, int] = {}
        for number, name in enumerate(signature.constants, 1):
            self.ranges[name] = min(size, number)
        #: All propositions of a model, also those that no formula uses.
        self.propositions = list(self._propositions())

    def _propositions(self) -> Iterator[Proposition]:
        for symbol in self.signature.predicates:
            for elements in self.tuples(symbol[1]):
                yield ("holds", symbol, elements)
        for name, count in self.ranges.items():
            for index in range((count - 1).bit_length()):
                yield ("bit", (name, 0), (), index)
        for symbol in self.signature.functions:
            for elements in self.tuples(symbol[1]):
                for index in range((self.size - 1).bit_length()):
                    yield ("bit", symbol, elements, index)

    def model(self, values: Mapping[Proposition, bool]) -> FiniteModel:
        """The model of an assignment, with elements from 1. The values of the formulas are not set."""

        def value(symbol: Symbol, elements: Elements, count: int) -> int:
            bits = (
                values["bit", symbol, elements, index] << index
                for index in range((count - 1).bit_length())
            )
            return min(sum(bits), count - 1) + 1

        def shifted(elements: Elements) -> Elements:
            return tuple(element + 1 for element in elements)

        def table(symbol: Symbol) -> dict[Elements, int]:
            _, arity = symbol
            return {
                shifted(arguments): value(symbol, arguments, self.size)
                for arguments in self.tuples(arity)
            }

        def extension(symbol: Symbol) -> frozenset[Elements]:
            _, arity = symbol
            rows = [row for row in self.tuples(arity) if values["holds", symbol, row]]
            return frozenset(map(shifted, rows))

        signature = self.signature
        return FiniteModel(
            domain=tuple(range(1, self.size + 1)),
            constants={name: value((name, 0), (), count) for name, count in self.ranges.items()},
            functions={symbol: table(symbol) for symbol in signature.functions},
            predicates={symbol: extension(symbol) for symbol in signature.predicates},
            left=False,
            right=False,
        )

    def tuples(self, arity: int) -> Iterator[Elements]:
        """All tuples of so many elements; the last element changes first."""
        return product(range(self.size), repeat=arity)


#: The elements that a term may denote, each with the truth value of "it does".
Denotation = dict[int, int]
#: The elements of the bound variables, by their depths.
Environment = Mapping[int, int]


class Grounding:
    """The truth values of formulas in models, whose propositions have the truth values ``values``.

    A part of a formula has a *table*: a list of truth values, one for each assignment of elements to the bound
    variables in it, outer variables first, in the order of ``ModelSpace.tuples``. Raises ``TooLargeError`` if the cells
    of all tables, and the rows of elements that arguments may denote, are more than ``limit``.
    """

    def __init__(
        self,
        models: ModelSpace,
        formulas: SharedFormulas,
        values: Sequence[int],
        algebra: Algebra,
        limit: int,
    ) -> None:
        self._models = models
        self._formulas = formulas
        self._both, self._either, self._differ, self._true = algebra
        self._not = partial(self._differ, self._true)
        self._false = self._not(self._true)
        self._values = dict(zip(models.propositions, values, strict=True))
        #: The tables of parts, by the numbers of their gates.
        self._tables: dict[int, list[int]] = {}
        self._variables: dict[Any, list[int]] = {}
        self._denotations: dict[tuple[Any, Elements], Denotation] = {}
        self._decodings: dict[tuple[Symbol, Elements], Denotation] = {}
        self._left = limit

    def values(self, *roots: int) -> list[int]:
        """The truth values of closed formulas."""
        self._tables[circuits.FALSE] = [self._false]
        for number in self._formulas.parts(*roots):
            depths = self._formulas.depths[number]
            self._count(self._models.size ** len(depths))
            gate = self._formulas.gates[number]
            if gate is None:
                self._tables[number] = self._leaf(self._formulas.leaves[number], depths)
            else:
                # The order of its inputs says which connective a gate is.
                combine = self._both if gate[0] < gate[1] else self._differ
                left = self._aligned(gate[0], depths)
                right = self._aligned(gate[1], depths)
                self._tables[number] = list(map(combine, left, right))
        return [self._table(root)[0] for root in roots]

    def _count(self, cells: int) -> None:
        self._left -= cells
        if self._left < 0:
            raise TooLargeError

    def _table(self, signal: int) -> list[int]:
        table = self._tables[signal >> 1]
        if signal & 1:
            return list(map(self._not, table))
        return table

    def _aligned(self, signal: int, depths: tuple[int, ...]) -> list[int]:
        """The table of a part as one over the variables of these ``depths``, some of which it may lack."""
        table = self._table(signal)
        own = self._formulas.depths[signal >> 1]
        if own == depths:
            return table
        rows = _projection(
            self._models.size, len(depths), tuple([depths.index(depth) for depth in own])
        )
        return [table[row] for row in rows]

    def _leaf(self, leaf: Leaf, depths: tuple[int, ...]) -> list[int]:
        kind, *content = leaf
        if kind == "all":
            # The variable is the innermost one, so that the cells of its elements stand side by side.
            table = self._table(content[1])
            size = self._models.size
            slices = [table[element::size] for element in range(size)]
            return reduce(lambda left, right: list(map(self._both, left, right)), slices)
        value = self._atom if kind == "atom" else self._equation
        if not depths:
            return [value(content, {})]
        return [
            value(content, dict(zip(depths, elements, strict=True)))
            for elements in self._models.tuples(len(depths))
        ]

    def _atom(self, content: list[Any], bound: Environment) -> int:
        predicate, *arguments = content
        symbol = (predicate, len(arguments))
        value = self._false
        for elements, condition in self._rows(arguments, bound):
            holds = self._values["holds", symbol, elements]
            value = self._either(value, self._both(condition, holds))
        return value

    def _equation(self, sides: list[Any], bound: Environment) -> int:
        left, right = (self._denotation(side, bound) for side in sides)
        value = self._false
        # The sides are equal if both denote one of the elements that they may have in common.
        for element in left.keys() & right.keys():
            value = self._either(value, self._both(left[element], right[element]))
        return value

    def _rows(self, arguments: Sequence[Any], bound: Environment) -> list[tuple[Elements, int]]:
        """The tuples of elements that arguments may denote, each with the truth value of "they do"."""
        if self._models.size == 1:  # every term denotes the only element
            return [((0,) * len(arguments), self._true)]
        rows: list[tuple[Elements, int]] = [((), self._true)]
        for argument in arguments:
            denotation = self._denotation(argument, bound)
            # Before the rows are made: nested functions would multiply them.
            self._count(len(rows) * (len(denotation) - 1))
            if len(denotation) == 1:
                (element,) = denotation
                rows = [((*elements, element), condition) for elements, condition in rows]
            else:
                rows = [
                    ((*elements, element), self._both(condition, fact))
                    for elements, condition in rows
                    for element, fact in denotation.items()
                ]
        return rows

    def _denotation(self, term: Any, bound: Environment) -> Denotation:
        if isinstance(term, int):
            return {bound[term]: self._true}
        variables = self._variables.get(term)
        if variables is None:
            variables = self._variables[term] = sorted(set(variables_in(term)))
        key = (term, tuple([bound[depth] for depth in variables]))
        denotation = self._denotations.get(key)
        if denotation is None:
            denotation = self._denotations[key] = self._new_denotation(term, bound)
        return denotation

    def _new_denotation(self, term: Any, bound: Environment) -> Denotation:
        if isinstance(term, str):
            return self._decoded((term, 0), (), self._models.ranges[term])
        name, *arguments = term
        symbol = (name, len(arguments))
        denotation = dict.fromkeys(range(self._models.size), self._false)
        for elements, condition in self._rows(arguments, bound):
            for value, fact in self._decoded(symbol, elements, self._models.size).items():
                denotation[value] = self._either(denotation[value], self._both(condition, fact))
        return denotation

    def _decoded(self, symbol: Symbol, elements: Elements, count: int) -> Denotation:
        """The elements that a constant or a row of a function's table may denote, decoded from its bits."""
        cached = self._decodings.get((symbol, elements))
        if cached is not None:
            return cached
        length = (count - 1).bit_length()
        bits = [self._values["bit", symbol, elements, index] for index in range(length)]
        denotation: Denotation = {}
        # Numbers that are too large mean the last element, too: it is denoted if no other is.
        is_last = self._true
        for value in range(count - 1):
            digits = [
                bit if value >> index & 1 else self._not(bit) for index, bit in enumerate(bits)
            ]
            denotation[value] = reduce(self._both, digits)
            is_last = self._both(is_last, self._not(denotation[value]))
        denotation[count - 1] = is_last
        self._decodings[symbol, elements] = denotation
        return denotation


@lru_cache(maxsize=64)
def _projection(size: int, count: int, indices: tuple[int, ...]) -> tuple[int, ...]:
    """For each assignment to ``count`` variables, the row of those at ``indices`` in a table of their own."""
    rows = []
    for elements in product(range(size), repeat=count):
        row = 0
        for index in indices:
            row = row * size + elements[index]
        rows.append(row)
    return tuple(rows)


# Of a drawn formula it is wanted twice: is it trivial, does an earlier one mean the same?
@lru_cache(maxsize=4096)
def fingerprint(formula: Sentence) -> int | None:
    """A hash of the formula's values in random models of two elements, the same models for every formula."""
    signature = joint_signature(formula)
    shared = SharedFormulas()
    try:  # a constant that nobody uses comes first, so that every other denotes either element
        with_unused = replace(signature, constants=("", *signature.constants))
        models = ModelSpace(with_unused, size=2)
        values, full = programs.named_sample(models.propositions)
        grounding = Grounding(models, shared, values, columns(full), MAX_CELLS)
        return hash(grounding.values(shared.add(formula))[0])
    except TooLargeError:
        return None
