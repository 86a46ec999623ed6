"""A pass-rate test: one item for each model and variant, which is judged by its pass rate."""

from __future__ import annotations

import pytest

from .conftest import Rows, Run, Suite, marked, said


def test_each_model_has_its_own_item(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.99")
    result = run("--autoeval-model=offline/faithful", "--autoeval-model=offline/or-for-and", "-rA")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["FAILED*test_round_trip?offline/or-for-and? - Failed: pass rate*"])


def test_a_broken_body_fails_its_item_with_its_traceback(suite: Suite, run: Run) -> None:
    suite(
        marked(
            '"propositional", operators=1, samples=3',
            "llm.informalize(sample.no_such_thing)",
            "sample, llm",
        )
    )
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*llm.informalize(sample.no_such_thing)*", "*AttributeError*no_such_thing*"]
    )


def test_an_assertion_of_the_body_is_the_models_failure_not_the_items(
    suite: Suite, run: Run, rows: Rows
) -> None:
    body = "assert len(llm.informalize(sample.formula)) <= limit, 'too long'"
    fixture = "@pytest.fixture\ndef limit():\n    return 0"
    suite(marked('"propositional", operators=2, samples=3', body, "sample, llm, limit", fixture))
    result = run("--autoeval-results=out.jsonl", "--autoeval-shrink-budget=0")
    result.assert_outcomes(passed=1)  # there is no threshold
    assert result.ret == 0
    assert [(row["outcome"], row["code"]) for row in rows("out.jsonl")] == [
        ("assertion failed", "AE108")
    ] * 3


def test_the_body_runs_once_for_each_sample_and_repeat(suite: Suite, run: Run, rows: Rows) -> None:
    suite()
    run("--autoeval-repeats=3", "--autoeval-results=out.jsonl").assert_outcomes(passed=1)
    found = rows("out.jsonl")
    assert len(found) == 4 * 4 * 3
    assert len({(row["operators"], row["index"], row["repeat"]) for row in found}) == len(found)
    assert all(row["measures"]["operators"] == row["operators"] for row in found)


@pytest.mark.parametrize(("sizes", "outcome"), [("2, 3, 4", "passed"), ("3", "failed")])
def test_a_size_that_the_grammar_lacks_is_named(
    suite: Suite, run: Run, sizes: str, outcome: str
) -> None:
    suite(marked(f'"ksat", operators=[{sizes}], samples=2', "TRIP"))
    result = run()
    result.assert_outcomes(**{outcome: 1})
    reason = "the grammar ksat has nothing of size 3; there are formulas of size 2, 5, 8, 11, 14"
    lines = (
        ["· *", "    nothing of size 3, 4"]
        if outcome == "passed"
        else [reason, "✗ *", f"    {reason}"]
    )
    result.stdout.fnmatch_lines(lines)


@pytest.mark.parametrize(("most", "outcome"), [(4, "passed"), (2, "failed")])
def test_formulas_outside_the_bounds_of_measures_are_not_drawn(
    suite: Suite, run: Run, rows: Rows, most: int, outcome: str
) -> None:
    suite(
        marked(
            f'"ltl", operators=[1, 4], samples=2, measures={{"depth": (None, {most}), "atoms": (2, 4)}}',
            "TRIP",
        )
    )
    result = run("--autoeval-results=out.jsonl")
    result.assert_outcomes(passed=1)
    assert {row["measures"]["depth"] <= most for row in rows("out.jsonl")} == {True}
    suite(marked(f'"ltl", operators=4, samples=2, measures={{"depth": (None, {most})}}', "TRIP"))
    result = run()
    result.assert_outcomes(**{outcome: 1})
    if outcome == "failed":
        result.stdout.fnmatch_lines(
            ["*none with depth up to 2 was found by drawing: there is none, or they are*"]
        )


