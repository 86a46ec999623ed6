"""The four examples of the how-to "Extend it", run as a user would run them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest
from support.page_blocks import PageBlocks

from pytest_autoeval import (
    MeaningLostError,
    Registry,
    Report,
    Sample,
    autoeval,
    read_results,
    run_suites,
)

from .conftest import Rows, Run, said


class Example(Protocol):
    """Writes the files of a section of a how-to."""

    def __call__(self, heading: str, page: str = "extend-it.md", error: int = 0) -> None: ...


PAGES = Path(__file__).parents[2] / "docs" / "how-to"
#: A model that answers what the offline models do not know.
MODEL = """
import re
from hashlib import sha256


class Talker:
    \"\"\"Describes a formula by its letters, and says 95 to every other formula that it gets right.\"\"\"

    def __init__(self):
        self.seen = {}

    def complete(self, messages, *, repeat=0):
        text = messages[-1].content
        *_, payload = text.splitlines()
        if text.startswith("How sure"):
            return "I am 95 percent sure." if "¬" not in text else "Not sure at all: 10."
        if "Count the operators" in messages[0].content:
            return str(len(re.findall("[∧∨→↔⊕]|¬(?!p)", payload)) + ERROR)
        if "Formula:" in text:
            self.seen[f"It holds what note {len(self.seen)} says."] = payload
            return f"It holds what note {len(self.seen) - 1} says."
        formula = self.seen[payload]
        return formula.removeprefix("¬") if formula.startswith("¬") else formula


def pytest_autoeval_register(registry):
    registry.add_model("talker", Talker)
"""


def files_of(page: str, heading: str) -> dict[str, str]:
    """The files that a section of a page shows, by name."""
    text = (PAGES / page).read_text(encoding="utf-8")
    section = text.partition(f"## {heading}\n")[2].partition("\n## ")[0] if heading else text
    return dict(
        re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```', section, re.MULTILINE | re.DOTALL)
    )


@pytest.fixture
def example(pytester: pytest.Pytester) -> Example:
    """Writes the files of a section; its `conftest.py` has at most 40 lines."""

    def write(heading: str, page: str = "extend-it.md", error: int = 0) -> None:
        for name, text in files_of(page, heading).items():
            path = pytester.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if page == "extend-it.md" and name == "conftest.py":
                assert len(text.splitlines()) <= 40
        (pytester.path / "talker.py").write_text(
            MODEL.replace("ERROR", str(error)), encoding="utf-8"
        )

    return write


def test_figures_of_some_suites_alone_are_not_in_the_others(
    pytester: pytest.Pytester, run: Run
) -> None:
    text = (PAGES / "extend-it.md").read_text(encoding="utf-8")
    (function,) = re.findall(r"^```python\n(def brevity_of.*?)^```", text, re.MULTILINE | re.DOTALL)
    hook = "def pytest_autoeval_register(registry):\n    registry.add_figures(brevity_of_propositional_round_trips)\n"
    pytester.makeconftest(f"from pytest_autoeval import rate_over\n\n{function}\n{hook}")
    judge = (
        '@autoeval("judge_propositional", task="judge", samples=2)\ndef '
        "test_judge(sample, perform): perform(sample)\n"
    )
    pytester.makepyfile(
        test_it=f"{ROUND_TRIP}{ROUND_TRIP.replace('propositional', 'regex').replace('d_trip(', 's(')}{judge}"
    )
    run("--autoeval-results=out.jsonl", "--autoeval-samples=2")
    suites = read_results("out.jsonl").suites
    figures = {
        suite.asked.source: suite.end and [figure.name for figure in suite.end.figures]
        for suite in suites
    }
    assert figures == {
        "propositional": ["at most 20 words"],
        "regex": [],
        "judge_propositional": [],
    }


ROUND_TRIP = """
from pytest_autoeval import autoeval


