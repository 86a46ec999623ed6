"""Reading a regular expression from a model's answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_autoeval.languages.answers import Place
from pytest_autoeval.languages.base import FormulaSyntaxError, Reading
from pytest_autoeval.languages.reading import nothing, read_formula
from pytest_autoeval.languages.regex.measures import symbols
from pytest_autoeval.languages.regex.notation import parse_extended
from pytest_autoeval.languages.regex.parser import parse
from pytest_autoeval.languages.regex.syntax import Expression

_OPERATOR = re.compile(r"[*∗⋆⁎★✱+⁺?|∪∨{\[.]|\\(?:ast|star|cup|mid|d)")
#: Of these, what no sentence has.
_SIGN = re.compile(r"[*∗⋆⁎★✱⁺|∪∨]|[\w)]\+|\\(?:ast|star|cup|mid)")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_WORD = re.compile(r"[^\W\d_]{2,}")
#: Emphasis and a misplaced star look alike.
_EMPHASIZED = re.compile(r"\*[^\s*]+\*")
#: Markdown's bold around an expression, whose own stars may touch the marks: ``**0*1***`` is ``0*1*`` in bold.
_BOLD = re.compile(r"(?<![^\s(:>\"'“])\*\*(?=[^\s*])(?P<inside>[^\n]{1,1000}?)\*\*(?=[\s.,;:!?)\"'”]|$)")
#: What programs put around an expression: a name and ``=``, quotes, slashes; from the outside in.
_WRAPPINGS = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"[A-Za-z][\w()]*\s*:?=\s*(?P<value>\S.*)",
        r"[rR]?(?P<quote>[\"'])(?P<value>.+)(?P=quote)",
        r"/(?P<value>.+)/[dgimsuvy]*",
    )
)


def read(answer: str, alphabet: Sequence[str] | None) -> Reading:
    """The expression in an answer; ``alphabet``, if known, resolves wildcards and tells symbols from words."""
    if _EMPHASIZED.fullmatch(answer.strip()):
        return nothing("'*' has nothing to repeat")
    return read_formula(_BOLD.sub(_code, answer), _Notation(alphabet))


def _code(bold: re.Match[str]) -> str:
    inside = bold["inside"]
    if "*" not in inside:
        return bold[0]
    return inside if re.search(r"[\s`]", inside) else f"`{inside}`"


@dataclass(frozen=True, slots=True)
class _Notation:
    alphabet: Sequence[str] | None

    def strict(self, text: str) -> Expression:
        return parse(text)

    def lenient(self, text: str) -> Expression:
        for wrapping in _WRAPPINGS:
            if match := wrapping.fullmatch(text):
                text = match["value"].strip()
        if "\n" in text:
            raise FormulaSyntaxError("an expression stands on one line", text, text.index("\n"))
        return parse_extended(text, self.alphabet)

    def is_meant(self, formula: Expression, text: str, place: Place | None) -> bool:
        """Not so words and numbers; symbols that the alphabet lacks may stand in an expression without spaces."""
        words = _WORD.search(_COMMAND.sub(" ", text)) is not None
        strange = self.alphabet is not None and not set(symbols(formula)) <= set(self.alphabet)
        if not text.strip(". ") or (re.search(r"\s", text) and (words or strange)):
            return False
        if _OPERATOR.search(text):
            return not (place == "span" and (strange or not symbols(formula)))
        if place == "line" or (strange and not text.isdecimal()):
            return False
        return place in (None, "block") or not words

    def is_symbolic(self, text: str) -> bool:
        return _SIGN.search(text) is not None
