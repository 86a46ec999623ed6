"""How alike two formulas of temporal logic are as texts: their propositions, their operators, and their structure.

The study reports the three for translated formulas (its section on RQ 1 of meaning), and does not define them. The
definitions here are ours. None of them says that two formulas mean the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from msgspec import UNSET

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import language
from pytest_autoeval.languages.base import fold
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Translated

#: Nodes without an operator.
_LEAVES = (ltl.Atom, ltl.Top, ltl.Bottom)


class FormulaLikeness(NamedTuple):
    """How alike two formulas are, 0 to 1.

    ``propositions`` is the Jaccard index of their sets of propositions; None if it is not known which names of the
    one stand for which of the other. ``operators`` is that of their multisets of connectives and temporal operators.
    ``has_same_structure``: they differ in nothing but propositions and the brackets of ``a & b & c``.
    """

    propositions: float | None
    operators: float
    has_same_structure: bool


def likeness_of(sample: Sample) -> FormulaLikeness | None:
    """The likeness of the formula of an answer to the reference; None without two formulas of temporal logic."""
    if sample.suite.asked.language != "ltl" or not (sample.formula and sample.translation):
        return None
    alignment = sample.part_or_empty(Translated).alignment
    pairs = () if alignment is UNSET else alignment
    names = None
    if pairs is not None:
        # In the pairs the expected name may be negated.
        names = tuple((answered, expected.lstrip("¬!")) for answered, expected in pairs)
    return _likeness(sample.formula, sample.translation, names)


@lru_cache(maxsize=4096)
def _likeness(
    reference: str, answer: str, names: tuple[tuple[str, str], ...] | None
) -> FormulaLikeness | None:
    """The likeness of two texts, of which the answer has its own ``names``; None if one of them is no formula."""
    lang = language("ltl")
    try:
        reference_tree = cast("ltl.Temporal", lang.tree(reference))
        answer_tree = cast("ltl.Temporal", lang.tree(answer))
    except AutoevalError:  # results of another release, or written by hand
        return None
    overlap = None
    if names is not None:
        renamed = dict(names)
        expected = lang.symbols(reference_tree).names
        # A name without a partner stands for itself: it overlaps with nothing, unless the reference has it.
        answered = [renamed.get(name, name) for name in lang.symbols(answer_tree).names]
        overlap = _jaccard(Counter(expected), Counter(answered))
    return FormulaLikeness(
        propositions=overlap,
        operators=_jaccard(_operators(reference_tree), _operators(answer_tree)),
        has_same_structure=_structure(reference_tree) == _structure(answer_tree),
    )


def _jaccard(counts: Mapping[Hashable, int], partner: Mapping[Hashable, int]) -> float:
    """The Jaccard index of two multisets: 1 if both are empty."""
    expected = Counter(counts)
    answered = Counter(partner)
    shared = (expected & answered).total()
    either = (expected | answered).total()
    return shared / either if either else 1.0


def _operators(formula: ltl.Temporal) -> Counter[Hashable]:
    return Counter(
        type(node).__name__ for node in formula.subformulas() if not isinstance(node, _LEAVES)
    )


def _structure(formula: ltl.Temporal) -> Hashable:
    """The tree of operators, with any proposition in place of each, and chains of one ``&`` or ``|`` as one node."""

    def combined(
        node: ltl.Temporal, children: Sequence[tuple[Hashable, ...]]
    ) -> tuple[Hashable, ...]:
        operator = type(node).__name__
        inside: list[Hashable] = []
        for child in children:
            is_chain = isinstance(node, ltl.And | ltl.Or) and child[0] == operator
            inside += child[1:] if is_chain else (child,)
        return (operator, *inside)

    return fold(formula, combined)
