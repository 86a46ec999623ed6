"""Figures of formulas that are compared with a reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Translated
from pytest_autoeval.report.blocks import Figures, Table
from pytest_autoeval.report.metric_trust import DECIDED
from pytest_autoeval.report.rates import rate_over
from pytest_autoeval.report.task_figures.answer_figures import (
    count_figures,
)
from pytest_autoeval.statistics.ratios import ratio

_RELATIONS = ("equivalent", "stronger", "weaker", "incomparable")
#: Outcomes of answers that were compared with the reference.
COMPARED = (*DECIDED, Outcome.UNDECIDED)


def is_equivalent(sample: Sample) -> bool:
    return sample.outcome == Outcome.EQUIVALENT


def comparisons(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """Counts and rates by our outcomes, without answers that cannot be compared.

    The rates of answers that entail the reference (completeness) or are entailed by it (soundness) are of those with a
    known relation. The tally ``names aligned by`` counts the evidence by which names were matched with ours.
    """
    undecided = sum(sample.outcome == Outcome.UNDECIDED for sample in samples)
    compared = [sample for sample in samples if sample.outcome in DECIDED]
    # Equivalence is proved even if no relation was recorded.
    relations = Counter(
        "equivalent" if is_equivalent(sample) else sample.part_or_empty(Translated).relation
        for sample in compared
    )
    related = sum(relations[relation] for relation in _RELATIONS)
    equal = relations["equivalent"]
    correct_syntax = fmean(
        sample.part_or_empty(Translated).syntactically_correct for sample in samples
    )
    bases = (sample.part_or_empty(Translated).alignment_basis for sample in compared)
    yield rate_over("equivalent", compared, is_equivalent)
    # Equivalent formulas entail each other.
    complete = ratio(equal + relations["stronger"], related)
    sound = ratio(equal + relations["weaker"], related)
    not_comparable = len(samples) - len(compared) - undecided
    yield Figure("not comparable", not_comparable, "count", n=len(samples))
    yield Figure("undecided", undecided, "count", n=len(samples))
    yield Figure("entails the reference", complete, "rate", n=related)
    yield Figure("entailed by the reference", sound, "rate", n=related)
    yield Figure("syntactically correct", correct_syntax, "rate", n=len(samples))
    of_unknown_relation = {"unknown": len(compared) - related} if len(compared) > related else {}
    counts = {name: relations[name] for name in _RELATIONS} | of_unknown_relation
    figures = tuple(Figure(name, number, "count") for name, number in counts.items())
    yield Figures(title="relation to the reference", figures=figures, level="default")
    yield from count_figures(
        "names aligned by", Counter(basis for basis in bases if basis is not None)
    )
