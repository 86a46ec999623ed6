"""Models of a run: chat and embedding models, with recordings and limits.

Importing this package loads neither the HTTP client nor the reader of recordings.
"""

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
