"""The formulas of the sentences of temporal logic that offline models know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.models.offline.answer_key import (
    AnswerKey,
    KnownSentences,
    Propositions,
    append,
    spaced,
)

if TYPE_CHECKING:
    from pytest_autoeval.datasets import Item


@dataclass(frozen=True, slots=True)
class TemporalEntry:
    """The propositions of a sentence of temporal logic, and its formula over them."""

    propositions: Propositions
    formula: Temporal


class TemporalSentences(KnownSentences):
    """The entries of items, by sentence."""

    data_sets = ("ltl_propositions", "ltl_future", "ltl_past")

    def __init__(self) -> None:
        self.entries: dict[str, tuple[TemporalEntry, ...]] = {}

    def add(self, item: Item) -> None:
        sentence = item.facts.get("sentence")
        if not sentence or not isinstance(item.formula, Temporal):
            return
        pairs = item.facts.get("propositions") or ()
        # Results have lists, and entries are compared as tuples.
        propositions = tuple((phrase, name) for phrase, name in pairs)
        append(self.entries, sentence, TemporalEntry(propositions, item.formula))


def entry_of(
    key: AnswerKey, sentence: str, propositions: Propositions = ()
) -> TemporalEntry | None:
    """The entry of a sentence of temporal logic: best with exactly the given phrases, else with some of them."""
    phrases = {phrase for phrase, _ in propositions}

    # A sentence may be in several data sets, with other phrases for the same words.
    def misfit(entry: TemporalEntry) -> int:
        if {phrase for phrase, _ in entry.propositions} <= phrases:
            return int(set(entry.propositions) != set(propositions))
        return 2

    candidates = (
        entry
        for table in key.tables(TemporalSentences)
        for entry in table.entries.get(spaced(sentence), ())
    )
    return min(candidates, key=misfit, default=None) if propositions else next(candidates, None)
