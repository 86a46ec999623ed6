"""Figures of the tasks on sentences of first-order logic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from pytest_autoeval.judging.item_groups import grouped, item_of
from pytest_autoeval.outcomes import Label, Outcome
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Answered, Given
from pytest_autoeval.report.blocks import Column, Figures, Row, Table
from pytest_autoeval.report.metric_trust import DECIDED, le_scores, trust_in
from pytest_autoeval.report.rates import rate_over
from pytest_autoeval.report.task_figures.answer_figures import (
    answered_in,
    count_figures,
    expected_of,
    is_right,
)
from pytest_autoeval.report.task_figures.comparisons import comparisons
from pytest_autoeval.statistics.ratios import mean, ratio
from pytest_autoeval.studies.first_order_translation.parts import Symbols

LABELS = tuple(Label)


#: The scores of the record, with the names that reports give them.
_FOUND = {"precision": "precision", "recall": "recall", "f1": "F1"}


def entailments(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The rates of three labels, and the confusion matrix, right label by given label, with the recall of each.

    Answers without a label are in no rate. ``macro F1`` is over the labels that are right for some sample.
    """
    samples = [sample for sample in samples if expected_of(sample) in LABELS]
    readable = [sample for sample in samples if answered_in(sample) in LABELS]
    pairs = Counter((expected_of(sample), answered_in(sample)) for sample in readable)
    expected = {right: sum(pairs[right, label] for label in LABELS) for right in LABELS}
    answered = {label: sum(pairs[right, label] for right in LABELS) for label in LABELS}
    # A label that is right for no sample has no recall, and so no F1.
    present = [label for label in LABELS if expected[label]]
    f1 = [2 * pairs[label, label] / (expected[label] + answered[label]) for label in present]
    yield rate_over(
        "accuracy", readable, lambda sample: bool(answered_in(sample) == expected_of(sample))
    )
    yield Figure("unreadable", len(samples) - len(readable), "count", n=len(samples))
    yield Figure("macro F1", mean(f1), "rate", n=len(readable))
    rows = []
    for right in LABELS:
        number = expected[right]
        recall = Figure("recall", ratio(pairs[right, right], number), "rate", n=number)
        numbers = (pairs[right, label] for label in LABELS)
        rows.append(Row((str(right), *numbers, recall)))
    yield Table(
        title="right labels (down) and given labels (across)",
        thing="label",
        columns=(
            Column("right label", "text"),
            *(Column(str(label), "count") for label in LABELS),
            Column("recall", "rate"),
        ),
        rows=tuple(rows),
        level="default",
    )


def choices(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """Rates of choices of the most similar; ``right`` is of the valid answers, which are numbers in range.

    ``misled by`` counts wrong choices by the edit that made the chosen candidate; several candidates are equally near
    for an embedding model if their similarities are equal.
    """
    valid = [sample for sample in samples if isinstance(answered_in(sample), int)]
    wrong = [sample for sample in valid if sample.outcome != Outcome.CORRECT]
    chosen_edits = ((sample.part_or_empty(Given).edits, answered_in(sample)) for sample in wrong)
    edits = Counter(str(kinds[chosen - 1]) for kinds, chosen in chosen_edits if kinds)
    # Samples of models that write answers have none.
    similarities = (sample.part_or_empty(Answered).similarities for sample in samples)
    tied = sum(scores.count(max(scores)) > 1 for scores in similarities if scores)
    # Beside each other, the two rates show whether a model prefers the first candidate.
    times_chosen = sum(answered_in(sample) == 1 for sample in valid)
    times_right = sum(expected_of(sample) == 1 for sample in valid)
    chosen = ratio(times_chosen, len(valid))
    right = ratio(times_right, len(valid))
    yield rate_over("right", valid, is_right)
    yield Figure("valid answers", len(valid), "count", n=len(samples))
    yield Figure("first candidate chosen", chosen, "rate", n=len(valid))
    yield Figure("first candidate right", right, "rate", n=len(valid))
    if tied:
        yield Figure("several equally near", tied, "count", n=len(samples))
    yield from _problems(samples)
    yield from count_figures("misled by", edits)
    yield _perturbations(samples)


def rankings(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The three scores as rates of all samples. An answer without a ranking has none of them.

    Source: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026).
    """
    yield rate_over("Ranking-Equivalence", samples, _equivalents_first)
    yield rate_over(
        "Ranking-Negation",
        samples,
        lambda sample: sample.part_or_empty(Answered).ranking_negation is True,
    )
    yield rate_over("Ranking-Both", samples, is_right)
    yield from _problems(samples)
    laws = grouped(samples, lambda sample: sample.part_or_empty(Given).law or "")
    by_law = tuple(rate_over(law, laws[law], _equivalents_first) for law in sorted(laws) if law)
    if by_law:
        yield Figures(title="Ranking-Equivalence by law", figures=by_law, level="verbose")
    yield _perturbations(samples)


def _equivalents_first(sample: Sample) -> bool:
    return sample.part_or_empty(Answered).ranking_equivalence is True


def _problems(samples: Sequence[Sample]) -> Iterator[Figures]:
    """The problems of invalid answers."""
    invalid = (
        sample
        for sample in samples
        if sample.outcome not in (Outcome.CORRECT, Outcome.WRONG_ANSWER)
    )
    yield from count_figures(
        "not valid",
        Counter(sample.part_or_empty(Answered).problem or sample.outcome for sample in invalid),
    )


def _perturbations(samples: Sequence[Sample]) -> Table:
    """How many items have how many wrong candidates. Repeats are one item."""
    numbers = {item_of(sample): sample.part_or_empty(Given).perturbations for sample in samples}
    counts = Counter(number for number in numbers.values() if number is not None)
    return Table(
        title="perturbations",
        thing="number",
        columns=(Column("perturbations", "count"), Column("items", "count")),
        rows=tuple(Row((number, counts[number])) for number in sorted(counts)),
        level="verbose",
    )


def scored_translations(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The figures of :func:`comparisons`, the mean LE scores, and their correlation with the verdict."""
    yield from comparisons(samples)
    # A score shows what it is worth only beside a verdict.
    decided = [sample for sample in samples if sample.outcome in DECIDED]
    trust = trust_in("LE", "translations", le_scores(decided))
    if trust.mean is None:
        return
    scores = [Figure("mean", trust.mean, n=trust.pairs)]
    if trust.equivalent is not None:
        scores.append(Figure("of equivalent ones", trust.equivalent))
    if trust.different is not None:
        scores.append(Figure("of different ones", trust.different))
    if trust.correlation is not None:
        scores.append(Figure("correlation with the verdict", trust.correlation, n=trust.pairs))
        scores.append(Figure("p", trust.p_value, "p"))
    yield Figures(title="LE score", figures=tuple(scores), level="default")


def ontologies(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The means over all sentences (without symbols 0), and the counts of symbols."""
    symbols = [sample.part_or_empty(Symbols) for sample in samples]
    counts = {}
    for key in ("matched", "missing", "surplus", "wrong_arity"):
        counts[key] = sum(len(getattr(record, key) or ()) for record in symbols)
    arity_right = ratio(counts["matched"] - counts["wrong_arity"], counts["matched"])
    for key, name in _FOUND.items():
        # An answer without a readable list found nothing.
        scores = [getattr(record, key) or 0.0 for record in symbols]
        yield Figure(name, fmean(scores), "rate", n=len(samples))
    yield Figure("arity right", arity_right, "rate", n=counts["matched"])
    figures = [Figure(key.replace("_", " "), number, "count") for key, number in counts.items()]
    yield Figures(title="symbols", figures=tuple(figures), level="default")
