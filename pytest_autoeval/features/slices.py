"""Slices: kinds of formula that fail more than the others, or that got worse, if significant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, structs

from pytest_autoeval.judging.baseline import answered_test
from pytest_autoeval.judging.item_groups import (
    Item,
    Paired,
    by_item,
    clusters_design_effect,
    grouped,
    pass_rate,
    trials,
)
from pytest_autoeval.judging.pairing import Comparison
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.report.blocks import Column, Row, Table
from pytest_autoeval.report.sections.rate_figures import rate_figure
from pytest_autoeval.report.suite_summary import SuiteSummary
from pytest_autoeval.statistics.clusters import Trials
from pytest_autoeval.statistics.multiplicity import holm
from pytest_autoeval.statistics.pass_rate import PassRate
from pytest_autoeval.statistics.stratified import stratified_difference

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry

#: The fewest formulas inside a slice, and outside of one that is compared with the others. If a model lost all ten, the
#: paired test has p = 2^-10, which is below 5 % even if Holm corrects for all 28 kinds below. With nine it is not.
_FEWEST_FORMULAS = 10

#: The measures of a formula by name, such as ``negations`` or ``depth``.
Measures = Mapping[str, Any]
#: What a measure counts, in words. A formula with a measure above 0 belongs to the slice "formulas with …".
_COUNTED = {
    "negations": "¬",
    "conjunctions": "∧",
    "disjunctions": "∨",
    "exclusive_disjunctions": "⊕",
    "implications": "→",
    "biconditionals": "↔",
    "universals": "∀",
    "existentials": "∃",
    "next": "X (next)",
    "eventually": "F (eventually)",
    "always": "G (always)",
    "until": "U (until)",
    "release": "R (release)",
    "weak_until": "W (weak until)",
    "yesterday": "Y (yesterday)",
    "weak_yesterday": "Z (weak yesterday)",
    "once": "O (once)",
    "historically": "H (historically)",
    "since": "S (since)",
    "triggered": "T (triggered)",
    "stars": "*",
    "unions": "a union",
    "repetitions": "+, ? or a counted repetition",
}
#: Measures that nearly every formula has. Their slice is the upper half of the formulas.
_GRADED = {
    "depth": "depth",
    "temporal_depth": "temporal depth",
    "alternation_depth": "quantifier alternation",
    "states": "automaton states",
}
#: For each kind of slice: the title of its table, and the heading of the pass rate to compare with.
_TITLES = {
    "level": ("fails more often than on other formulas (difference at equal size)", "the others"),
    "baseline": ("fails more often than in the baseline", "before"),
}


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_suite_blocks("slices", blocks_of_slices)


class Slice(Struct, frozen=True):
    """A kind of formula on which a model is worse.

    ``kind`` is ``level`` if it is worse than on the suite's other formulas of the same
    size, and ``baseline`` if it is worse than on the same formulas in the baseline; ``beside`` is their pass rate.
    ``difference`` is negative. ``p_value`` is corrected by Holm's method over all tested slices of this kind and
    suite.
    """

    kind: Literal["level", "baseline"]
    name: str
    inside: PassRate
    beside: PassRate
    difference: float
    p_value: float


def blocks_of_slices(summary: SuiteSummary) -> Iterator[Table]:
    """A table of the slices of each kind."""
    slices_by_kind = grouped(slices_of(summary), lambda subset: subset.kind)
    for kind, slices in slices_by_kind.items():
        title, beside = _TITLES[kind]
        columns = (
            Column("formulas", "text"),
            Column("pass rate", "rate"),
            Column(beside, "rate"),
            Column("difference", "points"),
            Column("p", "p"),
        )
        # The first slice has the smallest p-value. The others are shown only with -v.
        rows = [
            Row(
                (
                    subset.name,
                    rate_figure(subset.inside),
                    rate_figure(subset.beside, beside),
                    subset.difference,
                    subset.p_value,
                ),
                level="verbose" if index else "quiet",
            )
            for index, subset in enumerate(slices)
        ]
        yield Table(title=title, columns=columns, rows=tuple(rows), thing="slice", level="default")


def slices_of(summary: SuiteSummary) -> list[Slice]:
    """All slices of a judged suite: those that fail more than others of their size, then those that got worse."""
    judgement = summary.judgement
    alpha = judgement.rules.alpha
    slices: list[Slice] = []
    # A part of a suite (--autoeval-shard) has no slices of its own: the report on all parts has them.
    if not judgement.gate.part:
        slices += failing_slices(summary.suite, alpha)
    if judgement.comparison is not None:
        slices += worsened_slices(judgement.comparison.compared, alpha)
    return slices


#: A kind of formula: its name, and a test on a formula's measures.
SliceKind = tuple[str, Callable[[Measures], bool]]


def slice_kinds(samples: Sequence[Sample]) -> Iterator[SliceKind]:
    """The kinds that the formulas of these samples belong to, for any language."""
    measures_of_samples = [sample.measures for sample in samples]
    names = set[str]().union(*measures_of_samples)
    for name, label in _COUNTED.items():
        if name in names:
            yield _having(name, label)
    if {"negations", "operators", "operators_with_literal_negations"} <= names:
        yield "a negation over a compound formula", _negates_compound
    for name, label in _GRADED.items():
        values = sorted(_number(measures, name) for measures in measures_of_samples)
        # If all values are equal, there is no upper half.
        if values and values[0] < values[-1]:
            yield _upper_half(name, label, values)


def _having(name: str, label: str) -> SliceKind:
    return f"formulas with {label}", lambda measures: _number(measures, name) > 0


def _upper_half(name: str, label: str, values: Sequence[float]) -> SliceKind:
    """The formulas above the median of a measure, or those with its maximum if that is the median.

    ``values`` are those of all formulas, in ascending order.
    """
    # Of an even number of values the lower middle one, so that at least half of them are not above it.
    median = values[(len(values) - 1) // 2]
    values_above = [value for value in values if value > median]
    least = values_above[0] if values_above else median

    def is_above(measures: Measures) -> bool:
        return _number(measures, name) >= least

    return f"{label} ≥ {least:g}", is_above


def _negates_compound(measures: Measures) -> bool:
    # By the papers' count, a negation directly before an atom (a literal one) is not an operator. So the two counts of
    # operators differ by the literal negations. All further negations stand before compound formulas.
    literal_negations = _number(measures, "operators_with_literal_negations") - _number(
        measures, "operators"
    )
    return _number(measures, "negations") > literal_negations


def _number(measures: Measures, name: str) -> float:
    """A measure; 0 if the formula has none of this name, or one that is no number."""
    value = measures.get(name)
    return value if isinstance(value, int | float) else 0


def failing_slices(suite: SuiteRecord, alpha: float) -> list[Slice]:
    """Kinds of formula on which a suite's model fails more than on others of the same size, the smallest p-value first.

    Undecided samples are left out, since they are not the model's failures.
    """
    samples = suite.counted
    if all(sample.passed for sample in samples):
        return []
    items = by_item(_decided(samples))
    # Repeats of one formula, and formulas of one cluster, are not independent.
    effect = clusters_design_effect(items)
    slices = []
    # All samples of an item have the measures of its formula, so the first one stands for it.
    for name, holds in slice_kinds([tried[0] for tried in items.values()]):
        inside = {item: tried for item, tried in items.items() if holds(tried[0].measures)}
        outside = {item: tried for item, tried in items.items() if item not in inside}
        # A slice of a few formulas, or of nearly all, has no difference that a test could show.
        if min(len(inside), len(outside)) < _FEWEST_FORMULAS:
            continue
        # Stratified by size, so that a slice of longer formulas is not blamed for their length.
        strata = _by_size(inside, outside)
        test = stratified_difference(strata, design_effect=effect)
        if test.difference is not None and test.p_value is not None:
            rate_inside = pass_rate(inside)
            rate_outside = pass_rate(outside)
            slices.append(
                Slice("level", name, rate_inside, rate_outside, test.difference, test.p_value)
            )
    return _significant(slices, alpha)


def _by_size(
    inside: Mapping[Item, Sequence[Sample]], outside: Mapping[Item, Sequence[Sample]]
) -> list[tuple[Trials, Trials]]:
    """The trials inside and outside a slice, at each size."""
    samples_by_size: dict[int, tuple[list[Sample], list[Sample]]] = defaultdict(lambda: ([], []))
    for samples in inside.values():
        samples_by_size[samples[0].size][0].extend(samples)
    for samples in outside.values():
        samples_by_size[samples[0].size][1].extend(samples)
    return [
        (trials(samples_inside), trials(samples_outside))
        for samples_inside, samples_outside in samples_by_size.values()
    ]


def worsened_slices(comparison: Comparison, alpha: float) -> list[Slice]:
    """Kinds of formula on which a model got worse since the baseline, the smallest p-value first.

    Undecided samples are left out on both sides.
    """
    pairs = []
    for pair in comparison.pairs:
        decided = Paired(pair.item, _decided(pair.now), _decided(pair.before))
        if decided.now and decided.before:
            pairs.append(decided)
    slices = []
    for name, holds in slice_kinds([pair.now[0] for pair in pairs]):
        inside = [pair for pair in pairs if holds(pair.now[0].measures)]
        # A slice of all formulas shows no more than the comparison itself.
        if len(inside) < _FEWEST_FORMULAS or len(inside) == len(pairs):
            continue
        test = answered_test(inside)
        if test is not None and test.p_value is not None:
            rate_now = pass_rate({pair.item: pair.now for pair in inside})
            rate_before = pass_rate({pair.item: pair.before for pair in inside})
            slices.append(
                Slice("baseline", name, rate_now, rate_before, test.difference, test.p_value)
            )
    return _significant(slices, alpha)


def _decided(samples: Sequence[Sample]) -> list[Sample]:
    return [sample for sample in samples if sample.outcome != Outcome.UNDECIDED]


def _significant(slices: Sequence[Slice], alpha: float) -> list[Slice]:
    """The slices that are significantly worse after Holm's correction over all of them, by their p-values."""
    adjusted = holm([candidate.p_value for candidate in slices])
    corrected = [
        structs.replace(candidate, p_value=p) for candidate, p in zip(slices, adjusted, strict=True)
    ]
    worse = [
        candidate
        for candidate in corrected
        if candidate.p_value < alpha and candidate.difference < 0
    ]
    return sorted(worse, key=lambda candidate: (candidate.p_value, candidate.name))
