"""Parts of blocks that several sections make."""

from __future__ import annotations

from pytest_autoeval.record.figure_sentences import sentence
from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.report.blocks import Column, Level, Note, Tone

#: The column with the second of two things whose paired difference is in the row.
COMPARED_WITH = "compared with"


def note(statement: Sentence | str, tone: Tone = "remark", level: Level = "default") -> Note:
    """A sentence as a block. A text from outside, such as the message of an error, is the value of one."""
    text = statement if isinstance(statement, Sentence) else Sentence("{text}", {"text": statement})
    return Note(text=text.text, values=text.values, tone=tone, level=level)


def about(subject: str, statement: Sentence) -> Sentence:
    """A sentence about a suite, or about something else that has a name."""
    return sentence("{about}: {statement}", about=subject, statement=statement)


def columns_of_differences(compared: Column, *counts: str) -> tuple[Column, ...]:
    """The columns of a table with a paired difference in each row: suite, what is ``compared`` with what, and its test.

    ``counts`` are the names of the numbers between the difference and its p-values.
    """
    return (
        Column("suite", "name"),
        compared,
        Column(COMPARED_WITH, compared.unit),
        Column("difference", "points"),
        *(Column(name, "count", optional=True) for name in counts),
        Column("p", "p", optional=True),
        Column("p, corrected", "p"),
    )
