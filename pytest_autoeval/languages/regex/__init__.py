"""Regular expressions: the strict notation ``0 1 … * ( )``, and the extended one of standard regular expressions.

Only the strict notation is compliant. Other trees (unions, classes, ``+ ? {m,n}``, escaped symbols) come from
:meth:`Regex.read`. :meth:`Regex.parse` accepts their canonical text too: ``parse(format(f)) == f`` for every tree.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import cast

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages.answer_grammar import AnswerGrammar, words
from pytest_autoeval.languages.base import (
    Formula,
    FormulaSyntaxError,
    LimitError,
    Reading,
    Relation,
    Verdict,
)
from pytest_autoeval.languages.contract import Language
from pytest_autoeval.languages.differences import Layout, layout_of
from pytest_autoeval.languages.regex import decide, english, measures, rewriting
from pytest_autoeval.languages.regex.alphabet import over_alphabet
from pytest_autoeval.languages.regex.extended import parse_extended
from pytest_autoeval.languages.regex.parser import parse
from pytest_autoeval.languages.regex.reading import operator_sign, read
from pytest_autoeval.languages.regex.signs import over_alphabet_signs, signs_of
from pytest_autoeval.languages.regex.syntax import (
    Character,
    Concat,
    Empty,
    Expression,
    Intersection,
    Star,
    Union,
    is_plain,
    node_text,
    united,
)
from pytest_autoeval.languages.size_limits import PATIENCE
from pytest_autoeval.languages.tree_edits import Order
from pytest_autoeval.languages.vocabulary import Vocabulary

#: The signs beyond the strict notation that constrained answers may have, where the formulas may.
_SIGNS_OF_ANSWERS = ("|", "&", "~")
#: Bytes for the states of an automaton that is made in about 50 ms.
_BRIEF_MEMORY = 1 << 20


class Regex(Language):
    """Regular expressions over an alphabet of single characters, compared by the strings that match as a whole."""

    name = "regex"
    nodes = Expression
    size_measure = "depth"

    def parse(self, text: str) -> Expression:
        """The expression of a text in the strict notation, or of the canonical text of an expression.

        Raises :class:`FormulaSyntaxError`, at the place where the strict notation ends.
        """
        try:
            return parse(text)
        except LimitError:
            raise
        except FormulaSyntaxError as problem:
            try:
                expression = parse_extended(text)
            except FormulaSyntaxError as extended_problem:
                extended_offset = (extended_problem.line, extended_problem.column)
                is_there = extended_offset == (problem.line, problem.column)
                # The message of the extended parser may name a sign of another notation.
                if is_there and extended_problem.problem != problem.problem:
                    raise extended_problem from None
                raise problem from None
            if str(expression) == text.strip():
                return expression
            raise

    def is_strict(self, text: str) -> bool:
        with suppress(FormulaSyntaxError):
            return bool(parse(text))
        return False

    def read(self, answer: str, *, vocabulary: Vocabulary | None = None) -> Reading:
        return read(answer, vocabulary)

    def over(self, formula: Formula, vocabulary: Vocabulary) -> tuple[Formula, Vocabulary]:
        # Without an alphabet, a wildcard stays open: over one, each expression has one meaning.
        if not vocabulary.alphabet:
            return formula, vocabulary
        expression = over_alphabet(self.tree(formula), vocabulary.alphabet)
        signs = over_alphabet_signs(vocabulary.signs, expression, vocabulary.alphabet)
        if signs == vocabulary.signs:
            return expression, vocabulary
        return expression, replace(vocabulary, signs=signs)

    def signs(self, formula: Formula) -> tuple[str, ...]:
        return signs_of(self.tree(formula))

    def answer_grammar(self, vocabulary: Vocabulary) -> AnswerGrammar | None:
        if not all(map(is_plain, vocabulary.alphabet)):
            return None  # `parse` accepts escapes only in canonical text
        # With these signs, each regular language can be said: an answer needs no other one.
        signs = [sign for sign in _SIGNS_OF_ANSWERS if sign in vocabulary.signs]
        factor = f'({words(vocabulary.alphabet)} | "(" expression ")") "*"?'
        if "~" in signs:
            factor += ' | "~(" expression ")"'
        infixes = words(sign for sign in signs if sign != "~")
        rules = [("expression", "factor+"), ("factor", factor)]
        if infixes:
            rules[:1] = [
                ("expression", f"sequence (({infixes}) sequence)*"),
                ("sequence", "factor+"),
            ]
        return AnswerGrammar(self.name, tuple(rules))

    def operator_sign(self, text: str, formula: Formula) -> str:
        return operator_sign(text, self.symbols(formula).alphabet)

    def describe(self, formula: Formula) -> str:
        return english.describe(self.tree(formula))

    def read_description(self, description: str) -> Expression:
        return english.read(description)

    def measure(self, formula: Formula | str) -> dict[str, int | float]:
        return measures.measure(self.tree(formula))

    def layout(self, node: Formula) -> Layout:
        order: Order = "places"
        if isinstance(node, Concat):
            order = "sequence"
        elif isinstance(node, Union | Intersection):
            order = "any"
        return layout_of(cast("Expression", node), node_text, order)

    def symbols(self, formula: Formula) -> Vocabulary:
        expression = self.tree(formula)
        return Vocabulary(alphabet=measures.symbols(expression), signs=self.signs(expression))

    def simpler(self, formula: Formula, vocabulary: Vocabulary | None = None) -> Iterator[Formula]:
        return rewriting.simpler(self.tree(formula), vocabulary.alphabet if vocabulary else ())

    def rewritings(self, formula: Formula) -> Iterator[Formula]:
        return rewriting.rewritings(self.tree(formula))

    def edits(self, formula: Formula, names: Vocabulary) -> Iterator[Formula]:
        candidates = rewriting.edits(self.tree(formula), names.alphabet)
        return (edited for edited in candidates if edited != formula)

    def trivial(self, alphabet: Collection[str] = ()) -> Mapping[str, Formula]:
        any_symbol = united(tuple(map(Character, alphabet)))
        return {"empty": Empty(), "universal": Star(any_symbol)}

    def decide(self, relation: Relation, left: Formula, right: Formula, timeout: float) -> Verdict:
        return decide.decide(relation, cast("Expression", left), cast("Expression", right), timeout)

    def decide_briefly(self, left: Formula, right: Formula) -> Verdict:
        # A bound of memory ends the decision at the same state on every machine; a bound of time would not.
        pair = cast("Expression", left), cast("Expression", right)
        return decide.decide("equivalence", *pair, PATIENCE, memory=_BRIEF_MEMORY)

    def fingerprint(self, formula: Formula) -> Hashable:
        return decide.fingerprint(self.tree(formula))

    def is_contingent(self, formula: Formula) -> bool:
        return measures.is_contingent(self.tree(formula))

    def tree(self, formula: Formula | str) -> Expression:
        """The tree of an expression, given as a tree or as text in either notation, without an alphabet."""
        if isinstance(formula, Expression):
            return formula
        if not isinstance(formula, str):
            raise AutoevalError(f"not a formula of the language {self.name!r}: {formula!r}")
        try:
            return parse(formula)
        except LimitError:
            raise
        except FormulaSyntaxError:
            return parse_extended(formula, is_given=True)


LANGUAGE = Regex()
