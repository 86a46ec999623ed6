"""`--autoeval-shard K/N`: each job runs a part of every suite, and the report of all parts is that of the whole run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.documents_read import counterexamples, read_summary, sections, sentences
from support.documents_read import lasting as lasting_summary
from support.program import Program
from support.result_rows import changed, write_rows
from support.result_rows import row as a_row

from pytest_autoeval.datasets.catalogue import data_set
from pytest_autoeval.engine.parts_of_run import part_of
from pytest_autoeval.generation.samples import draw_samples, sample_of
from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import Sample

from .conftest import ROUND_TRIP, Run, Suite, lasting, said

pytestmark = pytest.mark.usefixtures("here")
PARTS = 5
STUDENT = "--autoeval-model=offline/student?strength={}"
SUITES = """
import pytest
from pytest_autoeval.models import CallError

@pytest.mark.autoeval("propositional", operators=range(5), samples=4, threshold=0.9)
def test_drawn(sample, llm, assert_equivalent):
    assert_equivalent(llm.autoformalize(llm.informalize(sample.formula), like=sample), sample.formula)

@pytest.mark.autoeval("judge_ltl", task="judge", operators=(1, 3), samples=4)
def test_judged(sample, perform):
    perform(sample)

@pytest.mark.autoeval("ltl_propositions", task="propositions", operators=(1, 2), samples=5)
def test_written(sample, perform):
    perform(sample)

@pytest.mark.autoeval("regex", depth=(2, 3), samples=3, threshold=0.5)
def test_cut_off(sample, round_trip):
    round_trip(sample)
    if sample.index == 1:
        raise CallError("the server hung up")
    assert sample.operators == 2, "too deep"
