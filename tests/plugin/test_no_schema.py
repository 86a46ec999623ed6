"""A server that breaks down at a JSON schema, as llama-cpp-python's does, is asked in words; the run says so once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.chat_server import NO_SCHEMA, Answer, ChatServer, Received, completion

from .conftest import Rows, Run, Suite, said

CHOICES = """
import pytest

@pytest.mark.autoeval("fol_most_similar", task="most_similar_english", samples=2)
def test_english(sample, perform):
    perform(sample)

@pytest.mark.autoeval("fol_most_similar", task="most_similar_formulas", samples=2)
def test_formulas(sample, perform):
    perform(sample)
"""


@pytest.fixture
def llama() -> Iterator[ChatServer]:
    """Takes no schema, and always chooses the first option."""

    def answer(request: Received) -> Answer:
        return (
            NO_SCHEMA if "response_format" in request.body else Answer(body=completion("Answer: 1"))
        )

    with ChatServer(answer) as server:
        yield server


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_it_is_asked_in_words_and_the_run_says_so_once(
    llama: ChatServer, suite: Suite, run: Run, rows: Rows, workers: tuple[str, ...]
) -> None:
    suite(CHOICES)
    asked = ("--autoeval-model=m", f"--autoeval-base-url={llama.url}", "--autoeval-concurrency=1:1")
    recorded = (
        "--autoeval-results=out.jsonl",
        "--autoeval-github-summary=out.md",
        "--autoeval-record-mode=once",
    )
    result = run(*asked, *recorded, *workers)
    result.assert_outcomes(passed=2)
    shown = " ".join(said(result).split())
    assert shown.count("does not accept this schema for an answer (500: 1 validation error") == 1
    assert "; its answers are text" in shown
    assert "does not accept this schema" in Path("out.md").read_text("utf-8")
    found = rows("out.jsonl")
    assert {(row["structured"], len(row["calls"])) for row in found} == {(False, 1)}
    refused = sum("response_format" in request.body for request in llama.requests)
    assert 1 <= refused <= (2 if workers else 1)  # two workers may ask before either knows
    number = len(llama.requests)

    replayed = run(
        "--autoeval-model=m",
        "--autoeval-results=again.jsonl",
        "--autoeval-record-mode=none",
        *workers,
    )
    replayed.assert_outcomes(passed=2)
    assert [row["answer"] for row in rows("again.jsonl")] == [row["answer"] for row in found]
    assert "does not accept" not in said(replayed)
    assert len(llama.requests) == number


def test_a_run_that_was_cut_off_is_continued_in_words(
    llama: ChatServer, suite: Suite, run: Run, rows: Rows
) -> None:
    suite(CHOICES)
    asked = ("--autoeval-model=m", f"--autoeval-base-url={llama.url}", "--autoeval-concurrency=1:1")
    run(*asked, "--autoeval-max-calls=4", cache=True)
    assert len(llama.requests) == 4
    run(*asked, "--autoeval-resume", "--autoeval-results=out.jsonl", cache=True).assert_outcomes(
        passed=2
    )
    assert {row["structured"] for row in rows("out.jsonl")} == {False}
    words = [
        json.dumps(request.body["messages"])
        for request in llama.requests
        if "response_format" not in request.body
    ]
    assert len(words) == len(set(words)) == len(rows("out.jsonl"))
