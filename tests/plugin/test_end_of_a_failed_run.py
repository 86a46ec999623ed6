"""What stands at the end of a run with a suite that failed: whole words within the width, and commands to paste."""

from __future__ import annotations

import shlex
import xml.etree.ElementTree as ET
from itertools import takewhile
from pathlib import Path

import pytest
from support.program import Program

from pytest_autoeval.text import width

from .conftest import Run, Suite

MODEL = "--autoeval-model=offline/or-for-and"


def command(result: pytest.RunResult, name: str) -> list[str]:
    """The words of one of the next steps."""
    (line,) = [line for line in result.outlines if line.startswith(f"  {name}:")]
    return shlex.split(line.partition(":")[2])


def reproduction(result: pytest.RunResult) -> list[str]:
    """The words of the command under the counterexample."""
    (line,) = [line for line in result.outlines if line.startswith("    reproduce ")]
    return shlex.split(line)[1:]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_failures_are_wrapped_at_the_width_of_the_terminal_and_whole_in_junit(
    suite: Suite, run: Run, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    suite(more=", threshold=1")
    monkeypatch.setenv("COLUMNS", "60")
    result = run(MODEL, "-n", workers, "--junitxml=junit.xml")
    assert result.ret == 1
    start = next(at for at, line in enumerate(result.outlines) if "FAILURES" in line)
    shown = [
        *takewhile(
            lambda line: "= autoeval =" not in line and "generated xml" not in line,
            result.outlines[start:],
        )
    ]
    begin = next(at for at, line in enumerate(shown) if line.startswith("pass rate "))
    message = [*takewhile(lambda line: not line.startswith("  different "), shown[begin:])]
    assert len(message) > 2
    assert max(map(width, message)) <= 60
    # No screen of ours takes a terminal for narrower than 80 columns. A command stays in one line.
    example = [
        line for line in shown[begin + len(message) :] if not line.startswith("    reproduce ")
    ]
    assert any(line.startswith("    formula ") for line in example)
    assert max(map(width, example)) <= 80
    (failure,) = ET.parse("junit.xml").iter("failure")
    assert "is below the threshold 100 %" in str(failure.text)
    assert max(map(len, str(failure.text).splitlines())) > 60


def test_the_next_steps_make_the_page_and_reproduce(suite: Suite, run: Run) -> None:
    suite(more=", threshold=1")
    # The rows keep the threshold of each suite.
    result = run(
        MODEL,
        "--autoeval-results=out.jsonl",
        "--autoeval-threshold=0.5",
        "--autoeval-gate=interval",
    )
    assert command(result, "see why") == [
        *("python", "-m", "pytest_autoeval", "report", "out.jsonl"),
        *("--gate=interval", "--html=autoeval.html"),
    ]
    program, *arguments = reproduction(result)
    assert program == "pytest"
    assert run(*arguments).ret == 1


@pytest.mark.parametrize("workers", ["0", "2"])
def test_without_a_results_file_the_page_is_made_from_the_cache_and_the_model_is_not_asked_again(
    suite: Suite, run: Run, report: Program, workers: str
) -> None:
    suite(more=", threshold=1")
    failed = run(MODEL, "--autoeval-gate=interval", "-n", workers, cache=True)
    python, *program, file, rule, page = command(failed, "see why")
    assert (python, program) == ("python", ["-m", "pytest_autoeval", "report"])
    assert (Path(file).parts[0], rule) == (".pytest_cache", "--gate=interval")
    report(file, rule, page, code=1)
    assert Path("autoeval.html").exists()
    again = report(file, rule, code=1).out
    (shrunk,) = [line for line in failed.outlines if line.startswith("    formula ")]
    assert "    shrunk " in failed.stdout.str()
    assert shrunk in again.splitlines(), "the counterexample that shrinking found"
    assert all(line in failed.outlines for line in again.splitlines() if "calls" in line)
    Path(file).unlink()
    run("--autoeval-model=offline/faithful", cache=True)
    assert not Path(file).exists()


@pytest.mark.parametrize("ini", ["", "autoeval_gate = interval"])
def test_a_page_that_only_another_run_can_make_says_that_it_asks_again(
    pytester: pytest.Pytester, suite: Suite, run: Run, ini: str
) -> None:
    suite(more=", threshold=1")
    pytester.makeini(f"[pytest]\n{ini}")
    program, *arguments = command(run(MODEL, cache=bool(ini)), "see why (asks again)")
    assert (program, arguments[-2:]) == ("pytest", [MODEL, "--autoeval-html=autoeval.html"])
    run(*arguments)
    assert Path("autoeval.html").exists()


def test_there_is_no_step_for_what_is_there_or_did_not_fail(suite: Suite, run: Run) -> None:
    suite(more=", threshold=1")
    page = run(MODEL, "--autoeval-html=page.html").stdout.str()
    assert "see why:" not in page
    assert "the page: " in page
    assert page.count("reproduce") == 1, "it stands at the counterexample, and is no next step"
    assert "next steps" not in page
    assert "next steps" not in run("--autoeval-model=offline/faithful").stdout.str()


def test_the_printed_command_leaves_the_evidence_of_the_failed_run(
    suite: Suite, run: Run, report: Program
) -> None:
    suite(more=", threshold=1")
    failed = run(MODEL, cache=True)
    *_, file, _ = command(failed, "see why")
    before = Path(file).read_bytes()
    again = run(*reproduction(failed)[1:], cache=True)
    assert again.ret == 1
    assert Path(file).read_bytes() == before
    *_, own, _ = command(again, "see why")
    assert own != file
    report(own, code=1)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_what_pytest_prints_of_a_failure_does_not_stand_in_the_summary_again(
    suite: Suite, run: Run, workers: str
) -> None:
    """Pytest prints the verdict and the smallest counterexample, unless it prints no failures."""
    suite(more=", threshold=1")
    for options in ([], ["--tb=no"], ["--tb=short"]):
        lines = run(MODEL, "-n", workers, *options).outlines
        assert sum(line.strip().startswith("pass rate ") for line in lines) == 1, options
        for field in ("formula", "translation", "witness", "reproduce"):
            assert sum(line.startswith(f"    {field:<11}  ") for line in lines) == 1, (
                options,
                field,
            )
    (shown,) = [line for line in lines if line.startswith("    reproduce")]
    assert shlex.split(shown)[-1].startswith("--autoeval-formula=")
