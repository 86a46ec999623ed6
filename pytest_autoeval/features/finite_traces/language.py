"""Linear temporal logic on finite traces, as a language."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from pytest_autoeval.features.finite_traces import decide, rewriting, syntax
from pytest_autoeval.features.finite_traces.english import ENGLISH
from pytest_autoeval.features.finite_traces.evaluate import FiniteTrace, holds
from pytest_autoeval.features.finite_traces.parser import STRONG_NEXT, parse
from pytest_autoeval.features.finite_traces.syntax import OnFiniteTraces
from pytest_autoeval.languages.answer_grammar import AnswerGrammar, infix_rules, literal, words
from pytest_autoeval.languages.base import Formula, Reading, Relation, Verdict, fold
from pytest_autoeval.languages.connectives import counted
from pytest_autoeval.languages.contract import Language
from pytest_autoeval.languages.differences import Layout, layout_of
from pytest_autoeval.languages.logic.signs import operator_sign, temporal_letter
from pytest_autoeval.languages.ltl.letters import ambiguous
from pytest_autoeval.languages.ltl.parser import is_name
from pytest_autoeval.languages.situation import readable_case
from pytest_autoeval.languages.size_limits import PATIENCE, check_large_size
from pytest_autoeval.languages.tree_edits import Span
from pytest_autoeval.languages.vocabulary import Vocabulary

#: Nodes of a normal form that a brief decision takes. The mark of the steps adds to those of the formulas.
_BRIEF = 80
#: The lengths of the traces of a fingerprint.
_LENGTHS = (1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8)
_COUNTED: dict[str, type[OnFiniteTraces]] = {
    "strong_next": syntax.StrongNext,
    "next": syntax.Next,
    "eventually": syntax.Eventually,
    "always": syntax.Always,
    "until": syntax.Until,
    "release": syntax.Release,
    "weak_until": syntax.WeakUntil,
    "negations": syntax.Not,
    "conjunctions": syntax.And,
    "disjunctions": syntax.Or,
    "exclusive_disjunctions": syntax.Xor,
    "implications": syntax.Implies,
    "biconditionals": syntax.Iff,
}


class LinearTemporalLogicOnFiniteTraces(Language):
    """Formulas of ``X[!] X F G U R W`` and of the connectives.

    Traces have at least one step, and a last one. A formula is judged at the first step.
    """

    name = "ltlf"
    nodes = OnFiniteTraces
    both = syntax.And
    default_timeout = 2.0

    def parse(self, text: str) -> OnFiniteTraces:
        return parse(text)

    def parse_part(self, text: str) -> OnFiniteTraces:
        return syntax.Atom(text) if is_name(text) else parse(text)

    def is_strict(self, text: str) -> bool:
        """Whether a text has the strong next. Any other formula could be one on infinite traces."""
        return STRONG_NEXT.search(text) is not None

    def read(self, answer: str, *, vocabulary: Vocabulary | None = None) -> Reading:
        # Imported here: drawing and deciding formulas need no reader.
        from pytest_autoeval.features.finite_traces.reading import read

        return read(answer, vocabulary)

    def answer_grammar(self, vocabulary: Vocabulary) -> AnswerGrammar:
        prefixes = (f"{literal(sign)} operand" for sign in syntax.PREFIX_SIGNS.values())
        quoted = ambiguous(vocabulary.propositions, has_past=False)
        names = (f'"{name}"' if name in quoted else name for name in vocabulary.propositions)
        atoms = words(("true", "false", *names))
        rules = infix_rules(syntax.INFIX_SIGNS.values(), (atoms, *prefixes))
        return AnswerGrammar(self.name, tuple(rules))

    def operator_sign(self, text: str, formula: Formula) -> str:
        names = self.symbols(formula).names
        return operator_sign(text, names) or temporal_letter(text, names)

    def describe(self, formula: Formula) -> str:
        return ENGLISH.describe(self.tree(formula))

    def read_description(self, description: str) -> OnFiniteTraces:
        return cast("OnFiniteTraces", ENGLISH.read(description))

    def measure(self, formula: Formula | str) -> dict[str, int | float]:
        """The numbers of operators by name, ``depth``, ``temporal_depth``, and the numbers of atoms."""
        tree = self.tree(formula)
        atoms = [node for node in tree.subformulas() if isinstance(node, syntax.Atom)]
        return {
            **counted(tree, _COUNTED, syntax.Not),
            "temporal_depth": fold(tree, _temporal_depth),
            "nodes": tree.size,
            "atoms": len(atoms),
            "distinct_atoms": len(set(atoms)),
        }

    def owns(self, formula: Formula) -> bool:
        if not isinstance(formula, OnFiniteTraces):
            return False
        check_large_size(formula)
        return all(isinstance(node, OnFiniteTraces) for node in formula.subformulas())

    def layout(self, node: Formula) -> Layout:
        chained = isinstance(node, syntax.And | syntax.Or | syntax.Xor | syntax.Iff)
        tree = cast("OnFiniteTraces", node)
        return layout_of(tree, syntax.node_text, "any" if chained else "places", chained=chained)

    def differences(self, left: Formula, right: Formula) -> tuple[list[Span], list[Span]]:
        # Whether a name has quotes depends on the whole formula, not on a node and its parts.
        if any(syntax.quoted_names(self.tree(formula)) for formula in (left, right)):
            return [], []
        return super().differences(left, right)

    def symbols(self, formula: Formula) -> Vocabulary:
        return Vocabulary(propositions=syntax.names_of(self.tree(formula)))

    def simpler(self, formula: Formula, vocabulary: Vocabulary | None = None) -> Iterator[Formula]:
        return rewriting.simpler(self.tree(formula), vocabulary)

    def rewritings(self, formula: Formula) -> Iterator[Formula]:
        return rewriting.rewritings(cast("OnFiniteTraces", formula))

    def edits(self, formula: Formula, names: Vocabulary) -> Iterator[Formula]:
        edited = rewriting.edits(cast("OnFiniteTraces", formula), names)
        return (other for other in edited if other != formula)

    def trivial(self, alphabet: Collection[str] = ()) -> Mapping[str, Formula]:  # noqa: ARG002
        return {"tautology": syntax.Top(), "contradiction": syntax.Bottom()}

    def decide(self, relation: Relation, left: Formula, right: Formula, timeout: float) -> Verdict:
        return decide.decide(relation, self.tree(left), self.tree(right), timeout)

    def decide_briefly(self, left: Formula, right: Formula) -> Verdict:
        return decide.decide(
            "equivalence", self.tree(left), self.tree(right), PATIENCE, most_nodes=_BRIEF
        )

    def holds_in(
        self, formula: Formula, case: Mapping[str, Any], *, closed: bool = False
    ) -> bool | None:
        return _holds_in(self.tree(formula), case, closed=closed)

    def fingerprint(self, formula: Formula) -> Hashable:
        return _values(self.tree(formula))

    def is_contingent(self, formula: Formula) -> bool:
        return len(set(_values(self.tree(formula)))) > 1

    def tree(self, formula: Formula | str) -> OnFiniteTraces:
        return cast("OnFiniteTraces", super().tree(formula))


@readable_case()
def _holds_in(formula: OnFiniteTraces, case: Mapping[str, Any], *, closed: bool) -> bool | None:
    names = syntax.names_of(formula)
    lacking = [name for name in names if name not in case["atoms"]]
    if lacking and not closed:
        return None
    steps = tuple(map(frozenset, case["steps"]))
    return holds(formula, FiniteTrace(steps, (*case["atoms"], *lacking)))


def _temporal_depth(node: OnFiniteTraces, parts: Sequence[int]) -> int:
    return max(parts, default=0) + isinstance(node, syntax.TEMPORAL)


# A run asks twice: whether a drawn formula is trivial, and whether it means the same as an earlier one.
@lru_cache(maxsize=32_768)
def _values(formula: OnFiniteTraces) -> tuple[bool, ...]:
    """The values of a formula on a few traces. What holds at a step depends on the name alone, not on the formula."""
    names = syntax.names_of(formula)
    values: list[bool] = []
    for number, length in enumerate(_LENGTHS):
        steps = [
            frozenset(name for name in names if _drawn(f"{number} {step} {name}"))
            for step in range(length)
        ]
        values.append(holds(formula, FiniteTrace(tuple(steps), names)))
    return tuple(values)


def _drawn(key: str) -> bool:
    """A value that is the same in every process, and looks random."""
    return zlib.crc32(key.encode()) >> 7 & 1 == 1


LANGUAGE = LinearTemporalLogicOnFiniteTraces()
