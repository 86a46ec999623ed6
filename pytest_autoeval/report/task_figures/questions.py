"""Figures of answers to questions: yes or no, written traces, labels, choices, rankings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any, NamedTuple

from pytest_autoeval.judging.items import by_size, grouped, item_of
from pytest_autoeval.outcomes import Label, Outcome
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Answered, Given
from pytest_autoeval.statistics.classification import Confusion
from pytest_autoeval.text import mean, ratio, share, shares, tally, wrap

LABELS = tuple(Label)

_RATES = (
    *("accuracy", "precision", "recall", "f1", "specificity"),
    *("false_positive_rate", "false_negative_rate", "kappa"),
)
_COMMON = {"precision": "precision", "recall": "recall", "f1": "F1"}
_ERRORS = {"false_positive_rate": "false positive rate", "false_negative_rate": "false negative rate"}
_OF_READABLE = {"accuracy_of_readable": "accuracy", "precision": "precision", "f1": "F1"}
#: The width of a part that lists sizes, below a heading.
_SIZES_WIDTH = 72


class Figures(NamedTuple):
    """Figures of some samples: by name for programs, and in words as the parts of a sentence."""

    measures: dict[str, Any]
    parts: list[str]


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


def _rates_of(samples: Sequence[Sample]) -> dict[str, Any]:
    """The confusion matrix and its rates. An answer that is neither yes nor no is ``unreadable`` and in no rate."""
    matrix = confusion(samples)
    return {**asdict(matrix), "readable": matrix.readable, **{name: getattr(matrix, name) for name in _RATES}}


def _accuracy(measures: dict[str, Any]) -> str:
    readable = f"{measures['readable']} readable ({measures['unreadable']} unreadable)"
    return f"accuracy {share(measures['accuracy'])} of {readable}"


def _passed(samples: Sequence[Sample]) -> str:
    return f"pass rate over all {len(samples)}: {share(mean([sample.passed for sample in samples]))}"


def well_formedness(samples: Sequence[Sample]) -> Figures:
    """The confusion matrix and its rates; well-formed is positive."""
    rates = _rates_of(samples)
    return Figures(rates, [_accuracy(rates), shares(rates, _COMMON), shares(rates, _ERRORS), _passed(samples)])


def judged_traces(samples: Sequence[Sample]) -> Figures:
    """The confusion matrix and its rates; satisfying is positive."""
    rates = _rates_of(samples)
    soundness = f"soundness {share(rates['recall'])} (satisfying traces accepted)"
    completeness = f"completeness {share(rates['specificity'])} (violating traces rejected)"
    return Figures(rates, [_accuracy(rates), shares(rates, _COMMON), soundness, completeness, _passed(samples)])


def judged_pairs(samples: Sequence[Sample]) -> Figures:
    """The matrix, its rates and kappa, for all and ``by_size``; an equivalent pair is positive."""
    rates = _rates_of(samples)
    sizes = [{"size": size, **_rates_of(some)} for size, some in by_size(samples).items()]
    parts = [
        _accuracy(rates),
        "kappa –" if rates["kappa"] is None else f"kappa {rates['kappa']:.2f}",
        f"same meaning: {rates['true_positive']} yes, {rates['false_negative']} no",
        f"different meaning: {rates['false_positive']} yes, {rates['true_negative']} no",
        shares(rates, {"precision": "precision", "recall": "recall", "specificity": "specificity", "f1": "F1"}),
    ]
    by = "accuracy by size: " + ", ".join(f"{block['size']} {share(block['accuracy'])}" for block in sizes)
    parts += wrap(by, _SIZES_WIDTH)
    return Figures({**rates, "by_size": sizes}, parts)


def written_traces(samples: Sequence[Sample]) -> Figures:
    """The shares of right traces, and the confusion matrix of the readable ones; a satisfying trace is positive."""
    asked = {
        kind: [sample for sample in samples if expected_of(sample) == kind] for kind in ("satisfying", "violating")
    }
    matrix = Confusion.of((kind == "satisfying", _satisfies(sample)) for kind, some in asked.items() for sample in some)
    right = {kind: mean([sample.outcome == Outcome.CORRECT for sample in some]) for kind, some in asked.items()}
    total = sum(map(len, asked.values()))
    malformed = sum(sample.outcome == Outcome.MALFORMED_TRACE for some in asked.values() for sample in some)
    measures: dict[str, Any] = {
        **asdict(matrix),
        "asked": total,
        **{kind: len(some) for kind, some in asked.items()},
        **{f"{kind}_right": rate for kind, rate in right.items()},
        "malformed": malformed,
        "unreadable_rate": ratio(matrix.unreadable, total),
        "accuracy": matrix.accuracy_of_all,
        "accuracy_of_readable": matrix.accuracy,
        "precision": matrix.precision,
        "f1": matrix.f1,
    }
    silent = matrix.unreadable - malformed
    parts = [
        f"right {share(matrix.accuracy_of_all)} of {total}",
        *(f"{kind} right {share(rate)} of {len(asked[kind])}" for kind, rate in right.items()),
        f"malformed {share(measures['unreadable_rate'])}" + (f" ({silent} without a trace)" if silent else ""),
        f"of the readable: {shares(measures, _OF_READABLE)}",
    ]
    return Figures(measures, parts)


def _satisfies(sample: Sample) -> bool | None:
    if sample.outcome not in (Outcome.CORRECT, Outcome.WRONG_ANSWER):
        return None
    return bool(expected_of(sample) == "satisfying") == (sample.outcome == Outcome.CORRECT)


def entailments(samples: Sequence[Sample]) -> Figures:
    """The confusion matrix of three labels, right label by given label, and its rates.

    Answers without a label are in no rate. ``macro_f1`` is over the labels that are right for some sample.
    """
    samples = [sample for sample in samples if expected_of(sample) in LABELS]
    answers = ((expected_of(sample), answered_in(sample)) for sample in samples)
    pairs = Counter((right, given) for right, given in answers if given in LABELS)
    matrix = {right: {given: pairs[right, given] for given in LABELS} for right in LABELS}
    expected = {right: sum(matrix[right].values()) for right in LABELS}
    answered = {given: sum(matrix[right][given] for right in LABELS) for given in LABELS}
    f1 = [2 * matrix[label][label] / (expected[label] + answered[label]) for label in LABELS if expected[label]]
    measures: dict[str, Any] = {
        "matrix": matrix,
        "readable": pairs.total(),
        "unreadable": len(samples) - pairs.total(),
        "accuracy": ratio(sum(matrix[label][label] for label in LABELS), pairs.total()),
        "recall": {label: ratio(matrix[label][label], expected[label]) for label in LABELS},
        "macro_f1": mean(f1),
    }
    parts = [
        _accuracy(measures),
        f"macro F1 {share(mean(f1))}",
        f"recall: {shares(measures['recall'], {label: label for label in LABELS})}",
        *(f"{right}: " + ", ".join(f"{matrix[right][given]} {given}" for given in LABELS) for right in LABELS),
    ]
    return Figures(measures, parts)


def choices(samples: Sequence[Sample]) -> Figures:
    """Counts and rates of choices of the most similar; ``accuracy`` is of the ``valid`` answers, numbers in range.

    ``misled_by`` counts wrong choices by the edit that made the chosen candidate, ``perturbations`` the items by their
    wrong candidates; ``tied`` items have several nearest candidates for an embedding model.
    """
    valid = [sample for sample in samples if isinstance(answered_in(sample), int)]
    wrong = [sample for sample in valid if sample.outcome != Outcome.CORRECT]
    made = ((sample.part_or_empty(Given).edits, answered_in(sample)) for sample in wrong)
    edits = Counter(str(kinds[chosen - 1]) for kinds, chosen in made if kinds)
    similarities = (sample.part_or_empty(Answered).similarities for sample in samples)
    tied = sum(some.count(max(some)) > 1 for some in similarities if some)
    candidates, problems, perturbations = _candidates(samples)
    measures: dict[str, Any] = {
        "valid": len(valid),
        "accuracy": ratio(len(valid) - len(wrong), len(valid)),
        "misled_by": dict(sorted(edits.items())),
        "first_chosen": ratio(sum(answered_in(sample) == 1 for sample in valid), len(valid)),
        "first_right": ratio(sum(expected_of(sample) == 1 for sample in valid), len(valid)),
        "tied": tied,
        **candidates,
    }
    parts = [f"right {share(measures['accuracy'])} of {len(valid)} valid answers", *problems]
    parts += [f"misled by: {tally(edits)}"] if edits else []
    parts += [f"several equally near in {tied}"] if tied else []
    parts.append(f"first candidate {shares(measures, {'first_chosen': 'chosen', 'first_right': 'right'})}")
    parts.append(perturbations)
    return Figures(measures, parts)


def rankings(samples: Sequence[Sample]) -> Figures:
    """The three scores as rates of all samples. An answer without a ranking has none of them.

    ``by_law`` is Ranking-Equivalence by the law that made the equivalent.

    Source: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026).
    """
    scores = {
        "ranking_equivalence": fmean(map(_equivalents_first, samples)),
        "ranking_negation": fmean(sample.part_or_empty(Answered).ranking_negation is True for sample in samples),
        "ranking_both": fmean(sample.outcome == Outcome.CORRECT for sample in samples),
    }
    laws = grouped(samples, lambda sample: sample.part_or_empty(Given).law or "")
    by_law = {law: fmean(map(_equivalents_first, laws[law])) for law in sorted(laws) if law}
    candidates, problems, perturbations = _candidates(samples)
    parts = [f"{key.replace('_', ' ').title().replace(' ', '-')} {share(rate)}" for key, rate in scores.items()]
    return Figures({**scores, "by_law": by_law, **candidates}, [*parts, *problems, perturbations])


def _equivalents_first(sample: Sample) -> bool:
    return sample.part_or_empty(Answered).ranking_equivalence is True


def _candidates(samples: Sequence[Sample]) -> tuple[dict[str, Any], list[str], str]:
    """The problems of invalid answers, and how many items (repeats are one) have which edits."""
    invalid = (sample for sample in samples if sample.outcome not in (Outcome.CORRECT, Outcome.WRONG_ANSWER))
    problems = Counter(sample.part_or_empty(Answered).problem or sample.outcome for sample in invalid)
    numbers = {item_of(sample): sample.part_or_empty(Given).perturbations for sample in samples}
    counts = dict(sorted(Counter(number for number in numbers.values() if number is not None).items()))
    said = ", ".join(f"{number} in {items}" for number, items in counts.items()) or "none"
    measures = {"problems": dict(sorted(problems.items())), "perturbations": counts}
    return measures, [f"not valid: {tally(problems)}"] if problems else [], f"perturbations: {said}"
