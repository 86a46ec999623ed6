"""Every formula is what its canonical text is read as: trees of any names, and whatever a reader finds in an answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.logic_formulas import grown
from support.ltl_formulas import formulas as ltl_formulas

from pytest_autoeval.languages import FormulaSyntaxError, LimitError, Vocabulary, language
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.tokens import is_name
from pytest_autoeval.languages.ltl.python_notation import read_python, to_python
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.size_limits import MAX_LARGE_LENGTH, MAX_LENGTH

PROPOSITIONAL, FIRST_ORDER, LTL = (
    language(name) for name in ("propositional", "first_order", "ltl")
)
#: Names like words, like signs and like each other, in every script.
WORDS = """
p v V nothing andy iffy x1 x_1 x₁ _ 1 2b mary-ann o'neil été é xP Σ ज़ь forall_x existing
tall wet umbrella person is_tall ore implied xorx größer 人 b-2-b पानी
"""
NAMES = st.sampled_from(WORDS.split()) | st.text("a1_-'’é́ज़λ", min_size=1, max_size=5).filter(
    is_name
)
#: Function symbols and names without arguments are kept apart, as the language asks.
FUNCTIONS = st.sampled_from(["f", "knot", "true", "forall_x", "mary-ann"])
NO_FUNCTIONS = NAMES.filter(lambda name: name not in ("f", "knot", "true", "forall_x", "mary-ann"))
#: Truth constants of other notations are predicates, also without arguments: true().
PROPOSITIONS = NAMES | st.sampled_from(["true", "false", "True"])


def _terms() -> st.SearchStrategy[fol.Term]:
    def applied(inner: st.SearchStrategy[fol.Term]) -> st.SearchStrategy[fol.Term]:
        return st.builds(lambda name, term: fol.Term(name, (term,)), FUNCTIONS, inner)

    return st.recursive(NO_FUNCTIONS.map(fol.Term), applied, max_leaves=3)


def _atoms() -> st.SearchStrategy[fol.Sentence]:
    """Atoms, in which the length of a name says how many arguments it has."""
    arguments = st.lists(_terms(), min_size=2, max_size=2)
    predicates = st.builds(
        lambda name, terms: fol.Atom(name, tuple(terms[: len(name) % 3])), NAMES, arguments
    )
    return (
        predicates
        | st.builds(fol.Equal, _terms(), _terms())
        | st.sampled_from([fol.Top(), fol.Bottom()])
    )


QUANTIFIED = st.tuples(st.sampled_from([fol.Forall, fol.Exists]), NO_FUNCTIONS)


SENTENCES = grown(_atoms(), 12, QUANTIFIED)


@given(SENTENCES)
def test_sentences_of_any_names(formula: fol.Sentence) -> None:
    text = FIRST_ORDER.format(formula)
    assert FIRST_ORDER.parse(text) == FIRST_ORDER.parse(f"  {text}\n") == formula
    assert hash(FIRST_ORDER.parse(text)) == hash(formula)


@given(SENTENCES)
@settings(max_examples=35)
def test_a_strict_text_is_read_as_compliant_unless_it_means_something_else(
    formula: fol.Sentence,
) -> None:
    reading = FIRST_ORDER.read(FIRST_ORDER.format(formula))
    assert reading.formula is not None
    assert reading.compliant is not reading.recovered
    assert (reading.formula == formula) is reading.compliant


@given(grown(PROPOSITIONS.map(fol.Atom) | st.sampled_from([fol.Top(), fol.Bottom()]), 12))
def test_propositional_formulas_of_any_names_in_both_languages(formula: fol.Sentence) -> None:
    text = PROPOSITIONAL.format(formula)
    assert PROPOSITIONAL.parse(text) == FIRST_ORDER.parse(text) == formula
    assert PROPOSITIONAL.owns(formula)


@given(
    ltl_formulas(
        ("x1", "G1", "Xx", "and", "until", "_", "a.b_.c", "Always", "LNot", "notX", "xorx")
    )
)
def test_temporal_formulas_of_any_names(formula: Temporal) -> None:
    text = LTL.format(formula)
    assert text == str(formula)
    assert LTL.parse(text) == LTL.parse(f" \t({text})\r\n") == formula
    assert hash(LTL.parse(text)) == hash(formula)
    assert read_python(to_python(formula)).formula == formula


#: Pieces of answers, with space between.
PIECES = {
    "propositional": r"p1 p_1 p₁ v And( and ¬ ! ∧ & → -> <-> , ( ) [ ] \land \neg \text{ } true() True ` Formula: .",
    "first_order": r"∀x ∀ x , . : ∃ forall xP (x) P( Q( f( x) a = ≠ ¬ ∧ ∨ → ( ) [ ] \forall _{x} \_ true ` Exists( Or(",
    "ltl": r"G F X U W R S ! & | -> ( ) , U( And( x1 x_{1} \_ X1 GFx1 always until not weak xor <> [] ` . true",
    "regex": r"0 1 a * + ? | ( ) [ ] [^ - \ \* \[ \d {2} {1,} ^ $ . ε ∅ \epsilon ^* ^{*} ` ' / _ **",
}


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("name", PIECES)
def test_whatever_is_read_from_an_answer(name: str, known: bool) -> None:
    lang = language(name)
    names = Vocabulary(
        ("p1", "x1"), (("P", 1), ("Q", 2)), (("f", 1),), ("a",), ("x", "y"), tuple("01*")
    )
    pieces = st.lists(st.sampled_from([*PIECES[name].split(), " ", "\n"]), max_size=12).map("".join)

    @given(pieces | st.text(PIECES[name], max_size=10))
    @settings(max_examples=210)
    def check(answer: str) -> None:
        formula = lang.read(answer, vocabulary=names if known else None).formula
        assert formula is None or lang.parse(lang.format(formula)) == formula

    check()


@pytest.mark.parametrize(
    ("name", "leaf", "sign"),
    [("propositional", "p&p|p&p", "&"), ("first_order", "p&p|p&∀x∀x p", "|"), ("ltl", "⊥", "⊕")],
)
def test_a_text_whose_canonical_text_is_too_long_is_refused(
    name: str, leaf: str, sign: str
) -> None:
    text = leaf
    longest = MAX_LENGTH if name == "first_order" else MAX_LARGE_LENGTH
    while 2 * len(text) + 5 <= longest:
        text = f"({text}){sign}({text})"
    lang = language(name)
    with pytest.raises(LimitError, match="characters"):
        lang.parse(text)
    assert lang.read(text).formula is None


@pytest.mark.parametrize(
    "text",
    ["[一-凧]" * 3_000, r"\d" * 9_000, "[" + "一-凧" * 6_000 + "]", "|" * 8_000 + "[01]" * 2_900],
)
def test_classes_that_are_too_long_are_refused(text: str) -> None:
    assert "20,000" in language("regex").read(text).problem


@pytest.mark.parametrize("text", ["[!-\xa1]", "[ -~]", "[0-\x7f]"])
def test_a_class_holds_visible_symbols(text: str) -> None:
    with pytest.raises(FormulaSyntaxError):
        language("regex").parse(text)


def test_a_formula_of_many_long_names_is_refused() -> None:
    name = "x" * 500
    lines = [
        f"a0 = LAnd({name}, {name})",
        *(f"a{i + 1} = LAnd(a{i}, a{i})" for i in range(10)),
        "formulaToFind = a10",
    ]
    assert "more than 20,000 characters" in read_python("\n".join(lines)).problem
