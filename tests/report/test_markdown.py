"""A run as Markdown: what its readers see on GitHub, and that nothing in it can be taken for anything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from markdown_it.token import Token
from support.analyses import analyse, baseline_of
from support.hostile_markdown import HOSTILE, LINKED, PARSER
from support.result_rows import changed, row
from support.screens import markdown
from support.snapshot import assert_text_snapshot

from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.counterexample import Counterexample
from pytest_autoeval.report.renderers.markdown import SHORTEST


def leaves(tokens: Iterable[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from leaves(token.children or ())


def kinds(markdown: str) -> set[str]:
    return {token.type for token in leaves(PARSER.parse(markdown))}


def words(markdown: str) -> str:
    """What a reader sees outside of code."""
    return " ".join(
        token.content for token in leaves(PARSER.parse(markdown)) if token.type == "text"
    )


KSAT = "suites/test_ksat.py::test_round_trip"
REGEX = "suites/test_regex.py::test_round_trip"
PASS, FAIL = "equivalent", "different"


def rows(
    outcomes: Sequence[str], suite: str = KSAT, model: str = "gpt-5-mini", **changes: Any
) -> list[Sample]:
    """A row for each outcome, each of another formula."""
    return [
        row(
            outcome,
            suite=suite,
            model=model,
            index=index,
            formula=f"p{index} ∧ p{index + 1}",
            **changes,
        )
        for index, outcome in enumerate(outcomes)
    ]


def smallest(found: Sequence[Sample]) -> list[Counterexample]:
    """A counterexample for each way to fail."""
    failures = [one for one in found if one.kind == "model failure"]
    kinds_of_failure = {
        (failure.suite.name, failure.model, failure.outcome): failure
        for failure in reversed(failures)
    }
    return [
        Counterexample(sample=one, command=f"pytest {one.suite.name}")
        for one in kinds_of_failure.values()
    ]


def a_run() -> Analysis:
    """A run in which all that can be told happened."""
    before = rows([PASS] * 38 + [FAIL] * 2) + rows([PASS] * 20, REGEX)
    now = rows([PASS] * 20 + [FAIL] * 20, witness_text="p1 = true (left: true, right: false)")
    unparseable = {
        "outcome": "unparseable",
        "code": "AE102",
        "translation": None,
        "answer": "I cannot",
    }
    now[25] = changed(now[25], error="no formula", **unparseable)
    now[20:24] = [changed(one, blame={"half": "description"}) for one in now[20:24]]
    now[24] = changed(now[24], blame={"half": "reading"})
    now += rows([PASS] * 19 + ["undecided"], REGEX) + rows(
        [PASS] * 9 + [FAIL], REGEX, model="other"
    )
    return analyse(
        now,
        Rules(threshold=0.8, gate="interval", drop=0.05),
        baseline=baseline_of(before),
        baseline_name="results/main.jsonl",
        counterexamples=smallest(now),
    )


def test_a_run_in_which_much_happened() -> None:
    assert_text_snapshot("run.md", markdown(a_run(), title="gpt-5-mini, nightly"))


def test_a_run_without_samples_says_so() -> None:
    assert markdown(analyse([], Rules())) == "## · pytest-autoeval: no sample ran\n"


def test_an_interrupted_run() -> None:
    extents = {(KSAT, "gpt-5-mini"): Extent(planned=90, interrupted=True)}
    text = markdown(analyse(rows([PASS] * 30), Rules(threshold=0.9), extents=extents))
    assert text.startswith("## ! pytest-autoeval: interrupted: 30 of 90 samples ran")
    assert "| ! `suites/test_ksat.py::test_round_trip` |" in text


def test_the_figures_of_a_task_are_shown_with_both_accounts() -> None:
    rows = [
        row("equivalent", task="translate", relation="equivalent", lacking=lacking)
        for lacking in ([], ["x2"])
    ]
    shown = markdown(analyse(rows, Rules()))
    assert "- equivalent 100.0 % (" in shown
    assert "as the study counts: accuracy 100.0 % (2.5–100.0) of 1; not meaningful 1" in shown


def test_errors_that_differ_only_in_numbers_are_one_line() -> None:
    limited = [changed(one, error=f"try again in {one.index}.5 s") for one in rows(["error"] * 12)]
    text = markdown(analyse(limited, Rules()))
    assert "| errors | message |\n| ---: | --- |\n| 12 | try again in 0.5 s |\n" in text


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_came_from_elsewhere_is_markdown(text: str) -> None:
    one = row(
        FAIL,
        suite=f"a.py::test[{text}]",
        model=f"m{text}",
        formula=f"p{text}",
        description=text,
        answer=text,
    )
    one = changed(one, translation=text or None, witness_text=text, error=text, sentence=text)
    example = Counterexample(sample=one, command=f"pytest {text}", confirmed=text, minimal=True)
    old = changed(one, model="another", formula=f"q{text}")
    analysis = analyse(
        [one, changed(one, index=1, outcome=PASS)],
        Rules(threshold=1.0, drop=0.1),
        baseline=baseline_of([old, changed(one, model="another")]),
        baseline_name=text,
        counterexamples=[example],
    )
    written = _without_details(markdown(analysis, title=text))
    assert not kinds(written) & {
        "link_open",
        "image",
        "html_inline",
        "html_block",
        "em_open",
        "strong_open",
        "s_open",
        "hr",
        "blockquote_open",
        *("ordered_list_open", "code_block", "softbreak", "hardbreak"),
    }
    assert not LINKED.search(words(written))
    assert kinds(written) == kinds(_without_details(markdown(_harmless(analysis))))
    assert written.isprintable() or not [
        sign for sign in written if not sign.isprintable() and sign != "\n"
    ]


def _without_details(text: str) -> str:
    """The text without the frame of the details, the only HTML of ours."""
    return text.replace("<details>\n<summary>Details</summary>\n", "").replace("\n</details>\n", "")


def _harmless(analysis: Analysis) -> Analysis:
    """A run of the same sort about which nothing is strange."""
    one = row(FAIL, suite="a.py::test", model="m")
    return analyse(
        [one, changed(one, index=1, outcome=PASS)],
        Rules(threshold=1.0, drop=0.1),
        baseline=baseline_of(
            [changed(one, model="another", formula="q"), changed(one, model="another")]
        ),
        baseline_name="b",
        counterexamples=[Counterexample(sample=one, command="pytest")],
    )


def test_a_long_run_keeps_its_verdict_and_loses_examples_first() -> None:
    found = [
        one
        for number in range(80)
        for one in rows([FAIL] * 3, f"suites/test_{number}.py::test", description="é " * 300)
    ]
    analysis = analyse(found, Rules(threshold=0.5), counterexamples=smallest(found))
    whole = markdown(analysis)
    assert "Left out" not in whole
    shown = {}
    for limit in (SHORTEST, 20_000, 60_000, 100_000, len(whole.encode()) - 1):
        text = markdown(analysis, limit=limit)
        assert len(text.encode()) <= limit
        assert text.startswith("## ✗ pytest-autoeval: 80 of 80 suites failed\n")
        assert "html_block" not in kinds(_without_details(text))
        assert text.count("```") % 2 == 0
        shown[limit] = (text.count("| ✗ "), text.count("- ✗"), text.count("\nformula "))
        assert "\nLeft out, for there is no room: " in text
        missing = 80 - shown[limit][2]
        assert (f"{missing} counterexample" in text.splitlines()[-1]) == (missing > 0)
    assert shown[60_000][:2] == (80, 80)
    assert 0 < shown[60_000][2] < 80
    assert shown[SHORTEST][0] > 0
