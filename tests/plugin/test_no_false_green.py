"""What must never end as a passed run: samples that were skipped, lost, mixed up, or never judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec
import pytest
from support.page_blocks import PageBlocks
from support.program import Program

from pytest_autoeval.record.file import read_file

from .conftest import Rows, Run, Suite, marked, said

WORKERS = pytest.mark.parametrize("workers", ["0", "2"])
BODY = """
import enum
import sys
import unittest
import pytest

class Unspeakable(Exception):
    def __str__(self):
        raise SystemExit(3)

class Kind(enum.StrEnum):
    ODD = "odd"

@pytest.mark.autoeval("propositional", operators=[1, 2], samples=3, threshold=0.5)
def test_it(sample, llm):
    {statement}
"""


SKIPPED = "a sample cannot be skipped: choose others with the arguments of the marker"
ENDINGS = {
    "pytest.skip('no reason')": SKIPPED,
    "raise unittest.SkipTest('no reason')": SKIPPED,
    "pytest.exit('bye', returncode=0)": "Exit: bye",
    "sys.exit(0)": "SystemExit: 0",
    "raise KeyboardInterrupt": "KeyboardInterrupt",
    "raise GeneratorExit": "GeneratorExit",
    "raise Unspeakable": "Unspeakable",
    "return False": "the test returned a value (bool) instead of checking it: write assert",
}


@WORKERS
def test_a_body_cannot_end_its_suite_by_itself(
    pytester: pytest.Pytester, run: Run, workers: str
) -> None:
    bodies = {
        f"test_{number}": BODY.replace("{statement}", end) for number, end in enumerate(ENDINGS)
    }
    pytester.makepyfile(**bodies)
    result = run("-n", workers)
    result.assert_outcomes(failed=len(ENDINGS))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    for message in ENDINGS.values():
        assert f"6 × {message}" in said(result) or f" 6  {message}" in said(result)


ASYNC_BODIES = """
import asyncio
import pytest

@pytest.fixture
def anyio_backend():
    return "asyncio"

@pytest.mark.autoeval("propositional", operators=[1, 2], samples=3, threshold=0.5)
async def test_fails(sample):
    await asyncio.sleep(0.001)
    assert False

{mark}
@pytest.mark.autoeval("propositional", operators=[1, 2], samples=3, threshold=0.5)
async def test_passes(sample, round_trip, assert_equivalent):
    await asyncio.sleep(0.001)
    assert_equivalent(round_trip(sample.formula), sample.formula)

@pytest.mark.autoeval("propositional", operators=[1], samples=3)
async def test_returns(sample):
    return False
