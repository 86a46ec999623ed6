"""The cheapest edit of one tree of a formula into another, and the places in their texts that it changes.

It is a constrained edit: K. Zhang, "A constrained edit distance between unordered labeled trees", Algorithmica 15
(1996), 205-222.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

#: The start of a part of a text, and its end, which is not included; in characters.
Span: TypeAlias = tuple[int, int]
#: How the parts of two nodes match: by place, in any order, or as sequences that gain and lose members.
Order: TypeAlias = Literal["places", "any", "sequence"]

#: In parts with more pairs of nodes, nothing smaller is sought.
MOST_PAIRS = 20_000
#: Characters around a sign that are no part of it.
_SEPARATORS = " (),."


@dataclass(slots=True, eq=False)
class ComparedNode:
    """A node of a tree. Nodes with the same ``key`` are equal; with the same ``form`` their parts stand in one order.

    ``weight`` is the number of signs and leaves in it, ``own_weight`` that of its own signs. ``leaves`` has a bit for
    the key of each leaf in it, ``labels`` one for each label.
    """

    label: int
    texts: list[str]
    parts: list[ComparedNode]
    order: Order
    key: int
    form: int = 0
    leaves: int = 0
    labels: int = 0
    place: Span = (0, 0)
    weight: int = 0
    own_weight: int = 0

    def put(self, start: int, forms: dict[Hashable, int]) -> int:
        """Sets the places in a text from ``start``, and what follows from the parts; returns the end."""
        texts, parts = self.texts, self.parts
        end = start + len(texts[0])
        weight = own = len([text for text in texts if _sign(text)]) if parts else bool(texts[0])
        leaves, labels, forms_of_parts = 0 if parts else 1 << self.key, 1 << self.label, []
        for part, text in zip(parts, texts[1:], strict=True):
            end = part.put(end, forms) + len(text)
            weight += part.weight
            leaves |= part.leaves
            labels |= part.labels
            forms_of_parts.append(part.form)
        self.place, self.weight, self.own_weight, self.leaves, self.labels = (
            (start, end),
            weight,
            own,
            leaves,
            labels,
        )
        self.form = forms.setdefault((self.key, own, *forms_of_parts), len(forms))
        return end

    def signs(self) -> list[Span | None]:
        """The place of the sign in each of ``texts``; None if it is only brackets."""
        found, starts = (
            list[Span | None](),
            [self.place[0], *(part.place[1] for part in self.parts)],
        )
        for start, text in zip(starts, self.texts, strict=True):
            sign = _sign(text) if self.parts else text
            begin = start + text.find(sign)
            found.append((begin, begin + len(sign)) if sign else None)
        return found

    def nodes(self) -> list[ComparedNode]:
        """The nodes of the tree, each after its parts."""
        found = [self]
        for node in found:  # it grows
            found += node.parts
        return found[::-1]


@lru_cache(maxsize=10_000)
def _sign(text: str) -> str:
    return text.strip(_SEPARATORS)


class _Edit(NamedTuple):
    """How one node becomes another: ``pairs`` of parts that match, by index; nothing matches if there are none.

    With ``inside`` the other node is in the part with this index (``side`` 0), or this node in a part of the other.
    """

    pairs: Sequence[tuple[int, int]] = ()
    side: int = 0
    inside: int | None = None


class TreeComparison:
    """Compares two trees; ``pairs`` is the number of pairs of nodes in the parts that hold all differences.

    An edit costs the weight of both nodes, less that of what it keeps. So the cheapest edit keeps most.
    """

    def __init__(self, left: ComparedNode, right: ComparedNode) -> None:
        self.parts = one, other = _narrowed(left, right)
        self._nodes = ([], []) if one.key == other.key else (one.nodes(), other.nodes())
        #: What the cheapest edit keeps: a row for each form of the left tree, a column for each one of the right tree.
        self._rows: dict[int, list[int]] = {}
        self._columns: dict[int, int] = {}
        self.pairs = len(self._nodes[0]) * len(self._nodes[1])

    @property
    def shape(self) -> Hashable:
        """Equal for comparisons that mark the same."""
        places = tuple(node.place for node in self.parts)
        return places, *[
            (node.form, node.key, node.label, len(node.parts))
            for nodes in self._nodes
            for node in nodes
        ]

    def marks(self) -> tuple[list[Span], list[Span]]:
        """The places that differ in both texts, in any order."""
        marks: tuple[list[Span], list[Span]] = [], []
        one, other = self.parts
        if not self.pairs:
            return marks
        if self.pairs > MOST_PAIRS:
            return [one.place], [other.place]
        self._fill()
        pending = [(one, other)]
        while pending:
            pair = pending.pop()
            pending += self._mark(*pair, marks)
        return marks

    def kept(self, one: ComparedNode, other: ComparedNode) -> int:
        """The weight in both nodes that the cheapest edit keeps, once the marks have been made."""
        return self._rows[one.form][self._columns[other.form]]

    def _fill(self) -> None:
        """Fills the table. One node of each form is enough; each comes after its parts."""
        ones, others = ([*{node.form: node for node in nodes}.values()] for nodes in self._nodes)
        self._columns = {node.form: column for column, node in enumerate(others)}
        inner = [
            (column, node, self._columns_of(node))
            for column, node in enumerate(others)
            if node.parts
        ]
        for one in ones:
            if one.parts:
                self._rows[one.form] = self._row(one, inner)
            else:
                self._rows[one.form] = [
                    2 * one.weight if other.leaves >> one.key & 1 else 0 for other in others
                ]

    def _row(
        self, one: ComparedNode, inner: Sequence[tuple[int, ComparedNode, Sequence[int]]]
    ) -> list[int]:
        """The row of a node with parts. ``inner`` are such nodes of the other tree: column, node and parts' columns."""
        rows = self._rows_of(one)
        row = (
            list(map(max, *rows)) if len(rows) > 1 else rows[0].copy()
        )  # what a part keeps, the node keeps
        for column, other, columns in inner:
            if one.key == other.key:
                row[column] = one.weight + other.weight
            elif one.labels & other.labels:
                most = max(row[column], *[row[part] for part in columns])
                if most < 2 * min(one.weight, other.weight):
                    most = max(most, _matched(one, other, rows, columns))
                row[column] = most
        return row

    def _rows_of(self, one: ComparedNode) -> list[list[int]]:
        return [self._rows[part.form] for part in one.parts]

    def _columns_of(self, other: ComparedNode) -> list[int]:
        return [self._columns[part.form] for part in other.parts]

    def _edit(self, one: ComparedNode, other: ComparedNode, kept: int) -> _Edit:
        """The first edit that keeps so much."""
        if kept == 0:
            return _Edit()
        rows, columns, column = (
            self._rows_of(one),
            self._columns_of(other),
            self._columns[other.form],
        )
        if one.parts and other.parts and _matched(one, other, rows, columns) == kept:
            return _Edit(pairs=_pairs(one, other, rows, columns))
        if kept in (inside := [row[column] for row in rows]):
            return _Edit(inside=inside.index(kept))
        row = self._rows[one.form]
        return _Edit(side=1, inside=[row[part] for part in columns].index(kept))

    def _mark(
        self, one: ComparedNode, other: ComparedNode, marks: tuple[list[Span], list[Span]]
    ) -> Iterator[tuple[ComparedNode, ComparedNode]]:
        """Marks what the edit of two nodes changes, and yields the parts that were changed in turn."""
        kept = self.kept(one, other)
        if kept == one.weight + other.weight:
            return
        edit = self._edit(one, other, kept)
        if edit.inside is not None:
            outer = (one, other)[edit.side]
            marks[edit.side].extend(sign for sign in outer.signs() if sign)
            marks[edit.side].extend(
                part.place for at, part in enumerate(outer.parts) if at != edit.inside
            )
            part = outer.parts[edit.inside]
            yield (part, other) if edit.side == 0 else (one, part)
        elif edit.pairs:
            alike = one.label == other.label
            for side, node in enumerate((one, other)):
                used = {pair[side] for pair in edit.pairs}
                more = node.own_weight - (other, one)[side].own_weight
                signs = node.signs()
                marks[side].extend(sign for sign in signs if sign and not alike)
                for at in sorted(set(range(len(node.parts))) - used):
                    marks[side].append(node.parts[at].place)
                    sign = signs[at or 1]
                    if alike and more > 0 and sign:
                        marks[side].append(sign)
                        more -= 1
            yield from ((one.parts[at], other.parts[place]) for at, place in edit.pairs)
        else:
            marks[0].append(one.place)
            marks[1].append(other.place)


