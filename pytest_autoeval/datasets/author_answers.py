"""The questions to the author of sentences: read with the answers, and written for the author.

``requirements.answers.csv`` beside ``requirements.md`` has a row for each question, in words that its author reads. The
column ``answer`` is ``yes``, ``no`` or empty. What only a program reads is in ``requirements.answers.cases.json``, by
the text of the question: the case that it asks about, and the phrases of its names. Earlier releases had these as
columns of the table, and such a table is still read.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.file_text import text_of
from pytest_autoeval.datasets.table_files import decoded, delimiter_of, read_table
from pytest_autoeval.errors import AutoevalError, did_you_mean
from pytest_autoeval.languages import language
from pytest_autoeval.languages.author_cases import AuthorAnswer
from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.lazy_pattern import lazy_pattern

#: What a program needs of each question, in the order in which a missing one is named.
_NEEDED = ("sentence", "id", "language", "case")
#: The columns of the table, which are all for the author.
COLUMNS = ("answer", "question", "requirement", "sentence", "yes_means", "no_means")
#: What is known of a question, and is not for its author. Tables of earlier releases had columns of these names.
_NOT_FOR_AUTHOR = frozenset(
    {
        "place",
        "yes_formula",
        "no_formula",
        "yes_read_by",
        "no_read_by",
        "names",
        "id",
        "language",
        "case",
    }
)
#: What the other file has of each question. The text of the question is the key.
_CASE_KEYS = ("question", *_NEEDED, "names")
#: The key of the list in the other file. It also shows a reader of the file which program wrote it.
_LIST = "questions of pytest-autoeval"
#: A spreadsheet takes a cell with such a beginning for a formula of its own, and computes it.
_COMMAND = lazy_pattern(r"[=+@-]")
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: The answers that an author may write, and whether each allows the case.
_ANSWERS = {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}


class TableDialect(NamedTuple):
    """How a table is written: what separates its cells, and what stands before the names of its columns."""

    delimiter: str = ","
    beginning: str = ""


_OUR_DIALECT = TableDialect()


def dialect_of(path: Path) -> TableDialect:
    """The dialect of a table that a spreadsheet may have saved; ours if there is no file. Raises `DataSetError`."""
    if not path.exists():
        return _OUR_DIALECT
    text = text_of(path)
    delimiter, first_line = delimiter_of(text)
    # The mark of UTF-8 or UTF-16 shows the spreadsheet the encoding. We write UTF-8.
    has_mark = path.read_bytes().startswith(_MARKS)
    mark = "\ufeff" if has_mark else ""
    return TableDialect(delimiter, mark + first_line.removeprefix("\ufeff"))


def answers_beside(data: Path) -> Path:
    """The file of answers that belongs to a file of sentences: ``requirements.answers.csv``."""
    return data.with_name(f"{data.stem}.answers.csv")


def cases_beside(table: Path) -> Path:
    """The file with the cases of the questions in a table: ``requirements.answers.cases.json``."""
    return table.with_name(f"{table.stem}.cases.json")


def read_questions(path: Path) -> list[Mapping[str, str]]:
    """The rows of the file, answered or not, with columns that the author added; none if there is no file.

    Each has the values of its case too. Raises :class:`DataSetError`, with the file and the line, for an answer that is
    neither yes nor no, for a case that is missing or cannot be read, and for two answers to one question.
    """
    if not path.exists():
        return []
    cases = _read_cases(cases_beside(path))
    rows: list[Mapping[str, str]] = []
    # By language, sentence and case: the answers, each with the line that has it.
    earlier: dict[tuple[str, str, str], list[tuple[AuthorAnswer, str]]] = defaultdict(list)
    for row in read_table(path):
        line_name = f"{path}:{row.place}"
        if row.problem:
            raise DataSetError(f"{line_name}: {row.problem}")
        for name in ("answer", "question"):
            # Tables of earlier releases, which have the case themselves, may lack the question.
            if name not in row.values and not (name == "question" and "case" in row.values):
                hint = did_you_mean(name, row.values)
                raise DataSetError(f"{line_name}: there is no column {name!r}.{hint}")
        # A table of an earlier release, or of the user's making, may lack other columns.
        values = {name: str(row.values.get(name) or "").strip() for name in (*COLUMNS, *row.values)}
        values |= _case_of(values, cases, line_name, cases_beside(path))
        if values["answer"] and values["answer"].casefold() not in _ANSWERS:
            raise DataSetError(
                f"{line_name}: the answer {values['answer']!r} is neither yes nor no; leave the cell empty if the "
                "question is open"
            )
        # Also without an answer: a case that cannot be read is reported before the author answers the question.
        answer = _answer(values, line_name)
        if values["answer"]:
            answers_to_case = earlier[values["language"], sentence_in(values), answer.case_text]
            # Which of the two answers the author means cannot be known.
            for earlier_answer, earlier_line in answers_to_case:
                if answer.is_opposite(earlier_answer):
                    raise DataSetError(
                        f"{line_name}: the same question has the opposite answer in {earlier_line}; leave one out"
                    )
            answers_to_case.append((answer, line_name))
        rows.append(values)
    return rows


def _read_cases(path: Path) -> dict[str, dict[str, str]]:
    """What a program reads of each question, by its text; nothing if there is no file. Raises `DataSetError`."""
    if not path.exists():
        return {}
    try:
        entries = decoded(text_of(path))[_LIST]
        questions = [{key: entry[key] for key in _CASE_KEYS} for entry in entries]
    except (ValueError, LookupError, TypeError):
        raise DataSetError(
            f"{path}: the cases of the questions cannot be read; `questions --csv` writes them"
        ) from None
    return {_spaced(str(question["question"])): _as_texts(question) for question in questions}


def _as_texts(question: Mapping[str, Any]) -> dict[str, str]:
    """The values as the columns of earlier tables have them: a case and names as JSON."""
    return {
        key: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in question.items()
    }


def _case_of(
    values: Mapping[str, str], cases: Mapping[str, dict[str, str]], line_name: str, file: Path
) -> dict[str, str]:
    """What a program needs of a row: from its own columns as in earlier releases, else from the file of cases."""
    if "case" in values:
        own = {key: values.get(key, "") for key in (*_NEEDED, "names")}
        missing = [key for key in _NEEDED if not own[key]]
        if missing:
            raise DataSetError(
                f"{line_name}: the column {missing[0]!r} is empty; `questions --csv` writes it"
            )
        return own
    case = cases.get(_spaced(values["question"]))
    if case is None:
        if not file.exists():
            raise DataSetError(
                f"{line_name}: the file {file} is missing; it has the cases of the questions, so keep it beside the "
                "table"
            )
        hint = "keep the text of the question as it was written"
        raise DataSetError(f"{line_name}: {file.name} does not have this question; {hint}")
    return case


def _spaced(text: str) -> str:
    """A question with single spaces: an editor may have wrapped it."""
    return " ".join(text.split())


def _answer(row: Mapping[str, str], line_name: str) -> AuthorAnswer:
    """The answer in a row; ``no`` where there is none. Raises :class:`DataSetError` for a case that cannot be read."""
    try:
        names = decoded(row["names"] or "{}")
    except ValueError as problem:
        raise DataSetError(f"{line_name}: the names cannot be read: {problem}") from None
    if not isinstance(names, dict):
        raise DataSetError(
            f"{line_name}: the names are {names!r:.60}, and not an object with a phrase for each name"
        )
    try:
        lang, case = language(row["language"]), decoded(row["case"])
        # This only checks the case: it raises if the language cannot evaluate a formula in it. Any formula will do, a
        # trivial one if the language has one. If "true" is no formula of the language, the case stays unchecked.
        with suppress(FormulaSyntaxError):
            formula = next(iter(lang.trivial().values()), lang.parse("true"))
            lang.holds_in(formula, case)
    except (AutoevalError, ValueError) as problem:
        raise DataSetError(f"{line_name}: the case cannot be read: {problem}") from None
    allowed = _ANSWERS.get(row["answer"].casefold(), False)
    return AuthorAnswer(row["id"], row["question"], case, allowed, names)


def answer_in(row: Mapping[str, str]) -> AuthorAnswer:
    """The answer in a row that has one. Raises :class:`DataSetError` for a case that cannot be read."""
    return _answer(row, row["id"])


def answers_by_sentence(
    rows: Iterable[Mapping[str, str]],
) -> dict[tuple[str, str], list[AuthorAnswer]]:
    """The answers to the questions that have one, by language and sentence: a changed sentence has no answers."""
    answers: dict[tuple[str, str], list[AuthorAnswer]] = defaultdict(list)
    for row in rows:
        if row["answer"]:
            sentence = row["language"], sentence_in(row)
            answers[sentence].append(answer_in(row))
    return dict(answers)


def sentence_in(row: Mapping[str, str]) -> str:
    """The sentence of a row, without the sign that `questions_text` puts before a command."""
    text = row["sentence"]
    is_harmless_command = text.startswith("'") and _COMMAND.match(text[1:])
    return text[1:] if is_harmless_command else text


def questions_text(rows: Sequence[Mapping[str, str]], dialect: TableDialect = _OUR_DIALECT) -> str:
    """The rows as CSV, with the columns that the author added."""
    text = io.StringIO(newline="")
    text.write(dialect.beginning)
    names = (name for row in rows for name in row)
    distinct_names = dict.fromkeys((*COLUMNS, *names))
    columns = [name for name in distinct_names if name not in _NOT_FOR_AUTHOR]
    writer = csv.DictWriter(
        text, columns, delimiter=dialect.delimiter, lineterminator="\n", extrasaction="ignore"
    )
    writer.writeheader()
    for row in rows:
        # Tables of earlier releases have the requirement in the column `place`.
        shown = {**row, "requirement": row["requirement"] or row.get("place", "")}
        writer.writerow({name: _harmless(value) for name, value in shown.items()})
    return text.getvalue()


def _harmless(value: str) -> str:
    """A cell that no spreadsheet takes for a command: the text of a model may look like one."""
    return f"'{value}" if _COMMAND.match(value) else value


def cases_text(rows: Sequence[Mapping[str, str]]) -> str:
    """What a program reads of each row, as JSON."""
    questions = [
        {
            "question": row["question"],
            "sentence": sentence_in(row),
            "id": row["id"],
            "language": row["language"],
            "case": decoded(row["case"]),
            "names": decoded(row["names"] or "{}"),
        }
        for row in rows
    ]
    return json.dumps({_LIST: questions}, ensure_ascii=False, indent=1) + "\n"
