"""Where a model's requests go: the server that the user names, or the offline models' own."""

from __future__ import annotations

import os
from ipaddress import ip_address
from threading import Lock
from typing import TYPE_CHECKING, Protocol
from urllib.parse import SplitResult, urlsplit

if TYPE_CHECKING:
    from pytest_autoeval.models.offline.answer_key import AnswerKey
    from pytest_autoeval.models.offline.server import OfflineServer

_OPENAI_HOST = "api.openai.com"
_OPENAI_URL = f"https://{_OPENAI_HOST}/v1"


class Server(Protocol):
    """An OpenAI-compatible server."""

    def url(self) -> str:
        """The base URL; a server of ours is started for it."""
        ...

    def key(self) -> str | None:
        """The key to send, or None where the user set none."""
        ...

    def close(self) -> None:
        """Stops a server of ours."""
        ...


class UserServer:
    """The server of ``--autoeval-base-url``, else of ``OPENAI_BASE_URL``, else OpenAI's."""

    def __init__(self, base_url: str | None) -> None:
        self._base_url = base_url

    def url(self) -> str:
        """The base URL, as the client would read it."""
        return self._base_url or os.environ.get("OPENAI_BASE_URL") or _OPENAI_URL

    def key(self) -> str | None:
        """The key, as the client would read it."""
        return os.environ.get("OPENAI_API_KEY", "").strip() or None

    def close(self) -> None:
        """Nothing to stop."""


class LoopbackServer:
    """The offline models' server of this process: started at the first call, never for a replay."""

    def __init__(self, answer_key: AnswerKey | None = None) -> None:
        self._answer_key = answer_key
        self._lock = Lock()
        self._server: OfflineServer | None = None
        self._url = ""

    def url(self) -> str:
        """The address on the loopback interface."""
        with self._lock:
            if self._server is None:
                from pytest_autoeval.models.offline.server import OfflineServer

                self._server = OfflineServer(answer_key=self._answer_key)
                self._url = self._server.start()
            return self._url

    def key(self) -> str:
        """Some key: the user's own has no business here."""
        return "offline"

    def close(self) -> None:
        """Stops the server if it was started."""
        with self._lock:
            if self._server is not None:
                self._server.stop()
                self._server = None


def is_openai(url: str) -> bool:
    """Whether a base URL is OpenAI's own, which alone insists on a key and on the newest names of parameters."""
    return _split(url).hostname == _OPENAI_HOST


def is_loopback(url: str) -> bool:
    """Whether a base URL is on this machine, where a proxy must not be asked."""
    host = _split(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def shown_url(url: str) -> str:
    """A base URL as messages show it: without a user name and password."""
    head, separator, rest = url.partition("//")
    authority, slash, path = rest.partition("/")
    return f"{head}{separator}{authority.rpartition('@')[2]}{slash}{path}" if separator else url


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:  # the client will say what is wrong with it
        return urlsplit("")
