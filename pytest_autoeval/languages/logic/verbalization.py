"""Verbalizes first-order formulas in English with the glosses of an ontology, and reads the English back exactly.

Source: T() in Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026), appendix C. A literal
becomes its gloss; :mod:`~pytest_autoeval.languages.controlled_english` has the other rules.

An ambiguous clause is put in quotation marks. If it is still ambiguous (two symbols with one gloss), the atom follows
in square brackets.
"""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from pytest_autoeval.languages.base import EnglishError
from pytest_autoeval.languages.controlled_english import NOT, Scope, Words, opens_compound, words_of
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.english import EnglishOfLogic
from pytest_autoeval.languages.logic.lexicon import Lexicon, Pattern, is_risky
from pytest_autoeval.languages.logic.signature import arguments_phrase
from pytest_autoeval.languages.ontology import Ontology


class UnknownSymbolError(EnglishError):
    """The ontology has no gloss for a symbol of the formula; ``symbol`` is its name."""

    def __init__(self, kind: str, symbol: str, arity: int) -> None:
        self.symbol = symbol
        with_arguments = f" with {arguments_phrase(arity)}" if arity else ""
        super().__init__(
            f"the ontology has no {kind} {symbol!r}{with_arguments}, so there is no English for it; "
            "give it a gloss, or derive the ontology from the formulas"
        )


def verbalize(formula: fol.Sentence, ontology: Ontology) -> str:
    """One English sentence for the formula; ``read_verbal`` gives the same formula back.

    Variables keep their names. A free name is a constant and must be in the ontology. Raises
    :class:`UnknownSymbolError` for a symbol that the ontology lacks, ``LimitError`` for a formula that is too large.
    """
    return english_in(ontology).describe(formula)


def read_verbal(text: str, ontology: Ontology) -> fol.Sentence:
    """The formula that ``verbalize`` writes as this text with this ontology, up to white space.

    Raises :class:`EnglishError` for every other text.
    """
    return cast("fol.Sentence", english_in(ontology).read(text))


class _Glosses(EnglishOfLogic):
    def __init__(self, ontology: Ontology) -> None:
        self._lexicon = Lexicon(ontology)

    def as_sentence(self, text: str) -> str:
        start = len(text) - len(text.lstrip("("))
        letter = text[start]
        # No capital letter that can be undone: a digit is its own, and that of "ß" is "SS".
        if letter.upper().lower() != letter or len(letter.upper()) > 1:
            return text
        capitalised = f"{text[:start]}{letter.upper()}{text[start + 1 :]}"
        is_clause = not opens_compound(words_of(text))
        # The capitalised word may itself begin a gloss, which a reader could not distinguish.
        if is_clause and words_of(capitalised)[0].text in self._lexicon.first_words:
            return text
        return capitalised

    def words(self, text: str) -> Words:
        """The words, with the first letter of the sentence in lower case."""
        words = super().words(text)
        outside_brackets = [index for index, word in enumerate(words.words) if word.text != "("]
        index = outside_brackets[0] if outside_brackets else 0
        ahead = words.words[index:]
        if not ahead or opens_compound(ahead):
            return words
        word = ahead[0]
        if word.text not in self._lexicon.first_words:
            words.words[index] = word._replace(text=word.text[0].lower() + word.text[1:])
        return words

    def literal(self, formula: fol.Sentence, scope: Scope) -> str:
        negated = isinstance(formula, fol.Not)
        atom = formula.operand if isinstance(formula, fol.Not) else formula
        name, terms = _parts(atom)
        gloss = self._lexicon.gloss("predicate", name, len(terms))
        if gloss is None:
            raise UnknownSymbolError("predicate" if terms else "proposition", name, len(terms))
        if negated:
            gloss = self._lexicon.gloss("negative", name, len(terms))
        clauses = [] if gloss is None else self._clauses(gloss, terms, scope)
        # The last resort: with the atom itself in square brackets.
        if not negated:
            clauses += [f"{clause} [{atom}]".strip() for clause in clauses]
        # The first clause that the reader understands as this literal alone.
        for clause in clauses:
            words = words_of(clause)
            end, readings = self._lexicon.clause(clause, words, 0, scope)
            if end == len(words) and readings == [formula]:
                return clause
        if not negated:
            raise EnglishError(
                f"{str(atom)!r} cannot be said unambiguously: a formula cannot have such names"
            )
        # Without a clear gloss of its own, the negation is that of the positive clause.
        return NOT + self.literal(atom, scope)

    def read_literal(self, words: Words, scope: Scope) -> fol.Sentence:
        end, readings = self._lexicon.clause(words.text, words.words, words.at, scope)
        if len(readings) > 1:
            raise words.surprise("words with one reading")
        if not readings:
            raise words.surprise("a clause in the words of the ontology or glossary")
        words.at = end
        return readings[0]

    def _clauses(self, gloss: Pattern, terms: tuple[fol.Term, ...], scope: Scope) -> list[str]:
        """The clause in quotation marks, and before it the plain clause if its words cannot join clauses."""
        in_words = [self._term(term, scope) for term in terms]
        filled = gloss.filled(in_words)
        terms_are_risky = any(is_risky([word.text for word in words_of(text)]) for text in in_words)
        quoted = f"“{filled}”"
        if gloss.is_risky or terms_are_risky or opens_compound(words_of(filled)):
            return [quoted]
        return [filled, quoted]

    def _term(self, term: fol.Term, scope: Scope) -> str:
        if not term.arguments and term.name in scope:
            return term.name
        gloss = self._lexicon.gloss("term", term.name, len(term.arguments))
        if gloss is None:
            kind = "function" if term.arguments else "constant"
            raise UnknownSymbolError(kind, term.name, len(term.arguments))
        return gloss.filled([self._term(argument, scope) for argument in term.arguments])


#: The English in the glosses of an ontology.
english_in = lru_cache(maxsize=64)(_Glosses)


def _parts(atom: fol.Sentence) -> tuple[str, tuple[fol.Term, ...]]:
    match atom:
        case fol.Atom(name, terms):
            return name, terms
        case fol.Equal(left, right):
            return "=", (left, right)
    return str(atom), ()
