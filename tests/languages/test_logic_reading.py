"""Formulas of logic in models' answers: what is read, and what must not be."""

from __future__ import annotations

import pytest

from pytest_autoeval.languages import Vocabulary, language

PROPOSITIONAL = language("propositional")
FIRST_ORDER = language("first_order")

#: A vocabulary of propositional logic, and one of first-order logic, as the suites have them.
P12 = Vocabulary(propositions=tuple(f"p{number}" for number in range(1, 13)))
SIGNATURE = Vocabulary(
    predicates=(("P", 1), ("Q", 1), ("R", 2), ("is_tall", 1)),
    functions=(("f", 1),),
    constants=("a", "b", "mary-ann"),
    variables=("x1", "x2"),
)
WORDS = Vocabulary(
    propositions=(
        "tall",
        "call",
        "wet",
        "umbrella",
        "v",
        "sometimes",
        "person",
        "mary-ann",
        "is_tall",
        "P",
    )
)


def read(answer: str, vocabulary: Vocabulary | None, name: str = "first_order") -> str | None:
    reading = language(name).read(answer, vocabulary=vocabulary)
    assert not (reading.compliant and reading.recovered)
    assert (reading.formula is None) == bool(reading.problem)
    assert (reading.formula is not None) == (reading.compliant or reading.recovered)
    return None if reading.formula is None else str(reading.formula)


COMPLIANT = [
    "p1",
    "p1 & !p2",
    "  (p1 ∨ p2) → p3\n",
    "p1 <-> p2 ^ p3",
    "⊤",
    "true -> p1",
    "p1\n∧ p2",
]


@pytest.mark.parametrize("answer", COMPLIANT)
def test_strict_answers_are_compliant(answer: str) -> None:
    reading = PROPOSITIONAL.read(answer, vocabulary=P12)
    assert reading.compliant
    assert reading.formula == PROPOSITIONAL.parse(answer)
    assert reading.text == answer.strip()


NOTATIONS = {
    "p1 v p2": "p1 ∨ p2",
    "p1 or p2": "p1 ∨ p2",
    "p1 AND NOT p2": "p1 ∧ ¬p2",
    "p1 implies p2 implies p3": "p1 → (p2 → p3)",
    "p1 if and only if p2": "p1 ↔ p2",
    "True | FALSE": "⊤ ∨ ⊥",
    "And(p1, Or(p2, Not(p3)), p4)": "p1 ∧ (p2 ∨ ¬p3) ∧ p4",
    "Implies(p1, Iff(p2, p3 & p4))": "p1 → (p2 ↔ (p3 ∧ p4))",
    "Xor(p1, p2) or Equivalent(p1, p2)": "(p1 ⊕ p2) ∨ (p1 ↔ p2)",
    "p1 and (p2 or p3)": "p1 ∧ (p2 ∨ p3)",
    "p1 \\leftrightarrow p2": "p1 ↔ p2",
    "p1 \\text{ or } p2": "p1 ∨ p2",
    "\\top \\land \\bot": "⊤ ∧ ⊥",
    "p1 -> p2 | p3 & ~p4": "p1 → (p2 ∨ (p3 ∧ ¬p4))",
    "p_{1} \\quad \\vee \\quad p_{12}": "p1 ∨ p12",
}


@pytest.mark.parametrize(("answer", "expected"), NOTATIONS.items())
def test_other_notations_of_propositional_logic(answer: str, expected: str) -> None:
    assert read(answer, P12, "propositional") == expected


