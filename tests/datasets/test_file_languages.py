"""The formulas of a file have one language; rows or suites say which."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_autoeval import language
from pytest_autoeval.datasets import DataSetError, data_set, data_set_names, file_problems
from pytest_autoeval.datasets.catalogue import check_users_file, doubts_in, why_languages
from pytest_autoeval.datasets.checking import check
from pytest_autoeval.datasets.formulas import FormulaSet, formula_reader, read_formulas
from pytest_autoeval.datasets.plain_sentences import sentences_in
from pytest_autoeval.datasets.temporal_formulas import beside_sentences
from pytest_autoeval.languages import language_names


def written(folder: Path, text: str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def formulas_of(name: str, path: Path) -> list[str]:
    drawn = data_set(name, [path])
    return (
        [item.text for size in drawn.sizes or () for item in drawn.items(size)]
        if drawn is not None
        else []
    )


@pytest.mark.parametrize(
    ("rows", "temporal", "first_order"),
    [
        ("pump is on.,G(pump)\na or b never.,G F a", ["G pump", "G F a"], []),
        ("Ann is tall.,G(ann)\nAll are.,∀x G(x)", [], ["G(ann)", "∀x. G(x)"]),
        ("In the next step a holds.,X a", ["X a"], []),
        ("The pump runs.,Runs(pump)", [], ["Runs(pump)"]),
    ],
)
def test_all_rows_decide_the_language(
    tmp_path: Path, rows: str, temporal: list[str], first_order: list[str]
) -> None:
    path = written(tmp_path, f"sentence,formula\n{rows}\n")
    assert (formulas_of("ltl_future", path), formulas_of("fol_translation", path)) == (
        temporal,
        first_order,
    )
    assert not doubts_in([path])
    check_users_file(path)


def test_a_named_language_decides_and_also_for_the_other_rows(tmp_path: Path) -> None:
    path = written(
        tmp_path, "sentence,formula,language\nThe pump runs.,G(pump),FOL\nNow a.,G(a) & F(b),\n"
    )
    assert formulas_of("fol_translation", path) == ["G(pump)", "G(a) ∧ F(b)"]
    assert data_set("ltl_future", [path]) is None


@pytest.mark.parametrize("formula", ["G(pump)", "G(pump) & F(pump)", "pump"])
def test_if_no_row_decides_each_suite_reads_in_its_language_and_the_doubt_is_named(
    tmp_path: Path, formula: str
) -> None:
    path = written(tmp_path, f"sentence,formula\nThe pump runs.,{formula}\n")
    assert data_set("ltl_future", [path]) is not None
    assert data_set("fol_translation", [path]) is not None
    (doubt,) = check([path], candidates=0).doubts
    assert f"such as {formula}; add a column 'language'" in doubt
    assert not check([path], candidates=0).sound


def test_rows_of_two_languages_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "sentence,formula\nNow a.,G F a\nAll are tall.,∀x Tall(x)\n")
    with pytest.raises(
        DataSetError,
        match=r"line 2 \(G F a\) ltl, line 3 \(∀x Tall\(x\)\) first_order; add a column",
    ):
        check_users_file(path)


@pytest.mark.parametrize(
    ("language", "problem"),
    [
        ("regex", "such rows are read in ltl and first_order, not in regex"),
        ("temporl", "there is no language 'temporl'"),
    ],
)
def test_a_language_that_rows_cannot_have_is_reported(
    tmp_path: Path, language: str, problem: str
) -> None:
    path = written(tmp_path, f"sentence,formula,language\nNow a.,G F a,{language}\n")
    (line,) = file_problems([path])
    assert f"data.csv:2: column 'language': {problem}" in line


def test_sentences_without_letters_or_propositions_are_one_message(tmp_path: Path) -> None:
    path = written(tmp_path, "sentence,formula\nIt rains.,G F x1\nIt pours.,F G x2\n")
    for read in (check_users_file, lambda file: check([file])):
        with pytest.raises(
            DataSetError, match="rows with 'sentence' also need the column 'propositions'"
        ):
            read(path)


GOOD = "Every a leads to b.;G (a -> X b)\nThen c.;F c\n"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("Never d.;G (d", "after the last ;: line 1, column 5: "),
        ("All are tall.;∀x Tall(x)", "after the last ;: line 1, column 1: "),
        ("Only a sentence.", "no sentence, a ; and its formula"),
        ("G F d", "no sentence, a ; and its formula"),
        ("Never d.\tG !d", "no sentence, a ; and its formula"),
    ],
)
def test_a_bad_line_beside_formulas_is_reported_and_no_sentence(
    tmp_path: Path, line: str, problem: str
) -> None:
    path = written(tmp_path, f"{GOOD}{line}\n", "own.txt")
    message = f"{path}:3: {problem}"
    assert any(line.startswith(message) for line in file_problems([path]))
    read = sentences_in([path])
    assert [row.sentence for row in read.rows] == ["Every a leads to b.", "Then c."]
    assert read.problems[0].startswith(message)
    assert formulas_of("ltl_future", path) == ["F c", "G (a -> X b)"]


@pytest.mark.parametrize(
    "text", ["Never d.;G (d\n", "All are tall.;∀x Tall(x)\n", "G (a -> F b)\n"]
)
def test_no_formula_becomes_a_sentence_where_no_line_is_good(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataSetError, match=r"no sentence was found|its lines are formulas"):
        sentences_in([written(tmp_path, text, "own.txt")])


@pytest.mark.parametrize(
    "line",
    [
        "The door opens; the light is on.",
        "Stop; wait",
        "Stop now; do not go!",
        "A & B agree; they say so.",
        "Go",
    ],
)
def test_english_with_a_semicolon_is_a_sentence(tmp_path: Path, line: str) -> None:
    path = written(tmp_path, f"The door is closed.\n{line}\n", "own.txt")
    assert beside_sentences(path.read_text("utf-8")) is None
    assert sentences_in([path]).rows[1].sentence == line


def test_an_item_of_markdown_with_a_formula_is_reported(tmp_path: Path) -> None:
    read = sentences_in([written(tmp_path, "- The door is closed.\n- Never a.; G !a\n", "own.md")])
    assert [row.sentence for row in read.rows] == ["The door is closed."]
    assert "own.md:2: a formula stands in this item" in read.problems[0]


@pytest.mark.parametrize(
    ("language", "formula"),
    [("propositional", "p1 → p2"), ("regex", "0*1"), ("first_order", "∀x. P1(x)"), ("ltl", "G p1")],
)
def test_formulas_alone_are_for_round_trips(tmp_path: Path, language: str, formula: str) -> None:
    path = written(tmp_path, json.dumps({"formula": formula, "language": language}), "data.jsonl")
    checked = check([path])
    assert checked.formulas == {language: 1}
    assert checked.sound
    assert ("ltl_trace_writing" in checked.data_sets) is (language == "ltl")


def test_a_file_of_formulas_that_names_no_language_has_the_one_that_all_rows_have(
    tmp_path: Path,
) -> None:
    sure = written(tmp_path, "formula\n(p1 & p2)\nG F p1\n", "sure.csv")
    unsure = written(tmp_path, "formula\np1 & p2\n", "unsure.csv")
    assert check([sure]).formulas == {"ltl": 2}
    assert check([unsure]).formulas == {"first_order": 1, "ltl": 1, "propositional": 1}
    assert "of propositional and of first_order and of ltl" in check([unsure]).doubts[0]


def test_the_notation_of_a_file_decides_its_language_too(tmp_path: Path) -> None:
    path = written(tmp_path, "formula\nGFa & GFb\nG a\nF b\n")
    read = read_formulas([path])
    assert {row.language for row in read.rows} == {"ltl"}
    formulas = FormulaSet("ltl", read)
    assert {item.text for size in formulas.sizes for item in formulas.items(size)} == {
        "G F a & G F b",
        "G a",
        "F b",
    }
    assert not formulas.problems


def test_a_wildcard_in_a_file_means_the_alphabet_of_the_answers(tmp_path: Path) -> None:
    path = written(tmp_path, "formula,language\na.b,regex\n")
    formulas = FormulaSet("regex", read_formulas([path]))
    (item,) = (item for size in formulas.sizes for item in formulas.items(size))
    assert (item.text, item.vocabulary.alphabet) == ("a[ab]b", ("a", "b"))
    assert item.operators == int(language("regex").measure("a[ab]b")["depth"])


#: `not` and `or` are words: only first-order logic repairs them.
WORDS = "formula\nrain -> wet\nnot (a or b) -> c\n"


def test_a_row_that_needs_a_repair_does_not_decide_the_language(tmp_path: Path) -> None:
    path = written(tmp_path, WORDS)
    (doubt,) = doubts_in([path])
    assert doubt.languages == ("propositional", "first_order", "ltl")
    # What was repaired may be of one language alone: a predicate is.
    predicate = written(tmp_path, f"{WORDS}not Tall(ann)\n", "predicate.csv")
    assert not doubts_in([predicate])
    assert {row.language for row in read_formulas([predicate]).rows} == {"first_order"}


def test_the_language_that_a_test_names_counts_more_than_that_of_the_rows(tmp_path: Path) -> None:
    with pytest.raises(DataSetError, match="of different languages"):
        read_formulas([written(tmp_path, "formula\nG F a\nTall(ann)\n", "mixed.csv")])
    path = written(tmp_path, "formula,language\na -> b,\nTall(ann),\n(01)*,regex\n")
    read = formula_reader("propositional")([path])
    # A row that names its own language keeps it.
    assert [(row.text, row.language) for row in read.rows] == [
        ("a -> b", "propositional"),
        ("(01)*", "regex"),
    ]
    (problem,) = read.problems
    assert problem.startswith(f"{path}:3: column 'formula': line 1, column 5")


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (
            "formula\nrain -> wet\nP(a) -> c\n",
            "of first_order: line 3 (P(a) -> c) can be read in no other language",
        ),
        (
            "formula,language\nrain -> wet,\nwet -> rain,ltl\n",
            "of ltl: other rows name this language",
        ),
        ("formula,other\nP(a) & b,b\np,q\n", "of first_order: line 2 (P(a) & b) can be read in no"),
        ("formula\nrain -> wet\n", ""),
        ("formula,language\nP(a),first_order\n", ""),
        ("formula,other,language\np,q,ltl\n", ""),
    ],
)
def test_the_row_that_decides_the_language_is_named(
    tmp_path: Path, table: str, reason: str
) -> None:
    path = written(tmp_path, table)
    why = why_languages([path])
    assert reason in why
    assert bool(why) is bool(reason)
    assert ("add a column 'language'" in why) is bool(reason)


@pytest.mark.parametrize(
    ("pairs", "languages"),
    [
        ("p1 & p2,p2 & p1", ["propositional", "first_order", "ltl"]),
        ("p1 & p2,p2 & p1\nG a,a & X G a", ["ltl"]),
        ("p1 & p2,p2 & p1\nP(a),P(a) & P(a)", ["first_order"]),
        # A pair that nothing can read says nothing of the file.
        ("p1 & p2,p2 & p1\np1 &,p2", ["propositional", "first_order", "ltl"]),
    ],
)
def test_the_pairs_of_a_file_have_the_language_in_which_all_can_be_read(
    tmp_path: Path, pairs: str, languages: list[str]
) -> None:
    path = written(tmp_path, f"formula,other\n{pairs}\n")
    readers = [name for name in data_set_names() if name.startswith("judge_")]
    first = {
        pairs_of_file.language: formulas_of(name, path)[0]
        for name in readers
        if (pairs_of_file := data_set(name, [path])) is not None
    }
    assert [name for name in language_names() if name in first] == languages
    is_in_doubt = len(languages) > 1
    assert bool(doubts_in([path])) is is_in_doubt
    assert any("add a column 'language'" in doubt for doubt in check([path]).doubts) is is_in_doubt


def test_a_pair_in_doubt_keeps_its_id_and_is_reported_once(tmp_path: Path) -> None:
    rows = "p1 & p2,p2 & p1,yes,a\np1 | p2,p2 | p1,no,b\np1 & p2,p2 & p1,yes,c\n"
    path = written(tmp_path, f"formula,other,same,id\n{rows}")
    wrong, repeated = file_problems([path])
    assert f"{path}:3: column 'same': says that they differ" in wrong
    assert f"{path}:4: repeats data.csv:2" in repeated
    for name in ("judge_propositional", "judge_first_order", "judge_ltl"):
        pairs_of_file = data_set(name, [path])
        assert pairs_of_file is not None
        assert [
            item.facts["item"]
            for size in pairs_of_file.sizes or ()
            for item in pairs_of_file.items(size)
        ] == ["a"]
