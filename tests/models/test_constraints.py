"""Constrained answers over the wire: what each kind of server is sent, and how its kind is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest
from support import constraining_servers as servers
from support.answer_grammars import accepts, matcher
from support.chat_server import SOON, Answer, Behaviour, ChatServer, completion, error, first

from pytest_autoeval import Vocabulary, language
from pytest_autoeval.models import (
    AnswerSchema,
    ConfigurationError,
    Message,
    ModelPool,
    ModelSettings,
)
from pytest_autoeval.models.constraints import PROBE_WORD, parameters
from pytest_autoeval.tasks import task

VOCABULARY = Vocabulary(propositions=("p1", "p2"))
PROPOSITIONAL = language("propositional")
GRAMMAR = PROPOSITIONAL.answer_grammar(VOCABULARY)
SERVERS: dict[str, Behaviour] = {
    "llama.cpp": servers.llama_cpp,
    "vllm": servers.vllm,
    "openai": servers.openai,
}
#: Requests until the kind of server is known.
PROBES = {"llama.cpp": 1, "vllm": 2, "openai": 3}


def asked(number: int) -> list[Message]:
    return [Message("user", f"Which formula, the {number}th time?")]


@pytest.mark.parametrize("name", SERVERS)
def test_the_kind_of_server_is_found_once(server: ChatServer, name: str) -> None:
    server.behaviour = SERVERS[name]
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        model = pool.chat("some-model")
        for number in range(5):
            text = model.complete(asked(number), schema=GRAMMAR).text
            assert not PROPOSITIONAL.foreign(PROPOSITIONAL.parse(text), VOCABULARY)
        assert model.complete(asked(0)).text == servers.FREE
        assert pool.refused_schemas() == {}
    assert len(server.requests) == PROBES[name] + 5 + 1


@pytest.mark.parametrize("name", SERVERS)
def test_a_named_kind_is_tried_alone(
    server: ChatServer, name: Literal["llama.cpp", "vllm", "openai"]
) -> None:
    server.behaviour = SERVERS[name]
    with ModelPool(ModelSettings(base_url=server.url, constrained=name)) as pool:
        pool.chat("some-model").complete(asked(1), schema=GRAMMAR)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "behaviour",
    [
        servers.unable,
        lambda _request: Answer(400, error("Extra inputs are not permitted", param="grammar")),
    ],
    ids=["ignores", "refuses"],
)
def test_a_server_that_constrains_nothing_ends_the_run_with_one_line(
    server: ChatServer, behaviour: Behaviour
) -> None:
    server.behaviour = behaviour
    with (
        ModelPool(ModelSettings(base_url=server.url)) as pool,
        pytest.raises(ConfigurationError) as raised,
    ):
        pool.chat("some-model").complete(asked(1), schema=GRAMMAR)
    assert len(str(raised.value).splitlines()) == 1
    assert all(
        word in str(raised.value)
        for word in ("llama.cpp", "vllm", "openai", "--autoeval-constrained")
    )
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "trouble",
    [
        Answer(500, error("internal error"), SOON),
        Answer(503, error("Loading model"), SOON),
        Answer(408, b"", SOON),
        Answer(body=b""),
        Answer(body=b"<html>starting</html>"),
        Answer(body={"error": {"code": 503, "message": "no worker"}}, headers=SOON),
        Answer(body=completion("quix", finish_reason="abort")),
    ],
)
def test_a_failure_at_the_first_question_is_waited_for(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, trouble: Answer
) -> None:
    monkeypatch.setattr("pytest_autoeval.models.upstream._FIRST_WAIT", 0.001)
    server.behaviour = first(trouble, trouble, then=servers.llama_cpp)
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        PROPOSITIONAL.parse(pool.chat("some-model").complete(asked(1), schema=GRAMMAR).text)
    assert len(server.requests) == 4


def test_a_server_whose_error_blames_the_grammar_is_not_asked_twice(server: ChatServer) -> None:
    server.behaviour = lambda request: (
        Answer(500, error("failed to parse grammar"))
        if "grammar" in request.body
        else servers.vllm(request)
    )
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        pool.chat("some-model").complete(asked(1), schema=GRAMMAR)
    assert len(server.requests) == 3


def test_a_wrong_key_is_not_taken_for_a_missing_ability(server: ChatServer) -> None:
    server.behaviour = lambda _request: Answer(401, error("Incorrect API key provided"))
    with (
        ModelPool(ModelSettings(base_url=server.url)) as pool,
        pytest.raises(ConfigurationError, match="key"),
    ):
        pool.chat("some-model").complete(asked(1), schema=GRAMMAR)
    assert len(server.requests) == 1


@pytest.mark.parametrize("constrained", ["llama.cpp", "auto"])
def test_recordings_answer_the_question_about_the_server_too(
    server: ChatServer, constrained: Literal["auto", "llama.cpp"], tmp_path: Path
) -> None:
    server.behaviour = servers.llama_cpp
    recorded = ModelSettings(base_url=server.url, cassettes=tmp_path, record_mode="new_episodes")
    with ModelPool(recorded) as pool:
        text = pool.chat("some-model").complete(asked(1), schema=GRAMMAR).text
    with ModelPool(
        ModelSettings(cassettes=tmp_path, record_mode="none", constrained=constrained)
    ) as pool:
        model = pool.chat("some-model")
        assert model.recorded(asked(1), schema=GRAMMAR)
        assert not model.recorded(asked(2), schema=GRAMMAR)
        assert model.complete(asked(1), schema=GRAMMAR).text == text
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        (
            "entailment_formulas",
            {"reasoning": "so", "answer": "True"},
            {"reasoning": "so", "answer": "perhaps"},
        ),
        (
            "most_similar_formulas",
            {"reasoning": 'a "b"\n', "answer": 12},
            {"reasoning": "so", "answer": "12"},
        ),
        (
            "ranking_english",
            {"reasoning": "é", "answer": [3, 1, 2]},
            {"answer": [3, 1, 2], "reasoning": "é"},
        ),
    ],
)
def test_a_schema_becomes_a_grammar_for_llama_cpp(name: str, good: object, bad: object) -> None:
    schema = task(name).schema
    assert schema is not None
    made = matcher("gbnf", parameters("llama.cpp", schema)["grammar"])
    assert accepts(made, json.dumps(good, ensure_ascii=False))
    assert not accepts(made, json.dumps(bad, ensure_ascii=False))
    assert parameters("vllm", schema)["response_format"]["json_schema"]["strict"] is True


def test_a_constrained_schema_reaches_a_server_without_schemas(server: ChatServer) -> None:
    server.behaviour = servers.llama_cpp
    text = json.dumps(
        {
            "type": "object",
            "properties": {"answer": {"enum": ["yes", "no"]}},
            "required": ["answer"],
        }
    )
    with ModelPool(ModelSettings(base_url=server.url)) as pool:
        reply = pool.chat("some-model").complete(
            asked(1), schema=AnswerSchema("label", text, constrained=True)
        )
    assert json.loads(reply.text)["answer"] in ("yes", "no")


def test_the_word_of_the_probe_is_no_answer_to_its_question() -> None:
    assert not PROBE_WORD.isdigit()
