"""The exercises of first-order logic between sentences and formulas, over a glossary that is given or one's own."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from random import Random

from pytest_autoeval.languages import FormulaSyntaxError, language
from pytest_autoeval.languages.logic.signature import foreign, symbols
from pytest_autoeval.languages.logic.syntax import Atom, Equal, Quantified, Sentence, Term
from pytest_autoeval.languages.ontology import Ontology, Symbol
from pytest_autoeval.models.offline import answer_key_logic as answer_key
from pytest_autoeval.models.offline.answer_key_logic import Known
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour
from pytest_autoeval.models.offline.exercises import Request, exercise
from pytest_autoeval.models.offline.words import NotThisEnglishError

SYMBOLS, SENTENCE = "Symbols", "Sentence"
DESCRIBED, FORMALIZED, ANALYSED = "Formula to describe", "Statement to formalize", "Statement to analyse"

#: A symbol by its name and its number of places, as the formula uses it: predicate or term.
_Use = tuple[str, int, bool]


@exercise(SYMBOLS, SENTENCE)
def translate(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into a formula over given symbols.

    A sentence that is known with just this glossary comes first, then one in the English of the glossary itself, then
    one that is known with other words for the same symbols.
    """
    ontology = answer_key.ontology_of(request.payloads[SYMBOLS])
    sentence = request.payloads[SENTENCE]
    fitting: list[Sentence] = []
    for entry in answer_key.known_of(sentence):
        if entry.ontology.listed() == ontology.listed():
            return behaviour.write(behaviour.translate(sentence, entry.formula, chance), chance)
        if not foreign(entry.formula, ontology.vocabulary):
            fitting.append(entry.formula)
    try:
        return behaviour.read_verbal(sentence, ontology, chance)
    except NotThisEnglishError:
        if not fitting:
            raise
    return behaviour.write(behaviour.translate(sentence, fitting[0], chance), chance)


@exercise(SYMBOLS, DESCRIBED)
def describe(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A formula into English over a glossary."""
    ontology = answer_key.ontology_of(request.payloads[SYMBOLS])
    formula = formula_of(request.payloads[DESCRIBED])
    if strangers := foreign(formula, ontology.vocabulary):
        raise NotThisEnglishError(f"the glossary does not have what the formula uses: {', '.join(strangers)}")
    return Answer(behaviour.verbalize(formula, ontology, chance))


@exercise(FORMALIZED)
def translate_openly(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into a formula over symbols of the model's own, which it lists."""
    sentence = request.payloads[FORMALIZED]
    entry = _known(sentence)
    written = behaviour.translate(sentence, entry.formula, chance)
    own = _own_names(written)
    answer = behaviour.write(_renamed(written, own, frozenset()), chance)
    space = "\n" if "\n" in answer.text else " "
    return Answer(f"{_listed(own, entry.ontology)}\nFormula:{space}{answer.text}", answer.finish_reason)


@exercise(ANALYSED)
def extract(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into the symbols that it needs."""
    sentence = request.payloads[ANALYSED]
    entry = _known(sentence)
    return Answer(_listed(_own_names(behaviour.translate(sentence, entry.formula, chance)), entry.ontology))


def formula_of(text: str) -> Sentence:
    """The formula that a text strictly is; raises :class:`NotThisEnglishError`."""
    try:
        formula = language("first_order").parse(text)
    except FormulaSyntaxError as problem:
        raise NotThisEnglishError(f"this is no formula of first-order logic: {problem}") from None
    assert isinstance(formula, Sentence)
    return formula


def _known(sentence: str) -> Known:
    """What is known of a sentence, without a word of what it is to be made of."""
    entry = next(answer_key.known_of(sentence), None)
    if entry is None:
        raise NotThisEnglishError("I know no formula of this sentence")
    return entry


def _own_names(formula: Sentence) -> dict[_Use, str]:
    """Another name for each symbol that a formula uses: ``IsCube`` for ``Cube``, ``the_a`` for ``a``."""
    signature = symbols(formula)
    predicates = [*((name, 0) for name in signature.propositions), *signature.predicates]
    terms = [*signature.functions, *((name, 0) for name in signature.constants)]
    taken = {*signature.names, *signature.variables}
    own: dict[_Use, str] = {}
    for is_term, uses in ((False, predicates), (True, terms)):
        for name, arity in uses:
            stem = f"the_{name}" if is_term else f"Is{name[:1].upper()}{name[1:]}"
            own[name, arity, is_term] = next(new for new in _numbered(stem) if new not in taken)
            taken.add(own[name, arity, is_term])
    return own


def _numbered(stem: str) -> Iterable[str]:
    yield stem
    yield from (f"{stem}{number}" for number in count(2))


def _renamed(formula: Sentence, own: dict[_Use, str], bound: frozenset[str]) -> Sentence:
    def term(old: Term) -> Term:
        if not old.arguments and old.name in bound:
            return old
        return Term(own[old.name, len(old.arguments), True], tuple(map(term, old.arguments)))

    match formula:
        case Atom(name, arguments):
            return Atom(own[name, len(arguments), False], tuple(map(term, arguments)))
        case Equal(left, right):
            return Equal(term(left), term(right))
        case Quantified(variable, _):
            bound |= {variable}
    return formula.map_children(lambda child: _renamed(child, own, bound))  # type: ignore[arg-type]


def _listed(own: dict[_Use, str], ontology: Ontology) -> str:
    """The symbols under their new names, the last first: who sorts a list by its order should not come through."""
    glosses = {(symbol.name, symbol.arity, symbol.is_term): symbol for symbol in ontology.symbols}
    named = [
        Symbol(new, glosses[use].parameters, glosses[use].gloss, is_term=use[2]) if use in glosses else _plain(new, use)
        for use, new in own.items()
    ]
    return Ontology(tuple(reversed(named))).listed()


def _plain(new: str, use: _Use) -> Symbol:
    """A symbol that the glossary does not have, such as one that the model made up."""
    name, arity, is_term = use
    places = tuple(f"x{number}" for number in range(1, arity + 1))
    of_what = f" of {' and '.join(places)}" if places else ""
    return Symbol(new, places, f"{name}{of_what}" if is_term else f"{name} holds{of_what}", is_term=is_term)
