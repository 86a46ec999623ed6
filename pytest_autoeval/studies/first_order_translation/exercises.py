"""The exercises with sentences of first-order logic: translate, describe, choose, rank, conclude.

A fault applies to the sentence, not to options and candidates: a misreading leads to the option with that formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from functools import lru_cache, partial
from random import Random

from msgspec import structs

from pytest_autoeval.languages import EnglishError, FormulaSyntaxError, language
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.logic.le_score import le_score
from pytest_autoeval.languages.logic.renaming import Name, Renaming, Replacement, renamed
from pytest_autoeval.languages.logic.signature import all_predicates, all_terms, foreign, symbols
from pytest_autoeval.languages.logic.syntax import Not, Sentence
from pytest_autoeval.languages.logic.verbalization import read_verbal, verbalize
from pytest_autoeval.languages.ontology import Ontology, Symbol
from pytest_autoeval.models.offline.behaviour import (
    Answer,
    Behaviour,
    Request,
    labelled,
    numbered_entries,
    reasoned,
)
from pytest_autoeval.outcomes import Label
from pytest_autoeval.studies.first_order_translation.known_sentences import (
    entries_of,
    ontology_of,
    story_of,
)

#: Seconds for the verifier: ample, so that a busy machine does not change an answer.
_TIMEOUT = 60.0
#: The formula of a sentence, and those of the options or candidates.
_Question = tuple[Sentence, tuple[Sentence, ...]]
_read = lru_cache(maxsize=20_000)(read_verbal)


def translate(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into a formula over given symbols.

    In this order: a known sentence with exactly this ontology; a sentence in the English of the ontology; a known
    sentence with the same symbols but other glosses.
    """
    ontology = ontology_of(request.answer_key, request.payloads["Symbols"])
    sentence = request.payloads["Sentence"]
    fitting: list[Sentence] = []
    for entry in entries_of(request.answer_key, sentence):
        if entry.ontology.listed() == ontology.listed():
            return behaviour.write(behaviour.translate(sentence, entry.formula, chance), chance)
        # The symbols are the same, and the glosses say it in other words.
        if not foreign(entry.formula, ontology.vocabulary):
            fitting.append(entry.formula)
    try:
        return behaviour.formalize(sentence, partial(_read, ontology=ontology), chance)
    except EnglishError:
        if not fitting:
            raise
    return behaviour.write(behaviour.translate(sentence, fitting[0], chance), chance)


def describe(behaviour: Behaviour, request: Request, _chance: Random) -> Answer:
    ontology = ontology_of(request.answer_key, request.payloads["Symbols"])
    formula = formula_of(request.payloads["Formula to describe"])
    strangers = foreign(formula, ontology.vocabulary)
    if strangers:
        raise EnglishError(
            f"the glossary does not have what the formula uses: {', '.join(strangers)}"
        )
    return Answer(behaviour.describe(formula, partial(verbalize, ontology=ontology)))


