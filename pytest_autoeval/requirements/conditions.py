"""The condition of a rule: what stands before its implication, also where the rule is written in another form.

`rule_of` rewrites a formula as "at every step, if c then e", "for all x, if c(x) then e(x)" or "if c then e". The
rewritten rule is equivalent to the formula. A formula that no law here rewrites has no condition.

What a condition is good for: I. Beer, S. Ben-David, C. Eisner, Y. Rodeh, "Efficient detection of vacuity in temporal
model checking", Formal Methods in System Design 18 (2001): a rule whose condition never occurs holds for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, count, islice, permutations
from typing import Any, cast

from pytest_autoeval.languages import Formula
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.signature import free_names
from pytest_autoeval.languages.ltl import syntax as ltl

#: The first step of a trace: no step is before it.
_FIRST_STEP = ltl.Not(ltl.Yesterday(ltl.Top()))
#: Of rules with more variables only so many ways to speak of the same things are tried.
_MOST_WAYS = 24

#: Names that no formula has, on the way from one name of a variable to another.
_ASIDE = tuple(f"\0{number}" for number in range(64))


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with a condition.

    Attributes:
        condition: when the rule applies; in temporal logic at one step.
        effect: what it requires then.
        variables: the things that it is about, in first-order logic. No other formula of the set has these names.
    """

    condition: Formula
    effect: Formula
    variables: tuple[str, ...] = ()

    def rewritten(self) -> Formula:
        """The whole rule, which is equivalent to the formula that it was read from."""
        if isinstance(self.condition, ltl.Temporal):
            temporal_effect = cast("ltl.Temporal", self.effect)
            return ltl.Always(ltl.Implies(self.condition, temporal_effect))
        condition = cast("fol.Sentence", self.condition)
        effect = cast("fol.Sentence", self.effect)
        rule = _quantified(fol.Forall, self.variables, fol.Implies(condition, effect))
        return cast("Formula", rule)

    def required(self) -> Formula:
        """The effect as a formula of its own: of all things that the rule is about."""
        if not self.variables:
            return self.effect
        effect = cast("fol.Sentence", self.effect)
        return cast("Formula", _quantified(fol.Forall, self.variables, effect))

    def with_short_names(self) -> Rule:
        """The rule by itself, for readers: its variables are x, y, z as far as these are free."""
        if not self.variables:
            return self
        condition, effect = self.condition, self.effect
        taken = _names_in(cast("fol.Sentence", condition)) | _names_in(cast("fol.Sentence", effect))
        names = _fresh(taken - {*self.variables})
        chosen = [next(names) for _ in self.variables]
        # First to names that nothing has: a short name may be that of another variable.
        to_aside = zip(self.variables, _ASIDE, strict=False)
        from_aside = zip(_ASIDE, chosen, strict=False)
        for old, new in (*to_aside, *from_aside):
            condition = _renamed(condition, old, new)
            effect = _renamed(effect, old, new)
        return Rule(condition, effect, tuple(chosen))


def rules_of(formulas: Sequence[Formula]) -> list[Rule | None]:
    """The rule that each formula of a set is; None if it has no condition.

    Each variable gets a name that no other formula has, so that rules can be joined.
    """
    taken: set[str] = set()
    for formula in formulas:
        if isinstance(formula, fol.Sentence):
            taken |= _names_in(formula)
    fresh = _fresh(taken)
    return [_rule_of(formula, fresh) for formula in formulas]


def _rule_of(formula: Formula, fresh: Iterator[str]) -> Rule | None:
    if isinstance(formula, ltl.Temporal):
        return _temporal_rule(formula)
    if isinstance(formula, fol.Sentence):
        return _first_order_rule(formula, fresh)
    # The language is the user's, or has no implications.
    return None


def meeting(rules: Sequence[Rule]) -> Any:
    """The formula that the conditions of rules occur together: at one step, or for the same things.

    Two first-order rules speak of the same things if the variables of the one with fewer are among those of the other.
    Any of the ways to choose them counts: where one is possible, the conditions can meet. Of three and more rules with
    different numbers of variables each two meet.
    """
    conditions = [rule.condition for rule in rules]
    if isinstance(conditions[0], ltl.Temporal):
        return ltl.Eventually(_all(conditions))
    # Without variables there is nothing that two conditions would have to share.
    if len(rules) == 1 or not any(rule.variables for rule in rules):
        return _quantified(fol.Exists, rules[0].variables, _all(conditions))
    if all(len(rule.variables) == 1 for rule in rules):
        return _same_things(rules, rules[0].variables)
    if len(rules) == 2:
        narrow, wide = sorted(rules, key=lambda rule: len(rule.variables))
        return _meeting_of_two(narrow, wide)
    # The ways to choose things for three rules at once would be too many.
    meetings = [meeting(pair) for pair in combinations(rules, 2)]
    return _all(meetings)


