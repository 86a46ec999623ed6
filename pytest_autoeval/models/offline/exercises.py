"""What an offline model can be asked to do: a round trip, the judgement of a pair, and what all exercises share.

The exercises of single languages have modules of their own; the table of all is in
:mod:`pytest_autoeval.models.offline.conversation`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from pytest_autoeval.languages import EnglishError, Formula, Verdict, formulas_of
from pytest_autoeval.models.base import Message
from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour


@dataclass(frozen=True, slots=True)
class Request:
    """What a conversation asks for: the payloads under their labels, and all messages up to them.

    ``structured`` says that the answer has to be JSON: reasons, then the answer. ``answer_key`` is what the model knows
    of given sentences.
    """

    payloads: Mapping[str, str]
    conversation: Sequence[Message] = ()
    structured: bool = False
    answer_key: AnswerKey = field(default_factory=AnswerKey)

    def mentions(self, word: str) -> bool:
        """Whether the word occurs anywhere in the conversation."""
        return any(word in message.content for message in self.conversation)


#: What a prompt asks for that wants reasons before the answer.
_LAST_LINE = "Answer: yes"

Exercise = Callable[[Behaviour, Request, Random], Answer]


def describe(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A formula into English."""
    formula = formula_in(request.payloads["Formula"])
    if formula is None:
        return Answer("I cannot describe this: it is not written as a formula of a language that I know.")
    return Answer(behaviour.describe(formula, chance))


def read(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """English into a formula."""
    return behaviour.read(request.payloads["Description"], chance)


def judge_pair(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """Whether two formulas mean the same."""
    found = formulas_of(request.payloads["First formula"], request.payloads["Second formula"])
    if found is None:
        raise EnglishError("these are not two formulas of one language that I know")
    lang, (first, second) = found
    verdict = behaviour.compare(first, second, lang, chance)
    if verdict.outcome == "undecided":
        return Answer("I cannot tell whether they mean the same.")
    verdict_word = "yes" if verdict.outcome == "equivalent" else "no"
    if not request.mentions(_LAST_LINE):
        return Answer(verdict_word)
    return Answer(f"{_reason(verdict)}\n\nAnswer: {verdict_word}")


def _reason(verdict: Verdict) -> str:
    if verdict.outcome == "equivalent":
        return "I looked for a case on which the two formulas come apart, and there is none."
    if verdict.witness is None:
        return "The two formulas seem to come apart in some case."
    case = "; ".join(line.strip() for line in str(verdict.witness).splitlines() if line.strip())
    return f"The two formulas come apart in this case, where the left is the first formula: {case}"


def reasoned(request: Request, reasons: str, answer: int | str | Sequence[int]) -> Answer:
    """The answer to a question behind the reasons for it, in the form that was asked for."""
    if request.structured:
        return Answer(json.dumps({"reasoning": reasons, "answer": answer}, ensure_ascii=False))
    shown = answer if isinstance(answer, int | str) else ", ".join(map(str, answer))
    return Answer(f"{reasons}\n\nAnswer: {shown}")


def labelled(symbols: str, answer: Answer) -> Answer:
    """The answer in a formula under its label, below the list of its symbols."""
    space = "\n" if "\n" in answer.text else " "
    return Answer(f"{symbols}\nFormula:{space}{answer.text}".lstrip("\n"), answer.finish_reason)


def numbered(text: str) -> tuple[str, ...]:
    """The entries of a numbered list, each on its line or on several; raises :class:`EnglishError`."""
    before, *pieces = re.split(r"^[ \t]*(\d+)[.)][ \t]+", text, flags=re.MULTILINE)
    entries = tuple(" ".join(entry.split()) for entry in pieces[1::2])
    if before.strip() or not entries or [int(number) for number in pieces[::2]] != list(range(1, len(entries) + 1)):
        raise EnglishError("what was to be a numbered list does not count from 1")
    return entries


def formula_in(text: str) -> Formula | None:
    """The formula that the text strictly is, in the language of :func:`formulas_of`."""
    found = formulas_of(text)
    return found[1][0] if found else None
