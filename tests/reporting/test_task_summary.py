"""What the summary shows of tasks other than the round trip: their figures, and what was asked and answered."""

from __future__ import annotations

from typing import Any

from result_rows import call, row
from snapshot import assert_snapshot

from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.suite_summary import suite_summaries
from pytest_autoeval.reporting.terminal import render

SUITE = "suites/test_ltl_tasks.py::test_"
SENTENCE = "Whenever a claim is filed, the claim is paid out at that step or later."


def task_row(outcome: str, task: str, index: int = 0, **changes: Any) -> Row:
    """A row of a task."""
    keys = {
        "suite": SUITE + task,
        "language": "ltl",
        "index": index,
        "item": f"item-{index}",
        "formula": "G (x1 -> F x2)",
        "description": None,
        "translation": None,
        "answer": None,
        "compliant": None,
        "leaked": None,
        "calls": [call(task)],
        "task": task,
        "interface": "detailed",
        "way": "zero-shot",
    }
    return row(outcome, **{**keys, **changes})


SWAPPED = task_row(
    "different",
    "translate_sentence",
    sentence=SENTENCE,
    propositions=[["a claim is filed", "x1"], ["the claim is paid out", "x2"]],
    answer='"a claim is filed": filed\n"the claim is paid out": paid\nFormula: G (paid -> F filed)',
    translation="G (paid -> F filed)",
    compliant=False,
    witness_text="x1; cycle{!x1 & !x2} (left: false, right: true)",
    alignment=[["filed", "x1"], ["paid", "x2"]],
    alignment_basis="phrases",
    relation="incomparable",
    meaningful=True,
    syntactically_correct=True,
)
REJECTED = task_row(
    "wrong answer",
    "judge_trace",
    trace="x1 & !x2; cycle{!x1 & x2}",
    expected=True,
    answered=False,
    answer="No.",
    error="the answer is no, and should be yes",
)


def judged(outcome: str, size: int, *, expected: bool, answered: bool | None, **changes: Any) -> Row:
    """A row of a pair of formulas that was judged."""
    about = {"operators": size, "interface": "reasoning", "other": "G x1 -> F x2", "expected": expected}
    return task_row(outcome, "judge", size, answered=answered, **about, **changes)


JUDGED_ALIKE = judged(
    "wrong answer",
    1,
    expected=False,
    answered=True,
    answer="Both say that x2 follows x1.\n\nAnswer: yes",
    error="the answer is yes, and should be no",
    witness_text="!x1; cycle{x1 & !x2} (left: false, right: true)",
)
ROWS = [
    SWAPPED,
    task_row("unparseable", "translate_sentence", 1, answer="I would have to think.", meaningful=False),
    task_row("equivalent", "translate_sentence", 2, relation="equivalent", meaningful=True, syntactically_correct=True),
    REJECTED,
    task_row("correct", "judge_trace", 1, expected=False, answered=False, answer="no"),
    task_row("unreadable answer", "judge_trace", 2, expected=True, answered=None, answer="yes and no"),
    JUDGED_ALIKE,
    *[judged("correct", size, expected=True, answered=True) for size in (1, 2, 3)],
    *[judged("correct", size, expected=False, answered=False) for size in (1, 2)],
    judged("unreadable answer", 3, expected=False, answered=None, answer="yes, they differ"),
]


def test_the_summary_shows_the_figures_of_tasks_and_what_was_asked() -> None:
    examples = [Counterexample(row=failed, command="pytest …") for failed in (SWAPPED, REJECTED, JUDGED_ALIKE)]
    lines = render(Analysis(rows=ROWS, summaries=suite_summaries(ROWS), counterexamples=examples), width=90)
    assert_snapshot("tasks", lines)


def variant(interface: str, way: str, outcomes: list[str], other: str = "") -> list[Row]:
    """The rows of one way to run a suite; ``other`` is what else its brackets hold."""
    suite = f"{SUITE}judge_trace[{interface}-{way}{other}]"
    return [
        task_row(outcome, "judge_trace", index, suite=suite, interface=interface, way=way)
        for index, outcome in enumerate(outcomes)
    ]


def shown_grid(rows: list[Row]) -> list[str]:
    lines = [line.text for line in render(Analysis(rows=rows, summaries=suite_summaries(rows)), width=90)]
    start = lines.index("pass rates by interface and prompting")
    return lines[start + 1 : -1]


def test_a_suite_that_was_run_in_several_ways_has_a_grid() -> None:
    rows = [
        *variant("python", "zero-shot", ["correct", "correct"]),
        *variant("minimal", "self-refine", ["correct", "wrong answer"]),
        *variant("minimal", "zero-shot", ["wrong answer", "wrong answer"]),
    ]
    assert shown_grid(rows) == [
        "  suites/test_ltl_tasks.py::test_judge_trace[offline/student]",
        "             self-refine  zero-shot",
        "    minimal       50.0 %      0.0 %",
        "    python             –    100.0 %",
    ]


def test_other_parameters_of_a_test_have_a_grid_each() -> None:
    rows = [
        one
        for other in ("-formal", "-plain")
        for way in ("zero-shot", "few-shot")
        for one in variant("minimal", way, ["correct"], other)
    ]
    assert [line for line in shown_grid(rows) if "::" in line] == [
        "  suites/test_ltl_tasks.py::test_judge_trace[formal][offline/student]",
        "  suites/test_ltl_tasks.py::test_judge_trace[plain][offline/student]",
    ]


def test_one_way_needs_no_grid() -> None:
    lines = [line.text for line in render(Analysis(rows=ROWS, summaries=suite_summaries(ROWS)), width=90)]
    assert "pass rates by interface and prompting" not in lines
