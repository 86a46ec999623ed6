"""The scores of sentences in logic, laid out as in the study's tables: tasks and data sets by models and forms.

Source of the layout: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026), tables 2–4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from msgspec import UNSET

from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Answered, Given
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Column, Row, Section, Table
from pytest_autoeval.statistics.repeat_statistics import Spread, spread

#: The forms of the question or answer, in the order of their columns, with the study's headings.
FORM_HEADINGS = {"english": "NL", "formulas": "FOL"}
#: The names of scores in the order of the study's tables. Scores of other tasks follow in alphabetical order.
_ORDER = (
    *("Logical translation", "Open translation", "Informalization", "Most similar"),
    *("Ranking-Eq.", "Ranking-Neg.", "Ranking-Both", "Entailment"),
)


#: The name of a score, its data set, and its variant if there are several.
_Score: TypeAlias = tuple[str, str, str]
#: Whether samples have a score, by the number of the repeat.
_Repeats: TypeAlias = dict[int, list[bool]]


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


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The table with its columns and lines in order. ``repeated``: some scores are means over repeats."""

    columns: tuple[ScoreColumn, ...]
    lines: tuple[ScoreLine, ...]
    repeated: bool


def benchmark(samples: Iterable[Sample]) -> Benchmark | None:
    """The table of the samples that name a score, or None; without errors, and what older releases did otherwise."""
    scored = _scored([sample for sample in samples if is_scored(sample)])
    if not scored:
        return None
    cells = {}
    for key, repeats in scored.items():
        # The mean of each repeat first: the deviation is that of runs, not of samples.
        rates = [fmean(repeats[repeat]) for repeat in sorted(repeats)]
        cells[key] = spread(rates)
    columns = _in_order({column for _, column in cells})
    lines = []
    for score in sorted({score for score, _ in cells}, key=_place):
        name, data_set, variant = score
        answers = [scored.get((score, column), {}) for column in columns]
        lines.append(
            ScoreLine(
                task=f"{name} ({variant})" if variant else name,
                data_set=data_set,
                cells=tuple(cells.get((score, column)) for column in columns),
                samples=tuple(sum(map(len, repeats.values())) for repeats in answers),
            )
        )
    is_repeated = any(cell.deviation is not None for cell in cells.values())
    return Benchmark(columns, tuple(lines), repeated=is_repeated)


def _scored(samples: Sequence[Sample]) -> Mapping[tuple[_Score, ScoreColumn], _Repeats]:
    """Whether each sample has a score, by the score, the column and the repeat."""
    scored: dict[tuple[_Score, ScoreColumn], _Repeats] = defaultdict(lambda: defaultdict(list))
    variants: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    # The variants of all models first: a model with one variant needs its name too if another model has several.
    for sample in samples:
        variants[sample.suite.asked.benchmark or ""] |= {variant_of(sample)} - {()}
    for sample in samples:
        settings = sample.suite.asked
        has_variants = len(variants[settings.benchmark or ""]) > 1
        variant = ", ".join(variant_of(sample)) if has_variants else ""
        column = ScoreColumn(sample.model, FORM_HEADINGS[settings.form or ""])
        for name, holds in _scores(sample).items():
            score = (name, data_set_of(sample), variant)
            scored[score, column][sample.repeat].append(holds)
    return scored


def _in_order(columns: Collection[ScoreColumn]) -> tuple[ScoreColumn, ...]:
    """The columns by model, those of one model in the order of the study."""
    models = sorted({column.model for column in columns})
    ordered = (ScoreColumn(model, form) for model in models for form in FORM_HEADINGS.values())
    return tuple(column for column in ordered if column in columns)


def _place(score: _Score) -> tuple[int, _Score]:
    """Where a score belongs in the table."""
    name = score[0]
    # A score that the order of the study lacks comes after those that it has.
    return (*_ORDER, name).index(name), score


def data_set_of(sample: Sample) -> str:
    """The name of the data set of a sample."""
    return sample.part_or_empty(Given).data_set or sample.suite.asked.source


def is_scored(sample: Sample) -> bool:
    """Whether a sample names a score: no error, and nothing that an older release did otherwise."""
    settings = sample.suite.asked
    if settings.incomparable is not None or settings.form not in FORM_HEADINGS:
        return False
    return bool(settings.benchmark) and sample.kind != OutcomeKind.ERROR


def _scores(sample: Sample) -> dict[str, bool]:
    settings = sample.suite.asked
    answered = sample.part_or_empty(Answered)
    name = settings.benchmark or ""
    if settings.figures != "rankings":
        return {name: sample.passed}
    # An answer without a ranking has neither score; it may also lack the fields.
    return {
        f"{name}-Eq.": answered.ranking_equivalence is True,
        f"{name}-Neg.": answered.ranking_negation is True,
        f"{name}-Both": sample.passed,
    }


def variant_of(sample: Sample) -> tuple[str, ...]:
    """Interface and prompting; empty for an embedding model."""
    settings = sample.suite.asked
    # An embedding model gets no prompt, so it has no variant of one.
    if sample.part_or_empty(Answered).similarities is not UNSET:
        return ()
    return tuple(filter(None, (settings.interface, settings.prompting)))


def scores(analysis: Analysis) -> Iterator[Section]:
    """The table of scores; none if no sample names a score."""
    table = benchmark(analysis.samples)
    if table is None:
        return
    columns = [Column("task", "text"), Column("data set", "name")]
    columns += [Column(column.form, "rate", group=column.model) for column in table.columns]
    table_block = Table(
        thing="score",
        columns=tuple(columns),
        rows=tuple(Row((line.task, line.data_set, *_cells(line))) for line in table.lines),
        level="default",
    )
    repeated = " (mean ± standard deviation over repeats)" if table.repeated else ""
    title = f"scores by form: NL in English, FOL in formulas{repeated}"
    yield Section(name="scores", title=title, blocks=(table_block,), level="verbose")


def _cells(line: ScoreLine) -> Iterator[Figure | None]:
    for score, samples in zip(line.cells, line.samples, strict=True):
        if score is None:
            yield None
        else:
            yield Figure("score", score.mean, "rate", n=samples, deviation=score.deviation)
