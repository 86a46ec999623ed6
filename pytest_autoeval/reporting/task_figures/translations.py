"""Figures of what was written: translations, propositions and ontologies that were extracted, refined answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.text import bounds_text, p_text, ratio, share, shares, tally
from pytest_autoeval.reporting.text_metrics import DECIDED, trust_in
from pytest_autoeval.statistics import PassRate

_RELATIONS = ("equivalent", "stronger", "weaker", "incomparable")
_FOUND = {"precision": "precision", "recall": "recall", "f1": "F1"}
_ALIKE = {"jaccard": "Jaccard", "levenshtein": "Levenshtein"}
_SYMBOLS = {f"symbols_{key}": name for key, name in _FOUND.items()}


def translations(rows: Sequence[Row]) -> dict[str, Any]:
    """Counts and rates, as the study accounts for them: what cannot be compared is kept out of the accuracy.

    ``comparable`` formulas have a verdict on equivalence, and are what ``equivalence`` is a rate of; ``undecided`` ones
    have none; all others are ``not_meaningful``. ``soundness`` (the reference entails the answer) and ``completeness``
    (the answer entails the reference) are rates of those whose ``relation`` to the reference is known. ``alignments``
    counts on what evidence the names of comparable answers were taken for ours, where they had to be.
    """
    undecided = sum(row.outcome == "undecided" for row in rows)
    compared = [row for row in rows if row.outcome in DECIDED]
    bases = Counter(row.facts["alignment_basis"] for row in compared if row.facts.get("alignment_basis"))
    # Equivalence is proved even where nobody noted the relation.
    relations = Counter("equivalent" if row.outcome == "equivalent" else row.facts.get("relation") for row in compared)
    related, equal = sum(relations[relation] for relation in _RELATIONS), relations["equivalent"]
    return {
        "comparable": len(compared),
        "not_meaningful": len(rows) - len(compared) - undecided,
        "undecided": undecided,
        "equivalence": ratio(sum(row.outcome == "equivalent" for row in rows), len(compared)),
        "soundness": ratio(equal + relations["weaker"], related),
        "completeness": ratio(equal + relations["stronger"], related),
        "relations": {relation: relations[relation] for relation in _RELATIONS},
        "relation_unknown": len(compared) - related,
        "syntactically_correct": fmean(row.facts.get("syntactically_correct") is True for row in rows),
        **({"alignments": dict(sorted(bases.items()))} if bases else {}),
    }


def translation_words(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    undecided = f", {measures['undecided']} undecided" if measures["undecided"] else ""
    apart = f"{measures['not_meaningful']} not meaningful{undecided}"
    unknown = f", unknown {measures['relation_unknown']}" if measures["relation_unknown"] else ""
    aligned = [f"names aligned by {tally(measures['alignments'])}"] if "alignments" in measures else []
    rate = PassRate(measures["passed"], measures["undecided"], measures["samples"])
    return [
        f"equivalent {share(measures['equivalence'])} of {measures['comparable']} comparable ({apart})",
        f"entails the reference {share(measures['completeness'])}, entailed by it {share(measures['soundness'])}",
        ", ".join(f"{name} {measures['relations'][name]}" for name in _RELATIONS[1:]) + unknown,
        f"syntactically correct {share(measures['syntactically_correct'])}",
        *aligned,
        f"pass rate over all {measures['samples']}: {bounds_text(rate)} %",
    ]


def scored_translations(rows: Sequence[Row]) -> dict[str, Any]:
    """The measures of :func:`translations`, and the LE score beside the verdict.

    ``le_score`` is the mean of the scores; ``le_equivalent`` and ``le_different`` of the translations that the verifier
    calls so; ``le_correlation`` the point-biserial correlation of score and verdict, ``le_p_value`` its two-sided
    p-value: None where either is the same for all.
    """
    scores = [(row, row.le_score) for row in rows if row.outcome in DECIDED and row.le_score is not None]
    trust = trust_in("LE", "translations", scores)
    return {
        **translations(rows),
        "le_scored": trust.pairs,
        "le_score": trust.mean,
        "le_equivalent": trust.equivalent,
        "le_different": trust.different,
        "le_correlation": trust.correlation,
        "le_p_value": trust.p_value,
    }


def scored_translation_words(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    parts = translation_words(measures)
    if measures["le_scored"]:
        wrong = measures["le_different"]
        others = "" if wrong is None else f", {wrong:.2f} of wrong ones"
        parts.append(f"LE score: mean {measures['le_score']:.2f} of {measures['le_scored']}{others}")
    if measures["le_correlation"] is not None:
        parts.append(f"LE with the verdict: r = {measures['le_correlation']:.2f} (p {p_text(measures['le_p_value'])})")
    return parts


def extraction(rows: Sequence[Row]) -> dict[str, Any]:
    """The means of the scores over all sentences, the phrases matched of all, and the kinds of error, counted.

    A sentence whose answer holds no phrases at all scores 0, and is a complete failure.
    """
    scores = [row.facts.get("scores") or {"recall": 0.0} for row in rows]
    phrases = [len(row.facts.get("propositions") or ()) for row in rows]
    errors = Counter(row.facts.get("error_kind") if row.facts.get("scores") else "complete failure" for row in rows)
    return {
        **{name: fmean(some.get(name, 0.0) for some in scores) for name in (*_FOUND, *_ALIKE)},
        "matched": sum(round(some["recall"] * number) for some, number in zip(scores, phrases, strict=True)),
        "phrases": sum(phrases),
        "errors": {kind: errors[kind] for kind in sorted(filter(None, errors))},
    }


def extraction_words(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    return [
        f"mean of {measures['samples']}: {shares(measures, _FOUND)}",
        shares(measures, _ALIKE),
        f"phrases matched {measures['matched']} of {measures['phrases']}",
        f"all right {share(measures['passed'] / measures['samples'])}",
        f"errors: {tally(measures['errors']) or 'none'}",
    ]


def ontologies(rows: Sequence[Row]) -> dict[str, Any]:
    """The means over all sentences; one whose answer lists no symbol scores 0.

    ``arity_right`` is of the matched symbols of all sentences. ``missing``, ``surplus`` and ``wrong_arity`` count
    symbols, ``whole`` is the share of sentences with none of these.
    """
    listed = ("matched", "missing", "surplus", "wrong_arity")
    counts = {key: sum(len(row.facts.get(key) or ()) for row in rows) for key in listed}
    return {
        **{key: fmean(row.facts.get(key) or 0.0 for row in rows) for key in _SYMBOLS},
        **counts,
        "arity_right": ratio(counts["matched"] - counts["wrong_arity"], counts["matched"]),
        "whole": fmean(row.outcome == "correct" for row in rows),
    }


def ontology_words(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    return [
        f"symbols, mean of {measures['samples']}: {shares(measures, _SYMBOLS)}",
        f"arity right {share(measures['arity_right'])} of {measures['matched']} matched",
        f"missing {measures['missing']}, surplus {measures['surplus']}",
        f"whole signature right {share(measures['whole'])}",
    ]


def refinement(rows: Sequence[Row]) -> dict[str, Any]:
    """How many first answers and refined ones are right, and how many were ``kept`` right, ``mended`` and ``spoilt``.

    A pair of which one answer is undecided is neither: it is counted as ``undecided`` alone.
    """
    kinds = [(outcome_named(row.facts["first_outcome"]).kind, row.kind) for row in rows]
    known = Counter((first == "pass", last == "pass") for first, last in kinds if "undecided" not in (first, last))
    return {
        "pairs": known.total(),
        "first_right": known[True, True] + known[True, False],
        "refined_right": known[True, True] + known[False, True],
        "kept": known[True, True],
        "mended": known[False, True],
        "spoilt": known[True, False],
        "undecided": len(kinds) - known.total(),
    }


def refinement_words(measures: Mapping[str, Any]) -> list[str]:
    """The measures as parts of a sentence."""
    changes = ", ".join(f"{name} {measures[name]}" for name in ("kept", "mended", "spoilt"))
    apart = f", {measures['undecided']} undecided" if measures["undecided"] else ""
    counts = f"first right {measures['first_right']}, refined right {measures['refined_right']}"
    return [f"{counts} of {measures['pairs']}", f"{changes}{apart}"]
