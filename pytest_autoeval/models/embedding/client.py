"""An embedding model behind an OpenAI-compatible embeddings endpoint, recorded and limited as chat models are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pytest_autoeval.models.base import Embedded, Form, Reply
from pytest_autoeval.models.digest import inputs_digest
from pytest_autoeval.models.embedding.names import EmbedderName
from pytest_autoeval.models.embedding.vectors import Vectors, read_vectors, trimmed
from pytest_autoeval.models.endpoint import Endpoint
from pytest_autoeval.models.settings import ModelSettings


class EmbeddingModel:
    """A model behind an embeddings endpoint; thread-safe.

    Args:
        name: as in ``--autoeval-model``, with the instruction that stands before every text.
        endpoint: where it is asked.
        settings: their ``parameters`` are sent beside the texts.
        on_close: called when the model is closed.
    """

    def __init__(
        self,
        name: EmbedderName,
        endpoint: Endpoint[Vectors],
        settings: ModelSettings,
        *,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self._name = name
        self._endpoint = endpoint
        self._settings = settings
        self._on_close = on_close

    @property
    def name(self) -> str:
        """The name it was asked for by."""
        return self._name.whole

    def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:
        """The vectors in a recording where there is one, else the server's; raises :class:`ModelError`."""
        inputs = self._inputs(texts, form)
        if not inputs:
            return Embedded((), Reply("", cost=0.0, prompt_tokens=0, completion_tokens=0))

        def read(payload: Any) -> Vectors:
            return read_vectors(payload, len(inputs))

        body = self._body(inputs)
        answered = self._endpoint.replay(body, repeat, read) or self._endpoint.ask(body, repeat, read, trimmed=trimmed)
        reply = Reply(
            text="",
            prompt_tokens=answered.content.prompt_tokens,
            completion_tokens=answered.content.completion_tokens,
            cost=answered.cost,
            seconds=answered.seconds,
            prompt_digest=inputs_digest(inputs),
            replayed=answered.replayed,
        )
        return Embedded(answered.content.vectors, reply)

    def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:
        """Whether a recording would answer this, without asking."""
        return self._endpoint.recorded(self._body(self._inputs(texts, form)), repeat)

    def close(self) -> None:
        """Releases what was opened for this model alone."""
        self._on_close()

    def _inputs(self, texts: Sequence[str], form: Form) -> list[str]:
        return [self._name.input(text, form) for text in texts]

    def _body(self, inputs: list[str]) -> dict[str, Any]:
        """What identifies a request, and what is sent: no seed, for vectors are not drawn."""
        body = {"model": self._name.model, "input": inputs, "encoding_format": "float"}
        return self._endpoint.body(body | dict(self._settings.parameters))
