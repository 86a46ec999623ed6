"""Stories: premises and a conclusion, in English and in logic, with a label that the verifier confirms.

The verifier decides whether the premises make the conclusion True, False or Uncertain. A story whose label it does not
confirm is left out and reported, because a wrong label makes a right answer wrong.

Source of the form: Han et al., "FOLIO: Natural Language Reasoning with First-Order Logic" (EMNLP 2024).
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args

from pytest_autoeval.datasets.cells import Cells
from pytest_autoeval.datasets.columns import Columns, RowError
from pytest_autoeval.datasets.data_set import DataSet, Item
from pytest_autoeval.datasets.distinct_rows import DistinctRows
from pytest_autoeval.datasets.table_files import cached_while_unchanged
from pytest_autoeval.languages import Formula, Verdict, language
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.logic.syntax import And, Not, Sentence, Top
from pytest_autoeval.languages.ontology import Ontology
from pytest_autoeval.outcomes import Label
from pytest_autoeval.record.witness_words import with_sides
from pytest_autoeval.studies.first_order_translation.sentence_files import ReadRow, read_rows_of

Check = Literal["confirmed", "contradicted", "inconsistent", "undecided"]

#: A suffix of file names of stories; the rest is the name of the file with their sentences.
_SUFFIX = "_stories"
#: The labels as files write them. Some call an uncertain one ``unknown``.
_LABELS: dict[str, Label] = {
    **{label.casefold(): label for label in Label},
    "unknown": Label.UNCERTAIN,
}
_MEANING: dict[str, str] = {
    Label.TRUE: "the premises entail the conclusion",
    Label.FALSE: "the premises entail the negation of the conclusion",
    Label.UNCERTAIN: "the premises entail neither the conclusion nor its negation",
}
#: The outcome, by the verdicts on the conclusion and on its negation.
_DERIVED: dict[tuple[str, str], Label | Literal["inconsistent"]] = {
    (VerdictOutcome.ENTAILS, VerdictOutcome.ENTAILS): "inconsistent",
    (VerdictOutcome.ENTAILS, VerdictOutcome.DOES_NOT_ENTAIL): Label.TRUE,
    (VerdictOutcome.DOES_NOT_ENTAIL, VerdictOutcome.ENTAILS): Label.FALSE,
    (VerdictOutcome.DOES_NOT_ENTAIL, VerdictOutcome.DOES_NOT_ENTAIL): Label.UNCERTAIN,
}
#: Seconds for each of the two questions about a story.
_TIMEOUT = 5.0
#: Characters of a counter-model in a line about a row.
_SHORT = 400


@dataclass(frozen=True, slots=True)
class Derived:
    """The verifier's answer; ``entailed`` and ``denied`` are the verdicts on the conclusion and on its negation."""

    outcome: Label | Literal["inconsistent", "undecided"]
    entailed: Verdict
    denied: Verdict


@cache
def derived_label(
    premises: tuple[Sentence, ...], conclusion: Sentence, timeout: float = _TIMEOUT
) -> Derived:
    """Whether the conclusion is True, False or Uncertain, given the premises.

    ``timeout`` is in seconds, for each of two questions. There is a label only if both are answered, because
    contradicting premises entail the conclusion and its negation.
    """
    lang = language("first_order")
    premise = reduce(And, premises) if premises else Top()
    entailed = lang.entails(premise, conclusion, timeout)
    denied = lang.entails(premise, Not(conclusion), timeout)
    # Any pair of outcomes that is not listed has an undecided one.
    outcome: Label | Literal["inconsistent", "undecided"] = _DERIVED.get(
        (entailed.outcome, denied.outcome), "undecided"
    )
    return Derived(outcome, entailed, denied)


