"""Comparing a run with an earlier one: which rows are a pair, and what the pairs say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from pytest_autoeval.reporting.items import Comparable, Item, Paired, by_item, named_item, trials
from pytest_autoeval.reporting.judging.baseline_flags import differences
from pytest_autoeval.reporting.judging.baseline_gate import BaselineGate
from pytest_autoeval.reporting.judging.extent import Extent
from pytest_autoeval.reporting.results import Row, counted
from pytest_autoeval.reporting.text import one_line
from pytest_autoeval.statistics.drops import judge_drop
from pytest_autoeval.statistics.multiplicity import holm
from pytest_autoeval.statistics.paired import PairedTest, paired_test
from pytest_autoeval.statistics.power import pairs_needed, smallest_detectable_drop

_NO_EXTENTS: Mapping[tuple[str, str], Extent] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class DropRules:
    """What is asked of a comparison: whether the pass rate fell by ``drop``, a rate, at the level ``alpha``.

    Without a drop the comparison is reported, not judged.
    """

    drop: float | None = None
    alpha: float = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A suite and model beside what they are compared with.

    ``suite`` and ``model`` are as this run names them; ``here`` and ``there`` are the rows of both runs, errors
    included. Without a match in the baseline ``there`` is empty, and ``refusal`` says why.
    """

    suite: str
    model: str
    here: Sequence[Row]
    there: Sequence[Row] = ()
    refusal: str = ""

    @property
    def baseline_model(self) -> str | None:
        """The model of the baseline's rows."""
        return self.there[0]["model"] if self.there else None

    def pairs(self) -> list[Paired]:
        """The items that both runs have, in the order of this one."""
        here, there = by_item(self.here), by_item(self.there)
        return [Paired(item, rows, there[item]) for item, rows in here.items() if item in there]

    def unshared(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The formulas of this run alone, and those of the baseline alone, errors left out."""
        here, there = by_item(self.here), by_item(self.there)
        return _formulas(here, there), _formulas(there, here)


def compare(rows: Iterable[Row], baseline: Iterable[Row]) -> list[Comparison]:
    """Each suite and model of a run beside its match in the baseline, in order of their names.

    A model that the baseline does not have is compared with the baseline's only model of that suite. Where the baseline
    has several, none is chosen.
    """
    here, there = _grouped(rows), _grouped(baseline)
    return sorted((_matched(key, here[key], there) for key in here), key=lambda one: (one.suite, one.model))


def left_over(compared: Iterable[Comparison], baseline: Iterable[Row]) -> list[str]:
    """What of the baseline was compared with nothing: suites with their models."""
    used = {(row["suite"], row["model"]) for one in compared for row in one.there}
    names = {(row["suite"], row["model"]) for row in counted(baseline)} - used
    return [one_line(f"{suite}[{model}]") for suite, model in sorted(names)]


def baseline_gates(
    compared: Sequence[Comparison], rules: DropRules, *, extents: Mapping[tuple[str, str], Extent] = _NO_EXTENTS
) -> list[BaselineGate]:
    """A gate for each comparison, its p-value corrected over all of them by Holm's method."""
    pairs = [one.pairs() for one in compared]
    tests = [_test(some) for some in pairs]
    known = [test.p_value for test in tests if test is not None and test.p_value is not None]
    corrected = iter(holm(known))
    return [
        _judged(
            _described(one, some, extents.get((one.suite, one.model), Extent())),
            test,
            next(corrected) if test is not None and test.p_value is not None else None,
            rules,
            max(1, len(known)),
        )
        for one, some, test in zip(compared, pairs, tests, strict=True)
    ]


def _described(compared: Comparison, pairs: Sequence[Paired], extent: Extent) -> BaselineGate:
    """What is compared with what, before it is judged."""
    only_here, only_there = compared.unshared() if compared.there else ((), ())
    return BaselineGate(
        suite=compared.suite,
        model=compared.model,
        baseline_model=compared.baseline_model,
        refusal=compared.refusal or ("" if pairs else "the two runs have no formula in common"),
        doubt=_doubt(extent, compared.there),
        interrupted=extent.incomplete(len(compared.here)),
        flags=tuple(differences(compared.here, compared.there, pairs)) if compared.there else (),
        only_here=only_here,
        only_there=only_there,
    )


def _judged(
    gate: BaselineGate, test: PairedTest | None, p_holm: float | None, rules: DropRules, comparisons: int
) -> BaselineGate:
    """The gate with what its pairs say of the drop."""
    gate = replace(gate, test=test, p_holm=p_holm, drop=rules.drop, alpha=rules.alpha, comparisons=comparisons)
    if test is None:
        return gate
    level = rules.alpha / comparisons
    detectable = smallest_detectable_drop(test, alpha=level)
    if rules.drop is None:
        return replace(gate, detectable=detectable)
    decision = judge_drop(test, p_holm, drop=rules.drop, alpha=rules.alpha, detectable=detectable)
    short = detectable is None or detectable > rules.drop
    needed = pairs_needed(rules.drop, test, alpha=level) if short else None
    return replace(gate, detectable=detectable, decision=decision, needed=needed)


def _test(pairs: Sequence[Paired]) -> PairedTest | None:
    return paired_test([(trials(pair.there), trials(pair.here)) for pair in pairs]) if pairs else None


def _doubt(extent: Extent, there: Sequence[Row]) -> str:
    """Why the pairs cannot be judged: what ends a suite by its results bends any other test of the same results."""
    for whose, stopped in (
        ("suite", extent.stopped_early),
        ("baseline", any(row.get("stopped_early") for row in there)),
    ):
        if stopped:
            return f"the {whose} was stopped early by its own results, which bends a comparison of them; run it whole"
    return ""


def _matched(key: Comparable, rows: list[Row], there: Mapping[Comparable, list[Row]]) -> Comparison:
    suite, model = rows[0]["suite"], rows[0]["model"]
    if key in there:
        return Comparison(suite=suite, model=model, here=rows, there=there[key])
    others = sorted(other.model for other in there if other[:3] == key[:3])
    if len(others) == 1:
        return Comparison(suite=suite, model=model, here=rows, there=there[key._replace(model=others[0])])
    refusal = (
        f"the baseline has several models of this suite, and none is {model}: {', '.join(others)}"
        if others
        else "the baseline does not have this suite"
    )
    return Comparison(suite=suite, model=model, here=rows, refusal=one_line(refusal))


def _grouped(rows: Iterable[Row]) -> dict[Comparable, list[Row]]:
    listed = counted(rows)
    interfaces: dict[str, set[str]] = defaultdict(set)
    for row in listed:
        if row.get("interface"):
            interfaces[row["suite"]].add(row["interface"])
    only = {suite: next(iter(known)) for suite, known in interfaces.items() if len(known) == 1}
    found: dict[Comparable, list[Row]] = defaultdict(list)
    for row in listed:
        found[Comparable.of(row, only.get(row["suite"], ""))].append(row)
    return dict(found)


def _formulas(mine: Mapping[Item, Sequence[Row]], others: Mapping[Item, object]) -> tuple[str, ...]:
    return tuple(named_item(rows[0]) for item, rows in mine.items() if item not in others)
