"""First-order formulas in SMT-LIB, over one uninterpreted sort."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_autoeval.languages.first_order.normal_forms import Key, Normaliser
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence, Term
from pytest_autoeval.languages.propositional.diagrams import FALSE, TRUE, TooLargeError
from pytest_autoeval.languages.propositional.programs import SMT_SIGNS
from pytest_autoeval.languages.vocabulary import Vocabulary

#: Characters of a normal form's assertion.
_MAX_LENGTH = 1_000_000


class Script:
    """The declarations of a signature, and formulas over it; every symbol gets a name that is valid in SMT-LIB."""

    def __init__(self, signature: Vocabulary) -> None:
        self._predicates = {
            symbol: f"p{index}" for index, symbol in enumerate(signature.predicates)
        }
        self._functions = {symbol: f"f{index}" for index, symbol in enumerate(signature.functions)}
        self._constants = {name: f"c{index}" for index, name in enumerate(signature.constants)}
        arities = [(self._predicates[symbol], symbol[1], "Bool") for symbol in signature.predicates]
        arities += [(self._functions[symbol], symbol[1], "U") for symbol in signature.functions]
        arities += [(name, 0, "U") for name in self._constants.values()]
        functions = (
            f"(declare-fun {name} ({' '.join(['U'] * arity)}) {sort})"
            for name, arity, sort in arities
        )
        self.declarations = "\n".join(["(declare-sort U 0)", *functions])

    def sentence(
        self, node: Sentence, bound: Mapping[str, str] | None = None, depth: int = 0
    ) -> str:
        """The text of a formula under ``depth`` quantifiers, with names for its ``bound`` variables."""
        bound = bound or {}
        match node:
            case fol.Atom(predicate, arguments):
                return self._application(
                    self._predicates[predicate, len(arguments)], arguments, bound
                )
            case fol.Equal(left, right):
                return f"(= {self.term(left, bound)} {self.term(right, bound)})"
            case fol.Not(operand):
                return f"(not {self.sentence(operand, bound, depth)})"
            case fol.Binary(left, right):
                sides = [self.sentence(side, bound, depth) for side in (left, right)]
                return f"({SMT_SIGNS[type(node)]} {' '.join(sides)})"
            case fol.Quantified(variable, body):
                name = f"x{depth}"
                quantifier = "forall" if isinstance(node, fol.Forall) else "exists"
                text = self.sentence(body, {**bound, variable: name}, depth + 1)
                return f"({quantifier} (({name} U)) {text})"
        return SMT_SIGNS[type(node)]

    def diagram(self, normaliser: Normaliser, root: int) -> str:
        """An assertion that a normal form holds; raises ``TooLargeError`` if it is too long."""
        texts = {FALSE: "false", TRUE: "true"}
        lines: list[str] = []
        length = 0
        for node in normaliser.diagrams.walk(root):
            label, low, high = normaliser.diagrams.parts(node)
            condition = self._key(normaliser.key(label))
            length += len(condition)
            if length > _MAX_LENGTH:
                raise TooLargeError
            lines.append(
                f"(define-fun n{node} () Bool (ite {condition} {texts[high]} {texts[low]}))"
            )
            texts[node] = f"n{node}"
        return "\n".join([*lines, f"(assert {texts[root]})"])

    def _key(self, key: Key) -> str:
        match key:
            case ("all", variable, *literals):
                parts = (
                    self._key(part) if sign == "+" else f"(not {self._key(part)})"
                    for sign, part in literals
                )
                return f"(forall ((x{-variable} U)) (or {' '.join(parts)}))"
            case ("equation", left, right):
                return f"(= {self._key_term(left)} {self._key_term(right)})"
            case (_, predicate, *arguments):
                name = self._predicates[predicate, len(arguments)]
                return f"({name} {' '.join(map(self._key_term, arguments))})" if arguments else name
            case _:
                raise TypeError(key)

    def _key_term(self, term: Any) -> str:
        match term:
            case int():
                return f"x{-term}"
            case str():
                return self._constants[term]
            case _:
                name, *arguments = term
                return f"({self._functions[name, len(arguments)]} {' '.join(map(self._key_term, arguments))})"

    def term(self, term: Term, bound: Mapping[str, str] | None = None) -> str:
        """The text of a term, with texts for its ``bound`` variables."""
        bound = bound or {}
        if term.arguments:
            return self._application(
                self._functions[term.name, len(term.arguments)], term.arguments, bound
            )
        return bound.get(term.name) or self._constants[term.name]

    def _application(self, name: str, arguments: tuple[Term, ...], bound: Mapping[str, str]) -> str:
        return (
            f"({name} {' '.join([self.term(each, bound) for each in arguments])})"
            if arguments
            else name
        )
