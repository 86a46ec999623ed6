"""Syntax trees, verdicts and readings: the basic types of every language."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, Self, TypeVar, cast

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.text import one_line, shorten

F = TypeVar("F", bound="Formula")
T = TypeVar("T", bound="Tree")
Value = TypeVar("Value")

#: How much of a text that is no formula an error shows, in columns.
_SHOWN = 160


class FormulaSyntaxError(AutoevalError):
    """A text is not a formula of the language.

    Attributes:
        line, column: the place of the mistake, from 1.
        offset: the same place as a number of characters.
        expected: what could stand there; may be empty.
        text: the whole input.
    """

    def __init__(
        self, problem: str, text: str, offset: int, expected: tuple[str, ...] = ()
    ) -> None:
        # A parser may point behind the end, where something is missing.
        offset = max(0, min(offset, len(text)))
        before = text[:offset]
        self.problem = problem
        self.text = text
        self.offset = offset
        self.line = before.count("\n") + 1
        self.column = offset - (before.rfind("\n") + 1) + 1
        self.expected = expected
        location = f"line {self.line}, column {self.column}"
        expectation = f"; expected {', '.join(expected)}" if expected else ""
        super().__init__(f"{location}: {problem}{expectation}")


class LimitError(FormulaSyntaxError):
    """A text or a formula is too large: its length, its nesting or a repetition."""


def of_argument(error: FormulaSyntaxError, name: str, language: str) -> FormulaSyntaxError:
    """The error, now with a text that says which argument of a call it is about, and what was given."""
    problem = f"{name} is not a formula ({language}): {error}"
    error.args = (f"{problem}\n  {name}: {shown_text(error.text)}",)
    return error


def shown_text(text: str) -> str:
    """A text as an error shows it: in quotes, on one line, cut at a sensible length."""
    return repr(shorten(one_line(text), _SHOWN))


class EnglishError(AutoevalError):
    """A formula has no description in controlled English, or a text is not such a description."""


class Formula:
    """A node of a syntax tree: immutable, hashable, equal by structure.

    Nodes are frozen dataclasses with slots (``repr=False``); ``str`` is the canonical text.
    """

    __slots__ = ()

    def children(self) -> tuple[Formula, ...]:
        """The immediate subformulas, left to right (tuples of subformulas are flattened)."""
        subformulas: list[Formula] = []
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, Formula):
                subformulas.append(value)
            elif isinstance(value, tuple):
                subformulas.extend(element for element in value if isinstance(element, Formula))
        return tuple(subformulas)

    def with_children(self, children: tuple[Formula, ...]) -> Self:
        """This node over other subformulas, given in the order of `children`."""
        remaining = iter(children)
        changed: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, Formula):
                value = next(remaining)
            elif isinstance(value, tuple):
                value = tuple(
                    next(remaining) if isinstance(element, Formula) else element
                    for element in value
                )
            changed[field.name] = value
        return type(self)(**changed)

    def map_children(self, change: Callable[[Any], Formula]) -> Self:
        """This node over changed subformulas."""
        children = self.children()
        if children:
            return self.with_children(tuple(change(child) for child in children))
        return self

    def subformulas(self) -> Iterator[Formula]:
        """This formula and all inside it, each before what is inside it, left to right."""
        # A stack of its own: a tree may be deeper than the interpreter's.
        pending: list[Formula] = [self]
        while pending:
            node = pending.pop()
            yield node
            pending += node.children()[::-1]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """For IPython and Hypothesis, which would print the dataclasses node by node."""
        printer.text(repr(self))


def all_nodes(formula: Formula) -> list[Formula]:
    """The same as :meth:`Formula.subformulas` in another order, in half the time."""
    nodes = [formula]
    # The list grows while it is read.
    for node in nodes:
        nodes += node.children()
    return nodes


@dataclass(frozen=True, slots=True, repr=False)
class NoFormula(Formula):
    """Stands where a sample has only a sentence: nobody wrote its formula. Its text is empty."""

    def __str__(self) -> str:
        return ""


class Witness(Protocol):
    """A case in which two formulas differ: an assignment, a finite model, a string or a trace.

    ``str`` gives a readable text of one or more lines.
    """

    def to_json(self) -> dict[str, Any]:
        """The witness as plain JSON types; the key ``kind`` says what it is, such as ``assignment``."""
        ...


Relation = Literal["equivalence", "entailment"]


class VerdictOutcome(StrEnum):
    """What a decision procedure says of two formulas."""

    # As plain text, as it stands in results and in the documentation.
    __repr__ = str.__repr__

    EQUIVALENT = "equivalent"
    DIFFERENT = "different"
    ENTAILS = "entails"
    DOES_NOT_ENTAIL = "does not entail"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a decision procedure for two formulas. Compare ``outcome``: a verdict has no truth value.

    Attributes:
        outcome: ``equivalent``, ``different``, ``entails``, ``does not entail`` or ``undecided``.
        method: how it was decided: ``truth table``, ``z3``, ``E 3.5.1``, ``finite model of size 2`` and others.
        witness: a case in which the formulas differ, for ``different`` and ``does not entail``. An independent
            evaluator has checked it.
        reason: why the verdict is ``undecided``.
        seconds: the time that the decision took.
    """

    outcome: VerdictOutcome
    method: str
    witness: Witness | None = None
    reason: str = ""
    seconds: float = 0.0

    def __bool__(self) -> bool:
        # Else `if verdict:` would take "different" for true.
        raise TypeError("a verdict has more than two outcomes: compare verdict.outcome to a name")


