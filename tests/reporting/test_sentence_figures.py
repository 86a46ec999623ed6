"""The figures of sentences in logic, by hand: choices, rankings, entailments, ontologies, and what LE is worth."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from result_rows import row
from scipy.stats import pointbiserialr

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures import figures, measured

Rows = list[Row]
_NUMBERS = count(1)


def asked(task: str, outcome: str, **notes: Any) -> Row:
    return row(outcome, task=task, way="zero-shot", **notes)


def chose(number: int | None, expected: int, edits: list[str], **notes: Any) -> Row:
    notes = {"structured": True, "sentence": f"Sentence {next(_NUMBERS)}.", **notes}
    outcome = "invalid answer" if number is None else "correct" if number == expected else "wrong answer"
    keys = {"answered": number, "expected": expected, "edits": edits, "perturbations": len(edits) - 1}
    return asked("most_similar_formulas", outcome, interface="structured", **keys, **notes)


def ranked(equivalence: bool, negation: bool, law: str) -> Row:
    outcome = "correct" if equivalence and negation else "wrong answer"
    scores: dict[str, Any] = {"ranking_equivalence": equivalence, "ranking_negation": negation, "structured": True}
    scores["sentence"] = f"Sentence {next(_NUMBERS)}."
    return asked("ranking_english", outcome, interface="structured", law=law, perturbations=3, **scores)


def judged(expected: str, answered: str | None) -> Row:
    outcome = "unreadable answer" if answered is None else "correct" if answered == expected else "wrong answer"
    return asked("entailment_english", outcome, interface="text", expected=expected, answered=answered)


def test_choices_tell_what_misled_and_whether_the_first_is_preferred() -> None:
    edits = ["quantifier", "reference", "connective"]
    rows = [
        chose(2, 2, edits),
        chose(2, 2, edits),
        chose(1, 2, edits),
        chose(3, 2, edits),
        chose(1, 1, ["reference", "negation"]),
        chose(None, 2, edits, problem="out of range"),
        asked("most_similar_formulas", "truncated", interface="structured", edits=edits, perturbations=2),
        asked("most_similar_formulas", "error", interface="structured"),
    ]
    assert figures(rows) == [
        "right 60.0 % of 5 valid answers; not valid: out of range 1, truncated 1",
        "misled by: connective 1, quantifier 1",
        "first candidate chosen 40.0 %, right 20.0 %",
        "perturbations: 1 in 1, 2 in 6",
    ]


def test_repeats_of_an_item_are_one_item_and_what_keeps_to_no_schema_is_told() -> None:
    edits = ["reference", "quantifier"]
    rows = [chose(1, 1, edits, sentence="One.", repeat=repeat, structured=repeat == 0) for repeat in range(3)]
    (block,) = measured(rows)
    assert block["perturbations"] == {1: 1}
    assert block["in_words"] == 2
    assert any("2 answered in words, not by the schema" in line for line in figures(rows))


def test_candidates_that_are_equally_near_are_counted() -> None:
    edits = ["reference", "quantifier", "negation"]
    rows = [
        chose(2, 1, edits, similarities=[0.5, 0.5, 0.1]),
        chose(1, 1, edits, similarities=[0.5, 0.4, 0.4]),
        chose(None, 1, edits, similarities=None, problem="no number"),
    ]
    (block,) = measured(rows)
    assert block["tied"] == 1
    assert any("several equally near in 1" in line for line in figures(rows))


def test_rankings_have_three_scores_of_all_samples() -> None:
    rows = [
        ranked(equivalence=True, negation=True, law="De Morgan"),
        ranked(equivalence=True, negation=False, law="De Morgan"),
        ranked(equivalence=False, negation=True, law="commutativity"),
        asked(
            "ranking_english", "invalid answer", interface="structured", problem="not a permutation", perturbations=1
        ),
    ]
    (block,) = measured(rows)
    assert (block["ranking_equivalence"], block["ranking_negation"], block["ranking_both"]) == (0.5, 0.5, 0.25)
    assert block["by_law"] == {"De Morgan": 1.0, "commutativity": 0.0}
    assert figures(rows) == [
        "Ranking-Equivalence 50.0 %; Ranking-Negation 50.0 %; Ranking-Both 25.0 %",
        "not valid: not a permutation 1; perturbations: 1 in 1, 3 in 3",
    ]


def test_entailments_have_a_matrix_of_three_labels() -> None:
    rows = [
        judged("True", "True"),
        judged("True", "Uncertain"),
        judged("False", "False"),
        judged("Uncertain", "Uncertain"),
        judged("Uncertain", None),
    ]
    (block,) = measured(rows)
    assert block["matrix"]["True"] == {"True": 1, "False": 0, "Uncertain": 1}
    assert block["recall"] == {"True": 0.5, "False": 1.0, "Uncertain": 1.0}
    assert block["macro_f1"] == pytest.approx((2 / 3 + 1 + 2 / 3) / 3)
    assert figures(rows)[0] == "accuracy 75.0 % of 4 readable (1 unreadable); macro F1 77.8 %"


def test_a_signature_is_measured_symbol_by_symbol() -> None:
    whole: dict[str, Any] = {"symbols_precision": 1.0, "symbols_recall": 1.0, "symbols_f1": 1.0}
    partial: dict[str, Any] = {"symbols_precision": 1.0, "symbols_recall": 0.5, "symbols_f1": 0.8}
    partial |= {"missing": ["c"], "wrong_arity": ["C"]}
    rows = [
        asked("ontology_extraction", "correct", matched=[["A", "A"], ["b", "b"]], **whole),
        asked("ontology_extraction", "wrong answer", matched=[["A", "A"], ["C", "B"]], **partial),
        asked("ontology_extraction", "unreadable answer"),
    ]
    assert figures(rows) == [
        "symbols, mean of 3: precision 66.7 %, recall 50.0 %, F1 60.0 %",
        "arity right 75.0 % of 4 matched; missing 1, surplus 0",
        "whole signature right 33.3 %",
    ]


def test_le_is_shown_beside_the_verdict_with_its_correlation() -> None:
    scores = [(True, 1.0), (True, 1.0), (True, 0.75), (False, 1.0), (False, 0.5), (False, 0.25)]
    rows = [
        asked("logical_translation", "equivalent" if equal else "different", le_score=score, syntactically_correct=True)
        for equal, score in scores
    ]
    rows.append(asked("logical_translation", "unparseable", le_score=None, syntactically_correct=False))
    (block,) = measured(rows)
    expected = pointbiserialr([equal for equal, _ in scores], [score for _, score in scores])
    assert block["le_correlation"] == pytest.approx(expected.statistic)
    assert block["le_p_value"] == pytest.approx(expected.pvalue)
    assert block["le_different"] == pytest.approx(1.75 / 3)
    assert any(line.startswith("LE score: mean 0.75 of 6, 0.58 of wrong ones") for line in figures(rows))


def test_without_both_verdicts_there_is_no_correlation() -> None:
    rows = [asked("logical_translation", "equivalent", le_score=1.0, syntactically_correct=True) for _ in range(4)]
    (block,) = measured(rows)
    assert block["le_correlation"] is None
    assert not any("verdict" in line for line in figures(rows))


@pytest.mark.parametrize("task", ["most_similar_formulas", "ranking_formulas", "entailment_formulas"])
def test_no_line_is_wider_than_a_summary(task: str) -> None:
    names = [f"a rather long name of a law number {number}" for number in range(8)]
    rows = [
        asked(task, "wrong answer", interface="text", law=name, perturbations=3, answered=1, edits=["connective"])
        for name in names
    ]
    assert all(len(line) <= 74 for line in figures(rows))
