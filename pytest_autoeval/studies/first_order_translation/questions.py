"""Questions about a text, whose answer is yes or no: their files, their data set, and the task.

Nobody wrote the text in logic, so no verifier can confirm the answers: they are those of the authors. The form is that
of Multi-LogiEval: Patel et al., "Multi-LogiEval: Towards Evaluating Multi-Step Logical Reasoning Ability of Large
Language Models" (EMNLP 2024). The study on ∀uto∃val correlates its results with those of round trips.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from pytest_autoeval.datasets.cells import Cells
from pytest_autoeval.datasets.columns import Columns, RawRow, RowError
from pytest_autoeval.datasets.data_set import DataSet, Item
from pytest_autoeval.datasets.distinct_rows import DistinctRows
from pytest_autoeval.datasets.table_files import FileRows, cached_while_unchanged, read_each_row
from pytest_autoeval.languages import EnglishError, Vocabulary
from pytest_autoeval.languages.base import NoFormula
from pytest_autoeval.models.offline.answer_key import KnownSentences, spaced
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour, Request, reasoned
from pytest_autoeval.record.sample_parts import Part
from pytest_autoeval.record.task_parts import Answered
from pytest_autoeval.tasks.answer_readers import read_yes_no
from pytest_autoeval.tasks.judge import compared_answer
from pytest_autoeval.tasks.task import Judgement, Task
from pytest_autoeval.tasks.task import reasoned as reasoned_schema
from pytest_autoeval.tasks.trial import Trial


@dataclass(frozen=True, slots=True)
class Question:
    """A row: a text, a question about it, and whether the answer is yes. ``origin`` has id, group, pattern, cluster."""

    source: str
    id: str | None
    context: str
    question: str
    answer: bool
    origin: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def words(self) -> int:
        return len(f"{self.context} {self.question}".split())


@cached_while_unchanged
def read_questions(files: Sequence[Path], columns: Columns = ()) -> FileRows[Question]:
    """The questions of files, without those that repeat or contradict an earlier one. Raises :class:`DataSetError`."""
    distinct: DistinctRows[Question] = DistinctRows()

    def take(file: Path, raw: RawRow) -> None:
        if raw.kind != "question":
            return
        cells = Cells(raw)
        answer = cells.label("answer")
        if answer is None:
            cells.fail("answer", "the cell is empty")
        source = f"{file.name}:{raw.place}"
        origin = {"source": source, **cells.origin("id", "group", "pattern", "cluster")}
        # Spaces do not matter to a reader, so they make no other question.
        context = " ".join(cells.needed("context").split())
        question = " ".join(cells.needed("question").split())
        row = Question(source, cells.name("id"), context, question, answer, origin)
        earlier = distinct.rows.get((context, question))
        if earlier is not None and earlier.answer != answer:
            raise RowError(
                f"contradicts the answer of {earlier.source}, which has the same text and question"
            )
        distinct.add(row, (context, question))

    problems = read_each_row(files, take, columns)
    return FileRows(tuple(distinct.rows.values()), problems)


class QuestionSet(DataSet):
    """Questions about texts, by the number of words of both. There are only those of the user's files."""

    def __init__(self, name: str, read: FileRows[Question]) -> None:
        self.name = name
        self.language = "first_order"
        self._read = read

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted({row.words for row in self._read.rows}))

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:  # noqa: ARG002
        rows = [row for row in self._read.rows if row.words == size][:count]
        return [self._item(row, size, index) for index, row in enumerate(rows)]

    def _item(self, row: Question, size: int, index: int) -> Item:
        facts: dict[str, Any] = {
            "context": row.context,
            "question": row.question,
            "expected": row.answer,
            **row.origin,
        }
        return Item(
            self.name, self.language, Vocabulary(), "custom", size, 0, index, NoFormula(), facts
        )

    def typed(self, text: str, seed: int = 0) -> list[Item]:  # noqa: ARG002
        """None: the questions have no formulas."""
        return []

    @property
    def problems(self) -> tuple[str, ...]:
        return self._read.problems


class AnswerQuestion(Task):
    """A text and a question about it → yes or no. It counts what the data say, since nobody wrote them in logic."""

    name = "answer_question"
    prompt_language = "first_order"
    interfaces = ("structured", "text")
    constrained_interfaces = ("structured",)
    chance = 0.5
    schema = reasoned_schema("answer", {"type": "string", "enum": ["yes", "no"]})

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"question": trial.fact("question", str), "context": trial.fact("context", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        return compared_answer(
            answer, read_yes_no, trial.fact("expected", bool), "neither yes nor no"
        )

    def parts_without_answer(self, _trial: Trial) -> tuple[Part, ...]:
        return (Answered(),)


ANSWER_QUESTION = AnswerQuestion()


class KnownQuestions(KnownSentences):
    """The answers to the questions of a run's data. There are no shipped ones."""

    data_sets = ()

    def __init__(self) -> None:
        self.answers: dict[tuple[str, str], bool] = {}

    def add(self, item: Item) -> None:
        facts = item.facts
        if "question" not in facts:
            return
        question = spaced(facts["context"]), spaced(facts["question"])
        # The first answer counts: rows that contradict it are left out of the data set too.
        self.answers.setdefault(question, facts["expected"])


def answer(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """The known answer to a question; raises :class:`EnglishError` for another one."""
    question = spaced(request.payloads["Context"]), spaced(request.payloads["Question"])
    tables = request.answer_key.tables(KnownQuestions)
    known = [table.answers[question] for table in tables if question in table.answers]
    if not known:
        raise EnglishError("I know no answer to this question")
    is_yes = known[0]
    # A question has no formula, so its size for guesses is 0.
    if behaviour.guesses(0, chance):
        is_yes = chance.random() < ANSWER_QUESTION.chance
    return reasoned(request, "I have read the text.", "yes" if is_yes else "no")
