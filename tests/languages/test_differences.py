"""Where two formulas differ: the marked parts of their texts, for all four languages."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.logic_formulas import first_order, propositional
from support.ltl_formulas import formulas as ltl_formulas
from support.regex_expressions import expressions

from pytest_autoeval.languages import language
from pytest_autoeval.languages.base import Formula, places, replaced_at
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.ltl_strings import LANGUAGE as STRINGS
from pytest_autoeval.languages.regex.syntax import Star
from pytest_autoeval.languages.tree_edits import Span

FORMULAS = {
    "propositional": propositional(),
    "first_order": first_order(),
    "ltl": ltl_formulas(),
    "regex": expressions(),
}


def marked(text: str, spans: list[Span]) -> str:
    """The text with brackets «» around each span."""
    for start, end in reversed(spans):
        text = f"{text[:start]}«{text[start:end]}»{text[end:]}"
    return text


def unmarked(text: str, spans: list[Span]) -> Counter[str]:
    """How often each character stands outside the spans, without those that only group."""
    covered = {place for start, end in spans for place in range(start, end)}
    return Counter(
        sign for place, sign in enumerate(text) if place not in covered and sign not in " (),"
    )


@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        ("propositional", "«¬»p11 ∧ p5", "«¬»(p11 ∧ p5)"),
        ("propositional", "(p → q) ∧ (r «↔» ¬s)", "(p → q) ∧ (r «⊕» ¬s)"),
        ("propositional", "p ∧ (q ∨ r) ∧ s", "s ∧ (r ∨ q «∨ t») ∧ p"),
        ("propositional", "«p ∧» (q ∨ r)", "(«p ∧» q) ∨ r"),
        ("propositional", "«p» → «q»", "«q» → «p»"),
        ("propositional", "¬«¬»p", "¬p"),
        ("propositional", "«p»", "«q»"),
        ("propositional", "p ∨ («¬»q ∨ ¬r)", "p ∨ «¬»(q ∨ ¬r)"),
        ("first_order", "∀x. (P(x) → ∃y. R(«x», «y»))", "∀a. (P(a) → ∃b. R(«b», «a»))"),
        ("first_order", "«∀x». ∃y. R(x, y)", "∃y. «∀x». R(x, y)"),
        ("first_order", "«∀x». ∃y. Q(y)", "∃z. Q(z)"),
        ("first_order", "∀x. (P(x) «→» Q(f(«x»)))", "∀x. (P(x) «∧» Q(f(«a»)))"),
        ("first_order", "«a» = b", "b = «c»"),
        ("first_order", "P(a, «b»)", "P(a)"),
        ("ltl", "G (a -> «F» b)", "G (a -> «X» b)"),
        ("ltl", "G (a -> F b)", "«F» G (a -> F b)"),
        ("regex", "(01)*0*1", "(01)*0*1«0»"),
        ("regex", "(0|1)«*»1«1»", "(0|1)«+»1"),
        ("regex", "a(b«|c»|d)«{2,3}»", "a(d|b)«{2,}»"),
    ],
)
def test_the_smallest_differing_parts_are_marked(name: str, left: str, right: str) -> None:
    lang = language(name)
    one, other = (lang.tree(text.replace("«", "").replace("»", "")) for text in (left, right))
    spans = lang.differences(one, other)
    assert [
        marked(str(formula), some) for formula, some in zip((one, other), spans, strict=True)
    ] == [left, right]


@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        ("propositional", "p ∧ q ∧ r", "r ∧ (q ∧ p)"),
        ("propositional", "(p ∨ q) ↔ (r ⊕ s)", "(s ⊕ r) ↔ (q ∨ p)"),
        ("first_order", "∀x. ∃y. (R(x, y) ∧ x = y)", "∀u. ∃v. (v = u ∧ R(u, v))"),
        ("first_order", "∀x. ∀y. R(x, y)", "∀y. ∀x. R(y, x)"),
        ("ltl", "G (a & b) U (c | d)", "G (b & a) U (d | c)"),
        ("regex", "(a|b|c)*", "(c|a|b)*"),
    ],
)
def test_order_and_the_names_of_bound_variables_are_no_differences(
    name: str, left: str, right: str
) -> None:
    lang = language(name)
    assert lang.differences(lang.tree(left), lang.tree(right)) == ([], [])


@pytest.mark.parametrize("name", FORMULAS)
@given(data=st.data())
def test_the_marks_are_apart_lie_in_the_texts_and_leave_equal_rests(name: str, data: Any) -> None:
    lang = language(name)
    left = data.draw(FORMULAS[name])
    path, _ = data.draw(st.sampled_from(list(places(left))))
    changed: Formula = data.draw(FORMULAS[name])
    right = replaced_at(left, path, changed) if path else changed
    spans = lang.differences(left, right)
    assert lang.differences(left, left) == ([], [])
    assert any(spans) == any(lang.differences(right, left))
    for formula, some in zip((left, right), spans, strict=True):
        text = str(formula)
        assert all(0 <= start < end <= len(text) for start, end in some)
        assert all(
            one[1] < other[0] and text[one[1] : other[0]].strip() for one, other in pairwise(some)
        )
        assert all(text[start:end] == text[start:end].strip() for start, end in some)
    if not any(
        isinstance(node, fol.Quantified) for node in (*left.subformulas(), *right.subformulas())
    ):
        assert unmarked(str(left), spans[0]) == unmarked(str(right), spans[1])


@pytest.mark.parametrize("name", FORMULAS)
@given(data=st.data())
def test_formulas_without_a_mark_mean_the_same(name: str, data: Any) -> None:
    """After one change, which may keep the meaning; the decision procedure, which knows nothing of marks, checks it."""
    lang = language(name)
    left = data.draw(FORMULAS[name])
    path, part = data.draw(st.sampled_from(list(places(left))))
    changes = [*lang.rewritings(part), *lang.edits(part, lang.symbols(left))]
    assume(changes)
    changed = data.draw(st.sampled_from(changes))
    right = replaced_at(left, path, changed) if path else changed
    if lang.differences(left, right) == ([], []):
        assert lang.equivalent(left, right).outcome != "different"


@given(formula=first_order(), name=st.sampled_from(["u", "v"]))
def test_a_renamed_variable_is_no_difference_if_it_is_bound(
    formula: fol.Sentence, name: str
) -> None:
    lang = language("first_order")
    for sentence in (formula, fol.Forall("x", formula)):
        renamed = lang.parse(str(sentence).replace("x", name))
        free = "x" in lang.symbols(sentence).constants
        assert any(lang.differences(sentence, renamed)) == free


def test_a_language_without_a_layout_has_no_marks() -> None:
    assert STRINGS.differences(STRINGS.tree("a & b"), STRINGS.tree("a | b")) == ([], [])


def test_large_and_deep_formulas_cost_little() -> None:
    regex, logic = language("regex"), language("propositional")
    wide = logic.tree(" ∧ ".join(f"p{number}" for number in range(149)))
    others = logic.tree(" ∧ ".join(f"q{number}" for number in range(149)))
    whole = [(0, len(str(wide)))], [(0, len(str(others)))]
    assert logic.differences(wide, others) == whole
    deep = regex.tree("0")
    for _ in range(3_000):
        deep = Star(deep)  # type: ignore[arg-type]
    assert regex.differences(deep, regex.tree("0")) == ([], [])
    long = regex.tree("0" * 5_000)
    assert regex.differences(long, regex.tree("0")) == ([], [])
