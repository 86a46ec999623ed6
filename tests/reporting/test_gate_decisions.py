"""Gates: which suites stand, and what is said of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.reporting.gates import Gate


def gate(**counts: Any) -> Gate:
    return Gate(**{"suite": "test_it.py::test_round_trip", "model": "m", "samples": 40, "passed": 35, **counts})


@pytest.mark.parametrize(
    ("tested", "passes", "reason"),
    [
        (
            gate(threshold=0.9),
            False,
            "pass rate 87.5 % (35 of 40; 95 % interval 73.9–94.5 %) is below the threshold 90 %",
        ),
        (
            gate(threshold=0.875),
            True,
            "pass rate 87.5 % (35 of 40; 95 % interval 73.9–94.5 %) meets the threshold 87.5 %",
        ),
        (gate(), True, "pass rate 87.5 % (35 of 40; 95 % interval 73.9–94.5 %); no threshold was given"),
        (
            gate(undecided=2, threshold=0.9),
            False,
            (
                "pass rate 87.5–92.5 % (35 of 40, 2 undecided; 95 % interval 73.9–97.4 %) is below the threshold 90 %: "
                "undecided samples count as not passed"
            ),
        ),
        (
            gate(undecided=2, threshold=0.95),
            False,
            "pass rate 87.5–92.5 % (35 of 40, 2 undecided; 95 % interval 73.9–97.4 %) is below the threshold 95 %",
        ),
        (
            gate(errors=3, threshold=0.1),
            False,
            (
                "3 of 40 samples ended in an error, so that the gate cannot pass; "
                "pass rate 94.6 % (35 of 37; 95 % interval 82.3–98.5 %) of the others"
            ),
        ),
        (
            gate(samples=1, passed=0, errors=1),
            False,
            "1 of 1 sample ended in an error, so that the gate cannot pass",
        ),
        (
            gate(samples=0, passed=0, threshold=0.9),
            False,
            "no sample ran, so that the threshold 90 % is not met",
        ),
        (gate(samples=0, passed=0), True, "no sample ran"),
        (
            gate(interrupted=True, planned=120, threshold=0.5),
            False,
            (
                "interrupted: 40 of 120 samples ran, so that the gate cannot pass; "
                "so far the pass rate 87.5 % (35 of 40; 95 % interval 73.9–94.5 %)"
            ),
        ),
        (gate(interrupted=True, samples=0, passed=0), True, "interrupted: 0 samples ran"),
        (
            gate(samples=10_000, passed=8999, threshold=0.9),
            False,
            "pass rate 89.99 % (8999 of 10000; 95 % interval 89.4–90.6 %) is below the threshold 90 %",
        ),
        (
            gate(samples=10_000, passed=9999, threshold=1.0),
            False,
            "pass rate 99.9 % (9999 of 10000; 95 % interval 99.9–99.9 %) is below the threshold 100 %",
        ),
    ],
)
def test_verdict_and_reason(tested: Gate, passes: bool, reason: str) -> None:
    assert (tested.passes, tested.reason) == (passes, reason)


counts = st.tuples(*[st.integers(0, 60)] * 4)
thresholds = st.none() | st.integers(0, 100).map(lambda hundredths: hundredths / 100)


@given(counts, thresholds, st.booleans())
def test_a_gate_passes_only_what_stands_beyond_doubt(
    parts: tuple[int, int, int, int], threshold: float | None, interrupted: bool
) -> None:
    passed, undecided, failed, errors = parts
    tested = gate(
        samples=sum(parts),
        passed=passed,
        undecided=undecided,
        errors=errors,
        threshold=threshold,
        interrupted=interrupted,
    )
    assert tested.reason
    if tested.passes:
        assert errors == 0
        if threshold is not None:
            assert not interrupted
            # In hundredths, so that nothing is rounded.
            assert 100 * passed >= round(100 * threshold) * (passed + undecided + failed)
            assert sum(parts) > 0


@given(st.integers(1, 200), st.integers(1, 100))
def test_a_rate_equal_to_the_threshold_passes(total: int, hundredths: int) -> None:
    tested = gate(samples=100 * total, passed=hundredths * total, threshold=hundredths / 100)
    assert tested.passes
    assert not gate(samples=100 * total, passed=hundredths * total - 1, threshold=hundredths / 100).passes


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.integers(1, 100))
def test_a_rate_said_to_be_below_the_threshold_reads_as_below(count: tuple[int, int], hundredths: int) -> None:
    tested = gate(passed=count[0], samples=count[1], threshold=hundredths / 100)
    shown = float(tested.reason.removeprefix("pass rate ").partition(" ")[0])
    if tested.passes:
        assert shown >= hundredths - 0.05
    else:
        assert shown < hundredths
