"""`python -m pytest_autoeval metrics`: BLEU, ROUGE, METEOR, BERTScore and LE beside the verifier's verdicts.

Each metric comes from a library that is imported when needed. All are fractions from 0 to 1.

BLEU: Papineni et al. 2002, by sacrebleu. ROUGE-L: Lin 2004, by rouge-score. METEOR: Banerjee and Lavie 2005, by nltk.
BERTScore: Zhang et al. 2020, by bert-score. LE: Yang et al. 2024, computed with the verdict and read from the results.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_autoeval.command_line import command_parser
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.merging import read_suites
from pytest_autoeval.record.task_parts import Given
from pytest_autoeval.report.metric_trust import DECIDED, Trust, le_scores, trust_in
from pytest_autoeval.text import aligned, one_line, p_text, printed, wrap

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry

#: A token of a formula: a name, a number, or a sign by itself.
_TOKEN = lazy_pattern(r"\w+|[^\w\s]")
#: A word may have an apostrophe inside: *isn't* is one word.
_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)?")
#: The columns of a table, in the order of :func:`_cells`. r and p are explained in the examples of the help.
_HEADINGS = ("metric", "of", "pairs", "mean", "equivalent", "different", "r", "p")
#: Columns of a line with a problem.
_WIDTH = 100
_DESCRIPTION = (
    "Compares text metrics (BLEU, ROUGE, …) with the verifier's verdicts, to show how far they can be"
    " trusted. Descriptions are scored against reference sentences, translations against reference "
    "formulas. All but LE need pip install 'pytest-autoeval[metrics]'."
)
_EXAMPLES = """\
examples:
  pytest suites/test_translation.py --autoeval-model=gpt-5-mini --autoeval-results=results.jsonl
  python -m pytest_autoeval metrics results.jsonl
  python -m pytest_autoeval metrics results.jsonl --bertscore roberta-large

r is the point-biserial correlation of the score with the verdict (equivalent or different), p its two-sided p-value.
A metric that follows the meaning has an r near 1. A metric that does not has nearly the same mean for equivalent and
different ones. Each repeat of a formula counts, which makes p too small. The first table is of all samples; of several
models, data sets or tasks, each has a table of its own below.
"""


class MetricsError(AutoevalError):
    """A metric cannot be computed: its library or its data are missing."""


#: A text from a model, and its reference.
TextPair = tuple[str, str]
#: The scores of pairs of texts, in order; raises :class:`MetricsError` if its library is missing.
Metric = Callable[[Sequence[TextPair]], list[float]]


def bleu(pairs: Sequence[TextPair], tokenize: str = "13a") -> list[float]:
    """Sentence BLEU of English, with the n-grams that short sentences have."""
    # Without effective order, a sentence with fewer than four words has no n-grams of length 4, and scores 0.
    scorer = _library("sacrebleu").BLEU(effective_order=True, tokenize=tokenize)
    return [
        min(1.0, scorer.sentence_score(written, [reference]).score / 100)
        for written, reference in pairs
    ]


def formula_bleu(pairs: Sequence[TextPair]) -> list[float]:
    """BLEU of formulas; every name and sign is a token."""
    spaced = [
        (" ".join(_TOKEN.findall(written)), " ".join(_TOKEN.findall(reference)))
        for written, reference in pairs
    ]
    return bleu(spaced, tokenize="none")


def rouge_l(pairs: Sequence[TextPair]) -> list[float]:
    """The F-measure of ROUGE-L, stemmed."""
    scorer = _library("rouge_score.rouge_scorer").RougeScorer(["rougeL"], use_stemmer=True)
    return [
        float(scorer.score(reference, written)["rougeL"].fmeasure) for written, reference in pairs
    ]


def meteor(pairs: Sequence[TextPair]) -> list[float]:
    """METEOR of lower-case words: by form, stem and, if nltk has WordNet, synonym."""
    score = _library("nltk.translate.meteor_score").single_meteor_score
    words = [[_WORD.findall(text.casefold()) for text in pair] for pair in pairs]
    # Without WordNet the metric still counts forms and stems; the report says so.
    synonyms = _wordnet() or SimpleNamespace(synsets=lambda *_: [])
    return [float(score(reference, written, wordnet=synonyms)) for written, reference in words]


def bert_score(model: str, layers: int | None = None) -> Metric:
    """BERTScore's F1 by a model of transformers, a folder or a name, at a layer (None: the library's default)."""

    def score(pairs: Sequence[TextPair]) -> list[float]:
        library = _library("bert_score")
        try:
            scorer = library.BERTScorer(model_type=model, num_layers=layers)
            written, references = map(list, zip(*pairs, strict=True))
            # Precision, recall and F1, each of all pairs.
            f1_scores = scorer.score(written, references)[2]
        except (OSError, KeyError, ValueError, AssertionError, IndexError) as problem:
            raise MetricsError(
                f"the model {model!r} cannot be used ({type(problem).__name__}: {problem}); give the folder "
                "of a model of transformers, and with --bertscore-layers the layer to take"
            ) from None
        # Rounding takes the score of equal texts above 1.
        return [min(1.0, float(f1)) for f1 in f1_scores]

    return score


def _library(name: str) -> Any:
    """The module of a metric's library; raises :class:`MetricsError` if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        raise MetricsError(
            f"{name.partition('.')[0]} is not installed ({problem}); pip install 'pytest-autoeval[metrics]'"
        ) from None


