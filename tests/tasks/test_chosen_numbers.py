"""Numbers of options read from answers as models write them: the right one, or why there is none; never a guess."""

from __future__ import annotations

import pytest

from pytest_autoeval.tasks.chosen_numbers import read_number

OPTIONS = (
    "∀x1. (Cube(x1) → Large(x1))",
    "∃x1. (Cube(x1) ∧ Large(x1))",
    "∀x1. (Cube(x1) → ¬Large(x1))",
    "∀x1. (Large(x1) → Cube(x1))",
    "Larger(bw3, bw2)",
)
ENGLISH = (
    "For every x, if x is a cube, then x is large.",
    "There is some x such that x is a cube and x is large.",
    "For every x, if x is a cube, then x is not large.",
)
REASONS = (
    "Option 1 says of every cube that it is large. Option 2 says that 1 cube is, and option 4 is the converse of "
    "option 1. Of the 5 options, 2 are about ∃."
)

CHOICES = {
    # as asked for
    "Answer: 3": 3,
    "answer: 3": 3,
    "ANSWER: 3": 3,
    "Answer: 3.": 3,
    "Answer:3": 3,
    "Answer : 3": 3,
    "  Answer:   3  ": 3,
    f"{REASONS}\n\nAnswer: 3": 3,
    f"{REASONS}\nAnswer: 3\n": 3,
    "Answer: 3\n\nAnswer: 3": 3,
    # marks, boxes, tags, headings
    "**Answer:** 3": 3,
    "**Answer: 3**": 3,
    "**Answer**: 3": 3,
    "*Answer:* **3**": 3,
    "__Answer:__ 3": 3,
    "### Answer: 3": 3,
    "### Answer\n\n3": 3,
    "**Answer:**\n\nOption 3": 3,
    "> Answer: 3": 3,
    "- Answer: 3": 3,
    "`Answer: 3`": 3,
    "```\nAnswer: 3\n```": 3,
    "Answer: `3`": 3,
    "Answer: $3$": 3,
    "Answer: $\\boxed{3}$": 3,
    "\\boxed{3}": 3,
    f"{REASONS} \\[\\boxed{{3}}\\]": 3,
    "$$\\boxed{\\text{Option } 3}$$": 3,
    "The closest is \\boxed{\\textbf{3}}.": 3,
    "<answer>3</answer>": 3,
    f"{REASONS}\n<answer>\n3\n</answer>": 3,
    "<think>It is 2. Answer: 2</think>Answer: 3": 3,
    # what may stand around the number
    "Answer: Option 3": 3,
    "Answer: option (3)": 3,
    "Answer: (3)": 3,
    "Answer: [3]": 3,
    "Answer: <3>": 3,
    "Answer: 3 ✅": 3,
    "✅ Answer: 3": 3,
    "Answer: ３": 3,
    "Answer: #3": 3,
    "Answer: No. 3": 3,
    "Answer: option number 3": 3,
    'Answer: "3"': 3,
    "Answer: 3.0": 3,
    "Answer: 3 of 5": 3,
    "Answer: 3 out of 5": 3,
    "Answer: the third option": 3,
    "Answer: third": 3,
    "Answer: the 3rd one": 3,
    "Answer: three": 3,
    "Answer: option three": 3,
    "Answer: It is option 3.": 3,
    "Answer: I choose option 3": 3,
    "Answer: the correct option is 3": 3,
    "Answer: 3 is the closest.": 3,
    "Answer: 3 (the negated one)": 3,
    "Answer: 3 because option 2 is about some cube": 3,
    f"Answer: 3. {OPTIONS[2]}": 3,
    f"Answer: 3) {OPTIONS[2]}": 3,
    f"Answer: Option 3: `{OPTIONS[2]}`": 3,
    f"Answer: 5. {OPTIONS[4]}": 5,
    "Answer: 3, which speaks of x1 and bw2 alike": 3,
    "Final answer: 3": 3,
    "So, all in all, my final answer is 3.": 3,
    "FINAL ANSWER = 3": 3,
    "Therefore, the answer: 3": 3,
    "Option 3 negates the right part. Answer: 3": 3,
    "Answer: let me see.\nOption 1 is wrong.\n\nFinal answer: 3": 3,
    "Answer: I have to weigh them.\nOption 1 is wrong.\n\nAnswer: 3": 3,
    "Answer: 2\nThat is a first impression.\n\nFinal answer: 3": 3,
    # sentences
    "The answer is option 3": 3,
    "The answer is 3.": 3,
    "Answer is 3": 3,
    "I think the answer is 3.": 3,
    "The correct answer is **3**.": 3,
    "Final Answer: The final answer is $\\boxed{3}$. I hope it is correct.": 3,
    "Option 3 best captures what the sentence says.": 3,
    "Answer: 3\n\nOption 2 is the closest, but it speaks of some cube only.": 3,
    "So the answer is **3**.": 3,
    f"{REASONS} So the answer is option 3.": 3,
    f"The answer is option 3. {REASONS}": 3,
    f"{REASONS}\n\nThe correct option is 3.": 3,
    f"{REASONS}\n\nTherefore I choose option 3.": 3,
    "I would go with option 3, since nothing else has the negation.": 3,
    "My choice is option 3.": 3,
    "Option 3 is the closest.": 3,
    "Option 3 is the best match.": 3,
    "The third option is the correct one, because it has the negation.": 3,
    "The best match is option 3.": 3,
    "One might think that the answer is 2. But option 3 is the correct one.": 3,
    # alone
    "3": 3,
    "3.": 3,
    "(3)": 3,
    "[3]": 3,
    "**3**": 3,
    "#3": 3,
    "Option 3": 3,
    "Option 3.": 3,
    "Number 3": 3,
    "The third option.": 3,
    f"3. {OPTIONS[2]}": 3,
    f"Option 3: {OPTIONS[2]}": 3,
    "Option 3 – the one with the negation": 3,
    f"{REASONS}\n\n3": 3,
    f"{REASONS}\n\n**Option 3**": 3,
    "3\n\nIt alone has the negation.": 3,
    # JSON
    '{"reasoning": "It is so.", "answer": 3}': 3,
    '{"reasoning": "Answer: 2", "answer": 3}': 3,
    '{"reasoning": "Not {\\"answer\\": 2}.", "answer": 3}': 3,
    '{"reasoning": "a line\nand another", "answer": 3}': 3,
    '{"answer": "3"}': 3,
    '{"answer": " 3 "}': 3,
    '{"answer": 3.0}': 3,
    '{"answer": "Option 3"}': 3,
    '{"answer": [3]}': 3,
    '{"Answer": 3}': 3,
    '{"final_answer": 3}': 3,
    '{"finalAnswer": 3, "number": 5}': 3,
    '{"choice": 3}': 3,
    '{"answer": 3, "answer": 3}': 3,
    '```json\n{"reasoning": "x", "answer": 3}\n```': 3,
    'Here it is:\n\n{"reasoning": "x", "answer": 3}\n\nThat is all of it.': 3,
    '{"reasoning": "It is $\\forall x$ and \\exists y", "answer": 3}': 3,
    "{'reasoning': 'it is so', 'answer': 3}": 3,
    '{"reasoning": "broken "quotes"", "answer": 3}': 3,
    '{"type": "object", "properties": {"answer": {"type": "integer"}}}\n{"answer": 3}': 3,
}
NO_NUMBER = [
    "I cannot tell.",
    REASONS,
    "None of them.",
    "Options 2 and 3 both.",
    "Answer: none of them",
    "Answer: none",
    "Answer: none of the above; the closest would be 3",
    "Answer:",
    "Answer: ?",
    "Answer: 3?",
    "Answer: not 3",
    "Answer: 3 is wrong",
    "Answer: 3 is not it",
    "Answer: anything but option 3",
    "Answer: 3.5",
    "Answer: 3%",
    "Answer: x3",
    "Answer: bw3",
    "Answer: C",
    "Answer: III",
    "Answer: First, let me compare them",
    "Answer: 3 of the options are wrong",
    "Answer: 3, unless cubes are never large",
    "3 of the options are wrong.",
    OPTIONS[2],
    f"Answer: {OPTIONS[2]}",
    f"The answer is {OPTIONS[4]}.",
    "The answer is the one with the negation.",
    "If cubes are never large, the answer is 3.",
    "The answer is not 3.",
    "Option 3 is the best candidate so far",
    "Is option 3 the closest?",
    "Option 3 is the closest?",
    "Option 3 is the closest, but wrong.",
    "You'd say that the answer is 3.",
    "Option 3 best captures it so far.",
    "Option 3 is wrong.",
    "Option 3 is closest to option 2",
    "I would not choose option 3.",
    "Answer: 3\nWait, that is wrong.",
    "Answer: none of them.\n\nAnswer: 3",
    '{"answer": 3.5}',
    '{"answer": true}',
    '{"answer": null}',
    '{"answer": NaN}',
    '{"answer": Infinity}',
    '{"answer": {"number": 3}}',
    '{"result": {"answer": 3}}',
    '{"answer": []}',
    '{"answer": [[3]]}',
    '{"answer": ""}',
    '{"answer": "none"}',
    '{"answer": "x3"}',
    '{"reasoning": "The answer is 3."}',
    '{"reasoning": "3", "3": true}',
]
OUT_OF_RANGE = [
    "Answer: 0",
    "Answer: 6",
    "Answer: -3",
    "Answer: 99999999999999999999999999",
    "Option 12",
    "Answer: the tenth option",
    '{"answer": 0}',
    '{"answer": 6}',
    '{"answer": -1}',
    '{"answer": 1e300}',
    '{"answer": 123456789012345678901234567890}',
    "\\boxed{7}",
]
SEVERAL = [
    "Answer: 2 and 3",
    "Answer: 2 or 3",
    "Answer: 2, 3",
    "Answer: 2/3",
    "Answer: 2-3",
    "Answer: option 2, option 3",
    "Answer: both option 2 and option 3",
    "Answer: 3, or the first option",
    "Answer: 3. No, 4.",
    "Answer: 3\nAnswer: 4",
    "Final answer: 3\nFinal answer: 4",
    "\\boxed{3} or \\boxed{4}",
    "<answer>3</answer><answer>4</answer>",
    "Answer: 3\n\nWait, the answer is 4.",
    "The answer is 3. The answer is 4.",
    "The answer is option 2 or option 3.",
    "Option 2 is the closest. Option 3 is the closest.",
    "Option 2\nOption 3",
    "2\n3",
    "Option 2, option 3",
    f"Answer: 3. {OPTIONS[1]}",
    f"3. {OPTIONS[1]}",
    '{"answer": 3}\nAnswer: 4',
    '{"answer": 3} {"answer": 4}',
    '{"answer": 3, "answer": 4}',
    '{"answer": 3, "final_answer": 4}',
    '{"answer": [2, 3]}',
    '{"answer": "2 or 3"}',
]


