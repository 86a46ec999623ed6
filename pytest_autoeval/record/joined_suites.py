"""Joins the suites of several files that are one: what was asked, the samples, the end, and the plans of the runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise, starmap
from operator import lt
from typing import TypeAlias

from msgspec.structs import replace

from pytest_autoeval.record.calls import Calls, total
from pytest_autoeval.record.distinct_samples import place_of
from pytest_autoeval.record.file import Results
from pytest_autoeval.record.gate_results import GateResult
from pytest_autoeval.record.joined_seeds import seeds_of
from pytest_autoeval.record.lines import Planned, Run, Sample, Suite, SuiteEnd, SuiteRecord
from pytest_autoeval.record.own_outcomes import OwnOutcome
from pytest_autoeval.record.shards import Joined, joined_shards

#: Name and model of a planned suite, and the options of its run.
_PlanKey: TypeAlias = tuple[str, str, tuple[str, ...]]
_UNJUDGED = "the functions of registry.add_gate judged {files} files, which cannot be joined"


class Plans:
    """The suites that the runs of some files planned, and those that the files have.

    Runs with other options, such as another seed, asked something else: each must have its own suites. Among equal runs
    one may have what another lacks, such as a run that was killed and the one that continued it.
    """

    def __init__(self) -> None:
        self._planned: dict[_PlanKey, Sequence[Planned]] = {}
        self._present: Counter[_PlanKey] = Counter()

    def add(self, results: Results) -> None:
        left_out = {end.suite for end in results.ends_without_suite}
        for run in results.runs:
            numbers = left_out | {suite.number for suite in results.suites if suite.run is run}
            planned: dict[_PlanKey, list[Planned]] = defaultdict(list)
            for suite in run.suites:
                planned[suite.name, suite.model, run.options].append(suite)
            for key, suites in planned.items():  # several, if they have one name
                present = sum(suite.number in numbers for suite in suites)
                self._planned[key] = max(self._planned.get(key, ()), suites, key=len)
                self._present[key] = max(self._present[key], present)

    @property
    def number(self) -> int:
        """The number of planned suites. Runs with other options may have asked the same suites."""
        most: Counter[tuple[str, str]] = Counter()
        for (name, model, _), suites in self._planned.items():
            most[name, model] = max(most[name, model], len(suites))
        return most.total()

    @property
    def absent(self) -> list[Planned]:
        """The planned suites that no file has. Of several with one name, the last ones."""
        absent: list[Planned] = []
        for key, suites in sorted(self._planned.items()):
            absent += suites[self._present[key] :]
        return absent

    def given_to(self, runs: Sequence[Run], suites: Sequence[SuiteRecord]) -> list[Run]:
        """The runs, each with its suites by their numbers after joining; the first also with those that are absent."""
        if not self._planned:
            return [replace(run, suites=()) for run in runs]
        plans: dict[int, list[Planned]] = {id(run): [] for run in runs}
        for suite in suites:
            plans[id(suite.run)].append(
                Planned(number=suite.number, name=suite.name, model=suite.model)
            )
        for number, absent in enumerate(self.absent, len(suites) + 1):
            plans[id(runs[0])].append(replace(absent, number=number))
        return [replace(run, suites=tuple(plans[id(run)])) for run in runs]


def never_started(
    planned: Sequence[Planned], run: Run, suites: Sequence[SuiteRecord]
) -> list[SuiteRecord]:
    """Records of suites that a run planned and that have no line, with numbers after those of its other ``suites``."""
    first_number = max((suite.number for suite in suites), default=0) + 1
    return [
        SuiteRecord(
            Suite(number=number, name=suite.name, model=suite.model, language="", source=""), run
        )
        for number, suite in enumerate(planned, first_number)
    ]


def joined_results(
    groups: Sequence[Joined], lacking: Mapping[int, str], runs: Sequence[Run], plans: Plans
) -> Results:
    """One record of all groups, numbered from 1. A suite whose parts are all there belongs to no part."""
    suites: list[SuiteRecord] = []
    changed: dict[tuple[int, str | None], Run] = {}
    for number, group in enumerate(groups, 1):
        suites_of_group = [suite for suite, _, _ in group.parts]
        suite = suites_of_group[0]
        run = suite.run
        is_part = run.shard is not None and (number in lacking or group.torn)
        shards = joined_shards(suites_of_group) if is_part else None
        settings = run.settings if is_part else None
        suite.run = changed.setdefault(
            (id(run), shards), replace(run, shard=shards, settings=settings)
        )
        suite.end = _end(suites_of_group, number, torn=group.torn)
        suite.asked = _joined_asked(suites_of_group, number)
        # A suite that reached a limit has fewer samples than planned: its plan must stay visible.
        if not is_part and (suite.end is None or suite.end.ended != "limit reached"):
            suite.asked = replace(suite.asked, planned=group.counted)
        suite.samples = _joined_samples(group, suite)
        suites.append(suite)
    return _with_runs(suites, runs, plans)


def _joined_samples(group: Joined, suite: SuiteRecord) -> list[Sample]:
    """The samples of all parts, in order, as samples of the joined suite."""
    joined = [
        sample if sample.suite is suite else replace(sample, suite=suite)
        for sample in group.samples.values()
    ]
    # As a run sorts its file, so that the order of the files does not matter. A file of one run is sorted already.
    is_sorted = all(starmap(lt, pairwise(map(place_of, joined))))
    return joined if is_sorted else sorted(joined, key=_order)


def _order(sample: Sample) -> tuple[object, ...]:
    return (*sample.place, sample.counts == "shrunk", repr(sample.seed), repr(sample.formula))


def _with_runs(suites: list[SuiteRecord], runs: Sequence[Run], plans: Plans) -> Results:
    """The suites with their runs, each of which says what it planned. What is known of no suite is in the first."""
    old_runs = list({id(suite.run): suite.run for suite in suites}.values()) or list(runs[:1])
    if not old_runs:
        return Results(suites=suites)
    new_runs = plans.given_to(old_runs, suites)
    not_collected = {file for run in runs for file in run.not_collected}
    new_runs[0] = replace(new_runs[0], not_collected=tuple(sorted(not_collected)))
    new_of_old = {id(old): new for old, new in zip(old_runs, new_runs, strict=True)}
    for suite in suites:
        suite.run = new_of_old[id(suite.run)]
    return Results(runs=new_runs, suites=suites)


def _joined_asked(suites: Sequence[SuiteRecord], number: int) -> Suite:
    """What the joined suite asked, as its first part did, and must reach: the strictest of the values of its parts."""
    asked_suites = [suite.asked for suite in suites]

    def highest(name: str) -> float | None:
        values = [getattr(joined, name) for joined in asked_suites]
        return max((value for value in values if value is not None), default=None)

    def reasons(name: str) -> str | None:
        texts = {getattr(joined, name) for joined in asked_suites} - {None, ""}
        return "; ".join(sorted(texts)) or None

    def sizes(name: str) -> tuple[int, ...]:
        return tuple(sorted({size for joined in asked_suites for size in getattr(joined, name)}))

    allowed_collisions = [
        joined.collisions for joined in asked_suites if joined.collisions is not None
    ]
    # By name; those of one name agree, or reading them had failed. The first part's come last, so that they win.
    outcomes: dict[str, OwnOutcome] = {}
    for joined in reversed(asked_suites):
        outcomes |= {outcome.name: outcome for outcome in joined.outcomes}
    return replace(
        asked_suites[0],
        number=number,
        outcomes=tuple(outcomes.values()),
        api_seeds=seeds_of(suites),
        threshold=highest("threshold"),
        agreement=highest("agreement"),
        # The fewest collisions that a part allowed.
        collisions=min(allowed_collisions, default=None),
        default_model=any(joined.default_model for joined in asked_suites),
        incomparable=reasons("incomparable"),
        ungated=reasons("ungated"),
        empty_sizes=sizes("empty_sizes"),
        sizes=sizes("sizes"),
    )


def _end(suites: Sequence[SuiteRecord], number: int, *, torn: bool) -> SuiteEnd | None:
    """The end of the joined suite: that of its only part, or of parts that all ended. Its verdict is a new one."""
    ends = [suite.end for suite in suites if suite.end is not None]
    if len(ends) < len(suites):
        return None
    # A part that was stopped says more of the whole than one that ran to its end.
    base = next((end for end in ends if end.stopped is not None or end.ended != "whole"), ends[0])
    joined = replace(
        base,
        suite=number,
        verdict=base.verdict if len(ends) == 1 and not torn else None,
        ended="interrupted" if torn else base.ended,
        counterexamples=tuple(example for end in ends for example in end.counterexamples),
        gates=_joined_gates(ends),
        unfinished=_unfinished(ends),
        rows_left_out=tuple(dict.fromkeys(row for end in ends for row in end.rows_left_out)),
    )
    figures = [(end.figures, end.tables, end.without_figures) for end in ends]
    if all(of_part == figures[0] for of_part in figures):
        return joined
    # A figure of a part, such as a median, says nothing about the whole.
    why = f"figures of functions of registry.add_figures are missing: those of {len(ends)} files cannot be joined"
    return replace(joined, figures=(), tables=(), without_figures=(why,))


def _unfinished(ends: Sequence[SuiteEnd]) -> Calls | None:
    calls = [end.unfinished for end in ends if end.unfinished is not None]
    return total(calls) if calls else None


def _joined_gates(ends: Sequence[SuiteEnd]) -> tuple[GateResult, ...]:
    """What the gates of `registry.add_gate` say of all parts: what a gate said of one file, it did not say of all."""
    gates = [gate for end in ends for gate in end.gates]
    undecided_alike = all(end.gates == ends[0].gates for end in ends) and all(
        gate.verdict == "inconclusive" for gate in gates
    )
    if len(ends) == 1 or undecided_alike:
        return ends[0].gates
    names = dict.fromkeys(gate.gate for gate in gates)
    reason = _UNJUDGED.format(files=len(ends))
    return tuple(GateResult("inconclusive", reason, name) for name in names)
