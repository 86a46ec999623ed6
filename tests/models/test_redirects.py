"""A server redirects: on its own host at most three times, to another host never."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.chat_server import Answer, ChatServer, Received, echo

from pytest_autoeval.models import ConfigurationError, Message, ModelError, ModelPool, ModelSettings

HELLO = [Message("user", "Hello")]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-test")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Tenant: of-this-test")


def ask(url: str) -> str:
    with ModelPool(ModelSettings(base_url=url, patience=0.0)) as pool:
        return pool.chat("some-model").complete(HELLO).text


def redirect(location: str, status: int = 307) -> Answer:
    return Answer(status, b"", {"location": location, "set-cookie": "session=of-this-test; Path=/"})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nothing_is_sent_to_another_port(server: ChatServer, status: int) -> None:
    with ChatServer() as other:
        server.behaviour = lambda request: redirect(
            other.url.removesuffix("/v1") + request.path, status
        )
        with pytest.raises(ModelError) as caught:
            ask(server.url)
    here, there = (one.url.removesuffix("/v1") for one in (server, other))
    assert str(caught.value) == (
        f"some-model: the server at {here}/v1 redirects to another host, {there}; nothing was sent to it; "
        "if it is the right one, name it with --autoeval-base-url"
    )
    assert (len(server.requests), len(other.requests)) == (1, 0)


@pytest.mark.parametrize(
    "elsewhere",
    [
        lambda url: url.replace("127.0.0.1", "localhost"),
        lambda url: url.replace("http:", "https:"),
        lambda url: url.replace("http://", "ftp://"),
    ],
)
def test_another_name_or_scheme_is_another_host(
    server: ChatServer, elsewhere: Callable[[str], str]
) -> None:
    def behave(request: Received) -> Answer:
        return (
            redirect(elsewhere(server.url) + "/moved")
            if request.path == "/v1/chat/completions"
            else echo(request)
        )

    server.behaviour = behave
    with pytest.raises(ModelError, match="redirects to another host, "):
        ask(server.url)
    assert len(server.requests) == 1


def test_a_run_ends_at_the_first_redirect_to_another_host(server: ChatServer) -> None:
    server.behaviour = lambda _request: redirect("http://other.invalid/")
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        for number in range(5):
            with pytest.raises(
                ModelError if number == 0 else ConfigurationError,
                match=r"another host, http://other",
            ):
                pool.chat("some-model").complete([Message("user", f"{number}")])
    assert len(server.requests) == 1


@pytest.mark.parametrize(("redirects", "answered"), [(3, True), (4, False)])
def test_three_redirects_on_the_same_host_are_followed(
    server: ChatServer, redirects: int, answered: bool
) -> None:
    server.behaviour = lambda request: (
        echo(request)
        if len(server.requests) > redirects
        else redirect(f"/moved/{len(server.requests)}")
    )
    if answered:
        assert ask(server.url) == "You said: Hello"
        assert server.requests[3].path == "/moved/3"
        assert server.requests[3].headers["authorization"] == "Bearer sk-of-this-test"
    else:
        with pytest.raises(ModelError, match="redirects more than 3 times"):
            ask(server.url)
        assert len(server.requests) == 4


def test_path_and_query_of_the_base_url_are_sent_as_they_stand(server: ChatServer) -> None:
    ask(f"{server.url}/a%2Fb/?api-version=1%2F2")
    assert server.requests[0].path == "/v1/a%2Fb/chat/completions?api-version=1%2F2"
