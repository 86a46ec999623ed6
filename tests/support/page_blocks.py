"""The elements of a page, parsed without a browser."""

from __future__ import annotations

import base64
import gzip
import json
from html.parser import HTMLParser
from typing import Any, TypeVar

import msgspec

from pytest_autoeval.report.blocks import Block, Document

Shown = TypeVar("Shown", bound=Block)
_GZIP = b"\x1f\x8b"


class PageBlocks(HTMLParser):
    """The elements of a page: ``tags`` in order, all ``attributes``, and the text of each ``script`` and ``style``."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.blocks: dict[str, str] = {}
        self.shown = ""
        self._open = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        self._open = (dict(attrs).get("id") or tag) if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.blocks[self._open] = self.blocks.get(self._open, "") + data
        else:
            self.shown += data

    def data(self, name: str) -> Any:
        """The content of a block of data."""
        content = base64.b64decode(self.blocks[name], validate=True)
        return json.loads(gzip.decompress(content) if content.startswith(_GZIP) else content)

    def document(self) -> Document:
        """The document that the page shows."""
        return msgspec.convert(self.data("overview")["document"], Document)

    def shown_blocks(self, kind: type[Shown], section: str = "") -> list[Shown]:
        """The blocks of a kind, of all sections or of those with this name."""
        sections = [one for one in self.document().sections if section in {"", one.name}]
        return [block for one in sections for block in one.blocks if isinstance(block, kind)]

    def pieces(self) -> list[Any]:
        """The pieces of rows, in order."""
        names = [name for name in self.blocks if name.startswith("piece-")]
        return [
            self.data(name) for name in sorted(names, key=lambda name: int(name.partition("-")[2]))
        ]
