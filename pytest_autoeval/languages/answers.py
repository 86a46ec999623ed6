"""Where a formula may stand in a model's answer: fences, code, LaTeX, bold, labels, lines; whatever the language.

A language asks for :func:`passages`, tries to read each, and judges by its place what a passage is worth. The
passages come from the end of the answer to its beginning, an enclosing one before those inside it, so that the first
one that is a formula is the last complete one of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

#: whole: the answer; block: a fence, display mathematics or ``\boxed``; label: what follows "Formula:" up to the end of
#: its line; line: a line of its own; code, math, bold: a marked span amid prose; prose: a line of unmarked words.
Place = Literal["whole", "block", "label", "line", "code", "math", "bold", "prose"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of an answer that may be a formula.

    ``text`` is bare: without the marks around it and, outside code, without a closing period. ``before`` and ``after``
    are what else stands on its line, marks included: a language can tell by them a mention from an answer. For a line
    of its own, ``before`` is the line above it; for a block, the line above if that ends in a colon.
    """

    text: str
    place: Place
    before: str = ""
    after: str = ""


#: The last words before a colon (or the "is" before a formula) by which a model says that its answer follows.
_LABELS = frozenset(
    {
        "answer", "answers", "be", "becomes", "below", "conclusion", "corrected", "correction",
        "expression", "final", "fol", "follows", "form", "formalization", "formalisation", "formula",
        "formulas", "get", "here", "hence", "is", "language", "logic", "ltl", "notation", "obtain",
        "output", "regex", "regexp", "representation", "response", "result", "revised", "rule", "sentence",
        "so", "solution", "statement", "syntax", "therefore", "thus", "translation", "version", "write",
    }
)  # fmt: skip

