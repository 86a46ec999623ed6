"""Figures of written answers: translations, extracted propositions and ontologies, refined answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from pytest_autoeval.outcomes import Outcome, OutcomeKind, outcome_named
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import First, Given, Phrases, Symbols, Translated
from pytest_autoeval.report.task_figures.questions import Figures
from pytest_autoeval.report.text_metrics import DECIDED, le_scores, trust_in
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.text import bounds_text, p_text, ratio, share, shares, tally

_RELATIONS = ("equivalent", "stronger", "weaker", "incomparable")
#: Outcomes of answers that were compared with the reference.
_COMPARED = (*DECIDED, Outcome.UNDECIDED)
_FOUND = {"precision": "precision", "recall": "recall", "f1": "F1"}
_ALIKE = {"jaccard": "Jaccard", "levenshtein": "Levenshtein"}


def translations(samples: Sequence[Sample]) -> Figures:
    """The figures of :func:`_comparisons`, and as ``study`` those of the temporal-logic study.

    In the study an answer is ``not_meaningful`` if it lacks an atom of the reference, or has no formula.
    """
    measures, parts = _comparisons(samples)
    meaningful = [sample for sample in samples if _is_meaningful(sample)]
    undecided = sum(sample.outcome == Outcome.UNDECIDED for sample in meaningful)
    equivalent = sum(sample.outcome == Outcome.EQUIVALENT for sample in meaningful)
    decided = len(meaningful) - undecided
    study = {
        "equivalent": equivalent,
        "not_equivalent": decided - equivalent,
        "not_meaningful": len(samples) - len(meaningful),
        "undecided": undecided,
        "accuracy": ratio(equivalent, decided),
    }
    apart = _apart(len(samples) - len(meaningful), "not meaningful", undecided)
    line = f"as the study counts: {share(study['accuracy'])} of {decided} ({apart})"
    return Figures({**measures, "study": study}, [parts[0], line, *parts[1:]])


def _is_meaningful(sample: Sample) -> bool:
    """Whether an answer has all atoms of the reference. A sample that does not say it has them if it was compared."""
    lacking = sample.part_or_empty(Translated).lacking
    return sample.outcome in _COMPARED if lacking is None else not lacking


def _apart(count: int, what: str, undecided: int) -> str:
    return f"{count} {what}" + (f", {undecided} undecided" if undecided else "")


def _comparisons(samples: Sequence[Sample]) -> Figures:
    """Counts and rates by our outcomes, without answers that cannot be compared.

    ``soundness`` (the reference entails the answer) and ``completeness`` (the answer entails the reference) are rates
    of those with a known ``relation``. ``alignments`` counts the evidence by which names were matched with ours.
    """
    undecided = sum(sample.outcome == Outcome.UNDECIDED for sample in samples)
    compared = [sample for sample in samples if sample.outcome in DECIDED]
    others = len(samples) - len(compared) - undecided
    translated = [sample.part_or_empty(Translated) for sample in samples]
    bases = Counter(
        basis for sample in compared if (basis := sample.part_or_empty(Translated).alignment_basis) is not None
    )
    # Equivalence is proved even if no relation was recorded.
    relations = Counter(
        "equivalent" if sample.outcome == Outcome.EQUIVALENT else sample.part_or_empty(Translated).relation
        for sample in compared
    )
    related, equal = sum(relations[relation] for relation in _RELATIONS), relations["equivalent"]
    unknown = len(compared) - related
    measures: dict[str, Any] = {
        "comparable": len(compared),
        "not_comparable": others,
        "undecided": undecided,
        "equivalence": ratio(sum(sample.outcome == Outcome.EQUIVALENT for sample in samples), len(compared)),
        "soundness": ratio(equal + relations["weaker"], related),
        "completeness": ratio(equal + relations["stronger"], related),
        "relations": {relation: relations[relation] for relation in _RELATIONS},
        "relation_unknown": unknown,
        "syntactically_correct": fmean(part.syntactically_correct for part in translated),
        **({"alignments": dict(sorted(bases.items()))} if bases else {}),
    }
    unequal = [f"{name} {relations[name]}" for name in _RELATIONS[1:]] + ([f"unknown {unknown}"] if unknown else [])
    rate = PassRate(sum(sample.passed for sample in samples), undecided, len(samples))
    apart = _apart(others, "not comparable", undecided)
    parts = [
        f"equivalent {share(measures['equivalence'])} of {len(compared)} ({apart})",
        f"entails the reference {share(measures['completeness'])}, entailed by it {share(measures['soundness'])}",
        ", ".join(unequal),
        f"syntactically correct {share(measures['syntactically_correct'])}",
        *([f"names aligned by {tally(bases)}"] if bases else []),
        f"pass rate over all {len(samples)}: {bounds_text(rate)} %",
    ]
    return Figures(measures, parts)


def scored_translations(samples: Sequence[Sample]) -> Figures:
    """The figures of :func:`_comparisons`, the mean LE scores, and their correlation with the verdict."""
    measures, parts = _comparisons(samples)
    trust = trust_in("LE", "translations", le_scores(sample for sample in samples if sample.outcome in DECIDED))
    measures |= {"le_scored": trust.pairs, "le_score": trust.mean}
    measures |= {"le_equivalent": trust.equivalent, "le_different": trust.different}
    measures |= {"le_correlation": trust.correlation, "le_p_value": trust.p_value}
    if trust.mean is not None:
        wrong = "" if trust.different is None else f", {trust.different:.2f} of wrong ones"
        parts.append(f"LE score: mean {trust.mean:.2f} of {trust.pairs}{wrong}")
    if trust.correlation is not None:
        parts.append(f"LE with the verdict: r = {trust.correlation:.2f} (p {p_text(trust.p_value)})")
    return Figures(measures, parts)


def extraction(samples: Sequence[Sample]) -> Figures:
    """The means of the scores over all sentences (without phrases 0), the phrases matched, and the kinds of error."""
    extracted = [sample.part_or_empty(Phrases) for sample in samples]
    scores = [part.scores or {"recall": 0.0} for part in extracted]
    phrases = [len(sample.part_or_empty(Given).propositions or ()) for sample in samples]
    matched = sum(round(some["recall"] * number) for some, number in zip(scores, phrases, strict=True))
    kinds = (part.error_kind if part.scores else "complete failure" for part in extracted)
    errors = Counter(filter(None, kinds))
    means = {name: fmean(some.get(name, 0.0) for some in scores) for name in (*_FOUND, *_ALIKE)}
    parts = [
        f"mean of {len(samples)}: {shares(means, _FOUND)}",
        shares(means, _ALIKE),
        f"phrases matched {matched} of {sum(phrases)}",
        f"all right {share(fmean(sample.passed for sample in samples))}",
        f"errors: {tally(errors) or 'none'}",
    ]
    counts = {"matched": matched, "phrases": sum(phrases), "errors": dict(sorted(errors.items()))}
    return Figures({**means, **counts}, parts)


def ontologies(samples: Sequence[Sample]) -> Figures:
    """The means over all sentences (without symbols 0); ``whole`` is the share with every symbol right."""
    listed = ("matched", "missing", "surplus", "wrong_arity")
    symbols = [sample.part_or_empty(Symbols) for sample in samples]
    counts = {key: sum(len(getattr(part, key) or ()) for part in symbols) for key in listed}
    means = {key: fmean(getattr(part, key) or 0.0 for part in symbols) for key in _FOUND}
    arity_right = ratio(counts["matched"] - counts["wrong_arity"], counts["matched"])
    whole = fmean(sample.outcome == Outcome.CORRECT for sample in samples)
    parts = [
        f"symbols, mean of {len(samples)}: {shares(means, _FOUND)}",
        f"arity right {share(arity_right)} of {counts['matched']} matched",
        f"missing {counts['missing']}, surplus {counts['surplus']}",
        f"whole signature right {share(whole)}",
    ]
    named = {f"symbols_{key}": value for key, value in means.items()}
    return Figures({**named, **counts, "arity_right": arity_right, "whole": whole}, parts)


def refinement(samples: Sequence[Sample]) -> Figures:
    """How many first and refined answers are right, stayed right, were corrected or spoiled; undecided pairs apart."""
    kinds = [(outcome_named(sample.part_or_empty(First).outcome or "").kind, sample.kind) for sample in samples]
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
