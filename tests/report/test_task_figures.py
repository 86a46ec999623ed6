"""The figures of each task, by hand; what is left out of them; and that they fit on a line."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

import pytest
from scipy.stats import pointbiserialr
from support.result_rows import changed, row

from pytest_autoeval.outcomes import OUTCOMES
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.task_figures import figures, measured

Rows = list[Sample]


def asked(task: str, outcome: str, **notes: Any) -> Sample:
    return row(outcome, **{"task": task, "interface": "detailed", "way": "zero-shot", **notes})


def translated(outcome: str, relation: str | None = None, **notes: Any) -> Sample:
    correct = outcome not in ("unparseable", "truncated")
    return asked("translate", outcome, relation=relation, syntactically_correct=correct, **notes)


def answered(task: str, expected: bool, given: bool | None) -> Sample:
    outcome = "unreadable answer" if given is None else "correct" if given == expected else "wrong answer"
    return asked(task, outcome, expected=expected, answered=given)


def wrote(expected: str, outcome: str) -> Sample:
    return asked("write_trace", outcome, expected=expected)


def extracted(phrases: int, outcome: str, scores: dict[str, float] | None, kind: str | None = None) -> Sample:
    propositions = [[f"phrase {number}", f"x{number}"] for number in range(1, phrases + 1)]
    return asked("propositions", outcome, propositions=propositions, scores=scores, error_kind=kind)


TRANSLATIONS: Rows = [
    *[translated("equivalent", "equivalent", lacking=[]) for _ in range(5)],
    translated("equivalent", "equivalent", lacking=["x2"]),
    *[translated("different", "stronger", lacking=[]) for _ in range(2)],
    translated("different", "weaker"),
    translated("different", "incomparable"),
    *[translated("foreign symbol", lacking=[]) for _ in range(2)],
    translated("foreign symbol", lacking=["x2"]),
    translated("unparseable"),
    translated("truncated"),
    translated("undecided"),
]


def test_what_cannot_be_compared_is_kept_out_of_the_accuracy_but_not_out_of_the_pass_rate() -> None:
    assert figures(TRANSLATIONS) == [
        "equivalent 60.0 % of 10 (5 not comparable, 1 undecided)",
        "as the study counts: 45.5 % of 11 (4 not meaningful, 1 undecided)",
        "entails the reference 80.0 %, entailed by it 70.0 %",
        "stronger 2, weaker 1, incomparable 1; syntactically correct 87.5 %",
        "pass rate over all 16: 37.5–43.8 %",
    ]


def test_translations_for_machines() -> None:
    (block,) = measured(TRANSLATIONS)
    counts = ("samples", "passed", "comparable", "not_comparable", "undecided", "relation_unknown")
    assert [block[key] for key in counts] == [16, 6, 10, 5, 1, 0]
    assert [block[key] for key in ("equivalence", "soundness", "completeness")] == [0.6, 0.7, 0.8]
    assert block["study"] == {
        "equivalent": 5, "not_equivalent": 6, "not_meaningful": 4, "undecided": 1, "accuracy": 5 / 11
    }  # fmt: skip
    assert block["relations"] == {"equivalent": 6, "stronger": 2, "weaker": 1, "incomparable": 1}
    assert block["syntactically_correct"] == 14 / 16


def test_a_difference_whose_entailments_are_undecided_counts_for_equivalence_alone() -> None:
    rows = [translated("equivalent", "equivalent"), translated("different", None)]
    (block,) = measured(rows)
    assert (block["equivalence"], block["soundness"], block["relation_unknown"]) == (0.5, 1.0, 1)
    assert "unknown 1" in " ".join(figures(rows))


def test_alignments_of_names_are_counted_by_their_evidence() -> None:
    rows = [
        translated("equivalent", "equivalent", alignment_basis="phrases"),
        translated("different", "weaker", alignment_basis="phrases"),
        translated("equivalent", "equivalent", alignment_basis="oracle"),
        translated("unparseable", alignment_basis=None),
    ]
    (block,) = measured(rows)
    assert block["alignments"] == {"oracle": 1, "phrases": 2}
    assert "names aligned by phrases 2, oracle 1" in "; ".join(figures(rows))


WELL_FORMEDNESS: Rows = [
    *[answered("well_formed", True, True) for _ in range(45)],
    *[answered("well_formed", True, False) for _ in range(5)],
    *[answered("well_formed", False, False) for _ in range(30)],
    *[answered("well_formed", False, True) for _ in range(15)],
    *[answered("well_formed", True, None) for _ in range(5)],
]


def test_well_formedness() -> None:
    assert figures(WELL_FORMEDNESS) == [
        "accuracy 78.9 % of 95 readable (5 unreadable)",
        "precision 75.0 %, recall 90.0 %, F1 81.8 %",
        "false positive rate 33.3 %, false negative rate 10.0 %",
        "pass rate over all 100: 75.0 %",
    ]


def judged(size: int, expected: bool, given: bool | None, count: int = 1) -> Rows:
    return [changed(answered("judge", expected, given), operators=size, interface="reasoning")] * count


JUDGED: Rows = [
    *judged(1, True, True, 10),
    *judged(1, False, False, 9),
    *judged(1, False, True, 1),
    *judged(3, True, True, 6),
    *judged(3, True, False, 3),
    *judged(3, True, None, 1),
    *judged(3, False, False, 5),
    *judged(3, False, True, 5),
]


def test_judged_pairs() -> None:
    assert figures(JUDGED) == [
        "accuracy 76.9 % of 39 readable (1 unreadable); kappa 0.54",
        "same meaning: 16 yes, 3 no; different meaning: 6 yes, 14 no",
        "precision 72.7 %, recall 84.2 %, specificity 70.0 %, F1 78.0 %",
        "accuracy by size: 1 95.0 %, 3 57.9 %",
    ]


def test_many_sizes_go_on_more_lines() -> None:
    rows = [one for size in range(1, 41) for one in judged(size, True, True)]
    lines = figures(rows)
    assert lines[0] == "accuracy 100.0 % of 40 readable (0 unreadable); kappa –"
    shown = " ".join(lines).partition("accuracy by size: ")[2]
    assert shown == ", ".join(f"{size} 100.0 %" for size in range(1, 41))
    assert max(map(len, lines)) <= 74


WRITTEN: Rows = [
    *[wrote("satisfying", "correct") for _ in range(8)],
    wrote("satisfying", "wrong answer"),
    wrote("satisfying", "malformed trace"),
    *[wrote("violating", "correct") for _ in range(5)],
    *[wrote("violating", "wrong answer") for _ in range(2)],
    *[wrote("violating", "malformed trace") for _ in range(2)],
    wrote("violating", "truncated"),
]


def test_written_traces() -> None:
    assert figures(WRITTEN) == [
        "right 65.0 % of 20; satisfying right 80.0 % of 10",
        "violating right 50.0 % of 10; malformed 20.0 % (1 without a trace)",
        "of the readable: accuracy 81.2 %, precision 80.0 %, F1 84.2 %",
    ]


def test_a_trace_that_satisfies_though_it_should_violate_is_a_false_positive() -> None:
    (block,) = measured(WRITTEN)
    matrix = {name: block[name] for name in ("true_positive", "false_positive", "true_negative", "false_negative")}
    assert matrix == {"true_positive": 8, "false_positive": 2, "true_negative": 5, "false_negative": 1}


def test_propositions() -> None:
    perfect = dict.fromkeys(("precision", "recall", "f1", "jaccard", "levenshtein"), 1.0)
    half = {"precision": 1.0, "recall": 0.5, "f1": 2 / 3, "jaccard": 0.5, "levenshtein": 0.75}
    rows = [
        extracted(3, "correct", perfect),
        extracted(2, "wrong answer", half, "partial extraction"),
        extracted(2, "wrong answer", half, "partial extraction"),
        extracted(4, "truncated", None),
    ]
    assert figures(rows) == [
        "mean of 4: precision 75.0 %, recall 50.0 %, F1 58.3 %",
        "Jaccard 50.0 %, Levenshtein 62.5 %; phrases matched 5 of 11",
        "all right 25.0 %; errors: partial extraction 2, complete failure 1",
    ]


def test_refinement_shows_what_was_kept_corrected_and_spoiled() -> None:
    def refined(first: str, last: str) -> Sample:
        return translated(last, "weaker" if last == "different" else last, first_outcome=first)

    rows = [
        *[refined("equivalent", "equivalent") for _ in range(4)],
        *[refined("unparseable", "equivalent") for _ in range(2)],
        refined("equivalent", "different"),
        refined("different", "different"),
        refined("different", "undecided"),
    ]
    shown = "; ".join(figures(rows))
    assert shown.endswith("first right 5, refined right 6 of 8; kept 4, corrected 2, spoiled 1, 1 undecided")
    (block,) = measured(rows)
    assert block["refinement"]["pairs"] == 8


def test_errors_are_nobodys_answers() -> None:
    for rows in (TRANSLATIONS, WELL_FORMEDNESS, WRITTEN, JUDGED):
        error = changed(rows[0], outcome="error", answered=None, relation=None)
        assert figures([*rows, error]) == figures(rows)


def test_each_way_of_asking_has_its_own_figures_in_a_fixed_order() -> None:
    rows = [
        changed(one, interface=interface, way=way)
        for interface, way in [("python", "zero-shot"), ("minimal", "few-shot"), ("minimal", "zero-shot")]
        for one in TRANSLATIONS
    ]
    rows += [changed(one, interface=interface) for interface in ("reasoning", "direct") for one in JUDGED]
    headings = [line for line in figures(rows) if not line.startswith(" ")]
    assert headings == [
        "judge, direct, zero-shot:",
        "judge, reasoning, zero-shot:",
        "translate, minimal, few-shot:",
        "translate, minimal, zero-shot:",
        "translate, python, zero-shot:",
    ]
    assert figures(rows) == figures(list(reversed(rows)))
    assert f"  {figures(TRANSLATIONS)[0]}" in figures(rows)


@pytest.mark.parametrize("outcome", [name for name, about in OUTCOMES.items() if about.kind != "error"])
@pytest.mark.parametrize("task", ["translate", "well_formed", "judge_trace", "write_trace", "propositions", "judge"])
def test_no_outcome_and_no_missing_note_breaks_the_figures(task: str, outcome: str) -> None:
    bare = row(outcome, task=task)
    assert figures([bare])
    assert measured([bare])[0]["samples"] == 1


def test_lines_fit_and_measures_are_plain() -> None:
    large = [one for rows in (TRANSLATIONS, WELL_FORMEDNESS, WRITTEN, JUDGED) for one in rows] * 50
    large = [changed(one, interface="python", way=way, first_outcome="correct") for one in large for way in "ab"]
    lines = figures(large)
    assert max(map(len, lines)) <= 74
    assert json.loads(json.dumps(measured(large))) == measured(large)


_NUMBERS = count(1)


def chose(number: int | None, expected: int, edits: list[str], **notes: Any) -> Sample:
    notes = {"structured": True, "sentence": f"Sentence {next(_NUMBERS)}.", **notes}
    outcome = "invalid answer" if number is None else "correct" if number == expected else "wrong answer"
    keys = {"answered": number, "expected": expected, "edits": edits, "perturbations": len(edits) - 1}
    return asked("most_similar_formulas", outcome, interface="structured", **keys, **notes)


def ranked(equivalence: bool, negation: bool, law: str) -> Sample:
    outcome = "correct" if equivalence and negation else "wrong answer"
    scores: dict[str, Any] = {"ranking_equivalence": equivalence, "ranking_negation": negation, "structured": True}
    scores["sentence"] = f"Sentence {next(_NUMBERS)}."
    return asked("ranking_english", outcome, interface="structured", law=law, perturbations=3, **scores)


def concluded(expected: str, answered: str | None) -> Sample:
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
    assert any("2 answered as text, not by the schema" in line for line in figures(rows))


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
        concluded("True", "True"),
        concluded("True", "Uncertain"),
        concluded("False", "False"),
        concluded("Uncertain", "Uncertain"),
        concluded("Uncertain", None),
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
