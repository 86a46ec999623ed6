"""Equations between formulas, which are none themselves: neither side of ``x1 = X x1`` is what an answer says.

Other than ``φ = X x1``: what is left of that sign is no formula but a name for the one that is right of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection

#: What answers call the formula that they give.
_NAME = (
    r"(?:[φϕψΦΨ]|\\(?:var)?[pP][hs]i\b|[Pp][hs]i\b|[Ff]ormula\b|FORMULA\b|[Ff]\b|LTL\b|ltl\b|P\b"
    r"|(?:LTL|ltl)[ _]?[Ff]ormula\b|[Ff]ormula_?[Ll][Tt][Ll]\b|[Ff]ormulaToFind\b|[Ss]pec(?:ification)?\b"
    r"|[Aa]nswer\b|[Rr]esult\b|[Tt]ranslation\b)"
)
_SIGN = r"(?::=|≔|≜|≝|(?<![<>!=])={1,3}(?![=>])|≡|≠|!=|\\(?:equiv|triangleq|coloneqq|neq?)(?![A-Za-z]))"
#: "φ = …" or "LTLSPEC …": what a formula is called, and no part of it.
_CALLED = re.compile(
    r"\s*(?:LTLSPEC\b(?:\s+NAME\s+\w+\s*:=)?"
    rf"|(?P<name>{_NAME})(?:_?\{{?\d+\}}?)?\s*(?::=|≔|≜|≡|\\equiv(?![A-Za-z])|=(?![=>])|:)"
    r"|(?P<word>Formula|LTL|Answer|Result|Translation)\s*(?:→|⇒|[-=]{1,2}>))"
    r"\s*(?=\S)"
)
_LEFT = re.compile(rf"(?P<left>\S*?)[\s`$*\"']*{_SIGN}[\s`$*\"'(\[]*$")
_NAMED_LEFT = re.compile(rf"[`$*\"'(]*(?P<name>{_NAME})(?:_?\{{?\d+\}}?)?[`$*\"')]*|\\text\{{\w+\}}")
_RIGHT = re.compile(rf"[\s`$*\"')\]]*{_SIGN}")
#: "x1: X x2", "G is (x1 -> F x2)", and words that equate a proposition with what follows.
_SAID = re.compile(
    r"(?:^[\s`$*]*(?P<listed>\w+)[`$*]*\s*:"
    r"|(?<!\w)(?P<part>[A-Za-z]_?\d+|[XFGYZOH])[`$*]*\s+(?:is|and|or)"
    r"|(?<!\w)(?P<said>\w+)[`$*]*\s+(?:equals|is\s+(?:logically\s+)?(?:equal|equivalent|identical|the\s+same)\s+(?:to|as|with)))"
    r"[\s`$*\"'(\[]*$"
)
_NUMBERED = re.compile(r"[A-Za-z]_?\d+")
#: Characters before a formula that can be one side of an equation with it.
_NEARBY = 300


def named(text: str, known: frozenset[str]) -> int:
    """Where the formula begins in a text that first says what it is called; 0 if it does not."""
    called = _CALLED.match(text)
    return called.end() if called and known.isdisjoint((called["name"], called["word"])) else 0


def is_equated(before: str, after: str, known: Collection[str]) -> bool:
    """Whether what stands around a formula makes it one side of an equation.

    ``known`` are the names of propositions, as far as they are known; names with a number always look like ones.
    """
    if _RIGHT.match(after):
        return True
    nearby = before[-_NEARBY:]
    if left := _LEFT.search(nearby):
        name = _NAMED_LEFT.fullmatch(left["left"])
        return name is None or name["name"] in known
    found = _SAID.search(nearby)
    if found is None:
        return False
    word = found["listed"] or found["said"] or ""
    return bool(found["part"]) or word in known or _NUMBERED.fullmatch(word) is not None
