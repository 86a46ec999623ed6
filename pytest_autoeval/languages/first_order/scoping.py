"""Quantifiers driven inwards on the tree itself, and put in a fixed order where they stand side by side.

Unlike in the normal form on diagrams nothing is multiplied out, so the result is never much larger than the formula.
Provers find small scopes easier, and formulas that differ in the place or order of quantifiers become alike.
"""

from __future__ import annotations

from functools import reduce

from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Binary,
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

_DUAL: dict[type[Sentence], type[Sentence]] = {
    And: Or,
    Or: And,
    Forall: Exists,
    Exists: Forall,
    Iff: Xor,
    Xor: Iff,
    Top: Bottom,
    Bottom: Top,
}


class Scoping:
    """Drives quantifiers inwards; ``constants`` are the free names of all formulas concerned."""

    def __init__(self, constants: tuple[str, ...]) -> None:
        self._constants = frozenset(constants)
        self._names: dict[int, tuple[Sentence, frozenset[str]]] = {}  # holds the node, so that its id stays its own

    def scoped(self, node: Sentence, *, negated: bool = False) -> Sentence:  # noqa: PLR0911 (a return for each sort of node)
        """An equivalent of the formula or of its negation: negations on atoms, quantifiers as far in as they go.

        ⊕ and ↔ are not expanded: no quantifier moves past them.
        """
        kind = _DUAL.get(type(node), type(node)) if negated else type(node)
        match node:
            case Not(operand):
                return self.scoped(operand, negated=not negated)
            case Implies(left, right):
                return (And if negated else Or)(
                    self.scoped(left, negated=not negated), self.scoped(right, negated=negated)
                )
            case Iff(left, right) | Xor(left, right):
                assert issubclass(kind, Binary)
                return kind(self.scoped(left), self.scoped(right))
            case Binary(left, right):
                assert issubclass(kind, Binary)
                return kind(self.scoped(left, negated=negated), self.scoped(right, negated=negated))
            case Quantified(variable, body):
                assert issubclass(kind, Quantified)
                return self._quantify(kind, variable, self.scoped(body, negated=negated))
            case Top() | Bottom():
                return kind()
            case _:
                return Not(node) if negated else node

    def _quantify(self, kind: type[Quantified], variable: str, body: Sentence) -> Sentence:
        """The quantified formula; quantifiers of one kind side by side are in the order of where they bind."""
        block = [variable] if variable in self._free(body) else []
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

    def _move(self, kind: type[Quantified], variable: str, body: Sentence) -> Sentence | None:
        """The quantified formula, the quantifier being further in; None if it cannot be."""
        through, past = (And, Or) if kind is Forall else (Or, And)
        if isinstance(body, through):
            return reduce(through, [self._quantify(kind, variable, part) for part in _parts(body, through)])
        parts = _parts(body, past)
        inside = [part for part in parts if variable in self._free(part)]
        if not inside:
            return body
        outside = [part for part in parts if variable not in self._free(part)]
        return reduce(past, [*outside, self._quantify(kind, variable, reduce(past, inside))]) if outside else None

    def _occurrences(self, body: Sentence, variable: str) -> list[str]:
        """The atoms in which a variable occurs, without the names of the other variables."""

        def shown(term: Term) -> str:
            if term.arguments:
                return f"{term.name}({','.join(map(shown, term.arguments))})"
            return "*" if term.name == variable else term.name if term.name in self._constants else "?"

        found = set()
        pending = [body]
        while pending:
            node = pending.pop()
            match node:
                case Atom(predicate, arguments):
                    found.add(f"{predicate}({','.join(map(shown, arguments))})")
                case Equal(left, right):
                    found.add("=".join(sorted((shown(left), shown(right)))))
                case _:
                    pending += node.children()  # type: ignore[arg-type]
        return sorted(text for text in found if "*" in text)

    def _free(self, node: Sentence) -> frozenset[str]:
        """The names that stand in a formula outside the scope of a quantifier of theirs."""
        if id(node) not in self._names:
            match node:
                case Atom(_, arguments):
                    names = frozenset[str]().union(*map(_names_in, arguments))
                case Equal(left, right):
                    names = _names_in(left) | _names_in(right)
                case Quantified(variable, body):
                    names = self._free(body) - {variable}
                case Not(operand):
                    names = self._free(operand)
                case Binary(left, right):
                    names = self._free(left) | self._free(right)
                case _:
                    names = frozenset()
            self._names[id(node)] = node, names
        return self._names[id(node)][1]


def _parts(node: Sentence, connective: type[Binary]) -> list[Sentence]:
    """The operands of nested uses of an associative connective."""
    if isinstance(node, connective):
        return [*_parts(node.left, connective), *_parts(node.right, connective)]
    return [node]


def _names_in(term: Term) -> frozenset[str]:
    if not term.arguments:
        return frozenset((term.name,))
    return frozenset[str]().union(*map(_names_in, term.arguments))
