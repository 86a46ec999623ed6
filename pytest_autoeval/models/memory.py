"""Equal questions that are asked at the same time are asked once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Asking:
    """The questions that are being asked now, by their keys. Answers are remembered in the journal."""

    def __init__(self) -> None:
        self._asked: dict[bytes, asyncio.Future[Exception | None]] = {}

    @asynccontextmanager
    async def alone(self, key: bytes) -> AsyncIterator[None]:
        """Asks a question inside a ``with``, when nobody else asks it.

        Raises a copy of the error of whoever asked it at the same time. A failure is forgotten then.
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
    """An exception belongs to one thread: raised in several, its traceback would grow with each."""
    copy = type(error)(*error.args)
    for note in getattr(error, "__notes__", ()):
        copy.add_note(note)
    return copy