def translate_openly(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into a formula over symbols of the model's own, which it lists."""
    written, own, listed = _in_own_names(behaviour, request, "Statement to formalize", chance)
    return labelled(listed, behaviour.write(renamed(written, own), chance))


def extract(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into the symbols that it needs."""
    *_, listed = _in_own_names(behaviour, request, "Statement to analyse", chance)
    return Answer(listed or "No symbol is needed.")


def formula_of(text: str) -> Sentence:
    """The strictly parsed formula; raises :class:`EnglishError`."""
    try:
        formula = language("first_order").parse(text)
    except FormulaSyntaxError as problem:
        raise EnglishError(f"this is no formula of first-order logic: {problem}") from None
    assert isinstance(formula, Sentence)
    return formula


def choose(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """The number of the option equivalent to the sentence."""
    guess = behaviour.glance(numbered_entries(request.payloads["Options"]))
    if guess is not None:
        return reasoned(request, "I look at the options alone.", guess)
    formula, options = _question(request, "Options")
    understood = behaviour.understand(request.payloads["Sentence"], formula, chance)
    if behaviour.guesses(operators(formula), chance):
        number = chance.randint(1, len(options))
    else:
        number = _nearest(understood, options)
    return reasoned(request, f"I take the sentence to say: {understood}", number)


def rank(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """The numbers of the candidates: first those equivalent to the sentence, last those equivalent to its negation."""
    formula, candidates = _question(request, "Candidates")
    understood = behaviour.understand(request.payloads["Sentence"], formula, chance)

    def place(number: int) -> int:
        candidate = candidates[number - 1]
        if equivalent(understood, candidate):
            return -1
        return 1 if equivalent(Not(understood), candidate) else 0

    numbers = range(1, len(candidates) + 1)
    right = tuple(sorted(numbers, key=place))
    order: Sequence[int] = right
    if behaviour.guesses(operators(formula), chance):
        order = chance.sample(right, len(right))
    else:
        order = behaviour.order(right)
    return reasoned(request, f"I take the sentence to say: {understood}", order)


def operators(*formulas: Sentence) -> int:
    """The number of operators of all formulas together."""
    return sum(int(language("first_order").measure(formula)["operators"]) for formula in formulas)


@lru_cache(maxsize=20_000)
def equivalent(formula: Sentence, partner: Sentence) -> bool:
    """Whether two formulas are equivalent; raises :class:`EnglishError` if that is undecided."""
    outcome = language("first_order").equivalent(formula, partner, _TIMEOUT).outcome
    if outcome == VerdictOutcome.UNDECIDED:
        raise EnglishError(f"whether {formula} and {partner} mean the same is more than I can tell")
    return outcome == VerdictOutcome.EQUIVALENT


def conclude(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """The entailment label of premises and conclusion."""
    texts = (*numbered_entries(request.payloads["Premises"]), request.payloads["Conclusion"])
    # A story that no data set has may still be in the English of formulas.
    formulas = story_of(request.answer_key, texts) or tuple(map(formula_of, texts))
    pairs = zip(texts, formulas, strict=True)
    understood = tuple(behaviour.understand(text, formula, chance) for text, formula in pairs)
    label = _label(understood, is_misread=understood != formulas)
    if behaviour.guesses(operators(*formulas), chance):
        label = chance.choice(tuple(Label))
    *premises, conclusion = map(str, understood)
    reasons = f"I take the premises to say: {'; '.join(premises)}. Of the conclusion, {conclusion}, I say:"
    return reasoned(request, reasons, label)


def _in_own_names(
    behaviour: Behaviour, request: Request, label: str, chance: Random
) -> tuple[Sentence, Renaming, str]:
    """The formula for a sentence without given symbols, the model's names for its symbols, and their list."""
    sentence = request.payloads[label]
    # The first data set that has the sentence: symbols of the model's own fit any ontology.
    entry = next(entries_of(request.answer_key, sentence), None)
    if entry is None:
        raise EnglishError("I know no formula of this sentence")
    written = behaviour.translate(sentence, entry.formula, chance)
    assert isinstance(written, Sentence)
    own = _own_names(written)
    return written, own, _listed(own, entry.ontology)


def _own_names(formula: Sentence) -> Renaming:
    """Another name for each symbol that a formula uses: ``IsCube`` for ``Cube``, ``the_a`` for ``a``."""
    signature = symbols(formula)
    taken = {*signature.names, *signature.variables}

    # A symbol and a variable of one name would be read as one of them.
    def own(stem: str) -> Replacement:
        name, number = stem, 1
        while name in taken:
            number += 1
            name = f"{stem}{number}"
        taken.add(name)
        return Replacement(name)

    return Renaming(
        {
            (name, arity): own(f"Is{name[:1].upper()}{name[1:]}")
            for name, arity in all_predicates(signature)
        },
        {(name, arity): own(f"the_{name}") for name, arity in all_terms(signature)},
    )


def _listed(own: Renaming, ontology: Ontology) -> str:
    """The symbols under their new names, in reverse order: an evaluator must not match symbols by position."""
    symbols_by_use = {
        (symbol.name, symbol.arity, symbol.is_term): symbol for symbol in ontology.symbols
    }
    named = []
    for is_term, replacements in ((False, own.predicates), (True, own.terms)):
        for name, replacement in replacements.items():
            symbol = symbols_by_use.get((*name, is_term)) or _plain(name, is_term)
            named.append(structs.replace(symbol, name=replacement.name))
    return Ontology(tuple(reversed(named))).listed()


def _plain(name: Name, is_term: bool) -> Symbol:
    own_name, arity = name
    variables = tuple(f"x{number}" for number in range(1, arity + 1))
    gloss = own_name if is_term else f"{own_name} holds"
    if variables:
        gloss += f" of {' and '.join(variables)}"
    return Symbol(own_name, variables, gloss, is_term=is_term)


def _question(request: Request, label: str) -> _Question:
    """The question in formulas; raises :class:`EnglishError` if no option is equivalent to the sentence."""
    questions = list(_questions(request, numbered_entries(request.payloads[label])))
    # The cheap comparison of all questions comes first: a verdict may take seconds.
    for are_equal in (Sentence.__eq__, equivalent):
        for formula, options in questions:
            if any(are_equal(formula, option) for option in options):
                return formula, options
    raise EnglishError("nothing of what is offered says what I know of this sentence")


def _questions(request: Request, options: Sequence[str]) -> Iterator[_Question]:
    """Each known formula of the sentence, with the formulas of the options, if both have the same symbols."""
    sentence = request.payloads["Sentence"]
    listing = request.payloads.get("Symbols")
    entries = entries_of(request.answer_key, sentence)
    # Options in English come without a list of symbols.
    if listing is None:
        for entry in entries:
            # The options are in the words of another ontology.
            with suppress(EnglishError):
                yield entry.formula, tuple(_read(text, entry.ontology) for text in options)
        return
    formulas = tuple(map(formula_of, options))
    ontology = ontology_of(request.answer_key, listing)
    for entry in entries:
        if entry.ontology == ontology or not foreign(entry.formula, ontology.vocabulary):
            yield entry.formula, formulas
    with suppress(EnglishError):
        yield _read(sentence, ontology), formulas


def _nearest(formula: Sentence, options: Sequence[Sentence]) -> int:
    """The number of an equivalent option, else of the option with the highest LE score, then the most similar text."""
    if formula in options:
        return options.index(formula) + 1
    for number, option in enumerate(options, start=1):
        if equivalent(formula, option):
            return number
    scores = []
    for option in options:
        # Without it, the matcher would ignore the symbols that are frequent in a long formula.
        matcher = SequenceMatcher(None, str(formula), str(option), autojunk=False)
        scores.append((le_score(formula, option) or 0.0, matcher.ratio()))
    return scores.index(max(scores)) + 1


def _label(formulas: tuple[Sentence, ...], *, is_misread: bool) -> str:
    """The entailment label of the last formula, from all others; raises :class:`EnglishError` if undecided.

    A model that has misread the premises does not notice that they contradict each other.
    """
    from pytest_autoeval.studies.first_order_translation.stories import derived_label

    *premises, conclusion = formulas
    outcome = derived_label(tuple(premises), conclusion, _TIMEOUT).outcome
    # From a contradiction everything follows, the conclusion too.
    if outcome == "inconsistent" and is_misread:
        return Label.TRUE
    if outcome == "inconsistent":
        raise EnglishError("the premises contradict each other, so that anything follows from them")
    if outcome == "undecided":
        raise EnglishError(f"whether {conclusion} follows is more than I can tell")
    return outcome
