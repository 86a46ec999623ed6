"""A reply without what stands around an answer: thoughts, HTML, JSON, boxes and environments of LaTeX."""

from __future__ import annotations

import html
import json
import re
from typing import Any, Final

from pytest_autoeval.languages.thoughts import without_thoughts
from pytest_autoeval.lazy_pattern import lazy_pattern

_TAG = lazy_pattern(
    r"<(?P<tag>(?:final[_ -]?)?answer|final|formula|output|result|regexp?|expression|translation)>(?P<text>[^<]*+)"
    r"(?:</(?P=tag)>|\Z)",
    re.IGNORECASE,
)
_ENTITY = lazy_pattern(r"&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,5}|[A-Za-z]{2,8}\d?);")
#: Tags of HTML and the equivalent Markdown; indices and exponents are kept.
_HTML = (
    (lazy_pattern(r"</?(?:su[bp]|i|em|u|span)>", re.IGNORECASE), ""),
    (lazy_pattern(r"</?(?:b|strong)>", re.IGNORECASE), "**"),
    (lazy_pattern(r"</?(?:code|tt|kbd|samp)>", re.IGNORECASE), "`"),
    (lazy_pattern(r"</?(?:p|div|pre|br)\s{0,3}/?>", re.IGNORECASE), "\n"),
)
_ENVIRONMENT = lazy_pattern(
    r"\\(begin|end)\{(?:align|gather|equation|split|multline|displaymath)(?:ed|at)?\*?\}"
)
_ALIGNMENT = lazy_pattern(r"(?<!\\)&")
_DISPLAY = lazy_pattern(
    r"\$\$(?P<dollars>[^$]++)\$\$|(?<!\\)\\\[(?P<brackets>(?:[^\\]|\\(?![\[\]]))*+)\\\]"
)
#: A line that continues with "is the same as": a derivation, not a formula.
_DERIVED = lazy_pattern(
    r"\\\\\s*+&?\s*+(?:\\(?:equiv|iff|Leftrightarrow|leftrightarrow|Rightarrow)\b|[=≡⇔↔⟺⇒])"
)
_BOX = lazy_pattern(r"(?P<math>(?:\$\$?|\\\[|\\\()\s{0,9})?\\f?boxed\s{0,9}\{")
_BOX_END = lazy_pattern(r"\s{0,9}(?:\$\$?|\\\]|\\\))")
_BRACE = lazy_pattern(r"\\?[{}]")
#: A JSON object without inner objects.
_OBJECT = lazy_pattern(r"\{(?=\s*\")(?:\s|\"(?:[^\"\\]|\\.)*+\"|[\w.+-]|[\[\]:,])*+\}", re.DOTALL)
#: A backslash that JSON does not know, or that begins a command of LaTeX which looks like an escape.
_BACKSLASH = lazy_pattern(
    r"\\\\|\\u[0-9a-fA-F]{4}"
    r"|(?P<latex>\\)(?=(?:neg|neq|to|top|text[a-z]*|bot|big[a-z]*|boxed|forall|right[a-z]*|rbrace)(?![a-z])|[^\"\\/bfnrt])"
)
#: The last words of JSON keys for an answer; earlier ones outrank later ones.
_KEYS: Final = (
    frozenset({"answer"}),
    frozenset(
        {
            "choice", "expression", "fol", "formula", "label", "logic", "ltl", "number", "option", "order", "output",
            "ranking", "regex", "regexp", "result", "translation",
        }
    ),
)  # fmt: skip


def plain(reply: str) -> str:
    """A reply as text and Markdown: answer tags, boxes and JSON values become lines ``Final answer: …``."""
    text = _TAG.sub(lambda tag: _labelled(tag["text"]), without_thoughts(reply))
    text = _without_boxes(_OBJECT.sub(_from_json, text))
    text = without_entities(text)
    for tag, markdown in _HTML:
        text = tag.sub(markdown, text)
    return _DISPLAY.sub(_fenced, _without_environments(text))


def without_entities(text: str) -> str:
    """A text with HTML entities, such as ``&amp;``, replaced by their characters."""
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)


def _labelled(answer: str) -> str:
    words = answer.split()
    return f"\nFinal answer: {' '.join(words)}\n" if words else "\n"


def _from_json(json_object: re.Match[str]) -> str:
    """The answers in a JSON object, one on each line; several if a key occurs twice."""
    repaired = _BACKSLASH.sub(
        lambda escape: "\\\\" if escape["latex"] else escape[0], json_object[0]
    )
    try:
        # As pairs, not as a dictionary, which would hide that a key occurs twice.
        entries = json.loads(repaired, strict=False, object_pairs_hook=list)
        values: list[Any] = []
        for keys in _KEYS:
            values = values or [value for key, value in entries if _last_word(key) in keys]
        texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
    except (ValueError, RecursionError):
        return json_object[0]
    return "".join(map(_labelled, texts)) or json_object[0]


def _last_word(key: str) -> str:
    """The last word of a key: ``answer`` for ``final_answer`` and for ``finalAnswer``."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key)
    return re.split(r"[\W_]+", spaced.lower())[-1]


def _without_boxes(text: str) -> str:
    pieces: list[str] = []
    end = 0
    for opening in _BOX.finditer(text):
        if opening.start() < end:
            continue
        closing = _closing_brace(text, opening.end())
        if closing is None:  # never closed, and then no later one is worth a search
            break
        pieces.append(text[end : opening.start()])
        pieces.append(_labelled(text[opening.end() : closing]))
        after = _BOX_END.match(text, closing + 1) if opening["math"] else None
        end = after.end() if after else closing + 1
    return "".join([*pieces, text[end:]])


def _closing_brace(text: str, start: int) -> int | None:
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.start()
    return None


def _without_environments(text: str) -> str:
    """Environments of mathematics as ``$$…$$``, without alignment marks, which would look like conjunctions."""
    pieces: list[str] = []
    depth = end = 0
    is_display = False
    for mark in _ENVIRONMENT.finditer(text):
        piece = text[end : mark.start()]
        pieces.append(_ALIGNMENT.sub(" ", piece) if depth else piece)
        is_begin = mark[1] == "begin"
        if is_begin and depth == 0:
            is_display = piece.rstrip().endswith(("$$", "\\["))
        is_outermost = depth == 0 if is_begin else depth <= 1
        depth = max(0, depth + (1 if is_begin else -1))
        # Only the outermost environment needs marks, and not where display mathematics is around it.
        pieces.append("$$" if is_outermost and not is_display else " ")
        end = mark.end()
    return "".join([*pieces, text[end:]])


def _fenced(display: re.Match[str]) -> str:
    """Display mathematics as a fence. A derivation in several steps is not a formula."""
    text = display["dollars"] or display["brackets"] or ""
    inside = "…" if _DERIVED.search(text) else text.strip()
    return f"\n```\n{inside}\n```\n"
