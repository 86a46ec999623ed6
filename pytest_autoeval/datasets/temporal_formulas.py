"""Formulas of temporal logic as published files write them, also on one line with their sentences: ``Always a.;G a``.

Lines in this form: Cosler et al., "nl2spec" (CAV 2023). Where the propositions stand in the sentences, as letters, no
glossary is needed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pytest_autoeval.languages import FormulaSyntaxError
from pytest_autoeval.languages.ltl.measures import symbols
from pytest_autoeval.languages.ltl.nusmv import parse_nusmv
from pytest_autoeval.languages.ltl.parser import parse
from pytest_autoeval.languages.ltl.syntax import Temporal

#: ``XX`` for ``X X``, as in the sentences of nl2spec.
_NEXTS = re.compile(r"\bX{2,}\b")


def formula_of(text: str) -> Temporal:
    """The formula of a text in NuSMV's notation, or else in ours; ``XX`` may stand for ``X X``.

    Raises :class:`FormulaSyntaxError`.
    """
    try:
        return parse_nusmv(text)
    except FormulaSyntaxError:
        pass
    try:
        return parse(text)
    except FormulaSyntaxError:
        spaced = _NEXTS.sub(lambda nexts: " ".join(nexts[0]), text)
        if spaced == text:
            raise
        return parse(spaced)


class SentenceWithFormula(NamedTuple):
    """A sentence with its formula, its line, and the propositions of the formula if all stand in the sentence."""

    sentence: str
    formula: str
    line: int
    letters: tuple[str, ...]


def beside_sentences(text: str) -> list[SentenceWithFormula] | None:
    """The sentences with formulas, if every line has both; None if some line has no formula after its last ``;``."""
    pairs = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        sentence, _, formula = line.rpartition(";")
        try:
            read = formula_of(formula) if sentence.strip() else None
        except FormulaSyntaxError:
            read = None
        if read is None:
            return None
        plain = " ".join(sentence.split())
        pairs.append(SentenceWithFormula(plain, formula.strip(), number, letters_in(plain, read)))
    return pairs or None


def letters_in(sentence: str, formula: Temporal) -> tuple[str, ...]:
    """The propositions of a formula if each is a word of the sentence, spelled alike; else none."""
    names = symbols(formula).propositions
    words = set(re.findall(r"\w+", sentence))
    return names if words.issuperset(names) else ()
