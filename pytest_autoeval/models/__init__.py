"""Models of a run: chat and embedding models, with recordings and limits.

Names are imported at their first use: a report needs none of them, and the pool of a run is a tenth of its start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_autoeval.models.model_settings import ModelSettings as ModelSettings
    from pytest_autoeval.models.model_settings import Price as Price
    from pytest_autoeval.models.model_settings import RecordMode as RecordMode
    from pytest_autoeval.models.pool import ModelPool as ModelPool
    from pytest_autoeval.models.protocols import AnswerSchema as AnswerSchema
    from pytest_autoeval.models.protocols import CallError as CallError
    from pytest_autoeval.models.protocols import Chat as Chat
    from pytest_autoeval.models.protocols import ConfigurationError as ConfigurationError
    from pytest_autoeval.models.protocols import Embedded as Embedded
    from pytest_autoeval.models.protocols import Embedder as Embedder
    from pytest_autoeval.models.protocols import LimitReachedError as LimitReachedError
    from pytest_autoeval.models.protocols import Message as Message
    from pytest_autoeval.models.protocols import Model as Model
    from pytest_autoeval.models.protocols import ModelError as ModelError
    from pytest_autoeval.models.protocols import RecordingMissError as RecordingMissError
    from pytest_autoeval.models.protocols import Reply as Reply
    from pytest_autoeval.models.protocols import (
        StructuredOutputsUnsupportedError as StructuredOutputsUnsupportedError,
    )
    from pytest_autoeval.models.protocols import TransientError as TransientError
    from pytest_autoeval.models.protocols import prompt_digest as prompt_digest
    from pytest_autoeval.models.recording import unused_recordings as unused_recordings

#: The modules of the names that are not in `protocols`.
_HOMES = {
    "ModelSettings": "model_settings",
    "Price": "model_settings",
    "RecordMode": "model_settings",
    "ModelPool": "pool",
    "unused_recordings": "recording",
}
_OF_PROTOCOLS = frozenset(
    {
        *("AnswerSchema", "CallError", "Chat", "ConfigurationError", "Embedded", "Embedder"),
        *("LimitReachedError", "Message", "Model", "ModelError", "RecordingMissError", "Reply"),
        *("StructuredOutputsUnsupportedError", "TransientError", "prompt_digest"),
    }
)


def __getattr__(name: str) -> Any:
    home = "protocols" if name in _OF_PROTOCOLS else _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
