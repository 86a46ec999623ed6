"""Tasks that extract the atomic propositions of a sentence, or the symbols that its formula needs."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.languages.logic.signature import uses
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology, Symbol, ontology_of_facts
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.parts import Part
from pytest_autoeval.record.task_parts import Answered, Phrases, Symbols
from pytest_autoeval.tasks.answer_readers import Pair, read_phrases, read_symbols
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.comparison import graded, listed_phrases
from pytest_autoeval.tasks.likeness import (
    best_matching,
    is_denied,
    is_found,
    jaccard,
    name_similarity,
    phrase,
    similarity,
    spelling_similarity,
    words_of,
)
from pytest_autoeval.tasks.trial import Trial

#: Spelling only breaks ties between phrases with equal word similarity.
_WEIGHT_OF_SPELLING = 1e-3
#: The smallest likeness at which two symbols are matched, for instance if two of three distinct words are shared.
MATCHING_LIKENESS = 0.6
#: The weight of the likeness of names; a matching gloss outweighs a matching name.
_WEIGHT_OF_NAMES = 0.9


class Propositions(Task):
    """Sentence → phrases, each with a name that the model chooses; different propositions have different names.

    The sample's facts are the ``sentence`` and its ``propositions`` (pairs of phrase and atom).
    """

    name = "propositions"
    interfaces = ("detailed", "minimal")
    figures = "extraction"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"sentence": trial.fact("sentence", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        """``correct`` if the phrases have the expected words, and names that correspond one-to-one to the atoms.

        Words are compared by :func:`words_of`. The scores are more lenient.
        """
        expected: list[Pair] = [(phrase, atom) for phrase, atom in trial.fact("propositions", list)]
        pairs: tuple[Pair, ...] = ()
        problem = ""
        try:
            pairs = read_phrases(answer)
        except UnreadableError as error:
            problem = str(error)
        right = _are_same_phrases(expected, pairs)
        found, scores = _scored([phrase for phrase, _ in expected], [phrase for phrase, _ in pairs])
        kind = None if right else error_kind(len(expected), len(pairs), found)
        parts = Answered(value=[list(pair) for pair in pairs] or None), Phrases(scores=scores, error_kind=kind)
        if problem:
            return Judgement(outcome=Outcome.UNREADABLE_ANSWER, message=problem, parts=parts)
        return graded(_with_lists(kind, listed_phrases(expected), listed_phrases(pairs)) if kind else "", *parts)


class OntologyExtraction(Task):
    """Sentence → signature and glossary: the symbols of the fact ``ontology`` that the sample's formula uses."""

    name = "ontology_extraction"
    prompt_language = "first_order"
    figures = "ontologies"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"statement": trial.fact("sentence", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        """``correct`` if all symbols are matched on both sides, with the right numbers of places."""
        ours = reference_signatures(trial).used
        try:
            theirs, _ = read_symbols(answer)
        except UnreadableError as error:
            parts = self.parts_without_answer(trial)
            return Judgement(outcome=Outcome.UNREADABLE_ANSWER, message=str(error), parts=parts)
        answered, symbols = Answered(value=[str(symbol) for symbol in theirs]), matching(theirs, ours)
        wrong = []
        if symbols.missing:
            wrong.append(f"missing: {', '.join(symbols.missing)}")
        if symbols.surplus:
            wrong.append(f"surplus: {', '.join(symbols.surplus)}")
        if arities := "; ".join(f"{their} for {our}" for their, our in symbols.wrong_arity or ()):
            wrong.append(f"wrong number of places: {arities}")
        lists = Ontology(ours).listed(), Ontology(theirs).listed()
        return graded(_with_lists("; ".join(wrong), *lists) if wrong else "", answered, symbols)

    def parts_without_answer(self, trial: Trial) -> tuple[Part, ...]:
        return Answered(), matching(None, reference_signatures(trial).used)


def _with_lists(error: str, expected: str, answered: str) -> str:
    lists = (("expected", expected), ("answered", answered))
    return error + "".join(f"\n  {name}:\n{textwrap.indent(text, '    ')}" for name, text in lists)


def error_kind(expected: int, answered: int, found: int) -> str:
    """The kind of a wrong answer, by the numbers of phrases that were expected, answered, and found.

    ``semantic mismatch`` is the rest. The study of temporal-logic tasks names these kinds, but does not define them.
    """
    if not found:
        return "complete failure"
    if found == answered < expected:
        return "partial extraction"
    if found == expected < answered:
        return "over-extraction"
    return "semantic mismatch"


def _scored(expected: Sequence[str], answered: Sequence[str]) -> tuple[int, dict[str, float]]:
    """The number of phrases found, and scores from 0 to 1, by the best one-to-one matching.

    ``jaccard`` and ``levenshtein`` are means over the pairs; a phrase without a partner counts as 0.
    """
    alike = [[similarity(a, b) + _WEIGHT_OF_SPELLING * spelling_similarity(a, b) for b in answered] for a in expected]
    pairs = [(expected[i], answered[j]) for i, j in best_matching(alike)]
    found = sum(is_found(*pair) for pair in pairs)
    most = max(len(expected), len(answered), 1)
    return found, {
        "precision": found / len(answered) if answered else 0.0,
        "recall": found / len(expected) if expected else 0.0,
        "f1": 2 * found / (len(expected) + len(answered)) if expected or answered else 0.0,
        "jaccard": sum(jaccard(*pair) for pair in pairs) / most,
        "levenshtein": sum(spelling_similarity(*pair) for pair in pairs) / most,
    }


def _are_same_phrases(expected: Sequence[Pair], answered: Sequence[Pair]) -> bool:
    """Whether the phrases have the same words, and the names correspond one-to-one to the atoms."""
    ours, theirs = (sorted((words_of(phrase), name) for phrase, name in pairs) for pairs in (expected, answered))
    if [words for words, _ in ours] != [words for words, _ in theirs]:
        return False
    names = {(atom, name) for (_, atom), (_, name) in zip(ours, theirs, strict=True)}
    return len(names) == len({atom for atom, _ in names}) == len({name for _, name in names})


class Signatures(NamedTuple):
    """The symbols of an ontology: those that a reference formula uses, and the others."""

    used: tuple[Symbol, ...]
    unused: tuple[Symbol, ...]


def reference_signatures(trial: Trial) -> Signatures:
    """The signature of a sample's formula; a symbol that is missing from the fact ``ontology`` has no gloss."""
    ontology = ontology_of_facts(trial.fact("ontology", list))
    used = symbols_used(cast("Sentence", trial.about.formula), ontology)
    names = {(symbol.is_term, symbol.name) for symbol in used}
    return Signatures(used, tuple(symbol for symbol in ontology.symbols if (symbol.is_term, symbol.name) not in names))


def symbols_used(formula: Sentence, glossary: Ontology) -> tuple[Symbol, ...]:
    """The symbols of a formula, in reading order, with their glosses if the glossary has them."""
    known = {(symbol.is_term, symbol.name, symbol.arity): symbol for symbol in glossary.symbols}
    used = dict.fromkeys(
        (use.kind in ("function", "constant"), use.name, use.arity) for use in uses(formula) if use.kind != "variable"
    )
    return tuple(
        known.get((is_term, name, arity))
        or Symbol(name, tuple(f"x{place}" for place in range(1, arity + 1)), "", is_term=is_term)
        for is_term, name, arity in used
    )


def matching(listed: Sequence[Symbol] | None, ours: Sequence[Symbol]) -> Symbols:
    """How the symbols that an answer lists match ours.

    ``listed`` is None without a readable list (scores 0).
    ``matched``: pairs of names, theirs first, by the best one-to-one matching of predicates with predicates and terms
    with terms; ``missing`` and ``surplus``: ours and theirs without a partner; ``wrong_arity``: such as ``Larger/1``
    beside ``Larger/2``. Scores are from 0 to 1; ``arity_right`` is a share of the matched symbols, None if there are
    none.
    """
    theirs = listed or ()
    empty_score = 0.0 if listed is None else 1.0  # for an empty list if there are no symbols to find
    likeness = [[_likeness(their, our) for our in ours] for their in theirs]
    best = best_matching([[value if value >= MATCHING_LIKENESS else 0.0 for value in row] for row in likeness])
    index_pairs = [(i, j) for i, j in best if likeness[i][j] >= MATCHING_LIKENESS]
    pairs = [(theirs[i], ours[j]) for i, j in index_pairs]
    wrong = [pair for pair in pairs if pair[0].arity != pair[1].arity]
    matched = ({i for i, _ in index_pairs}, {j for _, j in index_pairs})
    return Symbols(
        matched=[[their.name, our.name] for their, our in pairs],
        missing=[symbol.name for j, symbol in enumerate(ours) if j not in matched[1]],
        surplus=[symbol.name for i, symbol in enumerate(theirs) if i not in matched[0]],
        wrong_arity=[[f"{symbol.name}/{symbol.arity}" for symbol in pair] for pair in wrong],
        precision=len(pairs) / len(theirs) if theirs else empty_score * (not ours),
        recall=len(pairs) / len(ours) if ours else empty_score,
        f1=2 * len(pairs) / (len(theirs) + len(ours)) if theirs or ours else empty_score,
        arity_right=1 - len(wrong) / len(pairs) if pairs else None,
    )


def _likeness(their: Symbol, our: Symbol) -> float:
    """The likeness of two symbols, from 0 to 1; 0 if their kinds differ, or one gloss negates the other."""
    if their.is_term != our.is_term or is_denied(their, our):
        return 0.0
    return max(jaccard(phrase(their), phrase(our)), _WEIGHT_OF_NAMES * name_similarity(their.name, our.name))


PROPOSITIONS = Propositions()
ONTOLOGY_EXTRACTION = OntologyExtraction()
