"""The tables of answers of a run on several files: which questions and which answers belong into each.

A run checks the sentences of ``brake.md`` by the answers in ``brake.answers.csv`` alone: another file may have the
same sentence, and mean something else. So each table has the questions of its own file. An answer to a sentence that
only another file has is misplaced, and is taken over by the table of that file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pytest_autoeval.datasets.author_answers import (
    answer_in,
    read_questions,
    sentence_in,
)
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.languages.author_cases import AuthorAnswer
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Given
from pytest_autoeval.requirements.meanings import AnswersOfFiles, key_of_answers

QuestionRow = Mapping[str, str]
#: The language and the text of a sentence.
_Sentence = tuple[str, str]


class AnsweredRow(NamedTuple):
    """A question that its author answered, in this file."""

    file: Path
    row: QuestionRow
    sentence: _Sentence
    answer: AuthorAnswer


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """A table that a run reads.

    Attributes:
        name: the name of the table.
        source: the name of its file with sentences.
        sentences: the sentences of this file.
        answered: what is answered in the table.
        misplaced: what is answered in tables of other files only, although they do not have the sentence.
        more: what is answered in a table that no run reads.
    """

    name: str
    source: str
    sentences: frozenset[_Sentence]
    answered: Sequence[AnsweredRow]
    misplaced: Sequence[AnsweredRow]
    more: Sequence[AnsweredRow]

    def lacks(self, row: QuestionRow) -> bool:
        """Whether a question is about a sentence of this file, and has no answer for it."""
        question = _question_in(Path(self.name), row)
        is_answered = _is_among(question, [*self.answered, *self.misplaced, *self.more])
        return question.sentence in self.sentences and not is_answered


def read_tables_of(
    samples: Iterable[Sample], folders: Iterable[Path], given: Path | None
) -> dict[Path, list[QuestionRow]]:
    """The rows of the tables that a run reads, in the first folder that has them; the given table last.

    Raises :class:`DataSetError`.
    """
    distinct_folders = dict.fromkeys(folders)
    rows_by_file: dict[Path, list[QuestionRow]] = {}
    for name in _sources_of_tables(samples):
        candidates = [folder / name for folder in distinct_folders]
        path = next((path for path in candidates if path.is_file()), None)
        if path is not None and (given is None or given.resolve() != path.resolve()):
            rows_by_file[path] = read_questions(path)
    if given is not None:
        rows_by_file[given] = read_questions(given)
    return rows_by_file


def tables_of_run(
    samples: Sequence[Sample], rows_by_file: Mapping[Path, Sequence[QuestionRow]]
) -> list[AnswerTable]:
    """The tables of the files of all sentences, in the order of the samples, with their answers.

    A file that no run reads counts for the sentences of all files. Raises :class:`AutoevalError` for opposite answers
    to one question.
    """
    sources = _sources_of_tables(samples)
    sentences: dict[str, set[_Sentence]] = defaultdict(set)
    for name, language_name, text in map(key_of_answers, samples):
        sentences[name].add((language_name, text))
    answered = []
    for file, rows in rows_by_file.items():
        answered += [_question_in(file, row) for row in rows if row["answer"]]
    tables = []
    for name, source in sources.items():
        own: list[AnsweredRow] = []
        misplaced: list[AnsweredRow] = []
        more: list[AnsweredRow] = []
        for answered_row in answered:
            other = answered_row.file.name
            if other == name:
                own.append(answered_row)
            elif answered_row.sentence in sentences[name]:
                if other not in sources:
                    more.append(answered_row)
                # What a sentence of the other file means is no answer about this file.
                elif answered_row.sentence not in sentences[other]:
                    misplaced.append(answered_row)
        _refuse_opposites([*own, *misplaced, *more])
        lacking = [row for row in misplaced if not _is_among(row, own)]
        tables.append(AnswerTable(name, source, frozenset(sentences[name]), own, lacking, more))
    return tables


def answers_of_tables(tables: Iterable[AnswerTable]) -> AnswersOfFiles:
    """What is answered about the sentences of each file."""
    answers: dict[tuple[str, str, str], list[AuthorAnswer]] = defaultdict(list)
    for table in tables:
        for answered_row in (*table.misplaced, *table.answered, *table.more):
            answers[(table.name, *answered_row.sentence)].append(answered_row.answer)
    return answers


def _sources_of_tables(samples: Iterable[Sample]) -> dict[str, str]:
    """The names of the tables, each with the name of its file of sentences: results have no folders of them."""
    sources: dict[str, str] = {}
    for sample in samples:
        name = key_of_answers(sample)[0]
        if name:
            file, _, _ = (sample.part_or_empty(Given).source or "").rpartition(":")
            sources.setdefault(name, file)
    return sources


def _question_in(file: Path, row: QuestionRow) -> AnsweredRow:
    return AnsweredRow(file, row, (row["language"], sentence_in(row)), answer_in(row))


def _is_among(question: AnsweredRow, others: Iterable[AnsweredRow]) -> bool:
    return any(
        question.sentence == other.sentence and question.answer.asks_the_same_as(other.answer)
        for other in others
    )


def _refuse_opposites(answered: Iterable[AnsweredRow]) -> None:
    """Refuses two answers to one question: which of them the author means cannot be known."""
    for of_sentence in grouped(answered, lambda answered_row: answered_row.sentence).values():
        for index, answered_row in enumerate(of_sentence):
            for earlier in of_sentence[:index]:
                if answered_row.answer.is_opposite(earlier.answer):
                    name = answered_row.row["requirement"] or answered_row.sentence[1]
                    raise AutoevalError(
                        f"{answered_row.file}: the same question on {name} has the opposite answer in "
                        f"{earlier.file}; leave one out"
                    )
