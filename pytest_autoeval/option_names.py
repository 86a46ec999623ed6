"""How a message names an option: as pytest's, or as that of the running command if the command has it."""

from __future__ import annotations

from collections.abc import Iterable
from contextvars import ContextVar

#: The options of the running command, such as ``--columns``, once its parser knows them; None in a run of pytest.
_OF_COMMAND: ContextVar[set[str] | None] = ContextVar("options of the command", default=None)


def begin_command() -> None:
    """Marks the current context as that of a command."""
    _OF_COMMAND.set(set())


def add_options_of_command(options: Iterable[str]) -> None:
    """Lets messages name these options, if a command runs."""
    known = _OF_COMMAND.get()
    if known is not None:
        known.update(options)


def option_name(name: str) -> str:
    """The option as a reader can type it here: ``--autoeval-columns``, or ``--columns`` in a command that has it."""
    of_command = f"--{name}"
    return of_command if of_command in (_OF_COMMAND.get() or ()) else f"--autoeval-{name}"


def is_command() -> bool:
    """Whether a command runs, and not pytest."""
    return _OF_COMMAND.get() is not None
