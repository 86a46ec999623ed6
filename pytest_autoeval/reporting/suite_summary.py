"""The figures of one suite and model, and the spread of its pass rate."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    without_equal_paraphrases,
)
from pytest_autoeval.judging.suites import SuiteJudgement
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.reporting.error_kinds import kinds_of
from pytest_autoeval.reporting.row import Calls, Row, spending
from pytest_autoeval.reporting.task_figures import figures
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.statistics.repeats import Spread, pass_at_k, pass_hat_k, spread
from pytest_autoeval.text import count, percent, points

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


def repeats_of(items: Mapping[Item, Sequence[Row]]) -> Repeats | None:
    """The results of the repeats; None if each formula was tried once. Undecided trials count as not passed."""
    in_turn = grouped(chain.from_iterable(items.values()), lambda row: row.repeat)
    number = len(in_turn)
    whole = [trials(rows) for rows in items.values() if len(rows) >= number]
    if number < 2 or not whole:
        return None
    return Repeats(
        number=number,
        formulas=len(whole),
        any_passes=fmean(pass_at_k(*formula, number) for formula in whole),
        all_pass=fmean(pass_hat_k(*formula, number) for formula in whole),
        over_repeats=spread(_rates(in_turn)),
    )


def over_batches(items: Mapping[Item, Sequence[Row]]) -> Spread | None:
    """The spread of the pass rate over ten batches, each a tenth of the formulas of each size; None with too few."""
    sizes = grouped(items.values(), lambda rows: rows[0].operators)
    batches: dict[int, list[Row]] = defaultdict(list)
    for listed in sizes.values():
        listed.sort(key=lambda rows: (rows[0].index, rows[0].formula))
        for place, rows in enumerate(listed):
            batches[place * BATCHES // len(listed)] += rows
    return spread(_rates(batches)) if len(batches) == BATCHES else None


def spread_lines(repeats: Repeats | None, batches: Spread | None) -> Iterator[str]:
    """One line for each spread."""
    if repeats is not None:
        k = repeats.number
        yield (
            f"pass@{k} {percent(repeats.any_passes)} %, pass^{k} {percent(repeats.all_pass)} % (any, and all, of "
            f"{k} trials pass; {count(repeats.formulas, 'formula')})"
        )
        yield f"pass rate over {repeats.over_repeats.count} repeats: {_spread(repeats.over_repeats)}"
    if batches is not None:
        yield f"pass rate over {batches.count} batches: {_spread(batches)}"


def _spread(of: Spread) -> str:
    deviation = "" if of.deviation is None else f", standard deviation {points(of.deviation)}"
    return f"mean {percent(of.mean)} %{deviation}"


def _rates(groups: Mapping[int, Sequence[Row]]) -> list[float]:
    counts = [trials(groups[key]) for key in sorted(groups)]
    return [passed / total for passed, total in counts]


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeSummary:
    """The samples of one size. ``answers`` are those that should contain a formula."""

    rate: PassRate
    answers: int
    compliant: int

    @classmethod
    def of(cls, rows: Sequence[Row]) -> SizeSummary:
        """The summary of some rows. Errors do not count in the rate."""
        return cls(
            rate=pass_rate(by_item(rows)),
            answers=sum(row.compliant is not None for row in rows),
            compliant=sum(bool(row.compliant) for row in rows),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSummary:
    """One suite and model: its judgement, and the figures of its ``rows``.

    Errors do not count in ``whole`` and ``by_size``; ``size_name`` is what the sizes count. ``errors`` counts errors by
    kind of message, ``trivial`` counts trivial formulas by kind. ``figures`` are the lines of the task's
    figures. ``interface`` and ``prompting`` are those of all samples. ``blame`` counts failures by
    the half that lost the meaning. ``chance_level`` is the share that the best constant answer would pass, a lower
    bound.
    """

    judgement: SuiteJudgement
    rows: Sequence[Row] = field(repr=False)
    whole: SizeSummary
    by_size: Mapping[int, SizeSummary]
    size_name: str
    empty_sizes: tuple[int, ...]
    leaked: int
    trivial: Mapping[str, int]
    outcomes: Mapping[str, int]
    spent: Mapping[str, Calls]
    errors: Mapping[str, int]
    figures: tuple[str, ...]
    interface: str
    prompting: str
    repeats: Repeats | None
    batches: Spread | None
    blame: Mapping[str, int]
    chance_level: float | None

    @property
    def shown_chance_level(self) -> str:
        """The chance level in words; empty if it is small, or that of a single formula."""
        level = self.chance_level or 0.0
        return f"{percent(level)} %" if level >= _LUCK and any(row.same_as for row in self.rows) else ""

    @property
    def gate(self) -> Gate:
        """The gate over the threshold."""
        return self.judgement.gate


def summarise(rows: Sequence[Row], judgement: SuiteJudgement) -> SuiteSummary:
    """The summary of the rows of one judged suite and model."""
    rows, equal = without_equal_paraphrases(rows)
    items = by_item(rows)
    return SuiteSummary(
        judgement=judgement,
        rows=rows,
        whole=SizeSummary.of(rows),
        by_size={size: SizeSummary.of(some) for size, some in by_size(rows).items()},
        size_name=size_name(rows),
        empty_sizes=tuple(sorted({size for row in rows for size in row.facts.get("sizes_without_samples") or ()})),
        trivial=Counter(kind for _, kind in {(row.formula or row.sentence, row.trivial) for row in rows} if kind),
        leaked=sum(bool(row.leaked) for row in rows),
        outcomes=Counter(row.outcome for row in rows),
        spent=spending([*rows, *equal]),
        errors=kinds_of(row.error or "no message" for row in rows if row.kind == OutcomeKind.ERROR),
        figures=tuple(figures(rows)),
        interface=_only(row.interface for row in rows),
        prompting=_only(row.prompting for row in rows),
        repeats=repeats_of(items),
        batches=over_batches(items),
        blame=Counter(row.facts["blame"]["half"] for row in rows if row.facts.get("blame")),
        chance_level=_chance_level(items),
    )


def _chance_level(items: Mapping[Item, Sequence[Row]]) -> float | None:
    asked = (row for rows in items.values() for row in rows if row.formula and not row.task)
    meanings = Counter(row.same_as or row.formula for row in asked)
    return max(meanings.values()) / meanings.total() if meanings else None


def _only(values: Iterable[str | None]) -> str:
    distinct = set(values)
    return (distinct.pop() or "") if len(distinct) == 1 else ""
