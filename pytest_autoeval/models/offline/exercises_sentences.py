"""The exercises of first-order logic between sentences and formulas, over a glossary that is given or one's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from random import Random

from pytest_autoeval.languages import EnglishError, FormulaSyntaxError, language
from pytest_autoeval.languages.logic.renaming import Name, Renaming, Replacement, renamed
from pytest_autoeval.languages.logic.signature import foreign, symbols
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology, Symbol
from pytest_autoeval.models.offline.answer_key import AnswerKey, LogicEntry
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour
from pytest_autoeval.models.offline.exercises import Request

SYMBOLS, SENTENCE = "Symbols", "Sentence"
DESCRIBED, FORMALIZED, ANALYSED = "Formula to describe", "Statement to formalize", "Statement to analyse"


def translate(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into a formula over given symbols.

    A sentence that is known with just this glossary comes first, then one in the English of the glossary itself, then
    one that is known with other words for the same symbols.
    """
    ontology = request.answer_key.ontology_of(request.payloads[SYMBOLS])
    sentence = request.payloads[SENTENCE]
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


def describe(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A formula into English over a glossary."""
    ontology = request.answer_key.ontology_of(request.payloads[SYMBOLS])
    formula = formula_of(request.payloads[DESCRIBED])
    if strangers := foreign(formula, ontology.vocabulary):
        raise EnglishError(f"the glossary does not have what the formula uses: {', '.join(strangers)}")
    return Answer(behaviour.verbalize(formula, ontology, chance))


def translate_openly(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into a formula over symbols of the model's own, which it lists."""
    sentence = request.payloads[FORMALIZED]
    entry = _known(request.answer_key, sentence)
    written = behaviour.translate(sentence, entry.formula, chance)
    own = _own_names(written)
    answer = behaviour.write(renamed(written, own), chance)
    space = "\n" if "\n" in answer.text else " "
    text = f"{_listed(own, entry.ontology)}\nFormula:{space}{answer.text}"
    return Answer(text.lstrip("\n"), answer.finish_reason)


def extract(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into the symbols that it needs."""
    sentence = request.payloads[ANALYSED]
    entry = _known(request.answer_key, sentence)
    found = _listed(_own_names(behaviour.translate(sentence, entry.formula, chance)), entry.ontology)
    return Answer(found or "No symbol is needed.")


def formula_of(text: str) -> Sentence:
    """The formula that a text strictly is; raises :class:`EnglishError`."""
    try:
        formula = language("first_order").parse(text)
    except FormulaSyntaxError as problem:
        raise EnglishError(f"this is no formula of first-order logic: {problem}") from None
    assert isinstance(formula, Sentence)
    return formula


def _known(answer_key: AnswerKey, sentence: str) -> LogicEntry:
    """What is known of a sentence, without a word of what it is to be made of."""
    entry = next(answer_key.entries_of(sentence), None)
    if entry is None:
        raise EnglishError("I know no formula of this sentence")
    return entry


def _own_names(formula: Sentence) -> Renaming:
    """Another name for each symbol that a formula uses: ``IsCube`` for ``Cube``, ``the_a`` for ``a``."""
    signature = symbols(formula)
    taken = {*signature.names, *signature.variables}

    def own(stem: str) -> Replacement:
        name = next(name for name in _numbered(stem) if name not in taken)
        taken.add(name)
        return Replacement(name)

    predicates = [*((name, 0) for name in signature.propositions), *signature.predicates]
    terms = [*signature.functions, *((name, 0) for name in signature.constants)]
    return Renaming(
        {(name, arity): own(f"Is{name[:1].upper()}{name[1:]}") for name, arity in predicates},
        {(name, arity): own(f"the_{name}") for name, arity in terms},
    )


def _numbered(stem: str) -> Iterator[str]:
    yield stem
    yield from (f"{stem}{number}" for number in count(2))


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
    """A symbol that the glossary does not have, such as one that the model made up."""
    own_name, arity = name
    places = tuple(f"x{number}" for number in range(1, arity + 1))
    of_what = f" of {' and '.join(places)}" if places else ""
    return Symbol(
        own_name, places, f"{own_name}{of_what}" if is_term else f"{own_name} holds{of_what}", is_term=is_term
    )
