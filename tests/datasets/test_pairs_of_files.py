"""Pairs to judge from files: round trips of a run, a user's own rows, errors in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.result_rows import row, write_rows

from pytest_autoeval.datasets import Item, data_set, data_set_names, file_problems


def results(path: Path, *samples: dict[str, Any]) -> Path:
    """A results file with samples that have these keys; those of one language and grammar are in one suite."""
    usual = {
        "language": "propositional",
        "grammar": "propositional",
        "formula": "p1 ∧ p2",
        "translation": "p2 ∧ p1",
    }
    made = []
    for index, keys in enumerate(samples):
        whole = {"outcome": "equivalent", **usual, **keys}
        task = whole.get("task", "round_trip")
        name = f"suites/test_it.py::test_{task}_{whole['language']}_{whole['grammar']}"
        made.append(row(whole.pop("outcome"), suite=name, index=index, **whole))
    write_rows(path, made)
    return path


def pairs(name: str, *files: Path) -> list[Item]:
    found = data_set(name, files)
    return (
        [] if found is None else [item for size in found.sizes or () for item in found.items(size)]
    )


def texts_and_labels(items: list[Item]) -> list[tuple[str, str, bool]]:
    return [(item.text, item.facts["other"], item.facts["expected"]) for item in items]


def test_round_trips_go_to_the_set_of_their_language(tmp_path: Path) -> None:
    path = results(
        tmp_path / "run.jsonl",
        {},
        {"formula": "p1 ∨ p2", "translation": "p1 ∧ p2", "outcome": "different"},
        {"grammar": "ksat", "formula": "p1 ∨ p2 ∨ p3", "translation": "p3 ∨ p2 ∨ p1"},
        {"language": "first_order", "formula": "∀x. P(x)", "translation": "∀y. P(y)"},
        {"language": "regex", "formula": "(0*1*)*", "translation": "(0|1)*"},
        {"language": "ltl", "formula": "G a", "translation": "!F !a"},
        {"language": "ltl", "formula": "Y a", "translation": "O a", "outcome": "different"},
    )
    assert {
        name: texts_and_labels(pairs(name, path)) for name in data_set_names() if pairs(name, path)
    } == {
        "judge_propositional": [("p1 ∧ p2", "p2 ∧ p1", True), ("p1 ∨ p2", "p1 ∧ p2", False)],
        "judge_ksat": [("p1 ∨ p2 ∨ p3", "p3 ∨ p2 ∨ p1", True)],
        "judge_first_order": [("∀x. P(x)", "∀y. P(y)", True)],
        "judge_regex": [("(0*1*)*", "(0|1)*", True)],
        "judge_ltl": [("G a", "!F !a", True)],
        "judge_past_ltl": [("Y a", "O a", False)],
    }
    assert file_problems([path]) == ()
    item = pairs("judge_first_order", path)[0]
    assert item.facts == {
        "other": "∀y. P(y)",
        "expected": True,
        "pair": "round trip",
        "source": "run.jsonl:3",
    }
    assert (item.operators, item.vocabulary.predicates, item.grammar) == (
        1,
        (("P", 1),),
        "judge_first_order",
    )


def test_a_translation_over_names_of_its_own_is_no_pair(tmp_path: Path) -> None:
    aligned = [["lit", "p1"], ["open", "p2"]]
    path = results(
        tmp_path / "run.jsonl",
        {"translation": "open ∧ lit", "alignment": aligned},
        {"translation": "open ∨ lit", "outcome": "different", "alignment": aligned},
        {"alignment": None},
    )
    assert texts_and_labels(pairs("judge_propositional", path)) == [("p1 ∧ p2", "p2 ∧ p1", True)]
    assert file_problems([path]) == ()


def test_a_pair_has_the_formulas_that_a_test_compared(tmp_path: Path) -> None:
    path = results(tmp_path / "run.jsonl", {"translation": "p1 ∧ p2", "outcome": "different"})
    lines = path.read_text("utf-8").splitlines()
    compared = '"translation":"p1 ∧ p2","compared":"p1 ∨ p2","compared_with":"p1"'
    changed_lines = [line.replace('"translation":"p1 ∧ p2"', compared) for line in lines]
    assert changed_lines != lines
    path.write_text("\n".join(changed_lines) + "\n", "utf-8")
    assert texts_and_labels(pairs("judge_propositional", path)) == [("p1", "p1 ∨ p2", False)]
    assert file_problems([path]) == ()


def test_rows_without_a_pair_are_no_problem_and_the_same_pair_counts_once(tmp_path: Path) -> None:
    path = results(
        tmp_path / "run.jsonl",
        {"translation": None, "outcome": "unparseable"},
        {"outcome": "foreign symbol"},
        {"outcome": "undecided"},
        {"language": "klingon"},
        {},
        {},
        {"translation": "p1 ∧ p2"},
    )
    assert texts_and_labels(pairs("judge_propositional", path)) == [
        ("p1 ∧ p2", "p2 ∧ p1", True),
        ("p1 ∧ p2", "p1 ∧ p2", True),
    ]
    assert file_problems([path]) == ()


def test_wrong_records_are_left_out_and_reported(tmp_path: Path) -> None:
    path = results(
        tmp_path / "run.jsonl",
        {"outcome": "different"},
        {"formula": "p1 ∨ p2", "translation": "p1 ∧ p2"},
        {"translation": "p2 ∧"},
        {},
    )
    with path.open("a") as file:
        file.write('{"kind":"sample","formu')
    assert [item.facts["source"] for item in pairs("judge_propositional", path)] == ["run.jsonl:6"]
    differ = "p1 ∨ p2 and p1 ∧ p2 differ: p1 = true, p2 = false (first: true, second: false)"
    problems = {problem.removeprefix(f"{path}:") for problem in file_problems([path])}
    assert "8: the line is incomplete: the run was killed" in problems
    assert (
        "3: column 'outcome': says that they differ, but p1 ∧ p2 and p2 ∧ p1 mean the same"
        in problems
    )
    assert f"4: column 'outcome': says that they mean the same, but {differ}" in problems
    assert any(
        problem.startswith("5: column 'translation': line 1, column ") for problem in problems
    )
    assert len(problems) == 4


OWN = """formula,other,same,language,id,group
p1 ∧ p2,p2 ∧ p1,yes,,swap,easy
p -> q,!q -> !p,,propositional,contra,
(01)*,((01)*)*,same,,,
0|1,1|0,,regex,choice,
G a,a & X G a,true,,,
Y a,O a,different,,,
∃x. P(x),∀x. P(x),no,,,
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.csv"
    path.write_text(OWN, encoding="utf-8")
    return path


