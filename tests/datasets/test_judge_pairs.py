"""Pairs to judge: half of them equivalent, rightly labelled, indistinguishable by length or similarity."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import greenery
import pytest
import z3
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein
from support.independent_logic import in_z3
from support.lassos import random_lasso

from pytest_autoeval.datasets import DataSet, DataSetError, Item, data_set
from pytest_autoeval.datasets.data_set import DrawnDataSet
from pytest_autoeval.languages import Formula, FormulaSyntaxError, language
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.evaluate import TraceWitness, holds

#: Sizes that each set has formulas of, and the words of the grammar that every formula is built with.
SIZES = {
    "judge_propositional": (2, 4, 7),
    "judge_ksat": (2, 5, 8),
    "judge_first_order": (2, 4, 7),
    "judge_regex": (4, 6, 8),
    "judge_ltl": (2, 4, 7),
    "judge_past_ltl": (2, 4, 7),
}
EACH = 42


def made(name: str) -> DataSet:
    found = data_set(name)
    assert found is not None
    assert found.sizes is None
    return found


@cache
def drawn(name: str, size: int) -> list[Item]:
    return made(name).items(size, EACH, seed=11)


def items_of(name: str) -> list[Item]:
    return [item for size in SIZES[name] for item in drawn(name, size)]


def other_of(item: Item) -> Formula:
    """The second formula; its text is canonical, in the language's strict notation."""
    lang = language(item.language)
    formula = lang.parse(item.facts["other"])
    assert lang.format(formula) == item.facts["other"]
    return formula


@pytest.mark.parametrize("name", SIZES)
def test_half_of_the_pairs_mean_the_same(name: str) -> None:
    for size in SIZES[name]:
        items = drawn(name, size)
        assert [item.index for item in items] == list(range(EACH))
        assert {(item.grammar, item.operators, item.seed) for item in items} == {(name, size, 11)}
        for first, second in zip(items[::2], items[1::2], strict=True):
            assert first.formula == second.formula
            assert {first.facts["expected"], second.facts["expected"]} == {True, False}
        assert len({item.formula for item in items}) == EACH / 2
        # Either one comes first.
        assert 5 < sum(item.facts["expected"] for item in items[::2]) < EACH / 2 - 5
    for item in items_of(name):
        assert item.facts["pair"] == ("rewritten" if item.facts["expected"] else "edited")


@pytest.mark.parametrize("name", SIZES)
def test_the_two_formulas_are_written_otherwise_in_the_same_names(name: str) -> None:
    for item in items_of(name):
        other, lang = other_of(item), language(item.language)
        assert other != item.formula
        assert item.facts["other"] != item.text
        assert lang.foreign(other, item.vocabulary) == ()
        assert lang.foreign(item.formula, item.vocabulary) == ()


@pytest.mark.parametrize("name", SIZES)
def test_second_formulas_of_either_kind_are_of_the_same_sizes(name: str) -> None:
    lang = language(items_of(name)[0].language)
    sizes: dict[bool, Counter[Any]] = {True: Counter(), False: Counter()}
    for item in items_of(name):
        other = other_of(item)
        measures = lang.measure(other)
        nodes = sum(1 for _ in other.subformulas())
        sizes[item.facts["expected"]][
            measures["operators"], measures[lang.size_measure], nodes
        ] += 1
    assert sizes[True] == sizes[False]
    assert len(sizes[True]) > 5


@pytest.mark.parametrize("name", ["judge_propositional", "judge_ksat", "judge_first_order"])
def test_labels_of_logic_are_what_z3_says(name: str) -> None:
    unknown = 0
    for item in items_of(name)[::3]:
        solver = z3.Solver()
        solver.set("rlimit", 500_000)
        solver.add(in_z3(item.formula) != in_z3(other_of(item)))
        answer = str(solver.check())
        unknown += answer == "unknown"
        assert answer in ("unknown", "unsat" if item.facts["expected"] else "sat")
    assert unknown <= len(items_of(name)) / 60


def test_labels_of_regular_expressions_are_what_greenery_says() -> None:
    for item in items_of("judge_regex")[::3]:
        same = greenery.parse(item.text).equivalent(greenery.parse(item.facts["other"]))
        assert same is item.facts["expected"]


@pytest.mark.parametrize("name", ["judge_ltl", "judge_past_ltl"])
def test_labels_of_temporal_formulas_are_what_the_evaluator_says_of_traces(name: str) -> None:
    rng = random.Random(3)
    for item in items_of(name)[::2]:
        first, second = item.formula, other_of(item)
        assert isinstance(first, ltl.Temporal)
        assert isinstance(second, ltl.Temporal)
        if item.facts["expected"]:
            atoms = item.vocabulary.propositions
            for _ in range(42):
                trace = random_lasso(rng, atoms)
                assert holds(first, trace) is holds(second, trace)
        else:
            witness = language("ltl").equivalent(first, second).witness
            assert isinstance(witness, TraceWitness)
            assert holds(first, witness.lasso) is not holds(second, witness.lasso)


