"""The models of a run beside each other: their standing over all suites, and the differences of each pair."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_autoeval.record.figures import Figure
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import AnyBlock, Column, Level, Row, Section, Table
from pytest_autoeval.report.model_comparison import Difference, ModelComparison
from pytest_autoeval.report.sections.values import columns_of_differences, note

#: The position of the difference among the cells of a pair.
_DIFFERENCE_CELL = 3
#: So many differences are shown without -v.
_FEW = 3


def models(analysis: Analysis) -> Iterator[Section]:
    """The section about the models; none if no suite has answers of two."""
    comparison = analysis.model_comparison
    if comparison is None:
        return
    blocks: list[AnyBlock] = [*_standing(comparison)]
    blocks += map(note, comparison.notes)
    blocks += _differences(comparison)
    yield Section(name="models", title="the models", blocks=tuple(blocks))


def _standing(comparison: ModelComparison) -> Iterator[Table]:
    """The models by their mean ranks, the best first."""
    if all(rank.mean_rank is None for rank in comparison.models):
        return
    rows = []
    for rank in comparison.models:
        mean_rank = Figure("mean rank", rank.mean_rank, low=rank.low, high=rank.high, n=rank.suites)
        rows.append(Row((rank.model, mean_rank, rank.suites)))
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


def _differences(comparison: ModelComparison) -> Iterator[Table]:
    """Each pair of models on each suite; a star stands at a significant difference."""
    rows = []
    for suite in comparison.suites:
        for pair in suite.pairs:
            marked = (_DIFFERENCE_CELL,) if pair.significant else ()
            # Without pairs there are no counts. Zeros would look like results.
            counts: tuple[int | None, ...] = (None, None, None, None, None)
            if pair.difference is not None:
                counts = (pair.won, pair.lost, pair.both, pair.neither, pair.pairs)
            cells = (
                suite.suite,
                pair.first,
                pair.second,
                _difference(pair),
                *counts,
                pair.p,
                pair.p_corrected,
            )
            rows.append(Row(cells, marked=marked))
    # A few differences are what a run of two models was made for. Of many, the matrix marks the significant ones.
    level: Level = "default" if len(rows) <= _FEW else "verbose"
    if rows:
        yield Table(
            title="differences of the models",
            thing="pair",
            columns=columns_of_differences(
                Column("model", "name"), "won", "lost", "both passed", "neither", "pairs"
            ),
            rows=tuple(rows),
            mark=_meaning_of_stars(comparison),
            level=level,
        )


def _meaning_of_stars(comparison: ModelComparison) -> str:
    """What a star says. Only pairs without common formulas are compared by their horizons."""
    pairs = [pair for suite in comparison.suites for pair in suite.pairs]
    by_horizon = any(pair.significant and pair.p is None for pair in pairs)
    text = "significant: by the corrected p"
    return f"{text}, or by horizons whose intervals have no size in common" if by_horizon else text


def _difference(pair: Difference) -> Figure | None:
    if pair.difference is None:
        return None
    return Figure("difference", pair.difference, "points", pair.low, pair.high, n=pair.pairs)
