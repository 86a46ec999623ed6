"""Several files as one record: each sample once, suites by what they asked, parts of one run put together."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from record.test_results_file import RUN, sample, suite_record

from pytest_autoeval import read_results
from pytest_autoeval.datasets.table_files import read_table
from pytest_autoeval.record.file import Results, ResultsError, write_results
from pytest_autoeval.record.lines import Ending, Planned, Run, Sample, SuiteEnd, SuiteRecord
from pytest_autoeval.record.merging import merge


def written(path: Path, *suites: SuiteRecord, run: Run = RUN) -> Path:
    """A file with these suites, all of which ended."""
    for suite in suites:
        suite.run = run
        suite.end = suite.end or SuiteEnd(suite=suite.number, verdict="passed")
    write_results(path, Results(runs=[run], suites=list(suites)))
    return path


def filled(suite: SuiteRecord, indices: Iterable[int] = range(3), **fields: object) -> SuiteRecord:
    suite.samples += [sample(index, suite, **fields) for index in indices]
    return suite


def indices(samples: Iterable[Sample]) -> list[int]:
    return [one.index for one in samples]


def test_a_sample_in_two_files_counts_once(tmp_path: Path) -> None:
    first = written(tmp_path / "a.jsonl", filled(suite_record()))
    second = written(tmp_path / "b.jsonl", filled(suite_record(), range(1, 5), verdict_seconds=0.5))
    joined = merge([first, second])
    assert indices(joined.results.samples) == [0, 1, 2, 3, 4]
    assert joined.notes == ["2 samples occurred twice with the same content and counted once"]
    assert not joined.unjudgeable
    assert joined.suites[0].asked.planned == 5


def test_a_sample_that_differs_is_of_another_run(tmp_path: Path) -> None:
    first = written(tmp_path / "a.jsonl", filled(suite_record()))
    second = written(tmp_path / "b.jsonl", filled(suite_record(), answer="other", recovered=True))
    with pytest.raises(
        ResultsError, match=r"b\.jsonl:3: .* also at .*a\.jsonl:3, and differs \(answer, recovered"
    ):
        read_results([first, second])


@pytest.mark.parametrize(
    ("here", "there", "names"),
    [
        ({"temperature": 0.1}, {"temperature": 1.0}, ["temperature=0.1", "temperature=1.0"]),
        (
            {"parameters_sent": {"seed": 1}},
            {"parameters_sent": {"seed": 2}},
            ['parameters={"seed":1}', 'parameters={"seed":2}'],
        ),
        ({"prompting": "few-shot"}, {}, ["few-shot", "zero-shot"]),
        ({"max_tokens": 100, "interface": "text"}, {}, ["plain", "text-max_tokens=100"]),
        ({"prompts": ("mine",)}, {}, ["", "mine"]),
    ],
)
def test_suites_that_asked_in_other_ways_are_two_with_names_that_say_so(
    tmp_path: Path, here: dict[str, Any], there: dict[str, Any], names: list[str]
) -> None:
    function: dict[str, Any] = {"function": "test_it.py::test_1"}
    first = written(tmp_path / "a.jsonl", filled(suite_record(**function, **here)))
    second = written(
        tmp_path / "b.jsonl", filled(suite_record(**function, **there), answer="other")
    )
    suites = read_results([first, second]).suites
    found = sorted(suite.name.removeprefix("test_it.py::test_1") for suite in suites)
    assert [name.removeprefix("[").removesuffix("]") for name in found] == names
    assert [suite.number for suite in suites] == [1, 2]
    assert all(indices(suite.samples) == [0, 1, 2] for suite in suites)


def test_files_of_several_seeds_are_one_suite_with_more_samples(tmp_path: Path) -> None:
    files = [
        written(tmp_path / f"{seed}.jsonl", filled(suite_record(), seed=seed, formula=f"p{seed}"))
        for seed in range(3)
    ]
    (suite,) = read_results(files).suites
    assert [(one.index, one.seed) for one in suite.samples[:4]] == [(0, 0), (0, 1), (0, 2), (1, 0)]


def test_two_suites_with_one_name_in_a_file_stay_two(tmp_path: Path) -> None:
    same = {"name": "test_it.py::test_same", "function": "test_it.py::test_same"}
    one, other = filled(suite_record(1, **same)), filled(suite_record(2, **same), answer="other")
    path = written(tmp_path / "a.jsonl", one, other)
    suites = merge([path]).suites
    assert [(suite.number, suite.name, len(suite.samples)) for suite in suites] == [
        (1, "test_it.py::test_same", 3),
        (2, "test_it.py::test_same", 3),
    ]


def test_a_suite_that_the_run_planned_and_the_file_lacks_is_absent(tmp_path: Path) -> None:
    plan = [
        Planned(number=number, name=f"test_it.py::test_{number}", model="m") for number in (1, 2, 3)
    ]
    run = replace(RUN, suites=tuple(plan))
    results = Results(runs=[run], suites=[filled(suite_record())])
    results.suites[0].run = run
    results.ends_without_suite = [SuiteEnd(suite=2, ended="left out", why="an embedding model")]
    write_results(tmp_path / "a.jsonl", results)
    merged = merge([tmp_path / "a.jsonl"])
    assert [planned.name for planned in merged.absent] == ["test_it.py::test_3"]
    # Like a suite that began: else its absence shows nowhere.
    note = "the run ended before it began test_it.py::test_3[m], so this suite is not judged"
    assert note in merged.notes
    # A baseline is never judged.
    assert note in merged.doubts


def test_p_values_are_corrected_for_all_suites_that_were_planned(tmp_path: Path) -> None:
    """As in the run itself, which knows before its first call how many suites it has. Runs may plan the same ones."""
    plan = tuple(
        Planned(number=number, name=f"test_it.py::test_{number}", model="m") for number in (1, 2, 3)
    )
    files = [
        written(
            tmp_path / f"{seed}.jsonl",
            filled(suite_record(), seed=seed, formula=f"p{seed}"),
            run=replace(RUN, suites=plan, options=(f"--autoeval-seed={seed}",)),
        )
        for seed in range(2)
    ]
    assert merge(files[:1]).number_of_suites == merge(files).number_of_suites == 3
    without_plan = written(
        tmp_path / "old.jsonl", *(filled(suite_record(number)) for number in (1, 2))
    )
    assert merge([without_plan]).number_of_suites == 2


def test_an_interrupted_suite_is_not_judged_and_the_others_are(tmp_path: Path) -> None:
    suites = [filled(suite_record(number)) for number in (1, 2)]
    path = written(tmp_path / "a.jsonl", *suites)
    text = path.read_text("utf-8")
    path.write_text(
        "".join(
            line for line in text.splitlines(keepends=True) if '"suite_end","suite":2' not in line
        )
    )
    joined = merge([path])
    assert joined.unjudgeable == {2}
    assert joined.notes == [
        f"{path}: its run was interrupted, so its interrupted suites are not judged"
    ]


def shard(path: Path, number: int, indices: Iterable[int], settings: str = "s") -> Path:
    run = replace(RUN, shard=f"{number}/2", settings=settings)
    return written(path / f"{number}.jsonl", filled(suite_record(planned=5), indices), run=run)


def test_the_parts_of_a_run_are_one_run(tmp_path: Path) -> None:
    first, second = shard(tmp_path, 1, (0, 2, 4)), shard(tmp_path, 2, (1, 3))
    joined = merge([first, second])
    (suite,) = joined.suites
    assert (indices(suite.samples), suite.run.shard, suite.asked.planned) == (
        [0, 1, 2, 3, 4],
        None,
        5,
    )
    assert len(joined.results.runs) == 1
    alone = merge([first])
    assert (alone.missing, alone.suites[0].run.shard) == ({1: "part 2/2 is missing"}, "1/2")


def test_parts_of_two_runs_are_refused(tmp_path: Path) -> None:
    files = shard(tmp_path, 1, (0, 2, 4)), shard(tmp_path, 2, (1, 3), settings="t")
    with pytest.raises(
        Exception, match="are not from parts of one run: their runs had different settings"
    ):
        merge(files)


def test_some_parts_that_were_joined_wait_for_the_others(tmp_path: Path) -> None:
    one, two, three = (
        written(
            tmp_path / f"{part}.jsonl",
            filled(suite_record(planned=3), [part - 1]),
            run=replace(RUN, shard=f"{part}/3", settings="0123"),
        )
        for part in (1, 2, 3)
    )
    some = merge([one, three])
    assert some.missing == {1: "part 2/3 is missing"}
    assert some.results.run.shard == "1/3, 3/3"
    write_results(tmp_path / "some.jsonl", some.results)
    whole = merge([tmp_path / "some.jsonl", two])
    assert whole.missing == {}
    assert whole.results.run.shard is None
    assert indices(whole.results.samples) == [0, 1, 2]


@pytest.mark.parametrize("ended", ["nothing drawn", "limit reached", "whole"])
def test_a_suite_without_a_sample_stays_and_keeps_its_end(tmp_path: Path, ended: Ending) -> None:
    """Nobody may take the other suites for the whole run."""
    plan = tuple(
        Planned(number=number, name=f"test_it.py::test_{number}", model="m") for number in (1, 2)
    )
    nothing = suite_record(2, planned=0 if ended == "nothing drawn" else 4)
    nothing.end = SuiteEnd(suite=2, ended=ended, why="why")
    first = written(
        tmp_path / "a.jsonl", filled(suite_record()), nothing, run=replace(RUN, suites=plan)
    )
    for file in (first, tmp_path / "joined.jsonl"):
        joined = merge([file])
        assert [(len(suite.samples), suite.end and suite.end.ended) for suite in joined.suites] == [
            (3, "whole"),
            (0, "interrupted" if ended == "whole" else ended),
        ]
        assert (joined.absent, set(joined.unjudgeable)) == ([], {2} if ended == "whole" else set())
        write_results(tmp_path / "joined.jsonl", joined.results)


def test_runs_one_after_the_other_in_one_file_are_joined_as_files_are(tmp_path: Path) -> None:
    """Each run numbers its suites from 1."""
    first = written(tmp_path / "a.jsonl", filled(suite_record(), range(2)))
    second = written(tmp_path / "b.jsonl", filled(suite_record(), range(5)))
    together = tmp_path / "together.jsonl"
    together.write_bytes(first.read_bytes() + second.read_bytes())
    (suite,) = merge([together]).suites
    assert indices(suite.samples) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("other", ["seed", "model"])
@pytest.mark.parametrize("killed", [0, 1])
def test_a_suite_that_one_of_several_runs_lacks_is_absent_also_in_the_joined_file(
    tmp_path: Path, other: str, killed: int
) -> None:
    files = []
    for number in (0, 1):
        model, seed = ("m", number) if other == "seed" else ("mn"[number], 0)
        plan = tuple(
            Planned(number=place, name=f"test_it.py::test_{place}", model=model) for place in (1, 2)
        )
        options = (f"--autoeval-seed={seed}",) if seed else ()
        run = replace(RUN, suites=plan, options=options, started=f"2026-11-2{number}")
        places = (1,) if number == killed else (1, 2)
        suites = [filled(suite_record(place, model=model), seed=seed) for place in places]
        files.append(written(tmp_path / f"{number}.jsonl", *suites, run=run))
    joined = merge(files)
    absent = [(planned.name, planned.model) for planned in joined.absent]
    assert absent == [("test_it.py::test_2", "m" if other == "seed" else "mn"[killed])]
    write_results(tmp_path / "joined.jsonl", joined.results)
    again = merge([tmp_path / "joined.jsonl"])
    assert [(planned.name, planned.model) for planned in again.absent] == absent


def test_what_a_killed_run_lacks_may_stand_in_the_run_that_continued_it(tmp_path: Path) -> None:
    plan = tuple(
        Planned(number=place, name=f"test_it.py::test_{place}", model="m") for place in (1, 2)
    )
    run = replace(RUN, suites=plan)
    killed = written(tmp_path / "a.jsonl", filled(suite_record(1)), run=run)
    whole = written(tmp_path / "b.jsonl", filled(suite_record(1)), filled(suite_record(2)), run=run)
    assert not merge([killed, whole]).absent


def test_a_suite_that_a_limit_ended_keeps_the_number_of_its_planned_samples(tmp_path: Path) -> None:
    suite = filled(suite_record(planned=5))
    suite.end = SuiteEnd(suite=1, ended="limit reached", why="why")
    joined = merge([written(tmp_path / "a.jsonl", suite)])
    assert (joined.suites[0].asked.planned, joined.unjudgeable) == (5, frozenset())


def test_results_with_a_suite_without_samples_are_data(tmp_path: Path) -> None:
    """Suites of several runs in one file have the same numbers."""
    first = written(tmp_path / "a.jsonl", filled(suite_record(), range(2)), suite_record(2))
    together = tmp_path / "together.jsonl"
    together.write_bytes(first.read_bytes() * 2)
    assert [row.place for row in read_table(together)] == ["3", "4", "10", "11"]
