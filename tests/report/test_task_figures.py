"""The figures of each task, by hand, and what is left out of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest
from scipy.stats import binomtest, pointbiserialr
from support.result_rows import KINDS, changed, row, suites_of

from pytest_autoeval.outcomes import OUTCOMES
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.registry import Registry
from pytest_autoeval.report.added_figures import added_figures
from pytest_autoeval.report.blocks import Cell, Curve, Table
from pytest_autoeval.report.task_figures import figures_in, task_blocks

Rows = list[Sample]


def figures(samples: Sequence[Sample]) -> dict[str, Figure]:
    """The figures of some samples by their names, which are all different."""
    found = list(figures_in(task_blocks(samples[0].suite, samples)))
    by_name = {figure.name: figure for figure in found}
    assert len(by_name) == len(found)
    return by_name


def values(samples: Sequence[Sample], *names: str) -> list[float | None]:
    """The values of some figures, to four digits."""
    found = figures(samples)
    return [None if (value := found[name].value) is None else round(value, 4) for name in names]


def table(samples: Sequence[Sample], title: str) -> list[tuple[Cell, ...]]:
    """The cells of the table with this title."""
    blocks = task_blocks(samples[0].suite, samples)
    (rows,) = [block.rows for block in blocks if isinstance(block, Table) and block.title == title]
    return [row.cells for row in rows]


def asked(task: str, outcome: str, **notes: Any) -> Sample:
    return row(outcome, **{"task": task, "interface": "detailed", "way": "zero-shot", **notes})


def translated(outcome: str, relation: str | None = None, **notes: Any) -> Sample:
    correct = outcome not in ("unparseable", "truncated")
    return asked("translate", outcome, relation=relation, syntactically_correct=correct, **notes)


def answered(task: str, expected: bool, given: bool | None) -> Sample:
    outcome = (
        "unreadable answer" if given is None else "correct" if given == expected else "wrong answer"
    )
    return asked(task, outcome, expected=expected, answered=given)


def wrote(expected: str, outcome: str) -> Sample:
    return asked("write_trace", outcome, expected=expected)


def extracted(
    phrases: int, outcome: str, scores: dict[str, float] | None, kind: str | None = None
) -> Sample:
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


def test_what_cannot_be_compared_is_kept_out_of_the_rates() -> None:
    assert values(TRANSLATIONS, "equivalent", "not comparable", "undecided") == [0.6, 5, 1]
    assert values(TRANSLATIONS, "entails the reference", "entailed by the reference") == [0.8, 0.7]
    relations = [
        f"relation to the reference: {name}"
        for name in ("equivalent", "stronger", "weaker", "incomparable")
    ]
    assert values(TRANSLATIONS, *relations, "syntactically correct") == [6, 2, 1, 1, 14 / 16]
    assert figures(TRANSLATIONS)["equivalent"].n == 10
    assert "relation to the reference: unknown" not in figures(TRANSLATIONS)


def test_the_study_counts_answers_that_lack_no_atom() -> None:
    study = [f"as the study counts: {name}" for name in ("accuracy", "not meaningful", "undecided")]
    assert values(TRANSLATIONS, *study) == [round(5 / 11, 4), 4, 1]
    assert figures(TRANSLATIONS)[study[0]].n == 11


def test_recall_and_f1_are_those_of_the_study() -> None:
    """A row of the study's Table 6, of 54 decided answers: 46.30, 72.22 and 53.70 %, and an F1 of 56.42 %."""
    rows = [
        *[translated("equivalent", "equivalent", lacking=[]) for _ in range(25)],
        *[translated("different", "weaker", lacking=[]) for _ in range(14)],
        *[translated("different", "stronger", lacking=[]) for _ in range(4)],
        *[translated("different", "incomparable", lacking=[]) for _ in range(11)],
        *[translated("foreign symbol", lacking=["x1"]) for _ in range(2)],
    ]
    study = [f"as the study counts: {name}" for name in ("accuracy", "recall", "F1")]
    assert values(rows, *study, "entails the reference") == [0.4630, 0.7222, 0.5642, 0.5370]
    # An answer with a foreign atom that lacks none counts for the accuracy; whether it is entailed is not known.
    assert figures(TRANSLATIONS)[study[1]].n == 9
    nothing = [translated("different", "stronger", lacking=[])]
    assert values(nothing, *study) == [0, 0, 0]
    assert values([translated("unparseable")], *study) == [None, None, None]


