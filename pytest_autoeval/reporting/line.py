"""A line of the summary, with what it is to look like."""

from __future__ import annotations

from typing import Literal, NamedTuple

Style = Literal["plain", "good", "bad", "warn", "dim", "title"]


class Line(NamedTuple):
    """A line of text, without its end, and its style."""

    text: str
    style: Style = "plain"
