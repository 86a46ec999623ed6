"""How far a run is, while it runs."""

from __future__ import annotations

import os
import sys
from select import select

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.small_project import PLUGINS

from pytest_autoeval.engine.record import SuiteProgress
from pytest_autoeval.models.call_limits import Traffic
from pytest_autoeval.running import progress
from pytest_autoeval.running.progress import RunProgress, describe

from .conftest import Run, Suite, said

SLOW = """
import time
import pytest

@pytest.mark.autoeval("propositional", operators=[1], samples=2, verified=False)
def test_it(sample, llm):
    llm.informalize(sample.formula)
    time.sleep(0.8)
"""
TRAFFIC = Traffic(
    attempts=400,
    answered=390,
    in_flight=12,
    window=12,
    highest=64,
    why_fewer="rate limited",
    cost=0.5,
)


def test_the_line_tells_what_is_done_and_what_holds_it_up() -> None:
    going = [SuiteProgress(planned=100, ended=50, passed=40)]
    now = RunProgress(ended=2, suites=5, going=going, traffic=TRAFFIC)
    assert describe(now, 60.0, 7.25) == (
        "autoeval: 2/5 suites · 50/100 samples · 80% passed · 7.2 calls/s · "
        "12 in flight (rate limited: 12 of 64) · $0.50 · 60 s left"
    )


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (80, "12/60 suites · 1,250/12,000 samples · 80% passed · 17 calls/s · 3 h 59 min left"),
        (60, "12/60 suites · 1,250/12,000 samples · 3 h 59 min left"),
        (40, "12/60 suites · 3 h 59 min left"),
        (20, "12/60 suites"),
        (5, ""),
    ],
)
def test_what_does_not_fit_is_dropped_from_the_least_useful_on(width: int, line: str) -> None:
    going = [SuiteProgress(planned=12_000, ended=1_250, passed=1_000)]
    now = RunProgress(ended=12, suites=60, going=going, traffic=TRAFFIC)
    assert describe(now, 3_631.0, 17.2, width) == line


@given(st.integers(0, 400), st.integers(0, 5), st.integers(0, 10**6), st.integers(0, 10**6))
def test_no_part_of_the_line_is_cut(width: int, ended: int, samples: int, more: int) -> None:
    going = [SuiteProgress(planned=samples + more, ended=samples, passed=samples // 2)]
    now = RunProgress(ended=ended, suites=5, going=going, traffic=TRAFFIC)
    line = describe(now, 60.0, 7.25, width)
    assert len(line) <= width
    assert set(filter(None, line.removeprefix("autoeval: ").split(" · "))) <= set(
        describe(now, 60.0, 7.25).removeprefix("autoeval: ").split(" · ")
    )


def test_with_batches_it_tells_what_is_waited_for() -> None:
    going = [SuiteProgress(planned=2000, ended=0, passed=0)]
    waiting = "batch 2: 1,204 of 2,000 answered, submitted 14:03"
    now = RunProgress(ended=0, suites=1, going=going, traffic=TRAFFIC, batches=waiting)
    assert describe(now, 60.0, 0.0) == f"autoeval: {waiting} · 0/1 suites · 0/2,000 samples"


def test_the_line_shows_nothing_that_is_not_known() -> None:
    assert (
        describe(RunProgress(ended=0, suites=5, going=[], traffic=None), 1.0, 0.0)
        == "autoeval: 0/5 suites"
    )
    over = RunProgress(ended=5, suites=5, going=[], traffic=TRAFFIC)
    assert describe(over, 60.0, 0.0) == "autoeval: 5/5 suites, making the reports"


@pytest.mark.parametrize(("options", "lines"), [((), True), (("-q",), False)])
def test_where_output_is_no_terminal_a_line_comes_now_and_then(
    suite: Suite, run: Run, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], lines: bool
) -> None:
    monkeypatch.setattr(progress, "_ELSEWHERE", 0.1)
    suite(SLOW)
    result = run(*options)
    assert ("\nautoeval: 0/1 suites · 0/2 samples" in result.stdout.str()) == lines, said(result)


@pytest.mark.skipif(sys.platform != "linux", reason="runs are forked on Linux alone")
@pytest.mark.parametrize("workers", ["0", "2"])
def test_on_a_terminal_the_line_lives_beneath_what_pytest_writes(
    pytester: pytest.Pytester, suite: Suite, workers: str
) -> None:
    from support.forked import Fork, run_on_terminal

    suite(SLOW)
    ours, theirs = os.openpty()
    typed = [os.ttyname(theirs), *PLUGINS, "-n", workers]
    started = Fork(pytester.path, typed, {**os.environ, "TERM": "xterm"}, run_on_terminal)
    written = b""
    while started.poll() is None or select([ours], [], [], 0)[0]:
        if select([ours], [], [], 0.05)[0]:
            written += os.read(ours, 65536)
    started.communicate()
    os.close(theirs)
    os.close(ours)
    text = written.decode()
    assert "\n\rautoeval: 0/1 suites" in text.replace("\r\n", "\n")
    assert text.rindex("autoeval: 0/1 suites") < text.rindex("\x1b[K") < text.rindex("1 passed")
