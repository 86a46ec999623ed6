"""The metrics, each from a library of its own, which is loaded when it is asked for. All are fractions from 0 to 1.

BLEU: Papineni et al. 2002, by sacrebleu. ROUGE-L: Lin 2004, by rouge-score. METEOR: Banerjee and Lavie 2005, by nltk.
BERTScore: Zhang et al. 2020, by bert-score. LE: Yang et al. 2024, computed with the verdict and read from the results.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pytest_autoeval.errors import AutoevalError

#: What a formula is made of: names, numbers, and every sign by itself.
_SIGN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


class MissingMetricError(AutoevalError):
    """A metric's library, or what it reads, is not there; the message says how to get it."""


class TextPair(NamedTuple):
    """A text that a model wrote, and the one that it is held against."""

    written: str
    reference: str


#: The scores of pairs of texts, in their order.
Metric = Callable[[Sequence[TextPair]], list[float]]


def bleu(pairs: Sequence[TextPair]) -> list[float]:
    """Sentence BLEU of English, by the n-grams that short sentences have; raises :class:`MissingMetricError`."""
    return _bleu(pairs, tokenize="13a")


def formula_bleu(pairs: Sequence[TextPair]) -> list[float]:
    """BLEU of formulas, every name and sign a token; raises :class:`MissingMetricError`."""
    tokens = [TextPair(*(" ".join(_SIGN.findall(text)) for text in pair)) for pair in pairs]
    return _bleu(tokens, tokenize="none")


def rouge_l(pairs: Sequence[TextPair]) -> list[float]:
    """The F-measure of ROUGE-L, stemmed; raises :class:`MissingMetricError`."""
    scorer = _library("rouge_score.rouge_scorer").RougeScorer(["rougeL"], use_stemmer=True)
    return [float(scorer.score(pair.reference, pair.written)["rougeL"].fmeasure) for pair in pairs]


def meteor(pairs: Sequence[TextPair]) -> list[float]:
    """METEOR of words in lower case: by form, stem and, where nltk has WordNet, synonym.

    Raises :class:`MissingMetricError`.
    """
    score = _library("nltk.translate.meteor_score").single_meteor_score
    words = [[_WORD.findall(text.casefold()) for text in pair] for pair in pairs]
    synonyms = _wordnet() or _NoSynonyms()
    return [float(score(reference, written, wordnet=synonyms)) for written, reference in words]


def bert_score(model: str, layers: int | None = None) -> Metric:
    """BERTScore's F1 by a model of transformers, a folder or a name, at a layer of it (None: the library knows it)."""

    def score(pairs: Sequence[TextPair]) -> list[float]:
        library = _library("bert_score")
        try:
            scorer = library.BERTScorer(model_type=model, num_layers=layers)
            found = scorer.score([pair.written for pair in pairs], [pair.reference for pair in pairs])[2]
        except (OSError, KeyError, ValueError, AssertionError, IndexError) as problem:
            raise MissingMetricError(
                f"the model {model!r} cannot be used ({type(problem).__name__}: {problem}); give the folder "
                "of a model of transformers, and with --bertscore-layers the layer to take"
            ) from None
        return [min(1.0, float(one)) for one in found]

    return score


def has_synonyms() -> bool:
    """Whether METEOR knows synonyms here: WordNet is data that nltk has or has not."""
    return _wordnet() is not None


def _bleu(pairs: Sequence[TextPair], tokenize: str) -> list[float]:
    scorer = _library("sacrebleu").BLEU(effective_order=True, tokenize=tokenize)
    return [min(1.0, scorer.sentence_score(pair.written, [pair.reference]).score / 100) for pair in pairs]


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as problem:
        raise MissingMetricError(
            f"{name.partition('.')[0]} is not installed ({problem}); pip install 'pytest-autoeval[metrics]'"
        ) from None


class _NoSynonyms:
    """A WordNet without words."""

    def synsets(self, _word: str, *_part_of_speech: str) -> list[Any]:
        return []


def _wordnet() -> Any:
    corpora = _library("nltk.corpus")
    try:
        corpora.wordnet.ensure_loaded()
    except LookupError:
        return None
    return corpora.wordnet
