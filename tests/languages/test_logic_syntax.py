"""The strict syntax of logic: what it reads, what it prints, what it refuses and where."""

from __future__ import annotations

import copy
import pickle
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.deep_stack import at_depth

from pytest_autoeval.languages import FormulaSyntaxError, LimitError, language
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.tokens import is_name
from pytest_autoeval.languages.size_limits import MAX_DEPTH, check_size

PROPOSITIONAL = language("propositional")
FIRST_ORDER = language("first_order")

ODD_NAMES = """tall call wet umbrella v V person mary-ann is_tall P p1 Andean nothing forall_x or-else x größer 人 p₁
_x 1 O'Neil b-2-b पानी""".split()  # noqa: SIM905

RESERVED_WORDS = (
    *("not", "And", "OR", "xor", "implies", "Iff", "equivalent", "equiv"),
    *("nor", "if", "forall", "ForAll", "EXISTS", "all", "some"),
)


@given(st.text(alphabet="pqx1 ()¬∧∨→∀∃.,=-v\n", max_size=30))
def test_whatever_is_parsed_prints_to_the_same_formula(text: str) -> None:
    try:
        formula = FIRST_ORDER.parse(text)
    except FormulaSyntaxError:
        return
    assert FIRST_ORDER.parse(FIRST_ORDER.format(formula)) == formula


def test_equality_is_by_structure_and_type() -> None:
    p, q = fol.Atom("p"), fol.Atom("q")
    assert fol.And(p, q) == fol.And(fol.Atom("p"), fol.Atom("q"))
    assert fol.And(p, q) != fol.Or(p, q)
    assert fol.Forall("x", p) != fol.Exists("x", p)
    assert fol.Forall("x", p) != fol.Forall("y", p)
    assert fol.Atom("p") != fol.Atom("p", (fol.Term("a"),))
    assert p != "p"
    copied = pickle.loads(pickle.dumps(fol.And(p, fol.Not(q))))
    assert copied == copy.deepcopy(fol.And(p, fol.Not(q))) == fol.And(p, fol.Not(q))


CANONICAL = {
    "(p1 | ~p2 | p3) & (p4 | p5 | p6)": "(p1 ∨ ¬p2 ∨ p3) ∧ (p4 ∨ p5 ∨ p6)",
    "∀x. P(x) → Q(x)": "∀x. (P(x) → Q(x))",
    "((p & q) & r)": "p ∧ q ∧ r",
    "p -> q => r": "p → (q → r)",
    "p <-> q <=> r": "(p ↔ q) ↔ r",
    "p ≡ q ⇒ r": "p ↔ (q → r)",
    "∀x P(x) → q": "(∀x. P(x)) → q",
    "p ∧ ∀x. P(x) ∨ q": "p ∧ ∀x. (P(x) ∨ q)",
    "(p ∧ ∀x. P(x)) ∧ q": "(p ∧ ∀x. P(x)) ∧ q",
    "¬∃x ¬P(x) ∧ q": "(¬∃x. ¬P(x)) ∧ q",
    "forall x. exists y. all z. some w. R(x,y,z,w)": "∀x. ∃y. ∀z. ∃w. R(x, y, z, w)",
    "true -> false": "⊤ → ⊥",
    "true(a) & P(True(b))": "true(a) ∧ P(True(b))",
    "∀x: P(f(x))": "∀x. P(f(x))",
    "∀x: Loves(x, a) → p": "∀x. (Loves(x, a) → p)",
    "∀person P(person)": "∀person. P(person)",
    "(∀x P(x)) → Q(x)": "(∀x. P(x)) → Q(x)",
}


