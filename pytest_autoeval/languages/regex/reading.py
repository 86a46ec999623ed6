"""The reader of regular expressions in answers.

A period at the end of an answer is a wildcard if the alphabet or the given expression has a period or a wildcard, or if
nothing is known of them. Otherwise it ends the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from string import ascii_lowercase

from pytest_autoeval.languages.answers import Place
from pytest_autoeval.languages.base import FormulaSyntaxError, Reading
from pytest_autoeval.languages.marks import unpunctuated
from pytest_autoeval.languages.reading import nothing, read_formula
from pytest_autoeval.languages.regex.alphabet import WILDCARDS
from pytest_autoeval.languages.regex.extended import parse_extended
from pytest_autoeval.languages.regex.literal_marks import hidden, shown
from pytest_autoeval.languages.regex.measures import symbols
from pytest_autoeval.languages.regex.parser import parse
from pytest_autoeval.languages.regex.signs import signs_of
from pytest_autoeval.languages.regex.syntax import Expression, is_plain
from pytest_autoeval.languages.vocabulary import Vocabulary
from pytest_autoeval.lazy_pattern import lazy_pattern

_OPERATOR = lazy_pattern(r"[*∗⋆⁎★✱+⁺?|∪∨{\[.&]|~\(|\\(?:ast|star|cup|mid|[dDwWSbB])")
#: Those of them that do not occur in sentences.
_SIGN = lazy_pattern(r"[*∗⋆⁎★✱⁺|∪∨]|[\w)]\+|~\(|\)\s?&|\\(?:ast|star|cup|mid)")
_LATEX_COMMAND = lazy_pattern(r"\\[A-Za-z]+")
_WORD = lazy_pattern(r"[^\W\d_]{2,}")
#: An expression that begins with "anything" or an anchor, or ends with "anything". No sentence does, so its words are
#: symbols.
_FRAMED = lazy_pattern(r"\s*+(?:\^|\(*+\.\)?[*+]).*|.*(?<!\\)\.\)?[*+]\)*+\s*+", re.DOTALL)
#: Periods that may be wildcards, an omission, or a wildcard and the end of a sentence.
_LAST_PERIODS = lazy_pattern(r"(?:(?<!\\)\.|\A)\.\s*+\Z")
#: Emphasis, which looks like an expression with a misplaced star.
_EMPHASIZED = lazy_pattern(r"\*[^\s*]+\*")
#: Bold in Markdown. Stars of the expression may touch the marks: ``**0*1***`` is ``0*1*`` in bold.
_BOLD = lazy_pattern(
    r"(?<![^\s(:>\"'“])\*\*(?=[^\s*])(?P<inside>(?:(?![\s(:>\"'“]\*\*[^\s*])[^\n])+?)\*\*(?=[\s.,;:!?)\"'”]|$)"
)
#: Two signs of repetition in a row, which no strict notation has.
_TWO_REPETITIONS = lazy_pattern(r"[*+?}][*+?{]")
#: An expression in JavaScript.
_SLASHES = lazy_pattern(r"/(?P<expression>.+)/(?P<flags>[dgimsuvy]*)", re.DOTALL)


def read(answer: str, vocabulary: Vocabulary | None) -> Reading:
    """The expression in an answer.

    The alphabet of the vocabulary resolves wildcards, and distinguishes symbols from words and from punctuation.
    """
    alphabet = (vocabulary.alphabet or None) if vocabulary else None
    signs = vocabulary.signs if vocabulary and alphabet else WILDCARDS
    wildcards = [sign for sign in WILDCARDS if sign in signs]
    explained = vocabulary.signs if vocabulary else ()
    notation = _Notation(alphabet, "".join({*(alphabet or ()), *wildcards}), frozenset(explained))
    text = answer.strip()
    # Most answers of good models end here. No mark, word or punctuation is in them, so every notation reads the same.
    if notation.has_only_known_signs(text):
        with suppress(FormulaSyntaxError):
            return Reading(parse(text), compliant=True, recovered=False, text=text)
    # A whole answer that is one expression goes first: a search for marks would take signs off it.
    if (expression := notation.canonical(text)) is not None:
        compliant = notation.explains(answer)
        return Reading(expression, compliant, recovered=not compliant, text=text)
    if _EMPHASIZED.fullmatch(text):
        return nothing("'*' has nothing to repeat")

    def code(bold: re.Match[str]) -> str:
        inside = bold["inside"]
        if "*" not in inside:
            return bold[0]
        if re.search(r"[\s`]", inside):
            return inside
        bare = unpunctuated(inside, notation.kept)
        return f"`{bare}`{inside[len(bare) :]}"

    without_marks = hidden(answer)
    reading = read_formula(_BOLD.sub(code, without_marks), notation, end_signs=notation.kept)
    if without_marks == answer:
        return reading
    return replace(reading, text=shown(reading.text), problem=shown(reading.problem))


@dataclass(frozen=True, slots=True)
class _Notation:
    """The notations of an answer. ``kept`` are the characters that are signs of the expression at its ends, too.

    ``signs`` are those beyond the strict notation that the prompt explains.
    """

    alphabet: Sequence[str] | None
    kept: str
    signs: frozenset[str]

    def has_only_known_signs(self, text: str) -> bool:
        """Whether a text has only symbols of the alphabet that need no backslash, stars and parentheses."""
        return self.alphabet is not None and set(text) <= {*filter(is_plain, self.alphabet), *"*()"}

    def strict(self, text: str) -> Expression:
        try:
            return parse(text)
        except FormulaSyntaxError:
            # A text with a backslash is compliant only if it is canonical: Markdown and LaTeX have backslashes, too.
            known = {*"*(),"}.union(*self.signs) - {"\\"}
            is_plain_text = all(is_plain(char) or char in known for char in text)
            is_wide = self.signs and is_plain_text and not _TWO_REPETITIONS.search(text)
            if not is_wide or not self.explains(text):
                raise
        return parse_extended(text, self.alphabet)

    def explains(self, text: str) -> bool:
        """Whether a text is an expression with no other signs than the strict ones and ``signs``."""
        with suppress(FormulaSyntaxError):
            return self.signs.issuperset(signs_of(parse_extended(text)))
        return False

    def canonical(self, text: str) -> Expression | None:
        """The expression of a text that is its canonical one, and not strict; None for any other text.

        It is not searched for marks: ``\\[01\\]`` are brackets, although LaTeX has them around mathematics.
        """
        with suppress(FormulaSyntaxError):
            parse(text)
            return None
        with suppress(FormulaSyntaxError):
            expression = parse_extended(text)
            is_known = self.alphabet is None or set(symbols(expression)) <= {*self.alphabet}
            if is_known and str(expression) == text == unpunctuated(text, self.kept):
                return self.lenient(text)
        return None

    def lenient(self, text: str) -> Expression:
        text = shown(text)
        if match := _SLASHES.fullmatch(text):
            text = match["expression"].strip()
            if "i" in match["flags"]:
                text = f"(?i){text}"
        if "\n" in text:
            raise FormulaSyntaxError("an expression must be on one line", text, text.index("\n"))
        if "." not in self.kept and _LAST_PERIODS.search(text):
            problem = "it is unclear whether the last period is a wildcard, which the given expression has not"
            raise FormulaSyntaxError(problem, text, len(text.rstrip()) - 1)
        return parse_extended(text, self.alphabet)

    def is_meant(self, formula: Expression, text: str, place: Place | None) -> bool:
        """False for words and numbers. Foreign symbols may occur in an expression without spaces."""
        text = shown(text)
        has_words = _WORD.search(_LATEX_COMMAND.sub(" ", text)) is not None
        has_foreign_symbols = False
        if self.alphabet is not None:
            has_foreign_symbols = not set(symbols(formula)) <= set(self.alphabet)
        is_marked = place in (None, "final", "label", "block")
        if not text.strip(". "):
            return is_marked
        # A sentence has spaces and words. An expression that begins with "anything" may have both.
        if re.search(r"\s", text) and (has_foreign_symbols or has_words):
            is_framed = is_marked and _FRAMED.fullmatch(text)
            if not is_framed:
                return False
        is_alone = place in (None, "block")
        is_known = self.alphabet is not None and not has_foreign_symbols
        # A period or question mark after a word ends a sentence, if nothing else speaks for a sign.
        is_signed = is_alone or not has_words or (is_marked and is_known)
        if _OPERATOR.search(text if is_signed else text.rstrip(".?")):
            return not (place == "span" and (has_foreign_symbols or not symbols(formula)))
        if place == "line" or (has_foreign_symbols and not text.isdecimal()):
            return False
        return (
            is_alone or not has_words or (is_marked and is_known and not self._can_spell_any_word())
        )

    def is_symbolic(self, text: str) -> bool:
        return _SIGN.search(shown(text)) is not None

    def _can_spell_any_word(self) -> bool:
        return {*ascii_lowercase} <= {*(self.alphabet or ())}


def operator_sign(text: str, alphabet: Sequence[str]) -> str:
    """The first operator of regular expressions in a text, with its operand; empty if there is none."""
    match = _operator_piece(tuple(alphabet)).search(_ESCAPED.sub("", text))
    return match[0].strip() if match else ""


#: Escapes of Markdown.
_ESCAPED = lazy_pattern(r"\\(?=[*+?|()\[\]{}])")


@lru_cache(maxsize=64)
def _operator_piece(alphabet: tuple[str, ...]) -> re.Pattern[str]:
    symbols = "".join(map(re.escape, alphabet)) or r"\w"
    symbol = rf"[{symbols}]"
    return re.compile(
        rf"(?:{symbol}|(?<!\w)\w|[)\]'\"`])\s?[*∗⋆★✱]|[{symbols})]\s?(?:[|∪∣∨⁺]|\^\{{?[*+\w∗}}]|\\(?:cup|ast|star|mid|cdot)\b|\{{\d+,?\d*\}})"
        rf"|\([{symbols}\s|*+?.]{{1,200}}\)\s?[+?](?=\W|$)|(?<!\w){symbol}+\+(?!\w)(?!\s+times)|\[\^?[{symbols}][{symbols}-]+\]"
        rf"|\\[dwsDWSbB](?!\w)|\(\?:|(?<!\w)re\.\S"
        r"|(?<!\w)(?i:star|concat|union|or|alt|seq|plus|repeat|optional)\("
    )
