"""What the languages of propositional and first-order logic share; every propositional formula is a first-order one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar, cast

from pytest_autoeval.languages.answer_grammar import AnswerGrammar, logic_grammar
from pytest_autoeval.languages.base import (
    EnglishError,
    Formula,
    Reading,
)
from pytest_autoeval.languages.contract import Language
from pytest_autoeval.languages.differences import Layout, layout_of
from pytest_autoeval.languages.logic import rewriting
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.english import ENGLISH
from pytest_autoeval.languages.logic.parser import parse
from pytest_autoeval.languages.logic.signature import foreign, measure, symbols
from pytest_autoeval.languages.logic.signs import operator_sign
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.propositional import programs
from pytest_autoeval.languages.size_limits import check_large_size, check_size
from pytest_autoeval.languages.vocabulary import Vocabulary

#: The fingerprints of formulas that are too large, or false in all cases looked at, or true in all of them.
_OF_UNKNOWN_OR_CONSTANT = (None, hash(0), hash(programs.ALL_SAMPLED_ROWS))


class LogicLanguage(Language):
    """A language whose formulas are trees of :mod:`pytest_autoeval.languages.logic.syntax`."""

    nodes = Sentence
    both = fol.And
    #: Whether the language has quantifiers, predicates with arguments, terms and equality.
    quantifiers: ClassVar[bool]

    def parse(self, text: str) -> Sentence:
        return parse(text, quantifiers=self.quantifiers)

    def read(self, answer: str, *, vocabulary: Vocabulary | None = None) -> Reading:
        # Imported here, because programs that only draw or decide formulas do not need it.
        from pytest_autoeval.languages.logic.reading import read

        return read(answer, vocabulary, quantifiers=self.quantifiers)

    def answer_grammar(self, vocabulary: Vocabulary) -> AnswerGrammar:
        return logic_grammar(self.name, vocabulary, quantifiers=self.quantifiers)

    def operator_sign(self, text: str, formula: Formula) -> str:
        return operator_sign(text, self.symbols(formula).names)

    def describe(self, formula: Formula) -> str:
        return ENGLISH.describe(self._sentence(formula))

    def read_description(self, description: str) -> Sentence:
        formula: Sentence = ENGLISH.read(description)
        if not self.owns(formula):
            raise EnglishError(f"the described formula is not in the language {self.name!r}")
        return formula

    def measure(self, formula: Formula | str) -> dict[str, int | float]:
        return measure(self._sentence(formula))

    def layout(self, node: Formula) -> Layout:
        node = cast("Sentence | fol.Term", node)
        match node:
            case fol.Term(name, ()):
                return Layout(("term", name), (name,), name=name)
            case fol.Term(name, arguments) | fol.Atom(name, arguments) if arguments:
                commas = [", "] * (len(arguments) - 1)
                texts = [f"{name}(", *commas, ")"]
                return Layout((type(node).__name__, name), texts, arguments)
            case fol.Equal(left, right):
                return Layout("=", ("", " = ", ""), (left, right), "any")
            case fol.Quantified(variable):
                layout = layout_of(node, fol.node_text)
                return layout._replace(label=type(node).__name__, binds=variable)
            case fol.And() | fol.Or() | fol.Xor() | fol.Iff():
                return layout_of(node, fol.node_text, "any", chained=True)
        return layout_of(node, fol.node_text)

    def symbols(self, formula: Formula) -> Vocabulary:
        return symbols(self._sentence(formula))

    def foreign(self, formula: Formula, vocabulary: Vocabulary) -> tuple[str, ...]:
        return foreign(self._sentence(formula), vocabulary)

    def simpler(self, formula: Formula, vocabulary: Vocabulary | None = None) -> Iterator[Formula]:
        return rewriting.simpler(self._sentence(formula), vocabulary)

    def rewritings(self, formula: Formula) -> Iterator[Formula]:
        return rewriting.rewritings(cast("Sentence", formula))

    def edits(self, formula: Formula, names: Vocabulary) -> Iterator[Formula]:
        edits = rewriting.edits(cast("Sentence", formula), names)
        return (edited for edited in edits if edited != formula)

    def trivial(self, alphabet: Collection[str] = ()) -> Mapping[str, Formula]:  # noqa: ARG002
        return {"tautology": fol.Top(), "contradiction": fol.Bottom()}

    def is_contingent(self, formula: Formula) -> bool:
        # The fingerprint is a hash of the formula's values in many cases, the same ones for every formula.
        return self.fingerprint(formula) not in _OF_UNKNOWN_OR_CONSTANT

    def _sentence(self, formula: Formula | str) -> Sentence:
        """The formula as a tree of this language, with quantifiers only if it is small enough for recursion."""
        if isinstance(formula, Sentence):
            check = check_size if self.quantifiers else check_large_size
            check(formula)
        return cast("Sentence", self.tree(formula))
