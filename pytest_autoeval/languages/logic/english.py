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
from pytest_autoeval.languages.logic.tokens import is_name


class EnglishOfLogic(English):
    """The rules for quantifiers; subclasses add those for literals."""

    nodes: ClassVar = fol
    is_name = staticmethod(is_name)
    infixes: ClassVar = {fol.Iff: "if and only if"}
    prefixes: ClassVar = {fol.Not: NOT}

    def prefixed(self, formula: fol.Sentence, position: Position, scope: Scope) -> str:
        if not isinstance(formula, fol.Quantified):
            return super().prefixed(formula, position, scope)
        kind = type(formula)
        variables = []
        body: fol.Sentence = formula
        while isinstance(body, fol.Quantified) and type(body) is kind:
            variables.append(body.variable)
            body = body.body
        names = [self.as_name(variable) for variable in variables]
        if isinstance(formula, fol.Forall):
            opening = f"for every {' and every '.join(names)}, "
        else:
            opening = f"there is some {' and some '.join(names)} such that "
        return opening + self.in_words(body, position | Position.CHAIN, (*scope, *variables))

    def read_other(self, words: Words, scope: Scope) -> fol.Sentence:
        kind: type[fol.Quantified]
        if words.skip("for every"):
            kind = fol.Forall
            joint = "and every"
            end = ","
        elif words.skip("there is some"):
            kind = fol.Exists
            joint = "and some"
            end = "such that"
        else:
            return cast("fol.Sentence", self.read_literal(words, scope))
        # Quantifiers of one kind are one phrase: "for every x and every y, …".
        variables = [self.read_name(words)]
        while words.skip(joint):
            variables.append(self.read_name(words))
        words.need(end)
        # The reader recurs here, and a text from outside may be nested as deeply as it is long.
        words.deepen()
        formula = cast("fol.Sentence", self.read_sentence(words, (*scope, *variables)))
        words.depth -= 1
        for variable in reversed(variables):
            formula = kind(variable, formula)
        return formula


class _PlainEnglish(EnglishOfLogic):
    # "x holds" must not be read as the beginning of a literal if a proposition is named "holds".
    # The words of its literals as well: a name that is one of them stands in quotation marks.
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
            case fol.Equal(left, right):
                return f"{self._term(left)} {does}equal{s} {self._term(right)}"
            case fol.Atom(predicate, arguments):
                name = self.as_name(predicate)
                if not arguments:
                    return f"{name} {does}hold{s}"
                if len(arguments) == 2:
                    subject, relatum = map(self._term, arguments)
                    return f"{name} {does}relate{s} {subject} to {relatum}"
                return f"{name} {does}hold{s} of {self._terms(arguments)}"
        raise TypeError(f"no words for {type(atom).__name__}")

    def _term(self, term: fol.Term) -> str:
        name = self.as_name(term.name)
        if term.arguments:
            return f"the {name} of {self._terms(term.arguments)}"
        return name

    def _terms(self, terms: Sequence[fol.Term]) -> str:
        enumeration = listed([self._term(term) for term in terms], "and")
        # The number shows where the list ends: "and" may go on with another clause.
        if len(terms) > 1:
            return f"the {len(terms)} terms {enumeration}"
        return enumeration

    def read_clause(self, words: Words) -> fol.Sentence:
        subject = self._read_term(words)

        def holds() -> fol.Sentence:
            arguments = self._read_terms(words) if words.skip("of") else ()
            return fol.Atom(subject.name, arguments)

        def relates() -> fol.Sentence:
            return fol.Atom(subject.name, tuple(words.list(2, "to", self._read_term)))

        def equals() -> fol.Sentence:
            return fol.Equal(subject, self._read_term(words))

        verbs: dict[str, Callable[[], fol.Sentence]] = {
            "hold": holds,
            "relate": relates,
            "equal": equals,
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
        number = words.count("the", "terms") or 1
        return tuple(words.list(number, "and", self._read_term))


ENGLISH = _PlainEnglish()
