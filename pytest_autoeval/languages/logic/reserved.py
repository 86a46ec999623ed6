"""Words that are operators in some notation of logic, and therefore never names of symbols, in whatever case.

``And(P(a), Q(a))`` would otherwise be a predicate ``And`` of two functions. Only whole words are reserved: ``Andean``
is a name. So are ``v`` and ``V``, which are names far more often than disjunctions.
"""

from __future__ import annotations

from collections.abc import Mapping

#: The words of connectives that are read, and their signs.
CONNECTIVE_WORDS: Mapping[str, str] = {
    "not": "¬",
    "and": "∧",
    "or": "∨",
    "xor": "⊕",
    "implies": "→",
    "iff": "↔",
    "equiv": "↔",
    "equivalent": "↔",
}
#: The words of quantifiers, and their signs.
QUANTIFIER_WORDS: Mapping[str, str] = {"forall": "∀", "all": "∀", "exists": "∃", "some": "∃"}
#: The words of truth constants, and their signs. Applied to arguments they are predicates: ``True(x)``.
TRUTH_WORDS: Mapping[str, str] = {"true": "⊤", "false": "⊥"}
#: Words of connectives that are not read.
_OTHER_CONNECTIVES = frozenset(("nand", "nor", "xnor", "if", "then", "ite"))


def reserved_as(word: str) -> tuple[str, str]:
    """What a word is and what to write instead of it, as phrases; two empty strings if the word may be a name."""
    plain = word.casefold()
    if sign := CONNECTIVE_WORDS.get(plain):
        return f"a connective ({sign}), not a name", sign
    if sign := QUANTIFIER_WORDS.get(plain):
        return f"a quantifier ({sign}), not a name", f"'{sign}x. …'"
    if plain in _OTHER_CONNECTIVES:
        return "a connective that is not read, and not a name", "¬ ∧ ∨ ⊕ → or ↔"
    return "", ""


def name_problem(name: str, arity: int) -> str:
    """Why a word cannot be the name of a symbol with so many arguments; empty if it can."""
    reason, _ = reserved_as(name)
    if not reason and not arity and name.casefold() in TRUTH_WORDS:
        reason = "a truth constant, not a name"
    return f"{name!r} is {reason}" if reason else ""
