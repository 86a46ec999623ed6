"""Slices: kinds of formula that fail more than the others, or that got worse, if significant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

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

#: The fewest formulas inside a slice, and outside of one that is compared with the others.
FEWEST = 10

Measures = Mapping[str, Any]
#: What a measure counts, in words: a formula that has some belongs to the slice "formulas with …".
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
#: Graded measures: the slice is the upper half of the formulas.
_GRADED = {
    "depth": "depth",
    "temporal_depth": "temporal depth",
    "alternation_depth": "quantifier alternation",
    "states": "automaton states",
}
#: What is said of each kind of slice: the title of its table, and the name of the rate to compare with.
_TITLES = {
    "level": ("fails more often than on other formulas of the size", "the others"),
    "baseline": ("fails more often than in the baseline", "before"),
}


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_suite_blocks("slices", blocks_of_slices)


@dataclass(frozen=True, slots=True)
class Slice:
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
    """A table of the slices of each kind. A part of a suite has no slices of its own."""
    columns = (
        Column("formulas", "text"),
        Column("pass rate", "rate"),
        Column("difference", "points"),
        Column("p", "p"),
    )
    for kind, worse in grouped(slices_of(summary), lambda subset: subset.kind).items():
        title, beside = _TITLES[kind]
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
            for index, subset in enumerate(worse)
        ]
        heads = (*columns[:2], Column(beside, "rate"), *columns[2:])
        yield Table(title=title, columns=heads, rows=tuple(rows), thing="slice", level="default")


def slices_of(summary: SuiteSummary) -> list[Slice]:
    """All slices of a judged suite: those that fail more than others of their size, then those that got worse."""
    judgement = summary.judgement
    alpha = judgement.rules.alpha
    slices = [] if judgement.gate.part else failing_slices(summary.suite, alpha)
    if judgement.comparison is not None:
        slices += worsened_slices(judgement.comparison.compared, alpha)
    return slices


#: A kind of formula: its name, and a test on a formula's measures.
SliceKind = tuple[str, Callable[[Measures], bool]]


def slice_kinds(samples: Sequence[Sample]) -> Iterator[SliceKind]:
    """The kinds that the formulas of these samples belong to, for any language."""
    measured = [sample.measures for sample in samples]
    names = {name for measures in measured for name in measures}
    yield from (_having(name, label) for name, label in _COUNTED.items() if name in names)
    # By the papers' count, a negation directly before an atom is not an operator.
    if {"negations", "operators", "operators_with_literal_negations"} <= names:
        yield "a negation over a compound formula", _negates_compound
    for name, label in _GRADED.items():
        values = sorted(_number(measures, name) for measures in measured)
        if values and values[0] < values[-1]:
            yield _upper_half(name, label, values)


def _having(name: str, label: str) -> SliceKind:
    return f"formulas with {label}", lambda measures: _number(measures, name) > 0


def _upper_half(name: str, label: str, values: Sequence[float]) -> SliceKind:
    """The formulas above the median of a measure, or those with its maximum if that is the median."""
    middle = values[(len(values) - 1) // 2]
    above = [value for value in values if value > middle]
    least = above[0] if above else middle

    def is_above(measures: Measures) -> bool:
        return _number(measures, name) >= least

    return f"{label} ≥ {least:g}", is_above


def _negates_compound(measures: Measures) -> bool:
    literal = _number(measures, "operators_with_literal_negations") - _number(measures, "operators")
    return _number(measures, "negations") > literal


def _number(measures: Measures, name: str) -> float:
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
    for name, holds in slice_kinds([tried[0] for tried in items.values()]):
        inside = {item: tried for item, tried in items.items() if holds(tried[0].measures)}
        outside = {item: tried for item, tried in items.items() if item not in inside}
        # A slice of a few formulas, or of nearly all, has no difference that a test could show.
        if min(len(inside), len(outside)) < FEWEST:
            continue
        # Stratified by size, so that a slice of longer formulas is not blamed for their length.
        strata = _by_size(inside, outside)
        test = stratified_difference(strata, design_effect=effect)
        if test.difference is not None and test.p_value is not None:
            rates = pass_rate(inside), pass_rate(outside)
            slices.append(Slice("level", name, *rates, test.difference, test.p_value))
    return _significant(slices, alpha)


def _by_size(
    inside: Mapping[Item, Sequence[Sample]], outside: Mapping[Item, Sequence[Sample]]
) -> list[tuple[Trials, Trials]]:
    """The trials inside and outside a slice, at each size."""
    sizes: dict[int, tuple[list[Sample], list[Sample]]] = defaultdict(lambda: ([], []))
    for side, group in enumerate((inside, outside)):
        for samples in group.values():
            sizes[samples[0].size][side].extend(samples)
    return [(trials(within), trials(without)) for within, without in sizes.values()]


def worsened_slices(compared: Comparison, alpha: float) -> list[Slice]:
    """Kinds of formula on which a model got worse since the baseline, the smallest p-value first.

    Undecided samples are left out on both sides.
    """
    pairs = []
    for pair in compared.pairs:
        decided = Paired(pair.item, _decided(pair.now), _decided(pair.before))
        if decided.now and decided.before:
            pairs.append(decided)
    slices = []
    for name, holds in slice_kinds([pair.now[0] for pair in pairs]):
        inside = [pair for pair in pairs if holds(pair.now[0].measures)]
        # A slice of all formulas shows no more than the comparison itself.
        if len(inside) < FEWEST or len(inside) == len(pairs):
            continue
        test = answered_test(inside)
        if test is not None and test.p_value is not None:
            after = pass_rate({pair.item: pair.now for pair in inside})
            before = pass_rate({pair.item: pair.before for pair in inside})
            slices.append(Slice("baseline", name, after, before, test.difference, test.p_value))
    return _significant(slices, alpha)


def _decided(samples: Sequence[Sample]) -> list[Sample]:
    return [sample for sample in samples if sample.outcome != Outcome.UNDECIDED]


def _significant(slices: Sequence[Slice], alpha: float) -> list[Slice]:
    adjusted = holm([candidate.p_value for candidate in slices])
    corrected = [
        replace(candidate, p_value=p) for candidate, p in zip(slices, adjusted, strict=True)
    ]
    worse = [
        candidate
        for candidate in corrected
        if candidate.p_value < alpha and candidate.difference < 0
    ]
    return sorted(worse, key=lambda candidate: (candidate.p_value, candidate.name))
