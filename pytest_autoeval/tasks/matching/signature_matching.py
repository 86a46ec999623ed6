"""A model's own signature beside the reference's: which symbols are found, which are missing, which are none of it.

A measure, not a verdict on a formula: symbols are matched by the words of their names and glosses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from pytest_autoeval.languages.logic.signature import uses
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology, Symbol, ontology_of_facts
from pytest_autoeval.tasks.matching.phrases import best_matching, words_of
from pytest_autoeval.tasks.matching.symbol_likeness import is_denied, name_similarity, phrase
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.trial import Subject

#: From this likeness on, two symbols are matched: of three words in both glosses together, two are shared.
FOUND = 0.6
#: What the likeness of names counts beside that of glosses; a gloss that fits outweighs a name that does.
_WEIGHT_OF_NAMES = 0.9


@dataclass(frozen=True, slots=True)
class Signatures:
    """The symbols that a reference formula uses, as its ontology has them, and those that it does not use."""

    used: tuple[Symbol, ...]
    others: tuple[Symbol, ...]


def reference_signatures(subject: Subject) -> Signatures:
    """The signature of a subject's formula; what its ontology (a fact) lacks has its name alone."""
    ontology = ontology_of_facts(fact(subject, "ontology", list))
    used = symbols_used(cast("Sentence", subject.formula), ontology)
    names = {(symbol.is_term, symbol.name) for symbol in used}
    return Signatures(used, tuple(one for one in ontology.symbols if (one.is_term, one.name) not in names))


def symbols_used(formula: Sentence, glossary: Ontology) -> tuple[Symbol, ...]:
    """The symbols of a formula, in reading order, each with its gloss where the glossary has it."""
    known = {(symbol.is_term, symbol.name, symbol.arity): symbol for symbol in glossary.symbols}
    found = dict.fromkeys(
        (use.kind in ("function", "constant"), use.name, use.arity) for use in uses(formula) if use.kind != "variable"
    )
    return tuple(known.get(key) or plain_symbol(*key) for key in found)


def plain_symbol(is_term: bool, name: str, arity: int) -> Symbol:
    """A symbol of which nothing but its name is known."""
    return Symbol(name, tuple(f"x{place}" for place in range(1, arity + 1)), "", is_term=is_term)


def matching_notes(listed: Sequence[Symbol] | None, ours: Sequence[Symbol]) -> dict[str, Any]:
    """What an answer lists of our symbols, for the row of the results; None where it has no list, which scores 0.

    ``matched``: pairs of the names, theirs first, by the best one-to-one assignment of predicates to predicates and of
    functions and constants to such; ``missing`` and ``surplus``: ours and theirs without a partner; ``wrong_arity``:
    of the matched those with another number of places, as ``Larger/1`` beside ``Larger/2``. ``symbols_precision`` and
    ``symbols_recall``: matched by theirs and by ours, from 0 to 1; ``symbols_f1``: their harmonic mean;
    ``arity_right``: the share of the matched with the right number of places, None where there are none.
    """
    theirs = listed or ()
    nothing = 0.0 if listed is None else 1.0  # what finding nothing is worth where there is nothing to find
    likeness = [[_likeness(their, our) for our in ours] for their in theirs]
    best = best_matching([[value if value >= FOUND else 0.0 for value in row] for row in likeness])
    places = [(i, j) for i, j in best.pairs if likeness[i][j] >= FOUND]
    pairs = [(theirs[i], ours[j]) for i, j in places]
    wrong = [pair for pair in pairs if pair[0].arity != pair[1].arity]
    found = ({i for i, _ in places}, {j for _, j in places})
    return {
        "matched": [[their.name, our.name] for their, our in pairs],
        "symbols_precision": len(pairs) / len(theirs) if theirs else nothing * (not ours),
        "symbols_recall": len(pairs) / len(ours) if ours else nothing,
        "symbols_f1": 2 * len(pairs) / (len(theirs) + len(ours)) if theirs or ours else nothing,
        "arity_right": 1 - len(wrong) / len(pairs) if pairs else None,
        "missing": [symbol.name for j, symbol in enumerate(ours) if j not in found[1]],
        "surplus": [symbol.name for i, symbol in enumerate(theirs) if i not in found[0]],
        "wrong_arity": [[f"{symbol.name}/{symbol.arity}" for symbol in pair] for pair in wrong],
    }


def _likeness(their: Symbol, our: Symbol) -> float:
    """How alike two symbols are, from 0 to 1; 0 where their kinds differ, or one gloss denies the other."""
    if their.is_term != our.is_term or is_denied(their, our):
        return 0.0
    if their.gloss and _with_numbered_places(their) == _with_numbered_places(our):
        return 1.0
    left, right = ({*words_of(phrase(symbol))} for symbol in (their, our))
    shared = len(left & right) / len(left | right) if left | right else 0.0
    return max(shared, _WEIGHT_OF_NAMES * name_similarity(their.name, our.name))


def _with_numbered_places(symbol: Symbol) -> str:
    gloss = symbol.gloss
    for number, place in enumerate(symbol.parameters, 1):
        gloss = re.sub(rf"(?<!\w){re.escape(place)}(?!\w)", f"#{number}", gloss)
    return gloss