"""


@pytest.mark.parametrize(
    ("mark", "options"),
    [
        ("", ()),
        ("", ("-p", "asyncio", "-o", "asyncio_mode=auto")),
        ("@pytest.mark.asyncio", ("-p", "asyncio")),
        ("@pytest.mark.anyio", ("-p", "anyio")),
    ],
)
def test_async_bodies_run_to_their_end(
    run: Run, suite: Suite, rows: Rows, mark: str, options: tuple[str, ...]
) -> None:
    suite(ASYNC_BODIES.replace("{mark}", mark))
    result = run(*options, "--autoeval-results=out.jsonl", apart=True)
    result.assert_outcomes(passed=1, failed=2)
    assert Counter(
        (row["test"].partition("::")[2].partition("[")[0], row["outcome"])
        for row in rows("out.jsonl")
    ) == {
        ("test_fails", "assertion failed"): 6,
        ("test_passes", "equivalent"): 6,
        ("test_returns", "error"): 3,
    }
    assert "3 × the test returned a value (bool)" in said(result)


def test_a_task_that_no_body_carries_out_is_an_error(suite: Suite, run: Run) -> None:
    suite(
        marked(
            '"propositional", task="informalization", operators=[1], samples=3',
            "pass",
            "sample, perform",
        )
    )
    result = run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "3 × the body never called perform(), so the task informalization did not run" in said(
        result
    )


def test_a_suite_that_asks_no_model_says_so(suite: Suite, run: Run) -> None:
    suite(BODY.replace("threshold=0.5", "verified=False").replace("{statement}", "pass"))
    result = run()
    assert result.ret == pytest.ExitCode.OK
    text = said(result)
    assert "test_suite.py::test_it: the test did not ask the model" in text
    # Nothing on the screen is about a model then.
    assert NO_MODEL not in text
    assert "calls 0" not in text
    assert "offline/faithful" not in text


def test_a_part_of_a_body_cannot_replace_what_the_run_found(
    suite: Suite, run: Run, rows: Rows
) -> None:
    fields = ("outcome", "code", "suite", "model", "error", "counts", "threshold")
    declared = "; ".join(f"{name}: str = 'passed'" for name in fields)
    before = f"from pytest_autoeval import Part\nclass Sample(Part, frozen=True):\n    {declared}\n"
    note = "from pytest_autoeval.tasks.trial import current_trial; current_trial().add(Sample()); assert False"
    suite(before + BODY.replace("{statement}", note))
    result = run("--autoeval-results=out.jsonl")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    samples = read_file("out.jsonl").samples
    assert [sample.outcome for sample in samples] == ["assertion failed"] * 6
    assert {sample.suite.asked.threshold for sample in samples} == {0.5}


@WORKERS
def test_a_part_that_only_the_worker_declares_reaches_the_file(
    suite: Suite, run: Run, workers: str
) -> None:
    before = "from pytest_autoeval import Part\nclass Odd(Part, frozen=True):\n    kind: int = 0\n"
    note = "from pytest_autoeval.tasks.trial import current_trial; current_trial().add(Odd(kind=7)); assert False"
    suite(before + BODY.replace("{statement}", note))
    result = run("-n", workers, "--autoeval-results=out.jsonl")
    result.assert_outcomes(failed=1)
    assert "INTERNALERROR" not in said(result)
    plain = [msgspec.to_builtins(sample.parts["odd"]) for sample in read_file("out.jsonl").samples]
    assert plain == [{"kind": 7}] * 6


@WORKERS
def test_errors_are_not_the_failure_that_xfail_expects(
    pytester: pytest.Pytester, run: Run, workers: str
) -> None:
    body = BODY.replace("{statement}", "raise OSError('no such device')")
    marked = {
        name: body.replace("@pytest", f"@pytest.mark.xfail(strict={name})\n@pytest", 1)
        for name in ("True", "False")
    }
    pytester.makepyfile(test_strict=marked["True"], test_lenient=marked["False"])
    result = run("-n", workers)
    result.assert_outcomes(failed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@WORKERS
def test_two_suites_of_one_name_are_not_judged(suite: Suite, run: Run, workers: str) -> None:
    suite(
        """
        import pytest

        @pytest.mark.parametrize(("a", "b"), [pytest.param(1, 2, id="x-y")])
        @pytest.mark.parametrize("c", [pytest.param(3, id="z")])
        @pytest.mark.autoeval("propositional", operators=[1], samples=3, threshold=0.5, verified=False)
        def test_it(sample, a, b, c):
            pass

        @pytest.mark.parametrize("b", [pytest.param(2, id="z")])
        @pytest.mark.parametrize("a", [pytest.param(1, id="x"), pytest.param(3, id="x-y")])
        @pytest.mark.autoeval("propositional", operators=[1], samples=3, threshold=0.5, verified=False)
        def test_other(sample, a, b):
            pass
        """
    )
    run("-n", workers).assert_outcomes(passed=3)
    twice = run("--keep-duplicates", "test_suite.py", "test_suite.py", "-n", "0")
    assert twice.ret == pytest.ExitCode.INTERRUPTED
    assert "ran more than once, so it is not judged" in said(twice)


def test_a_failure_that_counts_no_more_hides_no_verdict_of_the_summary(
    suite: Suite, run: Run
) -> None:
    suite(more=", threshold=1")
    model = "--autoeval-model=offline/or-for-and"
    twice = run(model, "--keep-duplicates", "test_suite.py", "test_suite.py", "-q")
    failures, _, summary = said(twice).partition("= autoeval =")
    assert "is below the threshold 100 %" in failures
    assert "interrupted: 16 samples ran, so that the suite cannot pass" in summary


def test_the_name_of_a_model_may_have_any_letters(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    pytester.makeconftest(
        """
        class Parrot:
            def complete(self, messages, *, repeat=0):
                return "p1"

        def pytest_autoeval_register(registry):
            registry.add_model("modèle", Parrot)
        """
    )
    suite()
    run("--autoeval-model=modèle", "--autoeval-results=out.jsonl").assert_outcomes(passed=1)
    assert {(row["suite"], row["model"]) for row in rows("out.jsonl")} == {
        ("test_suite.py::test_round_trip", "modèle")
    }


def test_a_typed_formula_is_judged_by_its_rate(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.9")
    assert run("--autoeval-formula=p1 ∧ p2", "--autoeval-gate=interval").ret == pytest.ExitCode.OK


def test_a_server_of_the_ini_file_needs_a_model_too(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    suite()
    pytester.makeini("[pytest]\nautoeval_base_url = http://127.0.0.1:9/v1\n")
    result = run("-n", "2")
    assert result.ret != pytest.ExitCode.OK
    assert ".ini: autoeval_base_url: no model is named" in said(result)
    # It breaks no tests that ask no model.
    pytester.makepyfile(test_suite="def test_plain(): pass")
    assert run().ret == pytest.ExitCode.OK


NO_MODEL = "no model was named: this run tests the built-in offline model"


def test_a_run_that_names_no_model_says_what_it_tests(
    pytester: pytest.Pytester,
    suite: Suite,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    program: Program,
) -> None:
    suite(more=", threshold=0.5")
    # It may be there for another tool.
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    files = [
        f"--autoeval-{name}"
        for name in ("results=out.jsonl", "html=page.html", "github-summary=run.md")
    ]
    quiet = run("-q", "--junitxml=junit.xml", *files)
    assert quiet.ret == pytest.ExitCode.OK
    quiet.stdout.fnmatch_lines([f"*{NO_MODEL}", "  offline/faithful *", "✓ test_suite.py::*"])
    assert NO_MODEL in (pytester.path / "run.md").read_text("utf-8")
    assert (pytester.path / "junit.xml").read_text("utf-8").count(NO_MODEL) == 1
    page = PageBlocks((pytester.path / "page.html").read_text("utf-8"))
    assert str(page.document()).count(NO_MODEL) == 1
    assert run().stdout.str().count("no model was named") == 1
    program("report", "out.jsonl", "--markdown=later.md")
    assert (pytester.path / "later.md").read_text("utf-8") == (pytester.path / "run.md").read_text(
        "utf-8"
    )
    assert "no model" not in said(run("--autoeval-model=offline/faithful"))


TAMPERED: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "twice": (lambda lines: lines + lines[:1], "it has duplicate samples of"),
    "lost": (lambda lines: lines[1:], "15 of 16 samples of"),
    "one twice, one lost": (lambda lines: lines[:1] + lines[:15], "15 of 16 samples of"),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_results_that_have_not_one_row_of_each_sample_do_not_pass(
    pytester: pytest.Pytester, suite: Suite, run: Run, program: Program, case: str
) -> None:
    change, problem = TAMPERED[case]
    suite()
    run("--autoeval-results=out.jsonl").assert_outcomes(passed=1)
    file = pytester.path / "out.jsonl"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    samples = [line for line in lines if line.startswith('{"kind":"sample"')]
    at = lines.index(samples[0])
    lines[at : at + len(samples)] = change(samples)
    file.write_text("".join(lines), "utf-8")
    assert (
        problem
        in program(
            "report", "out.jsonl", "--results=merged.jsonl", code=pytest.ExitCode.INTERRUPTED
        ).err
    )
    program("report", "merged.jsonl", code=pytest.ExitCode.INTERRUPTED)
