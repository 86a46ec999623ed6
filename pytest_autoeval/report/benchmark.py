"""The scores of sentences in logic, laid out as in the study's tables: tasks and data sets by models and forms.

Source of the layout: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026), tables 2–4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from statistics import fmean
from typing import Any

from msgspec import UNSET

from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Answered, Given
from pytest_autoeval.statistics.repeats import Spread, spread
from pytest_autoeval.text import Line, aligned, in_parts, one_line, shorten, shorten_start

#: The forms of the question or answer, in the order of their columns, with the study's headings.
_FORMS = {"english": "NL", "formulas": "FOL"}
#: The names of scores in the order of the study's tables. Scores of other tasks follow in alphabetical order.
_ORDER = (
    *("Logical translation", "Open translation", "Informalization", "Most similar"),
    *("Ranking-Eq.", "Ranking-Neg.", "Ranking-Both", "Entailment"),
)
#: The largest width in columns of the name of a data set or model.
_LONGEST = 24


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """A column: a model, and the form, ``NL`` or ``FOL``."""

    model: str
    form: str


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A row of the table: a score (with the variant, if there are several), the data set, a score for each column.

    ``samples`` are the numbers of samples of the scores.
    """

    task: str
    data_set: str
    cells: tuple[Spread | None, ...]
    samples: tuple[int, ...]

    @property
    def texts(self) -> list[str]:
        """The scores as the study writes them."""
        return list(map(cell_text, self.cells))


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The table with its columns and lines in order. ``repeated``: some scores are means over repeats."""

    columns: tuple[ScoreColumn, ...]
    lines: tuple[ScoreLine, ...]
    repeated: bool


def benchmark(samples: Iterable[Sample]) -> Benchmark | None:
    """The table of the samples that name a score, or None; without errors, and what older releases did otherwise."""
    scored: dict[tuple[tuple[str, str, str], ScoreColumn], dict[int, list[bool]]] = defaultdict(
        lambda: defaultdict(list)
    )
    counting = [sample for sample in samples if _is_scored(sample)]
    variants: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for sample in counting:
        variants[sample.suite.asked.benchmark or ""] |= {_variant(sample)} - {()}
    for sample in counting:
        asked = sample.suite.asked
        variant = ", ".join(_variant(sample)) if len(variants[asked.benchmark or ""]) > 1 else ""
        for name, holds in _scores(sample).items():
            key = name, sample.part_or_empty(Given).data_set or asked.source, variant
            scored[key, ScoreColumn(sample.model, _FORMS[asked.form or ""])][sample.repeat].append(holds)
    if not scored:
        return None
    cells = {key: spread([fmean(repeats[at]) for at in sorted(repeats)]) for key, repeats in scored.items()}
    models, present = {column.model for _, column in cells}, {column for _, column in cells}
    ordered = (ScoreColumn(model, form) for model in sorted(models) for form in _FORMS.values())
    columns = tuple(column for column in ordered if column in present)
    lines = []
    for key in sorted({key for key, _ in cells}, key=lambda key: ((*_ORDER, key[0]).index(key[0]), key)):
        name, data_set, variant = key
        numbers = tuple(sum(map(len, scored.get((key, column), {}).values())) for column in columns)
        scores = tuple(cells.get((key, column)) for column in columns)
        lines.append(ScoreLine(f"{name} ({variant})" if variant else name, data_set, scores, numbers))
    return Benchmark(columns, tuple(lines), repeated=any(cell.deviation is not None for cell in cells.values()))


def _is_scored(sample: Sample) -> bool:
    asked = sample.suite.asked
    has_score = bool(asked.benchmark) and asked.form in _FORMS and asked.incomparable is None
    return has_score and sample.kind != OutcomeKind.ERROR


def cell_text(cell: Spread | None) -> str:
    """A score as the study writes it: ``.84±.03`` over repeats, ``.84`` of one run, a dash without samples.

    Only a rate of exactly 1 is shown as 1.00, and only 0 as .00.
    """
    if cell is None:
        return "–"
    rate = cell.mean if cell.mean in (0.0, 1.0) else min(max(cell.mean, 0.01), 0.99)
    deviation = "" if cell.deviation is None else f"±{cell.deviation:.2f}".replace("0.", ".", 1)
    return f"{rate:.2f}".removeprefix("0") + deviation


def _scores(sample: Sample) -> dict[str, bool]:
    asked, answered = sample.suite.asked, sample.part_or_empty(Answered)
    name = asked.benchmark or ""
    if asked.figures != "rankings":
        return {name: sample.passed}
    first, last = answered.ranking_equivalence is True, answered.ranking_negation is True
    return {f"{name}-Eq.": first, f"{name}-Neg.": last, f"{name}-Both": sample.passed}


def _variant(sample: Sample) -> tuple[str, ...]:
    """Interface and prompting; empty for an embedding model."""
    asked = sample.suite.asked
    if sample.part_or_empty(Answered).similarities is not UNSET:
        return ()
    return tuple(filter(None, (asked.interface, asked.prompting)))


def benchmark_data(table: Benchmark) -> dict[str, Any]:
    """The table as plain basic types, with texts for the scores."""
    lines = [{"task": line.task, "data_set": line.data_set, "cells": line.texts} for line in table.lines]
    return {"columns": list(map(asdict, table.columns)), "lines": lines, "repeated": table.repeated}


def benchmark_lines(table: Benchmark | None, width: int) -> Iterator[Line]:
    """The table, split into as many parts as its models need; empty without a table."""
    if table is None:
        return
    yield Line("")
    repeated = " (mean ± standard deviation over repeats)" if table.repeated else ""
    yield Line(f"scores by form: NL in English, FOL in formulas{repeated}", "title")
    names = [(line.task, shorten_start(one_line(line.data_set), _LONGEST)) for line in table.lines]
    labels = aligned([("", ""), ("task", "data set"), *names], left=2)
    labels = [label.ljust(max(map(len, labels))) for label in labels]
    blocks = []
    for model, some in groupby(range(len(table.columns)), key=lambda at: table.columns[at].model):
        places = list(some)
        texts = [
            [table.columns[at].form for at in places],
            *([line.texts[at] for at in places] for line in table.lines),
        ]
        block = [shorten(one_line(model), _LONGEST), *aligned(texts, left=0)]
        blocks.append([text.rjust(max(map(len, block))) for text in block])
    yield from (Line(f"  {line}") for line in in_parts(labels, blocks, width - 2))
