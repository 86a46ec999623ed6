"""Figures of answers to questions: yes or no, traces that were written, labels, choices, rankings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any

from pytest_autoeval.reporting.items import by_size, item_of
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.text import mean, ratio, share, shares, tally
from pytest_autoeval.statistics.classification import Confusion

LABELS = ("True", "False", "Uncertain")
_RATES = (
    *("accuracy", "precision", "recall", "f1", "specificity"),
    *("false_positive_rate", "false_negative_rate", "kappa"),
)
_COMMON = {"precision": "precision", "recall": "recall", "f1": "F1"}
_RANKING_SCORES = ("ranking_equivalence", "ranking_negation")
#: Columns of a part that lists sizes: what a line under a heading has room for.
_SIZES_WIDTH = 72


def confusion(rows: Sequence[Row]) -> Confusion:
    """The confusion matrix of rows that have a right answer, yes or no; the others are left out."""
    asked = [row for row in rows if isinstance(row.expected, bool)]
    return Confusion.of((row.expected, row.answered if isinstance(row.answered, bool) else None) for row in asked)


def questions(rows: Sequence[Row]) -> dict[str, Any]:
    """The confusion matrix and its rates; answers that say neither yes nor no are ``unreadable``, and in no rate.

    An answer of which the row says nothing (cut off, refused) is one of those. Rows with no right answer are left out.
    """
    matrix = confusion(rows)
    return {**asdict(matrix), "readable": matrix.readable, **{name: getattr(matrix, name) for name in _RATES}}


def well_formedness_words(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence; positive is what is well-formed."""
    errors = {"false_positive_rate": "false positive rate", "false_negative_rate": "false negative rate"}
    return [_accuracy(measures), shares(measures, _COMMON), shares(measures, errors), _passed(measures)]


