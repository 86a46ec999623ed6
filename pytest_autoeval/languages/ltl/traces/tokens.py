"""The pieces of a trace as people and models write it: literals, brackets, separators, marks of the loop."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from pytest_autoeval.languages.ltl.traces.policies import UnreadableTraceError


class TraceToken(NamedTuple):
    """A piece of a trace: its kind (a name of the groups below) and its text."""

    kind: str
    text: str


#: What tells literals and states apart from each other: brackets, an ellipsis and all that marks a loop.
_PATTERNS = {
    "space": r"[ \t\r\f\v`$\"'“”‘’\u00a0]+|\*\*|\\[;,! ]|\\q?quad\b",
    "newline": r"\n",
    "ellipsis": r"\.{3,}|…|⋯|\\[lc]?dots\b",
    "forever": r"\^\s*(?:\{\s*)?(?:ω|\\omega|omega|∞|\\infty|w)(?:\s*\})?|ω",
    "mark": r"(?:-{2,}|//|\#|\(|\[|<)?\s*\bloop\s+(?:starts|begins)\s+here\b:?(?:\s*(?:-{2,}|\)|\]|>))?",
    "prefix": r"\b(?:prefix|stem)\b\s*[:=](?!=)(?:\s*\(?(?:empty|none|ε)\)?(?=\s*[\n;,]))?",
    "section": r"\b(?:loop|cycle)\b\s*[:=](?!=)",
    "loop": r"\b(?:cycle|loop)\b(?=\s*\\?[{(\[])",
    "label": (
        r"\b(?:(?:state|step|position|time|instant)\s*|[stq]_?)=?\s*\d{1,6}\b\s*(?:[:=]|(?=[{\[(]))"
        r"|\b\d{1,6}\s*(?::|\.(?=[^\S\n]))"
    ),
    "arrow": r"-{1,2}>|=>|[→⟶⇒]|\\(?:to|rightarrow|longrightarrow)\b",
    "separator": r"[;；]",
    "comma": r"[,，]",
    "open": r"\\?\{|[(\[]",
    "close": r"\\?\}|[)\]]",
    "not": r"!(?!=)|[~¬]|\\(?:lnot|neg)\b|\b(?:not|NOT)\b",
    "and": r"&&?|∧|/\\|\\(?:land|wedge)\b|\b(?:and|AND)\b",
    "is": r":=|==?|:|\bis\b",
    "empty": r"∅|\\(?:emptyset|varnothing)\b",
    "truth": r"\b(?:true|True|TRUE|false|False|FALSE|[01TF])\b|[⊤⊥]",
    "name": r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*",
}
_TOKEN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS.items()), re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_BRACED_INDEX = re.compile(r"(?<=[A-Za-z])_\{(\w+)\}")
_TYPEFACE = re.compile(r"\\(?:text|mathrm|mathit|texttt|mathtt|operatorname)\{([^{}]*)\}")

#: A line does not end behind these or before those: what they join goes on.
_OPEN_END = frozenset(
    {"newline", "and", "not", "is", "comma", "separator", "arrow", "open", "label", "section", "mark", "prefix"}
)
_OPEN_START = frozenset({"and", "is", "comma", "separator", "arrow", "close", "forever", "ellipsis"})
TRUE_WORDS = frozenset({"true", "t", "1", "⊤"})


def tokens(text: str, atoms: Collection[str]) -> list[TraceToken]:
    """The pieces of a text without its white space, closed by one of kind ``end``.

    A word that is one of the atoms is a name, whatever else it could be; letters with an index, as ``x_1``, are the
    atom that is spelt without the underscore, if there is one. Raises :class:`UnreadableTraceError` for other signs.
    """
    text = _BRACED_INDEX.sub(r"_\1", _TYPEFACE.sub(r"\1", text.translate(_SUBSCRIPTS)))
    found: list[TraceToken] = []
    at = 0
    while at < len(text):
        word = _WORD.match(text, at)
        name = _known(word[0], atoms) if word else None
        if word and name is not None:
            found.append(TraceToken("name", name))
            at = word.end()
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise UnreadableTraceError(f"{text[at]!r} has no place in a trace")
        if match.lastgroup != "space":
            found.append(TraceToken(match.lastgroup or "", match[0]))
        at = match.end()
    return [*_without_wrapping(found), TraceToken("end", "")]


def _without_wrapping(pieces: list[TraceToken]) -> list[TraceToken]:
    """The pieces without the line ends at which nothing ends."""
    kept: list[TraceToken] = []
    for piece in pieces:
        if kept and kept[-1].kind == "newline" and piece.kind in _OPEN_START:
            kept.pop()
        if piece.kind != "newline" or (kept and kept[-1].kind not in _OPEN_END):
            kept.append(piece)
    return kept


def _known(word: str, atoms: Collection[str]) -> str | None:
    if word in atoms:
        return word
    plain = word.replace("_", "")
    return plain if plain in atoms and re.fullmatch(r"[A-Za-z]+_\d+", word) else None
