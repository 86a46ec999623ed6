"""The prompting same-story: the worked example is another sentence of the story, as in the study on FOLIO."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.scripted import Scripted, performed

from pytest_autoeval.datasets import data_set
from pytest_autoeval.datasets.data_set import Item
from pytest_autoeval.outcomes import Prompting

STORY = {
    "story_id": 7,
    "premises": ["Everyone who is tall is kind.", "Ann is tall.", "Ann likes Bob."],
    "premises-FOL": ["∀x. (Tall(x) → Kind(x))", "Tall(ann)", "Likes(ann, bob)"],
    "conclusion": "Ann is kind.",
    "conclusion-FOL": "Kind(ann)",
    "label": "True",
}
ALONE = {"premises": ["Rex barks."], "premises-FOL": ["Barks(rex)"]}


def items(folder: Path, rows: list[dict[str, Any]], name: str = "fol_translation") -> list[Item]:
    path = folder / "folio.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = data_set(name, [path])
    assert found is not None
    unsorted = [item for size in found.sizes or () for item in found.items(size)]
    return sorted(unsorted, key=lambda item: str(item.facts["source"]))


def test_the_story_is_kept_and_each_sentence_has_the_next_premise_beside_it(tmp_path: Path) -> None:
    found = items(tmp_path, [STORY, ALONE])
    assert [item.facts.get("story_id") for item in found] == ["7", "7", "7", "7", None]
    examples: dict[str, Any] = {
        item.facts["sentence"]: item.facts.get("same_story") for item in found
    }
    assert {
        sentence: example and example["sentence"] for sentence, example in examples.items()
    } == {
        "Everyone who is tall is kind.": "Ann is tall.",
        "Ann is tall.": "Ann likes Bob.",
        "Ann likes Bob.": "Everyone who is tall is kind.",
        "Ann is kind.": "Everyone who is tall is kind.",  # a conclusion is no example itself
        "Rex barks.": None,
    }
    assert examples["Ann is tall."]["formula"] == "Likes(ann, bob)"
    assert "Likes(x, y): x likes y" in examples["Ann is tall."]["symbols"]
    (entailment,) = items(tmp_path, [STORY], "fol_entailment")
    assert entailment.facts["story_id"] == "7"


def test_rows_of_sentences_with_one_story_id_are_a_story(tmp_path: Path) -> None:
    rows = [
        {"sentence": sentence, "formula": formula, "story_id": story, "language": "first_order"}
        for sentence, formula, story in (
            ("Ann is tall.", "Tall(ann)", 1),
            ("Bob is kind.", "Kind(bob)", 2),
            ("Ann is kind.", "Kind(ann)", 1),
            ("ann is  tall", "Tall(ann)", 1),  # the same sentence is no example for itself
        )
    ]
    found: dict[str, Any] = {
        item.facts["sentence"]: item.facts.get("same_story") for item in items(tmp_path, rows)
    }
    assert found["Ann is tall."]["sentence"] == "Ann is kind."
    assert found["Ann is kind."]["sentence"] == "Ann is tall."
    assert found["Bob is kind."] is None


def asked(item: Item, name: str, *answers: str) -> list[list[tuple[str, str]]]:
    model = performed(name, item, *answers, prompting=Prompting.SAME_STORY).model
    assert isinstance(model, Scripted)
    return [[(message.role, message.content) for message in messages] for messages in model.asked]


@pytest.mark.parametrize("name", ["logical_translation", "informalization"])
def test_the_prompt_has_that_sentence_as_its_only_example(tmp_path: Path, name: str) -> None:
    item = next(
        item for item in items(tmp_path, [STORY]) if item.facts["sentence"] == "Ann is tall."
    )
    answers = ("Ann is tall.", "Tall(ann)") if name == "informalization" else ("Tall(ann)",)
    conversations = asked(item, name, *answers)
    for messages in conversations:
        assert [role for role, _ in messages] == ["system", "user", "assistant", "user"]
    assert conversations[-1][1][1].endswith("Sentence:\nAnn likes Bob.")
    assert conversations[-1][2][1] == "Likes(ann, bob)"
    if name == "informalization":
        assert "Likes(ann, bob)" in conversations[0][1][1]
        assert conversations[0][2][1] == "Ann likes Bob."
