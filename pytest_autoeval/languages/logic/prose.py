"""English around formulas: what in it is a formula, what a word of English, and what the words do to a formula."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pytest_autoeval.languages.answers import Candidate, bare, clause, sentence
from pytest_autoeval.languages.logic.parser import CLOSING, CONNECTIVES

_CONDITIONAL = frozenset({"if", "unless", "whether", "either", "when", "whenever"})
_DENYING = frozenset({"not", "neither", "nor", "without", "false", "untrue", "negation", "opposite", "isn't", "isn’t"})
_QUANTIFYING = frozenset({"all", "every", "each", "any", "some", "no", "none", "exists", "forall", "exist", "there"})
#: Words right before a formula that make it a part of an English sentence.
_LEADING = frozenset({"then", "implies", "iff", "only", "xor"})
#: Words right behind a formula that do.
_TRAILING = frozenset({"implies", "iff", "if", "unless", "then", "only", "xor", "when", "whenever"})
_JUNCTIONS = frozenset({"and", "or", "nor", "both", "but"})
_DEFINING = re.compile(r"\b(?:let(?!\s+(?:me|us)\b|['’])|where|define|suppose|assume|abbreviate)\b", re.IGNORECASE)
#: Words by which a sentence explains a symbol.
_EXPLAINING = frozenset(
    {"denote", "denotes", "here", "mean", "meaning", "means", "represents", "say", "says", "stands", "where", "with"}
)

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
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
_CONJOINED = re.compile(r"[`$*)]\s*,?\s*and\s*$")


def is_symbolic(text: str) -> bool:
    """Whether a text has something that English has not: a sign, an application, a numbered or one-letter name."""
    return _SYMBOL.search(text) is not None


def is_conditional(before: str) -> bool:
    """Whether words of a sentence put what follows under a condition, or words of its clause deny it."""
    return not (_CONDITIONAL.isdisjoint(_words(sentence(before))) and _DENYING.isdisjoint(_words(clause(before))))


def is_defined(before: str) -> bool:
    """Whether a sentence gives a name to the formula that follows, for use in another one."""
    return _DEFINING.search(sentence(before)) is not None and not before.rstrip().endswith(":")


def is_fragment(before: str, after: str, free: tuple[str, ...], *, is_basic: bool) -> bool:
    """Whether the words around a formula make it a part of an English sentence that means more than the formula.

    ``free`` are the free names of the formula: "for every x" in front binds one of them. ``is_basic``: an atom, or one
    negated, which an "and" or "or" beside it may connect with another.
    """
    said = sentence(before)
    words = _words(said)
    is_announced = said.rstrip().endswith(":")
    if not _QUANTIFYING.isdisjoint(words) and not set(free).isdisjoint(re.findall(r"\w+", said)):
        return True
    if not is_announced and (is_conditional(before) or not _LEADING.isdisjoint(words[-1:])):
        return True
    if _CONJOINED.search(before[-_NEARBY:]) or is_followed_up(after) or _SIGN_BEFORE.search(before[-_NEARBY:]):
        return True
    return is_basic and not _JUNCTIONS.isdisjoint(words[-1:] + _following(after))


def _following(after: str) -> list[str]:
    """The first word behind a formula, if no stop comes before it."""
    return [] if re.match(r"\s*[.!?;:]", after) else _words(after[:_NEARBY])[:1]


def is_explained(before: str, after: str) -> bool:
    """Whether a formula stands in a sentence that explains symbols."""
    words = _words(sentence(before)) + _words(after[:_NEARBY])[:2]
    return not _EXPLAINING.isdisjoint(words)


def is_followed_up(after: str) -> bool:
    """Whether the words behind a formula, up to a stop, put it under a condition or connect it, or a sign does."""
    return not _TRAILING.isdisjoint(_following(after)) or _SIGN_BEHIND.match(after[:_NEARBY]) is not None


def continues(text: str, line: str) -> bool:
    """Whether a line goes on with the formula begun in the text before it: a sign at the seam, or an open bracket."""
    if len(text) > 20_000 or not is_symbolic(text):
        return False
    if _TRAILING_SIGN.search(text[-20:].rstrip(" \t`$*")) or _LEADING_SIGN.match(line) or _SIGN_ALONE.fullmatch(line):
        return True
    return sum(map(text.count, CLOSING)) > sum(map(text.count, CLOSING.values())) and is_symbolic(line)


def is_alternatives(text: str) -> bool:
    """Whether a text of several lines has one that is a connecting word alone: two formulas, and not one."""
    return any(line.strip(" \t:,.*_").lower() in ("and", "or") for line in text.splitlines())


def runs(candidate: Candidate) -> Iterator[Candidate]:
    """The formulas amid the words of a line, last first: stretches in which signs hold the names together.

    None at all if any stretch is odd: two of them side by side, brackets that do not match, a strange character. Then
    the line is a formula gone wrong, and what looks whole in it is a fragment.
    """
    line = candidate.text
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
        yield Candidate(bare(text), "prose", before, after)


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


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
