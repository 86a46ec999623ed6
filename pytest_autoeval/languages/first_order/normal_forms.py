"""Normal forms of first-order formulas: equal normal forms mean equivalent formulas, but not the converse.

The Boolean structure becomes a decision diagram over atoms and quantified formulas, without the names of bound
variables. Optionally each quantifier moves inwards as far as possible: past the parts without its variable, which get
nearer to the diagram's root, and into the clauses of the rest. Quantified formulas are then clauses. Their variables
are named by the height above the innermost quantifier, so the normal form does not depend on the place of quantifiers.
This decides far more, but some diagrams grow too large.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from pytest_autoeval.languages.first_order.circuit import SharedFormulas, variables_in
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.signature import free_names
from pytest_autoeval.languages.logic.syntax import Sentence, Term
from pytest_autoeval.languages.propositional.diagrams import FALSE, TRUE, Diagrams, TooLargeError

#: Nested tuples: ``("atom", predicate, *terms)``, ``("equation", left, right)``, ``("all", variable, *literals)``, a
#: literal being a sign, ``+`` or ``-``, with a key; and ``("body", depth, diagram)`` where quantifiers stay in place. A
#: term is a constant's name, a tuple of a function and its terms, or a variable: negative when bound inside the key
#: (minus its height), else the depth of its quantifier.
Key = tuple[Any, ...]

#: Characters of a key: clauses nested in clauses could repeat each other without end.
_KEY_LENGTH = 10_000
#: A label is a level, 0 for what is closed and else one more than the depth of the innermost variable, and a number.
_LEVEL = 1 << 32


class Normaliser:
    """Normal forms as diagrams of one table, compared by number. Raises ``TooLargeError`` for more than ``nodes``."""

    def __init__(self, nodes: int, *, inwards: bool) -> None:
        self._inwards = inwards
        self.diagrams = Diagrams(nodes)
        self._labels: dict[Key, int] = {}
        self._keys: dict[int, Key] = {}
        self._universal: dict[tuple[int, int], int] = {}

    def key(self, label: int) -> Key:
        """The atom or quantified formula of a diagram's variable."""
        return self._keys[label]

    def normal_form(self, formulas: SharedFormulas, root: int) -> int:
        """The diagram of a signal of ``formulas``."""
        diagrams = {FALSE: FALSE}

        def diagram(signal: int) -> int:
            if signal & 1:
                return self.diagrams.negate(diagrams[signal >> 1])
            return diagrams[signal >> 1]

        for number in formulas.parts(root):
            gate = formulas.gates[number]
            if gate is not None:
                left, right = map(diagram, gate)
                diagrams[number] = self.diagrams.connect(
                    fol.And if gate[0] < gate[1] else fol.Xor, left, right
                )
                continue
            leaf = formulas.leaves[number]
            if leaf[0] == "all":
                _, depth, body = leaf
                diagrams[number] = self._for_all(depth, diagram(body))
            else:
                diagrams[number] = self._variable(leaf)
        return diagram(root)

    def _variable(self, key: Key) -> int:
        """The diagram of an atom or a quantified clause, as a Boolean variable."""
        if key not in self._labels:
            level = 0
            # What the innermost variable does not occur in stands nearer to the root.
            if self._inwards:
                level = max([0, *(variable + 1 for variable in variables_in(key))])
            label = level * _LEVEL + len(self._labels)
            self._labels[key] = label
            self._keys[label] = key
        return self.diagrams.node(self._labels[key], FALSE, TRUE)

    def _for_all(self, depth: int, body: int) -> int:
        """The diagram of "``body`` holds for all values of the variable of that depth"."""
        if body <= TRUE:
            return body
        if not self._inwards:
            return self._variable(("body", depth, body))
        if (depth, body) not in self._universal:
            label, low, high = self.diagrams.parts(body)
            if label // _LEVEL <= depth:  # the variable does not occur in it
                condition = self.diagrams.node(label, FALSE, TRUE)
                if_true = self._for_all(depth, high)
                if_false = self._for_all(depth, low)
                result = self.diagrams.choose(condition, if_true, if_false)
            else:
                # A clause for each way in which the body fails; ∀ distributes over their conjunction.
                result = TRUE
                for cube in self.diagrams.cubes(self.diagrams.negate(body)):
                    result = self.diagrams.connect(fol.And, result, self._clause(depth, cube))
            self._universal[depth, body] = result
        return self._universal[depth, body]

    def _clause(self, depth: int, cube: list[tuple[int, bool]]) -> int:
        """The diagram of "``cube`` holds for no value of the variable of that depth"."""
        literals = [("-" if value else "+", self._keys[label]) for label, value in cube]
        # One below the innermost quantifier of all literals: the height, as a negative number.
        lowest = [min(variables_in(key), default=0) for _, key in literals]
        name = min(-1, *(variable - 1 for variable in lowest))
        renamed = [(sign, _renamed(key, depth, name)) for sign, key in literals]
        # By text, since numbers and tuples cannot be compared with each other.
        renamed.sort(key=repr)
        if len(repr(renamed)) > _KEY_LENGTH:
            raise TooLargeError
        return self._variable(("all", name, *renamed))


