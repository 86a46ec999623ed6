"""Data sets by name: the shipped ones, the user's rows in their place, added ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_autoeval.datasets import (
    DataSet,
    UnknownDataSetError,
    data_set,
    data_set_names,
    file_problems,
)
from pytest_autoeval.datasets.data_set import Entry, WrittenDataSet
from pytest_autoeval.languages import Vocabulary, language
from pytest_autoeval.registry import Registry

WRITTEN = ("ltl_future", "ltl_past", "ltl_propositions")
MADE = ("ltl_well_formedness", "ltl_traces", "ltl_trace_writing")
JUDGED = (
    "judge_propositional",
    "judge_ksat",
    "judge_first_order",
    "judge_regex",
    "judge_ltl",
    "judge_past_ltl",
)
LOGIC = ("fol_translation", "fol_most_similar", "fol_ranking", "fol_entailment", "questions")
ALONE = ("sentences_ltl", "sentences_propositional", "sentences_first_order")

SENTENCES = """Natural Language,Ground Truth,Atomic Proposition
It rains some day.,F x1,rain : x1
It rained before.,X O x1,rain : x1
It rains and rains.,G F x1,rain : x1
It pours or rains.,,"rain : x1, pour : x2, hail : x3"
"""


@pytest.fixture
def sentences(tmp_path: Path) -> list[Path]:
    path = tmp_path / "sentences.csv"
    path.write_text(SENTENCES)
    return [path]


def test_an_unknown_name_is_answered_with_the_nearest_and_all_names() -> None:
    with pytest.raises(UnknownDataSetError) as caught:
        data_set("ltl_futures")
    known = ", ".join((*WRITTEN, *MADE, *LOGIC, *JUDGED, *ALONE))
    assert data_set_names() == (*WRITTEN, *MADE, *LOGIC, *JUDGED, *ALONE)
    assert (
        str(caught.value)
        == f"there is no data set 'ltl_futures'; known are: {known}. Did you mean 'ltl_future'?"
    )


@pytest.mark.parametrize("name", WRITTEN)
def test_written_sets_are_whole_and_sorted_by_size(name: str) -> None:
    found = data_set(name)
    assert found is not None
    assert found.problems == ()
    assert found.sizes == tuple(sorted(set(found.sizes or ())))
    for size in found.sizes:
        items = found.items(size)
        assert items
        assert found.items(size, 1) == items[:1]
        assert found.items(size, None, seed=9) == items
        assert [item.index for item in items] == list(range(len(items)))
        for item in items:
            assert language("ltl").measure(item.formula)["operators"] == item.operators == size
            assert item in found.typed(item.text)
            phrases, atoms = zip(*item.facts["propositions"], strict=True)
            assert set(item.vocabulary.propositions) == set(atoms)
            assert all(phrases)
            assert re.fullmatch(rf"{name}\.jsonl:\d+", item.facts["source"])
    assert found.items(99) == []


def test_rows_of_a_file_go_where_they_suit(sentences: list[Path]) -> None:
    texts = {}
    for name in data_set_names():
        found = data_set(name, sentences)
        texts[name] = found and [
            item.text for size in found.sizes or () for item in found.items(size)
        ]
    assert texts == {
        "ltl_future": ["F x1", "G F x1"],
        "ltl_past": ["X O x1"],
        "ltl_propositions": ["F x1", "X O x1", "G F x1", "x1 & x2 & x3"],
        "ltl_well_formedness": None,
        "ltl_traces": None,
        "ltl_trace_writing": ["F x1", "F x1", "X O x1", "X O x1", "G F x1", "G F x1"],
        **dict.fromkeys((*JUDGED, *LOGIC, *ALONE)),
    }


def test_an_item_has_the_facts_of_its_row(sentences: list[Path]) -> None:
    found = data_set("ltl_propositions", sentences)
    assert found is not None
    item = found.typed("x1 & x2 & x3")[0]
    assert item.facts == {
        "sentence": "It pours or rains.",
        "propositions": [["rain", "x1"], ["pour", "x2"], ["hail", "x3"]],
        "source": "sentences.csv:5",
    }
    assert (item.grammar, item.language, item.vocabulary.propositions) == (
        "ltl_propositions",
        "ltl",
        ("x1", "x2", "x3"),
    )


def test_problems_are_reported_even_if_no_row_suits(tmp_path: Path) -> None:
    path = tmp_path / "broken.csv"
    path.write_text("formula\nF (\nG x1\n")
    found = data_set("ltl_trace_writing", [path])
    assert found is not None
    assert data_set("ltl_future", [path]) is None
    assert found.problems == file_problems([path])
    assert file_problems([path])[0].startswith(f"{path}:2: column 'formula': ")


def test_an_added_set_is_known_and_keeps_its_items(sentences: list[Path]) -> None:
    mine: DataSet = WrittenDataSet(
        "mine",
        "ltl",
        [Entry(language("ltl").parse("F a"), {"sentence": "Some day."}, Vocabulary(("a",)))],
    )
    with Registry().active() as registry:
        registry.add_data_set(mine)
        assert data_set_names()[-1] == "mine"
        assert data_set("mine") is data_set("mine", sentences) is mine
    assert "mine" not in data_set_names()
