"""Joins several results files: each sample counts once, and suites that cannot be judged are listed.

The files may be of the parts of one run (`--autoeval-shard`), which belong together.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from pytest_autoeval.errors import raises_here
from pytest_autoeval.record.calls import Call
from pytest_autoeval.record.distinct_samples import number_of_distinct
from pytest_autoeval.record.file import Results, ResultsError, read_file
from pytest_autoeval.record.joined_suites import Plans, joined_results
from pytest_autoeval.record.lines import Planned, Run, Sample, Suite, SuiteRecord
from pytest_autoeval.record.shards import Joined, check_division, incomplete
from pytest_autoeval.record.suite_names import folder_labels, named, reader_label, suite_name
from pytest_autoeval.record.task_parts import Given
from pytest_autoeval.text import count, one_line

#: How many differing fields a message lists.
_SHOWN_FIELDS = 4
#: How many suites a note names.
_NAMED = 4
#: The fields of a suite that say which model was asked, and how. Suites of several files with equal ones are one suite.
_ASKED = (
    "function",
    "parameters",
    "model",
    "form_of_prompt",
    "prompting",
    "constrained",
    "prompts",
    "temperature",
    "max_tokens",
    "parameters_sent",
)
#: Other fields of a suite. If a sample is in several files, its suites must agree in them.
_SAME_FOR_COPIES = (
    "language",
    "task",
    "form",
    "figures",
    "benchmark",
    "copies",
    "threshold",
    "agreement",
)
#: Fields of a sample that differ between two equal runs, and those that are compared in another way.
_NOT_COMPARED = frozenset({"verdict_seconds", "suite", "calls", "parts"})
#: Fields of a call that differ between two equal runs, with values that make them equal.
_TIMES_OF_CALL = {"cost": None, "seconds": None, "replayed": False, "repeated": False}


class Merged(Struct, frozen=True, kw_only=True):
    """What several files hold together.

    Attributes:
        results: the suites of all files, each sample once.
        notes: what was left out, or cannot be judged, one sentence each.
        unjudgeable: the numbers of the suites that cannot be judged.
        missing: what is missing of such a suite, by its number, if that is known.
        absent: suites that the runs planned, and that no file has.
        planned: the number of suites that the runs planned, also of those that were left out.
        doubts: those of the notes that say why suites cannot be judged.
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
        """Files of tests that could not be collected, so that their suites are unknown."""
        return sorted({file for run in self.results.runs for file in run.not_collected})


def merge(
    files: Sequence[Path],
    progress: Callable[[str], None] = lambda _: None,
    *,
    keep_messages: bool = True,
) -> Merged:
    """Joins the files, in order. ``progress`` receives a line before each file. Raises :class:`AutoevalError`.

    Without ``keep_messages``, calls lack the messages that were sent (see `read_file`).

    A sample in several files with the same content (apart from times and costs) counts once. A sample that occurs twice
    in one file shows that two runs wrote to the file, so its suite cannot be judged. If suites of one name were asked
    in different ways, what differs is added to their names. A suite with all its parts (`--autoeval-shard`) is
    complete.
    """
    #: By what a suite asked, and which of the equal suites of its run it is.
    joined: dict[tuple[object, ...], Joined] = {}
    runs: list[Run] = []
    notes: list[str] = []
    doubts: list[str] = []
    duplicates = 0
    files_without_samples: list[Path] = []
    plans = Plans()
    for number, file in enumerate(files, 1):
        progress(f"reading {file} ({number} of {len(files)})")
        results = read_file(file, keep_messages=keep_messages)
        plans.add(results)
        runs += results.runs
        new_doubts, broken = _why_unjudgeable(results, file)
        notes += new_doubts
        doubts += new_doubts
        if not results.samples:
            files_without_samples.append(file)
        # Two suites of one run stay two, although they asked alike: the second joins the second of the other files.
        occurrences = Counter[tuple[object, ...]]()
        for suite in results.suites:
            question = asked_of(suite.asked)
            question_in_run = (*question, id(suite.run))
            occurrences[question_in_run] += 1
            group = joined.setdefault((*question, occurrences[question_in_run]), Joined())
            group.parts.append((suite, file, results.lines.get(suite, ())))
            group.torn = group.torn or suite in broken
            # In this order: seeds become repeats, samples are compared by their repeats, and only those of the parts of
            # one run may be equal.
            group.seeds.number(suite)
            check_division(group)
            duplicates += _add_samples(group)
    if duplicates:
        notes.append(
            f"{count(duplicates, 'sample')} occurred twice with the same content and counted once"
        )
    divided = any(run.shard is not None for run in runs)
    if files_without_samples and not divided:  # small suites may leave a shard empty
        file = files_without_samples[0]
        raise ResultsError(
            f"{file}: there are no results in this file; did its run end before its first sample?"
        )
    if plans.absent:
        doubt = _never_begun(plans.absent)
        notes.append(doubt)
        doubts.append(doubt)
    # Suites without a sample stay too: their end says why they have none.
    ordered = _with_variant_names([*joined.values()])
    missing = incomplete(ordered, len(files_without_samples))
    torn = {number for number, group in enumerate(ordered, 1) if group.torn}
    return Merged(
        results=joined_results(ordered, missing, runs, plans),
        notes=list(dict.fromkeys(notes)),
        unjudgeable=frozenset(torn | missing.keys()),
        missing=missing,
        absent=plans.absent,
        planned=plans.number,
        doubts=doubts,
    )


