"""Vacuous rules, collisions and exclusions: planted ones, and against the enumeration of small sets."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from support.planted_rules import NAMES, planted
from support.small_rule_sets import compare, random_rules

from pytest_autoeval.languages import language
from pytest_autoeval.requirements.rule_pairs import RuleFindings, examine_set


def examined(name: str, *texts: str, seconds: float = 60.0) -> RuleFindings:
    lang = language(name)
    return examine_set([lang.parse(text) for text in texts], lang, None, seconds)[1]


def test_a_lock_and_an_override_collide() -> None:
    found = examined("ltl", "G (locked -> !granted)", "G (override -> granted)")
    (collision,) = found.collisions.values()
    assert [*found.collisions] == [(1, 2)]
    assert (collision.core.numbers, collision.core.proved, collision.without) == (
        frozenset({1, 2}),
        "smallest",
        2,
    )
    assert str(collision.case).startswith("cycle{!granted & locked & override}")


@pytest.mark.parametrize("name", NAMES)
def test_exactly_what_is_planted_is_found(name: str) -> None:
    rules = planted(name, groups=0.5)
    found = examined(rules.language, *rules.formulas)
    assert {
        pair: collision.core.numbers for pair, collision in found.collisions.items()
    } == rules.collisions
    assert {
        number: vacuous.core.numbers for number, vacuous in found.vacuous.items()
    } == rules.vacuous
    assert found.excluded == rules.excluded
    assert not found.undecided
    assert len(rules.formulas) == 20
    assert len(set(rules.sentences)) == 20


@pytest.mark.parametrize(
    ("name", "sets"), [("propositional", 150), ("ltl", 120), ("first_order", 60)]
)
def test_small_random_sets_against_enumeration(name: str, sets: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(sets):
        result = compare(name, random_rules(random.Random(seed), name))
        assert not result.wrong
        counts += Counter(result.counts)
    assert counts["2 possible"] > 10
    assert counts["2 forbidden by several"]
    assert counts["2 excluded"]


def test_a_pair_that_one_rule_forbids_is_excluded_on_purpose() -> None:
    found = examined("ltl", "G (a -> b)", "G (c -> !b)", "G !(a & c)")
    assert found.excluded == {(1, 2): 3, (2, 3): 3}
    assert not found.collisions


def test_conditions_that_exclude_each_other_need_no_rule() -> None:
    found = examined("propositional", "a → b", "¬a → c")
    assert found.excluded == {(1, 2): None}


def test_a_vacuous_rule_collides_with_nothing() -> None:
    found = examined("ltl", "G (a -> b)", "G (a -> !b)", "G (c -> b)", "G (c -> d)")
    assert [*found.vacuous] == [1, 2]
    assert not found.collisions
    assert not found.all_vacuous


def test_a_repeated_rule_has_a_condition_of_its_own() -> None:
    """The second sentence has the meaning of the first one, and the opposite condition."""
    found = examined("propositional", "a → b", "¬b → ¬a", "c → d")
    assert sorted(found.rules) == [1, 2, 3]
    assert found.excluded == {(1, 2): 1}


def test_rules_with_several_variables_meet_in_any_of_their_things() -> None:
    borrowing = "∀x ∀y (Borrows(x, y) → Member(x))"
    assert not examined("first_order", borrowing, "∀x (Blocked(x) → ¬Member(x))").collisions
    types = ["∀x ∀y (Borrows(x, y) → Book(y))", "∀x (Blocked(x) → ¬Book(x))"]
    found = examined("first_order", borrowing, "∀x (Blocked(x) → ¬Member(x))", *types)
    assert (1, 2) in found.collisions


def test_after_the_end_of_the_time_all_questions_are_named() -> None:
    found = examined("ltl", "G (a -> b)", "G (c -> !b)", seconds=1e-9)
    assert found.undecided == {"conditions": [(1,), (2,)]}


def test_an_interruption_keeps_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    lang, asked = language("ltl"), iter(range(14))
    entails = type(lang).entails

    def interrupted(*arguments: Any, **options: Any) -> Any:
        if next(asked, None) is None:
            raise KeyboardInterrupt
        return entails(*arguments, **options)

    monkeypatch.setattr(type(lang), "entails", interrupted)
    texts = ["G (a -> b)", "G (c -> !b)", "G (d -> e)", "G (f -> !e)"]
    whole, found = examine_set([lang.parse(text) for text in texts], lang, None, 60.0)
    assert "interrupted" in (whole.stopped, found.stopped)


def test_a_witness_that_the_evaluator_rejects_shows_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lang = language("propositional")
    formulas = [lang.parse(text) for text in ("a → b", "c → ¬b")]
    monkeypatch.setattr(type(lang), "holds_in", lambda *_, **__: False)
    _, found = examine_set(formulas, lang, None, 60.0)
    assert not found.possible
    assert not found.collisions
