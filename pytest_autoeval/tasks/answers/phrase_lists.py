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
#: A phrase behind its name may have a remark behind it, but is not the subject of a sentence.
_OVER = r"(?=\s*(?:[.,;:)}\]#(—–-]|//|and\b|$))"
_END = r"(?=\s*(?:[.,;)}\]#(]|//|$))"
#: ``"the door is open": x1``
_PHRASE_FIRST = re.compile(rf"(?P<phrase>{_QUOTED}){_MEANS}(?P<name>{_QUOTED_NAME}|{_NAME}){_END}")
#: ``x1: "the door is open"``
_NAME_FIRST = re.compile(
    rf"(?<![\w.])(?<![&|!>(] )(?P<name>{_QUOTED_NAME}|{_NAME})(?:{_MEANS}|{_SAYS})(?P<phrase>{_QUOTED}){_OVER}"
)
#: ``"the door is open" (x1)``
_NAME_IN_BRACKETS = re.compile(rf"(?P<phrase>{_QUOTED})\s*\((?P<name>{_NAME})\)")
_WITH_QUOTES = (_PHRASE_FIRST, _NAME_FIRST, _NAME_IN_BRACKETS)
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
#: Words before the first quote or name, other than "let" or a variable that is assigned the list.
_SENTENCE = re.compile(r"(?!let\b|where\b|\w+\s*=\s*[\[{])[A-Za-z][\w',:]*\s+[^\"“„]*[\"“„]", re.IGNORECASE)
#: Keys of JSON, and labels, that are no names of propositions.
_KEYS = frozenset(
    {
        "answer", "explanation", "formula", "ltl", "ltl_formula", "note", "reasoning", "requirement", "sentence",
        "translation",
    }
)  # fmt: skip
_LONGEST_LINE = 5_000


def read_phrases(answer: str, names: Collection[str] = ()) -> PhraseList:
    """The phrases that an answer lists, each with its name; never raises.

    Phrases may be quoted or not, stand before or behind their names, a line each, in JSON or in a table. Where phrases
    are not quoted, a name is told by its number, or by being one of ``names``. A list that is begun anew after other
    text, with a name of the earlier one, replaces it; a single such phrase, alone or in a sentence, replaces that one.
    """
    text = _RECORD.sub(_from_record, re.sub(r"\*\*|__(?=\W)|`", "", without_thoughts(answer)))
    pairs: list[Pair] = []
    for part in _parts(text, frozenset(names)):
        taken = {name for _, name in pairs}
        if taken.isdisjoint(name for _, name in part):
            pairs += part
        elif len(part) == 1 < len(pairs):
            phrase, name = part[0]
            pairs = list(dict.fromkeys((phrase if theirs == name else ours, theirs) for ours, theirs in pairs))
        else:
            pairs = part
    if pairs:
        return PhraseList(tuple(pairs))
    return PhraseList((), 'the answer lists no phrases with names, such as "the door is open": x1')


def _parts(text: str, names: frozenset[str]) -> Iterator[list[Pair]]:
    """The lists in a text: other words part one from the next."""
    part: list[Pair] = []
    is_sentence = False
    for line in text.splitlines():
        plain = _DECORATION.sub("", line).strip()
        found = [] if len(line) > _LONGEST_LINE else list(_in_line(plain, names))
        begins_list = bool(found) and not _SENTENCE.match(plain)
        if part and (is_sentence or not begins_list) and (found or plain.strip("{}[], ")):
            yield part
            part = []
        part += [pair for pair in dict.fromkeys(found) if pair not in part]
        is_sentence = bool(found) and not begins_list
    if part:
        yield part


def _in_line(line: str, names: frozenset[str]) -> Iterator[Pair]:
    """The pairs in a line: several where phrases are quoted, otherwise at most one."""
    if any(pattern.search(line) for pattern in _WITH_QUOTES):
        yield from _quoted_pairs(line, names)
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


def _quoted_pairs(line: str, names: frozenset[str]) -> Iterator[Pair]:
    found = [
        (match.start(), _pair(match["phrase"], match["name"]))
        for pattern in _WITH_QUOTES
        for match in pattern.finditer(line)
        if pattern is not _NAME_IN_BRACKETS or _is_name(match["name"], names)
    ]
    taken: set[int] = set()
    for start, (first, second) in sorted(found, key=lambda pair: pair[0]):
        if start in taken or not first:
            continue
        taken.add(start)
        is_turned = _is_name(first, names) and not _is_name(second, names)
        phrase, name = (second, first) if is_turned else (first, second)
        if name.lower() not in _KEYS or name in names:
            yield phrase, name


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
