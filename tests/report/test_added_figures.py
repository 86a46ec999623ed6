"""Figures, tables and sections of a user's functions: what is kept, what is refused, and what a broken one does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import binomtest
from support.analyses import analyse
from support.result_rows import row, suites_of
from support.sections import column, of_kind, only, tables, texts

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.item_groups import by_item, pass_rate
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import SuiteEnd, SuiteRecord
from pytest_autoeval.registry import Registry
from pytest_autoeval.report import analysis as analyses
from pytest_autoeval.report.added_figures import AddedFigures, added_figures
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Column, Figures, Note, Row, Section, Table
from pytest_autoeval.report.rates import rate, rate_over
from pytest_autoeval.report.sections.added import added
from pytest_autoeval.report.sections.rate_figures import rate_figure
from pytest_autoeval.report.sections.tasks import blocks_of
from pytest_autoeval.report.task_figures import figures_in, task_blocks


def a_suite(**changes: Any) -> SuiteRecord:
    (suite,) = suites_of(
        [row(index=number, formula=f"p{number}", **changes) for number in (2, 0, 1)]
    )
    return suite


def gave(*values: object, **changes: Any) -> AddedFigures:
    """What a suite has of a function that gives these values."""

    def colours(samples: Any) -> Any:
        return values

    return added_figures([colours], a_suite(**changes))


def test_a_rate_has_the_exact_interval_and_its_number_of_samples() -> None:
    exact = binomtest(7, 9).proportion_ci(method="exact")
    figure = rate("polite", 7, 9)
    assert (figure.value, figure.unit, figure.n) == (7 / 9, "rate", 9)
    assert (figure.low, figure.high) == pytest.approx((exact.low, exact.high))


def test_a_rate_of_nothing_has_no_value_and_undecided_samples_open_it() -> None:
    assert rate("polite", 0, 0) == Figure("polite", None, "rate", n=0)
    figure = rate("polite", 2, 4, undecided=1)
    assert (figure.value, figure.upper) == (0.5, 0.75)


def test_a_rate_over_samples_knows_their_repeats() -> None:
    def repeated(repeats: int) -> list[Any]:
        return [
            row(index=place, formula=f"p{place}", repeat=repeat)
            for place in range(5)
            for repeat in range(repeats)
        ]

    def holds(sample: Any) -> Any:
        return sample.index  # any true value counts once

    assert rate_over("polite", repeated(1), holds) == rate("polite", 4, 5)
    of_repeats, of_counts = rate_over("polite", repeated(3), holds), rate("polite", 12, 15)
    assert (of_repeats.value, of_repeats.n) == (of_counts.value, of_counts.n) == (0.8, 15)
    assert of_repeats.low is not None
    assert of_counts.low is not None
    assert of_repeats.low < of_counts.low
    assert rate_over("polite", [], holds) == rate("polite", 0, 0)


@pytest.mark.parametrize(
    "shared",
    [
        pytest.param(
            lambda number: {"formula": f"p{number // 2}", "other": f"q{number}"}, id="pairs"
        ),
        pytest.param(
            lambda number: {"repeat": number % 2, "formula": f"p{number // 2}"}, id="repeats"
        ),
        pytest.param(
            lambda number: {
                "formula": f"p{number}",
                "cluster": f"document {number // 2}",
                "source": f"f.csv:{number}",
            },
            id="clusters",
        ),
    ],
)
def test_a_share_of_samples_has_the_interval_of_the_pass_rate(
    shared: Callable[[int], dict[str, Any]],
) -> None:
    samples = []
    for number in range(40):
        # The two samples of each cluster agree.
        right = number % 8 < 6
        outcome = "correct" if right else "wrong answer"
        given = {"expected": True, "answered": right, "task": "judge", "interface": "reasoning"}
        samples.append(row(outcome, index=number, **given, **shared(number)))
    expected = rate_figure(pass_rate(by_item(samples)), "accuracy")
    accuracy = rate_over("accuracy", samples, lambda sample: sample.passed)
    assert accuracy == expected
    # As 20 independent samples would have it, or a little narrower, for the prior of the design effect.
    of_half, of_all = rate("accuracy", 15, 20), rate("accuracy", 30, 40)
    assert of_half.low is not None
    assert accuracy.low is not None
    assert of_all.low is not None
    assert of_half.low <= accuracy.low < of_all.low
    # The figure of the judge is this share.
    (judged,) = [
        figure
        for figure in figures_in(task_blocks(samples[0].suite, samples))
        if figure.name == "accuracy"
    ]
    assert judged == accuracy


@pytest.mark.parametrize(("passed", "total"), [(3, 2), (-1, 2)])
def test_counts_of_a_rate_must_add_up(passed: int, total: int) -> None:
    with pytest.raises(ValueError, match="do not add up"):
        rate("polite", passed, total)


def test_a_function_gets_the_samples_that_count_in_order() -> None:
    seen: list[list[int]] = []

    def look(samples: Any) -> Iterable[Figure]:
        seen.append([sample.index for sample in samples])
        samples.clear()
        return ()

    suite = a_suite()
    suite.samples.append(replace(suite.samples[0], index=9, counts="shrunk"))
    added_figures([look, look], suite)
    assert seen == [[0, 1, 2], [0, 1, 2]]


def test_a_suite_without_samples_asks_no_function() -> None:
    suite = a_suite()
    suite.samples.clear()
    assert added_figures([raises], suite) == AddedFigures()


def test_figures_of_a_block_have_its_title_in_their_names() -> None:
    block = Figures(title="colour", figures=(Figure("red", 1, "count"), Figure("blue", 2, "count")))
    assert [figure.name for figure in gave(block).figures] == ["colour: red", "colour: blue"]


@pytest.mark.parametrize("value", [Fraction(1, 4), np.float64(0.25), np.float32(0.25)])
def test_numbers_of_other_libraries_are_numbers(value: Any) -> None:
    (figure,) = gave(Figure("share", value, "rate", n=np.int64(4))).figures  # type: ignore[arg-type]
    assert (type(figure.value), figure.value, type(figure.n), figure.n) == (float, 0.25, int, 4)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (Figure("a", nan), "the figure 'a': its value is nan; give a finite number, or None"),
        (Figure("a", 0.5, "rate", low=-inf), "its low is -inf; give a finite number, or None"),
        (
            Figure("a", 25.0, "rate"),
            "its value is 25, outside of 0 to 1; a rate is a fraction: write 0.25 for 25 %",
        ),
        (Figure("a", 0.5, "rate", high=1.5), "its high is 1.5, outside of 0 to 1"),
        (Figure("a", -0.5, "p"), "its value is -0.5, outside of 0 to 1"),
        (Figure("a", 2, "points"), "its value is 2, outside of -1 to 1"),
        (
            Figure("a", 0.5, low=0.6, high=0.4),
            "the interval from 0.6 to 0.4 has its ends exchanged",
        ),
        (Figure("a", 0.5, n=-1), "n is -1"),
        (Figure("a", 0.5, confidence=95), "its confidence is 95; it must lie between 0 and 1"),
        (Figure(" ", 0.5), "a figure has no name"),
        (Figure("a", "many"), "Expected"),  # type: ignore[arg-type]
        (Figure("a", True), "Expected"),
        (Figure("a", 1, "percent"), "Invalid enum value 'percent'"),  # type: ignore[arg-type]
        ("75 %", "it gave '75 %', which is no Figure, Figures or Table"),
        (0.75, "it gave 0.75, which is no Figure, Figures or Table"),
        (Figures(figures=("a",)), "'a' is no Figure"),  # type: ignore[arg-type]
        (
            Table(columns=(Column("a"),), rows=(Row(("b", "c")),), title="T"),
            "the table 'T' has 1 columns, and a row of 2",
        ),
        (
            Table(columns=(Column("a", "count"),), rows=(Row((nan,)),), title="T"),
            "the cell nan is no text",
        ),
        (Table(columns=("a",), rows=(), title="T"), "the table 'T'"),  # type: ignore[arg-type]
        (Table(columns=(Column("a"),), rows=(("b",),), title="T"), "the table 'T'"),  # type: ignore[arg-type]
    ],
)
def test_what_no_screen_could_show_is_a_problem_and_the_rest_counts(
    value: Any, problem: str
) -> None:
    found = gave(value, Figure("good", 1))
    (said,) = found.problems
    assert said.startswith("the figures of gave.<locals>.colours are missing in part: ")
    assert problem in said
    assert [figure.name for figure in found.figures] == ["good"]
    assert not found.tables


@pytest.mark.parametrize(
    "name", ["a", "A ", "pass rate", "Tokens in", "errors", "difference", "P value", "warning"]
)
def test_two_figures_of_one_name_are_a_problem(name: str) -> None:
    found = gave(Figure("a", 1), Figure(name, 2))
    assert [figure.value for figure in found.figures] == [1]
    assert f"the suite has a figure {name!r} already: give it another name" in found.problems[0]


def test_a_name_of_the_tasks_own_figures_is_taken() -> None:
    found = gave(
        Figure("accuracy", 1), task="judge", expected=True, answered=True, outcome="correct"
    )
    assert "the suite has a figure 'accuracy' already" in found.problems[0]


def raises(_: object) -> Iterator[Figure]:
    yield Figure("first", 1)
    raise KeyError("colour")


def gives_none(_: object) -> None: ...


def fails_at_length(_: object) -> None:
    raise ValueError("x" * 1000)


def fails_as_a_test(_: object) -> None:
    pytest.fail("not like this")


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (
            raises,
            "the figures of raises are missing: KeyError: 'colour' (test_added_figures.py:LINE)",
        ),
        (
            gives_none,
            "the figures of gives_none are missing: it gave None; return or yield objects of Figure, Figures or Table",
        ),
        (
            fails_as_a_test,
            "the figures of fails_as_a_test are missing: Failed: not like this (test_added_figures.py:LINE)",
        ),
        (
            fails_at_length,
            f"the figures of fails_at_length are missing: ValueError: {'x' * 244}… (test_added_figures.py:LINE)",
        ),
    ],
)
def test_a_broken_function_is_a_problem_and_the_others_count(
    function: Callable[[Any], Any], problem: str
) -> None:
    found = added_figures([function, lambda _: [Figure("good", 1)]], a_suite())
    (told,) = found.problems
    assert re.sub(r":\d+\)$", ":LINE)", told) == problem
    assert [figure.name for figure in found.figures] == ["good"]


@pytest.mark.parametrize(
    "value",
    [
        Figure("a", 1),
        Figures(figures=(Figure("a", 1),)),
        Table(columns=(Column("a"),), rows=(Row(("b",)),), title="a"),
    ],
)
def test_a_function_may_return_one_value_alone(value: Any) -> None:
    alone = added_figures([lambda _: value], a_suite())
    assert alone == added_figures([lambda _: [value]], a_suite())
    assert not alone.problems
    assert [
        *(figure.name for figure in alone.figures),
        *(table.title for table in alone.tables),
    ] == ["a"]


@pytest.mark.parametrize("value", ["75 %", 0.75])
def test_what_holds_no_figures_is_one_problem(value: Any) -> None:
    found = added_figures([lambda _: value], a_suite())
    (told,) = found.problems
    assert f" are missing: it gave {value!r}; return or yield objects of Figure" in told


def test_ctrl_c_in_a_function_ends_the_run() -> None:
    def interrupted(_: object) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        added_figures([interrupted], a_suite())


def blocks(end: SuiteEnd) -> Section:
    suite = a_suite()
    suite.end = end
    (summary,) = analyses.analyse([suite], Rules()).summaries
    section = Section(name="suite", blocks=tuple(blocks_of(summary)))
    suite.end = None
    return only([section])


def test_the_section_of_a_suite_shows_what_its_end_has_kept() -> None:
    table = {
        "block": "table",
        "title": "colours",
        "columns": [{"name": "colour"}],
        "rows": [{"cells": ["red"]}],
    }
    section = blocks(
        SuiteEnd(
            suite=1, figures=(rate("polite", 1, 3),), tables=(table,), without_figures=("no hue",)
        )
    )
    (figures,) = of_kind(section, Figures)
    assert figures.figures == (rate("polite", 1, 3),)
    assert column(tables(section)["colours"], "colour") == ["red"]
    (problem,) = of_kind(section, Note)
    assert (texts(section), problem.tone) == (["no hue"], "error")


def test_a_table_that_cannot_be_read_is_named() -> None:
    section = blocks(SuiteEnd(suite=1, tables=({"block": "table", "rows": 3},)))
    assert texts(section)[0].startswith("a table of the results file cannot be read: ")


def sections_of(*functions: Any) -> list[Section]:
    analysis = replace(analyse([row()], Rules()), added_blocks=functions)
    return list(added(analysis))


def test_blocks_alone_become_a_section_with_the_name_of_the_function() -> None:
    def by_colour(analysis: Analysis) -> Iterator[Note | Table | Section]:
        yield Note(
            text="{number} suites",
            values={"number": Figure("suites", len(analysis.suites), "count")},
        )
        yield Section(name="own", title="of my own", blocks=(Note(text="here"),))
        yield Table(columns=(Column("a"),), rows=(Row(("b",)),))

    own, alone = sections_of(by_colour)
    assert (own.name, own.title) == ("own", "of my own")
    assert (alone.name, alone.title, len(alone.blocks)) == ("by_colour", "by colour", 2)
    assert texts(alone) == ["1 suites"]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("text", "it gave 'text', which is no section and no block"),
        (Figures(figures=(Figure("a", nan),)), "its value is nan"),
        (Section(name="own", blocks=("text",)), "which is no section and no block"),  # type: ignore[arg-type]
        (Note(text=3), "Expected `str`, got `int`"),  # type: ignore[arg-type]
        (Note(text="{a}", values={"a": Figure("a", inf)}), "the note"),
    ],
)
def test_what_no_screen_could_show_is_a_section_that_says_so(value: Any, problem: str) -> None:
    def broken(_: Analysis) -> list[Any]:
        return [value, Note(text="good")]

    failed, good = sections_of(broken)
    assert texts(failed)[0].startswith("the section of broken is missing: ")
    assert problem in texts(failed)[0]
    assert texts(good) == ["good"]


@pytest.mark.parametrize("value", [Note(text="a"), Section(name="a", blocks=(Note(text="a"),))])
def test_a_function_may_return_one_block_or_section_alone(value: Any) -> None:
    (section,) = sections_of(lambda _: value)
    assert texts(section) == ["a"]


def test_a_function_that_gives_no_section_is_told_what_to_give() -> None:
    (failed,) = sections_of(lambda _: None)
    assert (
        "is missing: it gave None; return or yield objects of Section, Figures, Table, Curve or Note"
        in texts(failed)[0]
    )


def test_a_function_that_raises_loses_no_other_section() -> None:
    failed, good = sections_of(raises, lambda _: [Note(text="good")])
    (told,) = texts(failed)
    assert re.sub(r"\d+", "LINE", told) == (
        "the section of raises is missing: KeyError: 'colour' (test_added_figures.py:LINE)"
    )
    assert texts(good) == ["good"]


@pytest.mark.parametrize("method", ["add_figures", "add_blocks"])
@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (Figure("a", 1), "give a function that takes the"),
        (lambda: (), "too many positional arguments; give a function that takes the"),
        (lambda samples, more: (), "missing a required argument: 'more'; give a function"),
    ],
)
def test_only_a_function_of_one_argument_can_be_added(
    method: str, given: Any, problem: str
) -> None:
    with pytest.raises(AutoevalError, match=rf"^{method}\(.*{problem}"):
        getattr(Registry(), method)(given)


def test_the_kind_of_figures_is_a_text() -> None:
    with pytest.raises(
        AutoevalError, match=r"^add_figures: the kind of figures is 3; give a text$"
    ):
        Registry().add_figures(raises, 3)  # type: ignore[arg-type]


def test_a_function_is_added_once() -> None:
    registry = Registry()
    for _ in range(2):
        registry.add_figures(raises)
        registry.add_blocks(raises)  # type: ignore[arg-type]
    assert len(registry.figures) == len(registry.blocks) == 1
