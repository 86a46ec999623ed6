"""The exercises of temporal logic besides the round trip: sentences, well-formedness, traces."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from random import Random

from pytest_autoeval.languages import EnglishError, Formula, FormulaSyntaxError, language
from pytest_autoeval.languages.glossary import read_in_phrases
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.english import ENGLISH
from pytest_autoeval.languages.ltl.evaluate import holds
from pytest_autoeval.languages.ltl.oracle.lassos import satisfying, violating
from pytest_autoeval.languages.ltl.parser import is_name
from pytest_autoeval.languages.ltl.python_notation import read_python, to_python
from pytest_autoeval.languages.ltl.rewriting import renamed
from pytest_autoeval.languages.ltl.traces import lasso as traces
from pytest_autoeval.languages.ltl.traces.lasso import Lasso
from pytest_autoeval.languages.ltl.traces.notation import read_trace
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.offline.answer_key import Propositions
from pytest_autoeval.models.offline.behaviour import (
    PHRASE_AND_NAME,
    Answer,
    Behaviour,
    Request,
    labelled,
)
from pytest_autoeval.studies.temporal_logic.known_sentences import TemporalEntry, entry_of

#: Variables in prompts for the Python interface, by which it is recognized.
_FORMULA, _TRACE = "formulaToFind", "traceToFind"
_PYTHON_KEY = lazy_pattern(r"""["'](\w[\w.]*)["']\s*:""")
_WORD = lazy_pattern(r"\w+", re.ASCII)
#: Number of words in the name of a proposition.
_LONGEST_NAME = 6
#: Seconds to look for a trace; an answer needs one where a verdict may stay open.
_PATIENCE = 10.0


def find_propositions(behaviour: Behaviour, request: Request, _chance: Random) -> Answer:
    sentence = request.payloads["Sentence"]
    return Answer(_listed(behaviour.find(sentence, _entry(request, sentence).propositions)))


def judge_string(behaviour: Behaviour, request: Request, _chance: Random) -> Answer:
    # The parser of the data set decides, so that a faultless model is right about each string.
    try:
        is_well_formed = bool(language("ltl").parse(request.payloads["String"]))
    except FormulaSyntaxError:
        is_well_formed = False
    return Answer("yes" if behaviour.accept(is_well_formed) else "no")


def translate(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into a formula over given propositions."""
    matches = PHRASE_AND_NAME.finditer(request.payloads["Propositions"])
    propositions = tuple((match["phrase"], match["name"]) for match in matches)
    sentence = request.payloads["Sentence"]
    names = dict(propositions)
    try:
        entry = _entry(request, sentence, propositions)
    except EnglishError:
        # A sentence that no data set has may be made of the phrases of the prompt.
        glossary = {name: phrase for phrase, name in propositions}
        read = partial(read_in_phrases, glossary=glossary, language="ltl")
        return behaviour.formalize(sentence, read, chance)
    # The names of the prompt, by the phrase; or by the name, if the prompt words the proposition otherwise.
    own = {}
    for phrase, name in entry.propositions:
        own[name] = names.get(phrase) or names.get(name, name)
    formula = behaviour.translate(sentence, renamed(entry.formula, own), chance)
    return _written(behaviour, formula, request, chance)


def translate_sentence(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A sentence into a formula over propositions that the model names itself."""
    sentence = request.payloads["Requirement"]
    entry = _entry(request, sentence)
    propositions = behaviour.find(sentence, entry.propositions)
    own = _own_names(propositions)
    formula = renamed(entry.formula, own)
    # The sentence is one proposition.
    if not own.keys() >= {name for _, name in entry.propositions}:
        formula = ltl.Atom(own[propositions[0][1]])
    named = _listed(tuple((phrase, own[name]) for phrase, name in propositions))
    answer = behaviour.translate(sentence, formula, chance)
    return labelled(named, _written(behaviour, answer, request, chance))


def judge_trace(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    formula = _misread(behaviour, _formula(request.payloads["Formula"]), chance)
    trace = _with_atoms_of(formula, _trace(request.payloads["Trace"]))
    return Answer("yes" if holds(formula, trace) else "no")


def write_trace(behaviour: Behaviour, request: Request, chance: Random) -> Answer:
    """A trace that satisfies or violates a formula."""
    formula = _formula(request.payloads["Formula"])
    example = violating if "violating" in request.payloads["Wanted"] else satisfying
    search = example(_misread(behaviour, formula, chance), timeout=_PATIENCE)
    if search.lasso is None:
        if search.outcome == "none exists":
            return Answer("There is no such trace.")
        return Answer(f"I cannot find such a trace: {search.reason}")
    # A formula that was misread may lack an atom, which the trace must show.
    lasso = _with_atoms_of(formula, search.lasso)
    if request.mentions(_TRACE):
        return Answer(f"{_TRACE} = {traces.to_python(lasso)}")
    return Answer(str(lasso))


def _entry(request: Request, sentence: str, propositions: Propositions = ()) -> TemporalEntry:
    """The known entry of a sentence, or one parsed from its English; raises :class:`EnglishError`."""
    entry = entry_of(request.answer_key, sentence, propositions)
    if entry:
        return entry
    formula = ENGLISH.read(sentence)
    pairs = tuple((f"{name} holds", name) for name in _atoms(formula))
    return TemporalEntry(pairs, formula)


def _formula(text: str) -> ltl.Temporal:
    try:
        formula = language("ltl").parse(text)
    except FormulaSyntaxError as problem:
        reading = read_python(text)
        if reading.formula is None:
            raise EnglishError(f"this is no formula of temporal logic: {problem}") from None
        formula = reading.formula
    assert isinstance(formula, ltl.Temporal)
    return formula


def _trace(text: str) -> Lasso:
    try:
        return traces.parse_trace(text)
    except FormulaSyntaxError as problem:
        atoms = tuple(dict.fromkeys(_PYTHON_KEY.findall(text)))
        lasso = read_trace(text, atoms, notation="python").lasso
        if lasso is None:
            raise EnglishError(f"this is no trace: {problem}") from None
        return lasso


def _with_atoms_of(formula: ltl.Temporal, lasso: Lasso) -> Lasso:
    """The trace with the propositions of a formula added, false at every step."""
    return replace(lasso, atoms=tuple(dict.fromkeys((*_atoms(formula), *lasso.atoms))))


def _misread(behaviour: Behaviour, formula: ltl.Temporal, chance: Random) -> ltl.Temporal:
    misread = behaviour.misread(formula, chance)
    assert isinstance(misread, ltl.Temporal)
    return misread


def _written(behaviour: Behaviour, formula: Formula, request: Request, chance: Random) -> Answer:
    """The answer with a formula, in the notation of the prompt."""
    assert isinstance(formula, ltl.Temporal)
    if request.mentions(_FORMULA):
        return behaviour.word(
            formula, f"{_FORMULA} = {to_python(_in_shown_constructors(formula))}", chance
        )
    return behaviour.word(formula, language("ltl").format(formula), chance)


def _in_shown_constructors(formula: ltl.Temporal) -> ltl.Temporal:
    """An equivalent formula without the operators that Python prompts do not show."""
    plain = formula.with_children(
        tuple(_in_shown_constructors(child) for child in formula.children())
    )
    match plain:
        case ltl.Xor(left, right):
            return ltl.Not(ltl.Iff(left, right))
        case ltl.WeakUntil(left, right):
            return ltl.Or(ltl.Until(left, right), ltl.Always(left))
        case ltl.Release(left, right):
            return ltl.Not(ltl.Until(ltl.Not(left), ltl.Not(right)))
        case ltl.Triggered(left, right):
            return ltl.Not(ltl.Since(ltl.Not(left), ltl.Not(right)))
        case ltl.WeakYesterday(operand):
            return ltl.Not(ltl.Yesterday(ltl.Not(operand)))
    return plain


def _listed(propositions: Propositions) -> str:
    return "\n".join(f'"{phrase}": {name}' for phrase, name in propositions)


def _atoms(formula: ltl.Temporal) -> tuple[str, ...]:
    return language("ltl").symbols(formula).propositions


def _own_names(propositions: Propositions) -> dict[str, str]:
    """A new name for each proposition, from the words of its phrase: ``the_door_is_open``."""
    own: dict[str, str] = {}
    for phrase, name in propositions:
        words = _WORD.findall(phrase.lower())[:_LONGEST_NAME]
        stem = "_".join(words)
        # A phrase may begin with a digit, or be an operator's name.
        if not is_name(stem):
            stem = "_".join(["p", *words])
        while stem in own.values():
            stem += "_too"
        own[name] = stem
    return own
