"""Models that are asked in batches, without a run."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from support.batch_server import BatchServer, Faults
from support.chat_server import SOON, Answer, Received, completion, error

from pytest_autoeval.features.batches import connection as batches
from pytest_autoeval.models import CallError, ConfigurationError, Message, ModelPool, ModelSettings
from pytest_autoeval.models.protocols import Form

ASKED = 6


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {
        "QUIET": 0.2,
        "FIRST_PAUSE": 0.02,
        "LONGEST_PAUSE": 0.05,
        "TICK": 0.02,
    }.items():
        monkeypatch.setattr(batches, name, seconds)


def pool(server: BatchServer, **more: Any) -> ModelPool:
    return ModelPool(ModelSettings(base_url=server.url, batch=math.inf, **more))


def answers(models: ModelPool, *names: str) -> Iterator[str]:
    """The text or the error of each call, all made at once."""

    def asked(place: tuple[str, int]) -> str:
        name, number = place
        try:
            return models.chat(name).complete([Message("user", str(number))]).text
        except CallError as problem:
            return str(problem)

    with ThreadPoolExecutor(ASKED * len(names)) as threads:
        yield from threads.map(asked, [(name, number) for name in names for number in range(ASKED)])


def test_each_model_and_each_kind_of_call_has_a_batch() -> None:
    def behave(request: Received) -> Answer:
        if request.path.endswith("embeddings"):
            return Answer(
                body={
                    "data": [{"index": 0, "embedding": [1.0, 2.0]}],
                    "usage": {"prompt_tokens": 3},
                }
            )
        return Answer(body=completion(f"{request.body['model']} {request.prompt}"))

    form: Form = "english"
    with BatchServer(behave) as server, pool(server) as models, ThreadPoolExecutor(1) as threads:
        embedded = threads.submit(models.embedder("embeddings/e").embed, ["a text"], form)
        texts = list(answers(models, "a", "b"))
        assert texts == [f"{model} {number}" for model in "ab" for number in range(ASKED)]
        assert embedded.result().vectors == ((1.0, 2.0),)
        assert sorted(len(lines) for lines in server.lines.values()) == [1, ASKED, ASKED]


def test_repeats_are_different_requests() -> None:
    with BatchServer() as server, pool(server) as models, ThreadPoolExecutor(2) as threads:
        model, hello = models.chat("m"), [Message("user", "Hello")]
        list(threads.map(lambda repeat: model.complete(hello, repeat=repeat), range(2)))
        [lines] = server.lines.values()
        assert len({line["custom_id"] for line in lines}) == 2


def test_a_line_without_a_readable_answer_is_asked_again() -> None:
    class Careless(BatchServer):
        def _kept(self, content: bytes, filename: str, purpose: str) -> dict[str, Any]:
            if filename == "output_file_id.jsonl" and len(self.lines) == 1:
                first, second, *rest = content.splitlines()
                content = b"\n".join(
                    [b"{" + first, json.dumps({"custom_id": 4711}).encode(), *rest]
                )
                assert second
            return super()._kept(content, filename, purpose)

    with Careless() as server, pool(server, patience=0.3) as models:
        assert list(answers(models, "m")) == [f"You said: {number}" for number in range(ASKED)]
        assert [len(lines) for lines in server.lines.values()] == [ASKED, 2]


@pytest.mark.parametrize(("status", "attempts"), [(500, 5), (429, 5), (400, 1)])
def test_a_call_fails_after_its_attempts(
    monkeypatch: pytest.MonkeyPatch, status: int, attempts: int
) -> None:
    monkeypatch.setattr("pytest_autoeval.models.upstream._MOST_ERRORS", 5)

    def behave(request: Received) -> Answer:
        failed = Answer(status, error("no", "some_code"), SOON)
        return failed if request.prompt == "1" else Answer(body=completion("yes"))

    with BatchServer(behave) as server, pool(server, patience=0.1) as models:
        texts = list(answers(models, "m"))
        assert texts.count("yes") == ASKED - 1
        assert f"({status}: no" in texts[1]
        assert len(server.lines) == attempts


def test_an_upload_that_is_refused_ends_the_run() -> None:
    class Full(BatchServer):
        def _upload(self, body: bytes, headers: dict[str, str]) -> Answer:
            return Answer(413, error(f"too large: {len(body)} {headers['authorization']}"))

    with (
        Full(faults=Faults()) as server,
        pool(server) as models,
        pytest.raises(ConfigurationError, match="too large"),
    ):
        models.chat("m").complete([Message("user", "Hello")])