@pytest.mark.parametrize(("answer", "number"), CHOICES.items())
def test_the_number_is_read(answer: str, number: int) -> None:
    chosen = read_number(answer, OPTIONS)
    assert (chosen.value, chosen.problem) == (number, "")


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        *((answer, "no number") for answer in NO_NUMBER),
        *((answer, "out of range") for answer in OUT_OF_RANGE),
        *((answer, "several numbers") for answer in SEVERAL),
    ],
)
def test_what_is_no_choice_is_told(answer: str, problem: str) -> None:
    chosen = read_number(answer, OPTIONS)
    assert (chosen.value, chosen.problem) == (None, problem)


@pytest.mark.parametrize(
    ("answer", "number", "problem"),
    [
        (f"3. {ENGLISH[2]}", 3, ""),
        (f"Answer: 3 – {ENGLISH[2]}", 3, ""),
        (f"Answer: 3. “{ENGLISH[2]}”", 3, ""),
        (f"Option 2: {ENGLISH[2]}", None, "several numbers"),
        (ENGLISH[2], None, "no number"),
        (f"Answer: {ENGLISH[2]}", None, "no number"),
    ],
)
def test_sentences_may_be_repeated_as_formulas_may(answer: str, number: int | None, problem: str) -> None:
    chosen = read_number(answer, ENGLISH)
    assert (chosen.value, chosen.problem) == (number, problem)