def _wordnet() -> Any:
    """WordNet, from which METEOR has its synonyms; None if nltk has not downloaded it."""
    corpora = _library("nltk.corpus")
    try:
        corpora.wordnet.ensure_loaded()
    except LookupError:
        return None
    return corpora.wordnet


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_command("metrics", main)


class Group(NamedTuple):
    """The samples of one model, data set and task. A round trip has no task."""

    model: str
    data_set: str
    task: str

    @classmethod
    def of(cls, sample: Sample) -> Group:
        """The group of a sample. A suite may ask about several data sets of the user."""
        settings = sample.suite.asked
        return cls(
            settings.model,
            sample.part_or_empty(Given).data_set or settings.source,
            settings.task or "",
        )


@dataclass(frozen=True, slots=True)
class GroupTrust:
    """How far a metric can be trusted on the samples of a group; on all samples if it is None."""

    group: Group | None
    trust: Trust


def trusts(
    samples: Sequence[Sample],
    english: Mapping[str, Metric],
    formulas: Mapping[str, Metric],
) -> Iterator[GroupTrust]:
    """The metrics of descriptions against their sentences, of translations against their formulas, and LE.

    All metrics of translations use the same samples: those with an LE score, which tasks on sentences give. Each metric
    is computed once; its scores are compared with the verdicts over all samples and, if there are several groups, in
    each group that has some.
    """
    decided = [sample for sample in samples if sample.outcome in DECIDED]
    sentences = [(sample, sample.part_or_empty(Given).sentence) for sample in decided]
    described = [
        (sample, sample.description, sentence)
        for sample, sentence in sentences
        if sentence and sample.description
    ]
    # The other metrics are computed for these samples only, so that all metrics can be compared.
    scored = le_scores(sample for sample in decided if sample.translation)
    translated = [(sample, sample.translation, sample.formula) for sample, _ in scored]
    yield from _trusts_in_metrics(english, "descriptions", described)
    yield from _trusts_in_metrics(formulas, "translations", translated)
    yield from _in_groups("LE", "translations", scored)


def _trusts_in_metrics(
    metrics: Mapping[str, Metric],
    texts: str,
    written_texts: Sequence[tuple[Sample, str | None, str | None]],
) -> Iterator[GroupTrust]:
    """The trust in each metric. ``written_texts``: samples, each with the model's text and the reference.

    ``texts`` is what these texts are: descriptions or translations. A metric that cannot be computed has its problem.
    """
    samples = [sample for sample, _, _ in written_texts]
    pairs = [(written or "", reference or "") for _, written, reference in written_texts]
    for name, metric in metrics.items():
        try:
            # Without a text, no library is needed.
            scores = metric(pairs) if pairs else []
        except MetricsError as problem:
            yield GroupTrust(None, Trust(metric=name, of=texts, problem=str(problem)))
        else:
            yield from _in_groups(name, texts, [*zip(samples, scores, strict=True)])


