"""Orders of numbers read from answers as models write them: the right one, or why there is none; never a guess."""

from __future__ import annotations

import pytest

from pytest_autoeval.tasks.answers.chosen_orders import read_order

REASONS = "Candidates 2 and 5 mean the same. Candidate 1 is stronger than 3; 4 denies the sentence."
FOUND = (2, 5, 1, 3, 4)

ORDERS = [
    # as asked for
    "Answer: 2, 5, 1, 3, 4",
    "Answer: 2,5,1,3,4",
    "Answer: 2, 5, 1, 3, 4.",
    "**Answer:** 2, 5, 1, 3, 4",
    "**Answer: 2, 5, 1, 3, 4**",
    f"{REASONS}\n\nAnswer: 2, 5, 1, 3, 4",
    "answer: 2, 5, 1, 3, 4\n\nAnswer: 2 > 5 > 1 > 3 > 4",
    "<think>Answer: 1, 2, 3, 4, 5</think>Answer: 2, 5, 1, 3, 4",
    # other signs
    "Answer: 2 > 5 > 1 > 3 > 4",
    "Answer: 2 → 5 → 1 → 3 → 4",
    "Answer: 2 -> 5 -> 1 -> 3 -> 4",
    "Answer: 2 ≻ 5 ≻ 1 ≻ 3 ≻ 4",
    "Answer: $2 \\succ 5 \\succ 1 \\succ 3 \\succ 4$",
    "Answer: 2; 5; 1; 3; 4",
    "Answer: 2 5 1 3 4",
    "Answer: 2 – 5 – 1 – 3 – 4",
    "Answer: 2, then 5, then 1, then 3, then 4",
    "Answer: 2, 5, 1, 3 and 4",
    "Answer: 2, 5, 1, 3, and finally 4",
    "Answer: [2, 5, 1, 3, 4]",
    "Answer: (2, 5, 1, 3, 4)",
    "Answer: Option 2, Option 5, Option 1, Option 3, Option 4",
    "Answer: candidate 2 > candidate 5 > candidate 1 > candidate 3 > candidate 4",
    "Answer: #2, #5, #1, #3, #4",
    "Answer: 2 (the same), 5 (equivalent), 1 (stronger), 3 (weaker), 4 (the opposite)",
    "Answer: 2, 5, 1, 3, 4. The first two mean the same.",
    "\\boxed{2, 5, 1, 3, 4}",
    "\\[\\boxed{[2, 5, 1, 3, 4]}\\]",
    "<answer>2, 5, 1, 3, 4</answer>",
    "```\nAnswer: 2, 5, 1, 3, 4\n```",
    "Answer: candidates 2, 5, 1, 3 and 4",
    "Answer: 2, 5, 1, 3, 4 (2 and 5 mean the same)",
    "Answer: 2, 5, 1, 3, 4. Candidates 2 and 5 mean the same.",
    "Answer: 2, 5, 1, 3, 4, since 2 and 5 mean the same",
    "Answer: 2, 5, 1, 3, 4…",
    "👉 Answer: 2, 5, 1, 3, 4 ✅",
    "Answer: 2, 5, 1, 3, 4 (from the most to the least similar)",
    "Answer: 2, 5, 1, 3, 4 (most similar first, least similar last)",
    "Answer: 2, 5, 1, 3, 4\n\nCandidate 3 has it reversed, and 4 says the opposite of the first.",
    "Answer: 2, 5, 1, 3, 4\n\nIt would be wrong to put 3 first.",
    # lists, a number a line
    "Answer:\n1. 2\n2. 5\n3. 1\n4. 3\n5. 4",
    "Answer:\n\n1) Option 2\n2) Option 5\n3) Option 1\n4) Option 3\n5) Option 4",
    "Answer:\n2\n5\n1\n3\n4",
    "Answer:\n- 2\n- 5\n- 1\n- 3\n- 4",
    "Final ranking:\n1. **Candidate 2** – the same\n2. **Candidate 5**: too\n3. Candidate 1\n4. Candidate 3\n5. (4)",
    "Here is the ranking:\n\n1. 2\n2. 5\n3. 1\n4. 3\n5. 4\n\nThe first two mean the same.",
    "<answer>\n2\n5\n1\n3\n4\n</answer>",
    # sentences, and the order alone
    "The ranking is 2, 5, 1, 3, 4.",
    "The final order (from the most to the least similar): 2 > 5 > 1 > 3 > 4",
    "Ranking: 2, 5, 1, 3, 4",
    "So the correct order is: 2, 5, 1, 3, 4",
    "My ranking from the most similar to the least similar is 2, 5, 1, 3, 4.",
    "The answer is 2, 5, 1, 3, 4.",
    "2, 5, 1, 3, 4",
    "2 > 5 > 1 > 3 > 4",
    "[2,5,1,3,4]",
    "2\n5\n1\n3\n4",
    "1. 2\n2. 5\n3. 1\n4. 3\n5. 4",
    f"{REASONS}\n\n2, 5, 1, 3, 4",
    f"{REASONS}\n\n1. 2\n2. 5\n3. 1\n4. 3\n5. 4",
    # JSON
    '{"reasoning": "Not 1, 2, 3, 4, 5.", "answer": [2, 5, 1, 3, 4]}',
    '{"answer": ["2", "5", "1", "3", "4"]}',
    '{"answer": ["Option 2", "Option 5", "Option 1", "Option 3", "Option 4"]}',
    '{"answer": [2.0, 5, 1, 3, 4]}',
    '{"answer": "2 > 5 > 1 > 3 > 4"}',
    '{"answer": "[2, 5, 1, 3, 4]"}',
    '{"ranking": [2, 5, 1, 3, 4]}',
    '{"reasoning": "x", "final_ranking": [2, 5, 1, 3, 4]}',
    '```json\n{"reasoning": "x", "answer": [2, 5, 1, 3, 4]}\n```',
    '{"reasoning": "\\forall \\exists", "answer": [2, 5, 1, 3, 4]}',
    "{'reasoning': 'x', 'answer': [2, 5, 1, 3, 4]}",
]
NO_NUMBER = [
    "I cannot rank them.",
    REASONS,
    "Answer: the second, then the rest",
    "Answer:",
    "Answer: ∀x2. P(x5)",
    "Answer: 2 = 5 > 1 > 3 > 4",
    "Answer: 2 < 5 < 1 < 3 < 4",
    "Answer: 2, 5 > 1 > 3, 4",
    "Answer: (2, 5), 1, 3, 4",
    "Answer: 2 ~ 5 > 1 > 3 > 4",
    "Answer: 2/5, 1, 3, 4",
    "Answer: 2 and 5 and 1 and 3 and 4",
    "Answer: 2, 5, 1, 3, 4, or the other way round with 3 first",
    "Answer: 2.5, 1, 3, 4",
    # the wrong end first
    "Answer (from least to most similar): 2, 5, 1, 3, 4",
    "Answer: 2, 5, 1, 3, 4 (from the least to the most similar)",
    "Answer: 2, 5, 1, 3, 4. (Least similar first.)",
    "Final ranking (worst to best): 2, 5, 1, 3, 4",
    "Answer: 2, 5, 1, 3, 4\nNote: least similar first.",
    "The order from least similar to most similar is 2, 5, 1, 3, 4.",
    "From least to most similar:\n2, 5, 1, 3, 4",
    "In ascending order: 2, 5, 1, 3, 4",
    # taken back
    "Answer: 2, 5, 1, 3, 4\n\nWait, that is wrong.",
    "Answer: 2, 5, 1, 3, 4\n\nActually, swap 3 and 4.",
    "Answer: 2, 5, 1, 3, 4\n\nCorrection: 2, 5, 1, 4, 3",
    "Answer: 2, 5, 1, 3, 4. Actually, 4 comes before 3.",
    "Answer: x2, x5, x1, x3, x4",
    "If 2 is first, the order is 2, 5, 1, 3, 4.",
    "The order of the candidates matters.",
    "1. ∀x1. P(x1)\n2. ∃x1. P(x1)\n3. ¬P(a)\n4. P(a)\n5. P(b)",
    "1. The second one\n2. The fifth one\n3. and so on",
    '{"answer": []}',
    '{"answer": null}',
    '{"answer": true}',
    '{"answer": [true, 5, 1, 3, 4]}',
    '{"answer": [2.5, 5, 1, 3, 4]}',
    '{"answer": [[2, 5], [1, 3, 4]]}',
    '{"answer": {"1": 2, "2": 5, "3": 1, "4": 3, "5": 4}}',
    '{"answer": [2, 5, 1, 3, null]}',
    '{"reasoning": "2, 5, 1, 3, 4"}',
]
OUT_OF_RANGE = [
    "Answer: 2, 5, 1, 3, 6",
    "Answer: 0, 1, 2, 3, 4",
    "Answer: 25134",
    "Answer: -2, 5, 1, 3, 4",
    '{"answer": [2, 5, 1, 3, 4, 6]}',
    '{"answer": [1, 4, 0, 2, 3]}',
    '{"answer": 9}',
]
NO_PERMUTATION = [
    "Answer: 2",
    "Answer: option 2",
    "Answer: 2, 5, 1, 3",
    "Answer: 2, 2, 5, 1, 3, 4",
    "Answer: 2, 2, 1, 3, 4",
    "Answer: 2 > 5",
    "2, 5, 1, 3",
    "Answer:\n1. 2\n2. 5\n3. 1",
    "Answer:\n1. 2\n2. 5\n3. 1\n4. the rest",
    '{"answer": [2, 5, 1, 3]}',
    '{"answer": [2, 5, 1, 3, 3]}',
    '{"answer": 2}',
    '{"answer": "2"}',
]
SEVERAL = [
    "Answer: 2, 5, 1, 3, 4\nAnswer: 5, 2, 1, 3, 4",
    "Final answer: 2, 5, 1, 3, 4. Final answer: 5, 2, 1, 3, 4",
    "2, 5, 1, 3, 4\n\n5, 2, 1, 3, 4",
    "My ranking: 2, 5, 1, 3, 4\nThe best order: 2, 5, 1, 4, 3",
    '{"answer": [2, 5, 1, 3, 4]}\nAnswer: 5, 2, 1, 3, 4',
    '{"answer": [2, 5, 1, 3, 4], "answer": [5, 2, 1, 3, 4]}',
    '[{"option": 2}, {"option": 5}, {"option": 1}, {"option": 3}, {"option": 4}]',
]


