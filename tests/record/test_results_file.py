"""The results file: whole lines from many threads, one order whatever the order of the run, nothing lost."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.result_rows import call, row

from pytest_autoeval.record.coding import decoder, encoded
from pytest_autoeval.record.file import Results, ResultsError, read_file, write_results
from pytest_autoeval.record.lines import AnyLine, Run, RunEnd, Sample, Suite, SuiteEnd, SuiteRecord
from pytest_autoeval.record.results_log import ResultsFile
from pytest_autoeval.record.sample_parts import Part, Parts
from pytest_autoeval.record.task_parts import Given

ROOT = Path(__file__).parents[2]
any_text = st.text(st.characters(exclude_categories=()))

RUN = Run(schema_version=2, release="0.1.0", started="2026-11-26T12:00:00+00:00")


def suite_record(number: int = 1, **fields: Any) -> SuiteRecord:
    names: dict[str, Any] = {
        "name": f"test_it.py::test_{number}",
        "model": "m",
        "language": "ltl",
        "source": "ltl",
    }
    return SuiteRecord(Suite(number=number, **{**names, **fields}), RUN)


SUITE = suite_record()


def sample(index: int = 0, suite: SuiteRecord = SUITE, **fields: Any) -> Sample:
    values: dict[str, Any] = {
        "size": 2,
        "index": index,
        "outcome": "equivalent",
        "code": "AE100",
        **fields,
    }
    return Sample(suite=suite, **values)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[ResultsFile]:
    made = ResultsFile(tmp_path / "results.jsonl")
    made.start()
    yield made
    made.close()


def append(file: ResultsFile, *lines: AnyLine) -> None:
    for line in (RUN, *lines):
        file.append(line)


def kinds(path: Path) -> list[str]:
    return [json.loads(line)["kind"] for line in path.read_text("utf-8").splitlines()]


def comparable(samples: Iterable[Sample]) -> list[bytes]:
    """The samples as lines: those of two readings have different suites."""
    return list(map(encoded, samples))


def test_what_is_written_comes_back(file: ResultsFile) -> None:
    end = SuiteEnd(suite=1, verdict="failed", reasons=("too few",))
    first, second = (
        sample(),
        sample(1, outcome="different", code="AE101", witness={"kind": "assignment", "p1": True}),
    )
    append(file, SUITE.asked, first, second, end, RunEnd(verdict="failed", exit_code=1))
    results = read_file(file.path)
    (suite,) = results.suites
    assert (results.run, suite.asked, suite.end, results.torn) == (RUN, SUITE.asked, end, None)
    assert results.end == RunEnd(verdict="failed", exit_code=1)
    assert comparable(suite.samples) == comparable([first, second])
    assert all(one.suite is suite for one in results.samples)


@given(any_text, any_text, st.dictionaries(any_text, any_text, max_size=3))
def test_a_sample_is_one_line_whatever_a_model_wrote(
    text: str, answer: str, facts: dict[str, str]
) -> None:
    one = sample(description=text, answer=answer, parts=Parts([Given(more=dict(facts))]))
    line = encoded(one)
    assert line.decode().splitlines() == [line.decode()[:-1]]
    read = decoder({1: SUITE})(line)
    assert isinstance(read, Sample)
    if not any(
        "\ud800" <= sign <= "\udfff" for sign in text + answer + "".join([*facts, *facts.values()])
    ):
        assert (read.description, read.answer, read.part(Given)) == (text, answer, one.part(Given))


def test_signs_stay_readable_but_orders_to_a_terminal_do_not() -> None:
    line = encoded(sample(formula="∀x. ¬P(x)", description="\u202eevil\x1b[2J\x9b\u2028")).decode()
    assert '"∀x. ¬P(x)"' in line
    assert r"\u202eevil\u001b[2J\u009b\u2028" in line


@pytest.mark.parametrize("value", [object(), {1, 2}.__iter__()])
def test_what_is_no_json_is_refused(file: ResultsFile, value: object) -> None:
    with pytest.raises(ResultsError, match="is not JSON"):
        file.append(sample(seed=value))
    assert file.path.read_bytes() == b""


def test_lines_of_many_threads_never_mix(file: ResultsFile) -> None:
    suites = [suite_record(number) for number in range(1, 4)]
    append(file, *(suite.asked for suite in suites))

    def write(suite: SuiteRecord) -> None:
        for index in range(100):
            file.append(sample(index, suite, description=suite.name * 900))

    threads = [Thread(target=write, args=(suite,)) for suite in suites]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    file.finish()
    for suite in read_file(file.path).suites:
        assert [one.index for one in suite.samples] == list(range(100))
        assert all(one.description == suite.name * 900 for one in suite.samples)


def test_any_order_of_the_run_gives_the_same_file(tmp_path: Path) -> None:
    suites = [suite_record(number) for number in range(1, 4)]
    samples = [
        sample(index, suite, size=size, repeat=repeat, calls=asked(index).calls)
        for suite in suites
        for size in (0, 2, 10)
        for index in range(2)
        for repeat in range(2)
    ]
    ends = [SuiteEnd(suite=suite.number, verdict="passed") for suite in suites]
    contents = set()
    for seed in range(5):
        random.Random(seed).shuffle(samples)
        random.Random(seed).shuffle(suites)
        file = ResultsFile(tmp_path / f"{seed}.jsonl")
        file.start()
        append(
            file,
            *(suite.asked for suite in suites),
            *samples,
            *ends,
            RunEnd(verdict="passed", exit_code=0),
        )
        file.finish()
        file.close()
        contents.add(file.path.read_bytes())
    assert len(contents) == 1
    found = kinds(file.path)
    assert (found[0], found[-1], found.count("suite_end")) == ("run", "run_end", 3)
    assert [one.size for one in read_file(file.path).samples[:12:4]] == [0, 2, 10]


def test_a_suite_that_starts_again_replaces_its_first_start(file: ResultsFile) -> None:
    append(
        file,
        SUITE.asked,
        sample(0),
        sample(1),
        SUITE.asked,
        sample(1, outcome="different", code="AE101"),
    )
    (left,) = read_file(file.path).samples
    assert (left.index, left.outcome) == (1, "different")
    file.finish()
    assert comparable(read_file(file.path).samples) == comparable([left])


def test_a_line_that_comes_after_the_end_is_in_no_count(file: ResultsFile) -> None:
    append(file, SUITE.asked, sample())
    file.finish()
    file.append(sample(1))
    assert comparable(read_file(file.path).samples) == comparable([sample()])


def test_finishing_leaves_nothing_else_behind_and_keeps_a_link(file: ResultsFile) -> None:
    link = file.path.with_name("link.jsonl")
    link.symlink_to(file.path)
    append(file, SUITE.asked, sample())
    ResultsFile(link).finish()
    file.close()
    assert link.is_symlink()
    assert sorted(path.name for path in file.path.parent.iterdir()) == [
        "link.jsonl",
        "results.jsonl",
    ]


def test_start_makes_folders_and_a_new_file(tmp_path: Path) -> None:
    file = ResultsFile(tmp_path / "new" / "folder" / "results.jsonl")
    file.start()
    append(file, SUITE.asked, sample(), RunEnd(verdict="passed", exit_code=0))
    with pytest.raises(ResultsError, match="another run is writing its results to this file"):
        ResultsFile(file.path).start()
    file.close()
    orphan, later = ResultsFile(file.path), ResultsFile(file.path)
    orphan.append(sample(1))
    orphan.append(RunEnd(verdict="passed", exit_code=0))
    assert later.start() is None
    append(later, SUITE.asked, sample(2))
    orphan.append(sample(3))  # by whom the controller's death has not been noticed yet
    assert comparable(read_file(file.path).samples) == comparable([sample(2)])


@pytest.mark.parametrize(
    "last", [(), (RunEnd(verdict="interrupted", exit_code=2, interrupted=True),)]
)
def test_start_keeps_the_results_of_an_interrupted_run(
    tmp_path: Path, last: tuple[AnyLine, ...]
) -> None:
    names = set()
    for index in range(3):
        file = ResultsFile(tmp_path / "results.jsonl")
        file.start()
        append(file, SUITE.asked, sample(index), *last)
        file.close()
        file = ResultsFile(tmp_path / "results.jsonl")
        aside = file.start()
        file.close()
        assert aside is not None
        assert comparable(read_file(aside).samples) == comparable([sample(index)])
        # No report over a folder of results takes it for one of them.
        assert not aside.match("*.jsonl")
        names.add(aside)
    assert len(names) == 3


FULL = """
import resource, sys
from pathlib import Path
from record.test_results_file import RUN, SUITE, sample
from pytest_autoeval.record.file import ResultsError
from pytest_autoeval.record.results_log import ResultsFile
file = ResultsFile(Path(sys.argv[1]))
for line in (RUN, SUITE.asked, sample()):
    file.append(line)
