"""The exercise of judging a pair: do two formulas mean the same? And the models that always go about it in one way.

Source: the ∀uto∃val paper, question A3: models asked this in place of a verifier do well on small formulas only.
That a judge tends to one answer, or takes likeness of form for likeness of meaning, is a fault that figures must show.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from random import Random

from pytest_autoeval.languages import EnglishError, Formula, Language, Verdict, formulas_of
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour
from pytest_autoeval.models.offline.exercises import Request

FIRST, SECOND = "First formula", "Second formula"
#: What a prompt asks for that wants reasons before the answer.
_LAST_LINE = "Answer: yes"
#: How alike two texts are, from 0 to 1, that look the same at a glance.
_LOOKS_THE_SAME = 0.8


def judge_pair(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """Whether two formulas mean the same."""
    found = formulas_of(request.payloads[FIRST], request.payloads[SECOND])
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


class AlwaysSays(Behaviour):
    """Gives every pair the same answer."""

    def __init__(self, name: str, description: str, *, same: bool) -> None:
        super().__init__(name, description)
        self._verdict = Verdict("equivalent" if same else "different", "habit")

    def compare(self, first: Formula, second: Formula, lang: Language, chance: Random) -> Verdict:  # noqa: ARG002
        return self._verdict


class JudgesByLooks(Behaviour):
    """Takes two formulas for the same if their texts are much alike, in whichever order they come."""

    def compare(self, first: Formula, second: Formula, lang: Language, chance: Random) -> Verdict:  # noqa: ARG002
        texts = sorted((lang.format(first), lang.format(second)))
        alike = SequenceMatcher(a=texts[0], b=texts[1], autojunk=False).ratio() >= _LOOKS_THE_SAME
        return Verdict("equivalent" if alike else "different", "looks")


BEHAVIOURS: tuple[Behaviour, ...] = (
    AlwaysSays("yes-sayer", "says of every two formulas that they mean the same", same=True),
    AlwaysSays("no-sayer", "says of no two formulas that they mean the same", same=False),
    JudgesByLooks("lookalike", "takes two formulas that look alike for the same, and no others"),
)
