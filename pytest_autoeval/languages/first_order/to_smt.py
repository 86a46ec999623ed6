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
        self._predicates: dict[tuple[str, int], str] = {}
        self._functions: dict[tuple[str, int], str] = {}
        self._constants: dict[str, str] = {}
        lines = ["(declare-sort U 0)"]
        for index, symbol in enumerate(signature.predicates):
            self._predicates[symbol] = f"p{index}"
            lines.append(_declaration(f"p{index}", symbol[1], "Bool"))
        for index, symbol in enumerate(signature.functions):
            self._functions[symbol] = f"f{index}"
            lines.append(_declaration(f"f{index}", symbol[1], "U"))
        for index, name in enumerate(signature.constants):
            self._constants[name] = f"c{index}"
            lines.append(_declaration(f"c{index}", 0, "U"))
        self.declarations = "\n".join(lines)

    def sentence(
        self, node: Sentence, bound: Mapping[str, str] | None = None, depth: int = 0
    ) -> str:
        """The text of a formula under ``depth`` quantifiers, with names for its ``bound`` variables."""
        bound = bound or {}
        match node:
            case fol.Atom(predicate, arguments):
                name = self._predicates[predicate, len(arguments)]
                return self._application(name, arguments, bound)
            case fol.Equal(left, right):
                return f"(= {self.term(left, bound)} {self.term(right, bound)})"
            case fol.Not(operand):
                return f"(not {self.sentence(operand, bound, depth)})"
            case fol.Binary(left, right):
                sides = [self.sentence(side, bound, depth) for side in (left, right)]
                return f"({SMT_SIGNS[type(node)]} {' '.join(sides)})"
            case fol.Quantified(variable, body):
                # By depth, since a quantifier inside another one may bind the same name.
                name = f"x{depth}"
                quantifier = "forall" if isinstance(node, fol.Forall) else "exists"
                text = self.sentence(body, {**bound, variable: name}, depth + 1)
                return f"({quantifier} (({name} U)) {text})"
        return SMT_SIGNS[type(node)]

    def diagram(self, normaliser: Normaliser, root: int) -> str:
        """An assertion that a normal form holds; raises ``TooLargeError`` if it is too long."""
        # A definition for each node of the diagram, so that shared parts are written once.
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
                texts = [self._literal(sign, atom) for sign, atom in literals]
                return f"(forall ((x{-variable} U)) (or {' '.join(texts)}))"
            case ("equation", left, right):
                return f"(= {self._key_term(left)} {self._key_term(right)})"
            case (_, predicate, *arguments):
                name = self._predicates[predicate, len(arguments)]
                terms = [self._key_term(argument) for argument in arguments]
                if terms:
                    return f"({name} {' '.join(terms)})"
                return name
            case _:
                raise TypeError(key)

    def _literal(self, sign: str, atom: Key) -> str:
        if sign == "+":
            return self._key(atom)
        return f"(not {self._key(atom)})"

    def _key_term(self, term: Any) -> str:
        match term:
            case int():
                return f"x{-term}"
            case str():
                return self._constants[term]
            case _:
                symbol, *arguments = term
                name = self._functions[symbol, len(arguments)]
                return f"({name} {' '.join(map(self._key_term, arguments))})"

    def term(self, term: Term, bound: Mapping[str, str] | None = None) -> str:
        """The text of a term, with texts for its ``bound`` variables."""
        bound = bound or {}
        if term.arguments:
            name = self._functions[term.name, len(term.arguments)]
            return self._application(name, term.arguments, bound)
        return bound.get(term.name) or self._constants[term.name]

    def _application(self, name: str, arguments: tuple[Term, ...], bound: Mapping[str, str]) -> str:
        if not arguments:
            return name
        return f"({name} {' '.join([self.term(argument, bound) for argument in arguments])})"


def _declaration(name: str, arity: int, sort: str) -> str:
    return f"(declare-fun {name} ({' '.join(['U'] * arity)}) {sort})"
