"""A system that allows no further thread ends the run in one line."""

from __future__ import annotations

import pytest

from .conftest import Run, Suite, said

LIMIT = """
import threading

started = threading.Thread.start
left = {number}

def start(thread):
    global left
    if thread.name.startswith(("autoeval-a", "autoeval-b", "offline")):
        left -= 1
        if left < 0:
            raise RuntimeError("can't start new thread")
    started(thread)

threading.Thread.start = start
"""


@pytest.mark.parametrize("number", range(4))
def test_a_run_without_threads_ends_in_one_line(
    suite: Suite, run: Run, pytester: pytest.Pytester, number: int
) -> None:
    suite(more=", threshold=0.9")
    pytester.makeconftest(LIMIT.format(number=number))
    result = run(apart=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    (line,) = [
        line
        for line in result.outlines
        if "no thread can be started" in line and line.startswith("!")
    ]
    assert "raise the limit, or lower --autoeval-concurrency" in line
    assert "Traceback" not in said(result)


def test_a_run_with_few_threads_goes_on(suite: Suite, run: Run, pytester: pytest.Pytester) -> None:
    """The offline server gets no thread for a request, and answers it by itself."""
    suite(more=", threshold=0.9")
    names = '("autoeval-a", "autoeval-b", "offline")'
    pytester.makeconftest(
        LIMIT.format(number=0).replace(f"startswith({names})", 'startswith("Thread-")')
    )
    assert run(apart=True).ret == pytest.ExitCode.OK
