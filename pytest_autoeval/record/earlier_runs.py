"""Reads the runs that are one baseline: files and folders of results, with the parts of one run joined."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_autoeval.errors import AutoevalError, unknown_name
from pytest_autoeval.outcomes import SampleOutcome
from pytest_autoeval.record.file import (
    Results,
    ResultsError,
    first_run,
    near_file,
    read_file,
)
from pytest_autoeval.record.lines import Planned, Run, Sample, Suite, SuiteRecord
from pytest_autoeval.record.merging import asked_of, differing_fields, identity_of, merge
from pytest_autoeval.record.shards import refuse_parts, shards_of
from pytest_autoeval.record.suite_names import named_by, shown_prompts
from pytest_autoeval.text import count

#: How many files the name of a baseline lists.
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierRuns:
    """The runs that are one baseline.

    ``files`` were read, and ``runs`` is the number of runs in them: the parts of one run count once. ``suites`` are
    those of all runs; a suite that several runs have is there several times. One that a run did not reach has no
    samples. ``notes`` say what was left out.
    """

    files: Sequence[Path]
    runs: int
    suites: Sequence[SuiteRecord]
    notes: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The baseline as reports show it: ``good.jsonl``, or ``3 runs: a.jsonl, b.jsonl, c.jsonl``."""
        names = [file.name for file in self.files]
        if len(names) == 1:
            return names[0]
        text = f"{count(self.runs, 'run')}: {', '.join(names[:_MOST_NAMED])}"
        hidden = len(names) - _MOST_NAMED
        return f"{text} and {hidden} more" if hidden > 0 else text

    @property
    def models(self) -> list[str]:
        """The models that were asked."""
        return sorted({suite.model for suite in self.suites if suite.regular})

    def check_model(self, name: str | None) -> None:
        """Raises :class:`AutoevalError` for a model that is not in the baseline."""
        if name is not None and name not in self.models:
            raise AutoevalError(unknown_name("model of the baseline", name, self.models))

    def check_variant(self, variant: Mapping[str, str | None]) -> None:
        """Raises :class:`AutoevalError` for a prompting, interface, reader or folder that is not in the baseline.

        Args:
            variant: the name of each kind, such as ``prompting``; None for a kind that was not chosen.
        """
        suites = [suite.asked for suite in self.suites if suite.regular]
        for kind, name in variant.items():
            # A round trip without an interface was asked in the usual form, which has a name.
            field = "form_of_prompt" if kind == "interface" else kind
            values = [getattr(suite, field) for suite in suites]
            if kind == "prompts" and name is not None:
                if any(named_by(name, folders) for folders in values):
                    continue
                values = [shown_prompts(folders) for folders in values]
            names = sorted({str(value) for value in values if value})
            if name is None or name in names:
                continue
            what = "folder of prompts" if kind == "prompts" else kind
            problem = unknown_name(f"{what} of the baseline", name, names)
            # A name without a kind is that of an interface or of a prompting.
            if kind == "interface" and any(named_by(name, suite.prompts) for suite in suites):
                problem += f" For the folder of prompts, write prompts:{name}"
            raise AutoevalError(problem)

    def check_outcomes(self, added: Mapping[str, SampleOutcome]) -> None:
        """Raises :class:`AutoevalError` if an outcome that the run added counts in another way in the baseline."""
        for suite in self.suites:
            for before in suite.asked.outcomes:
                now = added.get(before.name)
                if now is not None and (now.code, now.kind) != (before.code, before.kind):
                    raise AutoevalError(
                        f"the outcome {before.name!r} is {before.code} ({before.kind}) in the baseline, and {now.code} "
                        f"({now.kind}) in this run; give it the same code and kind, or another name"
                    )


def results_files(paths: Iterable[Path]) -> list[Path]:
    """The files that these paths name, each once: a folder stands for the ``*.jsonl`` in it, without those below.

    Raises :class:`ResultsError` for a path that does not exist, and for a folder without results.
    """
    files: dict[Path, Path] = {}
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.glob("*.jsonl") if not file.is_dir())
            if not inside:
                raise ResultsError(
                    f"{path}: there are no results in this folder (*.jsonl; folders below do not count)"
                )
        elif path.exists():
            inside = [path]
        else:
            raise ResultsError(f"{path}: there is no such file{near_file(path)}")
        for file in inside:
            # A file may be given by two paths, or be in a folder that is given too.
            files.setdefault(file.resolve(), file)
    return list(files.values())


