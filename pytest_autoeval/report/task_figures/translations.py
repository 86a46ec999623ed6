"""Figures of written answers: translations, extracted propositions and ontologies, refined answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from pytest_autoeval.outcomes import Outcome, OutcomeKind, outcome_named
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import First, Given, Phrases, Symbols, Translated
from pytest_autoeval.report.blocks import Figures, Table
from pytest_autoeval.report.metric_trust import DECIDED, le_scores, trust_in
from pytest_autoeval.report.rates import rate_over
from pytest_autoeval.report.task_figures.questions import tally
from pytest_autoeval.text import ratio

_RELATIONS = ("equivalent", "stronger", "weaker", "incomparable")
#: Outcomes of answers that were compared with the reference.
_COMPARED = (*DECIDED, Outcome.UNDECIDED)
_FOUND = {"precision": "precision", "recall": "recall", "f1": "F1"}
_ALIKE = {"jaccard": "Jaccard", "levenshtein": "Levenshtein"}


def translations(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The figures of :func:`_comparisons`, and those of the temporal-logic study.

    In the study an answer is not meaningful if it lacks an atom of the reference, or has no formula.
    """
    yield from _comparisons(samples)
    meaningful = [sample for sample in samples if _is_meaningful(sample)]
    decided = [sample for sample in meaningful if sample.outcome != Outcome.UNDECIDED]
    study = (
        rate_over("accuracy", decided, _is_equivalent),
        Figure("not meaningful", len(samples) - len(meaningful), "count", n=len(samples)),
        Figure("undecided", len(meaningful) - len(decided), "count", n=len(samples)),
    )
    yield Figures(title="as the study counts", figures=study, level="default")


def _is_equivalent(sample: Sample) -> bool:
    return sample.outcome == Outcome.EQUIVALENT


def _is_meaningful(sample: Sample) -> bool:
    """Whether an answer has all atoms of the reference. A sample that does not say it has them if it was compared."""
    lacking = sample.part_or_empty(Translated).lacking
    return sample.outcome in _COMPARED if lacking is None else not lacking


def _comparisons(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """Counts and rates by our outcomes, without answers that cannot be compared.

    The rates of answers that entail the reference (completeness) or are entailed by it (soundness) are of those with a
    known relation. The tally ``names aligned by`` counts the evidence by which names were matched with ours.
    """
    undecided = sum(sample.outcome == Outcome.UNDECIDED for sample in samples)
    compared = [sample for sample in samples if sample.outcome in DECIDED]
    # Equivalence is proved even if no relation was recorded.
    relations = Counter(
        "equivalent" if _is_equivalent(sample) else sample.part_or_empty(Translated).relation for sample in compared
    )
    related, equal = sum(relations[relation] for relation in _RELATIONS), relations["equivalent"]
    correct_syntax = fmean(sample.part_or_empty(Translated).syntactically_correct for sample in samples)
    bases = (sample.part_or_empty(Translated).alignment_basis for sample in compared)
    yield rate_over("equivalent", compared, _is_equivalent)
    yield Figure("not comparable", len(samples) - len(compared) - undecided, "count", n=len(samples))
    yield Figure("undecided", undecided, "count", n=len(samples))
    yield Figure("entails the reference", ratio(equal + relations["stronger"], related), "rate", n=related)
    yield Figure("entailed by the reference", ratio(equal + relations["weaker"], related), "rate", n=related)
    yield Figure("syntactically correct", correct_syntax, "rate", n=len(samples))
    others = {"unknown": len(compared) - related} if len(compared) > related else {}
    counts = {name: relations[name] for name in _RELATIONS} | others
    figures = tuple(Figure(name, number, "count") for name, number in counts.items())
    yield Figures(title="relation to the reference", figures=figures, level="default")
    yield from tally("names aligned by", Counter(basis for basis in bases if basis is not None))


def scored_translations(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The figures of :func:`_comparisons`, the mean LE scores, and their correlation with the verdict."""
    yield from _comparisons(samples)
    trust = trust_in("LE", "translations", le_scores(sample for sample in samples if sample.outcome in DECIDED))
    if trust.mean is None:
        return
    scores = [Figure("mean", trust.mean, n=trust.pairs)]
    scores += [Figure("of equivalent ones", trust.equivalent)] if trust.equivalent is not None else []
    scores += [Figure("of different ones", trust.different)] if trust.different is not None else []
    if trust.correlation is not None:
        scores.append(Figure("correlation with the verdict", trust.correlation, n=trust.pairs))
        scores.append(Figure("p", trust.p_value, "p"))
    yield Figures(title="LE score", figures=tuple(scores), level="default")


def extraction(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The means of the scores over all sentences (without phrases 0), the phrases matched, and the kinds of error."""
    extracted = [sample.part_or_empty(Phrases) for sample in samples]
    scores = [part.scores or {"recall": 0.0} for part in extracted]
    phrases = [len(sample.part_or_empty(Given).propositions or ()) for sample in samples]
    matched = sum(round(score["recall"] * number) for score, number in zip(scores, phrases, strict=True))
    kinds = (part.error_kind if part.scores else "complete failure" for part in extracted)
    for key, name in (_FOUND | _ALIKE).items():
        yield Figure(name, fmean(score.get(key, 0.0) for score in scores), "rate", n=len(samples))
    yield Figure("phrases matched", matched, "count", n=sum(phrases))
    yield from tally("errors", Counter(filter(None, kinds)))


def ontologies(samples: Sequence[Sample]) -> Iterator[Figure | Figures | Table]:
    """The means over all sentences (without symbols 0), and the counts of symbols."""
    symbols = [sample.part_or_empty(Symbols) for sample in samples]
    counts = {
        key: sum(len(getattr(part, key) or ()) for part in symbols)
        for key in ("matched", "missing", "surplus", "wrong_arity")
    }
    arity_right = ratio(counts["matched"] - counts["wrong_arity"], counts["matched"])
    for key, name in _FOUND.items():
        yield Figure(name, fmean(getattr(part, key) or 0.0 for part in symbols), "rate", n=len(samples))
    yield Figure("arity right", arity_right, "rate", n=counts["matched"])
    figures = tuple(Figure(key.replace("_", " "), number, "count") for key, number in counts.items())
    yield Figures(title="symbols", figures=figures, level="default")


def refinement(samples: Sequence[Sample]) -> Figures:
    """How many first and refined answers are right, stayed right, were corrected or spoiled; undecided pairs apart."""
    kinds = [(outcome_named(sample.part_or_empty(First).outcome or "").kind, sample.kind) for sample in samples]
    known = Counter(
        (first == OutcomeKind.PASS, last == OutcomeKind.PASS)
        for first, last in kinds
        if OutcomeKind.UNDECIDED not in (first, last)
    )
    kept, corrected, spoiled = known[True, True], known[False, True], known[True, False]
    counts = {"first right": kept + spoiled, "refined right": kept + corrected}
    counts |= {"kept": kept, "corrected": corrected, "spoiled": spoiled}
    figures = [Figure(name, number, "count", n=known.total()) for name, number in counts.items()]
    undecided = len(kinds) - known.total()
    if undecided:
        figures.append(Figure("undecided", undecided, "count", n=len(kinds)))
    return Figures(title="refinement", figures=tuple(figures), level="default")