def speak_of_one_thing(rules: Iterable[Rule]) -> bool:
    """Whether `meeting` puts all conditions at one step or on one thing, not each two of them."""
    return all(len(rule.variables) <= 1 for rule in rules)


def _meeting_of_two(narrow: Rule, wide: Rule) -> Any:
    # All ways to choose variables are a factorial number: a longer disjunction would not be decided in time.
    ways = islice(permutations(wide.variables, len(narrow.variables)), _MOST_WAYS)
    return reduce(fol.Or, [_same_things((wide, narrow), things) for things in ways])


def _same_things(rules: Sequence[Rule], things: Sequence[str]) -> Any:
    """The conditions hold of the same things: variables of the first rule, in the order of those of the others."""
    reference, *renamed = rules
    conditions: list[Any] = [reference.condition]
    for rule in renamed:
        condition: Any = rule.condition
        for variable, thing in zip(rule.variables, things, strict=True):
            condition = _renamed(condition, variable, thing)
        conditions.append(condition)
    return _quantified(fol.Exists, reference.variables, _all(conditions))


# ---- the laws of temporal logic ------------------------------------------------------------------------------------


def _temporal_rule(formula: ltl.Temporal) -> Rule | None:
    """The rule of a formula that is judged at the first step."""
    formula = _without_double_negation(formula)
    always = _always_body(formula)
    if always is not None:
        return _as_rule(_split(always))
    scope = _scope(formula)
    if scope is not None:
        body, applies = scope
        return _with_condition(_as_rule(_split(body)), applies)
    # What is required at the start alone: the condition occurs there or not at all.
    return _with_condition(_as_rule(_split(formula)), _FIRST_STEP)


def _always_body(formula: ltl.Temporal) -> ltl.Temporal | None:
    """What a formula requires at every step; None if it is not of this form. It holds at the first step alone."""
    body: ltl.Temporal
    match formula:
        case ltl.Always(body) | ltl.WeakUntil(body, ltl.Bottom()) | ltl.Release(ltl.Bottom(), body):
            pass
        case ltl.Not(ltl.Eventually(body) | ltl.Until(ltl.Top(), body)):
            body = ltl.Not(body)
        case _:
            return None
    return _inside_always(_without_double_negation(body))


def _inside_always(body: ltl.Temporal) -> ltl.Temporal:
    """The body of G: G G a and G H a are G a, G (a W b) is G (a | b), and G (b R a) is G a."""
    inner = _always_body(body)
    if inner is not None:
        return inner
    if isinstance(body, ltl.Historically):
        return _inside_always(_without_double_negation(body.operand))
    if isinstance(body, ltl.Release):
        return _inside_always(_without_double_negation(body.right))
    if isinstance(body, ltl.WeakUntil):
        return ltl.Or(body.right, body.left)
    return body


def _scope(formula: ltl.Temporal) -> tuple[ltl.Temporal, ltl.Temporal] | None:
    """What a formula requires at every step of a scope, and the formula that a step is in this scope.

    ``a W b`` requires a at the steps before the first b, and ``b R a`` also at that one. An until requires b as well:
    it is no rule.
    """
    match formula:
        case ltl.WeakUntil(body, end):
            return body, ltl.Not(ltl.Once(end))
        case ltl.Release(end, body):
            return body, ltl.Not(ltl.Yesterday(ltl.Once(end)))
        case ltl.Not(ltl.Until(left, right)):
            return ltl.Not(right), ltl.Not(ltl.Yesterday(ltl.Once(ltl.Not(left))))
    return None


# ---- the laws of first-order logic ---------------------------------------------------------------------------------


def _first_order_rule(formula: fol.Sentence, fresh: Iterator[str]) -> Rule | None:
    variables, body = _opened(formula, fresh)
    sides = _split(body)
    if sides is None:
        return None
    condition, effect = sides
    # ∀x (c(x) → ∀y (d(x, y) → e(x, y))) is ∀x ∀y (c(x) ∧ d(x, y) → e(x, y)).
    inner_variables, inner = (
        _opened(effect, fresh) if isinstance(effect, fol.Forall) else ((), effect)
    )
    if inner_variables and isinstance(inner, fol.Implies):
        further, conclusion = _split(inner) or (inner.left, inner.right)
        return Rule(fol.And(condition, further), conclusion, (*variables, *inner_variables))
    return Rule(condition, effect, variables)


