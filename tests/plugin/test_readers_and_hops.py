"""`--autoeval-reader`: others read what a model described. `--autoeval-hops`: the meaning goes round several times."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from support.chat_server import Answer, ChatServer, Received
from support.documented_summary import check
from support.formula_server import asked, sensible

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
    data: dict[str, Any] = json.loads((pytester.path / "s.json").read_text("utf-8"))
    check(data)
    return data


def test_three_models_that_read_each_other_show_who_loses_what(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    suite(ROUND_TRIP.replace("range(4)", "range(1, 5)"))
    files = ("--autoeval-results=out.jsonl", "--autoeval-summary=s.json", "--autoeval-github-summary=s.md")
    result = run(*models(*FAULTS), *readers(*FAULTS), *files, "--autoeval-shrink-budget=0", "-v")
    found = rows("out.jsonl")
    assert {(row["model"], row.get("reader", row["model"])) for row in found} == {
        (a, b) for a in FAULTS for b in FAULTS
    }
    (matrix,) = summary(pytester)["readers"]
    assert (matrix["suite"], tuple(matrix["describers"]), tuple(matrix["readers"])) == (
        "test_suite.py::test_round_trip",
        FAULTS,
        FAULTS,
    )
    faithful, leak, scope = ([rate["lower"] for rate in row] for row in matrix["rates"])
    # The fault of negation-scope is in its reading, that of leak in its writing, which only it reads itself.
    assert faithful == scope
    assert faithful[:2] == [1, 1]
    assert faithful[2] < 1
    assert (leak[0], leak[2]) == (0, 0)
    assert [finding.partition(":")[0] for finding in matrix["findings"]] == [
        "offline/leak writes unclearly",
        "offline/negation-scope reads badly",
    ]
    for text in (said(result), (pytester.path / "s.md").read_text("utf-8").replace("`", "")):
        assert "offline/leak writes unclearly: 0.0 %" in text
        assert "offline/negation-scope reads badly:" in text
    assert "test_suite.py::test_round_trip[offline/leak-read-by-offline/faithful] PASSED" in said(result)


def test_a_description_is_asked_once_for_all_readers_and_paid_once(suite: Suite, run: Run, rows: Rows) -> None:
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
    assert {bool(call["cost"]) == (not call["replayed"]) for call in described} == {True}
    assert sum(call["replayed"] for call in described) == 32
    assert sum(number for (model, _), number in calls.items() if model == "c") == 16
