"""The file of questions to the author of sentences: read with the answers, and written for the author.

``requirements.answers.csv`` beside ``requirements.md`` has a row for each question. The column ``answer`` is ``yes``,
``no`` or empty. As JSON, ``case`` is the case in question, and ``names`` has the phrases of its names.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.table_files import decoded, read_table
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import language
from pytest_autoeval.languages.author_cases import AuthorAnswer
from pytest_autoeval.languages.base import FormulaSyntaxError

#: The columns that a program needs, none of which may be empty.
_KEYS = ("sentence", "id", "language", "case")
#: The columns in the order of the file: those for the author come first.
COLUMNS = (
    "answer",
    "question",
    "place",
    "yes_means",
    "yes_read_by",
    "no_means",
    "no_read_by",
    *_KEYS,
    "names",
)
_COMMAND = re.compile(r"[=+@-]")
_WORDS = {"yes": True, "y": True, "true": True, "no": False, "n": False, "false": False}


def answers_beside(data: Path) -> Path:
    """The file of answers that belongs to a file of sentences: ``requirements.answers.csv``."""
    return data.with_name(f"{data.stem}.answers.csv")


def read_questions(path: Path) -> list[Mapping[str, str]]:
    """The rows of the file, answered or not, with columns that the author added; none if there is no file.

    Raises :class:`DataSetError`, with the file and the line, for an answer that is neither yes nor no, for a case that
    cannot be read, and for two answers to one question.
    """
    if not path.exists():
        return []
    rows: list[Mapping[str, str]] = []
    earlier: dict[tuple[str, str, str], tuple[bool, str]] = {}
    for row in read_table(path):
        line_name = f"{path}:{row.place}"
        if row.problem:
            raise DataSetError(f"{line_name}: {row.problem}")
        values = {name: str(row.values.get(name) or "").strip() for name in (*COLUMNS, *row.values)}
        if missing := [name for name in _KEYS if not values[name]]:
            raise DataSetError(
                f"{line_name}: the column {missing[0]!r} is empty; `questions --csv` writes it"
            )
        if values["answer"] and values["answer"].casefold() not in _WORDS:
            raise DataSetError(
                f"{line_name}: the answer {values['answer']!r} is neither yes nor no"
            )
        answer = _answer(values, line_name)
        if values["answer"]:
            question = values["language"], _sentence_in(values), answer.case_text
            allowed, earlier_line = earlier.setdefault(question, (answer.allowed, line_name))
            # Which of the two answers the author means cannot be known.
            if allowed is not answer.allowed:
                raise DataSetError(
                    f"{line_name}: the same question has the opposite answer in {earlier_line}; leave one out"
                )
        rows.append(values)
    return rows


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
        # The language has no trivial formula to try.
        with suppress(FormulaSyntaxError):
            lang.holds_in(next(iter(lang.trivial().values()), lang.parse("true")), case)
    except (AutoevalError, ValueError) as problem:
        raise DataSetError(f"{line_name}: the case cannot be read: {problem}") from None
    return AuthorAnswer(
        row["id"], row["question"], case, _WORDS.get(row["answer"].casefold(), False), names
    )


def answers_by_sentence(
    rows: Iterable[Mapping[str, str]],
) -> dict[tuple[str, str], list[AuthorAnswer]]:
    """The answers to the questions that have one, by language and sentence: a changed sentence has no answers."""
    answers: dict[tuple[str, str], list[AuthorAnswer]] = defaultdict(list)
    for row in rows:
        if row["answer"]:
            answers[row["language"], _sentence_in(row)].append(_answer(row, row["id"]))
    return dict(answers)


def _sentence_in(row: Mapping[str, str]) -> str:
    """The sentence of a row, without the sign that `questions_text` puts before a command."""
    text = row["sentence"]
    return text[1:] if text[:1] == "'" and _COMMAND.match(text[1:]) else text


def questions_text(rows: Sequence[Mapping[str, str]]) -> str:
    """The rows as CSV."""
    text = io.StringIO(newline="")
    columns = dict.fromkeys((*COLUMNS, *(name for row in rows for name in row)))
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        # No spreadsheet may take the text of a model for a command.
        writer.writerow(
            {name: f"'{value}" if _COMMAND.match(value) else value for name, value in row.items()}
        )
    return text.getvalue()
