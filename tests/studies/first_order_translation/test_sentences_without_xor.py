"""Sentences whose formulas have ⊕ are left out by the measure that counts it, as the study did with FOLIO."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_autoeval.datasets.data_set import Item
from pytest_autoeval.engine.sources import DataSetSource
from pytest_autoeval.generation.drawing_errors import DrawingError
from pytest_autoeval.generation.measure_bounds import bounds_in_text

#: FOLIO's validation set, where somebody has put it beside the checkout.
FOLIO = Path(__file__).parents[4] / "shared" / "data" / "folio-validation.jsonl"
STORY = {
    "premises": [
        "Ann is tall or kind, but not both.",
        "Ann is tall.",
        "All who are tall are kind, or not.",
    ],
    "premises-FOL": ["Tall(ann) ⊕ Kind(ann)", "Tall(ann)", "∀x. (Tall(x) → (Kind(x) ∨ ¬Kind(x)))"],
}


def items(source: DataSetSource) -> list[Item]:
    samples = [sample for size in source.sizes(None) for sample in source.asked(size, None, 0)]
    return [sample for sample in samples if isinstance(sample, Item)]


@pytest.fixture(params=["own", "FOLIO"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "FOLIO":
        if not FOLIO.exists():
            pytest.skip("FOLIO is not beside the checkout")
        return FOLIO
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(STORY), encoding="utf-8")
    return path


def test_those_that_remain_are_all_and_only_those_without_the_sign(file: Path) -> None:
    source = DataSetSource("fol_translation", (file,))
    before = items(source)
    source.keep_within((bounds_in_text("exclusive_disjunctions=0"),))
    after = items(source)
    assert after == [item for item in before if "⊕" not in item.text]
    assert 0 < len(after) < len(before)


def test_an_unknown_measure_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps(STORY), encoding="utf-8")
    with pytest.raises(DrawingError, match="exclusive_disjunctions"):
        DataSetSource("fol_translation", (path,)).keep_within(
            (bounds_in_text("exclusive_disjunction=0"),)
        )
