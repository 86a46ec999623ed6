"""The runs of a history in the order of their dates, and the pass rate and measures of each suite and model over them.

Each run is read, measured and compared with the run before, and then forgotten: the memory holds numbers of all runs,
and for each suite and model the samples of its first run and of the run before.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.baseline import answered_test
from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.item_groups import by_item
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.run_differences import stopped_early
from pytest_autoeval.judging.suite_judgement import SuiteJudgement, judge_suite
from pytest_autoeval.record.figure_sentences import given_rate, number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.file import first_run
from pytest_autoeval.record.lines import Run, SuiteRecord
from pytest_autoeval.record.merging import merge
from pytest_autoeval.report.matrix_measures import measures
from pytest_autoeval.report.suite_figures import figures_of
from pytest_autoeval.statistics.multiplicity import holm
from pytest_autoeval.statistics.paired import PairedTest

#: A suite over the runs, whose numbers differ: its name, its model, and which suite of this name and model it is.
_Trend = tuple[str, str, int]
#: Where the date of a run comes from: its results (``rows``), or the modification time of its file.
DatedBy = Literal["rows", "file"]
Reference = Literal["the run before", "the first run", "the baseline"]


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run of the history: its name, its results files (several for the parts of one run), and its date."""

    name: str
    files: tuple[Path, ...]
    started: datetime
    dated_by: DatedBy

    @property
    def place(self) -> tuple[datetime, str]:
        """Sorts runs by date; those of one second by name."""
        return self.started, self.name


class Rated(NamedTuple):
    """A pass rate: both bounds, the ends of the 95 % interval, and the samples, ``passed`` of ``total``."""

    lower: float
    upper: float
    low: float
    high: float
    passed: int
    total: int


@dataclass(frozen=True, slots=True)
class Compared:
    """The paired test of a point against another run. ``p`` is corrected for all tests of the history."""

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
    single: list[PastRun] = []
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
            single.append(run_of([file], begun, name))
        else:
            # The parts of one run have the same settings.
            shard = run_of([file], begun, str(Path(name).parent))
            shards[file.parent, begun.settings].append(shard)
    for (folder, _), runs in shards.items():
        # The folder itself may have been named.
        name = runs[0].name if runs[0].name != "." else folder.name
        files = tuple(file for run in runs for file in run.files)
        # A run began when the first of its parts began.
        begun_first = min(runs, key=lambda run: run.started)
        single.append(replace(begun_first, name=name, files=files))
    if len(single) < least:
        where = ", ".join(map(str, paths))
        raise AutoevalError("; ".join([f"--history: no results in {where}", *notes]))
    return sorted(single, key=lambda run: run.place), notes


def run_of(files: Sequence[Path], run: Run, name: str) -> PastRun:
    """The run of some files."""
    try:
        stated = datetime.fromisoformat(run.started or "")
        started = stated.astimezone(UTC) if stated.tzinfo else stated.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        # Results of older releases name no start.
        changed = min(file.stat().st_mtime for file in files)
        return PastRun(name, tuple(files), datetime.fromtimestamp(changed, UTC), "file")
    return PastRun(name, tuple(files), started, "rows")


