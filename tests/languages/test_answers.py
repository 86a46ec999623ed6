"""Where the answer of a reply stands, and which replies have none."""

from __future__ import annotations

import pytest

from pytest_autoeval.languages.answers import (
    FORMULA_LABELS,
    UnreadableError,
    answer_labels,
    final_answer,
    passages,
)
from pytest_autoeval.languages.marks import bare
from pytest_autoeval.languages.plain_replies import plain


def word(text: str) -> str | None:
    return text.lower() if text.lower() in ("yes", "no") else None


@pytest.mark.parametrize(
    "reply",
    [
        "yes",
        "I compared them.\n\nAnswer: yes",
        "The answer is yes.",
        "Answer: no, or rather\nFinal answer: yes",
        "$\\boxed{\\text{yes}}$",
        "<answer>yes</answer>",
        '{"reasoning": "The answer is no", "answer": "yes"}',
        "<think>Answer: no</think>\nyes",
        "Answer: yes\n\nThe two agree on every row.",
    ],
)
def test_the_final_answer_is_labelled_or_the_last_line(reply: str) -> None:
    assert final_answer(reply, word) == "yes"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "the answer is empty"),
        ("<think>yes</think>", "the answer is empty"),
        ("yes\n\nTheir truth tables agree.", "does not have the form"),
        ("Answer: yes\nAnswer: no", "differ"),
        ('{"answer": "yes", "answer": "no"}', "differ"),
        ("Answer: yes\n\nWait, the second row differs.", "withdraws its final answer"),
        ("Answer: yes" + " " * 100_000, "at most 100,000"),
    ],
)
def test_a_reply_without_one_final_answer_is_unreadable(reply: str, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        final_answer(reply, word)


def places(reply: str) -> list[tuple[str, str]]:
    return [(passage.place, passage.text) for passage in passages(plain(reply), FORMULA_LABELS)]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Formula: x", [("label", "x")]),
        ("The formula in LTL is: x.", [("label", "x")]),
        ("The formula is `x`, where x is rain.", [("label", "x")]),
        ("Here is it.\n\nFormula:\n```\nx\ny\n```", [("line", "Here is it"), ("label", "x\ny")]),
        ("\\begin{align*} x &= y \\end{align*}", [("block", "x  = y")]),
        ("\\begin{align} x \\\\ &\\equiv y \\end{align}", [("block", "…")]),
        ("- x\n- `y`", [("line", "x\n`y`"), ("span", "y")]),
        ("It is `x`.", [("line", "It is `x`"), ("span", "x")]),
        ("It is $x$ or **y**.", [("line", "It is $x$ or **y**")]),
        ('"the router answers": x', [("line", '"the router answers": x')]),
        ("An equivalent formula: x", [("line", "An equivalent formula: x")]),
        ('{"formula": "x"}', [("final", "x")]),
        ("<p><code>x</code></p>", [("line", "x"), ("span", "x")]),
    ],
)
def test_the_places_of_an_answer(reply: str, expected: list[tuple[str, str]]) -> None:
    assert [found for found in places(reply) if found[1]] == expected


@pytest.mark.parametrize(
    "text",
    [
        "x",
        " x ",
        "`x`",
        "``x``",
        "**x**",
        "_x_",
        "$x$",
        "$$x$$",
        "\\(x\\)",
        '"x"',
        "“x”.",
        "**`x`**.",
        "x;",
    ],
)
def test_marks_around_all_of_a_text_are_taken_off(text: str) -> None:
    assert bare(text) == "x"


@pytest.mark.parametrize(
    ("text", "kept", "expected"),
    [
        ("x.", "", "x"),
        ("x.", ".", "x."),
        ("x.,", ".", "x."),
        ("**x.**", ".", "x."),
        ('"x"', '"', '"x"'),
        # Behind a mark, a period is outside of the answer.
        ('"x".', ".", "x"),
        ('"x.".', ".", "x."),
        ("**x**.", ".", "x"),
        ("`x.`.", ".", "x."),
        ("$x$", "$", "$x$"),
        # An omission is no end of a sentence, and a sign after a backslash is no punctuation.
        ("x...", "", "x..."),
        ("x\\.", "", "x\\."),
        ("x\\\\.", "", "x\\\\"),
        ("`x.`.", "", "x."),
    ],
)
def test_what_may_be_a_sign_of_the_answer_stays(text: str, kept: str, expected: str) -> None:
    assert bare(text, kept) == expected


@pytest.mark.parametrize(
    "text", [".", "(0*1)*", "`x` and `y`", "**x** and **y**", "'x' or 'y'", "$x$ or $y$"]
)
def test_marks_that_do_not_enclose_a_text_stay(text: str) -> None:
    assert bare(text) == text


PIECES = [
    "`", "**", "\\[", '{"a":', '"', "answer: ", "Answer: yes\n", "\\boxed{", "<answer>", "<think>", "\\begin{align}",
    "&amp;", "\n- ", "```\n", "<", "(",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("labels", [answer_labels(), FORMULA_LABELS], ids=["answer", "formula"])
def test_long_replies_of_anything_end(piece: str, labels: object) -> None:
    text = piece * (100_000 // len(piece))
    assert isinstance([*passages(plain(text), labels)], list)  # type: ignore[arg-type]
