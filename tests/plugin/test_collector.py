"""Reference cycles are searched for rarely while suites run, and as before between them."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from pytest_autoeval import RunEnded, SampleEnded, run_suites
from pytest_autoeval.engine.collector import RARELY, rarer_collections
from pytest_autoeval.engine.crew import Crew, Job
from pytest_autoeval.running.item_results import properties_of


@pytest.fixture(autouse=True)
def _usual() -> Iterator[None]:
    """Restores what the `conftest.py` of these tests sets: without it, each later run of pytest takes a second more."""
    thresholds, frozen = gc.get_threshold(), gc.get_freeze_count()
    yield
    gc.set_threshold(*thresholds)
    if frozen:
        gc.freeze()
    else:
        gc.unfreeze()


@pytest.mark.parametrize(
    ("usual", "inside"),
    [
        ((700, 10, 10), RARELY),
        ((0, 10, 10), (0, 10, 10)),
        ((1_000_000, 10, 10), (1_000_000, *RARELY[1:])),
    ],
    ids=["usual", "turned off", "rarer still"],
)
def test_thresholds_rise_for_a_block(
    usual: tuple[int, int, int], inside: tuple[int, int, int]
) -> None:
    gc.set_threshold(*usual)
    with suppress(ValueError), rarer_collections():
        assert gc.get_threshold() == inside
        raise ValueError("the block breaks")
    assert gc.get_threshold() == usual


@pytest.mark.parametrize("is_last", [True, False])
def test_what_the_last_block_made_is_not_searched_at_once(is_last: bool) -> None:
    gc.unfreeze()
    with rarer_collections(is_last=is_last):
        made = [[number] for number in range(100)]
        gc.disable()  # so that nothing moves the objects before the test has looked
    try:
        young = {id(thing) for generation in (0, 1) for thing in gc.get_objects(generation)}
    finally:
        gc.enable()
    assert young.isdisjoint(map(id, made)) is is_last


def test_objects_that_somebody_froze_stay_frozen() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    with rarer_collections(is_last=True):
        pass
    # Some of them may have been deleted meanwhile.
    assert gc.get_freeze_count() > frozen / 2


def test_a_run_has_them_and_gives_them_back() -> None:
    gc.set_threshold(700, 10, 10)
    seen = [
        gc.get_threshold()
        for event in run_suites(["propositional"], samples=1)
        if isinstance(event, SampleEnded)
    ]
    assert set(seen) == {RARELY}
    assert gc.get_threshold() == (700, 10, 10)


def test_a_run_that_is_left_in_the_middle_gives_them_back() -> None:
    gc.set_threshold(700, 10, 10)
    events = run_suites(["propositional"], samples=1)
    assert not isinstance(next(iter(events)), RunEnded)
    events.close()
    assert gc.get_threshold() == (700, 10, 10)


def test_tests_between_suites_have_pythons_own(pytester: pytest.Pytester) -> None:
    gc.set_threshold(700, 10, 10)
    pytester.makepyfile(
        """
        import gc
        import pytest

        def test_before():
            assert gc.get_threshold() == (700, 10, 10)

        @pytest.mark.autoeval("propositional", operators=1, samples=2)
        def test_round_trip(sample, round_trip):
            assert gc.get_threshold()[0] > 700
            round_trip(sample)

        def test_after():
            assert gc.get_threshold() == (700, 10, 10)
        """
    )
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=3)


class _Trials:
    """Stands for all that a suite keeps until it has ended."""


def _start(crew: Crew, freed: threading.Event) -> weakref.ref[_Trials]:
    """Runs a job to its end. Its work refers to the job, as that of a suite does."""
    trials = _Trials()

    def work(piece: int) -> tuple[int, bool, bool]:
        return piece, job.stopped, trials is None

    job = Job(work, range(5))
    crew.start(job)
    assert len(list(job)) == 5
    return weakref.ref(trials, lambda _: freed.set())


def test_what_a_suite_kept_is_freed_without_a_search() -> None:
    crew, freed = Crew(2), threading.Event()
    gc.disable()
    try:
        left = _start(crew, freed)
        # The threads of the crew are still there, and wait for the next suite.
        assert freed.wait(20), left
    finally:
        gc.enable()
        crew.close()


def test_the_summaries_of_a_suite_and_of_a_run_have_them_too(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    gc.set_threshold(700, 10, 10)
    seen = []

    def summarised(*arguments: Any, **more: Any) -> list[tuple[str, str]]:
        seen.append(gc.get_threshold())
        return properties_of(*arguments, **more)

    monkeypatch.setattr("pytest_autoeval.running.item_results.properties_of", summarised)
    pytester.makeconftest(
        """
        import gc

        def blocks(analysis):
            print("thresholds", *gc.get_threshold())
            return []

        def pytest_autoeval_register(registry):
            registry.add_blocks(blocks)
        """
    )
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.autoeval("propositional", operators=1, samples=2, verified=False)
        def test_round_trip(sample, round_trip):
            round_trip(sample)
        """
    )
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-s")
    result.stdout.fnmatch_lines([f"*thresholds {' '.join(map(str, RARELY))}"])
    assert seen == [RARELY]
    assert gc.get_threshold() == (700, 10, 10)
