"""Formulas of linear temporal logic for tests: random trees of an exact size, and a strategy that shrinks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import cast

from hypothesis import strategies as st

from pytest_autoeval.languages.ltl.oracle.normal import NormalForm, TemporalNormaliser
from pytest_autoeval.languages.ltl.syntax import (
    Always,
    And,
    Atom,
    Binary,
    Bottom,
    Eventually,
    FutureOperator,
    Historically,
    Iff,
    Implies,
    Next,
    Not,
    Once,
    Or,
    PastOperator,
    Release,
    Since,
    Temporal,
    Top,
    Triggered,
    Unary,
    Until,
    WeakUntil,
    WeakYesterday,
    Xor,
    Yesterday,
)

UNARY: tuple[type[Unary], ...] = (
    Not,
    Next,
    Eventually,
    Always,
    Yesterday,
    WeakYesterday,
    Once,
    Historically,
)
BINARY: tuple[type[Binary], ...] = (
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Until,
    Release,
    WeakUntil,
    Since,
    Triggered,
)
_SHARE_OF_CONSTANTS = 0.05


def operators(
    kinds: Sequence[type[Temporal]], *, past: bool = True, future: bool = True
) -> list[type[Temporal]]:
    """The node types that the flags allow."""
    return [
        kind
        for kind in kinds
        if (past or not issubclass(kind, PastOperator))
        and (future or not issubclass(kind, FutureOperator))
    ]


def form_of(formula: Temporal) -> NormalForm:
    """The normal form of one formula."""
    normaliser = TemporalNormaliser()
    return normaliser.form(normaliser.literal(formula))


def random_formula(
    rng: random.Random, nodes: int, atoms: Sequence[str], past: bool = True, future: bool = True
) -> Temporal:
    """A random tree with exactly ``nodes`` nodes; a leaf may be a truth constant."""
    if nodes == 1:
        if rng.random() < _SHARE_OF_CONSTANTS:
            return rng.choice((Top(), Bottom()))
        return Atom(rng.choice(atoms))
    wide = cast("list[type[Binary]]", operators(BINARY, past=past, future=future))
    narrow = cast("list[type[Unary]]", operators(UNARY, past=past, future=future))
    chosen: type[Unary | Binary] = rng.choice([*narrow, *(wide if nodes > 2 else ())])
    if issubclass(chosen, Unary):
        return chosen(random_formula(rng, nodes - 1, atoms, past, future))
    left = rng.randint(1, nodes - 2)
    return chosen(
        random_formula(rng, left, atoms, past, future),
        random_formula(rng, nodes - 1 - left, atoms, past, future),
    )


def formulas(
    atoms: Sequence[str] = ("a", "b", "c"),
    *,
    past: bool = True,
    future: bool = True,
    max_leaves: int = 8,
) -> st.SearchStrategy[Temporal]:
    """Trees over the atoms and the truth constants."""
    leaves: st.SearchStrategy[Temporal] = st.sampled_from([*map(Atom, atoms), Top(), Bottom()])
    narrow = st.sampled_from(cast("list[type[Unary]]", operators(UNARY, past=past, future=future)))
    wide = st.sampled_from(cast("list[type[Binary]]", operators(BINARY, past=past, future=future)))

    def grown(inner: st.SearchStrategy[Temporal]) -> st.SearchStrategy[Temporal]:
        return st.builds(lambda kind, operand: kind(operand), narrow, inner) | st.builds(
            lambda kind, left, right: kind(left, right), wide, inner, inner
        )

    return st.recursive(leaves, grown, max_leaves=max_leaves)
