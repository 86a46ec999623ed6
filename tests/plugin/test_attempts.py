"""``attempt=``: an equal question is asked anew, recorded and replayed under its own number."""

from __future__ import annotations

import pytest

from pytest_autoeval import read_results

from .conftest import Run, Suite, said

READS = """
import pytest

@pytest.mark.autoeval("propositional", operators=[3], samples=8, verified=False)
def test_readings(sample, llm):
    description = llm.informalize(sample)
    for attempt in ATTEMPTS:
        try:
            llm.autoformalize(description, like=sample, attempt=attempt)
        except AssertionError:
            pass  # what the model wrote does not matter here
"""
STUDENT = "--autoeval-model=offline/student?strength=0.3"


def calls(file: str) -> list[list[tuple[str, bool]]]:
    return [
        [(call.stage, call.repeated) for call in sample.calls]
        for sample in read_results(file).samples
    ]


def test_an_equal_question_is_asked_once_and_anew_with_another_attempt(
    suite: Suite, run: Run
) -> None:
    suite(READS.replace("ATTEMPTS", "(0, 0, 1, 2, 1)"))
    run(
        STUDENT,
        "--autoeval-results=out.jsonl",
        "--autoeval-record-mode=once",
        "--autoeval-cassettes=taped",
    )
    assert len(calls("out.jsonl")) == 8
    for asked in calls("out.jsonl"):
        assert [stage for stage, _ in asked] == ["informalize", *["autoformalize"] * 5]
        assert [again for _, again in asked] == [False, False, True, False, False, True]
    answers = [sample.answer for sample in read_results("out.jsonl").samples]
    run(
        STUDENT,
        "--autoeval-results=again.jsonl",
        "--autoeval-record-mode=none",
        "--autoeval-cassettes=taped",
    )
    assert [sample.answer for sample in read_results("again.jsonl").samples] == answers
    assert all(
        call.replayed or call.repeated
        for one in read_results("again.jsonl").samples
        for call in one.calls
    )


@pytest.mark.parametrize("attempt", ["-1", "'2'", "0.5"])
def test_an_attempt_is_a_number_from_0(suite: Suite, run: Run, attempt: str) -> None:
    suite(READS.replace("ATTEMPTS", f"({attempt},)"))
    result = run(STUDENT)
    assert result.ret == 1
    assert f"attempt={attempt} is not an integer ≥ 0" in said(result)
