"""Misreadings of formulas by models and people.

Sources:

- The ∀uto∃val paper, appendix H: negations in the wrong place, one of two negations dropped, ∨ for ∧, foreign symbols,
  constants read as variables, arguments swapped; for regular expressions, one or more for zero or more, stars on the
  wrong part.
- Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026): → under ∃ in reference formulas of
  FOLIO (appendix I), ∧ under ∀ as the perturbation of a conditional (figure 1), a sentence with "only if" (table 7).
- Barker-Plummer, Cox and Dale, cited there: reversed conditionals are among the commonest errors of students.
- The study of translation to temporal logic, section 5: temporal operators mis-scoped or wrongly nested, G and F
  confused (future formulas), Y and H confused (past formulas), chains of X miscounted (traces), strong and weak
  readings that entail each other one way only; section 1: propositions other than the given ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, count, filterfalse, zip_longest
from pathlib import Path
from random import Random

from pytest_autoeval.given_file import read_given
from pytest_autoeval.languages import Formula, language_of
from pytest_autoeval.languages.base import substitute
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.renaming import Renaming, Replacement, renamed
from pytest_autoeval.languages.logic.signature import all_predicates, symbols, uses
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.model_names import PREFIX, ModelOptionError
from pytest_autoeval.models.offline.answer_key import spaced
from pytest_autoeval.models.offline.behaviour import Behaviour, at_first, everywhere, taken_for

_ONLY_IF = lazy_pattern(r"(?<!\bif and )\bonly if\b", re.IGNORECASE)
_INVENTED_NAME = "event"


def swapped_arguments(formula: Formula) -> Formula | None:
    match formula:
        case fol.Atom(predicate, (first, second)):
            return fol.Atom(predicate, (second, first))
    return None


def exists_implies(formula: Formula) -> Formula | None:
    """The first conjunct under ∃ implies the others."""
    match formula:
        case fol.Exists(variable, fol.And() as body):
            condition, *conjuncts = fol.parts_of(body)
            consequence = reduce(fol.And, conjuncts)
            return fol.Exists(variable, fol.Implies(condition, consequence))
    return None


def forall_and(formula: Formula) -> Formula | None:
    match formula:
        case fol.Forall(variable, fol.Implies(left, right)):
            return fol.Forall(variable, fol.And(left, right))
    return None


def inner_converse(formula: Formula) -> Formula | None:
    """The converse of the innermost implication on the right: "a cube is large only if …" is cube → (large → …)."""
    match formula:
        case fol.Implies(left, fol.Implies() as inner):
            return fol.Implies(left, _sentence(inner_converse(inner)))
        case fol.Implies(left, right):
            return fol.Implies(right, left)
    return None


def narrow_scope(formula: Formula) -> Formula | None:
    """A negation or a temporal operator of a compound moved to its first operand."""
    match formula:
        case ltl.Unary(ltl.And() | ltl.Or() | ltl.Xor() | ltl.Implies() | ltl.Iff() as compound):
            return type(compound)(type(formula)(compound.left), compound.right)
    return None


def one_or_more(formula: Formula) -> Formula | None:
    """The body of an innermost star once before it; with outer stars too, the size would grow exponentially."""
    if not isinstance(formula, regex.Star):
        return None
    has_inner_star = any(isinstance(inner, regex.Star) for inner in formula.inner.subformulas())
    return None if has_inner_star else regex.Concat((formula.inner, formula))


def negation_scope(formula: Formula) -> Formula:
    """Swaps ¬(p ∧ q) and ¬p ∧ q, for every connective, top-down."""
    match formula:
        case fol.Not(fol.Binary() as compound):
            operand, *others = (
                _sentence(negation_scope(inner)) for inner in fol.parts_of(compound)
            )
            return reduce(type(compound), [fol.Not(operand), *others])
        case fol.Binary():
            operand, *others = fol.parts_of(formula)
            is_negated = isinstance(operand, fol.Not)
            if isinstance(operand, fol.Not):
                operand = operand.operand
            operands = [_sentence(negation_scope(inner)) for inner in (operand, *others)]
            read = reduce(type(formula), operands)
            return fol.Not(read) if is_negated else read
    return formula.map_children(negation_scope)


def double_negation(formula: Formula) -> Formula:
    match formula:
        case fol.Not(fol.Not(operand)):
            return fol.Not(_sentence(double_negation(operand)))
    return formula.map_children(double_negation)


def renamed_atoms(formula: Formula) -> Formula:
    """Renames propositions to p, q, r … and predicates to P, Q, R …, in order of appearance, skipping names in use."""
    if not isinstance(formula, fol.Sentence):
        return formula
    atoms = all_predicates(symbols(formula))
    used = {name for name, _ in atoms}
    propositions, predicates = _fresh("pqrstuvw", used), _fresh("PQRSTUVW", used)
    replacements = {}
    for name, arity in atoms:
        letters = predicates if arity else propositions
        replacements[name, arity] = Replacement(next(letters))
    return renamed(formula, Renaming(replacements))


def constant_as_variable(formula: Formula) -> Formula:
    """Replaces the first constant by the variable of the nearest quantifier; without one, binds it by ∃."""
    occurrence = _first_constant(formula, ())
    if occurrence is None:
        return formula
    constant, scope = occurrence
    if not scope:
        return fol.Exists(constant, _sentence(formula))
    return _as_variable(formula, constant, scope[-1], frozenset())


def mis_scoped(formula: Formula) -> Formula:
    """Moves each temporal operator of a compound to its first operand; section 5's main cause of wrong formulas."""
    if isinstance(formula, ltl.FutureOperator | ltl.PastOperator):
        narrow = narrow_scope(formula)
        if narrow is not None:
            return narrow.map_children(mis_scoped)
    return formula.map_children(mis_scoped)


