"""Figures of answers that are right or wrong: rates, the confusion matrix, judged pairs, refined answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from pytest_autoeval.judging.item_groups import by_size, size_name
from pytest_autoeval.outcomes import Outcome, OutcomeKind
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.own_outcomes import outcome_among
from pytest_autoeval.record.task_parts import Answered, First, Given
from pytest_autoeval.report.blocks import Column, Curve, Figures, Point, Row, Series, Table
from pytest_autoeval.report.rates import rate_over
from pytest_autoeval.statistics.classification import Confusion

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
    yes_no_answers = (
        (expected, answered) for expected, answered in answers if isinstance(expected, bool)
    )
    return Confusion.of(
        # None is an answer that is neither yes nor no: it is counted, and is in no rate.
        (expected, answered if isinstance(answered, bool) else None)
        for expected, answered in yes_no_answers
    )


def expected_of(sample: Sample) -> Any:
    """The right answer."""
    return sample.part_or_empty(Given).expected


def answered_in(sample: Sample) -> Any:
    """The answer as it was read."""
    return sample.part_or_empty(Answered).value


def count_figures(title: str, counts: Mapping[str, int]) -> Iterator[Figures]:
    """Named counts as a block, the largest first; nothing without counts."""
    # Of equal counts the names decide, so that equal runs have equal reports.
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    if ordered:
        figures = tuple(Figure(name, number, "count") for name, number in ordered)
        yield Figures(title=title, figures=figures, level="default")


def accuracy(samples: Sequence[Sample]) -> Figure:
    """The share of right answers among those that are yes or no. An answer that is neither is in no rate."""
    readable = [sample for sample in samples if _is_readable(sample)]
    return rate_over(
        "accuracy", readable, lambda sample: bool(answered_in(sample) == expected_of(sample))
    )


def from_files(samples: Iterable[Sample]) -> list[Sample]:
    """The judged pairs of a user's file: unlike drawn ones, most may be equivalent, and their texts may be equal."""
    return [
        sample for sample in samples if sample.part_or_empty(Given).pair in ("round trip", "own")
    ]


def with_equal_texts(samples: Iterable[Sample]) -> list[Sample]:
    """The judged pairs with one text on both sides, as round trips often give: they need no understanding."""
    return [sample for sample in samples if sample.part_or_empty(Given).other == sample.formula]


def accuracy_beside_equal_texts(samples: Sequence[Sample]) -> Figure:
    """The accuracy of a judge on the pairs whose two texts differ."""
    differing = [sample for sample in samples if not with_equal_texts([sample])]
    return replace(accuracy(differing), name="accuracy without equal texts")


def same_answer(samples: Sequence[Sample]) -> Figure:
    """The accuracy of a judge that always gives the same answer, the one that is right more often."""
    answers = [expected_of(sample) for sample in samples if _is_readable(sample)]
    most = max(answers.count(True), answers.count(False))
    share = most / len(answers) if answers else None
    return Figure("always the same answer", share, "rate")


def _is_readable(sample: Sample) -> bool:
    """Whether the right answer and the given one are yes or no."""
    return isinstance(expected_of(sample), bool) and isinstance(answered_in(sample), bool)


def rates_of(matrix: Confusion, *names: str) -> Iterator[Figure]:
    return (Figure(name, getattr(matrix, _RATES[name]), "rate") for name in names)


def unreadable(matrix: Confusion) -> Figure:
    return Figure("unreadable", matrix.unreadable, "count", n=matrix.readable + matrix.unreadable)


def kappa(matrix: Confusion) -> Figure:
    return Figure("kappa", matrix.kappa, n=matrix.readable)


def confusion_table(matrix: Confusion, positive: str, negative: str) -> Table:
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


