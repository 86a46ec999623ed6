"""What a worker sends arrives whole, and samples that both processes have are not sent twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from pytest_autoeval import Report, pass_rate_test, run_suites
from pytest_autoeval.engine.events import Event, SampleEnded, SuiteJudged, SuiteStarted
from pytest_autoeval.engine.record import Record
from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.record.coding import encoded
from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import Run, SuiteRecord
from pytest_autoeval.running.crossing import Names, Receiver, packed, packed_suites, unpacked_suites

FAULTY = "offline/or-for-and"
TRIP = pass_rate_test("propositional", name="trip", operators=[1, 2], samples=4, threshold=0.9)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("baseline") / "before.jsonl"
    Report(run_suites([TRIP], models=[FAULTY], repeats=2, shrink_budget=0)).write_results(file)
    return file


@pytest.fixture(scope="module")
def events(before: Path) -> list[Event]:
    return [*run_suites([TRIP], models=[FAULTY], baseline=before)]


def crossed(
    events: Sequence[Event], there: Names, here: Names
) -> tuple[list[Event], Record, list[int]]:
    """The events after they crossed, the leader's record, and the bytes of each."""
    record, arrived, sizes = Record(), [], []
    run = next(event.suite.run for event in events if isinstance(event, SuiteStarted))
    receiver = Receiver(run, record.suites, lambda: here)
    for event in events:
        topic, value = packed(event, there)
        sizes.append(len(value) if isinstance(value, bytes) else 0)
        got = receiver.event(topic, value)
        if isinstance(got, SampleEnded):
            got.sample.suite.samples.append(got.sample)
        record.take(got)
        arrived.append(got)
    return arrived, record, sizes


def test_suites_and_samples_cross_as_lines(events: list[Event]) -> None:
    told = [event for event in events if isinstance(event, SuiteStarted | SampleEnded)]
    arrived, record, _ = crossed(told, Names(None), Names(None))
    (suite,) = record.suites.values()
    ours = [event.sample for event in told if isinstance(event, SampleEnded)]
    assert list(map(encoded, suite.samples)) == list(map(encoded, ours))
    assert all(sample.suite is suite for sample in suite.samples)
    (started,) = [event for event in arrived if isinstance(event, SuiteStarted)]
    assert (started.suite, started.planned) == (suite, 8)


def test_a_judgement_refers_to_the_samples_of_both_runs(events: list[Event], before: Path) -> None:
    baselines = [Baseline(read_file(before).suites), Baseline(read_file(before).suites)]
    there, here = map(Names, baselines)
    judged = next(event for event in events if isinstance(event, SuiteJudged))
    (suite,) = baselines[0].suites
    # In a worker, the comparison is with the worker's own copy of the baseline.
    own = structs.replace(judged.end)
    comparison = judged.judgement.comparison
    assert comparison is not None
    worker = baselines[0].compared_with(judged.suite)
    assert worker.before is suite
    sent = replace(
        judged,
        end=own,
        judgement=structs.replace(
            judged.judgement, comparison=structs.replace(comparison, compared=worker)
        ),
    )
    told = [event for event in events if isinstance(event, SuiteStarted | SampleEnded)]
    arrived, record, sizes = crossed([*told, sent], there, here)
    got = arrived[-1]
    assert isinstance(got, SuiteJudged)
    assert got.suite is record.suites[1]
    arrived_comparison = got.judgement.comparison
    assert arrived_comparison is not None
    compared = arrived_comparison.compared
    assert compared.before is not None
    assert compared.now is record.suites[1]
    assert compared.before is baselines[1].suites[0]
    mine, theirs = (
        {id(sample) for sample in suite.samples} for suite in (compared.now, compared.before)
    )
    assert {id(sample) for pair in compared.pairs for sample in pair.now} <= mine
    assert {id(sample) for pair in compared.pairs for sample in pair.before} <= theirs
    (example,) = got.counterexamples
    assert id(example.sample) in mine
    assert example.shrunk is not None
    assert example.shrunk.suite is record.suites[1]
    assert encoded(example.shrunk) == encoded(judged.counterexamples[0].shrunk)  # type: ignore[arg-type]
    assert encoded(got.end) == encoded(judged.end)
    assert got.judgement.reasons == judged.judgement.reasons
    texts = sum(len(encoded(sample)) for sample in judged.suite.samples)
    assert sizes[-1] < texts


def test_a_suite_that_starts_again_replaces_the_first_one(events: list[Event]) -> None:
    told = [event for event in events if isinstance(event, SuiteStarted | SampleEnded)]
    _, record, _ = crossed([*told[:4], *told], Names(None), Names(None))
    (suite,) = record.suites.values()
    assert len(suite.samples) == 8
    assert not record.repeated


def test_a_suite_that_starts_again_after_it_was_judged_is_repeated(events: list[Event]) -> None:
    told = [
        event for event in events if isinstance(event, SuiteStarted | SampleEnded | SuiteJudged)
    ]
    judged = [event for event in told if isinstance(event, SuiteJudged)]
    record = Record()
    for event in (*told, *told):
        record.take(event)
    assert record.repeated == {judged[0].suite.number}
    assert record.judgements == {}


def test_a_baseline_crosses_with_its_ends(before: Path) -> None:
    suites = read_file(before).suites
    again = list(unpacked_suites(packed_suites(suites)))
    assert packed_suites(again) == packed_suites(suites)
    assert all(sample.suite is suite for suite in again for sample in suite.samples)
    assert [suite.end is not None for suite in again] == [True]


def test_suites_of_two_runs_with_one_number_stay_apart() -> None:
    asked = next(
        event.suite.asked
        for event in run_suites([TRIP], samples=1)
        if isinstance(event, SuiteStarted)
    )
    suites = [SuiteRecord(asked, Run(schema_version=2, seed=seed)) for seed in (1, 2)]
    again = list(unpacked_suites(packed_suites(suites)))
    assert [(suite.number, suite.run.seed) for suite in again] == [(1, 1), (1, 2)]
