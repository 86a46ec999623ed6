"""`--autoeval-reader`: others read what a model described."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import Any

import pytest
from support.chat_server import Answer, ChatServer, Received
from support.documents_read import (
    counterexamples,
    fields,
    read_summary,
    section,
    sections,
    sentences,
    table,
    value,
)
from support.formula_server import asked, sensible

from pytest_autoeval.__main__ import main

from .conftest import ROUND_TRIP, Rows, Run, Suite, said

WITH_A_TASK = """
@pytest.mark.autoeval("judge_propositional", task="judge", operators=range(3), samples=1)
def test_judge(sample, perform):
    perform(sample)
"""
FAULTS = ("offline/faithful", "offline/leak", "offline/negation-scope")
STUDENT = "--autoeval-model=offline/student?strength=0.8"


def models(*names: str) -> tuple[str, ...]:
    return tuple(f"--autoeval-model={name}" for name in names)


def readers(*names: str) -> tuple[str, ...]:
    return tuple(f"--autoeval-reader={name}" for name in names)


def summary(pytester: pytest.Pytester) -> dict[str, Any]:
    return read_summary(pytester.path / "s.json")


def test_three_models_that_read_each_other_show_who_loses_what(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    suite(ROUND_TRIP.replace("range(4)", "range(1, 5)"))
    files = (
        "--autoeval-results=out.jsonl",
        "--autoeval-summary=s.json",
        "--autoeval-github-summary=s.md",
    )
    result = run(*models(*FAULTS), *readers(*FAULTS), *files, "--autoeval-shrink-budget=0", "-v")
    found = rows("out.jsonl")
    assert {(row["model"], row["reader"]) for row in found} == {
        (a, b) for a in FAULTS for b in FAULTS
    }
    shown = section(summary(pytester), "readers")
    matrix = table(shown, "test_suite.py::test_round_trip")
    assert tuple(row["describer"] for row in matrix) == FAULTS
    faithful, leak, scope = (
        [row[f"{reader}: pass rate"]["value"] for reader in FAULTS] for row in matrix
    )
    # The fault of negation-scope is in its reading, that of leak in its writing, which only it reads itself.
    assert faithful == scope
    assert faithful[:2] == [1, 1]
    assert faithful[2] < 1
    assert (leak[0], leak[2]) == (0, 0)
    assert [finding.split(": ")[1] for finding in sentences(shown)] == [
        "offline/leak writes unclearly",
        "offline/negation-scope reads badly",
    ]
    for text in (said(result), (pytester.path / "s.md").read_text("utf-8").replace("`", "")):
        assert "offline/leak writes unclearly: 0.0 %" in text
        assert "offline/negation-scope reads badly:" in text
    assert "test_suite.py::test_round_trip[offline/leak-read-by-offline/faithful] PASSED" in said(
        result
    )


def test_a_description_is_asked_once_for_all_readers_and_paid_once(
    suite: Suite, run: Run, rows: Rows
) -> None:
    suite()
    calls: Counter[tuple[str, bool]] = Counter()

    def behave(request: Received) -> Answer:
        calls[request.body["model"], "Formula" in asked(request).payloads] += 1
        return sensible(request)

    with ChatServer(behave) as server:
        run(
            *models("a", "b"),
            *readers("a", "c"),
            f"--autoeval-base-url={server.url}",
            "--autoeval-patience=5s",
            "--autoeval-results=out.jsonl",
            *(f"--autoeval-price={name}=1000000/1000000" for name in "abc"),
        ).assert_outcomes(passed=4)
    found = rows("out.jsonl")
    described = [call for row in found for call in row["calls"] if call["stage"] == "informalize"]
    assert len(found) == 64
    assert sum(number for (_, describes), number in calls.items() if describes) == 32
    assert {bool(call["cost"]) == (not call["repeated"]) for call in described} == {True}
    assert sum(call["repeated"] for call in described) == 32
    assert sum(number for (model, _), number in calls.items() if model == "c") == 16


def test_only_round_trips_are_read_by_others(suite: Suite, run: Run) -> None:
    prop = """
from hypothesis import given
from pytest_autoeval import formulas

@given(formula=formulas("propositional", max_operators=1))
def test_every_formula_survives(formula, round_trip, assert_equivalent):
    assert_equivalent(round_trip(formula), formula)
