"""Traces for tests: random ones, and all short ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, product

from hypothesis import strategies as st

from pytest_autoeval.languages.ltl.traces.lasso import Lasso, State


def states(atoms: Sequence[str]) -> list[State]:
    """All states over the atoms."""
    subsets = chain.from_iterable(combinations(atoms, size) for size in range(len(atoms) + 1))
    return [frozenset(subset) for subset in subsets]


def random_lasso(rng: random.Random, atoms: Sequence[str], prefix: int = 3, loop: int = 4) -> Lasso:
    """A trace with at most these numbers of states before and in the loop."""
    all_states = states(atoms)
    return Lasso(
        tuple(atoms),
        tuple(rng.choices(all_states, k=rng.randint(0, prefix))),
        tuple(rng.choices(all_states, k=rng.randint(1, loop))),
    )


def short_lassos(atoms: Sequence[str], length: int) -> Iterator[Lasso]:
    """Every trace whose prefix and loop have at most ``length`` states together, the shortest first."""
    for total in range(1, length + 1):
        for written in product(states(atoms), repeat=total):
            for start in range(total):
                yield Lasso(tuple(atoms), written[:start], written[start:])


def lassos(atoms: Sequence[str] = ("a", "b", "c"), longest: int = 4) -> st.SearchStrategy[Lasso]:
    """A strategy of traces over the atoms."""
    state = st.sets(st.sampled_from(atoms)).map(frozenset) if atoms else st.just(frozenset[str]())
    return st.builds(
        lambda prefix, loop: Lasso(tuple(atoms), tuple(prefix), tuple(loop)),
        st.lists(state, max_size=longest),
        st.lists(state, min_size=1, max_size=longest),
    )
