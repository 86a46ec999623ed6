"""Each fault, by what comes back of a formula; and that it is a fault, and no other."""

from __future__ import annotations

import pytest
from support.offline_conversations import SPEAKING, describe, read, round_trip

from pytest_autoeval.languages import Language, language, language_of
from pytest_autoeval.languages.copies import copied
from pytest_autoeval.models.offline import misreadings
from pytest_autoeval.models.offline.answering import formula_in
from pytest_autoeval.models.offline.offline_models import offline_models

#: The faults that describe a formula by a copy of it.
COPYING = ("leak", "echo", "code")
FORMULAS = (
    "p1",
    "¬p1",
    "p1 ∧ p2",
    "¬(p1 ∨ p2)",
    "(p1 ∨ ¬p2 ∨ p3) ∧ (p4 ∨ p5 ∨ p6)",
    "(p1 → p2) ↔ (p3 ⊕ ⊤)",
    "¬¬p1 ∧ ⊥",
    "pred1(c1)",
    "∀x1. ∃x2. (pred2(x1, x2) → ¬pred1(c1))",
    "a = b ∨ ¬(f(a) = b)",
    "∃x1. ∀x1. P(x1)",
    "stew(Deane)",
    *("0", "01", "1*0", "(01)*", "((0*1)*1)*0", "(0*)*"),
    "!p1",
    "p1 & p2",
    "G (p1 -> F p2)",
    "!(p1 U X p2)",
    "(p1 W p2) xor (p3 R true)",
    "H (Y p1 | Z p2)",
    *("O p1 <-> (p2 S p3)", "G (!p1 & p2 & p3)", "F (p1 T false)"),
)


def language_in(formula: str) -> Language:
    """The language that writes a formula so."""
    tree = formula_in(formula)
    assert tree is not None
    return language_of(tree)


@pytest.mark.parametrize("formula", FORMULAS)
def test_faithful_gives_back_every_formula(formula: str) -> None:
    given = round_trip("offline/faithful", formula)
    assert (given.text, given.finish_reason) == (formula, "stop")


@pytest.mark.parametrize("model", [name for name in SPEAKING if not name.endswith(COPYING)])
def test_all_describe_faithfully_but_those_that_copy(model: str) -> None:
    for formula in FORMULAS:
        assert describe(model, formula) == describe("offline/faithful", formula)


@pytest.mark.parametrize("formula", FORMULAS)
def test_only_those_that_copy_are_found_copying(formula: str) -> None:
    lang = language_in(formula)
    tree = lang.parse(formula)
    assert not copied(describe("offline/faithful", formula).text, tree, lang)
    if len(formula) > len("stew(Deane)"):
        for fault in COPYING:
            assert copied(describe(f"offline/{fault}", formula).text, tree, lang)


@pytest.mark.parametrize("model", ["offline/echo", "offline/code"])
@pytest.mark.parametrize("formula", FORMULAS)
def test_a_copy_is_read_back(model: str, formula: str) -> None:
    lang = language_in(formula)
    read_back = lang.read(round_trip(model, formula).text).formula
    assert read_back is not None
    assert lang.equivalent(read_back, formula).outcome == "equivalent"


