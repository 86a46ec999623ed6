"""The exercises of choosing the option that says what a sentence says, and of ordering candidates by how near they are.

A model takes the sentence in its own way, and reads what it is offered as it stands: so a misreading leads to the
option that says what was misread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from functools import lru_cache
from random import Random

from pytest_autoeval.languages import EnglishError, language
from pytest_autoeval.languages.logic.le_score import le_score
from pytest_autoeval.languages.logic.signature import foreign
from pytest_autoeval.languages.logic.syntax import Not, Sentence
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour, formula_of_verbal
from pytest_autoeval.models.offline.exercises import Request, numbered, reasoned
from pytest_autoeval.models.offline.exercises_sentences import SENTENCE, SYMBOLS, formula_of

OPTIONS, CANDIDATES = "Options", "Candidates"

#: The formula of a sentence, and those of what is offered.
_Question = tuple[Sentence, tuple[Sentence, ...]]


def choose(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """The number of the option that means what the sentence says."""
    if (taken_unread := behaviour.glance(numbered(request.payloads[OPTIONS]))) is not None:
        return reasoned(request, "I look at the options alone.", taken_unread)
    formula, options = _question(request, OPTIONS)
    taken = behaviour.understand(request.payloads[SENTENCE], formula, chance)
    best = _nearest(taken, options)
    number = behaviour.choose(best, len(options), operators(formula), chance)
    return reasoned(request, f"I take the sentence to say: {taken}", number)


def rank(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """The numbers of the candidates: those that mean what the sentence says, others, those that deny it."""
    formula, candidates = _question(request, CANDIDATES)
    taken = behaviour.understand(request.payloads[SENTENCE], formula, chance)
    order = behaviour.rank(_order(taken, candidates), operators(formula), chance)
    return reasoned(request, f"I take the sentence to say: {taken}", order)


def operators(*formulas: Sentence) -> int:
    """How many operators there are to follow in all."""
    return sum(int(language("first_order").measure(formula)["operators"]) for formula in formulas)


@lru_cache(maxsize=20_000)
def mean_the_same(left: Sentence, right: Sentence) -> bool:
    """Whether two formulas are equivalent; raises :class:`EnglishError` where that is undecided."""
    verdict = language("first_order").equivalent(left, right)
    if verdict.outcome == "undecided":
        raise EnglishError(f"whether {left} and {right} mean the same is more than I can tell")
    return verdict.outcome == "equivalent"


def _question(request: Request, label: str) -> _Question:
    """What is asked, in formulas; raises :class:`EnglishError` where nothing offered says the same.

    Of several formulas that are known of a sentence, it is about one that is among those offered.
    """
    questions: list[_Question] = []
    for formula, offered in _questions(request, numbered(request.payloads[label])):
        if formula in offered:
            return formula, offered
        questions.append((formula, offered))
    for formula, offered in questions:
        if any(mean_the_same(formula, one) for one in offered):
            return formula, offered
    raise EnglishError("nothing of what is offered says what I know of this sentence")


def _questions(request: Request, offered: Sequence[str]) -> Iterator[_Question]:
    """Each formula that is known of the sentence, and what is offered, as far as they are of the same symbols."""
    sentence, listing = request.payloads[SENTENCE], request.payloads.get(SYMBOLS)
    if listing is None:
        for entry in request.answer_key.entries_of(sentence):
            with suppress(EnglishError):  # it is in the words of another ontology
                yield entry.formula, tuple(formula_of_verbal(text, entry.ontology) for text in offered)
        return
    formulas, ontology = tuple(map(formula_of, offered)), request.answer_key.ontology_of(listing)
    for entry in request.answer_key.entries_of(sentence):
        if entry.ontology == ontology or not foreign(entry.formula, ontology.vocabulary):
            yield entry.formula, formulas
    with suppress(EnglishError):
        yield formula_of_verbal(sentence, ontology), formulas


def _nearest(taken: Sentence, options: Sequence[Sentence]) -> int:
    """The number of the option of that meaning, or else of the one that comes nearest to it.

    That is one that agrees with it in most rows of a truth table; of several, one that looks most like it.
    """
    if taken in options:
        return options.index(taken) + 1
    for number, option in enumerate(options, start=1):
        if mean_the_same(taken, option):
            return number
    near = [(le_score(taken, option) or 0.0, _likeness(taken, option)) for option in options]
    return near.index(max(near)) + 1


def _likeness(formula: Sentence, other: Sentence) -> float:
    return SequenceMatcher(a=str(formula), b=str(other), autojunk=False).ratio()


def _order(taken: Sentence, candidates: Sequence[Sentence]) -> tuple[int, ...]:
    """The numbers of the candidates, those of that meaning first, those of its negation last."""

    def place(number: int) -> int:
        candidate = candidates[number - 1]
        return -1 if mean_the_same(taken, candidate) else int(mean_the_same(Not(taken), candidate))

    return tuple(sorted(range(1, len(candidates) + 1), key=place))
