"""The shipped sentences of temporal logic: form, variety, and agreement of formula and sentence."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.lassos import short_lassos
from support.ltl_readings import FUTURE, PAST, PROPOSITIONS, Run, Steps, steps_of

from pytest_autoeval import language
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.nusmv import parse_nusmv
from pytest_autoeval.languages.ltl.syntax import (
    Always,
    Atom,
    Eventually,
    FutureOperator,
    Historically,
    Next,
    Once,
    PastOperator,
    Temporal,
    Unary,
    WeakYesterday,
    Yesterday,
)
from pytest_autoeval.languages.ltl.traces.lasso import Lasso

DATA = Path(__file__).parents[3] / "data"
LTL = language("ltl")
NAMES = ("x1", "x2", "x3", "x4")
Row = dict[str, Any]

#: Words whose removal makes a denied clause the positive one that is the proposition.
DENIALS = re.compile(r"\b(?:not|never) ", re.IGNORECASE)
#: What would be logical structure inside a proposition.
STRUCTURE = re.compile(
    r"\b(?:not|no|never|and|or|if|unless|until|either|neither|nor|before|after|always)\b"
)


def rows_of(name: str) -> list[Row]:
    return [
        json.loads(line)
        for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


FILES = {name: rows_of(name) for name in ("ltl_future", "ltl_past", "ltl_propositions")}
TEMPORAL = [*FILES["ltl_future"], *FILES["ltl_past"]]
ALL = [*TEMPORAL, *FILES["ltl_propositions"]]

each_file = pytest.mark.parametrize("name", FILES)
each_temporal_row = pytest.mark.parametrize("row", TEMPORAL, ids=[row["id"] for row in TEMPORAL])


@cache
def parsed(formula: str) -> Temporal:
    tree = LTL.parse(formula)
    assert isinstance(tree, Temporal)
    return tree


def nodes(formula: Temporal) -> Iterator[Temporal]:
    yield formula
    for child in formula.children():
        assert isinstance(child, Temporal)
        yield from nodes(child)


@dataclass(frozen=True, slots=True)
class Rolled:
    """A trace with what readings take of it."""

    lasso: Lasso
    run: Run
    steps: tuple[Steps, Steps, Steps, Steps]

    @classmethod
    def of(cls, lasso: Lasso) -> Rolled:
        run = Run.of(lasso)
        first, second, third, fourth = (steps_of(name, lasso, run) for name in NAMES)
        return cls(lasso, run, (first, second, third, fourth))


@cache
def traces(number: int) -> tuple[Rolled, ...]:
    """Traces of the first ``number`` atoms: all short ones of few atoms; dense, sparse and steady ones of any."""
    atoms = NAMES[:number]
    found = [*short_lassos(atoms, {1: 6, 2: 3}.get(number, 0))]
    draw = random.Random(number)
    for _ in range(80):
        length = draw.randint(1, 7)
        density = {name: draw.choice((0.08, 0.3, 0.5, 0.7, 0.92)) for name in atoms}
        states = [
            frozenset(name for name in atoms if draw.random() < density[name])
            for _ in range(length)
        ]
        prefix = draw.randrange(length)
        found.append(Lasso(atoms, tuple(states[:prefix]), tuple(states[prefix:])))
    return tuple(Rolled.of(lasso) for lasso in dict.fromkeys(found))


@cache
def values(formula: str, number: int) -> tuple[bool, ...]:
    """The formula's value on each trace: two formulas that differ here differ."""
    return tuple(holds(parsed(formula), rolled.lasso) for rolled in traces(number))


@each_file
def test_rows_have_their_keys_and_canonical_formulas_that_nusmv_reads_alike(name: str) -> None:
    for row in FILES[name]:
        assert list(row) == ["id", "sentence", "propositions", "formula", "pattern"], row["id"]
        formula = parsed(row["formula"])
        assert str(formula) == row["formula"], row["id"]
        assert parse_nusmv(row["formula"]) == formula, row["id"]


@each_file
def test_formulas_use_exactly_the_atoms_of_their_propositions(name: str) -> None:
    for row in FILES[name]:
        atoms = list(NAMES[: len(row["propositions"])])
        assert list(row["propositions"].values()) == atoms, row["id"]
        assert {node.name for node in nodes(parsed(row["formula"])) if isinstance(node, Atom)} == {
            *atoms
        }, row["id"]


@each_file
def test_propositions_are_positive_clauses_of_their_sentence_in_order_of_appearance(
    name: str,
) -> None:
    for row in FILES[name]:
        affirmed = DENIALS.sub("", row["sentence"]).lower()
        phrases = [phrase.lower() for phrase in row["propositions"]]
        places = [affirmed.find(phrase) for phrase in phrases]
        assert -1 not in places, row["id"]
        assert places == sorted(places), row["id"]
        assert not [phrase for phrase in phrases if STRUCTURE.search(phrase)], row["id"]
        assert not [pair for pair in itertools.permutations(phrases, 2) if pair[0] in pair[1]], row[
            "id"
        ]
        assert row["sentence"][0].isupper(), row["id"]
        assert row["sentence"].endswith("."), row["id"]


