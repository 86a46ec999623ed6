"""What a newcomer sees: how many samples there are, a command that shows a failure, and nothing twice."""

from __future__ import annotations

import shlex

import pytest

from .conftest import Run, Suite, said

TWO_SUITES = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(4), samples=4)
def test_round_trip(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@pytest.mark.autoeval("ltl", operators=range(2, 5), samples=3)
def test_ltl(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)
"""


def test_collect_only_shows_how_many_samples_there_are_and_asks_nothing(
    suite: Suite, run: Run
) -> None:
    suite(TWO_SUITES)
    # A server that is not there: a call would be an error.
    model = "--autoeval-model=nothing-is-asked"
    result = run("--collect-only", model, "--autoeval-repeats=2")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        [
            "* autoeval *",
            " samples  suite",
            "      32  test_suite.py::test_round_trip?nothing-is-asked?",
            "      18  test_suite.py::test_ltl?nothing-is-asked?",
            "autoeval: at most 50 samples in 2 suites; --autoeval-plan shows calls and cost",
        ]
    )
    quiet = run("--collect-only", "-q", model).outlines
    # An empty line ends the ids.
    total = quiet.index(
        "autoeval: at most 25 samples in 2 suites; --autoeval-plan shows calls and cost"
    )
    assert quiet[total - 2].startswith("test_suite.py::test_ltl[")
    assert quiet[total - 1] == ""


def test_without_a_suite_collect_only_says_nothing(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile("def test_plain(): pass")
    assert "autoeval:" not in said(run("--collect-only"))


def test_a_run_without_a_model_ends_with_a_command_that_fails(suite: Suite, run: Run) -> None:
    suite(TWO_SUITES)
    result = run()
    result.assert_outcomes(passed=2)
    assert "replayed" not in said(result)
    line = next(line for line in result.stdout.lines if "see it fail:" in line)
    command = shlex.split(line.partition("see it fail:")[2])
    assert command[:2] == ["pytest", "test_suite.py::test_round_trip"]
    run(*command[1:]).assert_outcomes(failed=1)
    assert "see it fail" not in said(run("--autoeval-model=offline/faithful"))


def test_a_run_that_asked_no_model_proposes_no_other_model(suite: Suite, run: Run) -> None:
    suite(
        """
        import pytest

        @pytest.mark.autoeval("propositional", operators=2, samples=2)
        def test_own(sample, assert_equivalent):
            assert_equivalent(f"¬¬({sample.text})", sample.formula)
        """
    )
    result = run()
    result.assert_outcomes(passed=1)
    assert "see it fail" not in said(result)


def test_a_typed_formula_comes_first_and_then_the_simpler_one(suite: Suite, run: Run) -> None:
    suite(more=", threshold=1.0")
    typed = "¬(p1 ∧ p2 ∨ p3) → ¬p4"
    result = run("--autoeval-model=offline/negation-scope", f"--autoeval-formula={typed}")
    text = result.stdout.str()
    names = [
        *("    formula  ", "    description  ", "    translation  ", "    witness  "),
        *("    simpler formula  ", "    its description  ", "    its witness  "),
    ]
    places = [text.index(name) for name in names]
    assert places == sorted(places)
    assert "formula          ¬((p1 ∧ p2) ∨ p3) → ¬p4" in text
    drawn = said(run("--autoeval-model=offline/negation-scope"))
    assert "simpler formula" not in drawn


def test_a_failure_is_told_once_and_a_suite_has_one_name(suite: Suite, run: Run) -> None:
    suite(more=", threshold=1.0")
    for verbosity in ((), ("-v",)):
        text = run("--autoeval-model=offline/negation-scope", *verbosity).stdout.str()
        assert text.count("reproduce") == 1
        assert text.count("    description  ") == 1
        assert text.count("; tokens in ") == 1
        report = text[text.index("= autoeval =") : text.index("= short test summary")]
        assert report.count("test_round_trip[") == 0
        assert report.count("✗ test_suite.py::test_round_trip") == 2


def test_the_notation_of_traces_is_explained_once(suite: Suite, run: Run) -> None:
    source = TWO_SUITES.replace("def test_round_trip", "def test_other").replace(
        '"propositional", operators=range(4)', '"ltl", operators=range(3)'
    )
    suite(source)
    options = ("--autoeval-model=offline/globally-for-eventually", "--autoeval-threshold=1")
    for verbosity in ((), ("-v",)):
        result = run(*options, *verbosity)
        result.assert_outcomes(failed=2)
        assert said(result).count("repeats forever") == 1


def test_a_misspelt_outcome_gets_the_right_name(run: Run) -> None:
    text = said(run("--autoeval-explain=copyed", apart=True))
    assert "there is no outcome with the code or name 'copyed'. Did you mean 'copied'?" in text
    assert "AE115 copied" in said(run("--autoeval-explain=copied", apart=True))


def test_a_copy_names_its_option(suite: Suite, run: Run) -> None:
    suite()
    options = ("--autoeval-model=offline/echo", "--autoeval-operators=1:3")
    assert "--autoeval-copies=count" in said(run(*options, "--autoeval-threshold=0.9"))
