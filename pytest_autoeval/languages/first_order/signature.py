"""The symbols of first-order formulas: what a model has to interpret."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval.languages.logic.signature import uses
from pytest_autoeval.languages.logic.syntax import Sentence

#: A predicate or function symbol: the same name with another arity is another symbol.
Symbol = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Signature:
    """Predicates (propositions have arity 0), functions of at least one argument, constants; each in reading order."""

    predicates: tuple[Symbol, ...]
    functions: tuple[Symbol, ...]
    constants: tuple[str, ...]


def signature_of(*formulas: Sentence) -> Signature:
    """The union of the formulas' signatures."""
    found = dict.fromkeys(use for formula in formulas for use in uses(formula))
    return Signature(
        predicates=tuple((use.name, use.arity) for use in found if use.kind in ("proposition", "predicate")),
        functions=tuple((use.name, use.arity) for use in found if use.kind == "function"),
        constants=tuple(use.name for use in found if use.kind == "constant"),
    )
