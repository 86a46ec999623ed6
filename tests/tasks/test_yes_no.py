"""Yes or no, as models put it: what is read, and what is left unread because it could be either."""

from __future__ import annotations

import pytest

from pytest_autoeval.tasks.answers.yes_no import AnswerWords, read_yes_no
from pytest_autoeval.tasks.trace_judging import WORDS as SATISFIED
from pytest_autoeval.tasks.well_formedness import WORDS as WELL_FORMED

FORMULA = "G (x1 -> F x2)"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("yes", True),
        ("No", False),
        ("YES.", True),
        ("  no\n", False),
        ("**Yes**", True),
        ("`no`", False),
        ('"No."', False),
        ("Yes!", True),
        ("True", True),
        ("false", False),
        ("- No", False),
        ("✅ Yes", True),
        ("❌ No", False),
        ("```\nno\n```", False),
        ("```text\nYes\n```", True),
        ("\\boxed{\\text{No}}", False),
        ("$\\boxed{yes}$", True),
        ("<answer>no</answer>", False),
        ('{"answer": "no"}', False),
        ('{"answer": true}', True),
        ('```json\n{"satisfied": false, "explanation": "yes, x1 holds {at} 2"}\n```', False),
        ('{"violated": true}', False),
        ('{"not_satisfied": true}', False),
        ('{"satisfies_formula": true}', True),
        ('{"reason": "because", "verdict": "No"}', False),
        ('{"prediction": "no"}', False),
        ('In state {"x1": true} it fails.\nNo', False),
        ("Yes, the trace satisfies the formula.", True),
        ("No, it does not.", False),
        ("No. It doesn't satisfy the formula.", False),
        ("Yes, because x2 holds at position 3 and x1 is false from then on.", True),
        ("No — at position 4, x1 is true and x2 never follows.", False),
        ("No, since x1 holds and x2 does not.", False),
        ("No: the trace violates the formula.", False),
        ("No the trace does not satisfy the formula", False),
        ("The trace satisfies the formula.", True),
        ("The trace does not satisfy the formula.", False),
        ("The trace doesn’t satisfy the formula.", False),
        ("The trace fails to satisfy the formula.", False),
        ("The trace does not violate the formula.", True),
        ("The formula is not violated by the trace.", True),
        ("There is no violation.", True),
        ("No violations.", True),
        ("Not satisfied.", False),
        ("Satisfied", True),
        ("Violated.", False),
        ("This is a violating trace.", False),
        ("It does not fail to satisfy the formula.", True),
        ("The formula holds.", True),
        ("The formula does not hold.", False),
        (f"The trace does not satisfy the formula {FORMULA}.", False),
        (f"The trace satisfies `{FORMULA}`.", True),
        ("Answer: no", False),
        ("Satisfied: no", False),
        ("Violated: yes", False),
        ("Violated: no", True),
        ("Violated: the trace violates the formula.", False),
        ("Is the formula satisfied? No.", False),
        ("Is the formula violated? Yes.", False),
        ("Is the formula violated? It is not.", True),
        ("Does the trace satisfy the formula?\nYes", True),
        ("At position 0, x1 is true. At position 1, x2 is false.\n\n**Final answer:** no", False),
        ("x1 is true at 0, and F x2 is true there.\n\nAnswer:\nyes", True),
        ("x1 U x2 is false at position 0.\nSo the answer is **no**.", False),
        ("Answer: yes\n\nLet me check again: x2 never holds.\n\nFinal answer: no", False),
        ("Answer: yes. Corrected answer: no.", False),
        ("x2 holds at position 3, so the trace satisfies the formula.", True),
        ("x2 is true nowhere. Therefore, the trace violates the formula at position 2.", False),
        ("x2 is true nowhere.\nTherefore, the trace does not satisfy the formula because x1 is true.", False),
        ("Since x2 never holds after position 1, the trace violates the formula.", False),
        ("Position 0: x1 is true.\nPosition 1: x2 is true.\n\nYes", True),
        ("Conclusion: the trace satisfies the formula.", True),
        ("Yes\n\nThe trace satisfies the formula because x1 does not hold.", True),
        ("Overall: false", False),
        ("no\n\nExplanation: x2 never holds.", False),
        ("No\nConfidence: 0.9", False),
        ("yes\n\nCorrection: no", False),
        ("(yes)", True),
        ("Verdict: ✅ yes", True),
        ("I would say no.", False),
        ("formula.holds(trace) returns False", False),
        ("The formula evaluates to true.", True),
    ],
)
def test_an_answer_is_read_as_a_person_reads_it(answer: str, expected: bool) -> None:
    assert read_yes_no(answer, SATISFIED, quoted=(FORMULA,)).value is expected


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I do not know.",
        "Maybe.",
        "yes or no",
        "Yes/No",
        "Yes and no.",
        "Yes, but no.",
        "No idea.",
        "No answer can be given.",
        "Not sure.",
        "It depends.",
        "x1 is true at position 0.",
        "x1 is false",
        "F x2: satisfied",
        "x2: no",
        "At position 2, it holds.",
        "First F x2. x2 is true at position 3. So it holds.",
        "The trace satisfies x1 at position 0.",
        "Hence position 3 satisfies x1.",
        "The formula is satisfiable.",
        "The trace satisfies the formula from position 2 on.",
        "It is not true that the trace violates the formula.",
        "If x2 held at 3, the trace satisfies the formula.",
        "The trace would satisfy the formula.",
        "I must decide whether the trace satisfies the formula.",
        "The trace neither satisfies nor violates the formula.",
        "Yes. So the trace violates the formula.",
        "Yes. So it is violated.",
        "No.\n\nHence the trace satisfies the formula.",
        "Answer: yes\nAnswer: no",
        "Answer: yes\n\nWait. So the answer is no.",
        "1. Yes\n2. No",
        "Is the trace not satisfying? Yes.",
        "Does x1 hold at position 0? Yes.",
        "Step 1 result: true\nStep 2 is next.",
        '{"yes": 1, "no": 0}',
        '{"x1": true}',
        '{"satisfied": true, "violated": true}',
        "Although F x2 holds, x1.",
        "For the trace to satisfy the formula, x2 must hold at 3.",
        "The answer is not clear.",
        "The answer cannot be no.",
        "G (x1 -> F x2)",
        "Answer:",
        "Yes, if x2 holds later.",
        "Yes, unless x1 holds in the cycle.",
        "The trace satisfies the formula, provided that x2 holds at 3.",
        "(x1 -> F x2) holds.",
    ],
)
def test_what_could_be_either_is_left_unread(answer: str) -> None:
    read = read_yes_no(answer, SATISFIED, quoted=(FORMULA,))
    assert read.value is None
    assert read.problem


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The string is well-formed.", True),
        ("well formed", True),
        ("Not well-formed.", False),
        ("not a well-formed formula", False),
        ("ill-formed", False),
        ("Malformed", False),
        ("The formula is syntactically invalid.", False),
        ("This is a syntactically correct LTL formula.", True),
        ("It is not a valid formula.", False),
        ("No, the string is malformed.", False),
        ('{"well_formed": false}', False),
        ("Well-formed: no", False),
        ("Is it malformed? Yes.", False),
        ("The string true U (x1 & false) is well-formed.", True),
        ("`true U (x1 & false)` is not well-formed.", False),
        ("true U (x1 & false)", None),
        ("(x1 S x2) is well-formed.", None),
        ("is_well_formed: no", False),
        ("The formula is well-formed, except for the last parenthesis.", None),
        ("The left operand of U is well-formed.", None),
        ("Yes, it is ill-formed.", None),
    ],
)
def test_each_question_has_words_of_its_own(answer: str, expected: bool | None) -> None:
    assert read_yes_no(answer, WELL_FORMED, quoted=("true U (x1 & false)",)).value is expected


def test_other_questions_bring_their_words() -> None:
    words = AnswerWords(affirming=("equivalent",), denying=("different", "inequivalent"), topics=("formulas", "two"))
    assert read_yes_no("The two formulas are equivalent.", words).value is True
    assert read_yes_no("The two formulas are not equivalent.", words).value is False
    assert read_yes_no("They are different in form.", words).value is None


@pytest.mark.parametrize(
    "answer",
    ["yes " * 50_000, "{" * 20_000, "(" * 50_000, '"' * 50_000, "no, " * 50_000 + "yes", "violates cycle{x1} " * 5_000],
)
def test_answers_without_end_are_read_too(answer: str) -> None:
    assert read_yes_no(answer, SATISFIED).value in (None, True)


@pytest.mark.parametrize("quote", ["true", "false"])
def test_a_constant_that_was_asked_about_is_no_answer(quote: str) -> None:
    words = AnswerWords(affirming=("well-formed",), topics=("string", "formula"))
    assert read_yes_no(f"The string is: {quote}", words, quoted=(quote,)).value is None
    assert read_yes_no(f"String: {quote}\nAnswer: no", words, quoted=(quote,)).value is False
    assert read_yes_no(f"'{quote}' is well-formed.", words, quoted=(quote,)).value is True
