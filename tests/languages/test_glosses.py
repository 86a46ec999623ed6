"""Glosses derived from names, and formulas verbalized with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from support.logic_formulas import first_order, parsed

from pytest_autoeval.languages import FormulaSyntaxError, language
from pytest_autoeval.languages.logic.glosses import derived_ontology, words_of_name
from pytest_autoeval.languages.logic.syntax import Atom, Forall, Implies, Not, Sentence, Term
from pytest_autoeval.languages.logic.verbalization import read_verbal, verbalize
from pytest_autoeval.languages.ontology import ontology_of_facts
from pytest_autoeval.tasks.likeness import phrase
from pytest_autoeval.tasks.phrases import words_of

FIRST_ORDER = language("first_order")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("InEU", "in EU"),
        ("is_tall", "is tall"),
        ("Cost205", "cost 205"),
        ("F1", "F1"),
        ("LostToIgaŚwiątek", "lost to iga świątek"),
        ("_", "_"),
    ],
)
def test_names_are_taken_apart_into_words(name: str, words: str) -> None:
    assert " ".join(words_of_name(name)) == words


@pytest.mark.parametrize(
    ("symbol", "gloss", "negative"),
    [
        ("EUCountry(x)", "x is an EU country", "x is not an EU country"),
        ("Students(x)", "x is one of the students", "x is not one of the students"),
        ("IsCity(x)", "x is a city", "x is not a city"),
        ("HasWings(x)", "x has wings", "x does not have wings"),
        ("CanFly(x)", "x can fly", "x cannot fly"),
        ("NotPicky(x)", "x is not picky", ""),
        ("Larger(x, y)", "x is larger than y", "x is not larger than y"),
        ("Created(x, y)", "x has created y", "x has not created y"),
        ("MemberOf(x, y)", "x is a member of y", "x is not a member of y"),
        ("LargestLakeOf(x, y)", "x is the largest lake of y", "x is not the largest lake of y"),
        ("FastestRunner(x)", "x is the fastest runner", "x is not the fastest runner"),
        ("Guest(x)", "x is a guest", "x is not a guest"),
        ("AwareThatDrug(x, y)", "x is aware that y is a drug", "x is not aware that y is a drug"),
        # "one of" and things that are known
        ("OneOfRings(x)", "x is one of the rings", "x is not one of the rings"),
        ("OneOf(x, y)", "x is one of y", "x is not one of y"),
        # the only one of its kind
        (
            "SecondLargestCity(x)",
            "x is the second largest city",
            "x is not the second largest city",
        ),
        ("MostPopulousCity(x)", "x is the most populous city", "x is not the most populous city"),
        ("FirstLady(x)", "x is a first lady", "x is not a first lady"),
        # an adverb before a verb, and other words in -ly
        ("RarelySleeps(x)", "x rarely sleeps", "x does not rarely sleep"),
        ("BrieflyVisit(x, y)", "x briefly visits y", "x does not briefly visit y"),
        ("DailyReport(x)", "x is a daily report", "x is not a daily report"),
        ("FamilyVisit(x)", "x is a family visit", "x is not a family visit"),
        # nouns without number
        ("FinancialAid(x)", "x is financial aid", "x is not financial aid"),
        # comparisons
        ("MoreThan(x, y)", "x is more than y", "x is not more than y"),
        ("MorePopular(x, y)", "x is more popular than y", "x is not more popular than y"),
        ("SameSize(x, y)", "x has the same size as y", "x does not have the same size as y"),
        ("Gives(x, y, z)", "gives holds of x, y and z", "gives does not hold of x, y and z"),
    ],
)
def test_predicates_are_glossed_by_their_words(symbol: str, gloss: str, negative: str) -> None:
    name, _, places = symbol.removesuffix(")").partition("(")
    terms = tuple(Term(place) for place in places.split(", "))
    derived = derived_ontology([Atom(name, terms)]).symbols[0]
    assert (str(derived), derived.gloss, derived.negative) == (symbol, gloss, negative)


@pytest.mark.parametrize(
    ("formula", "gloss"),
    [
        ("Rain", "rain holds"),
        ("P(y1984)", "1984"),
        ("P(mother_of(a))", "the mother of x"),
        ("P(sum(a, b, c))", "the sum of x, y and z"),
    ],
)
def test_propositions_constants_and_functions_are_glossed(formula: str, gloss: str) -> None:
    assert gloss in [symbol.gloss for symbol in derived_ontology([parsed(formula)]).symbols]


@pytest.mark.parametrize(
    "name",
    [
        "AwareThatDrug",
        "SureThatHappyPerson",
        "LargestLakeOf",
        "OldestUniversity",
        "OneOfRings",
        "MostPopulousCityIn",
        *("SecondLargestCityOf", "BrieflyVisit", "FinancialAid", "MoreThan", "MorePopular"),
    ],
)
def test_articles_and_the_place_of_a_term_do_not_change_what_glosses_are_compared_by(
    name: str,
) -> None:
    # An alignment compares the words of glosses, without articles, forms of "be" and linking words.
    formula = parsed(f"{name}(a, b)")
    (symbol,) = (symbol for symbol in derived_ontology([formula]).symbols if symbol.name == name)
    assert words_of(phrase(symbol)) == words_of(
        phrase(structs.replace(symbol, gloss=" ".join(words_of_name(name))))
    )
    denied = Not(formula)
    ontology = derived_ontology([denied])
    assert read_verbal(verbalize(denied, ontology), ontology) == denied


def test_an_ontology_is_the_signature_in_order_of_appearance_and_marked_as_derived() -> None:
    formulas = [
        parsed("∀x. Love(x)"),
        parsed("∀x. Love(x, ann)"),
        parsed("love(ann) = ann ∧ Ann(bob) ∧ Tall(z)"),
    ]
    ontology = derived_ontology(formulas)
    assert ontology.derived
    shown = ["Love(x)", "Love(x, y)", "ann", "love(x)", "Ann(x)", "bob", "Tall(x)", "z"]
    assert [str(symbol) for symbol in ontology.symbols] == shown
    assert derived_ontology(formulas) == ontology
    assert ontology_of_facts(ontology.to_facts(), derived=True) == ontology


def test_names_with_one_gloss_are_told_apart() -> None:
    ontology = derived_ontology([parsed("Like(tom, Tom) ∧ Likes(Tom, tom)")])
    assert [symbol.gloss for symbol in ontology.symbols] == [
        "x likes y (Like)",
        "Tom (tom)",
        "Tom (Tom)",
        "x likes y (Likes)",
    ]
    text = verbalize(parsed("¬Likes(tom, Tom)"), ontology)
    assert text == "Tom (tom) does not like Tom (Tom) (Likes)."
    assert read_verbal(text, ontology) == parsed("¬Likes(tom, Tom)")


def test_places_are_never_called_like_a_word_of_the_name() -> None:
    for name in ("XCoordinate", "y", "X1OfY"):
        symbol = derived_ontology([Atom(name, (Term("a"), Term("b")))]).symbols[0]
        assert not set(symbol.parameters) & set(words_of_name(name))
        assert [symbol.gloss.split().count(place) for place in symbol.parameters] == [1, 1]


NAMES = st.text("AaBbIsOfxY1_", min_size=1, max_size=6) | st.sampled_from(
    [
        "AwareThatIs",
        "AwareThatNot",
        "Is",
        "Not",
        "No",
        "If",
        "AndOr",
        "Has",
        "Same",
        "Between",
        "BothAre",
        "ThereIsSome",
        "IsIs",
        "CanNot",
        "Of",
        "Be",
    ]
)


@given(name=NAMES, arity=st.integers(0, 4), negated=st.booleans(), other=NAMES)
def test_any_names_give_glosses_that_are_read_back(
    name: str, arity: int, negated: bool, other: str
) -> None:
    atom = Atom(name, tuple(Term(other, (Term("a"), Term("a"))) for _ in range(arity)))
    formula = Implies(
        Not(atom) if negated else atom, Forall("x", Atom(other, (Term("x"), Term("x"))))
    )
    ontology = derived_ontology([formula])
    assert all(symbol.gloss for symbol in ontology.symbols)
    assert read_verbal(verbalize(formula, ontology), ontology) == formula


@given(formula=first_order(max_leaves=8))
def test_every_formula_is_said_with_its_own_ontology(formula: Sentence) -> None:
    ontology = derived_ontology([formula])
    assert FIRST_ORDER.foreign(formula, ontology.vocabulary) == ()
    assert read_verbal(verbalize(formula, ontology), ontology) == formula


#: Rows as FOLIO has them.
MADE_UP = [
    {
        "premises-FOL": [
            "∀x (InEU(x) ∧ EUCountry(x) → ¬(Poor(x) ⊕ Small(x)))",
            "Likes(bonnie, yale) ∨ ¬AttendsTo(bonnie)",
        ],
        "conclusion-FOL": "∃x ∃y (Taller(x, y) ∧ ¬(x = y) ∧ BornIn(x, y1984))",
    },
    {"premises-FOL": ["∀x (Broken(x) → ", "Love(tom)"], "conclusion-FOL": "Love(tom, z)"},
]
FOLIO = Path(__file__).parents[3] / "shared" / "data" / "folio-validation.jsonl"
DATA = [pytest.param(MADE_UP, 5, id="made up")]
if FOLIO.exists():
    rows = [json.loads(line) for line in FOLIO.read_text(encoding="utf-8").splitlines()]
    DATA.append(pytest.param(rows, 500, id="FOLIO"))


@pytest.mark.parametrize(("rows", "least"), DATA)
def test_formulas_as_people_wrote_them_are_said_and_read_back(
    rows: list[dict[str, list[str] | str]], least: int
) -> None:
    formulas: dict[Sentence, None] = {}
    for text in dict.fromkeys(
        text for row in rows for text in (*row["premises-FOL"], row["conclusion-FOL"])
    ):
        try:
            formulas[parsed(text)] = None
        except FormulaSyntaxError:
            continue
    ontology = derived_ontology(formulas)
    texts = {verbalize(formula, ontology): formula for formula in formulas}
    assert len(texts) == len(formulas) >= least
    assert all(read_verbal(text, ontology) == formula for text, formula in texts.items())
    assert not any("[" in text for text in texts), "glosses of names need no formula beside them"
