"""Plain English for linear temporal logic in the phrases of a glossary, and its exact reader.

``G (door_open -> F light)`` is "At the start, at this and every later step, if the door is open, then at this or some
later step, the light is on." The rules are those of :mod:`~pytest_autoeval.languages.ltl.english`, except for atoms.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_autoeval.languages.controlled_english import NOT, Scope, Words, opens_compound, opens_with
from pytest_autoeval.languages.logic.lexicon import is_risky
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.english import EnglishOfLtl

#: The quotation marks of the rules, and those of a phrase.
_QUOTES = str.maketrans("“”", "‘’")


class EnglishInPhrases(EnglishOfLtl):
    """The English in the phrases of some names. A phrase with words that join clauses stands in quotation marks.

    A name without a phrase, or with the phrase of another name, is said by itself: "p1 holds".
    """

    def __init__(self, phrases: Mapping[str, str]) -> None:
        plain = {name: " ".join(phrase.translate(_QUOTES).split()).rstrip(".") for name, phrase in phrases.items()}
        folded = [phrase.casefold() for phrase in plain.values()]
        own = {name: phrase for name, phrase in plain.items() if folded.count(phrase.casefold()) == 1 and phrase}
        self._shown = {name: f"“{phrase}”" if _is_unclear(phrase, name) else phrase for name, phrase in own.items()}
        #: The longest first: a phrase may begin with another.
        self._names = sorted(self._shown, key=lambda name: -len(self._shown[name]))

    def literal(self, formula: ltl.Temporal, scope: Scope) -> str:
        negated = isinstance(formula, ltl.Not)
        atom = formula.operand if isinstance(formula, ltl.Not) else formula
        if not isinstance(atom, ltl.Atom) or atom.name not in self._shown:
            return super().literal(formula, scope)
        return f"{NOT if negated else ''}{self._shown[atom.name]}"

    def read_literal(self, words: Words, scope: Scope) -> ltl.Temporal:
        for name in self._names:
            if words.skip(self._shown[name].lower()):
                return ltl.Atom(name)
        literal: ltl.Temporal = super().read_literal(words, scope)
        return literal


#: The words with which the temporal rules join two formulas.
_JOINTS = frozenset(infix.split()[0] for infix in EnglishOfLtl.infixes.values())


def _is_unclear(phrase: str, name: str) -> bool:
    """Whether a phrase could be misread: its words join or open parts of a sentence, or speak of another name."""
    words = Words(f"{phrase}.").words
    if opens_compound(words) or any(opens_with(words, prefix) for prefix in EnglishOfLtl.prefixes.values()):
        return True
    if words and words[-1].text.lower() in {"hold", "holds"} and phrase != f"{name} holds":
        return True
    return is_risky([word.text for word in words]) or any(word.text.lower() in _JOINTS for word in words)