def _opened(formula: Any, fresh: Iterator[str]) -> tuple[tuple[str, ...], Any]:
    """A formula without its outer universal quantifiers, and the fresh names of their variables."""
    variables: list[str] = []
    while True:
        formula = _without_double_negation(formula)
        match formula:
            case fol.Forall(variable, body):
                pass
            case fol.Not(fol.Exists(variable, body)):
                body = fol.Not(body)
            case _:
                return tuple(variables), formula
        variables.append(next(fresh))
        formula = _renamed(body, variable, variables[-1])


def _renamed(formula: Any, old: str, new: str) -> Any:
    """A formula with another name for a variable that is free in it. No quantifier in it has the new name."""
    if old == new or (isinstance(formula, fol.Quantified) and formula.variable == old):
        return formula
    match formula:
        case fol.Term(name, arguments):
            return fol.Term(
                new if name == old and not arguments else name, _all_renamed(arguments, old, new)
            )
        case fol.Atom(predicate, arguments):
            return fol.Atom(predicate, _all_renamed(arguments, old, new))
        case fol.Equal(left, right):
            return fol.Equal(_renamed(left, old, new), _renamed(right, old, new))
    return formula.map_children(lambda child: _renamed(child, old, new))


def _all_renamed(terms: Iterable[fol.Term], old: str, new: str) -> tuple[fol.Term, ...]:
    return tuple(_renamed(term, old, new) for term in terms)


def _fresh(taken: set[str]) -> Iterator[str]:
    names = (f"{letter}{number or ''}" for number in count() for letter in "xyzuvw")
    return (name for name in names if name not in taken)


def _names_in(formula: fol.Sentence) -> set[str]:
    """The names of variables, constants and free variables."""
    bound = {node.variable for node in formula.subformulas() if isinstance(node, fol.Quantified)}
    return bound | free_names(formula)


def _quantified(kind: type[fol.Quantified], variables: Sequence[str], body: Any) -> Any:
    for variable in reversed(variables):
        body = kind(variable, body)
    return body


# ---- the laws of both ------------------------------------------------------------------------------------------------

#: The connectives of both families of trees.
_NOT, _AND = (ltl.Not, fol.Not), (ltl.And, fol.And)
_OR, _IMPLIES = (ltl.Or, fol.Or), (ltl.Implies, fol.Implies)


def _split(body: Any) -> tuple[Any, Any] | None:
    """Condition and effect of what a rule says of one step or of some things; None if it has no condition.

    Of a disjunction the negated parts are the condition: ``!a | !b | c`` is ``a & b -> c``. If all parts are negated,
    the last one is the effect: ``!(a & b)`` is ``a -> !b``.
    """
    body = _without_double_negation(body)
    if isinstance(body, _IMPLIES):
        condition, effect = body.left, _without_double_negation(body.right)
        if isinstance(effect, _IMPLIES):
            further, conclusion = _split(effect) or (effect.left, effect.right)
            return _all([condition, further]), conclusion
        return condition, effect
    disjuncts = list(_disjuncts(body))
    negated = [disjunct.operand for disjunct in disjuncts if isinstance(disjunct, _NOT)]
    positive = [disjunct for disjunct in disjuncts if not isinstance(disjunct, _NOT)]
    if not negated or len(disjuncts) < 2:
        return None
    if positive:
        return _all(negated), _any(positive)
    return _all(negated[:-1]), disjuncts[-1]


def _disjuncts(formula: Any) -> Iterator[Any]:
    formula = _without_double_negation(formula)
    if isinstance(formula, _OR):
        yield from _disjuncts(formula.left)
        yield from _disjuncts(formula.right)
    elif isinstance(formula, _NOT) and isinstance(formula.operand, _AND):
        yield from _disjuncts(_negation(formula.operand.left))
        yield from _disjuncts(_negation(formula.operand.right))
    elif isinstance(formula, _IMPLIES):
        yield from _disjuncts(_negation(formula.left))
        yield from _disjuncts(formula.right)
    else:
        yield formula


def _negation(formula: Any) -> Any:
    return ltl.Not(formula) if isinstance(formula, ltl.Temporal) else fol.Not(formula)


def _without_double_negation(formula: Any) -> Any:
    while isinstance(formula, _NOT) and isinstance(formula.operand, _NOT):
        formula = formula.operand.operand
    return formula


def _all(formulas: Sequence[Any]) -> Any:
    return reduce(ltl.And if isinstance(formulas[0], ltl.Temporal) else fol.And, formulas)


def _any(formulas: Sequence[Any]) -> Any:
    return reduce(ltl.Or if isinstance(formulas[0], ltl.Temporal) else fol.Or, formulas)


def _as_rule(sides: tuple[Any, Any] | None) -> Rule | None:
    return None if sides is None else Rule(*sides)


def _with_condition(rule: Rule | None, further: ltl.Temporal) -> Rule | None:
    if rule is None:
        return None
    return Rule(_all([rule.condition, further]), rule.effect)
