"""One self-contained page that shows an analysis: verdict, figures and every sample, in a browser, with no network."""

from __future__ import annotations

import base64
import hashlib
import html
from importlib import resources
from pathlib import Path
from string import Template

from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.page.encoding import PageError, encoded
from pytest_autoeval.reporting.page.overview import overview
from pytest_autoeval.reporting.page.samples import CommandOf, index, pieces
from pytest_autoeval.reporting.page.scripts import drawing_scripts, drawing_styles
from pytest_autoeval.reporting.results import replace_file
from pytest_autoeval.reporting.text import one_line

__all__ = ["PageError", "render_page", "write_page"]

#: What the drawings build on, and what builds on them, each in its order.
_BENEATH = ("dom.js", "numbers.js")
_ABOVE = (
    *("data.js", "search.js", "state.js", "facts.js", "sample.js", "list.js"),
    *("overview.js", "theme.js", "browser.js", "keys.js", "main.js"),
)
_STYLES = ("palette.css", "shell.css", "samples.css")
#: What the browser's tab begins with.
_MARKS = {"passed": "✓", "failed": "✗"}


def render_page(
    analysis: Analysis,
    *,
    title: str = "pytest-autoeval",
    command_of: CommandOf | None = None,
) -> str:
    """The page as HTML; the same analysis gives the same text.

    ``title`` names what was tested. ``command_of`` gives the command that reproduces a row; without it none is shown.
    Raises :class:`PageError` for rows that are no JSON.
    """
    style = "\n".join([*map(_text, _STYLES), *drawing_styles()])
    script = "\n".join([*map(_text, _BENEATH), *drawing_scripts(), *map(_text, _ABOVE)])
    blocks = "\n".join(
        _block(f"piece-{number}", piece) for number, piece in enumerate(pieces(analysis.rows, command_of))
    )
    return Template(_text("shell.html")).substitute(
        policy=_policy(style, script),
        title=_safe(title),
        mark=_MARKS.get(analysis.verdict, "·"),
        headline=_safe(analysis.headline),
        style=style,
        overview=_block("overview", encoded(overview(analysis, title))),
        index=_block("index", index(analysis.rows)),
        script=script,
        pieces=blocks,
    )


def write_page(
    path: Path | str,
    analysis: Analysis,
    *,
    title: str = "pytest-autoeval",
    command_of: CommandOf | None = None,
) -> None:
    """Writes the page that :func:`render_page` makes, and the folders above it; an old page is replaced as a whole.

    Raises :class:`PageError` where the file cannot be written.
    """
    path = Path(path)
    text = render_page(analysis, title=title, command_of=command_of)
    try:
        if path.exists() and not path.is_file():
            raise PageError(f"{path}: the page needs an ordinary file")
        path.resolve().parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text)
    except OSError as error:
        raise PageError(f"{path}: the page cannot be written: {error.strerror}") from None


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing is loaded, sent or run but the two blocks that the page is made of."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {_digest(script)}",
            f"style-src {_digest(style)}",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"


def _block(name: str, data: str) -> str:
    return f'<script type="text/plain" id="{name}">{data}</script>'


def _safe(text: str) -> str:
    return html.escape(one_line(text))
