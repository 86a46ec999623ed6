"""What no answer of the model is, nor a fact of the right type: one clear line, at once, and no pass."""

from __future__ import annotations

import sys

import pytest

from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.task_parts import Given

from .conftest import ROUND_TRIP, Rows, Run, Suite, marked, said

MODELS = """
class Broken:
    def complete(self, messages, *, repeat=0):
        raise RuntimeError("no such device")

class Fragile:
    def __init__(self):
        self.calls = 0
    def complete(self, messages, *, repeat=0):
        self.calls += 1
        if self.calls > 2:
            raise RuntimeError("hiccup")
        return "p1"

class Odd:
    def complete(self, messages, *, repeat=0):
        return 17

def pytest_autoeval_register(registry):
    registry.add_model("broken", Broken)
    registry.add_model("fragile", Fragile)
    registry.add_model("odd", Odd)
    registry.add_model("unmade", lambda: [][0])
"""
STOPPING = {
    "a model that raises": ("broken", "broken: RuntimeError: no such device (conftest.py:3)"),
    "a model that cannot be made": ("unmade", "unmade: IndexError: list index out of range"),
    "a model that gives no reply": (
        "odd",
        "odd: complete() returned a value of the type int; return a Reply or a text",
    ),
    "no key": (
        "gpt-x",
        "OPENAI_API_KEY is not set: set it, name another server with --autoeval-base-url",
    ),
    "no LiteLLM": (
        "litellm/anthropic/claude",
        "models named litellm/… need LiteLLM (import of litellm halted; ",
    ),
    "an unreachable server": (
        "gpt-y",
        "gpt-y: the server at http://127.0.0.1:9/v1 cannot be reached",
    ),
}


