"""Lists of phrases with names, as models write them."""

from __future__ import annotations

import pytest

from pytest_autoeval.tasks.answers.phrase_lists import read_phrases

PAIRS = (("the door is open", "x1"), ("the user's card is valid", "x2"))


@pytest.mark.parametrize(
    "answer",
    [
        '"the door is open": x1\n"the user\'s card is valid": x2',
        '"the door is open" : x1 , "the user\'s card is valid" : x2',
        "“the door is open”: x1\n“the user’s card is valid”: x2".replace("’", "'"),
        "'the door is open': x1\n'the user's card is valid': x2",
        '"the door is open": "x1"\n"the user\'s card is valid": "x2"',
        '"the door is open" -> x1\n"the user\'s card is valid" → x2',
        'x1: "the door is open"\nx2: "the user\'s card is valid"',
        'x1 = "the door is open"\nx2 = "the user\'s card is valid"',
        "x1: the door is open\nx2: the user's card is valid",
        "the door is open: x1\nthe user's card is valid: x2",
        "- x1: the door is open.\n- x2: the user's card is valid.",
        "1. `x1`: the door is open\n2. `x2`: the user's card is valid",
        "* **x1** – the door is open\n* **x2** – the user's card is valid",
        "1) the door is open: x1\n2) the user's card is valid: x2",
        "x1 means that the door is open\nx2 stands for the user's card is valid",
        "Let x1 be: the door is open.\nLet x2 be: the user's card is valid.",
        '{"the door is open": "x1", "the user\'s card is valid": "x2"}',
        '```json\n{\n  "x1": "the door is open",\n  "x2": "the user\'s card is valid"\n}\n```',
        '[{"phrase": "the door is open", "atom": "x1"}, {"phrase": "the user\'s card is valid", "atom": "x2"}]',
        "| Atom | Phrase |\n|---|---|\n| x1 | the door is open |\n| x2 | the user's card is valid |",
        'Here are the propositions:\n\n"the door is open": x1\n\n"the user\'s card is valid": x2\n\nTwo in all.',
        '# "the door is open": x1\n# "the user\'s card is valid": x2',
        'propositions = {"the door is open": "x1",\n    "the user\'s card is valid": "x2"}',
        '<think>"a door": x1</think>\n"the door is open": x1\n"the user\'s card is valid": x2',
        '- "the door is open" (x1)\n- "the user\'s card is valid" (x2)',
        '"the door": x1\n"the user\'s card is valid": x2\n\nCorrection: it should be "the door is open": x1',
        '"the door": x1\n"the user\'s card is valid": x2\n\nCorrected:\n"the door is open": x1',
        '"the door is open": x1\n"the user\'s card is valid": x2\n\nI chose "the door is open": x1, as it comes first.',
        '"the door is open": x1\n"the user\'s card is valid": x2\n\nNote: "always" is a word of time.',
        '"the door": x1\n"a card": x2\n"it": x3\n\nBetter:\n\n"the door is open": x1\n"the user\'s card is valid": x2',
        '"the door": x1\n"a card": x2\n\nBetter:\n"the door is open": x1\n"the user\'s card is valid": x2',
    ],
)
def test_a_list_is_read_in_whichever_form(answer: str) -> None:
    assert read_phrases(answer).pairs == PAIRS


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "The door is open and the user's card is valid.",
        "- the door is open\n- the user's card is valid",
        "Formula: x1 & x2",
        "Formula: G (x1 -> F x2)",
        "Note: this is a list",
        "G (x1 -> F x2)",
        "answer = 5",
        "x1 is true at position 0",
        "x1 -> F x2",
        "x1 = (x2 & door)",
        '{"formula": "G (x1 -> F x2)", "explanation": "x2 follows x1"}',
    ],
)
def test_where_nothing_is_listed_the_problem_is_reported(answer: str) -> None:
    read = read_phrases(answer)
    assert read.pairs == ()
    assert "x1" in read.problem


def test_names_that_are_words_are_found_by_the_quotes_or_by_the_formula() -> None:
    assert read_phrases('"the door is open": door\nFormula: G door').pairs == (("the door is open", "door"),)
    assert read_phrases('door: "the door is open"').pairs == (("the door is open", "door"),)
    assert read_phrases("door: the door is open").pairs == ()
    assert read_phrases("door: the door is open", {"door"}).pairs == (("the door is open", "door"),)
    assert read_phrases("raining: it is raining\nFormula: F raining", {"raining"}).pairs == (
        ("it is raining", "raining"),
    )


def test_one_word_phrases_differ_from_names_by_the_numbers() -> None:
    assert read_phrases('"rain": "x1"').pairs == (("rain", "x1"),)
    assert read_phrases('"x1": "rain"').pairs == (("rain", "x1"),)


def test_what_is_listed_twice_counts_once_and_under_two_names_twice() -> None:
    assert read_phrases('"a b": x1\n"a b": x1').pairs == (("a b", "x1"),)
    assert read_phrases('"a b": x1\n"a b": x2').pairs == (("a b", "x1"), ("a b", "x2"))
    assert read_phrases('"a b": x1\n"c d": x1').pairs == (("a b", "x1"), ("c d", "x1"))


def test_quotes_inside_a_phrase_are_read_as_json_writes_them() -> None:
    assert read_phrases(r'"the \"stop\" sign is lit": x1').pairs == (('the "stop" sign is lit', "x1"),)
    assert read_phrases(r'{"x1": "the caf\u00e9 opens"}').pairs == (("the café opens", "x1"),)
    assert read_phrases(r'"the \d sign is lit": x1').pairs == (("the d sign is lit", "x1"),)


@pytest.mark.parametrize("answer", ['"' * 30_000, "x1: " * 20_000, "{" * 50_000, '"a": ' * 20_000, "| " * 30_000])
def test_answers_without_end_are_read_too(answer: str) -> None:
    assert len(read_phrases(answer).pairs) < 2
