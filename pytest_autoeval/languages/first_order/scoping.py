"""Quantifiers driven inwards on the tree itself, and put in a fixed order where they stand side by side.

Unlike in the normal form on diagrams nothing is multiplied out, so the result is never much larger than the formula.
Provers find small scopes easier, and formulas that differ in the place or order of quantifiers become alike.
"""

from __future__ import annotations

from functools import reduce

from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.signature import free_names
from pytest_autoeval.languages.logic.syntax import Sentence, Term

_DUAL: dict[type[Sentence], type[Sentence]] = {
    fol.And: fol.Or,
    fol.Or: fol.And,
    fol.Forall: fol.Exists,
    fol.Exists: fol.Forall,
    fol.Iff: fol.Xor,
    fol.Xor: fol.Iff,
    fol.Top: fol.Bottom,
    fol.Bottom: fol.Top,
}


class Scoping:
    """Drives quantifiers inwards; ``constants`` are the free names of all formulas concerned."""

    def __init__(self, constants: tuple[str, ...]) -> None:
        self._constants = frozenset(constants)

    def scoped(self, node: Sentence, *, negated: bool = False) -> Sentence:  # noqa: PLR0911 (a return for each sort of node)
        """An equivalent of the formula or of its negation: negations on atoms, quantifiers as far in as they go.

        ⊕ and ↔ are not expanded: no quantifier moves past them.
        """
        kind = _DUAL.get(type(node), type(node)) if negated else type(node)
        match node:
            case fol.Not(operand):
                return self.scoped(operand, negated=not negated)
            case fol.Implies(left, right):
                return (fol.And if negated else fol.Or)(
                    self.scoped(left, negated=not negated), self.scoped(right, negated=negated)
                )
            case fol.Iff(left, right) | fol.Xor(left, right):
                assert issubclass(kind, fol.Binary)
                return kind(self.scoped(left), self.scoped(right))
            case fol.Binary(left, right):
                assert issubclass(kind, fol.Binary)
                return kind(self.scoped(left, negated=negated), self.scoped(right, negated=negated))
            case fol.Quantified(variable, body):
                assert issubclass(kind, fol.Quantified)
                return self._quantify(kind, variable, self.scoped(body, negated=negated))
            case fol.Top() | fol.Bottom():
                return kind()
            case _:
                return fol.Not(node) if negated else node

    def _quantify(self, kind: type[fol.Quantified], variable: str, body: Sentence) -> Sentence:
        """The quantified formula; quantifiers of one kind side by side are in the order of where they bind."""
        block = [variable] if variable in free_names(body) else []
        while isinstance(body, kind):
            block.append(body.variable)
            body = body.body
        movable = iter(block)
        while (name := next(movable, None)) is not None:
            if (moved := self._move(kind, name, body)) is not None:
                body = moved
                block.remove(name)
                movable = iter(block)  # what could not move before may now
        block.sort(key=lambda name: self._occurrences(body, name), reverse=True)
        return reduce(lambda inner, name: kind(name, inner), block, body)

    def _move(self, kind: type[fol.Quantified], variable: str, body: Sentence) -> Sentence | None:
        """The quantified formula, the quantifier being further in; None if it cannot be."""
        through, past = (fol.And, fol.Or) if kind is fol.Forall else (fol.Or, fol.And)
        if isinstance(body, through):
            return reduce(through, [self._quantify(kind, variable, part) for part in _parts(body, through)])
        parts = _parts(body, past)
        inside = [part for part in parts if variable in free_names(part)]
        if not inside:
            return body
        outside = [part for part in parts if variable not in free_names(part)]
        return reduce(past, [*outside, self._quantify(kind, variable, reduce(past, inside))]) if outside else None

    def _occurrences(self, body: Sentence, variable: str) -> list[str]:
        """The atoms in which a variable occurs, without the names of the other variables."""

        def shown(term: Term) -> str:
            if term.arguments:
                return f"{term.name}({','.join(map(shown, term.arguments))})"
            return "*" if term.name == variable else term.name if term.name in self._constants else "?"

        found = set()
        for node in body.subformulas():
            match node:
                case fol.Atom(predicate, arguments):
                    found.add(f"{predicate}({','.join(map(shown, arguments))})")
                case fol.Equal(left, right):
                    found.add("=".join(sorted((shown(left), shown(right)))))
        return sorted(text for text in found if "*" in text)


def _parts(node: Sentence, connective: type[fol.Binary]) -> list[Sentence]:
    """The operands of nested uses of an associative connective."""
    if isinstance(node, connective):
        return [*_parts(node.left, connective), *_parts(node.right, connective)]
    return [node]
