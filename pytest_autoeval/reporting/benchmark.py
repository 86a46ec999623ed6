"""The scores of sentences in logic as the study's tables have them: tasks and data sets down, models and forms across.

Source of the tables' shape: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026), tables 2–4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.results import Row
from pytest_autoeval.statistics.repeats import Spread, spread

#: The forms, in the order of their columns, as the study heads them.
FORMS: Mapping[str, str] = {"english": "NL", "formulas": "FOL"}


def _passed(row: Row) -> bool:
    return outcome_named(row["outcome"]).kind == "pass"


def _ranked(score: str) -> Callable[[Row], bool]:
    return lambda row: row.get(score) is True


#: What is scored of the rows of a task, by the name of the score; tasks that differ in form alone go by one name.
_SCORES: Mapping[str, Mapping[str, Callable[[Row], bool]]] = {
    "logical_translation": {"Logical translation": _passed},
    "open_translation": {"Open translation": _passed},
    "informalization": {"Informalization": _passed},
    "most_similar": {"Most similar": _passed},
    "ranking": {
        "Ranking-Eq.": _ranked("ranking_equivalence"),
        "Ranking-Neg.": _ranked("ranking_negation"),
        "Ranking-Both": _passed,
    },
    "entailment": {"Entailment": _passed},
}


class Column(NamedTuple):
    """A column: a model, and the form (a key of :data:`FORMS`) of what it was shown or asked for."""

    model: str
    form: str


class Line(NamedTuple):
    """A row of the table: a score, the data set, and how it was asked, where a run asked in several ways."""

    score: str
    data_set: str
    variant: str

    @property
    def task(self) -> str:
        """The score with how it was asked."""
        return f"{self.score} ({self.variant})" if self.variant else self.score


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The table: its columns and lines in order, and the spread over repeats of each score that there is."""

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    cells: Mapping[tuple[Line, Column], Spread]


def benchmark(rows: Iterable[Row]) -> Benchmark | None:
    """The table of some rows, None where none is of these tasks; errors are left out, undecided rows are failures."""
    scored: dict[tuple[Line, Column], dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))
    told = [row for row in rows if row.get("form") in FORMS and outcome_named(row["outcome"]).kind != "error"]
    ways: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for row in told:
        ways[_plain(row)] |= {_way(row)} - {()}
    for row in told:
        column = Column(row["model"], row["form"])
        shared = set[str].intersection(*map(set, ways[_plain(row)])) if ways[_plain(row)] else set()
        variant = ", ".join(part for part in _way(row) if part not in shared)
        for name, holds in _SCORES.get(_plain(row), {}).items():
            line = Line(name, str(row.get("data_set") or row["grammar"]), variant)
            scored[line, column][row["repeat"] or 0].append(holds(row))
    if not scored:
        return None
    order = [name for scores in _SCORES.values() for name in scores]
    lines = sorted({line for line, _ in scored}, key=lambda line: (order.index(line.score), line))
    models = sorted({column.model for _, column in scored})
    columns = [Column(model, form) for model in models for form in FORMS]
    return Benchmark(
        columns=tuple(column for column in columns if any((line, column) in scored for line in lines)),
        lines=tuple(lines),
        cells={key: spread([_rate(repeats[at]) for at in sorted(repeats)]) for key, repeats in scored.items()},
    )


def cell_text(cell: Spread | None) -> str:
    """A score as the study writes it: ``.84±.03`` over repeats, ``.84`` of one, a dash where there is none."""
    if cell is None:
        return "–"
    return _short(cell.mean) + ("" if cell.deviation is None else f"±{cell.deviation:.2f}".replace("0.", ".", 1))


def _short(rate: float) -> str:
    """A rate with two decimals; 1.00 and .00 are said of nothing less and nothing more."""
    shown = min(rate, 0.99) if rate < 1 else rate
    return f"{max(shown, 0.01) if shown > 0 else shown:.2f}".removeprefix("0")


def _plain(row: Row) -> str:
    """The task without its form."""
    return str(row.get("task") or "").removesuffix(f"_{row['form']}")


def _way(row: Row) -> tuple[str, ...]:
    """How the row was asked; a model that only embeds texts is asked in one way, whatever the others are asked in."""
    if "similarities" in row:
        return ()
    return tuple(filter(None, (row.get("interface"), row.get("way"))))


def _rate(held: Sequence[bool]) -> float:
    return sum(held) / len(held)
