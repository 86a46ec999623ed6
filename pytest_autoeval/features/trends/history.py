"""The runs of a history in the order of their dates, and the pass rate and measures of each suite and model over them.

Each run is read, measured and compared with the run before, and then forgotten: the memory holds numbers of all runs,
and for each suite and model the samples of its first run and of the run before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.baseline import answered_test
from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.item_groups import by_item
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.run_differences import stopped_early
from pytest_autoeval.judging.suite_judgement import judge_suite
from pytest_autoeval.record.figure_sentences import given_rate, number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.file import first_run
from pytest_autoeval.record.lines import Run, SuiteRecord
from pytest_autoeval.record.merging import merge
from pytest_autoeval.report.matrix_measures import measures
from pytest_autoeval.report.suite_figures import figures_of
from pytest_autoeval.statistics.multiplicity import holm
from pytest_autoeval.statistics.paired import PairedTest

#: What a suite keeps over the runs, in which its numbers differ: its name, its model, and which of the suites of this
#: name and model it is, from 0.
_TrendKey = tuple[str, str, int]
#: Where the date of a run comes from: its results (``rows``), or the modification time of its file.
DatedBy = Literal["rows", "file"]
#: The run that a point is compared with.
Reference = Literal["the run before", "the first run", "the baseline"]


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run of the history: its name, its results files (several for the parts of one run), and its date."""

    name: str
    files: tuple[Path, ...]
    started: datetime
    dated_by: DatedBy

    @property
    def sort_key(self) -> tuple[datetime, str]:
        """Sorts runs by date; those of one second by name."""
        return self.started, self.name


class Rated(NamedTuple):
    """A pass rate with its 95 % interval, from ``low`` to ``high``, and the samples: ``passed`` of ``total``.

    ``lower`` is the rate if all undecided samples had failed, ``upper`` if all had passed.
    """

    lower: float
    upper: float
    low: float
    high: float
    passed: int
    total: int


