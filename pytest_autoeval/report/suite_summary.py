"""The figures of one suite, and the spread of its pass rate."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from statistics import fmean

from pytest_autoeval.judging.gates import Gate
from pytest_autoeval.judging.items import (
    Item,
    by_item,
    by_size,
    grouped,
    pass_rate,
    size_name,
    trials,
)
from pytest_autoeval.judging.passed_by_size import PassedBySize
from pytest_autoeval.judging.suites import SuiteJudgement
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.calls import Calls
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.task_parts import Blame, Given
from pytest_autoeval.report.blocks import Figures, Table
from pytest_autoeval.report.error_kinds import kinds_of
from pytest_autoeval.report.horizons import MEASURES
from pytest_autoeval.report.spending import spending
from pytest_autoeval.report.task_figures import task_blocks
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.statistics.repeats import Spread, pass_at_k, pass_hat_k, spread

#: The AutoEval paper takes mean and deviation over this number of batches.
BATCHES = 10
#: From this chance level on, a reader should know how much of a pass rate may be luck.
_LUCK = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """The results of ``number`` trials of each formula, for the ``formulas`` with so many trials without an error.

    The probabilities that any and that all trials pass; the spread of the pass rates of the first, second … trials.
    """

    number: int
    formulas: int
    any_passes: float
    all_pass: float
    over_repeats: Spread


def repeats_of(items: Mapping[Item, Sequence[Sample]]) -> Repeats | None:
    """The results of the repeats; None if each formula was tried once. Undecided trials count as not passed."""
    in_turn = grouped(chain.from_iterable(items.values()), lambda sample: sample.repeat)
    number = len(in_turn)
    whole = [trials(tried) for tried in items.values() if len(tried) >= number]
    if number < 2 or not whole:
        return None
    return Repeats(
        number=number,
        formulas=len(whole),
        any_passes=fmean(pass_at_k(*formula, number) for formula in whole),
        all_pass=fmean(pass_hat_k(*formula, number) for formula in whole),
        over_repeats=spread(_rates(in_turn)),
    )


def over_batches(items: Mapping[Item, Sequence[Sample]]) -> Spread | None:
    """The spread of the pass rate over ten batches, each a tenth of the formulas of each size; None with too few."""
    sizes = grouped(items.values(), lambda tried: tried[0].size)
    batches: dict[int, list[Sample]] = defaultdict(list)
    for listed in sizes.values():
        listed.sort(key=lambda tried: (tried[0].index, tried[0].formula))
        for place, tried in enumerate(listed):
            batches[place * BATCHES // len(listed)] += tried
    return spread(_rates(batches)) if len(batches) == BATCHES else None


def _rates(groups: Mapping[int, Sequence[Sample]]) -> list[float]:
    counts = [trials(groups[key]) for key in sorted(groups)]
    return [passed / total for passed, total in counts]


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeSummary:
    """The samples of one size. ``answers`` are those that should contain a formula."""

    rate: PassRate
    answers: int
    compliant: int

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> SizeSummary:
        """The summary of some samples. Errors do not count in the rate."""
        return cls(
            rate=pass_rate(by_item(samples)),
            answers=sum(sample.compliant is not None for sample in samples),
            compliant=sum(bool(sample.compliant) for sample in samples),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSummary:
    """A suite: its judgement, and the figures of its ``samples`` that count.

    Errors do not count in ``whole`` and ``by_size``; ``size_name`` is what the sizes count. ``errors`` counts errors by
    kind of message, ``trivial`` counts trivial formulas by kind. ``task_figures`` are the figures and tables of the
    task. ``blame`` counts failures by the half that lost the meaning. ``chance_level`` is the share that the best
    constant answer would pass, a lower bound. ``over`` has the formulas of the curves over other measures.
    """

    suite: SuiteRecord
    judgement: SuiteJudgement
    samples: Sequence[Sample] = field(repr=False)
    whole: SizeSummary
    by_size: Mapping[int, SizeSummary]
    size_name: str
    empty_sizes: tuple[int, ...]
    leaked: int
    trivial: Mapping[str, int]
    outcomes: Mapping[str, int]
    spent: Mapping[str, Calls]
    errors: Mapping[str, int]
    task_figures: tuple[Figures | Table, ...]
    repeats: Repeats | None
    batches: Spread | None
    blame: Mapping[str, int]
    chance_level: float | None
    over: Mapping[str, PassedBySize]

    @property
    def luck_matters(self) -> bool:
        """Whether the chance level is worth a look: it is not small, and not that of a single formula."""
        return (self.chance_level or 0.0) >= _LUCK and any(sample.same_as for sample in self.samples)

    @property
    def gate(self) -> Gate:
        """The gate over the threshold."""
        return self.judgement.gate


def summarise(suite: SuiteRecord, judgement: SuiteJudgement, shrinking: Iterable[Calls | None] = ()) -> SuiteSummary:
    """The summary of a judged suite. ``shrinking`` are the calls for each counterexample, if the suite has no end."""
    samples = suite.counted
    items = by_item(samples)
    named_size = size_name(samples)
    blamed = (sample.part(Blame) for sample in samples)
    return SuiteSummary(
        suite=suite,
        judgement=judgement,
        samples=samples,
        whole=SizeSummary.of(samples),
        by_size={size: SizeSummary.of(of_size) for size, of_size in by_size(samples).items()},
        size_name=named_size,
        empty_sizes=suite.asked.empty_sizes,
        trivial=Counter(kind for _, kind in {(_text(sample), sample.trivial) for sample in samples} if kind),
        leaked=sum(bool(sample.leaked) for sample in samples),
        outcomes=Counter(sample.outcome for sample in samples),
        spent=spending(suite, shrinking),
        errors=kinds_of(sample.error or "no message" for sample in samples if sample.kind == OutcomeKind.ERROR),
        task_figures=tuple(task_blocks(suite, samples)),
        repeats=repeats_of(items),
        batches=over_batches(items),
        blame=Counter(blame.half for blame in blamed if blame is not None),
        chance_level=_chance_level(items),
        over=PassedBySize.over(items, [name for name in MEASURES if name != named_size]),
    )


def _text(sample: Sample) -> str | None:
    return sample.formula or sample.part_or_empty(Given).sentence


def _chance_level(items: Mapping[Item, Sequence[Sample]]) -> float | None:
    samples = chain.from_iterable(items.values())
    asked = (sample for sample in samples if sample.formula and not sample.suite.asked.task)
    meanings = Counter(sample.same_as or sample.formula for sample in asked)
    return max(meanings.values()) / meanings.total() if meanings else None
