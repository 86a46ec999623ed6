"""The table of the study's shape: tasks and data sets down, models and forms across, spread over repeats."""

from __future__ import annotations

from typing import Any

from support.analyses import analyse
from support.result_rows import row
from support.screens import markdown, texts

from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.counterexample import Counterexample


def chose(outcome: str, form: str, model: str = "offline/one", **notes: Any) -> Sample:
    task = f"most_similar_{form}"
    about = {
        "suite": f"suites/test_{task}.py::test_{task}",
        "task": task,
        "form": form,
        "data_set": "blocks_world",
    }
    return row(outcome, model=model, way="zero-shot", **about, **notes)


def ranked(equivalence: bool, negation: bool, model: str = "offline/one") -> Sample:
    outcome = "correct" if equivalence and negation else "wrong answer"
    scores = {"ranking_equivalence": equivalence, "ranking_negation": negation}
    return row(
        outcome,
        model=model,
        task="ranking_english",
        form="english",
        data_set="folio",
        way="zero-shot",
        **scores,
    )


ROWS = [
    chose("correct", "english"),
    chose("wrong answer", "english"),
    chose("correct", "formulas"),
    chose("error", "formulas"),
    chose("correct", "formulas", model="offline/two"),
    ranked(equivalence=True, negation=False),
    ranked(equivalence=True, negation=True),
]


def test_tasks_and_data_sets_stand_down_models_and_forms_across() -> None:
    lines = texts(analyse(ROWS, Rules()), verbosity=1, width=100)
    start = lines.index("scores by form: NL in English, FOL in formulas")
    assert [line.split() for line in lines[start + 1 : start + 8]] == [
        ["headings", "begin", "with", "offline/"],
        ["one", "two"],
        ["task", "data", "set", "NL", "FOL", "FOL"],
        ["Most", "similar", "blocks_world", "50.0", "%", "100.0", "%", "100.0", "%"],
        ["Ranking-Eq.", "folio", "100.0", "%", "–", "–"],
        ["Ranking-Neg.", "folio", "50.0", "%", "–", "–"],
        ["Ranking-Both", "folio", "50.0", "%", "–", "–"],
    ]
    assert not any("scores by form" in line for line in texts(analyse(ROWS, Rules())))


def test_the_table_is_in_the_markdown_too() -> None:
    text = markdown(analyse(ROWS, Rules()))
    assert "### scores by form" in text
    assert "| Ranking-Eq. | `folio` | 100.0 % | – | – |" in text


def test_a_ranking_that_failed_is_shown_with_its_candidates() -> None:
    ranked = row(
        "wrong answer",
        task="ranking_formulas",
        form="formulas",
        sentence="Every cube is small.",
        candidates=["P(a)", "¬P(a)", "¬¬P(a)"],
        candidates_english=["A is P.", "A is not P.", "It is not the case that a is not P."],
        kinds=["reference", "negation", "equivalent"],
        expected=[[1, 3], [2]],
        answered=[2, 1, 3],
        translation=None,
    )
    example = Counterexample(sample=ranked, shrunk=None, command="pytest …")
    lines = [
        line.strip()
        for line in texts(analyse([ranked], Rules(), counterexamples=[example]), verbosity=1)
    ]
    assert "expected     1, 3 first, 2 last" in lines
    assert "answered     2, 1, 3" in lines
    assert "candidates   1. reference: P(a)" in lines
    assert "3. equivalent: ¬¬P(a)" in lines
