"""The strict syntax of logic: what it reads, what it prints, what it refuses and where."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_autoeval.languages import FormulaSyntaxError, LimitError, language
from pytest_autoeval.languages.limits import MAX_DEPTH, check_size
from pytest_autoeval.languages.logic.parser import is_name
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

PROPOSITIONAL = language("propositional")
FIRST_ORDER = language("first_order")

ODD_NAMES = """tall call wet umbrella v V some person mary-ann is_tall P p1 forall all exists true false and or not
implies iff xor x größer 人 p₁ _x 1 O'Neil b-2-b पानी""".split()  # noqa: SIM905

terms = st.recursive(
    st.sampled_from(ODD_NAMES).map(Term),
    lambda inner: st.builds(
        lambda name, arguments: Term(f"f_{name}{len(arguments)}", tuple(arguments)),
        st.sampled_from(ODD_NAMES),
        st.lists(inner, min_size=1, max_size=2),
    ),
    max_leaves=4,
)
propositions = st.one_of(st.sampled_from(ODD_NAMES).map(Atom), st.just(Top()), st.just(Bottom()))
atoms = st.one_of(
    propositions,
    st.builds(
        lambda name, arguments: Atom(f"{name}_{len(arguments)}", tuple(arguments)),
        st.sampled_from(ODD_NAMES),
        st.lists(terms, min_size=1, max_size=3),
    ),
    st.builds(Equal, terms, terms),
)


def sentences(leaves: st.SearchStrategy[Sentence], *, quantified: bool) -> st.SearchStrategy[Sentence]:
    def grown(inner: st.SearchStrategy[Sentence]) -> st.SearchStrategy[Sentence]:
        ways: list[st.SearchStrategy[Sentence]] = [st.builds(Not, inner)]
        ways += [st.builds(node, inner, inner) for node in (And, Or, Xor, Implies, Iff)]
        if quantified:
            ways += [st.builds(node, st.sampled_from(ODD_NAMES), inner) for node in (Forall, Exists)]
        return st.one_of(ways)

    return st.recursive(leaves, grown, max_leaves=12)


@given(sentences(atoms, quantified=True))
def test_first_order_text_reads_back(formula: Sentence) -> None:
    text = FIRST_ORDER.format(formula)
    assert FIRST_ORDER.parse(text) == formula
    assert hash(FIRST_ORDER.parse(text)) == hash(formula)
    assert FIRST_ORDER.parse(f"  {text}\n") == formula


@given(sentences(propositions, quantified=False))
def test_propositional_text_reads_back_in_both_languages(formula: Sentence) -> None:
    text = PROPOSITIONAL.format(formula)
    assert PROPOSITIONAL.parse(text) == formula
    assert FIRST_ORDER.parse(text) == formula
    assert PROPOSITIONAL.owns(formula)


@given(sentences(atoms, quantified=True))
@settings(max_examples=50)
def test_a_strict_text_is_read_as_compliant_unless_it_means_something_else(formula: Sentence) -> None:
    reading = FIRST_ORDER.read(FIRST_ORDER.format(formula))
    assert reading.formula is not None
    assert reading.compliant is not reading.recovered
    assert (reading.formula == formula) is reading.compliant


@given(st.text(alphabet="pqx1 ()¬∧∨→∀∃.,=-v\n", max_size=30))
def test_whatever_is_parsed_prints_to_the_same_formula(text: str) -> None:
    try:
        formula = FIRST_ORDER.parse(text)
    except FormulaSyntaxError:
        return
    assert FIRST_ORDER.parse(FIRST_ORDER.format(formula)) == formula


def test_equality_is_by_structure_and_type() -> None:
    p, q = Atom("p"), Atom("q")
    assert And(p, q) == And(Atom("p"), Atom("q"))
    assert And(p, q) != Or(p, q)
    assert Forall("x", p) != Exists("x", p)
    assert Forall("x", p) != Forall("y", p)
    assert Atom("p") != Atom("p", (Term("a"),))
    assert p != "p"
    copied = pickle.loads(pickle.dumps(And(p, Not(q))))
    assert copied == copy.deepcopy(And(p, Not(q))) == And(p, Not(q))