@pytest.mark.parametrize("case", STOPPING)
def test_what_no_call_can_survive_stops_the_run_with_one_line(
    pytester: pytest.Pytester, suite: Suite, run: Run, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    pytester.makeconftest(MODELS)
    suite()
    model, line = STOPPING[case]
    monkeypatch.setitem(sys.modules, "litellm", None)
    if model == "gpt-y":
        monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    result = run(
        f"--autoeval-model={model}", "--autoeval-concurrency=4", apart=model.startswith("gpt")
    )
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(failed=1)
    assert (
        result.stdout.str()
        .splitlines()
        .count(next(x for x in result.outlines if x.startswith(line)))
        == 1
    )
    result.stdout.fnmatch_lines(
        ["interrupted: no sample was answered; 1 suite could not be judged"]
    )
    for word in ("the gate", "Traceback", "sk-planted"):
        assert word not in said(result)


def test_errors_after_a_first_answer_are_counted_and_fail_the_gate(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    pytester.makeconftest(MODELS)
    suite(more=", threshold=0")
    result = run(
        "--autoeval-model=fragile", "--autoeval-concurrency=1", "--autoeval-results=out.jsonl"
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "15 of 16 samples ended in an error:",
            "15 × fragile: RuntimeError: hiccup (conftest.py:11)",
        ]
    )
    result.stdout.fnmatch_lines(["*ended in an error, so that the suite cannot pass*"])
    assert [row["outcome"] for row in rows("out.jsonl")].count("error") == 15


def test_a_limit_on_calls_leaves_a_suite_inconclusive(suite: Suite, run: Run, rows: Rows) -> None:
    suite(more=", threshold=0.1")
    result = run(
        "--autoeval-model=offline/negation-scope",
        "--autoeval-max-calls=9",
        "--autoeval-concurrency=1",
        "--autoeval-results=out.jsonl",
    )
    assert result.ret == 10
    assert "budget used up: 4 of 16 samples ran; --autoeval-max-calls=9 is reached" in said(result)
    assert all(row["unfinished"] and row["outcome"] != "error" for row in rows("out.jsonl"))
    # And one of a sample that was not ended.
    assert sum(len(row["calls"]) for row in rows("out.jsonl")) == 8


def test_a_fixture_that_asks_for_the_sample_is_told_why_it_cannot(suite: Suite, run: Run) -> None:
    fixture = "@pytest.fixture\ndef text(sample):\n    return sample.text"
    suite(marked('"propositional", operators=1, samples=1', "pass", "sample, text", fixture))
    result = run()
    result.assert_outcomes(errors=1)
    assert "a fixture cannot use 'sample'" in said(result)


def test_without_a_key_the_error_names_recordings_of_other_requests(suite: Suite, run: Run) -> None:
    suite()
    hint = "but none of this request: --autoeval-record-mode=none shows the difference"
    assert hint in said(run("--autoeval-model=SmolLM2-135M-Instruct"))
    assert hint not in said(run("--autoeval-model=gpt-5-mini"))


DATA_SET = """
from pytest_autoeval import DataSet

FACTS = {facts}

def pytest_autoeval_register(registry):
    entries = [("p → q", {{"sentence": "If p, then q."}} | FACTS), ("p ∧ q", {{"sentence": "p and q."}})]
    registry.add_data_set(DataSet.of("mine", "propositional", entries))
"""
OF_DATA = """
from pytest_autoeval import autoeval

@autoeval("mine", threshold=0.5)
def test_it(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)
"""
WRONG = {
    "item": ("7", "item: Expected `str | null`, got `int`"),
    "candidates": ("['b', 7]", "candidates: Expected `str`, got `int` - at `$[1]`"),
    "mine": ("{1, 2}", "mine: a set has no order: write a list"),
    "large": ("float('inf')", "large: Out of range float values are not JSON compliant"),
}


@pytest.mark.parametrize(("key", "workers"), [*((key, ()) for key in WRONG), ("item", ("-n", "2"))])
def test_a_fact_of_another_type_is_its_sample_s_error(
    pytester: pytest.Pytester, run: Run, rows: Rows, key: str, workers: tuple[str, ...]
) -> None:
    value, problem = WRONG[key]
    pytester.makeconftest(DATA_SET.format(facts=f"{{{key!r}: {value}}}"))
    pytester.makepyfile(test_mine=OF_DATA)
    result = run("--autoeval-results=r.jsonl", *workers)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (
        f"1 of 2 samples ended in an error:\na fact of the sample cannot be written: {problem}"
        in said(result)
    )
    wrong, right = sorted(rows("r.jsonl"), key=lambda row: str(row["outcome"] != "error"))
    assert wrong["outcome"] == "error"
    assert wrong["error"].startswith(
        f"AutoevalError: a fact of the sample cannot be written: {problem}"
    )
    assert key not in wrong
    assert right["outcome"] == "equivalent"
    again = run("--autoeval-baseline=r.jsonl")
    assert "1 of 2 samples ended in an error" in said(again)


@pytest.mark.parametrize(
    "key", ["benchmark", "scores", "problem", "kinds_of_mine", "threshold", "outcome"]
)
def test_a_fact_of_any_name_is_kept(pytester: pytest.Pytester, run: Run, key: str) -> None:
    pytester.makeconftest(DATA_SET.format(facts=f"{{{key!r}: ['b']}}"))
    pytester.makepyfile(test_mine=OF_DATA)
    run("--autoeval-results=r.jsonl").assert_outcomes(passed=1)
    more = [
        sample.part_or_empty(Given).more for sample in read_file(pytester.path / "r.jsonl").samples
    ]
    assert sorted(more, key=len) == [{}, {key: ["b"]}]


def test_all_wrong_facts_of_a_sample_are_named(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeconftest(DATA_SET.format(facts="{'item': 7, 'sentence': 8, 'trace': 9}"))
    pytester.makepyfile(test_mine=OF_DATA)
    shown = " ".join(said(run()).split())
    for key in ("item", "sentence", "trace"):
        assert f"{key}: Expected `str | null`, got `int`" in shown


def test_what_is_no_text_and_was_to_be_read_leaves_a_file_that_can_be_read(
    suite: Suite, run: Run, rows: Rows
) -> None:
    suite(ROUND_TRIP.replace("llm.informalize(sample.formula)", "0.5"))
    run("--autoeval-results=r.jsonl").assert_outcomes(failed=1)
    assert {row["outcome"] for row in rows("r.jsonl")} == {"error"}


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_test_that_is_no_suite_says_what_to_do_at_a_limit(
    pytester: pytest.Pytester, run: Run, workers: str
) -> None:
    """No summary follows it."""
    pytester.makepyfile(
        """
        def test_it(llm):
            for number in range(2):
                llm.ask(f"Question {number}?")
        """
    )
    shown = said(run("--autoeval-max-calls=1", workers))
    assert "--autoeval-max-calls=1 is reached: this run has made 1 call" in shown
    assert "Raise the limit, or replay recordings, which are free." in shown
