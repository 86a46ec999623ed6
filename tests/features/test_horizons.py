"""The horizon of a suite: what is fitted, how it is shown, and what its gate says."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from support.analyses import analyse, judge
from support.documents_read import blocks, data_of, figures, suite, value
from support.result_rows import changed, row
from support.screens import markdown, properties, render

from pytest_autoeval.features.horizon.fit import Curve, Horizon
from pytest_autoeval.features.horizon.measure import horizon_figure
from pytest_autoeval.features.horizon.passed_by_size import PassedBySize
from pytest_autoeval.judging.item_groups import by_item
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.judging.suite_judgement import SuiteJudgement
from pytest_autoeval.record.coding import LineError
from pytest_autoeval.record.figures import figure_text
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.document import document

ASKED = {"0.9": 4, "0.5": 6}


def run(
    failed: Callable[[int, int], bool],
    *,
    sizes: Sequence[int] = range(13),
    each: int = 20,
    **more: Any,
) -> list[Sample]:
    """Formulas of each size; of those of a size, by their number, some fail."""
    return [
        row(
            "different" if failed(size, number) else "equivalent",
            operators=size,
            index=number,
            formula=f"p{size}_{number}",
            measures={"operators": size, "depth": size // 2, "quantifiers": 1},
            **more,
        )
        for size in sizes
        for number in range(each)
    ]


def harder(size: int, number: int) -> bool:
    """All but a few pass up to size 4; half pass at 8; at 12 nearly none."""
    return number < 20 * max(0.0, min(1.0, (size - 4) / 8))


def judged(rows: list[Sample], rules: Rules | None = None, **more: Any) -> SuiteJudgement:
    return judge(rows, rules or Rules(), **more)


def curve(rows: list[Sample]) -> Curve | None:
    return PassedBySize.of(by_item(rows)).curve


def text_of(rows: list[Sample], **more: Any) -> str:
    return "\n".join(line.text for line in render(analyse(rows, Rules()), **more))


def horizon(value: float | None, low: float | None, high: float | None, bound: Any = "") -> Horizon:
    return Horizon(0.9, value, low, high, bound, 1.0, 40.0)


INSIDE, WIDE, OPEN = (
    horizon(14.24, 12.6, 16.1),
    horizon(14.24, 6.0, 22.0),
    horizon(14.24, None, None),
)
ABOVE, BARELY = horizon(None, 40.0, None, "above"), horizon(None, 30.2, None, "above")
BELOW, NEARLY = horizon(None, None, 1.0, "below"), horizon(None, None, 3.1, "below")


@pytest.mark.parametrize(
    ("shown", "unit", "text"),
    [
        (INSIDE, "operators", "14.2 operators (12.6–16.1)"),
        (INSIDE, "", "14.2 (12.6–16.1)"),
        (OPEN, "temporal_depth", "temporal depth not known"),
        (OPEN, "operators", "not known"),
        (ABOVE, "operators", "> 40 operators"),
        (BARELY, "depth", "depth > 40 (30.2–…)"),
        (BELOW, "operators", "< 1 operators"),
        (NEARLY, "", "< 1 (…–3.1)"),
    ],
)
def test_a_horizon_is_shown_with_what_is_known_of_it(shown: Horizon, unit: str, text: str) -> None:
    assert figure_text(horizon_figure(shown, unit)) == text


def test_the_noise_of_a_sum_does_not_set_the_last_digit() -> None:
    noisy, exact = (
        horizon_figure(horizon(1.6, low, 2.75), "") for low in (0.7499999999999999, 0.75)
    )
    assert figure_text(noisy) == figure_text(exact)


def test_undecided_samples_do_not_count_as_passed() -> None:
    rows = run(harder)
    undecided = [
        changed(one, outcome="undecided", code="AE106") if not one.passed else one for one in rows
    ]
    assert curve(rows) == curve(undecided)


def test_other_measures_that_a_suite_varies_have_curves() -> None:
    rows = run(harder)
    lines = text_of(rows, verbosity=1, width=100)
    assert "    over depth: 0 " in lines
    assert "    horizon 50 % over depth 3." in lines
    assert (
        figures(suite(data_of(document(analyse(rows, Rules())))))["horizon 50 % over depth"]["high"]
        is not None
    )
    flawless = text_of(run(lambda *_: False), verbosity=1, width=100)
    assert "    horizon 50 % over depth > 6" in flawless
    assert "quantifiers" not in lines


def test_the_horizon_is_a_column_and_a_verbose_one_has_a_line() -> None:
    rows = run(lambda *_: False)
    assert re.search(r"pass rate \(95 %\) +n  horizon 50 %\n.* > 12\n", text_of(rows))
    assert "horizon 50 % > 12 operators" not in text_of(rows)
    assert "horizon 50 % > 12 operators" in text_of(rows, verbosity=1)
    assert re.search(r"260  7\.7 \(\d", text_of(run(harder), width=120))


def test_properties_and_json_have_the_horizon() -> None:
    rows = run(harder)
    found = dict(properties(analyse(rows, Rules())))
    horizon_50 = found["autoeval.horizon_50"]
    assert 7.0 < float(found["autoeval.horizon_50_low"]) < float(horizon_50) < 8.5
    found = dict(properties(analyse(run(lambda *_: False), Rules())))
    assert "autoeval.horizon_50" not in found
    assert found["autoeval.horizon_50_bound"] == "above 12"
    analysis = analyse(rows, Rules())
    shown = suite(data_of(document(analysis)))
    curves = blocks(shown, "curve")
    assert [one["over"] for one in curves if one["series"][0]["name"] == "pass rate"] == [
        "operators",
        "depth",
    ]
    (mark,) = [one for one in curves[0]["marks"] if one["name"] == "horizon 50 %"]
    assert mark["x"] == value(shown, "horizon 50 %") == pytest.approx(float(horizon_50))


def guessed(size: int, number: int) -> bool:
    """Nearly all pass up to size 4; from 8 on half do, as by tossing a coin."""
    return number < (1 if size <= 4 else 4 if size <= 7 else 10)


def test_the_chance_in_the_rows_makes_the_horizon_lie_half_way_to_guesses() -> None:
    plain, asked = curve(run(guessed)), curve(run(guessed, chance=0.5))
    assert plain is not None
    assert asked is not None
    assert (plain.chance, asked.chance) == (0.0, 0.5)
    half = asked.horizon(0.5)
    assert half.value is not None
    assert 4 < half.value < 9
    assert half.rate == pytest.approx(0.73, abs=0.05)
    rows = run(guessed, chance=0.5)
    assert "horizon 50 % above guessing " in text_of(rows)
    assert re.search(
        r"[\d.]+ % of easy formulas fail, [\d.]+ % pass by guessing",
        text_of(rows, verbosity=1, width=200),
    )
    shown = suite(data_of(document(analyse(rows, Rules()))))
    (how,) = [note for note in blocks(shown, "note") if "guess" in note.get("values", {})]
    assert how["values"]["guess"]["value"] == pytest.approx(0.5, abs=0.05)
    (mark,) = [
        one for one in blocks(shown, "curve")[0]["marks"] if one["name"].startswith("horizon 50 %")
    ]
    assert (mark["x"], mark["value"]) == (half.value, half.rate)


@pytest.mark.parametrize(
    "fails", [lambda size, number: number % 2 == size % 2, lambda *_: True], ids=["half", "all"]
)
def test_the_horizon_of_who_only_guesses_is_not_known(fails: Callable[[int, int], bool]) -> None:
    assert "horizon 50 % above guessing not known" in text_of(run(fails, chance=0.5))


def test_a_curve_that_does_not_fall_has_no_horizon_on_any_surface() -> None:
    """Measured 75, 25, 25, 25 and 100 % by size: the curve is flat, and its crossing of 50 % shows nothing."""
    rows = run(lambda size, number: number < (1, 3, 3, 3, 0)[size], sizes=range(5), each=4)
    analysis = analyse(rows, Rules())
    fitted = curve(rows)
    assert fitted is not None
    assert fitted.horizon(0.5).value is not None
    assert re.search(r" not known\n", text_of(rows))
    assert "a horizon that is not known may lie at any size" in text_of(rows)
    assert " not known |" in markdown(analysis)
    horizon = figures(suite(data_of(document(analysis))))["horizon 50 %"]
    assert (horizon["value"], horizon["bound"]) == (None, "not known")
    found = dict(properties(analysis))
    assert ("autoeval.horizon_50" in found, found["autoeval.horizon_50_bound"]) == (
        False,
        "not known",
    )


def test_formulas_with_several_numbers_of_candidates_have_their_mean_chance() -> None:
    rows = [changed(one, chance=0.2 if one.index % 2 else 0.25) for one in run(harder)]
    assert PassedBySize.of(by_item(rows)).chance == pytest.approx(0.225)


@pytest.mark.parametrize("chance", [-0.1, 1, 1.5])
def test_a_chance_that_is_none_is_refused_in_a_file(chance: float) -> None:
    with pytest.raises(LineError, match=f"chance is {chance}"):
        changed(run(harder)[0], chance=chance)


def test_markdown_says_which_horizons_are_above_guessing() -> None:
    assert "- horizon 50 % above guessing " in markdown(analyse(run(guessed, chance=0.5), Rules()))
    assert "above guessing" not in markdown(analyse(run(harder), Rules()))


@pytest.mark.parametrize("option", ["", "-v", "--autoeval-summary=summary.json"])
def test_a_run_that_passes_draws_its_curve_only_where_it_is_shown(
    pytester: pytest.Pytester, option: str
) -> None:
    pytester.makepyfile(
        test_small="""
        import pytest

        @pytest.mark.autoeval("propositional", operators=[1, 2, 3], samples=10)
        def test_suite(sample, llm, assert_equivalent):
            text = llm.informalize(sample.formula)
            assert_equivalent(llm.autoformalize(text, like=sample), sample.formula)
        """
    )
    pytester.makeconftest(
        """
        import sys

        def pytest_unconfigure():
            print("NumPy:", "numpy" in sys.modules)
        """
    )
    options = ("--autoeval-model=offline/faithful", *filter(None, [option]))
    result = pytester.runpytest_subprocess("-p", "no:hypothesispytest", *options)
    result.assert_outcomes(passed=1)
    # The horizon needs no fit, and stands in the table in any case.
    result.stdout.fnmatch_lines(["*horizon 50 %*", "*> 3*", f"NumPy: {bool(option)}"])