def read_earlier_runs(
    paths: Sequence[Path], progress: Callable[[str], None] = lambda _: None
) -> EarlierRuns:
    """Reads the runs of a baseline from files and folders.

    The parts of a run (`--autoeval-shard`) are joined. A sample that is in two files from the same calls counts once.
    Raises :class:`AutoevalError` if a file cannot be read or has no results, and if parts are missing.
    """
    files = results_files(paths)
    runs = _runs_in(files, progress)
    suites: list[SuiteRecord] = []
    notes: list[str] = []
    for files_of_run in runs:
        # A comparison needs no more than the digests of the messages.
        merged = merge(files_of_run, keep_messages=False)
        # Before anything is compared: formulas of a part that is missing would be left out without a word.
        refuse_parts(merged.suites)
        if not any(suite.samples for suite in merged.suites):
            raise ResultsError(f"{files_of_run[0]} contains no results")
        suites += merged.suites
        # Else a suite that the run was to ask would look like a new one, which blocks nothing.
        run = merged.results.runs[0]
        suites += [_not_reached(planned, run) for planned in merged.absent]
        # A doubt says that a suite is not judged. A baseline is never judged: the note below says what holds of it.
        notes += [f"the baseline: {note}" for note in merged.notes if note not in merged.doubts]
        not_whole = len(merged.unjudgeable) + len(merged.absent)
        if not_whole:
            suites_text = count(not_whole, "suite")
            name = files_of_run[0].name
            notes.append(
                f"the baseline {name} is not whole ({suites_text}): only its samples are compared"
            )
    if twice := _leave_out_copies(suites):
        samples = f"{count(twice, 'sample')} of the baseline {'is' if twice == 1 else 'are'}"
        notes.append(f"{samples} in two of its files, from the same calls, and counted once")
    return EarlierRuns(files=files, runs=len(runs), suites=suites, notes=notes)


def _not_reached(planned: Planned, run: Run) -> SuiteRecord:
    """A suite that a run was to ask, without samples: the run was cut off before."""
    asked = Suite(
        number=planned.number, name=planned.name, model=planned.model, language="", source=""
    )
    return SuiteRecord(asked, run)


class _Parts:
    """Files with parts of one run: no part of a suite is in two of them."""

    def __init__(self) -> None:
        self.files: list[Path] = []
        self._known: set[tuple[object, ...]] = set()

    def takes(self, results: Results) -> bool:
        """Whether the parts in a file belong here."""
        return self._known.isdisjoint(_parts_in(results))

    def add(self, file: Path, results: Results) -> None:
        self.files.append(file)
        self._known |= _parts_in(results)


def _parts_in(results: Results) -> set[tuple[object, ...]]:
    """The parts of suites in a file."""
    keys: set[tuple[object, ...]] = set()
    for suite in results.suites:
        question = asked_of(suite.asked)
        numbers = (0,) if suite.run.shard is None else shards_of(suite)[0]
        keys |= {(*question, number) for number in numbers}
    return keys


def _runs_in(files: Sequence[Path], progress: Callable[[str], None]) -> list[list[Path]]:
    """The files of each run. Every file is a run, but files with parts of one run belong together.

    If the same run was made several times in parts, the first file with each part belongs to the first run.
    """
    runs: list[list[Path]] = []
    # By what all parts of one run share: the settings, and the number of parts.
    divided: dict[tuple[object, ...], list[_Parts]] = defaultdict(list)
    for number, file in enumerate(files, 1):
        progress(f"reading {file} ({number} of {len(files)})")
        # Only the first line: most files are whole runs, and are read once, when they are merged.
        begun = first_run(file)
        if begun is None or begun.shard is None:
            runs.append([file])
            continue
        results = read_file(file, keep_messages=False)
        equal_runs = divided[begun.settings, begun.shard.rpartition("/")[2]]
        files_of_run = next((run for run in equal_runs if run.takes(results)), None)
        if files_of_run is None:
            files_of_run = _Parts()
            equal_runs.append(files_of_run)
            runs.append(files_of_run.files)
        files_of_run.add(file, results)
    return runs


def _leave_out_copies(suites: Sequence[SuiteRecord]) -> int:
    """Leaves out samples that an earlier suite has from the same calls; returns how many."""
    earlier: dict[tuple[object, ...], list[Sample]] = defaultdict(list)
    left_out = 0
    for suite in suites:
        own: list[tuple[tuple[object, ...], Sample]] = []
        for sample in suite.samples:
            key = (*asked_of(suite.asked), *identity_of(sample))
            if any(_from_same_calls(sample, copy) for copy in earlier[key]):
                left_out += 1
            else:
                own.append((key, sample))
        suite.samples = [sample for _, sample in own]
        # Only now: two equal samples of one suite are two answers, and both count.
        for key, sample in own:
            earlier[key].append(sample)
    return left_out


def _from_same_calls(sample: Sample, copy: Sample) -> bool:
    """Whether two equal samples are one: a recording replayed the answers, or all times that were measured are equal.

    A model that was asked twice may give equal answers, but not in equal times.
    """
    if differing_fields(sample, copy):
        return False
    if any(call.replayed for call in (*sample.calls, *copy.calls)):
        return True
    return _times(sample) == _times(copy)


def _times(sample: Sample) -> tuple[str | None, list[float | None]]:
    """The measured times of a sample, in seconds. Without any, the start of its run stands for them."""
    times = [sample.verdict_seconds, *(call.seconds for call in sample.calls)]
    measured = any(seconds is not None for seconds in times)
    # The start alone would not do: a file that was joined with others names the start of another run.
    started = None if measured else sample.suite.run.started
    return started, times
