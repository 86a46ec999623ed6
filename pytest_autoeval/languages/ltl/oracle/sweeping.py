"""Makes a normal form smaller: subformulas with one meaning become one node, from the innermost outwards.

Two formulas of nearly the same structure differ by a law here and there. Each law is proved at its own node, in a small
tableau. The tableau of the whole would need the product of all. Candidates are nodes with equal values on random words.
Kuehlmann, Krohm, "Equivalence checking using cuts and heaps", DAC 1997: the method for circuits.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress

from pytest_autoeval.languages.ltl.oracle.merged import MergingNormaliser
from pytest_autoeval.languages.ltl.oracle.normal import FALSE, Kind, Literal, Node, NormalForm
from pytest_autoeval.languages.ltl.oracle.short_words import ColumnEvaluator
from pytest_autoeval.languages.ltl.oracle.small_diagrams import WorkUsedUpError
from pytest_autoeval.languages.ltl.oracle.states import ExplicitTableau, find_by_states

#: The random words: letters of prefix and loop, and their number.
_PREFIX, _LOOP, _WORDS = 3, 2, 512
#: A proof looks so many levels below its two nodes; what lies deeper may be anything.
_LEVELS = (4, 8)
#: Nodes with one course of values that are compared with another.
_MOST_CANDIDATES = 3
#: Nodes that may be visited to prepare proofs, at a tenth of a microsecond each. Only a form of thousands has so many.
_VISITS = 2_000_000
#: Steps of diagrams for one proof, and for all.
_WORK_A_PROOF = 1_500
_WORK = 15_000


class _Sweep(MergingNormaliser):
    """The nodes so far, with the work that is left for proofs."""

    def __init__(self) -> None:
        super().__init__()
        self._work = _WORK
        self._visits = _VISITS

    def are_equal(self, left: Literal, right: Literal) -> bool:
        """Whether a small tableau proves that two literals have one value at every position of every trace."""
        difference = self.differ(left, right)
        if difference == FALSE:
            return True
        if self._visits <= 0:
            return False
        self._visits -= (3 + len(_LEVELS)) * (difference >> 1)
        common = self._below(left >> 1) & self._below(right >> 1)
        depths = self._depths(difference >> 1, len(self._nodes), common)
        # What both are made of may stay an atom. If that proves nothing, their uppermost levels may.
        cuts = (depths, *(self._depths(difference >> 1, levels) for levels in _LEVELS))
        return any(self._never_holds(difference, cut) for cut in cuts)

    def _never_holds(self, literal: Literal, cut: Mapping[int, bool]) -> bool:
        if self._work < _WORK_A_PROOF:
            return False
        self._work -= _WORK_A_PROOF
        with suppress(WorkUsedUpError):
            # Atoms in place of subformulas claim more than is needed: if this is proved, so is the law.
            tableau = ExplicitTableau(self._top(literal, cut), _WORK_A_PROOF, from_start=False)
            is_proved = find_by_states(tableau) is None
            # A proof that ends early gives back the work that it did not need.
            self._work += tableau.diagrams.work
            return is_proved
        return False

    def _below(self, top: int) -> set[int]:
        """The numbers of a node and of those that it is made of."""
        numbers = {top}
        for number in range(top, 0, -1):
            node = self._nodes[number]
            if number in numbers and node.kind is not Kind.ATOM:
                numbers |= {node.left >> 1, node.right >> 1}
        return numbers

    def _depths(
        self, top: int, levels: int, common: AbstractSet[int] = frozenset()
    ) -> dict[int, bool]:
        """The nodes down to so many levels and to common ones, and whether each is taken for an atom."""
        depths = {top: 0}
        is_cut: dict[int, bool] = {}
        # A node has a smaller number than those above it, so its depth is known when its number comes.
        for number in range(top, 0, -1):
            if number not in depths:
                continue
            depth, node = depths[number], self._nodes[number]
            is_cut[number] = node.kind is Kind.ATOM or depth >= levels or number in common
            if not is_cut[number]:
                for operand in (node.left >> 1, node.right >> 1):
                    depths[operand] = min(depth + 1, depths.get(operand, levels))
        return {**is_cut, 0: False}

    def _top(self, root: Literal, is_cut: Mapping[int, bool]) -> NormalForm:
        """The form of a literal over some nodes, with atoms in place of those that are cut."""
        numbers = {old: new for new, old in enumerate(sorted(is_cut))}
        nodes: list[Node] = []
        atoms: list[str] = []
        for old in numbers:
            node = self._nodes[old]
            if is_cut[old]:
                nodes.append(Node(Kind.ATOM, len(atoms)))
                atoms.append(str(old))
            else:
                literals = (node.left, node.right)
                operands = [2 * numbers[literal >> 1] | literal & 1 for literal in literals]
                nodes.append(Node(node.kind, *operands))
        return NormalForm(tuple(atoms), tuple(nodes), 2 * numbers[root >> 1] | root & 1)


def swept(form: NormalForm) -> NormalForm:
    """An equivalent of a form, over the same atoms or fewer."""
    sweep = _Sweep()
    literals: list[Literal] = []
    candidates: dict[tuple[int, ...], list[Literal]] = {}
    full = (1 << _WORDS) - 1
    for node, course in zip(form.nodes, _random_courses(form, full), strict=True):
        literal = sweep.rebuilt(form, node, literals)
        # Formulas and their negations are compared too: of each, the one that is false in the first word.
        sign = course[0] & 1
        values = tuple(full ^ column for column in course) if sign else tuple(course)
        literal ^= sign
        group = candidates.setdefault(values, [])
        # Equal on all random words, and still unproved: few such nodes are worth more proofs.
        for candidate in group[:_MOST_CANDIDATES]:
            if sweep.are_equal(candidate, literal):
                literal = candidate
                break
        else:
            group.append(literal)
        literals.append(literal ^ sign)
    root = literals[form.root >> 1] ^ form.root & 1
    return sweep.form(sweep.conjunction([root]))


def _random_courses(form: NormalForm, full: int) -> list[list[int]]:
    """The values of each node at each position of random words."""
    draw = random.Random(0).getrandbits  # noqa: S311 (no secret; the same in every process)
    letters: list[list[int]] = [[] for _ in range(_PREFIX + _LOOP)]
    for _ in form.atoms:
        # A word in which an atom never changes tells apart what is only "sooner or later" the same.
        constant = draw(_WORDS) & draw(_WORDS)
        value = draw(_WORDS)
        for letter in letters:
            changing = ~constant & draw(_WORDS)
            letter.append(constant & value | changing & full)
    return ColumnEvaluator(form).courses(_PREFIX, letters, full)
