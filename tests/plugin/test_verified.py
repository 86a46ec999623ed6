"""A suite that verifies nothing ends as an error, soon; one that asserts in any way, or says that it means it, runs."""

from __future__ import annotations

import json
import sys
from collections import Counter

import pytest

from .conftest import Rows, Run, Suite, said

SUITE = """
import pytest
from unittest import TestCase
from pytest_autoeval import language

def check(sample, formula):
    compare(sample, formula)

def compare(sample, formula):
    assert formula

def look(formula):
    if formula is None:
        raise TypeError("no formula")
    return str(formula)

class Lost(AssertionError):
    pass

def check_or_lose(formula):
    if not formula:
        raise Lost

@pytest.mark.autoeval("propositional", operators=range(4), samples=10, threshold=0.9{more})
def test_it(sample, round_trip, assert_equivalent):
    formula = round_trip(sample)
    {statement}
"""
NOTHING = (
    "nothing was verified: call `assert_equivalent`, or assert something; "
    "`verified=False` in the marker allows this"
)
FAULTY = "--autoeval-model=offline/negation-scope"


@pytest.mark.parametrize(
    "statement",
    [
        "look(formula)",
        "if not formula: assert_equivalent(formula, sample.formula)",
        "assert (formula == sample.formula, 'differs')",
        "assert True",
        "assertion = str(formula); look(assertion)",
        "assert language('propositional').equivalent(formula, sample.formula).outcome",
        "try: look(formula)\n    except TypeError: raise",
    ],
)
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_suite_that_verifies_nothing_is_an_error(
    suite: Suite, run: Run, workers: str, statement: str
) -> None:
    suite(SUITE.replace("{statement}", statement))
    result = run(FAULTY, "-n", workers)
    result.assert_outcomes(failed=1)
    assert NOTHING in said(result)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_it_is_noticed_after_the_first_samples(suite: Suite, run: Run, rows: Rows) -> None:
    suite(SUITE.replace("{statement}", "pass"))
    result = run(FAULTY, "--autoeval-results=out.jsonl")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    found = rows("out.jsonl")
    assert {row["outcome"] for row in found} == {"not verified"}
    assert len(found) <= 5


@pytest.mark.parametrize(
    "statement",
    [
        "assert formula",
        "assert_equivalent(formula, sample.formula)",
        "check(sample, formula)",
        "TestCase().assertTrue(formula)",
        "if not formula: pytest.fail('lost')",
        "if not formula: raise AssertionError",
        "check_or_lose(formula)",
    ],
)
def test_a_suite_that_asserts_in_any_way_runs(
    suite: Suite, run: Run, rows: Rows, statement: str
) -> None:
    suite(SUITE.replace("{statement}", statement))
    run("--autoeval-results=out.jsonl").assert_outcomes(passed=1)
    assert len(rows("out.jsonl")) == 40


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_sample_that_is_not_verified_does_not_pass(
    suite: Suite, run: Run, rows: Rows, workers: str
) -> None:
    statement = "if sample.index == 0: assert_equivalent(formula, sample.formula)"
    file = suite(SUITE.replace("{statement}", statement))
    result = run("--autoeval-results=out.jsonl", "-n", workers)
    result.assert_outcomes(failed=1)
    assert "36 of 40 samples were not verified" in said(result)
    assert Counter(row["outcome"] for row in rows("out.jsonl")) == {
        "not verified": 36,
        "equivalent": 4,
    }
    file.write_text(
        file.read_text("utf-8").replace("threshold=0.9", "threshold=0.9, verified=False"), "utf-8"
    )
    run("-n", workers).assert_outcomes(passed=1)


EARLY = """
import pytest

@pytest.mark.autoeval("propositional", operators=[1, 2], samples=4, threshold=0.5{more})
def test_it(sample, round_trip, assert_equivalent):
    {first}
    formula = round_trip(sample)
    assert formula is not None
    {last}
"""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_body_that_returns_before_it_asks_verifies_nothing(
    suite: Suite, run: Run, rows: Rows, workers: str
) -> None:
    text = EARLY.replace("{first}", "if sample.operators > 1: return")
    suite(text.replace("{last}", "assert_equivalent(formula, sample)"))
    result = run("--autoeval-results=out.jsonl", "-n", workers)
    result.assert_outcomes(failed=1)
    assert "4 × the body asked no model and compared nothing" in said(result)
    assert Counter(row["outcome"] for row in rows("out.jsonl")) == {
        "not verified": 4,
        "equivalent": 4,
    }
    suite(
        EARLY.replace("{first}", "if sample.operators > 1: return").replace("{last}", ""),
        more=", verified=False",
    )
    run().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("last", "number"),
    [
        ("if sample.operators == 1: assert_equivalent(formula, sample)", 4),
        (
            "import threading; threading.Thread(target=lambda: assert_equivalent(formula, sample)).start()",
            8,
        ),
        ("assert_equivalent(formula, sample)", 0),
    ],
)
def test_samples_that_only_other_assertions_pass_are_counted(
    suite: Suite, run: Run, last: str, number: int
) -> None:
    suite(EARLY.replace("{first}", "").replace("{last}", last))
    result = run()
    result.assert_outcomes(passed=1)
    note = f"{number} of 8 samples passed without a comparison by assert_equivalent"
    assert (note in said(result)) is (number > 0)
    assert "without a comparison" not in said(result) or number > 0


