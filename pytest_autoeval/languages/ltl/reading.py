"""Reading a formula of temporal logic from a model's answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from pytest_autoeval.languages.answers import Place
from pytest_autoeval.languages.base import FormulaSyntaxError, Reading
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.lenient import INFIX_WORDS, PREFIX_WORDS, parse_leniently
from pytest_autoeval.languages.ltl.letters import KnownNames, has_operator_letter, may_be_operators
from pytest_autoeval.languages.ltl.measures import symbols
from pytest_autoeval.languages.ltl.parser import (
    QUOTED,
    WORDS,
    parse_tokens,
    starts_operand,
    strict_tokens,
    with_letters_apart,
)
from pytest_autoeval.languages.ltl.python_notation import read_python
from pytest_autoeval.languages.reading import read_formula
from pytest_autoeval.languages.vocabulary import Vocabulary
from pytest_autoeval.lazy_pattern import lazy_pattern

#: Marks of Python notation.
_PYTHON = lazy_pattern(
    r"\b(?:formulaToFind|AtomicProposition|Literal\s*+\(|L(?:Not|And|Or|Implies|Equiv|Xor)\s*+\()"
)
#: Signs of formulas, also signs that the reader does not know.
_SIGN = lazy_pattern(
    r"[∧∨¬→↔⊕⊤⊥&|~⇒⇔□◇○◯◊⋄◻⟶⟹⟷⟺⊖◆⟠■⊟⋀⩓˄＆⋁˅｜∣⊻∼～￢−⇾⋅∙•]|->|=>|<>|\[\]|/\\|\\/|\\(?!text\b)[A-Za-z]|!(?=[\w(])|=|≡"
    r"|(?<![\w'’])[XFGURWYZOHSTV](?![\w'’])"
)
#: A formula in canonical signs alone. `()` is an operator, and brackets in the lenient notation.
_PLAIN = lazy_pattern(r"(?:[\w &|!)]|<?->|\((?!\)))*+", re.ASCII)
_PLAIN_WORD = lazy_pattern(r"\w+", re.ASCII)
#: What else no English text has.
_FORMAL = lazy_pattern(r"\A\s*!|\bxn?or\b")
#: Names that are not words of English.
_NAME = lazy_pattern(r"[B-HJ-Zb-z]|\w*[\d_]\w*|a")


def read(answer: str, vocabulary: Vocabulary | None = None) -> Reading:
    """The formula in an answer; see :mod:`pytest_autoeval.languages.reading`. Python notation is read too."""
    if _PYTHON.search(answer):
        reading = read_python(answer)
        return replace(reading, compliant=False, recovered=reading.formula is not None)
    notation = TemporalNotation(vocabulary)
    names = vocabulary.names if vocabulary else frozenset()
    return read_formula(answer, notation, names, is_plain=notation.is_plain)


@dataclass(frozen=True, slots=True)
class TemporalNotation:
    """What the reader of answers needs to know of temporal logic, with the vocabulary of the question."""

    vocabulary: Vocabulary | None

    def strict(self, text: str) -> ltl.Temporal:
        """The formula of a text in the strict notation with operators apart, and with quotes only where needed."""
        propositions = frozenset(self.vocabulary.propositions) if self.vocabulary else frozenset()
        tokens = strict_tokens(text)
        if with_letters_apart(text, tokens, KnownNames(propositions), starts_operand) != tokens:
            raise FormulaSyntaxError(
                "an operator letter stands beside a name without a space", text, 0
            )
        for token in tokens:
            if token.kind == QUOTED and not may_be_operators(token.text):
                raise FormulaSyntaxError(
                    f"the name {token.text!r} needs no quotes", text, token.start
                )
        return parse_tokens(text, tokens)

    def lenient(self, text: str) -> ltl.Temporal:
        return parse_leniently(text, self.vocabulary)

    def is_plain(self, text: str) -> bool:
        """Whether a text has only names of the vocabulary and signs that mean the same in both notations."""
        if self.vocabulary is None or not _PLAIN.fullmatch(text):
            return False
        names = set(_PLAIN_WORD.findall(text)).difference(WORDS)
        is_known = names.issubset(self.vocabulary.propositions)
        return is_known and not any(map(_may_be_operator, names))

    def is_meant(self, formula: ltl.Temporal, text: str, place: Place | None) -> bool:
        """False for words of English (which has ``always`` and ``until``), and for a single name in a sentence."""
        has_sign = _SIGN.search(text) is not None or _FORMAL.search(text) is not None
        is_wordy = not has_sign and "(" not in text
        is_single_name = place is None and not formula.children()
        if is_wordy and not is_single_name and not self._has_names(formula):
            return False
        if not formula.children():
            return place not in ("line", "span")
        return place != "span" or self.vocabulary is None or self._has_names(formula)

    def _has_names(self, formula: ltl.Temporal) -> bool:
        names = symbols(formula).propositions
        if self.vocabulary is not None:
            return set(names) <= {*self.vocabulary.propositions}
        return all(map(_NAME.fullmatch, names))

    def is_symbolic(self, text: str) -> bool:
        return _SIGN.search(text) is not None


def _may_be_operator(name: str) -> bool:
    """Whether a name may be read as an operator, or has the letter of one, so that its places decide."""
    word = name.lower()
    return word in PREFIX_WORDS or word in INFIX_WORDS or has_operator_letter(name)
