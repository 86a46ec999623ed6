"""`python -m pytest_autoeval metrics`: BLEU, ROUGE, METEOR, BERTScore and LE beside the verifier's verdicts."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.reporting.merging import merge
from pytest_autoeval.reporting.row import counted
from pytest_autoeval.reporting.text import aligned, one_line, p_text, printed, wrap
from pytest_autoeval.reporting.text_metrics import metrics
from pytest_autoeval.reporting.text_metrics.comparison import Trust, trusts
from pytest_autoeval.reporting.text_metrics.metrics import Metric

_EXAMPLES = """\
examples:
  pytest suites/test_translation.py --autoeval-model=gpt-5-mini --autoeval-results=results.jsonl
  python -m pytest_autoeval metrics results.jsonl
  python -m pytest_autoeval metrics results.jsonl --bertscore roberta-large

r is the point-biserial correlation of the score with the verdict (equivalent or different), p its two-sided p-value: a
metric that goes with the meaning has an r near 1. A mean of different ones near that of equivalent ones says the same.
Repeats of a formula are counted one by one, which makes p too small.
"""
_HEADINGS = ("metric", "of", "pairs", "mean", "equivalent", "different", "r", "p")
_WIDTH = 100


class MetricsError(AutoevalError):
    """The results have nothing that a metric could be computed of."""


def main(arguments: list[str]) -> int:
    """Runs the command; returns its exit code. Raises :class:`AutoevalError` for what the caller can mend."""
    asked = _parser().parse_args(arguments)
    merged = merge(asked.files)
    for note in merged.notes:
        sys.stderr.write(f"note: {one_line(note)}\n")
    english: dict[str, Metric] = {"BLEU": metrics.bleu, "ROUGE-L": metrics.rouge_l, "METEOR": metrics.meteor}
    if asked.bertscore:
        english["BERTScore"] = metrics.bert_score(asked.bertscore, asked.bertscore_layers)
    found = list(trusts(counted(merged.rows), english, {"BLEU": metrics.formula_bleu}, _progress))
    if not any(one.count or one.problem for one in found):
        raise MetricsError(
            "nothing to score: there is no translation, and no description beside a reference sentence, that the "
            "verifier has decided. Results of suites/test_translation.py have both"
        )
    if asked.json:
        sys.stdout.write(json.dumps([_as_json(one) for one in found], indent=2) + "\n")
    else:
        printed(_report(found))
    return 0


def _progress(metric: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"computing {metric} …\n")


def _report(found: Sequence[Trust]) -> Iterator[str]:
    yield from aligned([_HEADINGS, *(_cells(one) for one in found if one.count)], left=2)
    for one in found:
        if one.problem:
            yield from wrap(f"{one.metric}: {one_line(one.problem)}", _WIDTH)
    if any(one.metric == "METEOR" and one.count for one in found) and not metrics.has_synonyms():
        yield "METEOR: without synonyms, for nltk has no WordNet here (python -m nltk.downloader wordnet)"


def _cells(one: Trust) -> tuple[str, ...]:
    means = [_number(mean) for mean in (one.mean, one.equivalent, one.different)]
    return (
        *(one.metric, one.of, f"{one.count:,}", *means),
        *(_number(one.correlation.coefficient), p_text(one.correlation.p_value)),
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _as_json(one: Trust) -> dict[str, Any]:
    return {
        "metric": one.metric,
        "of": one.of,
        "pairs": one.count,
        "mean": one.mean,
        "equivalent": one.equivalent,
        "different": one.different,
        "correlation": one.correlation.coefficient,
        "p_value": one.correlation.p_value,
        "problem": one.problem,
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pytest_autoeval metrics",
        description="Sets older metrics of texts beside the verifier's verdicts, to see how far they can be trusted: "
        "of descriptions against reference sentences, and of translations against reference formulas. All but LE need "
        "pip install 'pytest-autoeval[metrics]'.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="RESULTS.jsonl", help="results of one or more runs")
    add("--bertscore", metavar="MODEL", help="BERTScore too, by this model of transformers: a name or a folder")
    add(
        "--bertscore-layers", type=int, metavar="N", help="the layer to take, for a model that bert-score does not know"
    )
    add("--json", action="store_true", help="print JSON")
    return parser
