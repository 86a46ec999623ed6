"""The longest answer: the default limit of each prompt, `--autoeval-max-tokens`, and what a cut-off answer says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.chat_server import Answer, ChatServer, completion

from .conftest import Rows, Run, Suite, said

JUDGE = """
import pytest

@pytest.mark.autoeval("judge_propositional", task="judge", operators=[1], samples=2)
def test_judge(sample, perform):
    perform(sample)
"""


@pytest.fixture
def rambling() -> Iterator[ChatServer]:
    """A server whose model fills whatever limit there is."""
    body = completion("First,", finish_reason="length")
    with ChatServer(
        lambda request: Answer(
            body=body | {"usage": {"completion_tokens": request.body.get("max_tokens", 4096)}}
        )
    ) as server:
        yield server


@pytest.mark.parametrize(
    ("arguments", "sent", "message"),
    [
        ((), 2048, "cut off at the default limit of 2,048 tokens; --autoeval-max-tokens raises it"),
        (("--autoeval-interface=direct",), 256, "cut off at the default limit of 256 tokens"),
        (("--autoeval-max-tokens=99",), 99, "judge: the answer was cut off at the token limit"),
        (("--autoeval-max-tokens=none",), None, "judge: the answer was cut off at the token limit"),
    ],
)
def test_an_answer_that_is_cut_off_says_at_which_limit(
    rambling: ChatServer,
    suite: Suite,
    run: Run,
    arguments: tuple[str, ...],
    sent: int | None,
    message: str,
) -> None:
    suite(JUDGE)
    shown = " ".join(
        said(run("--autoeval-model=m", f"--autoeval-base-url={rambling.url}", *arguments)).split()
    )
    assert {request.body.get("max_tokens") for request in rambling.requests} == {sent}
    assert message in shown


@pytest.mark.parametrize(
    ("arguments", "limit"),
    [
        (("--autoeval-base-url=http://127.0.0.1:1/v1",), "2,048"),
        (("--autoeval-base-url=http://127.0.0.1:1/v1", "--autoeval-max-tokens=none"), "—"),
        (("--autoeval-max-tokens=99",), "99"),
        ((), "—"),
    ],
)
def test_the_plan_shows_the_limit_of_each_suite(
    suite: Suite, run: Run, arguments: tuple[str, ...], limit: str
) -> None:
    suite(JUDGE)
    result = run("--autoeval-plan", "--autoeval-model=m", *arguments)
    (line,) = (line for line in result.outlines if line.endswith("test_judge[m]"))
    assert line.split()[6] == limit


def test_a_prompt_of_ones_own_has_the_limit_that_it_names(
    rambling: ChatServer, pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    suite(JUDGE)
    folder = pytester.mkdir("prompts") / "judge"
    folder.mkdir()
    (folder / "propositional.reasoning.toml").write_text(
        "user = '${formula} or ${other}?'\nmax_tokens = 7\n", "utf-8"
    )
    asked = (
        "--autoeval-model=m",
        f"--autoeval-base-url={rambling.url}",
        "--autoeval-prompts=prompts",
    )
    run(*asked, "--autoeval-results=out.jsonl")
    assert {request.body["max_tokens"] for request in rambling.requests} == {7}
    assert {row["outcome"] for row in rows("out.jsonl")} == {"truncated"}
