"""`registry.add_figures` and `registry.add_blocks` in a `conftest.py`: figures of a task of one's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias
from unittest.mock import ANY

import pytest
from support.page_blocks import PageBlocks
from support.program import Program
from support.sections import column, only, plain, tables, texts

from pytest_autoeval import Figure, Registry, Report, pass_rate_test, rate, read_results, run_suites
from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.record.merging import merge
from pytest_autoeval.report.analysis import analyse
from pytest_autoeval.report.blocks import Figures, Section, Table
from pytest_autoeval.report.document import document
from pytest_autoeval.report.renderers.csv import tables as csv_tables
from pytest_autoeval.report.renderers.junit import properties
from pytest_autoeval.report.renderers.markdown import markdown
from pytest_autoeval.report.renderers.page import render_page
from pytest_autoeval.report.renderers.summary import summary_data
from pytest_autoeval.report.renderers.terminal import lines
from pytest_autoeval.report.sections.added import added
from pytest_autoeval.report.sections.baseline_comparison import comparison
from pytest_autoeval.report.sections.tasks import blocks_of

Suite: TypeAlias = Callable[..., Path]
Run: TypeAlias = Callable[..., pytest.RunResult]

CONFTEST = """
from pytest_autoeval import Column, Figure, Judgement, Note, Part, Row, Table, Task, rate


class Tone(Part, frozen=True):
    polite: bool


class Lengths(Task):
    name = "lengths"

    def slots(self, trial):
        return {"formula": str(trial.about.formula)}

    def judge(self, answer, trial):
        return Judgement(outcome="correct", parts=(Tone(polite=trial.about.index % 4 > 0),))


class Fixed:
    def complete(self, messages, *, repeat=0):
        return "seven, please"


def tone(samples):
    tones = [sample.part(Tone) for sample in samples]
    yield rate("polite answers", sum(tone.polite for tone in tones), len(tones))
    yield Figure("letters", 13.0, deviation=0.5)
    yield Table(title="tones", columns=(Column("tone", "text"), Column("answers", "count")),
                rows=(Row(("polite", sum(tone.polite for tone in tones))),))
    MORE


def by_hand(analysis):
    yield Note(text="{suites} by hand", values={"suites": Figure("suites", len(analysis.suites), "count")})


def pytest_autoeval_register(registry):
    registry.add_task(Lengths())
    registry.add_prompts("prompts")
    registry.add_model("fixed", Fixed)
    registry.add_figures(tone)
    registry.add_blocks(by_hand)
"""
TASK = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(1, 3), samples=8, task="lengths", threshold=1.0)
def test_lengths(sample, perform):
    perform(sample)
"""
PROMPT = 'system = "Say how long a formula is."\nuser = "Formula: ${formula}"\n'
FIXED = ("--autoeval-model=fixed", "--autoeval-results=r.jsonl")


@pytest.fixture
def project(suite: Suite) -> Callable[[str], None]:
    """Writes a project with a task, and a function of figures that ends with ``more``."""

    def write(more: str = "pass") -> None:
        Path("conftest.py").write_text(CONFTEST.replace("MORE", more), "utf-8")
        Path("prompts/lengths").mkdir(parents=True, exist_ok=True)
        Path("prompts/lengths/propositional.toml").write_text(PROMPT, "utf-8")
        suite(TASK)

    return write


def recorded(*files: str) -> SuiteRecord:
    (suite,) = merge([Path(file) for file in files]).suites
    return suite


def section_of(suite: SuiteRecord) -> Section:
    (summary,) = analyse([suite], Rules()).summaries
    return only([Section(name="suite", blocks=tuple(blocks_of(summary)))])


def test_every_screen_shows_a_rate_with_its_interval(
    project: Callable[[str], None], run: Run
) -> None:
    project("pass")
    run(*FIXED)
    suite = recorded("r.jsonl")
    shown = document(analyse([suite], Rules()))
    assert "    polite answers 75.0 % (47.6–92.7) of 16" in "\n".join(
        line.text for line in lines(shown)
    )
    polite = {
        "name": "polite answers",
        "value": 0.75,
        "unit": "rate",
        "low": ANY,
        "high": ANY,
        "n": 16,
    }
    for written in (
        summary_data(shown),
        PageBlocks(render_page(shown, [suite])).data("overview")["document"],
    ):
        (about,) = [section for section in written["sections"] if section["name"] == "suite"]
        assert [
            one for block in about["blocks"] for one in block.get("figures", ()) if one == polite
        ]
    assert "polite answers 75.0 % (47.6–92.7) of 16" in markdown(shown)
    (section,) = [section for section in shown.sections if section.name == "suite"]
    junit = dict(properties(section))
    names = ("polite_answers", "polite_answers_low", "polite_answers_high")
    assert [junit[f"autoeval.{name}"] for name in names] == ["0.75", "0.476229", "0.927338"]
    assert ",polite answers,rate,,0.75,0.476229" in csv_tables(shown)["figures.csv"]


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_the_results_keep_the_figures_and_the_document_shows_them(
    project: Callable[[str], None], run: Run, workers: tuple[str, ...]
) -> None:
    project("pass")
    assert run(*FIXED, *workers).ret == 0
    suite = recorded("r.jsonl")
    assert suite.end is not None
    polite, letters = suite.end.figures
    assert polite == rate("polite answers", 12, 16)
    assert letters == Figure("letters", 13.0, deviation=0.5)
    shown = section_of(suite)
    assert [block.figures for block in shown.blocks if isinstance(block, Figures)] == [
        (polite, letters)
    ]
    assert column(tables(shown)["tones"], "answers") == [12]


