"""Data as text that may stand anywhere in an HTML page: base64, which can end no element and open none."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

from pytest_autoeval.errors import AutoevalError

#: Halves of surrogate pairs have no UTF-8; JSON writes them out.
_SURROGATES = re.compile("[\ud800-\udfff]")


class PageError(AutoevalError):
    """A page cannot be made or written: the message says why, and names the file where there is one."""


def encoded(data: Any) -> str:
    """JSON in base64; raises :class:`PageError` for what is no JSON, such as a number that is none."""
    return base64.b64encode(_json(data)).decode("ascii")


def packed(data: Any) -> str:
    """JSON, compressed with gzip, in base64: the same data give the same text. Raises :class:`PageError`."""
    return base64.b64encode(gzip.compress(_json(data), compresslevel=6, mtime=0)).decode("ascii")


def _json(data: Any) -> bytes:
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise PageError(f"the page cannot hold what is no JSON: {error}") from None
    return _SURROGATES.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()
