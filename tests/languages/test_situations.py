"""Witnesses in English: an independent reader of it gets back exactly the witness."""

from __future__ import annotations

import random
from itertools import product

import pytest
from support.situation_reader import read_assignment, read_model, read_trace

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import language
from pytest_autoeval.languages.base import EnglishError
from pytest_autoeval.languages.deciding import Assignment
from pytest_autoeval.languages.first_order.evaluate import FiniteModel
from pytest_autoeval.languages.ltl.evaluate import TraceWitness
from pytest_autoeval.languages.ltl.traces.lasso import Lasso

PROPOSITIONAL, LTL, FIRST_ORDER = (
    language("propositional"),
    language("ltl"),
    language("first_order"),
)
WITNESSES = range(500)
CLAUSES = (
    "the door is open",
    "the door is open and the light is red",
    "it is not the case that the door is open",
    "the lift stops at step 2",
    "somebody waits at every step",
    "Bob’s car, or that of Ann, moves",
    "the “red” light is on",
    "a timer runs after step 3",
)
GLOSSARY = {"door_open": "the door is open", "red": "the light is red", "bell": "the bell rings"}


def drawn_glossary(draw: random.Random, names: list[str]) -> dict[str, str]:
    """Phrases for most names; some have one phrase, and some quote nothing that looks like a name."""
    clauses = [clause for clause in CLAUSES if "“" not in clause]
    return {name: draw.choice(clauses) for name in names if draw.random() < 0.8}


@pytest.mark.parametrize("seed", WITNESSES)
def test_an_assignment_is_read_back(seed: int) -> None:
    draw = random.Random(seed)
    names = draw.sample(["door_open", "red", "bell", "p1", "Q", "x.y"], draw.randint(0, 6))
    values = {name: draw.random() < 0.5 for name in names}
    glossary = drawn_glossary(draw, names)
    text = PROPOSITIONAL.situation(Assignment(values, left=True, right=False), glossary)
    read = read_assignment(text, glossary)
    assert list(read.items()) == list(values.items())


@pytest.mark.parametrize("seed", WITNESSES)
def test_a_trace_is_read_back(seed: int) -> None:
    draw = random.Random(seed)
    atoms = tuple(draw.sample(["door_open", "red", "bell", "p1"], draw.randint(0, 4)))
    states = [
        frozenset(atom for atom in atoms if draw.random() < 0.5)
        for _ in range(draw.choice([1, 1, 2, 3, 4, 12]) if atoms else 1)
    ]
    start = draw.randrange(len(states))
    witness = TraceWitness(
        Lasso(atoms, tuple(states[:start]), tuple(states[start:])), left=True, right=False
    )
    glossary = drawn_glossary(draw, list(atoms))
    read = read_trace(LTL.situation(witness, glossary), glossary)
    expected = witness.to_json()
    assert read == {key: expected[key] for key in ("atoms", "prefix", "loop")}


PREDICATES = {
    "Borrows(x, y)": "x borrows y",
    "Lends(x, y)": "y borrows x",
    "Likes(x, y)": "x borrows y",
    "Book(x)": "x is a book",
    "Open": "the library is open",
}
TERMS = {"main": "the main library", "owner(x)": "the owner of x", "author(x)": "the author of x"}


@pytest.mark.parametrize("seed", WITNESSES)
def test_a_finite_model_is_read_back(seed: int) -> None:
    draw = random.Random(seed)
    arities = [
        ("Borrows", 2),
        ("Lends", 2),
        ("Likes", 2),
        ("Book", 1),
        ("Open", 0),
        ("Gives", 3),
        ("Book", 2),
    ]
    predicates = draw.sample(arities, draw.randint(1, 4))
    functions = draw.sample([("owner", 1), ("author", 1), ("sum", 2)], draw.randint(0, 2))
    constants = draw.sample(["main", "ann", "Bob"], draw.randint(0, 3))
    domain = tuple(range(1, draw.randint(1, 3) + 1))
    rate = draw.choice([0.0, 0.3, 1.0])
    model = FiniteModel(
        domain=domain,
        constants={name: draw.choice(domain) for name in constants},
        functions={
            symbol: {each: draw.choice(domain) for each in product(domain, repeat=symbol[1])}
            for symbol in functions
        },
        predicates={
            symbol: frozenset(
                each for each in product(domain, repeat=symbol[1]) if draw.random() < rate
            )
            for symbol in predicates
        },
        left=True,
        right=False,
    )
    entries = {**PREDICATES, **TERMS}
    glossary = {key: phrase for key, phrase in entries.items() if draw.random() < 0.8}
    terms = [*((name, 0) for name in constants), *functions]
    read = read_model(FIRST_ORDER.situation(model, glossary), glossary, predicates, terms)
    assert tuple(read["domain"]) == domain
    assert read["held"] == {symbol: set(tuples) for symbol, tuples in model.predicates.items()}
    values = {
        **{(name, 0): {(): value} for name, value in model.constants.items()},
        **model.functions,
    }
    assert read["values"] == values


