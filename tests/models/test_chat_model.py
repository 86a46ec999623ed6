"""What is sent to a server, and what becomes of its answers."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import openai
import pytest
from support.chat_server import (
    SOON,
    Answer,
    Behaviour,
    ChatServer,
    always,
    completion,
    echo,
    error,
    first,
    says,
)

from pytest_autoeval.by_name import shipped_folder
from pytest_autoeval.models import (
    CallError,
    ConfigurationError,
    Message,
    ModelPool,
    ModelSettings,
    Price,
    prompt_digest,
)
from pytest_autoeval.models.failures import retry_after
from pytest_autoeval.models.protocols import wire_messages

HELLO = [Message("system", "Be brief."), Message("user", "Hello")]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-test")


def ask(server: ChatServer, *, name: str = "some-model", **settings: Any) -> Any:
    with ModelPool(ModelSettings(base_url=server.url, **settings)) as pool:
        return pool.chat(name).complete(HELLO)


def test_a_conversation_is_sent_with_nothing_but_the_model_s_name(server: ChatServer) -> None:
    ask(server)
    [request] = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-of-this-test"
    assert request.body == {
        "model": "some-model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hello"},
        ],
    }


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"OPENAI_ORG_ID": "org-1", "OPENAI_PROJECT_ID": "proj-1"},
        {"OPENAI_CUSTOM_HEADERS": "X-Team: tests\nUser-Agent: ours"},
    ],
)
def test_the_headers_are_those_of_the_client_of_openai(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    ask(server)
    with openai.OpenAI(base_url=server.url) as client:
        client.chat.completions.create(
            model="some-model", messages=[{"role": "user", "content": "Hello"}]
        )
    ours, theirs = (
        {name: value for name, value in request.headers.items() if says_who(name)}
        for request in server.requests
    )
    assert ours == theirs


def says_who(header: str) -> bool:
    """Not of the connection, nor of the platform that the client runs on."""
    return (
        header not in {"content-length", "accept-encoding", "connection", "host"}
        and "stainless" not in header
    )


def test_the_client_of_openai_is_not_imported_where_nothing_asks_for_it(server: ChatServer) -> None:
    code = (
        "import sys; from pytest_autoeval.models import Message, ModelPool, ModelSettings\n"
        f"with ModelPool(ModelSettings(base_url={server.url!r})) as pool:\n"
        "    pool.chat('some-model').complete([Message('user', 'Hello')])\n"
        "assert not {'openai', 'httpx2', 'hypothesis', 'scipy', 'z3', 'yaml', 'filelock'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_parameters_are_sent_where_they_are_set(server: ChatServer) -> None:
    ask(
        server, temperature=0.5, max_tokens=64, parameters={"top_p": 0.9, "reasoning_effort": "low"}
    )
    sent = server.requests[0].body
    assert (
        sent.items()
        >= {"temperature": 0.5, "max_tokens": 64, "top_p": 0.9, "reasoning_effort": "low"}.items()
    )
    assert "seed" not in sent


def test_a_server_that_refuses_max_tokens_is_sent_its_new_name(server: ChatServer) -> None:
    refusal = Answer(
        400, error("Use 'max_completion_tokens' instead.", "unsupported_parameter", "max_tokens")
    )
    server.behaviour = lambda request: refusal if "max_tokens" in request.body else echo(request)
    with ModelPool(ModelSettings(base_url=server.url, max_tokens=64)) as pool:
        for repeat in range(2):
            assert pool.chat("some-model").complete(HELLO, repeat=repeat).text == "You said: Hello"
    limits = [
        {name: value for name, value in one.body.items() if value == 64} for one in server.requests
    ]
    assert limits == [
        {"max_tokens": 64},
        {"max_completion_tokens": 64},
        {"max_completion_tokens": 64},
    ]


def test_each_repeat_has_a_seed_of_its_own(server: ChatServer) -> None:
    with ModelPool(ModelSettings(base_url=server.url, seed=7)) as pool:
        model = pool.chat("some-model")
        for repeat in range(3):
            model.complete(HELLO, repeat=repeat)
    assert [request.body["seed"] for request in server.requests] == [7, 8, 9]


def test_a_reply_tells_what_it_took(server: ChatServer) -> None:
    reply = ask(server, prices={"some-model": Price(1.0, 20.0)})
    assert (reply.text, reply.finish_reason, reply.refusal) == ("You said: Hello", "stop", "")
    assert (reply.prompt_tokens, reply.completion_tokens) == (100, 10)
    assert reply.cost == pytest.approx(0.0003)
    assert reply.seconds > 0
    assert not reply.replayed
    assert reply.prompt_digest == prompt_digest(HELLO)
    assert reply.messages == wire_messages(HELLO)


def test_hidden_thoughts_are_counted_and_not_read(server: ChatServer) -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "first"}], "text": "second"},
        {"type": "reasoning", "text": "third"},
        {"type": "text", "text": "p"},
    ]
    thoughts = {"reasoning_content": "fourth", "reasoning": "fifth"}
    body = completion("", message={"role": "assistant", "content": parts, **thoughts})
    body["usage"]["completion_tokens_details"] = {"reasoning_tokens": 7}
    server.behaviour = always(Answer(body=body))
    reply = ask(server)
    assert (reply.text, reply.completion_tokens, reply.reasoning_tokens) == ("p", 10, 7)


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 10**45, "completion_tokens": -1}])
def test_a_cost_is_unknown_without_a_price_or_a_count(server: ChatServer, usage: object) -> None:
    assert ask(server).cost is None
    server.behaviour = always(Answer(body={"choices": completion("Hi")["choices"], "usage": usage}))
    reply = ask(server, prices={"some-model": Price(1.0, 20.0)})
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cost) == (None, None, None)


@pytest.mark.parametrize(
    ("message", "text", "refusal"),
    [
        ({"content": "p ∧ q"}, "p ∧ q", ""),
        ({"content": None}, "", ""),
        ({"content": None, "refusal": "No."}, "", "No."),
        ({"content": None, "provider_specific_fields": {"refusal": "No."}}, "", "No."),
        (
            {"content": [{"type": "text", "text": "p "}, {"type": "text", "text": "∧ q"}]},
            "p ∧ q",
            "",
        ),
        ({"content": "lone \ud800 surrogate"}, "lone ? surrogate", ""),
    ],
)
def test_any_shape_of_content_is_read(
    server: ChatServer, message: dict[str, Any], text: str, refusal: str
) -> None:
    server.behaviour = says("", message={"role": "assistant", **message})
    reply = ask(server)
    assert (reply.text, reply.refusal) == (text, refusal)


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        (always(Answer(body=b"<html>Welcome to my server</html>")), r"not JSON.*<html>Welcome"),
        (always(Answer(body=b"[" * 100_000)), "not JSON"),
        (always(Answer(body=completion("") | {"choices": []})), "no choices"),
        (always(Answer(body={"choices": [{"finish_reason": "stop"}]})), "without a message"),
        (
            always(Answer(403, error("our policy forbids this prompt"))),
            "refused this request.*our policy forbids",
        ),
        (always(Answer(404, error("no endpoint"))), "refused this request.*no endpoint"),
        (
            always(Answer(400, error("context too long", param="messages"))),
            "refused this request.*context too long",
        ),
    ],
)
def test_a_call_that_failed_for_good_says_why(
    server: ChatServer, behaviour: Behaviour, problem: str
) -> None:
    server.behaviour = behaviour
    with pytest.raises(CallError, match=problem) as caught:
        ask(server)
    assert str(caught.value).startswith("some-model: ")
    assert len(str(caught.value).splitlines()) == 1


def test_a_server_writes_nothing_on_the_terminal_that_acts_there(server: ChatServer) -> None:
    server.behaviour = always(Answer(500, error("\x1b[2J\x00 p1\u202e\n::error::no"), SOON))
    with pytest.raises(ConfigurationError) as caught:
        ask(server, patience=0.0)
    assert r"(500: \x1b[2J\x00 p1\u202e ::error::no)" in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "trouble",
    [
        Answer(500, error("oops"), SOON),
        Answer(429, error("slow down"), SOON),
        Answer(408, b"", SOON),
        Answer(500, {"error": {"code": {"number": 7}, "type": ["odd"]}}, SOON),
    ],
)
def test_a_passing_trouble_is_retried(server: ChatServer, trouble: Answer) -> None:
    server.behaviour = first(trouble, trouble)
    assert ask(server).text == "You said: Hello"
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("trouble", "problem"),
    [
        (Answer(500, error("oops"), SOON), r"failed \(500: oops\), \d attempts"),
        (
            Answer(429, error("slow down"), SOON),
            r"limits the rate \(429: slow down\), \d attempts.*--autoeval-rpm",
        ),
        (Answer(529, error("overloaded"), {"retry-after": "3600"}), "asks to wait: 3600"),
        (Answer(drop=True), "broke the connection"),
    ],
)
def test_a_server_that_only_fails_stops_the_run_when_the_patience_is_over(
    server: ChatServer, trouble: Answer, problem: str
) -> None:
    server.behaviour = always(trouble)
    with pytest.raises(
        ConfigurationError, match=rf"{problem}.*it has answered nothing for 0.05 s"
    ) as caught:
        ask(server, patience=0.05)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_the_time_that_a_server_asks_to_wait_is_read(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers) == seconds


def test_a_call_that_always_times_out_fails_alone(server: ChatServer) -> None:
    gate = Event()
    server.behaviour = lambda request: Answer(
        body=completion("fine"),
        gate=gate if request.body["messages"][0]["content"] == "stall" else None,
    )
    with ModelPool(ModelSettings(base_url=server.url, timeout=0.1)) as pool:
        model = pool.chat("some-model")
        assert model.complete([Message("user", "first")]).text == "fine"
        with pytest.raises(CallError, match=r"in time \(3 attempts\)"):
            model.complete([Message("user", "stall")])
        assert model.complete([Message("user", "last")]).text == "fine"
    gate.set()


@pytest.mark.parametrize("poisoned", [1, 2])
def test_a_call_that_always_fails_ends_with_no_other_call_left(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, poisoned: int
) -> None:
    monkeypatch.setattr("pytest_autoeval.models.window._FIRST_PAUSE", 0.0001)
    monkeypatch.setattr("pytest_autoeval.models.upstream._LONGEST_WAIT", 0.01)
    server.behaviour = lambda request: (
        Answer(500, error("no"))
        if request.body["messages"][0]["content"].startswith("poison")
        else Answer(body=completion("fine"))
    )
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        model = pool.chat("some-model")
        model.complete([Message("user", "first")])
        with ThreadPoolExecutor(poisoned) as threads:
            calls = [
                threads.submit(model.complete, [Message("user", f"poison {n}")])
                for n in range(poisoned)
            ]
            for call in calls:
                with pytest.raises(CallError, match=r"failed .*20 attempts"):
                    call.result(20)


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        (
            always(Answer(401, error("Incorrect API key provided"))),
            r"refuses the key in OPENAI_API_KEY \(401: Incorrect",
        ),
        (always(Answer(402, error("no credit"))), "asks for payment"),
        (always(Answer(429, error("no quota", "insufficient_quota"), SOON)), "quota is used up"),
        (
            always(Answer(429, {"error": {"message": "none", "type": "insufficient_quota"}}, SOON)),
            "quota is used up",
        ),
        (
            always(
                Answer(
                    400, error("use max_completion_tokens", "unsupported_parameter", "max_tokens")
                )
            ),
            "refuses the parameter 'max_tokens'",
        ),
        (
            always(Answer(400, error("too hot", "invalid_value", "temperature"))),
            "refuses the parameter 'temperature'",
        ),
    ],
)
def test_what_no_call_can_escape_stops_all_calls_at_once(
    server: ChatServer, behaviour: Behaviour, problem: str
) -> None:
    server.behaviour = behaviour
    with ModelPool(ModelSettings(base_url=server.url, temperature=2.0)) as pool:
        for prompt in ("one", "two", "three"):
            with pytest.raises(ConfigurationError, match=problem) as caught:
                pool.chat("some-model").complete([Message("user", prompt)])
            assert len(str(caught.value).splitlines()) == 1
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("refusal", "problem"),
    [
        (
            Answer(403, error("not for you")),
            r"refuses the key in OPENAI_API_KEY \(403: not for you\)",
        ),
        (Answer(404, error("The model does not exist", "model_not_found")), "--autoeval-model"),
        (Answer(404, b"<html>Not found</html>"), "--autoeval-base-url, which usually ends in /v1"),
        (
            Answer(400, error("Authentication Error, Invalid proxy server token")),
            "OPENAI_API_KEY, --autoeval-model",
        ),
    ],
)
def test_a_model_that_refuses_the_first_five_calls_alike_stops_all(
    server: ChatServer, refusal: Answer, problem: str
) -> None:
    server.behaviour = always(refusal)
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        for number in range(7):
            expected, words = (
                (CallError, "refused this request") if number < 4 else (ConfigurationError, problem)
            )
            with pytest.raises(expected, match=words):
                pool.chat("some-model").complete([Message("user", f"{number}")])
    assert len(server.requests) == 5


def test_refusals_are_the_samples_errors_where_they_differ_or_the_model_has_answered(
    server: ChatServer,
) -> None:
    refusals = [
        Answer(400, error(text, code))
        for text, code in (("no", "a"), ("never", "b"))
        for _ in range(4)
    ]
    server.behaviour = first(
        *refusals, then=first(Answer(body=completion("yes")), then=always(refusals[0]))
    )
    with ModelPool(ModelSettings(base_url=server.url, temperature=2.0)) as pool:
        model = pool.chat("some-model")
        for number in range(20):
            if number == 8:
                assert model.complete([Message("user", f"{number}")]).text == "yes"
                continue
            with pytest.raises(CallError, match="refused this request"):
                model.complete([Message("user", f"{number}")])
        server.behaviour = always(Answer(400, error("too hot", "invalid_value", "temperature")))
        with pytest.raises(CallError, match="refused this request"):
            model.complete([Message("user", "one more")])


def test_a_server_that_is_not_there_is_named_at_once() -> None:
    with ChatServer() as gone:
        url = gone.url
    with ModelPool(ModelSettings(base_url=url)) as pool:
        for _ in range(2):
            with pytest.raises(
                ConfigurationError, match=rf"{url} cannot be reached.*--autoeval-base-url"
            ):
                pool.chat("some-model").complete(HELLO)


def test_a_server_that_goes_away_later_is_waited_for() -> None:
    with ChatServer() as server:
        pool = ModelPool(ModelSettings(base_url=server.url, patience=0.05))
        pool.chat("some-model").complete(HELLO)
        server.behaviour = always(Answer(drop=True))
        with (
            pool,
            pytest.raises(
                ConfigurationError, match=r"broke the connection .*, \d attempts; it has answered"
            ),
        ):
            pool.chat("some-model").complete(HELLO, repeat=1)


@pytest.mark.parametrize(
    "url", ["localhost:8000/v1", "not a url", "http://[::1", "http://127.0.0.1:99999/v1"]
)
def test_an_address_that_is_none_is_told(url: str) -> None:
    settings = ModelSettings(base_url=url)
    with ModelPool(settings) as pool, pytest.raises(ConfigurationError, match="cannot be reached"):
        pool.chat("some-model").complete(HELLO)


def test_openai_without_a_key_is_told_before_any_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with (
        ModelPool(ModelSettings()) as pool,
        pytest.raises(ConfigurationError, match="OPENAI_API_KEY is not set"),
    ):
        pool.chat("gpt-5-mini").complete(HELLO)
    own = ModelSettings(own={"pipeline": list})
    with (
        ModelPool(own) as pool,
        pytest.raises(ConfigurationError, match=r"Did you mean 'pipeline'\?"),
    ):
        pool.chat("pipelne").complete(HELLO)
    recorded = ModelSettings(more_cassettes=(shipped_folder("cassettes"),))
    with (
        ModelPool(recorded) as pool,
        pytest.raises(ConfigurationError, match=r"'Qwen2.5-Coder-0.5B-Instruct'\?"),
    ):
        pool.chat("qwen2.5-coder-0.5b-instruct").complete(HELLO)


def test_a_server_of_one_s_own_needs_no_key(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    assert ask(server).text == "You said: Hello"
    server.behaviour = always(Answer(401, error("who are you?")))
    with pytest.raises(
        ConfigurationError, match=r"needs a key \(401: who are you\?\); set OPENAI_API_KEY"
    ):
        ask(server)


@pytest.mark.parametrize("key", ["sk-with…ellipsis", "sk-with\nnewline"])
def test_a_key_that_cannot_be_sent_is_told_without_showing_it(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ConfigurationError, match="cannot be sent in a header") as caught:
        ask(server)
    assert "sk-with" not in str(caught.value)


def test_the_base_url_is_read_from_the_environment(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    with ModelPool(ModelSettings()) as pool:
        assert pool.chat("some-model").complete(HELLO).text == "You said: Hello"


def test_a_closed_pool_asks_no_more(server: ChatServer) -> None:
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        model = pool.chat("some-model")
    with pytest.raises(CallError, match="stopped"):
        model.complete(HELLO)
    assert not server.requests


def test_the_prompt_s_digest_does_not_hang_on_model_or_parameters(server: ChatServer) -> None:
    digests = {
        ask(server, name=name, seed=seed).prompt_digest for name in ("a", "b") for seed in (1, 2)
    }
    assert digests == {prompt_digest(HELLO)}
    assert (
        prompt_digest(HELLO) == "82952d147b7d1a93a97f407e18dbe8a7d2bdebb198575e542554656245f12eb7"
    )
