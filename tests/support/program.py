"""What `python -m pytest_autoeval` prints."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Protocol


class Printed(NamedTuple):
    """The two outputs of a command."""

    out: str
    err: str

    @property
    def data(self) -> Any:
        """The standard output, read as JSON."""
        return json.loads(self.out)

    @property
    def text(self) -> str:
        """The standard output without its line breaks."""
        return " ".join(self.out.split())


class Program(Protocol):
    """Runs a command in this process; asserts that it ends with this exit code."""

    def __call__(self, *arguments: str, code: int = 0) -> Printed: ...
