"""An empty page with all scripts, on which a test draws."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from pytest_autoeval.judging.gates import Rules
from pytest_autoeval.report.page import render_page
from support.analyses import analyse

#: Opens the page of some HTML, perhaps at a hash.
PageOf = Callable[..., Any]
_DRAW = """
const canvas = document.createElement("section");
canvas.className = "drawing";
canvas.id = "canvas";
document.getElementById("canvas")?.remove();
document.querySelector("main").prepend(canvas);
autoeval[arguments[0]](canvas, arguments[1]);
"""


@cache
def empty_page() -> str:
    """The page of a run without samples."""
    return render_page(analyse([], Rules()))


class Canvas:
    """The result of a drawing function of the page."""

    def __init__(self, page_of: PageOf) -> None:
        self.page = page_of(empty_page())

    def draw(self, function: str, data: Any) -> None:
        """Calls a function of ``autoeval`` with an element of the page, and data."""
        self.page.browser.execute_script(_DRAW, function, data)

    def all(self, selector: str, of: str = "element.textContent") -> list[Any]:
        """The value of an expression for every ``element`` of the drawing that a selector finds."""
        found: list[Any] = self.page.value(
            f"[...document.querySelectorAll({json.dumps(f'#canvas {selector}')})].map((element) => {of})"
        )
        return found

    def one(self, selector: str, of: str = "element.textContent") -> Any:
        """The value for the only such element."""
        (found,) = self.all(selector, of)
        return found

    def count(self, selector: str) -> int:
        """The number of elements of the drawing that a selector finds."""
        return len(self.all(selector, "0"))

    def rows(self, selector: str) -> list[list[str]]:
        """The texts of the cells of a table's body."""
        found: list[list[str]] = self.all(f"{selector} tbody tr", "[...element.cells].map((cell) => cell.textContent)")
        return found

    def open_numbers(self) -> list[list[str]]:
        """Opens the table beside a chart; gives its cells."""
        self.page.value("document.querySelector('#canvas .chart-numbers').open = true")
        self.page.until("document.querySelector('#canvas .chart-numbers table')")
        return self.rows(".chart-numbers")
