"""Linear temporal logic with past."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import Any, cast

from pytest_autoeval.languages.answer_grammar import AnswerGrammar, infix_rules, literal, words
from pytest_autoeval.languages.base import Formula, Reading, Relation, Verdict, Witness
from pytest_autoeval.languages.contract import Language
from pytest_autoeval.languages.differences import Layout, layout_of
from pytest_autoeval.languages.logic.signs import operator_sign, temporal_letter
from pytest_autoeval.languages.ltl import decide, rewriting
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.english import ENGLISH
from pytest_autoeval.languages.ltl.letters import ambiguous
from pytest_autoeval.languages.ltl.measures import measure, symbols
from pytest_autoeval.languages.ltl.oracle import lassos
from pytest_autoeval.languages.ltl.parser import is_name, parse
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces import situation as of_traces
from pytest_autoeval.languages.size_limits import PATIENCE, check_large_size
from pytest_autoeval.languages.tree_edits import Span
from pytest_autoeval.languages.vocabulary import Vocabulary

#: Nodes of a normal form; the tableau of so many takes a few milliseconds, as measured on drawn formulas.
_BRIEF = 50


class LinearTemporalLogic(Language):
    """Formulas of ``X F G U R W``, of ``Y Z O H S T`` over the past, and of the connectives.

    Traces are infinite. A formula is judged at position 0.
    """

    name = "ltl"
    nodes = Temporal
    both = ltl.And
    default_timeout = 2.0

    def parse(self, text: str) -> Temporal:
        return parse(text)

    def parse_part(self, text: str) -> Temporal:
        return ltl.Atom(text) if is_name(text) else parse(text)

    def read(self, answer: str, *, vocabulary: Vocabulary | None = None) -> Reading:
        # Imported here: drawing and deciding formulas need no reader.
        from pytest_autoeval.languages.ltl.reading import read

        return read(answer, vocabulary)

    def answer_grammar(self, vocabulary: Vocabulary) -> AnswerGrammar:
        prefixes = (f"{literal(sign)} operand" for sign in ltl.PREFIX_SIGNS.values())
        # With all operators allowed, a name is quoted if it is in doubt beside any of them.
        quoted = ambiguous(vocabulary.propositions, has_past=True)
        names = (f'"{name}"' if name in quoted else name for name in vocabulary.propositions)
        atoms = words(("true", "false", *names))
        rules = infix_rules(ltl.INFIX_SIGNS.values(), (atoms, *prefixes))
        return AnswerGrammar(self.name, tuple(rules))

    def operator_sign(self, text: str, formula: Formula) -> str:
        names = self.symbols(formula).names
        return operator_sign(text, names) or temporal_letter(text, names)

    def describe(self, formula: Formula) -> str:
        return ENGLISH.describe(self.tree(formula))

    def read_description(self, description: str) -> Temporal:
        return cast("Temporal", ENGLISH.read(description))

    def measure(self, formula: Formula | str) -> dict[str, int | float]:
        return measure(self.tree(formula))

    def owns(self, formula: Formula) -> bool:
        return isinstance(formula, Temporal) and _is_temporal(formula)

    def layout(self, node: Formula) -> Layout:
        chained = isinstance(node, ltl.And | ltl.Or | ltl.Xor | ltl.Iff)
        return layout_of(
            cast("Temporal", node), ltl.node_text, "any" if chained else "places", chained=chained
        )

    def differences(self, left: Formula, right: Formula) -> tuple[list[Span], list[Span]]:
        if any(ltl.quoted_names(self.tree(formula)) for formula in (left, right)):
            # Whether a name has quotes depends on the whole formula, not on a node and its parts.
            return [], []
        return super().differences(left, right)

    def symbols(self, formula: Formula) -> Vocabulary:
        return symbols(self.tree(formula))

    def simpler(self, formula: Formula, vocabulary: Vocabulary | None = None) -> Iterator[Formula]:
        return rewriting.simpler(self.tree(formula), vocabulary)

    def rewritings(self, formula: Formula) -> Iterator[Formula]:
        return rewriting.rewritings(cast("Temporal", formula))

    def edits(self, formula: Formula, names: Vocabulary) -> Iterator[Formula]:
        candidates = rewriting.edits(cast("Temporal", formula), names)
        return (edited for edited in candidates if edited != formula)

    def trivial(self, alphabet: Collection[str] = ()) -> Mapping[str, Formula]:  # noqa: ARG002
        return {"tautology": ltl.Top(), "contradiction": ltl.Bottom()}

    def decide(self, relation: Relation, left: Formula, right: Formula, timeout: float) -> Verdict:
        return decide.decide(relation, cast("Temporal", left), cast("Temporal", right), timeout)

    def decide_briefly(self, left: Formula, right: Formula) -> Verdict:
        pair = cast("Temporal", left), cast("Temporal", right)
        return decide.decide("equivalence", *pair, PATIENCE, most_nodes=_BRIEF)

    def situation(self, witness: Witness, glossary: Mapping[str, str]) -> str:
        return of_traces.situation(witness, glossary)

    def holds_in(
        self, formula: Formula, case: Mapping[str, Any], *, closed: bool = False
    ) -> bool | None:
        return of_traces.holds_in(self.tree(formula), case, closed=closed)

    def fingerprint(self, formula: Formula) -> Hashable:
        return lassos.fingerprint(self.tree(formula))

    def is_contingent(self, formula: Formula) -> bool:
        return lassos.is_contingent(self.tree(formula))

    def tree(self, formula: Formula | str) -> Temporal:
        return cast("Temporal", super().tree(formula))


def _is_temporal(formula: Temporal) -> bool:
    # Kept with the tree, which is looked at ten times for each sample.
    if not hasattr(formula, "temporal"):
        check_large_size(formula)
        is_temporal = all(isinstance(node, Temporal) for node in formula.subformulas())
        object.__setattr__(formula, "temporal", is_temporal)
    return formula.temporal  # type: ignore[attr-defined, no-any-return]


LANGUAGE = LinearTemporalLogic()
