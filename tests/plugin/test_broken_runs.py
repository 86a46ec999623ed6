"""A run of these tests that a signal or an exception ended says so, with all that it printed."""

from __future__ import annotations

import pytest

from .conftest import Run, Suite

ENDS = """
import os
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish():
    print("the end comes")
    {end}
"""


@pytest.mark.parametrize(
    ("end", "code"),
    [("os.kill(os.getpid(), 9)", -9), ("raise RuntimeError('of a plugin')", 1)],
    ids=["a signal", "an exception"],
)
def test_a_run_without_its_last_line_is_an_error(
    pytester: pytest.Pytester, suite: Suite, run: Run, end: str, code: int
) -> None:
    pytester.makeconftest(ENDS.format(end=f"import sys; sys.stdout.flush(); {end}"))
    suite("def test_it(): pass")
    with pytest.raises(AssertionError) as broken:
        run("-s", apart=True).assert_outcomes(passed=1)
    assert f"the run ended with exit code {code} and without pytest's last line" in str(
        broken.value
    )
    assert "the end comes" in str(broken.value)
    if code == 1:
        assert "RuntimeError: of a plugin" in str(broken.value)


def test_a_run_with_its_last_line_is_none(suite: Suite, run: Run) -> None:
    suite("def test_it(): assert False")
    run(apart=True).assert_outcomes(failed=1)
