"""The shipped stories about blocks: the verifier and z3 confirm the labels, also with background knowledge."""

from __future__ import annotations

import itertools
import json
import re
from functools import cache, reduce
from pathlib import Path

import pytest
from support.independent_logic import is_refuted

from pytest_autoeval import language
from pytest_autoeval.languages.base import places, replaced_at
from pytest_autoeval.languages.logic.signature import symbols
from pytest_autoeval.languages.logic.syntax import (
    And,
    Equal,
    Forall,
    Iff,
    Implies,
    Not,
    Or,
    Sentence,
    Term,
)
from pytest_autoeval.studies.first_order_translation.stories import (
    Story,
    checked_labels,
    derived_label,
    read_stories,
)

FILE = Path(__file__).parents[3] / "data" / "blocks_world_stories.jsonl"
READ = read_stories([FILE])
STORIES = READ.stories
FOL = language("first_order")


def str_id(story: Story) -> str:
    return str(story.id)


each_story = pytest.mark.parametrize("story", STORIES, ids=str_id)

#: What anyone knows of blocks, as strong as it may be: no label may depend on it.
KNOWN_OF_BLOCKS = """
∀x. (Cube(x) ∨ Pyramid(x) ∨ Cylinder(x))
∀x. (Cube(x) → ¬Pyramid(x) ∧ ¬Cylinder(x))
∀x. (Pyramid(x) → ¬Cylinder(x))
∀x. (Small(x) ∨ Medium(x) ∨ Large(x))
∀x. (Small(x) → ¬Medium(x) ∧ ¬Large(x))
∀x. (Medium(x) → ¬Large(x))
∀x. ∀y. (Larger(x, y) ↔ Smaller(y, x))
∀x. ∀y. (Larger(x, y) → ¬Larger(y, x))
∀x. ∀y. ∀z. (Larger(x, y) → Larger(x, z) ∨ Larger(z, y))
∀x. ∀y. (Large(x) ∧ ¬Large(y) → Larger(x, y))
∀x. ∀y. (Medium(x) ∧ Small(y) → Larger(x, y))
∀x. ∀y. (SameSize(x, y) ↔ ¬Larger(x, y) ∧ ¬Smaller(x, y))
∀x. ∀y. (LeftOf(x, y) ↔ RightOf(y, x))
∀x. ∀y. (LeftOf(x, y) → ¬LeftOf(y, x))
∀x. ∀y. ∀z. (LeftOf(x, y) → LeftOf(x, z) ∨ LeftOf(z, y))
∀x. ∀y. (InFrontOf(x, y) ↔ Behind(y, x))
∀x. ∀y. (Behind(x, y) → ¬Behind(y, x))
∀x. ∀y. ∀z. (Behind(x, y) → Behind(x, z) ∨ Behind(z, y))
∀x. ∀y. (NextTo(x, y) → NextTo(y, x) ∧ ¬(x = y))
∀x. ∀y. (OnTopOf(x, y) → ¬OnTopOf(y, x))
∀x. ∀y. ∀z. (Between(x, y, z) → Between(x, z, y) ∧ ¬(x = y) ∧ ¬(x = z) ∧ ¬(y = z))
∀x. ∀y. ∀z. (Between(x, y, z) → ¬Between(y, x, z) ∧ ¬Between(z, x, y))
""".strip().splitlines()


@cache
def known_of_blocks() -> tuple[Sentence, ...]:
    trees = tuple(FOL.parse(text) for text in KNOWN_OF_BLOCKS)
    return tuple(tree for tree in trees if isinstance(tree, Sentence))


def among_four_blocks(story: Story, conclusion: Sentence) -> Sentence:
    """The premises, that conclusion, and that there are at most four blocks, those with names included."""
    formulas = (*story.premises_formulas, story.conclusion_formula)
    names = sorted({name for formula in formulas for name in symbols(formula).constants})
    blocks = [Term(name) for name in [*names, "g", "h", "i", "j"][: max(4, len(names))]]
    equations: list[Sentence] = [Equal(Term("v"), block) for block in blocks]
    return reduce(And, [*story.premises_formulas, Forall("v", reduce(Or, equations)), conclusion])