@pytest.mark.parametrize(
    ("marker", "complaint"),
    [
        ('"propositional", sample=3', "*no marker keyword 'sample'; *Did you mean 'samples'?*"),
        ("", "*give one grammar*"),
        ('"propositional", operators="x"', "*is not a list of sizes*"),
        ('"propositional", samples=0', "*samples=0 is not an integer ≥ 1*"),
        ('"propositional", operators=range(-3, 2)', "*operators=range(-3, 2) has negative sizes*"),
        (
            '"propositional", operators=range(5, 2)',
            "*operators=range(5, 2) is empty; write range(2, 6)*",
        ),
        (
            '"propositional", threshold=90',
            "*threshold: '90' is not a rate from 0 to 1; did you mean 90%?*",
        ),
        ('"propositional", threshold=[]', "*threshold=[[]] is not a rate from 0 to 1*"),
        (
            '"ltl_futrue"',
            "*there is no grammar 'ltl_futrue'*Did you mean the data set 'ltl_future'?*",
        ),
        ('"propositonal"', "*there is no grammar 'propositonal'*Did you mean 'propositional'?"),
        ('"nowhere.lark"', "*there is no grammar file nowhere.lark in the root folder.*"),
        ('"rules/nowhere.lark"', "*there is no grammar file nowhere.lark in rules/.*"),
        ('"ltl", language="LTL"', "*there is no language 'LTL'*Did you mean 'ltl'?*"),
        ('"first_order", quantifiers=1.5', "*the marker's quantifiers=1.5 cannot be used*"),
        (
            '"first_order", exclude=["empty"]',
            "*'empty' cannot be excluded from the language first_order*",
        ),
        (
            '"ltl_future", vocabulary=["a"]',
            "*generated data sets, and ltl_future is a data set with names of its own*",
        ),
        (
            '"judge_ltl", task="judge", vocabulary=["X"]',
            "*the language ltl cannot read 'X' as a name: *",
        ),
        (
            '"judge_ltl", task="judge", language="ltl"',
            "*language= is for grammars, and judge_ltl is a data set*",
        ),
        (
            '"ltl", depth=3',
            '*the number of operators: write operators=, and beside it measures={"depth": (2, 5)}*',
        ),
        ('"ltl", measures={"detph": 3}', "*there is no measure 'detph'; *Did you mean 'depth'?*"),
        ('"ltl", measures={"depth": (3, 2)}', "*measures: depth is (3, 2); give a number, *"),
        ('"ltl", vocabulary=["X"]', "*the language ltl cannot read 'X' as a name: *"),
        *(
            (f'"ltl", trivial={value}', "*trivial=* is not True or False*")
            for value in ("'yes'", "2")
        ),
        ('"ltl", verified="no"', "*verified='no' is neither True nor False*"),
        ('"ltl", copies="maybe"', "*copies='maybe' is neither *fail* nor *count*"),
        ('"ltl", language=5', "*language=5 cannot be used: it must be a text*"),
        (
            '"regex", operators=2, depth=2',
            "*operators and depth both give the size; give only one*",
        ),
    ],
)
def test_a_mistake_in_the_marker_is_named(
    suite: Suite, run: Run, marker: str, complaint: str
) -> None:
    suite(marked(marker, "pass", "sample, llm"))
    result = run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([complaint])
    assert "Traceback" not in said(result)


#: Serial, irreflexive and transitive: true in infinite models alone, so that no search for a finite one can refute ⊥.
ENDLESS = "(∀x. ∃y. R(x, y)) ∧ (∀x. ¬R(x, x)) ∧ (∀x. ∀y. ∀z. ((R(x, y) ∧ R(y, z)) → R(x, z)))"
UNDECIDED = f"""
import pytest

@pytest.mark.autoeval("first_order", operators=2, samples=4, threshold=THRESHOLD)
def test_endless(sample, assert_equivalent):
    hopeless = sample.index == 0
    assert_equivalent("⊥" if hopeless else f"({{sample.formula}})", "{ENDLESS}" if hopeless else sample.formula)
"""


@pytest.mark.parametrize(("threshold", "passes"), [("0.75", True), ("0.8", False)])
def test_undecided_samples_count_as_not_passed(
    suite: Suite, run: Run, rows: Rows, threshold: str, passes: bool
) -> None:
    suite(UNDECIDED.replace("THRESHOLD", threshold))
    result = run("--autoeval-verify-timeout=0.5", "--autoeval-results=out.jsonl")
    assert [row["outcome"] for row in rows("out.jsonl")] == [
        "undecided",
        "equivalent",
        "equivalent",
        "equivalent",
    ]
    assert result.ret == (0 if passes else 1)
    result.stdout.fnmatch_lines(["*75.0*100.0*"])
    if not passes:
        # The reason is longer than a line, so the screen breaks it somewhere.
        assert "undecided samples count as not passed" in " ".join(result.stdout.str().split())
