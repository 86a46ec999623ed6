"""`python -m pytest_autoeval questions`: questions to the author of sentences that were read in several ways."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pytest_autoeval.datasets.author_answers import (
    cases_beside,
    cases_text,
    dialect_of,
    questions_text,
    read_questions,
)
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.outcomes import Outcome, OutcomeKind
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.merging import merge
from pytest_autoeval.record.task_parts import Formalized
from pytest_autoeval.requirements.agreement import SentenceMeanings
from pytest_autoeval.requirements.answer_tables import (
    AnsweredRow,
    AnswerTable,
    QuestionRow,
    answers_of_tables,
    read_tables_of,
    tables_of_run,
)
from pytest_autoeval.requirements.author_questions import (
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
    samples = [sample for suite in suites for sample in suite.counted]
    folders = [Path(), *(file.parent for file in args.files)]
    if args.csv is not None:
        folders.append(args.csv.parent)
    # Read before the verifier works: a file that cannot be read must not cost minutes.
    rows_by_file = read_tables_of(samples, folders, args.csv)
    tables = tables_of_run(samples, rows_by_file)
    sentences = sentence_meanings(samples, answers=answers_of_tables(tables))
    rows = question_rows(sentences)
    in_file = rows
    answered: list[QuestionRow] = []
    taken_over: Sequence[AnsweredRow] = ()
    if args.csv is not None:
        answered = [row for row in rows_by_file[args.csv] if row["answer"]]
        # A table of any other name has the questions on all files.
        for table in tables:
            if table.name == args.csv.name:
                in_file = list(filter(table.lacks, rows))
                taken_over = table.misplaced
        _write_table(
            args.csv, in_file, [*answered, *(answered_row.row for answered_row in taken_over)]
        )
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
    for line in (
        _ended(len(in_file), len(answered), args.csv),
        *_taken_over(taken_over),
        *_answered_elsewhere(rows_by_file, args.csv, taken_over),
        *_answers_to_take_over(tables, args.csv),
        *_inconsistent(samples, args.files),
        *_not_asked(suites),
        *_next_step(sentences, tables, rows, args.csv),
    ):
        sys.stderr.write(f"{line}\n")
    return 0


def _write_table(
    path: Path, questions: Sequence[QuestionRow], answered: Sequence[QuestionRow]
) -> None:
    rows = [*questions, *answered]
    # A run without open questions must not delete the answers that the author gave earlier.
    if not rows:
        return
    # A table whose questions could be read is one, however a spreadsheet has saved it.
    is_known = path.exists() and bool(read_questions(path))
    # The cases first: a table without them could not be read.
    save(cases_beside(path), cases_text(rows), None if is_known else CASES)
    save(path, questions_text(rows, dialect_of(path)), None if is_known else QUESTIONS)


def _ended(questions: int, answers: int, file: Path | None) -> str:
    answers_text = f"; {count(answers, 'answer')} kept" if answers else ""
    where = "" if file is None else f" in {file}"
    if questions:
        return f"{count(questions, 'question')}{where}{answers_text}"
    return f"no open question{answers_text}"


def _taken_over(answered_rows: Sequence[AnsweredRow]) -> Iterator[str]:
    for file, number in Counter(answered.file for answered in answered_rows).items():
        yield f"taken over from {file}, which no longer needs it: {count(number, 'answer')}"


def _answered_elsewhere(
    rows_by_file: Mapping[Path, Sequence[QuestionRow]],
    given: Path | None,
    taken_over: Sequence[AnsweredRow],
) -> Iterator[str]:
    """A line about the answers in tables other than the given one, without those that it takes over."""
    numbers = {
        file: sum(bool(row["answer"]) for row in rows) for file, rows in rows_by_file.items()
    }
    for answered_row in taken_over:
        numbers[answered_row.file] -= 1
    files = [file for file, number in numbers.items() if number and file != given]
    if files:
        answers = count(sum(numbers[file] for file in files), "answer")
        listed = ", ".join(map(str, files))
        yield f"already answered, and not asked again: {answers} in {listed}"


def _answers_to_take_over(tables: Iterable[AnswerTable], given: Path | None) -> Iterator[str]:
    """A line for each table of a run that lacks answers which the table of another file has."""
    for table in tables:
        if given is not None and given.name == table.name:
            continue
        for file, number in Counter(answered.file for answered in table.misplaced).items():
            unread = f"a run on {table.source} does not read {count(number, 'answer')} in {file}"
            yield f"{unread}: --csv {table.name} takes over what is missing"


def _inconsistent(samples: Sequence[Sample], files: Sequence[Path]) -> Iterator[str]:
    """Lines about answers that failed: their formulas are in the questions, and may be misread.

    A formula against an answer of the author kept its own meaning: it is counted apart.
    """
    failed = [
        sample
        for sample in samples
        if sample.kind == OutcomeKind.MODEL_FAILURE and sample.part_or_empty(Formalized).formula
    ]
    contradicting = sum(sample.outcome == Outcome.CONTRADICTS_ANSWER for sample in failed)
    numbers = {
        "did not keep the meaning of their formula": len(failed) - contradicting,
        "gave a formula that contradicts an answer of the author": contradicting,
    }
    command = f"python -m pytest_autoeval report {shlex.join(map(str, files))} -v"
    for what_they_did, number in numbers.items():
        if number:
            share = f"{number} of {count(len(samples), 'answer')}"
            yield f"{share} {what_they_did}; to read them: {command}"


def _not_asked(suites: Sequence[SuiteRecord]) -> Iterator[str]:
    """A line about the rows that no model has read: no open question says nothing of them."""
    ends = [suite.end for suite in suites if suite.end is not None]
    rows = list(dict.fromkeys(row for end in ends for row in end.rows_left_out))
    if rows:
        number = count(len(rows), "row")
        yield f"{number} of the data left out, so that nothing is asked about it; the first: {rows[0]}"


def _next_step(
    sentences: Sequence[SentenceMeanings],
    tables: Sequence[AnswerTable],
    rows: Sequence[QuestionRow],
    given: Path | None,
) -> Iterator[str]:
    """What to do next: ask several times, or answer in a table that the next run reads."""
    if not rows:
        if all(len(sentence.attempts) < _SEVERAL for sentence in sentences):
            yield "each sentence was read once; --autoeval-repeats=3 or --autoeval-paraphrases=2 reads it several times"
        return
    open_tables = [(table, sum(map(table.lacks, rows))) for table in tables]
    open_tables = [(table, number) for table, number in open_tables if number]
    if given is None:
        for table, _ in open_tables:
            yield f"to answer: --csv {table.name} writes a table"
        return
    is_read_by_a_run = any(table.name == given.name for table in tables)
    if not is_read_by_a_run or any(table.name == given.name for table, _ in open_tables):
        yield "to answer: write yes or no into the column answer"
    for table, number in open_tables:
        if not is_read_by_a_run:
            yield f"a run reads only the answers in {table.name}, beside {table.source}"
        elif table.name != given.name:
            questions = count(number, "more question")
            yield f"{questions} on {table.source}: --csv {table.name} writes a table"
