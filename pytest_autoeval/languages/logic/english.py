"""Plain English for propositional and first-order logic over symbols as such, and its exact reader.

``P(x1) → ¬R(x1, c1)`` is "If P holds of x1, then R does not relate x1 to c1." The rules for all that is no literal
serve :mod:`~pytest_autoeval.languages.logic.verbalization` as well.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, cast

from pytest_autoeval.languages.controlled_english import (
    NOT,
    RULE_WORDS,
    English,
    Position,
    Scope,
    Syntax,
    Words,
    listed,
)
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.limits import check_size
from pytest_autoeval.languages.logic.tokens import is_name


class EnglishOfLogic(English):
    """The rules for quantifiers; a subclass says how literals read."""

    syntax = Syntax(fol, check_size, is_name)
    joints: ClassVar = {fol.Iff: "if and only if"}
    prefixes: ClassVar = {fol.Not: NOT}

    @abstractmethod
    def read_literal(self, words: Words, scope: Scope) -> fol.Sentence:
        """The literal that comes next."""

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
            return self.read_literal(words, scope)
        variables = [self.read_name(words)]
        while words.skip(each):
            variables.append(self.read_name(words))
        words.need(end)
        formula = cast("fol.Sentence", self.read_sentence(words, (*scope, *variables)))
        for variable in reversed(variables):
            formula = kind(variable, formula)
        return formula


class _Symbols(EnglishOfLogic):
    reserved = RULE_WORDS | frozenset(
        ("always", "does", "equal", "equals", "false", "hold", "relate", "relates", "statement", "terms", "to", "true")
    )

    def literal(self, formula: fol.Sentence, scope: Scope) -> str:  # noqa: ARG002
        does, s = ("does not ", "") if isinstance(formula, fol.Not) else ("", "s")
        match formula.operand if isinstance(formula, fol.Not) else formula:
            case fol.Atom(predicate, ()):
                return f"{self.as_name(predicate)} {does}hold{s}"
            case fol.Atom(predicate, (first, second)):
                return f"{self.as_name(predicate)} {does}relate{s} {self._term(first)} to {self._term(second)}"
            case fol.Atom(predicate, arguments):
                return f"{self.as_name(predicate)} {does}hold{s} of {self._terms(arguments)}"
            case fol.Equal(left, right):
                return f"{self._term(left)} {does}equal{s} {self._term(right)}"
            case constant:
                return f"the always {'true' if isinstance(constant, fol.Top) else 'false'} statement {does}hold{s}"

    def _term(self, term: fol.Term) -> str:
        name = self.as_name(term.name)
        return f"the {name} of {self._terms(term.arguments)}" if term.arguments else name

    def _terms(self, terms: Sequence[fol.Term]) -> str:
        shown = listed([self._term(term) for term in terms], "and")
        return f"the {len(terms)} terms {shown}" if len(terms) > 1 else shown

    def read_literal(self, words: Words, scope: Scope) -> fol.Sentence:  # noqa: ARG002
        constant = next((kind for text, kind in _CONSTANTS.items() if words.skip(f"the always {text} statement")), None)
        subject = fol.Term("") if constant else self._read_term(words)
        for verb in ("hold", "relate", "equal"):
            negated = words.skip(f"does not {verb}")
            if negated or words.skip(f"{verb}s"):
                atom = constant() if constant else self._read_object(words, subject, verb)
                return fol.Not(atom) if negated else atom
        raise words.surprise("a verb")

    def _read_object(self, words: Words, subject: fol.Term, verb: str) -> fol.Sentence:
        """The atom by what follows its verb."""
        if verb == "hold":
            return fol.Atom(subject.name, self._read_terms(words) if words.skip("of") else ())
        first = self._read_term(words)
        if verb == "equal":
            return fol.Equal(subject, first)
        words.need("to")
        return fol.Atom(subject.name, (first, self._read_term(words)))

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


_CONSTANTS: dict[str, type[fol.Sentence]] = {"true": fol.Top, "false": fol.Bottom}
ENGLISH = _Symbols()


def describe(formula: fol.Sentence) -> str:
    """The formula in words: ``p1 holds and either p2 holds or p3 does not hold.``"""
    return ENGLISH.describe(formula)


def read(description: str) -> fol.Sentence:
    """The formula that was described; raises :class:`EnglishError` for any other text."""
    return cast("fol.Sentence", ENGLISH.read(description))
