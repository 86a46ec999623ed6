"""Columns that the user names, and what a message proposes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval.datasets import DataSetError, data_set
from pytest_autoeval.datasets.catalogue import check_users_file
from pytest_autoeval.datasets.checking import check
from pytest_autoeval.datasets.columns import checked_columns
from pytest_autoeval.engine.option_values import columns, columns_text
from pytest_autoeval.errors import AutoevalError

NAMED = (("sentence", "NL"), ("formula", "FOL"))


def written(folder: Path, text: str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text", ["NL,FOL\nAll are tall.,∀x Tall(x)\n", "n;NL;FOL\n1;All are tall.;∀x Tall(x)\n"]
)
def test_named_columns_are_read(tmp_path: Path, text: str) -> None:
    found = data_set("fol_translation", [written(tmp_path, text)], NAMED)
    assert found is not None
    assert [item.text for item in found.items(1)] == ["∀x. Tall(x)"]


def test_a_named_column_counts_instead_of_one_with_the_usual_name(tmp_path: Path) -> None:
    path = written(tmp_path, "sentence,NL,FOL\nAlle sind groß.,All are tall.,∀x Tall(x)\n")
    found = data_set("fol_translation", [path], NAMED)
    assert found is not None
    (item,) = found.items(1)
    assert item.facts["sentence"] == "All are tall."


def test_a_problem_names_the_column_of_the_file(tmp_path: Path) -> None:
    (remark,) = (
        check([written(tmp_path, "NL,FOL\nAll are tall.,∀x Tall(x\n")], columns=NAMED)
        .files[0]
        .reported[-1:]
    )
    assert remark.text.startswith("column 'FOL': ")


def test_a_wrong_name_gets_the_nearest_column(tmp_path: Path) -> None:
    path = written(tmp_path, "nl,FOLs\nAll are tall.,∀x Tall(x)\n")
    for wrong, near in ((("sentence", "NL"), "nl"), (("formula", "FOL"), "FOLs")):
        with pytest.raises(DataSetError, match=f"no column '{wrong[1]}'.*Did you mean '{near}'"):
            check_users_file(path, (wrong,))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("utterance,logic\na,b\n", "--autoeval-columns=sentence=utterance,formula=logic"),
        ("id,English,LTL\n1,a,b\n", "--autoeval-columns=sentence=English,formula=LTL"),
        ("propositions,nl\na : x1,a\n", "--autoeval-columns=sentence=nl"),
    ],
)
def test_a_message_proposes_columns_of_published_files(
    tmp_path: Path, text: str, hint: str
) -> None:
    with pytest.raises(DataSetError) as caught:
        check_users_file(written(tmp_path, text))
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("sentence=NL,formula=FOL", {"sentence": "NL", "formula": "FOL"}),
        (
            "sentence=Natural Language, in English, formula=f",
            {"sentence": "Natural Language, in English", "formula": "f"},
        ),
    ],
)
def test_the_option_is_read_and_written(text: str, named: dict[str, str]) -> None:
    assert columns(text) == named
    assert columns(columns_text(named)) == named


@pytest.mark.parametrize(
    ("named", "problem"),
    [
        ({"sentense": "NL"}, "Did you mean 'sentence'"),
        ({"NL": "sentence"}, "there is no column 'NL'"),
        ({"sentence": ""}, "needs the name"),
        ({"sentence": "a", "formula": "a"}, "'a' is given for two columns"),
    ],
)
def test_columns_that_do_not_exist_are_refused(named: dict[str, str], problem: str) -> None:
    with pytest.raises(AutoevalError, match=problem):
        checked_columns(named)
