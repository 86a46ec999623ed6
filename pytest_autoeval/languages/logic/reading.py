"""Reading a formula of propositional or first-order logic from a model's answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pytest_autoeval.languages.answers import Place
from pytest_autoeval.languages.base import Reading
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.lenient import parse_leniently
from pytest_autoeval.languages.logic.parser import parse
from pytest_autoeval.languages.logic.signature import foreign
from pytest_autoeval.languages.reading import read_formula
from pytest_autoeval.languages.vocabulary import Vocabulary

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