def formulas(reference: str, answer: str | None, **notes: Any) -> Sample:
    keys = {"language": "ltl", "grammar": "ltl", "formula": reference, "translation": answer}
    return translated("different", "incomparable", **keys, **notes)


LIKENESSES = (
    # Reference and answer: overlap of propositions, agreement of operators, the same structure?
    ("G (x1 -> F x2)", "G (x1 -> F x2)", 1.0, 1.0, True),
    ("G (x1 -> F x2)", "G (x2 -> F x3)", 1 / 3, 1.0, True),
    ("G (x1 -> F x2)", "F (x1 -> G x2)", 1.0, 1.0, False),
    ("G (x1 -> F x2)", "x1 -> F x2", 1.0, 2 / 3, False),
    ("G G x1", "G (x1 & x2)", 1 / 2, 1 / 3, False),
    ("x1 & (x2 & x3)", "(x1 & x2) & x3", 1.0, 1.0, True),
    ("x1 | (x2 & x3)", "(x1 | x2) & x3", 1.0, 1.0, False),
    ("x1 U x2", "x3", 0.0, 0.0, False),
    ("true", "x1", 0.0, 1.0, False),
    ("true", "true", 1.0, 1.0, True),
)


@pytest.mark.parametrize(("reference", "answer", "overlap", "agreement", "same"), LIKENESSES)
def test_likeness_of_a_formula_to_its_reference(
    reference: str, answer: str, overlap: float, agreement: float, same: bool
) -> None:
    names = ("overlap of propositions", "agreement of operators", "exact structure")
    assert values(
        [formulas(reference, answer)], *(f"likeness to the reference: {name}" for name in names)
    ) == [
        round(overlap, 4),
        round(agreement, 4),
        float(same),
    ]


def test_likenesses_are_means_over_the_answers_with_a_formula() -> None:
    rows = [formulas(reference, answer) for reference, answer, *_ in LIKENESSES]
    rows += [formulas("G x1", None), formulas("G x1", "not in our notation (")]
    found = figures(rows)
    for place, name in enumerate(
        ("overlap of propositions", "agreement of operators", "exact structure"), 2
    ):
        figure = found[f"likeness to the reference: {name}"]
        assert figure.n == len(LIKENESSES)
        assert figure.value == pytest.approx(
            sum(float(one[place]) for one in LIKENESSES) / len(LIKENESSES)
        )


def test_names_of_the_models_own_are_compared_by_their_alignment() -> None:
    aligned = formulas("G (x1 -> x2)", "G (a -> b)", alignment=[["a", "x1"], ["b", "¬x2"]])
    unknown = formulas("G (x1 -> x2)", "F (a -> b)", alignment=None)
    found = figures([aligned, unknown])
    overlap = found["likeness to the reference: overlap of propositions"]
    agreement = found["likeness to the reference: agreement of operators"]
    assert (overlap.value, overlap.n, agreement.n) == (1.0, 1, 2)
    assert agreement.value == pytest.approx((1 + 1 / 3) / 2)


def test_a_difference_whose_entailments_are_undecided_counts_for_equivalence_alone() -> None:
    rows = [translated("equivalent", "equivalent"), translated("different", None)]
    names = ("equivalent", "entailed by the reference", "relation to the reference: unknown")
    assert values(rows, *names) == [0.5, 1.0, 1]


