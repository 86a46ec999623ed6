"""Figures of the tasks on temporal logic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any

from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Given, Translated
from pytest_autoeval.report.blocks import Column, Figures, Row, Table
from pytest_autoeval.report.rates import rate_over
from pytest_autoeval.report.task_figures.answer_figures import (
    accuracy,
    answered_in,
    confusion,
    confusion_table,
    count_figures,
    expected_of,
    is_right,
    kappa,
    rates_of,
    unreadable,
)
from pytest_autoeval.report.task_figures.comparisons import COMPARED, comparisons, is_equivalent
from pytest_autoeval.statistics.classification import Confusion
from pytest_autoeval.statistics.ratios import mean, ratio
from pytest_autoeval.studies.temporal_logic.formula_likeness import likeness_of
from pytest_autoeval.studies.temporal_logic.parts import Phrases
from pytest_autoeval.studies.temporal_logic.propositions import distance

#: The scores of the record, with the names that reports give them.
_FOUND = {"precision": "precision", "recall": "recall", "f1": "F1"}
_ALIKE = {"jaccard": "Jaccard", "levenshtein": "Levenshtein"}


def well_formedness(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The rates of the confusion matrix, and the matrix; well-formed is positive."""
    matrix = confusion(samples)
    yield accuracy(samples)
    yield unreadable(matrix)
    yield from rates_of(
        matrix, "precision", "recall", "F1", "false positive rate", "false negative rate"
    )
    yield Figures(figures=(*rates_of(matrix, "specificity"), kappa(matrix)), level="verbose")
    yield confusion_table(matrix, "well-formed", "not well-formed")


