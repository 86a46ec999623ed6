"""`python -m pytest_autoeval questions`: questions to the author of sentences that were read in several ways."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pytest_autoeval.datasets.author_answers import (
    answers_beside,
    answers_by_sentence,
    cases_beside,
    cases_text,
    dialect_of,
    questions_text,
    read_questions,
)
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.merging import merge
from pytest_autoeval.record.task_parts import Given
from pytest_autoeval.requirements.agreement import SentenceMeanings
from pytest_autoeval.requirements.author_questions import (
    answer_files,
    question_lines,
    question_rows,
    questions_markdown,
)
from pytest_autoeval.requirements.meanings import TASK, not_compared, sentence_meanings
from pytest_autoeval.requirements.questions_arguments import questions_parser
from pytest_autoeval.running.outputs import progress, save
from pytest_autoeval.text import count
from pytest_autoeval.written_file import CASES, QUESTIONS

#: With so many answers a sentence may have several readings.
_SEVERAL = 2


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit code. Raises :class:`AutoevalError` for a user's mistake."""
    args = questions_parser().parse_args(arguments)
    suites = [suite for suite in merge(args.files, progress).suites if suite.asked.task == TASK]
    # Reading large files takes seconds; the line about it goes before anything else is printed.
    progress("")
    if not suites:
        raise AutoevalError(
            f"{args.files[0]}: no sample is of the task {TASK}, which reads sentences"
        )
    # Read before the verifier works: a file that cannot be read must not cost minutes.
    rows_before = [] if args.csv is None else read_questions(args.csv)
    samples = [sample for suite in suites for sample in suite.counted]
    tables = [table for table in _tables_of(samples, args.files) if not _is_file(args.csv, table)]
    rows_elsewhere = [row for table in tables for row in read_questions(table) if row["answer"]]
    sentences = sentence_meanings(
        samples,
        # The given table last: of two answers to one case, the later one counts.
        answers=answers_by_sentence([*rows_elsewhere, *rows_before]),
    )
    rows = question_rows(sentences)
    if args.csv is not None:
        answered = [row for row in rows_before if row["answer"]]
        # A run without open questions must not delete the answers that the author gave earlier.
        if rows or answered:
            questions = [*rows, *answered]
            # A table whose questions could be read is one, however a spreadsheet has saved it.
            is_known = bool(rows_before)
            text = questions_text(questions, dialect_of(args.csv))
            # The cases first: a table without them could not be read.
            save(cases_beside(args.csv), cases_text(questions), None if is_known else CASES)
            save(args.csv, text, None if is_known else QUESTIONS)
    if args.markdown is not None:
        save(
            args.markdown,
            "\n".join(["# Questions", "", *questions_markdown(sentences)]) + "\n",
            QUESTIONS,
        )
    if args.csv is None and args.markdown is None:
        lines = question_lines(sentences, shutil.get_terminal_size().columns)
        sys.stdout.writelines(f"{line.text}\n" for line in lines)
    # Beside the questions, so that standard output has nothing else.
    for line in not_compared(sentences):
        sys.stderr.write(f"{line}\n")
    sys.stderr.write(f"{_ended(len(rows), rows_before, args.csv)}\n")
    if rows_elsewhere:
        answers = count(len(rows_elsewhere), "answer")
        listed = ", ".join(map(str, tables))
        sys.stderr.write(f"already answered, and not asked again: {answers} in {listed}\n")
    for line in _next_step(sentences, args.csv):
        sys.stderr.write(f"{line}\n")
    return 0


def _tables_of(samples: Iterable[Sample], results: Iterable[Path]) -> list[Path]:
    """The tables with answers that a run reads: beside the sentences, in the current folder or that of the results.

    Results have only the names of the files with sentences.
    """
    sources = (sample.part_or_empty(Given).source or "" for sample in samples)
    files = dict.fromkeys(source.rpartition(":")[0] for source in sources)
    folders = dict.fromkeys([Path(), *(file.parent for file in results)])
    tables = []
    for name in filter(None, files):
        places = [folder / answers_beside(Path(name)).name for folder in folders]
        tables += [place for place in places if place.is_file()][:1]
    return tables


def _is_file(given: Path | None, table: Path) -> bool:
    return given is not None and given.resolve() == table.resolve()


def _ended(questions: int, rows_before: list[Mapping[str, str]], file: Path | None) -> str:
    answered = [row for row in rows_before if row["answer"]]
    answers_text = ""
    if answered:
        answers_text = f"; {count(len(answered), 'answer')} kept"
    if not questions:
        return f"no open question{answers_text}"
    where = "" if file is None else f" in {file}"
    questions_text = count(questions, "question")
    return f"{questions_text}{where}{answers_text}"


def _next_step(sentences: Sequence[SentenceMeanings], file: Path | None) -> Iterator[str]:
    """What to do next: ask several times, or answer in a table that the next run reads."""
    if not any(sentence.question for sentence in sentences):
        if all(len(sentence.attempts) < _SEVERAL for sentence in sentences):
            yield "each sentence was read once; --autoeval-repeats=3 or --autoeval-paraphrases=2 reads it several times"
        return
    names = answer_files(sentences)
    if file is None:
        for name in names:
            yield f"to answer: --csv {name} writes a table"
        return
    yield "to answer: write yes or no into the column answer"
    for name, source in names.items():
        if name != file.name:
            yield f"a run reads only the answers in {name}, beside {source}"