"""


def timeless(sample: Any) -> Any:
    """A sample of a summary, without what differs between two equal runs."""
    if isinstance(sample, dict):
        times = ("started", "cost", "seconds", "replayed", "repeated", "verdict_seconds")
        return {key: timeless(value) for key, value in sample.items() if key not in times}
    return [timeless(value) for value in sample] if isinstance(sample, list) else sample


def figures(file: Path) -> dict[str, list[Any]]:
    """The sections of the summary by name, but for times, commands, and the numbers of suites in their file."""
    summary = lasting_summary(read_summary(file))
    for of_suite in sections(summary, "suite"):
        del of_suite["suite"]["number"]
    for _, example in counterexamples(summary):
        del example["command"], example["sample"]["suite"]
    found: dict[str, list[Any]] = defaultdict(list)
    for section in summary["sections"]:
        found[section["name"]].append(section)
    return found


COMMON = ("--autoeval-repeats=2", "--autoeval-shrink-budget=0", "-q")
WEAK = STUDENT.format("0.9")


def run_all_parts(run: Run) -> None:
    """Runs each part by itself, into ``part1.jsonl`` and so on, and looks at how it ends."""
    failed, erring = set(), set()
    for number in range(1, PARTS + 1):
        name = f"part{number}.jsonl"
        shard = f"--autoeval-shard={number}/{PARTS}"
        part = run(*COMMON, WEAK, shard, f"--autoeval-results={name}")
        assert f"part {number}/{PARTS} of 4 suites: " in said(part)
        if part.ret:
            failed.add(number)
        if any(row.kind == "error" for row in read_file(name).samples):
            erring.add(number)
    # What ended in an error is not judged, and yet is no success.
    assert failed == erring != set()


def test_all_parts_together_are_the_run_that_was_not_divided(
    suite: Suite, run: Run, report: Program
) -> None:
    suite(SUITES)
    run(*COMMON, STUDENT.format("1"), "--autoeval-results=old.jsonl")
    judge = ("--autoeval-baseline=old.jsonl", "--autoeval-fail-on=drop:5%")
    whole = run(
        *COMMON, *judge, WEAK, "--autoeval-results=whole.jsonl", "--autoeval-summary=run.json"
    )
    assert whole.ret == 1
    run_all_parts(run)

    files = [f"part{number}.jsonl" for number in (3, 1, 5, 2, 4, 2)]
    against = ("--baseline", "old.jsonl", "--fail-on", "drop:5%")
    report(*files, *against, "--summary", "parts.json", "--results", "merged.jsonl", code=1)
    report("whole.jsonl", *against, "--summary", "whole.json", code=1)
    of_parts, of_whole, of_run = (
        figures(Path(f"{name}.json")) for name in ("parts", "whole", "run")
    )
    # Part 2 was given twice.
    (notes,) = of_parts.pop("notes")
    assert any("occurred twice" in note for note in sentences(notes))
    for sections_by_name in (of_parts, of_whole, of_run):
        sections_by_name.pop("notes", None)
        sections_by_name.pop("next steps", None)
    assert of_parts == of_whole
    for name in ("suites", "suite", "comparison"):
        assert of_parts[name] == of_run[name]
    verdict_of_parts = sentences(of_parts["verdict"][0], "verdict")
    assert verdict_of_parts == sentences(of_run["verdict"][0], "verdict")

    assert lasting("merged.jsonl") == lasting("whole.jsonl")
    assert "shard" not in Path("merged.jsonl").read_text("utf-8")
    judge = ("--autoeval-baseline=merged.jsonl", "--autoeval-fail-on=drop:5%")
    again = run(*COMMON, *judge, WEAK, "-k", "drawn")
    assert "0 won, 0 lost" in said(again)


def test_the_part_of_a_sample_depends_on_nothing_but_what_it_asks() -> None:
    samples = draw_samples("propositional", range(8), 100, warn=False)
    parts = [part_of(sample, PARTS) for sample in samples]
    assert min(parts.count(number) for number in range(1, PARTS + 1)) > len(samples) / PARTS * 0.8
    assert set(parts) == set(range(1, PARTS + 1))
    more = draw_samples("propositional", range(8), 150, warn=False)
    known = {sample.text: part_of(sample, PARTS) for sample in more}
    assert [known[sample.text] for sample in samples] == parts
    assert [part_of(replace(sample, index=7, seed=9), PARTS) for sample in samples] == parts
    # In every release and process.
    assert [part_of(sample_of(text, "propositional"), 1000) for text in ("p1 ∧ p2", "¬p1")] == [
        754,
        988,
    ]


def test_items_about_one_formula_are_in_several_parts() -> None:
    found = data_set("ltl_traces", ())
    assert found is not None
    [first, *_] = items = found.items(3, 200)
    assert {part_of(replace(item, formula=first.formula), PARTS) for item in items} == set(
        range(1, PARTS + 1)
    )
    assert part_of(
        replace(first, facts={**first.facts, "source": "other.csv, line 9"}), PARTS
    ) == part_of(first, PARTS)


WHOLE = [
    a_row(
        "equivalent" if number % 4 else "different",
        index=number,
        formula=f"p{number}",
        threshold=0.7,
        planned=12,
    )
    for number in range(12)
]


def parts_of(rows: Sequence[Sample], parts: int = 3, **changes: Any) -> list[list[Sample]]:
    """The rows, the first in part 1, the second in part 2 and so on."""
    marked = {"shard_settings": "0123", **changes}
    return [
        [changed(row, shard=f"{number + 1}/{parts}", **marked) for row in rows[number::parts]]
        for number in range(parts)
    ]


def test_a_missing_part_is_named_and_nothing_is_judged(report: Program) -> None:
    one, two, three = (
        write_rows(f"{number}.jsonl", rows) for number, rows in enumerate(parts_of(WHOLE))
    )
    told = report(one, three, "--results", "some.jsonl", code=2).err
    assert "part 2/3 is missing: 8 of 12 samples ran; 1 suite could not be judged" in told
    assert "interrupted" not in told
    assert "part 2/3 is missing: 8 of 12 samples ran" in report("some.jsonl", one, code=2).out
    # Against a baseline too, the reason is the part, and not an interruption.
    compared = report(
        one, three, "--baseline", write_rows("base.jsonl", WHOLE), "--fail-on=drop:5%", code=2
    )
    headline = " ".join(compared.out.split())
    assert "is open, since part 2/3 is missing: " in headline
    assert "was interrupted" not in headline
    # It can still be put together with the part that was missing.
    report("some.jsonl", two, "--results", "all.jsonl")
    write_rows("whole.jsonl", WHOLE)
    report("whole.jsonl", "--results", "again.jsonl")
    assert Path("all.jsonl").read_bytes() == Path("again.jsonl").read_bytes()
    write_rows(two, [*parts_of(WHOLE)[1][:-1]])
    assert (
        "are missing: 11 of 12 samples ran; 1 suite could not be judged"
        in report(one, two, three, code=2).text
    )
    write_rows(two, [changed(row, unfinished=True) for row in parts_of(WHOLE)[1]])
    report(one, two, three, code=2)


def test_of_a_suite_with_few_samples_a_part_may_be_empty(report: Program) -> None:
    """Its file is, where that holds for all suites; where it stands alone, nobody knows what it is."""
    first, second = parts_of(WHOLE[:1], 2, planned=1)
    files = write_rows("1.jsonl", first), write_rows("2.jsonl", second)
    report(*files, code=1)
    assert (
        "part 2/2 is missing: 1 of 1 sample ran; 1 suite could not be judged"
        in report(files[0], code=2).out
    )
    assert "there are no results in this file" in report("2.jsonl", code=2).err


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        (parts_of(WHOLE, 2)[1], "one of 2 parts, the other of 3"),
        (parts_of(WHOLE, shard_settings="other")[1], "different settings, such as seed"),
        (parts_of(WHOLE, planned=24)[1], "the whole has 24 samples for one, 12 for the other"),
        (WHOLE[1::3], "one of them ran whole"),
        ([changed(WHOLE[1], shard="4/3")], "the shard '4/3' is not K/N"),
        ([changed(WHOLE[1], shard="1/3, 4/3")], "the shard '1/3, 4/3' is not K/N"),
        ([changed(WHOLE[1], shard=f"1/{10**9}")], "is not K/N"),
    ],
)
def test_parts_of_different_runs_are_refused_with_both_places(
    report: Program, other: list[Sample], problem: str
) -> None:
    told = report(
        write_rows("first.jsonl", parts_of(WHOLE)[0]), write_rows("second.jsonl", other), code=2
    ).err
    assert told.startswith("pytest_autoeval report: second.jsonl:3: ")
    assert problem in told
    assert "first.jsonl:3 " in told or "K/N" in problem


def test_a_part_is_no_baseline(
    pytester: pytest.Pytester, suite: Suite, run: Run, report: Program
) -> None:
    suite()
    write_rows("part.jsonl", parts_of(WHOLE)[0])
    write_rows("whole.jsonl", WHOLE)
    problem = "the baseline is part 1/3 of a run; name the files of all its parts, "
    assert problem in report("whole.jsonl", "--baseline", "part.jsonl", code=2).err
    result = run("--autoeval-baseline=part.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--autoeval-baseline: {problem}" in said(result)


MIXED = """
import pytest
from hypothesis import given, settings
from pytest_autoeval import formulas

