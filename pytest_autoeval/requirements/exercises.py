"""The exercises of the round trip that starts at a sentence: formalize, describe in phrases, list the names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import cast

from pytest_autoeval.languages import EnglishError, Formula, FormulaSyntaxError, language
from pytest_autoeval.languages.base import places, replaced_at
from pytest_autoeval.languages.controlled_english import listed
from pytest_autoeval.languages.glossary import describe_in_phrases, read_in_phrases
from pytest_autoeval.languages.logic.signature import uses
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import ontology_of_listing
from pytest_autoeval.models.offline.behaviour import (
    PHRASE_AND_NAME,
    Answer,
    Behaviour,
    Request,
    numbered_entries,
)
from pytest_autoeval.tasks.formula_answers import numbered

#: The label of the names in prompts, by language.
_NAMES = {"ltl": "Propositions", "propositional": "Statements"}
#: The label of the sentences in prompts that ask for their names, by language.
_SENTENCES = {"ltl": "Requirements", "propositional": "Sentences", "first_order": "Rules"}
#: Formulas after which no more are rewritten, even if too few sentences were found: the list grows at each step.
_MOST_REWRITINGS = 1_000
#: The variables for the arguments of a symbol, in order: enough for 29 arguments.
_VARIABLES = ("x", "y", "z", *(f"x{number}" for number in range(4, 30)))


def formalize_statement(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence of propositional logic into a formula over given names."""
    glossary = _glossary(request, "propositional")
    read = partial(read_in_phrases, glossary=glossary, language="propositional")
    return behaviour.formalize(request.payloads["Sentence"], read, chance)


def describe(lang: str, behaviour: Behaviour, request: Request, _chance: Random) -> Answer:
    """The description of a formula in the phrases of the given names."""
    text = request.payloads["Formula to describe"]
    try:
        formula = language(lang).parse(text)
    except FormulaSyntaxError as problem:
        raise EnglishError(f"this is no formula: {problem}") from None
    in_words = partial(describe_in_phrases, glossary=_glossary(request, lang), language=lang)
    return Answer(behaviour.describe(formula, in_words))


def list_names(lang: str, _behaviour: Behaviour, request: Request, _chance: Random) -> Answer:
    """The names of sentences in the plain English of a language, with what that English says of each."""
    # A dict is used as a set that keeps the order: several sentences have the same names, and each is listed once.
    lines: dict[str, None] = {}
    sentences = request.payloads[_SENTENCES[lang]]
    for sentence in numbered_entries(sentences):
        formula = language(lang).read_description(sentence)
        lines |= dict.fromkeys(_lines_of_names(formula, lang))
    return Answer("\n".join(lines))


def rewrite(lang: str, _behaviour: Behaviour, request: Request, _chance: Random) -> Answer:
    """The sentence in other words: descriptions of equivalent formulas."""
    glossary = _glossary(request, lang)
    sentence = request.payloads["Sentence to rewrite"]
    wanted = int(request.payloads["Number of sentences"])
    formulas = [read_in_phrases(sentence, glossary, lang)]
    # Again a set in order: different formulas may have one description.
    texts: dict[str, None] = {}
    # The list grows in the loop: each rewriting is rewritten again.
    for formula in formulas:
        for path, subformula in places(formula):
            rewritings = language(lang).rewritings(subformula)
            formulas += [replaced_at(formula, path, rewriting) for rewriting in rewritings]
        text = describe_in_phrases(formula, glossary, lang)
        if text != sentence:
            texts[text] = None
        # Rewriting never ends by itself: each law can be applied again.
        if len(texts) >= wanted or len(formulas) > _MOST_REWRITINGS:
            break
    # The request is for so many lines. If there are too few other texts, the sentence itself fills the list.
    repetitions = [sentence] * wanted
    lines = [*texts, *repetitions][:wanted]
    return Answer(numbered(lines))


def _glossary(request: Request, lang: str) -> dict[str, str]:
    """The phrase of each name, as the prompt lists them."""
    if lang == "first_order":
        ontology = ontology_of_listing(request.payloads["Symbols"])
        return {str(symbol): symbol.gloss for symbol in ontology.symbols}
    pairs = PHRASE_AND_NAME.finditer(request.payloads[_NAMES[lang]])
    return {pair["name"]: pair["phrase"] for pair in pairs}


def _lines_of_names(formula: Formula, lang: str) -> Iterator[str]:
    """The names of a formula, each with its phrase, in the form that the prompt asks for."""
    if lang != "first_order":
        for name in language(lang).symbols(formula).propositions:
            yield f'"{name} holds": {name}'
        return
    for use in uses(cast(Sentence, formula)):
        variables = _VARIABLES[: use.arity]
        application = f"{use.name}({', '.join(variables)})" if variables else use.name
        if use.kind == "constant":
            yield f"{use.name}: {use.name}"
        elif use.kind == "function":
            yield f"{application}: the {use.name} of {listed(variables, 'and')}"
        elif use.kind != "variable":
            yield f"{application}: {_statement(use.name, variables)}"


def _statement(name: str, variables: tuple[str, ...]) -> str:
    """What the plain English of first-order logic says of a predicate or a proposition."""
    match variables:
        case ():
            return f"{name} holds"
        case (first, second):
            return f"{name} relates {first} to {second}"
    terms = listed(variables, "and")
    if len(variables) > 1:
        terms = f"the {len(variables)} terms {terms}"
    return f"{name} holds of {terms}"
