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


def resolvents(first: Literals, second: Literals, conclusion: Literals) -> Iterator[Terms]:
    """Values for the variables of two clauses such that a resolvent of them is a part of the ``conclusion``.

    The clauses have no variables in common, and the conclusion has none.
    """
    for one, other in product(first, second):
        pair = _complementary(one, other)
        terms: Terms | None = None if pair is None else unified([pair], {})
        if terms is None:
            continue
        rest = [literal for literal in first if literal is not one]
        rest += [literal for literal in second if literal is not other]
        yield from _covered(rest, conclusion, terms, [_MAX_WAYS])


def _covered(
    rest: Sequence[Sentence], conclusion: Literals, terms: Terms, ways: list[int]
) -> Iterator[Terms]:
    """Extensions of ``terms`` that make each literal of ``rest`` one of the conclusion."""
    if not rest:
        yield terms
        return
    literal, *others = rest
    for target in conclusion:
        ways[0] -= 1
        if ways[0] < 0:
            return
        pair = _complementary(
            literal, target.operand if isinstance(target, fol.Not) else fol.Not(target)
        )
        extended = None if pair is None else unified([pair], terms)
        if extended is not None:
            yield from _covered(others, conclusion, extended, ways)


def _complementary(literal: Sentence, other: Sentence) -> _Pair | None:
    """The atoms as terms, of two literals of which one is negated; None if they have the same sign."""
    if isinstance(literal, fol.Not) == isinstance(other, fol.Not):
        return None
    return _as_term(literal), _as_term(other)


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
    extended, pending = dict(terms), list(pairs)
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
        if node.name == variable or seen > _MAX_SIZE:
            return True
        pending += node.arguments
    return False


def instance(literal: Sentence, terms: Mapping[str, Term], other: Term) -> Sentence:
    """The literal with the values of its variables, also in these values; ``other`` is for variables without one."""

    def value(term: Term) -> Term:
        term = _value(term, terms)
        if is_variable(term):
            return other
        return Term(term.name, tuple(map(value, term.arguments))) if term.arguments else term

    return _with(literal, value)


def renamed(literal: Sentence, names: Mapping[str, Term]) -> Sentence:
    """The literal with other names for its variables."""

    def value(term: Term) -> Term:
        return (
            Term(term.name, tuple(map(value, term.arguments)))
            if term.arguments
            else names.get(term.name, term)
        )

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
