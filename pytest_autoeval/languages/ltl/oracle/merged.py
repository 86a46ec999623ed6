"""A normal form with fewer temporal operators, for the tableaux: each "until" costs a variable and a constraint.

The short words keep the first normal form, on which their choice of words depends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pytest_autoeval.languages.ltl.oracle.normal import (
    TRUE,
    Kind,
    Literal,
    Node,
    NormalForm,
    TemporalNormaliser,
    negated,
)


class MergingNormaliser(TemporalNormaliser):
    """Also merges two operators of a conjunction into one; each law keeps the value at every position."""

    def both(self, left: Literal, right: Literal) -> Literal:
        merged = self._merged(left, right)
        return super().both(left, right) if merged is None else merged

    def conjunction(self, literals: list[Literal]) -> Literal:
        """The conjunction of all literals, each of which is merged with each other one where a law allows it."""
        conjuncts: dict[int, Literal] = {}
        #: The numbers of the conjuncts that a law may merge with others: trying all pairs takes too long for thousands.
        merging: dict[tuple[Kind, Literal, int], list[int]] = defaultdict(list)
        pending = literals[::-1]
        count = 0
        while pending:
            literal = pending.pop()
            node = self._nodes[literal >> 1]
            if node.kind is Kind.AND and not literal & 1:
                pending += (node.right, node.left)
                continue
            partners = [number for key in self._partners(literal) for number in merging[key]]
            # In the order of the formula, so that the result does not depend on the order of keys.
            for number in sorted(partners):
                merged = self._merged(conjuncts[number], literal) if number in conjuncts else None
                if merged is not None:
                    del conjuncts[number]
                    # The merged literal may merge with another conjunct in turn.
                    pending.append(merged)
                    break
            else:
                conjuncts[count] = literal
                for key in self._keys(literal):
                    merging[key].append(count)
                count += 1
        conjunction = TRUE
        for conjunct in conjuncts.values():
            conjunction = self.both(conjunction, conjunct)
        return conjunction

    def _keys(self, literal: Literal) -> list[tuple[Kind, Literal, int]]:
        """What two conjuncts have in common if a law merges them: the condition of negated ones, else the goal."""
        kind, left, right = self._nodes[literal >> 1]
        if literal & 1:
            return [(kind, left, 1)]
        keys = [(kind, right, 0)]
        if self._stays(literal) is not None:
            keys.append((kind, TRUE, 2))
        return keys

    def _partners(self, literal: Literal) -> list[tuple[Kind, Literal, int]]:
        """The keys of the conjuncts with which :meth:`_merged` may merge a literal."""
        kind, left, right = self._nodes[literal >> 1]
        if kind not in (Kind.UNTIL, Kind.SINCE):
            return []
        if literal & 1:
            return [(kind, left, 1), (kind, negated(left), 0)]
        return [*self._keys(literal), (kind, negated(right), 1)]

    def _stays(self, literal: Literal) -> Literal | None:
        """The literal ¬a if a literal is F G a, or O H a; else None."""
        kind, left, right = self._nodes[literal >> 1]
        inner = self._nodes[right >> 1]
        are_eventually = left == TRUE == inner.left and kind is inner.kind
        if are_eventually and kind in (Kind.UNTIL, Kind.SINCE) and right & 1 and not literal & 1:
            return inner.right
        return None

    def _merged(self, left: Literal, right: Literal) -> Literal | None:
        left_node, right_node = self._nodes[left >> 1], self._nodes[right >> 1]
        if left_node.kind is not right_node.kind or left_node.kind not in (Kind.UNTIL, Kind.SINCE):
            return None
        reaching = self.until if left_node.kind is Kind.UNTIL else self.since
        are_negated = left & right & 1
        are_positive = not (left | right) & 1
        # !(a U b) & !(a U c) = !(a U (b | c))
        if are_negated and left_node.left == right_node.left:
            goal = self.either(left_node.right, right_node.right)
            return negated(reaching(left_node.left, goal))
        # a U c & b U c = (a & b) U c
        if are_positive and left_node.right == right_node.right:
            return reaching(self.both(left_node.left, right_node.left), left_node.right)
        # F G a & F G b = F G (a & b)
        fails, other_fails = self._stays(left), self._stays(right)
        if fails is not None and other_fails is not None:
            return reaching(TRUE, negated(reaching(TRUE, self.either(fails, other_fails))))
        if (left ^ right) & 1:
            # The law below is for a positive first operand and a negated second one.
            if left & 1:
                left, right, left_node, right_node = right, left, right_node, left_node
            # (a W b) & F b = a U b, where a W b is !(!b U (!a & !b))
            goal_node = self._nodes[right_node.right >> 1]
            conjuncts = {goal_node.left, goal_node.right} - {right_node.left}
            is_positive_and = goal_node.kind is Kind.AND and not right_node.right & 1
            is_weak_until = is_positive_and and len(conjuncts) == 1
            is_eventually = left_node.left == TRUE
            if is_eventually and left_node.right == negated(right_node.left) and is_weak_until:
                return reaching(negated(conjuncts.pop()), left_node.right)
        return None

    def rebuilt(  # noqa: PLR0911 (a case for each kind of node)
        self, form: NormalForm, node: Node, literals: Sequence[Literal]
    ) -> Literal:
        """The literal of a form's node; ``literals`` has those of the nodes before it."""

        def new(literal: Literal) -> Literal:
            return literals[literal >> 1] ^ literal & 1

        match node.kind:
            case Kind.TRUE:
                return TRUE
            case Kind.ATOM:
                return self.atom(form.atoms[node.left])
            case Kind.AND:
                return self.both(new(node.left), new(node.right))
            case Kind.XOR:
                return self.differ(new(node.left), new(node.right))
            case Kind.NEXT:
                return self.next(new(node.left))
            case Kind.YESTERDAY:
                return self.yesterday(new(node.left))
            case Kind.UNTIL:
                return self.until(new(node.left), new(node.right))
            case Kind.SINCE:
                return self.since(new(node.left), new(node.right))


def merged(form: NormalForm) -> NormalForm:
    """An equivalent of a form, over the same atoms or fewer."""
    normaliser = MergingNormaliser()
    literals: list[Literal] = []
    for node in form.nodes:
        literals.append(normaliser.rebuilt(form, node, literals))
    root = literals[form.root >> 1] ^ form.root & 1
    return normaliser.form(normaliser.conjunction([root]))
