"""The page writes figures as every other screen does."""

from __future__ import annotations

import random
from typing import Any, get_args

import msgspec
from support.page_canvas import Canvas

from pytest_autoeval.record.figures import Bound, Figure, Unit, figure_text, heading_text

UNITS: tuple[Unit, ...] = get_args(Unit)
MEASURES = {"size": ("", "operators", "depth", "quantifier_depth"), "count": ("", "sample")}
#: Values at which a rule of some unit changes, and ties, of which binary fractions are exact ones.
EDGES = (
    0.0,
    1.0,
    0.5,
    0.0625,
    0.1875,
    0.15,
    0.25,
    0.35,
    0.00005,
    0.0001,
    0.01,
    0.00999,
    0.00995,
    0.0005,
    0.9995,
    0.99951,
    1e-9,
    1 - 1e-9,
    0.7499999999999999,
    0.125,
    0.375,
    0.005,
    0.015,
    2.5,
    3.5,
    0.45,
    1.005,
    12.345,
    59.5,
    89.5,
    89.99,
    90,
    150,
    3569,
    3570,
    3600,
    7230,
    999.5,
    1000,
    1234.5,
    999_999.995,
    1234567.25,
    10**9,
    10**12,
    1e15 + 0.5,
)


def figures() -> list[Figure]:
    """Figures of all units: at the edges of the rules, and at random ones with intervals and bounds."""
    chance = random.Random(44)
    made = [Figure("edge", value, unit) for unit in UNITS for value in EDGES]
    made += [
        Figure("edge", -value, unit) for unit in ("points", "number") for value in EDGES if value
    ]
    for number in range(2_000):
        unit = UNITS[number % len(UNITS)]
        values = sorted(_value(unit, chance) for _ in range(4))
        some: dict[str, Any] = {"value": values[1]}
        some |= {
            end: values[place] for end, place in (("low", 0), ("high", 3)) if chance.random() < 0.6
        }
        if unit == "rate" and chance.random() < 0.3:
            some["upper"] = values[2]
        if unit != "size" and chance.random() < 0.2:
            some["deviation"] = abs(values[2] - values[1])
        if unit == "size" and chance.random() < 0.5:
            some |= {
                "bound": chance.choice(get_args(Bound)),
                "value": float(round(values[1]) % 1000),
            }
        if chance.random() < 0.05:
            some["value"] = None
        if unit in {"rate", "points"} and chance.random() < 0.1:
            some |= {"given": True, "value": round(values[1], 4)}
        if unit == "rate" and chance.random() < 0.3:
            some["decimals"] = chance.randrange(1, 7)
        measure = chance.choice(MEASURES.get(unit, ("",)))
        confidence = chance.choice([0.95, 0.9875, 0.99999, 0.9, 0.98333])
        made.append(Figure("name", unit=unit, measure=measure, confidence=confidence, n=7, **some))
    return made


def _value(unit: Unit, chance: random.Random) -> float:
    if unit in {"rate", "p"}:
        return chance.choice([chance.random(), chance.randrange(81) / 80, chance.random() ** 12])
    if unit == "points":
        return chance.choice([chance.uniform(-1, 1), chance.randrange(-80, 81) / 80])
    if unit == "number":
        return chance.choice(
            [chance.uniform(-9, 9), chance.randrange(-99, 99) / 8, chance.uniform(-1e7, 1e7)]
        )
    return chance.choice(
        [
            chance.random(),
            chance.uniform(0, 200),
            chance.randrange(9999) / 4,
            chance.uniform(0, 1e7),
        ]
    )


def test_a_figure_of_every_unit_has_the_text_of_all_other_screens(canvas: Canvas) -> None:
    for is_measured in (True, False):
        given = [figure for figure in figures() if str(figure.value) != "-0.0"]
        called = "arguments[0].map((figure) => autoeval.figureText(figure, arguments[1]))"
        shown = canvas.page.browser.execute_script(
            f"return {called}", msgspec.to_builtins(given), is_measured
        )
        wanted = [figure_text(figure, measure=is_measured) for figure in given]
        assert {
            (one, text)
            for one, text, right in zip(given, shown, wanted, strict=True)
            if text != right
        } == set()


def test_a_figure_has_the_heading_of_all_other_screens(canvas: Canvas) -> None:
    given = figures()
    shown = canvas.page.browser.execute_script(
        "return arguments[0].map((figure) => autoeval.headingText(figure))",
        msgspec.to_builtins(given),
    )
    assert shown == [heading_text(figure) for figure in given]
