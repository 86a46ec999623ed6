"""The cheapest edit of one tree of a formula into another, and the places in their texts that it changes.

It is a constrained edit: K. Zhang, "A constrained edit distance between unordered labeled trees", Algorithmica 15
(1996), 205-222.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

#: The start of a part of a text, and its end, which is not included; in characters.
Span: TypeAlias = tuple[int, int]
#: How the parts of two nodes match: by place, in any order, or as sequences that gain and lose members.
Order: TypeAlias = Literal["places", "any", "sequence"]

#: In parts with more pairs of nodes, nothing smaller is sought. The time grows with their number.
MOST_PAIRS = 20_000
#: Characters around a sign that are no part of it.
_SEPARATORS = " (),."


class ComparedNode(Struct, eq=False):
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
    span: Span = (0, 0)
    weight: int = 0
    own_weight: int = 0

    def put(self, start: int, forms: dict[Hashable, int]) -> int:
        """Sets the places in a text from ``start``, and what follows from the parts; returns the end."""
        texts, parts = self.texts, self.parts
        if parts:
            self.own_weight = len([text for text in texts if _sign(text)])
            self.leaves = 0
        else:
            self.own_weight = int(bool(texts[0]))
            self.leaves = 1 << self.key
        self.labels = 1 << self.label
        self.weight = self.own_weight
        end = start + len(texts[0])
        forms_of_children = []
        for child, text in zip(parts, texts[1:], strict=True):
            end = child.put(end, forms) + len(text)
            self.weight += child.weight
            self.leaves |= child.leaves
            self.labels |= child.labels
            forms_of_children.append(child.form)
        self.span = (start, end)
        self.form = forms.setdefault((self.key, self.own_weight, *forms_of_children), len(forms))
        return end

    def signs(self) -> list[Span | None]:
        """The place of the sign in each of ``texts``; None if it is only brackets."""
        spans: list[Span | None] = []
        starts = [self.span[0], *(child.span[1] for child in self.parts)]
        for start, text in zip(starts, self.texts, strict=True):
            sign = _sign(text) if self.parts else text
            begin = start + text.find(sign)
            spans.append((begin, begin + len(sign)) if sign else None)
        return spans

    def nodes(self) -> list[ComparedNode]:
        """The nodes of the tree, each after its parts."""
        nodes = [self]
        # The list grows while it is read: level by level, so that its reverse has the parts first.
        for node in nodes:
            nodes += node.parts
        return nodes[::-1]


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
        self.parts = source, target = _narrowed(left, right)
        is_equal = source.key == target.key
        self._nodes = ([], []) if is_equal else (source.nodes(), target.nodes())
        #: What the cheapest edit keeps: a row for each form of the left tree, a column for each one of the right tree.
        self._rows: dict[int, list[int]] = {}
        self._columns: dict[int, int] = {}
        source_nodes, target_nodes = self._nodes
        self.pairs = len(source_nodes) * len(target_nodes)

    @property
    def shape(self) -> Hashable:
        """Equal for comparisons that mark the same."""
        source_nodes, target_nodes = self._nodes
        spans = tuple(node.span for node in self.parts)
        return spans, *[
            (node.form, node.key, node.label, len(node.parts))
            for node in (*source_nodes, *target_nodes)
        ]

    def marks(self) -> tuple[list[Span], list[Span]]:
        """The places that differ in both texts, in any order."""
        marks: tuple[list[Span], list[Span]] = [], []
        source, target = self.parts
        if not self.pairs:
            return marks
        if self.pairs > MOST_PAIRS:
            return [source.span], [target.span]
        self._fill()
        pending = [(source, target)]
        while pending:
            pair = pending.pop()
            pending += self._mark(*pair, marks)
        return marks

    def kept(self, source: ComparedNode, target: ComparedNode) -> int:
        """The weight in both nodes that the cheapest edit keeps, once the marks have been made."""
        return self._rows[source.form][self._columns[target.form]]

    def _fill(self) -> None:
        """Fills the table. One node of each form is enough; each comes after its parts."""
        source_nodes, target_nodes = self._nodes
        sources = {node.form: node for node in source_nodes}
        targets = list({node.form: node for node in target_nodes}.values())
        self._columns = {node.form: column for column, node in enumerate(targets)}
        inner = [
            (column, node, self._columns_of(node))
            for column, node in enumerate(targets)
            if node.parts
        ]
        for form, source in sources.items():
            if source.parts:
                self._rows[form] = self._row(source, inner)
            else:
                # A leaf is kept if the other tree has an equal leaf: its weight counts in both nodes.
                weight = 2 * source.weight
                leaf = 1 << source.key
                self._rows[form] = [weight if target.leaves & leaf else 0 for target in targets]

    def _row(
        self, source: ComparedNode, inner: Sequence[tuple[int, ComparedNode, Sequence[int]]]
    ) -> list[int]:
        """The row of a node with parts. ``inner`` are such nodes of the other tree: column, node and parts' columns."""
        rows = self._rows_of(source)
        # What a part keeps, the node keeps.
        row = list(map(max, *rows)) if len(rows) > 1 else rows[0].copy()
        for column, target, columns in inner:
            if source.key == target.key:
                row[column] = source.weight + target.weight
            elif source.labels & target.labels:  # else they keep nothing
                most = max(row[column], *[row[part_column] for part_column in columns])
                if most < 2 * min(source.weight, target.weight):
                    most = max(most, _matched(source, target, rows, columns))
                row[column] = most
        return row

    def _rows_of(self, source: ComparedNode) -> list[list[int]]:
        return [self._rows[child.form] for child in source.parts]

    def _columns_of(self, target: ComparedNode) -> list[int]:
        return [self._columns[child.form] for child in target.parts]

    def _edit(self, source: ComparedNode, target: ComparedNode, weight: int) -> _Edit:
        """The first edit that keeps so much."""
        if weight == 0:
            return _Edit()
        rows = self._rows_of(source)
        columns = self._columns_of(target)
        if source.parts and target.parts and _matched(source, target, rows, columns) == weight:
            return _Edit(pairs=_pairs(source, target, rows, columns))
        column = self._columns[target.form]
        kept_by_parts = [row[column] for row in rows]
        if weight in kept_by_parts:
            return _Edit(inside=kept_by_parts.index(weight))
        row = self._rows[source.form]
        kept_in_parts = [row[column] for column in columns]
        return _Edit(side=1, inside=kept_in_parts.index(weight))

    def _mark(
        self, source: ComparedNode, target: ComparedNode, marks: tuple[list[Span], list[Span]]
    ) -> Iterator[tuple[ComparedNode, ComparedNode]]:
        """Marks what the edit of two nodes changes, and yields the parts that were changed in turn."""
        weight = self.kept(source, target)
        if weight == source.weight + target.weight:
            return
        edit = self._edit(source, target, weight)
        if edit.inside is not None:
            # One node is inside the other: everything around it is marked.
            outer = (source, target)[edit.side]
            marks[edit.side].extend(sign for sign in outer.signs() if sign)
            marks[edit.side].extend(
                child.span for index, child in enumerate(outer.parts) if index != edit.inside
            )
            child = outer.parts[edit.inside]
            yield (child, target) if edit.side == 0 else (source, child)
        elif edit.pairs:
            is_same_label = source.label == target.label
            for side, (node, partner) in enumerate(((source, target), (target, source))):
                used = {pair[side] for pair in edit.pairs}
                # The signs that a longer chain has beyond those of the shorter one.
                extra_signs = node.own_weight - partner.own_weight if is_same_label else 0
                signs = node.signs()
                if not is_same_label:
                    marks[side].extend(sign for sign in signs if sign)
                for index in sorted(set(range(len(node.parts))) - used):
                    marks[side].append(node.parts[index].span)
                    # Before the part; the first one has a sign only behind it.
                    sign = signs[index or 1]
                    if extra_signs > 0 and sign:
                        marks[side].append(sign)
                        extra_signs -= 1
            for source_index, target_index in edit.pairs:
                yield source.parts[source_index], target.parts[target_index]
        else:
            marks[0].append(source.span)
            marks[1].append(target.span)