QUANTIFIED = {
    "∀x1 x2. R(x1,x2)": "∀x1. ∀x2. R(x1, x2)",
    "∀ x1, x2. R(x1,x2) → P(x1)": "∀x1. ∀x2. (R(x1, x2) → P(x1))",
    "∀x1, ∃x2, R(x1,x2)": "∀x1. ∃x2. R(x1, x2)",
    "&forall;x. (P(x) &rarr; Q(x))": "∀x. (P(x) → Q(x))",
    '{"fol": "\\forall x (P(x) \\to Q(x))"}': "∀x. (P(x) → Q(x))",
    "φ = P(a)": "P(a)",
    "P(a) ∧ Q(b)\n\nwhere P(a) means a is P and Q(b) means b is Q.": "P(a) ∧ Q(b)",
    "∀x[P(x) → Q(x)]": "∀x. (P(x) → Q(x))",
    "(∀x)(∃y)(R(x,y))": "∀x. ∃y. R(x, y)",
    "∀x1 x2 R(x1,x2)": "∀x1. ∀x2. R(x1, x2)",
    "all x. some y. R(x, y)": "∀x. ∃y. R(x, y)",
    "\\forall x_{1} \\left[ P(x_{1}) \\to Q(x_{1}) \\right]": "∀x1. (P(x1) → Q(x1))",
    "\\forall x (\\mathrm{P}(x) \\rightarrow \\text{is\\_tall}(x))": "∀x. (P(x) → is_tall(x))",
    "∀xP(x)": "∀x. P(x)",
    "∃x1∀x2R(x1,x2)": "∃x1. ∀x2. R(x1, x2)",
    "∀xyR(x,y)": "∀x. ∀y. R(x, y)",
    "∀x,yR(x,y)": "∀x. ∀y. R(x, y)",
    "∀x!P(x)": "∀x. ¬P(x)",
    "Exists x. P(x)": "∃x. P(x)",
    "FORALL x (P(x) → Some y R(x, y))": "∀x. (P(x) → ∃y. R(x, y))",
    "ForAll(x, Implies(P(x), Q(x)))": "∀x. (P(x) → Q(x))",
    "Exists([x1, x2], R(x1, x2)) → P(a)": "(∃x1. ∃x2. R(x1, x2)) → P(a)",
    "forall(x, y, and(R(x, y), not(P(x))))": "∀x. ∀y. (R(x, y) ∧ ¬P(x))",
    "∀x (Implies(P(x), Q(x)) ∧ P(x)) → Q(x)": "∀x. (((P(x) → Q(x)) ∧ P(x)) → Q(x))",
    "Or(P(a), ∀x P(x) → Q(x), P(b))": "(P(a) ∨ ∀x. (P(x) → Q(x))) ∨ P(b)",
    "∃other, x. R(other, x)": "∃other. ∃x. R(other, x)",
    "a \\neq b": "¬(a = b)",
    # A quantifier without a dot binds like a negation ...
    "∀x P(x) → Q(a)": "(∀x. P(x)) → Q(a)",
    "∃x P(x) ∧ ∃x Q(x)": "(∃x. P(x)) ∧ ∃x. Q(x)",
    # ... unless its variable would occur free, and its prefix goes with it, what stands inside does not.
    "∀x P(x) → Q(x)": "∀x. (P(x) → Q(x))",
    "¬∀x P(x) → Q(x)": "¬∀x. (P(x) → Q(x))",
    "∀x ∃y R(x,y) → Q(x)": "∀x. ∃y. (R(x, y) → Q(x))",
    "∀x P(x) ∧ ∃y Q(y) → P(x)": "∀x. ((P(x) ∧ ∃y. Q(y)) → P(x))",
    "∀x P(x) ∧ ∀x Q(x) → R(x,a)": "(∀x. P(x)) ∧ ∀x. (Q(x) → R(x, a))",
    "(∀x)(∃y) R(x,y) → Q(y)": "∀x. ∃y. (R(x, y) → Q(y))",
    # A bracket that closes ends its reach; so does a constant of that name.
    "((∀x P(x)) ∧ P(a)) → Q(x)": "((∀x. P(x)) ∧ P(a)) → Q(x)",
    "∀a P(a) → Q(a)": "(∀a. P(a)) → Q(a)",
}