@autoeval("propositional", operators=range(1, 4), samples=6)
def test_round_trip(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_wrapper_asks_about_each_sample_and_its_part_figure_and_section_are_shown(
    pytester: pytest.Pytester, run: Run, example: Example, workers: tuple[str, ...]
) -> None:
    example("Ask about each sample once more")
    pytester.makepyfile(test_it=ROUND_TRIP)
    result = run(
        "-p",
        "talker",
        "--autoeval-model=talker",
        "--autoeval-results=out.jsonl",
        "-v",
        *workers,
        apart=True,
    )
    found = read_results("out.jsonl").samples
    percent = [sample.parts["confidence"]["percent"] for sample in found]
    assert len(found) == 18
    assert not all(sample.passed for sample in found)
    assert set(percent) == {10, 95}
    assert {sample.calls[-1].stage for sample in found} == {"confidence"}
    text = said(result)
    sure = [sample for sample, number in zip(found, percent, strict=True) if number == 95]
    right = sum(sample.passed for sample in sure)
    assert f"right where sure {100 * right / len(sure):.1f} %" in text
    assert "surest errors" in text


def test_an_outcome_of_ones_own_counts_is_explained_and_is_in_the_file(
    pytester: pytest.Pytester, run: Run, rows: Rows, example: Example
) -> None:
    example("Another way to fail")
    result = run("--autoeval-results=out.jsonl", "--autoeval-threshold=0.9")
    result.assert_outcomes(failed=1)
    ended = {(row["outcome"], row["code"]) for row in rows("out.jsonl")}
    assert ended == {("too long", "LEN1"), ("equivalent", "AE100")}
    assert "too long" in said(result)
    explained = run("--autoeval-explain=len1", apart=True)
    assert "Ask for one short sentence in the prompt" in explained.stdout.str()
    assert "there is no outcome with the code or name 'LEN2'" in said(
        run("--autoeval-explain=LEN2", apart=True)
    )
    # Without the conftest.py, and in a process that never saw it.
    (pytester.path / "conftest.py").unlink()
    shown = pytester.run(
        sys.executable, "-m", "pytest_autoeval", "report", "out.jsonl", "-v", "--html=page.html"
    )
    assert shown.ret == 1
    reported = pytester.run(
        sys.executable, "-m", "pytest_autoeval", "report", "out.jsonl", "-v"
    ).stdout.str()
    assert re.search(r"too long +LEN1 +model failure", reported)


def test_an_outcome_that_no_line_declares_is_refused(
    pytester: pytest.Pytester, run: Run, example: Example
) -> None:
    example("Another way to fail")
    run("--autoeval-results=out.jsonl")
    lines = [
        json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    for line in lines:
        line.pop("outcomes", None)
    bare = "".join(f"{json.dumps(line)}\n" for line in lines)
    Path("bare.jsonl").write_text(bare, encoding="utf-8")
    refused = pytester.run(sys.executable, "-m", "pytest_autoeval", "report", "bare.jsonl")
    assert refused.ret == 2
    assert "there is no outcome" in refused.stderr.str()


#: Adds the outcome of the how-to as another kind.
OTHER_KIND = """
def pytest_autoeval_register(registry):
    registry.add_outcome("too long", "LEN1", "KIND", "The description is too long")
"""


@pytest.mark.parametrize("kind", ["undecided", "error"])
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_baseline_in_which_an_outcome_counts_in_another_way_is_refused(
    pytester: pytest.Pytester, run: Run, example: Example, kind: str, workers: tuple[str, ...]
) -> None:
    example("Another way to fail")
    own = Path("conftest.py").read_text(encoding="utf-8")
    Path("conftest.py").write_text(OTHER_KIND.replace("KIND", kind), encoding="utf-8")
    run("--autoeval-results=before.jsonl", apart=True)
    Path("conftest.py").write_text(own, encoding="utf-8")
    result = run(
        "--autoeval-baseline=before.jsonl", "--autoeval-fail-on=drop:5%", *workers, apart=True
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (
        f"the outcome 'too long' is LEN1 ({kind}) in the baseline, and LEN1 (model failure) in this run"
        in said(result)
    )


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_an_outcome_that_only_the_baseline_declares_is_none_of_this_run(
    pytester: pytest.Pytester, run: Run, example: Example, workers: tuple[str, ...]
) -> None:
    example("Another way to fail")
    run("--autoeval-results=before.jsonl", apart=True)
    Path("conftest.py").unlink()
    result = run(
        "--autoeval-baseline=before.jsonl", "--autoeval-results=now.jsonl", *workers, apart=True
    )
    result.assert_outcomes(failed=1)
    assert "there is no outcome 'too long'" in said(result)
    assert {sample.outcome for sample in read_results("now.jsonl").samples} <= {
        "equivalent",
        "error",
    }


def test_a_script_has_the_outcomes_of_its_run_when_the_run_has_ended(tmp_path: Path) -> None:
    registry = Registry()
    registry.add_outcome("never right", "NEV1", "undecided", "Nothing is right here")

    @autoeval("propositional", operators=(1,), samples=3)
    def test_never(sample: Sample, round_trip: Callable[[Sample], object]) -> None:
        round_trip(sample)
        raise MeaningLostError("never right", "never")

    report = Report(run_suites([test_never], registry=registry))
    assert {sample.kind for sample in report.samples} == {"undecided"}
    assert "NEV1" in json.dumps(report.summary())
    report.write_html(tmp_path / "page.html")
    report.write_results(tmp_path / "out.jsonl")
    assert {sample.kind for sample in read_results(tmp_path / "out.jsonl").samples} == {"undecided"}


def test_a_task_of_ones_own_is_gated_and_compared_with_a_baseline(
    pytester: pytest.Pytester, run: Run, example: Example
) -> None:
    example("A task with figures, gated and compared")
    asked = ("-p", "talker", "--autoeval-model=talker")
    before = run(*asked, "--autoeval-results=before.jsonl", apart=True)
    before.assert_outcomes(passed=1)
    assert "at most one off 100.0 %" in said(before)
    gate = ("--autoeval-baseline=before.jsonl", "--autoeval-fail-on=drop:5%")
    run(*asked, *gate, apart=True).assert_outcomes(passed=1)
    example("A task with figures, gated and compared", error=1)
    after = run(*asked, *gate, "-v", apart=True)
    assert after.ret == 1
    text = said(after)
    assert "mean error" in text
    assert "talker is worse than in the baseline" in text


def test_the_page_shows_the_drawing_of_a_witness(
    pytester: pytest.Pytester, run: Run, example: Example
) -> None:
    example("", page="own-language.md")
    example("A drawing of a witness")
    pytester.makepyfile(
        test_parity="""
        from pytest_autoeval import autoeval

        @autoeval("parity", operators=range(1, 4), samples=2)
        def test_wrong(sample, round_trip, assert_equivalent):
            assert_equivalent(f"({round_trip(sample)} ^ a)", sample.formula)
        """
    )
    run("--autoeval-html=page.html", "--autoeval-shrink-budget=0", apart=True)
    page = PageBlocks(Path("page.html").read_text(encoding="utf-8"))
    different = [
        row for piece in page.pieces() for row in piece["rows"] if row["outcome"] == "different"
    ]
    assert different
    assert all(row["drawing"]["svg"].startswith("<svg xmlns=") for row in different)
