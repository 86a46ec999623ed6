"""The summary at the end of a run, as its readers see it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from result_rows import call, row
from snapshot import assert_snapshot

from pytest_autoeval.outcomes import OUTCOMES
from pytest_autoeval.reporting.analysis import Analysis, SuiteJudgement
from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.judging.gates import Gate
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.suite_summary import suite_summaries
from pytest_autoeval.reporting.terminal import render
from pytest_autoeval.reporting.text import width

KSAT = "suites/test_ksat.py::test_round_trip"
FIRST_ORDER = "suites/test_first_order.py::test_english_names"
REGEX = "suites/test_regex.py::test_round_trip"


def suite_rows(suite: str, model: str, endings: dict[int, Sequence[str]], **changes: Any) -> list[Row]:
    """Rows of one suite: at each size, the outcomes of its samples."""
    return [
        row(outcome, suite=suite, model=model, operators=size, index=index, formula=f"p{index} & q{size}", **changes)
        for size, outcomes in endings.items()
        for index, outcome in enumerate(outcomes)
    ]


def summed_up(rows: Sequence[Row], gates: Sequence[Gate] = (), examples: Sequence[Counterexample] = ()) -> Analysis:
    """A run of these rows, with the gates that are given."""
    summaries = suite_summaries(rows, gates)
    judgements = [SuiteJudgement(gate=summary.gate) for summary in summaries if summary.gate is not None]
    return Analysis(rows=rows, judgements=judgements, summaries=summaries, counterexamples=examples)


def gate(rows: Sequence[Row], **changes: Any) -> Gate:
    kinds = [one.kind for one in rows]
    counts = {
        "samples": len(rows),
        "passed": kinds.count("pass"),
        "undecided": kinds.count("undecided"),
        "errors": kinds.count("error"),
    }
    return Gate(**{"suite": rows[0].suite, "model": rows[0].model, **counts, **changes})


PASS, DIFFERENT, BROKEN, LOST, ERROR = "equivalent", "different", "unparseable", "undecided", "error"

ksat_rows = suite_rows(
    KSAT,
    "offline/student",
    {size: [PASS] * (10 - size) + [DIFFERENT] * size for size in range(8)},
    calls=[call("informalize", replayed=True, cost=0.0004), call("autoformalize", replayed=True, cost=0.0003)],
)
first_order_rows = suite_rows(
    FIRST_ORDER,
    "gpt-5-mini",
    {
        0: [PASS] * 10,
        4: [PASS] * 8 + [BROKEN, "foreign symbol"],
        8: [PASS] * 6 + [LOST, LOST, BROKEN, "truncated"],
        12: [PASS] * 4 + [DIFFERENT] * 5 + ["refused or empty"],
    },
)
regex_rows = suite_rows(REGEX, "offline/faithful", {depth: [PASS] * 10 for depth in range(1, 7)})
regex_rows = [replace(one, measures={"operators": 9, "depth": one.operators}) for one in regex_rows]

negation_scope = Counterexample(
    row=ksat_rows[-1],
    shrunk_row=row(
        "different",
        suite=KSAT,
        model="offline/student",
        operators=2,
        formula="¬(p1 ∧ p2)",
        description="It is not the case that both p1 and p2 hold.",
        translation="¬p1 ∧ p2",
        witness_text="p1 = true, p2 = false",
    ),
    minimal=True,
    confirmed="2 of 2",
    round_trips_spent=14,
    command=f"pytest {KSAT} --autoeval-model=offline/student '--autoeval-formula=¬(p1 ∧ p2)'",
)
unparseable = Counterexample(
    row=row(
        "unparseable",
        suite=FIRST_ORDER,
        model="gpt-5-mini",
        operators=4,
        formula="∀x. ∃y. ((call(x, y) ∨ ¬help(y, mary)) ∧ (sleep(x) ∨ call(john, y)))",
        description="For everything, which we call x, there is something, called y, such that two things hold. " * 4,
        translation=None,
        answer="Sure! Here it is:\n\n∀x ∃y ((call(x, y) ∨ ¬help(y, mary)) ∧ (sleep(x) ∨ call(john, y)",
        error="no first_order formula in the answer: line 1, column 66: the formula ends too early; expected )",
    ),
    command=f"pytest {FIRST_ORDER} --autoeval-model=gpt-5-mini "
    "'--autoeval-formula=∀x. ∃y. ((call(x, y) ∨ ¬help(y, mary)) ∧ (sleep(x) ∨ call(john, y)))'",
)
model_on_two = Counterexample(
    row=row(
        "different",
        suite=FIRST_ORDER,
        model="gpt-5-mini",
        operators=12,
        formula="∀x. ∃y. call(x, y)",
        description="Somebody is called by everybody.",
        translation="∃y. ∀x. call(x, y)",
        witness_text="domain {0, 1}\n\ncall | 0 1\n-----+----\n0    | ⊤ ⊥\n1    | ⊥ ⊤",
    ),
    round_trips_spent=9,
    command=f"pytest {FIRST_ORDER} --autoeval-model=gpt-5-mini '--autoeval-formula=∀x. ∃y. call(x, y)'",
)
other_kinds = [
    Counterexample(
        row=row(outcome, suite=FIRST_ORDER, model="gpt-5-mini", operators=8, translation=None, answer="", error=error),
        command=f"pytest {FIRST_ORDER}",
    )
    for outcome, error in [
        ("truncated", "autoformalize: the answer was cut off at the token limit"),
        ("refused or empty", "autoformalize: the answer is empty"),
        ("foreign symbol", "the answer uses a name that was not given: p1"),
    ]
]

all_rows = ksat_rows + first_order_rows + regex_rows
all_gates = [
    gate(ksat_rows, threshold=0.9),
    gate(first_order_rows, threshold=0.75),
    gate(regex_rows, threshold=1.0),
]
all_examples = [negation_scope, unparseable, model_on_two, *other_kinds]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("default", {}),
        ("verbose", {"verbosity": 1}),
        ("quiet", {"verbosity": -1}),
        ("ascii", {"unicode": False}),
        ("wide", {"width": 140}),
    ],
)
def test_a_run_with_failures(name: str, settings: dict[str, Any]) -> None:
    assert_snapshot(name, render(summed_up(all_rows, all_gates, all_examples), **settings))


def test_a_run_in_which_all_is_well() -> None:
    gates = [gate(ksat_rows, threshold=0.5), gate(regex_rows)]
    assert_snapshot("all_well", render(summed_up(ksat_rows + regex_rows, gates)))


def test_a_run_without_thresholds() -> None:
    assert_snapshot("no_threshold", render(summed_up(regex_rows, [gate(regex_rows)])))


def test_an_interrupted_run() -> None:
    gates = [
        gate(ksat_rows, threshold=0.5, planned=80),
        gate(regex_rows[:12], threshold=0.5, planned=60, interrupted=True),
        Gate(suite=FIRST_ORDER, model="gpt-5-mini", samples=0, passed=0, planned=40, interrupted=True),
    ]
    assert_snapshot("interrupted", render(summed_up(ksat_rows + regex_rows[:12], gates)))


def test_a_run_with_errors() -> None:
    rows = suite_rows(KSAT, "gpt-5-mini", {1: [PASS] * 3 + [ERROR] * 2}, error="no answer: connection refused")
    rows += suite_rows(KSAT, "gpt-5-mini", {2: [PASS] * 4 + [ERROR]}, error="429: the quota is spent\n" * 9)
    assert_snapshot("errors", render(summed_up(rows, [gate(rows)])))
    assert_snapshot("errors_verbose", render(summed_up(rows, [gate(rows)]), verbosity=1))


def test_a_run_in_which_every_sample_ended_in_an_error() -> None:
    rows = suite_rows(KSAT, "m", {1: [ERROR] * 3}, error=None, compliant=None, calls=[])
    assert_snapshot("errors_only", render(summed_up(rows, [gate(rows, threshold=0.5)])))


def test_nothing_ran() -> None:
    assert render(Analysis()) == []


def test_texts_of_a_model_cannot_write_to_the_terminal() -> None:
    evil = "\x1b[2J\x1b]0;x\x07\u202e all passed\r\n✓ every gate passed\u2028\x9b1A\ud800 日本語 " + "e\u0301" * 90
    bad = row("different", suite=KSAT, model="offline/student", formula=evil, description=evil, translation=evil)
    bad = replace(bad, witness_text=evil, error=evil, outcome="different", suite=KSAT + "\x1b[1m")
    example = Counterexample(row=bad, command=f"pytest {evil}")
    assert_snapshot("hostile", render(summed_up([bad], [gate([bad], threshold=1)], [example])))
    assert_snapshot("hostile_ascii", render(summed_up([bad], [], [example]), unicode=False))


def test_an_assertion_of_the_tests_own() -> None:
    failed = row("assertion failed", suite=KSAT, description=None, translation=None, answer=None, error="assert 3 == 4")
    lines = [line.text for line in render(summed_up([failed], [], [Counterexample(row=failed, command="pytest x")]))]
    assert "  assertion failed (AE108), 1 sample" in lines
    assert "    reason       assert 3 == 4" in lines
    assert not [line for line in lines if "description" in line or "translation" in line]


def test_a_command_is_never_broken_or_shortened() -> None:
    command = "pytest " + "x y " * 100 + "end"
    lines = render(summed_up(ksat_rows, [], [Counterexample(row=ksat_rows[-1], command=command)]))
    assert f"    reproduce    {command}" in [line.text for line in lines]


def test_the_smallest_of_several_examples_of_a_kind_is_shown() -> None:
    big, small = (row("different", operators=size, formula="p" * size) for size in (9, 3))
    examples = [Counterexample(row=one, command=f"pytest {one.operators}") for one in (big, small)]
    text = "\n".join(line.text for line in render(summed_up([big, small], [], examples)))
    assert "reproduce    pytest 3" in text
    assert "reproduce    pytest 9" not in text


def test_one_line_tells_what_went_in_what_came_back_and_where_they_differ() -> None:
    assert negation_scope.one_line == "different: ¬(p1 ∧ p2) came back as ¬p1 ∧ p2 (witness: p1 = true, p2 = false)"
    assert unparseable.one_line.startswith("unparseable: ∀x. ∃y. ((call(x, y) ∨ ¬help(y, mary)) ∧ (sleep(x) ∨ call(")
    assert "came back as Sure! Here it is: ∀x ∃y ((call(x, y)" in unparseable.one_line
    assert other_kinds[0].one_line.endswith(": autoformalize: the answer was cut off at the token limit")


def test_summaries_count_what_is_in_the_rows() -> None:
    student, mini = suite_summaries(reversed(ksat_rows + first_order_rows), all_gates[:2])[::-1]
    assert (student.name, mini.name) == (f"{KSAT}[offline/student]", f"{FIRST_ORDER}[gpt-5-mini]")
    assert (student.samples, student.whole.rate.passed, student.size_name) == (80, 52, "operators")
    assert mini.whole.rate.undecided == 2
    assert mini.outcomes == {
        PASS: 28, DIFFERENT: 5, BROKEN: 2, LOST: 2, "foreign symbol": 1, "truncated": 1, "refused or empty": 1
    }  # fmt: skip
    assert list(mini.by_size) == [0, 4, 8, 12]
    assert (student.calls.number, student.calls.replayed, student.calls.prompt_tokens) == (160, 160, 33_600)
    assert student.calls.cost == pytest.approx(0.056)
    assert mini.calls.cost is None
    assert (student.gate, mini.gate) == (all_gates[0], all_gates[1])


def test_the_name_of_the_sizes_is_the_measure_that_they_are() -> None:
    assert suite_summaries(regex_rows)[0].size_name == "depth"
    assert suite_summaries([row(operators=3, measures={"operators": 1, "depth": 1})])[0].size_name == "size"
    assert suite_summaries([row(operators=3, measures={})])[0].size_name == "size"


endings = st.lists(
    st.tuples(
        st.sampled_from(["s", "a long name/of a suite.py::test_" + "x" * 90]),
        st.sampled_from(["m", "n"]),
        st.integers(0, 30),
        st.sampled_from(sorted(OUTCOMES)),
        st.text(max_size=60),
    ),
    max_size=30,
)


@example([("s", "m", 0, "error", "\r")], 0, 80, True)  # an error whose message is nothing to be seen
@given(endings, st.integers(-2, 2), st.integers(0, 200), st.booleans())
def test_any_summary_is_visible_text_within_the_width(
    samples: list[tuple[str, str, int, str, str]], verbosity: int, columns: int, unicode: bool
) -> None:
    rows = [
        row(outcome, suite=suite, model=model, operators=size, description=text, translation=text, error=text)
        for suite, model, size, outcome, text in samples
    ]
    examples = [Counterexample(row=one, command="pytest") for one in rows]
    by_suite = {(one.suite, one.model): [] for one in rows}  # type: dict[tuple[str, str], list[Row]]
    for one in rows:
        by_suite[one.suite, one.model].append(one)
    gates = [gate(part, threshold=0.5) for part in by_suite.values()]
    lines = render(summed_up(rows, gates, examples), verbosity=verbosity, width=columns, unicode=unicode)
    for line in lines:
        assert all(unicodedata.category(sign)[0] != "C" for sign in line.text)
        assert line.text == line.text.rstrip()
        if unicode and verbosity <= 0:
            assert width(line.text) <= max(80, columns)
        if not unicode:
            assert line.text.isascii()
    assert [line.style for line in lines].count("bad") >= sum(not one.passes for one in gates)
