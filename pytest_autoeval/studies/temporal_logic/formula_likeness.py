"""How alike two formulas of temporal logic are as texts: their propositions, their operators, and their structure.

The study reports the three for translated formulas (its section on RQ 1 of meaning), and does not define them. The
definitions here are ours. None of them says that two formulas mean the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
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
#: The names of an answer, each with the name in the reference that it stands for.
_NamePairs = tuple[tuple[str, str], ...]


class FormulaLikeness(NamedTuple):
    """How alike two formulas are, 0 to 1.

    ``propositions`` is the Jaccard index of their sets of propositions; None if it is not known which names of the
    one stand for which of the other. ``operators`` is that of their multisets of connectives and temporal operators.
    ``has_same_structure``: they differ in nothing but propositions and the brackets of chains such as ``a & b & c``.
    """

    propositions: float | None
    operators: float
    has_same_structure: bool


def likeness_of(sample: Sample) -> FormulaLikeness | None:
    """The likeness of the formula of an answer to the reference; None without two formulas of temporal logic."""
    if sample.suite.asked.language != "ltl" or not (sample.formula and sample.translation):
        return None
    return _likeness(sample.formula, sample.translation, _name_pairs(sample))


def _name_pairs(sample: Sample) -> _NamePairs | None:
    """The names of the answer that stand for other names; None if that is not known."""
    alignment = sample.part_or_empty(Translated).alignment
    if alignment is UNSET:  # the answer had to use the names of the reference
        return ()
    if alignment is None:
        return None
    # An answer's name may stand for the negation of the expected one. It is the same proposition.
    return tuple((answered, expected.lstrip("¬!")) for answered, expected in alignment)


# Repeats and models often answer a formula with the same text.
@lru_cache(maxsize=4096)
def _likeness(reference: str, answer: str, name_pairs: _NamePairs | None) -> FormulaLikeness | None:
    """The likeness of two texts, with the names of the answer; None if one of the texts is no formula."""
    lang = language("ltl")
    try:
        reference_tree = cast("ltl.Temporal", lang.tree(reference))
        answer_tree = cast("ltl.Temporal", lang.tree(answer))
    except AutoevalError:  # results of another release, or written by hand
        return None
    likeness_of_propositions = None
    if name_pairs is not None:
        expected_name = dict(name_pairs)
        expected = lang.symbols(reference_tree).names
        # A name without a partner stands for itself: it overlaps with nothing, unless the reference has it.
        answered = [expected_name.get(name, name) for name in lang.symbols(answer_tree).names]
        likeness_of_propositions = _jaccard(Counter(expected), Counter(answered))
    return FormulaLikeness(
        propositions=likeness_of_propositions,
        operators=_jaccard(_operators(reference_tree), _operators(answer_tree)),
        has_same_structure=_structure(reference_tree) == _structure(answer_tree),
    )


def _jaccard(left: Counter[Hashable], right: Counter[Hashable]) -> float:
    """The Jaccard index of two multisets: 1 if both are empty."""
    in_both = (left & right).total()
    in_either = (left | right).total()
    return in_both / in_either if in_either else 1.0


def _operators(formula: ltl.Temporal) -> Counter[Hashable]:
    """How often each connective and each temporal operator occurs."""
    return Counter(
        type(node).__name__ for node in formula.subformulas() if not isinstance(node, _LEAVES)
    )


def _structure(formula: ltl.Temporal) -> Hashable:
    """The tree of operators, with any proposition in place of each, and chains of one ``&`` or ``|`` as one node."""

    def combined(
        node: ltl.Temporal, children: Sequence[tuple[Hashable, ...]]
    ) -> tuple[Hashable, ...]:
        """The operator of a node, then the trees of its operands."""
        operator = type(node).__name__
        is_associative = isinstance(node, ltl.And | ltl.Or)
        operands: list[Hashable] = []
        for child in children:
            if is_associative and child[0] == operator:
                # The operands of the inner node become those of the outer one: (a & b) & c has three.
                operands += child[1:]
            else:
                operands.append(child)
        return (operator, *operands)

    return fold(formula, combined)
