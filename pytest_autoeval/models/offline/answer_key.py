"""The right answers about given sentences: those of the shipped data sets, and of the data that a run is given.

Nobody can read free English by rule; an offline model knows these sentences by heart. Those of temporal logic are here,
those of first-order logic in :mod:`pytest_autoeval.models.offline.answer_key_logic`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from pytest_autoeval.languages.ltl.syntax import Atom, Temporal
from pytest_autoeval.models.offline import answer_key_logic
from pytest_autoeval.models.offline.behaviour import Propositions

if TYPE_CHECKING:
    from pytest_autoeval.datasets import Item

#: The shipped data sets with sentences of temporal logic. They must agree on sentences that they share.
SHIPPED = ("ltl_propositions", "ltl_future", "ltl_past")

_LOCK = Lock()


@dataclass(frozen=True, slots=True)
class Entry:
    """What is right about a sentence: its propositions, and its formula over them."""

    propositions: Propositions
    formula: Temporal


_LEARNED: dict[str, list[Entry]] = defaultdict(list)


def learn(items: Iterable[Item]) -> None:
    """Teaches the offline models the sentences of a run's own data, which go before those that are shipped."""
    items = list(items)
    answer_key_logic.learn(items)
    taught = list(_entries_of(items))
    with _LOCK:
        for sentence, entry in taught:
            if entry not in _LEARNED[sentence]:
                _LEARNED[sentence].append(entry)


def entry_of(sentence: str) -> Entry | None:
    """What is known of a sentence; where several data sets have it, the first of them counts."""
    return next(_known(sentence), None)


def formula_of(sentence: str, propositions: Propositions) -> Temporal | None:
    """The formula of a sentence over propositions that are given for its phrases, under whatever names."""
    given = dict(propositions)
    entries = [entry for entry in _known(sentence) if all(phrase in given for phrase, _ in entry.propositions)]
    entries.sort(key=lambda entry: set(entry.propositions) != set(propositions))
    for entry in entries:
        return renamed(entry.formula, {name: given[phrase] for phrase, name in entry.propositions})
    return None


def renamed(formula: Temporal, names: dict[str, str]) -> Temporal:
    """The formula with other names for its propositions, all at once; those without one keep theirs."""
    if isinstance(formula, Atom):
        return Atom(names.get(formula.name, formula.name))
    children = formula.children()
    return formula.with_children(tuple(renamed(child, names) for child in children)) if children else formula  # type: ignore[arg-type]


def _known(sentence: str) -> Iterator[Entry]:
    key = _key(sentence)
    with _LOCK:
        learned = tuple(_LEARNED.get(key, ()))
        shipped = _shipped()
    yield from learned
    yield from shipped.get(key, ())


@cache
def _shipped() -> dict[str, list[Entry]]:
    from pytest_autoeval.datasets import data_set

    found: dict[str, list[Entry]] = defaultdict(list)
    for name in SHIPPED:
        if (shipped := data_set(name)) is None:
            continue
        for size in shipped.sizes or ():
            for sentence, entry in _entries_of(shipped.items(size)):
                found[sentence].append(entry)
    return found


def _entries_of(items: Iterable[Item]) -> Iterator[tuple[str, Entry]]:
    for item in items:
        sentence, pairs = item.facts.get("sentence"), item.facts.get("propositions")
        if sentence and isinstance(item.formula, Temporal):
            yield _key(sentence), Entry(tuple((phrase, name) for phrase, name in pairs or ()), item.formula)


def _key(sentence: str) -> str:
    return " ".join(sentence.split())
