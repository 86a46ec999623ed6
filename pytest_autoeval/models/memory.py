"""Equal concurrent requests are sent once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class RequestsInFlight:
    """The requests in flight, by their keys. The journal holds the answers."""

    def __init__(self) -> None:
        self._asked: dict[bytes, asyncio.Future[Exception | None]] = {}

    @asynccontextmanager
    async def alone(self, key: bytes) -> AsyncIterator[None]:
        """Waits until no equal request is in flight; the body of the ``with`` is then the only one.

        Raises a copy of the error of the request that it waited for. A later request tries again.
        """
        while key in self._asked:
            if (error := await asyncio.shield(self._asked[key])) is not None:
                raise _copy(error)
        end = self._asked[key] = asyncio.get_running_loop().create_future()
        failure = None
        try:
            yield
        except Exception as error:
            failure = error
            raise
        finally:
            del self._asked[key]
            end.set_result(failure)


def _copy(error: Exception) -> Exception:
    # Raised in several threads, one exception would collect the tracebacks of all.
    copy = type(error)(*error.args)
    for note in getattr(error, "__notes__", ()):
        copy.add_note(note)
    return copy
