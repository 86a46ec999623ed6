"""Most similar and ranking on one sentence: the four cases of the study's table 8, by model, data set and form."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from support.analyses import analyse
from support.documents_read import data_of, section
from support.result_rows import row
from support.screens import texts

from pytest_autoeval import SampleEnded, pass_rate_test, run_suites
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Answered, Given
from pytest_autoeval.report.document import document
from pytest_autoeval.studies.first_order_translation.paired_tasks import paired_tasks
from pytest_autoeval.studies.first_order_translation.scores import ScoreColumn

TITLE = "most similar and ranking (the equivalent ones first) on the same sentences"


def asked(
    item: str, chosen: bool, ranked: bool, form: str = "english", **changes: Any
) -> Iterator[Sample]:
    """One sentence in both tasks. The ranking always has the negations at the wrong place, and so is no pass."""
    about = {
        "model": "offline/one",
        "way": "zero-shot",
        "form": form,
        "data_set": "folio",
        "sentence": item,
        **changes,
    }
    for task, outcome, more in (
        (f"most_similar_{form}", "correct" if chosen else "wrong answer", {}),
        (
            f"ranking_{form}",
            "wrong answer",
            {"ranking_equivalence": ranked, "ranking_negation": False},
        ),
    ):
        yield row(
            outcome,
            task=task,
            suite=f"suites/test_x.py::test_{task}",
            item=item,
            formula=item,
            **about,
            **more,
        )


def test_each_sentence_is_one_of_four_cases() -> None:
    samples = [
        sample
        for number, (chosen, ranked) in enumerate(
            [(True, False)] * 4 + [(False, True)] + [(True, True)] * 3
        )
        for sample in asked(f"s{number}", chosen, ranked)
    ]
    samples += asked("last", chosen=False, ranked=False)
    [found] = paired_tasks(samples)
    assert (found.column, found.data_set, found.pairs) == (
        ScoreColumn("offline/one", "NL"),
        "folio",
        9,
    )
    assert found.counts == {(True, False): 4, (False, True): 1, (True, True): 3, (False, False): 1}
    assert found.share((True, False)) == pytest.approx(4 / 9)


def test_repeats_are_paired_with_their_own_and_all_count_alike() -> None:
    samples = [
        *asked("s", chosen=True, ranked=False, repeat=0),
        *asked("s", chosen=False, ranked=True, repeat=1),
        *asked("t", chosen=True, ranked=True, repeat=0),
    ]
    [found] = paired_tasks(reversed(samples))
    assert found.counts == {(True, False): 1, (False, True): 1, (True, True): 1}


def test_a_sentence_that_one_task_lacks_or_did_not_answer_does_not_count() -> None:
    chosen, _ = asked("alone", chosen=True, ranked=True)
    assert paired_tasks([chosen]) == []
    [failed, ranked] = asked("failed", chosen=True, ranked=True)
    error = row(
        "error", task="most_similar_english", suite=failed.suite.name, form="english", item="failed"
    )
    assert paired_tasks([error, ranked]) == []
    # Another sentence, another form and another data set are other pairs.
    _, other = asked("other", chosen=True, ranked=True)
    _, formulas = asked("alone", chosen=True, ranked=True, form="formulas")
    _, elsewhere = asked("alone", chosen=True, ranked=True, data_set="stanford")
    assert paired_tasks([chosen, other, formulas, elsewhere]) == []


def test_models_data_sets_forms_and_variants_are_apart() -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"form": "formulas"},
        {"data_set": "stanford"},
        {"model": "offline/two"},
        {"way": "few-shot"},
    ]
    samples = [
        sample for change in changes for sample in asked("s", chosen=True, ranked=False, **change)
    ]
    found = paired_tasks(samples)
    assert len(found) == len(changes)
    assert {pairs.pairs for pairs in found} == {1}
    assert {pairs.variant for pairs in found} == {"zero-shot", "few-shot"}


def test_the_section_shows_shares_and_numbers_with_v_alone() -> None:
    samples = [*asked("s", chosen=True, ranked=False), *asked("t", chosen=True, ranked=True)]
    samples += asked("s", chosen=False, ranked=False, form="formulas")
    analysis = analyse(samples, Rules())
    assert TITLE not in texts(analysis)
    lines = texts(analysis, verbosity=1, width=100)
    start = lines.index(TITLE)
    assert [" ".join(line.split()) for line in lines[start + 1 : start + 7]] == [
        "offline/one data set NL FOL",
        "most similar, not ranking folio 50.0 % 0.0 %",
        "ranking, not most similar folio 0.0 % 0.0 %",
        "both folio 50.0 % 0.0 %",
        "neither folio 0.0 % 100.0 %",
        "pairs folio 2 1",
    ]
    [table] = section(data_of(document(analysis)), "both tasks")["blocks"]
    first, *_, pairs = table["rows"]
    assert first["cells"][2] == {"name": "share", "value": 0.5, "unit": "rate", "n": 2}
    assert pairs["cells"][3] == {"name": "pairs", "value": 1, "unit": "count"}


def test_a_run_of_both_tasks_is_counted_as_its_samples_say() -> None:
    tests = [pass_rate_test("fol_most_similar", task="most_similar_english", samples=3)]
    tests += [pass_rate_test("fol_ranking", task="ranking_english", samples=3)]
    events = run_suites(tests, ["offline/student?strength=0.6"], repeats=2, seed=3)
    samples = [event.sample for event in events if isinstance(event, SampleEnded)]
    succeeded: dict[str, dict[tuple[Any, int], bool]] = {"choices": {}, "rankings": {}}
    for sample in samples:
        kind, sentence = sample.suite.asked.figures or "", sample.part_or_empty(Given).sentence
        equivalence = sample.part_or_empty(Answered).ranking_equivalence
        succeeded[kind][sentence, sample.repeat] = (
            sample.passed if kind == "choices" else bool(equivalence)
        )
    common = succeeded["choices"].keys() & succeeded["rankings"].keys()
    expected = Counter((succeeded["choices"][key], succeeded["rankings"][key]) for key in common)
    assert len(expected) > 1
    random.Random(1).shuffle(samples)
    [found] = paired_tasks(samples)
    assert found.counts == expected
