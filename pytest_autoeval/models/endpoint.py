"""One model at one path of a server: recordings answer first, then the server does, within the limits of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from pytest_autoeval.models.digest import Route
from pytest_autoeval.models.recording import Recordings
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.settings import Price
from pytest_autoeval.models.state import RunState

if TYPE_CHECKING:
    from pytest_autoeval.models.upstream import Upstream


class Metered(Protocol):
    """What was read in a response: at least the tokens, None where the server reported none."""

    @property
    def prompt_tokens(self) -> int | None:
        """Those of what was asked."""
        ...

    @property
    def completion_tokens(self) -> int | None:
        """Those of the answer."""
        ...


Content = TypeVar("Content", bound=Metered)


@dataclass(frozen=True, slots=True)
class Answered(Generic[Content]):
    """What a response says, and what it took; the fields are those of :class:`~pytest_autoeval.models.base.Reply`."""

    content: Content
    cost: float | None
    seconds: float
    replayed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCall:
    """One call to make: the model's name, the path, the redacted request, and the model's price, None if unknown.

    ``is_schema_ours`` is whether the request has a schema that we can do without.
    """

    model: str
    route: Route
    body: Mapping[str, Any]
    price: Price | None
    is_schema_ours: bool = False


class Endpoint(Generic[Content]):
    """A model behind a path of an OpenAI-compatible server; thread-safe.

    Args:
        name: the model's, as in ``--autoeval-model``.
        recordings: what was recorded of this model at this path.
        state: what the workers of the run share.
        redactor: hides secrets in what is answered.
        upstream: the servers of the run, called at the first request that no recording answers.
        price: what the model charges; None: unknown.
    """

    def __init__(  # noqa: PLR0913 - its collaborators, put together in one place (pool.py)
        self,
        name: str,
        *,
        recordings: Recordings,
        state: RunState,
        redactor: Redactor,
        upstream: Callable[[], Upstream],
        price: Price | None = None,
    ) -> None:
        self.name = name
        self.state = state
        self._recordings = recordings
        self._redactor = redactor
        self._upstream = upstream
        self._price = price

    def body(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """What identifies a request, and is sent: without secrets."""
        redacted: dict[str, Any] = self._redactor.json(body)
        return redacted

    def recorded(self, body: Mapping[str, Any], repeat: int) -> bool:
        """Whether a recording would answer a request."""
        return self._recordings.has(body, repeat)

    def replay(self, body: Mapping[str, Any], repeat: int, read: Callable[[Any], Content]) -> Answered[Content] | None:
        """What a recording answers, or None where the server is to be asked; raises :class:`RecordingMissError`."""
        recorded = self._recordings.find(body, repeat)
        return None if recorded is None else Answered(read(recorded), cost=0.0, seconds=0.0, replayed=True)

    def ask(
        self,
        body: Mapping[str, Any],
        repeat: int,
        read: Callable[[Any], Content],
        *,
        trimmed: Callable[[Any], Any] = lambda payload: payload,
        is_schema_ours: bool = False,
    ) -> Answered[Content]:
        """What the server answers; recorded where the mode records.

        Args:
            body: the request, made by :meth:`body`.
            repeat: the number of its repeat.
            read: what a decoded response says; raises :class:`CallError`.
            trimmed: the part of a response that could be read which is kept.
            is_schema_ours: whether a schema in the request is one that we can do without.

        Raises :class:`ModelError`; after a :class:`ConfigurationError` no call of this model is made in this run.
        """
        call = ServerCall(
            model=self.name,
            route=self._recordings.route,
            body=body,
            price=self._price,
            is_schema_ours=is_schema_ours,
        )
        received = self._upstream().ask(call, read)
        kept = self._recordings.keep(body, repeat, trimmed(received.payload))
        return Answered(read(kept), cost=received.cost, seconds=received.seconds, replayed=False)
