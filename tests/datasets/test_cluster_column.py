"""The column `cluster`: every kind of row takes it, `check` counts it, and dependent rows show less."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.analyses import analyse, baseline_of
from support.program import Program
from support.result_rows import row

from pytest_autoeval.datasets.catalogue import data_set
from pytest_autoeval.datasets.formulas import FormulaSet, read_formulas
from pytest_autoeval.engine.sample_lines import given_part
from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Given

ROWS: dict[str, dict[str, Any]] = {
    "ltl_future": {"sentence": "a holds always", "formula": "G a", "propositions": '"a" : a'},
    "ltl_propositions": {"sentence": "the door is open", "propositions": '"the door is open" : x1'},
    "ltl_well_formedness": {"text": "G (a", "well_formed": "no"},
    "ltl_traces": {"formula": "G a", "trace": "cycle {a}", "satisfies": "yes"},
    "ltl_trace_writing": {"formula": "G a", "trace": "cycle {a}", "satisfies": "yes"},
    "judge_propositional": {"formula": "p1 ∧ p2", "other": "p2 ∧ p1", "language": "propositional"},
    "fol_translation": {
        "sentence": "Every teacher is kind.",
        "formula": "∀x. (Teacher(x) → Kind(x))",
    },
    "fol_ranking": {"sentence": "Every teacher is kind.", "formula": "∀x. (Teacher(x) → Kind(x))"},
    "fol_entailment": {
        "premises": ["Ann is kind."],
        "premises-FOL": ["Kind(ann)"],
        "conclusion": "Somebody is kind.",
        "conclusion-FOL": "∃x. Kind(x)",
        "label": "True",
    },
    "sentences_ltl": {"sentence": "The door is closed."},
}


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ROWS)
def test_every_kind_of_row_takes_the_column(tmp_path: Path, name: str) -> None:
    file = write(tmp_path / "rows.jsonl", {**ROWS[name], "Document": " report 7 "})
    file.with_suffix(".toml").write_text('closed = "the door is closed"\n', encoding="utf-8")
    columns = (("cluster", "Document"),)
    read = data_set(name, (file,), columns)
    assert read is not None
    items = [item for size in read.sizes or () for item in read.items(size)]
    assert items
    for item in items:
        given = given_part(item.facts)
        assert given is not None
        assert given.cluster == "report 7"


def test_formulas_alone_take_the_column(tmp_path: Path) -> None:
    file = write(
        tmp_path / "rows.jsonl", {"formula": "p1 ∧ p2", "language": "propositional", "cluster": 3}
    )
    read = FormulaSet("propositional", read_formulas((file,)))
    assert [item.facts["cluster"] for size in read.sizes for item in read.items(size)] == ["3"]


def test_a_row_without_a_cluster_has_none(tmp_path: Path) -> None:
    file = write(tmp_path / "rows.jsonl", {**ROWS["ltl_future"], "cluster": " "})
    read = data_set("ltl_future", (file,))
    assert read is not None
    assert [
        item.facts.get("cluster") for size in read.sizes or () for item in read.items(size)
    ] == [None]


def test_check_says_how_many_clusters_there_are(tmp_path: Path, program: Program) -> None:
    rows = [
        {"formula": f"p1 ∧ p{number}", "language": "propositional", "cluster": number % 3}
        for number in range(2, 10)
    ]
    file = write(tmp_path / "rows.jsonl", *rows)
    assert (
        "3 clusters of 8 rows, the largest of 3 (rows of one cluster"
        in program("check", str(file)).out
    )
    (found,) = json.loads(program("check", str(file), "--json").out)["files"]
    assert found["clusters"] == {"2": 3, "0": 3, "1": 2}


PASS, FAIL = "equivalent", "different"


def samples(
    outcomes: Sequence[str], rows: int, file: str = "a.csv", letter: str = "p", **changes: Any
) -> list[Sample]:
    """A sample for each outcome; so many rows in turn have one cluster, or none with 0."""
    return [
        row(
            outcome,
            index=number,
            formula=f"{letter}{number}",
            source=f"{file}:{number + 2}",
            **({"cluster": str(number // rows)} if rows else {}),
            **changes,
        )
        for number, outcome in enumerate(outcomes)
    ]


def gate_of(before: list[Sample], after: list[Sample]) -> BaselineGate:
    (gate,) = analyse(after, Rules(drop=0.05), baseline=baseline_of(before)).comparisons
    return gate


def test_dependent_rows_widen_the_interval_and_raise_the_p_value() -> None:
    """Ten rows of one document that fall together show little more than one."""
    outcomes = [FAIL] * 10 + [PASS] * 40
    alone, together = (
        gate_of(samples([PASS] * 50, rows), samples(outcomes, rows)) for rows in (0, 10)
    )
    assert alone.test is not None
    assert together.test is not None
    assert (alone.test.difference, alone.test.pairs) == (
        together.test.difference,
        together.test.pairs,
    )
    assert alone.p_value == pytest.approx(2.0**-10)
    assert together.p_value == pytest.approx(0.5)
    assert together.test.interval.low < alone.test.interval.low
    assert alone.fell
    assert not together.fell


def test_the_interval_of_a_rate_is_that_of_clusters() -> None:
    outcomes = [FAIL] * 10 + [PASS] * 40
    (alone,), (together,) = (analyse(samples(outcomes, rows), Rules()).gates for rows in (0, 10))
    assert alone.rate.lower == together.rate.lower
    assert together.rate.interval().low < alone.rate.interval().low


def test_equal_clusters_of_two_files_are_two_and_those_of_one_file_hold_in_all_suites() -> None:
    def p_value(file: str) -> float | None:
        other = {"file": file, "letter": "q", "suite": "other", "grammar": "other"}
        before, after = (
            [*samples([how] * 4, 1), *samples([how] * 4, 1, **other)] for how in (PASS, FAIL)
        )
        (run,) = analyse(after, Rules(drop=0.05), baseline=baseline_of(before)).whole_runs
        return None if run.bounds is None else run.bounds.p_value

    assert p_value("a.csv") == pytest.approx(2.0**-4)
    assert p_value("b.csv") == pytest.approx(2.0**-8)


def test_results_keep_the_cluster() -> None:
    (sample,) = samples([PASS], 1)
    assert sample.part_or_empty(Given).cluster == "0"