def test_rows_of_ones_own(own: Path) -> None:
    assert file_problems([own]) == ()
    assert {
        name: texts_and_labels(pairs(name, own)) for name in data_set_names() if pairs(name, own)
    } == {
        "judge_propositional": [("p1 ∧ p2", "p2 ∧ p1", True), ("p → q", "¬q → ¬p", True)],
        "judge_first_order": [("∃x. P(x)", "∀x. P(x)", False)],
        "judge_regex": [("0|1", "1|0", True), ("(01)*", "((01)*)*", True)],
        "judge_ltl": [("G a", "a & X G a", True)],
        "judge_past_ltl": [("Y a", "O a", False)],
    }
    assert pairs("judge_propositional", own)[0].facts == {
        "other": "p2 ∧ p1",
        "expected": True,
        "pair": "own",
        "source": "own.csv:2",
        "item": "swap",
        "group": "easy",
    }


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            "p1,p1 ∨ p1,no,,",
            "column 'same': says that they differ, but p1 and p1 ∨ p1 mean the same",
        ),
        ("G a,F a,yes,,", "column 'same': says that they mean the same, but G a and F a differ: "),
        ("p1 ∧,p2,,,", "columns 'formula', 'other': no language accepts both"),
        ("p.,q,,,", "columns 'formula', 'other': no language accepts both"),
        ("p1 ∧,p2,,propositional,", "column 'formula': line 1, column "),
        ("p1,p2,,klingon,", "column 'language': there is no language 'klingon'"),
        ("p1 ∧ p2,p2 ∧ p1,,,again", "repeats own.csv:2"),
        ("p1,¬p1,,,swap", "the id 'swap' is already used by own.csv:2"),
    ],
)
def test_unusable_rows_are_reported(own: Path, row: str, problem: str) -> None:
    own.write_text(f"{OWN}{row},\n", encoding="utf-8")
    (found,) = file_problems([own])
    assert found.startswith(f"{own}:9: {problem}")
    assert len(pairs("judge_propositional", own)) == 2


def test_an_id_of_two_files_of_one_name_is_used_once(tmp_path: Path) -> None:
    files = [tmp_path / folder / "mine.csv" for folder in ("old", "new")]
    for file, formulas in zip(files, ("p1 & p2,p2 & p1", "p1 | p2,p2 | p1"), strict=True):
        file.parent.mkdir()
        file.write_text(f"id,formula,other\nswap,{formulas}\n", "utf-8")
    found = data_set("judge_propositional", files)
    assert found is not None
    assert [item.text for size in found.sizes or () for item in found.items(size)] == ["p1 ∧ p2"]
    assert file_problems(files) == (f"{files[1]}:2: the id 'swap' is already used by mine.csv:2",)


def test_rows_without_a_second_formula_are_no_pairs(tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_text(
        '{"formula": "F x1"}\n'
        '{"formula": "F x1", "other": "x1 | X F x1"}\n'
        '{"formula": "F x1", "trace": "cycle{x1}", "satisfies": true, "other": "a remark"}\n'
    )
    assert file_problems([path]) == ()
    assert texts_and_labels(pairs("judge_ltl", path)) == [("F x1", "x1 | X F x1", True)]
    assert {item.facts["source"] for item in pairs("ltl_trace_writing", path)} == {"mixed.jsonl:1"}
    assert [item.facts["source"] for item in pairs("ltl_traces", path)] == ["mixed.jsonl:3"]


def test_only_round_trips_become_pairs_and_one_line_counts_the_other_samples(
    tmp_path: Path,
) -> None:
    # A right negation is equivalent to another formula than the given one, and a wrong one tells nothing of the pair.
    path = results(
        tmp_path / "run.jsonl",
        {},
        {"task": "negation", "translation": "¬(p1 ∧ p2)"},
        {"task": "negation", "translation": "p1", "outcome": "different"},
        {"task": "translate", "translation": "p1 ∨ p2", "outcome": "different"},
    )
    assert texts_and_labels(pairs("judge_propositional", path)) == [("p1 ∧ p2", "p2 ∧ p1", True)]
    (problem,) = file_problems([path])
    assert problem.endswith(
        "this and other samples of tasks (negation, translate), 3 in all: only round trips are pairs"
    )
    assert problem.startswith(f"{path}:")
