"""The colours of the page have contrast enough, in light and in dark."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

_PAPERS = ("paper", "panel", "wash")
_TEXTS = ("ink", "muted", "accent", "good", "bad", "warn", "undecided")
_SIGNS = ("edge", *(f"series-{number}" for number in range(1, 9)))
_COLOUR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")


def palette(theme: str) -> dict[str, str]:
    style = files("pytest_autoeval.reporting.page").joinpath("palette.css").read_text("utf-8")
    return {name: light if theme == "light" else dark for name, light, dark in _COLOUR.findall(style)}


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2.2."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("colours", "least"), [(_TEXTS, 4.5), (_SIGNS, 3.0)], ids=["texts", "signs"])
def test_contrast_is_enough_on_every_paper(theme: str, colours: tuple[str, ...], least: float) -> None:
    known = palette(theme)
    poor = {
        f"{name} on {paper}": round(found, 2)
        for name in colours
        for paper in _PAPERS
        if (found := contrast(known[name], known[paper])) < least
    }
    assert not poor
