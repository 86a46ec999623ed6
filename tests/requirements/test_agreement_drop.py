"""The gate on a drop of agreement: which runs are compared, and what undecided formulas leave open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from support.analyses import baseline_of, judge
from support.result_rows import changed
from support.sentence_rows import sentence_row

from pytest_autoeval.judging.added_gates import AddedGate
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Given
from pytest_autoeval.requirements.agreement import SentenceMeanings
from pytest_autoeval.requirements.agreement_gates import MeaningsOf, judge_agreement_fall
from pytest_autoeval.requirements.meanings import sentence_meanings
from pytest_autoeval.statistics.paired import PairedTest

NUMBER = 40


def run(second: str, number: int = NUMBER, **changes: object) -> list[Sample]:
    """Two answers to each sentence: the proposition p, and a second formula."""
    return [
        sentence_row(
            text,
            language="propositional",
            item=f"r{item}",
            index=item,
            repeat=at,
            **(changes if at else {}),
        )
        for item in range(number)
        for at, text in enumerate(["p", second])
    ]


def undecided(rows: Iterable[Sample]) -> Sequence[SentenceMeanings]:
    """The meanings, as if the verifier had not told any two formulas apart."""
    found = sentence_meanings(rows)
    return [
        replace(one, undecided=frozenset({(0, 1)} if len(one.meanings) > 1 else ()))
        for one in found
    ]


def judged(
    after: list[Sample],
    before: list[Sample],
    drop: float | None = 0.2,
    meanings: MeaningsOf = sentence_meanings,
) -> AddedGate:
    found = judge(after, Rules(agreement_drop=drop), baseline=baseline_of(before))
    assert found.comparison is not None
    gate = judge_agreement_fall(found.comparison, meanings)
    assert gate is not None
    assert meanings is not sentence_meanings or found.added == (gate,)
    return gate


@pytest.mark.parametrize(
    ("after", "before", "meanings", "verdict"),
    [
        ("p & p", "p | p", sentence_meanings, "passed"),
        ("q", "p", sentence_meanings, "failed"),
        ("p", "q", sentence_meanings, "passed"),
        # The second answer of the run, or of the baseline, may mean the same as the first.
        ("q", "p", undecided, "inconclusive"),
        ("p", "q", undecided, "passed"),
        ("q", "q", undecided, "inconclusive"),
    ],
)
def test_a_decision_holds_whatever_undecided_formulas_mean(
    after: str, before: str, meanings: MeaningsOf, verdict: str
) -> None:
    gate = judged(run(after), run(before), meanings=meanings)
    assert gate.verdict == verdict, gate.reason
    assert ("formulas that may mean the same" in gate.reason) is (verdict == "inconclusive")


def test_a_sentence_of_two_files_is_compared_in_each_of_them() -> None:
    def of_files(second: str) -> list[Sample]:
        return [
            sentence_row(
                text,
                language="propositional",
                item=f"{file}:{line}",
                source=f"{file}:{line}",
                sentence=f"Sentence {line}.",
                index=line + number * NUMBER,
                repeat=repeat,
            )
            for number, file in enumerate(("a.md", "b.md"))
            for line in range(1, NUMBER + 1)
            for repeat, text in enumerate(["p", second if file == "a.md" else "p"])
        ]

    def file_of(row: Sample) -> str:
        return str(row.part_or_empty(Given).source).partition(":")[0]

    gate = judged(of_files("q"), of_files("p"))
    assert gate.verdict == "failed", gate.reason
    assert isinstance(gate.test, PairedTest)
    assert gate.test.pairs == 2 * NUMBER
    # A file that only one of the runs has takes nothing from the other.
    of_first = [row for row in of_files("p") if file_of(row) == "a.md"]
    gate = judged(of_files("q"), of_first)
    assert gate.verdict == "failed", gate.reason
    of_first_now = [row for row in of_files("q") if file_of(row) == "a.md"]
    gate = judged(of_first_now, of_files("p"))
    assert gate.verdict == "failed", gate.reason


def test_repeats_are_not_compared_with_paraphrases() -> None:
    before = [changed(one, repeat=0, paraphrase=one.repeat) for one in run("p")]
    gate = judged(run("p"), before)
    assert gate.verdict == "inconclusive"
    assert "other repeats or paraphrases than in the baseline" in gate.reason
    assert judged(run("p"), before, drop=None).verdict == "reported"


def test_a_baseline_that_cannot_be_compared_says_why() -> None:
    before = [changed(one, model=model) for model in ("a", "b") for one in run("p")]
    gate = judged(run("p"), before)
    assert gate.verdict == "inconclusive"
    assert "not compared: the baseline has several models" in gate.reason


@pytest.mark.parametrize(("second", "verdict"), [("p | p", "passed"), ("q", "failed")])
def test_a_sentence_with_an_error_is_left_out_of_both_runs(second: str, verdict: str) -> None:
    after = run(second)
    after[1] = changed(after[1], outcome="error", error="no network")
    for this, other in ((after, run("p & p")), (run(second), [*after[:2], *run("p")[2:]])):
        gate = judged(this, other)
        assert gate.verdict == verdict, gate.reason
        assert (
            "1 sentence left out, with errors or equal paraphrases in only one of the runs"
            in gate.reason
        )
        assert isinstance(gate.test, PairedTest)
        assert gate.test.pairs == NUMBER - 1
    assert (
        judge(after, Rules(agreement_drop=0.2), baseline=baseline_of(run("p"))).verdict == "failed"
    ), "errors"


def test_nothing_is_compared_if_each_sentence_has_an_error() -> None:
    gate = judged(run("p", outcome="error", error="no network"), run("p"))
    assert gate.verdict == "inconclusive"
    assert f"not compared: {NUMBER} sentences left out" in gate.reason


def test_an_equal_paraphrase_in_one_run_leaves_its_sentence_out() -> None:
    texts = ["Red light if the door opens.", "The light is red if the door opens."]
    [before, after] = (
        [
            changed(one, repeat=0, paraphrase=one.repeat, paraphrased=text)
            for one in run("p")
            for text in [some[one.index % 2] if one.repeat else None]
        ]
        for some in (texts, [texts[0], "If the door opens, the light is red"])
    )
    gate = judged(after, before, drop=0.3)
    assert gate.verdict == "passed", gate.reason
    assert f"{NUMBER // 2} sentences left out" in gate.reason
