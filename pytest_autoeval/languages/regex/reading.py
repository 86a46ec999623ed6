"""Reading a regular expression from a model's answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_autoeval.languages.answers import Passage, is_contrasted, passages
from pytest_autoeval.languages.base import FormulaSyntaxError, Reading
from pytest_autoeval.languages.regex.measures import symbols
from pytest_autoeval.languages.regex.notation import parse_extended
from pytest_autoeval.languages.regex.parser import parse
from pytest_autoeval.languages.regex.syntax import Expression
from pytest_autoeval.languages.wrappings import unpacked

#: Characters of an answer; a formula in a longer one is not searched for.
_LONGEST_ANSWER = 200_000
_COMPLETE = ("whole", "block", "label", "line")
_OPERATOR = re.compile(r"[*∗⋆⁎★✱+⁺?|∪∨{\[.]|\\(?:ast|star|cup|mid|d)")
#: What makes a bare word in a sentence an expression: not a question, not a citation like [1].
_OPERATOR_IN_PROSE = re.compile(r"[*∗⋆⁎★✱+⁺|∪∨]|\\(?:ast|star|cup|mid)")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_SENTENCE = re.compile(r"\w[.?!,]\s")
#: Markdown's bold around an expression, whose own stars may touch the marks: ``**0*1***`` is ``0*1*`` in bold.
_BOLD = re.compile(r"(?<![^\s(:>\"'“])\*\*(?=[^\s*])(?P<inside>[^\n]{1,1000}?)\*\*(?=[\s.,;:!?)\"'”]|$)")
#: Emphasis and a misplaced star look alike.
_EMPHASIZED = re.compile(r"\*[^\s*]+\*")
#: An answer that is nothing but code: a period at its end is a wildcard, where elsewhere it is a full stop.
_CODE = re.compile(r"`(?P<inside>[^`\n]+)`\.?")
#: What programs put around an expression: a name and ``=``, quotes, slashes; from the outside in.
_WRAPPINGS = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"[A-Za-z][\w()]*\s*:?=\s*(?P<value>\S.*)",
        r"[rR]?(?P<quote>[\"'])(?P<value>.+)(?P=quote)",
        r"/(?P<value>.+)/[dgimsuvy]*",
    )
)
#: Words and marks between two expressions of a sentence by which each is a part of what is meant: "0* and then 1".
_JOINED_TO = r"(?:,?\s+(?:and|or|then|plus|followed\s+by)\s+(?:then\s+|by\s+)?|,\s*then\s+)"
_JOINED_BEFORE = re.compile(rf"(?:[*+|)\]`$]\S{{0,20}}|\b\d+){_JOINED_TO}[`$]?$|[`$]\s*$|(?:(?<!\*)[*+]|\d\))\s+$")
_JOINED_BEHIND = re.compile(rf"[`$]?{_JOINED_TO}(?:[`$(\[]|\S{{0,3}}[*+])|\s*[`$]|\w|\s+[(\d][^\s,.;]{{0,20}}[*+]")
#: Words before "is" that announce an expression; "the length is 10" does not.
_ANNOUNCED = re.compile(r"\b(?:regexp?|expression|formula|answer|pattern|result|translation|output)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Found:
    """An expression in an answer, with the text that it was read from."""

    text: str
    expression: Expression
    passage: Passage

    @property
    def has_operator(self) -> bool:
        return _OPERATOR.search(self.text) is not None

    @property
    def stands_alone(self) -> bool:
        """Whether it makes up a block, a line, or what follows a label with a colon."""
        return self.passage.place in _COMPLETE and not self.announced_by_is

    @property
    def announced_by_is(self) -> bool:
        return self.passage.before.rstrip(" \t*_\"'“`").endswith("is")


def read(answer: str, alphabet: Sequence[str] | None) -> Reading:
    """The expression in an answer; ``alphabet``, if known, resolves wildcards and tells symbols from prose.

    The whole answer counts if it is in the strict notation; then the last expression that stands by itself (in a
    block, on a line, behind a label); then the last one in a sentence that is no part of another one there; then a
    line without operators, which else is taken for an example. No word is taken for an expression.
    """
    whole = answer.strip()
    if not whole:
        return _nothing("the answer is empty")
    if len(whole) > _LONGEST_ANSWER:
        return _nothing(f"the answer has {len(whole):,} characters; at most {_LONGEST_ANSWER:,} are searched")
    if _EMPHASIZED.fullmatch(whole):
        return _nothing("'*' has nothing to repeat")
    if not _is_word(whole, alphabet):
        try:
            return Reading(parse(whole), compliant=True, recovered=False, text=whole)
        except FormulaSyntaxError:
            pass
    found = _last(_unbolded(unpacked(whole).strip()), alphabet)
    if found is None:
        return _nothing(_problem(whole, alphabet))
    return Reading(found.expression, compliant=False, recovered=True, text=found.text)


def _nothing(problem: str) -> Reading:
    return Reading(None, compliant=False, recovered=False, text="", problem=problem)


def _problem(whole: str, alphabet: Sequence[str] | None) -> str:
    """Why there is no expression in an answer: its mistake, if it looks like one and has one."""
    if not re.search(r"\s", whole):
        try:
            parse_extended(whole, alphabet)
        except FormulaSyntaxError as error:
            return str(error)
    return "no regular expression was found in the answer"


def _is_word(text: str, alphabet: Sequence[str] | None) -> bool:
    """Whether a text without operators has letters that the alphabet does not have."""
    return (
        alphabet is not None
        and not _OPERATOR.search(text)
        and any(char.isalpha() and char not in alphabet for char in text)
    )


def _unbolded(answer: str) -> str:
    """The answer with bold marks around starred expressions gone, as general Markdown would take the stars along."""

    def plain(bold: re.Match[str]) -> str:
        inside = bold["inside"]
        if "*" not in inside:
            return bold[0]
        return inside if re.search(r"[\s`]", inside) else f"`{inside}`"

    return _BOLD.sub(plain, answer)


def _last(answer: str, alphabet: Sequence[str] | None) -> _Found | None:
    """The expression that the answer gives, if it gives one."""
    if (code := _CODE.fullmatch(answer)) and (found := _found(code["inside"], Passage(answer, "block"), alphabet)):
        return found
    mentioned: list[_Found] = []
    lines: list[_Found] = []
    for found in _all_found(answer, alphabet):
        if not found.stands_alone:
            mentioned.append(found)
        elif found.has_operator or found.passage.place != "line":
            return found
        else:
            lines.append(found)
    texts = [found.text for found in mentioned]
    # An explanation takes an expression apart: its pieces are no answers.
    answers = [found for found in mentioned if not any(found.text != text and found.text in text for text in texts)]
    return next(iter(answers + lines), None)


def _all_found(answer: str, alphabet: Sequence[str] | None) -> Iterator[_Found]:
    """Whatever in the answer is meant as an expression, from its end."""
    for passage in passages(answer):
        for text, part in _texts(passage):
            if not _is_part_of_more(part) and (found := _found(text, part, alphabet)):
                yield found


def _is_part_of_more(passage: Passage) -> bool:
    """Whether a sentence joins what a passage says to another expression, or says that it is not the answer."""
    if passage.place in ("whole", "block", "line"):
        return False
    before, after = passage.before, passage.after
    joined = _JOINED_BEFORE.search(before) or _JOINED_BEHIND.match(after)
    return joined is not None or is_contrasted(before, after)


def _found(text: str, passage: Passage, alphabet: Sequence[str] | None) -> _Found | None:
    if "\n" in text:
        return None
    try:
        found = _Found(text, parse_extended(text, alphabet), passage)
    except FormulaSyntaxError:
        return None
    return found if _is_meant(found, alphabet) else None


def _texts(passage: Passage) -> Iterator[tuple[str, Passage]]:
    """The texts in a passage that may be an expression, each with its own surroundings, the last first."""
    if passage.place != "prose":
        text = passage.text.strip()
        for wrapping in _WRAPPINGS:
            if match := wrapping.fullmatch(text):
                text = match["value"].strip()
        yield text, passage
        return
    line = passage.text
    for word in reversed(list(re.finditer(r"\S+", line))):
        token = word[0].strip("\"'`“”‘’,;:!.…").rstrip("?")
        if _OPERATOR_IN_PROSE.search(token):
            start = word.start() + word[0].index(token)
            yield token, Passage(token, "prose", line[:start], line[start + len(token) :])


def _is_meant(found: _Found, alphabet: Sequence[str] | None) -> bool:
    """Whether a text that can be read as an expression was meant as one, not as prose or as a number in it."""
    if found.passage.place in ("whole", "line", "prose") and not found.text.strip(". "):
        return False
    words = _LETTERS.search(_COMMAND.sub(" ", found.text)) is not None
    strange = alphabet is not None and not set(symbols(found.expression)) <= set(alphabet)
    if re.search(r"\s", found.text) and (words or strange or _SENTENCE.search(found.text)):
        return False
    if found.passage.place == "prose":
        return bool(symbols(found.expression)) and not strange and not (words and alphabet is None)
    return found.has_operator or _is_meant_plainly(found, alphabet, strange=strange)


def _is_meant_plainly(found: _Found, alphabet: Sequence[str] | None, *, strange: bool) -> bool:
    """The same for a text without operators, which might be a word, a number or an example."""
    if strange:
        return False
    place = found.passage.place
    if alphabet is None and place not in ("block", "code", "math"):
        unlikely = any(char.isalpha() or char.isspace() for char in found.text) or len(found.text) == 1
        if unlikely:
            return False
    if found.stands_alone:
        return True
    if found.announced_by_is:
        announced = _ANNOUNCED.search(found.passage.before) is not None and not _LETTERS.search(found.text)
        return announced or place in ("code", "math")
    return len(found.text) > 1