@pytest.mark.parametrize("count", range(1, 10))
def test_every_number_of_a_list_is_read_and_the_next_one_is_out_of_range(count: int) -> None:
    options = [f"P{number}(a)" for number in range(1, count + 1)]
    assert [read_number(f"Answer: {number}", options).value for number in range(1, count + 1)] == [*range(1, count + 1)]
    assert read_number(f"Answer: {count + 1}", options).problem == "out of range"


@pytest.mark.parametrize(
    "answer",
    [
        "{" * 20_000,
        '{"a":' * 20_000,
        "[" * 20_000 + "3",
        '{"answer": ' + "[" * 20_000,
        '{"answer": ' + "9" * 20_000 + "}",
        "Answer: " + "9" * 20_000,
        "Answer: 3" + ", 3" * 20_000,
        "Answer: " * 20_000,
        "Answer:\n" * 20_000,
        "the answer is " * 20_000,
        "so therefore " * 20_000 + "answer: 3",
        "option " * 20_000,
        "\\boxed{" * 20_000,
        "<answer>" * 20_000,
        "Answer: 3 (" + "(" * 20_000,
        "*" * 20_000 + "3",
        "\n" * 20_000 + "3",
        " " * 20_000 + "x",
        "1\n" * 20_000,
        "Option 3 is the closest " * 10_000,
        '"answer": ' * 20_000,
        "> - # " * 20_000,
        "\\" * 20_000,
        "wait " * 20_000,
        "\x00\ue0000\ue0001 Answer: \ue0000",
    ],
    ids=lambda answer: repr(answer[:20]),
)
def test_hostile_answers_are_read_in_time_that_grows_with_their_length(answer: str) -> None:
    chosen = read_number(answer, OPTIONS)
    assert (chosen.value is None) == (chosen.problem != "")