@pytest.mark.parametrize(("text", "canonical"), CANONICAL.items())
def test_a_strict_text_is_written_canonically(text: str, canonical: str) -> None:
    assert FIRST_ORDER.format(FIRST_ORDER.parse(text)) == canonical


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_word_is_a_name_in_every_position(name: str) -> None:
    proposition = fol.Atom(name)
    term = fol.Term(name)
    formulas: list[fol.Sentence] = [
        proposition,
        fol.Not(proposition),
        fol.And(proposition, fol.Atom("q")),
        fol.Exists(name, fol.Atom("P", (term,))),
        fol.Forall(name, proposition),
        fol.Atom(name, (term, fol.Term("a"))),
        fol.Equal(term, term),
        fol.Atom("P", (fol.Term("f", (term,)), fol.Term("a"))),
        fol.Forall(name, fol.Forall("x", fol.Atom(name, (fol.Term("x"), term)))),
    ]
    for formula in formulas:
        assert FIRST_ORDER.parse(FIRST_ORDER.format(formula)) == formula
    assert is_name(name)


@pytest.mark.parametrize("word", RESERVED_WORDS)
def test_the_word_of_an_operator_is_never_a_name(word: str) -> None:
    for text in (
        word,
        f"p ∧ {word}",
        f"{word}(a)",
        f"P({word})",
        f"P({word}(a))",
        f"∀{word}. P(a)",
        f"a = {word}",
    ):
        with pytest.raises(
            FormulaSyntaxError, match=f"'{word}' is a (connective|quantifier).*, (and )?not a name"
        ):
            FIRST_ORDER.parse(text)
    with pytest.raises(FormulaSyntaxError, match=f"'{word}' is a"):
        PROPOSITIONAL.parse(f"p | {word}")
    assert not is_name(word)


@pytest.mark.parametrize("text", ["P(a, {})", "P(f({}))", "P(a) = {}", "{} = a", "a ≠ {}"])
@pytest.mark.parametrize("value", ["True", "FALSE", "true", "⊤", "⊥"])
def test_a_truth_value_is_no_term(text: str, value: str) -> None:
    with pytest.raises(FormulaSyntaxError, match=f"'{value}' is a truth value, not a term"):
        FIRST_ORDER.parse(text.format(value))


def test_a_truth_constant_in_capital_letters_is_no_proposition() -> None:
    with pytest.raises(
        FormulaSyntaxError, match="'True' is a truth constant, not a name; expected ⊤"
    ):
        PROPOSITIONAL.parse("p -> True")


UNCLEAR_QUANTIFIERS = {
    # The variable may have been meant where no quantifier binds it.
    "∀x P(x) → Q(x)": "'x' stands to the right of the scope of its quantifier, which has no dot",
    "∃a P(a) ∧ ∃b Q(b) ∧ R(a, c)": "'a' stands to the right",
    # A sort.
    "∀x:Person (Tall(x))": "'Person' may be the sort of 'x'",
    "∀x:Person. Tall(x)": "'Person' may be the sort of 'x'",
    "∀x : Person, Tall(x)": "'Person' may be the sort of 'x'",
    "∃x: Person ¬Tall(x)": "'Person' may be the sort of 'x'",
    "∀x: Person(Tall(x) → Kind(x))": "'Person' may be the sort of 'x'",
    "∀x:P(f(x))": "'P' may be the sort of 'x'",
    "∀ Person x (Tall(x))": "'Person' is not a variable",
    # A variable and a predicate without a space.
    "∀xP(x)": "'xP' may be a variable, or variables and a predicate",
    "∀xyR(x,y)": "'xyR' may be",
    "forall xTall(x)": "'xTall' may be",
}


@pytest.mark.parametrize(("text", "problem"), UNCLEAR_QUANTIFIERS.items())
def test_a_quantifier_with_two_readings_is_refused(text: str, problem: str) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        FIRST_ORDER.parse(text)
    assert problem in str(caught.value)


OTHER_NOTATIONS = {
    "![X]: (p(X) => q(X))": "TPTP",
    "?[X]: p(X)": "TPTP",
    "p => $false": "write ⊤ for $true",
    "(and (P a) (Q b))": "prefix notation of SMT-LIB",
    "(forall ((x U)) (P x))": "prefix notation of SMT-LIB",
    "& p q": "prefix notation is not read",
    "Q(a) :- P(a)": "Prolog",
    "∃!x P(x)": "exactly one",
    "∄x P(x)": "write ¬∃x",
    "∀x∈Person (Tall(x))": "sorts are not read",
    "∀x in Person (Tall(x))": "sorts are not read",
    "forall (x : Person), Tall(x)": "Lean and Coq",
    "∀ x, P x → Q x": "Lean and Coq",
    "For all x, P(x)": "write ∀x. and ∃x.",
    "there is x such that P(x)": "write ∀x. and ∃x.",
    "∀(x) P(x)": "without parentheses around the variable",
    "λx. P(x)": "lambda terms",
    "P(a) == Q(a)": "write = between terms",
    "Q(a) ← P(a)": "from left to right",
    "x > y": "Greater(x, y)",
    "a ∈ B": "Member(x, y)",
}


