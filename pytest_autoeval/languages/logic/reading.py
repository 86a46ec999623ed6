"""Reads formulas of propositional and first-order logic from a model's answer.

Beyond the strict notation it accepts words, LaTeX, lists of variables and square brackets. A word is an operator only
where the grammar needs one: ``v`` is a disjunction after a formula, and a name everywhere else.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import islice

from msgspec import Struct

from pytest_autoeval.languages.answers import Place
from pytest_autoeval.languages.base import LimitError, Reading
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.brackets import CLOSING, contents
from pytest_autoeval.languages.logic.functions import unfolded
from pytest_autoeval.languages.logic.name_spellings import resolved
from pytest_autoeval.languages.logic.parser import CONNECTIVES, Parser, parse
from pytest_autoeval.languages.logic.signature import foreign
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.logic.tokens import NAME, LogicToken, lenient_tokens, unwrapped
from pytest_autoeval.languages.reading import read_formula
from pytest_autoeval.languages.vocabulary import Vocabulary
from pytest_autoeval.lazy_pattern import lazy_pattern

#: The signs of the words that stand between two formulas.
_INFIX_WORDS = {
    spelling: sign
    for word, sign in {
        "and": "∧",
        "or": "∨",
        "v": "∨",
        "xor": "⊕",
        "implies": "→",
        "iff": "↔",
    }.items()
    for spelling in (word, word.capitalize(), word.upper())
}
_NEGATION_WORDS = frozenset({"not", "Not", "NOT"})
#: The words above that cannot be variables.
_OPERATOR_WORDS = (_INFIX_WORDS.keys() | _NEGATION_WORDS) - {"v", "V"}
#: Replaced before there are tokens, since the "and" inside it would be read as a conjunction.
_IF_AND_ONLY_IF = lazy_pattern(r"\bif\s+and\s+only\s+if\b", re.IGNORECASE)
#: Each parse widens at least one more quantifier. Formulas that people write need two.
_MOST_READINGS = 16
_OPERATOR_SIGNS = CONNECTIVES.keys() | {"¬", "∀", "∃", "=", "≠"}


def parse_leniently(
    text: str, vocabulary: Vocabulary | None = None, *, quantifiers: bool = True
) -> Sentence:
    """Parses a formula in any supported notation; raises FormulaSyntaxError.

    A quantifier without a dot gets the wide scope if its variable would otherwise occur free, unless the vocabulary has
    a constant of that name. The quantifiers that follow it directly then get the wide scope, too.
    """
    # NFC, since a letter followed by its accent and the same letter in one character must be one name.
    text = _IF_AND_ONLY_IF.sub("iff", unwrapped(unicodedata.normalize("NFC", text)))
    names = vocabulary or Vocabulary()
    tokens = resolved(lenient_tokens(text), vocabulary)
    widened: frozenset[int] = frozenset()
    for _ in range(_MOST_READINGS):
        parser = _LenientParser(text, tokens, quantifiers, vocabulary=names, widened=widened)
        formula = parser.formula()
        too_narrow = parser.too_narrow()
        if too_narrow <= widened:
            return formula
        widened |= too_narrow
    raise LimitError(
        "the scope of the quantifiers is unclear", text, 0, ("a dot after each variable",)
    )


@dataclass(slots=True, eq=False)
class _LenientParser(Parser):
    """One parse; ``widened`` holds the first tokens of the quantifiers that get the wide scope without a dot."""

    any_case = True
    vocabulary: Vocabulary = Vocabulary()  # noqa: RUF009  (immutable)
    widened: frozenset[int] = frozenset()

    def connective(self, token: LogicToken) -> str:
        if token.kind == NAME:
            return _INFIX_WORDS.get(token.text, "")
        return token.kind if token.kind in CONNECTIVES else ""

    def opens(self, token: LogicToken) -> bool:
        return token.kind in CLOSING

    def prefix(self) -> bool:
        token = self.tokens[self.at]
        if token.kind == "¬" or self._is_negation_word(self.at):
            self.push_negation(token)
            return True
        if function := self._unfolded():
            # In place: a later parse of these tokens, with wider scopes, must find each quantifier at its old index.
            end = self.at + 3 + len(contents(self.tokens, self.at + 1))
            self.tokens[self.at : end] = function
            return True
        if self.is_quantifier(self.at):
            self._quantify(self.at)
            return True
        return token.kind in CLOSING and self._bracketed_quantifier()

    def is_quantifier(self, at: int) -> bool:
        if not Parser.is_quantifier(self, at):  # (dataclasses with slots know no bare super)
            return False
        token, following = self.tokens[at], self.tokens[at + 1]
        if token.text in ("All", "Some", "ALL", "SOME") and not self.looks_like_variable(following):
            return False  # "Some cats sleep"
        return token.kind != NAME or following.text not in _OPERATOR_WORDS

    def too_narrow(self) -> frozenset[int]:
        """The first tokens of the narrow quantifiers whose variable occurs free to the right of their scope."""
        too_narrow: set[int] = set()
        for number, at in self.beyond_their_scopes():
            if self.tokens[at].text not in self.vocabulary.constants:
                too_narrow.update(self._block(number))
        return frozenset(too_narrow)

    def _block(self, number: int) -> set[int]:
        """The first tokens of the quantifier with this scope, and of the quantifiers that follow it directly."""
        block: set[int] = set()
        start = self.scopes[number].first
        for scope in islice(self.scopes, number, None):
            if scope.first not in block and scope.first != start:
                break
            block.add(scope.first)
            start = scope.start
        return block

    def _quantify(self, start: int) -> None:
        self.at += 1
        variables = [self.expect_name("a variable")]
        wide = start in self.widened
        while True:
            token = self.tokens[self.at]
            if token.kind == "," and self._is_variable(self.at + 1):
                self.at += 1
            elif not self._is_variable(self.at):
                break
            variables.append(self.expect_name("a variable"))
        between = self.text[variables[0].end : variables[-1].start]
        if len(variables) > 1 and not self.looks_like_variable(variables[0]) and "," not in between:
            # a sort before its variable: "∀ Cube x"
            self.fail(
                f"{variables[0].text!r} is not a variable", ("a variable after the quantifier",)
            )
        if self.tokens[self.at].kind in (".", ":", ","):
            self.at += 1
            wide = True
        self.check_variable(variables[-1])
        for variable in variables:
            self.push_quantifier(start, variable, wide=wide)

    def _bracketed_quantifier(self) -> bool:
        """Takes ``(∀x)`` if it stands here."""
        opened = self.at
        if not self.is_quantifier(opened + 1) or self.tokens[opened + 2].kind != NAME:
            return False
        if self.tokens[opened + 3].kind != CLOSING[
            self.tokens[opened].kind
        ] or not self._starts_operand(opened + 4):
            return False
        self.at = opened + 4
        self.push_quantifier(opened, self.tokens[opened + 2], wide=opened in self.widened)
        return True

    def _is_negation_word(self, at: int) -> bool:
        return self.tokens[at].kind == NAME and self.tokens[at].text in _NEGATION_WORDS

    def _starts_operand(self, at: int) -> bool:
        return self.tokens[at].kind in (NAME, "¬", "∀", "∃", "⊤", "⊥", *CLOSING)

    def _is_variable(self, at: int) -> bool:
        """Whether the token continues a list of variables; otherwise it begins the body."""
        token = self.tokens[at]
        if token.kind != NAME or token.text in _OPERATOR_WORDS or self.is_quantifier(at):
            return False
        if not self.looks_like_variable(token):  # "∃x such that P(x)"
            return False
        following = self.tokens[at + 1]
        if following.kind == NAME:
            return following.text not in _INFIX_WORDS
        if following.kind != "(":
            return following.kind in (".", ":", ",", "¬", "∀", "∃", "[")
        if any(name == token.text for name, _ in self.vocabulary.predicates):
            return False
        # `∀x y (P(x) ∧ Q(y))` or `∀x P(x)`: arguments have no operators, and a predicate is not its own argument.
        return token.text in self.vocabulary.variables or any(
            inner.kind in _OPERATOR_SIGNS
            or (inner.kind == NAME and inner.text in (token.text, *_OPERATOR_WORDS))
            for inner in contents(self.tokens, at + 1)
        )

    def looks_like_variable(self, token: LogicToken) -> bool:
        return token.text in self.vocabulary.variables or Parser.looks_like_variable(self, token)

    def _unfolded(self) -> list[LogicToken]:
        """The tokens with signs of a connective or quantifier that is written as a function here, if there is one."""
        if self.tokens[self.at].kind not in (NAME, "∀", "∃"):
            return []
        propositions = self.vocabulary.propositions if self.quantifiers else None
        return unfolded(self.tokens, self.at, bound=self.bound, propositions=propositions)


#: Signs of formulas, also signs that the reader does not know.
_SIGN = lazy_pattern(
    r"[∧∨¬→↔⊕∀∃⊤⊥&|~⇒⊃⇔≡⟶⟹⟷⟺⋀⩓˄＆⋁˅｜∣⊻∼～￢−⇾⋅∙•{}]|->|=>|/\\|\\/|\\[A-Za-z]"
    r"|\b(?:FORALL|EXISTS|For[aA]ll|Exists)\b"
)
#: Beyond the signs, English has no applications, no numbered names and no names of one letter.
_SYMBOL = lazy_pattern(rf"{_SIGN.pattern}|\w\(|\w_?\d|[₀-₉]|(?<![\w'’])[b-zB-HJ-Z](?![\w'’])")


#: A formula in canonical signs alone, with a dot after each variable of a quantifier.
_PLAIN = lazy_pattern(r"(?:[∀∃][A-Za-z]\w*+\.|[\w ()=≠,¬∧∨⊕→↔⊤⊥])*+", re.ASCII)
_PLAIN_NAME = lazy_pattern(r"\w+", re.ASCII)


def read(answer: str, vocabulary: Vocabulary | None = None, *, quantifiers: bool = True) -> Reading:
    """Finds the formula in an answer, as :mod:`pytest_autoeval.languages.reading` describes."""
    names = vocabulary.names if vocabulary else frozenset()
    notation = LogicNotation(vocabulary, quantifiers)
    return read_formula(answer, notation, names, is_plain=notation.is_plain)


class LogicNotation(Struct, frozen=True):
    """What the reader needs to know of logic, over a vocabulary, with or without quantifiers."""

    vocabulary: Vocabulary | None
    quantifiers: bool

    def strict(self, text: str) -> fol.Sentence:
        return parse(text, quantifiers=self.quantifiers)

    def lenient(self, text: str) -> fol.Sentence:
        return parse_leniently(text, self.vocabulary, quantifiers=self.quantifiers)

    def is_plain(self, text: str) -> bool:
        """Whether a text has only names of the vocabulary and signs that mean the same in both notations."""
        if self.vocabulary is None or not _PLAIN.fullmatch(text):
            return False
        known_names = self.vocabulary.names.union(self.vocabulary.variables)
        return known_names.issuperset(_PLAIN_NAME.findall(text))

    def is_meant(self, formula: fol.Sentence, text: str, place: Place | None) -> bool:
        """A lone name within a sentence is not meant as a formula, nor are words that the vocabulary lacks."""
        if place in (None, "block"):
            return True
        is_known = self.vocabulary is not None and not foreign(formula, self.vocabulary)
        is_likely = is_known or _SYMBOL.search(text) is not None
        match formula:
            case (
                fol.Atom(_, ())
                | fol.Top()
                | fol.Bottom()
                | fol.Equal(fol.Term(_, ()), fol.Term(_, ()))
            ):
                return is_likely and place in ("final", "label")
        if place == "span" and self.vocabulary is not None:
            return is_known
        return is_likely

    def is_symbolic(self, text: str) -> bool:
        return _SIGN.search(text) is not None
