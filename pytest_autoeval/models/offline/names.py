"""The names of the offline models."""

from __future__ import annotations

PREFIX = "offline/"
#: The model of a run that names none.
FAITHFUL = "offline/faithful"


def is_offline(name: str) -> bool:
    """Whether a model of that name is served by the offline server; it need not be one that exists."""
    return name.startswith(PREFIX)
