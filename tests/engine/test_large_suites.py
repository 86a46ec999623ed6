"""Of a large suite some samples are asked while the others are drawn: nothing in the rows depends on it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from support.flat_rows import without_times

from pytest_autoeval import Llm, Report, Sample, SampleEnded, SuiteStarted, autoeval, run_suites
from pytest_autoeval.engine import suite_run
from pytest_autoeval.engine.drawn_samples import draw, first_samples
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.suite import Suite
from pytest_autoeval.engine.suite_run import from_both_ends

MODEL = "offline/student?strength=0.8"


@autoeval("propositional", operators=range(1, 4), samples=40, threshold=0.1)
def survives(sample: Sample, llm: Llm, assert_equivalent: Callable[..., object]) -> None:
    assert_equivalent(
        llm.autoformalize(llm.informalize(sample.formula), like=sample), sample.formula
    )


def rows(**options: Any) -> list[dict[str, Any]]:
    report = Report(run_suites([survives], models=[MODEL], shrink_budget=0, **options))
    return [without_times(sample) for sample in report.samples]


@pytest.mark.parametrize("options", [{}, {"repeats": 2}, {"shard": (2, 3)}], ids=str)
def test_the_rows_are_the_same(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]) -> None:
    begun = rows(concurrency=(8, 8), **options)
    monkeypatch.setattr(suite_run, "first_samples", lambda *_: [])
    assert rows(concurrency=(8, 8), **options) == begun
    assert {row["planned"] for row in begun} == {120 * options.get("repeats", 1)}
    assert any(row.get("same_as") for row in begun)


def test_a_continued_run_draws_its_last_size_first(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = rows(concurrency=(8, 8))

    def of_continued_run(suite: Suite, settings: Settings, number: int) -> list[Sample]:
        early = first_samples(suite, replace(settings, resume=True), number)
        assert [sample.operators for sample in early] == [3] * 40
        return early

    monkeypatch.setattr(suite_run, "first_samples", of_continued_run)
    assert rows(concurrency=(8, 8)) == expected


def test_calls_begin_before_all_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = threading.Event()

    def drawn(*arguments: Any) -> Any:
        assert asked.wait(20)
        return draw(*arguments)

    @autoeval("propositional", operators=range(1, 4), samples=40, verified=False)
    def notes(sample: Sample, llm: Llm) -> None:
        llm.informalize(sample.formula)
        asked.set()

    monkeypatch.setattr(suite_run, "draw", drawn)
    events = list(run_suites([notes], models=["offline/faithful"], concurrency=(8, 8)))
    kinds = [type(event) for event in events]
    assert kinds.index(SuiteStarted) < kinds.index(SampleEnded)
    assert kinds.count(SampleEnded) == 120


def test_an_error_of_drawing_ends_what_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("while drawing")

    monkeypatch.setattr(suite_run, "draw", broken)
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        rows(concurrency=(8, 8))
    assert threading.active_count() == before


def test_a_run_that_is_left_at_its_first_row_leaves_no_thread() -> None:
    before = threading.active_count()
    events = run_suites([survives], models=[MODEL], concurrency=(8, 8))
    assert len(list(islice(events, 3))) == 3
    events.close()
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("trials", "in_turn"),
    [([], []), ([1], [1]), ([1, 2], [2, 1]), ([1, 2, 3, 4, 5], [5, 1, 4, 2, 3])],
)
def test_a_continued_run_starts_at_both_ends(trials: list[int], in_turn: list[int]) -> None:
    assert from_both_ends(trials) == in_turn