CANONICAL = {
    "(p1 | ~p2 | p3) & (p4 | p5 | p6)": "(p1 ∨ ¬p2 ∨ p3) ∧ (p4 ∨ p5 ∨ p6)",
    "∀x. P(x) → Q(x)": "∀x. (P(x) → Q(x))",
    "¬a = b": "¬(a = b)",
    "~(p & q)": "¬(p ∧ q)",
    "((p & q) & r)": "p ∧ q ∧ r",
    "p ^ q ^ r": "p ⊕ q ⊕ r",
    "p -> q => r": "p → (q → r)",
    "p <-> q <=> r": "(p ↔ q) ↔ r",
    "p | q & r": "p ∨ (q ∧ r)",
    "p ≡ q ⇒ r": "p ↔ (q → r)",
    "p /\\ q \\/ -r": "(p ∧ q) ∨ ¬r",
    "∀x P(x) → q": "(∀x. P(x)) → q",
    "∀x: P(x) → q": "∀x. (P(x) → q)",
    "p ∧ ∀x. P(x) ∨ q": "p ∧ ∀x. (P(x) ∨ q)",
    "(p ∧ ∀x. P(x)) ∧ q": "(p ∧ ∀x. P(x)) ∧ q",
    "¬∃x ¬P(x) ∧ q": "(¬∃x. ¬P(x)) ∧ q",
    "forall x. exists y. all z. some w. R(x,y,z,w)": "∀x. ∃y. ∀z. ∃w. R(x, y, z, w)",
    "true -> false": "⊤ → ⊥",
    "true()": "true()",
    "true(a) & P(true)": "true(a) ∧ P(true)",
    "p -> -q": "p → ¬q",
    "mary-ann->tall": "mary-ann → tall",
    "some & all | exists -> forall": "((some ∧ all) ∨ exists) → forall",
    "some some. some(some)": "∃some. some(some)",
}


@pytest.mark.parametrize(("text", "canonical"), CANONICAL.items())
def test_strict_texts(text: str, canonical: str) -> None:
    assert FIRST_ORDER.format(FIRST_ORDER.parse(text)) == canonical


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_word_is_a_name_in_every_position(name: str) -> None:
    proposition = Atom(name)
    term = Term(name)
    formulas: list[Sentence] = [
        proposition,
        Not(proposition),
        And(proposition, Atom("q")),
        Implies(Atom("q"), proposition),
        Or(Not(proposition), proposition),
        Forall("x", proposition),
        Exists(name, Atom("P", (term,))),
        Forall(name, proposition),
        Atom(name, (term, Term("a"))),
        Not(Atom(name, (term,))),
        Equal(term, term),
        Atom("P", (Term("f", (term,)), Term("a"))),
        Atom("P", (Term(name, (Term("a"),)),)),
        Forall(name, Forall("x", Atom(name, (Term("x"), term)))),
    ]
    for formula in formulas:
        assert FIRST_ORDER.parse(FIRST_ORDER.format(formula)) == formula
    assert is_name(name)


@pytest.mark.parametrize("text", ["", "p q", "p∧", "-", "p-", "a--b", "x y"])
def test_what_is_no_name(text: str) -> None:
    assert not is_name(text)


ERRORS = {
    "": (1, 1, "a formula"),
    "p1 ∧": (1, 5, "a formula"),
    "(p1 ∧ (p2 ∨ p3)": (1, 16, "')'"),
    "p1)": (1, 3, "a connective"),
    "p1 p2": (1, 4, "a connective"),
    "p1 ∧\n∨ p2": (2, 1, "a formula"),
    "∀x": (1, 3, "a formula"),
    "∀¬x": (1, 2, "a variable"),
    "P(": (1, 3, "a term"),
    "P(a,)": (1, 5, "a term"),
    "a = b = c": (1, 7, "a connective"),
    "P\n(a)": (2, 1, "a connective"),
    "\\land": (1, 1, ""),
}


@pytest.mark.parametrize(("text", "where"), ERRORS.items())
def test_errors_say_where_and_what_was_expected(text: str, where: tuple[int, int, str]) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        FIRST_ORDER.parse(text)
    error = caught.value
    assert (error.line, error.column) == where[:2]
    assert where[2] in (*error.expected, "")


def test_a_symbol_may_not_change_its_arity() -> None:
    for text in ("P(a) ∧ P(a, b)", "P ∧ P(a)", "Q(f(a), f(a, b))", "Q(f, f(a))", "Q(f(a)) ∧ f = a"):
        name = "P" if "P" in text else "f"
        with pytest.raises(FormulaSyntaxError, match=f"'{name}' is used with"):
            FIRST_ORDER.parse(text)


