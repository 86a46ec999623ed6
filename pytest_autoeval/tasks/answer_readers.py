"""Readers of answers: a word, a number, an order, named phrases, symbols.

A prompt asks for one form; an answer in another form is unreadable.
:func:`~pytest_autoeval.languages.answers.final_answer` finds the place of a single answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Sized
from typing import Final, TypeVar

from pytest_autoeval.languages.answers import MAX_REPLY, UnreadableError, final_answer
from pytest_autoeval.languages.marks import bare, undecorated
from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.languages.plain_replies import plain
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.outcomes import Label

#: A phrase and its name.
Pair = tuple[str, str]

#: Marks of Markdown and LaTeX. Underscores inside a word are part of a name, and no marks.
_MARKS = lazy_pattern(r"[*`$]++|(?<!\w)_++|(?<!_)_++(?!\w)")
#: The text after an answer that is a word or a number: empty, or a remark.
_REMARK = lazy_pattern(r"\s*(?:$|[,.;:(—–!]|-\s)")
#: Words that restrict, doubt or withdraw the answer before them.
_HEDGE = lazy_pattern(
    r"\b(?:but|if|iff|unless|except|only|however|provided|assuming|depend\w*|though|although|maybe|perhaps|probably"
    r"|possibly|might|wait|actually|sorry)\b|\?",
    re.IGNORECASE,
)
_NEGATION = lazy_pattern(r"\b(?:not|never)\b|n['’]t\b", re.IGNORECASE)
#: The number of an option, such as ``2``, ``(2)`` or ``the formula #2``; not ``2nd``, ``2%`` or ``2.5``.
_OPTION_NUMBER = lazy_pattern(
    r"(?:the )?(?:(?:option|candidate|sentence|formula|number|no\.)\s*)?#?[(\[]?(\d{1,6})(?![\w%]|\.\d)[)\]]?",
    re.IGNORECASE,
)
#: A statement about the conclusion, after the answer.
_CONCLUDED = lazy_pattern(
    rf"\bconclusion (?:\w+ly )?is (?:\w+ly )?({'|'.join(Label)})\b", re.IGNORECASE
)
_WORD_ANSWER = lazy_pattern(r"\banswer\b", re.IGNORECASE)
#: A number anywhere behind the answer: if it is another one, the answer is not clear.
_ANY_NUMBER = lazy_pattern(r"(?<![\w.])\d+(?!\w)")

#: A proposition of a list, such as ``"the door is open": x1``.
_PHRASE = lazy_pattern(r'"(?P<phrase>[^"]+)"\s*:\s*(?P<name>[A-Za-z_]\w*)[.,;]?')
#: A phrase with a name in another form, such as ``"the door is open" = x1`` or ``x1: the door is open``.
_MALFORMED_PHRASE = lazy_pattern(r'"[^"]+"\s*(?:[:=→-]|\(x\d)|(?:^|[:→-]\s*)x\d+\s*(?:[:→-]|$)')
_NAMELESS_PHRASE = lazy_pattern(r'"[^"]+"\W*+')
_QUOTES = str.maketrans("“”„«»", '"' * 5)

# Limits far above any list that a prompt asks for.
#: Characters of a line of a list. A longer line is no entry.
_LONGEST_LINE = 2_000
_MOST_ENTRIES = 1_000
#: Places of one symbol.
_MOST_PLACES = 20

#: A symbol of a list, such as ``Larger(x, y): x is larger than y`` or ``mara: Mara``.
_SYMBOL = lazy_pattern(
    r"(?P<name>[^\W\d]\w*)(?:\s?\((?P<places>\w+(?:\s*,\s*\w+)*)\))?\s*[:：]\s*(?P<gloss>\S.*)"
)
#: A symbol in another form.
_MALFORMED_SYMBOL = lazy_pattern(
    # ``Larger(x, y)`` without a gloss, or with a dash or an equals sign before it.
    r"\w+\s?\([u-z]\d?(?:\s*,\s*[u-z]\d?)*\)\s*(?:$|[-–—=])"
    # ``Larger/2``
    r"|\w+\s?/\s?\d"
    # Several words in place of a name: ``the relation Larger(x, y):``
    r"|(?:\w+ ){1,9}\w+\s?\([u-z]\d?(?:\s*,\s*[u-z]\d?)*\)\s*:"
    # A kind of symbols before the symbols: ``Unary predicates: Dog, Cat``
    r"|(?:\w+ )?(?:predicate|relation|constant|function|symbol|proposition)s?\b[^:(]*:\s*\S",
    re.IGNORECASE,
)
#: A line with such a word before its colon lists no symbol.
_HEADINGS: Final = frozenset(
    {
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
        "sentence",
        "statement",
        "translation",
        "where",
    }
)
#: A line with such a sign is a formula, and lists no symbol.
_LOGICAL = lazy_pattern(r"[∀∃∧∨¬→↔⊕⇒⇔&]|\\(?:forall|exists|land|lor|neg)\b")
_NONE_NEEDED = lazy_pattern(r"\W*no (?:non-logical )?symbols? (?:is|are) needed\W*", re.IGNORECASE)
#: Verbs of a clause. A gloss with one says something that is true or false, as a proposition does.
_VERB = lazy_pattern(r"\b(?:is|are|was|were|has|have|does|do|will|can|must)\b")

Word = TypeVar("Word", bound=str)


def read_yes_no(reply: str) -> bool:
    """Whether a reply answers yes; raises :class:`UnreadableError` if it answers neither yes nor no."""

    def read(text: str) -> str | None:
        word = _choice(text, ("yes", "no"))
        # "Yes, they are not equivalent" says both. "No, they are not" says one thing twice.
        return None if word == "yes" and _NEGATION.search(text) else word

    return final_answer(reply, read) == "yes"


def read_label(reply: str) -> Label:
    """The label that a reply gives to a conclusion; raises :class:`UnreadableError` if it gives none, or two."""
    label: Label = final_answer(reply, lambda text: _choice(text, tuple(Label)))
    after_last_answer = _WORD_ANSWER.split(plain(reply))[-1]
    for statement in _CONCLUDED.finditer(after_last_answer):
        if statement[1].capitalize() != label:
            raise UnreadableError(
                f"the answer is {label}, and the text after it says {statement[0]!r}"
            )
    return label


def read_number(reply: str, options: Sequence[str]) -> int:
    """The number in a reply, which may repeat the text of its option; raises :class:`UnreadableError`."""
    texts = [bare(option) for option in options]

    def read(text: str) -> int | None:
        match = _OPTION_NUMBER.match(text)
        if match is None:
            return None
        number = int(match[1])
        following = text[match.end() :]
        repeated = bare(following.strip().lstrip(".:)—–-"))
        if repeated in texts:
            # A slice, since a number beyond the options has no text.
            texts_of_number = texts[number - 1 : number]
            return number if texts_of_number == [repeated] else None
        other_numbers = {*_ANY_NUMBER.findall(following)} - {match[1]}
        if other_numbers or not _is_remark(following):
            return None
        return number

    return final_answer(reply, read)


def read_order(reply: str) -> tuple[int, ...]:
    """The numbers of a reply: a JSON list, or separated by commas, ``>`` or spaces; raises :class:`UnreadableError`."""

    def read(text: str) -> tuple[int, ...] | None:
        text = bare(text).strip("[]() ")
        for separator in (",", ">", None):  # None: any white space
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
            continue
        # Above the list, a phrase in quotes alone may be a quotation of the sentence.
        lacks_name = bool(pairs) and _NAMELESS_PHRASE.fullmatch(line) is not None
        if lacks_name or _MALFORMED_PHRASE.search(line):
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
        # The gloss of a predicate is a clause that begins with a parameter: "x is larger than y".
        is_term = name[0].islower() and not gloss.startswith(parameters)
    else:
        # A capitalised name without places is a proposition if its gloss is a clause, or else a constant.
        is_term = name[0].islower() or not _VERB.search(gloss)
    return Symbol(name, parameters, gloss, is_term=is_term)


def _lines(reply: str) -> Iterator[tuple[str, str]]:
    """The lines of a reply: each as it is written, and without the marks of lists and Markdown."""
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


def _choice(text: str, words: Sequence[Word]) -> Word | None:
    """The word that a text begins with; None if more than a remark follows, or another of the words."""
    text = _MARKS.sub("", text).strip()
    chosen = next((word for word in words if re.match(rf"{word}\b", text, re.IGNORECASE)), None)
    if chosen is None:
        return None
    following = text[len(chosen) :]
    has_second_word = re.search(rf"\b(?:{'|'.join(words)})\b", following, re.IGNORECASE)
    if has_second_word or not _is_remark(following):
        return None
    return chosen


def _is_remark(text: str) -> bool:
    """Whether the text after an answer is empty or a remark, which neither restricts nor withdraws the answer."""
    return _REMARK.match(text) is not None and not _HEDGE.search(text)