@pytest.mark.xfail(strict=True)
@pytest.mark.autoeval("propositional", operators=(0, 1), samples=2, threshold=1, verified=False)
def test_suite(sample, round_trip):
    round_trip(sample)

@settings(max_examples=1)
@given(formula=formulas("propositional", max_operators=1))
def test_property(formula, round_trip):
    round_trip(formula)

def test_plain():
    pass
"""


def test_a_part_neither_passes_nor_fails_and_only_the_first_runs_what_is_not_divided(
    suite: Suite, run: Run
) -> None:
    """Four samples in twenty parts: most are empty."""
    suite(MIXED)
    first, second = (run(f"--autoeval-shard={number}/20") for number in (1, 2))
    for part in (first, second):
        assert part.ret == 0
    assert first.parseoutcomes() == {"passed": 2, "no": 1}
    assert second.parseoutcomes() == {"passed": 1, "no": 1, "skipped": 1}
    first.stdout.fnmatch_lines(
        ["part 1/20 of 1 suite: 0 samples; `report` judges all parts together*"]
    )
    first.stdout.fnmatch_lines(["    part 1/20: 0 samples; `report` judges all parts together"])


def test_the_plan_counts_a_part(suite: Suite, run: Run) -> None:
    suite()
    planned = 0
    for number in (1, 2):
        plan = run(f"--autoeval-shard={number}/2", "--autoeval-plan")
        plan.stdout.fnmatch_lines([f"part {number}/2 of every suite"])
        planned += int(plan.stdout.str().rpartition("  in all")[0].splitlines()[-1].split()[0])
    assert planned == 16


def test_another_part_is_another_run_to_continue(suite: Suite, run: Run) -> None:
    hangs_up = "    if sample.operators == 3:\n        raise CallError('the server hung up')\n    description"
    suite(
        "from pytest_autoeval.models.protocols import CallError\n"
        + ROUND_TRIP.replace("    description", hangs_up)
    )
    run("--autoeval-shard=1/2", cache=True)
    assert "no interrupted run of these tests" in said(
        run("--autoeval-shard=2/2", "--autoeval-resume", cache=True)
    )
    assert "continues the run of" in said(
        run("--autoeval-shard=1/2", "--autoeval-resume", cache=True)
    )
