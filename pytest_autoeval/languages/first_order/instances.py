"""Instances of two clauses from which a third one follows without quantifiers, if it is their resolvent.

z3 looks for instances by patterns, and does not end on some pairs of clauses whose resolvent is plain. Unification
gives the instances. They are hints: an instance of a clause follows from it, whichever terms are chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from pytest_autoeval.languages.first_order.clauses import Literals
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence, Term

#: A term for each variable; the terms may have variables in their turn.
Terms = dict[str, Term]
#: Pairs of terms or of atoms to be made equal.
_Pair = tuple[Term, Term]
#: Ways to cover the literals of a resolvent with those of the conclusion.
_MAX_WAYS = 200
#: Nodes of an instance's term. Unification can double terms at each step.
_MAX_SIZE = 10_000


def is_variable(term: Term) -> bool:
    """Whether a term of a numbered clause is a variable."""
    return not term.arguments and term.name[0].isupper()


def resolvents(
    left_clause: Literals, right_clause: Literals, conclusion: Literals
) -> Iterator[Terms]:
    """Values for the variables of two clauses such that a resolvent of them is a part of the ``conclusion``.

    The clauses have no variables in common, and the conclusion has none.
    """
    for literal, opposite in product(left_clause, right_clause):
        pair = _complementary(literal, opposite)
        terms: Terms | None = None if pair is None else unified([pair], {})
        if terms is None:
            continue
        remaining = [candidate for candidate in left_clause if candidate is not literal]
        remaining += [candidate for candidate in right_clause if candidate is not opposite]
        # In a list, so that all branches of the search share what is left of the limit.
        yield from _covered(remaining, conclusion, terms, [_MAX_WAYS])


def _covered(
    literals: Sequence[Sentence], conclusion: Literals, terms: Terms, ways: list[int]
) -> Iterator[Terms]:
    """Extensions of ``terms`` that make each of the ``literals`` one of the conclusion."""
    if not literals:
        yield terms
        return
    literal, *remaining = literals
    for target in conclusion:
        ways[0] -= 1
        if ways[0] < 0:
            return
        negated_target = target.operand if isinstance(target, fol.Not) else fol.Not(target)
        pair = _complementary(literal, negated_target)
        extended = None if pair is None else unified([pair], terms)
        if extended is not None:
            yield from _covered(remaining, conclusion, extended, ways)


def _complementary(literal: Sentence, opposite: Sentence) -> _Pair | None:
    """The atoms as terms, of two literals of which one is negated; None if they have the same sign."""
    if isinstance(literal, fol.Not) == isinstance(opposite, fol.Not):
        return None
    return _as_term(literal), _as_term(opposite)


def _as_term(literal: Sentence) -> Term:
    match literal:
        case fol.Not(operand):
            return _as_term(operand)
        case fol.Atom(predicate, arguments):
            return Term(predicate, arguments)
        case fol.Equal(left, right):
            return Term("=", (left, right))
    raise TypeError(f"no literal: {type(literal).__name__}")


def unified(pairs: list[_Pair], terms: Mapping[str, Term]) -> Terms | None:
    """The most general extension of ``terms`` that makes each pair equal; None if there is none."""
    extended = dict(terms)
    pending = list(pairs)
    while pending:
        left, right = (_value(side, extended) for side in pending.pop())
        if left == right:
            continue
        if is_variable(right) and not is_variable(left):
            left, right = right, left
        if is_variable(left):
            if _occurs(left.name, right, extended):
                return None
            extended[left.name] = right
        elif left.name == right.name and len(left.arguments) == len(right.arguments):
            pending += zip(left.arguments, right.arguments, strict=True)
        else:
            return None
    return extended


def _value(term: Term, terms: Mapping[str, Term]) -> Term:
    while is_variable(term) and term.name in terms:
        term = terms[term.name]
    return term


def _occurs(variable: str, term: Term, terms: Mapping[str, Term]) -> bool:
    pending, seen = [term], 0
    while pending:
        node = _value(pending.pop(), terms)
        seen += 1
        # A term that is too large counts as one with the variable: then the pair is not unified.
        if node.name == variable or seen > _MAX_SIZE:
            return True
        pending += node.arguments
    return False


def instance(literal: Sentence, terms: Mapping[str, Term], default: Term) -> Sentence:
    """The literal with the values of its variables, also in these values; variables without one get ``default``."""

    def value(term: Term) -> Term:
        term = _value(term, terms)
        if is_variable(term):
            return default
        if term.arguments:
            return Term(term.name, tuple(map(value, term.arguments)))
        return term

    return _with(literal, value)


def renamed(literal: Sentence, names: Mapping[str, Term]) -> Sentence:
    """The literal with other names for its variables."""

    def value(term: Term) -> Term:
        if not term.arguments:
            return names.get(term.name, term)
        return Term(term.name, tuple(map(value, term.arguments)))

    return _with(literal, value)


def _with(literal: Sentence, value: Callable[[Term], Term]) -> Sentence:
    match literal:
        case fol.Not(operand):
            return fol.Not(_with(operand, value))
        case fol.Atom(predicate, arguments):
            return fol.Atom(predicate, tuple(map(value, arguments)))
        case fol.Equal(left, right):
            return fol.Equal(value(left), value(right))
    raise TypeError(f"no literal: {type(literal).__name__}")
