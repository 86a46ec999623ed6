"""Plain English for linear temporal logic with past, and its exact reader.

Time is given in steps, each operator from "this step" on; at the outset that is the start. ``G (p1 -> F p2)`` is "At
the start, at this and every later step, if p1 holds, then at this or some later step, p2 holds."
"""

from __future__ import annotations

from typing import ClassVar, cast

from pytest_autoeval.languages.controlled_english import NOT, RULE_WORDS, English, Scope, Syntax, Words
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.limits import check_size
from pytest_autoeval.languages.ltl.tokens import is_name


class _EnglishOfLtl(English):
    syntax = Syntax(ltl, check_size, is_name)
    joints: ClassVar = {
        ltl.Iff: "if and only if",
        ltl.Until: "until a step at which",
        ltl.WeakUntil: "until the step, if any, at which",
        ltl.Release: "through the step, if any, at which",
        ltl.Since: "ever since a step at which",
        ltl.Triggered: "back through the last step, if any, at which",
    }
    turned = (ltl.Release, ltl.Triggered)
    prefixes: ClassVar = {
        ltl.Not: NOT,
        ltl.Next: "at the next step, ",
        ltl.Eventually: "at this or some later step, ",
        ltl.Always: "at this and every later step, ",
        ltl.Yesterday: "there is a step before at which ",
        ltl.WeakYesterday: "at the step before, if there is one, ",
        ltl.Once: "at this or some earlier step, ",
        ltl.Historically: "at this and every earlier step, ",
    }
    reserved = RULE_WORDS | {"always", "at"}
    start = "at the start, "

    def literal(self, formula: ltl.Temporal, scope: Scope) -> str:  # noqa: ARG002
        negated = isinstance(formula, ltl.Not)
        verb = "does not hold" if negated else "holds"
        match formula.operand if isinstance(formula, ltl.Not) else formula:
            case ltl.Atom(name):
                return f"{self.as_name(name)} {verb}"
            case constant:
                return f"the always {'true' if isinstance(constant, ltl.Top) else 'false'} statement {verb}"

    def read_other(self, words: Words, scope: Scope) -> ltl.Temporal:  # noqa: ARG002
        atom: ltl.Temporal
        if words.skip("the always true statement"):
            atom = ltl.Top()
        elif words.skip("the always false statement"):
            atom = ltl.Bottom()
        else:
            atom = ltl.Atom(self.read_name(words))
        if words.skip("does not hold"):
            return ltl.Not(atom)
        words.need("holds")
        return atom


_ENGLISH = _EnglishOfLtl()


def describe(formula: ltl.Temporal) -> str:
    """The formula in words, exactly."""
    return _ENGLISH.describe(formula)


def read(description: str) -> ltl.Temporal:
    """The formula that was described; raises :class:`EnglishError` for any other text."""
    return cast("ltl.Temporal", _ENGLISH.read(description))
