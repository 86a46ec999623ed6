"""A run that was to ask a model and has no suite: it is green, and says that nothing was asked."""

from __future__ import annotations

import pytest

from .conftest import FAITHFUL, Run, Suite, said

IDLE = "autoeval: no suite was collected, so {} had no effect and nothing was asked"


@pytest.fixture
def ordinary(pytester: pytest.Pytester) -> None:
    pytester.mkdir("tests").joinpath("test_ordinary.py").write_text("def test_it(): pass\n")


@pytest.mark.usefixtures("ordinary")
@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_first_typed_option_is_named(run: Run, workers: str) -> None:
    result = run("-n", workers, FAITHFUL, "--autoeval-threshold=0.9")
    assert result.ret == pytest.ExitCode.OK
    assert said(result).count(IDLE.format("--autoeval-model")) == 1


@pytest.mark.usefixtures("ordinary")
def test_a_suite_outside_of_testpaths_is_not_missed_silently(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    suite()
    pytester.makeini("[pytest]\ntestpaths = tests\n")
    assert f"{IDLE.format('--autoeval-model')}; pytest searched only tests (testpaths)" in said(
        run(FAITHFUL)
    )


@pytest.mark.usefixtures("ordinary")
@pytest.mark.parametrize("option", ["", "--autoeval-verify-timeout=3"])
def test_a_run_that_was_to_ask_nothing_has_no_note(
    pytester: pytest.Pytester, run: Run, option: str
) -> None:
    pytester.makeini(f"[pytest]\naddopts = {FAITHFUL}\n")
    assert "no suite was collected" not in said(run(*filter(None, [option])))


@pytest.mark.usefixtures("ordinary")
@pytest.mark.parametrize("more", ["tests", "--collect-only", "--autoeval-plan"])
def test_only_a_run_without_a_suite_has_the_note(suite: Suite, run: Run, more: str) -> None:
    suite()
    chosen = ["tests"] if more == "tests" else [more]
    note = "no suite was collected" in said(run(FAITHFUL, *chosen))
    assert note is (more == "tests")


@pytest.mark.usefixtures("ordinary")
@pytest.mark.parametrize("workers", ["0", "2"])
def test_ordinary_tests_leave_no_folder_of_ours_in_the_cache(
    pytester: pytest.Pytester, run: Run, workers: str
) -> None:
    run("-n", workers, cache=True).assert_outcomes(passed=1)
    assert (pytester.path / ".pytest_cache" / "v").is_dir()
    assert not (pytester.path / ".pytest_cache" / "d").exists() or not list(
        (pytester.path / ".pytest_cache" / "d").iterdir()
    )
