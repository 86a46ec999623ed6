"""Gates: which suites stand, and what is said of them."""

from __future__ import annotations

from fnmatch import fnmatchcase as fnmatch
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.judging.gates import Gate
from pytest_autoeval.record.stop_reasons import Stopped


def gate(**counts: Any) -> Gate:
    return Gate(
        **{
            "suite": "test_it.py::test_round_trip",
            "model": "m",
            "samples": 40,
            "passed": 35,
            **counts,
        }
    )


RATE = "pass rate 87.5 % (35 of 40; 95 % interval 73.2–95.8 %)"
DOUBTED = "pass rate 87.5–92.5 % (35 of 40, 2 undecided; 95 % interval 73.2–98.4 %)"
STOPPED = {"interrupted": True, "threshold": 0.5}
THOUSANDS = {"samples": 10_000, "threshold": 0.9}


@pytest.mark.parametrize(
    ("counts", "passes", "reason"),
    [
        (
            {"threshold": 0.9},
            False,
            f"{RATE} is below the threshold 90 %, which the interval contains",
        ),
        (
            {"threshold": 0.875},
            True,
            f"{RATE} meets the threshold 87.5 %, which the interval contains",
        ),
        # A rate that is far enough from its threshold has no such clause.
        ({"threshold": 0.97}, False, f"{RATE} is below the threshold 97 %"),
        ({"threshold": 0.7}, True, f"{RATE} meets the threshold 70 %"),
        ({}, True, f"{RATE}; no threshold *"),
        (
            {"undecided": 2, "threshold": 0.9},
            False,
            f"{DOUBTED} is below the threshold 90 %, which the interval contains: undecided samples *",
        ),
        (
            {"undecided": 2, "threshold": 0.95},
            False,
            f"{DOUBTED} is below the threshold 95 %, which the interval contains",
        ),
        (
            {"errors": 3, "threshold": 0.1},
            False,
            "3 of 40 samples *; pass rate 94.6 % (35 of 37; *81.8–99.3 %) *",
        ),
        (
            {"samples": 1, "passed": 0, "errors": 1},
            False,
            "no sample was answered: 1 of 1 sample ended in an error",
        ),
        (
            {"samples": 0, "passed": 0, "threshold": 0.9},
            False,
            "no sample ran; the threshold 90 % is not met",
        ),
        ({"samples": 0, "passed": 0}, True, "no sample ran"),
        (
            {**STOPPED, "planned": 120},
            False,
            f"interrupted: 40 of 120 samples ran, *cannot pass; *{RATE}",
        ),
        (
            {"interrupted": True, "planned": 41, "doubled": 1},
            False,
            f"interrupted: 39 of 41 *1 of them twice; *{RATE}",
        ),
        (
            {**STOPPED, "samples": 0, "passed": 0},
            False,
            "interrupted: no sample was answered, *cannot pass",
        ),
        (
            {**THOUSANDS, "passed": 8999},
            False,
            "*89.99 % (8,999 of 10,000; *89.4–90.6 %) is below the threshold 90 %, which the interval contains",
        ),
        (
            {**THOUSANDS, "passed": 9999, "threshold": 1.0},
            False,
            "*99.9 % (9,999 of 10,000; *99.9–99.9 %) is below *",
        ),
    ],
)
def test_verdict_and_reason(counts: dict[str, Any], passes: bool, reason: str) -> None:
    tested = gate(**counts)
    assert tested.passes == passes
    assert fnmatch(tested.reason, reason), tested.reason


def interval_gate(passed: int, samples: int, threshold: float, **counts: Any) -> Gate:
    return gate(passed=passed, samples=samples, threshold=threshold, rule="interval", **counts)


