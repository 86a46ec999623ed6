"""Premises and conclusions: reading of rows, derived labels, wrong labels."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.independent_logic import is_refuted

from pytest_autoeval import language, sample_formulas
from pytest_autoeval.datasets import data_set, file_problems
from pytest_autoeval.languages import Verdict
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.logic.syntax import And, Atom, Not, Sentence
from pytest_autoeval.languages.ontology import ontology_of_facts
from pytest_autoeval.studies.first_order_translation import stories as entailment
from pytest_autoeval.studies.first_order_translation.stories import (
    EntailmentSet,
    Stories,
    checked_labels,
    derived_label,
    read_stories,
)

FOL = language("first_order")
#: FOLIO's validation set, where somebody has put it beside the checkout.
FOLIO = Path(__file__).parents[4] / "shared" / "data" / "folio-validation.jsonl"

GULLS = {
    "premises": ["Every gull is a bird.", "No bird is a fish."],
    "premises-FOL": ["∀x (Gull(x) → Bird(x))", "∀x (Bird(x) → ¬Fish(x))"],
}


def story(conclusion: str, formula: str, label: Any, **more: Any) -> dict[str, Any]:
    return {**GULLS, "conclusion": conclusion, "conclusion-FOL": formula, "label": label, **more}


#: What follows, by whether the premises refute the negation of the conclusion, and the conclusion.
LABEL = {
    (True, False): "True",
    (False, True): "False",
    (False, False): "Uncertain",
    (True, True): "inconsistent",
}
TRUE = story("No gull is a fish.", "∀x (Gull(x) → ¬Fish(x))", "True")
FALSE = story("Some gull, Jonathan, is a fish.", "Gull(jonathan) ∧ Fish(jonathan)", "False")
OPEN = story("Jonathan is a gull.", "Gull(jonathan)", "Uncertain")


def written(folder: Path, *rows: dict[str, Any], name: str = "birds_stories.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def trees(*texts: str) -> tuple[Sentence, ...]:
    found = tuple(FOL.parse(text) for text in texts)
    return tuple(tree for tree in found if isinstance(tree, Sentence))


@pytest.mark.parametrize(
    ("premises", "conclusion", "outcome"),
    [
        (["∀x. (P(x) → Q(x))", "P(a)"], "Q(a)", "True"),
        (["∀x. (P(x) → Q(x))", "¬Q(a)"], "P(a)", "False"),
        (["∀x. (P(x) → Q(x))", "Q(a)"], "P(a)", "Uncertain"),
        (["P(a)", "¬P(a)"], "Q(a)", "inconsistent"),
        (["∃x. P(x)"], "P(a)", "Uncertain"),
        (["∀x. P(x)"], "∃x. P(x)", "True"),
        ([], "P(a) ∨ ¬P(a)", "True"),
        ([], "P(a)", "Uncertain"),
        (["∀x. (¬R(x, x) ∧ ∃y. (R(x, y) ∧ ∀z. (R(y, z) → R(x, z))))"], "P(a)", "undecided"),
    ],
)
def test_the_derived_label_is_what_follows(
    premises: list[str], conclusion: str, outcome: str
) -> None:
    derived = derived_label(trees(*premises), *trees(conclusion), timeout=1.0)
    assert derived.outcome == outcome


def test_a_label_comes_with_a_model_against_each_other_label() -> None:
    derived = derived_label(trees("∀x. (P(x) → Q(x))"), *trees("P(a)"))
    for witness, value in ((derived.entailed.witness, False), (derived.denied.witness, True)):
        assert witness is not None
        found = witness.to_json()
        assert (found["constants"]["a"] in [row[0] for row in found["predicates"]["P"]]) is value


def test_labels_of_drawn_formulas_are_those_of_z3() -> None:
    formulas = [
        tree
        for tree in sample_formulas("first_order", operators=3, count=120, seed=5)
        if isinstance(tree, Sentence)
    ]
    chance = random.Random(5)
    outcomes: Counter[str] = Counter()
    for conclusion in formulas:
        premises = tuple(chance.sample(formulas, 3))
        derived = derived_label(premises, conclusion)
        together = reduce(And, premises)
        refuted = [is_refuted(And(together, one)) for one in (Not(conclusion), conclusion)]
        if None not in refuted:
            outcomes[derived.outcome] += 1
            assert derived.outcome == LABEL[refuted[0] is True, refuted[1] is True]
    assert {"True", "False", "Uncertain"} <= set(outcomes)
    assert outcomes.total() > 100


def test_an_item_has_the_facts_of_its_task(tmp_path: Path) -> None:
    path = written(tmp_path, {**OPEN, "id": "gull-1", "label": "unknown"})
    found = data_set("fol_entailment", [path])
    assert isinstance(found, EntailmentSet)
    (item,) = found.items(2)
    ontology = ontology_of_facts(item.facts["ontology"], derived=item.facts["ontology_derived"])
    assert (item.grammar, item.language, item.operators, item.index) == (
        "fol_entailment",
        "first_order",
        2,
        0,
    )
    assert str(item.formula) == item.facts["conclusion_formula"] == "Gull(jonathan)"
    assert item.facts["premises"] == GULLS["premises"]
    assert item.facts["premises_formulas"] == [
        "∀x. (Gull(x) → Bird(x))",
        "∀x. (Bird(x) → ¬Fish(x))",
    ]
    assert item.facts["conclusion"] == "Jonathan is a gull."
    assert (item.facts["expected"], item.facts["label"]) == ("Uncertain", "unknown")
    assert (item.facts["data_set"], item.facts["source"]) == ("birds", "birds_stories.jsonl:1")
    assert (item.facts["item"], item.facts["ontology_derived"]) == ("gull-1", True)
    assert item.vocabulary == ontology.vocabulary
    assert set(item.vocabulary.predicates) == {("Gull", 1), ("Bird", 1), ("Fish", 1)}
    assert "repair" not in item.facts


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (
            {**TRUE, "premises": GULLS["premises"][:1]},
            "column 'premises-FOL': 2 formulas for 1 premises",
        ),
        (
            {**TRUE, "label": "perhaps"},
            "column 'label': 'perhaps' must be True, False or Uncertain",
        ),
        (
            {**TRUE, "conclusion-FOL": "Gull(jonathan) →"},
            "column 'conclusion-FOL': line 1, column 17: ",
        ),
        ({**TRUE, "conclusion": ""}, "column 'conclusion': the cell is empty"),
        (
            {**TRUE, "ontology": {"Gull(x)": "x is a gull"}},
            "not in the ontology: unknown predicate Bird",
        ),
    ],
)
def test_an_unreadable_row_is_left_out_and_reported(
    tmp_path: Path, row: dict[str, Any], told: str
) -> None:
    path = written(tmp_path, OPEN, row)
    found = read_stories([path])
    assert [story.conclusion for story in found.stories] == [OPEN["conclusion"]]
    assert found.left_out == 1
    assert found.problems[0].startswith(f"{path}:2: ")
    assert told in found.problems[0]
    assert set(found.problems) <= set(file_problems([path]))


def test_repeated_and_contradicted_stories_are_left_out_and_reported(tmp_path: Path) -> None:
    path = written(
        tmp_path, {**TRUE, "id": "a"}, TRUE, {**TRUE, "label": "False"}, {**FALSE, "id": "a"}, OPEN
    )
    found = read_stories([path])
    assert [story.source for story in found.stories] == [
        "birds_stories.jsonl:1",
        "birds_stories.jsonl:5",
    ]
    assert [problem.removeprefix(f"{path}:") for problem in found.problems] == [
        "2: repeats birds_stories.jsonl:1, which has the same premises and conclusion",
        "3: contradicts the label of birds_stories.jsonl:1, which has the same premises and conclusion",
        "4: the id 'a' is already used by birds_stories.jsonl:1",
    ]
    assert found.left_out == 3


def test_rows_without_a_label_are_for_other_data_sets(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        GULLS,
        {"sentence": "It rains.", "formula": "Rain", "ontology": {"Rain": "it rains"}},
    )
    found = read_stories([path])
    assert (found.stories, found.left_out, found.problems) == ((), 0, ())
    assert data_set("fol_entailment", [path]) is None


@pytest.mark.parametrize("formula", [{}, {"conclusion-FOL": ""}, {"conclusion_fol": None}])
def test_a_conclusion_without_a_formula_is_no_mistake(
    tmp_path: Path, formula: dict[str, Any]
) -> None:
    path = written(
        tmp_path, {**GULLS, "conclusion": "Jonathan is a gull.", "label": "Uncertain", **formula}
    )
    assert read_stories([path]).left_out == 0
    assert file_problems([path]) == ()
    assert data_set("fol_entailment", [path]) is None


def test_a_wrong_label_is_left_out_and_reported_with_a_counter_model(tmp_path: Path) -> None:
    path = written(tmp_path, {**OPEN, "label": "True"}, TRUE, {**FALSE, "label": "Uncertain"})
    found = data_set("fol_entailment", [path])
    assert found is not None
    assert not found.problems, "nobody has asked yet"
    assert [item.facts["source"] for item in found.items(2)] == ["birds_stories.jsonl:2"]
    first, second = found.problems
    assert first.startswith(
        f"{path}:1: column 'label': says 'True', but the premises entail neither the conclusion nor its negation; "
        "a model of the premises and not of the conclusion: domain {1}"
    )
    assert first.endswith("premises true; conclusion false")
    assert second == (
        f"{path}:3: column 'label': says 'Uncertain', but the premises entail the negation of the conclusion"
    )


def test_a_contradicted_label_is_reported_with_the_notes_on_its_row(tmp_path: Path) -> None:
    formulas = ["∀x (Gull(x) → Bird(x, x))", GULLS["premises-FOL"][1]]
    found = checked_labels([written(tmp_path, {**TRUE, "premises-FOL": formulas})])
    assert found.counts["contradicted"] == 1
    assert (
        "Bird is a predicate with 1 argument and a predicate with 2 arguments" in found.problems[0]
    )


def test_premises_that_contradict_each_other_are_reported(tmp_path: Path) -> None:
    premises = {
        "premises": ["It rains.", "It does not rain."],
        "premises-FOL": ["Rain(today)", "¬Rain(today)"],
    }
    path = written(tmp_path, {**TRUE, **premises})
    found = checked_labels([path])
    assert found.counts == {
        "confirmed": 0,
        "contradicted": 0,
        "inconsistent": 1,
        "undecided": 0,
        "left out": 0,
    }
    assert found.problems == (
        f"{path}:1: column 'label': says 'True', but the premises contradict each other, so they entail everything",
    )


def test_an_undecided_label_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entailment, "derived_label", partial(derived_label, timeout=1.0))
    premises = {
        "premises": ["…"],
        "premises-FOL": ["∀x. (¬R(x, x) ∧ ∃y. (R(x, y) ∧ ∀z. (R(y, z) → R(x, z))))"],
    }
    path = written(tmp_path, {**OPEN, **premises})
    found = checked_labels([path])
    assert found.counts["undecided"] == 1
    assert "but the verifier cannot decide: " in found.problems[0]


def test_the_labels_of_a_large_file_are_derived_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [one] = read_stories([written(tmp_path, OPEN)]).stories
    stories = tuple(
        replace(one, conclusion_formula=Atom(f"Once{number}", ())) for number in range(5_000)
    )
    asked: list[Sentence] = []

    def entails(_: Sentence, conclusion: Sentence, _timeout: float) -> Verdict:
        asked.append(conclusion)
        return Verdict(VerdictOutcome.DOES_NOT_ENTAIL, "test")

    monkeypatch.setattr(entailment, "language", lambda _: SimpleNamespace(entails=entails))
    assert Stories(stories, 0, ()).counts["confirmed"] == 5_000
    assert len(asked) == 2 * 5_000


def test_items_are_found_by_name_by_source_and_by_their_conclusion(tmp_path: Path) -> None:
    path = written(tmp_path, {**TRUE, "id": "fishless"}, OPEN)
    found = data_set("fol_entailment", [path])
    assert found is not None
    assert found.sizes == (2,)
    assert [item.facts["expected"] for item in found.named("fishless")] == ["True"]
    assert [item.facts["expected"] for item in found.named("birds_stories.jsonl:2")] == [
        "Uncertain"
    ]
    assert [item.facts["expected"] for item in found.typed("Gull(jonathan)")] == ["Uncertain"]
    assert found.typed("Fish(jonathan)") == []


def rows_in_folios_form(folder: Path) -> list[Path]:
    """Rows as FOLIO has them, with what is wrong in some of those; and FOLIO's own, where they are."""
    misplaced = {**FALSE, "conclusion-FOL": "Gull(jonathan)) ∧ Fish(jonathan)"}
    lost = {**OPEN, "premises": [*GULLS["premises"], "Jonathan lives by the sea."]}
    made_up = written(
        folder, TRUE, misplaced, {**OPEN, "label": "False"}, lost, name="made-up.jsonl"
    )
    return [made_up, *([FOLIO] if FOLIO.exists() else [])]


def test_every_row_in_the_form_of_folio_is_confirmed_or_reported(tmp_path: Path) -> None:
    for path in rows_in_folios_form(tmp_path):
        written_rows = [
            line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
        ]
        found = checked_labels([path])
        assert sum(found.counts.values()) == len(written_rows)
        assert found.counts["confirmed"] > 0
        assert found.counts["contradicted"] > 0
        assert _lines(found.problems, path) | _lines(
            [one.place for one in found.of("confirmed")], path
        ) == set(range(1, len(written_rows) + 1))
        for one in found.stories:
            _agree_with_z3(one.premises_formulas, one.conclusion_formula, one.derived.outcome)


def _lines(told: Sequence[str], path: Path) -> set[int]:
    return {int(line.removeprefix(f"{path}:").partition(":")[0]) for line in told}


def _agree_with_z3(premises: Sequence[Sentence], conclusion: Sentence, outcome: str) -> None:
    """Holds a label against z3, as far as that can tell."""
    together = reduce(And, premises)
    follows, is_denied = (is_refuted(And(together, one)) for one in (Not(conclusion), conclusion))
    assert follows in {outcome == "True", None}
    assert is_denied in {outcome == "False", None}
