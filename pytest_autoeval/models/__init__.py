"""Models: messages in, a reply out; recorded, limited, and offline where the name says so.

Importing this loads neither the client nor the recorder; a call that needs them does.
"""

from __future__ import annotations

from pytest_autoeval.models.base import (
    AnswerSchema,
    CallError,
    ConfigurationError,
    Embedded,
    Embedder,
    LimitReachedError,
    Message,
    Model,
    ModelError,
    RecordingMissError,
    Reply,
    StructuredOutputsUnsupportedError,
)
from pytest_autoeval.models.digest import prompt_digest
from pytest_autoeval.models.pool import ModelPool
from pytest_autoeval.models.recording import unused_recordings
from pytest_autoeval.models.settings import ModelSettings, Price, RecordMode

__all__ = [
    "AnswerSchema",
    "CallError",
    "ConfigurationError",
    "Embedded",
    "Embedder",
    "LimitReachedError",
    "Message",
    "Model",
    "ModelError",
    "ModelPool",
    "ModelSettings",
    "Price",
    "RecordMode",
    "RecordingMissError",
    "Reply",
    "StructuredOutputsUnsupportedError",
    "prompt_digest",
    "unused_recordings",
]
