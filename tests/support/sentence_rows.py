"""Rows of the task `sentence_round_trip` for tests."""

from __future__ import annotations

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
