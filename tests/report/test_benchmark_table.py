"""The table of the study's shape: tasks and data sets down, models and forms across, spread over repeats."""

from __future__ import annotations

from typing import Any

import pytest
from support.analyses import analyse
from support.result_rows import row
from support.screens import markdown

from pytest_autoeval.judging.gates import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.benchmark import benchmark
from pytest_autoeval.report.counterexample import Counterexample
from pytest_autoeval.statistics.repeats import Spread


def chose(outcome: str, form: str, model: str = "offline/one", **notes: Any) -> Sample:
    task = f"most_similar_{form}"
    about = {"suite": f"suites/test_{task}.py::test_{task}", "task": task, "form": form, "data_set": "blocks_world"}
    return row(outcome, model=model, way="zero-shot", **about, **notes)


def ranked(equivalence: bool, negation: bool, model: str = "offline/one") -> Sample:
    outcome = "correct" if equivalence and negation else "wrong answer"
    scores = {"ranking_equivalence": equivalence, "ranking_negation": negation}
    return row(
        outcome, model=model, task="ranking_english", form="english", data_set="folio", way="zero-shot", **scores
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


def lines_of(rows: list[Sample], width: int = 80) -> list[str]:
    return [line.text for line in benchmark_lines(benchmark(rows), width)]


def test_tasks_and_data_sets_stand_down_models_and_forms_across() -> None:
    assert lines_of(ROWS) == [
        "",
        "scores by form: NL in English, FOL in formulas",
        "                              offline/one  offline/two",
        "  task          data set         NL   FOL          FOL",
        "  Most similar  blocks_world    .50  1.00         1.00",
        "  Ranking-Eq.   folio          1.00     –            –",
        "  Ranking-Neg.  folio           .50     –            –",
        "  Ranking-Both  folio           .50     –            –",
    ]


def test_repeats_give_a_mean_and_a_standard_deviation() -> None:
    outcomes = ("correct", "correct", "wrong answer", "correct")
    rows = [chose(outcome, "english", repeat=at // 2) for at, outcome in enumerate(outcomes)]
    table = benchmark(rows)
    assert table is not None
    (line,) = table.lines
    assert lines_of(rows)[1].endswith("(mean ± standard deviation over repeats)")
    assert line.texts == [".75±.35"]


@pytest.mark.parametrize(
    ("mean", "text"), [(1.0, "1.00"), (0.9999, ".99"), (0.0, ".00"), (0.0001, ".01"), (0.845, ".84")]
)
def test_all_and_nothing_are_said_of_nothing_less(mean: float, text: str) -> None:
    assert cell_text(Spread(mean, None, 1)) == text


def test_more_models_than_a_line_has_room_for_go_on_below() -> None:
    rows = [chose("correct", form, model=f"model-number-{at}") for at in range(6) for form in ("english", "formulas")]
    lines = lines_of(rows)
    assert all(len(line) <= 80 for line in lines[2:])
    assert sum("Most similar" in line for line in lines) == 2


def test_the_table_is_in_the_markdown_too() -> None:
    text = markdown(analyse(ROWS, Rules()))
    assert "### Scores by form" in text
    assert "| Ranking-Eq. | `folio` | 1.00 | – | – |" in text


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
    lines = [line.text.strip() for line in counterexample_lines(example, 1, verbose=False, width=80)]
    assert "expected     1, 3 first, 2 last" in lines
    assert "answered     2, 1, 3" in lines
    assert "candidates   1. reference: P(a)" in lines
    assert "3. equivalent: ¬¬P(a)" in lines
