"""Where the texts of two formulas differ: the smallest parts of their trees that have no counterpart in the other one.

Equal parts are aligned first. The parts of ∧, ∨, ⊕, ↔, of an equation and of a union match in any order, and chains of
one such connective without regard to their grouping. Bound variables match up to renaming. The rest is a cheap edit of
one tree into the other, a constrained one: K. Zhang, "A constrained edit distance between unordered labeled trees",
Algorithmica 15 (1996), 205-222. It shows where to look, and decides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias

from pytest_autoeval.languages.base import Formula, Tree
from pytest_autoeval.languages.limits import MAX_DEPTH

#: The start of a part of a text, and its end, which is not included; in characters.
Span: TypeAlias = tuple[int, int]
#: How the parts of two nodes match: by place, in any order, or as sequences that gain and lose members.
Order: TypeAlias = Literal["places", "any", "sequence"]
#: How the variables of quantifiers are compared: by their own names, or by the number of quantifiers around theirs, or
#: between theirs and the variable. Each is right, with chains as one node or as several; the shortest marks are shown.
_Naming: TypeAlias = Literal["own", "around", "between"]
_NAMINGS: tuple[_Naming, ...] = ("own", "around", "between")

#: Longer texts are not compared; in parts with more pairs of nodes, nothing smaller is sought. One comparison is always
#: made; others only with this number of pairs in all.
_LONGEST = 4_000
_MOST_PAIRS = 20_000
#: Characters around a sign that are no part of it.
_SEPARATORS = " (),."
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


def layout_of(node: Tree, text: Callable[[Any, Sequence[str]], str], order: Order = "places", **more: Any) -> Layout:
    """The layout of a node over its children, with the function that makes its text of theirs."""
    children = node.children()
    texts = text(node, [_HOLE] * len(children)).split(_HOLE)
    label = (type(node).__name__, node.label() if children else texts[0])
    return Layout(label, texts, children, order, **more)


def differences(
    left: Formula, right: Formula, layout: Callable[[Formula], Layout | None]
) -> tuple[list[Span], list[Span]]:
    """The differing parts of two formulas, as spans in their canonical texts: in order, and apart from each other.

    ``layout`` is that of the formulas' language. Both lists are empty if it returns None, if the formulas are equal up
    to order and renaming, and if one is too large.
    """
    if layout(left) is None or not _is_small(left) or not _is_small(right):
        return [], []
    comparisons = []
    for naming, chained in product(_NAMINGS, (True, False)):
        trees = _Trees(layout, naming, chained=chained)
        comparisons.append(_Comparison(trees.tree(left), trees.tree(right)))
        if not chained and not trees.binds:
            break
    texts, found, pairs = (str(left), str(right)), list[list[list[Span]]](), 0
    for comparison in sorted(comparisons, key=lambda comparison: comparison.pairs):
        pairs += comparison.pairs
        if found and pairs > _MOST_PAIRS:
            break
        found.append([_joined(spans, text) for spans, text in zip(comparison.marks(), texts, strict=True)])
    one, other = min(found, key=lambda sides: sum(end - start for side in sides for start, end in side))
    return one, other


def _is_small(formula: Formula) -> bool:
    return isinstance(formula, Tree) and formula.height <= MAX_DEPTH and len(str(formula)) <= _LONGEST


@dataclass(slots=True, eq=False)
class _Part:
    """A node of a tree. Nodes with the same ``key`` are equal; ``weight`` is the number of signs and leaves in it."""

    label: Hashable
    texts: list[str]
    parts: list[_Part]
    order: Order
    key: int
    place: Span = (0, 0)
    #: The place of the sign in each of ``texts``; None if it is only brackets.
    signs: list[Span | None] = field(default_factory=list)
    weight: int = 0

    def put(self, start: int) -> int:
        """Sets the places in a text from ``start``; returns the end."""
        end = start
        for at, text in enumerate(self.texts):
            sign = text.strip(_SEPARATORS) if self.parts else text
            begin = end + text.find(sign)
            self.signs.append((begin, begin + len(sign)) if sign else None)
            end += len(text)
            if at < len(self.parts):
                end = self.parts[at].put(end)
        self.place = start, end
        self.weight = self.own_weight + sum(part.weight for part in self.parts)
        return end

    @property
    def own_weight(self) -> int:
        return sum(sign is not None for sign in self.signs)

    def nodes(self) -> Iterator[_Part]:
        """The nodes of the tree, each after its parts."""
        for part in self.parts:
            yield from part.nodes()
        yield self


class _Trees:
    """Makes trees whose keys can be compared."""

    def __init__(self, layout: Callable[[Formula], Layout | None], naming: _Naming, *, chained: bool) -> None:
        self._layout, self._naming, self._chained = layout, naming, chained
        self._keys: dict[Hashable, int] = {}
        #: Whether a node binds a variable.
        self.binds = False

    def tree(self, formula: Formula) -> _Part:
        root = self._part(formula, {}, 0)
        root.put(0)
        return root

    def _part(self, node: Formula, bound: Mapping[str, int], depth: int) -> _Part:
        layout = self._layout(node)
        assert layout is not None, node
        label = layout.label
        if layout.name is not None and layout.name in bound and self._naming != "own":
            around = bound[layout.name]
            label = (self._naming, around if self._naming == "around" else depth - around)
        if layout.binds is not None:
            self.binds = True
            bound, depth = {**bound, layout.binds: depth}, depth + 1
            label = (label, layout.binds) if self._naming == "own" else label
        texts, parts = [layout.texts[0]], list[_Part]()
        for child, after in zip(layout.parts, layout.texts[1:], strict=True):
            part = self._part(child, bound, depth)
            if self._chained and layout.chained and part.label == label:
                texts[-1] += part.texts[0]
                texts += [*part.texts[1:-1], part.texts[-1] + after]
                parts += part.parts
            else:
                texts.append(after)
                parts.append(part)
        keys = [part.key for part in parts]
        content = (label, layout.order, *(sorted(keys) if layout.order == "any" else keys))
        return _Part(label, texts, parts, layout.order, self._keys.setdefault(content, len(self._keys)))


class _Edit(NamedTuple):
    """How one node becomes another: ``pairs`` of parts that match, by index; ``whole`` if nothing matches.

    With ``inside`` the other node is in the part with this index (``side`` 0), or this node in a part of the other.
    """

    cost: int
    whole: bool = False
    pairs: Sequence[tuple[int, int]] = ()
    side: int = 0
    inside: int | None = None


class _Comparison:
    """Compares two trees; ``pairs`` is the number of pairs of nodes in the parts that hold all differences."""

    def __init__(self, left: _Part, right: _Part) -> None:
        self._parts = one, other = _narrowed(left, right)
        self._nodes = ([], []) if one.key == other.key else (list(one.nodes()), list(other.nodes()))
        self._edits: dict[tuple[int, int], _Edit] = {}
        self.pairs = len(self._nodes[0]) * len(self._nodes[1])

    def marks(self) -> tuple[list[Span], list[Span]]:
        """The places that differ in both texts, in any order."""
        marks: tuple[list[Span], list[Span]] = [], []
        one, other = self._parts
        if not self.pairs:
            return marks
        if self.pairs > _MOST_PAIRS:
            return [one.place], [other.place]
        for node in self._nodes[0]:
            for against in self._nodes[1]:
                self._edits[id(node), id(against)] = self._best(node, against)
        pending = [(one, other)]
        while pending:
            pair = pending.pop()
            pending += self._mark(*pair, marks)
        return marks

    def _cost(self, one: _Part, other: _Part) -> int:
        return self._edits[id(one), id(other)].cost

    def _best(self, one: _Part, other: _Part) -> _Edit:
        """The cheapest edit. The parts of both nodes have been compared before."""
        if one.key == other.key:
            return _Edit(0)
        edits = [_Edit(one.weight + other.weight, whole=True)]
        if one.parts and other.parts and (pairs := self._pairs(one, other)) is not None:
            edits.append(_Edit(self._cost_of(one, other, pairs), pairs=pairs))
        for side, (outer, inner) in enumerate(((one, other), (other, one))):
            for at, part in enumerate(outer.parts):
                cost = self._cost(part, inner) if side == 0 else self._cost(inner, part)
                edits.append(_Edit(outer.weight - part.weight + cost, side=side, inside=at))
        return min(edits, key=lambda edit: edit.cost)

    def _cost_of(self, one: _Part, other: _Part, pairs: Sequence[tuple[int, int]]) -> int:
        matched = sum(self._cost(one.parts[at], other.parts[place]) for at, place in pairs)
        both = ((one, {at for at, _ in pairs}), (other, {place for _, place in pairs}))
        surplus = sum(part.weight for node, used in both for at, part in enumerate(node.parts) if at not in used)
        own = abs(one.own_weight - other.own_weight) if one.label == other.label else one.own_weight + other.own_weight
        return matched + surplus + own

    def _pairs(self, one: _Part, other: _Part) -> Sequence[tuple[int, int]] | None:
        """The parts that match; None if the nodes are of kinds that have no parts in common."""
        alike, sizes = one.order == other.order, (len(one.parts), len(other.parts))
        if alike and one.order == "any":
            return self._in_any_order(one, other)
        if alike and (one.order == "sequence" or (one.label == other.label and sizes[0] != sizes[1])):
            return self._in_sequence(one, other)
        return [(at, at) for at in range(sizes[0])] if sizes[0] == sizes[1] else None

    def _in_any_order(self, one: _Part, other: _Part) -> list[tuple[int, int]]:
        """The pairs that spare most, one after another; then the parts that are left, in their order."""
        spared = sorted(
            (self._cost(part, against) - part.weight - against.weight, at, place)
            for at, part in enumerate(one.parts)
            for place, against in enumerate(other.parts)
        )
        free, open_ = dict.fromkeys(range(len(one.parts))), dict.fromkeys(range(len(other.parts)))
        pairs = []
        for _, at, place in spared:
            if at in free and place in open_:
                del free[at], open_[place]
                pairs.append((at, place))
        return pairs

    def _in_sequence(self, one: _Part, other: _Part) -> list[tuple[int, int]]:
        """The cheapest alignment of two sequences (Needleman and Wunsch)."""
        rows, columns = one.parts, other.parts
        costs = [[0] * (len(columns) + 1) for _ in range(len(rows) + 1)]
        for at in range(len(rows), -1, -1):
            for place in range(len(columns), -1, -1):
                ways = []
                if at < len(rows):
                    ways.append(costs[at + 1][place] + rows[at].weight)
                if place < len(columns):
                    ways.append(costs[at][place + 1] + columns[place].weight)
                if at < len(rows) and place < len(columns):
                    ways.append(costs[at + 1][place + 1] + self._cost(rows[at], columns[place]))
                costs[at][place] = min(ways, default=0)
        pairs = []
        at = place = 0
        while at < len(rows) and place < len(columns):
            if costs[at][place] == costs[at + 1][place + 1] + self._cost(rows[at], columns[place]):
                pairs.append((at, place))
                at, place = at + 1, place + 1
            elif costs[at][place] == costs[at + 1][place] + rows[at].weight:
                at += 1
            else:
                place += 1
        return pairs

    def _mark(self, one: _Part, other: _Part, marks: tuple[list[Span], list[Span]]) -> Iterator[tuple[_Part, _Part]]:
        """Marks what the edit of two nodes changes, and yields the parts that were changed in turn."""
        edit = self._edits[id(one), id(other)]
        if edit.cost == 0:
            return
        if edit.whole:
            marks[0].append(one.place)
            marks[1].append(other.place)
        elif edit.inside is not None:
            outer = (one, other)[edit.side]
            marks[edit.side].extend(sign for sign in outer.signs if sign)
            marks[edit.side].extend(part.place for at, part in enumerate(outer.parts) if at != edit.inside)
            part = outer.parts[edit.inside]
            yield (part, other) if edit.side == 0 else (one, part)
        else:
            alike = one.label == other.label
            for side, node in enumerate((one, other)):
                used = {pair[side] for pair in edit.pairs}
                more = node.own_weight - (other, one)[side].own_weight
                marks[side].extend(sign for sign in node.signs if sign and not alike)
                for at in sorted(set(range(len(node.parts))) - used):
                    marks[side].append(node.parts[at].place)
                    sign = node.signs[at or 1]
                    if alike and more > 0 and sign:
                        marks[side].append(sign)
                        more -= 1
            yield from ((one.parts[at], other.parts[place]) for at, place in edit.pairs)


def _narrowed(one: _Part, other: _Part) -> tuple[_Part, _Part]:
    """The smallest parts that hold all differences: a wrong formula is often right but for one place."""
    while one.key != other.key and one.label == other.label and one.order == other.order:
        if one.order == "any":
            keys, others = Counter(part.key for part in one.parts), Counter(part.key for part in other.parts)
            rest = [_left_over(one, others), _left_over(other, keys)]
        elif len(one.parts) == len(other.parts):
            pairs = [pair for pair in zip(one.parts, other.parts, strict=True) if pair[0].key != pair[1].key]
            rest = [list(side) for side in zip(*pairs, strict=True)]
        else:
            break
        if [len(side) for side in rest] != [1, 1]:
            break
        one, other = rest[0][0], rest[1][0]
    return one, other


def _left_over(node: _Part, matched: Counter[int]) -> list[_Part]:
    """The parts without the first ones of each key that are matched."""
    left = Counter(matched)
    rest = []
    for part in node.parts:
        if left[part.key]:
            left[part.key] -= 1
        else:
            rest.append(part)
    return rest


def _joined(spans: list[Span], text: str) -> list[Span]:
    """The spans in order; those with only white space between them become one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
