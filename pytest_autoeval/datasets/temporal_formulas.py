"""Formulas of temporal logic as published files write them, also on one line with their sentences: ``Always a.;G a``.

Lines in this form: Cosler et al., "nl2spec" (CAV 2023). Where the propositions stand in the sentences, as letters, no
glossary is needed.

Other rows of a file show how a formula is meant: whether ``Fa`` is a name, and whether operators stand in front.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from pytest_autoeval.languages import FormulaSyntaxError
from pytest_autoeval.languages.ltl.letters import KnownNames, may_be_operators
from pytest_autoeval.languages.ltl.measures import symbols
from pytest_autoeval.languages.ltl.parser import NAME, parse, parse_prefix, strict_tokens, style_of
from pytest_autoeval.languages.ltl.syntax import Temporal


@dataclass(frozen=True, slots=True)
class FileFormulas:
    """What the formulas of a file show about its notation; the default is that of a formula alone.

    Attributes:
        names: the words of all formulas that are names without doubt.
        is_compact: the file writes operator letters directly before other signs.
        is_prefix: operators stand before their operands, as in ``& F a G b``.
    """

    names: frozenset[str] = frozenset()
    is_compact: bool = False
    is_prefix: bool = False

    @classmethod
    def of(cls, texts: Collection[str]) -> FileFormulas:
        """What the formulas of one file show. The file is in prefix notation if some are, and none is in infix."""
        names: set[str] = set()
        styles: set[str] = set()
        for text in texts:
            try:
                tokens = strict_tokens(text)
            except FormulaSyntaxError:
                continue
            names |= {token.text for token in tokens if token.kind == NAME and not may_be_operators(token.text)}
            styles.add(style_of(tokens))
        known = KnownNames(seen=frozenset(names), is_compact="compact" in styles and "apart" not in styles)
        is_prefix = False
        for text in texts:
            readings = _takes(parse, text, known), _takes(parse_prefix, text, known)
            if readings == (True, False):
                is_prefix = False
                break
            is_prefix |= readings == (False, True)  # without binary operators, a formula is in both notations
        return cls(known.seen, known.is_compact, is_prefix)

    def formula(self, text: str, given: Iterable[str] = ()) -> Temporal:
        """The formula of a text of this file; ``given`` are the names of its propositions, if these are known.

        Raises :class:`FormulaSyntaxError`.
        """
        known = KnownNames(frozenset(given), self.names, self.is_compact)
        return parse_prefix(text, known) if self.is_prefix else parse(text, known)


def formula_of(text: str) -> Temporal:
    """The formula of a text of which nothing else is known; raises :class:`FormulaSyntaxError`."""
    return FileFormulas().formula(text)


def _takes(read: Callable[[str, KnownNames], Temporal], text: str, known: KnownNames) -> bool:
    try:
        read(text, known)
    except FormulaSyntaxError:
        return False
    return True


class SentenceWithFormula(NamedTuple):
    """A sentence with its formula, its line, and the propositions of the formula if all stand in the sentence."""

    sentence: str
    formula: str
    line: int
    letters: tuple[str, ...]


def beside_sentences(text: str) -> list[SentenceWithFormula] | None:
    """The sentences with formulas, if every line has both; None if some line has no formula after its last ``;``."""
    pairs = []
    file = FileFormulas.of([line.rpartition(";")[2] for line in text.splitlines() if ";" in line])
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        sentence, _, formula = line.rpartition(";")
        try:
            read = file.formula(formula, words_in(sentence)) if sentence.strip() else None
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
    return names if words_in(sentence).issuperset(names) else ()


def words_in(sentence: str) -> set[str]:
    """The words of a sentence, which may be names of its formula."""
    return set(re.findall(r"\w+", sentence))
