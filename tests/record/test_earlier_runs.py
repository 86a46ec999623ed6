"""Several files and folders as one baseline: which files are read, which of them are one run, what counts once."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from record.test_joined_files import filled, indices, written
from record.test_results_file import RUN, suite_record
from support.result_rows import row, write_rows

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.record.calls import Call
from pytest_autoeval.record.earlier_runs import EarlierRuns, read_earlier_runs, results_files
from pytest_autoeval.record.file import ResultsError
from pytest_autoeval.record.lines import Planned

OLD = Path(__file__).with_name("old_results")


def made(path: Path, which: Iterable[int] = range(3), seconds: float = 0.1, **run: Any) -> Path:
    """A run whose verdicts took so many seconds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    suite = suite_record(planned=2 if "shard" in run else None)
    return written(path, filled(suite, which, verdict_seconds=seconds), run=replace(RUN, **run))


def pooled(earlier: EarlierRuns) -> list[int]:
    """The indices of all samples of the baseline's only suite."""
    (suite,) = Baseline(earlier.suites).suites
    return sorted(indices(suite.samples))


def test_a_folder_stands_for_its_results_files_without_those_below(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "below/c.jsonl"):
        made(tmp_path / name)
    (tmp_path / "notes.txt").write_text("not results", encoding="utf-8")
    assert [file.name for file in results_files([tmp_path])] == ["a.jsonl", "b.jsonl"]


