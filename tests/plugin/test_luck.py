"""A constant answer does not pass: trivial formulas are not drawn, and the report shows what a constant would reach."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.documents_read import read_summary, value
from support.documents_read import suite as suite_in

from .conftest import ROUND_TRIP, Rows, Run, Suite, marked

CONSTANT = """
class Constant:
    '''Answers every question with one tautology, which says nothing.'''
    def complete(self, messages, *, repeat=0):
        return ANSWER if NOTHING in messages[-1].content else NOTHING

NOTHING = "Nothing much is said."

def pytest_autoeval_register(registry):
    registry.add_model("constant", Constant)
"""
FEW_NAMES = ', vocabulary=["p1", "p2"]'


@pytest.fixture
def constant(pytester: pytest.Pytester) -> None:
    """A model that answers every question for a formula alike."""
    pytester.makeconftest(CONSTANT.replace("ANSWER", '"p1 ∨ ¬p1"'))


@pytest.mark.usefixtures("constant")
def test_a_fixed_tautology_passes_nothing(suite: Suite, run: Run, rows: Rows) -> None:
    suite(more=FEW_NAMES)
    run("--autoeval-model=constant", "--autoeval-results=out.jsonl", "--autoeval-samples=20")
    found = rows("out.jsonl")
    assert found
    assert not [row["formula"] for row in found if row["outcome"] == "equivalent"]


@pytest.mark.parametrize(
    ("more", "drawn"),
    [
        ("trivial=True", {None, "tautology", "contradiction"}),
        ('exclude="tautology"', {None, "contradiction"}),
    ],
)
def test_the_marker_says_which_trivial_formulas_are_drawn(
    suite: Suite, run: Run, rows: Rows, more: str, drawn: set[str | None]
) -> None:
    suite(more=f"{FEW_NAMES}, {more}")
    run("--autoeval-results=out.jsonl", "--autoeval-samples=20")
    assert {row["trivial"] for row in rows("out.jsonl")} == drawn


def test_a_task_of_ones_own_gets_trivial_formulas(suite: Suite, run: Run, rows: Rows) -> None:
    marker = '"propositional", operators=1, samples=40, vocabulary=["p1"], task="well_formed"'
    suite(marked(marker, "assert sample", "sample, perform"))
    run("--autoeval-results=out.jsonl")
    assert "p1 ∧ ¬p1" in {row["formula"] for row in rows("out.jsonl")}


def test_a_size_of_only_trivial_formulas_is_named(
    suite: Suite, run: Run, pytester: pytest.Pytester
) -> None:
    (pytester.path / "mine.lark").write_text(
        '// language: propositional\nstart: PROPOSITION | "(" same "∨" same ")"\nsame: "⊤" | "⊥"\n'
        'PROPOSITION: /[A-Za-z_]\\w*/\n%ignore " "\n',
        encoding="utf-8",
    )
    suite(ROUND_TRIP.replace('"propositional"', '"mine.lark"').replace("range(4)", "[0, 1]"))
    result = run()
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*mine.lark has only trivial formulas of size 1"])


@pytest.mark.usefixtures("constant")
def test_the_shrinker_proposes_nothing_trivial(suite: Suite, run: Run) -> None:
    suite(more=f"{FEW_NAMES}, threshold=0.9")
    result = run("--autoeval-model=offline/negation-scope", "--autoeval-samples=20")
    assert result.ret == 1
    shown = [
        line.split(maxsplit=1)[1].strip()
        for line in result.outlines
        if line.startswith("    formula ")
    ]
    assert shown
    assert "¬p1 ∧ p1" not in shown


def test_a_formula_that_is_typed_is_asked_as_typed(suite: Suite, run: Run, rows: Rows) -> None:
    suite()
    run("--autoeval-formula=p1 ∧ ¬p1", "--autoeval-results=out.jsonl")
    assert [row["formula"] for row in rows("out.jsonl")] == ["p1 ∧ ¬p1"]


def test_the_chance_level_is_in_every_output_and_the_same_in_a_report(
    suite: Suite, run: Run, rows: Rows, pytester: pytest.Pytester
) -> None:
    suite(more=f"{FEW_NAMES}, trivial=True")
    result = run(
        "-v",
        "--autoeval-samples=20",
        "--autoeval-results=out.jsonl",
        "--autoeval-summary=out.json",
        *("--autoeval-github-summary=out.md", "--autoeval-html=out.html"),
    )
    found = rows("out.jsonl")
    sizes = [
        sum((row.get("same_as") or row["formula"]) == one["formula"] for row in found)
        for one in found
    ]
    level = max(sizes) / len(found)
    assert level >= 0.1
    text = f"chance level {100 * level:.1f} %"
    result.stdout.fnmatch_lines([f"*{text}*"])
    found_level = value(suite_in(read_summary(pytester.path / "out.json")), "chance level")
    assert found_level == pytest.approx(level)
    assert "chance level" in Path("out.md").read_text(encoding="utf-8").casefold()
    again = pytester.run(sys.executable, "-m", "pytest_autoeval", "report", "out.jsonl", "-v")
    again.stdout.fnmatch_lines([f"*{text}*"])
