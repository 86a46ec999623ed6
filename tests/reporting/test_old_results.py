"""Results files of releases that had more features are still read, as reports and as baselines.

The files in `old_results` were written by the last release that had each feature.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval.judging.baseline import Baseline
from pytest_autoeval.judging.gates import Extent, Rules
from pytest_autoeval.reporting.analysis import Analysis, analyse
from pytest_autoeval.record.file import read_file
from pytest_autoeval.reporting.row import Row

FOLDER = Path(__file__).with_name("old_results")


def rows(name: str) -> list[Row]:
    return read(FOLDER / f"{name}.jsonl").rows


def compared(here: list[Row], there: list[Row]) -> Analysis:
    return analyse(here, Rules(drop=0.05), baseline=Baseline(there))


def test_a_formula_that_went_round_several_times_keeps_its_last_outcome() -> None:
    found = rows("hops")
    assert len(found) == 45
    assert {row.outcome for row in found} == {"equivalent", "different"}
    assert not any("hops" in row.facts for row in found)
    (judgement,) = analyse(found, Rules()).judgements
    assert judgement.gate.passed == sum(row.passed for row in found)


def test_an_answer_that_was_asked_for_again_is_the_one_that_counts() -> None:
    found = rows("reask")
    assert {row.answered for row in found} == {True}
    assert not any({"asked_again", "first_answer", "first_outcome"} & row.facts.keys() for row in found)


def test_an_earlier_counterexample_that_was_asked_again_does_not_count() -> None:
    lines = FOLDER.joinpath("kept.jsonl").read_text("utf-8").splitlines()
    assert sum('"kept": true' in line for line in lines) == 1
    found = rows("kept")
    assert len(found) == len(lines) - 1 == found[0].planned
    (gate,) = compared(found, found).comparisons
    assert len(gate.compared.pairs) == 45


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("adaptive", "not judged, because its sizes were chosen by the answers (adaptive)"),
        ("horizon", "not judged, because the gate on its horizon was removed"),
    ],
)
def test_a_suite_with_a_removed_gate_is_shown_without_a_gate(name: str, reason: str) -> None:
    analysis = analyse(rows(name), Rules(threshold=0.99))
    (judgement,) = analysis.judgements
    assert judgement.verdict == "reported"
    assert judgement.reason.endswith(reason)
    assert analysis.headline.endswith("samples passed; not judged")
    assert any(note.endswith(reason) for note in analysis.notes)


def test_a_suite_that_stopped_early_keeps_the_decision_of_its_run() -> None:
    found = rows("stopped")
    stop = found[0].stopped_early
    assert stop is not None
    assert (stop.ran, stop.planned) == (len(found), 180)
    extents = {(found[0].suite, found[0].model): Extent(planned=180, stopped_early=stop)}
    (judgement,) = analyse(found, Rules(), extents=extents).judgements
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
    found = rows(name)
    (gate,) = compared(found, found).comparisons
    assert gate.verdict == "inconclusive"
    assert gate.reason == f"not compared: this run is of an older release: {reason}"