def test_there_are_enough_of_each_and_none_twice() -> None:
    assert len(FILES["ltl_future"]) >= 84
    assert len(FILES["ltl_past"]) >= 64
    assert len(FILES["ltl_propositions"]) >= 42
    assert len({row["id"] for row in ALL}) == len(ALL)
    assert len({row["sentence"].lower() for row in ALL}) == len(ALL)


@each_file
def test_each_file_keeps_to_its_operators(name: str) -> None:
    for row in FILES[name]:
        operators = [type(node) for node in nodes(parsed(row["formula"]))]
        past = any(issubclass(operator, PastOperator) for operator in operators)
        future = any(issubclass(operator, FutureOperator) for operator in operators)
        expected = {"ltl_past": (True, past and future), "ltl_propositions": (False, False)}.get(
            name, (False, future)
        )
        assert (past, future) == expected, row["id"]
        assert past or future or name != "ltl_future" or row["pattern"] == "initial", row["id"]


@each_temporal_row
def test_a_formula_agrees_with_its_sentence_and_is_not_trivial(row: Row) -> None:
    reading = {**FUTURE, **PAST}[row["id"]]
    number = len(row["propositions"])
    found = values(row["formula"], number)
    for rolled, value in zip(traces(number), found, strict=True):
        assert reading(rolled.run, *rolled.steps) == value, rolled.lasso
    assert set(found) == {True, False}


@pytest.mark.parametrize(
    "row", FILES["ltl_propositions"], ids=[row["id"] for row in FILES["ltl_propositions"]]
)
def test_a_propositional_formula_agrees_with_its_sentence(row: Row) -> None:
    found = set()
    for a, b, c, d in itertools.product((False, True), repeat=4):
        state = frozenset(name for name, value in zip(NAMES, (a, b, c, d), strict=True) if value)
        said = PROPOSITIONS[row["id"]](a, b, c, d)
        assert holds(parsed(row["formula"]), Lasso(NAMES, (), (state,))) == said
        found.add(said)
    assert found == {True, False}


@each_file
def test_each_formula_differs_from_its_neighbour_and_is_not_trivial(name: str) -> None:
    for row, neighbour in itertools.pairwise([*FILES[name], FILES[name][0]]):
        for other in ("true", "false", neighbour["formula"]):
            assert LTL.equivalent(row["formula"], other, timeout=10.0).outcome == "different", (
                row["id"],
                other,
            )


@pytest.mark.parametrize("name", ["ltl_future", "ltl_past"])
def test_no_two_formulas_of_a_file_mean_the_same(name: str) -> None:
    for left, right in itertools.combinations(FILES[name], 2):
        number = len(left["propositions"])
        if number == len(right["propositions"]):
            assert values(left["formula"], number) != values(right["formula"], number), (
                left["id"],
                right["id"],
            )


def test_neighbours_and_items_of_one_pattern_differ_in_meaning() -> None:
    """Few meanings can be told with two propositions and no time: across patterns some come twice."""
    rows = FILES["ltl_propositions"]
    alike = [
        pair for pair in itertools.combinations(rows, 2) if pair[0]["pattern"] == pair[1]["pattern"]
    ]
    for left, right in [*itertools.pairwise(rows), *alike]:
        if len(left["propositions"]) == len(right["propositions"]):
            number = len(left["propositions"])
            assert values(left["formula"], number) != values(right["formula"], number), (
                left["id"],
                right["id"],
            )


@pytest.mark.parametrize(("rows", "share"), [(FILES["ltl_future"], 0.9), (FILES["ltl_past"], 0.9)])
def test_the_usual_misreadings_change_the_meaning(rows: list[Row], share: float) -> None:
    """Always for eventually and back, and each next or previous step dropped: the faults that models are known for."""
    for misread in (exchanged, without_steps):
        touched = [
            (row, wrong)
            for row in rows
            if (wrong := misread(parsed(row["formula"]))) != parsed(row["formula"])
        ]
        changed = [row for row, wrong in touched if differs(row, wrong)]
        assert len(touched) >= 20
        assert len(changed) >= share * len(touched)


def differs(row: Row, wrong: Temporal) -> bool:
    number = len(row["propositions"])
    found = zip(traces(number), values(row["formula"], number), strict=True)
    return any(holds(wrong, rolled.lasso) != value for rolled, value in found)


def exchanged(formula: Temporal) -> Temporal:
    """Always for eventually, historically for once, and back."""
    swap: dict[type, type[Unary]] = {
        Always: Eventually,
        Eventually: Always,
        Once: Historically,
        Historically: Once,
    }
    rebuilt = rebuild(formula, exchanged)
    return (
        swap[type(rebuilt)](rebuilt.operand)
        if isinstance(rebuilt, Unary) and type(rebuilt) in swap
        else rebuilt
    )


def without_steps(formula: Temporal) -> Temporal:
    """Next and yesterday left out."""
    if isinstance(formula, Next | Yesterday | WeakYesterday):
        return without_steps(formula.operand)
    return rebuild(formula, without_steps)


def rebuild(formula: Temporal, change: Callable[[Temporal], Temporal]) -> Temporal:
    children = tuple(change(child) for child in formula.children() if isinstance(child, Temporal))
    return formula.with_children(children) if children else formula
