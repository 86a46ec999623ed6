"""The properties of a suite's test case in JUnit XML: names and values of one line, safe in XML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pytest_autoeval.reporting.counterexample import Counterexample, smallest_first
from pytest_autoeval.reporting.judging.gates import Gate
from pytest_autoeval.reporting.judging.suite_judgement import SuiteJudgement
from pytest_autoeval.reporting.text import one_line

if TYPE_CHECKING:
    from pytest_autoeval.reporting.judging.baseline import BaselineGate


def properties(judgement: SuiteJudgement, counterexamples: Iterable[Counterexample]) -> list[tuple[str, str]]:
    """The properties of a suite and model, in a fixed order; what is not known is left out.

    Rates and differences are fractions; ``autoeval.rate`` counts undecided samples as not passed. ``autoeval.verdict``
    is the worse one of both gates. ``autoeval.counterexample`` is the smallest that the suite and model have, in a
    line.
    """
    comparison = judgement.comparison
    examples = [one for one in counterexamples if one.key[:2] == (judgement.gate.suite, judgement.gate.model)]
    found = [
        ("kind", "threshold" if comparison is None else "threshold and baseline"),
        ("model", judgement.gate.model),
        ("verdict", judgement.verdict),
        *_threshold(judgement.gate),
        *(_baseline(comparison) if comparison is not None else ()),
        ("reason", judgement.gate.reason),
        ("baseline_reason", comparison.reason if comparison is not None else ""),
        *(("counterexample", one.one_line) for one in smallest_first(examples)[:1]),
    ]
    return [(f"autoeval.{name}", one_line(value)) for name, value in found if value]


def _threshold(gate: Gate) -> Iterator[tuple[str, str]]:
    yield "samples", str(gate.samples)
    if gate.rate.total:
        interval = gate.rate.interval()
        yield "rate", _number(gate.rate.lower)
        yield "interval_low", _number(interval.low)
        yield "interval_high", _number(interval.high)
    yield "undecided", str(gate.undecided) if gate.undecided else ""
    yield "errors", str(gate.errors) if gate.errors else ""
    yield "threshold", _number(gate.threshold)


def _baseline(gate: BaselineGate) -> Iterator[tuple[str, str]]:
    yield "baseline_model", gate.baseline_model or ""
    yield "baseline_verdict", gate.verdict
    if gate.test is not None:
        yield "pairs", str(gate.test.pairs)
        yield "won", str(gate.test.won)
        yield "lost", str(gate.test.lost)
        yield "difference", _number(gate.test.difference)
        yield "difference_low", _number(gate.test.interval.low)
        yield "difference_high", _number(gate.test.interval.high)
        yield "p_value", _number(gate.test.p_value)
        yield "p_value_bonferroni", _number(gate.p_corrected)
    yield "drop", _number(gate.drop)
    yield "detectable_drop", _number(gate.detectable)
    yield "pairs_needed", "" if gate.needed is None else str(gate.needed)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
