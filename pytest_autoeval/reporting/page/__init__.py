"""One self-contained page that shows an analysis: verdict, figures and every sample, in a browser, with no network."""

from __future__ import annotations

import hashlib
import html
from importlib import resources
from pathlib import Path
from string import Template

from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.page.overview import CommandOf, PageError, base64_of, index, overview, pieces
from pytest_autoeval.reporting.results import replace_file
from pytest_autoeval.reporting.text import one_line

__all__ = ["PageError", "render_page", "write_page"]

#: The libraries of each licence; a later one needs the earlier ones.
LIBRARIES = {
    "vendor/LICENSE-d3.txt": [
        f"vendor/d3-{name}.min.js"
        for name in ("array", "color", "format", "interpolate", "time", "time-format", "scale", "path", "shape")
    ],
    "vendor/LICENSE-dagre.txt": ["vendor/dagre.min.js"],
}
#: What draws charts and witnesses with them, in the order in which it has to be run.
DRAWINGS = (
    *("marks.js", "accuracy.js", "charts.js", "confusion.js"),
    *("formula_values.js", "finite_model.js", "lasso.js", "automaton.js", "drawings.js"),
)
DRAWING_STYLES = ("charts.css", "drawings.css")
#: What the drawings build on, and what builds on them, each in its order.
_BENEATH = ("dom.js", "numbers.js")
_ABOVE = (
    *("data.js", "search.js", "state.js", "facts.js", "sample.js", "list.js"),
    *("overview.js", "theme.js", "browser.js", "keys.js", "main.js"),
)
_STYLES = ("palette.css", "shell.css", "samples.css")
#: What the browser's tab begins with.
_MARKS = {"passed": "✓", "failed": "✗"}
#: Nothing is loaded, sent or run but the two blocks that the page is made of.
_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


def render_page(analysis: Analysis, *, title: str = "pytest-autoeval", command_of: CommandOf | None = None) -> str:
    """The page as HTML; the same analysis gives the same text.

    ``title`` names what was tested. ``command_of`` gives the command that reproduces a row; without it none is shown.
    Raises :class:`PageError` for rows that are no JSON.
    """
    style = "\n".join(map(_text, (*_STYLES, *DRAWING_STYLES)))
    script = "\n".join([*map(_text, _BENEATH), *drawing_scripts(), *map(_text, _ABOVE)])
    blocks = [_block(f"piece-{number}", piece) for number, piece in enumerate(pieces(analysis.rows, command_of))]
    return Template(_text("shell.html")).substitute(
        policy=_POLICY.format(script=_digest(script), style=_digest(style)),
        title=_safe(title),
        mark=_MARKS.get(analysis.verdict, "·"),
        headline=_safe(analysis.headline),
        style=style,
        overview=_block("overview", overview(analysis, title)),
        index=_block("index", index(analysis.rows)),
        script=script,
        pieces="\n".join(blocks),
    )


def write_page(
    path: Path | str, analysis: Analysis, *, title: str = "pytest-autoeval", command_of: CommandOf | None = None
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


def drawing_scripts() -> list[str]:
    """The text of every script that draws, libraries first, each licence as a comment before the files it is for."""
    texts = []
    for licence, libraries in LIBRARIES.items():
        texts += [f"/*\n{_text(licence)}*/\n", *map(_text, libraries)]
    return texts + [_text(script) for script in DRAWINGS]


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{base64_of(hashlib.sha256(text.encode()).digest())}'"


def _block(name: str, data: str) -> str:
    return f'<script type="text/plain" id="{name}">{data}</script>'


def _safe(text: str) -> str:
    return html.escape(one_line(text))
