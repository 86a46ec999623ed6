"""Answers about a conclusion, labelled by hand: True, False, Uncertain, or none of them."""

from __future__ import annotations

import pytest

from pytest_autoeval.tasks.answers.entailment_words import read_label

CONCLUSION = "Block a is a cube."

T, F, U, NONE = "True", "False", "Uncertain", None

LABELLED = {
    T: [
        "Answer: True",
        "Answer: true.",
        "**Answer:** True",
        "**Answer: True**",
        "Block b is small, and so on.\n\nAnswer: True",
        "The second premise is false of b. It is uncertain what c is.\n\nAnswer: True",
        "Answer:\nTrue",
        "Final answer: True",
        "Answer: `True`",
        'Answer: "True"',
        "Answer: True, because every cube is large.",
        "Answer: True - the first premise says so.",
        "Answer: True (by modus ponens from 1 and 2)",
        "Answer: The conclusion is true.",
        "Answer: The conclusion follows from the premises.",
        "Answer: It is entailed by premises 1 and 2.",
        "Answer: Entailed",
        "Answer: Entailment",
        "True",
        "TRUE.",
        "True. Every cube is large, and a is a cube.",
        "The conclusion is true.",
        "Yes, the conclusion follows from the premises.",
        "Answer: Yes, it follows.",
        "Every cube is large. Therefore, the conclusion is true.",
        "Since a is a cube, the conclusion follows.",
        "The premises entail the conclusion.",
        '{"reasoning": "The first premise says so; without it the conclusion would be uncertain.", "answer": "True"}',
        '{"answer": "true"}',
        '{"answer": true}',
        '```json\n{"reasoning": "…", "answer": "True"}\n```',
        r"The answer is $\boxed{\text{True}}$.",
        "<answer>True</answer>",
        "Answer: Block a is a cube. True.",
        "Answer: The statement “Block a is a cube.” is true.",
        "Answer: It is necessarily true.",
        "Answer: True, not False.",
        "Answer: It is not uncertain but true.",
        "Answer: Uncertain\n\nWait, premise 2 settles it.\n\nFinal answer: True",
        "<think>Answer: False? No.</think>Answer: True",
        "Is it True, False or Uncertain? True",
        "Answer: True\n\nThe other labels, False and Uncertain, do not apply.",
        "Answer: True.\n\nNote that if a were not a cube, the answer would be Uncertain.",
        "Label: True",
        "Answer: The premises are true, so the conclusion is true.",
        "Answer: {True}",
        "Answer: True (entailment)",
        "👉 Answer: True 🎉",
        "Answer: True rather than Uncertain",
        "Answer: True\n\nNone of the others is actually about block a.",
    ],
    F: [
        "Answer: False",
        "answer: FALSE",
        "Answer: **False**",
        "Answer: The conclusion is false.",
        "Answer: Contradicted",
        "Answer: It contradicts the premises.",
        "Answer: The premises contradict the conclusion.",
        "Answer: Its negation follows.",
        "Answer: Refuted by premise 2.",
        "Answer: It is inconsistent with the premises.",
        "Answer: No, it is false.",
        "Answer: False. If a were a cube, it would be large.",
        "Answer: It is not true, it is false.",
        "Answer: It is not true but false.",
        "Answer: False (not Uncertain)",
        "False",
        "It follows that the conclusion is false.",
        "The conclusion is contradicted by the premises.",
        "It is true that a is large. So the conclusion is false.",
        '{"reasoning": "True as far as b is concerned.", "answer": "False"}',
        '{"answer": false}',
        "Answer: Block a is a cube: False",
        "Answer: I think it's false.",
        "Answer: False. The conclusion is true only if a is large, which is not the case.",
        "Therefore, based on the given premises, the conclusion is **False**.",
        "We assume that the conclusion is true and arrive at an absurdity.\nAnswer: False",
    ],
    U: [
        "Answer: Uncertain",
        "Answer: uncertain.",
        "Answer: Unknown",
        "Answer: Undetermined",
        "Answer: Inconclusive",
        "Answer: Neither",
        "Answer: Neutral",
        "Answer: It cannot be determined.",
        "Answer: It can't be determined from the premises.",
        "Answer: We cannot tell whether the conclusion is true or false.",
        "Answer: Cannot be determined",
        "Answer: It is impossible to tell.",
        "Answer: Not enough information",
        "Answer: There is insufficient information to decide.",
        "Answer: Neither true nor false.",
        "Answer: The conclusion is neither entailed nor contradicted by the premises.",
        "Answer: It is neither entailed by the premises nor contradicted by the premises.",
        "Answer: It is not entailed by the premises, nor contradicted.",
        "Answer: It could be true or false.",
        "Answer: It may or may not be true.",
        "Answer: Neither it nor its negation follows.",
        "Answer: Uncertain, since nothing is said of a.",
        "Answer: Uncertain. It would be true if a were large.",
        "Answer: Uncertain (a may be a cube, or a pyramid)",
        "Answer: It is uncertain whether block a is a cube.",
        "There's not enough information to decide.",
        "Answer: Uncertain instead of False",
        "Uncertain",
        "The truth of the conclusion is uncertain.",
        "Nothing is said of a. So it cannot be determined whether the conclusion is true.",
        "The conclusion is unknown.",
        '{"reasoning": "It may be true; it may be false.", "answer": "Uncertain"}',
        "Answer: Uncertain — the premises leave it open.",
        "Answer: It is uncertain whether it follows, so: Uncertain",
        "Answer: Uncertain. We cannot conclude that it is true, nor that it is false.",
        "The conclusion does not follow from the premises, and neither does its negation. Hence: Uncertain.",
        "Thus the truth value of the conclusion cannot be determined from the given premises.",
    ],
    NONE: [
        "",
        "Answer:",
        "Answer: Yes",
        "Answer: No",
        "Yes.",
        "No, the premises do not say so.",
        "Answer: not true",
        "Answer: It is not false.",
        "Answer: The conclusion does not follow.",
        "Answer: It is not entailed by the premises.",
        "Answer: It cannot be true.",
        "Answer: It is not necessarily true.",
        "Answer: True or False",
        "Answer: True/False/Uncertain",
        "Answer: True or Uncertain",
        "Answer: either False or Uncertain",
        "Answer: True, False, or Uncertain",
        "Answer: True and false",
        "Answer: probably true",
        "Answer: Most likely false",
        "Answer: True, if a is large.",
        "Answer: True, but only where there are cubes.",
        "Answer: True unless a is b.",
        "Answer: True, or perhaps Uncertain.",
        "Answer: True\nAnswer: False",
        "Answer: True\n\nWait, that is wrong.",
        "Answer: True. Wait, actually False.",
        "Answer: True\nSorry, I meant False.",
        "Answer: True\nEdit: False",
        "Answer: True\n\nHmm, on reflection it depends.",
        "Answer: No contradiction",
        "Without any contradiction.",
        "Answer: Yes, it is uncertain whether it is false.",
        "Answer: No, it is true.",
        "Answer: We cannot say that the conclusion is true.",
        "Answer: It cannot be proved.",
        "Answer: 3",
        "Answer: Large",
        '{"reasoning": "It is true.", "answer": "maybe"}',
        '{"reasoning": "It is true.", "answer": null}',
        '{"reasoning": "It is true.", "answer": ["True", "False"]}',
        '{"answer": "True", "answer": "False"}',
        "The first premise is true of b.",
        "Every cube is large. Block a is a cube.",
        "If a is large, the conclusion is true. If it is small, the conclusion is false.",
        "Is the conclusion true?",
        "The conclusion is true if a is large.",
        "It is true that b is small.",
        "True. Hmm, the conclusion is uncertain.",
        "I do not know.",
        "Answer: not uncertain",
        "Answer: We cannot conclude that it is true.",
        "Answer: The premises are true.",
        "Answer: The premise is false.",
        "The conclusion is true in one model and false in another.",
        "If a is a cube then the answer is True.",
        "The conclusion does not follow. It is not false.",
        "Uncertain. The conclusion is not uncertain.",
        "Answer: The first premise is false.",
    ],
}


@pytest.mark.parametrize(
    ("answer", "label"), [(answer, label) for label, answers in LABELLED.items() for answer in answers]
)
def test_a_label_is_read_where_a_person_would_and_nowhere_else(answer: str, label: str | None) -> None:
    read = read_label(answer, CONCLUSION)
    assert read.label == label
    assert bool(read.problem) is (label is None)


def test_the_conclusion_says_nothing_where_the_answer_repeats_it() -> None:
    assert (
        read_label("Answer: The claim that it is false is true. True", "The claim that it is false is true.").label == T
    )
    assert read_label("The conclusion is that block a is uncertain.", "Block a is uncertain.").label is None


def test_what_takes_back_an_answer_differs_from_what_says_several() -> None:
    assert "takes back" in read_label("Answer: True\n\nWait, that is wrong.").problem
    assert "more than one" in read_label("Answer: True or False").problem
    assert "none of" in read_label("Answer: who knows").problem


@pytest.mark.parametrize(
    "part", ["not ", "the ", "given ", "neither true ", "it is ", "a, ", "cannot be ", "true and not "]
)
def test_hostile_text_has_no_label(part: str) -> None:
    assert read_label("Answer: " + part * 10_000).label is None
