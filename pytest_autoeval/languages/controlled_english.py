"""Controlled English: formulas as sentences by rule, each with one reading, and back from the sentence.

The rules for connectives are the same in every logic; a language adds its atoms and its other operators.

- Literals are joined by "and" or "or" if the result is unambiguous;
- inside another connective "both … and …" ("all of these hold: …, … and …"), "either …, … or …" and "exactly one of
  these holds: … or …" group the parts;
- a part without an end of its own (a conditional, a biconditional, a quantifier, "it is not the case that …") stands
  in round brackets unless it is last;
- a chain is grouped to the left, as formulas are read: A ∧ (B ∧ C) is "A and both B and C".

Source: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026), appendix C. Their rules drop
parentheses, and so give one text to formulas of different meaning.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import Flag, auto
from functools import cache
from typing import Any, ClassVar, NamedTuple

from pytest_autoeval.languages.base import EnglishError, LimitError
from pytest_autoeval.languages.size_limits import check_size
from pytest_autoeval.lazy_pattern import lazy_pattern

#: Nodes of a language, whose types this module does not know.
Node = Any
#: The variables that quantifiers above a formula bind.
Scope = tuple[str, ...]

NOT = "it is not the case that "
#: The beginnings of everything but clauses. A longer one stands before one that it begins with.
OPENINGS = (
    "it is not the case that",
    "for every",
    "there is some",
    "if",
    "both",
    "all of these hold:",
    "either",
    *("exactly one of these holds:", "("),
)
RULE_WORDS = frozenset(
    [*re.findall(r"\w+", " ".join(OPENINGS)), "and", "but", "only", "or", "such", "the", "then"]
)
_WORD = lazy_pattern(r"\w+(?:-\w+)*|['’]\w+|\S")
_COUNT = lazy_pattern(r"0|[1-9][0-9]{0,5}")
#: Limits: characters of a text, and levels of its parts, two (one in brackets) for each level of the deepest formula.
_LONGEST, _DEEPEST = 200_000, 300


class Word(NamedTuple):
    """A word or a mark of a text, with its position."""

    text: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words and marks of a text; a possessive ending is a word of its own."""
    return [Word(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]


@cache
def _phrase(text: str) -> list[str]:
    return [word.text for word in words_of(text)]


def opens_with(words: Sequence[Word], phrase: str, start: int = 0) -> int:
    """The number of words of a phrase that starts at a place, 0 if it does not; case is ignored."""
    expected = _phrase(phrase)
    next_words = [word.text.lower() for word in words[start : start + len(expected)]]
    return len(expected) if next_words == expected else 0


def opens_compound(words: Sequence[Word]) -> bool:
    """Whether the words do not begin a clause."""
    return any(opens_with(words, opening) for opening in OPENINGS)


def listed(items: Sequence[str], conjunction: str) -> str:
    """The items as a list: ``a, b and c``."""
    *earlier, final = items
    if not earlier:
        return final
    return f"{', '.join(earlier)} {conjunction} {final}"


class Words:
    """The words of a description, read from left to right; white space is ignored."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self.at = 0
        self.depth = 0
        if len(text) > _LONGEST:
            raise EnglishError(
                f"the text has {len(text):,} characters; at most {_LONGEST:,} are read"
            )
        if not self.text.endswith("."):
            raise EnglishError("the text does not end in a full stop")
        self.words = words_of(self.text[:-1])

    def skip(self, phrase: str) -> bool:
        """Skips these words if they come next, and returns whether they did."""
        count = opens_with(self.words, phrase, self.at)
        self.at += count
        return count > 0

    def skip_joint(self, phrase: str) -> bool:
        """The same for words that may have a comma before them."""
        return self.skip(phrase) or self.skip(f", {phrase}")

    def need(self, phrase: str) -> None:
        """Skips these words, which must come next."""
        if not self.skip(phrase):
            raise self.surprise(repr(phrase))

    def name(self) -> str:
        """The next word, or the text in quotation marks."""
        start = self.at
        self.at += 1
        opening = self.words[start].text if start < len(self.words) else ""
        if opening == "“":
            while self.at < len(self.words) and self.words[self.at].text != "”":
                self.at += 1
            self.at += 1
            # The marks are closed, and a word stands between them.
            if start + 2 < self.at <= len(self.words):
                first_word = self.words[start + 1]
                last_word = self.words[self.at - 2]
                return self.text[first_word.start : last_word.end]
        elif re.match(r"\w", opening):
            return opening
        self.at = start
        raise self.surprise("a name")

    def count(self, before: str, after: str) -> int | None:
        """The number between two phrases, skipped with them; None without skipping if there is none."""
        start = self.at
        if (not before or self.skip(before)) and self.at < len(self.words):
            number = self.words[self.at].text
            self.at += 1
            if _COUNT.fullmatch(number) and (not after or self.skip(after)):
                return int(number)
        self.at = start
        return None

    def list(self, count: int, conjunction: str, read: Callable[[Words], Node]) -> list[Node]:
        """This number of parts, with commas between them and the conjunction before the last."""
        items = [read(self)]
        while len(items) < count:
            self.need(conjunction if len(items) == count - 1 else ",")
            items.append(read(self))
        return items

    def deepen(self) -> None:
        """Adds one level of depth, up to the limit; the caller subtracts it again."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise EnglishError(f"word {self.at + 1}: nested too deeply")

    def end(self) -> None:
        """Raises an error unless the text has ended."""
        if self.at < len(self.words):
            raise self.surprise("the end")

    def surprise(self, expected: str) -> EnglishError:
        """The error for an unexpected word."""
        is_end = self.at >= len(self.words)
        word = "the end" if is_end else self.words[self.at].text
        return EnglishError(f"word {self.at + 1}: expected {expected}, found {word!r}")


class Position(Flag):
    """What may stand at a place of a sentence without brackets or words that open a group."""

    CHAIN = auto()
    JOINT = auto()
    CONDITIONAL = auto()
    PREFIX = auto()
    NOTHING = 0
    #: The whole sentence, or the content of brackets.
    ANY = CHAIN | JOINT | CONDITIONAL | PREFIX

    def last(self) -> Position:
        """The position of the last part of a connective: parts without an end may stand there."""
        return self & (Position.CONDITIONAL | Position.PREFIX)


class English(ABC):
    """The English of one logic: connectives by the rules above, atoms and other operators by the language.

    ``infixes`` are the words between the operands of an operator without an end of its own, ``prefixes`` those before
    the single operand of another.
    """

    #: The module of the language's nodes.
    nodes: ClassVar[Any]
    infixes: ClassVar[Mapping[type, str]]
    prefixes: ClassVar[Mapping[type, str]]
    #: The words of the rules. A name that is one of them stands in quotation marks.
    reserved: ClassVar[frozenset[str]] = RULE_WORDS
    #: Operators whose second operand comes first.
    turned: ClassVar[tuple[type, ...]] = ()
    #: Words before each description.
    start: ClassVar[str] = ""

    @staticmethod
    @abstractmethod
    def is_name(text: str) -> bool: ...

    def literal(self, formula: Node, scope: Scope) -> str:  # noqa: ARG002
        """An atom or a negated atom in words."""
        negated = isinstance(formula, self.nodes.Not)
        atom = formula.operand if negated else formula
        does, s = ("does not ", "") if negated else ("", "s")
        if not isinstance(atom, self.nodes.Top | self.nodes.Bottom):
            return self.clause(atom, does, s)
        kind = "true" if isinstance(atom, self.nodes.Top) else "false"
        return f"the always {kind} statement {does}hold{s}"

    def read_other(self, words: Words, scope: Scope) -> Node:
        """The next part, if no words of a connective begin it: a literal, or a formula of this language only."""
        return self.read_literal(words, scope)

    def read_literal(self, words: Words, scope: Scope) -> Node:  # noqa: ARG002
        for text, constant in (("true", self.nodes.Top), ("false", self.nodes.Bottom)):
            if words.skip(f"the always {text} statement"):
                return self.read_verb(words, {"hold": constant})
        return self.read_clause(words)

    def clause(self, atom: Node, does: str, s: str) -> str:
        """A proposition with its verb, between words of denial and an ending."""
        return f"{self.as_name(atom.name)} {does}hold{s}"

    def read_clause(self, words: Words) -> Node:
        """The next atom, or its negation."""
        name = self.read_name(words)
        return self.read_verb(words, {"hold": lambda: self.nodes.Atom(name)})

    def read_verb(self, words: Words, verbs: Mapping[str, Callable[[], Node]]) -> Node:
        """One of some verbs, with the atom that it makes of the following words, and its negation."""
        for verb, make_atom in verbs.items():
            if words.skip(f"does not {verb}"):
                return self.nodes.Not(make_atom())
            if words.skip(f"{verb}s"):
                return make_atom()
        raise words.surprise("a verb")

    def as_sentence(self, text: str) -> str:
        """The text with a capital letter that a reader can undo: not the first letter of a name."""
        start = len(text) - len(text.lstrip("("))
        if words_of(text[start:])[0].text not in self.reserved:  # a name, whose case counts
            return text
        brackets = text[:start]
        letter = text[start]
        remainder = text[start + 1 :]
        return f"{brackets}{letter.upper()}{remainder}"

    def as_name(self, name: str) -> str:
        """The name in a sentence: in quotation marks if it could be misread."""
        could_be_misread = name.lower() in self.reserved or len(words_of(name)) > 1
        return f"“{name}”" if could_be_misread else name

    def read_name(self, words: Words) -> str:
        name = words.name()
        if not self.is_name(name):
            raise EnglishError(f"word {words.at}: {name!r} is not a name")
        return name

    def describe(self, formula: Node) -> str:
        """The formula in one sentence, which :meth:`read` turns back into exactly this formula."""
        check_size(formula)
        text = self.in_words(formula, Position.ANY, ())
        return self.as_sentence(self.start + text) + "."

    def read(self, text: str) -> Node:
        """The formula that :meth:`describe` writes as this text; raises :class:`EnglishError` for every other text."""
        words = self.words(text)
        if self.start:
            words.need(self.start)
        formula = self.read_sentence(words, ())
        words.end()
        # The reader accepts more than the rules write. What they write for the formula decides.
        try:
            written = self.describe(formula)
        except LimitError as error:
            raise EnglishError(str(error)) from error
        if written.split() != text.split():
            raise EnglishError(f"not as the rules write it, which is {written!r}")
        return formula

    def words(self, text: str) -> Words:
        return Words(text)

    def in_words(self, formula: Node, position: Position, scope: Scope) -> str:
        """The formula in words for a position."""
        nodes = self.nodes
        if self.is_literal(formula):
            text = self.literal(formula, scope)
            # "It is not the case that …" is a prefix, which has no end of its own.
            needs_brackets = text.startswith(NOT) and Position.PREFIX not in position
            return f"({text})" if needs_brackets else text
        match formula:
            case nodes.And() | nodes.Or() | nodes.Xor():
                return self._joined(formula, position, scope)
            case nodes.Implies(left, right) if Position.CONDITIONAL in position:
                condition = self.in_words(left, Position.CHAIN | Position.PREFIX, scope)

                consequence = (position | Position.CHAIN) & ~Position.JOINT
                return f"if {condition}, then {self.in_words(right, consequence, scope)}"
            case nodes.Binary(left, right) if Position.JOINT in position and not isinstance(
                formula, nodes.Implies
            ):
                if isinstance(formula, self.turned):
                    left, right = right, left
                first_text = self.in_words(left, Position.NOTHING, scope)
                second_text = self.in_words(right, Position.PREFIX, scope)
                comma = self._comma(left, first_text)
                joint = self.infixes[type(formula)]
                return f"{first_text}{comma} {joint} {second_text}"
            case nodes.Binary():
                pass
            case _ if Position.PREFIX in position:
                return self.prefixed(formula, position, scope)
        return f"({self.in_words(formula, Position.ANY, scope)})"

    def prefixed(self, formula: Node, position: Position, scope: Scope) -> str:
        """An operator over one formula in words."""
        operand = self.in_words(formula.operand, position.last(), scope)
        return self.prefixes[type(formula)] + operand

    def _joined(self, formula: Node, position: Position, scope: Scope) -> str:
        """A conjunction or a disjunction: bare if that is allowed, else after words that open a list."""
        is_and = isinstance(formula, self.nodes.And)
        is_xor = isinstance(formula, self.nodes.Xor)
        joint = "and" if is_and else "or"
        # ⊕ is joined in pairs: "exactly one of these" means something else for three.
        *earlier, final = [formula.left, formula.right] if is_xor else _parts(formula)
        in_words = [self.in_words(operand, Position.NOTHING, scope) for operand in earlier]
        commas = [
            self._comma(operand, text) for operand, text in zip(earlier, in_words, strict=True)
        ]
        end = self.in_words(final, position.last(), scope)
        enumeration = f"{', '.join(in_words)}{commas[-1]} {joint} {end}"
        if is_xor:
            are_literals = self.is_literal(formula.left) and self.is_literal(final)
            if Position.CHAIN in position and are_literals:
                return f"either {enumeration}, but not both"
            return f"exactly one of these holds: {enumeration}"
        if Position.CHAIN in position:
            beginning = ""
            for text, comma in zip(in_words, commas, strict=True):
                beginning += f"{text}{comma} {joint} "
            return beginning + end
        if not is_and:
            return f"either {enumeration}"
        if len(in_words) == 1:
            return f"both {enumeration}"
        return f"all of these hold: {enumeration}"

    def is_literal(self, formula: Node) -> bool:
        """Whether a formula is an atom or truth constant, or one negated."""
        atom = formula.operand if isinstance(formula, self.nodes.Not) else formula
        return not atom.children()

    def _comma(self, formula: Node, in_words: str) -> str:
        """A comma after everything but clauses and brackets, so that the following words are not read as part of it."""
        is_clause = self.is_literal(formula) and not in_words.startswith(NOT)
        return "" if is_clause or in_words.startswith("(") else ","

    def read_sentence(self, words: Words, scope: Scope) -> Node:
        """Everything up to an end: a chain, two formulas with a joint between them, or a single part."""
        # A chain of one conjunction: after "p and q", "or r" would have two readings, and is refused.
        formula = self._part(words, scope)
        for conjunction, kind in (("and", self.nodes.And), ("or", self.nodes.Or)):
            if words.skip_joint(conjunction):
                formula = kind(formula, self._part(words, scope))
                while words.skip_joint(conjunction):
                    formula = kind(formula, self._part(words, scope))
                return formula
        for kind, joint in self.infixes.items():
            if words.skip_joint(joint):
                second_operand = self._part(words, scope)
                if kind in self.turned:
                    return kind(second_operand, formula)
                return kind(formula, second_operand)
        return formula

    def _part(self, words: Words, scope: Scope) -> Node:
        words.deepen()
        formula = self._compound(words, scope)
        words.depth -= 1
        return formula

    def _compound(self, words: Words, scope: Scope) -> Node:
        nodes = self.nodes
        if words.skip("("):
            formula = self.read_sentence(words, scope)
            words.need(")")
            return formula
        if words.skip("if"):
            condition = self.read_sentence(words, scope)
            words.need(", then")
            return nodes.Implies(condition, self.read_sentence(words, scope))
        for opening, connective, joint in _LISTS:
            if words.skip(opening):
                formula = self._list(words, getattr(nodes, connective), joint, scope)
                is_xor = opening == "either" and words.skip(", but not both")
                return nodes.Xor(formula.left, formula.right) if is_xor else formula
        for kind, prefix in self.prefixes.items():
            if words.skip(prefix):
                return kind(self._part(words, scope))
        return self.read_other(words, scope)

    def _list(self, words: Words, kind: Node, joint: str, scope: Scope) -> Node:
        left = self._part(words, scope)
        while not words.skip_joint(joint):
            words.need(",")
            left = kind(left, self._part(words, scope))
        return kind(left, self._part(words, scope))


#: The words that open a list of parts, their connective, and the word before the last part.
_LISTS = (
    ("both", "And", "and"),
    ("all of these hold:", "And", "and"),
    ("exactly one of these holds:", "Xor", "or"),
    ("either", "Or", "or"),
)


def _parts(formula: Node) -> list[Node]:
    """The operands of a chain of one connective nested to the left, from left to right."""
    operands = []
    chained = formula
    while type(chained) is type(formula):
        operands.append(chained.right)
        chained = chained.left
    return [chained, *reversed(operands)]
