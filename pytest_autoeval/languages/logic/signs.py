"""Finds signs of operators in descriptions, which must be plain English. The signs are those of all notations."""

from __future__ import annotations

import re
from functools import lru_cache

from pytest_autoeval.lazy_pattern import lazy_pattern

# These count only as functions and in prefix notation, beside brackets. Alone they are words of English.
_WORDS = "and|or|not|x?nor|xor|nand|implies|iff|equiv(?:alent)?|forall|exists"
_TEMPORAL_WORDS = "always|globally|eventually|finally|next|until|release|since|once|historically|previously|yesterday"
#: Signs that no English text has.
_SIGN = lazy_pattern(
    r"[∧∨¬→↔⊕∀∃⊤⊥⇒⇔⟶⟹⟷⟺⋀⋁⊻⊃≡∼≢≠∪∗□◇○◯◊◻⊖◆■⊟]|/\\|\\/|<?[-=]>|<~>|<>|\[\]|[&|~^]|(?<!=)==(?!=)|!=|!(?=[\w(\[])|[!?]\s?\[(?=\w)"
    r"|\\(?:land|lor|lnot|neg|forall|exists|wedge|vee|oplus|to|cup|ast|implies|iff|equiv|top|bot|Box|Diamond|square"
    r"|lozenge|diamond|bigcirc|circ|math(?:cal|bf|bb|rm|sf)|(?:long)?(?:left)?rightarrow)(?![A-Za-z])"
    rf"|(?<!\w)(?:l?(?:{_WORDS})|{_TEMPORAL_WORDS})\(|\((?:{_WORDS})\s?\(|(?<!\w)forall(?!\w)",
    re.IGNORECASE,
)


#: Without one of these, no sign stands between names, and no letter before one. Most English has none. A pattern with
#: the names of a formula is compiled anew for each formula, which takes longer than to search for it.
_MAY_STAND_BETWEEN = lazy_pattern(rf"\sv\s|[+·⋅-]|\((?:{_WORDS})\s", re.IGNORECASE)
#: Looked for first, since a pattern with the names of a formula is compiled anew for each formula.
_LETTER = lazy_pattern("[XFGYZOHURWSTV]")


def operator_sign(text: str, names: frozenset[str]) -> str:
    """The first sign of an operator of logic in a text about formulas with these names, or an empty string."""
    match = _SIGN.search(text)
    if match is None and _MAY_STAND_BETWEEN.search(text):
        match = _between_names(names).search(text)
    return match[0].strip() if match else ""


def temporal_letter(text: str, names: frozenset[str]) -> str:
    """The first letter in the place of an operator of temporal logic, or an empty string."""
    match = _letters(names).search(text) if _LETTER.search(text) else None
    return match[0].strip() if match else ""


@lru_cache(maxsize=64)
def _between_names(names: frozenset[str]) -> re.Pattern[str]:
    """Matches signs that are operators only beside names or brackets: ``p + q``, ``p v q``, ``(and p q)``."""
    name = _any_of(names)
    letter = "" if "v" in names else "v|"
    infix = rf"(?:(?<!\w){name}|\))(?:\s(?:{letter}[+·⋅])\s|[+·⋅])(?={name}|[(])"
    prefix = rf"\((?:{_WORDS})\s{name}\s(?={name}|[(])"
    negation = rf"(?<=[a-z(] )-(?={name})"
    return re.compile(f"{infix}|{prefix}|{negation}", re.IGNORECASE)


@lru_cache(maxsize=64)
def _letters(names: frozenset[str]) -> re.Pattern[str]:
    """Matches an operator letter before a bracket or a name, also without a space; ``U`` and the like between two."""
    name = _any_of(names)
    # A letter that is a name of the formula is not an operator.
    unary = "".join(sorted({*"XFGYZOH"} - names))
    binary = "".join(sorted({*"URWSTV"} - names))
    # A single letter after an operator would make every short word one: "Go" for G and o.
    glued = _any_of(frozenset(name for name in names if len(name) > 1))
    # ``G(``, ``G p`` and ``G F p``: after a space, a name or further letters must follow.
    further = rf"[{unary}]+\s?(?:\(|{name})"
    prefix = rf"(?<![\w'’.])[AE]?[{unary}]+(?:\s?\(|\s(?={name}(?!\w)|{further}))"
    prefix_of_glued = rf"(?<!\w)[{unary}]+{glued}(?!\w)"
    infix = rf"(?:(?<!\w){name}|\))\s[{binary}]\s(?={name}(?!\w)|\(|[{unary}])"
    return re.compile(f"{prefix}|{prefix_of_glued}|{infix}")


def _any_of(names: frozenset[str]) -> str:
    """A pattern that matches each of the names, and nothing if there are none."""
    # The longest first, since the first alternative that matches counts: "p10" before "p1".
    alternatives = map(re.escape, sorted(names, key=len, reverse=True))
    return f"(?:{'|'.join(alternatives) or '(?!)'})"
