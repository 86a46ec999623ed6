"""Lists of phrases with names in an answer: ``"the door is open": x1`` and the other ways to write it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pytest_autoeval.languages.wrappings import without_thoughts

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PhraseList:
    """What an answer lists: pairs of phrase and name, in its order, and why there are none."""

    pairs: tuple[Pair, ...]
    problem: str = ""


_QUOTED = r"""(?:"(?:[^"\\\n]|\\.)*"|“[^”\n]*”|„[^“”\n]*[“”]|(?<!\w)['‘](?:[^'’\n]|['’](?=\w))*['’])"""
_NAME = r"[A-Za-z_]\w*"
_MEANS = r"\s*(?::=|:|=>|->|=|→|⇒|↦|[-–—](?=\s))\s*"
_SAYS = r"(?:\s+(?:means|denotes|represents|stands\s+for)(?:\s*:|\s+that)?\s+|\s+(?:be|is)\s*:\s+)"
_QUOTED_NAME = rf"[\"'“‘]{_NAME}[\"'”’]"
_END = r"(?=\s*(?:[.,;)}\]#(]|//|$))"
#: ``"the door is open": x1``
_PHRASE_FIRST = re.compile(rf"(?P<phrase>{_QUOTED}){_MEANS}(?P<name>{_QUOTED_NAME}|{_NAME}){_END}")
#: ``x1: "the door is open"``
_NAME_FIRST = re.compile(
    rf"(?<![\w.])(?<![&|!>(] )(?P<name>{_QUOTED_NAME}|{_NAME})(?:{_MEANS}|{_SAYS})(?P<phrase>{_QUOTED})"
)
_BARE_PHRASE_FIRST = re.compile(rf"(?P<phrase>[^\"“”:=|]*?\S\s*?){_MEANS}(?P<name>{_NAME})[.,;]?")
_BARE_NAME_FIRST = re.compile(
    rf"(?:let\s+)?(?P<name>{_NAME})(?:{_MEANS}|{_SAYS})(?P<phrase>[^\"“”:=|]+)", re.IGNORECASE
)
_CELLS = re.compile(r"\|\s*(?P<first>[^|]+?)\s*\|\s*(?P<second>[^|]+?)\s*\|")
#: A name that cannot be a word of the sentence: x1, p_2, AP3.
_NUMBERED = re.compile(r"[A-Za-z]{1,5}_?\d+")
_DECORATION = re.compile(r"^(?:\s|[>#•*+-](?=\s)|\(?\d{1,2}[.)]\s)*")
_RECORD = re.compile(r"\{[^{}]*\}")
_PHRASE_KEYS = frozenset({"phrase", "proposition", "statement", "text", "description", "meaning", "sentence"})
_NAME_KEYS = frozenset({"atom", "name", "variable", "symbol", "id", "label", "ap", "var"})
_LONGEST_LINE = 5_000


def read_phrases(answer: str, names: Collection[str] = ()) -> PhraseList:
    """The phrases that an answer lists, each with its name; never raises.

    Phrases may be quoted or not, stand before or behind their names, a line each, in JSON or in a table. Where phrases
    are not quoted, a name is told by its number, or by being one of ``names``. A list that is begun anew after other
    text, with a name of the earlier one, replaces it.
    """
    text = _RECORD.sub(_from_record, re.sub(r"\*\*|__(?=\W)|`", "", without_thoughts(answer)))
    pairs: list[Pair] = []
    interrupted = False
    for line in text.splitlines():
        found = [] if len(line) > _LONGEST_LINE else list(_in_line(_DECORATION.sub("", line).strip(), frozenset(names)))
        if found:
            taken = {name for _, name in pairs}
            begins_anew = interrupted and any(name in taken for _, name in found)
            pairs = found if begins_anew else pairs + [pair for pair in found if pair not in pairs]
        interrupted = not found and (interrupted or bool(line.strip(" \t{}[],")))
    if pairs:
        return PhraseList(tuple(pairs))
    return PhraseList((), 'the answer lists no phrases with names, such as "the door is open": x1')


def _in_line(line: str, names: frozenset[str]) -> Iterator[Pair]:
    """The pairs in a line: several where phrases are quoted, otherwise at most one."""
    quoted = [
        (match.start(), _pair(match["phrase"], match["name"]))
        for pattern in (_PHRASE_FIRST, _NAME_FIRST)
        for match in pattern.finditer(line)
    ]
    if quoted:
        taken: set[int] = set()
        for start, (phrase, name) in sorted(quoted, key=lambda found: found[0]):
            if start not in taken and phrase:
                taken.add(start)
                yield (name, phrase) if _is_name(phrase, names) and not _is_name(name, names) else (phrase, name)
        return
    if cells := _CELLS.match(line):
        sides = [cells["first"].strip("\"'“”"), cells["second"].strip("\"'“”")]
        for name, phrase in (sides, sides[::-1]):
            if _is_name(name, names):
                yield _pair(phrase, name)
                return
    for pattern in (_BARE_PHRASE_FIRST, _BARE_NAME_FIRST):
        bare = pattern.fullmatch(line)
        if bare is not None and _is_name(bare["name"], names) and _is_phrase(bare["phrase"], names):
            yield _pair(bare["phrase"], bare["name"])
            return


def _is_name(text: str, names: frozenset[str]) -> bool:
    return text in names or _NUMBERED.fullmatch(text) is not None


def _is_phrase(text: str, names: frozenset[str]) -> bool:
    """Whether a text without quotes has a word, and is no formula."""
    return not _is_name(text, names) and bool(re.search(r"[^\W\d_]{2}", text)) and not re.search(r"[&|!<>()]", text)


def _pair(phrase: str, name: str) -> Pair:
    phrase = phrase.strip()
    if len(phrase) > 1 and phrase[0] in "\"'“‘„":
        phrase = _unescaped(phrase)
    phrase = re.sub(r"^that\s+", "", " ".join(phrase.split()), flags=re.IGNORECASE)
    return phrase.rstrip(" .,;"), name.strip("\"'“”‘’")


def _unescaped(quoted: str) -> str:
    """What stands between quotes; what a backslash means there is JSON's business, where it is JSON."""
    try:
        return str(json.loads(quoted))
    except ValueError:
        return re.sub(r"\\(.)", r"\1", quoted[1:-1])


def _from_record(found: re.Match[str]) -> str:
    """An object such as ``{"phrase": …, "name": …}`` as a line of a list; any other text as it is."""
    try:
        record = json.loads(found[0])
    except ValueError:
        return found[0]
    texts = {key.lower(): value for key, value in record.items() if isinstance(value, str)}
    phrases = [texts[key] for key in texts if key in _PHRASE_KEYS]
    named = [texts[key] for key in texts if key in _NAME_KEYS]
    if len(phrases) != 1 or len(named) != 1:
        return found[0]
    return f"\n{json.dumps(phrases[0], ensure_ascii=False)}: {named[0]}\n"
