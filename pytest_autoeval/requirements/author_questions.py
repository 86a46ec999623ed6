"""Questions to the author of sentences that were read in several ways: as rows of a file, as lines, as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from pytest_autoeval.report.renderers.markdown_text import code, prose
from pytest_autoeval.requirements.agreement import AuthorQuestion, SentenceMeanings, attempts_text
from pytest_autoeval.text import Line, one_line, wrapped

#: How many lines of a formula with its readers a terminal shows.
_READERS = 3


def questions_of(
    sentences: Iterable[SentenceMeanings],
) -> list[tuple[SentenceMeanings, AuthorQuestion]]:
    """The sentences that have a question, in the order of their files; each question once."""
    by_id: dict[str, tuple[SentenceMeanings, AuthorQuestion]] = {}
    for sentence in sentences:
        if sentence.question is not None:
            by_id[sentence.question.id] = (sentence, sentence.question)
    return sorted(by_id.values(), key=lambda pair: _place(pair[0]))


def _place(sentence: SentenceMeanings) -> tuple[str, int]:
    # Line 10 is after line 9: as text it would be before it.
    file, _, line = sentence.place.rpartition(":")
    return file, int(line) if line.isdecimal() else 0


def question_rows(sentences: Iterable[SentenceMeanings]) -> list[dict[str, str]]:
    """A row for each question, by the columns of the file of questions; ``answer`` is empty."""
    rows = []
    for sentence, question in questions_of(sentences):
        yes, no = sentence.meanings[question.yes], sentence.meanings[question.no]
        rows.append(
            {
                "answer": "",
                "question": question.text,
                "sentence": sentence.sentence,
                "place": sentence.place,
                "yes_means": yes.formula,
                "yes_read_by": attempts_text(yes.attempts),
                "no_means": no.formula,
                "no_read_by": attempts_text(no.attempts),
                "id": question.id,
                "language": sentence.language,
                "case": json.dumps(question.case, ensure_ascii=False),
                "names": json.dumps(question.names, ensure_ascii=False),
            }
        )
    return rows


def question_lines(sentences: Sequence[SentenceMeanings], width: int) -> Iterator[Line]:
    """The questions with both formulas, for a terminal."""
    for number, row in enumerate(question_rows(sentences), start=1):
        yield Line("")
        source = f" {one_line(row['place'])}" if row["place"] else ""
        yield Line(f"{number}.{source}", "title")
        yield from wrapped(row["question"], width, 2)
        for answer in ("yes", "no"):
            reading = f"{answer}: {row[f'{answer}_means']}, read by {row[f'{answer}_read_by']}"
            yield from wrapped(reading, width, 4, "dim", _READERS)


def questions_markdown(sentences: Iterable[SentenceMeanings]) -> list[str]:
    """Each question to the author, numbered, with the formulas that yes and no stand for."""
    return [
        f"{number}. {prose(row['question'])}\n"
        + (f"    - place: {code(row['place'])}\n" if row["place"] else "")
        + f"    - yes: {code(row['yes_means'])}, read by {prose(row['yes_read_by'])}\n"
        + f"    - no: {code(row['no_means'])}, read by {prose(row['no_read_by'])}"
        for number, row in enumerate(question_rows(sentences), start=1)
    ]
