"""Proxies are those of the environment; a server on this machine is never asked through one."""

from __future__ import annotations

from base64 import b64encode

import pytest
from support.chat_server import ChatServer

from pytest_autoeval.models import ConfigurationError, Message, ModelPool, ModelSettings

ELSEWHERE = "http://models.invalid/v1"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def ask(url: str) -> str:
    with ModelPool(ModelSettings(base_url=url, patience=0.0)) as pool:
        return pool.chat("m").complete([Message("user", "Hello")]).text


@pytest.mark.parametrize("variable", ["http_proxy", "all_proxy"])
def test_a_server_is_asked_through_a_proxy_with_its_password(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    host = server.url.removeprefix("http://").removesuffix("/v1")
    monkeypatch.setenv(variable, f"http://me%40home:a%2Fb@{host}")
    assert ask(ELSEWHERE) == "You said: Hello"
    [request] = server.requests
    assert request.path == f"{ELSEWHERE}/chat/completions"
    assert request.headers["proxy-authorization"] == "Basic " + b64encode(b"me@home:a/b").decode()
    monkeypatch.setenv(variable, host)
    assert ask(ELSEWHERE) == "You said: Hello"


@pytest.mark.parametrize("named", ["invalid", "models.invalid", "models.invalid:80", "*"])
def test_a_host_that_needs_none_is_asked_itself(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.setenv("no_proxy", named)
    with pytest.raises(ConfigurationError, match=r"models.invalid/v1 cannot be reached"):
        ask(ELSEWHERE)
    assert not server.requests


def test_a_server_on_this_machine_is_asked_itself(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert ask(server.url) == "You said: Hello"


def test_a_proxy_of_another_kind_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "socks5://me:secret@127.0.0.1:9")
    with pytest.raises(
        ConfigurationError, match="socks5:// cannot be used; name one of the kind http://"
    ):
        ask(ELSEWHERE)


def test_no_password_of_the_user_s_own_files_is_sent(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    netrc = tmp_path_factory.mktemp("home") / ".netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-test")
    assert ask(server.url) == "You said: Hello"
    assert server.requests[0].headers["authorization"] == "Bearer sk-of-this-test"
