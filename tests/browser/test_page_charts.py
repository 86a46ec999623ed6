"""The charts of the page show the numbers that they are given, to the eye, in words, and by keys."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support.page_canvas import Canvas

from pytest_autoeval.reporting.text import percent
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.statistics.classification import Confusion

Plain = dict[str, Any]


def rate(passed: int, total: int, undecided: int = 0) -> Plain:
    counted = PassRate(passed, undecided, total)
    interval = counted.interval()
    return {
        "passed": passed,
        "undecided": undecided,
        "total": total,
        "lower": counted.lower,
        "upper": counted.upper,
        "low": interval.low,
        "high": interval.high,
    }


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
        "verdict": "reported",
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


def draw_suites(canvas: Canvas, suites: list[Plain]) -> None:
    """Draws suites of one name, and waits until what is open has been filled."""
    canvas.draw("drawSuites", suites)
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
    assert canvas.all(".models tbody th") == models
    looks = canvas.all(".models tbody th path", "element.getAttribute('d') + element.classList.contains('hollow')")
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
    canvas.page.value("document.querySelector('#canvas .chart-numbers').open = true")
    canvas.page.until("document.querySelector('#canvas .chart-numbers table')")
    assert canvas.rows(".chart-numbers")[1][:2] == ["2", str(matrix.true_positive)]


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
        "p": 0.0002,
        "pCorrected": 0.0004,
        "drop": 0.05,
        "verdict": "failed",
        "reason": "it dropped",
        **more,
    }


def test_a_difference_lies_between_worse_and_better(canvas: Canvas) -> None:
    nothing = comparison(difference=None, low=None, high=None, p=None, pCorrected=None, pairs=0, verdict="inconclusive")
    canvas.draw(
        "drawComparisons",
        [
            comparison(horizon={"verdict": "passed", "reason": "it carries as far"}),
            comparison(difference=0.004, low=-0.02, high=0.03, pCorrected=1.0),
            nothing,
        ],
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
    assert rows[0][2:5] == ["−20.0 points−40.0 to 0.0", "20 pairs1 won, 5 lost, 14 tied", "p < 0.001"]
    assert rows[1][2] == "+0.4 points−2.0 to +3.0"
    assert rows[2][2:5] == ["– points", "0 pairs", "–"]
    assert rows[0][5] == "✗failedHorizon: ✓passed"
    assert canvas.one("p.model") == "new against old", "the models are named once where they are always the same"
    assert canvas.count("tr:nth-child(3) .column .mark") == 0, "what is not known has no place"


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
    return {"value": value, "low": low, "high": high, "bound": bound, "rate": 0.5, "mayGuess": False}


def curve(measure: str, rates: dict[int, float], half: Plain, method: str = "logistic", fit_p: float = 0.4) -> Plain:
    points = [{"size": size, "rate": one, "low": one - 0.1, "high": one + 0.1} for size, one in rates.items()]
    return {
        "measure": measure, "method": method, "scale": "linear", "fitP": fit_p, "lapse": 0.01,
        "guess": 0.0, "chance": 0.0, "formulas": 120,
        "horizon": {"50": half, "80": horizon(1.5, None, 2.04)}, "points": points,
    }  # fmt: skip


def test_a_curve_lies_over_the_points_with_its_horizon_beneath(canvas: Canvas) -> None:
    sizes = {0: rate(40, 40), 4: rate(22, 40), 8: rate(1, 40)}
    falls = curve("operators", {0: 0.9, 4: 0.5, 8: 0.1}, horizon(4.0, 3.5, 4.75))
    steps = curve("depth", {1: 0.8, 2: 0.7, 3: 0.6}, horizon(None, None, None, "above"), "isotonic", 0.0001)
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


def test_the_rate_of_an_adaptive_run_is_told_to_be_fitted(canvas: Canvas) -> None:
    draw_suites(canvas, [suite({1: rate(1, 2)}, fittedRate={"rate": 0.75, "low": 0.7, "high": 0.8})])
    assert canvas.one("summary .rated") == "75.0 % fitted70.0–80.0 %"


def test_models_stand_side_by_side_on_each_suite(canvas: Canvas) -> None:
    names = ["maker/large", "maker/small"]
    sizes = {2: rate(30, 40), 40: rate(10, 40)}
    suites = [suite(sizes, one, model) for one in ("s.py::test_a", "s.py::test_b") for model in names]
    models = [
        {"model": names[0], "rate": rate(60, 80), "horizon": horizon(None, 31.2, None, "above")},
        {"model": names[1], "rate": rate(40, 80), "horizon": horizon(14.2, 12.0, 16.5)},
    ]
    better = {
        "first": names[0], "second": names[1], "pairs": 80, "won": 25, "lost": 5,
        "difference": 0.25, "low": 0.1, "high": 0.4, "p": 0.0002, "pCorrected": 0.0004, "significant": True,
    }  # fmt: skip
    apart = {**dict.fromkeys(better), "first": names[0], "second": names[1], "pairs": 0, "won": 0, "lost": 0}
    model_comparison = {
        "models": [
            {"model": names[0], "meanRank": 1.0, "low": 1.0, "high": 1.5, "suites": 2},
            {"model": names[1], "meanRank": 2.0, "low": 1.5, "high": 2.0, "suites": 2},
        ],
        "suites": [
            {"suite": "s.py::test_a", "models": models, "pairs": [better]},
            {"suite": "s.py::test_b", "models": [models[1], {**models[0], "horizon": None}], "pairs": [apart]},
        ],
    }
    suites[-1]["fittedRate"] = {"rate": 0.375, "low": 0.3, "high": 0.45}  # of the small model, in the second suite
    canvas.draw("drawStanding", {"standing": model_comparison, "suites": suites})
    canvas.page.until("document.querySelectorAll('#canvas .line .scrolled').length === 2")
    assert "large 75.0 %, small 50.0 %; 1 of 1 difference" in canvas.one("details:nth-of-type(1) summary")
    assert "small 37.5 %, large 75.0 %" in canvas.one("details:nth-of-type(2) summary")
    assert [cells[0::2] for cells in canvas.rows(".rows")[:2]] == [
        ["maker/large", "1.001.00–1.50"],
        ["maker/small", "2.001.50–2.00"],
    ]
    interval = PassRate(60, 0, 80).interval()
    rates = f"75.0 %{percent(interval.low)}–{percent(interval.high)} %"
    assert [cells[2:] for cells in canvas.rows("details:nth-of-type(1) .rows")] == [
        [rates, "> 40 (31.2–…) operators", "maker/small"],
        ["50.0 %39.3–60.7 %", "14.2 (12.0–16.5) operators", "–"],
    ]
    assert [cells[1:] for cells in canvas.rows("details:nth-of-type(1) .scrolled")] == [
        ["+25.0", "+10.0 to +40.0", "80", "25", "5", "p < 0.001", "yes"]
    ]
    (won, lost) = canvas.all("details:nth-of-type(1) .scrolled a", "element.hash")
    assert won == "#suite=s.py%3A%3Atest_a&model=maker%2Fsmall&outcome=model+failure&right=maker%2Flarge"
    assert "right=maker%2Fsmall" in lost
    assert [cells[2:] for cells in canvas.rows("details:nth-of-type(2) .rows")][1] == [rates, "–", "–"]
    assert canvas.rows("details:nth-of-type(2) .scrolled")[0][1:] == [*["–"] * 2, *["0"] * 3, "–", "no"]


def test_the_matrix_of_readers_and_the_survival_over_hops_show_their_rates(canvas: Canvas) -> None:
    rates = [[rate(9, 10), None], [rate(4, 10), rate(0, 10)]]
    models = ["maker/plain", "maker/vague"]
    matrix = {"suite": "s.py::test_a", "describers": models, "readers": models, "rates": rates}
    canvas.draw("drawReaders", [{**matrix, "findings": ["vague loses it."]}])
    assert canvas.all(".heat tbody th", "element.title") == models
    assert canvas.rows(".heat") == [["plain", "90.0 %of 10", "–"], ["vague", "40.0 %of 10", "0.0 %of 10"]]
    assert canvas.all(".heat td.right", "element.style.getPropertyValue('--weight')") == ["54%", "24%", "0%"]
    assert canvas.one("li") == "vague loses it."
    hops = [{"hop": hop, "rate": rate(passed, 20)} for hop, passed in ((1, 18), (2, 14), (3, 9))]
    draw_suites(canvas, [suite({}, hops=hops)])
    heights = [y for _, y in numbers(canvas.one("path.line", "element.getAttribute('d')"))]
    assert heights == sorted(heights)
    assert "45.0 % (" in canvas.one("[role=slider]", "element.getAttribute('aria-label')")