@dataclass(frozen=True, slots=True)
class Story:
    """One row: ``label`` is the answer in our words, ``label_text`` in those of the row.

    ``data_set`` is the name of the file, ``source`` with the line, ``place`` the path and line.
    """

    source: str
    place: str
    data_set: str
    premises: tuple[str, ...]
    premises_formulas: tuple[Sentence, ...]
    conclusion: str
    conclusion_formula: Sentence
    label: Label
    label_text: str
    ontology: Ontology
    id: str | None = None
    cluster: str | None = None
    story_id: str | None = None
    repair: str = ""
    notes: tuple[str, ...] = ()

    @property
    def derived(self) -> Derived:
        return derived_label(self.premises_formulas, self.conclusion_formula)

    @property
    def check(self) -> Check:
        outcome = self.derived.outcome
        if not isinstance(outcome, Label):
            return outcome
        return "confirmed" if outcome == self.label else "contradicted"

    @property
    def problem(self) -> str:
        """The reason why the story is left out; empty if the label is confirmed."""
        if self.check == "confirmed":
            return ""
        if self.check == "inconsistent":
            says = "the premises contradict each other, so they entail everything"
        elif self.check == "undecided":
            says = f"the verifier cannot decide: {self.derived.entailed.reason or self.derived.denied.reason}"
        else:
            says = self._contradiction()
        return f"{self.place}: column 'label': says {self.label_text!r}, but {says}"

    def _contradiction(self) -> str:
        says = _MEANING[self.derived.outcome]
        verdicts = {Label.TRUE: self.derived.entailed, Label.FALSE: self.derived.denied}
        verdict = verdicts.get(self.label)
        witness = None if verdict is None else verdict.witness
        if witness is not None:
            claim = "conclusion" if self.label == Label.TRUE else "negation of the conclusion"
            text = with_sides(str(witness), ("premises", claim.partition(" ")[0]))
            model = textwrap.shorten("; ".join(text.splitlines()), _SHORT, placeholder=" …")
            says += f"; a model of the premises and not of the {claim}: {model}"
        return "; ".join((says, *self.notes))


@dataclass(frozen=True, slots=True)
class Stories:
    """The usable stories, in the order of the files; the number of other rows, and a line for each problem."""

    stories: tuple[Story, ...]
    left_out: int
    problems: tuple[str, ...]

    @property
    def counts(self) -> dict[str, int]:
        """The number of labels of each :data:`Check`, and of rows without a story as ``left out``."""
        counts = {check: len(self.of(check)) for check in get_args(Check)}
        return {**counts, "left out": self.left_out}

    def of(self, check: Check) -> tuple[Story, ...]:
        """The stories whose labels have this check."""
        return tuple(story for story in self.stories if story.check == check)


@cached_while_unchanged
def read_stories(files: Sequence[Path], columns: Columns = ()) -> Stories:
    """The stories of files, without those that repeat or contradict an earlier one; raises :class:`DataSetError`.

    A row with an unreadable part is left out whole, because the answer depends on all premises. Rows without a label or
    a formula of the conclusion belong to other data sets, and are no problem.
    """
    distinct: DistinctRows[Story] = DistinctRows()
    rows = [row for file in files for row in read_rows_of(file, ("story",), columns)]
    labelled = [row for row in rows if row.cells is None or _has_label(row.cells)]
    problems: list[str] = []
    for row in labelled:
        try:
            _add(row, distinct)
        except RowError as problem:
            problems += (f"{row.place}: {line}" for line in problem.args)
    stories = tuple(distinct.rows.values())
    return Stories(stories, len(labelled) - len(stories), tuple(problems))


def _has_label(cells: Cells) -> bool:
    return "label" in cells.names and "conclusion-FOL" in cells.values


