"""The request to an offline model, and the model's behaviour. A fault is one small function, or a subclass."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, fields
from random import Random
from typing import Any, Literal, cast

from pytest_autoeval.languages import (
    EnglishError,
    Formula,
    FormulaSyntaxError,
    Language,
    Verdict,
    language,
    language_names,
    language_of,
)
from pytest_autoeval.languages.base import VerdictOutcome, places, replaced_at
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.model_names import PREFIX, ModelOptionError
from pytest_autoeval.models.offline.answer_key import AnswerKey, Propositions
from pytest_autoeval.models.protocols import Message

#: A line of a prompt with a phrase and its name.
PHRASE_AND_NAME = lazy_pattern(
    r'^[ \t]*"(?P<phrase>.*)"[ \t]*:[ \t]*(?P<name>\S+)[ \t]*$', re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of an offline model. ``refusal``: why it gives none, as models say in a field of their own."""

    text: str
    finish_reason: Literal["stop", "length"] = "stop"
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """The request of a conversation: the payloads under their labels, and all messages up to them.

    ``structured``: the answer must be JSON. ``answer_key``: the sentences that the model knows.
    """

    payloads: Mapping[str, str]
    conversation: Sequence[Message] = ()
    structured: bool = False
    answer_key: AnswerKey = field(default_factory=AnswerKey)

    def mentions(self, word: str) -> bool:
        """Whether the word occurs anywhere in the conversation."""
        return any(word in message.content for message in self.conversation)


@dataclass(frozen=True)
class Behaviour:
    """The behaviour of an offline model: faithful except for its fault.

    A fault replaces one of these functions, or is a subclass. The random numbers of the methods, ``chance``, depend
    only on the request and its seed.

    Attributes:
        name: without ``offline/``.
        summary: what the model does, in a line.
        change: from the right formula to the formula that the model reads.
        only_in_writing: the change applies only to formulas that the model writes for a sentence.
        wording: from the formula that was read and its text to the answer.
        find: from a sentence and its propositions to the propositions that the model lists.
        accept: maps whether a text is well-formed to the model's answer.
        same: whether the model calls formulas with these two texts, in either order, equivalent; None: the model
            answers correctly.
        glance: the number, from 1, of the option that the model chooses without reading the question; None: it reads
            the question.
        order: from the right order of candidates to the order that the model gives.
    """

    name: str
    summary: str
    change: Callable[[Formula], Formula] = lambda formula: formula
    _: KW_ONLY
    only_in_writing: bool = False
    wording: Callable[[Formula, str], Answer] = lambda _, text: Answer(text)
    find: Callable[[str, Propositions], Propositions] = lambda _, propositions: propositions
    accept: Callable[[bool], bool] = lambda is_well_formed: is_well_formed
    same: Callable[[str, str], bool] | None = None
    glance: Callable[[Sequence[str]], int | None] = lambda _: None
    order: Callable[[tuple[int, ...]], tuple[int, ...]] = lambda order: order

    def configured(self, options: Mapping[str, str]) -> Behaviour:
        """This behaviour with options from the model's name; raises :class:`ModelOptionError`."""
        if options:
            raise ModelOptionError(
                f"{PREFIX}{self.name} takes no options, and was given {', '.join(options)}"
            )
        return self

    def describe(self, formula: Formula, in_words: Callable[[Any], str]) -> str:
        """The description of a formula; ``in_words`` gives its English and raises :class:`EnglishError`."""
        return in_words(formula)

    def read(self, description: str, chance: Random) -> Answer:
        """The answer to a description; raises :class:`EnglishError`."""
        return self.write(self.misread(formula_of_description(description), chance), chance)

    def misread(self, formula: Formula, chance: Random) -> Formula:  # noqa: ARG002
        """The formula that the model reads in a description of ``formula``."""
        return self.change(formula)

    def write(self, formula: Formula, chance: Random) -> Answer:
        """The answer with a formula."""
        return self.word(formula, language_of(formula).format(formula), chance)

    def word(self, formula: Formula, text: str, chance: Random) -> Answer:  # noqa: ARG002
        """The answer with a formula; ``text`` is the formula in the notation of the prompt."""
        return self.wording(formula, text)

    def compare(
        self, formula: Formula, compared: Formula, lang: Language, chance: Random
    ) -> Verdict:
        """The verdict of the model on two formulas of a language, as it reads them."""
        if self.same is not None:
            # Sorted: the answer must not depend on the order of the two formulas.
            texts = sorted((lang.format(formula), lang.format(compared)))
            is_same = self.same(*texts)
            return Verdict(
                VerdictOutcome.EQUIVALENT if is_same else VerdictOutcome.DIFFERENT, "looks"
            )
        return lang.equivalent(self.misread(formula, chance), self.misread(compared, chance))

    def formalize(self, text: str, read: Callable[[str], Formula], chance: Random) -> Answer:
        """The answer to a sentence; ``read`` gives its right formula and raises :class:`EnglishError`."""
        return self.write(self.translate(text, read(text), chance), chance)

    def translate(self, sentence: str, formula: Formula, chance: Random) -> Formula:  # noqa: ARG002
        """The formula that the model writes for a sentence whose right formula is ``formula``."""
        return self.misread(formula, chance)

    def understand(self, sentence: str, formula: Sentence, chance: Random) -> Sentence:
        """The formula that the model reads in a sentence, to compare others with it."""
        understood = formula if self.only_in_writing else self.translate(sentence, formula, chance)
        assert isinstance(understood, Sentence)
        return understood

    def guesses(self, size: int, chance: Random) -> bool:  # noqa: ARG002
        """Whether the model guesses a choice, an order or a label; ``size``: number of operators in the question."""
        return False


