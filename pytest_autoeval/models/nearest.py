"""What a miss is close to: the recorded request that is most like the one asked now, and how they differ."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_autoeval.models.cassette import read_request

_MOST_FILES = 2000  # of a folder that are looked at: a miss must not take longer than a call
_MOST_LINES = 16  # of a difference that are shown
_LONGEST_LINE = 160
_WORD = re.compile(r"\w+|[^\w\s]")
_SENTENCE = re.compile(r"(?<=[.:;!?]) +")


@dataclass(frozen=True, slots=True)
class Nearest:
    """The recording that is most like a request, if there is any, and what stands between the two."""

    file: Path | None
    difference: str


class RecordedRequests:
    """The requests that folders of recordings hold; they are read once."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._requests: dict[Path, tuple[frozenset[str], list[str]]] = {}
        for folder in folders:
            for file in sorted(folder.glob("*.yaml"))[:_MOST_FILES]:
                if (body := read_request(file)) is not None:
                    lines = _lines(body)
                    self._requests[file] = (_words(lines), lines)

    def nearest(self, body: Mapping[str, Any]) -> Nearest:
        """The recording nearest to a request. Requests that miss for one reason have one difference in common."""
        if not self._requests:
            return Nearest(None, "Nothing is recorded for this model.")
        wanted = _lines(body)
        words = _words(wanted)

        def likeness(file: Path) -> tuple[float, int]:
            recorded, lines = self._requests[file]
            return len(words & recorded) / max(1, len(words | recorded)), len(set(wanted).intersection(lines))

        file = max(self._requests, key=likeness)
        recorded = self._requests[file][1]
        if recorded == wanted:
            return Nearest(file, "The same request is recorded, but another repeat of it.")
        difference = difflib.unified_diff(recorded, wanted, "recorded", "asked now", n=1, lineterm="")
        shown = [_shown(line) for line in difference]
        if len(shown) > _MOST_LINES:
            shown[_MOST_LINES:] = [f"… and {len(shown) - _MOST_LINES} more lines"]
        return Nearest(file, "\n".join(["The nearest recorded request differs:", *(f"  {line}" for line in shown)]))


def _lines(body: Mapping[str, Any]) -> list[str]:
    """A request as lines to compare: its parameters, then each sentence of its messages, or each text to embed."""
    lines = [f"{key}: {value}" for key, value in sorted(body.items()) if key not in {"messages", "input"}]
    lines += [line for text in body.get("input", []) for line in ("[text]", *text.splitlines())]
    for message in body.get("messages", []):
        lines.append(f"[{message['role']}]")
        for line in message["content"].splitlines():
            lines += _SENTENCE.split(line)
    return lines


def _shown(line: str) -> str:
    if line.startswith("@@"):
        return "…"  # numbers of lines that stand in no file
    return line.rstrip() if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…"


def _words(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(word for line in lines for word in _WORD.findall(line))