def new_atom(formula: Formula) -> Formula:
    """Replaces the first proposition of a temporal formula by an invented one."""
    if not isinstance(formula, ltl.Temporal):
        return formula
    names = language_of(formula).symbols(formula).propositions
    if not names:
        return formula
    invented = next(filterfalse(names.__contains__, _numbered(_INVENTED_NAME)))
    return substitute(formula, {ltl.Atom(names[0]): ltl.Atom(invented)})


def misplaced_star(formula: Formula) -> Formula:
    """Moves the star of a group to its last part, and the star of a part to the next one."""
    match formula:
        case regex.Star(regex.Concat((*beginning, end))):
            starred = end if isinstance(end, regex.Star) else regex.Star(end)
            return regex.Concat((*beginning, starred))
        case regex.Concat(factors):
            return regex.Concat(tuple(_slid(factors)))
    return formula.map_children(misplaced_star)


class OnlyIfReversed(Behaviour):
    """Reads "only if" in a sentence as "if"; formulas without a sentence are read rightly."""

    def translate(self, sentence: str, formula: Formula, chance: Random) -> Formula:  # noqa: ARG002
        if isinstance(formula, fol.Sentence) and _ONLY_IF.search(sentence):
            return at_first(inner_converse)(formula)
        return formula


#: Operators that are taken for another, the first of them in a formula.
_SLIP = at_first(
    taken_for(
        {
            ltl.Always: ltl.Eventually,
            ltl.Eventually: ltl.Always,
            ltl.Next: ltl.Eventually,
            ltl.Until: ltl.WeakUntil,
            ltl.WeakUntil: ltl.Until,
            ltl.Once: ltl.Historically,
            ltl.Historically: ltl.Once,
            ltl.Since: ltl.Triggered,
            ltl.And: ltl.Or,
            ltl.Or: ltl.And,
            ltl.Implies: ltl.Iff,
            fol.Forall: fol.Exists,
            fol.Exists: fol.Forall,
            fol.And: fol.Or,
            fol.Or: fol.And,
            fol.Implies: fol.Iff,
            fol.Iff: fol.Implies,
        }
    )
)


