"""Everything that `pytest_autoeval` exports, used as a user would: the file is checked by mypy, and run here."""

from __future__ import annotations

import ast
import json
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support import users_own

import pytest_autoeval
from pytest_autoeval import AutoevalError, Judgement, Registry, Task, Trial, autoeval
from pytest_autoeval.engine.marker_keywords import KEYWORDS
from pytest_autoeval.engine.suite import PassRateTest
from pytest_autoeval.generation.drawing import DrawingOptions

from .conftest import Rows, Run

FILE = Path(users_own.__file__)
EXAMPLE = FILE.parents[2] / "examples" / "without_pytest.py"
NOTEBOOK = EXAMPLE.with_name("compare_models.ipynb")
GRAMMAR = r"""
// language: propositional
start: PROPOSITION "∧" PROPOSITION
PROPOSITION: /\w+/
"""


def test_the_users_file_uses_every_public_name() -> None:
    imported = [
        node for node in ast.parse(FILE.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)
    ]
    names = {
        alias.name for node in imported if node.module == "pytest_autoeval" for alias in node.names
    }
    assert names == {*pytest_autoeval.__all__} - {"__version__"}
    assert all(hasattr(pytest_autoeval, name) for name in names)


def test_the_typed_marker_is_the_marker() -> None:
    typed = autoeval("ltl", samples=3, threshold=0.5, exclude="tautology")
    assert (
        typed.mark
        == pytest.mark.autoeval("ltl", samples=3, threshold=0.5, exclude="tautology").mark
    )
    of_sentences = autoeval.sentences("a.md", language="ltl", threshold=0.5)
    plain = pytest.mark.autoeval("a.md", language="ltl", task="sentence_round_trip", threshold=0.5)
    assert (of_sentences.mark.args, of_sentences.mark.kwargs) == (
        plain.mark.args,
        plain.mark.kwargs,
    )
    drawing = {*DrawingOptions.__struct_fields__}
    assert drawing == {*KEYWORDS} - {*PassRateTest.__struct_fields__} - {
        "operators",
        "depth",
    }


@pytest.mark.parametrize("marker", [autoeval, autoeval.sentences])
def test_the_typed_marker_names_the_nearest_keyword(marker: Any) -> None:
    with pytest.raises(
        AutoevalError, match=r"no marker keyword 'vocabulry'.*Did you mean 'vocabulary'\?"
    ):
        marker("ltl", vocabulry=["a"])


class Unnamed(Task):
    """A task whose author forgot its name."""

    def slots(self, trial: Trial) -> dict[str, str]:
        return {"formula": str(trial.about.formula)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        return Judgement(outcome="correct" if answer == str(trial.repeat) else "wrong answer")


@pytest.mark.parametrize(
    ("method", "instance", "problem"),
    [
        (
            "add_task",
            Unnamed,
            "add_task(Unnamed): Unnamed is a class; give an object of it: add_task(Unnamed())",
        ),
        ("add_task", Unnamed(), "add_task: Unnamed has no attribute 'name'"),
        (
            "add_data_set",
            SimpleNamespace(name="mine"),
            "add_data_set: SimpleNamespace has no attribute 'items'",
        ),
        (
            "add_language",
            SimpleNamespace(name=5, parse=5),
            "add_language: the name of SimpleNamespace is 5; give a text",
        ),
    ],
)
def test_what_cannot_be_registered_is_refused_in_one_line(
    method: str, instance: object, problem: str
) -> None:
    with pytest.raises(AutoevalError) as raised:
        getattr(Registry(), method)(instance)
    assert str(raised.value) == problem


def test_a_model_is_registered_by_what_makes_it() -> None:
    with pytest.raises(
        AutoevalError,
        match=r"Clerk.* is not a callable object; give a class, or a function without",
    ):
        Registry().add_model("clerk", users_own.Clerk())  # type: ignore[arg-type]
    with pytest.raises(
        AutoevalError,
        match="missing a required argument: 'messages'; give a class, or a function wi",
    ):
        Registry().add_model("clerk", lambda messages: messages)  # type: ignore[arg-type, misc]


def test_the_users_file_runs(pytester: pytest.Pytester, run: Run) -> None:
    for name in ("conftest.py", "test_user.py"):
        (pytester.path / name).write_text(FILE.read_text("utf-8"), "utf-8")
    (pytester.path / "twice.lark").write_text(GRAMMAR, "utf-8")
    for task, verb in (("negation", "Negate"), ("counting", "Count")):
        folder = pytester.path / "prompts" / task
        folder.mkdir(parents=True)
        (folder / "propositional.toml").write_text(f'user = "{verb}: ${{formula}}"', "utf-8")
    run("--autoeval-model=clerk").assert_outcomes(passed=6)


OWN_NAMES = """
from pytest_autoeval import autoeval

NAMES = ["engine_on", "v", "always", "it", "holds", "both"]

@autoeval("propositional", vocabulary=NAMES, operators=range(3), samples=4, threshold=1)
def test_propositional(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@autoeval("ltl", vocabulary={"propositions": NAMES}, operators=range(3), samples=4, threshold=1)
def test_ltl(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@autoeval("first_order", vocabulary="names.toml", operators=range(3), samples=4, threshold=1)
def test_first_order(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)
"""


def test_names_of_ones_own_survive_a_faithful_round_trip(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    folder = pytester.mkdir("tests")
    (folder / "test_names.py").write_text(OWN_NAMES, "utf-8")
    (folder / "names.toml").write_text(
        'predicates = {relates = 2, every = 1}\nconstants = ["each", "Bob"]', "utf-8"
    )
    run("--autoeval-results=out.jsonl").assert_outcomes(passed=3)
    written = rows("out.jsonl")
    assert {row["compliant"] for row in written} == {True}
    names = {row["vocabulary"] for row in written}
    assert len(names) == 2  # propositional and temporal formulas have the same names
    assert all(name.startswith("custom-") for name in names)


def test_the_example_without_pytest_runs(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE)])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    printed = capsys.readouterr().out
    assert "round trip: different: " in printed
    assert "1 suite passed; 1 without a gate" in printed
    assert all(
        (here / f"round_trips.{kind}").stat().st_size > 1_000 for kind in ("png", "html", "jsonl")
    )
    assert len(EXAMPLE.read_text("utf-8").splitlines()) <= 60


def test_the_notebook_runs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    names: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["report"].interrupted is False
    assert names["smallest"].witness_text
    assert "(1 suite, 2 models)" in capsys.readouterr().out
    assert (here / "compare_models.html").exists()
