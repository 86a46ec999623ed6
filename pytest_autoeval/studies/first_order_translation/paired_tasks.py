"""Most similar and ranking on the same sentence: how often a model succeeds in one of them and not in the other.

Source: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026), table 8. A ranking succeeds there
if the two equivalent candidates come first (Ranking-Equivalence). All repeats count alike: a micro-average.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Answered, Given
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Cell, Column, Row, Section, Table
from pytest_autoeval.studies.first_order_translation.scores import (
    FORM_HEADINGS,
    ScoreColumn,
    data_set_of,
    is_scored,
    variant_of,
)

#: The model, form, data set and variant.
_Group: TypeAlias = tuple[str, str, str, str]
#: Whether answers succeed, by the question and the repeat.
_Answers: TypeAlias = dict[tuple[object, ...], list[bool]]

#: The kinds of figures of the two tasks.
_TASKS = ("choices", "rankings")
#: What a pair shows: the success of *most similar*, then that of the ranking. In the order of the paper's columns.
_CASES = {
    (True, False): "most similar, not ranking",
    (False, True): "ranking, not most similar",
    (True, True): "both",
    (False, False): "neither",
}


@dataclass(frozen=True, slots=True)
class PairedTasks:
    """The pairs of a model, a form and a data set: one for each sentence and repeat that both tasks were asked about.

    ``counts`` has the number of pairs of each case: whether *most similar* and *ranking* succeeded.
    """

    column: ScoreColumn
    data_set: str
    variant: str
    counts: Mapping[tuple[bool, bool], int]

    @property
    def pairs(self) -> int:
        return sum(self.counts.values())

    def share(self, case: tuple[bool, bool]) -> float:
        """The share of a case, 0 to 1."""
        return self.counts.get(case, 0) / self.pairs


def paired_tasks(samples: Iterable[Sample]) -> list[PairedTasks]:
    """The pairs by model, form, data set, interface and prompting; sentences that one task lacks do not count.

    The interface and the prompting are named if the samples have several.
    """
    compared = [
        sample for sample in samples if is_scored(sample) and sample.suite.asked.figures in _TASKS
    ]
    paired = []
    for (model, form, data_set, variant), tasks in sorted(_successes(compared).items()):
        counts: dict[tuple[bool, bool], int] = defaultdict(int)
        for asked_twice, chosen in tasks["choices"].items():
            ranked = tasks["rankings"].get(asked_twice, ())
            # One of the tasks may lack a sample of a question, for instance after an error.
            for case in zip(chosen, ranked, strict=False):
                counts[case] += 1
        if counts:
            column = ScoreColumn(model, FORM_HEADINGS[form])
            paired.append(PairedTasks(column, data_set, variant, dict(counts)))
    return paired


def _successes(compared: Sequence[Sample]) -> dict[_Group, dict[str, _Answers]]:
    """Whether each answer succeeds: by group, task and question."""
    # A single variant is that of all rows, so its name would only take room.
    has_variants = len({variant_of(sample) for sample in compared} - {()}) > 1
    successes: dict[_Group, dict[str, _Answers]] = {}
    for sample in compared:
        settings = sample.suite.asked
        facts = sample.part_or_empty(Given)
        variant = ", ".join(variant_of(sample)) if has_variants else ""
        group = (sample.model, settings.form or "", data_set_of(sample), variant)
        tasks = successes.setdefault(group, {task: defaultdict(list) for task in _TASKS})
        question = (facts.item, facts.sentence, sample.formula, sample.repeat)
        tasks[settings.figures or ""][question].append(_succeeds(sample))
    return successes


def _succeeds(sample: Sample) -> bool:
    if sample.suite.asked.figures == "choices":
        return sample.passed
    return sample.part_or_empty(Answered).ranking_equivalence is True


def both_tasks(analysis: Analysis) -> Iterator[Section]:
    """The table of the shares; none if no sentence was asked about in both tasks."""
    paired = paired_tasks(analysis.samples)
    if not paired:
        return
    columns = list(dict.fromkeys(pairs.column for pairs in paired))
    headings = [Column("right in", "text"), Column("data set", "name")]
    headings += [Column(column.form, "rate", group=column.model) for column in columns]
    rows = tuple(_rows(paired, columns))
    table = Table(columns=tuple(headings), rows=rows, thing="case", level="verbose")
    title = "most similar and ranking (the equivalent ones first) on the same sentences"
    yield Section(name="both tasks", title=title, blocks=(table,), level="verbose")


def _rows(paired: Iterable[PairedTasks], columns: Iterable[ScoreColumn]) -> Iterator[Row]:
    """The shares of the four cases and the number of pairs, for each data set and variant."""
    by_data_set: dict[tuple[str, str], dict[ScoreColumn, PairedTasks]] = defaultdict(dict)
    for pairs in paired:
        by_data_set[pairs.data_set, pairs.variant][pairs.column] = pairs
    for (data_set, variant), pairs_by_column in sorted(by_data_set.items()):
        # A column without pairs of this data set keeps its cell, which is then empty.
        cells = [pairs_by_column.get(column) for column in columns]
        suffix = f" ({variant})" if variant else ""
        for case, name in _CASES.items():
            shares = (_share(cell, case) for cell in cells)
            yield Row((f"{name}{suffix}", data_set, *shares))
        yield Row((f"pairs{suffix}", data_set, *map(_number, cells)), total=True)


def _share(pairs: PairedTasks | None, case: tuple[bool, bool]) -> Cell:
    return None if pairs is None else Figure("share", pairs.share(case), "rate", n=pairs.pairs)


def _number(pairs: PairedTasks | None) -> Cell:
    return None if pairs is None else Figure("pairs", pairs.pairs, "count")
