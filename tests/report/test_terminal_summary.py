"""The summary at the end of a run, as its readers see it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import structs
from support import runs
from support.analyses import analyse, empty_suite, in_suite_of
from support.result_rows import call, changed, row, suites_of
from support.screens import render, texts
from support.snapshot import assert_snapshot

from pytest_autoeval.judging.gates import Gate
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suite_judgement import SuiteJudgement
from pytest_autoeval.outcomes import OUTCOMES, OutcomeKind
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.counterexample import Counterexample
from pytest_autoeval.report.suite_summary import summarise
from pytest_autoeval.text import width

KSAT = "suites/test_ksat.py::test_round_trip"
FIRST_ORDER = "suites/test_first_order.py::test_english_names"
REGEX = "suites/test_regex.py::test_round_trip"


def suite_rows(
    suite: str, model: str, endings: dict[int, Sequence[str]], **changes: Any
) -> list[Sample]:
    """Rows of one suite: at each size, the outcomes of its samples."""
    return [
        row(
            outcome,
            suite=suite,
            model=model,
            operators=size,
            index=index,
            formula=f"p{index} & q{size}",
            **changes,
        )
        for size, outcomes in endings.items()
        for index, outcome in enumerate(outcomes)
    ]


def summed_up(
    rows: Sequence[Sample], gates: Sequence[Gate] = (), examples: Sequence[Counterexample] = ()
) -> Analysis:
    """A run of these rows, with the gates that are given."""
    suites = {(suite.name, suite.model): suite for suite in suites_of(rows)}
    given = {(one.suite, one.model): one for one in gates}
    for names in given.keys() - suites.keys():
        suites[names] = empty_suite(*names, number=len(suites) + 1)
    summaries = []
    for names, suite in sorted(suites.items()):
        judged = structs.replace(given.get(names) or gate(suite.counted), number=suite.number)
        judgement = SuiteJudgement(gate=judged)
        summaries.append(summarise(suite, judgement))
    return Analysis(
        suites=list(suites.values()),
        summaries=summaries,
        counterexamples=[in_suite_of(example, suites) for example in examples],
    )


def gate(rows: Sequence[Sample], **changes: Any) -> Gate:
    kinds = [one.kind for one in rows]
    counts = {
        "samples": len(rows),
        "passed": kinds.count(OutcomeKind.PASS),
        "undecided": kinds.count(OutcomeKind.UNDECIDED),
        "errors": kinds.count(OutcomeKind.ERROR),
    }
    return Gate(**{"suite": rows[0].suite.name, "model": rows[0].model, **counts, **changes})


PASS, DIFFERENT, BROKEN, LOST, ERROR = (
    "equivalent",
    "different",
    "unparseable",
    "undecided",
    "error",
)

ksat_rows = suite_rows(
    KSAT,
    "offline/student",
    {size: [PASS] * (10 - size) + [DIFFERENT] * size for size in range(8)},
    calls=[
        call("informalize", replayed=True, cost=0.0004),
        call("autoformalize", replayed=True, cost=0.0003),
    ],
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
regex_rows = [changed(one, measures={"operators": 9, "depth": one.size}) for one in regex_rows]

negation_scope = Counterexample(
    sample=ksat_rows[-1],
    shrunk=row(
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
    sample=row(
        "unparseable",
        suite=FIRST_ORDER,
        model="gpt-5-mini",
        operators=4,
        formula="∀x. ∃y. ((call(x, y) ∨ ¬help(y, mary)) ∧ (sleep(x) ∨ call(john, y)))",
        description="For everything, which we call x, there is something, called y, such that two things hold. "
        * 4,
        translation=None,
        answer="Sure! Here it is:\n\n∀x ∃y ((call(x, y) ∨ ¬help(y, mary)) ∧ (sleep(x) ∨ call(john, y)",
        error="no first_order formula in the answer: line 1, column 66: the formula ends too early; expected )",
    ),
    command=f"pytest {FIRST_ORDER} --autoeval-model=gpt-5-mini "
    "'--autoeval-formula=∀x. ∃y. ((call(x, y) ∨ ¬help(y, mary)) ∧ (sleep(x) ∨ call(john, y)))'",
)
model_on_two = Counterexample(
    sample=row(
        "different",
        suite=FIRST_ORDER,
        model="gpt-5-mini",
        operators=12,
        formula="∀x. ∃y. call(x, y)",
        description="Somebody is called by everybody.",
        translation="∃y. ∀x. call(x, y)",
        witness_text="domain  {0, 1}\nmary    0\ncall    {(0, 0), (1, 1)}\nleft    true\nright   false",
    ),
    round_trips_spent=9,
    command=f"pytest {FIRST_ORDER} --autoeval-model=gpt-5-mini '--autoeval-formula=∀x. ∃y. call(x, y)'",
)
other_kinds = [
    Counterexample(
        sample=row(
            outcome,
            suite=FIRST_ORDER,
            model="gpt-5-mini",
            operators=8,
            translation=None,
            answer="",
            error=error,
        ),
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
    ],
)
def test_a_run_with_failures(name: str, settings: dict[str, Any]) -> None:
    assert_snapshot(name, render(summed_up(all_rows, all_gates, all_examples), **settings))


def test_a_run_in_which_all_is_well() -> None:
    gates = [gate(ksat_rows, threshold=0.5), gate(regex_rows)]
    assert_snapshot("all_well", render(summed_up(ksat_rows + regex_rows, gates)))


def test_an_interrupted_run() -> None:
    gates = [
        gate(ksat_rows, threshold=0.5, planned=80),
        gate(regex_rows[:12], threshold=0.5, planned=60, interrupted=True),
        *(
            Gate(
                suite=FIRST_ORDER,
                model=f"gpt-{n}",
                samples=0,
                passed=0,
                planned=20,
                interrupted=True,
            )
            for n in "56"
        ),
    ]
    assert_snapshot("interrupted", render(summed_up(ksat_rows + regex_rows[:12], gates)))


def test_an_error_that_ends_a_run_is_shown_once() -> None:
    text = "no key"
    rows = [
        suite_rows(suite, "gpt-5-mini", {1: [ERROR] * 2}, error=text) for suite in (KSAT, REGEX)
    ]
    gates = [gate(rows[0]), gate(rows[1], interrupted=True)]
    printed = [line.text for line in render(summed_up([*rows[0], *rows[1]], gates))]
    assert [line.strip() for line in printed if text in line] == ["2  no key"]
    assert "  1 suite was not run" in printed
    assert not any("gate" in line for line in printed)
    gates[0] = gate(rows[0], interrupted=True)
    assert sum(text in line.text for line in render(summed_up([*rows[0], *rows[1]], gates))) == 2


def test_a_run_with_errors() -> None:
    rows = suite_rows(
        KSAT, "gpt-5-mini", {1: [PASS] * 3 + [ERROR] * 2}, error="no answer: connection refused"
    )
    rows += suite_rows(
        KSAT, "gpt-5-mini", {2: [PASS] * 4 + [ERROR]}, error="429: the quota is spent\n" * 9
    )
    assert_snapshot("errors", render(summed_up(rows, [gate(rows)])))
    assert_snapshot("errors_verbose", render(summed_up(rows, [gate(rows)]), verbosity=1))


def test_the_message_of_errors_stands_beside_a_long_counterexample() -> None:
    changes: dict[str, Any] = {
        "threshold": 0.9,
        "description": "a long description " * 30,
        "leaked": True,
    }
    samples = runs.suite(
        ["equivalent"] * 9 + ["different"] * 9 + ["copied"] * 2 + ["error"] * 3,
        error="429",
        **changes,
    )
    lines = texts(analyse(samples, Rules(), counterexamples=[*runs.examples(samples)]))
    assert any(line.split() == ["3", "429"] for line in lines)
    assert any("copied 2; leaked 21" in line for line in lines)


def test_a_run_without_samples_says_so() -> None:
    assert [line.text for line in render(Analysis())] == ["no sample ran"]


def test_texts_of_a_model_cannot_write_to_the_terminal() -> None:
    evil = (
        "\x1b[2J\x1b]0;x\x07\u202e all passed\r\n✓ every gate passed\u2028\x9b1A\ud800 日本語 "
        + "e\u0301" * 90
    )
    bad = row(
        "different",
        suite=KSAT,
        model="offline/student",
        formula=evil,
        description=evil,
        translation=evil,
    )
    bad = changed(bad, witness_text=evil, error=evil, outcome="different", suite=KSAT + "\x1b[1m")
    example = Counterexample(sample=bad, command=f"pytest {evil}")
    assert_snapshot("hostile", render(summed_up([bad], [gate([bad], threshold=1)], [example])))
    assert_snapshot("hostile_ascii", render(summed_up([bad], [], [example]), unicode=False))


def test_a_command_is_never_broken_or_shortened() -> None:
    command = "pytest " + "x y " * 100 + "end"
    lines = render(
        summed_up(ksat_rows, [], [Counterexample(sample=ksat_rows[-1], command=command)])
    )
    assert f"    reproduce    {command}" in [line.text for line in lines]


def test_the_tokens_of_thoughts_are_shown_apart() -> None:
    rows = [
        row(PASS, calls=[call("informalize") | {"reasoning_tokens": number}])
        for number in (1_200, 34, None)
    ]
    lines = [line.text for line in render(summed_up(rows))]
    assert any("tokens in 630; tokens out 42; reasoning tokens 1,234" in line for line in lines)


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


# An error whose message is nothing to be seen.
@example([("s", "m", 0, "error", "\r")], 0, 80, True)
@given(endings, st.integers(-2, 2), st.integers(0, 200), st.booleans())
def test_any_summary_is_visible_text_within_the_width(
    samples: list[tuple[str, str, int, str, str]], verbosity: int, columns: int, unicode: bool
) -> None:
    rows = [
        row(
            outcome,
            suite=suite,
            model=model,
            operators=size,
            description=text,
            translation=text,
            error=text,
        )
        for suite, model, size, outcome, text in samples
    ]
    examples = [Counterexample(sample=one, command="pytest") for one in rows]
    gates = [gate(suite.counted, threshold=0.5) for suite in suites_of(rows)]
    lines = render(
        summed_up(rows, gates, examples), verbosity=verbosity, width=columns, unicode=unicode
    )
    for line in lines:
        assert all(unicodedata.category(sign)[0] != "C" for sign in line.text)
        assert line.text == line.text.rstrip()
        if unicode and verbosity <= 0 and "::" not in line.text:  # the whole name of a suite
            assert width(line.text) <= max(80, columns)
        if not unicode:
            assert line.text.isascii()
    assert [line.style for line in lines].count("bad") >= sum(not one.passes for one in gates)


SUITE = "suites/test_ltl_tasks.py::test_"
SENTENCE = "Whenever a claim is filed, the claim is paid out at that step or later."


def task_row(outcome: str, task: str, index: int = 0, **changes: Any) -> Sample:
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
    error="the answer is no, but should be yes",
)


def judged(
    outcome: str, size: int, *, expected: bool, answered: bool | None, **changes: Any
) -> Sample:
    """A row of a pair of formulas that was judged."""
    about = {
        "operators": size,
        "interface": "reasoning",
        "other": "G x1 -> F x2",
        "expected": expected,
    }
    return task_row(outcome, "judge", size, answered=answered, **about, **changes)


JUDGED_ALIKE = judged(
    "wrong answer",
    1,
    expected=False,
    answered=True,
    answer="Both say that x2 follows x1.\n\nAnswer: yes",
    error="the answer is yes, but should be no",
    witness_text="!x1; cycle{x1 & !x2} (left: false, right: true)",
)
ROWS = [
    SWAPPED,
    task_row(
        "unparseable", "translate_sentence", 1, answer="I would have to think.", meaningful=False
    ),
    task_row(
        "equivalent",
        "translate_sentence",
        2,
        relation="equivalent",
        meaningful=True,
        syntactically_correct=True,
    ),
    REJECTED,
    task_row("correct", "judge_trace", 1, expected=False, answered=False, answer="no"),
    task_row(
        "unreadable answer", "judge_trace", 2, expected=True, answered=None, answer="yes and no"
    ),
    JUDGED_ALIKE,
    *[judged("correct", size, expected=True, answered=True) for size in (1, 2, 3)],
    *[judged("correct", size, expected=False, answered=False) for size in (1, 2)],
    judged("unreadable answer", 3, expected=False, answered=None, answer="yes, they differ"),
]


def test_the_summary_shows_the_figures_of_tasks_and_what_was_asked() -> None:
    examples = [
        Counterexample(sample=failed, command="pytest …")
        for failed in (SWAPPED, REJECTED, JUDGED_ALIKE)
    ]
    lines = render(summed_up(ROWS, examples=examples), width=90)
    assert_snapshot("tasks", lines)


def variant(interface: str, way: str, outcomes: list[str], other: str = "") -> list[Sample]:
    """The rows of one way to run a suite; ``other`` is what else its brackets hold."""
    suite = f"{SUITE}judge_trace[{interface}-{way}{other}]"
    return [
        task_row(
            outcome,
            "judge_trace",
            index,
            suite=suite,
            interface=interface,
            way=way,
            formula=f"G p{index}",
        )
        for index, outcome in enumerate(outcomes)
    ]


def shown_grid(rows: list[Sample]) -> list[str]:
    lines = [line.text for line in render(summed_up(rows), width=90)]
    start = lines.index("pass rates by interface and prompting")
    return [*takewhile(bool, lines[start + 1 :])]


def test_models_whose_ids_are_alike_have_a_grid_each() -> None:
    ways = [
        *variant("minimal", "zero-shot", ["correct"]),
        *variant("minimal", "self-refine", ["wrong answer"]),
    ]
    grid = shown_grid([changed(way, model=model) for way in ways for model in ("a?b", "a b")])
    assert sum(line.endswith("[a-b]") for line in grid) == 2


def test_a_suite_that_was_run_in_several_ways_has_a_grid() -> None:
    rows = [
        *variant("python", "zero-shot", ["correct", "correct"]),
        *variant("minimal", "self-refine", ["correct", "wrong answer"]),
        *variant("minimal", "zero-shot", ["wrong answer", "wrong answer"]),
    ]
    assert shown_grid(rows) == [
        "  suites/test_ltl_tasks.py::test_judge_trace[offline/student]",
        "  interface  self-refine (95 %)      zero-shot (95 %)",
        "  minimal     50.0 % (1.3–98.7)      0.0 % (0.0–84.2)",
        "  python                      –  100.0 % (15.8–100.0)",
    ]


@pytest.mark.parametrize(("passed", "shown"), [(9, True), (18, False)])
def test_the_chance_level_is_shown_only_if_the_model_may_be_no_better(
    passed: int, shown: bool
) -> None:
    rows = suite_rows(KSAT, "m", {1: ["equivalent"] * passed + ["different"] * (20 - passed)})
    rows = [changed(one, same_as="p0" if one.index < 10 else None) for one in rows]
    text = " ".join(" ".join(line.text for line in render(summed_up(rows))).split())
    assert ("chance level 50.0 % one constant answer may pass as often" in text) is shown


def test_a_size_without_formulas_leaves_a_gap_in_the_bars() -> None:
    rows = suite_rows(KSAT, "m", {2: ["equivalent", "different"], 5: ["different"] * 2})
    rows = [changed(one, sizes_without_samples=[1, 3, 4]) for one in rows]
    assert "by operators: 2 ▄··▁ 5" in "\n".join(line.text for line in render(summed_up(rows)))
