"""Where in the text of a ``.lark`` file things stand: Lark's own errors and rules often do not say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<space>(?://|\#)[^\n]*|\s+)
      | (?P<string>"(?:\\.|[^"\\\n])*"i?)
      | (?P<regexp>/(?!/)(?:\\.|[^/\\\n])+/[imslux]*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_LANGUAGE = re.compile(r"^\s*(?://|#)\s*language:\s*([\w-]+)", re.MULTILINE)
_DEFINITION = re.compile(r"^[?!]*([A-Za-z_]\w*)(?:\.-?\d+)?\s*:", re.MULTILINE)

Position = tuple[int, int]


@dataclass(frozen=True)
class GrammarText:
    """The text of a grammar file."""

    path: str
    text: str

    @property
    def language(self) -> str | None:
        """The name in the comment ``// language: NAME``, if there is one."""
        found = _LANGUAGE.search(self.text)
        return found.group(1) if found else None

    def definition(self, rule: str, *, last: bool = False) -> Position:
        """Where a rule or terminal is first (or last) defined; the beginning of the file if nowhere."""
        starts = [found.start(1) for found in _DEFINITION.finditer(self.text) if found.group(1) == rule]
        return self._position(starts[-1 if last else 0]) if starts else (1, 1)

    def use(self, name: str) -> Position:
        """Where a name first stands outside its own definition; its definition if nowhere else."""
        definitions = {found.start(1) for found in _DEFINITION.finditer(self.text)}
        for token in self._tokens():
            if token.group() == name and token.start() not in definitions:
                return self._position(token.start())
        return self.definition(name)

    def token(self, text: str) -> Position | None:
        """Where a token (string, regexp) first stands."""
        return next((self._position(token.start()) for token in self._tokens() if token.group() == text), None)

    def alternatives(self, rule: str) -> list[Position]:
        """Where each top-level alternative of a rule begins."""
        found = next((match for match in _DEFINITION.finditer(self.text) if match.group(1) == rule), None)
        if found is None:
            return []
        following = (match.start() for match in _DEFINITION.finditer(self.text, found.end()))
        body = self.text[: next(following, len(self.text))]
        starts: list[Position] = []
        depth, wanted = 0, True
        for token in self._tokens(found.end(), body):
            if wanted:
                starts.append(self._position(token.start()))
            wanted = token.group() == "|" and depth == 0
            depth += (token.group() in "([") - (token.group() in ")]")
        return starts

    def _tokens(self, start: int = 0, text: str | None = None) -> Iterator[re.Match[str]]:
        matches = _TOKEN.finditer(self.text if text is None else text, start)
        return (match for match in matches if match.lastgroup != "space")

    def _position(self, offset: int) -> Position:
        before = self.text[:offset]
        return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1
