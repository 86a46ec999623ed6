"""First-order formulas in English by rule: how they read, that each text has one formula, and what is refused."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.logic_formulas import first_order, parsed

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import EnglishError, language
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Forall,
    Iff,
    Implies,
    Not,
    Or,
    Sentence,
    Xor,
)
from pytest_autoeval.languages.logic.verbalization import UnknownSymbolError, read_verbal, verbalize
from pytest_autoeval.languages.ontology import Ontology, Symbol
from pytest_autoeval.languages.size_limits import MAX_DEPTH

FIRST_ORDER = language("first_order")


def predicate(shown: str, gloss: str, negative: str = "") -> Symbol:
    name, _, places = shown.partition("(")
    return Symbol(
        name, tuple(places.removesuffix(")").split(", ")) if places else (), gloss, negative
    )


def thing(name: str, gloss: str, *places: str) -> Symbol:
    return Symbol(name, places, gloss, is_term=True)


BLOCKS = Ontology(
    (
        predicate("Cube(x)", "x is a cube", "x is not a cube"),
        predicate("Small(x)", "x is small", "x is not small"),
        predicate("Red(x)", "x is red", "x is not red"),
        predicate("Larger(x, y)", "x is larger than y", "x is not larger than y"),
        predicate("LeftOf(x, y)", "x is to the left of y", "x is not to the left of y"),
        predicate("Between(x, y, z)", "x is between y and z", "x is not between y and z"),
        predicate("Siblings(x, y)", "x and y are siblings", "x and y are not siblings"),
        predicate("Odd(x)", "x is odd"),
        predicate("Tidy", "the table is tidy", "the table is not tidy"),
        thing("a", "block a"),
        thing("b", "block b"),
        thing("c", "c"),
        thing("tj", "Tom and Jerry"),
        thing("top", "the block on top of x", "x"),
        thing("mother", "x's mother", "x"),
    )
)

READABLE = """
Small(c)
    C is small.
∃y. (¬¬Cube(y) ∧ Small(y))
    There is some y such that (it is not the case that y is not a cube) and y is small.
¬Odd(a) ∧ Cube(a)
    (It is not the case that block a is odd) and block a is a cube.
a ≠ top(b)
    Block a is not the same as the block on top of block b.
Larger(mother(mother(c)), tj)
    “c's mother's mother is larger than Tom and Jerry”.
¬∃x. (Cube(x) ∧ Small(x))
    It is not the case that there is some x such that x is a cube and x is small.
∀x. ∀y. (Larger(x, y) → ¬Larger(y, x))
    For every x and every y, if x is larger than y, then y is not larger than x.
∀x. (Cube(x) → ∃y. (Small(y) ∧ Larger(x, y)))
    For every x, if x is a cube, then there is some y such that y is small and x is larger than y.
∀x. (Cube(x) → Small(x) ⊕ Red(x))
    For every x, if x is a cube, then either x is small or x is red, but not both.
Cube(a) ∧ (Small(a) ∧ Red(a))
    Block a is a cube and both block a is small and block a is red.
(Cube(a) ∨ Cube(b)) ∧ (Red(a) ∨ Red(b))
    Either block a is a cube or block b is a cube, and either block a is red or block b is red.
¬(Cube(a) ∧ Small(a) ∧ Red(a))
    It is not the case that all of these hold: block a is a cube, block a is small and block a is red.
Cube(a) ⊕ (Small(a) ∧ Red(a))
    Exactly one of these holds: block a is a cube or both block a is small and block a is red.
(Cube(a) → Small(a)) → Red(a)
    If (if block a is a cube, then block a is small), then block a is red.
Cube(a) → Small(a) → Red(a)
    If block a is a cube, then if block a is small, then block a is red.
(∀x. Cube(x)) ∧ Tidy
    (For every x, x is a cube) and the table is tidy.
Between(a, b, c) → Siblings(a, b)
    If block a is between block b and c, then block a and block b are siblings.
⊤ → ¬⊥
    If a tautology holds, then it is not the case that a contradiction holds.
