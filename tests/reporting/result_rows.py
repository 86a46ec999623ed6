"""Rows of results for tests."""

from __future__ import annotations

from typing import Any

from pytest_autoeval.outcomes import outcome_named


def row(outcome: str = "equivalent", **changes: Any) -> dict[str, Any]:
    """A plausible row with the given outcome and changes."""
    whole: dict[str, Any] = {
        "schema_version": 1,
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
    return {**whole, **changes}


def call(stage: str, **changes: Any) -> dict[str, Any]:
    """A plausible call."""
    return {
        "stage": stage,
        "prompt_tokens": 210,
        "completion_tokens": 14,
        "cost": None,
        "seconds": 0.004,
        "finish_reason": "stop",
        "prompt_digest": "5f0c5d3b8a16",
        "replayed": False,
        **changes,
    }
