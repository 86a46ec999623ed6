"""What words around a trace say of it: that it satisfies the formula, or that it violates it.

Asked for a trace of one kind, models like to show one of the other kind as well, for comparison.
"""

from __future__ import annotations

import re
from typing import Literal

from pytest_autoeval.languages.answers import Passage, clause
from pytest_autoeval.languages.ltl.traces.spellings import INTRODUCTION

Kind = Literal["satisfying", "violating"]

_NOT = r"(?:\b(?:not|never|fails?\s+to|non)\b|n['’]t\b)[\s-]*(?:\w+\s+)?"
_SATISFYING = r"\b(?:satisf(?:y|ies|ied|ying)|fulfil\w*)"
_VIOLATING = r"\b(?:violat(?:e|es|ed|ing|ion)|falsif(?:y|ies|ied|ying)|unsatisf\w+)"
_SAYS = re.compile(rf"(?P<not>{_NOT})?(?:(?P<satisfying>{_SATISFYING})|(?P<violating>{_VIOLATING}))\b", re.IGNORECASE)
_STOP = re.compile(r"[.,;:!?](?=\s|$)|\bwhereas\b|\bwhile\b|\bbut\b", re.IGNORECASE)


def is_of_other_kind(part: Passage, wanted: Kind | None) -> bool:
    """Whether words right before or behind a trace say that it is not of the wanted kind, and none say that it is."""
    before = part.before
    if part.place in ("line", "block") and not before.rstrip(" \t*_`").endswith(":"):
        before = ""  # the line above says nothing about this one
    introduction = INTRODUCTION.match(part.text)
    contexts = (clause(before.rstrip(" \t*_`:")), introduction[0] if introduction else "", _STOP.split(part.after)[0])
    kinds = {kind for text in contexts for kind in _kinds(text)}
    return wanted is not None and bool(kinds) and wanted not in kinds


def _kinds(text: str) -> set[str]:
    opposite = {"satisfying": "violating", "violating": "satisfying"}
    found = [(says["not"], "satisfying" if says["satisfying"] else "violating") for says in _SAYS.finditer(text)]
    return {opposite[kind] if negated else kind for negated, kind in found}