def test_a_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    file = made(tmp_path / "a.jsonl")
    (tmp_path / "link.jsonl").symlink_to(file)
    assert results_files([file, tmp_path, tmp_path / "link.jsonl"]) == [file]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("nowhere.jsonl", None, "there is no such file"),
        ("folder", "", "there are no results in this folder"),
        ("folder", "formula\n", "rows.jsonl:1"),
        ("folder", '{"formula": "p1"}\n', "rows.jsonl:1"),
        ("folder", " ", "rows.jsonl: there are no results in this file"),
    ],
)
def test_what_holds_no_results_is_refused_by_name(
    tmp_path: Path, name: str, content: str | None, problem: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.mkdir()
    if content:
        made(path / "good.jsonl")
        (path / "rows.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(AutoevalError, match=problem):
        read_earlier_runs([path])


def test_the_samples_of_several_runs_are_those_of_one_baseline(tmp_path: Path) -> None:
    files = [
        made(tmp_path / f"{number}.jsonl", range(2, 5), seconds=number) for number in (1, 2, 3)
    ]
    earlier = read_earlier_runs(files)
    assert (earlier.runs, earlier.name, list(earlier.notes)) == (
        3,
        "3 runs: 1.jsonl, 2.jsonl, 3.jsonl",
        [],
    )
    assert pooled(earlier) == sorted([2, 3, 4] * 3)
    assert read_earlier_runs(files[:1]).name == "1.jsonl"
    (suite,) = Baseline(earlier.suites).suites
    assert len({sample.suite for sample in suite.samples}) == 3


def test_a_copy_of_a_run_counts_once(tmp_path: Path) -> None:
    file = made(tmp_path / "a.jsonl")
    shutil.copy(file, tmp_path / "copy.jsonl")
    earlier = read_earlier_runs([tmp_path])
    assert pooled(earlier) == [0, 1, 2]
    assert earlier.notes == [
        "3 samples of the baseline are in two of its files, from the same calls, and counted once"
    ]


def test_answers_that_a_recording_replayed_count_once(tmp_path: Path) -> None:
    for number in range(2):
        call = Call(stage="informalize", seconds=0.5 + number, replayed=number == 1)
        written(tmp_path / f"{number}.jsonl", filled(suite_record(), range(2), calls=(call,)))
    assert pooled(read_earlier_runs([tmp_path])) == [0, 1]


def test_the_parts_of_a_run_are_joined_also_if_it_was_made_twice(tmp_path: Path) -> None:
    for name, seconds in (("monday", 0.1), ("tuesday", 0.2)):
        for part in (1, 2):
            made(tmp_path / f"{name}{part}.jsonl", [part], seconds, shard=f"{part}/2", settings="s")
    made(tmp_path / "whole.jsonl", [1, 2], 0.3)
    earlier = read_earlier_runs([tmp_path])
    assert earlier.runs == 3
    assert pooled(earlier) == [1, 1, 1, 2, 2, 2]
    assert all(suite.run.shard is None for suite in earlier.suites)


def test_missing_parts_are_refused(tmp_path: Path) -> None:
    made(tmp_path / "1.jsonl", [1], shard="1/2", settings="s")
    made(tmp_path / "other.jsonl", [2], shard="2/2", settings="of another run")
    with pytest.raises(
        AutoevalError, match="the baseline is part 1/2 of a run; name the files of all its parts"
    ):
        read_earlier_runs([tmp_path])


def test_a_file_of_an_older_release_joins_a_new_one(tmp_path: Path) -> None:
    old = tmp_path / "old.jsonl"
    shutil.copy(OLD / "hops.jsonl", old)
    alone = read_earlier_runs([old])
    both = read_earlier_runs([old, made(tmp_path / "new.jsonl")])
    assert both.runs == 2
    assert len(both.suites) == len(alone.suites) + 1


def test_a_run_that_was_killed_is_read_as_far_as_it_came_and_named(tmp_path: Path) -> None:
    file = made(tmp_path / "a.jsonl")
    file.write_text(
        "".join(line for line in file.open(encoding="utf-8") if "suite_end" not in line),
        encoding="utf-8",
    )
    (note,) = read_earlier_runs([file]).notes
    assert note == "the baseline a.jsonl is not whole (1 suite): only its samples are compared"


def test_a_suite_that_a_killed_run_did_not_reach_is_not_new(tmp_path: Path) -> None:
    suite = suite_record()
    planned = [
        Planned(number=suite.number, name=suite.name, model=suite.model),
        Planned(number=suite.number + 1, name="later", model=suite.model),
    ]
    file = made(tmp_path / "a.jsonl", suites=tuple(planned))
    earlier = read_earlier_runs([file])
    assert earlier.notes == [
        "the baseline a.jsonl is not whole (1 suite): only its samples are compared"
    ]
    for name, is_cut_off in (("later", True), ("new", False)):
        now = filled(suite_record(2, name=name, function=name), range(3))
        compared = Baseline(earlier.suites).compared_with(now)
        assert (compared.was_cut_off, compared.is_new) == (is_cut_off, not is_cut_off)
    # Another run that reached it has its samples.
    later = suite_record(2, name="later", function="later")
    whole = written(tmp_path / "b.jsonl", filled(later, range(3)), run=RUN)
    both = Baseline(read_earlier_runs([file, whole]).suites)
    assert both.compared_with(later).refusal is None


def test_a_model_that_the_baseline_does_not_have_is_refused_with_those_that_it_has(
    tmp_path: Path,
) -> None:
    rows = [row(model=model) for model in ("gpt-5-mini", "qwen3")]
    earlier = read_earlier_runs([Path(write_rows(tmp_path / "a.jsonl", rows))])
    earlier.check_model("qwen3")
    earlier.check_model(None)
    with pytest.raises(
        AutoevalError, match=r"no model of the baseline 'gpt-5-mni'; known are: gpt-5-mini, qwen3"
    ):
        earlier.check_model("gpt-5-mni")


def test_many_files_are_named_in_part(tmp_path: Path) -> None:
    for number in range(7):
        made(tmp_path / f"{number}.jsonl", seconds=number)
    name = "7 runs: 0.jsonl, 1.jsonl, 2.jsonl, 3.jsonl, 4.jsonl and 2 more"
    assert read_earlier_runs([tmp_path]).name == name


def test_a_folder_is_no_results_file(tmp_path: Path) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(ResultsError, match="no results in this folder"):
        results_files([tmp_path])
