"""Figures of answers to questions: yes or no, written traces, labels, choices, rankings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_autoeval.judging.items import by_size, grouped, item_of, size_name
from pytest_autoeval.outcomes import Label, Outcome
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Answered, Given
from pytest_autoeval.report.blocks import Column, Figures, Row, Table
from pytest_autoeval.report.rates import rate_over
from pytest_autoeval.statistics.classification import Confusion
from pytest_autoeval.text import mean, ratio

LABELS = tuple(Label)

#: The rates of a confusion matrix: their names, and what computes them.
_RATES = {
    "precision": "precision",
    "recall": "recall",
    "F1": "f1",
    "specificity": "specificity",
    "false positive rate": "false_positive_rate",
    "false negative rate": "false_negative_rate",
}


def confusion(samples: Sequence[Sample]) -> Confusion:
    """The confusion matrix of samples whose right answer is yes or no; others are left out."""
    answers = ((expected_of(sample), answered_in(sample)) for sample in samples)
    asked = ((expected, answered) for expected, answered in answers if isinstance(expected, bool))
    return Confusion.of((expected, answered if isinstance(answered, bool) else None) for expected, answered in asked)


def expected_of(sample: Sample) -> Any:
    """The right answer."""
    return sample.part_or_empty(Given).expected


def answered_in(sample: Sample) -> Any:
    """The answer as it was read."""
    return sample.part_or_empty(Answered).value


def tally(title: str, counts: Mapping[str, int]) -> Iterator[Figures]:
    """Named counts as a block, the largest first; nothing without counts."""
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    if ordered:
        figures = tuple(Figure(name, number, "count") for name, number in ordered)
        yield Figures(title=title, figures=figures, level="default")


def _accuracy(samples: Sequence[Sample]) -> Figure:
    """The share of right answers among those that are yes or no. An answer that is neither is in no rate."""
    readable = [
        sample for sample in samples if isinstance(expected_of(sample), bool) and isinstance(answered_in(sample), bool)
    ]
    return rate_over("accuracy", readable, lambda sample: bool(answered_in(sample) == expected_of(sample)))


def _rates(matrix: Confusion, *names: str) -> Iterator[Figure]:
    return (Figure(name, getattr(matrix, _RATES[name]), "rate") for name in names)


def _unreadable(matrix: Confusion) -> Figure:
    return Figure("unreadable", matrix.unreadable, "count", n=matrix.readable + matrix.unreadable)


def _kappa(matrix: Confusion) -> Figure:
    return Figure("kappa", matrix.kappa, n=matrix.readable)


def _confusion_table(matrix: Confusion, positive: str, negative: str) -> Table:
    """The counts by the right answer (down) and the given answer (across)."""
    return Table(
        title="right answers (down) and given answers (across)",
        thing="right answer",
        columns=(Column("right answer", "text"), Column("yes", "count"), Column("no", "count")),
        rows=(
            Row((positive, matrix.true_positive, matrix.false_negative)),
            Row((negative, matrix.false_positive, matrix.true_negative)),
        ),
        level="verbose",
    )


def well_formedness(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The rates of the confusion matrix, and the matrix; well-formed is positive."""
    matrix = confusion(samples)
    yield _accuracy(samples)
    yield _unreadable(matrix)
    yield from _rates(matrix, "precision", "recall", "F1", "false positive rate", "false negative rate")
    yield Figures(figures=(*_rates(matrix, "specificity"), _kappa(matrix)), level="verbose")
    yield _confusion_table(matrix, "well-formed", "not well-formed")


