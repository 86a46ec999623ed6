"""Rows of results for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.results import to_line
from pytest_autoeval.reporting.row import Row

#: What tasks write into their rows: the kind of figures, and the name of the score in the benchmark table.
KINDS = {
    "propositions": ("extraction",),
    "well_formed": ("well-formedness",),
    "translate": ("translation",),
    "translate_past": ("translation",),
    "translate_sentence": ("translation",),
    "judge_trace": ("judged traces",),
    "write_trace": ("written traces",),
    "judge": ("judged pairs",),
    "logical_translation": ("scored translation", "Logical translation"),
    "informalization": ("scored translation", "Informalization"),
    "open_translation": ("scored translation", "Open translation"),
    "ontology_extraction": ("ontologies",),
    "most_similar_formulas": ("choices", "Most similar"),
    "most_similar_english": ("choices", "Most similar"),
    "ranking_formulas": ("rankings", "Ranking"),
    "ranking_english": ("rankings", "Ranking"),
    "entailment_formulas": ("entailments", "Entailment"),
    "entailment_english": ("entailments", "Entailment"),
}


def row(outcome: str = "equivalent", **changes: Any) -> Row:
    """A plausible row with the given outcome and changes, which are keys of the results file."""
    whole: dict[str, Any] = {
        "suite": "suites/test_propositional.py::test_round_trip",
        "test": "suites/test_propositional.py::test_round_trip[offline/student-ops=2]",
        "model": "offline/student",
        "grammar": "propositional",
        "language": "propositional",
        "vocabulary": "synthetic",
        "index": 0,
        "repeat": 0,
        "seed": 0,
        "operators": 2,
        "measures": {"operators": 2, "depth": 3},
        "formula": "¬(p1 ∧ p2)",
        "trivial": None,
        "description": "It is not the case that p1 holds and p2 holds.",
        "answer": "¬p1 ∧ p2",
        "translation": "¬p1 ∧ p2",
        "outcome": outcome,
        "code": outcome_named(outcome).code,
        "compliant": True,
        "recovered": False,
        "leaked": False,
        "witness": None,
        "witness_text": None,
        "verdict_method": "truth table",
        "verdict_seconds": 0.0001,
        "calls": [call("informalize"), call("autoformalize")],
        "error": None,
    }
    if "operators" in changes and "measures" not in changes:
        whole["measures"] = {"operators": changes["operators"], "depth": changes["operators"] + 1}
    task = changes.get("task") or ""
    kind = {key: name for key, name in zip(("figures", "benchmark"), KINDS.get(task, ()), strict=False) if name}
    return Row.from_json({**whole, **kind, **changes})


def rows_of_models(suite: str, results: Mapping[str, Sequence[int]], **changes: Any) -> list[Row]:
    """Rows of each model of a suite: of formula after formula whether it passed; a 2 is an error, a 3 undecided."""
    outcomes = ("different", "equivalent", "error", "undecided")
    return [
        row(
            outcomes[result], suite=suite, model=model, index=index, operators=index % 5, formula=f"p{index}", **changes
        )
        for model, some in results.items()
        for index, result in enumerate(some)
    ]


def changed(one: Row, **changes: Any) -> Row:
    """The row with changes, which are keys of the results file."""
    return Row.from_json({**one.to_json(), **changes})


def call(stage: str, **changes: Any) -> dict[str, Any]:
    """A plausible call."""
    return {
        "stage": stage,
        "prompt_tokens": 210,
        "completion_tokens": 14,
        "reasoning_tokens": None,
        "cost": None,
        "seconds": 0.004,
        "finish_reason": "stop",
        "prompt_digest": "5f0c5d3b8a16",
        "replayed": False,
        "messages": [{"role": "user", "content": f"{stage} ¬(p1 ∧ p2)"}],
        **changes,
    }


def write_rows(path: str | Path, rows: Iterable[Row], torn: str = "") -> str:
    """Writes a results file, perhaps with a line that is not whole; gives its path."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("".join(map(to_line, rows)) + torn, "utf-8")
    return str(path)
