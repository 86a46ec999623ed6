"""`pytest_autoeval_register` in a `conftest.py`: languages, grammars, prompts and models of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_autoeval.models import AnswerSchema, Message, ModelError, Reply, StructuredOutputsUnsupportedError
from pytest_autoeval.models.journal import Journal
from pytest_autoeval.models.memory import RememberingModel
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.running.run import RegisteredModel

from .conftest import Rows, Run, said

CONFTEST = """
from pathlib import Path
from pytest_autoeval import language

class Shouted(type(language("propositional"))):
    name = "shouted"

class Parrot:
    def complete(self, messages, *, repeat=0):
        return "(p1 → p1)"

def pytest_autoeval_register(registry):
    here = Path(__file__).parent
    registry.add_model("parrot", Parrot)
    registry.add_language(Shouted())
    registry.add_grammar("rules", here / "rules.lark", language="shouted")
    registry.add_prompts(here / "prompts")
"""
GRAMMAR = r"""
// language: propositional
start: "(" PROPOSITION "→" PROPOSITION ")"
PROPOSITION: /[a-z]\w*/
"""
TESTS = """
import pytest

@pytest.mark.autoeval("rules", operators=1, samples=3)
def test_registered(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@pytest.mark.autoeval("beside.lark", operators=1, samples=3)
def test_file_beside_the_test(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@pytest.mark.autoeval("propositional", operators=1, samples=2)
def test_own_task(sample, llm):
    assert llm.ask(f"Repeat: {sample.text}", system="You are a parrot.", stage="repeat").startswith("(p1")
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> None:
    """A repository whose tests, grammars and prompts stand in a folder below, with a `conftest.py` of their own."""
    folder = pytester.mkdir("tests")
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "rules.lark").write_text(GRAMMAR, encoding="utf-8")
    (folder / "beside.lark").write_text(GRAMMAR, encoding="utf-8")
    (folder / "test_own.py").write_text(TESTS, encoding="utf-8")
    for task, slot in (("informalize", "formula"), ("autoformalize", "description")):
        (folder / "prompts" / task).mkdir(parents=True)
        (folder / "prompts" / task / "shouted.toml").write_text(f'user = "SAY ${{{slot}}}"', encoding="utf-8")


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("arguments", [("-n", "0", "tests"), ("-n", "2")])
def test_all_that_was_registered_is_there(run: Run, rows: Rows, arguments: tuple[str, ...]) -> None:
    result = run(*arguments, "--autoeval-model=parrot", "--autoeval-results=out.jsonl", "--autoeval-shrink-budget=9")
    result.assert_outcomes(passed=3)
    found = rows("out.jsonl")
    assert {(row["grammar"], row["language"]) for row in found} == {
        ("rules", "shouted"),
        ("beside", "propositional"),
        ("propositional", "propositional"),
    }
    assert {row["model"] for row in found} == {"parrot"}
    own = [row for row in found if row["suite"].endswith("test_own_task")]
    assert [(row["outcome"], row["calls"][0]["stage"]) for row in own] == [("passed", "repeat")] * 2
    assert all(call["prompt_digest"] and call["messages"] for row in found for call in row["calls"])


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ("add_prompts('nowhere')", "add_prompts: there is no folder"),
        ("add_grammar('x', 'nowhere.lark')", "add_grammar('x'): there is no file"),
    ],
)
def test_a_mistake_in_the_hook_is_a_usage_error(pytester: pytest.Pytester, run: Run, call: str, complaint: str) -> None:
    pytester.makeconftest(f"def pytest_autoeval_register(registry):\n    registry.{call}\n")
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert complaint in said(result)
    assert "Traceback" not in said(result)


HELLO = [Message("user", "Hello")]
SCHEMA = AnswerSchema("choice", '{"type": "object"}')


class Plain:
    """Knows of no schemas."""

    def complete(self, messages: Sequence[Message], *, repeat: int = 0) -> str:
        return f"{messages[-1].content} {repeat}"


class Structured:
    """Says which schema it was given."""

    def complete(self, messages: Sequence[Message], *, repeat: int = 0, schema: AnswerSchema | None = None) -> Reply:
        return Reply(schema.name if schema else "no schema")


class Passing:
    """Takes whatever it is given, and may pass it on to something that does not."""

    def complete(self, messages: Sequence[Message], **more: Any) -> str:
        return " ".join(sorted(more))


def registered(kind: type) -> RememberingModel:
    return RememberingModel(RegisteredModel("own", kind, Journal(None), Redactor([])))


def test_a_model_with_a_parameter_for_it_is_given_the_schema() -> None:
    model = registered(Structured)
    assert model.complete(HELLO, schema=SCHEMA).text == "choice"
    assert model.complete(HELLO).text == "no schema"


@pytest.mark.parametrize(("kind", "text"), [(Plain, "Hello 0"), (Passing, "repeat")])
def test_any_other_is_told_of_no_schema(kind: type, text: str) -> None:
    model = registered(kind)
    with pytest.raises(StructuredOutputsUnsupportedError, match="no parameter 'schema'"):
        model.complete(HELLO, schema=SCHEMA)
    assert model.complete(HELLO).text == text


def test_what_a_model_of_one_s_own_was_asked_is_noted_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-in-a-prompt")
    model = RegisteredModel("own", Passing, Journal(None), Redactor.of_run(None, {}))
    reply = model.complete([Message("user", "my key is sk-planted-in-a-prompt")])
    assert [dict(message) for message in reply.messages] == [{"role": "user", "content": "my key is [REDACTED]"}]


def test_what_a_model_of_one_s_own_says_holds_no_secret() -> None:
    def tell(_messages: object, *, repeat: int) -> str:
        if repeat:
            raise ValueError("no access with sk-planted and abc")
        return "sk-planted and abc"

    made = SimpleNamespace(complete=tell)
    model = RegisteredModel("own", lambda: made, Journal(None), Redactor(["sk-planted", "abc"]))
    assert model.complete(HELLO).text == "[REDACTED] and abc"
    with pytest.raises(ModelError, match=r"no access with \[REDACTED\] and \[REDACTED\] \(test_"):
        model.complete(HELLO, repeat=1)
