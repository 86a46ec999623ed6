"""Finite models as witnesses, and the truth value of a first-order formula in one, by Tarski's definition.

The evaluator shares no code with the procedures that find models.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_autoeval.languages.base import fold
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence, Term

#: Nodes that are visited at worst to check a model, in about a second.
MAX_VISITS = 1_000_000

#: A predicate or function symbol: the same name with another arity is another symbol.
Symbol = tuple[str, int]
Elements = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FiniteModel:
    """A domain, an interpretation of every symbol of two formulas, and the values of the formulas in it.

    ``predicates`` has the tuples of which each predicate holds: for a proposition, the empty tuple or none.
    ``functions`` has the value for each tuple of arguments.
    """

    domain: Elements
    constants: Mapping[str, int]
    functions: Mapping[Symbol, Mapping[Elements, int]]
    predicates: Mapping[Symbol, frozenset[Elements]]
    left: bool
    right: bool

    def __str__(self) -> str:
        rows = [("domain", _braces(map(str, self.domain)))]
        rows += [(name, str(element)) for name, element in self.constants.items()]
        for symbol, table in self.functions.items():
            entries = sorted(table.items())
            values = [f"{_tuple(arguments)} ↦ {value}" for arguments, value in entries]
            rows.append((_label(symbol, self.functions), ", ".join(values)))
        for symbol, tuples in self.predicates.items():
            _, arity = symbol
            if arity == 0:
                holds = str(() in tuples).lower()
            else:
                holds = _braces(map(_tuple, sorted(tuples)))
            rows.append((_label(symbol, self.predicates), holds))
        rows.append(("left", str(self.left).lower()))
        rows.append(("right", str(self.right).lower()))
        width = max(len(name) for name, _ in rows)
        lines = [f"{name:<{width}}  {value}" for name, value in rows]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """``kind``, ``domain``, ``constants``, ``functions`` (rows of arguments and value), ``predicates`` (tuples that
        hold, or a truth value for a proposition), and the values of the formulas, ``left`` and ``right``.
        """
        functions: dict[str, list[list[int]]] = {}
        for symbol, table in self.functions.items():
            rows = [[*arguments, value] for arguments, value in sorted(table.items())]
            functions[_label(symbol, self.functions)] = rows
        predicates: dict[str, list[list[int]] | bool] = {}
        for symbol, tuples in self.predicates.items():
            _, arity = symbol
            holds = [list(row) for row in sorted(tuples)] if arity else () in tuples
            predicates[_label(symbol, self.predicates)] = holds
        return {
            "kind": "finite model",
            "domain": list(self.domain),
            "constants": dict(self.constants),
            "functions": functions,
            "predicates": predicates,
            "left": self.left,
            "right": self.right,
        }


def _label(symbol: Symbol, symbols: Iterable[Symbol]) -> str:
    """The name of a symbol, with its arity if another of the symbols has the same name."""
    name, arity = symbol
    times = [symbol_name for symbol_name, _ in symbols].count(name)
    return name if times == 1 else f"{name}/{arity}"


def _tuple(elements: Elements) -> str:
    if len(elements) == 1:
        return str(elements[0])
    return f"({', '.join(map(str, elements))})"


def _braces(items: Iterable[str]) -> str:
    return f"{{{', '.join(items)}}}"


def evaluate(formula: Sentence, model: FiniteModel, bound: Mapping[str, int] | None = None) -> bool:
    """Whether the formula holds in the model, with elements for its ``bound`` variables."""
    bound = bound or {}
    match formula:
        case fol.Atom(predicate, arguments):
            elements = tuple([denotation(argument, model, bound) for argument in arguments])
            return elements in model.predicates[predicate, len(elements)]
        case fol.Equal(left, right):
            return denotation(left, model, bound) == denotation(right, model, bound)
        case fol.Not(operand):
            return not evaluate(operand, model, bound)
        case fol.Binary(left, right):
            connect = fol.TRUTH_FUNCTIONS[type(formula)]
            return connect(evaluate(left, model, bound), evaluate(right, model, bound))
        case fol.Quantified(variable, body):
            # A generator, so that the first element that decides ends the search.
            values = (
                evaluate(body, model, {**bound, variable: element}) for element in model.domain
            )
            return all(values) if isinstance(formula, fol.Forall) else any(values)
        case fol.Top() | fol.Bottom():
            return isinstance(formula, fol.Top)
    raise TypeError(f"no first-order formula: {type(formula).__name__}")


def denotation(term: Term, model: FiniteModel, bound: Mapping[str, int]) -> int:
    """The element that a term denotes."""
    if not term.arguments:
        if term.name in bound:
            return bound[term.name]
        return model.constants[term.name]
    arguments = tuple([denotation(argument, model, bound) for argument in term.arguments])
    table = model.functions[term.name, len(arguments)]
    return table[arguments]


def visits(formula: Sentence, size: int) -> int:
    """The number of nodes that :func:`evaluate` visits at worst in a model of this size."""

    def visited(node: Sentence, inner: Sequence[int]) -> int:
        return 1 + sum(inner) * (size if isinstance(node, fol.Quantified) else 1)

    return fold(formula, visited)
