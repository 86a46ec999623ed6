"""The trends of a page: points at their rates, falls that are marked and said, and all numbers in a table."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from support.analyses import analyse
from support.page_canvas import Canvas, PageOf

from pytest_autoeval.judging.gates import Rules
from pytest_autoeval.report.page import render_page

FELL = "2026-01-03 (night-3): −40.0 points against the run before (20 pairs, p 0.001)"
Plain = dict[str, Any]


def point(run: int, passed: int, horizon: float | None = None, **more: Any) -> Plain:
    rate = passed / 20
    ends = {"low": max(0.0, rate - 0.1), "high": min(1.0, rate + 0.1)}
    reached = {"value": horizon, "low": 1.5, "high": None, "bound": "", "least": 1, "largest": 8}
    return {
        "run": run,
        "rate": {"lower": rate, "upper": rate, **ends, "passed": passed, "samples": 20, "total": 20},
        "horizon": None if horizon is None else reached,
        "errors": 0,
        "doubt": "",
        "fell": "",
        **more,
    }


def trend(points: list[Plain], **more: Any) -> Plain:
    named = {"suite": "suites/test_a.py::test_b", "model": "gpt", "unit": "operators", "baseline": None}
    return {**named, "points": points, **more}


def history(*trends: Plain, runs: int = 4) -> Plain:
    made = [{"name": f"night-{number}", "date": f"2026-01-{number:02}", "started": ""} for number in range(1, runs + 1)]
    return {"runs": made, "trends": list(trends), "notes": ["dated by the start that the results name"]}


FALLING = trend([point(0, 20), point(1, 19), point(2, 11, fell=FELL), point(3, 10)])


def opened(canvas: Canvas, data: Plain) -> None:
    canvas.draw("drawTrends", data)
    canvas.page.until("document.querySelector('#canvas svg.trend')")


def test_points_lie_at_their_rates_and_runs_are_in_order(canvas: Canvas) -> None:
    opened(canvas, history(FALLING))
    points = canvas.all("circle.under", "[Number(element.getAttribute('cx')), Number(element.getAttribute('cy'))]")
    xs, ys = zip(*points, strict=True)
    assert [b - a for a, b in pairwise(xs)] == pytest.approx([xs[1] - xs[0]] * 3)
    assert ys[0] < ys[1] < ys[2] < ys[3]
    assert (ys[3] - ys[0]) / (ys[1] - ys[0]) == pytest.approx(10)


def test_a_fall_is_marked_at_its_run_and_said_in_words(canvas: Canvas) -> None:
    opened(canvas, history(FALLING))
    at = canvas.all("circle.under", "element.getAttribute('cx')")[2]
    assert canvas.one("svg.trend line.fall", "element.getAttribute('x1')") == at
    assert f"fell on {FELL}" in canvas.one(".folded > ul > li")
    label = canvas.one("svg.trend", "element.getAttribute('aria-label')")
    assert f"fell on {FELL}" in label
    assert "100.0 % (90.0–100.0 %) on 2026-01-01" in label
    assert canvas.all("circle.under title")[2].splitlines() == [
        "2026-01-03 night-3",
        "55.0 % (45.0–65.0 %)",
        f"fell on {FELL}",
    ]
    assert "a significant fall begins" in canvas.one(".chart-key")


def test_without_a_fall_nothing_is_marked_and_nothing_said_of_one(canvas: Canvas) -> None:
    opened(canvas, history(trend([point(0, 20), point(1, 20)]), runs=2))
    assert canvas.count(".fall") == 0
    assert "significant" not in canvas.one(".chart-key")
    assert "no fall" in canvas.one("summary:has(.rated)")


def test_the_baseline_is_a_line_at_its_rate(canvas: Canvas) -> None:
    opened(canvas, history(trend([point(0, 20), point(1, 18)], baseline=point(-1, 18))))
    assert (
        canvas.one("svg.trend line.threshold", "element.getAttribute('y1')")
        == (canvas.all("circle.under", "element.getAttribute('cy')")[1])
    )


def test_models_that_come_and_go_have_their_own_lines_and_horizons_a_chart(canvas: Canvas) -> None:
    one = trend([point(0, 20, 7.5), point(3, 19, 3.25)])
    other = trend([point(1, 12, 4.0), point(2, 12, 4.0, doubt="stopped early")], model="llama")
    opened(canvas, history(one, other))
    assert canvas.count("svg.trend") == 2
    assert canvas.count("svg.trend path.line") == 4
    assert canvas.count("svg.trend .hollow") == 2
    rows = canvas.open_numbers()
    assert rows[1] == ["2026-01-04", "night-4", "gpt", "95.0 %", "85.0–100.0 %", "19 of 20", "0", "3.2 (1.5–…)", ""]
    assert rows[3][-1] == "not compared: stopped early"


def test_a_horizon_that_is_not_known_is_said_and_not_drawn(canvas: Canvas) -> None:
    last = point(1, 18, 4.0)
    last["horizon"] |= {"value": None, "low": None, "bound": "not known"}
    opened(canvas, history(trend([point(0, 20, 7.5), last])))
    assert canvas.all("svg.trend", "element.querySelectorAll('circle.under').length") == [2, 1]
    assert canvas.open_numbers()[1][7] == "not known"


def test_hundreds_of_runs_have_bands_and_few_dates(canvas: Canvas) -> None:
    opened(canvas, history(trend([point(run, 15 + run % 3) for run in range(300)]), runs=300))
    assert canvas.count("svg.trend path.band") == 1
    assert len([text for text in canvas.all("svg.trend .axes text") if text.startswith("2026-")]) <= 6


def test_the_section_of_a_page_fits_every_window(page_of: PageOf) -> None:
    hostile = "</script><b>x\x1b[31m\u202e" * 3
    data = history(FALLING, trend([point(0, 20), point(3, 1, fell=hostile)], suite=hostile, model=hostile))
    page = page_of(render_page(analyse([], Rules()), trends=data))
    for width in (320, 390, 1280):
        page.size(width)
        page.open()
        page.until("document.querySelectorAll('#trends svg.trend').length === 2")
        assert page.value("document.documentElement.scrollWidth <= innerWidth"), width
    assert "Trends" in page.texts("#sections a")
    assert page.value("document.querySelectorAll('#trends b b, #trends script').length") == 0
