"""The text of a grammar file, its places, and the names of slots."""

from __future__ import annotations

import re
from hashlib import sha256

from msgspec import Struct

from pytest_autoeval.generation.drawing_errors import GrammarError
from pytest_autoeval.lazy_pattern import lazy_pattern

#: The kinds of names that fill a slot; the vocabulary must have some of the first kind. A terminal with such a name is
#: a slot, whatever its regular expression.
SLOTS = {
    "PROPOSITION": ("propositions",),
    "ATOM": ("predicates", "constants"),
    "VARIABLE": ("variables",),
    "CONSTANT": ("constants",),
    "SYMBOL": ("alphabet",),
}
#: The beginning of the name of a slot for constants of one sort, which follows.
_SORTED_CONSTANT = "CONSTANT_"
#: The comment that names the language, and the beginning of a definition in Lark's notation, with its priority.
_LANGUAGE = lazy_pattern(r"^[ \t]*(?://|#)[ \t]*language:[ \t]*([\w-]+)", re.MULTILINE)
_DEFINITION = lazy_pattern(r"^[?!]*([A-Za-z_]\w*)(?:\.-?\d+)?\s*:", re.MULTILINE)


def is_sorted_slot(name: str) -> bool:
    """Whether a name such as ``CONSTANT_TICKET`` is that of a slot for constants of a sort."""
    return name.startswith(_SORTED_CONSTANT)


def sort_of(slot: str) -> str:
    """The sort of the constants that fill a slot such as ``CONSTANT_TICKET``."""
    return slot.removeprefix(_SORTED_CONSTANT).lower()


def names_for(slot: str) -> tuple[str, ...]:
    """The kinds of names that fill a slot."""
    return SLOTS["CONSTANT" if is_sorted_slot(slot) else slot]


class GrammarText(Struct, frozen=True):
    """The text of a grammar file."""

    path: str
    text: str

    @property
    def language(self) -> str | None:
        """The name in the comment ``// language: NAME``, if there is one."""
        match = _LANGUAGE.search(self.text)
        return match.group(1) if match else None

    @property
    def digest(self) -> str:
        """A digest of the text."""
        return sha256(self.text.encode()).hexdigest()

    @property
    def defined(self) -> list[str]:
        """The names that the text defines."""
        return _DEFINITION.findall(self.text)

    def error(self, problem: str, name: str, which: int = 0) -> GrammarError:
        """An error at the definition of a rule or terminal, or at the first occurrence of its name."""
        definitions = [
            match.start(1) for match in _DEFINITION.finditer(self.text) if match[1] == name
        ]
        if definitions:
            return self.error_at(problem, definitions[which])
        outside_comments = rf"^(?![ \t]*(?://|#)).*?\b({re.escape(name)})\b"
        occurrence = re.search(outside_comments, self.text, re.MULTILINE)
        return self.error_at(problem, occurrence.start(1) if occurrence else 0)

    def error_at(self, problem: str, offset: int) -> GrammarError:
        """An error at a place of the text."""
        before = self.text[:offset]
        line_start = before.rfind("\n") + 1
        return GrammarError(
            problem, self.path, line=before.count("\n") + 1, column=offset - line_start + 1
        )
