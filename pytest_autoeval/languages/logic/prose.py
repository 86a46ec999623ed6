"""Formulas amid English: what in a line is one, and which signs beside it make it a part of another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_autoeval.languages import english
from pytest_autoeval.languages.answers import Passage, bare
from pytest_autoeval.languages.logic.parser import CLOSING, CONNECTIVES

_SYMBOL = re.compile(
    r"[∧∨¬→↔⊕∀∃⊤⊥&|~!⇒⊃⇔≡^⟶⟹⟷⟺·]|->|=>|/\\|\\/|\\[A-Za-z]|\w\(|\w_?\d|[₀-₉]|(?<![\w'’])[b-zB-HJ-Z](?![\w'’])"
)
_TRAILING_SIGN = re.compile(
    r"(?:[∧∨→↔⊕¬&|⇒⇔≡,(\[]|->|=>|/\\|\\/|\\(?:land|lor|to|wedge|vee|rightarrow|iff|implies))\s*$"
)
_LEADING_SIGN = re.compile(
    r"\s*(?:[∧∨→↔⊕&|⇒⇔≡)\]]|->|=>|<|/\\|\\/|\\(?:land|lor|to|wedge|vee|rightarrow|iff|implies)\b)"
)

#: Signs that connect a marked formula with what is beside it; an arrow beside plain words only points at it.
_CONNECTING = r"[∧∨↔⊕&|⇔≡]|/\\|\\/|<->|<=>|\\(?:land|lor|wedge|vee|leftrightarrow|iff|oplus)\b"
_ARROW = r"(?:[→⇒]|->|=>|\\(?:to|rightarrow|implies)\b)"
_SIGN_BEFORE = re.compile(rf"(?:{_CONNECTING}|[¬~]|\\(?:lnot|neg)\b|[`$*)]\s*{_ARROW})[\s`$*(\[]*$")
_SIGN_BEHIND = re.compile(rf"[\s`$*)\]]*(?:{_CONNECTING}|{_ARROW}\s*[`$*(¬])")
#: A line that is nothing but a connective.
_SIGN_ALONE = re.compile(rf"[\s`$*]*(?:{_CONNECTING}|{_ARROW})[\s`$*]*")
#: Characters around a formula that can say something about it.
_NEARBY = 300
#: Characters of a line that formulas are looked for amid its words.
_LONGEST_PROSE = 2_000

_PIECE = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<name>\w+(?:(?<=[^\W_])(?:-(?=[^\W_])|['’](?=[^\W\d_]))\w+)*)"
    r"|(?P<sign><->|<=>|->|=>|/\\|\\/|&&|\|\||!=|[∧∨¬→↔⊕∀∃⊤⊥&|~!⇒⊃⇔≡^=≠()\[\]{}-])"
    r"|(?P<break>[,.:;?\"“”*`—–…])"
    r"|(?P<odd>.)",
    re.DOTALL,
)
_BINARY_SIGNS = frozenset(
    {*CONNECTIVES, "<->", "<=>", "->", "=>", "/\\", "\\/", "&&", "||", "&", "|", "⇒", "⊃", "⇔", "≡"}
)
_BINARY_SIGN = re.compile("|".join(re.escape(sign) for sign in sorted(_BINARY_SIGNS, key=len, reverse=True)))
_QUANTIFIER_SIGNS = frozenset({"∀", "∃"})
_PREFIX_SIGNS = _QUANTIFIER_SIGNS | {"¬", "~", "!", "-"}


def is_symbolic(text: str) -> bool:
    """Whether a text has something that English has not: a sign, an application, a numbered or one-letter name."""
    return _SYMBOL.search(text) is not None


def is_fragment(before: str, after: str, free: tuple[str, ...], *, is_basic: bool) -> bool:
    """Whether the words around a formula make it a part of an English sentence that means more than the formula.

    ``free`` are the free names of the formula: "for every x" in front binds one of them. ``is_basic``: an atom, or one
    negated, which an "and" or "or" beside it may connect with another.
    """
    is_joined = _SIGN_BEFORE.search(before[-_NEARBY:]) is not None or is_followed_up(after)
    return is_joined or english.is_fragment(before, after, free, is_basic=is_basic)


def is_followed_up(after: str) -> bool:
    """Whether the words behind a formula, up to a stop, put it under a condition or connect it, or a sign does."""
    return english.is_followed_up(after) or _SIGN_BEHIND.match(after[:_NEARBY]) is not None


def continues(text: str, line: str) -> bool:
    """Whether a line goes on with the formula begun in the text before it: a sign at the seam, or an open bracket."""
    if len(text) > 20_000 or not is_symbolic(text):
        return False
    if _TRAILING_SIGN.search(text[-20:].rstrip(" \t`$*")) or _LEADING_SIGN.match(line) or _SIGN_ALONE.fullmatch(line):
        return True
    return sum(map(text.count, CLOSING)) > sum(map(text.count, CLOSING.values())) and is_symbolic(line)


def runs(passage: Passage) -> Iterator[Passage]:
    """The formulas amid the words of a line, last first: stretches in which signs hold the names together.

    None at all if any stretch is odd: two of them side by side, brackets that do not match, a strange character. Then
    the line is a formula gone wrong, and what looks whole in it is a fragment.
    """
    line = passage.text
    if len(line) > _LONGEST_PROSE:
        return
    found: list[_Stretch] = []
    separated = True
    for stretch in _stretches(line):
        text = line[stretch.start : stretch.end]
        if stretch.is_odd or (not separated and (stretch.is_formula or is_symbolic(text))):
            return
        separated = not stretch.is_formula and not text.startswith(("¬", "~"))
        if stretch.is_formula:
            found.append(stretch)
    for stretch in reversed(found):
        text, before, after = line[stretch.start : stretch.end], line[: stretch.start], line[stretch.end :]
        yield Passage(bare(text), "prose", before, after)


@dataclass(slots=True)
class _Stretch:
    """A piece of a line that no seam divides."""

    start: int
    end: int
    connectives: int = 0
    quantifiers: int = 0
    applications: int = 0
    brackets: int = 0
    #: Among the variables of a quantifier, where names stand side by side.
    is_binding: bool = False
    ends_in_operand: bool = False
    is_word: bool = False
    truths: int = 0
    is_odd: bool = False

    @property
    def is_formula(self) -> bool:
        return self.connectives > 0 or (self.quantifiers > 0 and self.applications > 0)

    def take(self, match: re.Match[str]) -> None:
        """Makes the stretch longer."""
        kind, text = match.lastgroup, match[0]
        # "formula (p1)" is no application, nor can what follows it be told.
        self.is_odd |= kind == "odd" or (text == "(" and self.is_word and match.start() > self.end)
        self.truths += text in ("true", "false")
        self.is_word = kind == "name" and text.islower() and len(text) > 1
        self.end = match.end()
        self.connectives += text in _BINARY_SIGNS
        self.quantifiers += text in _QUANTIFIER_SIGNS
        self.applications += text == "("
        self.brackets += (text in CLOSING) - (text in CLOSING.values())
        self.is_binding = text in _QUANTIFIER_SIGNS or (self.is_binding and (kind == "name" or text == ","))
        self.ends_in_operand = kind == "name" or text in CLOSING.values()

    def is_seam(self, match: re.Match[str], line: str) -> bool:
        """Whether what comes next belongs to another stretch."""
        if self.start == self.end:
            return False
        if match.lastgroup == "break":
            return not (self.is_binding and match[0] in ".,:") and not (self.brackets > 0 and match[0] == ",")
        if not self.ends_in_operand or self.is_binding or match[0] in "])}":
            return False
        if match[0] in "([{":  # an application, or a bracketed formula behind a word
            return match.start() > self.end and _BINARY_SIGN.search(_bracketed(line, match.start())) is not None
        return match.lastgroup == "name" or match[0] in _PREFIX_SIGNS


def _bracketed(line: str, start: int) -> str:
    """What the bracket that opens at an offset encloses; all the rest, if it is never closed."""
    depth = 0
    for at in range(start, len(line)):
        depth += (line[at] in CLOSING) - (line[at] in CLOSING.values())
        if depth == 0:
            return line[start:at]
    return line[start:]


def _stretches(line: str) -> Iterator[_Stretch]:
    """The pieces of a line between its seams: words side by side, and punctuation."""
    stretch = _Stretch(0, 0)
    for match in _PIECE.finditer(line):
        if match.lastgroup == "space":
            continue
        if stretch.is_seam(match, line):
            yield _checked(stretch)
            stretch = _Stretch(match.start(), match.start())
        if stretch.start == stretch.end:
            stretch = _Stretch(match.start(), match.start())
        if match.lastgroup == "break" and stretch.start == stretch.end:
            if match[0] in ".;?":  # what follows is another sentence
                yield _Stretch(match.start(), match.end())
            continue
        stretch.take(match)
    yield _checked(stretch)


def _checked(stretch: _Stretch) -> _Stretch:
    """A stretch that has signs but cannot be a formula is odd; in prose "p1 is true" speaks of p1, not of ⊤."""
    unfinished = stretch.brackets != 0 or stretch.truths > 0 or (stretch.quantifiers > 0 and not stretch.is_formula)
    stretch.is_odd |= unfinished and (stretch.quantifiers > 0 or stretch.connectives > 0)
    return stretch
