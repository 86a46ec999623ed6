"""Syntax trees of any depth: equality and hash that do not recur."""

from __future__ import annotations

from pytest_autoeval.languages.base import Formula


class Tree(Formula):
    """A node that is compared and hashed with a stack of its own: dataclasses' methods would recur.

    Subclasses are frozen dataclasses with slots and ``eq=False``, and override :meth:`children` and :meth:`label`. As a
    tree never changes, its hash is kept at its root.
    """

    __slots__ = ("_hash",)

    def children(self) -> tuple[Formula, ...]:
        return ()

    def label(self) -> tuple[object, ...]:
        """What the node says besides its type and its subformulas, such as a name."""
        return ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        pending: list[tuple[Formula, Formula]] = [(self, other)]
        while pending:
            left, right = pending.pop()
            if left is right:
                continue
            if type(left) is not type(right) or left.label() != right.label():  # type: ignore[attr-defined]
                return False
            pending.extend(zip(left.children(), right.children(), strict=True))
        return True

    def __hash__(self) -> int:
        if not hasattr(self, "_hash"):
            pending: list[Formula] = [self]
            while pending:
                node = pending[-1]
                children = node.children()
                missing = [child for child in children if not hasattr(child, "_hash")]
                if missing:
                    pending += missing
                    continue
                parts = tuple([child._hash for child in children])  # type: ignore[attr-defined]  # noqa: SLF001
                label = node.label()  # type: ignore[attr-defined]
                object.__setattr__(node, "_hash", hash((type(node).__name__, label, parts)))
                pending.pop()
        return self._hash  # type: ignore[attr-defined, no-any-return]
