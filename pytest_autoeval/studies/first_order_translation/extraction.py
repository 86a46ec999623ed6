"""The task that extracts the symbols that the formula of a sentence needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology, Symbol, ontology_of_facts
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.sample_parts import Part
from pytest_autoeval.record.task_parts import Answered
from pytest_autoeval.studies.first_order_translation.parts import Symbols
from pytest_autoeval.tasks.aligned import Signatures, symbols_used
from pytest_autoeval.tasks.answer_readers import read_symbols
from pytest_autoeval.tasks.formula_answers import graded, with_lists
from pytest_autoeval.tasks.likeness import is_denied, name_similarity, phrase
from pytest_autoeval.tasks.phrases import best_matching, jaccard
from pytest_autoeval.tasks.task import Judgement, Task
from pytest_autoeval.tasks.trial import Trial

#: The smallest likeness at which two symbols are matched, for instance if two of three distinct words are shared.
MATCHING_LIKENESS = 0.6
#: The weight of the likeness of names; a matching gloss outweighs a matching name.
_WEIGHT_OF_NAMES = 0.9


class OntologyExtraction(Task):
    """Sentence → signature and glossary: the symbols of the fact ``ontology`` that the sample's formula uses."""

    name = "ontology_extraction"
    prompt_language = "first_order"
    figures = "ontologies"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"statement": trial.fact("sentence", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        """``correct`` if all symbols are matched on both sides, with the right numbers of places."""
        reference_symbols = reference_signatures(trial).used
        try:
            answered_symbols, _ = read_symbols(answer)
        except UnreadableError as error:
            empty_parts = self.parts_without_answer(trial)
            return Judgement(
                outcome=Outcome.UNREADABLE_ANSWER, message=str(error), parts=empty_parts
            )
        answered = Answered(value=[str(symbol) for symbol in answered_symbols])
        symbols = matching(answered_symbols, reference_symbols)
        wrong = []
        if symbols.missing:
            wrong.append(f"missing: {', '.join(symbols.missing)}")
        if symbols.surplus:
            wrong.append(f"surplus: {', '.join(symbols.surplus)}")
        if symbols.wrong_arity:
            arities = (f"{listed} for {expected}" for listed, expected in symbols.wrong_arity)
            wrong.append(f"wrong number of places: {'; '.join(arities)}")
        if not wrong:
            return graded("", answered, symbols)
        lists = Ontology(reference_symbols).listed(), Ontology(answered_symbols).listed()
        return graded(with_lists("; ".join(wrong), *lists), answered, symbols)

    def parts_without_answer(self, trial: Trial) -> tuple[Part, ...]:
        return Answered(), matching(None, reference_signatures(trial).used)


def reference_signatures(trial: Trial) -> Signatures:
    """The signature of a sample's formula; a symbol that is missing from the fact ``ontology`` has no gloss."""
    ontology = ontology_of_facts(trial.fact("ontology", list))
    used = symbols_used(cast("Sentence", trial.about.formula), ontology)
    names = {(symbol.is_term, symbol.name) for symbol in used}
    unused = [symbol for symbol in ontology.symbols if (symbol.is_term, symbol.name) not in names]
    return Signatures(used, tuple(unused))


def matching(listed: Sequence[Symbol] | None, expected: Sequence[Symbol]) -> Symbols:
    """How the symbols that an answer lists match the expected ones.

    ``listed`` is None without a readable list (scores 0).
    ``matched``: pairs of names, the listed one first, by the best one-to-one matching of predicates with predicates and
    terms with terms; ``missing`` and ``surplus``: expected and listed ones without a partner; ``wrong_arity``: such as
    ``Larger/1`` beside ``Larger/2``. Scores are from 0 to 1; ``arity_right`` is a share of the matched symbols, None if
    there are none.
    """
    answered = listed or ()
    index_pairs = _alike_pairs(answered, expected)
    pairs = [(answered[i], expected[j]) for i, j in index_pairs]
    wrong = [pair for pair in pairs if pair[0].arity != pair[1].arity]
    matched_answered = {i for i, _ in index_pairs}
    matched_expected = {j for _, j in index_pairs}
    # An empty list is right if there are no symbols to find.
    empty_score = 0.0 if listed is None else 1.0
    empty_precision = 0.0 if expected else empty_score
    return Symbols(
        matched=[[candidate.name, reference.name] for candidate, reference in pairs],
        missing=[symbol.name for j, symbol in enumerate(expected) if j not in matched_expected],
        surplus=[symbol.name for i, symbol in enumerate(answered) if i not in matched_answered],
        wrong_arity=[[_with_arity(symbol) for symbol in pair] for pair in wrong],
        precision=_share(len(pairs), len(answered), empty_precision),
        recall=_share(len(pairs), len(expected), empty_score),
        f1=_share(2 * len(pairs), len(answered) + len(expected), empty_score),
        arity_right=1 - len(wrong) / len(pairs) if pairs else None,
    )


def _share(number: int, total: int, without: float) -> float:
    """``number`` / ``total``; ``without`` if the total is 0."""
    return number / total if total else without


def _with_arity(symbol: Symbol) -> str:
    return f"{symbol.name}/{symbol.arity}"


def _alike_pairs(answered: Sequence[Symbol], expected: Sequence[Symbol]) -> list[tuple[int, int]]:
    """The places of symbols that are alike enough, one to one, by the best matching."""
    likeness = [
        [_likeness(candidate, reference) for reference in expected] for candidate in answered
    ]
    # Unlike pairs count 0 in the matching: else many of them could outweigh one good pair.
    only_alike = [
        [value if value >= MATCHING_LIKENESS else 0.0 for value in row] for row in likeness
    ]
    # The matching is complete, so it has pairs that count 0.
    best = best_matching(only_alike)
    return [(i, j) for i, j in best if likeness[i][j] >= MATCHING_LIKENESS]


def _likeness(symbol: Symbol, reference: Symbol) -> float:
    """The likeness of two symbols, from 0 to 1; 0 if their kinds differ, or one gloss negates the other."""
    if symbol.is_term != reference.is_term or is_denied(symbol, reference):
        return 0.0
    likeness_of_glosses = jaccard(phrase(symbol), phrase(reference))
    likeness_of_names = name_similarity(symbol.name, reference.name)
    return max(likeness_of_glosses, _WEIGHT_OF_NAMES * likeness_of_names)


ONTOLOGY_EXTRACTION = OntologyExtraction()