@pytest.mark.parametrize(("answer", "expected"), QUANTIFIED.items())
def test_other_notations_of_first_order_logic(answer: str, expected: str) -> None:
    assert read(answer, SIGNATURE) == expected


def test_taking_the_wide_reading_is_recovering() -> None:
    wide = FIRST_ORDER.read("∀x P(x) → Q(x)", vocabulary=SIGNATURE)
    narrow = FIRST_ORDER.read("∀x P(x) → Q(a)", vocabulary=SIGNATURE)
    assert (wide.recovered, wide.compliant) == (True, False)
    assert (narrow.recovered, narrow.compliant) == (False, True)


FRAGMENTS = [
    "(p1 ∧ (p2 ∨ p3)",
    "```\n(p1 ∧\np2)\n∨ p3 ∨ (\np4\n```",
    "[p1 ∨ p2)",
    "p1 ∧ p2 p3 ∨ p4",
    "Formula: `p1 ∧ p2` if `p3`",
    "`p1 ∨ p2` ∧ `p3 → p4`",
    "p1 is true ∧ p2 is false",
    "\\begin{align} ¬(p1 → p2) \\\\ &\\equiv p1 ∧ ¬p2 \\end{align}",
    "∃x such that P(x) ∧ Q(x)",
    "For all x, P(x) → Q(x)",
    "∃!x P(x)",
    "∃≥2 x. P(x)",
    "p1 == p2",
    "Formula: FORALL x P(x)\n\nP(a)",
    "...",
]


@pytest.mark.parametrize("answer", FRAGMENTS)
@pytest.mark.parametrize(
    "vocabulary", [None, P12, SIGNATURE], ids=["free", "propositions", "signature"]
)
@pytest.mark.parametrize("name", ["propositional", "first_order"])
def test_fragments_and_prose_are_not_formulas(
    answer: str, vocabulary: Vocabulary | None, name: str
) -> None:
    assert read(answer, vocabulary, name) is None


@pytest.mark.parametrize("name", WORDS.propositions)
def test_words_are_names_wherever_they_stand_for_themselves(name: str) -> None:
    for answer, expected in {
        f"{name}": name,
        f"`{name}`": name,
        f"The formula:\n{name}": name,
        f"not {name}": f"¬{name}",
        f"{name} v {name}": f"{name} ∨ {name}",
        f"({name}) or not {name}": f"{name} ∨ ¬{name}",
        f"{name}|{name}&{name}": f"{name} ∨ ({name} ∧ {name})",
    }.items():
        assert read(answer, WORDS, "propositional") == expected
        assert read(answer, WORDS, "first_order") == expected


@pytest.mark.parametrize(
    ("answer", "vocabulary", "expected"),
    [
        ("wetvumbrella", None, "wetvumbrella"),
        ("p1vp20", P12, "p1vp20"),
        ("p_1", None, "p_1"),
        ("p_1", P12, "p1"),
        ("p1", Vocabulary(propositions=("p_1",)), "p_1"),
        ("istall", WORDS, "istall"),
        ("Tall ∧ wet", WORDS, "Tall ∧ wet"),
        ("rain ∧ snow", P12, "rain ∧ snow"),
        ("Sure, rain ∧ snow is right.", P12, None),
        ("It rains.\ntall", None, None),
        ("It is `true`.", P12, None),
        ("Formula: `true`", P12, "⊤"),
    ],
)
def test_the_vocabulary_judges_names(
    answer: str, vocabulary: Vocabulary | None, expected: str | None
) -> None:
    assert read(answer, vocabulary, "propositional") == expected


def test_a_bound_variable_is_not_turned_into_a_constant_spelt_alike() -> None:
    constants = Vocabulary(predicates=(("P", 1),), constants=("x1",))
    assert read("∀x_1. P(x_1)", constants) == "∀x_1. P(x_1)"
    assert read("P(x_1)", constants) == "P(x1)"