def test_a_bound_variable_may_be_named_like_a_function_or_a_predicate() -> None:
    assert str(FIRST_ORDER.parse("∀f. Q(f, f(a))")) == "∀f. Q(f, f(a))"
    assert str(FIRST_ORDER.parse("∀P. P(P)")) == "∀P. P(P)"
    assert str(FIRST_ORDER.parse("P(f) ∧ f(a)")) == "P(f) ∧ f(a)"


@pytest.mark.parametrize("text", ["P(a)", "a = b", "∀x. p", "∃x P(x)", "p ∧ q ≠ r", "true(a)"])
def test_propositional_logic_has_no_terms_and_no_quantifiers(text: str) -> None:
    with pytest.raises(FormulaSyntaxError, match=r"propositional logic has no|unexpected"):
        PROPOSITIONAL.parse(text)
    assert not PROPOSITIONAL.owns(FIRST_ORDER.parse(text))


HOSTILE = {
    "parentheses": "(" * 9_000 + "p" + ")" * 9_000,
    "many parentheses": "(" * 10_000 + "p" + ")" * 10_000,
    "negations": "¬" * 10_000 + "p",
    "quantifiers": "∀x." * 5_000 + "p",
    "quantifiers without dots": "∀x" * 5_000 + " p",
    "arrows": "p→" * 9_000 + "p",
    "chain": "p∧" * 9_000 + "p",
    "functions": "P(" + "f(" * 5_000 + "a" + ")" * 5_001,
    "length": "p" * 20_001,
}


def at_depth(frames: int, action: Callable[[], None]) -> None:
    """Calls a function from a stack that many frames deep."""
    if frames == 0:
        action()
    else:
        at_depth(frames - 1, action)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_end_in_a_clear_error(text: str) -> None:
    def parsed() -> None:
        with pytest.raises(LimitError, match=r"nested too deeply|characters"):
            FIRST_ORDER.parse(text)
        assert FIRST_ORDER.read(text).formula is None
        assert PROPOSITIONAL.read(f"Sure:\n{text}").formula is None

    at_depth(400, parsed)


def deep_formulas() -> dict[str, Sentence]:
    leaf: Sentence = Atom("P", (Term("x"), Term("a")))
    negated, chain, arrows, quantified, mixed = leaf, leaf, leaf, leaf, leaf
    for level in range(MAX_DEPTH - 1):
        negated = Not(negated)
        chain = And(chain, leaf)
        arrows = Implies(leaf, arrows)
        quantified = Forall("x", quantified)
        mixed = [Not(mixed), Or(mixed, leaf), Exists("x", mixed), Iff(leaf, mixed)][level % 4]
    return {"negated": negated, "chain": chain, "arrows": arrows, "quantified": quantified, "mixed": mixed}


@pytest.mark.parametrize("shape", deep_formulas())
def test_the_deepest_formulas_work_on_a_deep_stack(shape: str) -> None:
    formula, same = deep_formulas()[shape], deep_formulas()[shape]

    def used() -> None:
        assert formula == same
        assert hash(formula) == hash(same)
        assert FIRST_ORDER.parse(FIRST_ORDER.format(formula)) == formula
        assert FIRST_ORDER.measure(formula)["depth"] == MAX_DEPTH
        assert FIRST_ORDER.symbols(formula).predicates == (("P", 2),)
        assert FIRST_ORDER.foreign(formula, FIRST_ORDER.symbols(formula)) == ()
        assert next(FIRST_ORDER.simpler(formula)) != formula
        assert FIRST_ORDER.read(f"The formula is {formula}.").formula is not None

    at_depth(400, used)


def test_trees_built_too_deep_or_too_large_are_refused() -> None:
    deep: Sentence = Atom("p")
    large: Sentence = Atom("p")
    for _ in range(5_000):
        deep = Not(deep)
    for _ in range(100):
        large = And(large, large)
    nested = Term("a")
    for _ in range(100):
        nested = Term("f", (nested,))
    for formula in (deep, large, Atom("P", (nested,))):
        with pytest.raises(LimitError):
            check_size(formula)
        with pytest.raises(LimitError):
            FIRST_ORDER.measure(formula)
    with pytest.raises(LimitError):
        PROPOSITIONAL.owns(deep)


def test_a_hundred_levels_are_read() -> None:
    assert PROPOSITIONAL.parse("(" * 100 + "p" + ")" * 100) == Atom("p")
    assert PROPOSITIONAL.measure("¬" * 100 + "p")["depth"] == 101