_FENCE = re.compile(r"^[ \t]*(?P<mark>`{3,}|~{3,})(?P<info>[^\n`]*)$")
_SPAN = re.compile(
    r"(?<!`)(?P<tick>`{1,3})(?!`)(?P<code>[^\n]+?)(?<!`)(?P=tick)(?!`)"
    r"|\\\((?P<math>(?:[^\n\\]|\\[^()\n])+)\\\)"
    r"|(?<![\\$\w])\$(?P<dollar>(?![ $])[^$\n]+?)(?<![ \\])\$(?![\d$])"
    r"|\*\*(?P<bold>(?![ *])[^*\n]+?)(?<! )\*\*(?!\*)"
)
_DISPLAY = re.compile(r"\$\$|\\\[|\\\]|\\boxed\s*\{")
_BRACE = re.compile(r"[{}]")
_DECORATION = re.compile(r"^\s*(?:(?:#{1,6}|>|[-*+•✅✔☑👉➡🔹▪]\ufe0f?|\d{1,3}[.)])\s+)+")
_LABEL = re.compile(r"(?P<label>[\w\s,.!;'’\"“”()/*_#-]*?)(?P<mark>:(?!=)|\bis\b(?!:))(?:\*{1,3}|__?)?\s*(?=\S)")
_SIMPLE = re.compile(r"(?:\W{0,2}|\\(?:lnot|neg)\s*)\w+(?:\([^()]*\))?|\W{1,3}|\\[A-Za-z]+")
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|[.!?]['\"”)]")
#: Words that set what follows apart from what is meant.
_CONTRASTING = re.compile(
    r"\b(?:(?:instead|in place|in lieu) of|(?:rather|other) than|unlike|as opposed to|versus|vs"
    r"|(?:differs?|different|distinct) from|(?:confused|mistaken) (?:with|for))\b"
    r"|\b(?:mistakes?|incorrect(?:ly)?|wrong(?:ly)?|example|instance|violated|(?:do\s+not|don['’]t|never)\s+(?:use|write))"
    r"(?:\W+(?:is|was|be|would|to|write|writing|if|when|by|an?|the|formula|answer|reading|translation|version|alternative|attempt"
    r"|approach|solution|trace|code))*\W*$"
    r"|^\W*not\W*$|[❌✗✘]\ufe0f?\W*$",
    re.IGNORECASE,
)
#: Words behind a formula by which it is not the one that is meant.
_REJECTING = re.compile(
    r"[\s`$*\"'”’]*(?:is|was|were|would\s+be)\s+(?:\w+\s+)?(?:wrong|incorrect|a\s+mistake|not\s+(?:correct|right|the\s+same))\b"
)
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»"}
_PERIODS = ".。;,"
#: A longer line holds no formula that any language takes, and is not searched.
_LONGEST_LINE = 20_000
#: Of a line with more marked spans than anybody writes, the last ones count.
_MOST_SPANS = 50
#: Characters before a formula that can say something about it.
_NEARBY = 300
#: More layers of marks around one formula than anybody writes.
_MOST_LAYERS = 8


def passages(answer: str, continues: Callable[[str, str], bool] | None = None) -> Iterator[Passage]:
    """What may be the formula in a model's answer, the last and the largest first.

    ``continues(text, line)`` says whether a line carries on the formula begun in the text before it; by default no line
    does. A passage may repeat the text of an earlier one, and is never empty.
    """
    return (passage for passage in _all_passages(answer, continues) if passage.text)


def _all_passages(answer: str, continues: Callable[[str, str], bool] | None) -> Iterator[Passage]:
    yield Passage(bare(answer), "whole")
    sections = _sections(answer)
    for at, (is_block, text) in reversed(list(enumerate(sections))):
        lines = _joined(text.splitlines(), continues)
        above = _announcement(sections[at - 1][1]) if is_block and at else ""
        if above and is_contrasted(above, ""):
            continue
        if is_block:
            yield Passage(bare(text, periods=""), "block", before=above)
            for previous, line in reversed(list(zip(["", *lines], lines, strict=False))):
                if len(lines) > 1:
                    yield Passage(bare(line), "line", before=previous)
                if rest_at := _after_label(line):
                    yield Passage(bare(line[rest_at:]), "label", before=line[:rest_at])
        else:
            for above, line in reversed(list(zip(["", *lines], lines, strict=False))):
                yield from _in_line(line, above)


def bare(text: str, periods: str = _PERIODS) -> str:
    """The text without the marks that enclose all of it: white space, Markdown, mathematics, quotes, closing period."""
    for _ in range(_MOST_LAYERS):
        inner = text.strip()
        inner = inner.rstrip(periods) or inner
        inner = _peeled(inner)
        if inner == text:
            break
        text = inner
    return text


def undecorated(line: str) -> str:
    """A line without the marks in front of it: of lists, headings and quotations."""
    return _DECORATION.sub("", line)


def unmarked(text: str) -> str:
    """The text without the marks of inner code, mathematics and bold, if each of these holds a word or a sign.

    Longer spans have a meaning of their own, which the text around them must not take apart: the text stays as it is.
    """
    if all(_SIMPLE.fullmatch(_content(match)[1]) for match in _SPAN.finditer(text)):
        return _SPAN.sub(lambda match: _content(match)[1], text)
    return text


def announces(line: str) -> bool:
    """Whether a line ends in a label, so that what comes next is the answer: "Corrected formula:"."""
    return _after_label(f"{line.rstrip()} .") == len(line.rstrip()) + 1


def sentence(before: str) -> str:
    """The sentence that a text ends in."""
    return _SENTENCE_END.split(before[-_NEARBY:])[-1]


def clause(before: str) -> str:
    """The clause that a text ends in."""
    return re.split(r"[,:;]\s", sentence(before))[-1]


def is_contrasted(before: str, after: str) -> bool:
    """Whether words around a formula say that it is something else than what is meant."""
    context = clause(before.rstrip().rstrip(":*_`$\"'“ "))
    return _CONTRASTING.search(context) is not None or _REJECTING.match(after) is not None


def _announcement(text: str) -> str:
    """The last line of a text if it ends in a colon."""
    last = text.rstrip(" \t\n*_").rpartition("\n")[2]
    return last if last.endswith(":") else ""


def _peeled(text: str) -> str:
    """One layer of marks less, if the text is one marked span from end to end."""
    if (shown := _display(text, 0)) and shown[1] == len(text):
        return shown[0]
    if len(text) <= _LONGEST_LINE and (match := _SPAN.match(text)) and match.end() == len(text):
        return _content(match)[1]
    if len(text) > 2:
        first, last, inner = text[0], text[-1], text[1:-1]
        enclosed = _QUOTES.get(first) == last or (first == last and first in "*_")
        if enclosed and first not in inner and last not in inner:
            return inner
    return text


def _sections(answer: str) -> list[tuple[bool, str]]:
    """The answer as an alternation of blocks (True) and text between them; an unclosed fence runs to the end."""
    sections: list[tuple[bool, str]] = []
    plain: list[str] = []
    lines = answer.splitlines()
    at = 0
    while at < len(lines):
        if (opening := _FENCE.match(lines[at])) is None:
            plain.append(lines[at])
            at += 1
            continue
        sections.extend(_displayed("\n".join(plain)))
        plain = []
        inside: list[str] = []
        at += 1
        while at < len(lines) and not lines[at].strip().startswith(opening["mark"]):
            inside.append(lines[at])
            at += 1
        sections.append((True, "\n".join(inside)))
        at += 1
    sections.extend(_displayed("\n".join(plain)))
    return sections


def _displayed(text: str) -> Iterator[tuple[bool, str]]:
    """Splits off display mathematics and boxes."""
    at = 0
    for opening in _DISPLAY.finditer(text):
        if opening.start() < at or opening[0] == "\\]":
            continue
        shown = _display(text, opening.start())
        if shown is None:  # never closed, and then no later one is
            break
        yield False, re.sub(r"(?:\$|\\\()\s*$", "", text[at : opening.start()])
        content, at = shown
        boxed = _DISPLAY.search(content)
        yield True, ((_display(content, boxed.start()) if boxed else None) or shown)[0]
        if opening[0].startswith("\\boxed") and (closing := re.compile(r"\s*(?:\$|\\\))").match(text, at)):
            at = closing.end()
    yield False, text[at:]


def _display(text: str, start: int) -> tuple[str, int] | None:
    r"""The content of the ``$$…$$``, ``\[…\]`` or ``\boxed{…}`` that begins at ``start``, and where that ends."""
    if (opening := _DISPLAY.match(text, start)) is None or opening[0] == "\\]":
        return None
    if not opening[0].startswith("\\boxed"):
        closing = "$$" if opening[0] == "$$" else "\\]"
        end = text.find(closing, opening.end())
        return None if end < 0 else (text[opening.end() : end], end + 2)
    depth = 1
    for brace in _BRACE.finditer(text, opening.end()):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return text[opening.end() : brace.start()], brace.end()
    return None


def _joined(lines: list[str], continues: Callable[[str, str], bool] | None) -> list[str]:
    joined: list[str] = []
    for line in filter(str.strip, lines):
        if joined and continues and continues(joined[-1], line):
            joined[-1] += "\n" + line
        else:
            joined.append(line)
    return joined


def _in_line(line: str, above: str) -> Iterator[Passage]:
    """What may be a formula in a line of prose: all of it, what follows a label, its marked spans, its words."""
    if len(line) > _LONGEST_LINE:
        return
    line = undecorated(line)
    text = bare(line)
    yield Passage(text, "line", before=above)
    if unmarked(text) != text:
        yield Passage(unmarked(text), "line", before=above)
    rest_at = _after_label(line)
    if rest_at is not None:
        label, rest = line[:rest_at], bare(line[rest_at:])
        yield Passage(rest, "label", before=label)
        if unmarked(rest) != rest:
            yield Passage(unmarked(rest), "label", before=label)
    for match in reversed(list(_SPAN.finditer(line))[-_MOST_SPANS:]):
        place, content = _content(match)
        before, after = line[: match.start()], line[match.end() :]
        labelled = (
            rest_at is not None and rest_at <= match.start() and not line[rest_at : match.start()].strip(" \t*_\"'“")
        )
        yield Passage(bare(content, periods=""), "label" if labelled else place, before, after)
    yield Passage(text, "prose")


def _after_label(line: str) -> int | None:
    """Where the text behind the last label of a line begins, if the line has one."""
    found = None
    at = 0
    while match := _LABEL.match(line, at):
        words = re.findall(r"\w+", match["label"].lower())
        last = "is" if match["mark"] == "is" else (words[-1] if words else "")
        closed = match["label"].count("(") == match["label"].count(")")
        if last in _LABELS and closed and not _is_quoted_phrase(match["label"].strip(), words):
            found = match.end()
        at = match.end()
    return found


def _is_quoted_phrase(label: str, words: Sequence[str]) -> bool:
    """Whether a label is a phrase that is listed, as in ``"the router answers": p1``, and not ``"Final answer"``."""
    is_quoted = len(label) > 2 and _QUOTES.get(label[0]) == label[-1]
    return is_quoted and not _LABELS.union({"a", "an", "the"}).issuperset(words)


def _content(match: re.Match[str]) -> tuple[Place, str]:
    if match["code"] is not None:
        return "code", match["code"]
    if match["bold"] is not None:
        return "bold", match["bold"]
    return "math", match["math"] if match["math"] is not None else match["dollar"]
