"""A model of the user's own: what it is given, and what is made of what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pytest_autoeval.models import AnswerSchema, Message, Reply, StructuredOutputsUnsupportedError
from pytest_autoeval.models.memory import RememberingModel
from pytest_autoeval.running.registered import RegisteredModel

HELLO = [Message("user", "Hello")]
SCHEMA = AnswerSchema("choice", '{"type": "object"}')


class Plain:
    """Knows of no schemas."""

    def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> str:
        return f"{messages[-1].content} {repeat}"

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0) -> bool:
        return True


class Structured:
    """Says which schema it was given."""

    def complete(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> Reply:
        return Reply(schema.name if schema else "no schema")

    def recorded(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> bool:
        return schema is None


class Passing:
    """Takes whatever it is given, and may pass it on to something that does not."""

    def complete(self, messages: Sequence[Message], **more: Any) -> str:
        return " ".join(sorted(more))


def registered(kind: type) -> RememberingModel:
    return RememberingModel(RegisteredModel("own", kind))


def test_a_model_with_a_parameter_for_it_is_given_the_schema() -> None:
    model = registered(Structured)
    assert model.complete(HELLO, schema=SCHEMA).text == "choice"
    assert model.complete(HELLO).text == "no schema"
    assert (model.recorded(HELLO), model.recorded(HELLO, schema=SCHEMA)) == (True, False)


@pytest.mark.parametrize(("kind", "text"), [(Plain, "Hello 0"), (Passing, "repeat")])
def test_any_other_is_told_of_no_schema(kind: type, text: str) -> None:
    model = registered(kind)
    with pytest.raises(StructuredOutputsUnsupportedError, match="no parameter 'schema'"):
        model.complete(HELLO, schema=SCHEMA)
    assert not model.recorded(HELLO, schema=SCHEMA)
    assert model.complete(HELLO).text == text
