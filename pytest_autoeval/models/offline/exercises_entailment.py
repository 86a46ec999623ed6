"""The exercise of telling whether premises entail a conclusion, contradict it, or do neither."""

from __future__ import annotations

from random import Random

from pytest_autoeval.languages import EnglishError
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour
from pytest_autoeval.models.offline.exercises import Request, numbered, reasoned
from pytest_autoeval.models.offline.exercises_choices import operators
from pytest_autoeval.models.offline.exercises_sentences import formula_of

PREMISES, CONCLUSION = "Premises", "Conclusion"


def conclude(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """What follows from the premises of the conclusion: True, False, or Uncertain."""
    texts = (*numbered(request.payloads[PREMISES]), request.payloads[CONCLUSION])
    formulas = request.answer_key.story_of(texts) or tuple(map(formula_of, texts))
    taken = tuple(behaviour.understand(text, formula, chance) for text, formula in zip(texts, formulas, strict=True))
    label = behaviour.conclude(_label(taken, is_misread=taken != formulas), operators(*formulas), chance)
    *premises, conclusion = map(str, taken)
    reasons = f"I take the premises to say: {'; '.join(premises)}. Of the conclusion, {conclusion}, I say:"
    return reasoned(request, reasons, label)


def _label(formulas: tuple[Sentence, ...], *, is_misread: bool) -> str:
    """What follows from all but the last of the last; raises :class:`EnglishError` where that is undecided.

    From premises that contradict each other anything follows: who has misread them does not notice that.
    """
    from pytest_autoeval.datasets.first_order.entailment import derived_label

    *premises, conclusion = formulas
    outcome = derived_label(tuple(premises), conclusion).outcome
    if outcome == "inconsistent" and is_misread:
        return "True"
    if outcome == "inconsistent":
        raise EnglishError("the premises contradict each other, so that anything follows from them")
    if outcome == "undecided":
        raise EnglishError(f"whether {conclusion} follows is more than I can tell")
    return outcome
