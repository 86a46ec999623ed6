"""Questions about a text, in the form of Multi-LogiEval: their files, and the task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.scripted import Scripted, part_of, performed

from pytest_autoeval.datasets import DataSetError, data_set, file_problems
from pytest_autoeval.datasets.catalogue import check_users_file
from pytest_autoeval.datasets.checking import check
from pytest_autoeval.datasets.data_set import Item
from pytest_autoeval.models.protocols import Reply
from pytest_autoeval.record.task_parts import Answered

SAMPLES = [
    {
        "id": 1,
        "context": "If a kettle boils, it whistles. The kettle boils.",
        "question": "Does it?",
        "answer": "yes",
    },
    {
        "id": 2,
        "context": "Boats that leak stay ashore. It does not.",
        "question": "Does it leak?",
        "answer": "no",
    },
]


def written(folder: Path, value: Any, name: str = "MP.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


def published(samples: list[Any], **more: Any) -> dict[str, Any]:
    return {"logic": "fol", "rule": "MP", "depth": "d1", "samples": samples, **more}


def items(path: Path) -> list[Item]:
    found = data_set("questions", [path])
    assert found is not None
    return [item for size in found.sizes or () for item in found.items(size)]


def test_a_published_file_gives_an_item_for_each_question(tmp_path: Path) -> None:
    path = written(tmp_path, published(SAMPLES))
    check_users_file(path)
    facts = {item.facts["item"]: item.facts for item in items(path)}
    assert facts["d1/fol/MP/1"]["expected"] is True
    assert facts["d1/fol/MP/2"]["expected"] is False
    assert {fact["group"] for fact in facts.values()} == {"fol d1"}
    assert {fact["source"] for fact in facts.values()} == {"MP.json:6", "MP.json:12"}
    assert check([path], candidates=0).data_sets == {"questions": 2}


def test_ids_of_several_files_differ_and_a_table_works_too(tmp_path: Path) -> None:
    others = [{**sample, "context": f"{sample['context']} So it is."} for sample in SAMPLES]
    files = [
        written(tmp_path, published(SAMPLES)),
        written(tmp_path, published(others, depth="d2"), "other.json"),
    ]
    rows = "context,question,answer\nIt rains.,Does it?,True\n"
    table = tmp_path / "own.csv"
    table.write_text(rows, encoding="utf-8")
    assert file_problems([*files, table]) == ()
    found = data_set("questions", [*files, table])
    assert found is not None
    assert sum(len(found.items(size)) for size in found.sizes or ()) == 5


@pytest.mark.parametrize(
    ("samples", "problem"),
    [
        ([{**SAMPLES[0], "answer": "perhaps"}], "'perhaps' is neither yes nor no"),
        ([SAMPLES[0], {**SAMPLES[0], "id": 3}], "repeats MP.json:6"),
        (
            [SAMPLES[0], {**SAMPLES[0], "id": 3, "answer": "no"}],
            "contradicts the answer of MP.json:6",
        ),
        ([SAMPLES[0], "Does it?"], "a row must be an object"),
    ],
)
def test_a_row_that_cannot_be_used_has_file_line_and_reason(
    tmp_path: Path, samples: list[Any], problem: str
) -> None:
    path = written(tmp_path, published([*samples]))
    assert any(line.startswith(f"{path}:") and problem in line for line in file_problems([path]))


@pytest.mark.parametrize(
    "value",
    [
        {"samples": SAMPLES},
        published(SAMPLES, version=2),
        {**published([]), "samples": "none"},
    ],
)
def test_another_object_is_not_taken_for_the_form(tmp_path: Path, value: dict[str, Any]) -> None:
    with pytest.raises(DataSetError, match="must be a list of objects"):
        check_users_file(written(tmp_path, value))


def test_rows_with_a_formula_beside_such_columns_stay_what_they_were(tmp_path: Path) -> None:
    row = {
        **SAMPLES[0],
        "formula": "G pump",
        "propositions": "the pump runs : pump",
        "sentence": "The pump runs on.",
    }
    path = written(tmp_path, [row])
    assert data_set("questions", [path]) is None
    assert data_set("ltl_future", [path]) is not None


def test_without_a_file_there_is_no_such_data_set() -> None:
    assert data_set("questions") is None


@pytest.mark.parametrize(
    ("answer", "outcome", "value"),
    [
        ('{"reasoning": "It boils.", "answer": "yes"}', "correct", True),
        ('{"reasoning": "It may not.", "answer": "no"}', "wrong answer", False),
        ("It boils.\n\nAnswer: yes", "correct", True),
        ("It boils.", "unreadable answer", None),
        (Reply("yes", finish_reason="length"), "truncated", None),
    ],
)
def test_an_answer_is_compared_with_that_of_the_file(
    tmp_path: Path, answer: Reply | str, outcome: str, value: bool | None
) -> None:
    item = next(
        item for item in items(written(tmp_path, published(SAMPLES))) if item.facts["expected"]
    )
    trial = performed("answer_question", item, answer)
    assert (trial.outcome, part_of(trial, Answered).value) == (outcome, value)
    assert isinstance(trial.model, Scripted)
    assert trial.model.asked[0][-1].content.endswith("Question:\nDoes it?")