def judged_traces(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The rates of the confusion matrix, and the matrix; satisfying is positive.

    ``soundness`` is the share of satisfying traces that were accepted, ``completeness`` that of violating traces that
    were rejected.
    """
    matrix = confusion(samples)
    yield accuracy(samples)
    yield unreadable(matrix)
    # Under the names of logic too: to accept is to claim that the trace satisfies the formula.
    yield Figure("soundness", matrix.recall, "rate")
    yield Figure("completeness", matrix.specificity, "rate")
    yield from rates_of(matrix, "precision", "F1")
    error_rates = rates_of(matrix, "false positive rate", "false negative rate")
    yield Figures(figures=(*error_rates, kappa(matrix)), level="verbose")
    yield confusion_table(matrix, "satisfies the formula", "violates the formula")


def written_traces(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The shares of right traces, and the confusion matrix of the readable ones; a satisfying trace is positive."""
    satisfying = [sample for sample in samples if expected_of(sample) == "satisfying"]
    violating = [sample for sample in samples if expected_of(sample) == "violating"]
    written = [*satisfying, *violating]
    matrix = Confusion.of(
        (expected_of(sample) == "satisfying", _satisfies(sample)) for sample in written
    )
    malformed = sum(sample.outcome == Outcome.MALFORMED_TRACE for sample in written)
    yield rate_over("right", written, is_right)
    # Apart, since a model may be good at one of them alone.
    yield rate_over("satisfying right", satisfying, is_right)
    yield rate_over("violating right", violating, is_right)
    unreadable_share = ratio(matrix.unreadable, len(written))
    yield Figure("no readable trace", unreadable_share, "rate", n=len(written))
    yield Figure("malformed", malformed, "count", n=len(written))
    readable = (
        Figure("accuracy", matrix.accuracy, "rate", n=matrix.readable),
        *rates_of(matrix, "precision", "F1"),
    )
    yield Figures(title="of the readable", figures=readable, level="default")
    yield Table(
        title="asked for (down) and written (across)",
        thing="kind of trace",
        columns=(
            Column("asked for", "text"),
            Column("satisfying", "count"),
            Column("violating", "count"),
        ),
        rows=(
            Row(("satisfying", matrix.true_positive, matrix.false_negative)),
            Row(("violating", matrix.false_positive, matrix.true_negative)),
        ),
        level="verbose",
    )


def _satisfies(sample: Sample) -> bool | None:
    """Whether the trace of an answer satisfies the formula; None without a readable trace."""
    if sample.outcome not in (Outcome.CORRECT, Outcome.WRONG_ANSWER):
        return None
    is_correct = sample.outcome == Outcome.CORRECT
    is_to_satisfy = bool(expected_of(sample) == "satisfying")
    return is_to_satisfy == is_correct


def translations(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The figures of :func:`comparisons`, and those of the temporal-logic study.

    In the study an answer is not meaningful if it lacks an atom of the reference, or has no formula. Its precision is
    its accuracy, its recall the share of answers that the reference entails, and F1 their harmonic mean: so are the
    numbers of its Tables 5 and 6.
    """
    yield from comparisons(samples)
    meaningful = [sample for sample in samples if _is_meaningful(sample)]
    decided = [sample for sample in meaningful if sample.outcome != Outcome.UNDECIDED]
    # Not each pair of decided formulas has a relation: that question may stay open.
    related = [sample for sample in decided if _relation(sample) is not None]
    precision = rate_over("accuracy", decided, is_equivalent)
    recall = rate_over("recall", related, _is_entailed)
    not_meaningful = len(samples) - len(meaningful)
    undecided = len(meaningful) - len(decided)
    f1 = _harmonic_mean(precision.value, recall.value)
    study = (
        precision,
        Figure("not meaningful", not_meaningful, "count", n=len(samples)),
        Figure("undecided", undecided, "count", n=len(samples)),
        recall,
        Figure("F1", f1, "rate", n=len(decided)),
    )
    yield Figures(title="as the study counts", figures=study, level="default")
    yield from _likeness(samples)


def _relation(sample: Sample) -> str | None:
    """The relation to the reference. Equivalence is proved even if no relation was recorded."""
    return "equivalent" if is_equivalent(sample) else sample.part_or_empty(Translated).relation


def _is_entailed(sample: Sample) -> bool:
    """Whether the reference entails the answer."""
    return _relation(sample) in {"equivalent", "weaker"}


def _harmonic_mean(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


def _likeness(samples: Sequence[Sample]) -> Iterator[Figures]:
    """How alike the formulas and their references are as texts: means over the answers with a formula."""
    likenesses = [likeness for likeness in map(likeness_of, samples) if likeness is not None]
    if not likenesses:
        return
    # Without an alignment of the names, their overlap is not known.
    all_overlaps = (likeness.propositions for likeness in likenesses)
    overlaps = [overlap for overlap in all_overlaps if overlap is not None]
    number = len(likenesses)
    agreement = fmean(likeness.operators for likeness in likenesses)
    same_structures = sum(likeness.has_same_structure for likeness in likenesses)
    figures = (
        Figure("overlap of propositions", mean(overlaps), "rate", n=len(overlaps)),
        Figure("agreement of operators", agreement, "rate", n=number),
        Figure("exact structure", same_structures / number, "rate", n=number),
    )
    yield Figures(title="likeness to the reference", figures=figures, level="verbose")


def _is_meaningful(sample: Sample) -> bool:
    """Whether an answer has all atoms of the reference. A sample that does not say it has them if it was compared."""
    lacking = sample.part_or_empty(Translated).lacking
    return sample.outcome in COMPARED if lacking is None else not lacking


def extraction(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The means of the scores over all sentences (without phrases 0), the phrases matched, and the kinds of error.

    The distance is the study's second number of spelling (its Table 4), in characters.
    """
    extracted = [sample.part_or_empty(Phrases) for sample in samples]
    scores = [record.scores or {"recall": 0.0} for record in extracted]
    expected = [_phrases(sample.part_or_empty(Given).propositions) for sample in samples]
    answered = [_phrases(answered_in(sample)) for sample in samples]
    numbers = list(map(len, expected))
    # The record has the share of the phrases that were found, and not their number.
    matched = sum(
        round(score["recall"] * number) for score, number in zip(scores, numbers, strict=True)
    )
    kinds = (record.error_kind if record.scores else "complete failure" for record in extracted)
    for key, name in (_FOUND | _ALIKE).items():
        mean = fmean(score.get(key, 0.0) for score in scores)
        yield Figure(name, mean, "rate", n=len(samples))
    mean_distance = fmean(map(distance, expected, answered))
    yield Figure("Levenshtein distance", mean_distance, n=len(samples))
    yield Figure("phrases matched", matched, "count", n=sum(numbers))
    yield from count_figures("errors", Counter(filter(None, kinds)))


def _phrases(pairs: Any) -> list[str]:
    """The phrases of pairs with a name each; none without pairs."""
    return [phrase for phrase, _ in pairs or ()]
