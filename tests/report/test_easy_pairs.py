"""Judged pairs of a file that need no understanding: a note counts them, and has the accuracy without them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from scipy.stats import binomtest
from support.analyses import analyse
from support.result_rows import row

from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.task_figures import figures_in, task_blocks

#: Pairs as (formula, second formula, whether they mean the same, whether the judge is right).
EQUAL = [(f"p{number}", f"p{number}", True, True) for number in range(1, 5)]
DIFFERENT = [
    ("p5 ∧ p6", "p6 ∧ p5", True, True),
    ("p7", "¬p7", False, True),
    ("p8 ∨ p9", "p8", False, False),
    ("p1 → p2", "p2 → p1", False, False),
]
Pairs = Sequence[tuple[str, str, bool, bool]]


def samples(pairs: Pairs, origin: str = "round trip", repeat: int = 0) -> list[Sample]:
    return [
        row(
            "correct" if is_right else "wrong answer",
            task="judge",
            formula=formula,
            other=other,
            pair=origin,
            expected=same,
            answered=same == is_right,
            index=index,
            repeat=repeat,
        )
        for index, (formula, other, same, is_right) in enumerate(pairs)
    ]


def notes(rows: list[Sample]) -> list[str]:
    return [str(note) for note in analyse(rows, Rules()).notes]


@pytest.mark.parametrize("origin", ["round trip", "own"])
def test_the_note_has_the_accuracy_without_equal_texts(origin: str) -> None:
    exact = binomtest(2, 4).proportion_ci(0.95, method="exact")
    (note,) = notes(samples([*EQUAL, *DIFFERENT], origin))
    assert note.partition(": ")[2] == (
        "4 of 8 pairs have the same text on both sides, and need no understanding; without them its accuracy is "
        f"50.0 % ({100 * exact.low:.1f}–{100 * exact.high:.1f}), and that of always the same answer 75.0 %"
    )


def test_a_repeat_is_no_further_pair() -> None:
    twice = [*samples([*EQUAL, *DIFFERENT]), *samples([*EQUAL, *DIFFERENT], repeat=1)]
    (note,) = notes(twice)
    assert ": 4 of 8 pairs have the same text" in note


def test_without_another_pair_the_judge_has_shown_nothing() -> None:
    (note,) = notes(samples(EQUAL))
    assert note.endswith(
        "4 of 4 pairs have the same text on both sides, and need no understanding; no other pair is left"
    )


@pytest.mark.parametrize(
    ("pairs", "origin"), [(DIFFERENT, "round trip"), (DIFFERENT, "own"), (DIFFERENT, "rewritten")]
)
def test_pairs_that_differ_need_no_note(pairs: Pairs, origin: str) -> None:
    assert notes(samples(pairs, origin)) == []


@pytest.mark.parametrize(
    ("pairs", "origin", "expected"),
    [
        ([*EQUAL, *DIFFERENT], "own", {"accuracy": 0.75, "without": 0.5, "same": 5 / 8}),
        (DIFFERENT, "own", {"accuracy": 0.5, "without": None, "same": 0.75}),
        (DIFFERENT, "edited", {"accuracy": 0.5, "without": None, "same": None}),
    ],
)
def test_the_figures_beside_the_accuracy(
    pairs: Pairs, origin: str, expected: dict[str, float | None]
) -> None:
    (suite,) = {sample.suite for sample in samples(pairs, origin)}
    rows = samples(pairs, origin)
    found = {figure.name: figure.value for figure in figures_in(task_blocks(suite, rows))}
    assert {
        "accuracy": found["accuracy"],
        "without": found.get("accuracy without equal texts"),
        "same": found.get("always the same answer"),
    } == expected
