"""A suite with a vocabulary that has sorts: prompts list them, and counterexamples keep them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.documents_read import counterexamples, fields, read_summary
from support.sorts import DESK, fits

from .conftest import Rows, Run, marked

MODEL = """
from pytest_autoeval import Reply

class Attentive:
    def complete(self, messages, *, repeat=0):
        lines = [line for line in messages[-1].content.splitlines() if line.startswith(("Predicates", "Constants"))]
        return Reply(" / ".join(lines))

def pytest_autoeval_register(registry):
    registry.add_model("attentive", Attentive)
"""


@pytest.mark.parametrize("workers", [[], ["-n2"]])
def test_prompts_list_sorts_and_shrinking_keeps_them(
    pytester: pytest.Pytester, run: Run, rows: Rows, workers: list[str]
) -> None:
    (pytester.path / "desk.json").write_text(json.dumps(DESK), "utf-8")
    pytester.makeconftest(MODEL)
    body = "told = llm.informalize(sample)\nassert not str(sample.formula).startswith(('∀', '∃')), told"
    marker = '"first_order", operators=[4], samples=8, quantifiers=(1, 2), vocabulary="desk.json", copies="count"'
    pytester.makepyfile(test_desk=marked(marker, body, "sample, llm"))
    options = [
        "--autoeval-model=attentive",
        "--autoeval-results=rows.jsonl",
        "--autoeval-summary=run.json",
    ]
    run(*options, "--autoeval-threshold=0.9", *workers)
    told: list[dict[str, Any]] = rows("rows.jsonl")
    assert len(told) == 8
    assert all(fits(row["formula"], DESK) for row in told)
    described = next(
        row["description"]
        for row in told
        if "AssignedTo" in row["formula"] and "bob" in row["formula"]
    )
    assert "AssignedTo (two arguments: ticket, person)" in described
    assert "bob (person)" in described
    ((_, example),) = counterexamples(read_summary(pytester.path / "run.json"))
    smallest = fields(example)["formula"]
    assert smallest.endswith(". Escalated(t1)")
    assert fits(smallest, DESK)
