"""The student: a model that makes random errors, more of them in longer formulas."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from random import Random

from pytest_autoeval.languages import Formula, Language, Verdict
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.regex import syntax as regex
from pytest_autoeval.models.model_names import PREFIX, ModelOptionError
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour, taken_for
from pytest_autoeval.models.offline.misreadings import narrow_scope

#: Pairs of operators that are confused, in both directions.
_CONFUSED: tuple[tuple[type[Formula], type[Formula]], ...] = (
    (fol.And, fol.Or),
    (fol.Implies, fol.Iff),
    (fol.Forall, fol.Exists),
    (ltl.And, ltl.Or),
    (ltl.Implies, ltl.Iff),
    (ltl.Until, ltl.WeakUntil),
    (ltl.Always, ltl.Eventually),
    (ltl.Once, ltl.Historically),
    (ltl.Triggered, ltl.Since),
)
#: What each operator is taken for: the pairs, and operators that are confused in one direction only.
_TAKEN_FOR: dict[type[Formula], type[Formula]] = {
    **dict(_CONFUSED),
    **{confused: operator for operator, confused in _CONFUSED},
    fol.Xor: fol.Or,
    ltl.Xor: ltl.Or,
    ltl.Release: ltl.WeakUntil,
    ltl.Next: ltl.Eventually,
    ltl.Yesterday: ltl.Once,
    ltl.WeakYesterday: ltl.Yesterday,
    # A sign that prompts do not offer.
    regex.Star: regex.Plus,
}
#: Operators whose operands cannot be swapped without a change of the meaning.
_DIRECTED = (
    fol.Implies,
    ltl.Implies,
    ltl.Until,
    ltl.WeakUntil,
    ltl.Release,
    ltl.Since,
    ltl.Triggered,
)


def swapped(formula: Formula) -> Formula | None:
    """The two operands of an implication, until or since swapped, or the last two parts of a sequence."""
    match formula:
        case regex.Concat((*beginning, left, right)):
            return regex.Concat((*beginning, right, left))
        case _ if isinstance(formula, _DIRECTED):
            return formula.with_children(formula.children()[::-1])
        case fol.Sentence() | ltl.Temporal() | regex.Expression():
            return None
        case _:  # of a user's own language
            return formula.with_children(formula.children()[::-1])


def forgotten_part(formula: Formula) -> Formula | None:
    """Without the last part of a chain or of a sequence."""
    match formula:
        case fol.And() | fol.Or() | fol.Xor() | ltl.And() | ltl.Or() | ltl.Xor():
            return formula.left
        case regex.Concat((*parts, _)):
            return regex.Concat(tuple(parts)) if len(parts) > 1 else parts[0]
    return None


def forgotten_operator(formula: Formula) -> Formula | None:
    """Without a negation, a star or a unary temporal operator."""
    match formula:
        case fol.Not() | ltl.Unary():
            return formula.operand
        case regex.Star(inner):
            return inner
    return None


def narrow_operator(formula: Formula) -> Formula | None:
    """A negation or temporal operator of a compound moved to its first part, a star to its last."""
    match formula:
        case fol.Not(fol.Binary() as compound):
            operand, *others = fol.parts_of(compound)
            return reduce(type(compound), [fol.Not(operand), *others])
        case regex.Star(regex.Concat(parts)):
            return regex.Concat((*parts[:-1], regex.Star(parts[-1])))
    return narrow_scope(formula)


def other_order(formula: Formula) -> Formula | None:
    """``!G p`` as ``G !p``, and likewise for F and X."""
    match formula:
        case ltl.Not(ltl.Always() | ltl.Eventually() | ltl.Next() as temporal):
            return type(temporal)(ltl.Not(temporal.operand))
    return None


#: The errors that a student may make at one operator: another formula, or None if the error does not apply.
_SLIPS = (
    taken_for(_TAKEN_FOR),
    forgotten_operator,
    narrow_operator,
    forgotten_part,
    swapped,
    other_order,
)


@dataclass(frozen=True, kw_only=True)
class Student(Behaviour):
    """Makes an error at each operator with probability 1 − strength; as often, puts the answer in a code fence.

    The random numbers do not depend on the strength: where a stronger student errs, a weaker one errs too.
    """

    strength: float = 0.97

    def configured(self, options: Mapping[str, str]) -> Student:
        unknown = next((option for option in options if option != "strength"), None)
        if unknown is not None:
            raise ModelOptionError(
                f"{PREFIX}student has no option {unknown!r}; it has strength, from 0 to 1"
            )
        text = options.get("strength", str(self.strength))
        try:
            strength = float(text)
        except ValueError:
            strength = math.nan
        if not 0 <= strength <= 1:
            raise ModelOptionError(
                f"the strength of {PREFIX}student is a number from 0 to 1, not {text!r}"
            )
        return replace(self, strength=strength)

    def misread(self, formula: Formula, chance: Random) -> Formula:
        children = tuple(self.misread(child, chance) for child in formula.children())
        if not children:
            return formula
        read = formula.with_children(children)
        # Both numbers are drawn in any case, so that those of the next operator do not depend on the strength.
        does_slip = chance.random() >= self.strength
        share = chance.random()
        if not does_slip:
            return read
        possible = [slip(read) for slip in _SLIPS]
        mistakes = [mistake for mistake in possible if mistake is not None]
        if not mistakes:
            return read
        # The mistake that stands at this share of the list: each is equally likely.
        return mistakes[int(share * len(mistakes))]

    def word(self, formula: Formula, text: str, chance: Random) -> Answer:
        answer = super().word(formula, text, chance)
        if chance.random() < self.strength:
            return answer
        return Answer(f"```\n{answer.text}\n```")

    def compare(
        self, formula: Formula, compared: Formula, lang: Language, chance: Random
    ) -> Verdict:
        """The true verdict, or a guess if the student loses the thread at one of the operators."""
        operators = lang.measure(formula)["operators"] + lang.measure(compared)["operators"]
        if not self.guesses(int(operators), chance):
            return lang.equivalent(formula, compared)
        outcome = VerdictOutcome.EQUIVALENT if chance.random() < 0.5 else VerdictOutcome.DIFFERENT
        return Verdict(outcome, "guess")

    def guesses(self, size: int, chance: Random) -> bool:
        return chance.random() >= self.strength**size


#: With ``only_in_writing``, it errs when it writes a formula. When it only compares formulas, it errs by guesses.
STUDENT = Student(
    "student",
    "makes an error at each operator with probability 1 - strength (default: strength=0.97)",
    only_in_writing=True,
)