def _add(row: ReadRow, distinct: DistinctRows[Story]) -> None:
    """Adds the story of a row; raises :class:`RowError` with a line for each problem."""
    if row.cells is None or row.problems:
        raise RowError(*row.problems)
    cells = row.cells
    text = cells.name("label") or ""
    if text.casefold() not in _LABELS:
        cells.fail("label", f"{text!r} must be True, False or Uncertain")
    if not {"conclusion", "premises"} <= cells.values.keys():
        raise RowError("a premise or the conclusion is missing")
    # The conclusion is the last statement of a row.
    *premises, conclusion = row.statements
    story = Story(
        source=f"{row.path.name}:{row.raw.place}",
        place=row.place,
        data_set=row.path.stem.removesuffix(_SUFFIX),
        premises=tuple(premise.sentence for premise in premises),
        premises_formulas=tuple(premise.formula for premise in premises),
        conclusion=conclusion.sentence,
        conclusion_formula=conclusion.formula,
        label=_LABELS[text.casefold()],
        label_text=text,
        ontology=conclusion.ontology,
        id=cells.name("id"),
        cluster=cells.name("cluster"),
        story_id=cells.name("story_id"),
        repair="; ".join(row.repairs),
        notes=tuple(row.notes),
    )
    question = story.premises, story.conclusion
    earlier = distinct.rows.get(question)
    if earlier is not None:
        says = "repeats" if earlier.label == story.label else "contradicts the label of"
        raise RowError(f"{says} {earlier.source}, which has the same premises and conclusion")
    distinct.add(story, question)


def checked_labels(
    files: Sequence[Path],
    progress: Callable[[int, int], None] = lambda *_: None,
    columns: Columns = (),
) -> Stories:
    """The stories of files, with the problems of their labels; ``progress`` gets the number of each, and the total."""
    read = read_stories(files, columns)
    problems = list(read.problems)
    for number, story in enumerate(read.stories, start=1):
        progress(number, len(read.stories))
        problems += filter(None, (story.problem,))
    return replace(read, problems=tuple(problems))


class EntailmentSet(DataSet):
    """Stories with a confirmed label, by the number of premises; labels are checked when items are asked for."""

    def __init__(self, name: str, stories: Stories) -> None:
        self.name = name
        self.language = "first_order"
        self._read = stories
        self._sizes_asked: set[int] = set()

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted({len(story.premises) for story in self._read.stories}))

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:  # noqa: ARG002
        # Labels take time to check. Only those that were asked for are checked, and only their problems reported.
        self._sizes_asked.add(size)
        # A label that the formulas contradict would count right answers as wrong.
        confirmed = (story for story in self._of_size(size) if story.check == "confirmed")
        return [
            _item(self.name, story, index) for index, story in enumerate(islice(confirmed, count))
        ]

    def most_items(self, size: int) -> int:
        return len(self._of_size(size))

    def formulas_of(self, item: Item) -> tuple[Formula, ...]:
        lang = language(self.language)
        return (*map(lang.tree, item.facts["premises_formulas"]), item.formula)

    @property
    def problems(self) -> tuple[str, ...]:
        of_labels = (
            story.problem for size in sorted(self._sizes_asked) for story in self._of_size(size)
        )
        return (*self._read.problems, *filter(None, of_labels))

    def _of_size(self, size: int) -> list[Story]:
        return [story for story in self._read.stories if len(story.premises) == size]


def _item(name: str, story: Story, index: int) -> Item:
    origin = {
        "item": story.id,
        "cluster": story.cluster,
        "story_id": story.story_id,
        "repair": story.repair,
    }
    facts: dict[str, Any] = {
        "premises": list(story.premises),
        "premises_formulas": [str(formula) for formula in story.premises_formulas],
        "conclusion": story.conclusion,
        "conclusion_formula": str(story.conclusion_formula),
        "expected": story.label,
        "label": story.label_text,
        "ontology": story.ontology.to_facts(),
        "ontology_derived": story.ontology.derived,
        "data_set": story.data_set,
        "source": story.source,
    }
    # Facts are written for each sample: those that say nothing would only lengthen the results.
    facts |= {key: value for key, value in origin.items() if value}
    vocabulary = story.ontology.vocabulary
    size = len(story.premises)
    return Item(
        name, "first_order", vocabulary, "custom", size, 0, index, story.conclusion_formula, facts
    )
