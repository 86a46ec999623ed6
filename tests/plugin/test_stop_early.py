"""`--autoeval-stop-early`: a suite ends at a planned look once it is decided, the same way in every kind of run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from support.chat_server import ChatServer
from support.formula_server import sensible
from support.program import Program

from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import SuiteEnd, SuiteRecord

from .conftest import FAITHFUL, Run, Suite, lasting, said

EARLY = "--autoeval-stop-early"
INTERVAL = "--autoeval-gate=interval"
POOR = "--autoeval-model=offline/student?strength=0.3"
#: 40 samples, of which each look adds 8.
FORTY = ("--autoeval-operators=1:5", "--autoeval-samples=10", "--autoeval-shrink-budget=0")


def ended(file: str = "out.jsonl", number: int = 0) -> tuple[SuiteRecord, SuiteEnd]:
    suite = read_file(Path(file)).suites[number]
    assert suite.end is not None
    return suite, suite.end


@pytest.mark.parametrize(
    ("model", "threshold", "verdict", "why"),
    [
        (FAITHFUL, 0.5, "passed", "the whole interval meets the threshold 50 %, at look"),
        (POOR, 0.9, "failed", "the whole interval is below the threshold 90 %, at look"),
    ],
)
def test_an_interval_decides_in_both_directions(
    suite: Suite, run: Run, model: str, threshold: float, verdict: str, why: str
) -> None:
    suite(more=f", threshold={threshold}")
    result = run(*FORTY, model, EARLY, INTERVAL, "--autoeval-results=out.jsonl", "-v")
    assert result.ret == (0 if verdict == "passed" else 1)
    record, end = ended()
    stopped = end.stopped
    assert stopped is not None
    assert (end.ended, end.verdict, stopped.verdict, stopped.by) == (
        "stopped early",
        verdict,
        verdict,
        "threshold",
    )
    assert (stopped.ran, stopped.planned) == (8 * stopped.look, 40)
    assert len(record.samples) == stopped.ran
    assert stopped.saved == f"{2 * stopped.left} calls"
    assert f"{why} {stopped.look} of 5" in end.reasons[0]
    text = " ".join(said(result).split())
    assert f"stopped early after {stopped.ran} of 40 samples, which saved {stopped.saved}" in text
    assert f"1 suite stopped early at a planned look, which saved {stopped.saved}" in text


@pytest.mark.parametrize(
    ("model", "threshold", "ran", "met"),
    [(FAITHFUL, 0.5, 24, "met"), (POOR, 0.9, 8, "not met"), (FAITHFUL, 0.9, 40, "")],
)
def test_a_point_threshold_ends_a_suite_only_if_the_rest_cannot_change_it(
    suite: Suite, run: Run, model: str, threshold: float, ran: int, met: str
) -> None:
    suite(more=f", threshold={threshold}")
    run(*FORTY, model, EARLY, "--autoeval-results=out.jsonl")
    record, end = ended()
    assert len(record.samples) == ran
    if met:
        assert f"the {40 - ran} other samples cannot change that the threshold" in end.reasons[0]
        assert f" is {met}; " in end.reasons[0]
    else:
        assert (end.ended, end.stopped) == ("whole", None)


def test_workers_and_speed_change_nothing(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.9")
    base = (*FORTY, "--autoeval-model=offline/student?strength=0.8", EARLY, INTERVAL)
    kinds: dict[str, Sequence[str]] = {
        "one": ["--autoeval-concurrency=1"],
        "many": [],
        "workers": ["-n", "2"],
    }
    for name, more in kinds.items():
        run(*base, f"--autoeval-results={name}.jsonl", *more)
    assert ended("one.jsonl")[1].stopped is not None
    assert lasting("one.jsonl") == lasting("many.jsonl") == lasting("workers.jsonl")
    assert ended("one.jsonl")[1] == ended("many.jsonl")[1] == ended("workers.jsonl")[1]


def test_each_fifth_has_all_sizes_and_all_repeats(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.9")
    run(*FORTY, POOR, EARLY, INTERVAL, "--autoeval-repeats=3", "--autoeval-results=out.jsonl")
    record, end = ended()
    assert end.stopped is not None
    looks = end.stopped.look
    assert looks < 5
    assert len(record.samples) == looks * 8 * 3
    for size in range(1, 5):
        own = [sample for sample in record.samples if sample.size == size]
        assert len(own) == looks * 2 * 3
        assert all([sample.index for sample in own].count(sample.index) == 3 for sample in own)


def test_a_run_that_was_cut_off_stops_at_the_same_look(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.5")
    with ChatServer(sensible) as server:
        asked = (*FORTY, "--autoeval-model=m", f"--autoeval-base-url={server.url}", EARLY, INTERVAL)
        cut = run(*asked, "--autoeval-max-calls=20", "--autoeval-results=out.jsonl", cache=True)
        assert cut.ret == 10
        assert ended()[1].ended == "limit reached"
        run(*asked, "--autoeval-results=out.jsonl", "--autoeval-resume", cache=True)
        assert ended()[1].ended == "stopped early"
        assert len({str(request.body) for request in server.requests}) == len(server.requests)
        run(*asked, "--autoeval-results=whole.jsonl")
    assert lasting("out.jsonl") == lasting("whole.jsonl")


TWO = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(1, 5), samples=10)
def test_one(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@pytest.mark.autoeval("propositional", operators=range(2, 6), samples=10, threshold=0.5)
def test_two(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)
"""
NO_SHRINKING = "--autoeval-shrink-budget=0"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_suite_that_fell_ends_and_the_run_fails_by_it(
    suite: Suite, run: Run, workers: str
) -> None:
    suite(TWO)
    run(FAITHFUL, NO_SHRINKING, "--autoeval-results=base.jsonl")
    against = ("--autoeval-baseline=base.jsonl", "--autoeval-fail-on=drop:5%", "-n", workers)
    result = run(POOR, NO_SHRINKING, EARLY, *against, "--autoeval-results=out.jsonl")
    assert result.ret == 1
    _, end = ended()
    assert end.stopped is not None
    assert (end.stopped.by, end.stopped.verdict) == ("baseline", "failed")
    assert end.reasons[0].startswith(
        f"stopped early after {end.stopped.ran} of 40 samples, which saved "
    )
    assert f"significantly worse at look {end.stopped.look} of 5" in end.reasons[1]
    text = " ".join(said(result).split())
    assert "is worse than offline/faithful" in text
    assert "all suites together are not judged, since" in text