PROVES_NOTHING = {
    "assert_equivalent(sample, sample.formula)": "the sample's formula was compared with itself",
    "assert_equivalent(sample.text, sample.formula)": "the sample's formula was compared with itself",
    "assert_equivalent(str(sample.formula), sample)": "the sample's formula was compared with itself",
    "assert_equivalent(formula, formula)": "a formula was compared with itself",
    "assert_equivalent(formula, str(formula))": "a formula was compared with its own text",
    "assert_equivalent(language('propositional').format(formula), formula)": "a formula was compared with its own text",
}


@pytest.mark.parametrize("statement", PROVES_NOTHING)
def test_a_comparison_that_cannot_fail_verifies_nothing(
    suite: Suite, run: Run, statement: str
) -> None:
    text = SUITE.replace("range(4)", "range(1, 4)").replace("round_trip,", "round_trip, llm,")
    suite(text.replace("{statement}", statement))
    result = run(FAULTY)
    result.assert_outcomes(failed=1)
    assert PROVES_NOTHING[statement] in said(result)


PARROT = """
class Parrot:
    def complete(self, messages, *, repeat=0):
        text = messages[-1].content.removeprefix("Read ").removeprefix("Describe ")
        return text.removeprefix("It says: ")

def pytest_autoeval_register(registry):
    registry.add_model("parrot", Parrot)
"""


@pytest.mark.parametrize(
    "text", ["sample.text", "str(sample.formula)", "f'It says: {sample.text}'"]
)
def test_what_a_model_reads_in_the_formula_itself_verifies_nothing(
    pytester: pytest.Pytester, suite: Suite, run: Run, bare_prompts: None, text: str
) -> None:
    pytester.makeconftest(PARROT)
    statement = f"assert_equivalent(llm.autoformalize({text}), sample)"
    suite(
        SUITE.replace("{statement}", statement)
        .replace("round_trip(sample)", "0")
        .replace("round_trip", "llm")
    )
    result = run(
        "--autoeval-model=parrot", "--autoeval-prompts=prompts", "--autoeval-operators=1:3"
    )
    result.assert_outcomes(failed=1)
    assert "the model was given the formula itself instead of a text about it" in said(result)


OWN_PIPELINE = """
import pytest
from pytest_autoeval import language

def answer(formula):
    # What a model of one's own may write: the right formula, letter for letter.
    return "".join(list(str(formula)))

@pytest.mark.autoeval("{grammar}", {sizes}, samples=4, threshold=1)
def test_it(sample, assert_equivalent, llm):
    {statement}
"""


@pytest.mark.parametrize(
    "statement",
    [
        "assert_equivalent(answer(sample.formula), sample.formula)",
        "assert_equivalent(language(sample.language).parse(answer(sample.formula)), sample)",
        "assert_equivalent(sample.text, language(sample.language).parse(answer(sample.formula)))",
        "assert_equivalent(llm.autoformalize(llm.informalize(sample), like=sample), sample.text)",
    ],
)
@pytest.mark.parametrize(
    ("grammar", "sizes"), [("propositional", "operators=range(3)"), ("regex", "depth=[1, 2]")]
)
def test_an_answer_in_the_words_of_the_formula_is_an_answer(
    suite: Suite, run: Run, statement: str, grammar: str, sizes: str
) -> None:
    text = OWN_PIPELINE.replace("{grammar}", grammar).replace("{sizes}", sizes)
    suite(text.replace("{statement}", statement))
    run().assert_outcomes(passed=1)


def test_a_suite_may_say_that_it_verifies_nothing(suite: Suite, run: Run) -> None:
    suite(SUITE.replace("{statement}", "pass"), more=", verified=False")
    run(FAULTY).assert_outcomes(passed=1)


COUNTING = """
from pathlib import Path

class Counting:
    def complete(self, messages, **more):
        with Path("calls.txt").open("a") as file:
            file.write("call\\n")
        return "p1" if "is the case" in messages[-1].content else "It is the case that p1 holds."

def pytest_autoeval_register(registry):
    registry.add_model("counting", Counting)
"""


def test_the_answers_that_were_paid_are_kept(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    pytester.makeconftest(COUNTING)
    suite(SUITE.replace("{statement}", "pass"))
    model = "--autoeval-model=counting"
    run(model, cache=True)
    calls = pytester.path / "calls.txt"
    before = len(calls.read_text().splitlines())
    assert before
    run(model, "--autoeval-resume", cache=True)
    assert len(calls.read_text().splitlines()) == before


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_suite_that_verifies_nothing_failed_by_itself(
    pytester: pytest.Pytester, suite: Suite, run: Run, workers: tuple[str, ...]
) -> None:
    suite(SUITE.replace("{statement}", "pass"))
    ran = run("--autoeval-results=out.jsonl", "--autoeval-threshold=0.9", *workers, cache=True)
    output = said(ran)
    assert ran.ret == 1
    assert "the suite failed" in output
    assert "5 of 5 samples were not verified, so that the suite cannot pass" in output
    # Neither another run nor another model helps: the test must be mended.
    for word in ("interrupted", "--autoeval-resume", "see it fail"):
        assert word not in output
    last = json.loads((pytester.path / "out.jsonl").read_text("utf-8").splitlines()[-1])
    assert (last["verdict"], last.get("interrupted", False)) == ("failed", False)
    report = pytester.run(sys.executable, "-m", "pytest_autoeval", "report", "out.jsonl")
    assert report.ret == 1
    assert "interrupted" not in report.stdout.str() + report.stderr.str()
