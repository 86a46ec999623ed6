"""Plain English for formulas of propositional and first-order logic, and its exact reader.

``P(x1) → ¬R(x1, c1)`` is "If P holds of x1, then R does not relate x1 to c1."
:mod:`~pytest_autoeval.languages.logic.verbalization` shares the rules for everything except literals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, cast

from pytest_autoeval.languages.controlled_english import (
    NOT,
    RULE_WORDS,
    English,
    Position,
    Scope,
    Words,
    listed,
)
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.parser import is_name


class EnglishOfLogic(English):
    """The rules for quantifiers; subclasses add those for literals."""

    nodes: ClassVar = fol
    is_name = staticmethod(is_name)
    infixes: ClassVar = {fol.Iff: "if and only if"}
    prefixes: ClassVar = {fol.Not: NOT}

    def prefixed(self, formula: fol.Sentence, place: Position, scope: Scope) -> str:
        if not isinstance(formula, fol.Quantified):
            return super().prefixed(formula, place, scope)
        kind, each = type(formula), "every" if isinstance(formula, fol.Forall) else "some"
        variables = []
        body: fol.Sentence = formula
        while isinstance(body, fol.Quantified) and type(body) is kind:
            variables.append(body.variable)
            body = body.body
        names = " and ".join(f"{each} {self.as_name(variable)}" for variable in variables)
        opening = f"for {names}, " if each == "every" else f"there is {names} such that "
        return opening + self.in_words(body, place | Position.CHAIN, (*scope, *variables))

    def read_other(self, words: Words, scope: Scope) -> fol.Sentence:
        kind: type[fol.Quantified]
        if words.skip("for every"):
            kind, each, end = fol.Forall, "and every", ","
        elif words.skip("there is some"):
            kind, each, end = fol.Exists, "and some", "such that"
        else:
            return cast("fol.Sentence", self.read_literal(words, scope))
        variables = [self.read_name(words)]
        while words.skip(each):
            variables.append(self.read_name(words))
        words.need(end)
        words.deepen()
        formula = cast("fol.Sentence", self.read_sentence(words, (*scope, *variables)))
        words.depth -= 1
        for variable in reversed(variables):
            formula = kind(variable, formula)
        return formula


class _PlainEnglish(EnglishOfLogic):
    reserved = RULE_WORDS | frozenset(
        (
            "always",
            "does",
            "equal",
            "equals",
            "false",
            "hold",
            "relate",
            "relates",
            "statement",
            "terms",
            "to",
            "true",
        )
    )

    def clause(self, atom: fol.Sentence, does: str, s: str) -> str:
        match atom:
            case fol.Atom(predicate, ()):
                return f"{self.as_name(predicate)} {does}hold{s}"
            case fol.Atom(predicate, (first, second)):
                return f"{self.as_name(predicate)} {does}relate{s} {self._term(first)} to {self._term(second)}"
            case fol.Atom(predicate, arguments):
                return f"{self.as_name(predicate)} {does}hold{s} of {self._terms(arguments)}"
            case fol.Equal(left, right):
                return f"{self._term(left)} {does}equal{s} {self._term(right)}"
        raise TypeError(f"no words for {type(atom).__name__}")

    def _term(self, term: fol.Term) -> str:
        name = self.as_name(term.name)
        return f"the {name} of {self._terms(term.arguments)}" if term.arguments else name

    def _terms(self, terms: Sequence[fol.Term]) -> str:
        shown = listed([self._term(term) for term in terms], "and")
        return f"the {len(terms)} terms {shown}" if len(terms) > 1 else shown

    def read_clause(self, words: Words) -> fol.Sentence:
        subject = self._read_term(words)
        verbs: dict[str, Callable[[], fol.Sentence]] = {
            "hold": lambda: fol.Atom(
                subject.name, self._read_terms(words) if words.skip("of") else ()
            ),
            "relate": lambda: fol.Atom(subject.name, tuple(words.list(2, "to", self._read_term))),
            "equal": lambda: fol.Equal(subject, self._read_term(words)),
        }
        return cast("fol.Sentence", self.read_verb(words, verbs))

    def _read_term(self, words: Words) -> fol.Term:
        if not words.skip("the"):
            return fol.Term(self.read_name(words))
        words.deepen()
        name = self.read_name(words)
        words.need("of")
        arguments = self._read_terms(words)
        words.depth -= 1
        return fol.Term(name, arguments)

    def _read_terms(self, words: Words) -> tuple[fol.Term, ...]:
        return tuple(words.list(words.count("the", "terms") or 1, "and", self._read_term))


ENGLISH = _PlainEnglish()
