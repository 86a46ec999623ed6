"""What stands above the samples, as plain data: verdict, gates, figures. The scripts of the page draw it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.benchmark import FORMS, Benchmark, benchmark, cell_text
from pytest_autoeval.reporting.items import by_size, by_suite
from pytest_autoeval.reporting.judging.baseline_gate import BaselineGate
from pytest_autoeval.reporting.judging.slices import Slice
from pytest_autoeval.reporting.judging.suite_judgement import AnyGate
from pytest_autoeval.reporting.judging.verdict import WORST_FIRST
from pytest_autoeval.reporting.page.samples import exact
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.spreads import spread_lines
from pytest_autoeval.reporting.suite_summary import SuiteSummary
from pytest_autoeval.reporting.task_figures.questions import confusion
from pytest_autoeval.reporting.terminal.counterexample_text import history
from pytest_autoeval.statistics import PassRate

Plain = dict[str, Any]

#: How many formulas that only one of two runs has are named.
_NAMED = 20
#: What of a counterexample is read and not drawn, and how many signs of it the overview shows.
_PROSE = ("description", "answer", "error", "first_description", "first_answer")
_LONGEST = 2_000
#: What of it only the sample shows.
_ELSEWHERE = frozenset({"blame", "calls", "measures"})


def overview(analysis: Analysis, title: str) -> Plain:
    """The overview as plain basic types; rates are fractions, None is what is not known."""
    matrices = _confusions(analysis.rows)
    return {
        "title": title,
        "version": version("pytest-autoeval"),
        "seeds": sorted({row.seed for row in analysis.rows}),
        "verdict": {"outcome": analysis.verdict, "headline": analysis.headline},
        "gates": [_gate(gate) for gate in sorted(analysis.every_gate, key=lambda one: WORST_FIRST.index(one.verdict))],
        "suites": [_suite(one, matrices.get((one.suite, one.model))) for one in analysis.summaries],
        "benchmark": _benchmark(benchmark(analysis.rows)),
        "comparisons": [_comparison(one) for one in analysis.comparisons],
        "slices": [_slice(one) for one in analysis.slices],
        "counterexamples": list(_counterexamples(analysis)),
        "kept": [_camel(one) for one in analysis.kept],
        "notes": list(analysis.notes),
    }


def _benchmark(table: Benchmark | None) -> Plain | None:
    if table is None:
        return None
    return {
        "columns": [{"model": column.model, "form": FORMS[column.form]} for column in table.columns],
        "lines": [
            {
                "task": line.task,
                "dataSet": line.data_set,
                "cells": [cell_text(table.cells.get((line, column))) for column in table.columns],
            }
            for line in table.lines
        ],
    }


def _camel(value: Any) -> Plain:
    """A dataclass as plain basic types, its fields named as in JavaScript."""
    return {re.sub("_(.)", lambda match: match[1].upper(), name): part for name, part in asdict(value).items()}


def _gate(gate: AnyGate) -> Plain:
    return {
        "suite": gate.suite,
        "model": gate.model,
        "kind": gate.kind,
        "verdict": gate.verdict,
        "reason": gate.reason,
        "threshold": getattr(gate, "threshold", None),
    }


def _rate(rate: PassRate | None) -> Plain | None:
    if rate is None:
        return None
    interval = rate.interval()
    return {
        "passed": rate.passed,
        "undecided": rate.undecided,
        "total": rate.total,
        "lower": rate.lower,
        "upper": rate.upper,
        "low": interval.low,
        "high": interval.high,
    }


def _suite(summary: SuiteSummary, matrix: Plain | None) -> Plain:
    gate = summary.gate
    return {
        "suite": summary.suite,
        "model": summary.model,
        "verdict": "reported" if gate is None else gate.verdict,
        "threshold": None if gate is None else gate.threshold,
        "samples": summary.samples,
        "rate": _rate(summary.whole.rate),
        "sizeName": summary.size_name,
        "bySize": [
            {"size": size, "rate": _rate(one.rate), "compliant": one.compliant, "answers": one.answers}
            for size, one in summary.by_size.items()
        ],
        "outcomes": _outcomes(summary.outcomes),
        "figures": list(summary.figures),
        "spreads": list(spread_lines(summary.repeats, summary.batches)),
        "confusion": matrix,
        "leaked": summary.leaked,
        "calls": _camel(summary.calls),
        "blame": {half: summary.blame.get(half, 0) for half in ("description", "reading", "undecided")}
        if summary.blame
        else None,
    }


def _outcomes(counts: Mapping[str, int]) -> list[Plain]:
    known = sorted((outcome_named(name) for name in counts), key=lambda outcome: outcome.code)
    return [{"name": one.name, "code": one.code, "kind": one.kind, "count": counts[one.name]} for one in known]


def _confusions(rows: Sequence[Row]) -> dict[tuple[str, str], Plain]:
    """The matrix of each suite and model that asked for yes or no, whole and by size, without errors."""
    asked = by_suite(row for row in rows if isinstance(row.expected, bool) and row.kind != "error")
    found = {}
    for key, some in asked.items():
        sizes = [{"size": size, **_camel(confusion(rows))} for size, rows in by_size(some).items()]
        found[key] = {**_camel(confusion(some)), "bySize": sizes}
    return found


def _comparison(gate: BaselineGate) -> Plain:
    test = gate.test
    return {
        "suite": gate.suite,
        "model": gate.model,
        "baselineModel": gate.baseline_model,
        "pairs": gate.pairs,
        "won": test.won if test else 0,
        "lost": test.lost if test else 0,
        "tied": test.tied if test else 0,
        "before": test.before if test else None,
        "after": test.after if test else None,
        "difference": test.difference if test else None,
        "low": test.interval.low if test else None,
        "high": test.interval.high if test else None,
        "p": test.p_value if test else None,
        "pCorrected": gate.p_corrected,
        "detectable": gate.detectable,
        "needed": gate.needed,
        "drop": gate.drop,
        "verdict": gate.verdict,
        "reason": gate.reason,
        "flags": list(gate.flags),
        "onlyHere": _some(gate.only_here),
        "onlyThere": _some(gate.only_there),
    }


def _some(formulas: Sequence[str]) -> Plain:
    return {"count": len(formulas), "some": list(formulas[:_NAMED])}


def _slice(one: Slice) -> Plain:
    return {
        "suite": one.suite,
        "model": one.model,
        "kind": one.kind,
        "name": one.name,
        "inside": _rate(one.inside),
        "outside": _rate(one.outside),
        "before": _rate(one.before),
        "difference": one.difference,
        "p": one.p_value,
    }


def _counterexamples(analysis: Analysis) -> Iterator[Plain]:
    """Of each suite and model, the commonest kind of failure first, the smallest example of it."""
    for _, found in analysis.smallest():
        for example, samples in found:
            yield {
                "kind": example.row.kind,
                "samples": samples,
                "row": _brief(exact(example.shown)),
                "command": example.command,
                "history": history(example),
            }


def _brief(row: Plain) -> Plain:
    """The row as far as it is shown, of long prose its start: the overview is read whole before anything is seen."""
    shown = {key: value for key, value in row.items() if key not in _ELSEWHERE}
    long = {key: text for key in _PROSE if isinstance(text := shown.get(key), str) and len(text) > _LONGEST}
    return shown | {key: f"{text[:_LONGEST]} … (the sample below has more)" for key, text in long.items()}
