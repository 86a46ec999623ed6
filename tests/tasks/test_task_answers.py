"""Readers of answers: words, numbers, orders, named phrases, symbols; a few cases for each rule."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.tasks.answer_readers import (
    read_label,
    read_number,
    read_order,
    read_phrases,
    read_symbols,
    read_yes_no,
)

OPTIONS = ["Every cube is small.", "If 3 is a cube, then it is small.", "No cube is small."]
read_option = partial(read_number, options=OPTIONS)


@pytest.mark.parametrize(
    ("read", "answer", "expected"),
    [
        (read_yes_no, "yes", True),
        (read_yes_no, "No.", False),
        (read_yes_no, "Yes, they are equivalent.", True),
        # A label in brackets is a label.
        (read_yes_no, "[Answer] yes", True),
        (read_yes_no, "The tables agree. [Answer]: yes", True),
        (read_yes_no, "**[Answer]** no", False),
        (read_yes_no, "[[Answer]] no\n\nThe first one is stronger.", False),
        (read_yes_no, "【Answer】yes", True),
        (read_yes_no, "[Answer] no\n\n[Final Answer] yes", True),
        (read_yes_no, "[Verdict] Yes.", True),
        (read_label, "[Answer] Uncertain", "Uncertain"),
        (read_option, "[Answer] 2", 2),
        (read_order, "[Ranking] 2, 1, 3", (2, 1, 3)),
        (read_yes_no, "No: the second one also matches the empty string.", False),
        (read_yes_no, "**Answer:** No (p1 tells them apart)", False),
        (read_yes_no, "Final Answer: **Yes** — both say that p1 holds.", True),
        (read_yes_no, '{"reasoning": "They differ at first sight.", "answer": "yes"}', True),
        (read_yes_no, "Answer: no\n\nTake p1 true and p2 false.", False),
        (read_label, "Answer: True", "True"),
        (read_label, "It is not true, one would think.\n\nAnswer: uncertain", "Uncertain"),
        (read_label, "**Answer:** False. It contradicts premise 3.", "False"),
        (
            read_label,
            "It is true, one would think.\nAnswer: False\nSo the conclusion is false.",
            "False",
        ),
        (read_label, '```json\n{"reasoning": "It holds.", "answer": "True"}\n```', "True"),
        (read_label, '{"reasoning": "It holds.", "answer": true}', "True"),
        (read_option, "Answer: 3", 3),
        (read_option, "Options 1 and 2 are wrong.\n\nAnswer: Option 3.", 3),
        (read_option, "Answer: 2 (the second)", 2),
        (read_option, "Answer: 2: If 3 is a cube, then it is small.", 2),
        (read_option, '{"reasoning": "1 fits.", "answer": 1}', 1),
        (read_option, "2", 2),
        (read_option, "Answer: 9", 9),
        (read_order, "Answer: 2, 1, 3", (2, 1, 3)),
        (read_order, "Answer: 2 > 1 > 3.", (2, 1, 3)),
        (read_order, "2 1 3", (2, 1, 3)),
        (read_order, '{"reasoning": "1, 2, 3?", "answer": [2, 1, 3]}', (2, 1, 3)),
        (read_order, "Answer: 2, 2", (2, 2)),
    ],
)
def test_the_final_answer_is_read(
    read: Callable[[str], object], answer: str, expected: object
) -> None:
    assert read(answer) == expected


# --- propositions ---

DOORS = (("the door is open", "x1"), ("a lamp is on", "x2"))


@pytest.mark.parametrize(
    "answer",
    [
        '"the door is open": x1\n"a lamp is on": x2',
        'Here they are:\n\n1. "the door is open": `x1`\n2. **"a lamp is on"**: x2',
        "- “the door is open.”: x1\n- “a lamp is on”: x2\n\nThere is nothing else.",
        '"the door is open": x1\n"a lamp is on": x2\nFormula: G (x1 -> x2)',
    ],
)
def test_propositions_are_lines_of_phrase_and_name(answer: str) -> None:
    assert read_phrases(answer) == DOORS


# --- symbols ---

SYMBOLS = (Symbol("Likes", ("x", "y"), "x likes y"), Symbol("mara", (), "Mara", is_term=True))


@pytest.mark.parametrize(
    "answer",
    [
        "Likes(x, y): x likes y\nmara: Mara",
        "1. **Likes(x, y)**: x likes y.\n2. `mara`: Mara\n\nNote: Mara is a person.",
        "Predicates:\n- Likes(x,y): x likes y\n\nConstants:\n- mara: Mara",
        "Likes(x, y): x likes y\nmara: Mara\nFormula: ∀x. Likes(x, mara)",
    ],
)
def test_symbols_are_lines_of_symbol_and_gloss(answer: str) -> None:
    assert read_symbols(answer)[0] == SYMBOLS


@pytest.mark.parametrize(
    ("line", "is_term"),
    [
        ("Rains: it is raining", False),
        ("Mara: Mara", True),
        ("motherOf(x): the mother of x", True),
        ("likes(x, y): x likes y", False),
        ("MotherOf(x, y): x is the mother of y", False),
    ],
)
def test_a_small_initial_or_a_name_makes_a_term(line: str, is_term: bool) -> None:
    (symbol,), _ = read_symbols(line)
    assert symbol.is_term is is_term


def test_the_lines_of_a_formula_are_left_over() -> None:
    assert (
        read_symbols("Likes(x, y): x likes y\n\nFormula: `∀x. Likes(x, x)`")[1]
        == "\nFormula: `∀x. Likes(x, x)`"
    )
    assert read_symbols("No symbol is needed.")[0] == ()


# --- all of them ---


#: Answers that are hedged, contradicted or said in other words, or that leave open which is meant.
UNREADABLE: dict[Callable[[str], object], list[str]] = {
    read_yes_no: [
        "",
        "They are equivalent.",
        "Answer: not equivalent",
        "Answer: yes\n\nWait, that is a mistake. They differ.",
        "Yes and no.",
        "Answer: **Yes**, but only if p1 holds",
        "Answer: yes, probably",
        "Answer: yes?",
        "Yes, they are not equivalent.",
    ],
    read_label: [
        "Answer: Unknown",
        "Answer: not true",
        "Answer: True or Uncertain",
        '{"answer": "True/False/Uncertain"}',
        "The conclusion follows.",
        "Answer: True\nThe conclusion is uncertain. There are situations in which block b is a cube.",
    ],
    read_option: [
        "Answer: none",
        "Answer: 1 or 2",
        "Answer: 1 (2 is as good)",
        "Answer: 1: No cube is small.",
        "Answer: 2.5",
        "Answer: No cube is small.",
        "Answer: 1, but 3 is nearer",
    ],
    read_order: [
        "2 comes first.",
        "Answer: 2 = 1, 3",
        "Answer: 2, 1 > 3",
        "Answer: 2, (1, 3)",
        "Answer: 1, 2\nAnswer: 2, 1",
    ],
}


@pytest.mark.parametrize(
    ("read", "answer"),
    [(read, answer) for read, answers in UNREADABLE.items() for answer in answers],
)
def test_hedged_and_contradicted_answers_are_unreadable(
    read: Callable[[str], object], answer: str
) -> None:
    with pytest.raises(UnreadableError):
        read(answer)


@pytest.mark.parametrize(
    ("read", "answer", "reason"),
    [
        (read_phrases, "There are two of them.", "lists no phrases"),
        (read_phrases, '"the door is open": x1\nx2: a lamp is on', "another form"),
        (read_phrases, '"the door is open" (x1)', "another form"),
        (read_phrases, '"the door is open": x1\n"a lamp is on"', "another form"),
        (read_symbols, "Somebody likes Mara.", "lists no symbols"),
        (read_symbols, "Likes(x, y) - x likes y\nmara: Mara", "another form"),
        (read_symbols, "Likes(x, y)\nmara: Mara", "another form"),
        (
            read_symbols,
            "Likes(x, y): x likes y\nAt least two(x): x is at least two",
            "another form",
        ),
        (read_symbols, "Likes(x, y): x likes y\nConstants: mara, otto", "another form"),
        (read_symbols, "Likes(x, y): x likes y\nLikes(x, y): y likes x", "the symbol Likes"),
    ],
)
def test_a_list_in_another_form_is_unreadable_as_a_whole(
    read: Callable[[str], object], answer: str, reason: str
) -> None:
    with pytest.raises(UnreadableError, match=reason):
        read(answer)


def test_an_answer_beyond_all_measure_is_refused() -> None:
    with pytest.raises(UnreadableError, match="at most"):
        read_phrases("a" * 100_001)
