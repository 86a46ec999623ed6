"""Paraphrases in the words of their sentence count in no rate."""

from __future__ import annotations

import pytest
from support.analyses import analyse, judge
from support.result_rows import suites_of
from support.sentence_rows import sentence_row

from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.counterexample import smallest_failures

SENTENCE = "If the door opens, the light is red."
ROWS = [
    sentence_row("p"),
    *(sentence_row("p", paraphrase=number, paraphrased=SENTENCE) for number in (1, 2)),
    sentence_row("p", paraphrase=3, paraphrased="The light is red if the door opens."),
]


@pytest.mark.parametrize(
    ("sentence", "paraphrased", "is_equal"),
    [
        (SENTENCE, "if the door opens the light is red", True),
        ("x > 5", "x < 5", False),
        ("The value is -5.", "The value is 5.", False),
        ("A - that is, B.", "A, that is B!", True),
    ],
)
def test_signs_that_change_the_meaning_are_words(
    sentence: str, paraphrased: str, is_equal: bool
) -> None:
    row = sentence_row("p", sentence=sentence, paraphrase=1, paraphrased=paraphrased)
    (suite,) = suites_of([row])
    assert [sample.counts for sample in suite.samples] == [
        "equal paraphrase" if is_equal else "yes"
    ]


@pytest.mark.parametrize(
    ("twice", "planned", "progress"),
    [([], 6, "4 of 6 samples ran"), (ROWS[1:2], 4, "4 of 4 samples ran, 1 of them twice")],
)
def test_an_interrupted_suite_shows_how_many_samples_ran(
    twice: list[Sample], planned: int, progress: str
) -> None:
    rows = [*ROWS, *twice]
    extent = Extent(planned=planned, interrupted=True)
    gate = judge(rows, Rules(threshold=0.5), extent=extent).gate
    assert (gate.samples, str(gate.progress)) == (2, progress)
    analysis = analyse(rows, Rules(), extents={(gate.suite, gate.model): extent})
    assert f"interrupted: 4 of {planned} samples ran" in analysis.headline


def test_a_failure_that_does_not_count_is_no_counterexample() -> None:
    failed = sentence_row("p", paraphrase=1, paraphrased=SENTENCE, outcome="inconsistent")
    counts = sentence_row(
        "p", paraphrase=2, paraphrased="Red light if the door opens.", outcome="inconsistent"
    )
    (without,), (suite,) = suites_of([ROWS[0], failed]), suites_of([ROWS[0], failed, counts])
    assert smallest_failures(without.counted) == {}
    assert smallest_failures(suite.counted)["inconsistent"].paraphrase == 2