#: A fault, a formula, and what comes back of it.
COMES_BACK = [
    ("negation-scope", "¬p1 ∧ p2", "¬(p1 ∧ p2)"),
    ("negation-scope", "¬(p1 ∧ p2)", "¬p1 ∧ p2"),
    ("negation-scope", "p1 ∧ ¬p2", "p1 ∧ ¬p2"),
    ("double-negation", "¬¬(p1 ∧ ¬¬p2)", "¬(p1 ∧ ¬p2)"),
    ("or-for-and", "(p1 ∨ p2) ∧ ¬(p3 ∧ p4)", "p1 ∨ p2 ∨ ¬(p3 ∨ p4)"),
    ("renamed-atoms", "¬p2 ∧ p5 ∧ ¬p6 ∧ p2", "¬p ∧ q ∧ ¬r ∧ p"),
    ("renamed-atoms", "p ∨ q", "r ∨ s"),
    ("constant-as-variable", "pred1(c1)", "∃c1. pred1(c1)"),
    (
        "constant-as-variable",
        "∀x1. ∃x2. (P(x1, c1) ∧ Q(f(c1)))",
        "∀x1. ∃x2. (P(x1, x2) ∧ Q(f(x2)))",
    ),
    ("quantifier-swap", "¬∃x1. ∀x2. P(x1, x2)", "¬∀x1. ∀x2. P(x1, x2)"),
    ("argument-swap", "∀x1. (P(x1, c1) → Q(c1))", "∀x1. (P(c1, x1) → Q(c1))"),
    ("exists-implies", "∃x. ∃y. (P(x) ∧ Q(y) ∧ R(x, y))", "∃x. ∃y. (P(x) → (Q(y) ∧ R(x, y)))"),
    ("forall-and", "∀x. (P(x) → ∀y. (Q(y) → R(x, y)))", "∀x. (P(x) ∧ ∀y. (Q(y) ∧ R(x, y)))"),
    ("forall-and", "P(a) → ∀x. Q(x)", "P(a) → ∀x. Q(x)"),
    ("only-if-reversed", "∀x. (P(x) → Q(x))", "∀x. (P(x) → Q(x))"),
    ("one-or-more", "(01)*0*", "01(01)*00*"),
    ("misplaced-star", "1*0", "10*"),
    ("misplaced-star", "(01)*1", "01*1"),
    ("unbalanced", "¬(p1 ∧ p2)", "(¬(p1 ∧ p2)"),
    ("empty", "p1", ""),
    ("globally-for-eventually", "G (p1 -> F p2)", "F (p1 -> G p2)"),
    ("dropped-next", "G (p1 -> X X p2)", "G (p1 -> p2)"),
    ("weak-until", "p1 U (p2 U p3)", "p1 W (p2 W p3)"),
    ("mis-scoped", "G (p1 & p2 & p3)", "G p1 & p2 & p3"),
    ("mis-scoped", "F (p1 & X (p2 | p3))", "F p1 & (X p2 | p3)"),
    ("yesterday-for-historically", "G (p1 -> Y p2)", "G (p1 -> H p2)"),
    ("new-atom", "G (p2 -> F (p1 & p2))", "G (event -> F (p1 & event))"),
    ("new-atom", "event U event1", "event2 U event1"),
    ("new-atom", "true U false", "true U false"),
    ("equals-for-iff", "G (p1 <-> X p2)", "G (p1 = X p2)"),
    ("leak", "¬(p1 ∧ p2)", "¬p1 ∧ p2"),
    ("leak", "∀x1. (P(x1, f(c1)) → Q)", "∀x1. P(x1, f(c1)) → Q"),
    ("leak", "(01)*", "01*"),
]


@pytest.mark.parametrize(("fault", "formula", "comes_back"), COMES_BACK)
def test_a_fault_shows_in_what_comes_back(fault: str, formula: str, comes_back: str) -> None:
    assert round_trip(f"offline/{fault}", formula).text == comes_back


#: The faults that lose the meaning of a formula: one needs a sentence, one only renames.
LOSING = {model.name for model in misreadings.BEHAVIOURS} - {
    "only-if-reversed",
    "renamed-atoms",
} | {"leak"}


@pytest.mark.parametrize("fault", sorted(LOSING))
def test_a_fault_loses_the_meaning(fault: str) -> None:
    formula, comes_back = next(
        (before, after) for name, before, after in COMES_BACK if name == fault
    )
    assert language_in(formula).equivalent(formula, comes_back).outcome == "different"


def test_the_leak_copies_signs_and_reads_plain_english_too() -> None:
    assert describe("offline/leak", "∀x1. P(x1)").text == "In signs: ∀x1. P(x1)"
    assert read("offline/leak", "p1 holds and p2 holds.").text == "p1 ∧ p2"


def test_truncated_stops_in_the_middle() -> None:
    given = round_trip("offline/truncated", "p1 ∧ p2")
    assert (given.text, given.finish_reason) == ("p1 ", "length")


def test_prose_gives_the_formula_and_then_its_parts() -> None:
    text = round_trip("offline/prose", "p1 ∧ ¬p2").text
    assert text == "The statement can be written as `p1 ∧ ¬p2`. It is made of:\n\n1. `p1`\n2. `¬p2`"


@pytest.mark.parametrize("fault", ["unbalanced", "empty", "refusal"])
@pytest.mark.parametrize("formula", FORMULAS)
def test_there_is_no_formula_in_some_answers(fault: str, formula: str) -> None:
    own = language_in(formula).name
    for name in ("ltl",) if own == "ltl" else ("propositional", "first_order", "regex"):
        assert language(name).read(round_trip(f"offline/{fault}", formula).text).formula is None


def test_every_model_is_listed_with_a_line() -> None:
    listed = dict(offline_models())
    assert list(listed) == [*SPEAKING, "offline/bag-of-words"]
    assert next(iter(listed)) == "offline/faithful"
    assert all(line and "\n" not in line for line in listed.values())
