"""Joins several results files: each sample once, and which of their suites cannot be judged.

The files may be of the parts of one run (`--autoeval-shard`), which belong together.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from pytest_autoeval.record.calls import Call
from pytest_autoeval.record.file import Results, ResultsError, read_file
from pytest_autoeval.record.gate_results import GateResult
from pytest_autoeval.record.joined_seeds import seeds_of
from pytest_autoeval.record.lines import Planned, Run, Sample, Suite, SuiteEnd, SuiteRecord
from pytest_autoeval.record.own_outcomes import OwnOutcome
from pytest_autoeval.record.shards import Joined, check_division, incomplete, joined_shards
from pytest_autoeval.record.suite_names import named, reader_label, suite_name
from pytest_autoeval.record.task_parts import Given
from pytest_autoeval.text import count, one_line

#: Name and model of a planned suite, and the options of its run.
_PlanKey: TypeAlias = tuple[str, str, tuple[str, ...]]
_SHOWN_FIELDS = 4
#: The fields of a suite by which suites of several files are one: how it was asked, and whom.
_ASKED = (
    *("function", "parameters", "model", "form_of_prompt", "prompting", "constrained", "prompts"),
    *("temperature", "max_tokens", "parameters_sent"),
)
#: Other fields of a suite that are the same for all copies of a sample.
_UNJUDGED = "the functions of registry.add_gate judged {files} files, which cannot be joined"
_OF_COPIES = (
    "language",
    "task",
    "form",
    "figures",
    "benchmark",
    "copies",
    "threshold",
    "agreement",
)
#: Fields of a sample that differ between two equal runs.
_TIMES = frozenset({"verdict_seconds"})
_TIMES_OF_CALL = {"cost": None, "seconds": None, "replayed": False, "repeated": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The suites of all files, each sample once; notes on what was left out; suites that cannot be judged, by number,
    and what is missing of them, if that is known.

    ``absent`` are suites that the runs planned and none of the files has; ``not_collected`` are files of tests whose
    suites are unknown, since they could not be collected. ``planned`` is the number of suites that the runs planned,
    also of those that were left out. ``doubts`` are the notes on suites that cannot be judged.
    """

    results: Results
    notes: list[str]
    unjudgeable: frozenset[int] = frozenset()
    missing: Mapping[int, str] = field(default_factory=dict)
    absent: Sequence[Planned] = ()
    planned: int = 0
    doubts: Sequence[str] = ()

    @property
    def number_of_suites(self) -> int:
        """By how many suites p-values are corrected: as in the run itself, by all that were planned."""
        return max(self.planned, sum(bool(suite.regular) for suite in self.suites))

    @property
    def suites(self) -> list[SuiteRecord]:
        return self.results.suites

    @property
    def not_collected(self) -> list[str]:
        return sorted({file for run in self.results.runs for file in run.not_collected})


def merge(files: Sequence[Path], progress: Callable[[str], None] = lambda _: None) -> Merged:
    """Joins the files, in order. ``progress`` receives a line before each file. Raises :class:`AutoevalError`.

    A sample in several files with the same content (apart from times and costs) counts once. A sample that occurs twice
    in one file shows that two runs wrote to the file, so its suite cannot be judged. If suites of one name were asked
    in different ways, what differs is added to their names. A suite with all its parts (`--autoeval-shard`) is
    complete.
    """
    joined: dict[tuple[object, ...], Joined] = {}
    runs: list[Run] = []
    notes: list[str] = []
    doubts: list[str] = []
    duplicates, empty = 0, []
    plans = _Plans()
    for number, file in enumerate(files, 1):
        progress(f"reading {file} ({number} of {len(files)})")
        results = read_file(file)
        plans.add(results)
        runs += results.runs
        why, broken = _why_unjudgeable(results, file)
        notes += why
        doubts += why
        if not results.samples:
            empty.append(file)
        times = Counter[tuple[object, ...]]()
        for suite in results.suites:
            key = asked_of(suite.asked)
            times[*key, id(suite.run)] += 1  # two suites of one run stay two
            group = joined.setdefault((*key, times[*key, id(suite.run)]), Joined())
            group.parts.append((suite, file, results.lines.get(suite, ())))
            group.torn = group.torn or suite in broken
            group.seeds.number(suite)
            check_division(group)
            duplicates += _add_samples(group)
    if duplicates:
        notes.append(
            f"{count(duplicates, 'sample')} occurred twice with the same content and counted once"
        )
    divided = any(run.shard is not None for run in runs)
    if empty and not divided:  # small suites may leave a shard empty
        raise ResultsError(
            f"{empty[0]}: there are no results in this file; did its run end before its first sample?"
        )
    ordered = _with_variant_names(
        [*joined.values()]
    )  # also suites without a sample, whose end says why
    lacking = incomplete(ordered, len(empty))
    return Merged(
        results=_results(ordered, lacking, runs, plans),
        notes=list(dict.fromkeys(notes)),
        unjudgeable=frozenset(number for number, group in enumerate(ordered, 1) if group.torn)
        | lacking.keys(),
        missing=lacking,
        absent=plans.absent,
        planned=plans.number,
        doubts=doubts,
    )


