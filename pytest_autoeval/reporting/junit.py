"""What JUnit XML is told of a gate, as properties: names and values of one line, safe in XML."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.judging.baseline_gate import BaselineGate
from pytest_autoeval.reporting.judging.gates import Gate
from pytest_autoeval.reporting.text import one_line


def properties(gate: Gate | BaselineGate, analysis: Analysis) -> list[tuple[str, str]]:
    """The properties of a gate, in a fixed order; what is not known is left out.

    Rates and differences are fractions. Of a gate over a threshold ``autoeval.rate`` counts undecided samples as not
    passed. ``autoeval.counterexample`` is the smallest that the suite and model have, in a line.
    """
    own = _threshold(gate) if isinstance(gate, Gate) else _baseline(gate)
    found = [
        ("kind", gate.kind),
        ("model", gate.model),
        ("verdict", gate.verdict),
        *own,
        ("reason", gate.reason),
        ("counterexample", _counterexample(gate, analysis)),
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
    if gate.test is not None:
        yield "pairs", str(gate.test.pairs)
        yield "won", str(gate.test.won)
        yield "lost", str(gate.test.lost)
        yield "difference", _number(gate.test.difference)
        yield "difference_low", _number(gate.test.interval.low)
        yield "difference_high", _number(gate.test.interval.high)
        yield "p_value", _number(gate.test.p_value)
        yield "p_value_holm", _number(gate.p_holm)
    yield "drop", _number(gate.drop)
    yield "detectable_drop", _number(gate.detectable)
    yield "pairs_needed", "" if gate.needed is None else str(gate.needed)


def _counterexample(gate: Gate | BaselineGate, analysis: Analysis) -> str:
    examples = [one for one in analysis.counterexamples if one.key[:2] == (gate.suite, gate.model)]
    smallest = min(examples, key=lambda one: (one.shown["operators"] or 0, len(one.shown["formula"])), default=None)
    return "" if smallest is None else smallest.one_line


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
