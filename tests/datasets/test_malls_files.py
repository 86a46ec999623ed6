"""Files in the form of MALLS: a JSON list of objects with the keys NL and FOL. Other forms are not taken for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_autoeval.datasets import DataSetError, data_set, file_problems
from pytest_autoeval.datasets.catalogue import check_users_file

ROWS = [
    {"NL": "Every teacher is kind.", "FOL": "∀x (Teacher(x) → Kind(x))"},
    {"NL": "It rains or snows, but not both.", "FOL": "Rains ⊕ Snows"},
    {"NL": "The pump runs.", "FOL": "G(pump)"},  # in temporal logic also a formula
]


def written(folder: Path, rows: object) -> Path:
    path = folder / "malls.json"
    path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return path


def sentences(name: str, path: Path) -> list[str]:
    found = data_set(name, [path])
    return (
        []
        if found is None
        else [item.facts["sentence"] for size in found.sizes or () for item in found.items(size)]
    )


def test_all_rows_are_sentences_of_first_order_logic(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS)
    check_users_file(path)
    assert sorted(sentences("fol_translation", path)) == sorted(row["NL"] for row in ROWS)
    assert data_set("ltl_future", [path]) is None


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"NL": "Ann is tall.", "FOL": "Tall(ann"}, "column 'FOL': line 1, column 9"),
        ({"NL": "", "FOL": "Tall(ann)"}, ""),
        ({"NL": "Ann is tall.", "FOL": 7}, "column 'FOL': must be text, not 7"),
        (["Ann is tall.", "Tall(ann)"], "a row must be an object with columns as keys"),
    ],
)
def test_a_row_that_cannot_be_used_has_file_line_and_reason(
    tmp_path: Path, row: object, problem: str
) -> None:
    path = written(tmp_path, [*ROWS, row])
    assert len(sentences("fol_translation", path)) == len(ROWS)
    if problem:
        assert any(f"{path}:14: {problem}" in line for line in file_problems([path]))


def test_a_sentence_beside_another_kind_of_formula_is_refused_with_what_to_do(
    tmp_path: Path,
) -> None:
    with pytest.raises(
        DataSetError, match="perhaps write --autoeval-columns=sentence=NL,formula=LTL"
    ):
        check_users_file(written(tmp_path, [{"NL": "The pump runs.", "LTL": "G pump"}]))


def test_a_list_inside_an_object_is_refused_with_the_form(tmp_path: Path) -> None:
    with pytest.raises(DataSetError, match="must be a list of objects"):
        check_users_file(written(tmp_path, {"rows": ROWS}))