@pytest.mark.parametrize(("text", "hint"), OTHER_NOTATIONS.items())
def test_an_error_names_the_notation_and_what_to_write(text: str, hint: str) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        FIRST_ORDER.parse(text)
    assert hint in caught.value.problem
    assert (caught.value.text, caught.value.line) == (text, 1)


@pytest.mark.parametrize("text", ["p ∧", "(p", "P(a) ∧ Q(b c)", "∀x. (P(x) → )"])
def test_an_error_in_our_own_notation_names_no_other(text: str) -> None:
    with pytest.raises(FormulaSyntaxError) as caught:
        FIRST_ORDER.parse(text)
    assert " (" not in caught.value.problem.removeprefix("'(' at")


@pytest.mark.parametrize("text", ["", "p q", "p∧", "-", "p-", "a--b", "x y"])
def test_what_is_no_name(text: str) -> None:
    assert not is_name(text)


ERRORS = {
    "": (1, 1, "a formula"),
    "p1 ∧": (1, 5, "a formula"),
    "(p1 ∧ (p2 ∨ p3)": (1, 16, "')'"),
    "p1 p2": (1, 4, "a connective"),
    "p1 ∧\n∨ p2": (2, 1, "a formula"),
    "∀¬x": (1, 2, "a variable"),
    "P(a,)": (1, 5, "a term"),
    "a = b = c": (1, 7, "a connective"),
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
    "negations": "¬" * 10_000 + "p",
    "quantifiers": "∀x." * 5_000 + "p",
    "arrows": "p→" * 9_000 + "p",
    "functions": "P(" + "f(" * 5_000 + "a" + ")" * 5_001,
    "length": "p" * 20_001,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_end_in_a_clear_error(text: str) -> None:
    def parsed() -> None:
        with pytest.raises(LimitError, match=r"nested too deeply|characters"):
            FIRST_ORDER.parse(text)
        assert FIRST_ORDER.read(text).formula is None
        assert PROPOSITIONAL.read(f"Sure:\n{text}").formula is None

    at_depth(400, parsed)


def deep_formulas() -> dict[str, fol.Sentence]:
    leaf: fol.Sentence = fol.Atom("P", (fol.Term("x"), fol.Term("a")))
    negated, chain, arrows, quantified, mixed = leaf, leaf, leaf, leaf, leaf
    for level in range(MAX_DEPTH - 1):
        negated = fol.Not(negated)
        chain = fol.And(chain, leaf)
        arrows = fol.Implies(leaf, arrows)
        quantified = fol.Forall("x", quantified)
        mixed = [fol.Not(mixed), fol.Or(mixed, leaf), fol.Exists("x", mixed), fol.Iff(leaf, mixed)][
            level % 4
        ]
    return {
        "negated": negated,
        "chain": chain,
        "arrows": arrows,
        "quantified": quantified,
        "mixed": mixed,
    }


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
    deep: fol.Sentence = fol.Atom("p")
    large: fol.Sentence = fol.Atom("p")
    for _ in range(5_000):
        deep = fol.Not(deep)
    for _ in range(100):
        large = fol.And(large, large)
    for formula in (deep, large):
        with pytest.raises(LimitError):
            check_size(formula)
        with pytest.raises(LimitError):
            FIRST_ORDER.measure(formula)
    with pytest.raises(LimitError):
        reduce(lambda term, _: fol.Term("f", (term,)), range(100), fol.Term("a"))
    with pytest.raises(LimitError):
        PROPOSITIONAL.owns(deep)
