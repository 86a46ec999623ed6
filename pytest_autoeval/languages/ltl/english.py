"""Plain English for linear temporal logic with past, and its exact reader.

Time is given in steps, relative to "this step", which at first is the start. ``G (p1 -> F p2)`` is "At the start, at
this and every later step, if p1 holds, then at this or some later step, p2 holds."
"""

from __future__ import annotations

from typing import ClassVar

from pytest_autoeval.languages.controlled_english import NOT, RULE_WORDS, English
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.parser import is_name


class EnglishOfLtl(English):
    """The rules for temporal operators."""

    nodes: ClassVar = ltl
    is_name = staticmethod(is_name)
    infixes: ClassVar = {
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


ENGLISH = EnglishOfLtl()
