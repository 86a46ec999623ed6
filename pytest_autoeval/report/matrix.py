"""The matrix of a run: suites down, models across. It defines the order in which every report shows suites and models.

The worst suites come first: those with the worst state on any model, then by name. Models are in the order of the model
comparison, the best first; equal ones, and a run without a comparison, by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from pytest_autoeval.judging.gate_verdicts import STATES, STATES_WORST_FIRST, GateVerdict, State
from pytest_autoeval.judging.item_groups import (
    SuiteKey,
    by_item,
    clusters_over_suites,
    side_by_side,
    trials,
)
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.report.model_comparison import ModelComparison
from pytest_autoeval.report.suite_summary import SuiteSummary
from pytest_autoeval.statistics.over_suites import MeanRate, mean_rate


class Cell(Struct, frozen=True, kw_only=True):
    """A model on the suite of this ``number``, and the models that it is significantly worse than."""

    number: SuiteKey
    verdict: GateVerdict
    worse_than: tuple[str, ...]

    @property
    def state(self) -> State:
        """The verdict in the words that readers see."""
        return STATES[self.verdict]


class MatrixRow(Struct, frozen=True, kw_only=True):
    """Suites that ask the same, with a cell for each model of the matrix: None if the model did not run it.

    ``suite`` is their name. Two suites of one name and model are in two rows.
    """

    suite: str
    cells: tuple[Cell | None, ...]

    @property
    def state(self) -> State:
        """The worst state of the cells."""
        return min(
            (cell.state for cell in self.cells if cell is not None), key=STATES_WORST_FIRST.index
        )


class AllSuites(Struct, frozen=True, kw_only=True):
    """The mean pass rate of each model over ``suites``. ``left_out`` are the suites that do not count.

    Only complete suites that all models answered count. Suites whose samples depended on the answers, because
    they stopped early, do not: their rates are not comparable.
    """

    suites: tuple[str, ...]
    left_out: tuple[str, ...]
    means: tuple[MeanRate, ...]


class Matrix(Struct, frozen=True, kw_only=True):
    """Models and suites in the order in which they are shown; ``all_suites`` is None with fewer than two suites."""

    models: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    all_suites: AllSuites | None


def in_order(
    summaries: Iterable[SuiteSummary], model_comparison: ModelComparison | None
) -> list[SuiteSummary]:
    """The summaries in the order in which they are shown: by suite, then by model."""
    listed = list(summaries)
    compared = () if model_comparison is None else model_comparison.models
    # The comparison has the best model first.
    best = {overall.model: rank for rank, overall in enumerate(compared)}
    ordered: list[tuple[tuple[int, str, int], list[SuiteSummary]]] = []
    for row, group in enumerate(_rows(listed)):
        worst = min(
            STATES_WORST_FIRST.index(STATES[summary.judgement.verdict]) for summary in group
        )
        # Models that the comparison does not have come last, by name.
        group.sort(
            key=lambda summary: (best.get(summary.gate.model, len(best)), summary.gate.model)
        )
        # The worst rows come first, then the names decide. The number of the row tells suites of one name apart.
        ordered.append(((worst, group[0].gate.suite, row), group))
    return [
        summary for _, group in sorted(ordered, key=lambda entry: entry[0]) for summary in group
    ]


def _rows(summaries: Iterable[SuiteSummary]) -> list[list[SuiteSummary]]:
    """The summaries of each row of the matrix, in the order in which the rows first occur."""
    by_suite = {summary.suite: summary for summary in summaries}
    in_turn = sorted(by_suite, key=lambda suite: suite.number)
    row_of: dict[SuiteRecord, int] = {}
    for row, suites in enumerate(side_by_side(in_turn)):
        row_of.update(dict.fromkeys(suites, row))
    rows: dict[int, list[SuiteSummary]] = {}
    for suite, summary in by_suite.items():
        rows.setdefault(row_of[suite], []).append(summary)
    return list(rows.values())


def matrix_of(
    summaries: Sequence[SuiteSummary], model_comparison: ModelComparison | None
) -> Matrix:
    """The matrix of summaries that are in order."""
    compared = [] if model_comparison is None else [rank.model for rank in model_comparison.models]
    models = tuple(
        dict.fromkeys([*compared, *sorted({summary.gate.model for summary in summaries})])
    )
    worse = _worse(model_comparison)
    grouped_rows = []
    rows = []
    for group in _rows(summaries):
        by_model = {summary.gate.model: summary for summary in group}
        grouped_rows.append(by_model)
        # A suite may have been asked of some models alone: the others have an empty cell.
        cells = tuple(_cell(by_model.get(model), worse) for model in models)
        rows.append(MatrixRow(suite=_name(by_model), cells=cells))
    return Matrix(models=models, rows=tuple(rows), all_suites=_all_suites(grouped_rows, models))


def _cell(summary: SuiteSummary | None, worse: Mapping[SuiteKey, tuple[str, ...]]) -> Cell | None:
    if summary is None:
        return None
    number = summary.gate.number
    return Cell(
        number=number,
        verdict=summary.judgement.verdict,
        worse_than=worse.get(number, ()),
    )


def _worse(model_comparison: ModelComparison | None) -> Mapping[SuiteKey, tuple[str, ...]]:
    better_models: dict[SuiteKey, tuple[str, ...]] = {}
    if model_comparison is None:
        return better_models
    for suite in model_comparison.suites:
        numbers = {result.model: result.number for result in suite.models}
        for pair in suite.pairs:
            if not pair.significant:
                continue
            better = pair.second if pair.worse == pair.first else pair.first
            number = numbers[pair.worse]
            # A model may be worse than several others.
            better_models[number] = (*better_models.get(number, ()), better)
    return better_models


def _all_suites(
    rows: Sequence[Mapping[str, SuiteSummary]], models: Sequence[str]
) -> AllSuites | None:
    """The means over the rows of the matrix, each of which has the summaries by model."""
    if len(rows) < 2:
        return None
    counting, left_out = [], []
    for row in rows:
        # The means of two models can be compared only if they are over the same suites.
        counts_for_all = all(_counts(row.get(model)) for model in models)
        if counts_for_all:
            counting.append(row)
        else:
            left_out.append(row)
    means = [_mean(model, counting) for model in models] if counting else []
    return AllSuites(
        suites=tuple(map(_name, counting)),
        left_out=tuple(map(_name, left_out)),
        means=tuple(means),
    )


def _mean(model: str, rows: Sequence[Mapping[str, SuiteSummary]]) -> MeanRate:
    """The mean of a model over the suites of the rows, some of which may have formulas in common."""
    suites = []
    counts = []
    for row in rows:
        items = list(by_item(row[model].samples).values())
        suites.append(items)
        counts.append([trials(tried) for tried in items])
    # Formulas in common make the suites dependent: they are drawn together.
    return mean_rate(counts, clusters_over_suites(suites))


def _name(row: Mapping[str, SuiteSummary]) -> str:
    return next(iter(row.values())).gate.suite


def _counts(summary: SuiteSummary | None) -> bool:
    """Whether the rate of a suite and model is one of all its samples, chosen without their answers."""
    if summary is None:
        return False
    gate = summary.gate
    return (
        gate.rate.total > 0
        and not gate.interrupted
        and not gate.ungated
        and gate.stopped_early is None
    )
