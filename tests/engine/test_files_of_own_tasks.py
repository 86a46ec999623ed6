"""A task of one's own over a file: formulas alone are asked, and a file with more says what to name instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval import (
    AutoevalError,
    DataSet,
    FormulaSyntaxError,
    Judgement,
    Message,
    Registry,
    SampleEnded,
    Task,
    judge_formula,
    pass_rate_test,
    run_suites,
)
from pytest_autoeval.tasks.trial import Trial


class Same(Task):
    """Formula → the same formula."""

    name = "same"

    def slots(self, trial: Trial) -> Mapping[str, Any]:
        return {"formula": str(trial.about.formula)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        return judge_formula(answer, trial, expected=str(trial.about.formula))


class Echo:
    """A model that repeats the prompt."""

    name = "echo"

    def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> str:
        _ = repeat
        return messages[-1].content


@pytest.fixture
def registry(here: Path) -> Registry:
    folder = here / "prompts" / "same"
    folder.mkdir(parents=True)
    text = 'system = "Repeat it."\nuser = "${formula}"\n'
    (folder / "propositional.toml").write_text(text, encoding="utf-8")
    own = Registry()
    own.add_task(Same())
    own.add_prompts("prompts")
    return own


def _asked(registry: Registry, source: str, **keywords: Any) -> list[tuple[str, str]]:
    test = pass_rate_test(source, task="same", **keywords)
    events = run_suites([test], [Echo()], registry=registry)
    samples = [event.sample for event in events if isinstance(event, SampleEnded)]
    return sorted((sample.formula, str(sample.outcome)) for sample in samples)


def _problem(registry: Registry, source: str, **keywords: Any) -> str:
    with pytest.raises(AutoevalError) as caught:
        _asked(registry, source, **keywords)
    return str(caught.value)


@pytest.mark.parametrize("keywords", [{}, {"language": "propositional"}])
def test_the_formulas_of_a_file_are_asked(
    here: Path, registry: Registry, keywords: dict[str, str]
) -> None:
    table = "formula,language\np1 → p2,propositional\np1 ∧ p2,propositional\n,propositional\n"
    (here / "rules.csv").write_text(table, encoding="utf-8")
    expected = [("p1 ∧ p2", "equivalent"), ("p1 → p2", "equivalent")]
    assert _asked(registry, "rules.csv", **keywords) == sorted(expected)


def test_a_file_that_a_data_set_reads_says_which_to_name(here: Path, registry: Registry) -> None:
    table = "sentence,formula\nx1 always holds.,G x1\nx2 holds once.,F x2\n"
    (here / "reqs.csv").write_text(table, encoding="utf-8")
    for keywords in ({}, {"language": "ltl"}):
        problem = _problem(registry, "reqs.csv", **keywords)
        assert "name the data set ltl_future" in problem
        assert "dataset=reqs.csv" in problem


def test_a_file_that_no_data_set_reads_says_how_to_make_items(
    here: Path, registry: Registry
) -> None:
    table = "sentence,formula\nRain makes wet.,rain → wet\nIt rains.,rain\n"
    (here / "say.csv").write_text(table, encoding="utf-8")
    problem = _problem(registry, "say.csv", language="propositional")
    assert 'DataSet.of("say", "propositional", [(formula, {"sentence": sentence}), …])' in problem
    assert "registry.add_data_set" in problem


@pytest.mark.parametrize(
    ("facts", "item"), [({}, "item 2"), ({"item": "R-7"}, "item 2 (id 'R-7')")]
)
def test_a_wrong_formula_of_a_list_is_named_with_its_item(facts: dict[str, str], item: str) -> None:
    entries: list[tuple[str, dict[str, str]]] = [("p1", {}), ("p1 ∧ → p2", facts)]
    with pytest.raises(FormulaSyntaxError) as caught:
        DataSet.of("rules", "propositional", entries)
    problem = str(caught.value)
    assert f"DataSet.of('rules'): the formula of {item} is not a formula" in problem
    assert "line 1, column 6: unexpected '→'" in problem
    assert "'p1 ∧ → p2'" in problem