def _files(paths: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Each file once, with its name: its place in the given folder, without the ending."""
    seen = set[Path]()
    for path in paths:
        inside = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
        for file in inside:
            # A file that is named beside its folder is one run.
            if file.resolve() not in seen:
                seen.add(file.resolve())
                place = file.relative_to(path) if path.is_dir() else file
                yield str(place.with_suffix("")), file


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
    collected = _Collected(None if baseline is None else Baseline(baseline))
    read: list[PastRun] = []
    notes = list(notes)
    for position, run in enumerate(runs, 1):
        progress(f"history: run {position} of {len(runs)}, {run.name}")
        try:
            merged = merge(run.files)
        except AutoevalError as problem:
            notes.append(f"left out of the history: {problem}")
            continue
        collected.add(len(read), merged.suites, merged.unjudgeable)
        read.append(run)
    if not read:
        raise AutoevalError("; ".join(["--history: no run could be read", *notes]))
    trends, tests = collected.trends(rules.alpha)
    return History(
        runs=tuple(read), trends=tuple(trends), alpha=rules.alpha, tests=tests, notes=tuple(notes)
    )


class _Collected:
    """The points of the runs so far."""

    def __init__(self, baseline: Baseline | None) -> None:
        self._baseline = baseline
        self._points: dict[_Trend, list[TrendPoint]] = defaultdict(list)
        self._baselines: dict[_Trend, TrendPoint] = {}
        self._first: dict[_Trend, Baseline] = {}
        self._before: dict[_Trend, Baseline] = {}

    def add(self, number: int, suites: Iterable[SuiteRecord], unjudgeable: Container[int]) -> None:
        """Adds the points of the run with this number; ``unjudgeable`` are the numbers of suites that are not whole."""
        times: Counter[tuple[str, str]] = Counter()
        for suite in suites:
            if not suite.regular:
                continue
            # Two suites of one name and model are two trends, told apart by their order.
            key = suite.name, suite.model, times[suite.name, suite.model]
            times[suite.name, suite.model] += 1
            judgement = judge_suite(suite, Rules())
            doubt = _doubt(suite, complete=suite.number not in unjudgeable)
            point = _point(number, suite, judgement, doubt)
            point = replace(point, figures=tuple(figures_of(suite)))
            # A doubtful point is shown. No other point is compared with it: it could look like a fall.
            if not doubt and point.rate is not None:
                point = replace(point, compared=tuple(self._comparisons(key, suite)))
                self._before[key] = Baseline([suite])
                self._first.setdefault(key, self._before[key])
            self._points[key].append(point)

    def _comparisons(self, key: _Trend, suite: SuiteRecord) -> Iterator[Compared]:
        before = self._before.get(key)
        oldest = self._first.get(key)
        references: list[tuple[Reference, Baseline | None]] = [("the run before", before)]
        # A slow fall may be significant between no two runs in a row, so a fixed run is a reference too.
        if self._baseline is not None:
            references.append(("the baseline", self._baseline))
        elif oldest is not before:
            references.append(("the first run", oldest))
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
            if reference == "the baseline" and key not in self._baselines:
                judgement = judge_suite(suite_before, Rules())
                self._baselines[key] = _point(-1, suite_before, judgement, "")
            test = answered_test(compared.pairs)
            if test is not None:
                yield Compared(reference, test)

    def trends(self, alpha: float) -> tuple[list[Trend], int]:
        """The trends with their falls, and the number of tests."""
        ordered = sorted(self._points.items())
        tests = [test for _, points in ordered for point in points for test in point.compared]
        p_values = (comparison.test.p_value for comparison in tests)
        # A test without a p-value counts too: which points are compared must not depend on how they came out.
        adjusted = iter(holm([1.0 if p_value is None else p_value for p_value in p_values]))
        trends = []
        for key, points in ordered:
            corrected = []
            # In the order in which the p-values were listed.
            for point in points:
                compared = [replace(comparison, p=next(adjusted)) for comparison in point.compared]
                corrected.append(replace(point, compared=tuple(compared)))
            trend = Trend(
                suite=key[0],
                model=key[1],
                points=tuple(_with_falls(corrected, alpha)),
                baseline=self._baselines.get(key),
            )
            trends.append(trend)
        return trends, len(tests)


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
        significant = [comparison for comparison in point.compared if comparison.p < alpha]
        begins = [
            comparison
            for comparison in significant
            if comparison.reference == "the run before" or not was_low
        ]
        yield replace(point, fell=begins[0]) if begins else point
        was_low = bool(significant)


def _doubt(suite: SuiteRecord, *, complete: bool) -> str:
    if suite.asked.incomparable is not None:
        return "a run of an older release"
    if stopped_early(suite):
        return "stopped early"
    limited = suite.end is not None and suite.end.ended == "limit reached"
    return "" if complete and not limited else "interrupted, or not all of its samples are there"


def _point(number: int, suite: SuiteRecord, judgement: SuiteJudgement, doubt: str) -> TrendPoint:
    gate = judgement.gate
    rated = None
    if gate.rate.total:
        rate = gate.rate
        interval = gate.rate.interval()
        rated = Rated(rate.lower, rate.upper, interval.low, interval.high, rate.passed, rate.total)
    items = by_item(suite.counted)
    figures = {measure.column.name: measure.of(items) for measure in measures()}
    measured = {name: figure for name, figure in figures.items() if figure is not None}
    return TrendPoint(run=number, rate=rated, measured=measured, errors=gate.errors, doubt=doubt)