@pytest.mark.parametrize("name", SIZES)
def test_neither_formula_is_trivial(name: str) -> None:
    for item in items_of(name)[::6]:
        lang = language(item.language)
        for constant in lang.trivial(item.vocabulary.alphabet).values():
            assert lang.equivalent(item.formula, constant).outcome == "different"
            assert lang.equivalent(other_of(item), constant).outcome == "different"


#: What may be told of a pair without understanding it.
SIGNALS: dict[str, Callable[[str, str], float]] = {
    "length": lambda _first, second: len(second),
    "difference of lengths": lambda first, second: len(second) - len(first),
    "ratio": fuzz.ratio,
    "partial ratio": fuzz.partial_ratio,
    "ratio of sorted words": fuzz.token_sort_ratio,
    "ratio of sets of words": fuzz.token_set_ratio,
    "edit distance": Levenshtein.normalized_distance,
    "shared letters": lambda first, second: (
        (Counter(first) & Counter(second)).total() / len(second)
    ),
    "common beginning": lambda first, second: next(
        (at for at, (one, other) in enumerate(zip(first, second, strict=False)) if one != other), 0
    ),
    "negations": lambda first, second: (
        second.count("¬") + second.count("!") - first.count("¬") - first.count("!")
    ),
}


def best_in_hindsight(values: Sequence[float], labels: Sequence[bool]) -> float:
    """The accuracy of the threshold, in either direction, that happens to fit best."""
    best = 0.0
    for threshold in sorted(set(values)):
        right = sum(
            (value >= threshold) is label for value, label in zip(values, labels, strict=True)
        )
        best = max(best, right / len(labels), 1 - right / len(labels))
    return best


@pytest.mark.parametrize("signal", SIGNALS)
def test_no_threshold_distinguishes_the_pairs(signal: str) -> None:
    """The best threshold in hindsight is right in at most 55 % over all languages, in at most 62 % over any one.

    Chance alone gets that far: on 756 and on 126 pairs, a signal that says nothing exceeds 54.9 % and 62.1 % in one
    case of twenty (half the critical distance of Kolmogorov and Smirnov above one half).
    """
    values: list[float] = []
    labels: list[bool] = []
    for name in SIZES:
        mine = [SIGNALS[signal](item.text, item.facts["other"]) for item in items_of(name)]
        truth = [item.facts["expected"] for item in items_of(name)]
        assert best_in_hindsight(mine, truth) <= 0.62, name
        values += mine
        labels += truth
    assert best_in_hindsight(values, labels) <= 0.55


@pytest.mark.parametrize("name", SIZES)
def test_more_items_begin_with_the_same_and_another_seed_gives_others(name: str) -> None:
    def drawn(count: int, seed: int) -> list[tuple[str, Any]]:
        return [(item.text, item.facts) for item in made(name).items(5, count, seed)]

    long = drawn(14, 0)
    assert len(long) == 14
    assert drawn(7, 0) == long[:7]
    assert drawn(14, 1) != long
    with pytest.raises(DataSetError, match=f"{name} has no end"):
        made(name).items(5)


@pytest.mark.parametrize("name", SIZES)
def test_a_typed_formula_has_the_pair_that_it_was_drawn_with(name: str) -> None:
    drawn = made(name).items(5, 2, seed=4)
    typed = made(name).typed(drawn[0].text, seed=4)
    assert [item.facts["expected"] for item in typed] == [True, False]
    assert sorted(item.facts["other"] for item in typed) == sorted(
        item.facts["other"] for item in drawn
    )
    with pytest.raises(FormulaSyntaxError):
        made(name).typed("(((")


def test_formulas_that_cannot_be_written_otherwise_have_no_pair() -> None:
    assert made("judge_propositional").items(0, 4) == []
    assert made("judge_propositional").typed("p1") == []
    assert made("judge_regex").typed("0101") == []
    assert made("judge_ksat").items(1, 4) == []


@pytest.mark.parametrize(
    ("name", "vocabulary", "called", "names"),
    [
        ("judge_first_order", "english", "english", {"Barbara", "gardens", "hires"}),
        (
            "judge_propositional",
            ["__x", "is_true", "alarmeLevé", "q"],
            "custom-",
            {"__x", "is_true", "alarmeLevé", "q"},
        ),
        ("judge_regex", {"alphabet": "ab"}, "custom-", {"a", "b"}),
        ("judge_past_ltl", ["Motor.on", "and_more"], "custom-", {"Motor.on", "and_more"}),
    ],
)
def test_the_names_of_drawn_pairs_can_be_chosen(
    name: str, vocabulary: Any, called: str, names: set[str]
) -> None:
    dataset = made(name)
    assert isinstance(dataset, DrawnDataSet)
    items = dataset.over(vocabulary).items(5, 12, seed=2)
    lang = language(dataset.language)
    assert sum(item.facts["expected"] for item in items) == 6
    for item in items:
        same = lang.equivalent(item.formula, other_of(item)).outcome == "equivalent"
        assert item.facts["expected"] is same
        assert item.vocabulary_name.startswith(called)
        used = lang.symbols(item.formula)
        assert not {"p1", "pred1", "c1", "0"} & {*used.names, *used.alphabet}
    known = items[0].vocabulary
    assert names <= {*known.names, *known.alphabet}
    # The data set itself is unchanged.
    assert {item.vocabulary_name for item in dataset.items(5, 2)} == {"default"}
