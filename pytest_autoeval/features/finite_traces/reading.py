"""Reading a formula on finite traces from a model's answer, in the notations of temporal logic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from pytest_autoeval.features.finite_traces import syntax
from pytest_autoeval.features.finite_traces.parser import (
    STRONG_NEXT,
    UNCLEAR,
    FiniteTraceParser,
    naming_other_next,
    tokens_of,
)
from pytest_autoeval.features.finite_traces.syntax import OnFiniteTraces
from pytest_autoeval.languages.answers import Place
from pytest_autoeval.languages.base import FormulaSyntaxError, Reading, fold
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.lenient import parse_leniently
from pytest_autoeval.languages.ltl.letters import may_be_operators
from pytest_autoeval.languages.ltl.parser import QUOTED
from pytest_autoeval.languages.ltl.reading import TemporalNotation
from pytest_autoeval.languages.reading import read_formula
from pytest_autoeval.languages.vocabulary import Vocabulary
from pytest_autoeval.lazy_pattern import lazy_pattern

#: Spellings of a next operator of which papers do not agree whether it is the strong one, besides the word.
_UNCLEAR_NEXT = lazy_pattern(r"[○◯◦∘]|\(\)|\\(?:big)?circ(?![a-z])|(?<![\w.])[XFG]*X\}?!")
_NEXT = lazy_pattern(r"(?<![^\W_])next(?![^\W_])", re.IGNORECASE)
_STRAY = lazy_pattern(r"\[\s*!\s*\]")
_FROM_LTL: dict[type[ltl.Temporal], type[OnFiniteTraces]] = {
    ltl.Top: syntax.Top,
    ltl.Bottom: syntax.Bottom,
    ltl.Not: syntax.Not,
    ltl.And: syntax.And,
    ltl.Or: syntax.Or,
    ltl.Xor: syntax.Xor,
    ltl.Implies: syntax.Implies,
    ltl.Iff: syntax.Iff,
    ltl.Next: syntax.Next,
    ltl.Yesterday: syntax.StrongNext,
    ltl.Eventually: syntax.Eventually,
    ltl.Always: syntax.Always,
    ltl.Until: syntax.Until,
    ltl.Release: syntax.Release,
    ltl.WeakUntil: syntax.WeakUntil,
}
_TO_LTL = {kind: other for other, kind in _FROM_LTL.items()}


def read(answer: str, vocabulary: Vocabulary | None = None) -> Reading:
    """The formula in an answer; see :mod:`pytest_autoeval.languages.reading`."""
    names = vocabulary.names if vocabulary else frozenset[str]()
    return read_formula(answer, FiniteTraceNotation(vocabulary), names)


@dataclass(frozen=True)
class FiniteTraceNotation:
    """The strict notation, and those that the reader of infinite traces knows, with ``X[!]`` besides."""

    vocabulary: Vocabulary | None

    @cached_property
    def _infinite(self) -> TemporalNotation:
        return TemporalNotation(self.vocabulary)

    def strict(self, text: str) -> OnFiniteTraces:
        """The formula of a text in the strict notation with operators apart, and with quotes only where needed."""
        tokens = tokens_of(text, apart=False)
        if tokens_of(text) != tokens:
            problem = "an operator letter stands beside a name without a space"
            raise FormulaSyntaxError(problem, text, 0)
        for token in tokens:
            if token.kind == QUOTED and not may_be_operators(token.text):
                problem = f"the name {token.text!r} needs no quotes"
                raise FormulaSyntaxError(problem, text, token.start)
        return cast("OnFiniteTraces", FiniteTraceParser(text, tokens).tree())

    def lenient(self, text: str) -> OnFiniteTraces:
        """The formula of a text in any known notation; raises :class:`FormulaSyntaxError`.

        The reader of infinite traces has no strong next. It reads the text once with ``X`` for ``X[!]``, which must
        give no operator of the past, and then with ``Y``, which stands for the strong next.
        """
        self._check_next(text)
        weak = self._temporal("X", text)
        if any(isinstance(node, ltl.PastOperator) for node in weak.subformulas()):
            raise FormulaSyntaxError("finite traces have no operators of the past here", text, 0)
        if not STRONG_NEXT.search(text):
            return _on_finite_traces(weak)
        marked = self._temporal("Y", text)
        if fold(marked, _weakened) != weak:
            raise FormulaSyntaxError("it is unclear what 'X[!]' belongs to", text, 0)
        return _on_finite_traces(marked)

    def is_meant(self, formula: OnFiniteTraces, text: str, place: Place | None) -> bool:
        """False for words of English, and for a single name in a sentence."""
        return self._infinite.is_meant(fold(formula, _as_temporal), text, place)

    def is_symbolic(self, text: str) -> bool:
        return self._infinite.is_symbolic(text)

    def _temporal(self, letter: str, text: str) -> ltl.Temporal:
        """The formula of a text with a letter in the place of each strong next."""
        readable = _with_letter(letter, text)
        if stray := _STRAY.search(readable):
            problem = "'[!]' stands behind the operator X only, apart from any name"
            raise FormulaSyntaxError(problem, text, stray.start())
        try:
            with naming_other_next(text):
                return parse_leniently(readable, self.vocabulary)
        except FormulaSyntaxError as error:
            # What the message would write instead is a formula with the letter.
            problem = error.problem.partition("; write ")[0] if readable != text else error.problem
            raise type(error)(problem, text, error.offset, error.expected) from None

    def _check_next(self, text: str) -> None:
        unclear = _UNCLEAR_NEXT.search(text)
        names = self.vocabulary.names if self.vocabulary else frozenset[str]()
        if unclear is None and not any("next" in name.lower() for name in names):
            unclear = _NEXT.search(text)
        if unclear is not None:
            raise FormulaSyntaxError(f"{unclear[0]!r} {UNCLEAR}", text, unclear.start())


def _with_letter(letter: str, text: str) -> str:
    """The text with a letter in the place of each strong next, and all else at its place."""

    def replaced(match: re.Match[str]) -> str:
        before = match[0][: match.start(1) - match.start()]
        return (before + letter).ljust(len(match[0]))

    return STRONG_NEXT.sub(replaced, text)


def _weakened(node: ltl.Temporal, parts: Sequence[ltl.Temporal]) -> ltl.Temporal:
    if isinstance(node, ltl.Yesterday):
        return ltl.Next(parts[0])
    return node.with_children(tuple(parts))


def _on_finite_traces(formula: ltl.Temporal) -> OnFiniteTraces:
    return fold(formula, _from_temporal)


def _from_temporal(node: ltl.Temporal, parts: Sequence[OnFiniteTraces]) -> OnFiniteTraces:
    if isinstance(node, ltl.Atom):
        return syntax.Atom(node.name)
    return _FROM_LTL[type(node)](*parts)


def _as_temporal(node: OnFiniteTraces, parts: Sequence[ltl.Temporal]) -> ltl.Temporal:
    if isinstance(node, syntax.Atom):
        return ltl.Atom(node.name)
    return _TO_LTL[type(node)](*parts)
