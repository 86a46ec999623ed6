"""Formulas of temporal logic as published files write them, also on one line with their sentences: ``Always a.;G a``.

Lines in this form: Cosler et al., "nl2spec" (CAV 2023). Where the propositions stand in the sentences, as letters, no
glossary is needed.

Other rows of a file show how a formula is meant: whether ``Fa`` is a name, and whether operators stand in front.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pytest_autoeval.languages import FormulaSyntaxError
from pytest_autoeval.languages.ltl.letters import KnownNames, may_be_operators
from pytest_autoeval.languages.ltl.measures import symbols
from pytest_autoeval.languages.ltl.parser import NAME, parse, parse_prefix, strict_tokens, style_of
from pytest_autoeval.languages.ltl.syntax import Atom, Temporal
from pytest_autoeval.lazy_pattern import lazy_pattern

#: Signs that stand in formulas of any logic, and hardly ever in English.
_SIGNS = lazy_pattern(
    r"<?[-=]>|&&|\|\|?|/\\|\\/|\[\]|<>|[¬∧∨→↔⇒⇔□◇◊○∀∃⊤⊥]|(?:^|[\s(])[!~]\s*[\w(]|\b[XGFUWRHOYS]\s*\("
)
#: A weaker sign: an operator that is a letter, or an ampersand.
_LETTERS = lazy_pattern(r"&|\b(?:[XGFUWRHOYS]|X{2,})\b")
#: Two words in a row, as in English and in no formula.
_PROSE = lazy_pattern(r"\b[a-z]{2,}\s+[a-z]{2,}\b")


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
        """What the formulas of one file show."""
        names: set[str] = set()
        styles: set[str] = set()
        # A formula that many rows have shows no more than one row.
        texts = list(dict.fromkeys(texts))
        for text in texts:
            try:
                tokens = strict_tokens(text)
            except FormulaSyntaxError:
                continue
            names |= {
                token.text
                for token in tokens
                if token.kind == NAME and not may_be_operators(token.text)
            }
            styles.add(style_of(tokens))
        known_names = KnownNames(
            seen=frozenset(names), is_compact="compact" in styles and "apart" not in styles
        )
        is_prefix = _are_in_prefix_notation(texts, known_names)
        return cls(known_names.seen, known_names.is_compact, is_prefix)

    def formula(self, text: str, propositions: Iterable[str] = ()) -> Temporal:
        """The formula of a text of this file; ``propositions`` are their names, if these are known.

        Raises :class:`FormulaSyntaxError`.
        """
        return _formula(self, text, frozenset(propositions))


@lru_cache(maxsize=1 << 12)
def _formula(file: FileFormulas, text: str, propositions: frozenset[str]) -> Temporal:
    known_names = KnownNames(propositions, file.names, file.is_compact)
    return parse_prefix(text, known_names) if file.is_prefix else parse(text, known_names)


def formula_of(text: str) -> Temporal:
    """The formula of a text of which nothing else is known; raises :class:`FormulaSyntaxError`."""
    return FileFormulas().formula(text)


def _are_in_prefix_notation(texts: Iterable[str], known_names: KnownNames) -> bool:
    """Whether some of the formulas of a file are in prefix notation alone, and none is in infix notation alone."""
    is_prefix = False
    for text in texts:
        is_infix_text = _takes(parse, text, known_names)
        is_prefix_text = _takes(parse_prefix, text, known_names)
        # Without binary operators, a formula is in both notations.
        if is_infix_text and not is_prefix_text:
            return False
        is_prefix |= is_prefix_text and not is_infix_text
    return is_prefix


def _takes(read: Callable[[str, KnownNames], Temporal], text: str, known_names: KnownNames) -> bool:
    try:
        read(text, known_names)
    except FormulaSyntaxError:
        return False
    return True


class SentenceWithFormula(NamedTuple):
    """A line with a sentence and its formula, and the propositions of the formula if all stand in the sentence.

    ``problem`` is why the line cannot be used; it then has no formula.
    """

    sentence: str
    formula: str
    line: int
    letters: tuple[str, ...] = ()
    problem: str = ""


@lru_cache(maxsize=32)
def beside_sentences(text: str) -> tuple[SentenceWithFormula, ...] | None:
    """The lines of a text that has formulas beside its sentences; None for sentences alone.

    A text has formulas if every line has one after its last ``;``, or if some line has what only a formula can be. Then
    no line is a sentence alone, since a prompt must not show a formula: a line without a readable formula has a
    ``problem``.
    """
    numbered = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() and not line.lstrip().startswith("#"):
            numbered.append((number, line))
    file = FileFormulas.of([_parted(line)[2] for _, line in numbered])
    lines = [_read(line, number, file) for number, line in numbered]
    shows_formula = any(has_formula(line) for _, line in numbered)
    are_all_read = not any(line.problem for line in lines)
    if not lines or not (shows_formula or are_all_read):
        return None
    return tuple(lines)


def has_formula(line: str) -> bool:
    """Whether a line is a formula, or has one after its last ``;`` or tab, readable or not. A single word is none."""
    sentence, separator, tail = _parted(line)
    if separator and sentence.strip() and _is_like_formula(tail):
        return True
    return _is_compound(line)


def _read(line: str, number: int, file: FileFormulas) -> SentenceWithFormula:
    sentence, separator, formula = _parted(line)
    plain = " ".join(sentence.split())
    if separator != ";" or not plain:
        why = "no sentence, a ; and its formula, as other lines have; remove it, or write all three"
        return SentenceWithFormula(plain, "", number, problem=why)
    try:
        read = file.formula(formula, words_in(sentence))
    except FormulaSyntaxError as problem:
        hint = "for a formula of another language, write a table with the columns sentence, formula, language"
        return SentenceWithFormula(
            plain, "", number, problem=f"after the last ;: {problem}; {hint}"
        )
    return SentenceWithFormula(plain, formula.strip(), number, letters_in(plain, read))


def _parted(line: str) -> tuple[str, str, str]:
    """What stands before the last ``;`` of a line, or else before its last tab; the separator; and the rest."""
    return line.rpartition(";") if ";" in line else line.rpartition("\t")


def _is_like_formula(text: str) -> bool:
    is_prose = _PROSE.search(text) is not None
    return (
        _SIGNS.search(text) is not None
        or (not is_prose and _LETTERS.search(text) is not None)
        or _is_compound(text)
    )


def _is_compound(text: str) -> bool:
    """Whether a text is a formula with an operator."""
    try:
        return not isinstance(formula_of(text), Atom)
    except FormulaSyntaxError:
        return False


def letters_in(sentence: str, formula: Temporal) -> tuple[str, ...]:
    """The propositions of a formula if each is a word of the sentence, spelled alike; else none."""
    names = symbols(formula).propositions
    return names if words_in(sentence).issuperset(names) else ()


def words_in(sentence: str) -> set[str]:
    """The words of a sentence, which may be names of its formula."""
    return set(re.findall(r"\w+", sentence))
