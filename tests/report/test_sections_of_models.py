"""The sections about several models: their standing, who reads and writes how well, and the table of scores."""

from __future__ import annotations

from typing import Any

from support.analyses import analyse
from support.result_rows import row
from support.sections import column, only, plain, tables, texts

from pytest_autoeval.features.readers import readers
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.sections.models import models
from pytest_autoeval.studies.first_order_translation.scores import scores

KSAT, REGEX = "t.py::test_ksat", "t.py::test_regex"


def passed(suite: str, model: str, number: int, total: int = 100, **changes: Any) -> list[Sample]:
    """The samples of a model, of which the first ones passed."""
    return [
        row(
            "equivalent" if n < number else "different",
            suite=suite,
            model=model,
            index=n,
            formula=f"p{n}",
            **changes,
        )
        for n in range(total)
    ]


def test_one_model_has_no_section() -> None:
    assert not list(models(analyse(passed(KSAT, "a", 50), Rules())))


def test_models_stand_in_the_order_of_their_mean_ranks() -> None:
    samples = [
        *passed(KSAT, "a", 40),
        *passed(KSAT, "b", 90),
        *passed(REGEX, "a", 50),
        *passed(REGEX, "b", 80),
    ]
    section = only(models(analyse(samples, Rules())))
    standing = tables(section)["standing over the suites that all models answered"]
    assert column(standing, "model") == ["b", "a"]
    assert [plain(cell) for cell in column(standing, "mean rank")] == [1, 2]
    assert column(standing, "suites") == [2, 2]


def test_a_star_stands_at_a_significant_difference() -> None:
    samples = [
        *passed(KSAT, "a", 40),
        *passed(KSAT, "b", 90),
        *passed(REGEX, "a", 50),
        *passed(REGEX, "b", 52),
    ]
    table = tables(only(models(analyse(samples, Rules()))))["differences of the models"]
    by_suite = {line.cells[0]: line for line in table.rows}
    assert (by_suite[KSAT].marked, by_suite[REGEX].marked) == ((3,), ())
    difference = by_suite[KSAT].cells[3]
    assert isinstance(difference, Figure)
    assert (difference.value, difference.n) == (0.5, 100)
    assert by_suite[KSAT].cells[1:3] == ("b", "a")


def test_suites_that_some_models_lack_are_named_as_values() -> None:
    samples = [*passed(KSAT, "a", 40), *passed(KSAT, "b", 90)]
    samples += [*passed(REGEX, "a", 50), *passed(REGEX, "c", 80)]
    shown = texts(only(models(analyse(samples, Rules()))))
    left_out = "the mean rank leaves out suites that only some models answered"
    assert f"b has no answers in {REGEX}: {left_out}" in shown
    assert f"c has no answers in {KSAT}: {left_out}" in shown


def described(describer: str, reader: str, number: int) -> list[Sample]:
    name = f"{KSAT}[read-by-{reader}]"
    return passed(
        name, describer, number, total=40, reader=reader, variant=f"read-by-{reader}", test=KSAT
    )


def test_readers_have_a_column_each_and_a_pair_that_did_not_run_is_empty() -> None:
    samples = [*described("a", "r", 40), *described("a", "s", 38), *described("b", "r", 20)]
    section = only(readers(analyse(samples, Rules())))
    (table,) = tables(section).values()
    assert [one.group for one in table.columns] == ["", "r", "s"]
    values = [[plain(cell) for cell in line.cells] for line in table.rows]
    assert values == [["a", 1.0, 0.95], ["b", 0.5, None]]


def test_a_reader_that_is_significantly_worse_is_a_finding_with_both_rates() -> None:
    samples = [*described("a", "r", 40), *described("b", "r", 20)]
    section = only(readers(analyse(samples, Rules())))
    (finding,) = texts(section)
    assert finding.startswith(
        f"{KSAT}: b writes unclearly: 50.0 % of its descriptions were read correctly, against"
    )
    assert finding.endswith("points")


def test_without_several_readers_there_is_no_section() -> None:
    assert not list(readers(analyse(passed(KSAT, "a", 5), Rules())))


def chose(outcome: str, form: str, model: str = "offline/one", repeat: int = 0) -> Sample:
    named = {
        "task": f"most_similar_{form}",
        "form": form,
        "data_set": "blocks_world",
        "sentence": "A cube.",
    }
    return row(outcome, model=model, repeat=repeat, interface="structured", **named)


def test_scores_are_numbers_by_model_and_form() -> None:
    samples = [
        chose("correct", "english"),
        chose("wrong answer", "english"),
        chose("correct", "formulas", "offline/two"),
    ]
    section = only(scores(analyse(samples, Rules())))
    (table,) = tables(section).values()
    assert [(one.group, one.name) for one in table.columns[2:]] == [
        ("offline/one", "NL"),
        ("offline/two", "FOL"),
    ]
    (cells,) = [line.cells for line in table.rows]
    assert [plain(cell) for cell in cells] == ["Most similar", "blocks_world", 0.5, 1.0]
    first = cells[2]
    assert isinstance(first, Figure)
    assert (first.n, first.deviation) == (2, None)


def test_scores_of_repeats_have_a_deviation() -> None:
    outcomes = ("correct", "correct", "wrong answer", "correct")
    samples = [chose(outcome, "english", repeat=at // 2) for at, outcome in enumerate(outcomes)]
    section = only(scores(analyse(samples, Rules())))
    (table,) = tables(section).values()
    score = table.rows[0].cells[2]
    assert isinstance(score, Figure)
    assert score.deviation is not None
    assert (score.value, round(score.deviation, 4)) == (0.75, 0.3536)
    assert "mean ± standard deviation" in section.title


def test_without_a_score_there_is_no_section() -> None:
    assert not list(scores(analyse(passed(KSAT, "a", 5), Rules())))
