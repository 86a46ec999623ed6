"""One suite and model, judged: its pass rate against a threshold, and its formulas against a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pytest_autoeval.reporting.items import by_item, pass_rate
from pytest_autoeval.reporting.judging.extent import Extent, Rules
from pytest_autoeval.reporting.judging.gates import Gate
from pytest_autoeval.reporting.judging.verdict import GateVerdict, worst
from pytest_autoeval.reporting.row import Row

if TYPE_CHECKING:
    from pytest_autoeval.reporting.judging.baseline import Baseline, Comparison
    from pytest_autoeval.reporting.judging.baseline_gate import BaselineGate

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
    gate = _gate(suite, model, rows, rules, extent)
    if baseline is None or not rows:
        return SuiteJudgement(gate=gate)
    from pytest_autoeval.reporting.judging.baseline import judge_comparison

    compared = baseline.compared_with(rows)
    judged = judge_comparison(compared, rules, extent=extent, suites=suites)
    return SuiteJudgement(gate=gate, comparison=judged, compared=compared)


def _gate(suite: str, model: str, rows: Sequence[Row], rules: Rules, extent: Extent) -> Gate:
    rate = pass_rate(by_item(rows))
    # Of files that were put together, the strictest that any of them asked for.
    own = max((row.threshold for row in rows if row.threshold is not None), default=None)
    return Gate(
        suite=suite,
        model=model,
        samples=len(rows),
        passed=rate.passed,
        undecided=rate.undecided,
        errors=len(rows) - rate.total,
        threshold=rules.threshold if own is None else own,
        interrupted=extent.incomplete(len(rows)),
        planned=extent.planned,
        rule=rules.gate,
        design_effect=rate.design_effect,
        stopped_early=extent.stopped_early,
    )
