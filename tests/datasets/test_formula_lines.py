"""A text with a formula on each line is a file of formulas, and never one of sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval.datasets import DataSetError
from pytest_autoeval.datasets.catalogue import has_text_alone
from pytest_autoeval.datasets.checking import check
from pytest_autoeval.datasets.formula_lines import formulas_on_lines
from pytest_autoeval.datasets.formulas import FormulaSet, files_of_formulas, read_formulas
from pytest_autoeval.datasets.plain_sentences import sentences_in
from pytest_autoeval.generation.samples import draw_samples


def written(folder: Path, text: str, name: str = "formulas.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("p1 ∧ p2\np1 → (p2 ∨ ¬p3)\nF request\n", "ltl"),
        ("(01)*\n0*1\n", "regex"),
        ("∀x1. P(x1)\n\n# a remark\n∃x1 x2. Q(x1, x2)\n", "first_order"),
    ],
)
def test_each_line_is_a_formula(tmp_path: Path, text: str, language: str) -> None:
    path = written(tmp_path, text)
    assert not has_text_alone(path)
    assert files_of_formulas([path]) == [path]
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    rows = read_formulas([path]).rows
    assert [row.text for row in rows] == lines
    assert {row.language for row in rows} == {language}


@pytest.mark.parametrize(
    "text",
    [
        "The pump stops.\nThe door is open.\n",
        "stop\nstart\n",  # single words: names of propositions, or orders
        "Every a is followed by e.;G(a -> F e)\nNever b.;G !b\n",
        "The pump stops.\nThe door is open.\nG p1\n",
        "# nothing\n",
    ],
)
def test_other_texts_are_not_files_of_formulas(text: str) -> None:
    assert formulas_on_lines(text) is None


def test_a_line_that_is_no_formula_is_reported_and_the_others_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, "∀x1. P(x1)\n∀x1. (P(x1)\n∃x1. P(x1)\n")
    read = read_formulas([path])
    assert [row.source for row in read.rows] == ["formulas.txt:1", "formulas.txt:3"]
    (problem,) = read.problems
    assert problem.startswith(f"{path}:2: ")


def test_a_file_of_formulas_gives_no_sentences(tmp_path: Path) -> None:
    with pytest.raises(DataSetError, match="its lines are formulas, and no sentences"):
        sentences_in([written(tmp_path, "p1 ∧ p2\np1 ∨ p2\n")])


def test_thousands_of_formulas_are_all_read_in_their_order_and_sizes(tmp_path: Path) -> None:
    drawn = [
        sample for size in range(2, 12) for sample in draw_samples("propositional", [size], 200)
    ]
    path = written(tmp_path, "\n".join(sample.text for sample in drawn))
    read = FormulaSet("propositional", read_formulas([path]))
    assert [item.text for size in read.sizes for item in read.items(size)] == [
        sample.text for sample in drawn
    ]
    assert {item.operators for size in read.sizes for item in read.items(size)} == set(range(2, 12))
    assert check([path], candidates=0).formulas["propositional"] == 2000