def _how(one: ComparedNode, other: ComparedNode) -> Order | None:
    """How the parts of two nodes match; None if the nodes are of kinds that have no parts in common."""
    is_same_number = len(one.parts) == len(other.parts)
    if one.order == other.order:
        if one.order == "any":
            return "any"
        if one.order == "sequence" or (one.label == other.label and not is_same_number):
            return "sequence"
    return "places" if is_same_number else None


def _matched(
    one: ComparedNode, other: ComparedNode, rows: Sequence[Sequence[int]], columns: Sequence[int]
) -> int:
    """What is kept if two nodes match; 0 if they cannot. ``rows`` and ``columns`` are those of their parts."""
    how = _how(one, other)
    if how is None:
        return 0
    own = 2 * min(one.own_weight, other.own_weight) if one.label == other.label else 0
    if how == "places":
        return own + sum([row[column] for row, column in zip(rows, columns, strict=True)])
    kept = [[row[column] for column in columns] for row in rows]
    if how == "sequence":
        return own + _aligned(kept)[0][0]
    return own + sum([kept[at][place] for at, place in _in_any_order(kept)])


def _pairs(
    one: ComparedNode, other: ComparedNode, rows: Sequence[Sequence[int]], columns: Sequence[int]
) -> Sequence[tuple[int, int]]:
    """The parts that match if the nodes do."""
    how, kept = _how(one, other), [[row[column] for column in columns] for row in rows]
    if how == "any":
        return _in_any_order(kept)
    return _in_sequence(kept) if how == "sequence" else [(at, at) for at in range(len(rows))]


