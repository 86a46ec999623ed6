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
from pytest_autoeval.tasks.likeness import (
    best_matching,
    is_denied,
    jaccard,
    name_similarity,
    phrase,
)
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
        ours = reference_signatures(trial).used
        try:
            theirs, _ = read_symbols(answer)
        except UnreadableError as error:
            parts = self.parts_without_answer(trial)
            return Judgement(outcome=Outcome.UNREADABLE_ANSWER, message=str(error), parts=parts)
        answered, symbols = (
            Answered(value=[str(symbol) for symbol in theirs]),
            matching(theirs, ours),
        )
        wrong = []
        if symbols.missing:
            wrong.append(f"missing: {', '.join(symbols.missing)}")
        if symbols.surplus:
            wrong.append(f"surplus: {', '.join(symbols.surplus)}")
        if arities := "; ".join(f"{their} for {our}" for their, our in symbols.wrong_arity or ()):
            wrong.append(f"wrong number of places: {arities}")
        lists = Ontology(ours).listed(), Ontology(theirs).listed()
        return graded(with_lists("; ".join(wrong), *lists) if wrong else "", answered, symbols)

    def parts_without_answer(self, trial: Trial) -> tuple[Part, ...]:
        return Answered(), matching(None, reference_signatures(trial).used)


def reference_signatures(trial: Trial) -> Signatures:
    """The signature of a sample's formula; a symbol that is missing from the fact ``ontology`` has no gloss."""
    ontology = ontology_of_facts(trial.fact("ontology", list))
    used = symbols_used(cast("Sentence", trial.about.formula), ontology)
    names = {(symbol.is_term, symbol.name) for symbol in used}
    return Signatures(
        used,
        tuple(symbol for symbol in ontology.symbols if (symbol.is_term, symbol.name) not in names),
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
    empty_score = (
        0.0 if listed is None else 1.0
    )  # for an empty list if there are no symbols to find
    likeness = [[_likeness(their, our) for our in ours] for their in theirs]
    best = best_matching(
        [[value if value >= MATCHING_LIKENESS else 0.0 for value in row] for row in likeness]
    )
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
    return max(
        jaccard(phrase(their), phrase(our)),
        _WEIGHT_OF_NAMES * name_similarity(their.name, our.name),
    )


ONTOLOGY_EXTRACTION = OntologyExtraction()
