"""An answer of the user's own code in which no formula can be read fails its sample, as one of the model would."""

from __future__ import annotations

import pytest

from .conftest import FAITHFUL, Rows, Run, Suite, said

PIPELINE = """
from pytest_autoeval import autoeval, language

LANG = language("{language}")

def translate(text, sample):
    if sample.index == 1:
        return {answer!r}
    return str(LANG.read_description(text))

@autoeval("{language}", {sizes}, samples=2, threshold=0.4)
def test_own(sample, llm, assert_equivalent):
    assert_equivalent(translate(llm.informalize(sample), sample), sample.formula)
"""
SIZES = {
    "propositional": "operators=[2]",
    "regex": "depth=[2]",
    "ltl": "operators=[2]",
    "first_order": "operators=[2]",
}


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("propositional", "p1 ∧"),
        ("propositional", ""),
        ("propositional", "I cannot say."),
        ("propositional", "p1 ∧ " * 30_000 + "p1"),
        ("regex", "(01"),
        ("ltl", "p1 U"),
        ("first_order", "∀x. P(x"),
    ],
)
def test_a_text_without_a_formula_counts_as_a_failure(
    suite: Suite, run: Run, rows: Rows, language: str, answer: str
) -> None:
    suite(PIPELINE.format(language=language, answer=answer, sizes=SIZES[language]))
    result = run(FAITHFUL, "--autoeval-results=out.jsonl", "--autoeval-shrink-budget=0")
    assert result.ret == pytest.ExitCode.OK
    lines = rows("out.jsonl")
    assert sorted(line["outcome"] for line in lines) == ["equivalent", "unparseable"]
    assert "50.0 %" in said(result)
    (failure,) = (line for line in lines if line["outcome"] == "unparseable")
    assert failure["error"].startswith(f"actual is not a formula ({language}): line 1, column ")


@pytest.mark.parametrize(
    ("compared", "reason"),
    [
        # A formula in another notation may be right.
        ('"p1 and p2", sample.formula', "language('propositional').read(text).formula reads"),
        # These are mistakes of the test itself.
        ('"p1", "p1 ∧"', "expected is not a formula (propositional): line 1, column 5"),
        ('"p1 ∧", "p1 ∨"', "expected is not a formula (propositional): line 1, column 5"),
        ("sample, '∧'", "as the first argument, an answer without a formula counts as"),
        ("llm.informalize(sample), sample", "actual is not a formula (propositional): line 1"),
        ("None, sample", 'is raise MeaningLostError("unparseable", reason)'),
        ("3, sample", "actual is of the type int: 3; give a formula"),
    ],
)
def test_what_may_be_a_mistake_of_the_test_is_an_error(
    suite: Suite, run: Run, rows: Rows, compared: str, reason: str
) -> None:
    suite(f"""
        from pytest_autoeval import autoeval

        @autoeval("propositional", operators=[2], samples=2, threshold=0.4)
        def test_own(sample, llm, assert_equivalent):
            assert_equivalent({compared})
        """)
    result = run(FAITHFUL, "--autoeval-results=out.jsonl")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert [line["outcome"] for line in rows("out.jsonl")] == ["error", "error"]
    assert reason in " ".join(said(result).split())


def test_a_caught_failure_stays(suite: Suite, run: Run, rows: Rows) -> None:
    suite("""
        from contextlib import suppress
        from pytest_autoeval import autoeval

        @autoeval("propositional", operators=[2], samples=2)
        def test_own(sample, llm, assert_equivalent):
            with suppress(AssertionError):
                assert_equivalent("p1 ∧", sample)
            assert_equivalent(llm.autoformalize(llm.informalize(sample)), sample)
        """)
    run(FAITHFUL, "--autoeval-results=out.jsonl")
    assert [line["outcome"] for line in rows("out.jsonl")] == ["unparseable", "unparseable"]


def test_shrinking_finds_a_smaller_one(suite: Suite, run: Run) -> None:
    suite("""
        from pytest_autoeval import autoeval

        @autoeval("propositional", operators=[5], samples=4, threshold=1)
        def test_own(sample, assert_equivalent):
            assert_equivalent(f"{sample.text} ∧", sample)
        """)
    result = run(FAITHFUL)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*unparseable*"])
    result.stdout.fnmatch_lines(["*shrunk * from size 5 to 0 *"])