@dataclass(frozen=True, kw_only=True)
class MisreadSentences(Behaviour):
    """Formalizes sentences wrongly: all of them, or those that a file lists, one on a line."""

    listed: frozenset[str] | None = None

    def configured(self, options: Mapping[str, str]) -> MisreadSentences:
        unknown = next((option for option in options if option != "sentences"), None)
        if unknown is not None:
            raise ModelOptionError(
                f"{PREFIX}{self.name} has no option {unknown!r}; it has sentences=FILE"
            )
        if not options:
            return self
        try:
            text = read_given(Path(options["sentences"])).decode()
        except (OSError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or "not UTF-8"
            raise ModelOptionError(
                f"{PREFIX}{self.name}: {options['sentences']} cannot be read: {reason}"
            ) from None
        sentences = map(spaced, text.splitlines())
        return replace(self, listed=frozenset(filter(None, sentences)))

    def translate(self, sentence: str, formula: Formula, chance: Random) -> Formula:  # noqa: ARG002
        is_listed = self.listed is None or spaced(sentence) in self.listed
        return misread(formula) if is_listed else formula


def misread(formula: Formula) -> Formula:
    """The formula with its first operator taken for another; denied if it has none that is."""
    read = _SLIP(formula)
    if read != formula:
        return read
    if isinstance(formula, fol.Sentence):
        return fol.Not(formula)
    return ltl.Not(formula) if isinstance(formula, ltl.Temporal) else formula


BEHAVIOURS: tuple[Behaviour, ...] = (
    Behaviour(
        "negation-scope",
        "moves a negation: reads ¬(p ∧ q) as ¬p ∧ q, and ¬p ∧ q as ¬(p ∧ q)",
        negation_scope,
    ),
    Behaviour("double-negation", "drops one of two negations: reads ¬¬p as ¬p", double_negation),
    Behaviour("or-for-and", "reads ∧ as ∨", everywhere(taken_for({fol.And: fol.Or}))),
    Behaviour(
        "renamed-atoms",
        "replaces the propositions or predicates by invented names: p, q, r …",
        renamed_atoms,
        only_in_writing=True,
    ),
    Behaviour(
        "constant-as-variable",
        "takes a constant for a variable: reads P(c) as ∃c. P(c), ∃x. P(c) as ∃x. P(x)",
        constant_as_variable,
    ),
    Behaviour(
        "quantifier-swap",
        "reads the outermost ∀ as ∃, or ∃ as ∀",
        at_first(taken_for({fol.Forall: fol.Exists, fol.Exists: fol.Forall})),
    ),
    Behaviour(
        "argument-swap",
        "swaps the two arguments of a predicate: reads P(a, b) as P(b, a)",
        everywhere(swapped_arguments),
    ),
    Behaviour(
        "exists-implies",
        "reads 'some A are B', ∃x. (A ∧ B), as ∃x. (A → B)",
        everywhere(exists_implies),
    ),
    Behaviour(
        "forall-and", "reads 'every A is B', ∀x. (A → B), as ∀x. (A ∧ B)", everywhere(forall_and)
    ),
    OnlyIfReversed(
        "only-if-reversed",
        "reads 'A only if B' as 'A if B': B → A for A → B. Its own descriptions say 'if', so it passes round trips",
    ),
    Behaviour(
        "one-or-more", "reads zero or more as one or more: 0* as 00*", everywhere(one_or_more)
    ),
    Behaviour(
        "misplaced-star",
        "puts a star on the wrong part: reads 1*0 as 10*, (01)* as 01*",
        misplaced_star,
    ),
    Behaviour(
        "globally-for-eventually",
        "confuses G and F: reads G p1 as F p1, F p1 as G p1",
        everywhere(taken_for({ltl.Always: ltl.Eventually, ltl.Eventually: ltl.Always})),
    ),
    Behaviour(
        "dropped-next",
        "drops the next operator: reads X p1 as p1",
        everywhere(lambda formula: formula.operand if isinstance(formula, ltl.Next) else None),
    ),
    Behaviour(
        "weak-until",
        "reads U as W: p1 U p2 as p1 W p2, which also holds if p2 never does",
        everywhere(taken_for({ltl.Until: ltl.WeakUntil})),
    ),
    Behaviour(
        "mis-scoped",
        "narrows the scope of a temporal operator: reads G (p1 -> F p2) as (G p1) -> F p2",
        mis_scoped,
    ),
    Behaviour(
        "yesterday-for-historically",
        "confuses Y and H: reads H p1 as Y p1, Y p1 as H p1",
        everywhere(taken_for({ltl.Yesterday: ltl.Historically, ltl.Historically: ltl.Yesterday})),
    ),
    Behaviour("new-atom", "replaces the first proposition by an invented one", new_atom),
)
#: These misread what sentences say; they read formulas rightly.
OF_SENTENCES: tuple[Behaviour, ...] = (
    MisreadSentences(
        "misread-sentences",
        "formalizes sentences wrongly: all, or those of a file (sentences=FILE)",
    ),
)


def _sentence(formula: Formula | None) -> fol.Sentence:
    assert isinstance(formula, fol.Sentence)
    return formula


def _fresh(letters: str, used: set[str]) -> Iterator[str]:
    # All letters without a number, then all with 1, ….
    rounds = zip(*(_numbered(letter) for letter in letters), strict=True)
    return filterfalse(used.__contains__, chain.from_iterable(rounds))


def _numbered(name: str) -> Iterator[str]:
    """The name, then the name with 1, 2, …."""
    yield name
    for number in count(1):
        yield f"{name}{number}"


def _first_constant(formula: Formula, scope: tuple[str, ...]) -> tuple[str, tuple[str, ...]] | None:
    """The first constant from the left, with the variables bound there, the innermost last."""
    if isinstance(formula, fol.Atom | fol.Equal):
        for use in uses(formula):
            if use.kind == "constant" and use.name not in scope:
                return use.name, scope
        return None
    if isinstance(formula, fol.Quantified):
        scope = (*scope, formula.variable)
    occurrences = (_first_constant(child, scope) for child in formula.children())
    return next(filter(None, occurrences), None)


def _as_variable(formula: Formula, constant: str, variable: str, scope: frozenset[str]) -> Formula:
    """The formula with a variable for a constant wherever the variable is bound and the constant's name is not."""
    if isinstance(formula, fol.Atom | fol.Equal):
        if variable not in scope or constant in scope:
            return formula
        return renamed(formula, Renaming(terms={(constant, 0): Replacement(variable)}))
    if isinstance(formula, fol.Quantified):
        scope |= {formula.variable}
    return formula.map_children(lambda child: _as_variable(child, constant, variable, scope))


def _slid(factors: tuple[regex.Expression, ...]) -> list[regex.Expression]:
    """The factors of a sequence, each star moved to the next factor if that has none."""
    read: list[regex.Expression] = []
    star_is_due = False
    for factor, following in zip_longest(factors, factors[1:]):
        changed = misplaced_star(factor)
        assert isinstance(changed, regex.Expression)
        takes_star = following is not None and not isinstance(following, regex.Repetition)
        if star_is_due:
            changed, star_is_due = regex.Star(changed), False
        elif changed == factor and isinstance(factor, regex.Star) and takes_star:
            changed, star_is_due = factor.inner, True
        read.append(changed)
    return read