def _in_groups(
    metric: str, texts: str, scored: Sequence[tuple[Sample, float]]
) -> Iterator[GroupTrust]:
    """The trust over all scored samples, then in each of several groups."""
    yield GroupTrust(None, trust_in(metric, texts, scored))
    groups = grouped(scored, lambda pair: Group.of(pair[0]))
    # A single group would repeat the values over all samples.
    if len(groups) > 1:
        for group in sorted(groups):
            yield GroupTrust(group, trust_in(metric, texts, groups[group]))


def _parser() -> argparse.ArgumentParser:
    """The parser of the command."""
    parser = command_parser("metrics", _DESCRIPTION, _EXAMPLES)
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="RESULTS.jsonl",
        help="results of one or more runs",
    )
    parser.add_argument(
        "--bertscore",
        metavar="MODEL",
        help="add BERTScore with this transformers model (a name or a folder)",
    )
    parser.add_argument(
        "--bertscore-layers",
        type=int,
        metavar="N",
        help="the layer to use, for a model that bert-score does not know",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print JSON",
    )
    return parser


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit code. Raises :class:`AutoevalError` for a user's mistake."""
    args = _parser().parse_args(arguments)
    english: dict[str, Metric] = {"BLEU": bleu, "ROUGE-L": rouge_l, "METEOR": meteor}
    if args.bertscore:
        english["BERTScore"] = bert_score(args.bertscore, args.bertscore_layers)
    samples = [sample for suite in read_suites(args.files) for sample in suite.counted]
    group_trusts = list(trusts(samples, english, {"BLEU": formula_bleu}))
    has_result = any(entry.trust.pairs or entry.trust.problem for entry in group_trusts)
    if not has_result:
        raise MetricsError(
            "nothing to score: there is no translation, and no description beside a reference sentence, that the "
            "verifier has decided. Results of suites/test_translation.py have both"
        )
    if args.json:
        sys.stdout.write(json.dumps([_as_json(entry) for entry in group_trusts], indent=2) + "\n")
    else:
        printed(_report(group_trusts))
    return 0


def _as_json(group_trust: GroupTrust) -> dict[str, Any]:
    """The values of a metric; ``model``, ``data_set`` and ``task`` are null over all samples."""
    group: dict[str, Any] = dict.fromkeys(Group._fields)
    if group_trust.group is not None:
        group = group_trust.group._asdict()
    return {**asdict(group_trust.trust), **group}


def _report(group_trusts: Sequence[GroupTrust]) -> Iterator[str]:
    """A table over all samples, a table for each group, and the metrics that could not be computed."""
    pooled = [group_trust.trust for group_trust in group_trusts if group_trust.group is None]
    rows = [_cells(trust) for trust in pooled if trust.pairs]
    yield from aligned([_HEADINGS, *rows], left=2)
    in_groups = (group_trust for group_trust in group_trusts if group_trust.group is not None)
    groups = grouped(in_groups, lambda group_trust: group_trust.group)
    for group in sorted(filter(None, groups)):
        yield ""
        yield one_line(", ".join(filter(None, group)))
        rows = [_cells(group_trust.trust) for group_trust in groups[group]]
        yield from aligned([_HEADINGS, *rows], left=2)
    for trust in pooled:
        if trust.problem:
            yield from wrap(f"{trust.metric}: {one_line(trust.problem)}", _WIDTH)
    has_meteor = any(trust.metric == "METEOR" and trust.pairs for trust in pooled)
    if has_meteor and _wordnet() is None:
        yield "METEOR: without synonyms, for nltk has no WordNet here (python -m nltk.downloader wordnet)"


def _cells(trust: Trust) -> tuple[str, ...]:
    """A row of a table, with a cell for each of :data:`_HEADINGS`."""
    values = (trust.mean, trust.equivalent, trust.different, trust.correlation)
    numbers = [_number_text(value) for value in values]
    return (trust.metric, trust.of, f"{trust.pairs:,}", *numbers, p_text(trust.p_value))


def _number_text(value: float | None) -> str:
    """A mean of no value, and a correlation of values that are all equal, do not exist."""
    return "–" if value is None else f"{value:.3f}"