resource.setrlimit(resource.RLIMIT_FSIZE, (file.path.stat().st_size + 50,) * 2)
try:
    file.append(sample(1))
except ResultsError as problem:
    print(problem)
"""


def test_a_line_for_which_there_is_no_space_leaves_nothing_behind(file: ResultsFile) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, Path(__file__).parents[1]))),
    }
    command = [sys.executable, "-c", FULL, str(file.path)]
    said = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert said == f"{file.path}: results cannot be written: File too large\n"
    assert comparable(read_file(file.path).samples) == comparable([sample()])


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "results cannot be written: Is a directory"),
        ("file.txt/results.jsonl", "results cannot be written: "),
        ("x" * 300, "results cannot be written: "),
    ],
)
def test_a_path_that_cannot_be_written_is_told_at_once(
    tmp_path: Path, path: str, message: str
) -> None:
    (tmp_path / "file.txt").write_text("")
    with pytest.raises(ResultsError, match=message) as caught:
        ResultsFile(tmp_path / path).start()
    assert str(tmp_path / path) in str(caught.value)


SYSTEM = "You put formulas of propositional logic into plain English, and add nothing."


def asked(number: int) -> Sample:
    """A sample of two calls that share a system prompt with all others, and a short text with each other."""
    turns = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": f"p{number}"}]
    made = row(
        index=number,
        calls=[call(stage, messages=turns) for stage in ("informalize", "autoformalize")],
    )
    return replace(made, suite=SUITE)


def test_a_text_that_many_prompts_share_stands_in_the_file_once(file: ResultsFile) -> None:
    samples = [asked(number) for number in range(3)]
    append(file, SUITE.asked, *reversed(samples))
    assert file.path.read_text("utf-8").count(SYSTEM) == 1
    assert kinds(file.path)[2] == "text"
    assert [one.calls for one in read_file(file.path).samples] == [
        one.calls for one in samples[::-1]
    ]
    file.finish()
    assert kinds(file.path) == ["run", "text", "suite", "sample", "sample", "sample"]
    assert [one.calls for one in read_file(file.path).samples] == [one.calls for one in samples]


class Unknown(Part, frozen=True):
    """A part that the process that reads the file does not declare."""

    value: int


def test_a_part_that_nothing_declares_is_written_again_as_it_was(
    file: ResultsFile, tmp_path: Path
) -> None:
    append(file, SUITE.asked, sample(parts=Parts([Unknown(3), Given(item="a")])))
    text = file.path.read_text("utf-8").replace('"unknown"', '"of another plugin"')
    file.path.write_text(text, "utf-8")
    results = read_file(file.path)
    assert results.samples[0].parts["of another plugin"] == {"value": 3}
    assert results.rows()[0]["of another plugin.value"] == 3
    write_results(tmp_path / "again.jsonl", results)
    assert '"of another plugin":{"value":3}' in (tmp_path / "again.jsonl").read_text("utf-8")


def test_flat_rows_have_what_the_suite_asked_and_the_fields_of_parts() -> None:
    suite = suite_record(7, threshold=0.9, prompting="few-shot")
    suite.samples.append(sample(4, suite, parts=Parts([Given(item="a-1")])))
    (flat,) = Results(runs=[RUN], suites=[suite]).rows()
    asked_for = (
        "suite",
        "number",
        "model",
        "threshold",
        "prompting",
        "size",
        "index",
        "outcome",
        "given.item",
    )
    assert [flat[key] for key in asked_for] == [
        suite.name,
        7,
        "m",
        0.9,
        "few-shot",
        2,
        4,
        "equivalent",
        "a-1",
    ]
    assert flat["started"] == RUN.started
    json.dumps(flat)
