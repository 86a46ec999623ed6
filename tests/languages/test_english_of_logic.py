"""The English of propositional and first-order logic is read back exactly, and has no signs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.logic_formulas import grown

from pytest_autoeval.languages import EnglishError, language
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.english import ENGLISH

SIGNS = re.compile(r"[¬∧∨→↔⊕∀∃⊤⊥*|&~^]|formula", re.IGNORECASE)

#: Plain names, our own words, words that look like numbers or keywords, and names of other scripts.
NAMES = (
    *("p1", "P", "is_tall", "mary-ann", "Deane", "v", "2", "größe", "o'brien", "zoë"),
    *("it", "It", "holds", "the", "The", "terms", "either", "every", "both", "of", "true", "does"),
)
names = st.sampled_from(NAMES)
terms = st.recursive(
    names.map(fol.Term),
    lambda inner: st.builds(fol.Term, names, st.lists(inner, min_size=1, max_size=3).map(tuple)),
    max_leaves=4,
)
propositions = st.one_of(names.map(fol.Atom), st.sampled_from([fol.Top(), fol.Bottom()]))
atoms = st.one_of(
    propositions,
    st.builds(fol.Atom, names, st.lists(terms, min_size=1, max_size=4).map(tuple)),
    st.builds(fol.Equal, terms, terms),
)


quantified = st.tuples(st.sampled_from([fol.Forall, fol.Exists]), names)
formulas = grown(propositions, 20) | grown(atoms, 20, quantified)


@given(formulas)
def test_descriptions_are_read_back_exactly_and_hold_no_signs(formula: fol.Sentence) -> None:
    description = ENGLISH.describe(formula)
    assert ENGLISH.read(description) == ENGLISH.read(description.replace(" ", "\n  ")) == formula
    assert not SIGNS.search(description)


p, q, r = fol.Atom("p1"), fol.Atom("p2"), fol.Atom("p3")
x, c = fol.Term("x1"), fol.Term("c1")


@pytest.mark.parametrize(
    ("formula", "description"),
    [
        (p, "p1 holds."),
        (fol.Not(fol.Not(p)), "It is not the case that p1 does not hold."),
        (
            fol.Not(fol.And(p, fol.Or(q, fol.Not(r)))),
            "It is not the case that both p1 holds and either p2 holds or p3 does not hold.",
        ),
        (fol.And(fol.Or(p, q), r), "Either p1 holds or p2 holds, and p3 holds."),
        (
            fol.Xor(fol.Xor(p, q), r),
            "Exactly one of these holds: exactly one of these holds: p1 holds or p2 holds, or p3 holds.",
        ),
        (fol.Implies(fol.Implies(p, q), r), "If (if p1 holds, then p2 holds), then p3 holds."),
        (fol.Iff(p, fol.Top()), "p1 holds if and only if the always true statement holds."),
        (fol.Atom("and"), "“and” holds."),
        (fol.Not(fol.Atom("pred2", (x, c))), "pred2 does not relate x1 to c1."),
        (fol.Atom("pred3", (x, c, x)), "pred3 holds of the 3 terms x1, c1 and x1."),
        (
            fol.Equal(fol.Term("f", (x,)), fol.Term("g", (x, c))),
            "The f of x1 equals the g of the 2 terms x1 and c1.",
        ),
        (
            fol.Forall(
                "x1", fol.Exists("x2", fol.Implies(fol.Atom("P", (x,)), fol.Atom("Q", (c,))))
            ),
            "For every x1, there is some x2 such that if P holds of x1, then Q holds of c1.",
        ),
    ],
)
def test_descriptions_are_plain_sentences(formula: fol.Sentence, description: str) -> None:
    assert ENGLISH.describe(formula) == description


@pytest.mark.parametrize(
    "text",
    [
        "",
        "p1",
        "p1 holds",
        "p1 holds p2 holds.",
        "Both p1 holds.",
        "it holds.",
        "p1 ∧ p2.",
        "For every x1, .",
        "The f equals a.",
        "p1 holds of.",
        "“p1 holds.",
        "“x, y” holds.",
        "P holds of the 2 terms x.",
        "P1 holds and",
        "P holds of the 99999999999 terms x and y.",
        "p1 holds and " * 9_000 + "p1 holds.",
        "(" * 90_000,
        *("P holds of " + "the f of " * 20_000 + "x.", "for every x, " * 9_000 + "P holds of x."),
    ],
    ids=lambda text: text[:40],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(EnglishError):
        ENGLISH.read(text)


def test_a_language_reads_descriptions_of_its_own_formulas_only() -> None:
    description = language("first_order").describe(language("first_order").parse("∀x. P(x)"))
    assert str(language("first_order").read_description(description)) == "∀x. P(x)"
    with pytest.raises(EnglishError, match="not in the language 'propositional'"):
        language("propositional").read_description(description)


def test_a_language_need_not_have_english() -> None:
    strings = language("ltl_strings")
    with pytest.raises(EnglishError, match="the language 'ltl_strings' has no English for"):
        strings.describe(strings.parse("G x1"))
    with pytest.raises(EnglishError, match="the language 'ltl_strings' has no English"):
        strings.read_description("x1 holds.")
