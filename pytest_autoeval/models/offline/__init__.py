"""Deterministic models that need no key and no network: one faithful, the others with a fault that real models show.

They stand behind the protocol of OpenAI's chat completions (:mod:`pytest_autoeval.models.offline.server`), so that all
that is true of a real model's way through the house is true of theirs.
"""

from __future__ import annotations

PREFIX = "offline/"


def is_offline(name: str) -> bool:
    """Whether a model of that name is asked of the offline server; it need not be one that exists."""
    return name.startswith(PREFIX)


def offline_models() -> tuple[tuple[str, str], ...]:
    """Every offline model with a line that says what it does, the faithful one first."""
    from pytest_autoeval.models.offline.behaviour import behaviours

    return tuple((PREFIX + behaviour.name, behaviour.description) for behaviour in behaviours())


def check_model(name: str) -> None:
    """Raises :class:`UnknownOfflineModelError` or :class:`OfflineOptionError` for a name that no model answers to."""
    from pytest_autoeval.models.offline.behaviour import behaviour_of

    behaviour_of(name)