def asked_of(suite: Suite) -> tuple[object, ...]:
    """The model that a suite asked, and how. Suites of several files are one if this is equal."""
    # A model that is named as its own reader reads as it does without a reader.
    reader = None if suite.reader == suite.model else suite.reader

    def hashable(value: object) -> object:
        return msgspec.json.encode(value) if isinstance(value, dict) else value

    # Whether seeds were sent matters, but not which: each seed becomes a repeat of the joined suite.
    return (reader, bool(suite.api_seeds), *(hashable(getattr(suite, name)) for name in _ASKED))


def _add_samples(group: Joined) -> int:
    """Adds the samples of the newest part; returns how many of them were there already with the same content."""
    suite = group.parts[-1][0]
    duplicates = 0
    for sample in suite.samples:
        earlier = group.samples.setdefault(identity_of(sample), sample)
        is_new = earlier is sample
        if is_new:
            continue
        differing = differing_fields(earlier, sample)
        if differing:
            fields = ", ".join(differing[:_SHOWN_FIELDS])
            raise ResultsError(
                f"{group.location_of(sample)}: this sample is also at {group.location_of(earlier)}, "
                f"and differs ({fields}): "
                f"{named(suite.name, suite.model)}, size {sample.size}, index {sample.index}, repeat {sample.repeat}. "
                "The files are of different runs; report on each separately, or leave one out"
            )
        duplicates += 1
    return duplicates


def identity_of(sample: Sample) -> tuple[object, ...]:
    """What distinguishes a sample from others of its suite, in all runs."""
    is_shrunk = sample.counts == "shrunk"
    item = sample.part(Given)
    if item is None:
        return (*sample.key, is_shrunk)
    # A data set may have several items with one formula.
    own = (item.item, item.source, item.sentence, item.text, item.other)
    return (*sample.key, is_shrunk, *own)


def differing_fields(sample: Sample, copy: Sample) -> list[str]:
    """The fields in which two samples and what their suites asked differ, apart from times and costs."""
    fields = [name for name in sample.__struct_fields__ if name not in _NOT_COMPARED]
    differing = [name for name in fields if getattr(sample, name) != getattr(copy, name)]
    suite, suite_of_copy = sample.suite.asked, copy.suite.asked
    differing += [
        name for name in _SAME_FOR_COPIES if getattr(suite, name) != getattr(suite_of_copy, name)
    ]
    if _calls_without_times(sample) != _calls_without_times(copy):
        differing.append("calls")
    part_names = {*sample.parts, *copy.parts}
    differing += [name for name in part_names if _part(sample, name) != _part(copy, name)]
    # The names of the parts come from a set, and a message must be the same in each run.
    return sorted(differing)


def _calls_without_times(sample: Sample) -> list[Call]:
    return [replace(call, **_TIMES_OF_CALL) for call in sample.calls]


def _part(sample: Sample, name: str) -> Any:
    """A part of a sample as plain values. One of two equal parts may have been read before its type was known."""
    return msgspec.to_builtins(sample.parts.get(name))


def _why_unjudgeable(results: Results, file: Path) -> tuple[list[str], set[SuiteRecord]]:
    """Why suites of a file cannot be judged, one sentence each, and these suites."""
    # An interrupted suite has the samples that ended first. These may be the easier ones, so its rate says little.
    interrupted = {
        suite for suite in results.suites if suite.end is None or suite.end.ended == "interrupted"
    }
    if results.torn is not None:
        # Most suites of a killed run lack samples, which needs no further sentences.
        note = f"{file}: line {results.torn} is incomplete (the run was killed) and was left out"
        return [note], interrupted
    notes = []
    if interrupted:
        notes.append(f"{file}: its run was interrupted, so its interrupted suites are not judged")
    broken = set(interrupted)
    for suite in results.suites:
        problem = problem_of_samples(suite)
        if problem:
            name = named(suite.name, suite.model)
            notes.append(f"{file}: it has {problem} of {name}, so this suite is not judged")
            broken.add(suite)
    return notes, broken


