"""Faults in the tasks of temporal logic that give no formula: taking a sentence apart, telling what is a formula.

Source: the study of translation to temporal logic, section 5. Without guidance, several models take a whole sentence
for one proposition, which hides its structure; others list more than the sentence states. Ill-formed formulas that are
accepted are called the most critical failure of syntactic judgement: up to 41 % of them.
"""

from __future__ import annotations

from itertools import count

from pytest_autoeval.models.offline.answer_key import Propositions
from pytest_autoeval.models.offline.behaviour import Behaviour

_INVENTED = "the system keeps running"


class OverExtracts(Behaviour):
    """Lists a proposition that the sentence does not state."""

    languages = ("ltl",)

    def find(self, sentence: str, propositions: Propositions) -> Propositions:  # noqa: ARG002
        used = {name for _, name in propositions}
        names = (f"x{number}" for number in count(len(propositions) + 1))
        return (*propositions, (_INVENTED, next(name for name in names if name not in used)))


class WholeSentence(Behaviour):
    """Takes a sentence for one proposition."""

    languages = ("ltl",)

    def find(self, sentence: str, propositions: Propositions) -> Propositions:
        return ((sentence.rstrip(".!?"), next((name for _, name in propositions), "x1")),)


class AcceptsAll(Behaviour):
    """Calls whatever it is shown well-formed."""

    languages = ("ltl",)

    def accept(self, text: str, *, well_formed: bool) -> bool:  # noqa: ARG002
        return True


BEHAVIOURS: tuple[Behaviour, ...] = (
    OverExtracts("over-extracts", "lists a proposition more than a sentence states"),
    WholeSentence("whole-sentence", "takes a whole sentence for one proposition"),
    AcceptsAll("accepts-all", "calls every string well-formed"),
)
