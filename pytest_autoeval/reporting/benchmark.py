"""The scores of sentences in logic as the study's tables have them: tasks and data sets down, models and forms across.

Source of the tables' shape: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026), tables 2–4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.statistics.repeats import Spread, spread

#: The forms, in the order of their columns, as the study heads them.
FORMS: Mapping[str, str] = {"english": "NL", "formulas": "FOL"}


#: The names of scores, in the order of the study's tables; scores of other tasks follow by their names.
_ORDER = (
    *("Logical translation", "Open translation", "Informalization", "Most similar"),
    *("Ranking-Eq.", "Ranking-Neg.", "Ranking-Both", "Entailment"),
)


class Column(NamedTuple):
    """A column: a model, and the form (a key of :data:`FORMS`) of what it was shown or asked for."""

    model: str
    form: str


class ScoreLine(NamedTuple):
    """A row of the table: a score, the data set, and the variant, where a run has several."""

    score: str
    data_set: str
    variant: str

    @property
    def task(self) -> str:
        """The score with its variant."""
        return f"{self.score} ({self.variant})" if self.variant else self.score


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The table: its columns and lines in order, and the spread over repeats of each score that there is."""

    columns: tuple[Column, ...]
    lines: tuple[ScoreLine, ...]
    cells: Mapping[tuple[ScoreLine, Column], Spread]


def benchmark(rows: Iterable[Row]) -> Benchmark | None:
    """The table of some rows, None where none names a score; errors are left out, undecided rows are failures.

    A row names its score in its key ``benchmark``.
    """
    scored: dict[tuple[ScoreLine, Column], dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))
    counting = [row for row in rows if row.benchmark and row.form in FORMS and row.kind != "error"]
    variants: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for row in counting:
        variants[row.benchmark or ""] |= {_variant(row)} - {()}
    for row in counting:
        asked = variants[row.benchmark or ""]
        shared = set[str].intersection(*map(set, asked)) if asked else set()
        variant = ", ".join(part for part in _variant(row) if part not in shared)
        for name, holds in _scores(row).items():
            line = ScoreLine(name, str(row.facts.get("data_set") or row.grammar), variant)
            scored[line, Column(row.model, row.form or "")][row.repeat].append(holds)
    if not scored:
        return None
    lines = sorted({line for line, _ in scored}, key=_place)
    models = sorted({column.model for _, column in scored})
    columns = [Column(model, form) for model in models for form in FORMS]
    return Benchmark(
        columns=tuple(column for column in columns if any((line, column) in scored for line in lines)),
        lines=tuple(lines),
        cells={key: spread([fmean(repeats[at]) for at in sorted(repeats)]) for key, repeats in scored.items()},
    )


def cell_text(cell: Spread | None) -> str:
    """A score as the study writes it: ``.84±.03`` over repeats, ``.84`` of one, a dash where there is none."""
    if cell is None:
        return "–"
    return _short(cell.mean) + ("" if cell.deviation is None else f"±{cell.deviation:.2f}".replace("0.", ".", 1))


def _short(rate: float) -> str:
    """A rate with two decimals; only a whole rate is shown as 1.00, and only zero as .00."""
    shown = min(rate, 0.99) if rate < 1 else rate
    return f"{max(shown, 0.01) if shown > 0 else shown:.2f}".removeprefix("0")


def _scores(row: Row) -> dict[str, bool]:
    """The scores of a row by their names; a ranking has three."""
    name = row.benchmark or ""
    if row.figures != "rankings":
        return {name: row.passed}
    first, last = (row.facts.get(key) is True for key in ("ranking_equivalence", "ranking_negation"))
    return {f"{name}-Eq.": first, f"{name}-Neg.": last, f"{name}-Both": row.passed}


def _place(line: ScoreLine) -> tuple[int, ScoreLine]:
    return _ORDER.index(line.score) if line.score in _ORDER else len(_ORDER), line


def _variant(row: Row) -> tuple[str, ...]:
    """Interface and prompting; an embedding model has neither, whatever the other models have."""
    if "similarities" in row.facts:
        return ()
    return tuple(filter(None, (row.interface, row.prompting)))
