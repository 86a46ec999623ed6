"""The scores of sentences in logic, laid out as in the study's tables: tasks and data sets by models and forms.

Source of the layout: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026), tables 2–4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import fmean

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
    scored: dict[tuple[tuple[str, str, str], ScoreColumn], dict[int, list[bool]]] = defaultdict(
        lambda: defaultdict(list)
    )
    counting = [sample for sample in samples if is_scored(sample)]
    variants: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    # The variants of all models first: a model with one variant needs its name too if another model has several.
    for sample in counting:
        variants[sample.suite.asked.benchmark or ""] |= {variant_of(sample)} - {()}
    for sample in counting:
        settings = sample.suite.asked
        variant = (
            ", ".join(variant_of(sample)) if len(variants[settings.benchmark or ""]) > 1 else ""
        )
        for name, holds in _scores(sample).items():
            key = name, data_set_of(sample), variant
            scored[key, ScoreColumn(sample.model, FORM_HEADINGS[settings.form or ""])][
                sample.repeat
            ].append(holds)
    if not scored:
        return None
    cells = {
        key: spread([fmean(repeats[repeat]) for repeat in sorted(repeats)])
        for key, repeats in scored.items()
    }
    models, present = {column.model for _, column in cells}, {column for _, column in cells}
    ordered = (
        ScoreColumn(model, form) for model in sorted(models) for form in FORM_HEADINGS.values()
    )
    columns = tuple(column for column in ordered if column in present)
    lines = []
    # A score that the order of the study lacks comes after those that it has.
    for key in sorted(
        {key for key, _ in cells}, key=lambda key: ((*_ORDER, key[0]).index(key[0]), key)
    ):
        name, data_set, variant = key
        numbers = tuple(sum(map(len, scored.get((key, column), {}).values())) for column in columns)
        scores = tuple(cells.get((key, column)) for column in columns)
        lines.append(
            ScoreLine(f"{name} ({variant})" if variant else name, data_set, scores, numbers)
        )
    return Benchmark(
        columns, tuple(lines), repeated=any(cell.deviation is not None for cell in cells.values())
    )


def data_set_of(sample: Sample) -> str:
    """The name of the data set of a sample."""
    return sample.part_or_empty(Given).data_set or sample.suite.asked.source


def is_scored(sample: Sample) -> bool:
    """Whether a sample names a score: no error, and nothing that an older release did otherwise."""
    settings = sample.suite.asked
    has_score = (
        bool(settings.benchmark)
        and settings.form in FORM_HEADINGS
        and settings.incomparable is None
    )
    return has_score and sample.kind != OutcomeKind.ERROR


def _scores(sample: Sample) -> dict[str, bool]:
    settings, answered = sample.suite.asked, sample.part_or_empty(Answered)
    name = settings.benchmark or ""
    if settings.figures != "rankings":
        return {name: sample.passed}
    equivalence, negation = answered.ranking_equivalence is True, answered.ranking_negation is True
    return {f"{name}-Eq.": equivalence, f"{name}-Neg.": negation, f"{name}-Both": sample.passed}


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