class _Plans:
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
            there = left_out | {suite.number for suite in results.suites if suite.run is run}
            planned: dict[_PlanKey, list[Planned]] = defaultdict(list)
            for suite in run.suites:
                planned[suite.name, suite.model, run.options].append(suite)
            for key, suites in planned.items():  # several, if they have one name
                self._planned[key] = max(self._planned.get(key, ()), suites, key=len)
                self._present[key] = max(
                    self._present[key], sum(suite.number in there for suite in suites)
                )

    @property
    def number(self) -> int:
        """The number of planned suites. Runs with other options may have asked the same suites."""
        most: Counter[tuple[str, str]] = Counter()
        for (name, model, _), suites in self._planned.items():
            most[name, model] = max(most[name, model], len(suites))
        return most.total()

    @property
    def absent(self) -> list[Planned]:
        return [
            suite
            for key, suites in sorted(self._planned.items())
            for suite in suites[self._present[key] :]
        ]

    def given_to(self, runs: Sequence[Run], suites: Sequence[SuiteRecord]) -> list[Run]:
        """The runs, each with its suites by their numbers after joining; the first also with those that are absent."""
        if not self._planned:
            return [replace(run, suites=()) for run in runs]
        plans: list[list[Planned]] = [
            [
                Planned(number=one.number, name=one.name, model=one.model)
                for one in suites
                if one.run is run
            ]
            for run in runs
        ]
        plans[0] += [
            replace(one, number=len(suites) + number) for number, one in enumerate(self.absent, 1)
        ]
        return [replace(run, suites=tuple(plan)) for run, plan in zip(runs, plans, strict=True)]


def asked_of(suite: Suite) -> tuple[object, ...]:
    """How and whom a suite asked. Suites of several files are one if this is equal."""
    reader = None if suite.reader == suite.model else suite.reader
    values = (getattr(suite, name) for name in _ASKED)
    return (
        reader,
        bool(suite.api_seeds),
        *(msgspec.json.encode(value) if isinstance(value, dict) else value for value in values),
    )


def _add_samples(group: Joined) -> int:
    """Adds the samples of the newest part; returns how many of them were there already with the same content."""
    suite, file, lines = group.parts[-1]
    duplicates = 0
    numbers = list(lines) + [0] * (len(suite.samples) - len(lines))
    for sample, line in zip(suite.samples, numbers, strict=True):
        place = f"{file}:{line}"
        first, where = group.samples.setdefault(identity_of(sample), (sample, place))
        if first is sample:
            continue
        if differing := differing_fields(first, sample):
            raise ResultsError(
                f"{place}: this sample is also at {where}, and differs ({', '.join(differing[:_SHOWN_FIELDS])}): "
                f"{named(suite.name, suite.model)}, size {sample.size}, index {sample.index}, repeat {sample.repeat}. "
                "The files are of different runs; report on each separately, or leave one out"
            )
        duplicates += 1
    return duplicates


def identity_of(sample: Sample) -> tuple[object, ...]:
    """What distinguishes a sample from others of its suite, in all runs."""
    given = sample.part(Given)
    if given is None:
        return (*sample.key, sample.counts == "shrunk")
    asked = given.item, given.source, given.sentence, given.text, given.other
    return (*sample.key, sample.counts == "shrunk", *asked)


def differing_fields(one: Sample, other: Sample) -> list[str]:
    """The fields in which two samples and what their suites asked differ, apart from times and costs."""
    names = [
        name
        for name in one.__struct_fields__
        if name not in ("suite", "calls", "parts") and name not in _TIMES
    ]
    differing = [name for name in names if getattr(one, name) != getattr(other, name)]
    asked, other_asked = one.suite.asked, other.suite.asked
    differing += [name for name in _OF_COPIES if getattr(asked, name) != getattr(other_asked, name)]
    if list(map(_without_times, one.calls)) != list(map(_without_times, other.calls)):
        differing.append("calls")
    return sorted(
        differing
        + [name for name in {*one.parts, *other.parts} if _part(one, name) != _part(other, name)]
    )


