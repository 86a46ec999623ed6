"""Replies of status 200 that are no answers: what is tried again, what stops the run, and what is never recorded."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import SOON, Answer, ChatServer, always, completion, error, first

from pytest_autoeval.models import (
    CallError,
    ConfigurationError,
    Message,
    ModelPool,
    ModelSettings,
    RecordingMissError,
)
from pytest_autoeval.models.cassette import write_recording
from pytest_autoeval.models.model_settings import RecordMode
from pytest_autoeval.models.recording import file_of
from pytest_autoeval.models.server_errors import error_in

HELLO = [Message("user", "Hello")]
REQUEST = {"model": "some-model", "messages": [{"role": "user", "content": "Hello"}]}
STREAM = b'data: {"choices": [{"delta": {"content": "p1"}}]}\n\n'


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_autoeval.models.upstream._FIRST_WAIT", 0.001)
    monkeypatch.setattr("pytest_autoeval.models.upstream._LONGEST_WAIT", 0.001)
    monkeypatch.setattr("pytest_autoeval.models.window._FIRST_PAUSE", 0.001)


def ask(server: ChatServer, **settings: Any) -> Any:
    with ModelPool(ModelSettings(base_url=server.url, **settings)) as pool:
        return pool.chat("some-model").complete(HELLO)


def in_body(**members: Any) -> Answer:
    return Answer(body={"error": {"message": "no", **members}}, headers=SOON)


def packed(content: bytes, encoding: str) -> Answer:
    return Answer(body=content, headers={"content-encoding": encoding})


FAULTY = {
    "a choice that ends with an error": Answer(body=completion("p1 or", finish_reason="error")),
    "a choice that was aborted": Answer(body=completion("p1 or", finish_reason="abort")),
    "a choice without resources": Answer(
        body=completion("p1 or", finish_reason="insufficient_system_resource")
    ),
    "a choice with a finish reason in a table": Answer(
        body=completion("p1", finish_reason={"type": "abort"})
    ),
    "a choice with an error": Answer(
        body=completion("p1 or", error={"code": 502, "message": "lost"})
    ),
    "a message with an error": Answer(
        body=completion(None, message={"content": "p1 or", "error": {"code": 502}})
    ),
    "an error in a list": Answer(body={"error": [{"code": 429, "message": "no"}]}),
    "an error in an error": Answer(body={"error": {"error": {"code": 429, "message": "no"}}}),
    "an error as a JSON text": Answer(body={"error": '{"error": {"code": 429, "message": "no"}}'}),
    **{
        f"the finish reason {reason}": Answer(body=completion("p1 or", finish_reason=reason))
        for reason in (
            "network_error",
            "ERROR_LIMIT",
            "USER_CANCEL",
            "interrupted",
            "connection-error",
            "Server shutdown",
            *("load", "overloaded", "preempted", "out_of_memory", "incomplete"),
        )
    },
    "a part of a type that is not known": Answer(
        body=completion(
            None,
            message={
                "content": [{"type": "tool_use", "text": "no"}, {"type": "text", "text": "p1"}]
            },
        )
    ),
    "an error beside a choice": Answer(
        body=completion("p1 or") | {"error": {"code": 502, "message": "lost"}}
    ),
    "429 in the body": in_body(code=429),
    "429 in the body, as text": in_body(code="429"),
    "a rate limit in the body, by its code": in_body(code="rate_limit_exceeded"),
    "503 in the body, as the status": in_body(status=503),
    "an overload in the body, by its type": in_body(type="overloaded_error"),
    "a status of gRPC in the body": in_body(code=8, status="RESOURCE_EXHAUSTED"),
    "500 in the body": in_body(code=500),
    "an error without a code": in_body(),
    "an error that is a text": Answer(body={"error": "upstream is down"}),
    "an error without a table": Answer(
        body={"object": "error", "message": "no", "type": "internal", "code": 503}
    ),
    "an error in a list of choices that is empty": Answer(
        body={"choices": [], "error": {"code": 503}}
    ),
    "an empty body": Answer(body=b""),
    "white space": Answer(body=b"  \n"),
    "204": Answer(204, b""),
    "a cut-off gzip": packed(gzip.compress(json.dumps(completion("p1")).encode())[:-20], "gzip"),
    "a gzip that is none": packed(b"\x00\x01", "gzip"),
    "zstd": packed(b"\x28\xb5\x2f\xfd", "zstd"),
    "br": packed(b"\x0b\x02", "br"),
    "a stream of events": Answer(body=STREAM, headers={"content-type": "text/event-stream"}),
    "a stream that ends in an error": Answer(
        body=STREAM + b'data: {"error": {"code": 429, "message": "no"}}\n\n'
    ),
    "a page of HTML": Answer(body=b"<html>502 Bad Gateway</html>"),
    "JSON that is cut off": Answer(body=b'{"choices": [{"mess'),
    "JSON that is too deep": Answer(body=b"[" * 100_000),
    "null": Answer(body=b"null"),
    "a list": Answer(body=[]),
    "no choices": Answer(body={"choices": []}),
    "choices that are no list": Answer(body={"choices": {"0": 1}}),
    "a choice that is null": Answer(body={"choices": [None]}),
    "a choice without a message": Answer(body={"choices": [{"finish_reason": "stop"}]}),
    "a choice with a delta": Answer(body={"choices": [{"delta": {"content": "p1"}}]}),
    "a choice with a text": Answer(body={"choices": [{"text": "p1"}]}),
    "a content that is a number": Answer(body=completion(None, message={"content": 7})),
    "a content that is true": Answer(body=completion(None, message={"content": True})),
    "421": Answer(421, error("wrong process"), SOON),
    "425": Answer(425, error("too early"), SOON),
    "424": Answer(424, error("Request failed during generation"), SOON),
    "498": Answer(498, error("no capacity"), SOON),
    "499": Answer(499, error("the proxy gave up"), SOON),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_what_is_no_answer_is_asked_again_and_never_recorded(
    server: ChatServer, tmp_path: Path, fault: str
) -> None:
    server.behaviour = first(FAULTY[fault], FAULTY[fault])
    assert ask(server, cassettes=tmp_path, record_mode="once").text == "You said: Hello"
    assert len(server.requests) == 3
    [recording] = tmp_path.rglob("*.yaml")
    assert "You said: Hello" in recording.read_text("utf-8")


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (in_body(code=401), r"refuses the key in OPENAI_API_KEY \(401: no\)"),
        (in_body(code="invalid_api_key"), r"\(401: no\)"),
        (in_body(type="authentication_error"), r"\(401: no\)"),
        (Answer(body={"error": [{"error": {"code": 401, "message": "no"}}]}), r"\(401: no\)"),
        (in_body(code=402), r"asks for payment"),
        (in_body(code=429, type="insufficient_quota"), "quota is used up"),
    ],
)
def test_a_useless_key_in_the_body_stops_the_run(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, answer: Answer, problem: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-test")
    server.behaviour = always(answer)
    with pytest.raises(ConfigurationError, match=problem):
        ask(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Answer(body=b""), "response is empty, 3 attempts"),
        (Answer(body=b"<html>hi</html>"), "is the base URL right.*3 attempts"),
        (Answer(body=STREAM), "stream of events, which was not asked for; switch streaming off"),
        (packed(b"\x0b\x02", "br"), "compressed by br, and only gzip was asked for"),
        (Answer(body={"choices": []}), "no choices, 3 attempts"),
    ],
)
def test_a_server_that_gives_nothing_else_fails_the_call_after_three_attempts(
    server: ChatServer, answer: Answer, problem: str
) -> None:
    server.behaviour = always(answer)
    with pytest.raises(CallError, match=problem) as caught:
        ask(server)
    assert len(str(caught.value).splitlines()) == 1
    assert len(server.requests) == 3


def test_a_server_that_answered_before_is_waited_for_whatever_it_sends(server: ChatServer) -> None:
    page = Answer(body=b"<html>We are back soon</html>")
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        pool.chat("some-model").complete(HELLO)
        server.behaviour = first(*[page] * 10)
        assert pool.chat("some-model").complete(HELLO, repeat=1).text == "You said: Hello"


@pytest.mark.parametrize(
    ("refusal", "requests"),
    [
        (Answer(400, error("not this one")), 2),
        (Answer(403, error("not this one")), 2),
        (Answer(404, error("not this one")), 2),
        (Answer(413, error("not this one")), 1),
        (Answer(400, error("not this one", param="messages")), 1),
        (Answer(400, error("not this one", "context_length_exceeded")), 1),
        (Answer(400, error("not this one", "content_filter")), 1),
        (in_body(code="content_filter"), 1),
    ],
)
def test_a_refusal_amid_answers_is_tried_a_second_time_unless_the_prompt_is_to_blame(
    server: ChatServer, refusal: Answer, requests: int
) -> None:
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        model = pool.chat("some-model")
        model.complete(HELLO)
        server.requests.clear()
        server.behaviour = always(refusal)
        with pytest.raises(CallError, match=r"refused this request \(4\d\d: (?:no|not this one)\)"):
            model.complete(HELLO, repeat=1)
        assert len(server.requests) == requests
        server.behaviour = first(refusal)
        if requests == 2:
            assert model.complete(HELLO, repeat=2).text == "You said: Hello"


ANSWERED = {
    "choices in another order": completion("")
    | {
        "choices": [
            {"index": 1, "message": {"content": "no"}},
            {"index": 0, "message": {"content": "p1"}},
        ]
    },
    "a single choice with another index": completion("p1", index=3),
    "choices without an index": {
        "choices": [{"message": {"content": "p1"}}, {"message": {"content": "no"}}]
    },
    "an index that is a text": completion("p1", index="first"),
    "indices that are texts": {
        "choices": [
            {"index": "1", "message": {"content": "no"}},
            {"index": "0", "message": {"content": "p1"}},
        ]
    },
    "an error of blanks": completion("p1")
    | {"error": {"message": "", "type": "", "param": None, "code": ""}},
    "thoughts of several types": completion(
        None,
        message={
            "content": [
                *(
                    {"type": kind, "text": "no"}
                    for kind in ("reasoning_text", "thought", "reasoning_content", "analysis")
                ),
                {"type": "output_text", "text": "p1"},
            ]
        },
    ),
    "a text in a table": completion(
        None, message={"content": [{"type": "text", "text": {"value": "p1"}}]}
    ),
    "a finish reason with another name of the end": completion("p1", finish_reason="COMPLETE"),
    "an error that is null": completion("p1") | {"error": None},
    "an error that is an empty list": completion("p1") | {"error": []},
    "an error of spaces": completion("p1") | {"error": " "},
    "an error that says success": completion("p1") | {"error": {"code": 0, "message": ""}},
    "an empty error in the choice": completion("p1", error={}),
    "a finish reason of null": completion("p1", finish_reason=None),
    "a finish reason in a table": completion("p1", finish_reason={"type": "stop"}),
    "usage of strange types": completion("p1")
    | {"usage": {"prompt_tokens": "7", "completion_tokens": 1e400}},
    "usage that is a list": completion("p1") | {"usage": [1, 2]},
    "huge usage": completion("p1") | {"usage": {"prompt_tokens": 10**30, "completion_tokens": -1}},
    "members of the protocol as content": completion(
        None, message={"content": {"type": "text", "text": "p1"}}
    ),
    "a thought beside the text": completion(
        None, message={"content": [{"text": "no", "thought": True}, "p1"]}
    ),
    "hidden thoughts": completion(
        None, message={"content": [{"type": "redacted_thinking", "text": "no"}, "p1"]}
    ),
    "an unknown member": completion("p1") | {"x": {"y": [{}] * 50}},
    "an unknown finish reason": completion("p1", finish_reason="stop_sequence"),
}


@pytest.mark.parametrize("name", ANSWERED)
def test_an_odd_reply_with_an_answer_is_an_answer(server: ChatServer, name: str) -> None:
    server.behaviour = always(Answer(body=ANSWERED[name]))
    reply = ask(server)
    assert (reply.text, reply.truncated) == ("p1", False)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reason", "truncated", "withheld"),
    [
        *(
            (reason, True, False)
            for reason in ("length", "MAX_TOKENS", "max_new_tokens", "token_limit_reached")
        ),
        *((reason, True, False) for reason in ("model_context_window_exceeded", "truncated")),
        *(
            (reason, False, True)
            for reason in ("content_filter", "SAFETY", "sensitive", "RECITATION", "ERROR_TOXIC")
        ),
        *((reason, False, True) for reason in ("blocklist", "guardrail_intervened", "refusal")),
        *(
            (reason, False, False)
            for reason in ("stop", "eos_token", "stop_sequence", "tool_calls", "OTHER", "end_turn")
        ),
    ],
)
def test_a_finish_reason_means_what_its_words_say(
    server: ChatServer, reason: str, truncated: bool, withheld: bool
) -> None:
    server.behaviour = always(Answer(body=completion("p1", finish_reason=reason)))
    reply = ask(server)
    assert (reply.truncated, reply.withheld) == (truncated, withheld)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=b"\xef\xbb\xbf" + json.dumps(completion("p1")).encode()),
        Answer(body=b"\n\n  " + json.dumps(completion("p1")).encode()),
        packed(json.dumps(completion("p1")).encode(), "utf-8"),
        packed(gzip.compress(json.dumps(completion("p1")).encode()), "x-gzip"),
        Answer(201, completion("p1")),
        Answer(body=completion("p1"), headers={"content-type": "text/html"}),
    ],
)
def test_odd_headers_and_bytes_around_an_answer_do_no_harm(
    server: ChatServer, answer: Answer
) -> None:
    server.behaviour = always(answer)
    assert ask(server).text == "p1"


def test_a_status_counts_where_its_body_cannot_be_decompressed(server: ChatServer) -> None:
    server.behaviour = always(Answer(401, b"\x0b\x02", {"content-encoding": "br"}))
    with pytest.raises(ConfigurationError, match="401"):
        ask(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        ({"error": {"code": "HTTP_503"}}, 503),
        ({"error": {"code": "model_not_found"}}, 404),
        ({"error": {"type": "permission_error"}}, 403),
        ({"error": {"type": "invalid_request_error"}}, 400),
        ({"error": {"status": "DEADLINE_EXCEEDED"}}, 504),
        ({"error": {"code": 1302, "message": "429 is only in the message"}}, 500),
        ({"error": "rate limited"}, 429),
        ({"error": "the authentication service is down today"}, 500),
        ({"error": {"code": ["odd"]}}, 500),
        ({"status": 503, "detail": "no"}, 503),
        ({"choices": [], "status": 503}, None),
        ({"data": []}, None),
    ],
)
def test_the_status_of_an_error_is_that_of_its_code_and_not_of_its_words(
    payload: object, status: int | None
) -> None:
    found = error_in(payload)
    assert (found and found.status) == status


@pytest.mark.parametrize("reason", ["stop", None, "eos", "COMPLETE", "stop_sequence", "null"])
def test_an_answer_as_long_as_its_limit_is_truncated(
    server: ChatServer, tmp_path: Path, reason: str | None
) -> None:
    # Has 10 tokens.
    server.behaviour = always(Answer(body=completion("p1 or", finish_reason=reason)))
    settings = {"cassettes": tmp_path, "max_tokens": 10}
    assert ask(server, **settings, record_mode="once").truncated
    assert ask(server, **settings, record_mode="none").truncated
    assert not ask(server, max_tokens=11).truncated
    assert ask(server, parameters={"max_completion_tokens": 10}).truncated
    assert not ask(server).truncated


def test_an_answer_as_long_as_the_default_limit_is_truncated_if_the_limit_was_sent(
    server: ChatServer, tmp_path: Path
) -> None:
    server.behaviour = always(Answer(body=completion("p1 or")))
    modes: tuple[RecordMode, ...] = ("once", "none")
    for mode in modes:
        with ModelPool(
            ModelSettings(base_url=server.url, cassettes=tmp_path, record_mode=mode)
        ) as pool:
            assert pool.chat("some-model").complete(HELLO, limit=10).truncated
    with ModelPool(ModelSettings(base_url=server.url, max_tokens="none")) as pool:
        assert not pool.chat("some-model").complete(HELLO, limit=10).truncated


FAILED = {"choices": [{"message": {"content": "p1 or"}, "finish_reason": "error"}]}


def test_a_recorded_failure_is_not_replayed(server: ChatServer, tmp_path: Path) -> None:
    file = tmp_path / "some-model" / file_of(REQUEST, 0)
    write_recording(file, REQUEST, FAILED)
    with pytest.raises(
        RecordingMissError, match=r"holds no answer but a failure of the server .*'error'.*delete"
    ):
        ask(server, cassettes=tmp_path, record_mode="none")
    with ModelPool(ModelSettings(cassettes=tmp_path, record_mode="none")) as pool:
        assert not pool.chat("some-model").recorded(HELLO)
    assert ask(server, cassettes=tmp_path).text == "You said: Hello"
    assert "p1 or" in file.read_text("utf-8")
    assert ask(server, cassettes=tmp_path, record_mode="new_episodes").text == "You said: Hello"
    assert ask(server, cassettes=tmp_path, record_mode="none").text == "You said: Hello"
    assert len(server.requests) == 2
