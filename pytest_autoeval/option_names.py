"""How a message names an option: as pytest's, or as that of the running command if the command has it."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar

#: The options of the running command, such as ``--columns``; empty in a run of pytest.
_OF_COMMAND: ContextVar[frozenset[str]] = ContextVar("options of the command", default=frozenset())


def use_options_of_command(options: Iterable[str]) -> None:
    """Lets messages name these options, until the command ends."""
    _OF_COMMAND.set(frozenset(options))


def option_name(name: str) -> str:
    """The option as a reader can type it here: ``--autoeval-columns``, or ``--columns`` in a command that has it."""
    of_command = f"--{name}"
    return of_command if of_command in _OF_COMMAND.get() else f"--autoeval-{name}"


def is_command() -> bool:
    """Whether a command runs, and not pytest."""
    return bool(_OF_COMMAND.get())
