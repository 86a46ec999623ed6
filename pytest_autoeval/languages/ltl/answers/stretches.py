"""Formulas amid the words of a line: the stretches that operators hold together, and what speaks against them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pytest_autoeval.languages.answers import Passage, bare
from pytest_autoeval.languages.ltl.answers.prose import SIGN
from pytest_autoeval.languages.ltl.answers.tokens import CLOSING, LENIENT_SIGNS
from pytest_autoeval.languages.ltl.parser import INFIXES, PREFIXES
from pytest_autoeval.languages.ltl.tokens import WORDS

#: What tells a formula amid words from words, if one does not know the names.
_CERTAIN = re.compile(rf"{SIGN}|\w\(|(?<![\w'’])(?:[b-z]|\w*\d)(?![\w'’])")
_SIGNS = re.compile(rf"{SIGN}|[(\[{{]")
#: A path quantifier of branching time, or the article; and one with its operator.
_PATH_QUANTIFIER = re.compile(r"(?<!\w)[AE]\s*$")
_BRANCHING_WORD = re.compile(r"(?<!\w)[AE][XFGU](?!\w)")
_NUMBERED = re.compile(r"[A-Za-z]_?\d+")
_LONE_OPERATOR = re.compile(r"[XFGYZOH¬~□◇○]")
_ARROW = re.compile(r"<?[-=]+>|[→⇒⟶⟹]")
_ARROWS = frozenset({"->", "=>", "-->", "==>", "→", "⇒", "⟶", "⟹"})
_SENTENCE_OVER = re.compile(r"[\"”'*`\s]*\.(?!\.)[^.]*")
#: Signs of other logics, which no sentence has.
_STRAY = frozenset("^∀∃")
#: Something in front of a formula was left out.
_CUT = re.compile(r"(?:^|:)\s*(?:\.{3}|…)\s*$")
#: Characters of a line that formulas are looked for amid its words.
_LONGEST_PROSE = 2_000

_PIECE = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<name>[^\W\d]\w*(?:(?:['’-]|\.(?=[^\W\d]))\w+)*)"
    rf"|(?P<sign>{'|'.join(map(re.escape, sorted(LENIENT_SIGNS, key=len, reverse=True)))})"
    r"|(?P<bracket>[()\[\]{}])"
    r"|(?P<break>[,.:;?\"“”*`—–…-])"
    r"|(?P<odd>.)",
    re.DOTALL,
)


def runs(passage: Passage, known: Collection[str] | None) -> Iterator[Passage]:
    """The formulas amid the words of a line, last first: stretches in which operators hold the names together.

    None at all if any stretch is odd: one that breaks off, a strange character in it, or something beside it that no
    words part from it. Then the line is a formula gone wrong, and what looks whole in it is a fragment. ``known``: the
    names of propositions, which tell "G x1" from the words "G means"; None if they are not known.
    """
    line = passage.text
    if len(line) > _LONGEST_PROSE or any(word not in (known or ()) for word in _BRANCHING_WORD.findall(line)):
        return
    found: list[_Stretch] = []
    for stretch in _stretches(line):
        text = line[stretch.start : stretch.end]
        if text.strip() in _ARROWS:  # it may point at the formula
            continue
        if stretch.operators and not stretch.is_odd and _are_words(text, known):
            stretch.operators = 0
        is_quantified = stretch.operators and _PATH_QUANTIFIER.search(line[: stretch.start])
        is_beside = found and _are_beside(line, found[-1], stretch, known)
        is_cut = stretch.operators and _CUT.search(line[: stretch.start])
        if stretch.is_odd or stretch.is_stray or is_quantified or is_beside or is_cut:
            return
        found.append(stretch)
    for stretch in reversed([stretch for stretch in found if stretch.operators]):
        text, before, after = line[stretch.start : stretch.end], line[: stretch.start], line[stretch.end :]
        yield Passage(bare(text), "prose", before, after)


def _are_beside(line: str, left: _Stretch, right: _Stretch, known: Collection[str] | None) -> bool:
    """Whether two stretches without words between look like one formula that lacks something.

    Two formulas do unless a sentence ends between them; and so does a formula beside a proposition or the letter of an
    operator, which may have a mark of punctuation behind it.
    """
    gap = line[left.end : right.start].strip()
    if left.operators and right.operators:
        return _SENTENCE_OVER.fullmatch(gap) is None
    if not left.operators and not right.operators:
        return False
    if left.operators:
        text = line[right.start : right.end]
        word = text.partition(" ")[0]
        is_part = _is_operand(word, known) or _LONE_OPERATOR.fullmatch(word) or (text[0] in "!¬~" and len(text) > 1)
        return not gap and bool(is_part)
    word = line[left.start : left.end].rpartition(" ")[2]
    if word == "!" or _LONE_OPERATOR.fullmatch(word):
        is_first = line[: left.start].rstrip()[-1:] in ("", ":")
        return gap != "." and (gap != ":" or is_first)  # "the operator G: G x1"
    return not gap and (_is_operand(word.lstrip("!¬~"), known) or _has_two_arrows(line[right.start : right.end]))


def _has_two_arrows(text: str) -> bool:
    """Whether a text has an arrow by which words may point at a formula, beside one of the formula's own."""
    return len({arrow for arrow in _ARROW.findall(text) if arrow in _ARROWS}) > 1