def excluding(formula: Sentence) -> Sentence:
    """What "A unless B" says, ¬B → A, with "unless" as "except where": ¬B ↔ A."""
    for path, node in places(formula):
        match node:
            case Implies(Not() as exception, ruled):
                return replaced_at(formula, path, Iff(exception, ruled))
    raise AssertionError(str(formula))


def possible_conclusions(story: Story) -> list[Sentence]:
    """Of the conclusion and its negation those that the label allows."""
    allowed = {"True": (True, False), "False": (False, True), "Uncertain": (True, True)}[
        story.label
    ]
    conclusions = (story.conclusion_formula, Not(story.conclusion_formula))
    return [conclusion for conclusion, allows in zip(conclusions, allowed, strict=True) if allows]


def test_every_row_is_read_as_it_is_written() -> None:
    assert (READ.problems, READ.left_out) == ((), 0)
    assert [story.repair for story in STORIES if story.repair] == []
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    assert [row["premises-FOL"] for row in rows] == [
        list(map(str, story.premises_formulas)) for story in STORIES
    ]
    assert [row["conclusion-FOL"] for row in rows] == [
        str(story.conclusion_formula) for story in STORIES
    ]


def test_the_verifier_confirms_every_label() -> None:
    found = checked_labels([FILE])
    assert found.problems == ()
    assert found.counts == {
        "confirmed": len(STORIES),
        "contradicted": 0,
        "inconsistent": 0,
        "undecided": 0,
        "left out": 0,
    }


@each_story
def test_z3_confirms_the_label_by_its_own_interface(story: Story) -> None:
    together = reduce(And, story.premises_formulas)
    possible = possible_conclusions(story)
    for conclusion in (story.conclusion_formula, Not(story.conclusion_formula)):
        if conclusion in possible:
            assert is_refuted(among_four_blocks(story, conclusion), rlimit=20_000_000) is False
        else:
            assert is_refuted(And(together, conclusion), rlimit=20_000_000) is True


@each_story
def test_background_knowledge_of_blocks_does_not_change_the_label(story: Story) -> None:
    for conclusion in possible_conclusions(story):
        world = reduce(And, known_of_blocks(), among_four_blocks(story, conclusion))
        assert is_refuted(world, rlimit=20_000_000) is False


@pytest.mark.parametrize(
    "story", [story for story in STORIES if "unless" in " ".join(story.premises)], ids=str_id
)
def test_no_label_depends_on_whether_unless_excludes(story: Story) -> None:
    told = zip(story.premises, story.premises_formulas, strict=True)
    strict = tuple(
        excluding(formula) if "unless" in sentence else formula for sentence, formula in told
    )
    assert strict != story.premises_formulas
    assert derived_label(strict, story.conclusion_formula).outcome == story.label


def test_hardly_any_conclusion_is_decided_by_one_premise_alone() -> None:
    alone = 0
    for story in STORIES:
        conclusions = (story.conclusion_formula, Not(story.conclusion_formula))
        if story.label != "Uncertain":
            pairs = itertools.product(story.premises_formulas, conclusions)
            outcomes = [FOL.entails(premise, conclusion).outcome for premise, conclusion in pairs]
            alone += "entails" in outcomes
    assert alone <= 1


def test_each_formula_is_in_the_words_of_its_sentence() -> None:
    for story in STORIES:
        pairs = [
            *zip(story.premises, story.premises_formulas, strict=True),
            (story.conclusion, story.conclusion_formula),
        ]
        for sentence, formula in pairs:
            assert set(re.findall(r"[Bb]lock ([a-f])\b", sentence)) == set(
                symbols(formula).constants
            ), sentence