def test_with_a_gate_on_a_drop_a_suite_that_meets_its_threshold_goes_on(
    suite: Suite, run: Run
) -> None:
    suite(TWO)
    run(FAITHFUL, "--autoeval-results=base.jsonl")
    against = ("--autoeval-baseline=base.jsonl", "--autoeval-fail-on=drop:10%")
    result = run(FAITHFUL, EARLY, INTERVAL, *against, "--autoeval-results=out.jsonl")
    assert result.ret == 0
    assert [ended(number=number)[1].ended for number in range(2)] == ["whole", "whole"]
    text = " ".join(said(result).split())
    assert (
        "a suite that met its threshold went on, because the drop is judged over the pairs of all suites"
        in text
    )


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        ((), "a suite without a threshold runs whole, because no look can decide it"),
        (
            ("--autoeval-threshold=0.5", "--autoeval-formula=p1"),
            "the formulas of --autoeval-formula are too few",
        ),
    ],
)
def test_where_no_look_can_decide_a_note_says_so(
    suite: Suite, run: Run, arguments: tuple[str, ...], note: str
) -> None:
    suite()
    result = run(FAITHFUL, EARLY, *arguments)
    assert result.ret == 0
    assert f"note: --autoeval-stop-early: {note}" in said(result)


def test_what_is_asked_at_once_or_judged_later_is_refused(suite: Suite, run: Run) -> None:
    suite()
    for other, why in (("shard=1/2", "parts are not judged"), ("batch", "is asked at once")):
        refused = run(EARLY, f"--autoeval-{other}", cache=True)
        assert refused.ret == pytest.ExitCode.USAGE_ERROR
        assert "--autoeval-stop-early: cannot be combined with --autoeval-" in said(refused)
        assert why in said(refused)


BREAKS = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(1, 5), samples=10, threshold=0.1)
def test_it(sample, round_trip, assert_equivalent):
    if sample.index % 2:
        raise RuntimeError("the test is broken")
    assert_equivalent(round_trip(sample), sample.formula)
"""


def test_errors_end_no_suite_early(suite: Suite, run: Run) -> None:
    suite(BREAKS)
    assert run(FAITHFUL, EARLY, INTERVAL, "--autoeval-results=out.jsonl").ret == 1
    record, end = ended()
    assert (len(record.samples), end.ended, end.stopped) == (40, "whole", None)


def test_a_report_keeps_the_decision_and_judges_other_rules_at_the_same_look(
    suite: Suite, run: Run, report: Program
) -> None:
    suite(more=", threshold=0.5")
    run(*FORTY, FAITHFUL, EARLY, INTERVAL, "--autoeval-results=out.jsonl")
    assert (
        "stopped early after 16 of 40 samples"
        in report("out.jsonl", "--gate=interval", code=0).text
    )
    for gate, why in (
        ("interval", "lies within the interval, at look 2 of 5"),
        ("point", "may change whether"),
    ):
        text = " ".join(
            report("out.jsonl", f"--gate={gate}", "--threshold=0.9", code=10).text.split()
        )
        assert why in text