"""


@pytest.mark.parametrize(("formula", "text"), re.findall("(.+)\n    (.+)", READABLE))
def test_formulas_read_like_english_and_back(formula: str, text: str) -> None:
    assert verbalize(parsed(formula), BLOCKS) == text
    assert read_verbal(text, BLOCKS) == parsed(formula)


def glossary(
    p: str, unary: tuple[str, str], binary: tuple[str, str], f: str, *names: str
) -> Ontology:
    """An ontology for the formulas of `logic_formulas.first_order`."""
    return Ontology(
        (
            predicate("p", p),
            predicate("P(x)", *unary),
            predicate("R(x, y)", *binary),
            thing("f", f, "x"),
            *(thing(name, gloss) for name, gloss in zip("abxy", names, strict=True)),
        )
    )


GLOSSARIES = {
    "good": glossary(
        "it is raining",
        ("x is tall", "x is not tall"),
        ("x likes y", "x does not like y"),
        "the mother of x",
        *("Ann", "Bob", "Xavier", "Yvonne"),
    ),
    "keywords": glossary(
        "if it rains, then it pours",
        ("x is small or x is red", "x is neither small nor red"),
        ("x and y are siblings", "it is not the case that x and y are siblings"),
        "both parents of x",
        *("Tom and Jerry", "if", "for every x", "either"),
    ),
    "same glosses": glossary(
        "so", ("x is so", "x is so"), ("x is so", "y is so"), "so", "so", "so", "it", "it"
    ),
    "marks": glossary(
        "“p”", ("“x", "x”"), ("[x] (y", "x) y]"), "“[x, y].", "“a”", ").", "[b]", "…“"
    ),
    "ambiguous joints": glossary(
        "a and b",
        ("x is a cube", "x, a cube"),
        ("x is a cube and y", "x and y"),
        "x and x",
        *("a cube", "b, or", "c", "and"),
    ),
    "openings": glossary(
        "there is some x such that x is so",
        ("for every x, x is so", "if x, then"),
        ("either x or y, but not both", "exactly one of these holds: x or y"),
        "(x)",
        *("there is some", "it is not the case that b", "all of these hold: x, y and z", "Both"),
    ),
    "capitals": glossary(
        "P is so", ("x is so", "X is so"), ("x Is y", "x is Y"), "F of x", "A", "a", "It", "it"
    ),
}


@pytest.mark.parametrize("ontology", GLOSSARIES.values(), ids=GLOSSARIES)
@given(formula=first_order(max_leaves=8))
@settings(max_examples=40)
def test_every_formula_is_read_back_just_as_it_was(ontology: Ontology, formula: Sentence) -> None:
    assert read_verbal(verbalize(formula, ontology), ontology) == formula


_HOSTILE_WORDS = """
x y a b P f is not a and or if then only but both either it the case that for every there some such exactly one these
holds , : . “ ” ( ) [ ] 's ' - same as If X A İ ß
"""
_hostile = st.lists(st.sampled_from(_HOSTILE_WORDS.split()), max_size=6).flatmap(
    lambda words: st.sampled_from((" ".join(words), "".join(words)))
)
_pairs = st.tuples(_hostile, _hostile)


@given(
    ontology=st.builds(
        glossary, _hostile, _pairs, _pairs, _hostile, _hostile, _hostile, _hostile, _hostile
    ),
    formula=first_order(max_leaves=5),
)
@settings(max_examples=280)
def test_whatever_the_glosses_say_a_formula_is_read_back(
    ontology: Ontology, formula: Sentence
) -> None:
    assert read_verbal(verbalize(formula, ontology), ontology) == formula


@given(formula=first_order(max_leaves=6), data=st.data())
@settings(max_examples=105)
def test_a_text_that_was_changed_is_refused_or_is_another_formula(
    formula: Sentence, data: st.DataObject
) -> None:
    ontology = GLOSSARIES["good"]
    words = verbalize(formula, ontology).split()
    at = data.draw(st.integers(0, len(words) - 1))
    new = data.draw(
        st.sampled_from(
            ([], ["and"], ["or"], ["not"], ["x"], words[at : at + 1] * 2, ["it", "is", "raining,"])
        )
    )
    text = " ".join([*words[:at], *new, *words[at + 1 :]])
    try:
        found = read_verbal(text, ontology)
    except EnglishError:
        pass
    else:
        assert verbalize(found, ontology) == text


def test_no_two_groupings_have_one_text() -> None:
    literals = [parsed("Cube(a)"), parsed("¬Small(a)"), parsed("∀x. Red(x)")]
    kinds = (And, Or, Xor, Implies, Iff)
    formulas: set[Sentence] = set()
    for outer, inner in product(kinds, kinds):
        first, second, third = literals
        for grouped in (outer(inner(first, second), third), outer(first, inner(second, third))):
            formulas |= {
                grouped,
                Not(grouped),
                Forall("x", grouped),
                And(grouped, first),
                And(first, grouped),
            }
    texts = {verbalize(formula, BLOCKS) for formula in formulas}
    assert len(texts) == len(formulas) > 200


def test_a_bound_variable_stands_as_it_is_whatever_it_is_called() -> None:
    formula = parsed("∀a. ∃unless. (Larger(a, unless) ∧ ∀b. LeftOf(b, a))")
    text = (
        "For every a, there is some unless such that “a is larger than unless” "
        "and for every b, b is to the left of a."
    )
    assert verbalize(formula, BLOCKS) == text
    assert read_verbal(text, BLOCKS) == formula


def test_parameters_are_replaced_by_position_all_at_once() -> None:
    ontology = Ontology(
        (
            predicate("Gave(y, x)", "y gave a cube to x"),
            predicate("Likes(a, b)", "a likes a friend of b"),
            thing("x", "y"),
            thing("y", "x"),
            thing("a", "a"),
        )
    )
    assert verbalize(parsed("Gave(x, y)"), ontology) == "Y gave a cube to x."
    assert verbalize(parsed("Gave(a, a)"), ontology) == "A gave a cube to a."
    assert verbalize(parsed("Likes(x, y)"), ontology) == "Y likes a friend of x."


def test_what_could_be_read_otherwise_is_quoted_or_named() -> None:
    ontology = Ontology(
        (
            predicate("Cube(x)", "x is a cube"),
            predicate("Both(x)", "x is a cube and x is small"),
            predicate("Even(x)", "x is even", "x is odd"),
            predicate("Odd(x)", "x is odd", "x is even"),
            predicate("Attend(x, y)", "x attends y"),
            predicate("Attends(x, y)", "x attends y"),
            predicate("Somebody(x)", "somebody is tall"),
            thing("a", "y"),
            thing("tj", "Tom, Jerry"),
        )
    )
    texts = {
        "Both(a)": "“y is a cube and y is small”.",
        "¬Even(a)": "It is not the case that y is even.",
        "Attends(tj, tj)": "“Tom, Jerry attends Tom, Jerry” [Attends(tj, tj)].",
        "Somebody(a)": "Somebody is tall [Somebody(a)].",
        "∀y. Even(y)": "For every y, y is even [Even(y)].",
    }
    for formula, text in texts.items():
        assert verbalize(parsed(formula), ontology) == text
        assert read_verbal(text, ontology) == parsed(formula)


@pytest.mark.parametrize(
    ("formula", "symbol", "kind"),
    [
        ("Cube(a) ∧ Round(a)", "Round", "predicate 'Round' with 1 argument"),
        ("Cube(a, b)", "Cube", "predicate 'Cube' with 2 arguments"),
        ("∀x. Larger(x, under(x))", "under", "function 'under' with 1 argument"),
        ("Cube(x)", "x", "constant 'x'"),
        ("(∀x. Cube(x)) ∧ Small(x)", "x", "constant 'x'"),
    ],
)
def test_a_symbol_without_a_gloss_is_named(formula: str, symbol: str, kind: str) -> None:
    with pytest.raises(UnknownSymbolError, match=f"no {kind}") as caught:
        verbalize(parsed(formula), BLOCKS)
    assert caught.value.symbol == symbol
    assert isinstance(caught.value, AutoevalError)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "Block a is a cube",
        "Block d is a cube.",
        "Block a is a cube and.",
        "Cube(a).",
        "“Tom is a cube.",
        "Block a is a cube and b is small or block a is red.",
        "It is not the case that block a is a cube.",
        "both block a is a cube and block a is small.",
        "If block a is a cube then block a is small.",
        "For every x is a cube.",
        "For every “x, x is a cube.",
        "For every ,, the table is tidy.",
        "For every x, y is a cube.",
        "(For every x, x is a cube and the table is tidy.",
        "The table is tidy).",
        "Block a is a cube [Cube(a)].",
        "Block a is a cube [Cube(b)].",
        "Block a is a cube Cube(a)].",
        "The table is tidy and " * 400 + "c is odd.",
        "It is not the case that " * 4000 + "the table is tidy.",
        "(" * 4000 + "the table is tidy.",
        "the block on top of " * 3000 + "c is small.",
        "x" * 300_000 + ".",
        "C" + "'s mother" * 300 + " is small.",
    ],
    ids=lambda text: text[:50],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(EnglishError):
        read_verbal(text, BLOCKS)


def test_white_space_makes_no_difference() -> None:
    text = verbalize(parsed("∀x. (Cube(x) → Small(x))"), BLOCKS)
    assert read_verbal(f"  {text.replace(' ', chr(10))}\n", BLOCKS) == parsed(
        "∀x. (Cube(x) → Small(x))"
    )


def test_formulas_of_the_greatest_depth_are_read_back() -> None:
    clause: Sentence = Atom("Tidy")
    for wrapped in (
        Not,
        lambda inner: Iff(inner, clause),
        lambda inner: And(clause, inner),
        lambda inner: Or(Forall("x", inner), clause),
        lambda inner: Implies(Forall("y", inner), clause),
    ):
        formula: Sentence = clause
        while (higher := wrapped(formula)) and FIRST_ORDER.measure(higher)["depth"] < MAX_DEPTH - 2:
            formula = higher
        assert read_verbal(verbalize(formula, BLOCKS), BLOCKS) == formula