@pytest.mark.parametrize("answer", ORDERS)
def test_the_order_is_read(answer: str) -> None:
    order = read_order(answer, 5)
    assert (order.value, order.problem) == (FOUND, "")


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        *((answer, "no number") for answer in NO_NUMBER),
        *((answer, "out of range") for answer in OUT_OF_RANGE),
        *((answer, "not a permutation") for answer in NO_PERMUTATION),
        *((answer, "several numbers") for answer in SEVERAL),
    ],
)
def test_what_is_no_order_is_reported(answer: str, problem: str) -> None:
    order = read_order(answer, 5)
    assert (order.value, order.problem) == (None, problem)


@pytest.mark.parametrize(
    "answer",
    [
        "Answer: " + "1, " * 30_000,
        "Answer: " + "1 > " * 30_000,
        "Answer: 1" + " (a)" * 20_000,
        "Answer:\n" + "1. 1\n" * 20_000,
        "1, 2\n" * 20_000,
        "Answer: 3\n" * 20_000,
        "the ranking " * 10_000,
        "the order from " + "a " * 40_000,
        "[" * 50_000 + "1, 2",
        '{"answer": [' + "1, " * 30_000 + "1]}",
        "(1, 2) " * 10_000,
    ],
    ids=lambda answer: repr(answer[:20]),
)
def test_hostile_orders_are_read_in_time_that_grows_with_their_length(answer: str) -> None:
    order = read_order(answer, 5)
    assert (order.value is None) == (order.problem != "")