def _never_begun(suites: Sequence[Planned]) -> str:
    """The note about suites that a run planned, and that left nothing in its file."""
    names = [named(suite.name, suite.model) for suite in suites[:_NAMED]]
    if hidden := len(suites) - len(names):
        names.append(f"{hidden} more")
    these = "this suite is" if len(suites) == 1 else "these suites are"
    return f"the run ended before it began {', '.join(names)}, so {these} not judged"


def problem_of_samples(suite: SuiteRecord) -> str:
    """What is wrong with the number of a suite's samples: some are missing, or occur twice; empty if nothing is."""
    samples = suite.regular
    distinct = number_of_distinct(samples, identity_of)
    # A file need not say how many were planned.
    planned = suite.asked.planned or distinct
    if planned != distinct and not _may_lack_samples(suite):
        return f"{distinct} of {planned} samples"
    return "duplicate samples" if distinct < len(samples) else ""


def _may_lack_samples(suite: SuiteRecord) -> bool:
    """Whether a suite may have fewer samples than planned for a good reason: it is a part, or it was ended early."""
    if suite.run.shard is not None:
        return True
    end = suite.end
    ended_early = ("limit reached", "nothing verified")
    return end is not None and (end.stopped is not None or end.ended in ended_early)


def read_suites(files: Sequence[Path]) -> list[SuiteRecord]:
    """The suites of the files, without the messages that were sent. What is left out is reported on standard error."""
    merged = merge(files, keep_messages=False)
    notes = (*merged.notes, *dict.fromkeys(merged.missing.values()))
    sys.stderr.writelines(f"note: {one_line(note)}\n" for note in notes)
    return merged.suites


def _with_variant_names(groups: Sequence[Joined]) -> list[Joined]:
    """The groups in order of their names. What differs between suites of one test is added to their names."""
    tests: dict[tuple[str, str], list[Joined]] = defaultdict(list)
    for group in groups:
        suite = group.first.asked
        tests[suite.function, suite.parameters].append(group)
    for groups_of_test in tests.values():
        suites = [group.first.asked for group in groups_of_test]
        own_folders = _own_folders(suites)
        labels = [_labels(suite, own_folders) for suite in suites]
        # The positions at which not all suites have the same label.
        differing = [
            position
            for position, labels_there in enumerate(zip(*labels, strict=True))
            if len(set(labels_there)) > 1
        ]
        if not differing:
            continue
        for group, own_labels in zip(groups_of_test, labels, strict=True):
            _rename(group, [own_labels[position] for position in differing])
    # By names, since the files may be given in any order.
    return sorted(groups, key=lambda group: (group.first.name, group.first.model))


def _rename(group: Joined, labels: Sequence[str]) -> None:
    """Gives a suite a name with these labels. The first of its parts names it."""
    suite, file, lines = group.parts[0]
    variant = "-".join(filter(None, (*labels, reader_label(suite.asked.reader or ""))))
    name = suite_name(suite.asked.function, variant, suite.asked.parameters)
    asked = replace(suite.asked, name=name, variant=variant)
    # A record of its own: samples of the same file still belong to the record that was read.
    renamed = SuiteRecord(asked, suite.run, suite.samples, suite.end)
    group.parts[0] = (renamed, file, lines)


def _own_folders(suites: Sequence[Suite]) -> dict[str, str]:
    """The folders of prompts that not all suites of a test have, each with its label."""
    shared = set.intersection(*(set(suite.prompts) for suite in suites))
    folders: dict[str, None] = {}
    for suite in suites:
        folders.update((folder, None) for folder in suite.prompts if folder not in shared)
    return folder_labels(folders)


def _labels(suite: Suite, own_folders: Mapping[str, str]) -> tuple[str, ...]:
    """How a suite was asked, as parts of a name. The labels of all suites have one order; an absent one is empty."""
    folders = [own_folders[folder] for folder in suite.prompts if folder in own_folders]
    sent = msgspec.json.encode(suite.parameters_sent).decode()
    return (
        suite.form_of_prompt,
        suite.prompting,
        "constrained" if suite.constrained else "free",
        ",".join(folders),
        "" if suite.temperature is None else f"temperature={suite.temperature}",
        "" if suite.max_tokens is None else f"max_tokens={suite.max_tokens}",
        f"parameters={sent}" if suite.parameters_sent else "",
    )


@raises_here
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
    # Whatever else was given is refused below, with its value.
    paths = list(files) if isinstance(files, Iterable) else [files]
    for path in paths:
        if not isinstance(path, str | Path):
            raise ResultsError(
                f"files={path!r:.60} is no path; give a results file, or a list of them"
            )
    if not paths:
        raise ResultsError("files=[] is empty; give a results file, or a list of them")
    return merge([Path(path) for path in paths]).results
