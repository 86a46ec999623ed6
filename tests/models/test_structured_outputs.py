"""A schema for the answer: sent where it is asked for, recorded, done without where a server takes none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import NO_SCHEMA, SOON, Answer, ChatServer, always, completion, echo, error

from pytest_autoeval.models import (
    AnswerSchema,
    CallError,
    ConfigurationError,
    Message,
    ModelPool,
    ModelSettings,
    RecordingMissError,
    StructuredOutputsUnsupportedError,
    prompt_digest,
)

HELLO = [Message("user", "Which of the options?")]
SCHEMA = AnswerSchema(
    "choice",
    json.dumps(
        {
            "type": "object",
            "properties": {"reasoning": {"type": "string"}, "answer": {"type": "integer"}},
            "required": ["reasoning", "answer"],
            "additionalProperties": False,
        }
    ),
)
OTHER_SCHEMA = AnswerSchema("label", json.dumps({"type": "object"}))
CHOICE = '{"reasoning": "the first one has the arrow", "answer": 1}'


def detail(*entries: dict[str, Any]) -> dict[str, Any]:
    """The body of an error, as servers word it that check requests with pydantic."""
    return {"detail": list(entries)}


#: How servers say that they take no schema, after the habits of each.
REFUSALS = {
    "OpenAI, a schema it cannot keep to": Answer(
        400,
        error("Invalid schema for 'choice': 'minimum' is not permitted.", param="response_format"),
    ),
    "Groq": Answer(
        400,
        error(
            "This model does not support response format `json_schema`.", param="response_format"
        ),
    ),
    "vLLM": Answer(
        400,
        {
            "object": "error",
            "type": "BadRequestError",
            "code": 400,
            "message": "[{'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text'\"}]",
        },
    ),
    "llama.cpp, breaking down": Answer(
        500,
        {"error": {"code": 500, "message": "JSON schema conversion failed: unrecognized"}},
        SOON,
    ),
    "llama-cpp-python, breaking down": NO_SCHEMA,
    "behind a gateway": Answer(502, error("upstream: unknown field json_schema")),
    "Mistral": Answer(
        422,
        detail(
            {
                "type": "extra_forbidden",
                "loc": ["body", "response_format", "json_schema"],
                "msg": "Extra input",
            }
        ),
    ),
    "no endpoint for it": Answer(
        404, error("No endpoint was found that supports structured outputs.")
    ),
    "in no JSON": Answer(400, b"unsupported response_format"),
}

#: Errors that blame something else, or the model.
OTHER_TROUBLE = {
    "the prompt is too long": Answer(400, error("context too long", param="messages")),
    "the rate is limited": Answer(429, error("too many requests with response_format"), SOON),
}


def refuses_schemas(refusal: Answer) -> Any:
    return lambda request: refusal if "response_format" in request.body else echo(request)


def test_a_schema_goes_over_the_wire_as_the_protocol_has_it(server: ChatServer) -> None:
    server.behaviour = always(Answer(body=completion(CHOICE)))
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        reply = pool.chat("some-model").complete(HELLO, schema=SCHEMA)
    assert (reply.text, reply.prompt_digest) == (CHOICE, prompt_digest(HELLO))
    [request] = server.requests
    assert request.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "choice", "strict": True, "schema": SCHEMA.value},
    }


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
def test_a_server_that_takes_no_schema_is_asked_with_one_only_once(
    server: ChatServer, refusal: Answer
) -> None:
    server.behaviour = refuses_schemas(refusal)
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        model = pool.chat("some-model")
        for number in range(3):
            with pytest.raises(
                StructuredOutputsUnsupportedError, match=rf"some-model.*\({refusal.status}: "
            ) as told:
                model.complete([Message("user", f"Question {number}")], schema=SCHEMA)
            assert len(str(told.value).splitlines()) == 1
            assert (
                model.complete([Message("user", f"Question {number}")]).text
                == f"You said: Question {number}"
            )
    assert ["response_format" in request.body for request in server.requests] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize("trouble", OTHER_TROUBLE.values(), ids=OTHER_TROUBLE)
def test_other_trouble_is_no_refusal_of_the_schema(server: ChatServer, trouble: Answer) -> None:
    server.behaviour = refuses_schemas(trouble)
    with ModelPool(ModelSettings(base_url=server.url, patience=0.0)) as pool:
        with pytest.raises((CallError, ConfigurationError)):
            pool.chat("some-model").complete(HELLO, schema=SCHEMA)
        with pytest.raises((CallError, ConfigurationError)):
            pool.chat("some-model").complete(HELLO, schema=SCHEMA)


def test_what_is_refused_of_a_question_without_a_schema_is_the_user_s_to_mend(
    server: ChatServer,
) -> None:
    server.behaviour = refuses_schemas(REFUSALS["Groq"])
    settings = ModelSettings(
        base_url=server.url, parameters={"response_format": {"type": "json_object"}}
    )
    with (
        ModelPool(settings) as pool,
        pytest.raises(ConfigurationError, match="refuses the parameter 'response_format'"),
    ):
        pool.chat("some-model").complete(HELLO, schema=SCHEMA)
    assert server.requests[0].body["response_format"] == {"type": "json_object"}


def test_another_schema_is_tried_and_another_model_too(server: ChatServer) -> None:
    def picky(request: Any) -> Answer:
        wanted = request.body.get("response_format", {}).get("json_schema", {}).get("name")
        refused = wanted == "choice" and request.body["model"] == "some-model"
        return REFUSALS["OpenAI, a schema it cannot keep to"] if refused else echo(request)

    server.behaviour = picky
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        with pytest.raises(StructuredOutputsUnsupportedError):
            pool.chat("some-model").complete(HELLO, schema=SCHEMA)
        assert (
            pool.chat("some-model").complete(HELLO, schema=OTHER_SCHEMA).text.startswith("You said")
        )
        assert pool.chat("another-model").complete(HELLO, schema=SCHEMA).text.startswith("You said")


def test_a_schema_is_part_of_what_is_recorded(server: ChatServer, tmp_path: Path) -> None:
    server.behaviour = lambda request: Answer(
        body=completion(CHOICE if "response_format" in request.body else "Answer: 1")
    )
    with ModelPool(
        ModelSettings(base_url=server.url, cassettes=tmp_path, record_mode="once")
    ) as pool:
        pool.chat("some-model").complete(HELLO, schema=SCHEMA)
        pool.chat("some-model").complete(HELLO)
    with ModelPool(ModelSettings(cassettes=tmp_path, record_mode="none")) as pool:
        model = pool.chat("some-model")
        assert model.recorded(HELLO, schema=SCHEMA)
        assert not model.recorded(HELLO, schema=OTHER_SCHEMA)
        assert (model.complete(HELLO, schema=SCHEMA).text, model.complete(HELLO).text) == (
            CHOICE,
            "Answer: 1",
        )
        with pytest.raises(RecordingMissError, match="response_format"):
            model.complete(HELLO, schema=OTHER_SCHEMA)
    assert len(list(tmp_path.rglob("*.yaml"))) == 2