def _is_operand(word: str, known: Collection[str] | None) -> bool:
    """Whether a word can only be the name of a proposition."""
    return _NUMBERED.fullmatch(word) is not None or (not word.isalpha() and word in (known or ()))


def _are_words(text: str, known: Collection[str] | None) -> bool:
    """Whether what could be a formula of letters and names is English with a capital letter in it."""
    if known is None:
        return not _CERTAIN.search(text)
    return not _SIGNS.search(text) and not all(
        word in known or word in WORDS or any(char.isdigit() for char in word) for word in re.findall(r"\w+", text)
    )


@dataclass(slots=True)
class _Stretch:
    """A piece of a line that no seam divides."""

    start: int
    end: int
    #: Connectives, and temporal operators before a name or a bracket; a negation alone makes no formula.
    operators: int = 0
    brackets: int = 0
    wants_operand: bool = True
    is_odd: bool = False
    #: Whether there is a connective that connects nothing, or a sign that English has not either.
    is_stray: bool = False

    @property
    def is_empty(self) -> bool:
        return self.start == self.end


def _stretches(line: str) -> Iterator[_Stretch]:
    """The pieces of a line between its seams: words side by side, and punctuation."""
    pieces = [match for match in _PIECE.finditer(line) if match.lastgroup != "space"]
    stretch = _Stretch(0, 0)
    for at, piece in enumerate(pieces):
        following = pieces[at + 1] if at + 1 < len(pieces) else None
        kind = _kind(piece, following, stretch)
        if kind == "closing" and _closes_nothing(pieces[: at + 1]):
            stretch.is_odd = True
        if kind in ("break", "seam", "closing") or stretch.is_empty:
            if not stretch.is_empty:
                yield _checked(stretch)
            stretch = _Stretch(piece.start(), piece.start())
        if kind in ("break", "closing"):
            continue
        if kind == "seam":
            kind = _kind(piece, following, stretch)
        _take(stretch, piece, kind)
    if not stretch.is_empty:
        yield _checked(stretch)


def _kind(piece: re.Match[str], following: re.Match[str] | None, stretch: _Stretch) -> str:
    """What a piece is to the stretch so far: ``prefix infix name open close odd``, or what ends it."""
    text, group = piece[0], piece.lastgroup
    behind_operand = not stretch.is_empty and not stretch.wants_operand
    if group == "bracket":
        return _kind_of_bracket(piece, stretch, behind_operand=behind_operand)
    if group == "break":
        return "break"
    if group == "odd":
        return "break" if unicodedata.category(text) == "So" else "odd"
    sign = _sign(piece)
    if sign in INFIXES and (behind_operand or group == "sign"):
        return "infix" if behind_operand else "odd"
    if behind_operand:
        return "seam"
    return "prefix" if sign in PREFIXES and _begins_operand(following) else "name"


def _closes_nothing(pieces: list[re.Match[str]]) -> bool:
    """Whether the last of the pieces, a closing bracket, has no opening one before it."""
    depth = 0
    for piece in reversed(pieces):
        depth += (piece[0] in CLOSING.values()) - (piece[0] in CLOSING)
        if depth == 0:
            return False
    return True


def _sign(piece: re.Match[str]) -> str:
    """The operator that a piece may be, or an empty text."""
    return WORDS.get(piece[0], "") if piece.lastgroup == "name" else LENIENT_SIGNS.get(piece[0], "")


def _begins_operand(piece: re.Match[str] | None) -> bool:
    return piece is not None and (piece.lastgroup in ("name", "sign") or piece[0] in CLOSING)


def _kind_of_bracket(piece: re.Match[str], stretch: _Stretch, *, behind_operand: bool) -> str:
    if piece[0] in CLOSING:
        if not behind_operand:
            return "open"
        # "request(x)" is no formula; "word (remark)" is a word and a remark.
        return "odd" if piece.start() == stretch.end and stretch.operators else "seam"
    return "close" if stretch.brackets > 0 and not stretch.is_empty else "closing"


def _take(stretch: _Stretch, piece: re.Match[str], kind: str) -> None:
    """Makes a stretch longer, or begins it."""
    text = piece[0]
    is_pointing = stretch.is_empty and text in _ARROWS
    stretch.is_stray |= text in _STRAY or (kind == "odd" and piece.lastgroup == "sign" and not is_pointing)
    stretch.end = piece.end()
    stretch.is_odd |= kind == "odd"
    stretch.brackets += (kind == "open") - (kind == "close")
    stretch.operators += kind == "infix" or (kind == "prefix" and text not in ("!", "¬", "~"))
    stretch.wants_operand = kind in ("prefix", "infix", "open")


def _checked(stretch: _Stretch) -> _Stretch:
    """A stretch that has operators but breaks off is odd."""
    unfinished = stretch.brackets != 0 or stretch.wants_operand
    stretch.is_odd = stretch.operators > 0 and (unfinished or stretch.is_odd)
    return stretch
