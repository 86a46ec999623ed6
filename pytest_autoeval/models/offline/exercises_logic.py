"""The exercises of first-order logic with sentences: translate, describe, choose, rank, conclude.

A model takes a sentence in its own way, and reads what it is offered as it stands: so a misreading leads to the option
that says what was misread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import count
from random import Random

from pytest_autoeval.languages import EnglishError, FormulaSyntaxError, language
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.logic.le_score import le_score
from pytest_autoeval.languages.logic.rewriting import Name, Renaming, Replacement, renamed
from pytest_autoeval.languages.logic.signature import foreign, symbols
from pytest_autoeval.languages.logic.syntax import Not, Sentence
from pytest_autoeval.languages.ontology import Ontology, Symbol
from pytest_autoeval.models.offline.behaviour import (
    Answer,
    Behaviour,
    Request,
    formula_of_verbal,
    labelled,
    numbered,
    reasoned,
)
from pytest_autoeval.outcomes import Label

#: Seconds for a question to the verifier: ample, so that a busy machine does not change an answer.
_TIMEOUT = 60.0
#: The formula of a sentence, and those of what is offered.
_Question = tuple[Sentence, tuple[Sentence, ...]]


def translate(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into a formula over given symbols.

    A sentence that is known with just this glossary comes first, then one in the English of the glossary itself, then
    one that is known with other words for the same symbols.
    """
    ontology = request.answer_key.ontology_of(request.payloads["Symbols"])
    sentence = request.payloads["Sentence"]
    fitting: list[Sentence] = []
    for entry in request.answer_key.entries_of(sentence):
        if entry.ontology.listed() == ontology.listed():
            return behaviour.write(behaviour.translate(sentence, entry.formula, chance), chance)
        if not foreign(entry.formula, ontology.vocabulary):
            fitting.append(entry.formula)
    try:
        return behaviour.read_verbal(sentence, ontology, chance)
    except EnglishError:
        if not fitting:
            raise
    return behaviour.write(behaviour.translate(sentence, fitting[0], chance), chance)


def describe(behaviour: Behaviour, request: Request, _chance: Random) -> Answer:
    """A formula into English over a glossary."""
    ontology = request.answer_key.ontology_of(request.payloads["Symbols"])
    formula = formula_of(request.payloads["Formula to describe"])
    if strangers := foreign(formula, ontology.vocabulary):
        raise EnglishError(f"the glossary does not have what the formula uses: {', '.join(strangers)}")
    return Answer(behaviour.verbalize(formula, ontology))


