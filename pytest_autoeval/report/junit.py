"""The properties of a suite's test case in JUnit XML: names and values of one line, safe in XML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from pytest_autoeval.judging.gates import NO_MODEL
from pytest_autoeval.judging.suites import SuiteJudgement
from pytest_autoeval.record.calls import Calls
from pytest_autoeval.report.counterexample import Counterexample, smallest_first
from pytest_autoeval.report.horizons import horizon_data
from pytest_autoeval.report.spending import purposes_text, total
from pytest_autoeval.text import one_line


def properties(
    judgement: SuiteJudgement,
    counterexamples: Iterable[Counterexample],
    spent: Mapping[str, Calls] = MappingProxyType({}),
    *,
    horizon: bool = True,
) -> list[tuple[str, str]]:
    """The properties of a suite, in a fixed order; unknown values are left out.

    Rates and differences are fractions; ``autoeval.rate`` counts undecided samples as not passed. ``autoeval.verdict``
    is the worst verdict of all gates. ``autoeval.counterexample`` is the smallest counterexample, in one line.
    ``spent`` has the calls by purpose. If ``horizon`` is False, no curve is fitted, and an xdist worker need not load
    the code for it.
    """
    gate, comparison = judgement.gate, judgement.comparison
    examples = [example for example in counterexamples if example.sample.suite.number == gate.number]
    values: dict[str, str | float | None] = {
        "kind": "threshold" if comparison is None else "threshold and baseline",
        "model": gate.model,
        "verdict": judgement.verdict,
        "samples": gate.samples,
        "warning": NO_MODEL if gate.default_model else None,
    }
    if gate.rate.total:
        values |= dict(zip(("rate", "interval_low", "interval_high"), gate.shown, strict=True))
    values |= {"undecided": gate.undecided or None, "errors": gate.errors or None, "threshold": gate.threshold}
    if horizon and judgement.curve is not None:
        horizon_50 = judgement.curve.horizon(0.5)
        ends = {"above": f"above {horizon_50.largest:g}", "below": f"below {horizon_50.least:g}", "": None}
        found = horizon_data(horizon_50)
        values |= {"horizon_50": found["value"], "horizon_50_low": found["low"], "horizon_50_high": found["high"]}
        values |= {"horizon_50_bound": ends.get(found["bound"], found["bound"])}
    others = {
        "agreement": judgement.agreement,
        "agreement_drop": judgement.agreement_fall,
    }
    for name, judged in others.items():
        if judged is not None:
            values |= {f"{name}_verdict": judged.verdict, f"{name}_reason": judged.reason}
    if comparison is not None:
        there = comparison.compared.there
        values |= {"baseline_model": None if there is None else there.model, "baseline_verdict": comparison.verdict}
        if test := comparison.test:
            values |= {"pairs": test.pairs, "won": test.won, "lost": test.lost, "difference": test.difference}
            values |= {"difference_low": test.interval.low, "difference_high": test.interval.high}
            values |= {"difference_confidence": comparison.confidence}
            values |= {"p_value": test.p_value, "p_value_bonferroni": comparison.p_corrected}
        values |= {
            "drop": comparison.rules.drop,
            "detectable_drop": comparison.detectable,
            "pairs_needed": comparison.needed,
        }
    values |= {"reason": gate.reason, "baseline_reason": comparison.reason if comparison is not None else None}
    if spent:
        calls = total(spent.values())
        values |= {"calls": f"{calls.number}{purposes_text(spent)}", "cost": calls.cost}
    if examples:
        values["counterexample"] = smallest_first(examples)[0].one_line
    known = {name: value for name, value in values.items() if value not in (None, "")}
    shown = {name: f"{value:.6g}" if isinstance(value, float) else str(value) for name, value in known.items()}
    return [(f"autoeval.{name}", one_line(text)) for name, text in shown.items()]
