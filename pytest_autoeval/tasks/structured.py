"""Answers as JSON of a given shape: the reasons first, then the answer alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pytest_autoeval.languages.wrappings import without_thoughts
from pytest_autoeval.models.base import AnswerSchema


def reasoned(name: str, answer: Mapping[str, Any]) -> AnswerSchema:
    """The schema of ``{"reasoning": "…", "answer": …}``; ``answer`` is the JSON Schema of the answer itself.

    The reasons stand first, so that they are written first. Nothing in a schema depends on the sample: servers keep
    a schema that they know, and take their time for each new one.
    """
    schema = {
        "type": "object",
        "properties": {"reasoning": {"type": "string"}, "answer": dict(answer)},
        "required": ["reasoning", "answer"],
        "additionalProperties": False,
    }
    return AnswerSchema(name, json.dumps(schema))


def keeps_to(text: str, schema: AnswerSchema) -> bool:
    """Whether a text is a JSON object with the keys that a schema asks for, and no others.

    Some servers take a schema and do not mind it.
    """
    try:
        content = json.loads(without_thoughts(text))
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) and set(content) == set(schema.value["required"])
