"""Under a limit of calls, a sample starts only if its remaining calls fit; every call that was made is counted."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import pytest

from pytest_autoeval import (
    Llm,
    Message,
    Report,
    Sample,
    language,
    pass_rate_test,
    run_suites,
)
from pytest_autoeval.engine.sample_budget import SampleBudget

LOGIC = language("propositional")


class Counting:
    """A model that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0
        self._lock = Lock()

    def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> str:
        with self._lock:
            self.asked += 1
        *_, label, text = messages[-1].content.splitlines()
        if label == "Formula:":
            return LOGIC.describe(LOGIC.parse(text))
        return str(LOGIC.read_description(text))


class Named(Counting):
    """One of several models."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


def _text(report: Report) -> str:
    """The printed report without its line breaks."""
    return " ".join(str(report).split())


def three_questions(sample: Sample, llm: Llm) -> None:
    for attempt in range(3):
        assert llm.informalize(sample.formula, attempt=attempt)


@pytest.mark.parametrize(
    ("body", "limit", "ended", "calls"),
    [
        (None, 10, 5, 10),
        (None, 9, 4, 8),
        (None, 2, 1, 2),
        (three_questions, 10, 3, 9),
        # Enough for all: nothing waits, and nothing is left out.
        (None, 100, 12, 24),
    ],
)
def test_the_limit_finishes_samples(body: object, limit: int, ended: int, calls: int) -> None:
    test = pass_rate_test(
        "propositional",
        body,  # type: ignore[arg-type]
        name="limited",
        operators=range(1, 5),
        samples=3,
    )
    model = Counting()
    report = Report(run_suites([test], [model], max_calls=limit))
    assert len(report.samples) == ended
    assert model.asked == calls
    assert f"calls {calls};" in _text(report)


def test_calls_of_a_sample_that_the_limit_cut_off_are_counted() -> None:
    test = pass_rate_test("propositional", name="cut", operators=2, samples=2)
    model = Counting()
    report = Report(run_suites([test], [model], max_calls=1))
    assert model.asked == 1
    assert report.samples == []
    assert "calls 1;" in _text(report)
    assert "this run has made 1 call " in _text(report)


def test_another_suite_is_not_asked_once_nothing_fits() -> None:
    tests = [pass_rate_test("propositional", name=name, operators=3, samples=4) for name in "ab"]
    model = Counting()
    report = Report(run_suites(tests, [model], max_calls=5, concurrency=8))
    assert (len(report.samples), model.asked) == (2, 4)
    assert "and a sample may need 2" in _text(report)
    text = _text(report)
    assert text.count("is reached") == 2
    # What to do is said once, and not for each suite.
    assert text.count("raise it, or replay recordings") == 1
    assert text.count("suites and models are asked one after another") == 1


def test_a_second_model_without_calls_is_told_who_had_them() -> None:
    test = pass_rate_test("propositional", name="limited", operators=3, samples=6)
    report = Report(run_suites([test], [Named("a"), Named("b")], max_calls=8, concurrency=1))
    assert [sample.model for sample in report.samples] == ["a"] * 4
    (_, second) = report.judgements
    assert "no sample ended" in str(second.reasons)
    assert "asked one after another, so that later ones may get no calls" in _text(report)


def test_a_suite_that_is_alone_is_told_nothing_of_others() -> None:
    test = pass_rate_test("propositional", name="alone", operators=3, samples=6)
    report = Report(run_suites([test], [Counting()], max_calls=8))
    assert "one after another" not in _text(report)


def test_processes_share_the_limit_and_one_that_ended_needs_nothing() -> None:
    attempts = 0
    budget = SampleBudget(10, lambda: attempts)
    assert budget.admits("a", 6, 0).verdict == "yes"
    assert budget.admits("b", 6, 0).verdict == "wait"
    attempts = 4
    # The six of a: four were made, two are left. With six of b that is more than six.
    budget.keep("a", 6, 4)
    assert budget.admits("b", 6, 0).verdict == "wait"
    assert budget.admits("b", 4, 0).verdict == "yes"
    budget.forget("b")
    budget.keep("a", 0, 0)
    assert budget.admits("b", 6, 0).verdict == "yes"
    budget.forget("b")
    assert budget.admits("b", 7, 0).verdict == "no"
