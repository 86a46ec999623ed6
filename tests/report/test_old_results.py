"""Results files of releases that had more features are still read, as reports and as baselines.

The files in `old_results` were written by the last release that had each feature.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.record.task_parts import Answered, First
from pytest_autoeval.report.analysis import Analysis, analyse

FOLDER = Path(__file__).parents[1] / "record" / "old_results"


def read(name: str) -> SuiteRecord:
    (suite,) = read_file(FOLDER / f"{name}.jsonl").suites
    return suite


def compared(here: SuiteRecord, there: SuiteRecord) -> Analysis:
    return analyse([here], Rules(drop=0.05), baseline=Baseline([there]))


def test_a_formula_that_went_round_several_times_keeps_its_last_outcome() -> None:
    suite = read("hops")
    assert len(suite.samples) == 45
    assert {sample.outcome for sample in suite.samples} == {"equivalent", "different"}
    (judgement,) = analyse([suite], Rules()).judgements
    assert judgement.gate.passed == sum(sample.passed for sample in suite.samples)


def test_an_answer_that_was_asked_for_again_is_the_one_that_counts() -> None:
    suite = read("reask")
    assert {sample.part_or_empty(Answered).value for sample in suite.samples} == {True}
    assert not any(sample.part(First) for sample in suite.samples)


def test_an_earlier_counterexample_that_was_asked_again_does_not_count() -> None:
    lines = FOLDER.joinpath("kept.jsonl").read_text("utf-8").splitlines()
    assert sum('"kept": true' in line for line in lines) == 1
    suite = read("kept")
    assert len(suite.samples) == len(lines) - 1 == suite.asked.planned
    (gate,) = compared(suite, read("kept")).comparisons
    assert len(gate.compared.pairs) == 45


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("adaptive", "not judged, because its sizes were chosen by the answers (adaptive)"),
        ("horizon", "not judged, because the gate on its horizon was removed"),
    ],
)
def test_a_suite_with_a_removed_gate_is_shown_without_a_gate(name: str, reason: str) -> None:
    analysis = analyse([read(name)], Rules(threshold=0.99))
    (judgement,) = analysis.judgements
    assert judgement.verdict == "reported"
    assert judgement.reason.endswith(reason)
    assert analysis.headline.endswith("samples passed; not judged")
    assert any(str(note).endswith(reason) for note in analysis.notes)


def test_a_suite_that_stopped_early_keeps_the_decision_of_its_run() -> None:
    suite = read("stopped")
    assert suite.end is not None
    stop = suite.end.stopped
    assert stop is not None
    assert (stop.ran, stop.planned) == (len(suite.samples), 180)
    extents = {suite.number: Extent(planned=180, stopped_early=stop)}
    (judgement,) = analyse([suite], Rules(), extents=extents).judgements
    assert judgement.verdict == "passed"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("hops", "its formulas made several round trips in a row (hops)"),
        ("reask", "it asked again for answers that lacked their form (reask)"),
        ("adaptive", "its sizes were chosen by the answers (adaptive)"),
    ],
)
def test_a_run_that_asked_in_a_removed_way_is_not_compared(name: str, reason: str) -> None:
    analysis = compared(read(name), read(name))
    (gate,) = analysis.comparisons
    assert (gate.verdict, analysis.whole_runs[0].verdict) == ("with the run", "inconclusive")
    assert gate.reason == f"not compared: this run is of an older release: {reason}"