def test_alignments_of_names_are_counted_by_their_evidence() -> None:
    rows = [
        translated("equivalent", "equivalent", alignment_basis="phrases"),
        translated("different", "weaker", alignment_basis="phrases"),
        translated("equivalent", "equivalent", alignment_basis="oracle"),
        translated("unparseable", alignment_basis=None),
    ]
    assert values(rows, "names aligned by: phrases", "names aligned by: oracle") == [2, 1]


WELL_FORMEDNESS: Rows = [
    *[answered("well_formed", True, True) for _ in range(45)],
    *[answered("well_formed", True, False) for _ in range(5)],
    *[answered("well_formed", False, False) for _ in range(30)],
    *[answered("well_formed", False, True) for _ in range(15)],
    *[answered("well_formed", True, None) for _ in range(5)],
]


def test_rates_of_well_formedness_are_of_readable_answers() -> None:
    rates = values(WELL_FORMEDNESS, "accuracy", "precision", "recall", "F1", "specificity")
    assert rates == [0.7895, 0.75, 0.9, 0.8182, 0.6667]
    errors = values(WELL_FORMEDNESS, "unreadable", "false positive rate", "false negative rate")
    assert errors == [5, 0.3333, 0.1]
    assert figures(WELL_FORMEDNESS)["accuracy"].n == 95


def test_the_main_rate_of_a_task_has_the_exact_interval() -> None:
    rows = [
        changed(row, index=number, formula=f"p{number}")
        for number, row in enumerate(WELL_FORMEDNESS)
    ]
    accuracy = figures(rows)["accuracy"]
    exact = binomtest(75, 95).proportion_ci(method="exact")
    assert (accuracy.low, accuracy.high) == pytest.approx((exact.low, exact.high))


