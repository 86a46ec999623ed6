"""Replaces LiteLLM if it is not installed: the used functions, with the form of its answers and errors."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

from support.chat_server import completion

MODEL = "claude-of-the-table"
#: An answer that never ends.
DRIPS = "drips"


class _Error(Exception):
    status_code = 500

    def __init__(self, message: str, llm_provider: str = "", model: str = "") -> None:
        super().__init__(f"litellm.{type(self).__name__}: {message}")
        self.llm_provider, self.model = llm_provider, model
        self.litellm_response_headers = {"retry-after": "0", "content-encoding": "gzip"}


_STATUSES = {
    "AuthenticationError": 401,
    "NotFoundError": 404,
    "Timeout": 408,
    "BadRequestError": 400,
    "UnsupportedParamsError": 400,
    "ContextWindowExceededError": 400,
    "ContentPolicyViolationError": 400,
    "RateLimitError": 429,
    "APIConnectionError": 500,
    "InternalServerError": 500,
    "ServiceUnavailableError": 503,
}
ERRORS = {
    name: type(name, (_Error,), {"status_code": status}) for name, status in _STATUSES.items()
}


@dataclass
class _Response:
    body: dict[str, Any]

    def model_dump_json(self, *, warnings: bool) -> str:
        assert not warnings
        return json.dumps(self.body)


class FakeLiteLLM(ModuleType):
    """Gives the answers in order: texts, whole bodies, or errors, which it raises. ``asked`` are the arguments it
    received.
    """

    def __init__(self) -> None:
        super().__init__("litellm")
        self.answers: list[str | dict[str, Any] | Exception] = []
        self.asked: list[dict[str, Any]] = []
        self.in_memory_llm_clients_cache = SimpleNamespace(cache_dict={"another loop's": self})
        self.closed = 0
        self.model_cost = {MODEL: {"input_cost_per_token": 3e-6, "output_cost_per_token": 15e-6}}
        vars(self).update(ERRORS)

    async def acompletion(self, **body: Any) -> _Response:
        self.asked.append(body)
        self.in_memory_llm_clients_cache.cache_dict[f"client-{id(asyncio.get_running_loop())}"] = (
            self
        )
        body["messages"].pop()  # as some providers' parts of LiteLLM do with a system prompt
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if answer == DRIPS:
            await asyncio.sleep(60)
        return _Response(completion(answer) if isinstance(answer, str) else answer)

    async def close(self) -> None:
        self.closed += 1

    def get_model_info(self, model: str) -> dict[str, str]:
        if not model.endswith(MODEL):
            raise Exception("This model isn't mapped yet.")  # noqa: TRY002 - as LiteLLM does
        return {"key": MODEL}

    def validate_environment(self, _model: str) -> dict[str, list[str]]:
        return {"missing_keys": ["ANTHROPIC_API_KEY"]}
