"""The exercise of telling whether premises entail a conclusion, contradict it, or do neither."""

from __future__ import annotations

from functools import lru_cache, reduce
from random import Random

from pytest_autoeval.languages import language
from pytest_autoeval.languages.logic.syntax import And, Not, Sentence
from pytest_autoeval.models.offline import answer_key_logic as answer_key
from pytest_autoeval.models.offline.behaviour import LABELS, Answer, Behaviour
from pytest_autoeval.models.offline.exercises import Request, exercise, numbered, reasoned
from pytest_autoeval.models.offline.exercises_choices import operators
from pytest_autoeval.models.offline.exercises_sentences import formula_of
from pytest_autoeval.models.offline.words import NotThisEnglishError

PREMISES, CONCLUSION = "Premises", "Conclusion"
_TRUE, _FALSE, _UNCERTAIN = LABELS


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


@lru_cache(maxsize=5_000)
def label_of(premises: tuple[Sentence, ...], conclusion: Sentence) -> str:
    """What follows from premises of a conclusion; raises :class:`NotThisEnglishError` where that cannot be told."""
    together = reduce(And, premises)
    follows, is_denied = _entails(together, conclusion), _entails(together, Not(conclusion))
    if follows and is_denied:
        raise NotThisEnglishError("the premises contradict each other, so that anything follows from them")
    return _TRUE if follows else _FALSE if is_denied else _UNCERTAIN


def _entails(premises: Sentence, conclusion: Sentence) -> bool:
    verdict = language("first_order").entails(premises, conclusion)
    if verdict.outcome == "undecided":
        raise NotThisEnglishError(f"whether {conclusion} follows is more than I can tell")
    return verdict.outcome == "entails"
