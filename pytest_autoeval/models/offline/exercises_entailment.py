"""The exercise of telling whether premises entail a conclusion, contradict it, or do neither."""

from __future__ import annotations

from random import Random

from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.models.offline import answer_key_logic as answer_key
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour
from pytest_autoeval.models.offline.exercises import Request, exercise, numbered, reasoned
from pytest_autoeval.models.offline.exercises_choices import operators
from pytest_autoeval.models.offline.exercises_sentences import formula_of
from pytest_autoeval.models.offline.words import NotThisEnglishError

PREMISES, CONCLUSION = "Premises", "Conclusion"


@exercise(PREMISES, CONCLUSION)
def conclude(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """What follows from the premises of the conclusion: True, False, or Uncertain."""
    texts = (*numbered(request.payloads[PREMISES]), request.payloads[CONCLUSION])
    formulas = answer_key.story_of(texts) or tuple(map(formula_of, texts))
    *premises, conclusion = (
        behaviour.understand(text, formula, chance) for text, formula in zip(texts, formulas, strict=True)
    )
    label = behaviour.conclude(label_of(tuple(premises), conclusion), operators(*formulas), chance)
    taken = "; ".join(map(str, premises))
    return reasoned(request, f"I take the premises to say: {taken}. Of the conclusion, {conclusion}, I say:", label)


def label_of(premises: tuple[Sentence, ...], conclusion: Sentence) -> str:
    """What follows from premises of a conclusion; raises :class:`NotThisEnglishError` where that cannot be told."""
    from pytest_autoeval.datasets.entailment import derived_label

    outcome = derived_label(premises, conclusion).outcome
    if outcome == "inconsistent":
        raise NotThisEnglishError("the premises contradict each other, so that anything follows from them")
    if outcome == "undecided":
        raise NotThisEnglishError(f"whether {conclusion} follows is more than I can tell")
    return outcome
