"""Faults of answers: the formula is read rightly, and the answer is none, or not one that says so.

Sources: the ∀uto∃val paper, appendix H (explanations after the formula, parentheses that do not match) and question A3
(asked to judge a pair in place of a verifier, models do well on small formulas only: that a judge tends to one answer,
or takes likeness of form for likeness of meaning, is a fault that figures must show). That models favour an option for
its place is a known bias of multiple choice; the study of translation to first-order logic (Brunello et al., AAAI 2026)
shuffles options and candidates for that reason, and asks for structured outputs, which keep an answer to numbers and
cannot keep it to a permutation.
The study of translation to temporal logic, section 5: ``=`` written for ``<->``; without guidance, several models take
a whole sentence for one proposition, others list more than the sentence states; up to 41 % of ill-formed formulas are
accepted. The rest is what servers and models are known to return.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import count
from random import Random

from pytest_autoeval.languages import Formula, Language, formulas_of, language_of
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ontology import Ontology
from pytest_autoeval.models.offline.answer_key import Propositions
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour

#: How alike two texts are, from 0 to 1, that look the same at a glance.
_LOOKS_THE_SAME = 0.8
_WORD = re.compile(r"\w+|[^\w\s]")
_IN_SIGNS = "In signs: "
_INVENTED_PHRASE = "the system keeps running"
_APOLOGY = "I'm sorry, but I can't help with translating this statement."


def prose(formula: Formula, text: str) -> Answer:
    """The formula in a sentence, followed by its parts."""
    parts = [language_of(part).format(part) for part in formula.children()] or [text]
    listed = "\n".join(f"{number}. `{part}`" for number, part in enumerate(parts, start=1))
    return Answer(f"The statement can be written as `{text}`. It is made of:\n\n{listed}")


def equals_for_iff(formula: Formula, text: str) -> Answer:
    """Equality for equivalence; section 5 reports it of past formulas. A notation without ``<->`` stays as it is."""
    return Answer(text.replace("<->", "=") if isinstance(formula, ltl.Temporal) else text)


@dataclass(frozen=True, kw_only=True)
class Copier(Behaviour):
    """Describes a formula by its ``copy``, and reads that back as ``original`` says; all else like a faithful model."""

    copy: Callable[[Language, Formula], str]
    original: Callable[[str], str | None]

    def describe(self, formula: Formula) -> str:
        return self.copy(language_of(formula), formula)

    def read(self, description: str, chance: Random) -> Answer:
        found = self.original(description)
        return super().read(description, chance) if found is None else Answer(found)

    def verbalize(self, formula: Sentence, _ontology: Ontology) -> str:
        return self.describe(formula)

    def read_verbal(self, description: str, ontology: Ontology, chance: Random) -> Answer:
        found = self.original(description)
        return super().read_verbal(description, ontology, chance) if found is None else Answer(found)


def in_signs(lang: Language, formula: Formula) -> str:
    """``¬(p ∧ q)`` as ``In signs: ¬p ∧ q``, which loses the grouping."""
    text = lang.format(formula)
    return _IN_SIGNS + (re.sub("[()]", "", text) if lang.name == "regex" else _ungrouped(text))


def out_of_signs(description: str) -> str | None:
    """The text behind ``In signs:``."""
    return description.removeprefix(_IN_SIGNS).strip() if description.startswith(_IN_SIGNS) else None


def repeated(description: str) -> str | None:
    """A description that is a formula itself."""
    return description if formulas_of(description) else None


#: An invented word for each sign of the four languages; letters are signs of temporal logic alone.
_CODE = {
    "(": "bo", ")": "eb", ",": "ko", ".": "punk", "=": "sama", "¬": "ny", "∧": "kaj", "∨": "aux", "⊕": "xi", "→": "doz",
    "↔": "samm", "∀": "ciu", "∃": "iu", "⊤": "veri", "⊥": "fals", "!": "nin", "&": "kun", "|": "alt", "xor": "xin",
    "->": "dozin", "<->": "samin", "true": "verin", "false": "falsin", "*": "stel",
}  # fmt: skip
_LETTERS = {letter: f"{letter.lower()}ux" for letter in "XFGURWYZOHST"}
_DECODED = {word: sign for sign, word in {**_CODE, **_LETTERS}.items()}
_SIGNS = re.compile(r"\w+|<?->|[^\w\s]")


def encoded(lang: Language, formula: Formula) -> str:
    """A formula with each sign as an invented word: ``¬(p ∧ q)`` as ``ny bo p kaj q eb``."""
    words = {**_CODE, **_LETTERS} if lang.name == "ltl" else _CODE
    text = lang.format(formula)
    return " ".join(words.get(sign, sign) for sign in (text if lang.name == "regex" else _SIGNS.findall(text)))


def decoded(description: str) -> str | None:
    """The formula that :func:`encoded` wrote so, in whichever language it is one."""
    text = " ".join(_DECODED.get(word, word) for word in description.split())
    for spelled in (text, text.replace(" ", "")):
        if found := formulas_of(spelled):
            lang, (formula,) = found
            return lang.format(formula)
    return None


def _ungrouped(text: str) -> str:
    """The text without the parentheses that group; those around arguments, which follow a name, stay."""
    kept: list[str] = []
    groups: list[bool] = []
    for at, sign in enumerate(text):
        if sign == "(":
            groups.append(re.match(r"[\w-]", text[at - 1 : at]) is None)
        if sign not in "()" or not groups[-1]:
            kept.append(sign)
        if sign == ")":
            groups.pop()
    return "".join(kept)


def with_one_more(_sentence: str, propositions: Propositions) -> Propositions:
    """The propositions, and one that the sentence does not state."""
    used = {name for _, name in propositions}
    names = (f"x{number}" for number in count(len(propositions) + 1))
    return (*propositions, (_INVENTED_PHRASE, next(name for name in names if name not in used)))


def whole_sentence(sentence: str, propositions: Propositions) -> Propositions:
    """A sentence as one proposition."""
    return ((sentence.rstrip(".!?"), next((name for _, name in propositions), "x1")),)


def in_the_midst(options: Sequence[str]) -> int:
    """The option that is nearest to all the others in its words.

    Where every wrong option is one edit of the right one, two wrong ones are two edits apart: the right one lies in
    their midst. What a model scores that never reads the sentence is what a score may owe to that.

    Source: N. Balepur et al., "Artifacts or abduction: how do LLMs answer multiple-choice questions without the
    question?" (ACL 2024), for the question; the measure is ours.
    """
    from rapidfuzz.distance import Levenshtein

    words = [_WORD.findall(option) for option in options]
    far = [sum(Levenshtein.distance(one, other) for other in words) for one in words]
    return far.index(min(far)) + 1


def look_alike(first: str, second: str) -> bool:
    """Whether two texts look the same at a glance."""
    return SequenceMatcher(a=first, b=second, autojunk=False).ratio() >= _LOOKS_THE_SAME


BEHAVIOURS: tuple[Behaviour, ...] = (
    Behaviour("equals-for-iff", "writes = instead of <->, in temporal logic", wording=equals_for_iff),
    Behaviour("over-extracts", "lists one proposition too many", find=with_one_more),
    Behaviour("whole-sentence", "takes a whole sentence for one proposition", find=whole_sentence),
    Behaviour("accepts-all", "calls every string well-formed", accept=lambda _: True),
    Behaviour("first-option", "always chooses the first option", glance=lambda _: 1),
    Behaviour(
        "choices-only", "ignores the sentence and chooses the option most similar to all others", glance=in_the_midst
    ),
    Behaviour(
        "unsorted", "ranks candidates in the order in which they are given", order=lambda order: tuple(sorted(order))
    ),
    Behaviour(
        "not-a-permutation", "ranks one candidate twice and leaves one out", order=lambda order: (*order[:-1], order[0])
    ),
    Behaviour("prose", "explains the formula after giving it, so the answer ends with a part of it", wording=prose),
    Behaviour("unbalanced", "opens a parenthesis and does not close it", wording=lambda _, text: Answer(f"({text}")),
    Behaviour(
        "truncated",
        "stops in the middle of the formula, at the token limit",
        wording=lambda _, text: Answer(text[: len(text) // 2], "length"),
    ),
    Behaviour("empty", "gives an empty answer instead of a formula", wording=lambda _, _text: Answer("")),
    Behaviour("refusal", "declines politely to give a formula", wording=lambda _, _text: Answer(_APOLOGY)),
    Copier(
        "leak",
        "copies the formula into its description, without the parentheses, and reads that back",
        copy=in_signs,
        original=out_of_signs,
    ),
    Copier(
        "echo",
        "gives the formula as its description, and reads that back",
        copy=lambda lang, formula: lang.format(formula),
        original=repeated,
    ),
    Copier(
        "code",
        "spells each sign of the formula as an invented word, and reads that back",
        copy=encoded,
        original=decoded,
    ),
    Behaviour("yes-sayer", "says that any two formulas mean the same", same=lambda *_: True),
    Behaviour("no-sayer", "says that no two formulas mean the same", same=lambda *_: False),
    Behaviour("lookalike", "says that two formulas mean the same if and only if they look alike", same=look_alike),
)