def translate_openly(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into a formula over symbols of the model's own, which it lists."""
    written, own, listed = _in_own_names(behaviour, request, "Statement to formalize", chance)
    return labelled(listed, behaviour.write(renamed(written, own), chance))


def extract(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into the symbols that it needs."""
    *_, listed = _in_own_names(behaviour, request, "Statement to analyse", chance)
    return Answer(listed or "No symbol is needed.")


def formula_of(text: str) -> Sentence:
    """The formula that a text strictly is; raises :class:`EnglishError`."""
    try:
        formula = language("first_order").parse(text)
    except FormulaSyntaxError as problem:
        raise EnglishError(f"this is no formula of first-order logic: {problem}") from None
    assert isinstance(formula, Sentence)
    return formula


def choose(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """The number of the option that means what the sentence says."""
    if (taken_unread := behaviour.glance(numbered(request.payloads["Options"]))) is not None:
        return reasoned(request, "I look at the options alone.", taken_unread)
    formula, options = _question(request, "Options")
    taken = behaviour.understand(request.payloads["Sentence"], formula, chance)
    is_guess = behaviour.loses_the_thread(operators(formula), chance)
    number = chance.randint(1, len(options)) if is_guess else _nearest(taken, options)
    return reasoned(request, f"I take the sentence to say: {taken}", number)


def rank(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """The numbers of the candidates: those that mean what the sentence says, others, those that deny it."""
    formula, candidates = _question(request, "Candidates")
    taken = behaviour.understand(request.payloads["Sentence"], formula, chance)

    def place(number: int) -> int:
        candidate = candidates[number - 1]
        return -1 if mean_the_same(taken, candidate) else int(mean_the_same(Not(taken), candidate))

    right = tuple(sorted(range(1, len(candidates) + 1), key=place))
    is_guess = behaviour.loses_the_thread(operators(formula), chance)
    order = chance.sample(right, len(right)) if is_guess else behaviour.order(right)
    return reasoned(request, f"I take the sentence to say: {taken}", order)


def operators(*formulas: Sentence) -> int:
    """How many operators there are to follow in all."""
    return sum(int(language("first_order").measure(formula)["operators"]) for formula in formulas)


@lru_cache(maxsize=20_000)
def mean_the_same(left: Sentence, right: Sentence) -> bool:
    """Whether two formulas are equivalent; raises :class:`EnglishError` where that is undecided."""
    verdict = language("first_order").equivalent(left, right, _TIMEOUT)
    if verdict.outcome == VerdictOutcome.UNDECIDED:
        raise EnglishError(f"whether {left} and {right} mean the same is more than I can tell")
    return verdict.outcome == VerdictOutcome.EQUIVALENT


def conclude(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """What follows from the premises of the conclusion: True, False, or Uncertain."""
    texts = (*numbered(request.payloads["Premises"]), request.payloads["Conclusion"])
    formulas = request.answer_key.story_of(texts) or tuple(map(formula_of, texts))
    taken = tuple(behaviour.understand(text, formula, chance) for text, formula in zip(texts, formulas, strict=True))
    label = _label(taken, is_misread=taken != formulas)
    label = chance.choice(tuple(Label)) if behaviour.loses_the_thread(operators(*formulas), chance) else label
    *premises, conclusion = map(str, taken)
    reasons = f"I take the premises to say: {'; '.join(premises)}. Of the conclusion, {conclusion}, I say:"
    return reasoned(request, reasons, label)


def _in_own_names(behaviour: Behaviour, request: Request, label: str, chance: Random) -> tuple[Sentence, Renaming, str]:
    """The formula that is written for a sentence alone, the model's names for its symbols, and the list of these."""
    sentence = request.payloads[label]
    entry = next(request.answer_key.entries_of(sentence), None)
    if entry is None:
        raise EnglishError("I know no formula of this sentence")
    written = behaviour.translate(sentence, entry.formula, chance)
    own = _own_names(written)
    return written, own, _listed(own, entry.ontology)


def _own_names(formula: Sentence) -> Renaming:
    """Another name for each symbol that a formula uses: ``IsCube`` for ``Cube``, ``the_a`` for ``a``."""
    signature = symbols(formula)
    taken = {*signature.names, *signature.variables}

    def own(stem: str) -> Replacement:
        name = next(name for number in count(1) if (name := stem if number == 1 else f"{stem}{number}") not in taken)
        taken.add(name)
        return Replacement(name)

    predicates = [*((name, 0) for name in signature.propositions), *signature.predicates]
    terms = [*signature.functions, *((name, 0) for name in signature.constants)]
    return Renaming(
        {(name, arity): own(f"Is{name[:1].upper()}{name[1:]}") for name, arity in predicates},
        {(name, arity): own(f"the_{name}") for name, arity in terms},
    )


def _listed(own: Renaming, ontology: Ontology) -> str:
    """The symbols under their new names, the last first: who sorts a list by its order should not come through."""
    known = {(symbol.name, symbol.arity, symbol.is_term): symbol for symbol in ontology.symbols}
    named = [
        replace(known.get((*name, is_term)) or _plain(name, is_term), name=replacement.name)
        for is_term, replacements in ((False, own.predicates), (True, own.terms))
        for name, replacement in replacements.items()
    ]
    return Ontology(tuple(reversed(named))).listed()


def _plain(name: Name, is_term: bool) -> Symbol:
    own_name, arity = name
    places = tuple(f"x{number}" for number in range(1, arity + 1))
    gloss = own_name + ("" if is_term else " holds") + (f" of {' and '.join(places)}" if places else "")
    return Symbol(own_name, places, gloss, is_term=is_term)


def _question(request: Request, label: str) -> _Question:
    """What is asked, in formulas; raises :class:`EnglishError` where nothing offered says the same."""
    questions = list(_questions(request, numbered(request.payloads[label])))
    for same in (Sentence.__eq__, mean_the_same):
        for formula, offered in questions:
            if any(same(formula, one) for one in offered):
                return formula, offered
    raise EnglishError("nothing of what is offered says what I know of this sentence")


def _questions(request: Request, offered: Sequence[str]) -> Iterator[_Question]:
    """Each formula that is known of the sentence, and what is offered, as far as they are of the same symbols."""
    sentence, listing = request.payloads["Sentence"], request.payloads.get("Symbols")
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
    """The option of that meaning, or else the one that agrees in most rows of a truth table and looks most like it."""
    if taken in options:
        return options.index(taken) + 1
    for number, option in enumerate(options, start=1):
        if mean_the_same(taken, option):
            return number
    near = [
        (le_score(taken, option) or 0.0, SequenceMatcher(None, str(taken), str(option), autojunk=False).ratio())
        for option in options
    ]
    return near.index(max(near)) + 1


def _label(formulas: tuple[Sentence, ...], *, is_misread: bool) -> str:
    """What follows from all but the last of the last; raises :class:`EnglishError` where that is undecided.

    From premises that contradict each other anything follows: who has misread them does not notice that.
    """
    from pytest_autoeval.datasets.first_order.entailment import derived_label

    *premises, conclusion = formulas
    outcome = derived_label(tuple(premises), conclusion, _TIMEOUT).outcome
    if outcome == "inconsistent" and is_misread:
        return Label.TRUE
    if outcome == "inconsistent":
        raise EnglishError("the premises contradict each other, so that anything follows from them")
    if outcome == "undecided":
        raise EnglishError(f"whether {conclusion} follows is more than I can tell")
    return outcome
