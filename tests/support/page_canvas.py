"""An empty page with all scripts, on which a test draws, and pages of some blocks."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from pytest_autoeval.report.blocks import AnyBlock, Section
from support.page_documents import document, page_html, section

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
    return page_html([])


class Canvas:
    """What the page has drawn: a witness, or the blocks of a document."""

    def __init__(self, page_of: PageOf) -> None:
        self._page_of = page_of
        self.page = page_of(empty_page())
        self._root = "#canvas"

    def draw(self, function: str, data: Any) -> None:
        """Calls a function of ``autoeval`` with an element of the page, and data."""
        self.page.browser.execute_script(_DRAW, function, data)

    def show(self, *blocks: AnyBlock) -> None:
        """Opens a page whose document has one section with these blocks."""
        self.show_sections(section(*blocks))

    def show_sections(self, *sections: Section) -> None:
        """Opens a page whose document has these sections, and waits until its charts are drawn."""
        self._root = "#overview-sections"
        self.page = self._page_of(page_html([], document(*sections)))
        self.wait()

    def wait(self) -> None:
        """Waits until every chart that is in sight is drawn."""
        self.page.until(
            "[...document.querySelectorAll('.chart-holder')].every((one) => !one.clientWidth || one.firstChild)"
        )

    def all(self, selector: str, of: str = "element.textContent") -> list[Any]:
        """The value of an expression for every ``element`` of the drawing that a selector finds."""
        found: list[Any] = self.page.value(
            f"[...document.querySelectorAll({json.dumps(f'{self._root} {selector}')})].map((element) => {of})"
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
        found: list[list[str]] = self.all(
            f"{selector} tbody tr", "[...element.cells].map((cell) => cell.textContent)"
        )
        return found

    def press(self, selector: str, *keys: str) -> None:
        """Gives the focus to the first element that a selector finds, and presses keys."""
        self.page.value(f"document.querySelector({json.dumps(f'{self._root} {selector}')}).focus()")
        self.page.press(*keys)

    def open_numbers(self) -> list[list[str]]:
        """Opens the table beside a chart; gives its cells."""
        self.page.value(f"document.querySelector('{self._root} .chart-numbers').open = true")
        self.page.until(f"document.querySelector('{self._root} .chart-numbers table')")
        return self.rows(".chart-numbers")