def _without_times(call: Call) -> Call:
    return replace(call, **_TIMES_OF_CALL)


def _part(sample: Sample, name: str) -> Any:
    return msgspec.to_builtins(sample.parts.get(name))


def _why_unjudgeable(results: Results, file: Path) -> tuple[list[str], set[SuiteRecord]]:
    """Why suites of a file cannot be judged, one sentence each, and these suites."""
    interrupted = {
        suite for suite in results.suites if suite.end is None or suite.end.ended == "interrupted"
    }
    if results.torn is not None:
        return [
            f"{file}: line {results.torn} is incomplete (the run was killed) and was left out"
        ], interrupted
    notes, broken = [], set(interrupted)
    if interrupted:
        notes.append(f"{file}: its run was interrupted, so its interrupted suites are not judged")
    for suite in results.suites:
        samples = suite.regular
        identities = len({identity_of(sample) for sample in samples})
        partial = suite.run.shard is not None or (
            suite.end is not None and suite.end.stopped is not None
        )
        planned = identities if partial else suite.asked.planned or identities
        if suite.end is not None and suite.end.ended == "limit reached":
            planned = identities
        if planned != identities or identities < len(samples):
            found = (
                f"{identities} of {planned} samples"
                if planned != identities
                else "duplicate samples"
            )
            notes.append(
                f"{file}: it has {found} of {named(suite.name, suite.model)}, so this suite is not judged"
            )
            broken.add(suite)
    return notes, broken


def read_suites(files: Sequence[Path]) -> list[SuiteRecord]:
    """The suites of the files. What is left out is reported on standard error."""
    merged = merge(files)
    notes = (*merged.notes, *dict.fromkeys(merged.missing.values()))
    sys.stderr.writelines(f"note: {one_line(note)}\n" for note in notes)
    return merged.suites


def _results(
    groups: Sequence[Joined], lacking: Mapping[int, str], runs: Sequence[Run], plans: _Plans
) -> Results:
    """One record of all groups, numbered from 1. A suite whose parts are all there belongs to no part."""
    suites: list[SuiteRecord] = []
    changed: dict[tuple[int, str | None], Run] = {}
    for number, group in enumerate(groups, 1):
        every = [suite for suite, _, _ in group.parts]
        run = every[0].run
        is_part = run.shard is not None and (number in lacking or group.torn)
        shards = joined_shards(every) if is_part else None
        settings = run.settings if is_part else None
        run = changed.setdefault((id(run), shards), replace(run, shard=shards, settings=settings))
        asked = replace(
            every[0].asked,
            number=number,
            outcomes=_outcomes(every),
            api_seeds=seeds_of(every),
            **_strictest(every),
        )
        end = _end(every, number, torn=group.torn)
        if not is_part and (end is None or end.ended != "limit reached"):
            asked = replace(asked, planned=group.counted)
        suite = every[0]
        suite.asked, suite.run, suite.end = asked, run, end
        joined = (
            one if one.suite is suite else replace(one, suite=suite)
            for one, _ in group.samples.values()
        )
        suite.samples = sorted(joined, key=_place)
        suites.append(suite)
    shown = list({id(suite.run): suite.run for suite in suites}.values()) or list(runs[:1])
    if not shown:
        return Results(suites=suites)
    given = plans.given_to(shown, suites)
    lost = tuple(sorted({file for run in runs for file in run.not_collected}))
    given[0] = replace(given[0], not_collected=lost)
    new = {id(old): run for old, run in zip(shown, given, strict=True)}
    for suite in suites:
        suite.run = new[id(suite.run)]
    return Results(runs=given, suites=suites)


def _outcomes(suites: Sequence[SuiteRecord]) -> tuple[OwnOutcome, ...]:
    """The outcomes that these suites declare, each once; those of one name agree, or reading them had failed."""
    return tuple(
        {one.name: one for suite in reversed(suites) for one in suite.asked.outcomes}.values()
    )


def _place(sample: Sample) -> tuple[object, ...]:
    return (*sample.place, sample.counts == "shrunk", repr(sample.seed), repr(sample.formula))


