"""A self-contained page for a browser: a document, and every sample with search and drawings, without a network.

Its data are plain basic types, which its scripts draw. They are encoded in base64, which cannot contain HTML.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import tomllib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.gate_verdicts import State
from pytest_autoeval.record.figures import filled
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.report.blocks import Document, Verdict
from pytest_autoeval.report.renderers.page.page_samples import (
    CommandOf,
    exact,
    index_of,
    links,
    pieces_of,
    samples_in_order,
    suite_names,
)
from pytest_autoeval.report.renderers.page.shared_texts import shared_texts
from pytest_autoeval.text import one_line
from pytest_autoeval.written_file import PAGE, write_file

#: The files of the page; libraries by their licence.
_PARTS = tomllib.loads(Path(__file__).with_name("parts.toml").read_text(encoding="utf-8"))
LIBRARIES: dict[str, list[str]] = _PARTS["libraries"]
#: The beginning of the browser tab's title.
_MARKS: dict[State, str] = {"passed": "✓", "failed": "✗"}
#: The policy allows only the page's own two blocks, and images that are part of the page: nothing is loaded or sent.
_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data:; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


class PageError(AutoevalError):
    """A page cannot be made or written. The message gives the reason and, if there is one, the file."""


def render_page(
    document: Document,
    suites: Sequence[SuiteRecord],
    *,
    title: str = "pytest-autoeval",
    command_of: CommandOf | None = None,
) -> str:
    """The page as HTML, equal for equal arguments.

    ``suites`` are those of the document, whose samples are listed. ``command_of`` gives the command that asks about a
    sample again.
    """
    style = "\n".join(map(_text, _PARTS["styles"]))
    script = _script()
    samples = samples_in_order(suites)
    names = suite_names(suites)
    texts = shared_texts(samples)
    overview = {
        "title": title,
        "document": exact(msgspec.to_builtins(document)),
        "links": links(document, suites, samples, names),
    }
    blocks = [_block("texts", _packed({digest: text for text, digest in texts.items()}))]
    blocks += [
        _block(f"piece-{number}", _packed(piece))
        for number, piece in enumerate(pieces_of(samples, names, texts, command_of))
    ]
    headline = _headline(document)
    return Template(_text("shell.html")).substitute(
        policy=_POLICY.format(script=_digest(script), style=_digest(style)),
        title=_safe(title),
        mark=_MARKS.get(document.state, "·"),
        headline=_safe(headline),
        style=style,
        overview=_block("overview", _base64(_encoded(overview))),
        index=_block("index", _packed(index_of(samples, names))),
        script=script,
        pieces="\n".join(blocks),
    )


def write_page(
    path: Path | str, document: Document, suites: Sequence[SuiteRecord], **options: Any
) -> None:
    """Writes the page and the folders above it, and replaces an old page as a whole. Raises :class:`PageError`.

    ``options`` are those of :func:`render_page`.
    """
    path = Path(path)
    text = render_page(document, suites, **options)
    try:
        write_file(path, [text], PAGE)
    except OSError as error:
        raise PageError(f"{path}: the page cannot be written: {error.strerror}") from None


def _headline(document: Document) -> str:
    """The first verdict of the document, as text. The scripts do not show it again.

    It begins with a capital, unless the name of a model is its first word.
    """
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, Verdict):
                return filled(block.text[:1].upper() + block.text[1:], block.values)
    return document.state.capitalize()


def _script() -> str:
    """The libraries, each licence as a comment before its files, and then the scripts of the page."""
    texts = []
    for licence, libraries in LIBRARIES.items():
        texts += [f"/*\n{_text(licence)}*/\n", *map(_text, libraries)]
    # A function declared twice in one block is an error.
    return "\n".join(
        [*texts, '(() => {\n"use strict";\n{', *map(_text, _PARTS["scripts"]), "}\n})();\n"]
    )


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{_base64(hashlib.sha256(text.encode()).digest())}'"


def _block(name: str, data: str) -> str:
    return f'<script type="text/plain" id="{name}">{data}</script>'


def _safe(text: str) -> str:
    return html.escape(one_line(text))


def _encoded(data: Any) -> bytes:
    try:
        return json.dumps(data, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise PageError(f"the page cannot contain a value that is not JSON: {error}") from None


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _packed(data: Any) -> str:
    """The data as compressed JSON; equal data give equal text."""
    return _base64(gzip.compress(_encoded(data), compresslevel=6, mtime=0))
