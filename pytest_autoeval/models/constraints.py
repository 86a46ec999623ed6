"""Constrained answers: a grammar or a schema in the parameters that a server takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from pytest_autoeval.languages.answer_grammar import AnswerGrammar, literal, words
from pytest_autoeval.models.model_settings import SCHEMA
from pytest_autoeval.models.protocols import AnswerSchema, Message

Dialect = Literal["llama.cpp", "vllm", "openai"]
#: Those that ``auto`` tries, in order. Servers ignore or refuse the parameters of the others.
DIALECTS: tuple[Dialect, ...] = ("llama.cpp", "vllm", "openai")

#: A question whose free answer is certainly not the word that the grammar allows.
PROBE = (Message("user", "What is 2 + 2? Answer with the number alone."),)
PROBE_WORD = "quixotry"
PROBE_GRAMMAR = AnswerGrammar("probe", (("word", literal(PROBE_WORD)),))
#: Tokens of the answer, if the server ignores the grammar.
PROBE_TOKENS = 32
#: The names of schemas that stand for the probes begin with this.
PROBE_NAME = "constrained answers, as of "

#: A JSON string and an integer, in GBNF.
_JSON = r"""
string ::= "\"" ([^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F]))* "\""
integer ::= "-"? ("0" | [1-9] [0-9]*)
"""


def parameters(dialect: Dialect, form: AnswerGrammar | AnswerSchema) -> dict[str, Any]:
    """The parameters of a request whose answer must have a form.

    OpenAI takes a Lark grammar as the format of a tool that must be called; vLLM and llama.cpp's server take GBNF.
    llama-cpp-python's server takes no schema, so that a schema becomes a grammar there.
    """
    if isinstance(form, AnswerSchema):
        if dialect == "llama.cpp":
            return {"grammar": f"root ::= {_value(form.value)}{_JSON}"}
        return schema_parameter(form)
    match dialect:
        case "llama.cpp":
            return {"grammar": form.gbnf}
        case "vllm":
            return {"structured_outputs": {"grammar": form.gbnf}}
    tool = {"name": "answer", "description": "Takes the whole answer."}
    grammar = {"type": "grammar", "grammar": {"syntax": "lark", "definition": form.lark}}
    return {
        "tools": [{"type": "custom", "custom": {**tool, "format": grammar}}],
        "tool_choice": {"type": "custom", "custom": {"name": "answer"}},
        "parallel_tool_calls": False,
    }


def schema_parameter(schema: AnswerSchema) -> dict[str, Any]:
    """The parameter of OpenAI's protocol with the schema of an answer."""
    named = {"name": schema.name, "strict": True, "schema": dict(schema.value)}
    return {SCHEMA: {"type": "json_schema", "json_schema": named}}


def _value(schema: Mapping[str, Any]) -> str:
    """The right-hand side for a JSON Schema of the tasks: objects, arrays, choices, strings, integers."""
    if "enum" in schema:
        return f"({words(map(json.dumps, schema['enum']))})"
    match schema["type"]:
        case "object":
            members = (
                f"{literal(json.dumps(key) + ': ')} {_value(part)}"
                for key, part in schema["properties"].items()
            )
            return f'"{{" {literal(", ").join(f" {member} " for member in members)} "}}"'
        case "array":
            item = _value(schema["items"])
            return f'"[" ({item} (", " {item})*)? "]"'
        case kind:
            return str(kind)