def _strictest(suites: Sequence[SuiteRecord]) -> dict[str, Any]:
    """What the joined suite must reach: the strictest of the values that its parts had."""
    known: dict[str, Any] = {}
    for name in ("threshold", "agreement"):
        values = [value for suite in suites if (value := getattr(suite.asked, name)) is not None]
        known[name] = max(values, default=None)
    allowed = [suite.asked.collisions for suite in suites if suite.asked.collisions is not None]
    known["collisions"] = min(allowed, default=None)
    known["default_model"] = any(suite.asked.default_model for suite in suites)
    for name in ("incomparable", "ungated"):
        known[name] = (
            "; ".join(sorted({getattr(suite.asked, name) or "" for suite in suites} - {""})) or None
        )
    for name in ("empty_sizes", "sizes"):
        known[name] = tuple(
            sorted({size for suite in suites for size in getattr(suite.asked, name)})
        )
    return known


def _end(suites: Sequence[SuiteRecord], number: int, *, torn: bool) -> SuiteEnd | None:
    """The end of the joined suite: that of its only part, or of parts that all ended. Its verdict is a new one."""
    ends = [suite.end for suite in suites if suite.end is not None]
    if len(ends) < len(suites):
        return None
    found = tuple(example for end in ends for example in end.counterexamples)
    first = next((end for end in ends if end.stopped is not None or end.ended != "whole"), ends[0])
    verdict = first.verdict if len(ends) == 1 and not torn else None
    ended = "interrupted" if torn else first.ended
    end = replace(first, suite=number, verdict=verdict, ended=ended, counterexamples=found)
    # What a gate said of one file, it did not say of all.
    decided = any(gate.verdict != "inconclusive" for other in ends for gate in other.gates)
    if len(ends) > 1 and (decided or any(other.gates != first.gates for other in ends)):
        names = dict.fromkeys(gate.gate for other in ends for gate in other.gates)
        why = _UNJUDGED.format(files=len(ends))
        end = replace(end, gates=tuple(GateResult("inconclusive", why, name) for name in names))
    kept = [(end.figures, end.tables, end.without_figures) for end in ends]
    if all(values == kept[0] for values in kept):
        return end
    # A figure of a part, such as a median, says nothing about the whole.
    why = f"figures of functions of registry.add_figures are missing: those of {len(ends)} files cannot be joined"
    return replace(end, figures=(), tables=(), without_figures=(why,))


def _with_variant_names(groups: Sequence[Joined]) -> list[Joined]:
    """The groups in order of their names. What differs between suites of one test is added to their names."""
    kinds: dict[tuple[str, str], list[Joined]] = defaultdict(list)
    for group in groups:
        asked = group.first.asked
        kinds[asked.function, asked.parameters].append(group)
    for some in kinds.values():
        labels = [_labels(group.first.asked) for group in some]
        if len(set(labels)) > 1:
            for group, own in zip(some, labels, strict=True):
                differing = [
                    label
                    for label, *others in zip(own, *labels, strict=True)
                    if len(set(others)) > 1
                ]
                suite, file, lines = group.parts[0]
                asked = suite.asked
                variant = "-".join(filter(None, (*differing, reader_label(asked.reader or ""))))
                name = suite_name(asked.function, variant, asked.parameters)
                renamed = SuiteRecord(
                    replace(asked, name=name, variant=variant), suite.run, suite.samples, suite.end
                )
                group.parts[0] = (renamed, file, lines)
    return sorted(groups, key=lambda group: (group.first.name, group.first.model))


def _labels(asked: Suite) -> tuple[str, ...]:
    """How a suite was asked, as parts of a name."""
    sent = msgspec.json.encode(asked.parameters_sent).decode() if asked.parameters_sent else ""
    folders = ",".join(Path(folder).name for folder in asked.prompts)
    limits = {
        "prompts": folders or None,
        "temperature": asked.temperature,
        "max_tokens": asked.max_tokens,
        "parameters": sent or None,
    }
    shown = (f"{name}={value}" if value is not None else "" for name, value in limits.items())
    return (
        asked.form_of_prompt,
        asked.prompting,
        "constrained" if asked.constrained else "free",
        *shown,
    )


def read_results(files: Path | str | Sequence[Path | str]) -> Results:
    """Reads the results of a run.

    Args:
        files: a results file, or several: the parts of one run, or runs that are one baseline.

    Returns:
        The results: ``run``, ``suites`` and ``samples`` are typed; ``rows()`` gives flat dicts.

    Raises:
        AutoevalError: a file cannot be read, or the files do not belong together.
    """
    if isinstance(files, str | Path):
        return read_file(files)
    return merge([Path(file) for file in files]).results
