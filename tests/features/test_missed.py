"""The items that no model passes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support.analyses import analyse
from support.documents_read import data_of, section
from support.result_rows import row, suites_of
from support.screens import texts

from pytest_autoeval.features.missed import arguments_of_missed, missed_items
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.document import document

OUTCOMES = {"1": "equivalent", "0": "different", "?": "undecided", "!": "error"}


def run(**models: Sequence[str]) -> list[Sample]:
    """For each model the trials of each formula: ``1`` passes, ``0`` fails, ``?`` is undecided, ``!`` is an error."""
    return [
        row(
            OUTCOMES[sign],
            model=model,
            formula=f"p{index}",
            index=index,
            repeat=repeat,
            operators=5 - index,
        )
        for model, formulas in models.items()
        for index, trials in enumerate(formulas)
        for repeat, sign in enumerate(trials)
    ]


def names(samples: Sequence[Sample]) -> list[str]:
    return [one.first.formula for one in missed_items(suites_of(samples))]


@pytest.mark.parametrize(
    ("models", "found"),
    [
        ({"a": ["0", "0", "1"], "b": ["0", "1", "0"]}, ["p0"]),
        ({"a": ["00", "01", "0!"]}, ["p0"]),  # one answer alone shows little
        ({"a": ["00", "0?"]}, ["p0"]),
        ({"a": ["0", "0"]}, []),
        # Of an item that a model did not answer, nothing is said.
        (
            {"a": ["0", "0"], "b": ["0", "!"]},
            ["p0"],
        ),
        ({"a": ["00", "00"], "b": ["00", "00"]}, ["p1", "p0"]),  # the smallest first
    ],
)
def test_an_item_is_missed_if_all_of_several_trials_of_all_models_fail(
    models: dict[str, list[str]], found: list[str]
) -> None:
    assert names(run(**models)) == found


def test_the_section_lists_them_with_v_and_is_not_there_without() -> None:
    analysis = analyse(run(a=["00"] * 5, b=["00"] * 5), Rules())
    shown = section(data_of(document(analysis)), "missed")
    assert [line["cells"][1] for line in shown["blocks"][1]["rows"]] == [
        "p4",
        "p3",
        "p2",
        "p1",
        "p0",
    ]
    assert "missed by all" not in texts(analysis)
    assert "5 items that no model passed in any repeat" in " ".join(texts(analysis, verbosity=1))
    assert "missed by all" not in texts(analyse(run(a=["01"] * 5), Rules()), verbosity=1)


def test_the_arguments_name_each_item_as_its_file_does() -> None:
    in_files = [
        row("different", formula=f"p{index}", index=index, repeat=repeat, task="translate", **given)
        for index, given in enumerate(
            ({"item": "first"}, {"source": "mine.csv:7 (row 3)"}, {"item": "two\nlines"})
        )
        for repeat in range(2)
    ]
    assert arguments_of_missed(suites_of(in_files)) == [
        "--autoeval-formula=first",
        "--autoeval-formula=mine.csv:7",
    ]
    assert arguments_of_missed(suites_of(run(a=["00", "01"]))) == ["--autoeval-formula=p0"]
