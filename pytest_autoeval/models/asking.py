"""Model objects that hand each request to a `Submit` function and wait for the answer.

The function belongs to the pool of this process, or in a worker of xdist to the connection with the controller.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import Any, Literal, Protocol

from pytest_autoeval.models.model_names import FAITHFUL, EmbedderName, is_embedder, is_offline
from pytest_autoeval.models.protocols import (
    AnswerForm,
    Chat,
    ConfigurationError,
    Embedded,
    Embedder,
    Form,
    Message,
    Reply,
    only_embeds,
)
from pytest_autoeval.models.purposes import current_purpose

#: The methods of a model that make or look up a request: the first two of `Chat`, the others of `Embedder`.
Method = Literal["complete", "recorded", "embed", "recorded_texts"]


class Submit(Protocol):
    """Submits a request without blocking. Arguments and results can be pickled."""

    def __call__(self, model: str, method: Method, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The future result, or error, of one method of `Chat` or `Embedder`."""


class ChatProxy:
    """A chat model; see `Chat`. Each method blocks only the calling thread."""

    def __init__(self, name: str, submit: Submit) -> None:
        self.name = name
        self._submit = submit

    def complete(
        self,
        messages: Sequence[Message],
        *,
        repeat: int = 0,
        schema: AnswerForm | None = None,
        limit: int | None = None,
    ) -> Reply:
        future = self._submit(
            self.name,
            "complete",
            list(messages),
            repeat=repeat,
            schema=schema,
            limit=limit,
            # Of this thread: the request is made in another one.
            purpose=current_purpose(),
        )
        reply: Reply = future.result()
        return reply

    def recorded(
        self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerForm | None = None
    ) -> bool:
        future = self._submit(self.name, "recorded", list(messages), repeat=repeat, schema=schema)
        return bool(future.result())


class EmbedderProxy:
    """An embedding model; see `Embedder`. Each method blocks only the calling thread."""

    def __init__(self, name: str, submit: Submit) -> None:
        self.name = name
        self._submit = submit

    def embed(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> Embedded:
        future = self._submit(self.name, "embed", list(texts), form, repeat=repeat)
        embedded: Embedded = future.result()
        return embedded

    def recorded_texts(self, texts: Sequence[str], form: Form, *, repeat: int = 0) -> bool:
        future = self._submit(self.name, "recorded_texts", list(texts), form, repeat=repeat)
        return bool(future.result())


class Models:
    """Models by name, the same object each time; thread-safe.

    ``own``: the names of the user's own models. A name among them is never that of another model.
    """

    def __init__(self, submit: Submit, own: Collection[str] = ()) -> None:
        self._submit = submit
        self._own = own
        self._lock = Lock()
        self._opened: dict[str, ChatProxy | EmbedderProxy] = {}

    def open(self, name: str) -> Chat | Embedder:
        """The model of a name. Makes no call.

        Raises :class:`ConfigurationError` for an unknown offline model or a wrong option of an embedding model.
        """
        # Locked: the threads of a run open models at once, and all get one object.
        with self._lock:
            if name not in self._opened:
                check_name(name, self._own)
                proxy = EmbedderProxy if embeds(name, self._own) else ChatProxy
                self._opened[name] = proxy(name, self._submit)
            return self._opened[name]

    def chat(self, name: str) -> Chat:
        """The chat model of a name; raises :class:`ConfigurationError` as :meth:`open` does."""
        model = self.open(name)
        if isinstance(model, ChatProxy):
            return model
        raise ConfigurationError(f"{name} is an embedding model; name a chat model")

    def embedder(self, name: str) -> Embedder:
        """The embedding model of a name; raises :class:`ConfigurationError` as :meth:`open` does."""
        # `of` refuses the name of a chat model.
        model = self.open(EmbedderName.of(name).full_name)
        assert only_embeds(model)
        return model


def embeds(name: str, own: Collection[str]) -> bool:
    """Whether the name is that of an embedding model. The user's own models never are."""
    return is_embedder(name) and name not in own


def check_name(name: str, own: Collection[str]) -> None:
    """Raises :class:`ConfigurationError` if no model can have that name.

    Any name may be that of a model on a server, unless its beginning says otherwise.
    """
    if name in own:
        return
    if is_embedder(name):
        EmbedderName.of(name)
    elif is_offline(name) and name != FAITHFUL:
        from pytest_autoeval.models.offline.offline_models import check_model

        check_model(name)
