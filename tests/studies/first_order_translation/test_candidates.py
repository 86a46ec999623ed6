"""Candidates are what they claim, by the verifier, by brute force and by z3, which share no code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from support.independent_logic import edits_between, holds_in, is_refuted, profile

from pytest_autoeval import sample_formulas
from pytest_autoeval.languages import Vocabulary, language
from pytest_autoeval.languages.logic.glosses import derived_ontology
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Bottom,
    Equal,
    Exists,
    Forall,
    Iff,
    Not,
    Or,
    Sentence,
    Top,
)
from pytest_autoeval.studies.first_order_translation import candidates
from pytest_autoeval.studies.first_order_translation.candidates import (
    CandidateFormula,
    RankingCandidates,
    most_similar,
    ranking_set,
)

FIRST_ORDER = language("first_order")
PREDICATES = {"P": 1, "Q": 1, "R": 2}
CONSTANTS = ("a", "b")
NAMES = Vocabulary(
    predicates=tuple(PREDICATES.items()), constants=CONSTANTS, variables=tuple("xyzuvwts")
)

#: Beside the shipped grammar, which has neither of →, ↔, ⊕ nor quantifiers inside.
WIDE = """// language: first_order
start: ATOM
     | "¬" start
     | "(" start "∧" start ")"
     | "(" start "∨" start ")"
     | "(" start "→" start ")"
     | "(" start "↔" start ")"
     | "(" start "⊕" start ")"
     | "(" "∀" VARIABLE "." start ")"
     | "(" "∃" VARIABLE "." start ")"

ATOM: /[A-Za-z_]\\w*(\\([^()]*\\))?/
VARIABLE: /[A-Za-z_]\\w*/
%ignore " "
"""

#: Operators, and how many formulas of them: 350 of the shipped grammar.
NARROW_SIZES = ((1, 20), (2, 50), (3, 60), (4, 55), (5, 55), (6, 40), (7, 35), (8, 35))
WIDE_SIZES = ((1, 20), (2, 20), (3, 20), (4, 20), (6, 30))


def tree(text: str) -> Sentence:
    found = FIRST_ORDER.parse(text)
    assert isinstance(found, Sentence)
    return found


def drawn(grammar: str | Path, sizes: tuple[tuple[int, int], ...]) -> Iterator[Sentence]:
    for operators, count in sizes:
        found = sample_formulas(grammar, operators, count, seed=operators, vocabulary=NAMES)
        assert len(found) == count
        for formula in found:
            assert isinstance(formula, Sentence)
            yield formula


@pytest.fixture(scope="module", params=["first_order", "wide"])
def formulas(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> list[Sentence]:
    if request.param == "first_order":
        return list(drawn("first_order", NARROW_SIZES))
    path = tmp_path_factory.mktemp("grammar") / "wide.lark"
    path.write_text(WIDE, encoding="utf-8")
    return [*drawn(path, WIDE_SIZES), *with_equality()]


def with_equality() -> list[Sentence]:
    texts = (
        "∃x. (P(x) ∧ ∀y. (P(y) → x = y))",
        "∃x. ∃y. (¬(x = y) ∧ P(x) ∧ P(y))",
        "∀x. (x = a ∨ x = b ∨ Q(x))",
        "∀x. ∀y. ((R(x, y) ∧ R(y, x)) → x = y)",
        "¬(a = b) ↔ R(a, b)",
    )
    return list(map(tree, texts))


@cache
def meaning(formula: Sentence) -> tuple[tuple[int, ...], ...]:
    """A formula's value in every model of one and two elements."""
    return tuple(profile(formula, PREDICATES, CONSTANTS, size) for size in (1, 2))


def assert_different(left: Sentence, right: Sentence) -> None:
    """That the verifier finds a model in which they differ, which they do in truth."""
    verdict = FIRST_ORDER.equivalent(left, right)
    assert verdict.outcome == "different", (str(left), str(right))
    assert verdict.witness is not None
    model = verdict.witness.to_json()
    assert holds_in(left, model) is model["left"] is not model["right"]
    assert holds_in(right, model) is model["right"]


