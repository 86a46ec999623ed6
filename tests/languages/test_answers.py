"""Where the pieces of an answer stand that may be formulas."""

from __future__ import annotations

import pytest

from pytest_autoeval.languages.answers import Passage, bare, passages, unmarked


def found(answer: str, *places: str) -> list[str]:
    return [passage.text for passage in passages(answer) if passage.place in places]


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("x", "x"),
        ("  x  ", "x"),
        ("`x`", "x"),
        ("``x``", "x"),
        ("**x**", "x"),
        ("*x*", "x"),
        ("_x_", "x"),
        ("$x$", "x"),
        ("$$x$$", "x"),
        ("\\(x\\)", "x"),
        ("\\[x\\]", "x"),
        ("\\boxed{x_{1}}", "x_{1}"),
        ("$\\boxed{x}$.", "x"),
        ("**`x`**.", "x"),
        ('"x"', "x"),
        ("“x”.", "x"),
        ("x.", "x"),
        ("x;", "x"),
        (".", "."),
        ("(0*1)*", "(0*1)*"),
        ("`x` and `y`", "`x` and `y`"),
        ("**x** and **y**", "**x** and **y**"),
        ("'x' or 'y'", "'x' or 'y'"),
        ("$x$ or $y$", "$x$ or $y$"),
        ("\\[x\\] \\[y\\]", "\\[x\\] \\[y\\]"),
    ],
)
def test_marks_around_all_of_a_text_are_taken_off(text: str, inner: str) -> None:
    assert bare(text) == inner


def test_marks_inside_a_text_are_taken_off_only_around_single_words_and_signs() -> None:
    assert unmarked("`p` ∧ $q$") == "p ∧ q"
    assert unmarked("`¬p` **∧** `P(a)`") == "¬p ∧ P(a)"
    assert unmarked("`p ∧ q` and `r`") == "`p ∧ q` and `r`"
    assert unmarked("0*1*") == "0*1*"


@pytest.mark.parametrize(
    ("answer", "blocks"),
    [
        ("```\nx\n```", ["x"]),
        ("Sure:\n```logic\nx\ny\n```\nDone.", ["x\ny"]),
        ("~~~\nx\n~~~", ["x"]),
        ("```\nx", ["x"]),
        ("```\nx\n```\nor\n```\ny\n```", ["y", "x"]),
        ("See \\[ x \\] and $$y$$.", ["y", "x"]),
        ("So $\\boxed{x}$.", ["x"]),
        ("\\[ \\boxed{x \\to y} \\]", ["x \\to y"]),
        ("a \\] b \\[ c \\]", ["c"]),
        ("never \\[ closed", []),
        ("\\boxed{x", []),
        ("  ```\n  x\n  ```", ["x"]),
    ],
)
def test_blocks_come_last_first(answer: str, blocks: list[str]) -> None:
    assert found(answer, "block") == blocks


@pytest.mark.parametrize(
    ("answer", "labelled"),
    [
        ("Formula: x", ["x"]),
        ("Formula: x.", ["x"]),
        ("**Formula:** x", ["x"]),
        ("**Formula**: `x`", ["x", "x"]),
        ("The final answer is x.", ["x"]),
        ("The final answer is: x", ["x"]),
        ("Here is the formula (in FOL notation): x", ["x"]),
        ("The regular expression is 0*1.", ["0*1"]),
        ("Answer: ∀x: P(x)", ["∀x: P(x)"]),
        ("## Answer: x", ["x"]),
        ("- Answer: x", ["x"]),
        ("for all x: P(x)", []),
        ("p1: it rains", []),
        ("(see the formula: x", []),
        ("x ∧ y: z", []),
        ('"Final answer": x', ["x"]),
        ('"the router answers": x\nFormula:', []),
    ],
)
def test_labels(answer: str, labelled: list[str]) -> None:
    assert found(answer, "label") == labelled


def test_spans_amid_prose_know_what_stands_around_them() -> None:
    spans = [one for one in passages("if `a` then $b$, or **c** it \\(d\\)") if one.place in ("code", "math", "bold")]
    assert spans == [
        Passage("d", "math", "if `a` then $b$, or **c** it ", ""),
        Passage("c", "bold", "if `a` then $b$, or ", " it \\(d\\)"),
        Passage("b", "math", "if `a` then ", ", or **c** it \\(d\\)"),
        Passage("a", "code", "if ", " then $b$, or **c** it \\(d\\)"),
    ]


def test_dollars_of_prices_and_regular_expressions_are_no_mathematics() -> None:
    assert found("It costs $5 and $6", "math") == []
    assert found("^0*$ or ^1*$", "math") == []


def test_lines_are_bare_and_know_the_line_above() -> None:
    lines = [one for one in passages("Answer:\n\n1. **x**\n> y.") if one.place == "line"]
    assert lines == [
        Passage("y", "line", before="1. **x**"),
        Passage("x", "line", before="Answer:"),
        Passage("Answer:", "line"),
    ]


def test_a_language_joins_the_lines_of_one_formula() -> None:
    joined = [one.text for one in passages("a +\nb\nc", lambda text, _: text.endswith("+")) if one.place == "line"]
    assert joined == ["c", "a +\nb"]


@pytest.mark.parametrize("answer", ["", " ", "\n\n", "``````", "$$$$", "****"])
def test_no_candidate_is_empty(answer: str) -> None:
    assert all(passage.text for passage in passages(answer))


@pytest.mark.parametrize(
    "piece", ["`", "` ", "\\[", "\\boxed{", "**a", "$a ", "\\(", "a:", "is ", "(:", "`a``b", "- ", '"', "```\n"]
)
def test_hostile_answers_have_few_candidates(piece: str) -> None:
    assert len(list(passages(piece * (20_000 // len(piece))))) < 6_000