@dataclass(frozen=True, slots=True)
class Reading:
    """The formula that was found in a model's answer.

    Attributes:
        formula: the formula, or None.
        compliant: the whole answer is a formula in the strict notation; white space around it does not matter.
        recovered: the formula was found in a code fence, amid words, or in another notation.
        text: the part of the answer that was used.
        problem: why there is no formula; empty if there is one.
    """

    formula: Formula | None
    compliant: bool
    recovered: bool
    text: str
    problem: str = ""

    def __bool__(self) -> bool:
        """Whether a formula was found, so that ``assert lang.read(answer)`` checks it."""
        return self.formula is not None


def substitute(formula: F, replacements: Mapping[Any, Any]) -> F:
    """The formula with every occurrence of a key replaced by its value. Nothing is renamed to avoid capture."""

    def replaced(node: Any, children: Sequence[Formula]) -> Formula:
        if node in replacements:
            return cast("Formula", replacements[node])
        return cast("Formula", node.with_children(tuple(children)) if children else node)

    return cast("F", fold(cast("Any", formula), replaced, replacements.__contains__))


def places(formula: F) -> Iterator[tuple[tuple[int, ...], F]]:
    """Each subformula with its path (the index of the child at each level), in preorder."""
    pending: list[tuple[tuple[int, ...], Any]] = [((), formula)]
    while pending:
        path, node = pending.pop()
        yield path, node
        indexed = list(enumerate(node.children()))
        # The last child is pushed first, so that the first one is taken next: preorder.
        pending += [((*path, index), child) for index, child in reversed(indexed)]


def replaced_at(formula: F, path: Sequence[int], new: F) -> F:
    """The formula with another subformula at a place: ``path`` has the index of the child at each level."""
    above: list[Formula] = [formula]
    for index in path[:-1]:
        above.append(above[-1].children()[index])
    result: Formula = new
    for index, parent in zip(reversed(path), reversed(above), strict=False):
        children = list(parent.children())
        children[index] = result
        result = parent.with_children(tuple(children))
    return cast("F", result)


