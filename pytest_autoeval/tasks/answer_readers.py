"""Readers of answers: a word, a number, an order, named phrases, symbols.

A prompt asks for one form; an answer in another form is unreadable.
:func:`~pytest_autoeval.languages.answers.final_answer` finds the place of a single answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Sized
from typing import Final, TypeVar

from pytest_autoeval.languages.answers import MAX_REPLY, UnreadableError, final_answer, plain
from pytest_autoeval.languages.marks import bare, undecorated
from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.outcomes import Label

#: A phrase and its name.
Pair = tuple[str, str]

_MARKS = re.compile(r"[*`$]++|(?<!\w)_++|(?<!_)_++(?!\w)")
#: The text after an answer that is a word or a number: empty, or a remark.
_REMARK = re.compile(r"\s*(?:$|[,.;:(—–!]|-\s)")
#: Words that restrict, doubt or withdraw the answer before them.
_HEDGE = re.compile(
    r"\b(?:but|if|iff|unless|except|only|however|provided|assuming|depend\w*|though|although|maybe|perhaps|probably"
    r"|possibly|might|wait|actually|sorry)\b|\?",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:not|never)\b|n['’]t\b", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?:the )?(?:(?:option|candidate|sentence|formula|number|no\.)\s*)?#?[(\[]?(\d{1,6})(?![\w%]|\.\d)[)\]]?",
    re.IGNORECASE,
)
#: A statement about the conclusion, after the answer.
_CONCLUDED = re.compile(
    rf"\bconclusion (?:\w+ly )?is (?:\w+ly )?({'|'.join(Label)})\b", re.IGNORECASE
)
_AFTER_ANSWER = re.compile(r"\banswer\b", re.IGNORECASE)
_ANY_NUMBER = re.compile(r"(?<![\w.])\d+(?!\w)")

#: A proposition of a list, such as ``"the door is open": x1``. ``_MALFORMED_PHRASE`` finds malformed ones.
_PHRASE = re.compile(r'"(?P<phrase>[^"]+)"\s*:\s*(?P<name>[A-Za-z_]\w*)[.,;]?')
_MALFORMED_PHRASE = re.compile(r'"[^"]+"\s*(?:[:=→-]|\(x\d)|(?:^|[:→-]\s*)x\d+\s*(?:[:→-]|$)')
_NAMELESS_PHRASE = re.compile(r'"[^"]+"\W*+')
#: Limits: characters of a line of a list, entries of a list, and places of a symbol.
_LONGEST_LINE, _MOST_ENTRIES, _MOST_PLACES = 2_000, 1_000, 20
_QUOTES = str.maketrans("“”„«»", '"' * 5)

#: A symbol of a list, such as ``Larger(x, y): x is larger than y`` or ``mara: Mara``. ``_MALFORMED_SYMBOL`` finds
#: malformed ones.
_SYMBOL = re.compile(
    r"(?P<name>[^\W\d]\w*)(?:\s?\((?P<places>\w+(?:\s*,\s*\w+)*)\))?\s*[:：]\s*(?P<gloss>\S.*)"
)
_MALFORMED_SYMBOL = re.compile(
    r"\w+\s?\([u-z]\d?(?:\s*,\s*[u-z]\d?)*\)\s*(?:$|[-–—=])|\w+\s?/\s?\d"
    r"|(?:\w+ ){1,9}\w+\s?\([u-z]\d?(?:\s*,\s*[u-z]\d?)*\)\s*:"
    r"|(?:\w+ )?(?:predicate|relation|constant|function|symbol|proposition)s?\b[^:(]*:\s*\S",
    re.IGNORECASE,
)
#: A line with such a label, or with logical signs, lists no symbol.
_HEADINGS: Final = (
    "analysis",
    "answer",
    "conclusion",
    "explanation",
    "fol",
    "formula",
    "note",
    "notes",
    "reasoning",
    "remark",
    *("sentence", "statement", "translation", "where"),
)
_LOGICAL = re.compile(r"[∀∃∧∨¬→↔⊕⇒⇔&]|\\(?:forall|exists|land|lor|neg)\b")
_NONE_NEEDED = re.compile(r"\W*no (?:non-logical )?symbols? (?:is|are) needed\W*", re.IGNORECASE)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|does|do|will|can|must)\b")

W = TypeVar("W", bound=str)


def read_yes_no(reply: str) -> bool:
    """Whether a reply answers yes; raises :class:`UnreadableError` if it answers neither yes nor no."""

    def read(text: str) -> str | None:
        word = _choice(text, ("yes", "no"))
        return None if word == "yes" and _NEGATION.search(text) else word

    return final_answer(reply, read) == "yes"


def read_label(reply: str) -> Label:
    """The label that a reply gives to a conclusion; raises :class:`UnreadableError` if it gives none, or two."""
    label: Label = final_answer(reply, lambda text: _choice(text, tuple(Label)))
    for statement in _CONCLUDED.finditer(_AFTER_ANSWER.split(plain(reply))[-1]):
        if statement[1].capitalize() != label:
            raise UnreadableError(
                f"the answer is {label}, and the text after it says {statement[0]!r}"
            )
    return label


def read_number(reply: str, options: Sequence[str]) -> int:
    """The number in a reply, which may repeat the text of its option; raises :class:`UnreadableError`."""
    texts = [bare(option) for option in options]

    def read(text: str) -> int | None:
        match = _NUMBER.match(text)
        if match is None:
            return None
        number = int(match[1])
        following = text[match.end() :]
        repeated = bare(following.strip().lstrip(".:)—–-"))
        if repeated in texts:  # the text of an option: it must be that of this number
            if texts[number - 1 : number] == [repeated]:
                return number
            return None
        other_numbers = {*_ANY_NUMBER.findall(following)} - {match[1]}
        return number if not other_numbers and _is_remark(following) else None

    return final_answer(reply, read)


def read_order(reply: str) -> tuple[int, ...]:
    """The numbers of a reply: a JSON list, or separated by commas, ``>`` or spaces; raises :class:`UnreadableError`."""

    def read(text: str) -> tuple[int, ...] | None:
        text = bare(text).strip("[]() ")
        for separator in (",", ">", None):
            entries = [entry.strip() for entry in text.split(separator)]
            if all(re.fullmatch(r"\d{1,6}", entry) for entry in entries):
                return tuple(map(int, entries))
        return None

    return final_answer(reply, read)


def read_phrases(reply: str) -> tuple[Pair, ...]:
    """The phrases with names that a reply lists, one on a line; raises :class:`UnreadableError`."""
    pairs: list[Pair] = []
    for _, plain_line in _lines(reply):
        line = plain_line.translate(_QUOTES)
        entry = _PHRASE.fullmatch(line) if len(line) <= _LONGEST_LINE else None
        if entry:
            phrase = " ".join(entry["phrase"].split()).rstrip(" .,;")
            pairs.append((phrase, entry["name"]))
            _check_count(pairs)
        # A phrase in quotes alone may be of the sentence, but not below an entry of the list.
        elif _MALFORMED_PHRASE.search(line) or (pairs and _NAMELESS_PHRASE.fullmatch(line)):
            raise _malformed(line, '"the door is open": x1')
    if not pairs:
        raise UnreadableError(
            'the answer lists no phrases with names, such as "the door is open": x1'
        )
    return tuple(dict.fromkeys(pairs))


def read_symbols(reply: str) -> tuple[tuple[Symbol, ...], str]:
    """The symbols that a reply lists, one on a line, and its other lines; raises :class:`UnreadableError`."""
    symbols: dict[tuple[str, int], Symbol] = {}
    unread_lines: list[str] = []
    for original, line in _lines(reply):
        if _MALFORMED_SYMBOL.match(line) and not _LOGICAL.search(line):
            raise _malformed(line, "Larger(x, y): x is larger than y")
        entry = _SYMBOL.fullmatch(line) if len(line) <= _LONGEST_LINE else None
        if entry and entry["name"].lower() not in _HEADINGS and not _LOGICAL.search(entry["gloss"]):
            symbol = _symbol(entry)
            if symbols.setdefault((symbol.name, symbol.arity), symbol) != symbol:
                raise UnreadableError(
                    f"the answer lists the symbol {symbol} twice, with different glosses"
                )
            _check_count(symbols)
        else:
            unread_lines.append(original)
    if not symbols and not _NONE_NEEDED.fullmatch(plain(reply)):
        raise UnreadableError(
            "the answer lists no symbols, such as Larger(x, y): x is larger than y"
        )
    return tuple(symbols.values()), "\n".join(unread_lines)


def _symbol(entry: re.Match[str]) -> Symbol:
    """The symbol of a line. The prompt asks for lower-case names of terms and capitalised names of predicates."""
    name = entry["name"]
    gloss = entry["gloss"].strip(" .'’‘")
    pieces = (entry["places"] or "").split(",")
    parameters = tuple(filter(None, map(str.strip, pieces)))
    if len(parameters) > _MOST_PLACES:
        raise UnreadableError(
            f"the symbol {name[:50]} has {len(parameters):,} places; at most {_MOST_PLACES} are read"
        )
    if parameters:
        is_term = name[0].islower() and not gloss.startswith(parameters)
    else:
        is_term = name[0].islower() or not _VERB.search(gloss)
    return Symbol(name, parameters, gloss, is_term=is_term)


def _lines(reply: str) -> Iterator[tuple[str, str]]:
    """The lines of a reply, each as written and without marks of lists and Markdown."""
    if len(reply) > MAX_REPLY:
        raise UnreadableError(
            f"the answer has {len(reply):,} characters; at most {MAX_REPLY:,} are read"
        )
    for line in plain(reply).splitlines():
        yield line, _MARKS.sub("", undecorated(line)).strip()


def _check_count(entries: Sized) -> None:
    if len(entries) > _MOST_ENTRIES:
        raise UnreadableError(f"the answer lists more than {_MOST_ENTRIES:,} entries")


def _malformed(line: str, form: str) -> UnreadableError:
    return UnreadableError(f"the answer has a line in another form than {form}: {line[:100]!r}")


def _choice(text: str, words: Sequence[W]) -> W | None:
    """The word that a text begins with; None if more than a remark follows, or another of the words."""
    text = _MARKS.sub("", text).strip()
    chosen = next((word for word in words if re.match(rf"{word}\b", text, re.IGNORECASE)), None)
    if chosen is None:
        return None
    following = text[len(chosen) :]
    has_second_word = re.search(rf"\b(?:{'|'.join(words)})\b", following, re.IGNORECASE)
    return chosen if _is_remark(following) and not has_second_word else None


def _is_remark(text: str) -> bool:
    return _REMARK.match(text) is not None and not _HEDGE.search(text)