def judged_traces(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The rates of the confusion matrix, and the matrix; satisfying is positive.

    ``soundness`` is the share of satisfying traces that were accepted, ``completeness`` that of violating traces that
    were rejected.
    """
    matrix = confusion(samples)
    yield _accuracy(samples)
    yield _unreadable(matrix)
    yield Figure("soundness", matrix.recall, "rate")
    yield Figure("completeness", matrix.specificity, "rate")
    yield from _rates(matrix, "precision", "F1")
    others = _rates(matrix, "false positive rate", "false negative rate")
    yield Figures(figures=(*others, _kappa(matrix)), level="verbose")
    yield _confusion_table(matrix, "satisfies the formula", "violates the formula")


def judged_pairs(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The rates of the confusion matrix and kappa, the matrix, and both by size; an equivalent pair is positive."""
    matrix = confusion(samples)
    yield _accuracy(samples)
    yield _kappa(matrix)
    yield _unreadable(matrix)
    yield from _rates(matrix, "precision", "recall", "specificity", "F1")
    yield Figures(figures=tuple(_rates(matrix, "false positive rate", "false negative rate")), level="verbose")
    yield _confusion_table(matrix, "same meaning", "different meaning")
    yield _pairs_by_size(samples)


def _pairs_by_size(samples: Sequence[Sample]) -> Table:
    rows = []
    for size, of_size in by_size(samples).items():
        matrix = confusion(of_size)
        same, different = (matrix.true_positive, matrix.false_negative), (matrix.false_positive, matrix.true_negative)
        rows.append(Row((size, _accuracy(of_size), _kappa(matrix), *same, *different, matrix.unreadable)))
    return Table(
        title="accuracy by size",
        thing="size",
        columns=(
            Column(size_name(samples), "count"),
            Column("accuracy", "rate"),
            Column("kappa", "number", optional=True),
            Column("yes", "count", group="same meaning", optional=True),
            Column("no", "count", group="same meaning", optional=True),
            Column("yes", "count", group="different meaning", optional=True),
            Column("no", "count", group="different meaning", optional=True),
            Column("unreadable", "count", optional=True),
        ),
        rows=tuple(rows),
        level="verbose",
    )


def written_traces(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The shares of right traces, and the confusion matrix of the readable ones; a satisfying trace is positive."""
    asked = {
        kind: [sample for sample in samples if expected_of(sample) == kind] for kind in ("satisfying", "violating")
    }
    every = [sample for of_kind in asked.values() for sample in of_kind]
    matrix = Confusion.of((expected_of(sample) == "satisfying", _satisfies(sample)) for sample in every)
    malformed = sum(sample.outcome == Outcome.MALFORMED_TRACE for sample in every)
    yield rate_over("right", every, _is_right)
    for kind, of_kind in asked.items():
        yield rate_over(f"{kind} right", of_kind, _is_right)
    yield Figure("no readable trace", ratio(matrix.unreadable, len(every)), "rate", n=len(every))
    yield Figure("malformed", malformed, "count", n=len(every))
    readable = (Figure("accuracy", matrix.accuracy, "rate", n=matrix.readable), *_rates(matrix, "precision", "F1"))
    yield Figures(title="of the readable", figures=readable, level="default")
    yield Table(
        title="asked for (down) and written (across)",
        thing="kind of trace",
        columns=(Column("asked for", "text"), Column("satisfying", "count"), Column("violating", "count")),
        rows=(
            Row(("satisfying", matrix.true_positive, matrix.false_negative)),
            Row(("violating", matrix.false_positive, matrix.true_negative)),
        ),
        level="verbose",
    )


def _is_right(sample: Sample) -> bool:
    return sample.outcome == Outcome.CORRECT


def _satisfies(sample: Sample) -> bool | None:
    if sample.outcome not in (Outcome.CORRECT, Outcome.WRONG_ANSWER):
        return None
    return bool(expected_of(sample) == "satisfying") == (sample.outcome == Outcome.CORRECT)


def entailments(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The rates of three labels, and the confusion matrix, right label by given label, with the recall of each.

    Answers without a label are in no rate. ``macro F1`` is over the labels that are right for some sample.
    """
    samples = [sample for sample in samples if expected_of(sample) in LABELS]
    readable = [sample for sample in samples if answered_in(sample) in LABELS]
    pairs = Counter((expected_of(sample), answered_in(sample)) for sample in readable)
    expected = {right: sum(pairs[right, given] for given in LABELS) for right in LABELS}
    answered = {given: sum(pairs[right, given] for right in LABELS) for given in LABELS}
    f1 = [2 * pairs[label, label] / (expected[label] + answered[label]) for label in LABELS if expected[label]]
    yield rate_over("accuracy", readable, lambda sample: bool(answered_in(sample) == expected_of(sample)))
    yield Figure("unreadable", len(samples) - len(readable), "count", n=len(samples))
    yield Figure("macro F1", mean(f1), "rate", n=len(readable))
    rows = []
    for right in LABELS:
        recall = Figure("recall", ratio(pairs[right, right], expected[right]), "rate", n=expected[right])
        rows.append(Row((str(right), *(pairs[right, given] for given in LABELS), recall)))
    yield Table(
        title="right labels (down) and given labels (across)",
        thing="label",
        columns=(
            Column("right label", "text"),
            *(Column(str(given), "count") for given in LABELS),
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
    made = ((sample.part_or_empty(Given).edits, answered_in(sample)) for sample in wrong)
    edits = Counter(str(kinds[chosen - 1]) for kinds, chosen in made if kinds)
    similarities = (sample.part_or_empty(Answered).similarities for sample in samples)
    tied = sum(scores.count(max(scores)) > 1 for scores in similarities if scores)
    chosen, right = (
        ratio(sum(number_of(sample) == 1 for sample in valid), len(valid)) for number_of in (answered_in, expected_of)
    )
    yield rate_over("right", valid, _is_right)
    yield Figure("valid answers", len(valid), "count", n=len(samples))
    yield Figure("first candidate chosen", chosen, "rate", n=len(valid))
    yield Figure("first candidate right", right, "rate", n=len(valid))
    if tied:
        yield Figure("several equally near", tied, "count", n=len(samples))
    yield from _problems(samples)
    yield from tally("misled by", edits)
    yield _perturbations(samples)


def rankings(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The three scores as rates of all samples. An answer without a ranking has none of them.

    Source: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026).
    """
    yield rate_over("Ranking-Equivalence", samples, _equivalents_first)
    yield rate_over("Ranking-Negation", samples, lambda sample: sample.part_or_empty(Answered).ranking_negation is True)
    yield rate_over("Ranking-Both", samples, _is_right)
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
    invalid = (sample for sample in samples if sample.outcome not in (Outcome.CORRECT, Outcome.WRONG_ANSWER))
    yield from tally(
        "not valid", Counter(sample.part_or_empty(Answered).problem or sample.outcome for sample in invalid)
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
