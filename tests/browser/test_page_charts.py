"""The charts of the page show the numbers that they are given, to the eye, in words, and by keys."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import pytest
from support.page_canvas import Canvas

from pytest_autoeval.report.summary_json import rate_data
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.statistics.classification import Confusion
from pytest_autoeval.text import percent

Plain = dict[str, Any]


def rate(passed: int, total: int, undecided: int = 0) -> Plain:
    return rate_data(PassRate(passed, undecided, total))


def suite(rates: dict[int, Plain], name: str = "suites/test_a.py::test_b", model: str = "gpt", **more: Any) -> Plain:
    passed, undecided, total = (sum(one[key] for one in rates.values()) for key in ("passed", "undecided", "total"))
    points = [{"size": size, "rate": one, "compliant": 1, "answers": one["total"]} for size, one in rates.items()]
    return {
        "suite": name,
        "model": model,
        "threshold": None,
        "rate": rate(passed, total, undecided),
        "sizeName": "operators",
        "bySize": points,
        "samples": total,
        "outcomes": outcomes(equivalent=passed, different=total - passed - undecided, undecided=undecided),
        "confusion": None,
        "leaked": 0,
        "luck": "",
        "sizesWithoutSamples": [],
        "blame": None,
        "figures": [],
        "spreads": [],
        "errorMessages": [],
        "calls": {"number": 2, "replayed": 1, "promptTokens": 3, "completionTokens": 4, "cost": 0.5, "byPurpose": {}},
        **more,
    }


def outcomes(**counts: int) -> list[Plain]:
    kinds = {"equivalent": "pass", "undecided": "undecided", "error": "error"}
    return [
        {"name": name, "code": "AE", "kind": kinds.get(name, "model failure"), "count": number}
        for name, number in counts.items()
    ]


def cell(member: Plain, state: str = "no gate", **more: Any) -> Plain:
    ends = member["rate"] if member["rate"]["total"] else {"lower": None, "low": None, "high": None}
    shown = member.get("fittedRate") or {"rate": ends["lower"], "low": ends["low"], "high": ends["high"]}
    return {**shown, "state": state, "horizon": None, "worseThan": [], **more}


def report(suites: list[Plain], cells: dict[tuple[str, str], Plain] | None = None, **more: Any) -> Plain:
    """What a page shows of some suites; ``cells`` are those of the matrix that say more than the suites."""
    models, names = (list(dict.fromkeys(one[key] for one in suites)) for key in ("model", "suite"))
    made = {(one["suite"], one["model"]): cell(one) for one in suites} | (cells or {})
    rows = [{"suite": name, "cells": [made.get((name, model)) for model in models]} for name in names]
    matrix = {"models": models, "labels": models, "common": "", "rows": rows, "allSuites": None}
    empty: dict[str, list[Plain]] = {"gates": [], "comparisons": [], "slices": [], "counterexamples": [], "notes": []}
    meanings = {"no gate": "no threshold was given"}
    return {"matrix": matrix, "meanings": meanings, "suites": suites, "standing": None, **empty, **more}


def draw_suites(canvas: Canvas, suites: list[Plain]) -> None:
    """Draws suites of one name, whose row is open, and waits until it has been filled."""
    canvas.draw("drawMatrix", report(suites))
    canvas.page.until("document.querySelector('#canvas .parts figure')")


def numbers(path: str) -> list[tuple[float, float]]:
    """The points of a path of straight lines."""
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]?(-?[\d.]+),(-?[\d.]+)", path)]


def test_points_lie_at_their_rates(canvas: Canvas) -> None:
    draw_suites(canvas, [suite({0: rate(10, 10), 4: rate(5, 10), 8: rate(0, 10)})])
    (x0, top), (x4, middle), (x8, bottom) = numbers(canvas.one("figure path.line", "element.getAttribute('d')"))
    assert x4 - x0 == pytest.approx(x8 - x4)
    assert middle == pytest.approx((top + bottom) / 2)
    assert bottom == pytest.approx(float(canvas.one(".axes .base", "element.getAttribute('y1')")))
    assert top == pytest.approx(min(map(float, canvas.all(".axes .grid", "element.getAttribute('y1')"))))


def test_a_band_reaches_from_one_end_of_each_interval_to_the_other(canvas: Canvas) -> None:
    rates = {1: rate(9, 10), 2: rate(8, 10, undecided=1), 3: rate(1, 10)}
    draw_suites(canvas, [suite(rates)])
    points = numbers(canvas.one("path.band", "element.getAttribute('d')"))
    bottom = float(canvas.one(".axes .base", "element.getAttribute('y1')"))
    top = min(map(float, canvas.all(".axes .grid", "element.getAttribute('y1')")))
    heights = [(bottom - y) / (bottom - top) for _, y in points]
    assert heights[:3] == pytest.approx([one["high"] for one in rates.values()], abs=0.005)
    assert heights[:2:-1] == pytest.approx([one["low"] for one in rates.values()], abs=0.005)
    assert canvas.count("path.reach") == 1, "the undecided sample opens the rate up to its upper bound"


def test_each_model_has_a_line_of_its_own(canvas: Canvas) -> None:
    models = [f"vendor/model-{number}" for number in range(10)]
    draw_suites(canvas, [suite({1: rate(3, 4), 2: rate(2, 4)}, model=model) for model in models])
    assert canvas.count("figure path.line") == 10
    assert canvas.all(".ended tbody th") == models
    looks = canvas.all(".ended tbody th path", "element.getAttribute('d') + element.classList.contains('hollow')")
    assert len(set(looks)) == 10, "lines are told apart without colour"


def test_a_threshold_is_drawn_and_told(canvas: Canvas) -> None:
    draw_suites(canvas, [suite({1: rate(1, 2), 2: rate(1, 2)}, threshold=0.5)])
    line, at_half = (
        canvas.one(selector, "element.getAttribute('y1')")
        for selector in (".chart-read .threshold", ".axes g, .axes .grid:nth-of-type(3)")
    )
    assert line == at_half
    assert canvas.one(".axes .threshold-label") == "50"
    assert canvas.one(".chart-key li") == "threshold"


def test_a_chart_is_read_by_keys_size_by_size(canvas: Canvas) -> None:
    first = {1: rate(9, 10), 3: rate(7, 8, undecided=1)}
    draw_suites(canvas, [suite(first, model="one"), suite({3: rate(0, 5)}, model="two")])
    assert canvas.one("[role=slider]", "element.getAttribute('aria-valuetext')") == "operators 1: one 90.0 %, 9 of 10"
    assert "one 88.9–94.4 %" in canvas.one("[role=slider]", "element.getAttribute('aria-label')")
    canvas.page.value("document.querySelector('#canvas [role=slider]').focus()")
    canvas.page.press("\ue014")  # the right arrow
    said = canvas.one("[role=slider]", "element.getAttribute('aria-valuetext')")
    assert said == "operators 3: one 87.5–100.0 %, 7 of 8, 1 undecided; two 0.0 %, 0 of 5"
    tip = canvas.one(".chart-tip:not([hidden])", "element.innerText")
    assert "operators 3" in tip
    assert "87.5–100.0 %" in tip
    canvas.page.press("\ue014")
    assert canvas.one("[role=slider]", "element.getAttribute('aria-valuetext')") == said, "there is no further size"
    canvas.page.press("\ue00c")  # escape
    assert canvas.count(".chart-tip:not([hidden])") == 0


def test_a_chart_has_its_numbers_beside_it(canvas: Canvas) -> None:
    draw_suites(canvas, [suite({2: rate(999, 1000), 5: rate(1, 3)})])
    assert canvas.count(".chart-numbers tr") == 0, "thousands of cells are made only when they are asked for"
    canvas.page.value("document.querySelector('#canvas .chart-numbers').open = true")
    canvas.page.until("document.querySelector('#canvas .chart-numbers table')")
    interval = PassRate(1, 0, 3).interval()
    assert canvas.rows(".chart-numbers")[1] == [
        "5",
        "gpt",
        "33.3 %",
        f"{percent(interval.low)}–{percent(interval.high)} %",
        "1 of 3",
        "33.3 %",
    ]


MATRICES = [Confusion(84, 17, 79, 12, 8), Confusion(3, 0, 5, 0, 0), Confusion(0, 4, 0, 0, 2), Confusion()]


def test_a_rate_has_the_digits_of_all_other_reports(canvas: Canvas) -> None:
    """Ties too: 9 of 16 is 56.25 %."""
    rates = [passed / total for total in (7, 16, 80, 3000) for passed in range(total + 1)]
    shown = canvas.page.value(f"{rates}.map((rate) => autoeval.percent(rate))")
    assert shown == [f"{percent(rate)} %" for rate in rates]


def test_a_matrix_has_the_rates_of_the_verifier(canvas: Canvas) -> None:
    for matrix in MATRICES:
        check_matrix(canvas, matrix)


def check_matrix(canvas: Canvas, matrix: Confusion) -> None:
    counts = {
        "truePositive": matrix.true_positive,
        "falsePositive": matrix.false_positive,
        "trueNegative": matrix.true_negative,
        "falseNegative": matrix.false_negative,
        "unreadable": matrix.unreadable,
    }
    by_size = [{"size": size, **counts} for size in (1, 2)]
    canvas.draw("drawConfusion", suite({}, confusion={**counts, "bySize": by_size}))
    assert list(map(int, canvas.all(".matrix tbody td b"))) == [
        matrix.true_positive,
        matrix.false_negative,
        matrix.false_positive,
        matrix.true_negative,
    ]
    shown = dict(
        zip(canvas.all(".rates th", "element.firstChild.data"), canvas.all(".rates td:nth-child(2)"), strict=True)
    )
    of_all = {"accuracy of all": matrix.accuracy_of_all} if matrix.unreadable else {}
    rates = {
        "accuracy": matrix.accuracy,
        **of_all,
        "precision": matrix.precision,
        "recall": matrix.recall,
        "specificity": matrix.specificity,
        "F1": matrix.f1,
    }
    expected = {name: "–" if value is None else f"{percent(value)} %" for name, value in rates.items()}
    kappa = "–" if matrix.kappa is None else f"{matrix.kappa:.2f}".replace("-", "−")
    assert shown == {**expected, "Cohen’s kappa": kappa}
    assert canvas.open_numbers()[1][:2] == ["2", str(matrix.true_positive)]


def comparison(**more: Any) -> Plain:
    return {
        "suite": "s.py::test_a",
        "model": "new",
        "baselineModel": "old",
        "pairs": 20,
        "won": 1,
        "lost": 5,
        "tied": 14,
        "difference": -0.2,
        "low": -0.4,
        "high": 0.0,
        "confidence": 0.9875,
        "p": 0.0002,
        "pCorrected": 0.0004,
        "drop": 0.05,
        "verdict": "failed",
        "flags": [],
        "onlyHere": {"count": 0, "some": []},
        "onlyThere": {"count": 0, "some": []},
        **more,
    }


def test_a_difference_lies_between_worse_and_better(canvas: Canvas) -> None:
    nothing = comparison(difference=None, low=None, high=None, p=None, pCorrected=None, pairs=0, verdict="inconclusive")
    left_out = {"flags": ["other prompts"], "onlyHere": {"count": 2, "some": ["p1"]}}
    canvas.draw(
        "drawComparisons",
        [comparison(), comparison(difference=0.004, low=-0.0225, high=0.03, pCorrected=1.0), {**nothing, **left_out}],
    )
    first = "tr:nth-child(1) .column "
    place = {
        name: canvas.one(
            first + selector, "(element.getBoundingClientRect().left + element.getBoundingClientRect().right) / 2"
        )
        for name, selector in {"zero": ".zero", "asked": ".asked", "mark": ".mark", "interval": "line.interval"}.items()
    }
    assert place["mark"] < place["asked"] < place["zero"]
    assert (place["zero"] - place["asked"]) / (place["zero"] - place["mark"]) == pytest.approx(0.25, abs=0.01)
    assert place["interval"] == pytest.approx(place["mark"], abs=0.6), "the mark is in the middle of this interval"
    rows = canvas.rows(".rows")
    assert rows[0][0] == "new against old"
    assert rows[0][2:5] == [
        "−20.0 points−40.0 to 0.0 (98.75 % interval)",
        "20 pairs1 won, 5 lost, 14 tied",
        "p < 0.001",
    ]
    assert rows[1][2] == "+0.4 points−2.2 to +3.0 (98.75 % interval)", "a tie is rounded as in the terminal"
    assert rows[2][2:5] == ["– points", "0 pairs", "–"]
    assert canvas.count("tr:nth-child(3) .column .mark") == 0, "what is not known has no place"
    assert canvas.all("li") == [
        "new: other prompts",
        "new: 2 formulas occur only in this run and were not compared: p1 …",
    ]


def test_the_labels_over_the_differences_are_apart(canvas: Canvas) -> None:
    canvas.draw("drawComparisons", [comparison(drop=0.35)])
    boxes = canvas.all(".scale text", "element.getBoundingClientRect()")
    for one, other in combinations(boxes, 2):
        beside = one["right"] <= other["left"] or other["right"] <= one["left"]
        assert beside or one["bottom"] <= other["top"] + 2 or other["bottom"] <= one["top"] + 2


def test_a_slice_lies_beside_what_it_is_compared_to(canvas: Canvas) -> None:
    inside = {"suite": "s.py::test_a", "model": "m", "name": "formulas with ¬", "inside": rate(5, 20), "p": 0.01}
    level = {**inside, "kind": "level", "outside": rate(15, 20), "before": None, "difference": -0.45}
    baseline = {**inside, "kind": "baseline", "outside": None, "before": rate(20, 20), "difference": -0.75}
    canvas.draw("drawSlices", [level, baseline])
    middle = "(element.getBoundingClientRect().left + element.getBoundingClientRect().right) / 2"
    zero, half, whole = canvas.all("tr:nth-child(1) .column .grid", middle)
    assert half - zero == pytest.approx(whole - half, abs=0.1)
    for selector, value in (("tr:nth-child(1) .inside", 0.25), (".outside", 0.75), (".column .before", 1.0)):
        at = canvas.one(
            f".column {selector.removeprefix('.column ')}" if not selector.startswith("tr") else selector, middle
        )
        assert (at - zero) / (whole - zero) == pytest.approx(value, abs=0.005)
    rows = canvas.rows(".rows")
    assert rows[0][2:] == ["25.0 %of 20 samples", "75.0 %of 20 outside", "−45.0 points", "p = 0.010"]
    assert rows[1][3] == "100.0 %of 20 in the baseline"


def horizon(value: float | None, low: float | None, high: float | None, bound: str = "") -> Plain:
    return {"value": value, "low": low, "high": high, "bound": bound, "rate": 0.5}


def curve(measure: str, rates: dict[int, float], half: Plain, method: str = "logistic", fit_p: float = 0.4) -> Plain:
    points = [{"size": size, "rate": one, "low": one - 0.1, "high": one + 0.1} for size, one in rates.items()]
    return {
        "measure": measure, "method": method, "scale": "linear", "fitP": fit_p, "lapse": 0.01,
        "guess": 0.0, "chance": 0.0, "formulas": 120,
        "horizon": {"50": half, "80": horizon(1.5, None, 2.04)}, "points": points,
    }  # fmt: skip


def test_beneath_a_flat_curve_stands_no_interval(canvas: Canvas) -> None:
    flat = curve("operators", {0: 0.5, 4: 0.5, 8: 0.5}, horizon(None, None, None, "not known"))
    draw_suites(canvas, [suite({0: rate(20, 40), 4: rate(20, 40), 8: rate(20, 40)}, curves=[flat])])
    assert canvas.one(".horizon-label") == "not known"
    assert canvas.count("path.horizon") == 0


def test_a_curve_lies_over_the_points_with_its_horizon_beneath(canvas: Canvas) -> None:
    sizes = {0: rate(40, 40), 4: rate(22, 40), 8: rate(1, 40)}
    falls = curve("operators", {0: 0.9, 4: 0.5, 8: 0.1}, horizon(4.0, 3.5, 4.75))
    steps = curve("depth", {1: 0.8, 2: 0.7, 3: 0.6}, horizon(None, 3, None, "above"), "isotonic", 0.0001)
    draw_suites(canvas, [suite(sizes, curves=[falls, steps])])
    (left, _), (middle, half), (right, _) = numbers(
        canvas.one("path.line:not(.tone-muted)", "element.getAttribute('d')").replace("C", "L")
    )[::3]
    assert middle - left == pytest.approx(right - middle)
    assert [float(canvas.one(".drop", f"element.getAttribute('{end}')")) for end in ("x1", "y1")] == [middle, half]
    (from_, _), _, _ = numbers(canvas.one(".horizon", "element.getAttribute('d')"))
    to = float(canvas.one(".horizon", "element.getAttribute('d')").partition("H")[2].partition("M")[0])
    assert [(from_ - left) / (right - left) * 8, (to - left) / (right - left) * 8] == pytest.approx([3.5, 4.75])
    assert canvas.one(".horizon-label") == "4.0 (3.5–4.8)"
    label = canvas.one("[role=slider]", "element.getAttribute('aria-label')")
    assert label.endswith("; horizon at 50 % 4.0 (3.5–4.8) operators")
    said = canvas.one("[role=slider]", "element.getAttribute('aria-valuetext')")
    assert said == "operators 0: 100.0 %, 40 of 40, curve 90.0 % (80.0–100.0 %)"
    assert canvas.count(".chart-measured .about") == 0

    canvas.page.value(
        """(() => {
          const choice = document.querySelector("#canvas figcaption select");
          choice.value = "depth";
          choice.dispatchEvent(new Event("change"));
          document.querySelector("#canvas .chart-numbers").open = true;
        })()"""
    )
    assert canvas.one(".axes .axis-name") == "depth"
    assert canvas.one(".horizon-label") == "> 3"
    assert canvas.count(".drop") == 0, "a bound has no place"
    assert "isotonic" in canvas.one(".chart-measured .about")
    canvas.page.until("document.querySelector('#canvas .chart-numbers table')")
    assert canvas.rows(".chart-numbers")[0] == [
        "gpt", "> 3", "1.5 (…–2.0)", "isotonic", "p < 0.001", "1.0 %", "0.0 %", "120",
    ]  # fmt: skip
    assert canvas.rows(".chart-numbers")[1] == ["1", "gpt", "–", "–", "–", "–", "80.0 % (70.0–90.0 %)"]


LARGE, SMALL = "maker/large", "maker/small"


def two_models() -> Plain:
    """Suite a, on which the large model is significantly better; b, without a difference; c of the small one alone."""
    sizes = {2: rate(30, 40), 40: rate(10, 40)}
    suites = [
        suite({2: rate(passed, 40), 40: rate(passed, 40)}, f"s.py::test_{name}", model, threshold=0.5)
        for name, large, small in (("a", 36, 20), ("b", 24, 24))
        for model, passed in ((LARGE, large), (SMALL, small))
    ]
    suites.append(suite(sizes, "s.py::test_c", SMALL))
    cells = {
        ("s.py::test_a", LARGE): cell(suites[0], "passed", horizon=horizon(None, 31.2, None, "above")),
        ("s.py::test_a", SMALL): cell(
            suites[1], "failed", horizon=horizon(14.2, 12.25, 16.5), worseThan=[LARGE], rate=0.5
        ),
    }
    better = {
        "first": LARGE, "second": SMALL, "pairs": 80, "won": 25, "lost": 5,
        "difference": 0.4, "low": 0.1, "high": 0.5, "p": 0.0002, "pCorrected": 0.0004, "significant": True,
    }  # fmt: skip
    # The better model of a suite comes first, which may be the second one of the matrix.
    turned = {**better, "first": SMALL, "second": LARGE, "difference": 0.05, "low": -0.1, "high": 0.2, "won": 0,
              "significant": False}  # fmt: skip
    standing = {
        "models": [
            {"model": LARGE, "meanRank": 1.0, "low": 1.0, "high": 1.5, "suites": 2},
            {"model": SMALL, "meanRank": 2.0, "low": 1.5, "high": 2.0, "suites": 2},
        ],
        "suites": [{"suite": "s.py::test_a", "pairs": [better]}, {"suite": "s.py::test_b", "pairs": [turned]}],
        "notes": ["maker/large has no answers in test_c"],
    }
    gates = [
        {"suite": "s.py::test_a", "model": LARGE, "kind": "threshold", "state": "passed", "reason": "it is above"},
        {"suite": "s.py::test_a", "model": SMALL, "kind": "threshold", "state": "failed", "reason": "it is below"},
        {"suite": "s.py::test_a", "model": SMALL, "kind": "baseline", "state": "inconclusive", "reason": "too few"},
    ]
    means = [{"mean": 0.75, "low": 0.7, "high": 0.8}, {"mean": 0.55, "low": None, "high": None}]
    drawn = report(suites, cells, standing=standing, gates=gates)
    drawn["matrix"] |= {"common": "maker/", "labels": ["large", "small"]}
    drawn["matrix"]["allSuites"] = {"suites": ["a", "b"], "leftOut": ["test_c"], "means": means}
    return drawn


def test_a_cell_of_the_matrix_has_the_rate_as_a_bar_and_in_figures_with_its_horizon(canvas: Canvas) -> None:
    canvas.draw("drawMatrix", two_models())
    assert canvas.one("caption") == "maker/…"
    assert canvas.all("thead .model-mark") == ["large", "small"]
    assert canvas.all("thead .model-mark", "element.title") == [LARGE, SMALL]
    interval = PassRate(40, 0, 80).interval()
    figures = canvas.all("tbody tr:nth-child(1) .figures")
    assert figures[1] == f"50.0 % {percent(interval.low)}–{percent(interval.high)} %▼ worsehorizon 14.2 (12.2–16.5)", (
        "a tie is rounded as in the terminal"
    )
    assert figures[0].endswith("%horizon > 40 (31.2–…)"), "it is not worse"
    track, share = (
        canvas.all(f"tbody tr:nth-child(1) .bar .{part}", "element.getBoundingClientRect()")[1]
        for part in ("track", "share")
    )
    whisker = canvas.all("tbody tr:nth-child(1) .bar line.interval", "element.getBoundingClientRect()")[1]
    threshold = canvas.all("tbody tr:nth-child(1) .bar .threshold", "element.getBoundingClientRect()")[1]
    assert share["width"] == pytest.approx(track["width"] / 2, abs=0.1)
    for end, value in (("left", interval.low), ("right", interval.high)):
        assert (whisker[end] - track["left"]) / track["width"] == pytest.approx(value, abs=0.01)
    assert threshold["left"] - track["left"] == pytest.approx(track["width"] / 2, abs=0.6)
    rows = canvas.all("tbody tr:not(.opened)", "[...element.cells].map((cell) => cell.innerText)")
    assert "did not run" in rows[2][1]
    assert [row[3] for row in rows] == ["+40.0\n+10.0 to +50.0", "−5.0\n−20.0 to +10.0", "–"]
    assert canvas.all(".difference b") == ["+40.0"], "significant differences are bold"
    assert [cell.strip() for cell in canvas.all("tfoot .figures")] == [
        "75.0 % 70.0–80.0 %mean rank 1.00 (1.00–1.50)",
        "55.0 % mean rank 2.00 (1.50–2.00)",
    ]
    assert canvas.all(".legend li") == [
        "maker/large has no answers in test_c",
        "The row “All suites” leaves out test_c",
    ]


def test_a_sign_opens_its_reasons_by_mouse_and_by_keys(canvas: Canvas) -> None:
    canvas.draw("drawMatrix", two_models())
    assert canvas.all(".rate .state", "element.textContent") == ["✓passed", "✗failed"], (
        "without a gate there is no sign"
    )
    assert canvas.count(".why:not([hidden])") == 0
    canvas.page.value("document.querySelectorAll('#canvas .rate .state')[1].focus()")
    canvas.page.press("\ue007")  # enter
    assert canvas.all(".why:not([hidden]) span") == ["it is below", "Against the baseline: too few"]
    assert canvas.all(".rate .state", "element.getAttribute('aria-expanded')") == ["false", "true"]
    why = canvas.one(".why:not([hidden])", "element.id")
    assert canvas.all(".rate .state", "element.getAttribute('aria-controls')")[1] == why
    canvas.page.press("\ue007")
    assert canvas.count(".why:not([hidden])") == 0
    assert [text.partition(":")[0] for text in canvas.all(".legend > p")][:5] == [
        "✓passed",
        "✗failed",
        "No sign",
        "▼ worse",
        "Difference",
    ]


def test_the_matrix_is_sorted_by_suite_by_a_model_and_by_a_difference(canvas: Canvas) -> None:
    canvas.draw("drawMatrix", two_models())

    def order() -> str:
        return "".join(name[-1] for name in canvas.all("tbody tr:not(.opened) .function"))

    def press(column: int) -> None:
        canvas.page.value(f"document.querySelectorAll('#canvas .sort')[{column}].focus()")
        canvas.page.press("\ue007")

    orders = {0: ("abc", "cba", "abc"), 1: ("bac", "abc", "abc"), 2: ("acb", "bac", "abc"), 3: ("bac", "abc", "abc")}
    for column, wanted in orders.items():
        for way, letters in zip(("ascending", "descending", "none"), wanted, strict=True):
            press(column)
            assert order() == letters, (column, way)
            sorts = canvas.all("thead th", "element.getAttribute('aria-sort')")
            assert sorts == [way if place == column else "none" for place in range(4)]
    press(2)
    press(0)
    assert canvas.all("thead th", "element.getAttribute('aria-sort')") == ["ascending", "none", "none", "none"]


def test_the_difference_of_any_two_models_is_shown(canvas: Canvas) -> None:
    suites = [suite({1: rate(1, 2)}, name, model) for name in ("a", "b") for model in ("x", "y", "z")]
    pair = {
        "pairs": 2,
        "low": -0.5,
        "high": 0.5,
        "won": 0,
        "lost": 0,
        "p": 1.0,
        "pCorrected": 1.0,
        "significant": False,
    }
    pairs = [
        {**pair, "first": "y", "second": "x", "difference": 0.1},
        {**pair, "first": "y", "second": "z", "difference": 0.3},
    ]
    standing = {"models": [], "suites": [{"suite": "a", "pairs": pairs}, {"suite": "b", "pairs": pairs}]}
    canvas.draw("drawMatrix", report(suites, standing=standing))
    assert canvas.all("thead option") == ["x − y", "x − z", "y − z"]
    assert canvas.all("tbody .difference", "element.firstChild.textContent") == ["−10.0", "−10.0"]
    canvas.page.value(
        """(() => {
          const choice = document.querySelector("#canvas thead select");
          choice.selectedIndex = 2;
          choice.dispatchEvent(new Event("change"));
        })()"""
    )
    assert canvas.all("tbody .difference", "element.firstChild.textContent") == ["+30.0", "+30.0"]


def test_a_row_opens_what_is_known_of_its_suite(canvas: Canvas) -> None:
    canvas.draw("drawMatrix", two_models())
    assert canvas.count(".opened:not([hidden])") == 0
    canvas.page.value("document.querySelector('#canvas .opener').focus()")
    canvas.page.press("\ue007")
    assert (
        canvas.one(".opened:not([hidden])", "element.id")
        == canvas.all(".opener", "element.getAttribute('aria-controls')")[0]
    )
    assert canvas.all(".opened .reasons li", "element.innerText.replace(/\\s+/g, ' ')") == [
        "✗ failed small it is below",
        "? inconclusive small Against the baseline: too few",
        "✓ passed large it is above",
    ]
    assert (
        canvas.rows(".ended")[1][2]
        == "40 equivalent 50.0 %40 different 50.0 %2 calls (1 answered by recordings), 3 tokens in, 4 out, $0.50"
    )
    assert canvas.one(".opened p a", "element.hash") == "#suite=s.py%3A%3Atest_a"
    assert canvas.one(".opened p a") == "Show the 160 samples"
    assert [cells[1:] for cells in canvas.rows(".scrolled")] == [
        ["+40.0", "+10.0 to +50.0", "80", "25", "5", "p < 0.001", "yes"]
    ]
    (won, lost) = canvas.all(".opened .scrolled a", "element.hash")
    assert won == "#suite=s.py%3A%3Atest_a&model=maker%2Fsmall&outcome=model+failure&right=maker%2Flarge"
    assert "right=maker%2Fsmall" in lost
    canvas.page.press("\ue007")
    assert canvas.count(".opened:not([hidden])") == 0
    canvas.page.value("document.querySelectorAll('#canvas .opener').forEach((one) => one.click())")
    assert canvas.all(".opened .chart-key .threshold", "1") == [1, 1], "each key has its own drawing"


def test_a_suite_without_answers_and_one_that_did_not_run_say_so(canvas: Canvas) -> None:
    drawn = report([suite({1: rate(1, 2)}, "a", "x"), suite({1: rate(1, 2)}, "a", "y"), suite({}, "b", "x")])
    canvas.draw("drawMatrix", drawn)
    assert canvas.all("tbody .figures")[2:] == ["no answer", "did not run"]
    canvas.page.value("document.querySelectorAll('#canvas .opener').forEach((one) => one.click())")
    assert canvas.all(".opened p a") == ["Show the 4 samples"]


def test_the_matrix_of_readers_shows_its_rates(canvas: Canvas) -> None:
    rates = [[rate(9, 10), None], [rate(4, 10), rate(0, 10)]]
    models = ["maker/plain", "maker/vague"]
    matrix = {"suite": "s.py::test_a", "describers": models, "readers": models, "rates": rates}
    canvas.draw("drawReaders", [{**matrix, "findings": ["vague loses it."]}])
    assert canvas.rows(".heat") == [["maker/plain", "90.0 %of 10", "–"], ["maker/vague", "40.0 %of 10", "0.0 %of 10"]]
    assert canvas.all(".heat td.right", "element.style.getPropertyValue('--weight')") == ["54%", "24%", "0%"]
    assert canvas.one("li") == "vague loses it."