@dataclass(frozen=True, slots=True)
class Compared:
    """The paired test of a point against another run.

    ``p`` is the p-value corrected for all tests of the history; 1 until all of them are made.
    """

    reference: Reference
    test: PairedTest
    p: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendPoint:
    """A suite and model in the run with the number ``run``.

    ``rate`` is None if no sample was answered. ``measured`` are the measures of the suite, such as the horizon, by
    the names of their columns. ``doubt`` is the reason why the point is compared with no other run,
    empty if it is. ``figures`` are those of the task and of the user. ``fell`` is set where a significant fall begins:
    the test that shows it.
    """

    run: int
    rate: Rated | None
    measured: Mapping[str, Figure]
    errors: int
    figures: tuple[Figure, ...] = ()
    doubt: str = ""
    compared: tuple[Compared, ...] = ()
    fell: Compared | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """One suite and model over the runs that have it, the oldest first.

    ``baseline`` is the point of the baseline, if there is one with this suite and model.
    """

    suite: str
    model: str
    points: tuple[TrendPoint, ...]
    baseline: TrendPoint | None = None

    @property
    def falls(self) -> list[TrendPoint]:
        """The points at which a significant fall begins."""
        return [point for point in self.points if point.fell is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All runs, the oldest first, and the trends by suite and model. ``tests`` is the number of tests made."""

    runs: tuple[PastRun, ...]
    trends: tuple[Trend, ...]
    alpha: float
    tests: int
    notes: tuple[str, ...]

    @property
    def dates(self) -> Sentence:
        """The sentence that says where the dates come from."""
        counts = Counter(run.dated_by for run in self.runs)
        if not counts["file"]:
            return Sentence("dated by the start that the results name")
        if not counts["rows"]:
            return Sentence(
                "dated by the modification time of the files, since the results name no start"
            )
        text = (
            "dated by the start that the results name; {older} by the modification time of the file"
        )
        return sentence(text, older=number(counts["file"], "older run"))

    @property
    def method(self) -> Sentence:
        """The sentence that says how a fall is found."""
        reference = (
            "the baseline" if any(trend.baseline for trend in self.trends) else "the first run"
        )
        return sentence(
            f"a fall is a pass rate significantly below that of the run before, or of {reference}: exact paired test "
            "on the formulas of both runs, one-sided, p-values corrected by Holm for {tests}, level {level}",
            tests=number(self.tests, "test"),
            level=given_rate("level", self.alpha),
        )


def date_text(run: PastRun) -> str:
    """The day of a run, in UTC."""
    return f"{run.started:%Y-%m-%d}"


def find_runs(paths: Sequence[Path], least: int = 1) -> tuple[list[PastRun], list[str]]:
    """The runs in folders and files, the oldest first, and a note on each file that is left out.

    A folder stands for all `*.jsonl` in it and in folders below. Every file is a run; the parts of a run
    (`--autoeval-shard`) in one folder are one run. Raises :class:`AutoevalError` for fewer than ``least`` runs.
    """
    notes: list[str] = []
    runs: list[PastRun] = []
    shards: dict[tuple[Path, str | None], list[PastRun]] = defaultdict(list)
    for name, file in _files(paths):
        try:
            begun = first_run(file)
        except AutoevalError as problem:
            notes.append(f"left out of the history: {problem}")
            continue
        if begun is None:
            notes.append(f"left out of the history: {file}: there are no results in this file")
        elif begun.shard is None:
            runs.append(run_of([file], begun, name))
        else:
            # The parts of one run are in one folder, by which it is named, and have the same settings.
            shard = run_of([file], begun, str(Path(name).parent))
            shards[file.parent, begun.settings].append(shard)
    for (folder, _), parts in shards.items():
        # If the folder itself was given, the files are directly in it, and the path to them is ".".
        name = parts[0].name if parts[0].name != "." else folder.name
        files = chain.from_iterable(part.files for part in parts)
        # A run began when the first of its parts began.
        begun_first = min(parts, key=lambda part: part.started)
        runs.append(replace(begun_first, name=name, files=tuple(files)))
    if len(runs) < least:
        where = ", ".join(map(str, paths))
        raise AutoevalError("; ".join([f"--history: no results in {where}", *notes]))
    return sorted(runs, key=lambda run: run.sort_key), notes


def run_of(files: Sequence[Path], run: Run, name: str) -> PastRun:
    """The run of some files, of which ``run`` is the header of the first."""
    try:
        stated = datetime.fromisoformat(run.started or "")
        # A time without a zone is taken as UTC.
        started = stated.astimezone(UTC) if stated.tzinfo else stated.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        # Results of older releases name no start.
        changed = min(file.stat().st_mtime for file in files)
        return PastRun(name, tuple(files), datetime.fromtimestamp(changed, UTC), "file")
    return PastRun(name, tuple(files), started, "rows")


def _files(paths: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Each file once, with its name: its path without the ending, which begins inside the folder that was given."""
    seen = set[Path]()
    for path in paths:
        is_folder = path.is_dir()
        files = sorted(path.rglob("*.jsonl")) if is_folder else [path]
        for file in files:
            # If a file is given, and its folder, too, it is still one run.
            if file.resolve() in seen:
                continue
            seen.add(file.resolve())
            shown_path = file.relative_to(path) if is_folder else file
            yield str(shown_path.with_suffix("")), file


def history_of(
    runs: Sequence[PastRun],
    rules: Rules,
    *,
    baseline: Iterable[SuiteRecord] | None = None,
    notes: Sequence[str] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> History:
    """Reads the runs one after another. A run that cannot be read is left out, and a note says why.

    ``baseline`` are the suites of the run that each point is compared with, by default the first run that has the suite
    and model. Raises :class:`AutoevalError` if no run can be read.
    """
    points = _PointsOfRuns(None if baseline is None else Baseline(baseline))
    runs_read: list[PastRun] = []
    notes = list(notes)
    for position, run in enumerate(runs, 1):
        progress(f"history: run {position} of {len(runs)}, {run.name}")
        try:
            merged = merge(run.files, keep_messages=False)
        except AutoevalError as problem:
            notes.append(f"left out of the history: {problem}")
            continue
        points.add(len(runs_read), merged.suites, merged.unjudgeable)
        runs_read.append(run)
    if not runs_read:
        raise AutoevalError("; ".join(["--history: no run could be read", *notes]))
    trends, tests = points.trends(rules.alpha)
    return History(
        runs=tuple(runs_read),
        trends=tuple(trends),
        alpha=rules.alpha,
        tests=tests,
        notes=tuple(notes),
    )


class _PointsOfRuns:
    """The points of the runs so far, and the suites that the points of the next run are compared with."""

    def __init__(self, baseline: Baseline | None) -> None:
        self._baseline = baseline
        self._points: dict[_TrendKey, list[TrendPoint]] = defaultdict(list)
        #: The points of the baseline that some point was compared with.
        self._baseline_points: dict[_TrendKey, TrendPoint] = {}
        #: Each suite as it was in its first run and in its newest one, of the runs in which it is not doubtful.
        self._first: dict[_TrendKey, Baseline] = {}
        self._newest: dict[_TrendKey, Baseline] = {}

    def add(
        self, run_number: int, suites: Iterable[SuiteRecord], unjudgeable: Container[int]
    ) -> None:
        """Adds the points of the run with this number; ``unjudgeable`` are the numbers of suites that are not whole."""
        times: Counter[tuple[str, str]] = Counter()
        for suite in suites:
            if not suite.regular:
                continue
            # Two suites of one name and model are two trends, told apart by their order.
            key = suite.name, suite.model, times[suite.name, suite.model]
            times[suite.name, suite.model] += 1
            doubt = _doubt(suite, complete=suite.number not in unjudgeable)
            point = _point(run_number, suite, doubt)
            point = replace(point, figures=tuple(figures_of(suite)))
            # A doubtful point is shown. No other point is compared with it: it could look like a fall.
            if not doubt and point.rate is not None:
                point = replace(point, compared=tuple(self._comparisons(key, suite)))
                self._newest[key] = Baseline([suite])
                self._first.setdefault(key, self._newest[key])
            self._points[key].append(point)

    def _comparisons(self, key: _TrendKey, suite: SuiteRecord) -> Iterator[Compared]:
        """The tests of a suite against the run before, and against the baseline or the first run."""
        before = self._newest.get(key)
        first = self._first.get(key)
        references: list[tuple[Reference, Baseline | None]] = [("the run before", before)]
        # A slow fall may be significant between no two runs in a row, so a fixed run is a reference too.
        if self._baseline is not None:
            references.append(("the baseline", self._baseline))
        elif first is not before:
            references.append(("the first run", first))
        for reference, baseline in references:
            if baseline is None:
                continue
            compared = baseline.compared_with(suite)
            suite_before = compared.before
            if suite_before is None or suite_before.model != suite.model:
                continue
            # A server that forces the syntax makes other answers: a difference would not be a trend of the model.
            if suite_before.asked.constrained != suite.asked.constrained:
                continue
            if reference == "the baseline" and key not in self._baseline_points:
                # The baseline is no run of the history, so no number is its own.
                self._baseline_points[key] = _point(-1, suite_before, doubt="")
            test = answered_test(compared.pairs)
            if test is not None:
                yield Compared(reference, test)

    def trends(self, alpha: float) -> tuple[list[Trend], int]:
        """The trends with their falls, and the number of tests."""
        points_by_key = sorted(self._points.items())
        p_values = []
        for _, points in points_by_key:
            for comparison in chain.from_iterable(point.compared for point in points):
                p_value = comparison.test.p_value
                # A test without a p-value counts too: which points are compared must not depend on how they came out.
                p_values.append(1.0 if p_value is None else p_value)
        corrected_p_values = iter(holm(p_values))
        trends = []
        for key, points in points_by_key:
            corrected = []
            # In the order in which the p-values were listed.
            for point in points:
                compared = [
                    replace(comparison, p=next(corrected_p_values)) for comparison in point.compared
                ]
                corrected.append(replace(point, compared=tuple(compared)))
            suite, model, _ = key
            trend = Trend(
                suite=suite,
                model=model,
                points=tuple(_with_falls(corrected, alpha)),
                baseline=self._baseline_points.get(key),
            )
            trends.append(trend)
        return trends, len(p_values)


def _with_falls(points: Iterable[TrendPoint], alpha: float) -> Iterator[TrendPoint]:
    """The points, with the significant test where a fall begins.

    A point significantly below the run before begins a fall. So does one significantly below the baseline or the first
    run, unless the point before it was low already.
    """
    was_low = False
    for point in points:
        if not point.compared:
            yield point
            continue
        # Of a corrected p-value below alpha; the tests are one-sided, so the point is lower than the reference.
        significant = [comparison for comparison in point.compared if comparison.p < alpha]
        shows_beginning = [
            comparison
            for comparison in significant
            if comparison.reference == "the run before" or not was_low
        ]
        yield replace(point, fell=shows_beginning[0]) if shows_beginning else point
        was_low = bool(significant)


def _doubt(suite: SuiteRecord, *, complete: bool) -> str:
    """Why a suite is compared with no other run; empty if it is."""
    if suite.asked.incomparable is not None:
        return "a run of an older release"
    if stopped_early(suite):
        return "stopped early"
    lacks_samples = ("limit reached", "nothing verified")
    ended_early = suite.end is not None and suite.end.ended in lacks_samples
    if ended_early or not complete:
        return "interrupted, or not all of its samples are there"
    return ""


def _point(run_number: int, suite: SuiteRecord, doubt: str) -> TrendPoint:
    # The rules say when a suite passes. The pass rate and the errors are the same by all rules.
    gate = judge_suite(suite, Rules()).gate
    rate = gate.rate
    rated = None
    if rate.total:
        interval = rate.interval()
        rated = Rated(rate.lower, rate.upper, interval.low, interval.high, rate.passed, rate.total)
    items = by_item(suite.counted)
    figures = {measure.column.name: measure.of(items) for measure in measures()}
    measured = {name: figure for name, figure in figures.items() if figure is not None}
    return TrendPoint(
        run=run_number, rate=rated, measured=measured, errors=gate.errors, doubt=doubt
    )
