"""A suite of a run beside that of an earlier run: which samples are pairs, and what only one of the runs has."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from msgspec import Struct

from pytest_autoeval.judging.item_groups import Item, Paired, by_item, errors_by_item, item_name
from pytest_autoeval.judging.mismatch import Overlap
from pytest_autoeval.judging.mismatch import mismatch as mismatch_of
from pytest_autoeval.judging.run_differences import suites_in, was_cut_off, why_not_comparable
from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.record.lines import Sample, SuiteRecord


class Comparison(Struct, frozen=True, kw_only=True):
    """A suite, and the one that it is compared with.

    Attributes:
        now: the suite of this run.
        before: the suite of the baseline; None if the baseline has none to compare with.
        pairs: the common items, in the order of this run.
        only_now, only_before: the names of the answered items that only one of the runs has.
        refusal: why the suite cannot be compared. ``pairs`` is then empty, and ``before`` is None.
        is_new: whether the baseline does not have the suite.
        was_cut_off: whether the run of the baseline ended before it asked this suite.
    """

    now: SuiteRecord
    before: SuiteRecord | None = None
    pairs: Sequence[Paired] = ()
    only_now: tuple[str, ...] = ()
    only_before: tuple[str, ...] = ()
    refusal: Sentence | None = None
    is_new: bool = False
    was_cut_off: bool = False

    @classmethod
    def of(cls, now: SuiteRecord, before: SuiteRecord) -> Comparison:
        """The comparison of a suite with that of the baseline."""
        # First: where equal answers count otherwise, pairs would show a change that is none.
        refusal = why_not_comparable(now, before)
        if refusal is not None:
            return cls(now=now, refusal=refusal)
        answered_now, answered_before = by_item(now.counted), by_item(before.counted)
        errors_now, errors_before = errors_by_item(now.counted), errors_by_item(before.counted)
        # An item that only ended in errors is a pair too: its errors widen the bounds of the test.
        items_before = answered_before.keys() | errors_before.keys()
        # A dict, as a set that keeps the order of this run. An item with answers and errors occurs twice.
        common = {item: None for item in (*answered_now, *errors_now) if item in items_before}
        pairs = [
            Paired(
                item,
                answered_now.get(item, ()),
                answered_before.get(item, ()),
                errors_now.get(item, ()),
                errors_before.get(item, ()),
            )
            for item in common
        ]
        return cls(
            now=now,
            before=before,
            pairs=pairs,
            only_now=_names_without(answered_now, common),
            only_before=_names_without(answered_before, common),
        )

    @property
    def overlap(self) -> Overlap | None:
        """How many formulas of this run the baseline has; None if it does not have the suite."""
        if self.before is None:
            return None
        common = len(self.pairs)
        # The items of this run are those that both runs have, and those that only this run has.
        return Overlap(self.now, self.before, common, common + len(self.only_now))

    @property
    def mismatch(self) -> Sentence | None:
        """Why the two runs have few formulas in common; None if they have at least half of this run's."""
        overlap = self.overlap
        return None if overlap is None else mismatch_of([overlap])

    @property
    def lacks_pairs(self) -> bool:
        """Whether formulas of this run have no pair, because the run of the baseline was cut off before it asked them.

        The formulas that it did ask were not chosen by their answers, so a fall among them is one. But those that it
        did not ask are the later ones, which are often the larger ones, and may hide a fall.
        """
        if self.before is None or not self.only_now:
            return False
        # Of several runs, all must have been cut off: else one of them may have what another lacks.
        return all(map(was_cut_off, suites_in(self.before)))

    @property
    def obstacle(self) -> Sentence:
        """Why no formula can be compared, if there is no pair."""
        if self.refusal is not None:
            return self.refusal
        # A suite that the budget left without samples is compared too (see `judge_suite`).
        if not self.now.samples:
            return Sentence("no sample was asked")
        if not by_item(self.now.counted):
            return Sentence("no sample was answered")
        if self.before is not None and not by_item(self.before.counted):
            return Sentence("no sample of the baseline was answered")
        return self.mismatch or Sentence("the two runs have no formula in common")


def _names_without(
    answered: Mapping[Item, Sequence[Sample]], common: Container[Item]
) -> tuple[str, ...]:
    """The names of the answered items that are not common to both runs."""
    names = []
    for item, samples in answered.items():
        if item not in common:
            # All samples of an item have its name.
            names.append(item_name(samples[0]))
    return tuple(names)
