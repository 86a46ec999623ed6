"""A suite of a run beside that of an earlier run: which samples are pairs, and what only one of the runs has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_autoeval.judging.items import Paired, by_item, errors_by_item, item_name
from pytest_autoeval.judging.mismatch import Overlap, mismatch
from pytest_autoeval.judging.run_differences import why_not_comparable
from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.record.lines import SuiteRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A suite, and the one that it is compared with.

    ``there`` is None if the baseline has no suite for it. ``pairs`` are the common items, in the order of this run;
    ``only_here`` and ``only_there`` are formulas of one run alone. ``refusal`` is the reason if the suite cannot be
    compared; ``pairs`` is then empty, and ``there`` is None. ``is_new``: the baseline does not have the suite.
    """

    here: SuiteRecord
    there: SuiteRecord | None = None
    pairs: Sequence[Paired] = ()
    only_here: tuple[str, ...] = ()
    only_there: tuple[str, ...] = ()
    refusal: Sentence | None = None
    is_new: bool = False

    @classmethod
    def of(cls, here: SuiteRecord, there: SuiteRecord) -> Comparison:
        """A suite with its match."""
        if refusal := why_not_comparable(here, there):
            return cls(here=here, refusal=refusal)
        ours, theirs = by_item(here.counted), by_item(there.counted)
        lost_here, lost_there = errors_by_item(here.counted), errors_by_item(there.counted)
        both = {item: None for item in (*ours, *lost_here) if item in theirs or item in lost_there}
        return cls(
            here=here,
            there=there,
            pairs=[
                Paired(item, *(of.get(item, ()) for of in (ours, theirs, lost_here, lost_there)))
                for item in both
            ],
            only_here=tuple(
                item_name(samples[0]) for item, samples in ours.items() if item not in both
            ),
            only_there=tuple(
                item_name(samples[0]) for item, samples in theirs.items() if item not in both
            ),
        )

    @property
    def overlap(self) -> Overlap | None:
        """How many formulas of this run the baseline has; None if it does not have the suite."""
        if self.there is None:
            return None
        shared = len(self.pairs)
        return Overlap(self.here, self.there, shared, shared + len(self.only_here))

    @property
    def mismatch(self) -> Sentence | None:
        """Why the two runs have few formulas in common; None if they have at least half of this run's."""
        overlap = self.overlap
        return None if overlap is None else mismatch([overlap])

    @property
    def obstacle(self) -> Sentence:
        """Why no formula can be compared, if there is no pair."""
        if self.refusal is not None:
            return self.refusal
        if self.here.samples and not by_item(self.here.counted):
            return Sentence("no sample was answered")
        if self.there is not None and not by_item(self.there.counted):
            return Sentence("no sample of the baseline was answered")
        return self.mismatch or Sentence("the two runs have no formula in common")
