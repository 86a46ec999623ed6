"""Figures of written answers: translations, extracted propositions and ontologies, refined answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from pytest_autoeval.outcomes import Outcome, OutcomeKind, outcome_named
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.task_figures.questions import Figures
from pytest_autoeval.reporting.text_metrics import DECIDED, trust_in
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.text import bounds_text, p_text, ratio, share, shares, tally

_RELATIONS = ("equivalent", "stronger", "weaker", "incomparable")
#: Outcomes of answers that were compared with the reference.
_COMPARED = (*DECIDED, Outcome.UNDECIDED)
_FOUND = {"precision": "precision", "recall": "recall", "f1": "F1"}
_ALIKE = {"jaccard": "Jaccard", "levenshtein": "Levenshtein"}
_SYMBOLS = {f"symbols_{key}": name for key, name in _FOUND.items()}


def translations(rows: Sequence[Row]) -> Figures:
    """The figures of :func:`_comparisons`, and as ``study`` those of the temporal-logic study.

    In the study an answer is ``not_meaningful`` if it lacks an atom of the reference, or has no formula.
    """
    measures, parts = _comparisons(rows)
    meaningful = [row for row in rows if row.facts.get("lacking", None if row.outcome not in _COMPARED else []) == []]
    undecided = sum(row.outcome == Outcome.UNDECIDED for row in meaningful)
    equivalent = sum(row.outcome == Outcome.EQUIVALENT for row in meaningful)
    decided = len(meaningful) - undecided
    study = {
        "equivalent": equivalent,
        "not_equivalent": decided - equivalent,
        "not_meaningful": len(rows) - len(meaningful),
        "undecided": undecided,
        "accuracy": ratio(equivalent, decided),
    }
    apart = _apart(len(rows) - len(meaningful), "not meaningful", undecided)
    line = f"as the study counts: {share(study['accuracy'])} of {decided} ({apart})"
    return Figures({**measures, "study": study}, [parts[0], line, *parts[1:]])


def _apart(count: int, what: str, undecided: int) -> str:
    return f"{count} {what}" + (f", {undecided} undecided" if undecided else "")


def _comparisons(rows: Sequence[Row]) -> Figures:
    """Counts and rates by our outcomes, without answers that cannot be compared.

    ``soundness`` (the reference entails the answer) and ``completeness`` (the answer entails the reference) are rates
    of those with a known ``relation``. ``alignments`` counts the evidence by which names were matched with ours.
    """
    undecided = sum(row.outcome == Outcome.UNDECIDED for row in rows)
    compared = [row for row in rows if row.outcome in DECIDED]
    others = len(rows) - len(compared) - undecided
    bases = Counter(row.facts["alignment_basis"] for row in compared if row.facts.get("alignment_basis"))
    # Equivalence is proved even if no relation was recorded.
    relations = Counter(
        "equivalent" if row.outcome == Outcome.EQUIVALENT else row.facts.get("relation") for row in compared
    )
    related, equal = sum(relations[relation] for relation in _RELATIONS), relations["equivalent"]
    unknown = len(compared) - related
    measures: dict[str, Any] = {
        "comparable": len(compared),
        "not_comparable": others,
        "undecided": undecided,
        "equivalence": ratio(sum(row.outcome == Outcome.EQUIVALENT for row in rows), len(compared)),
        "soundness": ratio(equal + relations["weaker"], related),
        "completeness": ratio(equal + relations["stronger"], related),
        "relations": {relation: relations[relation] for relation in _RELATIONS},
        "relation_unknown": unknown,
        "syntactically_correct": fmean(row.facts.get("syntactically_correct") is True for row in rows),
        **({"alignments": dict(sorted(bases.items()))} if bases else {}),
    }
    unequal = [f"{name} {relations[name]}" for name in _RELATIONS[1:]] + ([f"unknown {unknown}"] if unknown else [])
    rate = PassRate(sum(row.passed for row in rows), undecided, len(rows))
    apart = _apart(others, "not comparable", undecided)
    parts = [
        f"equivalent {share(measures['equivalence'])} of {len(compared)} ({apart})",
        f"entails the reference {share(measures['completeness'])}, entailed by it {share(measures['soundness'])}",
        ", ".join(unequal),
        f"syntactically correct {share(measures['syntactically_correct'])}",
        *([f"names aligned by {tally(bases)}"] if bases else []),
        f"pass rate over all {len(rows)}: {bounds_text(rate)} %",
    ]
    return Figures(measures, parts)


def scored_translations(rows: Sequence[Row]) -> Figures:
    """The figures of :func:`_comparisons`, the mean LE scores, and their correlation with the verdict."""
    measures, parts = _comparisons(rows)
    scores = [(row, row.le_score) for row in rows if row.outcome in DECIDED and row.le_score is not None]
    trust = trust_in("LE", "translations", scores)
    measures |= {"le_scored": trust.pairs, "le_score": trust.mean}
    measures |= {"le_equivalent": trust.equivalent, "le_different": trust.different}
    measures |= {"le_correlation": trust.correlation, "le_p_value": trust.p_value}
    if trust.mean is not None:
        wrong = "" if trust.different is None else f", {trust.different:.2f} of wrong ones"
        parts.append(f"LE score: mean {trust.mean:.2f} of {trust.pairs}{wrong}")
    if trust.correlation is not None:
        parts.append(f"LE with the verdict: r = {trust.correlation:.2f} (p {p_text(trust.p_value)})")
    return Figures(measures, parts)


def extraction(rows: Sequence[Row]) -> Figures:
    """The means of the scores over all sentences (without phrases 0), the phrases matched, and the kinds of error."""
    scores = [row.facts.get("scores") or {"recall": 0.0} for row in rows]
    phrases = [len(row.facts.get("propositions") or ()) for row in rows]
    matched = sum(round(some["recall"] * number) for some, number in zip(scores, phrases, strict=True))
    kinds = (row.facts.get("error_kind") if row.facts.get("scores") else "complete failure" for row in rows)
    errors = Counter(filter(None, kinds))
    means = {name: fmean(some.get(name, 0.0) for some in scores) for name in (*_FOUND, *_ALIKE)}
    parts = [
        f"mean of {len(rows)}: {shares(means, _FOUND)}",
        shares(means, _ALIKE),
        f"phrases matched {matched} of {sum(phrases)}",
        f"all right {share(fmean(row.passed for row in rows))}",
        f"errors: {tally(errors) or 'none'}",
    ]
    counts = {"matched": matched, "phrases": sum(phrases), "errors": dict(sorted(errors.items()))}
    return Figures({**means, **counts}, parts)


def ontologies(rows: Sequence[Row]) -> Figures:
    """The means over all sentences (without symbols 0); ``whole`` is the share with every symbol right."""
    listed = ("matched", "missing", "surplus", "wrong_arity")
    counts = {key: sum(len(row.facts.get(key) or ()) for row in rows) for key in listed}
    means = {key: fmean(row.facts.get(key) or 0.0 for row in rows) for key in _SYMBOLS}
    arity_right = ratio(counts["matched"] - counts["wrong_arity"], counts["matched"])
    whole = fmean(row.outcome == Outcome.CORRECT for row in rows)
    parts = [
        f"symbols, mean of {len(rows)}: {shares(means, _SYMBOLS)}",
        f"arity right {share(arity_right)} of {counts['matched']} matched",
        f"missing {counts['missing']}, surplus {counts['surplus']}",
        f"whole signature right {share(whole)}",
    ]
    return Figures({**means, **counts, "arity_right": arity_right, "whole": whole}, parts)


def refinement(rows: Sequence[Row]) -> Figures:
    """How many first and refined answers are right, stayed right, were corrected or spoiled; undecided pairs apart."""
    kinds = [(outcome_named(row.facts["first_outcome"]).kind, row.kind) for row in rows]
    known = Counter(
        (first == OutcomeKind.PASS, last == OutcomeKind.PASS)
        for first, last in kinds
        if OutcomeKind.UNDECIDED not in (first, last)
    )
    kept, corrected, spoiled = known[True, True], known[False, True], known[True, False]
    pairs, undecided = known.total(), len(kinds) - known.total()
    measures = {"pairs": pairs, "first_right": kept + spoiled, "refined_right": kept + corrected}
    measures |= {"kept": kept, "corrected": corrected, "spoiled": spoiled, "undecided": undecided}
    apart = f", {undecided} undecided" if undecided else ""
    parts = [
        f"first right {kept + spoiled}, refined right {kept + corrected} of {pairs}",
        f"kept {kept}, corrected {corrected}, spoiled {spoiled}{apart}",
    ]
    return Figures(measures, parts)
