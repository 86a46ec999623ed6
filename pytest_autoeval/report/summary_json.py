"""The analysis of a run as one JSON object, for programs. `docs/reference/summary.md` describes every key."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import msgspec

from pytest_autoeval.inert import inert
from pytest_autoeval.judging.agreement_gates import AgreementGate
from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.slices import Slice
from pytest_autoeval.judging.suites import SuiteJudgement
from pytest_autoeval.outcomes import OutcomeKind, SampleOutcome, outcome_named
from pytest_autoeval.record.calls import Calls
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.report.agreement_text import agreement_data
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.asked import asked_data
from pytest_autoeval.report.benchmark import benchmark, benchmark_data
from pytest_autoeval.report.counterexample import Counterexample
from pytest_autoeval.report.flat_sample import flat_sample
from pytest_autoeval.report.horizons import curve_data, curves_of, horizon_data, horizons_data
from pytest_autoeval.report.matrix import Cell, Matrix
from pytest_autoeval.report.readers import reader_matrices
from pytest_autoeval.report.spending import total
from pytest_autoeval.report.suite_summary import SuiteSummary
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.statistics.paired import PairedTest

Plain = dict[str, Any]

SCHEMA_VERSION = 1
#: The figure for comparison, by the kind of slice.
_BESIDE = {"outside": "level", "before": "baseline"}
#: How many formulas that only one of two runs has are listed.
_NAMED = 20


def summary_text(analysis: Analysis, exit_code: int, trends: Plain | None = None) -> str:
    """The object as JSON in ASCII, indented; ``exit_code`` is that of the run."""
    return inert(json.dumps(summary_data(analysis, exit_code, trends), indent=2, allow_nan=False)) + "\n"


def summary_data(analysis: Analysis, exit_code: int, trends: Plain | None = None) -> Plain:
    """The object as plain basic types. Rates are fractions, None is unknown. ``trends`` are those of a history."""
    samples = analysis.samples
    kinds = Counter(sample.kind for sample in samples)
    table = benchmark(samples)
    return {
        "schema_version": SCHEMA_VERSION,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "release": version("pytest-autoeval"),
        "run": {
            "verdict": analysis.verdict,
            "headline": analysis.headline,
            "exit_code": exit_code,
            "models": sorted({gate.model for gate in analysis.gates}),
            "seeds": sorted({sample.seed for sample in samples}),
            "baseline": analysis.baseline_name or None,
            "samples": len(samples),
            "passed": kinds[OutcomeKind.PASS],
            "failed": kinds[OutcomeKind.MODEL_FAILURE],
            "undecided": kinds[OutcomeKind.UNDECIDED],
            "errors": kinds[OutcomeKind.ERROR],
            "calls": _calls(analysis.spent),
        },
        "matrix": matrix_data(analysis.matrix),
        "suites": suites_data(analysis),
        "standing": model_comparison_data(analysis),
        "unfinished": [
            some_of(gate, "suite", "model", "samples", "planned") for gate in analysis.gates if gate.interrupted
        ],
        "counterexamples": [
            _counterexample(example, samples) for _, examples in analysis.smallest() for example, samples in examples
        ],
        "slices": [slice_data(worse) for worse in analysis.slices],
        "scores": None if table is None else benchmark_data(table),
        "readers": readers_data(analysis.suites),
        "agreement": agreement_data(analysis.sentences),
        "trends": trends,
        "notes": [*map(str, analysis.notes)],
    }


def matrix_data(matrix: Matrix) -> Plain:
    """Suites and models in the order in which they are shown, with a cell for each pair."""
    mean = matrix.all_suites
    return {
        **{name: list(getattr(matrix, name)) for name in ("models", "labels")},
        "common": matrix.common,
        "rows": [
            some_of(row, "suite", "state") | {"cells": [None if cell is None else _cell(cell) for cell in row.cells]}
            for row in matrix.rows
        ],
        "all_suites": None
        if mean is None
        else {
            "suites": list(mean.suites),
            "left_out": list(mean.left_out),
            "means": [asdict(one) for one in mean.means],
        },
    }


def _cell(cell: Cell) -> Plain:
    rate, low, high = cell.shown or (None, None, None)
    return {
        **some_of(cell, "verdict", "state"),
        "rate": rate,
        "low": low,
        "high": high,
        "undecided": cell.rate.undecided,
        "samples": cell.samples,
        "horizon": None if cell.horizon is None else horizon_data(cell.horizon),
        "reason": cell.reason,
        "worse_than": list(cell.worse_than),
    }


def suites_data(analysis: Analysis) -> list[Plain]:
    """The figures of each suite."""
    return [_suite(summary) for summary in analysis.summaries]


def model_comparison_data(analysis: Analysis) -> Plain | None:
    """The comparison of the models; None if no suite has answers of two."""
    model_comparison = analysis.model_comparison
    if model_comparison is None:
        return None
    suites = [
        {
            "suite": suite.suite,
            "models": [
                {
                    "model": result.model,
                    "rate": rate_data(result.rate),
                    "horizon": None if result.horizon is None else horizon_data(result.horizon),
                }
                for result in suite.models
            ],
            "pairs": [asdict(pair) for pair in suite.pairs],
        }
        for suite in model_comparison.suites
    ]
    return {
        "models": [asdict(model) for model in model_comparison.models],
        "suites": suites,
        "notes": list(map(str, model_comparison.notes)),
    }


def _suite(summary: SuiteSummary) -> Plain:
    judgement, gate, comparison = summary.judgement, summary.gate, summary.judgement.comparison
    asked = summary.suite.asked
    return {
        **some_of(gate, "suite", "model"),
        "interface": asked.interface or "",
        "prompting": asked.prompting,
        "asked": asked_data(summary.suite),
        **some_of(judgement, "verdict", "reason"),
        "threshold": gate.threshold,
        "gate": gate.rule,
        **some_of(gate, "samples", "passed"),
        "failed": gate.samples - gate.passed - gate.undecided - gate.errors,
        **some_of(gate, "undecided", "errors", "planned"),
        "rate": rate_data(summary.whole.rate),
        "size_name": summary.size_name,
        "sizes_without_samples": list(summary.empty_sizes),
        "by_size": [
            {"size": size, "rate": rate_data(counts.rate), **some_of(counts, "answers", "compliant")}
            for size, counts in summary.by_size.items()
        ],
        "horizon": None if judgement.curve is None else horizons_data(judgement.curve),
        "curves": [curve_data(*curve) for curve in curves_of(summary.samples, summary.size_name).items()],
        "agreement_gate": _gate(judgement.agreement),
        "outcomes": [
            some_of(known, "name", "code", "kind") | {"count": summary.outcomes[known.name]}
            for known in outcomes_by_code(summary.outcomes)
        ],
        "error_messages": [{"message": message, "count": times} for message, times in summary.errors.items()],
        **some_of(summary, "leaked"),
        "trivial": dict(sorted(summary.trivial.items())),
        "chance_level": summary.chance_level,
        "figures": summary.figures,
        "repeats": None if summary.repeats is None else asdict(summary.repeats),
        "batches": None if summary.batches is None else asdict(summary.batches),
        "blame": {half: summary.blame.get(half, 0) for half in ("description", "reading", "undecided")}
        if summary.blame
        else None,
        "stopped_early": None if gate.stopped_early is None else msgspec.structs.asdict(gate.stopped_early),
        "calls": _calls(summary.spent),
        "comparison": None if comparison is None else _comparison(comparison, judgement),
    }


def readers_data(suites: Iterable[SuiteRecord]) -> list[Plain] | None:
    """The matrices of describers and readers, null for a pair that did not run; None if every model read its own."""
    matrices = []
    for matrix in reader_matrices(suites):
        rates = [[None if rate is None else rate_data(rate) for rate in row] for row in matrix.rates]
        matrices.append(
            {
                **some_of(matrix, "suite", "describers", "readers"),
                "rates": rates,
                "findings": list(map(str, matrix.findings)),
            }
        )
    return matrices or None


def rate_data(rate: PassRate) -> Plain:
    """A pass rate with its 95 % interval."""
    return some_of(rate, "passed", "undecided", "total", "lower", "upper") | asdict(rate.interval())


def _calls(spent: Mapping[str, Calls]) -> Plain:
    by_purpose = {purpose: msgspec.structs.asdict(calls) for purpose, calls in spent.items()}
    return msgspec.structs.asdict(total(spent.values())) | {"by_purpose": by_purpose}


def _gate(gate: AgreementGate | None) -> Plain | None:
    if gate is None:
        return None
    return some_of(gate, "verdict", "reason", "asked")


def _agreement_fall(gate: AgreementGate | None) -> Plain | None:
    if gate is None:
        return None
    return _test(gate.test, "pairs", "before", "after", "difference") | some_of(gate, "drop", "verdict", "reason")


def _test(test: PairedTest | None, *names: str) -> Plain:
    """Some figures of a test, its interval and its p-value; null without a test."""
    interval = None if test is None else test.interval
    return {
        **{name: getattr(test, name, None) for name in names},
        **{end: getattr(interval, end, None) for end in ("low", "high")},
        "p": None if test is None else test.p_value,
    }


def _comparison(gate: BaselineGate, judgement: SuiteJudgement) -> Plain:
    test, compared = gate.test, gate.compared
    return {
        **some_of(gate, "suite", "model", "verdict", "reason"),
        "drop": gate.rules.drop,
        "baseline_model": None if compared.there is None else compared.there.model,
        **{name: getattr(test, name, 0) for name in ("pairs", "won", "lost", "tied")},
        **_test(test, "before", "after", "difference"),
        **some_of(gate, "confidence", "p_corrected", "detectable", "needed"),
        "agreement": _agreement_fall(judgement.agreement_fall),
        "flags": [*map(str, gate.flags)],
        "only_here": {"count": len(compared.only_here), "some": list(compared.only_here[:_NAMED])},
        "only_there": {"count": len(compared.only_there), "some": list(compared.only_there[:_NAMED])},
    }


def slice_data(part: Slice) -> Plain:
    """A kind of formula on which a model is worse."""
    return {
        **some_of(part, "suite", "model", "kind", "name", "difference"),
        "p": part.p_value,
        "inside": rate_data(part.inside),
        **{side: rate_data(part.beside) if kind == part.kind else None for side, kind in _BESIDE.items()},
    }


def _counterexample(example: Counterexample, samples: int) -> Plain:
    return {
        "suite": example.sample.suite.name,
        "model": example.sample.model,
        "outcome": example.sample.outcome,
        "code": example.sample.code,
        "samples": samples,
        "command": example.command,
        "shrunk_from": example.sample.formula if example.shrunk is not None else None,
        **some_of(example, "minimal", "confirmed", "round_trips_spent"),
        "row": flat_sample(example.shown),
    }


def outcomes_by_code(names: Iterable[str]) -> list[SampleOutcome]:
    """The outcomes of these names, each once, in order of their codes."""
    return sorted(map(outcome_named, set(names)), key=lambda outcome: outcome.code)


def some_of(value: object, *names: str) -> Plain:
    """Some attributes of a value, by name."""
    return {name: getattr(value, name) for name in names}
