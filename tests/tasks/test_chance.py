"""The chance of each task: the pass rate of a model that only guesses, as documented."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from pytest_autoeval.studies.first_order_translation.choices import CandidateTask
from pytest_autoeval.tasks import task, task_names
from pytest_autoeval.tasks.trial import Trial

CHANCES = {
    "judge": 1 / 2,
    "judge_trace": 1 / 2,
    "well_formed": 1 / 2,
    "write_trace": 1 / 2,
    "entailment_formulas": 1 / 3,
    "entailment_english": 1 / 3,
    "answer_question": 1 / 2,
}
OF_CANDIDATES = {
    "most_similar_formulas",
    "most_similar_english",
    "ranking_formulas",
    "ranking_english",
}


@pytest.mark.parametrize("name", [name for name in task_names() if name not in OF_CANDIDATES])
def test_each_task_has_its_chance(name: str) -> None:
    assert task(name).chance == pytest.approx(CHANCES.get(name, 0.0))


@pytest.mark.parametrize("count", [4, 6])
@pytest.mark.parametrize("name", sorted(OF_CANDIDATES))
def test_the_chance_among_candidates_is_that_of_a_lot(
    name: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = range(count)
    monkeypatch.setattr(CandidateTask, "candidates", lambda *_: tuple(map(str, numbers)))
    found = task(name).chance_of(object.__new__(Trial))
    if name.startswith("most_similar"):
        assert found == pytest.approx(1 / count)
    else:
        orders = [*itertools.permutations(numbers)]
        right = [order for order in orders if {*order[:2]} == {0, 1} and {*order[-2:]} == {2, 3}]
        assert found == pytest.approx(len(right) / len(orders))


def test_the_documentation_names_every_task_with_a_chance() -> None:
    text = (Path(__file__).parents[2] / "docs" / "reference" / "tasks.md").read_text(
        encoding="utf-8"
    )
    table = text.partition("## Chance\n")[2].partition("\n## ")[0]
    assert {*re.findall(r"`(\w+)`", table)} == {*CHANCES, *OF_CANDIDATES}