#: A change at one place of a formula; None where it does not apply.
LocalChange = Callable[[Formula], Formula | None]


def taken_for(operators: Mapping[type[Formula], Callable[..., Formula]]) -> LocalChange:
    """The change of one operator to another, with the same operands."""

    def slip(formula: Formula) -> Formula | None:
        operator = operators.get(type(formula))
        if operator is None:
            return None
        operands = [getattr(formula, field_of.name) for field_of in fields(cast("Any", formula))]
        return operator(*operands)

    return slip


def everywhere(slip: LocalChange) -> Callable[[Formula], Formula]:
    """The change at every place where it applies, bottom-up."""

    def change(formula: Formula) -> Formula:
        read = formula.map_children(change)
        return slip(read) or read

    return change


def at_first(slip: LocalChange) -> Callable[[Formula], Formula]:
    """The change at the first place where it applies, top-down and from the left."""

    def change(formula: Formula) -> Formula:
        for path, subformula in places(formula):
            read = slip(subformula)
            if read is not None and read != subformula:
                return replaced_at(formula, path, read)
        return formula

    return change


def formula_of_description(description: str) -> Formula:
    """The formula of a description in the English of any language; raises :class:`EnglishError`."""
    # Each language is tried, since a request does not name its language.
    for name in language_names():
        with suppress(EnglishError, FormulaSyntaxError):
            return language(name).read_description(description)
    raise EnglishError("the description is not in the English that the offline models write")


def reasoned(request: Request, reasons: str, answer: int | str | Sequence[int]) -> Answer:
    """Reasons and an answer, as JSON if the request is structured."""
    if request.structured:
        return Answer(json.dumps({"reasoning": reasons, "answer": answer}, ensure_ascii=False))
    if not isinstance(answer, int | str):
        answer = ", ".join(map(str, answer))
    return Answer(f"{reasons}\n\nAnswer: {answer}")


def labelled(symbols: str, answer: Answer) -> Answer:
    """The answer with the list of symbols before the formula."""
    space = "\n" if "\n" in answer.text else " "
    return Answer(f"{symbols}\nFormula:{space}{answer.text}".lstrip("\n"), answer.finish_reason)


def numbered_entries(text: str) -> tuple[str, ...]:
    """The entries of a numbered list, each on one or more lines; raises :class:`EnglishError`."""
    before, *pieces = re.split(r"^[ \t]*(\d+)[.)][ \t]+", text, flags=re.MULTILINE)
    numbers = [int(number) for number in pieces[::2]]
    entries = tuple(" ".join(entry.split()) for entry in pieces[1::2])
    is_list = bool(entries) and numbers == list(range(1, len(entries) + 1))
    if before.strip() or not is_list:
        raise EnglishError("a numbered list was expected: 1, 2, 3, …")
    return entries