def _in_any_order(kept: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The pairs that keep most, one after another; then the parts that are left, in their order."""
    ranked = sorted(
        [
            (-both, at, place)
            for at, row in enumerate(kept)
            for place, both in enumerate(row)
            if both
        ]
    )
    free, open_ = dict.fromkeys(range(len(kept))), dict.fromkeys(range(len(kept[0])))
    pairs = []
    for _, at, place in ranked:
        if at in free and place in open_:
            del free[at], open_[place]
            pairs.append((at, place))
    return [*pairs, *zip(free, open_, strict=False)]


def _aligned(kept: Sequence[Sequence[int]]) -> list[list[int]]:
    """What the best alignment of two sequences keeps from each pair of places on (Needleman and Wunsch)."""
    rows, columns = len(kept), len(kept[0])
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for at in range(rows - 1, -1, -1):
        for place in range(columns - 1, -1, -1):
            both = best[at + 1][place + 1] + kept[at][place]
            best[at][place] = max(best[at + 1][place], best[at][place + 1], both)
    return best


def _in_sequence(kept: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The pairs of that alignment."""
    best = _aligned(kept)
    pairs = []
    at = place = 0
    while at < len(kept) and place < len(kept[0]):
        if best[at][place] == best[at + 1][place + 1] + kept[at][place]:
            pairs.append((at, place))
            at, place = at + 1, place + 1
        elif best[at][place] == best[at + 1][place]:
            at += 1
        else:
            place += 1
    return pairs


def _narrowed(one: ComparedNode, other: ComparedNode) -> tuple[ComparedNode, ComparedNode]:
    """The smallest parts that hold all differences: a wrong formula is often right but for one place."""
    while one.key != other.key and one.label == other.label and one.order == other.order:
        if one.order == "any":
            keys, others = (
                Counter(part.key for part in one.parts),
                Counter(part.key for part in other.parts),
            )
            rest = [_left_over(one, others), _left_over(other, keys)]
        elif len(one.parts) == len(other.parts):
            pairs = [
                pair
                for pair in zip(one.parts, other.parts, strict=True)
                if pair[0].key != pair[1].key
            ]
            rest = [list(side) for side in zip(*pairs, strict=True)]
        else:
            break
        if [len(side) for side in rest] != [1, 1]:
            break
        one, other = rest[0][0], rest[1][0]
    return one, other


def _left_over(node: ComparedNode, matched: Counter[int]) -> list[ComparedNode]:
    """The parts without the first ones of each key that are matched."""
    left = Counter(matched)
    rest = []
    for part in node.parts:
        if left[part.key]:
            left[part.key] -= 1
        else:
            rest.append(part)
    return rest
