"""Servers that constrain answers, each in its own way; what they answer is drawn from the grammar by llguidance."""

from __future__ import annotations

import random

from openai.types.chat import (
    ChatCompletionCustomToolParam,
    ChatCompletionNamedToolChoiceCustomParam,
)
from pydantic import TypeAdapter

from support.answer_grammars import drawn, matcher
from support.chat_server import Answer, Received, completion, error

_TOOL: TypeAdapter[ChatCompletionCustomToolParam] = TypeAdapter(ChatCompletionCustomToolParam)
_CHOICE: TypeAdapter[ChatCompletionNamedToolChoiceCustomParam] = TypeAdapter(
    ChatCompletionNamedToolChoiceCustomParam
)
_RANDOM = random.Random(28)
FREE = "I would say four."


def llama_cpp(request: Received) -> Answer:
    """llama.cpp's server: GBNF under ``grammar``; other parameters are ignored, and a schema breaks it."""
    if "response_format" in request.body:
        return Answer(500, error("response_format: Input should be 'text' or 'json_object'"))
    return _constrained(request.body.get("grammar"))


def vllm(request: Received) -> Answer:
    """vLLM: a grammar in ``structured_outputs``, and nothing else in it; other parameters are ignored."""
    given = request.body.get("structured_outputs", {})
    if not given.keys() <= {"grammar"}:
        return Answer(400, error("structured_outputs: one constraint is allowed"))
    return _constrained(given.get("grammar"))


def openai(request: Received) -> Answer:
    """OpenAI: a custom tool with a Lark grammar; unknown parameters are refused. The published types check the tool."""
    for unknown in request.body.keys() & {"grammar", "structured_outputs"}:
        return Answer(400, error(f"Unknown parameter: '{unknown}'.", "unknown_parameter", unknown))
    if "tools" not in request.body:
        return Answer(body=completion(FREE))
    [tool] = request.body["tools"]
    _TOOL.validate_python(tool)
    _CHOICE.validate_python(request.body["tool_choice"])
    custom = tool["custom"]
    assert (custom["format"]["type"], custom["format"]["grammar"]["syntax"]) == ("grammar", "lark")
    assert request.body["tool_choice"]["custom"]["name"] == custom["name"]
    text = drawn(matcher("lark", custom["format"]["grammar"]["definition"]), _RANDOM, 30)
    call = {"id": "call_1", "type": "custom", "custom": {"name": custom["name"], "input": text}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return Answer(body=completion(None, message=message, finish_reason="tool_calls"))


def unable(_request: Received) -> Answer:
    """A server that ignores what it does not know."""
    return Answer(body=completion(FREE))


def _constrained(grammar: str | None) -> Answer:
    return Answer(
        body=completion(FREE if grammar is None else drawn(matcher("gbnf", grammar), _RANDOM, 30))
    )
