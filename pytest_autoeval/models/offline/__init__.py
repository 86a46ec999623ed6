"""Deterministic models that need no key and no network: one faithful, the others with a fault that real models show.

They stand behind OpenAI's protocol (:mod:`pytest_autoeval.models.offline.server`), so that all that is true of a real
model's way through the house is true of theirs. One of them holds no conversation, and embeds texts instead.
"""

from __future__ import annotations

from pytest_autoeval.models.names import BAG_OF_WORDS, PREFIX, EmbedderName, is_embedder


def offline_models() -> tuple[tuple[str, str], ...]:
    """Every offline model with a line that says what it does, the faithful one first, the one that embeds last."""
    from pytest_autoeval.models.offline.catalogue import BEHAVIOURS
    from pytest_autoeval.models.offline.embeddings import DESCRIPTION

    chat = ((PREFIX + behaviour.name, behaviour.description) for behaviour in BEHAVIOURS.values())
    return (*chat, (BAG_OF_WORDS, DESCRIPTION))


def check_model(name: str) -> None:
    """Raises a :class:`ConfigurationError` for a name that no offline model answers to, or an option that it has not.

    The name of an embedding model may be that of any.
    """
    if is_embedder(name):
        EmbedderName.of(name)
        return
    from pytest_autoeval.models.offline.catalogue import behaviour_of

    behaviour_of(name)
