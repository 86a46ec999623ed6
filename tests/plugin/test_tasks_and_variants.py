"""`task=` in the marker, `perform`, `--autoeval-interface`, `--autoeval-prompting`: a result for each variant."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Answered, First, Given

from .conftest import Rows, Run, said

CONFTEST = '''
from pytest_autoeval.models import Reply
from pytest_autoeval.record.task_parts import Answered, Given
from pytest_autoeval.tasks import Task
from pytest_autoeval.tasks.task import Judgement

class Parity(Task):
    """Has the formula an even number of operators?"""

    name = "parity"
    interfaces = ("detailed", "minimal")

    def slots(self, trial):
        return {"formula": str(trial.about.formula), "size": str(trial.about.operators)}

    def judge(self, answer, trial):
        right = "even" if trial.about.operators % 2 == 0 else "odd"
        parts = Given(expected=right), Answered(value=answer)
        if answer not in ("even", "odd"):
            return Judgement(outcome="unreadable answer", message="neither even nor odd", parts=parts)
        outcome = "correct" if answer == right else "wrong answer"
        return Judgement(outcome=outcome, message=f"it is {right}", parts=parts)

class Counter:
    """Counts rightly at first; asked to look again it says odd whatever the number."""

    def complete(self, messages, repeat=0):
        if messages[-1].content == "Sure?":
            return Reply("odd")
        return Reply("even" if int(messages[-1].content.split()[-1]) % 2 == 0 else "odd")

def pytest_autoeval_register(registry):
    registry.add_task(Parity())
    registry.add_prompts("own")
    registry.add_model("counter", Counter)
'''

SUITE = """
import pytest

@pytest.mark.autoeval("propositional", task="parity", operators=range(2), samples=2)
def test_parity(sample, perform):
    perform(sample)
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    """A repository with a task, prompts and a model of its own."""
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_suite=SUITE)
    for interface in ("detailed", "minimal"):
        path = pytester.path / "own" / "parity" / f"propositional.{interface}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"system = 'Count ({interface}).'\n"
            "user = 'In ${formula} the number is ${size}'\n"
            "refine = 'Sure?'\n"
            "[[examples]]\nformula = 'p1 ∧ p2'\nsize = '1'\nanswer = 'odd'\n",
            encoding="utf-8",
        )
    return pytester.path


def given(sample: Sample) -> Any:
    """The right answer of a sample."""
    part = sample.part(Given)
    return None if part is None else part.expected


def answered(sample: Sample) -> Any:
    """The answer that was read."""
    part = sample.part(Answered)
    return None if part is None else part.value


def test_a_task_is_asked_judged_and_written_into_the_row(
    project: Path, run: Run, rows: Rows
) -> None:
    run("--autoeval-model=counter", "--autoeval-results=out.jsonl").assert_outcomes(passed=1)
    written = rows("out.jsonl")
    assert [row["outcome"] for row in written] == ["correct"] * 4
    assert {(row["task"], row["interface"], row["way"]) for row in written} == {
        ("parity", "detailed", "zero-shot")
    }
    answers = [
        (given(sample), answered(sample)) for sample in read_file(project / "out.jsonl").samples
    ]
    assert answers == [("even", "even")] * 2 + [("odd", "odd")] * 2
    assert {call["stage"] for row in written for call in row["calls"]} == {"parity"}


def test_interfaces_and_prompting_make_a_grid_with_a_suite_each(
    project: Path, run: Run, rows: Rows
) -> None:
    chosen = [f"--autoeval-interface={name}" for name in ("minimal", "detailed")]
    chosen += [f"--autoeval-prompting={name}" for name in ("zero-shot", "few-shot", "self-refine")]
    result = run(
        "--autoeval-model=counter", "--autoeval-results=out.jsonl", "-v", "-n", "2", *chosen
    )
    result.assert_outcomes(passed=6)
    promptings = ("zero-shot", "few-shot", "self-refine")
    variants = {
        f"{interface}-{prompting}"
        for interface in ("minimal", "detailed")
        for prompting in promptings
    }
    written = rows("out.jsonl")
    assert {row["suite"] for row in written} == {
        f"test_suite.py::test_parity[{variant}]" for variant in variants
    }
    for row in written:
        assert row["suite"].endswith(f"[{row['interface']}-{row['way']}]")
        assert len(row["calls"]) == (2 if row["way"] == "self-refine" else 1)
    result.stdout.fnmatch_lines(["*test_suite.py::test_parity?counter-minimal-few-shot?*"])


def test_self_refinement_keeps_both_answers_and_judges_the_last(project: Path, run: Run) -> None:
    run(
        "--autoeval-model=counter",
        "--autoeval-prompting=self-refine",
        "--autoeval-results=out.jsonl",
    )
    samples = read_file(project / "out.jsonl").samples
    firsts = [sample.part(First) for sample in samples]
    right = [First(answer=word, outcome="correct") for word in ("even", "even", "odd", "odd")]
    assert firsts == right
    lasts = [(sample.answer, sample.outcome) for sample in samples]
    assert lasts == [("odd", "wrong answer")] * 2 + [("odd", "correct")] * 2


def test_the_command_of_a_failure_asks_it_again_with_the_same_variant(
    project: Path, run: Run
) -> None:
    promptings = ["--autoeval-prompting=self-refine", "--autoeval-prompting=zero-shot"]
    shown = said(
        run(
            "--autoeval-model=counter",
            "--autoeval-interface=minimal",
            "--autoeval-threshold=1",
            *promptings,
        )
    )
    # Pytest prints the failure, which `said` shows on one line; the report does not repeat its command.
    line = next(line for line in shown.splitlines() if " reproduce " in line)
    arguments = shlex.split(line.partition("pytest ")[2])
    assert run(*arguments, "--autoeval-results=again.jsonl").ret == pytest.ExitCode.TESTS_FAILED
    (sample,) = read_file(project / "again.jsonl").samples
    asked = sample.suite.asked
    assert (sample.outcome, asked.interface, asked.prompting) == (
        "wrong answer",
        "minimal",
        "self-refine",
    )


def test_an_interface_that_no_task_of_the_run_has_is_a_usage_error(project: Path, run: Run) -> None:
    _ = project
    result = run("--autoeval-model=counter", "--autoeval-interface=python")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (
        "--autoeval-interface: the task parity has no such interface; it has detailed, minimal"
        in said(result)
    )


def test_perform_alone_is_enough(
    project: Path, pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    _ = project
    pytester.makepyfile(
        test_suite=SUITE.replace("sample, ", "").replace("perform(sample)", "perform()")
    )
    assert run("--autoeval-model=counter", "--autoeval-results=out.jsonl").ret == pytest.ExitCode.OK
    assert {row["outcome"] for row in rows("out.jsonl")} == {"correct"}


def test_perform_takes_the_tests_own_sample(
    project: Path, pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(
        test_suite=SUITE.replace("    perform(sample)", "    perform(sample.formula)")
    )
    result = run("--autoeval-model=counter")
    assert "perform() runs the marker's task on the test's own sample" in said(result)
