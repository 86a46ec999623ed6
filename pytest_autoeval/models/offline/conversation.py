"""From a conversation to an offline model's answer: what is asked, and who answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from pytest_autoeval.languages import EnglishError, Formula, LimitError, formulas_of
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.models.base import Message
from pytest_autoeval.models.offline import exercises_logic, exercises_ltl
from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour, Request
from pytest_autoeval.models.offline.catalogue import behaviour_of

#: What a prompt asks for that wants reasons before the answer.
_LAST_LINE = "Answer: yes"


def describe(behaviour: Behaviour, request: Request, _chance: Random) -> Answer:
    """A formula into English."""
    formula = formula_in(request.payloads["Formula"])
    if formula is None:
        return Answer("I cannot describe this: it is not written as a formula of a language that I know.")
    return Answer(behaviour.describe(formula))


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
    if verdict.outcome == VerdictOutcome.UNDECIDED:
        return Answer("I cannot tell whether they mean the same.")
    verdict_word = "yes" if verdict.outcome == VerdictOutcome.EQUIVALENT else "no"
    if not request.mentions(_LAST_LINE):
        return Answer(verdict_word)
    if verdict.outcome == VerdictOutcome.EQUIVALENT:
        reason = "I looked for a case on which the two formulas come apart, and there is none."
    elif verdict.witness is None:
        reason = "The two formulas seem to come apart in some case."
    else:
        case = "; ".join(line.strip() for line in str(verdict.witness).splitlines() if line.strip())
        reason = f"The two formulas come apart in this case, where the left is the first formula: {case}"
    return Answer(f"{reason}\n\nAnswer: {verdict_word}")


#: The exercises by the labels over the payloads of their prompts; a label begins a line and ends in a colon.
_EXERCISES: dict[frozenset[str], Callable[[Behaviour, Request, Random], Answer]] = {
    frozenset(labels): exercise
    for labels, exercise in (
        (["Formula"], describe),
        (["Description"], read),
        (["Sentence"], exercises_ltl.find_propositions),
        (["String"], exercises_ltl.judge_string),
        (["Propositions", "Sentence"], exercises_ltl.translate),
        (["Requirement"], exercises_ltl.translate_sentence),
        (["Formula", "Trace"], exercises_ltl.judge_trace),
        (["Formula", "Wanted"], exercises_ltl.write_trace),
        (["First formula", "Second formula"], judge_pair),
        (["Symbols", "Sentence"], exercises_logic.translate),
        (["Symbols", "Formula to describe"], exercises_logic.describe),
        (["Statement to formalize"], exercises_logic.translate_openly),
        (["Statement to analyse"], exercises_logic.extract),
        (["Symbols", "Sentence", "Options"], exercises_logic.choose),
        (["Sentence", "Options"], exercises_logic.choose),
        (["Symbols", "Sentence", "Candidates"], exercises_logic.rank),
        (["Sentence", "Candidates"], exercises_logic.rank),
        (["Premises", "Conclusion"], exercises_logic.conclude),
    )
}
#: Every label that an exercise has.
LABELS = frozenset().union(*_EXERCISES)
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")


def answer(
    model: str,
    messages: Sequence[Message],
    seed: int | None = None,
    *,
    structured: bool = False,
    answer_key: AnswerKey | None = None,
) -> Answer:
    """What the offline model of that name answers; depends on nothing but the arguments.

    ``structured`` asks for JSON where the answer is a choice, an order or a label. A model without an answer says so in
    words: no JSON of the schema could. ``answer_key`` is by default that of the shipped data sets.

    Raises :class:`UnknownOfflineModelError` or :class:`ModelOptionError` for a name that is wrong.
    """
    behaviour = behaviour_of(model)
    request = replace(request_in(messages), structured=structured, answer_key=answer_key or AnswerKey())
    # Random numbers for this request alone, the same on every machine.
    drawn_for = [behaviour.name, seed, *([message.role, message.content] for message in request.conversation)]
    chance = Random(hashlib.sha256(json.dumps(drawn_for).encode()).digest())  # noqa: S311
    try:
        return _EXERCISES[frozenset(request.payloads)](behaviour, request, chance)
    except EnglishError as problem:
        return Answer(f"I cannot tell what this says; I understand only the English of the offline models. ({problem})")
    except (LimitError, RecursionError):
        return Answer("I cannot follow this: it nests too deeply for me.")


def request_in(messages: Sequence[Message]) -> Request:
    """What the last message of the user with labels asks; one without asks to look at the answer once more.

    A payload is what follows its label, up to the next one; a label with nothing behind it is a cue for the answer and
    does not count, and of two equal ones the last does. Of the exercises whose labels are all there, it is one with the
    last label; of those, the one with the most. In a conversation without labels it is the last paragraph of the user:
    to describe if it is a formula, else to read.
    """
    for number in range(len(messages), 0, -1):
        message = messages[number - 1]
        payloads = _payloads(message.content) if message.role == "user" else {}
        for last in reversed(payloads):
            if possible := [wanted for wanted in _EXERCISES if last in wanted and wanted <= payloads.keys()]:
                wanted = max(possible, key=len)
                return Request({label: payloads[label] for label in wanted}, messages[:number])
    text = next((message.content for message in reversed(messages) if message.role == "user"), "")
    paragraph = _PARAGRAPHS.split(text.strip())[-1].strip()
    label = "Description" if formula_in(paragraph) is None else "Formula"
    return Request({label: paragraph}, messages)


def _payloads(text: str) -> dict[str, str]:
    """What stands under each label, in the order of the labels' last places."""
    known = "|".join(map(re.escape, sorted(LABELS)))
    _, *pieces = re.split(rf"^[ \t]*({known}):", text, flags=re.MULTILINE)
    found: dict[str, str] = {}
    for label, payload in zip(pieces[::2], pieces[1::2], strict=True):
        if payload.strip():
            found.pop(label, None)
            found[label] = payload.strip()
    return found


def formula_in(text: str) -> Formula | None:
    """The formula that the text strictly is, in the language of :func:`formulas_of`."""
    found = formulas_of(text)
    return found[1][0] if found else None