class Tree(Formula):
    """A node that stores its ``height`` (1 for a leaf), its ``levels``, its ``size``, its hash, and later its text.

    ``levels`` is the height if a chain such as ``a ∧ b ∧ c`` counts as one level. So even a deep tree is not traversed
    to hash or measure it. Subclasses are frozen dataclasses with slots and ``eq=False``, and override `children`,
    `label` and `canonical_text`.
    """

    # Set once by ``__post_init__``; ``_text`` by the first ``str``, since many trees are never written.
    __slots__ = ("_hash", "_text", "height", "levels", "size")
    _hash: int
    _text: str
    height: int
    levels: int
    size: int
    #: Whether a node inside another one of its type adds no level: people write such chains flat, as long as a list.
    is_chained: ClassVar[bool] = False

    def __post_init__(self) -> None:
        height = levels = 0
        size = self.own_size()
        own_type = type(self)
        chained_type = own_type if self.is_chained else None
        hashed: list[object] = [own_type.__name__, self.label()]
        for child in self.children():
            # No `max`: a run makes hundreds of nodes for each sample, and the calls take a quarter of their time.
            if child.height > height:  # noqa: PLR1730
                height = child.height
            # A child of the same chain stands on the level of this node.
            child_levels = child.levels - 1 if type(child) is chained_type else child.levels
            if child_levels > levels:  # noqa: PLR1730
                levels = child_levels
            size += child.size
            hashed.append(child._hash)  # noqa: SLF001
        _set_height(self, height + 1)
        _set_levels(self, levels + 1)
        _set_size(self, size)
        _set_hash(self, hash(tuple(hashed)))

    def children(self) -> tuple[Any, ...]:
        return ()

    def label(self) -> tuple[object, ...]:
        """The properties of the node besides its type and its subformulas, such as a name."""
        return ()

    def own_size(self) -> int:
        """The node's share of ``size``, without its subformulas."""
        return 1

    @abstractmethod  # without ABC, whose ``isinstance`` is slow where trees are matched
    def canonical_text(self) -> str:
        """The text that the strict parser reads as the same tree."""

    def __str__(self) -> str:
        try:
            return self._text
        except AttributeError:
            object.__setattr__(self, "_text", self.canonical_text())
        return self._text

    def with_children(self, children: tuple[Formula, ...]) -> Self:
        return super().with_children(children) if children else self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        pending: list[tuple[Tree, Tree]] = [(self, other)]
        while pending:  # and no recursion: a tree may be deeper than the interpreter's stack
            left, right = pending.pop()
            if left is right:
                continue
            # The cheap tests come first: nearly all different trees differ in their hashes.
            if left._hash != right._hash or type(left) is not type(right):
                return False
            if left.label() != right.label():
                return False
            left_children = left.children()
            right_children = right.children()
            if len(left_children) != len(right_children):
                return False
            if left_children:
                pending += zip(left_children, right_children, strict=True)
        return True

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        # Unpickling makes the node anew, since the hash of a text differs between processes.
        if self.height <= _PICKLED_HEIGHT:
            return type(self), self._values()
        return _rebuilt, (_records(self),)

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, field.name) for field in fields(self)])  # type: ignore[arg-type]


# Subclasses are frozen dataclasses, which refuse a plain assignment. By the slot it takes half as long as by its name.
_set_height = vars(Tree)["height"].__set__
_set_levels = vars(Tree)["levels"].__set__
_set_size = vars(Tree)["size"].__set__
_set_hash = vars(Tree)["_hash"].__set__

#: Pickling recurs over the nodes of a tree. A higher one is pickled as a list.
_PICKLED_HEIGHT = 100


class _Record(NamedTuple):
    """A node of a pickled tree: its type and the values of its fields, with None for a child.

    ``children`` has the number of the earlier record of each child, by the index of its field.
    """

    kind: type[Tree]
    values: tuple[Any, ...]
    children: Mapping[int, int]


def _records(tree: Tree) -> list[_Record]:
    """The nodes of a tree, each once and after its children."""
    records: list[_Record] = []
    numbers: dict[int, int] = {}
    pending: list[Tree] = [tree]
    while pending:
        node = pending[-1]
        missing = [child for child in node.children() if id(child) not in numbers]
        if missing:
            pending += missing
            continue
        pending.pop()
        if id(node) not in numbers:
            numbers[id(node)] = len(records)
            values = list(node._values())  # noqa: SLF001
            children: dict[int, int] = {}
            for field_index, value in enumerate(values):
                if id(value) in numbers:
                    children[field_index] = numbers[id(value)]
                    # `_rebuilt` puts the child here.
                    values[field_index] = None
            records.append(_Record(type(node), tuple(values), children))
    return records


def _rebuilt(records: Sequence[_Record]) -> Tree:
    """The tree of the last record."""
    trees: list[Tree] = []
    for kind, values, children in records:
        arguments = list(values)
        for field_index, number in children.items():
            arguments[field_index] = trees[number]
        trees.append(kind(*arguments))
    return trees[-1]


def fold(
    tree: T,
    combine: Callable[[T, Sequence[Value]], Value],
    is_leaf: Callable[[T], bool] | None = None,
) -> Value:
    """The result of ``combine`` on the root, given each node with the results of its children; without recursion.

    Of a node that ``is_leaf`` accepts, only the node is given.
    """
    # Each node with the number of its children. The last child comes first, so that the reverse is the order of
    # `combine`: the children from left to right, then their parent.
    counted: list[tuple[T, int]] = []
    pending: list[T] = [tree]
    while pending:
        node = pending.pop()
        children = () if is_leaf is not None and is_leaf(node) else node.children()
        counted.append((node, len(children)))
        pending += children
    values: list[Value] = []
    for node, number in reversed(counted):
        if not number:
            values.append(combine(node, ()))
            continue
        # The values of the children are the last ones, in the order of the children.
        of_children = values[-number:]
        values[-number:] = [combine(node, of_children)]
    return values[0]
