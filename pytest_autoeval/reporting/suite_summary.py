"""What the rows of one suite and model come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pytest_autoeval.reporting.items import by_item, by_size, by_suite, pass_rate
from pytest_autoeval.reporting.judging.gates import Gate
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.spreads import Repeats, over_batches, repeats_of
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.statistics.repeats import Spread

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The calls to a model, counted. ``cost`` is in USD; tokens and cost are None where no call reported any."""

    number: int
    replayed: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Calls:
        """The calls of some rows."""
        return cls.sum(
            cls(
                number=1,
                replayed=int(call.replayed),
                prompt_tokens=call.prompt_tokens,
                completion_tokens=call.completion_tokens,
                cost=call.cost,
            )
            for row in rows
            for call in row.calls
        )

    @classmethod
    def sum(cls, parts: Iterable[Calls]) -> Calls:
        """All of them together."""
        parts = list(parts)
        return cls(
            number=sum(part.number for part in parts),
            replayed=sum(part.replayed for part in parts),
            prompt_tokens=_total([part.prompt_tokens for part in parts]),
            completion_tokens=_total([part.completion_tokens for part in parts]),
            cost=_total([part.cost for part in parts]),
        )


def _total(numbers: Sequence[Number | None]) -> Number | None:
    known = [number for number in numbers if number is not None]
    return sum(known[1:], known[0]) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeSummary:
    """The samples of one size. ``answers`` are those in which a formula was looked for."""

    rate: PassRate
    answers: int
    compliant: int

    @classmethod
    def of(cls, rows: Sequence[Row]) -> SizeSummary:
        """What some rows come to; errors are left out of the rate."""
        return cls(
            rate=pass_rate(by_item(rows)),
            answers=sum(row.compliant is not None for row in rows),
            compliant=sum(bool(row.compliant) for row in rows),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteSummary:
    """One suite and model.

    ``samples`` ran, errors included; ``whole`` and ``by_size`` leave errors out of the rate; ``size_name`` is what the
    sizes count (``operators``, ``depth``, or ``size`` where rows differ); ``outcomes`` counts all of them by name;
    ``trivial`` counts the formulas that mean nothing, by kind; ``figures`` are the lines of what its task measures;
    ``interface`` and ``prompting`` are those of all of its samples. ``repeats`` and ``batches`` are how far the rate
    scatters, where there are enough of either; ``blame`` counts the failures that were looked into by the half that
    lost the meaning: ``description``, ``reading`` or ``undecided``.
    """

    suite: str
    model: str
    samples: int
    whole: SizeSummary
    by_size: Mapping[int, SizeSummary]
    size_name: str
    leaked: int
    trivial: Mapping[str, int]
    outcomes: Mapping[str, int]
    calls: Calls
    errors: Mapping[str, int] = field(default_factory=dict)
    gate: Gate | None = None
    figures: tuple[str, ...] = ()
    interface: str = ""
    prompting: str = ""
    repeats: Repeats | None = None
    batches: Spread | None = None
    blame: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The suite with its model, as headings show it."""
        return f"{self.suite}[{self.model}]"


def suite_summaries(rows: Iterable[Row], gates: Iterable[Gate] = ()) -> list[SuiteSummary]:
    """A summary for each suite and model that has rows or a gate, in order of their names."""
    grouped = by_suite(rows)
    judged = {(gate.suite, gate.model): gate for gate in gates}
    return [_summary(*key, grouped.get(key, []), judged.get(key)) for key in sorted(grouped.keys() | judged.keys())]


def _figures(rows: Sequence[Row]) -> tuple[str, ...]:
    """What the rows' task measures beyond the pass rate, a line each."""
    if not any(row.figures for row in rows):
        return ()
    from pytest_autoeval.reporting.task_figures import figures

    return tuple(figures(rows))


def _summary(suite: str, model: str, rows: Sequence[Row], gate: Gate | None) -> SuiteSummary:
    items = by_item(rows)
    return SuiteSummary(
        suite=suite,
        model=model,
        samples=len(rows),
        whole=SizeSummary.of(rows),
        by_size={size: SizeSummary.of(some) for size, some in by_size(rows).items()},
        size_name=_size_name(rows),
        trivial=Counter(kind for _, kind in {(row.formula, row.trivial) for row in rows} if kind),
        leaked=sum(bool(row.leaked) for row in rows),
        outcomes=Counter(row.outcome for row in rows),
        calls=Calls.of(rows),
        errors=Counter(row.error or "no message" for row in rows if row.kind == "error"),
        gate=gate,
        figures=_figures(rows),
        interface=_only(row.interface for row in rows),
        prompting=_only(row.prompting for row in rows),
        repeats=repeats_of(items),
        batches=over_batches(items),
        blame=Counter(row.facts["blame"]["half"] for row in rows if row.facts.get("blame")),
    )


def _only(values: Iterable[str | None]) -> str:
    """The value that all have, or nothing."""
    found = set(values)
    return (found.pop() or "") if len(found) == 1 else ""


def _size_name(rows: Sequence[Row]) -> str:
    """The measure that the sizes are: a language may count its samples' sizes in depth."""
    for name in ("operators", "depth"):
        if all(row.measures.get(name) == row.operators for row in rows):
            return name
    return "size"