@pytest.mark.parametrize(
    ("tested", "verdict", "measured", "why"),
    [
        (
            interval_gate(100, 100, 0.9),
            "passed",
            "96.4–100.0 %)",
            "the whole interval meets the threshold 90 %",
        ),
        (
            interval_gate(70, 100, 0.9),
            "failed",
            "60.0–78.8 %)",
            "the whole interval is below the threshold 90 %",
        ),
        (
            interval_gate(95, 100, 0.9),
            "inconclusive",
            "88.7–98.4 %)",
            "about 142 samples would decide at this rate",
        ),
        (
            interval_gate(90, 100, 0.9),
            "inconclusive",
            "82.4–95.1 %)",
            "more samples would not decide at this rate",
        ),
        (
            interval_gate(85, 100, 0.9, undecided=10),
            "inconclusive",
            "pass rate 85.0–95.0 % (85 of 100, 10 undecided; 95 % interval 76.5–98.4 %)",
            "the undecided samples leave it open; more samples would not decide",
        ),
        (
            interval_gate(40, 40, 1.0),
            "inconclusive",
            "91.2–100.0 %)",
            "more samples would not decide at this rate",
        ),
        (
            interval_gate(1826, 2000, 0.9),
            "inconclusive",
            "89.98–92.50 %)",
            "about 2,063 samples would decide",
        ),
        (
            interval_gate(0, 0, 0.9),
            "failed",
            "no sample ran",
            "; the threshold 90 % is not met",
        ),
        (
            interval_gate(99, 100, 0.5, errors=1),
            "failed",
            "1 of 100 samples ended in an error",
            "96.3–100.0 %)",
        ),
    ],
)
def test_the_interval_decides_or_says_that_it_does_not(
    tested: Gate, verdict: str, measured: str, why: str
) -> None:
    assert (tested.verdict, tested.passes) == (verdict, verdict == "passed")
    assert measured in tested.reason
    assert why in tested.reason
    assert ("lies within the interval; " in tested.reason) == (verdict == "inconclusive")


def test_a_model_at_a_high_threshold_is_not_failed_by_one_more_failure() -> None:
    """A true rate of 97 % gives 27 of 30 or fewer in 6 % of runs: a score interval would exclude the threshold."""
    assert interval_gate(27, 30, 0.97).verdict == "inconclusive"


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ({"samples": 8, "passed": 8}, "; only 8 samples: the true rate may be as low as 63.1 %"),
        ({"samples": 8, "passed": 2}, "; only 8 samples: the true rate may be as high as 65.1 %"),
        ({"samples": 1, "passed": 1}, "; only 1 sample: the true rate may be as low as 2.5 %"),
        (
            {"samples": 25, "passed": 25, "design_effect": 5.0},
            "; 25 samples of few formulas: the true rate may be as",
        ),
        (
            {"samples": 3, "passed": 0, "design_effect": 3.0},
            "; only 3 samples of few formulas: the true rate may be as high as 97.5 %",
        ),
        ({"samples": 20, "passed": 20}, ""),
        ({"samples": 8, "passed": 8, "threshold": None}, ""),
        ({"samples": 8, "passed": 7, "errors": 1}, ""),
        ({"samples": 0, "passed": 0}, ""),
    ],
)
def test_few_samples_say_how_little_they_mean(counts: dict[str, Any], sentence: str) -> None:
    tested = gate(**{"threshold": 0.9, **counts})
    assert sentence in tested.reason
    assert bool(tested.few_samples) == bool(sentence)


def test_a_gate_that_shares_its_error_needs_more_and_names_its_interval() -> None:
    assert interval_gate(96, 100, 0.9).verdict == "passed"
    shared = interval_gate(96, 100, 0.9, confidence=0.975)
    assert shared.verdict == "inconclusive"
    assert "97.5 % interval 89.1–99.1 %" in shared.reason
    assert shared.shown == interval_gate(96, 100, 0.9).shown, "tables show the 95 % interval"


def test_repeats_that_resemble_each_other_widen_the_interval() -> None:
    assert interval_gate(96, 100, 0.9).verdict == "passed"
    assert interval_gate(96, 100, 0.9, design_effect=4.0).verdict == "inconclusive"