def test_a_report_of_the_file_keeps_them_without_the_function(
    project: Callable[[str], None], run: Run, report: Program
) -> None:
    project("pass")
    run(*FIXED)
    Path("conftest.py").unlink()
    report("r.jsonl", "--results=again.jsonl")
    again, earlier = recorded("again.jsonl").end, recorded("r.jsonl").end
    assert again is not None
    assert earlier is not None
    assert (again.figures, again.tables) == (earlier.figures, earlier.tables)
    assert again.figures


def test_figures_of_parts_of_a_run_are_not_joined_and_a_note_says_so(
    project: Callable[[str], None], run: Run
) -> None:
    project("pass")
    for part in ("1/2", "2/2"):
        run(
            "--autoeval-model=fixed",
            f"--autoeval-results=p{part[0]}.jsonl",
            f"--autoeval-shard={part}",
        )
    alone = recorded("p1.jsonl").end
    assert alone is not None
    assert [figure.name for figure in alone.figures] == ["polite answers", "letters"]
    both = recorded("p1.jsonl", "p2.jsonl")
    assert both.end is not None
    assert not both.end.figures
    assert not both.end.tables
    why = "figures of functions of registry.add_figures are missing: those of 2 files cannot be joined"
    assert texts(section_of(both)) == [why]
    same = recorded("p1.jsonl", "p1.jsonl").end
    assert same is not None
    assert same.figures == alone.figures


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (
            "raise ValueError('no tone')",
            "the figures of tone are missing: ValueError: no tone (conftest.py:30)",
        ),
        (
            "yield 0.75",
            "the figures of tone are missing in part: it gave 0.75, which is no Figure, Figures or Table",
        ),
        (
            "yield Figure('letters', 1)",
            "the figures of tone are missing in part: the suite has a figure 'letters' already: give it another name",
        ),
        (
            "yield Figure('m', float('inf'))",
            "the figures of tone are missing in part: the figure 'm': its value is inf; give a finite number, or None",
        ),
    ],
)
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_broken_function_loses_no_sample_and_the_run_is_not_green(
    project: Callable[[str], None], run: Run, more: str, problem: str, workers: tuple[str, ...]
) -> None:
    project(more)
    result = run(*FIXED, *workers)
    assert result.ret == 1
    assert problem in " ".join(result.stdout.str().split())
    suite = recorded("r.jsonl")
    assert suite.end is not None
    assert (len(suite.samples), suite.end.verdict, suite.end.ended) == (16, "passed", "whole")
    assert suite.end.without_figures == (problem,)
    assert texts(section_of(suite)) == [problem]


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("round trip", ""),
        ("tones", " Did you mean 'tone'?"),
        ("extractions", " Did you mean 'extraction'?"),
    ],
)
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_figures_of_a_kind_that_no_task_has_are_named_in_a_note(
    project: Callable[[str], None], run: Run, kind: str, hint: str, workers: tuple[str, ...]
) -> None:
    project("pass")
    text = Path("conftest.py").read_text("utf-8")
    text = text.replace('name = "lengths"', 'name = "lengths"\n    figures = "tone"')
    Path("conftest.py").write_text(
        text.replace("add_figures(tone)", f"add_figures(tone, {kind!r})"), "utf-8"
    )
    printed = " ".join(run(*FIXED, *workers).stdout.str().split())
    assert printed.count(f"no task has the figures {kind!r}; known are: judged pairs, ") == 1
    assert f", tone; a round trip has no kind.{hint}" in printed


def test_figures_of_a_task_that_this_run_does_not_ask_need_no_note(
    project: Callable[[str], None], run: Run
) -> None:
    project("pass")
    text = Path("conftest.py").read_text("utf-8")
    text = text.replace('name = "lengths"', 'name = "lengths"\n    figures = "tone"')
    text = text.replace(
        "add_figures(tone)",
        "add_figures(tone, 'tone')\n    registry.add_figures(tone, 'extraction')",
    )
    Path("conftest.py").write_text(text, "utf-8")
    assert "polite answers" in run(*FIXED).stdout.str()
    other = TASK.replace(', task="lengths"', "").replace("sample, perform", "sample")
    Path("test_suite.py").write_text(
        other.replace("perform(sample)", "assert sample.formula"), "utf-8"
    )
    result = run(*FIXED)
    result.assert_outcomes(passed=1)
    assert "no task has" not in result.stdout.str()


