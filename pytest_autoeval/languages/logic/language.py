"""The languages of propositional and first-order logic. Every propositional formula is also a first-order formula."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar, cast

from pytest_autoeval.languages.answer_grammar import AnswerGrammar, logic_grammar
from pytest_autoeval.languages.base import EnglishError, Formula, Reading, Relation, Verdict, Witness
from pytest_autoeval.languages.contract import Language
from pytest_autoeval.languages.differences import Layout, layout_of
from pytest_autoeval.languages.limits import PATIENCE, check_size
from pytest_autoeval.languages.logic.parser import parse
from pytest_autoeval.languages.logic.signature import foreign, measure, symbols
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Bottom,
    Equal,
    Iff,
    Or,
    Quantified,
    Sentence,
    Term,
    Top,
    Xor,
    node_text,
)
from pytest_autoeval.languages.vocabulary import Vocabulary


class LogicLanguage(Language):
    """A language whose formulas are trees of :mod:`pytest_autoeval.languages.logic.syntax`."""

    nodes = Sentence
    both = And
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
        from pytest_autoeval.languages.logic.signs import operator_sign

        return operator_sign(text, self.symbols(formula).names)

    def describe(self, formula: Formula) -> str:
        from pytest_autoeval.languages.logic.english import ENGLISH

        return ENGLISH.describe(self._sentence(formula))

    def read_description(self, description: str) -> Sentence:
        from pytest_autoeval.languages.logic.english import ENGLISH

        formula: Sentence = ENGLISH.read(description)
        if not self.owns(formula):
            raise EnglishError(f"the described formula is not in the language {self.name!r}")
        return formula

    def measure(self, formula: Formula | str) -> dict[str, int | float]:
        return measure(self._sentence(formula))

    def layout(self, node: Formula) -> Layout:
        node = cast("Sentence | Term", node)
        match node:
            case Term(name, ()):
                return Layout(("term", name), (name,), name=name)
            case Term(name, parts) | Atom(name, parts) if parts:
                texts = [f"{name}(", *[", "] * (len(parts) - 1), ")"]
                return Layout((type(node).__name__, name), texts, parts)
            case Equal(left, right):
                return Layout("=", ("", " = ", ""), (left, right), "any")
            case Quantified(variable):
                return layout_of(node, node_text)._replace(label=type(node).__name__, binds=variable)
            case And() | Or() | Xor() | Iff():
                return layout_of(node, node_text, "any", chained=True)
        return layout_of(node, node_text)

    def symbols(self, formula: Formula) -> Vocabulary:
        return symbols(self._sentence(formula))

    def foreign(self, formula: Formula, vocabulary: Vocabulary) -> tuple[str, ...]:
        return foreign(self._sentence(formula), vocabulary)

    def simpler(self, formula: Formula, vocabulary: Vocabulary | None = None) -> Iterator[Formula]:
        from pytest_autoeval.languages.logic.rewriting import simpler

        return simpler(self._sentence(formula), vocabulary)

    def rewritings(self, formula: Formula) -> Iterator[Formula]:
        from pytest_autoeval.languages.logic.rewriting import rewritings

        return rewritings(cast("Sentence", formula))

    def edits(self, formula: Formula, names: Vocabulary) -> Iterator[Formula]:
        from pytest_autoeval.languages.logic.rewriting import edits

        return (edited for edited in edits(cast("Sentence", formula), names) if edited != formula)

    def trivial(self, alphabet: Collection[str] = ()) -> Mapping[str, Formula]:
        _ = alphabet
        return {"tautology": Top(), "contradiction": Bottom()}

    def _sentence(self, formula: Formula | str) -> Sentence:
        """The formula as a tree of this language, small enough for recursion."""
        if isinstance(formula, Sentence):
            check_size(formula)
        return cast("Sentence", self.tree(formula))


class Propositional(LogicLanguage):
    """Formulas of propositions, ⊤, ⊥, ¬, ∧, ∨, ⊕, → and ↔."""

    name = "propositional"
    quantifiers = False

    def owns(self, formula: Formula) -> bool:
        return isinstance(formula, Sentence) and _is_propositional(formula)

    def decide(self, relation: Relation, left: Formula, right: Formula, timeout: float) -> Verdict:
        from pytest_autoeval.languages.propositional.decide import decide

        return decide(relation, cast("Sentence", left), cast("Sentence", right), timeout)

    def decide_briefly(self, left: Formula, right: Formula) -> Verdict:
        return self.decide("equivalence", left, right, timeout=0)  # only z3 takes long

    def situation(self, witness: Witness, glossary: Mapping[str, str]) -> str:
        from pytest_autoeval.languages.propositional.situation import situation

        return situation(witness, glossary)

    def holds_in(self, formula: Formula, case: Mapping[str, Any], *, closed: bool = False) -> bool | None:
        from pytest_autoeval.languages.propositional.situation import holds_in

        return holds_in(self._sentence(formula), case, closed=closed)

    def fingerprint(self, formula: Formula) -> Hashable:
        from pytest_autoeval.languages.propositional.programs import fingerprint, postfix

        return fingerprint(*postfix(self._sentence(formula)))


@lru_cache(maxsize=1024)
def _is_propositional(formula: Sentence) -> bool:
    check_size(formula)
    return not any(
        isinstance(node, Quantified | Equal) or (isinstance(node, Atom) and node.arguments)
        for node in formula.subformulas()
    )


class FirstOrder(LogicLanguage):
    """Formulas over predicates, functions and constants, with quantifiers and equality."""

    name = "first_order"
    quantifiers = True

    def decide(self, relation: Relation, left: Formula, right: Formula, timeout: float) -> Verdict:
        from pytest_autoeval.languages.first_order.decide import decide

        return decide(relation, cast("Sentence", left), cast("Sentence", right), timeout)

    def decide_briefly(self, left: Formula, right: Formula) -> Verdict:
        from pytest_autoeval.languages.first_order.decide import decide

        return decide("equivalence", cast("Sentence", left), cast("Sentence", right), PATIENCE, work=0.05)

    def situation(self, witness: Witness, glossary: Mapping[str, str]) -> str:
        from pytest_autoeval.languages.first_order.situation import situation

        return situation(witness, glossary)

    def holds_in(self, formula: Formula, case: Mapping[str, Any], *, closed: bool = False) -> bool | None:
        from pytest_autoeval.languages.first_order.situation import holds_in

        return holds_in(self._sentence(formula), case, closed=closed)

    def fingerprint(self, formula: Formula) -> Hashable:
        from pytest_autoeval.languages.first_order.grounding import fingerprint

        return fingerprint(self._sentence(formula))


PROPOSITIONAL, FIRST_ORDER = Propositional(), FirstOrder()