def _how(source: ComparedNode, target: ComparedNode) -> Order | None:
    """How the parts of two nodes match; None if the nodes are of kinds that have no parts in common."""
    is_same_number = len(source.parts) == len(target.parts)
    if source.order == target.order:
        if source.order == "any":
            return "any"
        if source.order == "sequence" or (source.label == target.label and not is_same_number):
            return "sequence"
    return "places" if is_same_number else None


def _matched(
    source: ComparedNode,
    target: ComparedNode,
    rows: Sequence[Sequence[int]],
    columns: Sequence[int],
) -> int:
    """What is kept if two nodes match; 0 if they cannot. ``rows`` and ``columns`` are those of their parts."""
    how = _how(source, target)
    if how is None:
        return 0
    # Nodes of one label keep their signs, as many as the node with fewer of them has.
    own = 0
    if source.label == target.label:
        own = 2 * min(source.own_weight, target.own_weight)
    if how == "places":
        return own + sum([row[column] for row, column in zip(rows, columns, strict=True)])
    weights = [[row[column] for column in columns] for row in rows]
    if how == "sequence":
        return own + _aligned(weights)[0][0]
    return own + sum([weights[row][column] for row, column in _in_any_order(weights)])


def _pairs(
    source: ComparedNode,
    target: ComparedNode,
    rows: Sequence[Sequence[int]],
    columns: Sequence[int],
) -> Sequence[tuple[int, int]]:
    """The parts that match if the nodes do."""
    how = _how(source, target)
    weights = [[row[column] for column in columns] for row in rows]
    if how == "any":
        return _in_any_order(weights)
    if how == "sequence":
        return _in_sequence(weights)
    return [(index, index) for index in range(len(rows))]


