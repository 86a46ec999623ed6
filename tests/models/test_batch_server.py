"""The tests' own server of files and batches, asked by the client of `openai`."""

from __future__ import annotations

import json

import openai
import pytest
from support.batch_server import BatchServer, Faults
from support.chat_server import Answer, Received, completion, error

LINES = 4


def answered(request: Received) -> Answer:
    """Refuses the third prompt."""
    refused = Answer(400, error("no", "content_policy"))
    return (
        refused if request.prompt == "2" else Answer(body=completion(f"You said {request.prompt}"))
    )


def file_of(model: str = "m") -> bytes:
    bodies = [
        {"model": model, "messages": [{"role": "user", "content": str(number)}]}
        for number in range(LINES)
    ]
    about = {"method": "POST", "url": "/v1/chat/completions"}
    lines = [
        json.dumps({"custom_id": f"id-{number}", **about, "body": body})
        for number, body in enumerate(bodies)
    ]
    return "\n".join(lines).encode()


def made(client: openai.OpenAI, content: bytes) -> openai.types.Batch:
    file = client.files.create(file=("requests.jsonl", content), purpose="batch")
    return client.batches.create(
        input_file_id=file.id,
        endpoint="/v1/chat/completions",
        completion_window="24h",
        metadata={"our": "token"},
    )


def test_a_batch_has_its_answers_in_two_files() -> None:
    with (
        BatchServer(answered) as server,
        openai.OpenAI(base_url=server.url, api_key="k", max_retries=0) as client,
    ):
        batch = made(client, file_of())
        assert (batch.status, batch.metadata) == ("validating", {"our": "token"})
        assert [each.id for each in client.batches.list(limit=1)] == [batch.id]
        done = client.batches.retrieve(batch.id)
        assert done.status == "completed"
        assert done.request_counts is not None
        assert (
            done.request_counts.total,
            done.request_counts.completed,
            done.request_counts.failed,
        ) == (4, 3, 1)
        assert done.output_file_id
        assert done.error_file_id
        good = [
            json.loads(line) for line in client.files.content(done.output_file_id).text.splitlines()
        ]
        assert {line["custom_id"] for line in good} == {"id-0", "id-1", "id-3"}
        assert good[0]["response"]["body"]["choices"][0]["message"]["content"].startswith(
            "You said"
        )
        [bad] = [
            json.loads(line) for line in client.files.content(done.error_file_id).text.splitlines()
        ]
        assert (bad["custom_id"], bad["response"]["status_code"]) == ("id-2", 400)


def test_the_server_has_the_faults_that_it_was_given() -> None:
    faults = Faults(expired=frozenset({1}), refused=frozenset({2}), limited=1, unmade=1, broken=2)
    with (
        BatchServer(answered, faults) as server,
        openai.OpenAI(base_url=server.url, api_key="k") as patient,
    ):
        client = patient.with_options(max_retries=0)
        with pytest.raises(openai.RateLimitError):
            made(client, file_of())
        with pytest.raises(openai.InternalServerError):
            made(client, file_of())
        [batch] = client.batches.list()
        # Until it is told to be ready.
        assert patient.batches.retrieve(batch.id).status == "in_progress"
        faults.ready.set()
        done = patient.batches.retrieve(batch.id)
        assert done.status == "expired"
        assert done.error_file_id
        lost = [
            json.loads(line) for line in client.files.content(done.error_file_id).text.splitlines()
        ]
        assert [line["error"]["code"] for line in lost if line["error"]] == ["batch_expired"] * 2
        refused = made(client, file_of())
        assert refused.status == "failed"
        assert refused.errors is not None
        assert refused.errors.data
        assert refused.errors.data[0].message == "Enqueued token limit reached"


def test_lines_of_two_models_are_refused() -> None:
    with BatchServer(answered) as server, openai.OpenAI(base_url=server.url, api_key="k") as client:
        assert made(client, file_of().replace(b'"m"', b'"n"', 1)).status == "failed"
