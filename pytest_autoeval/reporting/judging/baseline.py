"""Comparing a suite with an earlier run: which rows are a pair, and what the pairs say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pytest_autoeval.reporting.items import Comparable, Item, Paired, by_item, named_item, trials
from pytest_autoeval.reporting.judging.baseline_flags import differences
from pytest_autoeval.reporting.judging.baseline_gate import BaselineGate
from pytest_autoeval.reporting.judging.extent import Extent, Rules
from pytest_autoeval.reporting.row import Row, counted
from pytest_autoeval.reporting.text import one_line
from pytest_autoeval.statistics.drops import Decision, judge_drop
from pytest_autoeval.statistics.multiplicity import bonferroni
from pytest_autoeval.statistics.paired import paired_test
from pytest_autoeval.statistics.power import pairs_needed, smallest_detectable_drop


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A suite and model beside what they are compared with.

    ``here`` and ``there`` are the rows of both runs, errors included. Without a match in the baseline ``there`` is
    empty, and ``refusal`` says why.
    """

    here: Sequence[Row]
    there: Sequence[Row] = ()
    refusal: str = ""

    @property
    def suite(self) -> str:
        """The suite as this run names it."""
        return self.here[0].suite

    @property
    def model(self) -> str:
        """The model of this run."""
        return self.here[0].model

    @cached_property
    def pairs(self) -> list[Paired]:
        """The items that both runs have, in the order of this one."""
        here, there = self._items
        return [Paired(item, rows, there[item]) for item, rows in here.items() if item in there]

    def unshared(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The formulas of this run alone, and those of the baseline alone, errors left out."""
        here, there = self._items
        return _formulas(here, there), _formulas(there, here)

    @cached_property
    def _items(self) -> tuple[dict[Item, list[Row]], dict[Item, list[Row]]]:
        return by_item(self.here), by_item(self.there)


class Baseline:
    """The rows of an earlier run that count, grouped once for all suites that are compared with them."""

    def __init__(self, rows: Iterable[Row]) -> None:
        found: dict[Comparable, list[Row]] = defaultdict(list)
        by_name: dict[str, list[Row]] = defaultdict(list)
        for row in counted(rows):
            by_name[row.suite].append(row)
        for listed in by_name.values():
            interface = _interface(listed)
            for row in listed:
                found[Comparable.of(row, interface)].append(row)
        self._rows = dict(found)
        self._models: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for key in self._rows:
            self._models[key[:3]].append(key.model)

    def compared_with(self, rows: Sequence[Row]) -> Comparison:
        """The rows of one suite and model beside their match.

        A model that the baseline does not have is compared with the baseline's only model of that suite. Where the
        baseline has several, none is chosen.
        """
        interface = _interface(rows)
        key = Comparable.of(next((row for row in rows if row.interface), rows[0]), interface)
        models = self._models.get(key[:3], [])
        if key in self._rows:
            return Comparison(here=rows, there=self._rows[key])
        if len(models) == 1:
            return Comparison(here=rows, there=self._rows[key._replace(model=models[0])])
        several = f"the baseline has several models of this suite, and none is {key.model}: {', '.join(sorted(models))}"
        return Comparison(here=rows, refusal=one_line(several) if models else "the baseline does not have this suite")

    def left_over(self, compared: Iterable[Comparison]) -> list[str]:
        """The suites of the baseline, with their models, that are among none of the comparisons."""
        names = {(row.suite, row.model) for rows in self._rows.values() for row in rows}
        used = {(row.suite, row.model) for one in compared for row in one.there}
        return [one_line(f"{suite}[{model}]") for suite, model in sorted(names - used)]


def judge_comparison(compared: Comparison, rules: Rules, *, extent: Extent, suites: int) -> BaselineGate:
    """The gate of a comparison; its p-value is corrected over so many suites, and its power is at that level."""
    pairs = compared.pairs
    test = paired_test([(trials(pair.there), trials(pair.here)) for pair in pairs]) if pairs else None
    only_here, only_there = compared.unshared() if compared.there else ((), ())
    corrected = detectable = needed = None
    decision: Decision = "inconclusive"
    if test is not None:
        level = rules.alpha / suites
        corrected = None if test.p_value is None else bonferroni(test.p_value, suites)
        detectable = smallest_detectable_drop(test, alpha=level)
        if rules.drop is not None:
            decision = judge_drop(test, corrected, drop=rules.drop, alpha=rules.alpha, detectable=detectable)
            if detectable is None or detectable > rules.drop:
                needed = pairs_needed(rules.drop, test, alpha=level)
    return BaselineGate(
        suite=compared.suite,
        model=compared.model,
        baseline_model=compared.there[0].model if compared.there else None,
        test=test,
        p_corrected=corrected,
        detectable=detectable,
        needed=needed,
        drop=rules.drop,
        alpha=rules.alpha,
        suites=suites,
        decision=decision,
        refusal=compared.refusal or ("" if pairs else "the two runs have no formula in common"),
        doubt=_doubt(extent, compared.there),
        interrupted=extent.incomplete(len(compared.here)),
        flags=tuple(differences(compared.here, compared.there, pairs)) if compared.there else (),
        only_here=only_here,
        only_there=only_there,
    )


def _doubt(extent: Extent, there: Sequence[Row]) -> str:
    """Why the pairs cannot be judged: what ends a suite by its results bends any other test of the same results."""
    for whose, stopped in (("suite", extent.stopped_early), ("baseline", any(row.stopped_early for row in there))):
        if stopped:
            return f"the {whose} was stopped early by its own results, which bends a comparison of them; run it whole"
    return ""


def _interface(rows: Iterable[Row]) -> str:
    """The interface of a suite where it has only one: a row that ended in an error may lack it."""
    known = {row.interface for row in rows if row.interface}
    return known.pop() if len(known) == 1 else ""


def _formulas(mine: Mapping[Item, Sequence[Row]], others: Mapping[Item, object]) -> tuple[str, ...]:
    return tuple(named_item(rows[0]) for item, rows in mine.items() if item not in others)
