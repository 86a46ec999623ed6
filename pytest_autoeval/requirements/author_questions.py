"""Questions to the author of sentences that were read in several ways: as rows of a file, as lines, as Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pytest_autoeval.datasets.author_answers import answers_beside
from pytest_autoeval.languages import EnglishError, language
from pytest_autoeval.languages.glossary import describe_in_phrases
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
            # Several suites may ask the same question: its id is that of a sentence and a case, not of a suite.
            by_id[sentence.question.id] = (sentence, sentence.question)
    return sorted(by_id.values(), key=lambda pair: _place(pair[0]))


def _place(sentence: SentenceMeanings) -> tuple[str, int]:
    # Line 10 is after line 9: as text it would be before it.
    file, _, line = sentence.place.rpartition(":")
    return file, int(line) if line.isdecimal() else 0


def question_rows(sentences: Iterable[SentenceMeanings]) -> list[dict[str, str]]:
    """A row for each question: what the author reads, what an engineer reads, and what a program reads.

    ``answer`` is empty. The formulas that yes and no stand for are there in English too, in the words of the glossary:
    their author reads no formulas.
    """
    rows = []
    for sentence, question in questions_of(sentences):
        yes, no = sentence.meanings[question.yes], sentence.meanings[question.no]
        rows.append(
            {
                "answer": "",
                "question": question.text,
                "requirement": sentence.item,
                "sentence": sentence.sentence,
                "yes_means": _in_english(yes.formula, sentence),
                "no_means": _in_english(no.formula, sentence),
                "yes_formula": yes.formula,
                "yes_read_by": attempts_text(yes.attempts),
                "no_formula": no.formula,
                "no_read_by": attempts_text(no.attempts),
                "id": question.id,
                "language": sentence.language,
                "case": json.dumps(question.case, ensure_ascii=False),
                "names": json.dumps(question.names, ensure_ascii=False),
            }
        )
    return rows


def answer_files(sentences: Iterable[SentenceMeanings]) -> dict[str, str]:
    """The names of the files that the next run reads answers from, each with its file of sentences."""
    files = {}
    for sentence, _ in questions_of(sentences):
        source = sentence.place.rpartition(":")[0]
        if source:
            files[answers_beside(Path(source)).name] = source
    return files


def _in_english(formula: str, sentence: SentenceMeanings) -> str:
    """A formula in the phrases of the glossary; in notation if it has no English, as in a language of the user's."""
    lang = language(sentence.language)
    try:
        return describe_in_phrases(lang.parse(formula), sentence.glossary, lang.name)
    except EnglishError:
        return formula


def question_lines(sentences: Sequence[SentenceMeanings], width: int) -> Iterator[Line]:
    """The questions with both formulas, for a terminal."""
    for row in question_rows(sentences):
        yield Line("")
        # No number of the question: the requirement has one already, and two would be mixed up.
        yield Line(one_line(row["requirement"]), "title")
        yield from wrapped(row["question"], width, 2)
        for answer in ("yes", "no"):
            formula = row[f"{answer}_formula"]
            readers = row[f"{answer}_read_by"]
            reading = f"{answer}: {formula}, read by {readers}"
            yield from wrapped(reading, width, 4, "dim", _READERS)


def questions_markdown(sentences: Iterable[SentenceMeanings]) -> list[str]:
    """Each question to the author under its requirement, with the formulas that yes and no stand for."""
    items = []
    for row in question_rows(sentences):
        requirement = code(row["requirement"])
        question = prose(row["question"])
        lines = [f"- {requirement}: {question}"]
        for answer in ("yes", "no"):
            formula = code(row[f"{answer}_formula"])
            readers = prose(row[f"{answer}_read_by"])
            lines.append(f"    - {answer}: {formula}, read by {readers}")
        items.append("\n".join(lines))
    return items