def assert_all_different(formulas: list[Sentence]) -> None:
    """That every two differ in a model of one or two elements, or else in one that the verifier finds."""
    for left, right in combinations(formulas, 2):
        if meaning(left) == meaning(right):
            assert_different(left, right)


def assert_equivalent(left: Sentence, right: Sentence) -> bool:
    """That two formulas mean the same, by all that can tell; whether z3 could, too, which never says otherwise."""
    assert FIRST_ORDER.equivalent(left, right).outcome == "equivalent", (str(left), str(right))
    assert meaning(left) == meaning(right), (str(left), str(right))
    refuted = is_refuted(Not(Iff(left, right)))
    assert refuted is not False, (str(left), str(right))
    return refuted is True


def assert_trivial(formula: Sentence) -> None:
    """That a formula holds in all models of one and two elements, or in none."""
    always = {meaning(Top()), meaning(Bottom())}
    assert meaning(formula) in always
    assert True in {is_refuted(formula), is_refuted(Not(formula))}


def assert_texts_differ(candidates: tuple[CandidateFormula, ...]) -> None:
    texts = [str(candidate.formula) for candidate in candidates]
    assert len(set(texts)) == len(texts)
    assert [tree(text) for text in texts] == [candidate.formula for candidate in candidates]


def test_options_are_what_they_claim(formulas: list[Sentence]) -> None:
    sizes: Counter[int] = Counter()
    formulas = formulas[::2]
    for formula in formulas:
        chosen = most_similar(formula, seed=1)
        if isinstance(chosen, str):
            assert chosen in {"tautology", "contradiction"}
            assert_trivial(formula)
            continue
        assert_texts_differ(chosen)
        assert [other for kind, other in chosen if kind == "reference"] == [formula]
        for kind, other in chosen:
            assert list(edits_between(formula, other)) == ([] if kind == "reference" else [kind])
            if kind != "reference":
                assert_different(formula, other)
        assert_all_different([other for _, other in chosen])
        sizes[len(chosen) - 1] += 1
    assert max(sizes) == 8
    assert sizes[8] > len(formulas) / 3


def test_ranked_candidates_are_what_they_claim(formulas: list[Sentence]) -> None:
    laws: Counter[str] = Counter()
    proofs: list[bool] = []
    for formula in formulas:
        made = ranking_set(formula, seed=1)
        if isinstance(made, str):
            if made == "no negation normal form":
                assert isinstance(formula, Atom | Equal)
            else:
                assert made in {"tautology", "contradiction"}
                assert_trivial(formula)
            continue
        proofs += assert_ranking(formula, made)
        laws[made.law] += 1
    assert {"De Morgan", "commutativity", "distributivity", "double negation"} <= set(laws)
    assert sum(proofs) > 0.95 * len(proofs)


def assert_ranking(formula: Sentence, made: RankingCandidates) -> list[bool]:
    """That a ranking is what it claims; for its equivalent and its normal form, whether z3 has proved it."""
    assert_texts_differ(made.candidates)
    by_kind: dict[str, list[Sentence]] = {}
    for kind, other in made.candidates:
        by_kind.setdefault(kind, []).append(other)
    perturbed = by_kind.pop("perturbation", [])
    assert by_kind.pop("reference") == [formula]
    assert by_kind.pop("negation") == [Not(formula)]
    [normal], [equivalent] = by_kind.pop("negation normal form"), by_kind.pop("equivalent")
    assert not by_kind
    assert len(perturbed) <= 3
    proofs = [assert_equivalent(formula, equivalent), assert_equivalent(Not(formula), normal)]
    assert meaning(formula) != meaning(normal)
    for node in normal.subformulas():
        assert isinstance(node, And | Or | Forall | Exists | Atom | Equal) or (
            isinstance(node, Not) and isinstance(node.operand, Atom | Equal)
        )
    for other in perturbed:
        [_] = edits_between(formula, other)
        assert_different(formula, other)
        assert_different(Not(formula), other)
    assert_all_different([formula, Not(formula), *perturbed])
    first, last = made.expected
    assert [made.candidates[number - 1].formula for number in first] in (
        [formula, equivalent],
        [equivalent, formula],
    )
    assert {made.candidates[number - 1].kind for number in last} == {
        "negation",
        "negation normal form",
    }
    return proofs


