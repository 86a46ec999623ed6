"""The smaller neighbours of a formula, for shrinking.

Every step makes this smaller, in lexicographic order, and so repeated steps end: the number of nodes; the ranks of the
operators, added up; the number of distinct names; the sum of the names' places in the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from pytest_autoeval.languages.base import replaced_at, substitute
from pytest_autoeval.languages.ltl.signature import symbols
from pytest_autoeval.languages.ltl.syntax import (
    And,
    Atom,
    Iff,
    Implies,
    Or,
    Release,
    Since,
    Temporal,
    Triggered,
    Until,
    WeakUntil,
    WeakYesterday,
    Xor,
    Yesterday,
)
from pytest_autoeval.languages.vocabulary import Vocabulary

#: What an operator gives way to: only operators of a lower rank.
PLAINER: Mapping[type[Temporal], tuple[type[Temporal], ...]] = {
    **dict.fromkeys((Xor, Implies, Iff, Until, Since), (And, Or)),
    **dict.fromkeys((Release, WeakUntil), (And, Or, Until)),
    Triggered: (And, Or, Since),
    WeakYesterday: (Yesterday,),
}


class _Place(NamedTuple):
    """A subformula, the way down to it, its number of nodes, and the atoms in it."""

    path: tuple[int, ...]
    node: Temporal
    size: int
    atoms: tuple[Atom, ...]


def simpler(formula: Temporal, vocabulary: Vocabulary | None = None) -> Iterator[Temporal]:
    """The smaller neighbours, each once, most drastic first.

    A subformula gives way to an atom in it or to one of its operands; an operator to a plainer one; a name to another
    of the formula, or with a vocabulary to an earlier one.
    """
    seen = {formula}
    for neighbour in _neighbours(formula, vocabulary):
        if neighbour not in seen:
            seen.add(neighbour)
            yield neighbour


def _neighbours(formula: Temporal, vocabulary: Vocabulary | None) -> Iterator[Temporal]:
    places = _places(formula)
    for path, new in _cuts(places):
        yield replaced_at(formula, path, new)
    for place in places:
        for kind in PLAINER.get(type(place.node), ()):
            yield replaced_at(formula, place.path, _with_operator(place.node, kind))
    yield from _renamings(formula, vocabulary)


def _places(formula: Temporal) -> list[_Place]:
    """Every subformula, those above before those below, from left to right."""
    above: list[tuple[tuple[int, ...], Temporal]] = []
    pending: list[tuple[tuple[int, ...], Temporal]] = [((), formula)]
    while pending:
        path, node = pending.pop()
        above.append((path, node))
        children = cast("tuple[Temporal, ...]", node.children())
        pending += [((*path, at), child) for at, child in reversed(list(enumerate(children)))]
    found: dict[tuple[int, ...], _Place] = {}
    for path, node in reversed(above):
        below = [found[(*path, at)] for at in range(len(node.children()))]
        atoms = (
            (node,) if isinstance(node, Atom) else tuple(dict.fromkeys(atom for part in below for atom in part.atoms))
        )
        found[path] = _Place(path, node, 1 + sum(part.size for part in below), atoms)
    return [found[path] for path, _ in above]


def _cuts(places: list[_Place]) -> list[tuple[tuple[int, ...], Temporal]]:
    """Where which smaller formula may stand, what makes the smallest formula first."""
    sizes = {place.path: place.size for place in places}
    cuts: list[tuple[int, tuple[int, ...], Temporal]] = []
    for place in places:
        children = place.node.children()
        if children:
            cuts += [(1 - place.size, place.path, atom) for atom in place.atoms]
            cuts += [
                (sizes[(*place.path, at)] - place.size, place.path, cast("Temporal", child))
                for at, child in enumerate(children)
            ]
    cuts.sort(key=lambda cut: cut[0])
    return [(path, new) for _, path, new in cuts]


def _with_operator(node: Temporal, kind: type[Temporal]) -> Temporal:
    return kind(*node.children())


def _renamings(formula: Temporal, vocabulary: Vocabulary | None) -> Iterator[Temporal]:
    """A name gives way to an earlier one of the formula's, and then to the first of the vocabulary's not in use."""
    used = symbols(formula).propositions
    known = vocabulary.propositions if vocabulary else ()
    for at, name in enumerate(used):
        yield from (_renamed(formula, name, other) for other in used[:at])
    for name in used:
        before = known[: known.index(name)] if name in known else known
        yield from (_renamed(formula, name, other) for other in [other for other in before if other not in used][:1])


def _renamed(formula: Temporal, name: str, new: str) -> Temporal:
    return cast("Temporal", substitute(formula, {Atom(name): Atom(new)}))
