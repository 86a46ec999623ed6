"""A run as Markdown: what its readers see on GitHub, and that nothing in it can be taken for anything else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from result_rows import changed, row
from snapshot import assert_text_snapshot
from test_markdown_text import HOSTILE, LINKED, kinds, words

from pytest_autoeval.reporting.analysis import Analysis, analyse
from pytest_autoeval.reporting.counterexample import Counterexample, KeptResult
from pytest_autoeval.reporting.judging.baseline import Baseline
from pytest_autoeval.reporting.judging.gates import Extent, Rules
from pytest_autoeval.reporting.markdown import SHORTEST, markdown
from pytest_autoeval.reporting.row import Row

KSAT = "suites/test_ksat.py::test_round_trip"
REGEX = "suites/test_regex.py::test_round_trip"
PASS, FAIL = "equivalent", "different"


def rows(outcomes: Sequence[str], suite: str = KSAT, model: str = "gpt-5-mini", **changes: Any) -> list[Row]:
    """A row for each outcome, each of another formula."""
    return [
        row(outcome, suite=suite, model=model, index=index, formula=f"p{index} ∧ p{index + 1}", **changes)
        for index, outcome in enumerate(outcomes)
    ]


def smallest(found: Sequence[Row]) -> list[Counterexample]:
    """A counterexample for each way to fail."""
    failures = [one for one in found if one.kind == "model failure"]
    kinds_of_failure = {(one.suite, one.model, one.outcome): one for one in reversed(failures)}
    return [Counterexample(row=one, command=f"pytest {one.suite}") for one in kinds_of_failure.values()]


def a_run() -> Analysis:
    """A run in which all that can be told happened."""
    before = rows([PASS] * 38 + [FAIL] * 2) + rows([PASS] * 20, REGEX)
    now = rows([PASS] * 20 + [FAIL] * 20, witness_text="p1 = true (left: true, right: false)")
    unparseable = {"outcome": "unparseable", "code": "AE102", "translation": None, "answer": "I cannot"}
    now[25] = changed(now[25], error="no formula", **unparseable)
    now[20:24] = [changed(one, blame={"half": "description"}) for one in now[20:24]]
    now[24] = changed(now[24], blame={"half": "reading"})
    now += rows([PASS] * 19 + ["undecided"], REGEX) + rows([PASS] * 9 + [FAIL], REGEX, model="other")
    kept = [
        KeptResult(
            status="still failing",
            file="a.json",
            suite=KSAT,
            formula="¬p1",
            first_seen="2026-01-02",
            last_seen="2026-02-03",
            failing=("gpt-5-mini (different)",),
        ),
        KeptResult(
            status="fixed", file="b.json", suite=KSAT, formula="p2", first_seen="2026-01-02", last_seen="2026-01-03"
        ),
    ]
    return analyse(
        now,
        Rules(threshold=0.8, gate="interval", drop=0.05),
        baseline=Baseline(before),
        baseline_name="results/main.jsonl",
        counterexamples=smallest(now),
        kept=kept,
    )


def test_a_run_in_which_much_happened() -> None:
    assert_text_snapshot("run.md", markdown(a_run(), title="gpt-5-mini, nightly"))


def test_a_run_in_which_all_is_well() -> None:
    assert_text_snapshot("well.md", markdown(analyse(rows([PASS] * 30), Rules(threshold=0.9))))


def test_nothing_ran() -> None:
    assert markdown(analyse([], Rules())) == "## · pytest-autoeval: no sample ran\n"


def test_an_interrupted_run() -> None:
    extents = {(KSAT, "gpt-5-mini"): Extent(planned=90, interrupted=True)}
    text = markdown(analyse(rows([PASS] * 30), Rules(threshold=0.9), extents=extents))
    assert text.startswith("## ! pytest-autoeval: interrupted: 30 of 90 samples ran")
    assert "| ! interrupted | `suites/test_ksat.py::test_round_trip` |" in text


def test_what_failed_comes_first() -> None:
    text = markdown(analyse(rows([PASS] * 9) + rows([FAIL] * 9, REGEX), Rules(threshold=0.5)))
    assert text.index("✗ failed") < text.index("✓ passed")


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_came_from_elsewhere_is_markdown(text: str) -> None:
    one = row(FAIL, suite=f"a.py::test[{text}]", model=f"m{text}", formula=f"p{text}", description=text, answer=text)
    one = replace(one, translation=text or None, witness_text=text, error=text, sentence=text)
    example = Counterexample(row=one, command=f"pytest {text}", confirmed=text, minimal=True)
    kept = KeptResult(status="new", file=text, suite=text, formula=text, first_seen=text, failing=(text,), problem=text)
    old = replace(one, model="another", formula=f"q{text}")
    analysis = analyse(
        [one, replace(one, index=1, outcome=PASS)],
        Rules(threshold=1.0, drop=0.1),
        baseline=Baseline([old, replace(one, model="another")]),
        baseline_name=text,
        counterexamples=[example],
        kept=[kept],
    )
    written = markdown(analysis, title=text)
    assert not kinds(written) & {
        *(
            "link_open",
            "image",
            "html_inline",
            "html_block",
            "em_open",
            "strong_open",
            "s_open",
            "hr",
            "blockquote_open",
        ),
        *("ordered_list_open", "code_block", "softbreak", "hardbreak"),
    }
    assert not LINKED.search(words(written))
    assert kinds(written) == kinds(markdown(_harmless(analysis)))
    assert written.isprintable() or not [sign for sign in written if not sign.isprintable() and sign != "\n"]


def _harmless(analysis: Analysis) -> Analysis:
    """A run of the same sort about which nothing is strange."""
    one = row(FAIL, suite="a.py::test", model="m")
    kept = KeptResult(status="new", file="f", suite="s", formula="p", first_seen="d", failing=("m",), problem="p")
    return analyse(
        [one, replace(one, index=1, outcome=PASS)],
        analysis.rules,
        baseline=Baseline([replace(one, model="another", formula="q"), replace(one, model="another")]),
        baseline_name="b",
        counterexamples=[Counterexample(row=one, command="pytest")],
        kept=[kept],
    )


def test_a_long_run_keeps_its_verdict_and_loses_examples_first() -> None:
    found = [
        one
        for number in range(80)
        for one in rows([FAIL] * 3, f"suites/test_{number}.py::test", description="é " * 300)
    ]
    analysis = analyse(found, Rules(threshold=0.5), counterexamples=smallest(found))
    whole = markdown(analysis)
    assert "left out" not in whole
    shown = {}
    for limit in (SHORTEST, 10_000, 30_000, 40_000, len(whole.encode()) - 1):
        text = markdown(analysis, limit=limit)
        assert len(text.encode()) <= limit
        assert text.startswith("## ✗ pytest-autoeval: 80 of 80 gates failed\n")
        assert "html_block" not in kinds(text)
        assert text.count("```") % 2 == 0
        shown[limit] = (text.count("| ✗ failed |"), text.count("- ✗"), text.count("```text"))
        assert re.search(rf"\n\*{80 - shown[limit][2]} counterexamples? left out: the text has no room\.\*\n$", text)
    assert shown[40_000][:2] == (80, 80)
    assert 0 < shown[40_000][2] < 80
    assert shown[SHORTEST][0] > 0


def test_a_limit_that_holds_no_verdict_is_refused() -> None:
    with pytest.raises(ValueError, match="4000 bytes or more"):
        markdown(analyse([], Rules()), limit=100)
