"""Plain English for linear temporal logic on finite traces, and its exact reader.

``G (p1 -> X[!] p2)`` is "At the first step of the finite trace, at this and every later step, if p1 holds, then there
is a next step, at which p2 holds."
"""

from __future__ import annotations

from typing import ClassVar

from pytest_autoeval.features.finite_traces import syntax
from pytest_autoeval.languages.controlled_english import NOT, RULE_WORDS, English
from pytest_autoeval.languages.ltl.parser import is_name


class EnglishOnFiniteTraces(English):
    """The rules for temporal operators. The first words tell these descriptions from those of infinite traces."""

    nodes: ClassVar = syntax
    is_name = staticmethod(is_name)
    infixes: ClassVar = {
        syntax.Iff: "if and only if",
        syntax.Until: "until a step at which",
        syntax.WeakUntil: "until the step, if any, at which",
        syntax.Release: "through the step, if any, at which",
    }
    turned = (syntax.Release,)
    prefixes: ClassVar = {
        syntax.Not: NOT,
        syntax.StrongNext: "there is a next step, at which ",
        syntax.Next: "at the next step, if there is one, ",
        syntax.Eventually: "at this or some later step, ",
        syntax.Always: "at this and every later step, ",
    }
    reserved = RULE_WORDS | {"always", "at"}
    start = "at the first step of the finite trace, "


ENGLISH = EnglishOnFiniteTraces()