"""
    suite(ROUND_TRIP + WITH_A_TASK + prop)
    result = run(*readers("offline/leak"), "-v")
    result.stdout.fnmatch_lines(
        [
            "*::test_round_trip?offline/faithful-read-by-offline/leak? PASSED*",
            "*::test_judge?offline/faithful? PASSED*",
            "*::test_every_formula_survives?offline/faithful-read-by-offline/leak? PASSED*",
        ]
    )


def test_readers_whose_results_could_not_be_told_apart_are_refused(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    suite()
    pytester.makeconftest(
        """
        def pytest_autoeval_register(registry):
            registry.add_model("own a", lambda: None)
            registry.add_model("own-a", lambda: None)
        """
    )
    result = run(*readers("own a", "own-a"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (
        "--autoeval-reader: own a and own-a have one id, own-a; give each a run of its own"
        in said(result)
    )


def test_the_printed_command_asks_the_same_again(
    suite: Suite, run: Run, rows: Rows, pytester: pytest.Pytester
) -> None:
    suite()
    options = (STUDENT, *readers("offline/or-for-and"))
    run(*options, "--autoeval-summary=s.json", "--autoeval-seed=2")
    examples = [example for _, example in counterexamples(summary(pytester))]
    assert examples
    for example in examples:
        command = shlex.split(example["command"])
        assert "--autoeval-reader=offline/or-for-and" in command
        run(
            *command[1:], "--autoeval-results=again.jsonl", "--autoeval-shrink-budget=0"
        ).assert_outcomes(failed=1)
        (row,) = rows("again.jsonl")
        assert (row["reader"], row["outcome"]) == ("offline/or-for-and", example["outcome"])
        shown = fields(example)
        for key in ("description", "translation"):
            assert row[key] == shown[key]


def test_like_is_compared_with_like_and_replays_and_parts_have_readers(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    suite()
    record = (STUDENT, *readers("offline/faithful", "offline/or-for-and"))
    run(*record, "--autoeval-record-mode=once", "--autoeval-results=before.jsonl")
    result = run(
        *record,
        "--autoeval-record-mode=none",
        "--autoeval-baseline=before.jsonl",
        "--autoeval-summary=s.json",
    )
    assert "unused recordings" not in said(result)
    whole = summary(pytester)
    assert value(section(whole, "calls"), "replayed") == 1
    assert [
        (value(one, "pairs"), value(one, "difference")) for one in sections(whole, "suite")
    ] == [(16, 0)] * 2
    for part in (1, 2):
        run(*record, f"--autoeval-shard={part}/2", f"--autoeval-results={part}.jsonl")
    assert main(["report", "1.jsonl", "2.jsonl", "--summary=s.json"]) == 0
    joined = summary(pytester)
    assert section(joined, "readers") == section(whole, "readers")


def test_the_plan_counts_readers(suite: Suite, run: Run) -> None:
    suite()
    asked = (*models("m"), *readers("m", "n"), "--autoeval-price=m=1/1", "--autoeval-plan")
    result = run(*asked)
    result.stdout.re_match_lines(
        [
            r" +16 +32 +0 +0 .* 0.0\d +— +test_suite.py::test_round_trip\[m-read-by-m\]",
            r" +16 +32 +0 +16 .* — +— +test_suite.py::test_round_trip\[m-read-by-n\]",
            r"Time: about \d+ s for 48 calls.*",
        ]
    )


def test_a_run_with_other_readers_is_not_continued(suite: Suite, run: Run, rows: Rows) -> None:
    suite()
    asked = (STUDENT, *readers("offline/faithful", "offline/or-for-and"))
    run(*asked, "--autoeval-results=whole.jsonl")
    run(*asked, "--autoeval-max-calls=30", cache=True)
    other = run(STUDENT, *readers("offline/faithful"), "--autoeval-resume", cache=True)
    assert "no interrupted run of these tests, models and options was found" in said(other)
    resumed = run(*asked, "--autoeval-resume", "--autoeval-results=resumed.jsonl", cache=True)
    assert "30 calls" in said(resumed)
    key = ("reader", "formula", "description", "translation", "outcome")
    assert [[row[name] for name in key] for row in rows("resumed.jsonl")] == [
        [row[name] for name in key] for row in rows("whole.jsonl")
    ]
