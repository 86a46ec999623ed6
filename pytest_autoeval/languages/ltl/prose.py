"""Formulas of temporal logic amid English, whose own words are its operators: what is one, and what only sounds so."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pytest_autoeval.languages import english
from pytest_autoeval.languages.answers import Candidate, bare, sentence
from pytest_autoeval.languages.ltl.lenient_tokens import CLOSING, LENIENT_SIGNS
from pytest_autoeval.languages.ltl.parser import INFIXES, PREFIXES
from pytest_autoeval.languages.ltl.tokens import WORDS

_LETTER = r"(?<![\w'’])[XFGURWYZOHSTV](?![\w'’])"
_SIGN = (
    r"[∧∨¬→↔⊕⊤⊥&|~!⇒⇔□◇○◯◊◻⟶⟹⟷⟺⊖◆■⊟]|->|=>|<>|\[\]|/\\|\\/"
    r"|\\(?!text\b)[A-Za-z]"
)
_OPERATOR = re.compile(rf"{_SIGN}|{_LETTER}")
_SYMBOL = re.compile(rf"{_OPERATOR.pattern}|\w\(|\w_?\d|[₀-₉]")
#: What tells a formula amid words from words, if one does not know the names.
_CERTAIN = re.compile(rf"{_SIGN}|\w\(|(?<![\w'’])(?:[b-z]|\w*\d)(?![\w'’])")
_SIGNS = re.compile(rf"{_SIGN}|[(\[{{]")
#: A path quantifier of branching time, or the article; and one with its operator.
_PATH_QUANTIFIER = re.compile(r"(?<!\w)[AE]\s*$")
_BRANCHING_WORD = re.compile(r"(?<!\w)[AE][XFGU](?!\w)")
#: Connectives, and the arrows among them that may only point at something.
_CONNECTING = r"(?:[∧∨↔⊕&|⇔]|/\\|\\/|<->|<=>|[URWST](?=[\s`$(])|\\(?:land|lor|wedge|vee|leftrightarrow|iff|oplus)\b)"
_ARROW = r"(?:[→⇒]|->|=>|\\(?:to|rightarrow|implies)\b)"
_BEFORE = re.compile(
    rf"(?:{_CONNECTING}|[¬~□◇○]|\[\]|<>|(?<![\w)])!|(?<!\w)[XFGYZOH]|\\(?:lnot|neg|square|Box|Diamond|bigcirc)\b|[`$*)]\s*{_ARROW})"
    r"[\s`$*(\[]*$"
)
_OR = r"\s*,?\s+or\s+(?:else\s+|maybe\s+|perhaps\s+)?"
#: "or" between two formulas: there is a choice, and none was made.
_OR_BEFORE = re.compile(rf"(?:[`$*)\]]|(?<!\w)[A-Za-z]_?\d+){_OR}[`$*(\"]*$")
_OR_BEHIND = re.compile(rf"[`$*)\]\"]*{_OR}(?:[`$]|[*(\"]*(?:[XFGYZOH](?!\w)|[!¬~□◇]))")
_BEHIND = re.compile(rf"[\s`$*)\]]*(?:{_CONNECTING}|{_ARROW}\s*[`$*(¬!])")
_ALONE = re.compile(rf"[\s`$*]*(?:{_CONNECTING}|{_ARROW})[\s`$*]*")
#: Words beside a formula that say when it holds, or what it holds until.
_TEMPORAL = r"(?:always|globally|eventually|never|forever|until|unless|releases?|since|historically|once|previously)"
_WORD_BEFORE = re.compile(rf"\b(?:{_TEMPORAL}|next|not|implies)\s*[`$*(\"]*$")
_SAID_BEFORE = re.compile(
    r"\b(?:always|never|eventually|globally|at\s+all\s+times|at\s+some\s+(?:point|time))\b[^:;`$]*[\s`$*(\"]*$"
)
_WORD_BEHIND = re.compile(
    rf"[`$*)\"]*\s+(?:must\s+|should\s+)?(?:holds?\s+|be\s+true\s+|is\s+true\s+)?(?:{_TEMPORAL}|at\s+all\s+times|implies)\b"
)
#: Words by which a formula is said to be another way of writing the answer.
_RESTATING = re.compile(
    r"\b(?:equivalent(?:ly)?|alternative(?:ly)?|rewritten|expands?\s+to|same\s+as"
    r"|negat(?:ion|ed|ing)|opposite|dual|weaker|stronger|variant)\b",
    re.IGNORECASE,
)
_APPOSED = re.compile(r"(?:\bi\.\s?e\.|\be\.\s?g\.|\bthat\s+is|\bin\s+other\s+words)[,:]?[\s`$*(\"]*$", re.IGNORECASE)
#: Words by which something must have happened, or go on, for a formula to be of interest.
_TIMED = re.compile(r"\b(?:once|after|before|while|since|until|as\s+(?:soon|long)\s+as)\b(?P<when>.*)", re.IGNORECASE)
#: What an answer calls a formula.
_CALLED = re.compile(r"\b(?:formula|answer|translation|result|expression|ltl|specification)\b", re.IGNORECASE)
_TRAILING = re.compile(
    r"(?:[=≡∧∨→↔⊕¬&|⇒⇔(\[]|->|=>|/\\|\\/|[\w)\]]\s[URWST]|\\(?:land|lor|to|wedge|vee|rightarrow|iff|implies))\s*$"
)
_LEADING = re.compile(
    r"\s*(?:={1,2}(?![=>])|[≡∧∨→↔⊕&|⇒⇔)\]]|->|=>|<-|<=|/\\|\\/|[URWST]\s|\\(?:land|lor|to|wedge|vee|rightarrow|iff|implies)\b)"
)
_OPTION = re.compile(
    r"^[\s>#*•+-]*(?:\d{1,2}[.)]\s+)?\**(?:option|reading|interpretation|alternative|possibility|variant)\s+(?:\d+|[A-C])\b[^\n:]*:[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
_TABLE_ROW = re.compile(r"\s*\|(?!\|).*\|\s*")
_NEARBY = 300
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


def is_symbolic(text: str) -> bool:
    """Whether a text has something that English has not: a sign, a capital letter alone, a numbered name."""
    return _SYMBOL.search(text) is not None


def is_wordy(text: str) -> bool:
    """Whether a text has neither signs nor the letters of operators nor brackets: it may be English as it stands."""
    return _OPERATOR.search(text) is None and not any(bracket in text for bracket in CLOSING)


def is_fragment(before: str, after: str, *, is_basic: bool) -> bool:
    """Whether the words or signs around a formula make it a part of something that means more."""
    nearby = before[-_NEARBY:]
    if _BEFORE.search(nearby) or _OR_BEFORE.search(nearby):
        return True
    if is_followed_up(after) or _WORD_BEHIND.match(after[:_NEARBY]):
        return True
    said = sentence(before)
    if not said.rstrip(' `$*"').endswith(":") and (_WORD_BEFORE.search(said) or _SAID_BEFORE.search(said)):
        return True
    return english.is_fragment(before, after, (), is_basic=is_basic)


def is_followed_up(after: str) -> bool:
    """Whether the words behind a formula, up to a stop, put it under a condition or connect it, or a sign does."""
    if english.is_followed_up(after) or _OR_BEHIND.match(after[:_NEARBY]):
        return True
    return _BEHIND.match(after[:_NEARBY]) is not None


def is_explained(before: str, after: str) -> bool:
    """Whether a formula stands in a sentence that explains symbols or restates the answer."""
    if english.is_explained(before, after) or _APPOSED.search(before[-_NEARBY:]):
        return True
    return _RESTATING.search(sentence(before)) is not None


def is_timed(before: str, known: Collection[str]) -> bool:
    """Whether the sentence says after, before or while which proposition what follows holds: "once x1, F x2"."""
    timed = _TIMED.search(sentence(before))
    words = re.findall(r"\w+", timed["when"]) if timed else []
    return any(word in known or any(char.isdigit() for char in word) for word in words)


def is_called_formula(before: str) -> bool:
    """Whether the words before a formula say that it is one."""
    return _CALLED.search(sentence(before)) is not None


def is_choice(text: str) -> bool:
    """Whether the word "or" stands between two formulas with operators: they may be one, or two to choose from."""
    depth = 0
    for piece in re.finditer(r"[()\[\]{}]|(?<!\w)or(?!\w)", text):
        depth += (piece[0] in CLOSING) - (piece[0] in CLOSING.values())
        if piece[0] == "or" and depth == 0 and all(map(_OPERATOR.search, (text[: piece.start()], text[piece.end() :]))):
            return True
    return False


def options(text: str) -> list[str]:
    """The lines that begin with "Option A:", "Interpretation 2:" and their like."""
    return _OPTION.findall(text)


def continues(text: str, line: str) -> bool:
    """Whether a line goes on with the formula begun in the text before it: a sign at the seam, or an open bracket."""
    if len(text) > 20_000 or not is_symbolic(text) or _TABLE_ROW.fullmatch(line) or _TABLE_ROW.fullmatch(text):
        return False
    if _TRAILING.search(text[-20:].rstrip(" \t`$*")) or _LEADING.match(line) or _ALONE.fullmatch(line):
        return True
    return sum(map(text.count, CLOSING)) > sum(map(text.count, CLOSING.values())) and is_symbolic(line)


def runs(candidate: Candidate, known: Collection[str] | None) -> Iterator[Candidate]:
    """The formulas amid the words of a line, last first: stretches in which operators hold the names together.

    None at all if any stretch is odd: one that breaks off, two side by side, a strange character in it. Then the line
    is a formula gone wrong, and what looks whole in it is a fragment. ``known``: the names of propositions, which tell
    "G x1" from the words "G means"; None if they are not known.
    """
    line = candidate.text
    if len(line) > _LONGEST_PROSE or any(word not in (known or ()) for word in _BRANCHING_WORD.findall(line)):
        return
    found: list[_Stretch] = []
    last_end = -1
    for stretch in _stretches(line):
        text = line[stretch.start : stretch.end]
        if stretch.operators and not stretch.is_odd and _are_words(text, known):
            stretch.operators = 0
        is_beside = last_end >= 0 and not line[last_end : stretch.start].strip()
        is_quantified = stretch.operators and _PATH_QUANTIFIER.search(line[: stretch.start])
        if stretch.is_odd or (stretch.operators and is_beside) or is_quantified:
            return
        last_end = stretch.end if stretch.operators else -1
        if stretch.operators:
            found.append(stretch)
    for stretch in reversed(found):
        text, before, after = line[stretch.start : stretch.end], line[: stretch.start], line[stretch.end :]
        yield Candidate(bare(text), "prose", before, after)


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