def judged_trace_words(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence; positive is what satisfies."""
    return [
        _accuracy(measures),
        shares(measures, _COMMON),
        f"soundness {share(measures['recall'])} (satisfying traces accepted)",
        f"completeness {share(measures['specificity'])} (violating traces rejected)",
        _passed(measures),
    ]


def judged_pairs(rows: Sequence[Row]) -> dict[str, Any]:
    """The matrix, its rates and kappa: of all, and ``by_size``. Positive is a pair that means the same."""
    sizes = [{"size": size, **questions(some)} for size, some in by_size(rows).items()]
    return {**questions(rows), "by_size": sizes}


def judged_pair_words(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    kappa = "–" if measures["kappa"] is None else f"{measures['kappa']:.2f}"
    parts = [
        _accuracy(measures),
        f"kappa {kappa}",
        f"same meaning: {measures['true_positive']} yes, {measures['false_negative']} no",
        f"different meaning: {measures['false_positive']} yes, {measures['true_negative']} no",
        shares(measures, {"precision": "precision", "recall": "recall", "specificity": "specificity", "f1": "F1"}),
        "accuracy by size:",
    ]
    for number, block in enumerate(measures["by_size"]):
        entry = f"{'' if number == 0 else ', '}{block['size']} {share(block['accuracy'])}"
        if len(parts[-1]) + len(entry) < _SIZES_WIDTH:
            parts[-1] += entry if number else f" {entry}"
        else:
            parts[-1] += ","
            parts.append(entry.removeprefix(", "))
    return parts


def written_traces(rows: Sequence[Row]) -> dict[str, Any]:
    """The shares of right traces, as asked for, and the confusion matrix of the traces that could be read.

    Positive is a trace that was asked to satisfy. ``accuracy`` is of all answers, a trace that could not be read being
    wrong; precision and F1 are of those that could.
    """
    right = {
        kind: [row.outcome == "correct" for row in rows if row.expected == kind] for kind in ("satisfying", "violating")
    }
    rows = [row for row in rows if row.expected in right]
    matrix = Confusion.of((row.expected == "satisfying", _satisfies(row)) for row in rows)
    return {
        **asdict(matrix),
        "asked": len(rows),
        **{kind: len(some) for kind, some in right.items()},
        **{f"{kind}_right": mean(some) for kind, some in right.items()},
        "malformed": sum(row.outcome == "malformed trace" for row in rows),
        "unreadable_rate": ratio(matrix.unreadable, len(rows)),
        "accuracy": matrix.accuracy_of_all,
        "accuracy_of_readable": matrix.accuracy,
        "precision": matrix.precision,
        "f1": matrix.f1,
    }


def _satisfies(row: Row) -> bool | None:
    """Whether the trace satisfies the formula; None where there is no trace."""
    if row.outcome not in ("correct", "wrong answer"):
        return None
    return (row.expected == "satisfying") == (row.outcome == "correct")


def written_trace_words(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    silent = measures["unreadable"] - measures["malformed"]
    readable = {"accuracy_of_readable": "accuracy", "precision": "precision", "f1": "F1"}
    return [
        f"right {share(measures['accuracy'])} of {measures['asked']}",
        *(
            f"{kind} right {share(measures[f'{kind}_right'])} of {measures[kind]}"
            for kind in ("satisfying", "violating")
        ),
        f"malformed {share(measures['unreadable_rate'])}" + (f" ({silent} without a trace)" if silent else ""),
        f"of the readable: {shares(measures, readable)}",
    ]


def entailments(rows: Sequence[Row]) -> dict[str, Any]:
    """The confusion matrix of three labels, and its rates.

    ``matrix`` is by the right label, then by the one that was answered; answers with no label are ``unreadable``, and
    in no rate. ``recall`` is of each right label, ``macro_f1`` the mean of the labels' F1 over those that are the right
    one of some row.
    """
    rows = [row for row in rows if row.expected in LABELS]
    pairs = Counter((row.expected, row.answered) for row in rows if row.answered in LABELS)
    matrix = {right: {given: pairs[right, given] for given in LABELS} for right in LABELS}
    expected = {right: sum(matrix[right].values()) for right in LABELS}
    answered = {given: sum(matrix[right][given] for right in LABELS) for given in LABELS}
    f1 = [2 * matrix[label][label] / (expected[label] + answered[label]) for label in LABELS if expected[label]]
    return {
        "matrix": matrix,
        "readable": pairs.total(),
        "unreadable": len(rows) - pairs.total(),
        "accuracy": ratio(sum(matrix[label][label] for label in LABELS), pairs.total()),
        "recall": {label: ratio(matrix[label][label], expected[label]) for label in LABELS},
        "macro_f1": mean(f1),
    }


def entailment_words(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    matrix = measures["matrix"]
    return [
        _accuracy(measures),
        f"macro F1 {share(measures['macro_f1'])}",
        "recall: " + ", ".join(f"{label} {share(rate)}" for label, rate in measures["recall"].items()),
        *(f"{right}: " + ", ".join(f"{matrix[right][given]} {given}" for given in LABELS) for right in LABELS),
    ]


def choices(rows: Sequence[Row]) -> dict[str, Any]:
    """Counts and rates of choices of the most similar.

    ``valid`` answers are a number in range, ``accuracy`` is of these; ``problems`` counts the others by what is wrong
    with them. ``misled_by`` counts the wrong choices by the edit that made the chosen candidate. ``first_chosen`` is
    the share of valid answers that are the first candidate, ``first_right`` the share of them where that is right.
    ``perturbations`` counts the items by how many wrong candidates there were. ``tied`` counts those in which an
    embedding model found several candidates equally near, and nearest.
    """
    valid = [row for row in rows if isinstance(row.answered, int)]
    wrong = [row for row in valid if row.outcome != "correct"]
    edits = Counter(str(row.facts["edits"][row.answered - 1]) for row in wrong if row.facts.get("edits"))
    similarities = [row.facts["similarities"] for row in rows if row.facts.get("similarities")]
    return {
        "valid": len(valid),
        "accuracy": ratio(len(valid) - len(wrong), len(valid)),
        "misled_by": dict(sorted(edits.items())),
        "first_chosen": ratio(sum(row.answered == 1 for row in valid), len(valid)),
        "first_right": ratio(sum(row.expected == 1 for row in valid), len(valid)),
        "tied": sum(some.count(max(some)) > 1 for some in similarities),
        **_candidates(rows),
    }


def choice_words(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    misled = [f"misled by: {tally(measures['misled_by'])}"] if measures["misled_by"] else []
    tied = [f"several equally near in {measures['tied']}"] if measures["tied"] else []
    problems, perturbations = _candidate_words(measures)
    first = f"first candidate chosen {share(measures['first_chosen'])}, right {share(measures['first_right'])}"
    right = f"right {share(measures['accuracy'])} of {measures['valid']} valid answers"
    return [right, *problems, *misled, *tied, first, perturbations]


def rankings(rows: Sequence[Row]) -> dict[str, Any]:
    """The three scores, each a rate of all samples: an answer that ranks nothing has none of them.

    ``by_law`` is Ranking-Equivalence by the law that made the equivalent.

    Source: Brunello et al., "Do LLMs really struggle at NL-FOL translation?" (AAAI 2026).
    """
    laws: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        if row.facts.get("law"):
            laws[row.facts["law"]].append(row.facts.get("ranking_equivalence") is True)
    return {
        **{key: fmean(row.facts.get(key) is True for row in rows) for key in _RANKING_SCORES},
        "ranking_both": fmean(row.outcome == "correct" for row in rows),
        "by_law": {law: fmean(laws[law]) for law in sorted(laws)},
        **_candidates(rows),
    }


def ranking_words(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    scores = [
        f"Ranking-{name} {share(measures[f'ranking_{name.lower()}'])}" for name in ("Equivalence", "Negation", "Both")
    ]
    problems, perturbations = _candidate_words(measures)
    return [*scores, *problems, perturbations]


def _candidates(rows: Sequence[Row]) -> dict[str, Any]:
    """What is wrong with answers that are no possible one, and how many items (repeats are one) have how many edits."""
    invalid = (row for row in rows if row.outcome not in ("correct", "wrong answer"))
    problems = Counter(row.facts.get("problem") or row.outcome for row in invalid)
    numbers = {item_of(row): row.facts.get("perturbations") for row in rows}
    perturbations = Counter(number for number in numbers.values() if number is not None)
    return {"problems": dict(sorted(problems.items())), "perturbations": dict(sorted(perturbations.items()))}


def _candidate_words(measures: Mapping[str, Any]) -> tuple[list[str], str]:
    problems = [f"not valid: {tally(measures['problems'])}"] if measures["problems"] else []
    counts = ", ".join(f"{number} in {samples}" for number, samples in measures["perturbations"].items())
    return problems, f"perturbations: {counts or 'none'}"


def _accuracy(measures: Mapping[str, Any]) -> str:
    readable = f"{measures['readable']} readable ({measures['unreadable']} unreadable)"
    return f"accuracy {share(measures['accuracy'])} of {readable}"


def _passed(measures: Mapping[str, Any]) -> str:
    return f"pass rate over all {measures['samples']}: {share(measures['passed'] / measures['samples'])}"
