"""Reading a formula of propositional or first-order logic from a model's answer, in whatever notation.

Words, LaTeX, lists of variables and other brackets are taken beyond the strict notation. A word is an operator only
where one must stand: ``v`` is a disjunction after a formula, and a name everywhere else.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict, deque
from dataclasses import dataclass
from itertools import islice

from pytest_autoeval.languages.answers import Place
from pytest_autoeval.languages.base import LimitError, Reading
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.names import resolved
from pytest_autoeval.languages.logic.parser import (
    CLOSING,
    CONNECTIVES,
    NAME,
    LogicToken,
    Parser,
    lenient_tokens,
    parse,
    unwrapped,
)
from pytest_autoeval.languages.logic.signature import foreign
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.reading import read_formula
from pytest_autoeval.languages.vocabulary import Vocabulary

#: The words that connect two formulas, by sign; `v` among them.
INFIX_WORDS: dict[str, str] = {
    **dict.fromkeys(("and", "And", "AND"), "∧"),
    **dict.fromkeys(("or", "Or", "OR", "v", "V"), "∨"),
    **dict.fromkeys(("xor", "Xor", "XOR"), "⊕"),
    **dict.fromkeys(("implies", "Implies", "IMPLIES"), "→"),
    **dict.fromkeys(("iff", "Iff", "IFF"), "↔"),
}
NEGATION_WORDS = frozenset({"not", "Not", "NOT"})
#: Of the words above those that nobody takes for a variable.
_OPERATOR_WORDS = (INFIX_WORDS.keys() | NEGATION_WORDS) - {"v", "V"}
_IF_AND_ONLY_IF = re.compile(r"\bif\s+and\s+only\s+if\b", re.IGNORECASE)
#: Where a dot stands after the variables of a quantifier, these cannot be conjunctions.
_RAISED_DOTS = ("·", "⋅", "∙", "•", "\\cdot", "\\bullet")
#: What a variable looks like that follows another one.
_VARIABLE = re.compile(r"[^\W\d_](?:_?\d+|_?[₀-₉]+|['’]+)?")
#: Each widens at least one quantifier more; formulas that people write need two.
_MOST_READINGS = 16
_OPERATOR_SIGNS = CONNECTIVES.keys() | {"¬", "∀", "∃", "=", "≠"}


def parse_leniently(text: str, vocabulary: Vocabulary | None = None, *, quantifiers: bool = True) -> Sentence:
    """The formula that a text is in whatever notation; raises FormulaSyntaxError.

    A quantifier without a dot is read to reach far right if its variable would else occur free, unless the vocabulary
    has a constant of that name; the quantifiers that follow it directly are then read likewise.
    """
    text = _IF_AND_ONLY_IF.sub("iff", unwrapped(unicodedata.normalize("NFC", text)))
    names = vocabulary or Vocabulary()
    tokens = resolved(lenient_tokens(text), vocabulary)
    widened: frozenset[int] = frozenset()
    for _ in range(_MOST_READINGS):
        parser = LenientParser(text, tokens, quantifiers, vocabulary=names, widened=widened)
        formula = parser.formula()
        more = parser.too_narrow()
        if more <= widened:
            return formula
        widened |= more
    raise LimitError("the scope of the quantifiers is unclear", text, 0, ("a dot after each variable",))


@dataclass(slots=True, eq=False)
class LenientParser(Parser):
    """One lenient parse; ``widened`` holds the scopes, by their first token, that reach far right without a dot."""

    vocabulary: Vocabulary = Vocabulary()  # noqa: RUF009  (immutable)
    widened: frozenset[int] = frozenset()

    def connective(self, token: LogicToken) -> str:
        if token.kind == NAME:
            return INFIX_WORDS.get(token.text, "")
        return token.kind if token.kind in CONNECTIVES else ""

    def opens(self, token: LogicToken) -> bool:
        return token.kind in CLOSING

    def prefix(self) -> bool:
        token = self.tokens[self.at]
        if token.kind == "¬" or self._is_negation_word(self.at):
            self.push_negation(token)
            return True
        if self.is_quantifier(self.at):
            self._quantify(self.at)
            return True
        return token.kind in CLOSING and self._bracketed_quantifier()

    def is_quantifier(self, at: int) -> bool:
        if not Parser.is_quantifier(self, at):  # (dataclasses with slots know no bare super)
            return False
        token = self.tokens[at]
        if token.kind != NAME:
            return True
        following = self.tokens[at + 1].text
        if following in ("v", "V"):  # a disjunction, if the word before it is a name
            return token.text not in self.vocabulary.names
        return following not in _OPERATOR_WORDS

    def too_narrow(self) -> frozenset[int]:
        """The narrow scopes that an occurrence of their variable, free otherwise, stands to the right of."""
        found: set[int] = set()
        narrow = [number for number, scope in enumerate(self.scopes) if not scope.wide]
        if not narrow or not self.free_terms:
            return frozenset()
        closing = self._closing()
        ending = deque(sorted(narrow, key=lambda number: (self.scopes[number].end, number)))
        ended: defaultdict[str, list[int]] = defaultdict(list)
        for at in self.free_terms:
            while ending and self.scopes[ending[0]].end <= at:
                number = ending.popleft()
                ended[self.scopes[number].variable].append(number)
            name = self.tokens[at].text
            # A quantifier cannot reach out of the brackets around it; of several that can reach, the nearest does.
            near = ended[name]
            while near and closing[self.scopes[near[-1]].first] <= at:
                near.pop()
            if near and name not in self.vocabulary.constants:
                found.update(self._block(near[-1]))
        return frozenset(found)

    def _closing(self) -> list[int]:
        """For each token the number of that which closes the brackets around it."""
        closing = [len(self.tokens)] * len(self.tokens)
        enclosing = [len(self.tokens)]
        for at in range(len(self.tokens) - 1, -1, -1):
            kind = self.tokens[at].kind
            if kind in CLOSING:
                enclosing.pop()
            closing[at] = enclosing[-1]
            if kind in CLOSING.values():
                enclosing.append(at)
        return closing

    def _block(self, number: int) -> set[int]:
        """The first tokens of a quantifier, given by the number of its scope, and of those that follow it directly."""
        block: set[int] = set()
        start = self.scopes[number].first
        for scope in islice(self.scopes, number, None):
            if scope.first not in block and scope.first != start:
                break
            block.add(scope.first)
            start = scope.start
        return block

    def _quantify(self, first: int) -> None:
        """Takes a quantifier, its variables, and the dot, colon or comma behind them."""
        self.at += 1
        variables = [self.expect_name("a variable")]
        wide = first in self.widened
        while True:
            token = self.tokens[self.at]
            if token.kind == "," and self._is_variable(self.at + 1):
                self.at += 1
            elif not self._is_variable(self.at):
                break
            variables.append(self.expect_name("a variable"))
        if self.tokens[self.at].kind in (".", ":", ",") or self.tokens[self.at].text in _RAISED_DOTS:
            self.at += 1
            wide = True
        self._push_quantifiers(first, variables, wide=wide)

    def _bracketed_quantifier(self) -> bool:
        """Takes ``(∀x)``, if it stands here: a quantifier and its variables with brackets of their own."""
        opened = self.at
        if not self.is_quantifier(opened + 1) or self.tokens[opened + 2].kind != NAME:
            return False
        at = opened + 3
        while self.tokens[at].kind == NAME or (self.tokens[at].kind == "," and self.tokens[at + 1].kind == NAME):
            at += 1
        if self.tokens[at].kind != CLOSING[self.tokens[opened].kind]:
            return False
        variables = [token for token in self.tokens[opened + 2 : at] if token.kind == NAME]
        if not self._starts_operand(at + 1) and self.tokens[at + 1].kind not in (".", ":"):
            return False
        wide = self.tokens[at + 1].kind in (".", ":")
        self.at = at + 1 + wide
        self._push_quantifiers(opened, variables, wide=wide or opened in self.widened)
        return True

    def _push_quantifiers(self, first: int, variables: list[LogicToken], *, wide: bool) -> None:
        """Takes a quantifier over several variables; a sort before them ("∀ Cube x") is none of these."""
        between = self.text[variables[0].end : variables[-1].start]
        if len(variables) > 1 and not self._looks_like_variable(variables[0]) and "," not in between:
            self.fail(f"{variables[0].text!r} is not a variable", ("a variable after the quantifier",))
        for variable in variables:
            self.push_quantifier(first, variable, wide=wide)

    def _is_negation_word(self, at: int) -> bool:
        token = self.tokens[at]
        if token.kind != NAME or token.text not in NEGATION_WORDS or token.text in self.vocabulary.names:
            return False
        following = self.tokens[at + 1]
        if following.kind == NAME and following.text in INFIX_WORDS:
            return not self._starts_operand(at + 2)
        return self._starts_operand(at + 1)

    def _starts_operand(self, at: int) -> bool:
        return self.tokens[at].kind in (NAME, "¬", "∀", "∃", "⊤", "⊥", *CLOSING)

    def _is_variable(self, at: int) -> bool:
        """Whether the token continues a list of variables, rather than beginning the body."""
        token = self.tokens[at]
        if token.kind != NAME or token.text in _OPERATOR_WORDS or self.is_quantifier(at):
            return False
        if not self._looks_like_variable(token):  # "∃x such that P(x)"
            return False
        following = self.tokens[at + 1]
        if following.kind == NAME:
            return following.text not in INFIX_WORDS
        if following.kind != "(":
            return following.kind in (".", ":", ",", "¬", "∀", "∃", "[", "{")
        if any(name == token.text for name, _ in self.vocabulary.predicates):
            return False
        # `∀x y (P(x) ∧ Q(y))` or `∀x P(x)`: arguments hold no operators, and no predicate is its own argument.
        return token.text in self.vocabulary.variables or any(
            inner.kind in _OPERATOR_SIGNS or (inner.kind == NAME and inner.text in (token.text, *_OPERATOR_WORDS))
            for inner in self._group(at + 1)
        )

    def _looks_like_variable(self, token: LogicToken) -> bool:
        return token.text in self.vocabulary.variables or _VARIABLE.fullmatch(token.text) is not None

    def _group(self, opened: int) -> list[LogicToken]:
        depth = 0
        for at in range(opened, len(self.tokens)):
            kind = self.tokens[at].kind
            depth += (kind in CLOSING) - (kind in CLOSING.values())
            if depth == 0:
                return self.tokens[opened + 1 : at]
        return []


_SIGN = re.compile(r"[∧∨¬→↔⊕∀∃⊤⊥&|~⇒⊃⇔≡⟶⟹⟷⟺]|->|=>|/\\|\\/|\\[A-Za-z]")
#: What English does not have either: an application, a numbered or one-letter name.
_SYMBOL = re.compile(rf"{_SIGN.pattern}|\w\(|\w_?\d|[₀-₉]|(?<![\w'’])[b-zB-HJ-Z](?![\w'’])")


def read(answer: str, vocabulary: Vocabulary | None = None, *, quantifiers: bool = True) -> Reading:
    """The formula in an answer; see :mod:`pytest_autoeval.languages.reading`."""
    known = vocabulary.names if vocabulary else frozenset()
    return read_formula(answer, _Notation(vocabulary, quantifiers), known)


@dataclass(frozen=True, slots=True)
class _Notation:
    vocabulary: Vocabulary | None
    quantifiers: bool

    def strict(self, text: str) -> fol.Sentence:
        return parse(text, quantifiers=self.quantifiers)

    def lenient(self, text: str) -> fol.Sentence:
        return parse_leniently(text, self.vocabulary, quantifiers=self.quantifiers)

    def is_meant(self, formula: fol.Sentence, text: str, place: Place | None) -> bool:
        """Not so a lone name amid words, and words that are no names where the vocabulary is known."""
        if place in (None, "block"):
            return True
        is_known = self.vocabulary is not None and not foreign(formula, self.vocabulary)
        is_likely = is_known or _SYMBOL.search(text) is not None
        match formula:
            case fol.Atom(_, ()) | fol.Top() | fol.Bottom() | fol.Equal(fol.Term(_, ()), fol.Term(_, ())):
                return is_likely and place in ("final", "label")
        if place == "span" and self.vocabulary is not None:
            return is_known
        return is_likely

    def is_symbolic(self, text: str) -> bool:
        return _SIGN.search(text) is not None
