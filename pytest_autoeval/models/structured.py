"""Structured outputs: how a schema is sent, and what is remembered of servers that take none."""

from __future__ import annotations

import json
import re
from typing import Any

from pytest_autoeval.models.base import AnswerSchema, StructuredOutputsUnsupportedError
from pytest_autoeval.models.digest import folder_of
from pytest_autoeval.models.state import RunState

PARAMETER = "response_format"

#: The statuses with which servers say that they cannot, some of them by breaking down. Nothing else is a refusal.
_STATUSES = frozenset({400, 404, 415, 422, 500, 501})
_BLAMED = re.compile(r"response[_ ]format|json[_ ]schema|structured[_ -]?output|parse grammar", re.IGNORECASE)
#: A server that takes schemas says of the model that it did not keep to this one.
_TRIED = re.compile(r"json_validate_failed|failed_generation|failed to generate|(did|does) not match", re.IGNORECASE)
#: What an error repeats of the request, which says nothing about what is wrong with it.
_REPEATED = frozenset({"input"})


def response_format(schema: AnswerSchema) -> dict[str, Any]:
    """The parameter that asks a server to keep to a schema."""
    return {
        "type": "json_schema",
        "json_schema": {"name": schema.name, "strict": True, "schema": dict(schema.value)},
    }


def is_refusal(status: int, code: object, parameter: object, body: object) -> bool:
    """Whether a server's error says that it takes no schema, or not the one that was sent.

    Args:
        status: of the response.
        code: in OpenAI's form of an error; anything else where the server has another.
        parameter: likewise, the one to blame.
        body: what the response says, decoded as far as it is JSON.
    """
    detail = body if isinstance(body, str) else json.dumps(_without_repetition(body), ensure_ascii=False)
    if status not in _STATUSES or _TRIED.search(f"{code} {detail}"):
        return False
    return str(parameter).startswith(PARAMETER) or _BLAMED.search(detail) is not None


def _without_repetition(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_repetition(member) for key, member in value.items() if key not in _REPEATED}
    if isinstance(value, list):
        return [_without_repetition(member) for member in value]
    return value


class Refusals:
    """The schemas that a model's server refused, known to all workers of a run; thread-safe.

    They are remembered by name: a server that does without one schema may take another, and whether a task is asked
    with its schema must not depend on which task came first.

    Args:
        model: the model's name.
        state: what the workers share.
    """

    def __init__(self, model: str, state: RunState) -> None:
        self._record = f"unstructured-{folder_of(model)}"
        self._state = state

    def check(self, schema: AnswerSchema) -> None:
        """Raises :class:`StructuredOutputsUnsupportedError` where the schema was refused before."""
        if (refused := self._state.read(self._record).get(schema.name)) is not None:
            raise StructuredOutputsUnsupportedError(refused)

    def note(self, schema: AnswerSchema, refusal: StructuredOutputsUnsupportedError) -> None:
        """Remembers a refusal; the first one counts."""
        self._state.update(self._record, lambda refused: {schema.name: str(refusal), **refused})
