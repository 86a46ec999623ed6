"""`--autoeval-measures`, and `measures=` in the marker, leave out given formulas by their measures, as drawn ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from .conftest import Rows, Run, marked, said

SENTENCES = [
    {
        "sentence": "Ann is tall or kind, but not both.",
        "formula": "Tall(ann) ⊕ Kind(ann)",
        "language": "first_order",
    },
    {
        "sentence": "Ann is tall or kind.",
        "formula": "Tall(ann) ∨ Kind(ann)",
        "language": "first_order",
    },
    {
        "sentence": "Ann is tall and kind.",
        "formula": "Tall(ann) ∧ Kind(ann)",
        "language": "first_order",
    },
]
STORY = {
    "premises": ["Ann is tall or kind, but not both.", "Ann is tall."],
    "premises-FOL": ["Tall(ann) ⊕ Kind(ann)", "Tall(ann)"],
    "conclusion": "Ann is kind.",
    "conclusion-FOL": "Kind(ann)",
    "label": "False",
}
WITHOUT_XOR = "--autoeval-measures=exclusive_disjunctions=0"
TRANSLATION = """
from pytest_autoeval import autoeval

@autoeval("fol_translation", task="logical_translation", {more})
def test_translation(perform):
    perform()
"""


def written(pytester: pytest.Pytester, rows: Sequence[Mapping[str, object]]) -> str:
    (pytester.path / "data.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return "--autoeval-dataset=data.jsonl"


@pytest.mark.parametrize(
    ("more", "options"),
    [("", (WITHOUT_XOR,)), ('measures={"exclusive_disjunctions": 0}', ())],
    ids=["option", "marker"],
)
def test_sentences_with_a_connective_are_left_out(
    pytester: pytest.Pytester, run: Run, rows: Rows, more: str, options: tuple[str, ...]
) -> None:
    pytester.makepyfile(test_suite=TRANSLATION.format(more=more))
    result = run(written(pytester, SENTENCES), *options, "--autoeval-results=out.jsonl")
    assert result.ret == pytest.ExitCode.OK
    assert sorted(row["source"] for row in rows("out.jsonl")) == ["data.jsonl:2", "data.jsonl:3"]


def test_the_number_of_samples_counts_those_within_the_bounds(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    pytester.makepyfile(test_suite=TRANSLATION.format(more=""))
    data = written(pytester, SENTENCES)
    run(data, WITHOUT_XOR, "--autoeval-samples=1", "--autoeval-results=out.jsonl")
    assert [row["source"] for row in rows("out.jsonl")] == ["data.jsonl:2"]


def test_the_option_counts_instead_of_the_marker(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    pytester.makepyfile(
        test_suite=TRANSLATION.format(more='measures={"exclusive_disjunctions": 1, "depth": 2}')
    )
    run(written(pytester, SENTENCES), WITHOUT_XOR, "--autoeval-results=out.jsonl")
    assert sorted(row["source"] for row in rows("out.jsonl")) == ["data.jsonl:2", "data.jsonl:3"]


def test_a_story_counts_with_all_its_formulas(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        test_suite=marked(
            '"fol_entailment", task="entailment_english"', "perform()", takes="perform"
        )
    )
    data = written(pytester, [STORY])
    assert run(data).ret == pytest.ExitCode.OK
    assert "nothing of" in said(run(data, WITHOUT_XOR))


def test_drawn_formulas_and_those_of_a_file_are_within_the_bounds(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    pytester.makepyfile(test_suite=marked('"propositional", operators=[3], samples=5', "TRIP"))
    (pytester.path / "mine.txt").write_text("p1 ∧ (p2 ∧ (p3 ∧ p4))\n(p1 ∧ p2) ∧ (p3 ∧ p4)\n")
    for data in ((), ("--autoeval-dataset=mine.txt",)):
        run(*data, "--autoeval-measures=depth=3", "--autoeval-results=out.jsonl")
        assert {row["measures"]["depth"] for row in rows("out.jsonl")} == {3}


def test_a_language_without_the_measure_is_skipped_and_the_measures_are_named(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(test_suite=marked('"regex", depth=[3], samples=2', "TRIP"))
    printed = said(run("--autoeval-measures=quantifiers=0"))
    assert "--autoeval-measures: there is no measure 'quantifiers'" in printed
    assert "distinct_symbols" in printed


@pytest.mark.parametrize("value", ["depth", "depth=", "depth=3:2", "=2", "depth=x"])
def test_bounds_that_cannot_be_read_are_refused(
    pytester: pytest.Pytester, run: Run, value: str
) -> None:
    pytester.makepyfile(test_suite=TRANSLATION.format(more=""))
    result = run(f"--autoeval-measures={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