@pytest.mark.parametrize(
    ("text", "choosing", "ranking"),
    [
        ("P(a) ∨ ¬P(a)", "tautology", "tautology"),
        ("∃x. (P(x) ∧ ¬P(x))", "contradiction", "contradiction"),
        ("P(a)", None, "no negation normal form"),
        ("¬P(a)", None, None),
        (" ∧ ".join(f"P(c{index})" for index in range(100)), "too large", "too large"),
    ],
)
def test_why_there_is_nothing(text: str, choosing: str | None, ranking: str | None) -> None:
    formula = tree(text)
    found = most_similar(formula), ranking_set(formula)
    assert [one if isinstance(one, str) else None for one in found] == [choosing, ranking]


def test_formulas_with_only_infinite_models_are_undecided() -> None:
    order = "(∀x. ∃y. R(x, y)) ∧ (∀x. ¬R(x, x)) ∧ (∀x. ∀y. ∀z. ((R(x, y) ∧ R(y, z)) → R(x, z)))"
    assert most_similar(tree(order)) == ranking_set(tree(order)) == "undecided"


def test_no_perturbation_that_means_the_same_is_used() -> None:
    # Switching a quantifier or writing ∧ changes nothing; whatever else is edited makes a tautology.
    chosen = most_similar(tree("∀x. ∃y. (P(a) ∨ P(a))"), count=50)
    assert not isinstance(chosen, str)
    [edited] = [other for kind, other in chosen if kind != "reference"]
    assert FIRST_ORDER.equivalent(edited, Top()).outcome == "equivalent"


def test_fewer_are_used_where_fewer_are_asked_for() -> None:
    formula = tree("∀x. ((P(x) ∧ Q(x)) → ∃y. R(x, y))")
    assert [len(most_similar(formula, count=count)) for count in (1, 3, 8)] == [2, 4, 9]
    made = [ranking_set(formula, count=count) for count in (0, 1, 3)]
    assert [len(found.candidates) - 4 for found in made if not isinstance(found, str)] == [0, 1, 3]


def test_no_two_candidates_are_shown_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = tree("∀x. ((P(x) ∧ Q(x)) → ∃y. R(x, y))")
    ontology = derived_ontology([formula])
    assert "quantifier" in {kind for kind, _ in chosen_of(formula, count=50, ontology=ontology)}
    monkeypatch.setattr(
        candidates, "_in_english", lambda formula, _: str(formula).replace("∃", "∀")
    )
    assert "quantifier" not in {kind for kind, _ in chosen_of(formula, count=49, ontology=ontology)}


def chosen_of(formula: Sentence, **how: Any) -> tuple[CandidateFormula, ...]:
    found = most_similar(formula, **how)
    assert not isinstance(found, str)
    return found


def test_the_seed_chooses_and_shuffles() -> None:
    formula = tree("∀x. ((P(x) ∧ Q(x)) → ∃y. (R(x, y) ∨ R(y, x)))")
    chosen = [chosen_of(formula, seed=seed) for seed in range(20)]
    assert len({frozenset(found) for found in chosen}) > 10
    assert len({[kind for kind, _ in found].index("reference") for found in chosen}) > 4
    ranked = [ranking_set(formula, seed=seed) for seed in range(20)]
    assert len({str(found.expected) for found in ranked if not isinstance(found, str)}) > 10
    assert {found.law for found in ranked if not isinstance(found, str)} == {
        "commutativity",
        "double negation",
        "implication",
    }