def _renamed(key: Any, old: int, new: int) -> Any:
    if isinstance(key, tuple):
        return tuple([_renamed(inner, old, new) for inner in key])
    return new if key == old else key


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
    """Moves quantifiers inwards; ``constants`` are the free names of all the formulas."""

    def __init__(self, constants: tuple[str, ...]) -> None:
        self._constants = frozenset(constants)

    def scoped(self, node: Sentence, *, negated: bool = False) -> Sentence:  # noqa: PLR0911 (a return for each sort of node)
        """An equivalent of the formula or of its negation, with negations on atoms and quantifiers moved inwards.

        ⊕ and ↔ are not expanded, and no quantifier moves past them.
        """
        kind = _DUAL.get(type(node), type(node)) if negated else type(node)
        match node:
            case fol.Not(operand):
                return self.scoped(operand, negated=not negated)
            case fol.Implies(left, right):
                connective = fol.And if negated else fol.Or
                return connective(
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
        return fol.Not(node) if negated else node

    def _quantify(self, kind: type[fol.Quantified], variable: str, body: Sentence) -> Sentence:
        """The quantified formula; adjacent quantifiers of one kind are ordered by the atoms that they bind."""
        block = [variable] if variable in free_names(body) else []
        while isinstance(body, kind):
            block.append(body.variable)
            body = body.body
        movable = list(block)
        while movable:
            name = movable.pop(0)
            moved = self._move(kind, name, body)
            if moved is not None:
                body = moved
                block.remove(name)
                movable = list(block)  # what could not move before may now
        # Adjacent quantifiers of one kind commute, so that one order stands for all.
        block.sort(key=lambda name: self._occurrences(body, name), reverse=True)
        return reduce(lambda inner, name: kind(name, inner), block, body)

    def _move(self, kind: type[fol.Quantified], variable: str, body: Sentence) -> Sentence | None:
        """The quantified formula with the quantifier moved inwards, or None if it cannot move."""
        through, past = (fol.And, fol.Or) if kind is fol.Forall else (fol.Or, fol.And)
        if isinstance(body, through):
            operands = _operands(body, through)
            return reduce(
                through, [self._quantify(kind, variable, operand) for operand in operands]
            )
        operands = _operands(body, past)
        inside = [operand for operand in operands if variable in free_names(operand)]
        if not inside:
            return body
        outside = [operand for operand in operands if variable not in free_names(operand)]
        if not outside:
            return None
        quantified = self._quantify(kind, variable, reduce(past, inside))
        return reduce(past, [*outside, quantified])

    def _occurrences(self, body: Sentence, variable: str) -> list[str]:
        """The atoms in which a variable occurs, without the names of the other variables."""

        def shown(term: Term) -> str:
            if term.arguments:
                arguments = ",".join(map(shown, term.arguments))
                return f"{term.name}({arguments})"
            if term.name == variable:
                return "*"
            return term.name if term.name in self._constants else "?"

        atoms = set()
        for node in body.subformulas():
            match node:
                case fol.Atom(predicate, arguments):
                    atoms.add(f"{predicate}({','.join(map(shown, arguments))})")
                case fol.Equal(left, right):
                    sides = sorted((shown(left), shown(right)))
                    atoms.add("=".join(sides))
        return sorted(text for text in atoms if "*" in text)


def _operands(node: Sentence, connective: type[fol.Binary]) -> list[Sentence]:
    """The operands of a tree of one connective, however it is grouped, from left to right."""
    if isinstance(node, connective):
        return [*_operands(node.left, connective), *_operands(node.right, connective)]
    return [node]
