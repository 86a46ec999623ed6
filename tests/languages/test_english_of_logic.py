"""The English of propositional and first-order logic: what is said can be read back exactly, and holds no signs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.languages import EnglishError, language
from pytest_autoeval.languages.logic.english import describe, read
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Bottom,
    Equal,
    Exists,
    Forall,
    Iff,
    Implies,
    Not,
    Or,
    Sentence,
    Term,
    Top,
    Xor,
)

SIGNS = re.compile(r"[¬∧∨→↔⊕∀∃⊤⊥*|&~^]|formula", re.IGNORECASE)

#: Plain names, our own words, words that look like numbers or keywords, and names of other scripts.
NAMES = (
    *("p1", "p2", "P", "is_tall", "mary-ann", "Deane", "stew", "v", "2"),
    *("and", "or", "not", "it", "It", "holds", "the", "The", "terms", "some", "every", "both", "of", "true", "if"),
    *("größe", "o'brien", 'say "hi"', "back\\slash", "two words", "x,"),
)
names = st.sampled_from(NAMES)
terms = st.recursive(
    names.map(Term),
    lambda inner: st.builds(Term, names, st.lists(inner, min_size=1, max_size=3).map(tuple)),
    max_leaves=4,
)
propositions = st.one_of(names.map(Atom), st.sampled_from([Top(), Bottom()]))
atoms = st.one_of(
    propositions,
    st.builds(Atom, names, st.lists(terms, min_size=1, max_size=4).map(tuple)),
    st.builds(Equal, terms, terms),
)


def sentences(leaves: st.SearchStrategy[Sentence], *, quantified: bool) -> st.SearchStrategy[Sentence]:
    """Trees over these leaves, of every connective."""

    def grown(inner: st.SearchStrategy[Sentence]) -> st.SearchStrategy[Sentence]:
        nodes: list[st.SearchStrategy[Sentence]] = [st.builds(Not, inner)]
        nodes += [st.builds(kind, inner, inner) for kind in (And, Or, Xor, Implies, Iff)]
        if quantified:
            nodes += [st.builds(kind, names, inner) for kind in (Forall, Exists)]
        return st.one_of(nodes)

    return st.recursive(leaves, grown, max_leaves=20)


@given(sentences(propositions, quantified=False))
def test_propositional_descriptions_are_read_back_exactly(formula: Sentence) -> None:
    assert read(describe(formula)) == formula


@given(sentences(atoms, quantified=True))
def test_first_order_descriptions_are_read_back_exactly(formula: Sentence) -> None:
    assert read(describe(formula)) == formula


@given(sentences(atoms, quantified=True))
def test_layout_and_capitals_make_no_difference(formula: Sentence) -> None:
    flat = " ".join(describe(formula).split())
    assert read(flat.removesuffix(".")) == formula


@given(sentences(atoms, quantified=True))
def test_descriptions_hold_no_signs(formula: Sentence) -> None:
    assert not SIGNS.search(describe(formula))


p, q, r = Atom("p1"), Atom("p2"), Atom("p3")
x, c = Term("x1"), Term("c1")


@pytest.mark.parametrize(
    ("formula", "description"),
    [
        (p, "p1 holds."),
        (Not(p), "p1 does not hold."),
        (Not(Not(p)), "It is not the case that p1 does not hold."),
        (Not(And(p, Or(q, Not(r)))), "It is not the case that both p1 holds and either p2 holds or p3 does not hold."),
        (And(Or(p, q), r), "Both either p1 holds or p2 holds, and p3 holds."),
        (Or(Not(Not(p)), q), "Either it is not the case that p1 does not hold, or p2 holds."),
        (Or(Or(p, Not(q)), r), "At least one of these 3 is true: p1 holds, p2 does not hold, or p3 holds."),
        (Xor(p, q), "Exactly one of these 2 is true: p1 holds or p2 holds."),
        (Xor(Xor(p, q), r), "An odd number of these 3 are true: p1 holds, p2 holds, or p3 holds."),
        (Implies(p, q), "If p1 holds, then p2 holds."),
        (Iff(p, Top()), "It is the case that p1 holds exactly when the always true statement holds."),
        (Atom("and"), '"and" holds.'),
        (Atom("stew", (Term("Deane"),)), "stew holds of Deane."),
        (Not(Atom("pred2", (x, c))), "pred2 does not relate x1 to c1."),
        (Atom("pred3", (x, c, x)), "pred3 holds of the 3 terms x1, c1, and x1."),
        (Equal(Term("f", (x,)), Term("g", (x, c))), "The f of x1 equals the g of the 2 terms x1 and c1."),
        (
            Forall("x1", Exists("x2", Implies(Atom("P", (x,)), Atom("Q", (c,))))),
            "For every x1, there is some x2 such that if P holds of x1, then Q holds of c1.",
        ),
    ],
)
def test_small_formulas_make_one_plain_sentence(formula: Sentence, description: str) -> None:
    assert describe(formula) == description


def test_larger_formulas_are_laid_out_part_by_part() -> None:
    clause = Or(Or(p, Not(q)), r)
    assert describe(And(And(clause, Not(And(Or(p, q), Or(q, Implies(p, r))))), clause)).splitlines() == [
        "All 3 of these are true:",
        "  at least one of these 3 is true: p1 holds, p2 does not hold, or p3 holds;",
        "  it is not the case that both of these are true:",
        "    either p1 holds or p2 holds;",
        "    either p2 holds or if p1 holds, then p3 holds;",
        "  at least one of these 3 is true: p1 holds, p2 does not hold, or p3 holds.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("", "p1", "p1 holds p2 holds", "Both p1 holds.", "it holds", "p1 ∧ p2", "For every x1, ", "The f equals a."),
        *(
            "All 3 of these are true: p1 holds",
            "All 99999999999 of these are true: p1 holds",
            "p1 holds of",
            '"p1 holds',
        ),
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(EnglishError):
        read(text)


def test_a_language_reads_descriptions_of_its_own_formulas_only() -> None:
    description = language("first_order").describe(language("first_order").parse("∀x. P(x)"))
    assert str(language("first_order").read_description(description)) == "∀x. P(x)"
    with pytest.raises(EnglishError, match="no formula of the language 'propositional'"):
        language("propositional").read_description(description)


def test_a_language_need_not_have_english() -> None:
    strings = language("ltl_strings")
    with pytest.raises(EnglishError, match="the language 'ltl_strings' has no English for"):
        strings.describe(strings.parse("G x1"))
    with pytest.raises(EnglishError, match="the language 'ltl_strings' has no English"):
        strings.read_description("x1 holds.")
