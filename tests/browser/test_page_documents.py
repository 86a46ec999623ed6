"""Any document is shown whole: generated ones, with hostile texts and extreme numbers."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import HealthCheck, Phase, given, settings
from support.documents import documents
from support.page_canvas import PageOf
from support.page_documents import page_html

from pytest_autoeval.record.figures import Figure, figure_text
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Counterexample,
    Document,
    Figures,
    Note,
    Table,
    Verdict,
)

slowly = settings(
    max_examples=20,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink takes minutes in a browser
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
#: Opens all that is closed or left out, and says whether all of it is drawn: nothing was added since it was asked last.
_WHOLE = """(() => {
  document.querySelectorAll("main details").forEach((one) => { one.open = true; });
  document.querySelectorAll("main [hidden]:is(tr, details)").forEach((one) => { one.hidden = false; });
  const before = window.elementsBefore;
  window.elementsBefore = document.querySelectorAll("main *").length;
  const charts = [...document.querySelectorAll(".chart-holder")];
  return window.elementsBefore === before && charts.every((one) => one.firstChild);
})()"""
_TEXT = "document.getElementById('overview-sections').textContent"
_WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def figures_of(block: AnyBlock) -> Iterator[str]:
    """The texts of the figures of a block."""
    if isinstance(block, Figures):
        yield from map(figure_text, block.figures)
    elif isinstance(block, Note | Verdict | Counterexample):
        text = block.history if isinstance(block, Counterexample) else block.text
        for name, value in block.values.items():
            if isinstance(value, Figure) and f"{{{name}}}" in text:
                yield figure_text(value)
    elif isinstance(block, Table):
        cells = (cell for row in block.rows for cell in row.cells)
        yield from (figure_text(cell, measure=False) for cell in cells if isinstance(cell, Figure))


def check(page_of: PageOf, shown: Document) -> None:
    page = page_of(page_html([], shown))
    page.until(_WHOLE)
    text = page.value(_TEXT)
    assert not {
        "\x1b",
        "\x00",
        "\x9b",
        "\u202e",
        "\u2066",
        "\u200b",
        "\u2028",
        "\ufeff",
        "\ud800",
    } & set(text)
    assert page.texts("main :is(script, img, iframe, style)") == []
    assert "This could not be drawn." not in text
    blocks = [block for section in shown.sections for block in section.blocks]
    first = next(block for block in blocks if isinstance(block, Verdict))
    missing = [
        figure
        for block in blocks
        if block is not first
        for figure in figures_of(block)
        if figure not in text
    ]
    assert missing == []
    for width in (1280, 390):
        page.size(width)
        assert page.value(_WIDER) <= 0, width


def test_every_document_is_shown_with_all_its_figures(page_of: PageOf) -> None:
    slowly(given(documents())(lambda shown: check(page_of, shown)))()
