"""Faults in answers: the model understands its input, but its answer is wrong or unusable.

Sources:

- The ∀uto∃val paper, appendix H: explanations after the formula, parentheses that do not match. Its question A3 asks
  models whether two formulas are equivalent. They do well only on small formulas. Hence the faulty judges, which always
  give the same answer or compare the texts.
- Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026): shuffles options and candidates,
  because models favour positions; structured outputs guarantee numbers, but not a permutation.
- The study of translation to temporal logic, section 5: ``=`` for ``<->``; several models take a whole sentence for one
  proposition, others list more than the sentence states; up to 41 % of ill-formed formulas are accepted.

The other faults were observed in practice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import count
from random import Random
from typing import Any

from pytest_autoeval.languages import Formula, Language, formulas_of, language_of
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.offline.answer_key import Propositions
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour

#: Similarity, from 0 to 1, at which two texts look alike.
_LOOKALIKE_SIMILARITY = 0.8
_WORD = lazy_pattern(r"\w+|[^\w\s]")
_IN_SIGNS = "In signs: "
_INVENTED_PHRASE = "the system keeps running"
_APOLOGY = "I'm sorry, but I can't help with translating this statement."


def prose(formula: Formula, text: str) -> Answer:
    """A sentence around the formula, and a list of its operands: a reader must not take the last of them."""
    operands = [language_of(child).format(child) for child in formula.children()]
    lines = [f"{number}. `{operand}`" for number, operand in enumerate(operands or [text], start=1)]
    listed = "\n".join(lines)
    return Answer(f"The statement can be written as `{text}`. It is made of:\n\n{listed}")


def equals_for_iff(formula: Formula, text: str) -> Answer:
    return Answer(text.replace("<->", "=") if isinstance(formula, ltl.Temporal) else text)


@dataclass(frozen=True, kw_only=True)
class Copier(Behaviour):
    """Describes a formula by its ``copy``; ``original`` inverts that, and returns None for other descriptions."""

    copy: Callable[[Language, Formula], str]
    original: Callable[[str], str | None]

    def describe(self, formula: Formula, in_words: Callable[[Any], str]) -> str:  # noqa: ARG002
        return self.copy(language_of(formula), formula)

    def read(self, description: str, chance: Random) -> Answer:
        formula = self.original(description)
        return super().read(description, chance) if formula is None else Answer(formula)

    def formalize(self, text: str, read: Callable[[str], Formula], chance: Random) -> Answer:
        formula = self.original(text)
        return super().formalize(text, read, chance) if formula is None else Answer(formula)


def in_signs(lang: Language, formula: Formula) -> str:
    """``¬(p ∧ q)`` as ``In signs: ¬p ∧ q``, which loses the grouping."""
    text = lang.format(formula)
    # In regular expressions every parenthesis groups.
    bare = re.sub("[()]", "", text) if lang.name == "regex" else _without_grouping(text)
    return _IN_SIGNS + bare


#: An invented word for each symbol of the four languages. ``_LETTERS`` are operators only in temporal logic.
_CODE = {
    "(": "bo", ")": "eb", ",": "ko", ".": "punk", "=": "sama", "¬": "ny", "∧": "kaj", "∨": "aux", "⊕": "xi", "→": "doz",
    "↔": "samm", "∀": "ciu", "∃": "iu", "⊤": "veri", "⊥": "fals", "!": "nin", "&": "kun", "|": "alt", "xor": "xin",
    "->": "dozin", "<->": "samin", "true": "verin", "false": "falsin", "*": "stel",
}  # fmt: skip
_LETTERS = {letter: f"{letter.lower()}ux" for letter in "XFGURWYZOHST"}
_DECODED = {word: sign for sign, word in {**_CODE, **_LETTERS}.items()}
_TOKENS = lazy_pattern(r"\w+|<?->|[^\w\s]")


def encoded(lang: Language, formula: Formula) -> str:
    """A formula with each symbol as an invented word: ``¬(p ∧ q)`` as ``ny bo p kaj q eb``."""
    words = {**_CODE, **_LETTERS} if lang.name == "ltl" else _CODE
    text = lang.format(formula)
    # In regular expressions each character is a sign of its own.
    signs = list(text) if lang.name == "regex" else _TOKENS.findall(text)
    return " ".join(words.get(sign, sign) for sign in signs)


def decoded(description: str) -> str | None:
    """The inverse of :func:`encoded`, in any language."""
    text = " ".join(_DECODED.get(word, word) for word in description.split())
    for candidate in (text, text.replace(" ", "")):  # a regular expression has no spaces
        parsed = formulas_of(candidate)
        if parsed:
            lang, (formula,) = parsed
            return lang.format(formula)
    return None


def _without_grouping(text: str) -> str:
    """The text without the parentheses that group; those around arguments, which follow a name, stay."""
    signs: list[str] = []
    groups: list[bool] = []
    for position, sign in enumerate(text):
        if sign == "(":
            groups.append(re.match(r"[\w-]", text[position - 1 : position]) is None)
        if sign not in "()" or not groups[-1]:
            signs.append(sign)
        if sign == ")":
            groups.pop()
    return "".join(signs)


def with_invented_proposition(_sentence: str, propositions: Propositions) -> Propositions:
    used = {name for _, name in propositions}
    names = (f"x{number}" for number in count(len(propositions) + 1))
    free_name = next(name for name in names if name not in used)
    return (*propositions, (_INVENTED_PHRASE, free_name))


def whole_sentence(sentence: str, propositions: Propositions) -> Propositions:
    name = propositions[0][1] if propositions else "x1"
    return ((sentence.rstrip(".!?"), name),)


def central_option(options: Sequence[str]) -> int:
    """The option with the smallest sum of word distances to all options.

    If every wrong option is one edit of the right one, two wrong ones are two edits apart, and the right one lies
    between them. The score of this model is a baseline: it can be reached without reading the sentence.

    Source of the idea: N. Balepur et al., "Artifacts or abduction: how do LLMs answer multiple-choice questions without
    the question?" (ACL 2024); the measure is ours.
    """
    from rapidfuzz.distance import Levenshtein

    words = [_WORD.findall(option) for option in options]
    distances = [
        sum(Levenshtein.distance(option, compared) for compared in words) for option in words
    ]
    return distances.index(min(distances)) + 1


def look_alike(text: str, compared: str) -> bool:
    return SequenceMatcher(a=text, b=compared, autojunk=False).ratio() >= _LOOKALIKE_SIMILARITY


BEHAVIOURS: tuple[Behaviour, ...] = (
    Behaviour(
        "equals-for-iff", "writes = instead of <->, in temporal logic", wording=equals_for_iff
    ),
    Behaviour("over-extracts", "lists one proposition too many", find=with_invented_proposition),
    Behaviour("whole-sentence", "takes a whole sentence for one proposition", find=whole_sentence),
    Behaviour("accepts-all", "calls every string well-formed", accept=lambda _: True),
    Behaviour("first-option", "always chooses the first option", glance=lambda _: 1),
    Behaviour(
        "choices-only",
        "ignores the sentence and chooses the option most similar to all others",
        glance=central_option,
    ),
    Behaviour(
        "unsorted",
        "ranks candidates in the order in which they are given",
        order=lambda order: tuple(sorted(order)),
    ),
    Behaviour(
        "not-a-permutation",
        "ranks one candidate twice and leaves one out",
        order=lambda order: (*order[:-1], order[0]),
    ),
    Behaviour(
        "prose",
        "explains the formula after giving it, so the answer ends with a part of it",
        wording=prose,
    ),
    Behaviour(
        "unbalanced",
        "opens a parenthesis and does not close it",
        wording=lambda _, text: Answer(f"({text}"),
    ),
    Behaviour(
        "truncated",
        "stops in the middle of the formula, at the token limit",
        wording=lambda _, text: Answer(text[: len(text) // 2], "length"),
    ),
    Behaviour(
        "empty", "gives an empty answer instead of a formula", wording=lambda _, _text: Answer("")
    ),
    Behaviour(
        "refusal", "declines politely to give a formula", wording=lambda _, _text: Answer(_APOLOGY)
    ),
    Copier(
        "leak",
        "copies the formula into its description, without the parentheses, and reads that back",
        copy=in_signs,
        original=lambda text: (
            text.removeprefix(_IN_SIGNS).strip() if text.startswith(_IN_SIGNS) else None
        ),
    ),
    Copier(
        "echo",
        "gives the formula as its description, and reads that back",
        copy=lambda lang, formula: lang.format(formula),
        original=lambda text: text if formulas_of(text) else None,
    ),
    Copier(
        "code",
        "spells each sign of the formula as an invented word, and reads that back",
        copy=encoded,
        original=decoded,
    ),
    Behaviour("yes-sayer", "says that any two formulas mean the same", same=lambda *_: True),
    Behaviour("no-sayer", "says that no two formulas mean the same", same=lambda *_: False),
    Behaviour(
        "lookalike",
        "says that two formulas mean the same if and only if they look alike",
        same=look_alike,
    ),
)
