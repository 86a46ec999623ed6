"""Rows of the task `sentence_round_trip` for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_autoeval.record.lines import Sample
from support.result_rows import row

GLOSSARY = {"door_open": "the door is open", "red": "the light is red", "bell": "the bell rings"}


def sentence_row(formula: str | None, **changes: Any) -> Sample:
    """A row in which a model read this formula in a sentence; None: the answer had no formula."""
    whole: dict[str, Any] = {
        "suite": "suites/test_sentences.py::test_sentences",
        "task": "sentence_round_trip",
        "model": "gpt",
        "language": "ltl",
        "grammar": "",
        "formula": "",
        "sentence": "If the door opens, the light is red.",
        "item": "requirements-1",
        "source": "requirements.md:3",
        "group": "Doors",
        "formalization": formula,
        "glossary": GLOSSARY,
        "paraphrase": 0,
        "outcome": "equivalent" if formula else "unparseable",
    }
    changes = {**whole, **changes}
    return row(changes.pop("outcome"), **changes)


def rows_of(read: Mapping[str, Sequence[Sequence[str | None]]], file: str) -> list[Sample]:
    """What each model read: for each sentence of a file the formula of each repeat, None for an answer without one."""
    return [
        sentence_row(
            formula,
            model=model,
            item=f"{file}{number}",
            source=f"requirements.md:{number + 2}",
            sentence=f"Requirement {number} of the door.",
            repeat=repeat,
        )
        for model, sentences in read.items()
        for number, formulas in enumerate(sentences, start=1)
        for repeat, formula in enumerate(formulas)
    ]