def test_repeats_of_an_item_make_no_interval_narrower() -> None:
    rows = [
        changed(row, index=number % 10, repeat=number // 10)
        for number, row in enumerate(WELL_FORMEDNESS)
    ]
    alone = [
        changed(row, index=number, formula=f"p{number}")
        for number, row in enumerate(WELL_FORMEDNESS)
    ]
    wide, narrow = figures(rows)["accuracy"], figures(alone)["accuracy"]
    assert None not in (wide.low, wide.high, narrow.low, narrow.high)
    assert wide.low < narrow.low  # type: ignore[operator]
    assert wide.high > narrow.high  # type: ignore[operator]


def judged(size: int, expected: bool, given: bool | None, count: int = 1) -> Rows:
    return [
        changed(answered("judge", expected, given), operators=size, interface="reasoning")
    ] * count


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


def test_judged_pairs_have_rates_and_a_confusion_matrix() -> None:
    assert values(JUDGED, "accuracy", "kappa", "unreadable") == [0.7692, 0.54, 1]
    assert values(JUDGED, "precision", "recall", "specificity", "F1") == [
        0.7273,
        0.8421,
        0.7,
        0.7805,
    ]
    assert table(JUDGED, "right answers (down) and given answers (across)") == [
        ("same meaning", 16, 3),
        ("different meaning", 6, 14),
    ]


def test_judged_pairs_by_size() -> None:
    small, large = table(JUDGED, "accuracy by size")
    shown = [
        [cell.value if isinstance(cell, Figure) else cell for cell in cells]
        for cells in (small, large)
    ]
    assert shown == [
        [1, 0.95, pytest.approx(0.9), 10, 0, 1, 9, 0],
        [3, 11 / 19, pytest.approx(2 * (6 * 5 - 3 * 5) / (11 * 10 + 9 * 8)), 6, 3, 5, 5, 1],
    ]


def test_precision_recall_and_f1_of_judged_pairs_at_every_size() -> None:
    rows = [changed(one, index=number, formula=f"p{number}") for number, one in enumerate(JUDGED)]
    # At size 5 nothing is right with yes, and nothing is answered with yes.
    rows += judged(5, False, False, 2)
    (curve,) = [block for block in task_blocks(rows[0].suite, rows) if isinstance(block, Curve)]
    shown = {
        line.name: [(point.x, point.value, point.n) for point in line.points]
        for line in curve.series
    }
    assert (curve.over, curve.unit, curve.level) == ("size", "rate", "verbose")
    assert shown == {
        "precision": [(1, 10 / 11, 11), (3, 6 / 11, 11), (5, None, 0)],
        "recall": [(1, 1.0, 10), (3, 6 / 9, 9), (5, None, 0)],
        "F1": [(1, 2 * 10 / (11 + 10), 20), (3, pytest.approx(2 * 6 / (11 + 9)), 19), (5, None, 2)],
    }
    exact = binomtest(6, 11).proportion_ci(method="exact")
    precision = curve.series[0].points[1]
    assert (precision.low, precision.high) == pytest.approx((exact.low, exact.high))


WRITTEN: Rows = [
    *[wrote("satisfying", "correct") for _ in range(8)],
    wrote("satisfying", "wrong answer"),
    wrote("satisfying", "malformed trace"),
    *[wrote("violating", "correct") for _ in range(5)],
    *[wrote("violating", "wrong answer") for _ in range(2)],
    *[wrote("violating", "malformed trace") for _ in range(2)],
    wrote("violating", "truncated"),
]


def test_written_traces_are_rated_in_all_by_kind_and_among_the_readable() -> None:
    assert values(WRITTEN, "right", "satisfying right", "violating right") == [0.65, 0.8, 0.5]
    assert values(WRITTEN, "no readable trace", "malformed") == [0.2, 3]
    readable = [f"of the readable: {name}" for name in ("accuracy", "precision", "F1")]
    assert values(WRITTEN, *readable) == [0.8125, 0.8, 0.8421]


def test_a_trace_that_satisfies_though_it_should_violate_is_a_false_positive() -> None:
    matrix = table(WRITTEN, "asked for (down) and written (across)")
    assert matrix == [("satisfying", 8, 1), ("violating", 2, 5)]


def test_phrases_are_averaged_over_sentences_and_kinds_of_error_counted() -> None:
    perfect = dict.fromkeys(("precision", "recall", "f1", "jaccard", "levenshtein"), 1.0)
    half = {"precision": 1.0, "recall": 0.5, "f1": 2 / 3, "jaccard": 0.5, "levenshtein": 0.75}
    rows = [
        extracted(3, "correct", perfect),
        extracted(2, "wrong answer", half, "partial extraction"),
        extracted(2, "wrong answer", half, "partial extraction"),
        extracted(4, "truncated", None),
    ]
    names = ("precision", "recall", "F1", "Jaccard", "Levenshtein")
    assert values(rows, *names) == [0.75, 0.5, 0.5833, 0.5, 0.625]
    assert (figures(rows)["phrases matched"].value, figures(rows)["phrases matched"].n) == (5, 11)
    assert values(rows, "errors: partial extraction", "errors: complete failure") == [2, 1]


@pytest.mark.parametrize(
    ("expected", "answered", "distance"),
    [
        (["the door opens", "the alarm rings"], ["the alarm rings", "the door open"], 1 / 2),
        (["kitten"], ["sitting"], 3),
        # Capitals and the stop at the end are no spelling.
        (
            ["the door opens"],
            ["The door opens."],
            0,
        ),
        (["the door opens", "it rains"], ["the door opens"], len("it rains") / 2),
        (["the door opens"], ["the door opens", "it rains"], len("it rains") / 2),
        (["the door opens"], None, len("the door opens")),
    ],
)
def test_the_distance_of_phrases_is_counted_in_characters(
    expected: list[str], answered: list[str] | None, distance: float
) -> None:
    given = (
        None
        if answered is None
        else [[phrase, f"x{place}"] for place, phrase in enumerate(answered)]
    )
    pairs = [[phrase, f"x{place}"] for place, phrase in enumerate(expected)]
    rows = [asked("propositions", "wrong answer", propositions=pairs, scores=None, answered=given)]
    assert values(rows, "Levenshtein distance") == [distance]


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
    names = ("first right", "refined right", "kept", "corrected", "spoiled", "undecided")
    assert values(rows, *(f"refinement: {name}" for name in names)) == [5, 6, 4, 2, 1, 1]
    assert figures(rows)["refinement: kept"].n == 8


def test_errors_are_nobodys_answers() -> None:
    for rows in (TRANSLATIONS, WELL_FORMEDNESS, WRITTEN, JUDGED):
        error = changed(rows[0], outcome="error", answered=None, relation=None)
        assert figures([*rows, error]) == figures(rows)


@pytest.mark.parametrize(
    "outcome", [name for name, about in OUTCOMES.items() if about.kind != "error"]
)
@pytest.mark.parametrize("task", sorted(KINDS))
def test_no_outcome_and_no_missing_note_breaks_the_figures(task: str, outcome: str) -> None:
    assert figures([row(outcome, task=task)])


def test_a_round_trip_and_a_suite_of_errors_alone_have_no_figures() -> None:
    assert not task_blocks(row().suite, [row()])
    error = changed(TRANSLATIONS[0], outcome="error")
    assert not task_blocks(error.suite, [error])


_NUMBERS = count(1)


def chose(number: int | None, expected: int, edits: list[str], **notes: Any) -> Sample:
    notes = {"structured": True, "sentence": f"Sentence {next(_NUMBERS)}.", **notes}
    outcome = (
        "invalid answer" if number is None else "correct" if number == expected else "wrong answer"
    )
    keys = {
        "answered": number,
        "expected": expected,
        "edits": edits,
        "perturbations": len(edits) - 1,
    }
    return asked("most_similar_formulas", outcome, interface="structured", **keys, **notes)


def ranked(equivalence: bool, negation: bool, law: str) -> Sample:
    outcome = "correct" if equivalence and negation else "wrong answer"
    scores: dict[str, Any] = {
        "ranking_equivalence": equivalence,
        "ranking_negation": negation,
        "structured": True,
    }
    scores["sentence"] = f"Sentence {next(_NUMBERS)}."
    return asked(
        "ranking_english", outcome, interface="structured", law=law, perturbations=3, **scores
    )


def concluded(expected: str, answered: str | None) -> Sample:
    outcome = (
        "unreadable answer"
        if answered is None
        else "correct"
        if answered == expected
        else "wrong answer"
    )
    return asked(
        "entailment_english", outcome, interface="text", expected=expected, answered=answered
    )


def test_choices_tell_what_misled_and_whether_the_first_is_preferred() -> None:
    edits = ["quantifier", "reference", "connective"]
    rows = [
        chose(2, 2, edits),
        chose(2, 2, edits),
        chose(1, 2, edits),
        chose(3, 2, edits),
        chose(1, 1, ["reference", "negation"]),
        chose(None, 2, edits, problem="out of range"),
        asked(
            "most_similar_formulas",
            "truncated",
            interface="structured",
            edits=edits,
            perturbations=2,
        ),
        asked("most_similar_formulas", "error", interface="structured"),
    ]
    assert values(rows, "right", "valid answers") == [0.6, 5]
    assert values(rows, "not valid: out of range", "not valid: truncated") == [1, 1]
    assert values(rows, "misled by: connective", "misled by: quantifier") == [1, 1]
    assert values(rows, "first candidate chosen", "first candidate right") == [0.4, 0.2]
    assert table(rows, "perturbations") == [(1, 1), (2, 6)]


def test_repeats_of_an_item_are_one_item_and_what_keeps_to_no_schema_is_told() -> None:
    edits = ["reference", "quantifier"]
    rows = [
        chose(1, 1, edits, sentence="One.", repeat=repeat, structured=repeat == 0)
        for repeat in range(3)
    ]
    assert table(rows, "perturbations") == [(1, 1)]
    assert values(rows, "answered as text, not by the schema") == [2]


def test_rankings_have_three_scores_of_all_samples() -> None:
    rows = [
        ranked(equivalence=True, negation=True, law="De Morgan"),
        ranked(equivalence=True, negation=False, law="De Morgan"),
        ranked(equivalence=False, negation=True, law="commutativity"),
        asked(
            "ranking_english",
            "invalid answer",
            interface="structured",
            problem="not a permutation",
            perturbations=1,
        ),
    ]
    assert values(rows, "Ranking-Equivalence", "Ranking-Negation", "Ranking-Both") == [
        0.5,
        0.5,
        0.25,
    ]
    by_law = [f"Ranking-Equivalence by law: {law}" for law in ("De Morgan", "commutativity")]
    assert values(rows, *by_law) == [1.0, 0.0]
    assert values(rows, "not valid: not a permutation") == [1]
    assert table(rows, "perturbations") == [(1, 1), (3, 3)]


def test_entailments_have_a_matrix_of_three_labels() -> None:
    rows = [
        concluded("True", "True"),
        concluded("True", "Uncertain"),
        concluded("False", "False"),
        concluded("Uncertain", "Uncertain"),
        concluded("Uncertain", None),
    ]
    matrix = table(rows, "right labels (down) and given labels (across)")
    assert [cells[:4] for cells in matrix] == [
        ("True", 1, 0, 1),
        ("False", 0, 1, 0),
        ("Uncertain", 0, 0, 1),
    ]
    assert [cell.value for *_, cell in matrix if isinstance(cell, Figure)] == [0.5, 1.0, 1.0]
    assert values(rows, "accuracy", "unreadable", "macro F1") == [0.75, 1, 0.7778]


def test_a_signature_is_measured_symbol_by_symbol() -> None:
    whole: dict[str, Any] = {"symbols_precision": 1.0, "symbols_recall": 1.0, "symbols_f1": 1.0}
    partial: dict[str, Any] = {"symbols_precision": 1.0, "symbols_recall": 0.5, "symbols_f1": 0.8}
    partial |= {"missing": ["c"], "wrong_arity": ["C"]}
    rows = [
        asked("ontology_extraction", "correct", matched=[["A", "A"], ["b", "b"]], **whole),
        asked("ontology_extraction", "wrong answer", matched=[["A", "A"], ["C", "B"]], **partial),
        asked("ontology_extraction", "unreadable answer"),
    ]
    assert values(rows, "precision", "recall", "F1") == [0.6667, 0.5, 0.6]
    assert values(rows, "arity right", "symbols: missing", "symbols: surplus") == [0.75, 1, 0]


def test_le_is_shown_beside_the_verdict_with_its_correlation() -> None:
    scores = [(True, 1.0), (True, 1.0), (True, 0.75), (False, 1.0), (False, 0.5), (False, 0.25)]
    rows = [
        asked(
            "logical_translation",
            "equivalent" if equal else "different",
            le_score=score,
            syntactically_correct=True,
        )
        for equal, score in scores
    ]
    rows.append(
        asked("logical_translation", "unparseable", le_score=None, syntactically_correct=False)
    )
    found = figures(rows)
    expected = pointbiserialr([equal for equal, _ in scores], [score for _, score in scores])
    assert found["LE score: correlation with the verdict"].value == pytest.approx(
        expected.statistic
    )
    assert found["LE score: p"].value == pytest.approx(expected.pvalue)
    assert found["LE score: of different ones"].value == pytest.approx(1.75 / 3)
    assert (found["LE score: mean"].value, found["LE score: mean"].n) == (0.75, 6)


def test_a_kind_of_figures_that_the_run_adds_is_computed_for_its_tasks() -> None:
    registry = Registry()
    registry.add_figures(lambda samples: [Figure("answers", len(samples), "count")], "politeness")
    samples = [
        row(task="polite", figures="politeness", outcome=outcome)
        for outcome in ("correct", "error")
    ]
    (suite,) = suites_of(samples)
    with registry.active():
        assert added_figures([], suite).figures == [Figure("answers", 1, "count")]
    assert not added_figures([], suite).figures
    assert not task_blocks(suite, samples)