@pytest.mark.parametrize("more", ["raise ValueError('no tone')", "yield Figure('m', float('inf'))"])
def test_a_broken_function_of_a_kind_of_tasks_fails_the_test_too(
    project: Callable[[str], None], run: Run, more: str
) -> None:
    project(more)
    text = Path("conftest.py").read_text("utf-8")
    text = text.replace('name = "lengths"', 'name = "lengths"\n    figures = "tone"')
    Path("conftest.py").write_text(
        text.replace("add_figures(tone)", "add_figures(tone, 'tone')"), "utf-8"
    )
    result = run(*FIXED)
    assert result.ret == 1
    assert "the figures of tone are missing" in result.stdout.str()
    suite = recorded("r.jsonl")
    assert suite.end is not None
    assert (len(suite.samples), suite.end.verdict) == (16, "passed")


def test_the_results_keep_the_figures_of_a_kind_of_tasks(
    project: Callable[[str], None], run: Run, report: Program
) -> None:
    project("pass")
    text = Path("conftest.py").read_text("utf-8")
    text = text.replace('name = "lengths"', 'name = "lengths"\n    figures = "tone"')
    Path("conftest.py").write_text(
        text.replace("add_figures(tone)", "add_figures(tone, 'tone')"), "utf-8"
    )
    shown = run(*FIXED).stdout.str()
    Path("conftest.py").unlink()
    for printed in (shown, report("r.jsonl", "-v").out):
        assert printed.count("polite answers 75.0 %") == 1


def test_a_suite_that_fails_stays_failed_with_a_broken_function(
    project: Callable[[str], None], run: Run
) -> None:
    project("raise ValueError('no tone')")
    text = (
        Path("conftest.py")
        .read_text("utf-8")
        .replace('outcome="correct"', 'outcome="wrong answer"')
    )
    Path("conftest.py").write_text(text, "utf-8")
    result = run(*FIXED)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["*pass rate 0.0 %*", "*the figures of tone are missing: ValueError: no tone*"]
    )


def test_figures_of_two_runs_are_compared(project: Callable[[str], None], run: Run) -> None:
    project("pass")
    run(*FIXED)
    text = Path("conftest.py").read_text("utf-8").replace("% 4 > 0", "% 4 > 9")
    Path("conftest.py").write_text(text, "utf-8")
    assert (
        run(
            "--autoeval-model=fixed", "--autoeval-results=now.jsonl", "--autoeval-baseline=r.jsonl"
        ).ret
        == 0
    )
    analysis = analyse([recorded("now.jsonl")], Rules(), baseline=Baseline([recorded("r.jsonl")]))
    table = tables(only(comparison(analysis)))["figures of both runs"]
    assert column(table, "figure") == ["polite answers"]
    assert [plain(cell) for cell in (*column(table, "this run"), *column(table, "baseline"))] == [
        0.0,
        0.75,
    ]
    assert table.rows[0].marked == (2,)


def test_without_pytest_the_functions_of_the_registry_count_too() -> None:
    def passed(samples: list[object]) -> list[Figure]:
        return [rate("right", sum(sample.passed for sample in samples), len(samples))]  # type: ignore[attr-defined]

    def broken(_: object) -> None:
        raise ValueError("no tone")

    registry = Registry()
    registry.add_figures(passed)  # type: ignore[arg-type]
    registry.add_figures(broken)  # type: ignore[arg-type]
    registry.add_blocks(
        lambda analysis: [Table(columns=(), rows=(), title=f"{len(analysis.suites)}")]
    )
    test = pass_rate_test("propositional", operators=1, samples=3)
    report = Report(run_suites([test], models=["offline/faithful"], registry=registry))
    (suite,) = report.suites
    assert suite.end is not None
    assert suite.end.figures == (rate("right", 3, 3),)
    assert len(suite.end.without_figures) == 1
    assert report.passed
    (section,) = added(report.analysis)
    assert [block.title for block in section.blocks if isinstance(block, Table)] == ["1"]


def test_a_baseline_of_several_runs_has_no_figure_of_one_of_them(
    project: Callable[[str], None], run: Run
) -> None:
    project("pass")
    run(*FIXED)
    run("--autoeval-model=fixed", "--autoeval-results=other.jsonl", "--autoeval-seed=5")
    here = recorded("r.jsonl")
    several = Baseline([recorded("r.jsonl"), recorded("other.jsonl")])
    found = tables(only(comparison(analyse([here], Rules(), baseline=several))))
    assert "figures of both runs" not in found


def test_secrets_are_not_in_the_figures_that_are_kept(
    project: Callable[[str], None], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    project("raise ValueError('the key is sk-secret-1234567890')")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-1234567890")
    run(*FIXED)
    assert "sk-secret" not in Path("r.jsonl").read_text("utf-8")
    (suite,) = read_results("r.jsonl").suites
    assert suite.end is not None
    assert "the key is" in suite.end.without_figures[0]
