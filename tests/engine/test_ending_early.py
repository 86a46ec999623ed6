"""Which samples run before which planned look, and runs from a program that end suites early."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from pytest_autoeval import AutoevalError, Llm, Sample, SuiteJudged, autoeval, run_suites
from pytest_autoeval.datasets.data_set import DataSet
from pytest_autoeval.engine.look_plan import looks_of_samples
from pytest_autoeval.generation.samples import draw_samples


def drawn(number: int) -> list[Sample]:
    return draw_samples("propositional", range(1, 5), number, seed=0)


@pytest.mark.parametrize("number", [5, 7, 20])
def test_each_fifth_has_about_as_many_samples_of_every_size(number: int) -> None:
    samples = drawn(number)
    looks = looks_of_samples(samples, seed=0)
    of_size = Counter((size, look) for (size, _), look in looks.items())
    for size in range(1, 5):
        counts = [of_size[size, look] for look in range(1, 6)]
        assert max(counts) - min(counts) <= 1
    every = Counter(looks.values())
    assert max(every.values()) - min(every.values()) <= 1
    assert len(looks) == len(samples)


def test_the_order_is_drawn_from_the_seed_alone() -> None:
    samples = drawn(20)
    assert looks_of_samples(samples, seed=1) == looks_of_samples(samples[::-1], seed=1)
    assert looks_of_samples(samples, seed=1) != looks_of_samples(samples, seed=2)


def test_rows_that_are_not_independent_run_before_one_look() -> None:
    entries = [(f"p{row}", {"cluster": f"document {row % 12}"}) for row in range(60)]
    entries += [("q1 & q2", {"sentence": "Both hold."}), ("q1 & q3", {"sentence": "Both hold."})]
    items: Sequence[Sample] = [
        item for size in (0, 1) for item in DataSet.of("own", "propositional", entries).items(size)
    ]
    looks = looks_of_samples(items, seed=0)
    of_document: dict[str, set[int]] = {}
    for item in items:
        shared = item.facts.get("cluster") or item.facts["sentence"]  # type: ignore[attr-defined]
        of_document.setdefault(shared, set()).add(looks[item.operators, item.index])
    assert len(of_document) == 13
    assert all(len(found) == 1 for found in of_document.values())
    assert len({look for found in of_document.values() for look in found}) == 5


@autoeval("propositional", operators=range(1, 5), samples=10, threshold=0.5)
def survives(sample: Sample, llm: Llm, assert_equivalent: Callable[..., object]) -> None:
    assert_equivalent(
        llm.autoformalize(llm.informalize(sample.formula), like=sample), sample.formula
    )


def test_run_suites_ends_suites_early() -> None:
    events = run_suites([survives], ["offline/faithful"], stop_early=True, gate="interval")
    (judged,) = (event for event in events if isinstance(event, SuiteJudged))
    assert judged.end.ended == "stopped early"
    assert judged.end.stopped is not None
    assert (judged.judgement.verdict, judged.end.stopped.ran) == ("passed", 16)
    assert len(judged.suite.samples) == 16


def test_looks_at_a_part_of_a_suite_are_refused_as_on_the_command_line() -> None:
    with pytest.raises(
        AutoevalError, match="stop_early= cannot be combined with shard=: parts are not judged"
    ):
        list(run_suites([survives], ["offline/faithful"], stop_early=True, shard="1/2"))
