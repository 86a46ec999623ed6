"""Where the texts of two formulas differ: the smallest parts of their trees that have no counterpart in the other one.

Equal parts are aligned first. The parts of ∧, ∨, ⊕, ↔, of an equation and of a union match in any order, and chains of
one such connective without regard to their grouping. Bound variables match up to renaming. The rest is a cheap edit of
one tree into the other. It shows where to look, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias

from pytest_autoeval.languages.base import Formula, Tree
from pytest_autoeval.languages.size_limits import MAX_DEPTH
from pytest_autoeval.languages.tree_edits import (
    MOST_PAIRS,
    ComparedNode,
    Order,
    Span,
    TreeComparison,
)

#: How the variables of quantifiers are compared: by their own names, or by the number of quantifiers around theirs, or
#: between theirs and the variable. Each is right, with chains as one node or as several; the shortest marks are shown.
_Naming: TypeAlias = Literal["own", "around", "between"]
_NAMINGS: tuple[_Naming, ...] = ("own", "around", "between")

#: Longer texts are not compared. One comparison is always made; others only with `MOST_PAIRS` pairs of nodes in all.
_LONGEST = 4_000
#: A character that no name and no sign has.
_HOLE = "\0"


class Layout(NamedTuple):
    """A node of a formula as it is compared. ``texts`` stand before, between and after its ``parts``.

    ``label`` is equal for nodes that differ only in their parts and in the variable that they ``bind``. ``name`` is set
    if the node is a name that may be bound. A ``chained`` node continues in the parts that have its label.
    """

    label: Hashable
    texts: Sequence[str]
    parts: Sequence[Formula] = ()
    order: Order = "places"
    chained: bool = False
    binds: str | None = None
    name: str | None = None


def layout_of(
    node: Tree, text: Callable[[Any, Sequence[str]], str], order: Order = "places", **fields: Any
) -> Layout:
    """The layout of a node over its children, with the function that makes its text of theirs."""
    children = node.children()
    texts = text(node, [_HOLE] * len(children)).split(_HOLE)
    label = (type(node).__name__, node.label() if children else texts[0])
    return Layout(label, texts, children, order, **fields)


def differences(
    left: Formula, right: Formula, layout: Callable[[Formula], Layout | None]
) -> tuple[list[Span], list[Span]]:
    """The differing parts of two formulas, as spans in their canonical texts: in order, and apart from each other.

    ``layout`` is that of the formulas' language. Both lists are empty if it returns None, if the formulas are equal up
    to order and renaming, and if one is too large.
    """
    if layout(left) is None or not _is_small(left) or not _is_small(right):
        return [], []
    comparisons = sorted(_comparisons(left, right, layout), key=lambda comparison: comparison.pairs)
    if not comparisons[0].pairs:
        return [], []
    # The cheapest comparison comes first, so that one is made however large the formulas are.
    marks_by_shape: dict[Hashable, tuple[list[Span], list[Span]]] = {}
    pairs = 0
    for comparison in comparisons:
        pairs += comparison.pairs
        if marks_by_shape and pairs > MOST_PAIRS:
            break
        shape = comparison.shape
        if shape not in marks_by_shape:
            left_spans, right_spans = comparison.marks()
            marks_by_shape[shape] = _joined(left_spans, str(left)), _joined(right_spans, str(right))
    return min(marks_by_shape.values(), key=_marked_length)


def _marked_length(marks: tuple[list[Span], list[Span]]) -> int:
    """The number of marked characters in both texts."""
    left_spans, right_spans = marks
    return sum(end - start for start, end in (*left_spans, *right_spans))


def _comparisons(
    left: Formula, right: Formula, layout: Callable[[Formula], Layout | None]
) -> Iterator[TreeComparison]:
    layout = _once(layout)
    for naming, chained in product(_NAMINGS, (True, False)):
        trees = Trees(layout, naming, chained=chained)
        yield TreeComparison(trees.tree(left), trees.tree(right))
        if not chained and not trees.binds:
            break


def _once(layout: Callable[[Formula], Layout | None]) -> Callable[[Formula], Layout | None]:
    """The same function, which finds the layout of each node once."""
    layouts: dict[int, Layout | None] = {}

    def layout_of_node(node: Formula) -> Layout | None:
        # A layout keeps the parts of its node alive, so that no other object gets their numbers.
        number = id(node)
        if number not in layouts:
            layouts[number] = layout(node)
        return layouts[number]

    return layout_of_node


def _is_small(formula: Formula) -> bool:
    if not isinstance(formula, Tree) or formula.height > MAX_DEPTH:
        return False
    return len(str(formula)) <= _LONGEST


class Trees:
    """Makes trees whose labels, keys and forms can be compared: numbers, in the order in which they occur."""

    def __init__(
        self, layout: Callable[[Formula], Layout | None], naming: _Naming, *, chained: bool
    ) -> None:
        self._layout, self._naming, self._chained = layout, naming, chained
        self._labels: dict[Hashable, int] = {}
        self._keys: dict[Hashable, int] = {}
        self._forms: dict[Hashable, int] = {}
        #: Whether a node binds a variable.
        self.binds = False

    def tree(self, formula: Formula) -> ComparedNode:
        root = self._part(formula, {}, 0)
        root.put(0, self._forms)
        return root

    def _part(self, node: Formula, bound: Mapping[str, int], depth: int) -> ComparedNode:
        layout = self._layout(node)
        assert layout is not None, node
        label = layout.label
        if layout.name is not None and layout.name in bound and self._naming != "own":
            around = bound[layout.name]
            label = (self._naming, around if self._naming == "around" else depth - around)
        if layout.binds is not None:
            self.binds = True
            bound = {**bound, layout.binds: depth}
            depth = depth + 1
            label = (label, layout.binds) if self._naming == "own" else label
        number = self._labels.setdefault(label, len(self._labels))
        texts = [layout.texts[0]]
        compared_parts = list[ComparedNode]()
        for child, after in zip(layout.parts, layout.texts[1:], strict=True):
            compared = self._part(child, bound, depth)
            if self._chained and layout.chained and compared.label == number:
                # The part continues the chain: its parts take its place, with the texts around them joined.
                first_text, *inner_texts, last_text = compared.texts
                texts[-1] += first_text
                texts += [*inner_texts, last_text + after]
                compared_parts += compared.parts
            else:
                texts.append(after)
                compared_parts.append(compared)
        keys = [compared.key for compared in compared_parts]
        if layout.order == "any":  # then equal parts in another order make an equal node
            keys.sort()
        content = (number, layout.order, *keys)
        return ComparedNode(
            number,
            texts,
            compared_parts,
            layout.order,
            self._keys.setdefault(content, len(self._keys)),
        )


def _joined(spans: list[Span], text: str) -> list[Span]:
    """The spans in order; those with only white space between them become one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if not joined:
            joined.append((start, end))
            continue
        last_start, last_end = joined[-1]
        if text[last_end:start].strip():
            joined.append((start, end))
        else:
            joined[-1] = last_start, max(end, last_end)
    return joined