def judged_pairs(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table | Curve]:
    """The rates of the confusion matrix and kappa, the matrix, and both by size; an equivalent pair is positive."""
    matrix = confusion(samples)
    yield accuracy(samples)
    pairs = from_files(samples)
    if with_equal_texts(pairs):
        yield accuracy_beside_equal_texts(pairs)
    if pairs:
        yield same_answer(pairs)
    yield kappa(matrix)
    yield unreadable(matrix)
    yield from rates_of(matrix, "precision", "recall", "specificity", "F1")
    yield Figures(
        figures=tuple(rates_of(matrix, "false positive rate", "false negative rate")),
        level="verbose",
    )
    yield confusion_table(matrix, "same meaning", "different meaning")
    yield _pairs_by_size(samples)
    yield _rates_by_size(samples)


def _rates_by_size(samples: Sequence[Sample]) -> Curve:
    """Precision, recall and F1 at every size (Figures 3 and 4 of the AutoEval paper); unreadable answers are left out.

    F1 has no interval: it is no share of samples.
    """
    points: dict[str, list[Point]] = {"precision": [], "recall": [], "F1": []}
    for size, of_size in by_size(samples).items():
        readable = [sample for sample in of_size if _is_readable(sample)]
        # Precision is over the answers that say yes, recall over the pairs for which yes is right.
        said_yes = [sample for sample in readable if answered_in(sample)]
        positive = [sample for sample in readable if expected_of(sample)]
        precision = rate_over("precision", said_yes, expected_of)
        recall = rate_over("recall", positive, answered_in)
        for rate in (precision, recall):
            points[rate.name].append(
                Point(size, rate.value, low=rate.low, high=rate.high, n=rate.n)
            )
        points["F1"].append(Point(size, confusion(of_size).f1, n=len(readable)))
    return Curve(
        title="precision, recall and F1 by size",
        over=size_name(samples),
        unit="rate",
        series=tuple(Series(name, tuple(values)) for name, values in points.items()),
        level="verbose",
    )


def _pairs_by_size(samples: Sequence[Sample]) -> Table:
    rows = []
    for size, of_size in by_size(samples).items():
        matrix = confusion(of_size)
        of_equivalent = (matrix.true_positive, matrix.false_negative)
        of_different = (matrix.false_positive, matrix.true_negative)
        rows.append(
            Row(
                (
                    size,
                    accuracy(of_size),
                    kappa(matrix),
                    *of_equivalent,
                    *of_different,
                    matrix.unreadable,
                )
            )
        )
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


def is_right(sample: Sample) -> bool:
    return sample.outcome == Outcome.CORRECT


def _first_kind(sample: Sample) -> OutcomeKind:
    """How the first of two answers counts."""
    outcome = sample.part_or_empty(First).outcome or ""
    return outcome_among(outcome, sample.suite.asked.outcomes).kind


def refinement(samples: Sequence[Sample]) -> Figures:
    """How many first and refined answers are right, stayed right, were corrected or spoiled; undecided pairs apart."""
    kinds = [(_first_kind(sample), sample.kind) for sample in samples]
    # An undecided answer was neither right nor wrong: no change can be counted.
    decided: Counter[tuple[bool, bool]] = Counter()
    for pair in kinds:
        if OutcomeKind.UNDECIDED not in pair:
            kind_before, kind_after = pair
            decided[kind_before == OutcomeKind.PASS, kind_after == OutcomeKind.PASS] += 1
    stayed_right = decided[True, True]
    corrected = decided[False, True]
    spoiled = decided[True, False]
    counts = {"first right": stayed_right + spoiled, "refined right": stayed_right + corrected}
    counts |= {"kept": stayed_right, "corrected": corrected, "spoiled": spoiled}
    figures = [Figure(name, number, "count", n=decided.total()) for name, number in counts.items()]
    # They are counted apart, so that all counts add up to the samples.
    undecided = len(kinds) - decided.total()
    if undecided:
        figures.append(Figure("undecided", undecided, "count", n=len(kinds)))
    return Figures(title="refinement", figures=tuple(figures), level="default")
