"""Suites and whole runs, judged: pass rates against thresholds, and formulas against a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pytest_autoeval.reporting.items import by_item, pass_rate
from pytest_autoeval.reporting.judging.baseline import Baseline, BaselineGate, Comparison, judge_comparison
from pytest_autoeval.reporting.judging.gates import Extent, Gate, GateVerdict, Rules, worst
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.text import Line, count

AnyGate: TypeAlias = "Gate | BaselineGate"
_WHOLE = Extent()


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteJudgement:
    """The gates of one suite and model. Without a baseline there is no ``comparison``, and nothing ``compared``."""

    gate: Gate
    comparison: BaselineGate | None = None
    compared: Comparison | None = None

    @property
    def gates(self) -> list[AnyGate]:
        """The gate over the threshold, then that against the baseline."""
        return [self.gate] if self.comparison is None else [self.gate, self.comparison]

    @property
    def verdict(self) -> GateVerdict:
        """The worst of what the gates say."""
        return worst(gate.verdict for gate in self.gates)

    @property
    def passes(self) -> bool:
        """Whether every gate passes."""
        return all(gate.passes for gate in self.gates)

    @property
    def inconclusive(self) -> bool:
        """Whether the samples decide neither way."""
        return self.verdict == "inconclusive"

    @property
    def reason(self) -> str:
        """The sentences of the gates that judged; of the one over the threshold where none did."""
        if self.comparison is None or self.comparison.verdict == "reported":
            return self.gate.reason
        against = f"against the baseline: {self.comparison.reason}"
        return against if self.gate.verdict == "reported" else f"{self.gate.reason}. {against[0].upper()}{against[1:]}"


def judge_suite(  # noqa: PLR0913 (a suite, its rules, and what its rows do not say)
    rows: Sequence[Row],
    rules: Rules,
    *,
    extent: Extent = _WHOLE,
    baseline: Baseline | None = None,
    suites: int = 1,
    suite: str = "",
    model: str = "",
) -> SuiteJudgement:
    """Judges the rows of one suite and model, which all count.

    ``suites`` is the number of suites and models of the run, over which p-values against the ``baseline`` are
    corrected. ``suite`` and ``model`` name what is judged where there is no row. A suite's own threshold stands in its
    rows, and wins over that of ``rules``.
    """
    if rows:
        suite, model = rows[0].suite, rows[0].model
    rate = pass_rate(by_item(rows))
    # Of files that were put together, the strictest that any of them asked for.
    threshold = max((row.threshold for row in rows if row.threshold is not None), default=rules.threshold)
    gate = Gate(
        suite=suite,
        model=model,
        samples=len(rows),
        passed=rate.passed,
        undecided=rate.undecided,
        errors=len(rows) - rate.total,
        threshold=threshold,
        interrupted=extent.incomplete(len(rows)),
        planned=extent.planned,
        rule=rules.gate,
        design_effect=rate.design_effect,
        stopped_early=extent.stopped_early,
    )
    if baseline is None or not rows:
        return SuiteJudgement(gate=gate)
    compared = baseline.compared_with(rows)
    judged = judge_comparison(compared, rules, extent=extent, suites=suites)
    return SuiteJudgement(gate=gate, comparison=judged, compared=compared)


def headline(gates: Sequence[Gate], comparisons: Sequence[BaselineGate] = ()) -> Iterator[Line]:
    """The verdict on the run, the interruption before it where there was one."""
    everything: list[AnyGate] = [*gates, *comparisons]
    broken = [gate for gate in everything if gate.verdict == "interrupted"]
    judged = [gate for gate in everything if gate.verdict in ("passed", "failed", "inconclusive")]
    if broken:
        ran, planned = sum(gate.samples for gate in gates), [gate.planned for gate in gates if gate.planned is not None]
        whole = len(planned) == len(gates)
        progress = f"{ran} of {count(sum(planned), 'sample')}" if whole else count(ran, "sample")
        yield Line(f"interrupted: {progress} ran; {count(len(broken), 'gate')} could not be judged", "warn")
    covered = {gate.name for gate in judged + broken}
    free = sum(gate.name not in covered for gate in gates)
    without = f"; {count(free, 'suite')} without a threshold" if free else ""
    failed = sum(gate.verdict == "failed" for gate in judged)
    open_ = sum(gate.verdict == "inconclusive" for gate in judged)
    alone = len(judged) == 1
    if failed:
        some = "the gate failed" if alone else f"{failed} of {len(judged)} gates failed"
        yield Line(f"{some}{f', {open_} inconclusive' if open_ else ''}{without}", "bad")
    elif open_:
        some = f"no gate failed, but {open_} of {len(judged)} {'is' if open_ == 1 else 'are'}"
        yield Line(f"{'the gate is' if alone else some} inconclusive{without}", "warn")
    elif judged:
        yield Line(f"{'the gate passed' if alone else f'all {len(judged)} gates passed'}{without}", "good")
    elif free:
        given, reported = (
            ("threshold or drop", "rates and differences") if comparisons else ("threshold", "the pass rates")
        )
        yield Line(f"no {given} was given: {reported} are reported, not judged", "dim")