@pytest.mark.parametrize(
    ("decided", "passed", "verdict", "why"),
    [
        (
            "passed",
            40,
            "passed",
            "the threshold 90 % is met (sequential test, error rate 5 %); pass rate 100.0 %",
        ),
        (
            "failed",
            36,
            "failed",
            "the threshold 90 % is not met (sequential test, error rate 5 %); pass rate 90.0 %",
        ),
        (
            "passed",
            35,
            "inconclusive",
            "the threshold 90 % is met before the last samples ended, but not with them (sequential test",
        ),
    ],
)
@pytest.mark.parametrize("rule", ["point", "interval"])
def test_a_suite_that_was_stopped_early_is_judged_by_what_was_decided(
    decided: Any, passed: int, verdict: str, why: str, rule: Any
) -> None:
    stopped = Stopped(verdict=decided, ran=40, planned=200, saved="320 calls")
    tested = gate(passed=passed, threshold=0.9, planned=200, stopped_early=stopped, rule=rule)
    assert tested.verdict == verdict
    assert tested.reason.startswith(
        f"stopped early after 40 of 200 samples, which saved 320 calls: {why}"
    )


def test_an_interrupted_suite_is_not_judged_however_early_it_was_decided() -> None:
    stopped = Stopped(verdict="passed", ran=40, planned=200)
    tested = gate(passed=40, threshold=0.9, planned=200, interrupted=True, stopped_early=stopped)
    assert (tested.verdict, tested.passes) == ("interrupted", False)


counts = st.tuples(*[st.integers(0, 60)] * 4)
rules = st.sampled_from(["point", "interval"])
thresholds = st.none() | st.integers(0, 100).map(lambda hundredths: hundredths / 100)


@given(counts, thresholds, st.booleans(), rules)
def test_a_gate_passes_only_what_stands_beyond_doubt(
    parts: tuple[int, int, int, int], threshold: float | None, interrupted: bool, rule: Any
) -> None:
    passed, undecided, failed, errors = parts
    tested = gate(
        samples=sum(parts),
        passed=passed,
        undecided=undecided,
        errors=errors,
        threshold=threshold,
        interrupted=interrupted,
        rule=rule,
    )
    assert tested.reason
    if tested.passes:
        assert errors == 0
        if threshold is not None:
            assert not interrupted
            # In hundredths, so that nothing is rounded.
            assert 100 * passed >= round(100 * threshold) * (passed + undecided + failed)
            assert sum(parts) > 0
            if rule == "interval":
                assert tested.rate.interval().low >= threshold


@given(counts, st.integers(1, 100))
def test_the_interval_passes_and_fails_no_more_than_the_rate(
    parts: tuple[int, int, int, int], hundredths: int
) -> None:
    passed, undecided, failed, _ = parts
    measured = {"samples": passed + undecided + failed, "passed": passed, "undecided": undecided}
    by_interval, by_point = (
        gate(**measured, threshold=hundredths / 100, rule=rule) for rule in ("interval", "point")
    )
    if by_interval.verdict == "passed":
        assert by_point.verdict == "passed"
    if by_interval.verdict == "failed" and by_interval.samples:
        assert gate(
            **{**measured, "passed": passed + undecided, "undecided": 0}, threshold=hundredths / 100
        ).verdict == ("failed")
    if by_interval.needed is not None and by_interval.verdict == "inconclusive":
        assert by_interval.needed > by_interval.samples


@given(st.integers(1, 200), st.integers(1, 100))
def test_a_rate_equal_to_the_threshold_passes(total: int, hundredths: int) -> None:
    tested = gate(samples=100 * total, passed=hundredths * total, threshold=hundredths / 100)
    assert tested.passes
    assert not gate(
        samples=100 * total, passed=hundredths * total - 1, threshold=hundredths / 100
    ).passes


@given(
    st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.integers(1, 100),
)
def test_a_rate_said_to_be_below_the_threshold_reads_as_below(
    count: tuple[int, int], hundredths: int
) -> None:
    tested = gate(passed=count[0], samples=count[1], threshold=hundredths / 100)
    shown = float(tested.reason.removeprefix("pass rate ").partition(" ")[0])
    if tested.passes:
        assert shown >= hundredths - 0.05
    else:
        assert shown < hundredths
