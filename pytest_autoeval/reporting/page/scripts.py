"""Which scripts and styles draw the page's charts and witnesses, in the order in which they have to be run."""

from __future__ import annotations

from importlib.resources import files

#: The libraries, a later one needs the earlier ones; each with the file of its licence.
LIBRARIES = (
    ("vendor/d3-array.min.js", "vendor/LICENSE-d3.txt"),
    ("vendor/d3-color.min.js", "vendor/LICENSE-d3.txt"),
    ("vendor/d3-format.min.js", "vendor/LICENSE-d3.txt"),
    ("vendor/d3-interpolate.min.js", "vendor/LICENSE-d3.txt"),
    ("vendor/d3-time.min.js", "vendor/LICENSE-d3.txt"),
    ("vendor/d3-time-format.min.js", "vendor/LICENSE-d3.txt"),
    ("vendor/d3-scale.min.js", "vendor/LICENSE-d3.txt"),
    ("vendor/d3-path.min.js", "vendor/LICENSE-d3.txt"),
    ("vendor/d3-shape.min.js", "vendor/LICENSE-d3.txt"),
    ("vendor/dagre.min.js", "vendor/LICENSE-dagre.txt"),
)
#: What we wrote over them; all hang their functions on ``globalThis.autoeval``.
DRAWINGS = (
    "marks.js",
    "accuracy.js",
    "charts.js",
    "confusion.js",
    "formula_values.js",
    "finite_model.js",
    "lasso.js",
    "automaton.js",
    "drawings.js",
)
#: Their style sheets, after the shell's.
STYLES = ("charts.css", "drawings.css")


def drawing_scripts() -> list[str]:
    """The text of every script, libraries first, each licence once, as a comment before the files that it is for."""
    texts = []
    licence = ""
    for script, its_licence in LIBRARIES:
        if its_licence != licence:
            licence = its_licence
            texts.append(f"/*\n{_text(licence)}*/\n")
        texts.append(_text(script))
    return texts + [_text(script) for script in DRAWINGS]


def drawing_styles() -> list[str]:
    """The text of every style sheet of the drawings."""
    return [_text(style) for style in STYLES]


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
