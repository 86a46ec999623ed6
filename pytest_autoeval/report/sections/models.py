"""The models of a run beside each other: their standing over all suites, and the differences of each pair."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_autoeval.record.figures import Figure
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import AnyBlock, Column, Row, Section, Table
from pytest_autoeval.report.model_comparison import Difference, ModelComparison
from pytest_autoeval.report.sections.values import columns_of_differences, note


def models(analysis: Analysis) -> Iterator[Section]:
    """The section about the models; none if no suite has answers of two."""
    compared = analysis.model_comparison
    if compared is None:
        return
    blocks: list[AnyBlock] = [*_standing(compared)]
    blocks += map(note, compared.notes)
    blocks += _differences(compared)
    yield Section(name="models", title="the models", blocks=tuple(blocks))


def _standing(compared: ModelComparison) -> Iterator[Table]:
    """The models by their mean ranks, the best first."""
    if all(rank.mean_rank is None for rank in compared.models):
        return
    rows = [
        Row(
            (
                rank.model,
                Figure("mean rank", rank.mean_rank, low=rank.low, high=rank.high, n=rank.suites),
                rank.suites,
            )
        )
        for rank in compared.models
    ]
    yield Table(
        title="standing over the suites that all models answered",
        thing="model",
        columns=(
            Column("model", "name"),
            Column("mean rank", "number"),
            Column("suites", "count", optional=True),
        ),
        rows=tuple(rows),
        level="verbose",
    )


def _differences(compared: ModelComparison) -> Iterator[Table]:
    """Each pair of models on each suite; a star stands at a significant difference."""
    rows = []
    for suite in compared.suites:
        for pair in suite.pairs:
            # The number of the cell with the difference.
            marked = (3,) if pair.significant else ()
            # Without pairs there are no counts. Zeros would look like results.
            tested: tuple[int | None, ...] = (None,) * 5
            if pair.difference is not None:
                tested = (pair.won, pair.lost, pair.both, pair.neither, pair.pairs)
            cells = (
                suite.suite,
                pair.first,
                pair.second,
                _difference(pair),
                *tested,
                pair.p,
                pair.p_corrected,
            )
            rows.append(Row(cells, marked=marked))
    if rows:
        yield Table(
            title="differences of the models",
            thing="pair",
            columns=columns_of_differences(
                Column("model", "name"), "won", "lost", "both passed", "neither", "pairs"
            ),
            rows=tuple(rows),
            mark="significant: by the corrected p, or by horizons whose intervals have no size in common",
            level="verbose",
        )


def _difference(pair: Difference) -> Figure | None:
    if pair.difference is None:
        return None
    return Figure("difference", pair.difference, "points", pair.low, pair.high, n=pair.pairs)
