"""Figures of answers to questions: yes or no, written traces, labels, choices, rankings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any, NamedTuple

from pytest_autoeval.judging.items import by_size, grouped, item_of
from pytest_autoeval.outcomes import Label, Outcome
from pytest_autoeval.reporting.row import Row
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
    """Figures of some rows: by name for programs, and in words as the parts of a sentence."""

    measures: dict[str, Any]
    parts: list[str]


def confusion(rows: Sequence[Row]) -> Confusion:
    """The confusion matrix of rows whose right answer is yes or no; others are left out."""
    asked = [row for row in rows if isinstance(row.expected, bool)]
    return Confusion.of((row.expected, row.answered if isinstance(row.answered, bool) else None) for row in asked)


def _rates_of(rows: Sequence[Row]) -> dict[str, Any]:
    """The confusion matrix and its rates. An answer that is neither yes nor no is ``unreadable`` and in no rate."""
    matrix = confusion(rows)
    return {**asdict(matrix), "readable": matrix.readable, **{name: getattr(matrix, name) for name in _RATES}}


def _accuracy(measures: dict[str, Any]) -> str:
    readable = f"{measures['readable']} readable ({measures['unreadable']} unreadable)"
    return f"accuracy {share(measures['accuracy'])} of {readable}"


def _passed(rows: Sequence[Row]) -> str:
    return f"pass rate over all {len(rows)}: {share(mean([row.passed for row in rows]))}"


def well_formedness(rows: Sequence[Row]) -> Figures:
    """The confusion matrix and its rates; well-formed is positive."""
    rates = _rates_of(rows)
    return Figures(rates, [_accuracy(rates), shares(rates, _COMMON), shares(rates, _ERRORS), _passed(rows)])


def judged_traces(rows: Sequence[Row]) -> Figures:
    """The confusion matrix and its rates; satisfying is positive."""
    rates = _rates_of(rows)
    soundness = f"soundness {share(rates['recall'])} (satisfying traces accepted)"
    completeness = f"completeness {share(rates['specificity'])} (violating traces rejected)"
    return Figures(rates, [_accuracy(rates), shares(rates, _COMMON), soundness, completeness, _passed(rows)])


def judged_pairs(rows: Sequence[Row]) -> Figures:
    """The matrix, its rates and kappa, for all and ``by_size``; an equivalent pair is positive."""
    rates = _rates_of(rows)
    sizes = [{"size": size, **_rates_of(some)} for size, some in by_size(rows).items()]
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


def written_traces(rows: Sequence[Row]) -> Figures:
    """The shares of right traces, and the confusion matrix of the readable ones; a satisfying trace is positive."""
    asked = {kind: [row for row in rows if row.expected == kind] for kind in ("satisfying", "violating")}
    matrix = Confusion.of((kind == "satisfying", _satisfies(row)) for kind, some in asked.items() for row in some)
    right = {kind: mean([row.outcome == Outcome.CORRECT for row in some]) for kind, some in asked.items()}
    total = sum(map(len, asked.values()))
    malformed = sum(row.outcome == Outcome.MALFORMED_TRACE for some in asked.values() for row in some)
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


def _satisfies(row: Row) -> bool | None:
    if row.outcome not in (Outcome.CORRECT, Outcome.WRONG_ANSWER):
        return None
    return bool(row.expected == "satisfying") == (row.outcome == Outcome.CORRECT)


def entailments(rows: Sequence[Row]) -> Figures:
    """The confusion matrix of three labels, right label by given label, and its rates.

    Answers without a label are in no rate. ``macro_f1`` is over the labels that are right for some row.
    """
    rows = [row for row in rows if row.expected in LABELS]
    pairs = Counter((row.expected, row.answered) for row in rows if row.answered in LABELS)
    matrix = {right: {given: pairs[right, given] for given in LABELS} for right in LABELS}
    expected = {right: sum(matrix[right].values()) for right in LABELS}
    answered = {given: sum(matrix[right][given] for right in LABELS) for given in LABELS}
    f1 = [2 * matrix[label][label] / (expected[label] + answered[label]) for label in LABELS if expected[label]]
    measures: dict[str, Any] = {
        "matrix": matrix,
        "readable": pairs.total(),
        "unreadable": len(rows) - pairs.total(),
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


def choices(rows: Sequence[Row]) -> Figures:
    """Counts and rates of choices of the most similar; ``accuracy`` is of the ``valid`` answers, numbers in range.

    ``misled_by`` counts wrong choices by the edit that made the chosen candidate, ``perturbations`` the items by their
    wrong candidates; ``tied`` items have several nearest candidates for an embedding model.
    """
    valid = [row for row in rows if isinstance(row.answered, int)]
    wrong = [row for row in valid if row.outcome != Outcome.CORRECT]
    edits = Counter(str(row.facts["edits"][row.answered - 1]) for row in wrong if row.facts.get("edits"))
    similarities = [row.facts["similarities"] for row in rows if row.facts.get("similarities")]
    tied = sum(some.count(max(some)) > 1 for some in similarities)
    candidates, problems, perturbations = _candidates(rows)
    measures: dict[str, Any] = {
        "valid": len(valid),
        "accuracy": ratio(len(valid) - len(wrong), len(valid)),
        "misled_by": dict(sorted(edits.items())),
        "first_chosen": ratio(sum(row.answered == 1 for row in valid), len(valid)),
        "first_right": ratio(sum(row.expected == 1 for row in valid), len(valid)),
        "tied": tied,
        **candidates,
    }
    parts = [f"right {share(measures['accuracy'])} of {len(valid)} valid answers", *problems]
    parts += [f"misled by: {tally(edits)}"] if edits else []
    parts += [f"several equally near in {tied}"] if tied else []
    parts.append(f"first candidate {shares(measures, {'first_chosen': 'chosen', 'first_right': 'right'})}")
    parts.append(perturbations)
    return Figures(measures, parts)


def rankings(rows: Sequence[Row]) -> Figures:
    """The three scores as rates of all samples. An answer without a ranking has none of them.

    ``by_law`` is Ranking-Equivalence by the law that made the equivalent.

    Source: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026).
    """
    scores = {
        "ranking_equivalence": fmean(row.facts.get("ranking_equivalence") is True for row in rows),
        "ranking_negation": fmean(row.facts.get("ranking_negation") is True for row in rows),
        "ranking_both": fmean(row.outcome == Outcome.CORRECT for row in rows),
    }
    laws = grouped((row for row in rows if row.facts.get("law")), lambda row: str(row.facts["law"]))
    by_law = {law: fmean(row.facts.get("ranking_equivalence") is True for row in laws[law]) for law in sorted(laws)}
    candidates, problems, perturbations = _candidates(rows)
    parts = [f"{key.replace('_', ' ').title().replace(' ', '-')} {share(rate)}" for key, rate in scores.items()]
    return Figures({**scores, "by_law": by_law, **candidates}, [*parts, *problems, perturbations])


def _candidates(rows: Sequence[Row]) -> tuple[dict[str, Any], list[str], str]:
    """The problems of invalid answers, and how many items (repeats are one) have which edits."""
    invalid = (row for row in rows if row.outcome not in (Outcome.CORRECT, Outcome.WRONG_ANSWER))
    problems = Counter(row.facts.get("problem") or row.outcome for row in invalid)
    numbers = {item_of(row): row.facts.get("perturbations") for row in rows}
    counts = dict(sorted(Counter(number for number in numbers.values() if number is not None).items()))
    said = ", ".join(f"{number} in {samples}" for number, samples in counts.items()) or "none"
    measures = {"problems": dict(sorted(problems.items())), "perturbations": counts}
    return measures, [f"not valid: {tally(problems)}"] if problems else [], f"perturbations: {said}"
