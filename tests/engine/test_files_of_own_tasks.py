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
from pytest_autoeval.datasets import DataSetError
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
    (here / "pairs.csv").write_text("formula,other,same\nG x1,!F !x1,yes\n", encoding="utf-8")
    for keywords in ({}, {"language": "ltl"}):
        problem = _problem(registry, "pairs.csv", **keywords)
        assert "name the data set judge_ltl" in problem
        assert "dataset=pairs.csv" in problem


def test_a_file_that_no_data_set_reads_says_how_to_make_items(
    here: Path, registry: Registry
) -> None:
    (here / "say.csv").write_text("formula,other,same\na|b,b|a,yes\n", encoding="utf-8")
    problem = _problem(registry, "say.csv", language="regex")
    assert 'DataSet.of("say", "regex", [(formula, {"other": other}), …])' in problem
    assert "registry.add_data_set" in problem


def test_formulas_beside_sentences_are_asked(here: Path, registry: Registry) -> None:
    table = "sentence,formula\nRain makes wet.,rain → wet\nIt rains.,rain ∧ rain\n"
    (here / "say.csv").write_text(table, encoding="utf-8")
    expected = [("rain ∧ rain", "equivalent"), ("rain → wet", "equivalent")]
    assert sorted(_asked(registry, "say.csv", language="propositional")) == sorted(expected)


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


WORDS = "id,formula\nr1,rain -> wet\nr2,cold & wet -> snow\nr3,not (a or b) -> c\nr4,a ->\n"


def test_a_row_in_words_leaves_the_language_in_doubt_and_a_test_may_name_it(
    here: Path, registry: Registry
) -> None:
    (here / "items.csv").write_text(WORDS, encoding="utf-8")
    problem = _problem(registry, "items.csv")
    assert "items.csv: its formulas are of propositional and of first_order and of ltl" in problem
    assert "add a column 'language'" in problem
    assert 'language="propositional" in the marker' in problem
    expected = [("rain → wet", "equivalent"), ("(cold ∧ wet) → snow", "equivalent")]
    assert _asked(registry, "items.csv", language="propositional") == sorted(expected)


def test_a_missing_prompt_and_an_unfit_file_name_the_row_that_decides(
    here: Path, registry: Registry
) -> None:
    (here / "items.csv").write_text("formula\nrain -> wet\nP(a) -> c\n", encoding="utf-8")
    row = "items.csv: its formulas are of first_order: line 3 (P(a) -> c) can be read in no other"
    problem = _problem(registry, "items.csv")
    assert "there is no prompt for the task 'same' and the language 'first_order'" in problem
    assert row in problem
    assert 'give language="…" in the marker' in problem
    with pytest.raises(AutoevalError, match="needs formulas of the language prop") as caught:
        list(run_suites("propositional", "offline/faithful", dataset="items.csv"))
    assert row in str(caught.value)
    # The test says the language: the row that is none of it is left out.
    expected = [("rain → wet", "equivalent")]
    assert _asked(registry, "items.csv", language="propositional") == expected


def test_pairs_that_name_no_language_are_of_the_judge_that_a_test_names(
    here: Path, registry: Registry
) -> None:
    (here / "their.csv").write_text("gold,answer\np1 & p2,p2 & p1\n", encoding="utf-8")
    columns = {"formula": "gold", "other": "answer"}
    problem = _problem(registry, "their.csv", language="propositional", columns=columns)
    assert "name the data set judge_propositional instead of the file" in problem
    assert "dataset=their.csv and columns=formula=gold,other=answer" in problem
    (here / "their.csv").write_text("gold,answer\nG a,a & X G a\n", encoding="utf-8")
    problem = _problem(registry, "their.csv", language="propositional", columns=columns)
    assert "no data set reads its rows in propositional" in problem
    assert "its formulas are of ltl: line 2 (G a) can be read in no other language" in problem
    judged = pass_rate_test("judge_propositional", task="judge")
    with pytest.raises(AutoevalError, match=r"fits the data set judge_prop.*line 2 \(G a\)"):
        list(run_suites(judged, "offline/faithful", dataset="their.csv", columns=columns))


def test_suites_of_two_languages_do_not_judge_the_same_pairs(here: Path) -> None:
    (here / "pairs.csv").write_text("formula,other\np1 & p2,p2 & p1\n", encoding="utf-8")
    tests = [pass_rate_test(f"judge_{name}", task="judge") for name in ("propositional", "ltl")]
    with pytest.raises(AutoevalError, match="run the suites of one language"):
        list(run_suites(tests, "offline/faithful", dataset="pairs.csv"))
    events = run_suites(tests[:1], "offline/faithful", dataset="pairs.csv")
    assert [event.sample.formula for event in events if isinstance(event, SampleEnded)] == [
        "p1 ∧ p2"
    ]


@pytest.mark.parametrize("keywords", [{}, {"language": "propositional"}])
def test_a_file_that_does_not_exist_is_named_first(
    here: Path, registry: Registry, keywords: dict[str, str]
) -> None:
    assert here.is_dir()
    assert _problem(registry, "item.csv", **keywords) == "item.csv: there is no such file"


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        (
            ["cold → snow"],
            "item 1 is 'cold → snow'; write a formula and its facts: (\"rain → wet\"",
        ),
        (["ab"], "item 1 is 'ab'; write a formula and its facts"),
        ([("a", {}), ("a", "b", "c")], "item 2 is ('a', 'b', 'c'); write a formula and its facts"),
        ([{"a": {}}], "item 1 is {'a': {}}; write a formula and its facts"),
        ([("a", None)], "item 1: the facts are None; write a dict"),
        ([("a", {}), ("b", "x")], "item 2: the facts are 'x'; write a dict"),
        ([(7, {})], "item 1: the formula is 7; write"),
        ({"a → b": {}}, "entries={'a → b': {}} is no list of items; write [("),
        ("a → b", "entries='a → b' is no list of items"),
        (None, "entries=None is no list of items"),
        (
            [("a", {"item": "x"}), ("b", {}), ("c", {"item": "x"})],
            "item 3 has the id 'x' of item 1",
        ),
    ],
)
def test_what_is_no_item_is_named(entries: Any, problem: str) -> None:
    with pytest.raises(DataSetError) as caught:
        DataSet.of("rules", "propositional", entries)
    assert str(caught.value).startswith(f"DataSet.of('rules'): {problem}")
