"""The words of witnesses: whose formula each value is of."""

from __future__ import annotations

import pytest
from msgspec import structs
from support.result_rows import changed, row

from pytest_autoeval.languages import language
from pytest_autoeval.record.witness_words import (
    ALL_SIDES,
    FIRST_AND_SECOND,
    GIVEN_AND_MODELS,
    sides_of,
    with_sides,
    witness_in_words,
)

#: Two formulas that differ, in each language.
PAIRS = [
    ("propositional", "left ∨ right", "left ∧ right"),
    ("ltl", "F a", "G a"),
    ("regex", "0*", "01*"),
    ("first_order", "P(left) ∧ Q(b)", "∃x. P(x)"),
    ("ltl_strings", "F x1", "F x2"),
]


@pytest.mark.parametrize(("lang", "first", "second"), PAIRS)
@pytest.mark.parametrize("sides", ALL_SIDES)
def test_the_shipped_witnesses_name_their_formulas(
    lang: str, first: str, second: str, sides: tuple[str, str]
) -> None:
    witness = language(lang).equivalent(first, second).witness
    assert witness is not None
    text = with_sides(str(witness), sides)
    assert all(text.count(side) == 1 for side in sides)
    # The names of the user's own stay, also those that are our words.
    assert ("left" in text) is ("left" in first)


@pytest.mark.parametrize(("lang", "first", "second"), PAIRS[:4])
def test_each_value_stays_with_its_formula(lang: str, first: str, second: str) -> None:
    forth = language(lang).equivalent(first, second).witness
    back = language(lang).equivalent(second, first).witness
    values = {True: ("true", ": accepted"), False: ("false", ": not accepted")}
    for witness in (forth, back):
        assert witness is not None
        given = witness.to_json()["left"]
        # The name of a side, then its value.
        _, _, after = with_sides(str(witness), GIVEN_AND_MODELS).rpartition("given")
        ends = values[given]
        own_value = after.partition("model's")[0]
        assert any(end in own_value for end in ends)


def test_a_table_keeps_its_columns() -> None:
    text = "domain  {1}\nP       {}\nleft    true\nright   false"
    assert with_sides(text, GIVEN_AND_MODELS).split("\n") == [
        "domain   {1}",
        "P        {}",
        "given    true",
        "model's  false",
    ]


def test_the_text_of_a_language_of_ones_own_stays() -> None:
    assert with_sides("the left lamp is on", GIVEN_AND_MODELS) == "the left lamp is on"


def test_the_task_decides_what_the_formulas_are_called() -> None:
    text = "p1 = true (left: true, right: false)"
    round_trip = row("different", witness_text=text)
    judged = row("wrong answer", witness_text=text, other="p1", answered=True)
    of_sentence = row("inconsistent", witness_text=text, formalization="p1")
    assert sides_of(round_trip) == GIVEN_AND_MODELS
    assert sides_of(judged) == FIRST_AND_SECOND
    assert witness_in_words(of_sentence) == "p1 = true (sentence's: true, description's: false)"
    assert witness_in_words(changed(round_trip, witness_text=None)) is None


def test_a_pipeline_of_the_test_is_not_called_the_model() -> None:
    text = "p1 = true (left: true, right: false)"
    sample = row("different", witness_text=text)
    own = structs.replace(sample, compared="p1", answer=None, translation=None)
    assert witness_in_words(own) == "p1 = true (given: true, answer's: false)"
    # The test changed what the model answered.
    of_model = structs.replace(sample, compared="p1", answer="p2")
    assert sides_of(of_model) == GIVEN_AND_MODELS
