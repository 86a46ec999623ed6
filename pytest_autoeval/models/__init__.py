"""Models of a run: chat and embedding models, with recordings and limits.

Importing this package loads neither the HTTP client nor the reader of recordings.
"""

from pytest_autoeval.models.base import AnswerSchema as AnswerSchema
from pytest_autoeval.models.base import CallError as CallError
from pytest_autoeval.models.base import Chat as Chat
from pytest_autoeval.models.base import ConfigurationError as ConfigurationError
from pytest_autoeval.models.base import Embedded as Embedded
from pytest_autoeval.models.base import Embedder as Embedder
from pytest_autoeval.models.base import LimitReachedError as LimitReachedError
from pytest_autoeval.models.base import Message as Message
from pytest_autoeval.models.base import Model as Model
from pytest_autoeval.models.base import ModelError as ModelError
from pytest_autoeval.models.base import RecordingMissError as RecordingMissError
from pytest_autoeval.models.base import Reply as Reply
from pytest_autoeval.models.base import StructuredOutputsUnsupportedError as StructuredOutputsUnsupportedError
from pytest_autoeval.models.base import TransientError as TransientError
from pytest_autoeval.models.base import prompt_digest as prompt_digest
from pytest_autoeval.models.pool import ModelPool as ModelPool
from pytest_autoeval.models.recording import unused_recordings as unused_recordings
from pytest_autoeval.models.settings import ModelSettings as ModelSettings
from pytest_autoeval.models.settings import Price as Price
from pytest_autoeval.models.settings import RecordMode as RecordMode
