"""The figures of one suite."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from msgspec import Struct

from pytest_autoeval.judging.gates import Gate
from pytest_autoeval.judging.item_groups import (
    Item,
    by_item,
    by_size,
    pass_rate,
    size_name,
)
from pytest_autoeval.judging.suite_judgement import SuiteJudgement
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.calls import Calls
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.task_parts import Given
from pytest_autoeval.report.error_kinds import kinds_of
from pytest_autoeval.report.spending import spending
from pytest_autoeval.report.task_figures import TaskBlock, task_blocks
from pytest_autoeval.statistics.pass_rate import PassRate

#: From this chance level on, a reader should know how much of a pass rate may be luck.
_LUCK = 0.05


class SizeSummary(Struct, frozen=True, kw_only=True):
    """The samples of one size.

    ``answers`` are those that should contain a formula; ``compliant`` are nothing else, in the strict syntax. Of round
    trips, ``returned`` are all answers of the second half, also those that were cut off or empty; from ``parsed`` of
    them a formula was read.
    """

    rate: PassRate
    answers: int
    compliant: int
    returned: int = 0
    parsed: int = 0

    @classmethod
    def of(cls, samples: Sequence[Sample], items: Mapping[Item, Sequence[Sample]]) -> SizeSummary:
        """The summary of some samples, whose ``items`` have no errors: these do not count in the rate."""
        returned = [sample for sample in samples if is_returned(sample)]
        return cls(
            rate=pass_rate(items),
            answers=sum(sample.compliant is not None for sample in samples),
            compliant=sum(bool(sample.compliant) for sample in samples),
            returned=len(returned),
            parsed=sum(sample.translation is not None for sample in returned),
        )


def is_returned(sample: Sample) -> bool:
    """Whether a model answered the second half of a round trip."""
    is_round_trip = sample.suite.asked.task is None
    return is_round_trip and sample.answer is not None and sample.kind != OutcomeKind.ERROR


class SuiteSummary(Struct, frozen=True, kw_only=True):
    """A suite: its judgement, and the figures of its ``samples`` that count.

    ``items`` are the samples of each formula or other item, without errors, which do not count in ``whole`` and
    ``by_size`` either; ``size_name`` is what the sizes count. ``errors`` counts errors by
    kind of message, ``trivial`` counts trivial formulas by kind. ``task_figures`` are the figures and tables of the
    task. ``chance_level`` is the share that the best constant answer would pass, a lower bound.
    """

    suite: SuiteRecord
    judgement: SuiteJudgement
    samples: Sequence[Sample]
    items: Mapping[Item, Sequence[Sample]]
    whole: SizeSummary
    by_size: Mapping[int, SizeSummary]
    size_name: str
    empty_sizes: tuple[int, ...]
    leaked: int
    trivial: Mapping[str, int]
    outcomes: Mapping[str, int]
    spent: Mapping[str, Calls]
    errors: Mapping[str, int]
    task_figures: tuple[TaskBlock, ...]
    chance_level: float | None

    @property
    def luck_matters(self) -> bool:
        """Whether the chance level is worth a look: it is not small, and not that of a single formula."""
        return (self.chance_level or 0.0) >= _LUCK and any(
            sample.same_as for sample in self.samples
        )

    @property
    def is_flawless(self) -> bool:
        """Whether all samples passed."""
        return self.whole.rate.lower == 1.0 and not self.errors

    @property
    def gate(self) -> Gate:
        """The gate over the threshold."""
        return self.judgement.gate


def summarise(
    suite: SuiteRecord,
    judgement: SuiteJudgement,
    shrinking: Iterable[Calls | None] = (),
    items: Mapping[Item, Sequence[Sample]] | None = None,
) -> SuiteSummary:
    """The summary of a judged suite. ``shrinking`` are the calls for each counterexample, if the suite has no end.

    ``items`` are the samples that count by item, if they are grouped already.
    """
    samples = suite.counted
    if items is None:
        items = by_item(samples)
    items_by_size: dict[int, dict[Item, Sequence[Sample]]] = defaultdict(dict)
    for item, tried in items.items():
        items_by_size[tried[0].size][item] = tried
    return SuiteSummary(
        suite=suite,
        judgement=judgement,
        samples=samples,
        items=items,
        whole=SizeSummary.of(samples, items),
        by_size={
            size: SizeSummary.of(of_size, items_by_size[size])
            for size, of_size in by_size(samples).items()
        },
        size_name=size_name(samples),
        empty_sizes=suite.asked.empty_sizes,
        trivial=_trivial(samples),
        leaked=sum(bool(sample.leaked) for sample in samples),
        outcomes=Counter(sample.outcome for sample in samples),
        spent=spending(suite, shrinking),
        errors=kinds_of(
            sample.error or "no message" for sample in samples if sample.kind == OutcomeKind.ERROR
        ),
        task_figures=tuple(task_blocks(suite, samples)),
        chance_level=_chance_level(items),
    )


def _trivial(samples: Iterable[Sample]) -> Counter[str]:
    """How many formulas are trivial, by kind. A formula that was asked repeatedly counts once."""
    kinds = {(_text(sample), sample.trivial) for sample in samples}
    return Counter(kind for _, kind in kinds if kind)


def _text(sample: Sample) -> str | None:
    return sample.formula or sample.part_or_empty(Given).sentence


def _chance_level(items: Mapping[Item, Sequence[Sample]]) -> float | None:
    meanings: Counter[str] = Counter()
    for sample in chain.from_iterable(items.values()):
        # A task has its own chance of a right guess.
        if sample.formula and not sample.suite.asked.task:
            meanings[sample.same_as or sample.formula] += 1
    if not meanings:
        return None
    # The constant answer that passes most often is the most frequent meaning.
    return max(meanings.values()) / meanings.total()