def _in_any_order(weights: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The pairs that keep most, one after another; then the parts that are left, in their order."""
    # Greedy: the best assignment would take longer, and the marks only show where to look.
    ranked = [
        (-weight, row, column)
        for row, row_weights in enumerate(weights)
        for column, weight in enumerate(row_weights)
        if weight
    ]
    ranked.sort()
    free_sources = dict.fromkeys(range(len(weights)))
    free_targets = dict.fromkeys(range(len(weights[0])))
    pairs = []
    for _, row, column in ranked:
        if row in free_sources and column in free_targets:
            del free_sources[row], free_targets[column]
            pairs.append((row, column))
    return [*pairs, *zip(free_sources, free_targets, strict=False)]


def _aligned(weights: Sequence[Sequence[int]]) -> list[list[int]]:
    """What the best alignment of two sequences keeps from each pair of places on (Needleman and Wunsch)."""
    rows = len(weights)
    columns = len(weights[0])
    # From the end, so that the pairs can be read off from the beginning.
    best = [[0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            with_pair = best[row + 1][column + 1] + weights[row][column]
            without_either = max(best[row + 1][column], best[row][column + 1])
            best[row][column] = max(without_either, with_pair)
    return best


def _in_sequence(weights: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The pairs of that alignment."""
    best = _aligned(weights)
    pairs = []
    row = column = 0
    while row < len(weights) and column < len(weights[0]):
        with_pair = best[row + 1][column + 1] + weights[row][column]
        if best[row][column] == with_pair:
            pairs.append((row, column))
            row = row + 1
            column = column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs


def _narrowed(source: ComparedNode, target: ComparedNode) -> tuple[ComparedNode, ComparedNode]:
    """The smallest parts that hold all differences: a wrong formula is often right but for one place."""
    while (
        source.key != target.key and source.label == target.label and source.order == target.order
    ):
        if source.order == "any":
            source_keys = Counter(child.key for child in source.parts)
            target_keys = Counter(child.key for child in target.parts)
            source_rest = _unmatched(source, target_keys)
            target_rest = _unmatched(target, source_keys)
        elif len(source.parts) == len(target.parts):
            pairs = zip(source.parts, target.parts, strict=True)
            different = [pair for pair in pairs if pair[0].key != pair[1].key]
            source_rest = [child for child, _ in different]
            target_rest = [child for _, child in different]
        else:
            break
        if len(source_rest) != 1 or len(target_rest) != 1:
            break
        (source,), (target,) = source_rest, target_rest
    return source, target


def _unmatched(node: ComparedNode, matched: Counter[int]) -> list[ComparedNode]:
    """The parts without the first ones of each key that are matched."""
    to_skip = Counter(matched)  # a copy, since it is counted down
    unmatched = []
    for child in node.parts:
        if to_skip[child.key]:
            to_skip[child.key] -= 1
        else:
            unmatched.append(child)
    return unmatched