def test_a_trace_is_plain_english() -> None:
    states = [frozenset(), frozenset({"door_open"}), frozenset({"bell"})]
    witness = TraceWitness(
        Lasso(("door_open", "red", "bell"), tuple(states[:2]), tuple(states[2:])), True, False
    )
    assert LTL.situation(witness, GLOSSARY) == (
        "Suppose the following for steps 1 to 3. The door is open at step 2, but not at steps 1 and 3. The light is "
        "red at no step. The bell rings at step 3, but not at steps 1 and 2. From step 3 on, everything stays the same."
    )


def test_a_finite_model_is_plain_english() -> None:
    verdict = FIRST_ORDER.equivalent(
        "∀x. (Book(x) → ∃y. Borrows(y, x))", "∃y. ∀x. (Book(x) → Borrows(y, x))"
    )
    assert verdict.witness is not None
    assert FIRST_ORDER.situation(verdict.witness, PREDICATES) == (
        "Suppose there are exactly 2 things: thing 1 and thing 2. For all x, x is a book. "
        "Thing 1 borrows thing 2. Thing 2 borrows thing 1. For no other x and y, x borrows y."
    )


@pytest.mark.parametrize(
    ("name", "left", "right", "foreign"),
    [
        ("propositional", "door_open -> red", "red -> door_open", "bell"),
        ("ltl", "G (door_open -> F red)", "G (door_open -> X red)", "F bell"),
        ("first_order", "∀x. (Book(x) → Open)", "∃x. (Book(x) ∧ Borrows(x, x))", "∃x. Lends(x, x)"),
        ("first_order", "Book(owner(main))", "Book(main)", "Book(ann)"),
    ],
)
def test_a_formula_is_checked_in_the_case_of_a_witness(
    name: str, left: str, right: str, foreign: str
) -> None:
    lang = language(name)
    verdict = lang.equivalent(left, right)
    assert verdict.witness is not None
    case = verdict.witness.to_json()
    assert lang.holds_in(lang.parse(left), case) is case["left"]
    assert lang.holds_in(lang.parse(right), case) is case["right"]
    assert lang.holds_in(lang.parse(foreign), case) is None


@pytest.mark.parametrize(
    ("name", "formula"), [("propositional", "p"), ("ltl", "F p"), ("first_order", "P(a)")]
)
@pytest.mark.parametrize(
    "case", [{}, {"values": 3}, {"atoms": ["p"], "prefix": 1, "loop": []}, {"predicates": []}]
)
def test_the_json_of_something_else_is_refused(
    name: str, formula: str, case: dict[str, object]
) -> None:
    lang = language(name)
    with pytest.raises(AutoevalError, match="no witness"):
        lang.holds_in(lang.parse(formula), case)


def test_a_language_without_english_says_so() -> None:
    regex = language("regex")
    verdict = regex.equivalent("a*", "a+")
    assert verdict.witness is not None
    with pytest.raises(EnglishError, match="no English"):
        regex.situation(verdict.witness, {})
    with pytest.raises(EnglishError, match="not a trace"):
        LTL.situation(verdict.witness, {})
    assert regex.holds_in(regex.parse("a*"), verdict.witness.to_json()) is None


MODEL = {
    "domain": [1, 2],
    "constants": {"a": 1},
    "functions": {"f": [[1, 2], [2, 1]]},
    "predicates": {"P": [[1]]},
}


@pytest.mark.parametrize(
    "change",
    [
        {"domain": []},
        {"constants": {"a": 3}},
        {"functions": {"f": [[1, 2]]}},
        {"functions": {"f": [[1, 2], [1, 1]]}},
        {"functions": {"f": [[1, 2], [2, 3]]}},
        {"predicates": {"P": [[5]]}},
    ],
)
def test_what_is_no_finite_model_is_refused(change: dict[str, object]) -> None:
    formula = FIRST_ORDER.parse("P(f(a))")
    assert FIRST_ORDER.holds_in(formula, MODEL) is False
    with pytest.raises(AutoevalError, match="no witness"):
        FIRST_ORDER.holds_in(FIRST_ORDER.parse("⊤"), MODEL | change)


@pytest.mark.parametrize("value", ["false", 2, None, []])
def test_a_proposition_is_true_or_false(value: object) -> None:
    with pytest.raises(AutoevalError, match="no witness"):
        PROPOSITIONAL.holds_in(PROPOSITIONAL.parse("p"), {"values": {"p": value}})


@pytest.mark.parametrize("end", [".", "!", "?"])
def test_a_phrase_of_two_sentences_is_not_used(end: str) -> None:
    witness = Assignment({"p": True}, left=True, right=False)
    text = PROPOSITIONAL.situation(
        witness, {"p": f"the door is open{end} It is not the case that the light is red"}
    )
    assert text == "Suppose the following. “p” holds."
