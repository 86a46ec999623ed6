"""Faults of a server with batches, at each step: no answer is paid twice, nothing hangs, and the run ends in one line.

A first run meets the fault until it ends. A second run continues it, without the fault.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import pytest
from support.batch_server import BatchServer, Faults
from support.chat_server import SOON, Answer, Received, echo, error

from pytest_autoeval.models import Message, ModelPool, ModelSettings
from pytest_autoeval.models.journal import Journal
from pytest_autoeval.models.protocols import ModelError

pytestmark = pytest.mark.usefixtures("hasty_batches")

ASKED = 4
Step = Literal["upload", "make", "list", "look", "content"]
#: What a server can say instead of its answer.
REPLIES: dict[str, Answer] = {
    "500": Answer(500, error("The server had an error"), SOON),
    "502 in HTML": Answer(502, b"<html>Bad gateway</html>", SOON),
    "429": Answer(429, error("Rate limit reached"), SOON),
    "401": Answer(401, error("Your key has expired", "invalid_api_key")),
    "403": Answer(403, error("Not allowed")),
    "404": Answer(404, error("No such thing")),
    "HTML": Answer(200, b"<html>Please log in</html>"),
    "empty": Answer(200, b""),
    "a list": Answer(200, b"[1, 2]"),
    "null": Answer(200, b"null"),
    "an object": Answer(200, b"{}"),
    "deep": Answer(200, b"[" * 100_000),
}


class Faulty(BatchServer):
    """A server that gives another reply at one step, or changes the state and the files of its batches."""

    def __init__(
        self, step: Step | None = None, reply: Answer | None = None, *, acts: bool = True
    ) -> None:
        super().__init__(echo)
        self.step, self.reply, self.acts = step, reply, acts
        #: How many faulty replies are left.
        self.left = 10**9
        self.change_state: Callable[[dict[str, Any]], Any] = lambda state: state
        self.change_file: Callable[[bytes], bytes] = lambda content: content

    def mend(self) -> None:
        self.left = 0

    def respond(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
        step = step_of(method, path)
        is_faulty = (
            self.left > 0 and step == self.step and not (step == "list" and not self.batches)
        )
        if not is_faulty:
            answer = super().respond(method, path, body, headers)
            return self._changed(step, answer) if self.left > 0 else answer
        self.left -= 1
        if self.acts:
            super().respond(method, path, body, headers)
        assert self.reply is not None
        return self.reply

    def _changed(self, step: Step, answer: Answer) -> Answer:
        if (
            step == "look"
            and isinstance(answer.body, dict)
            and answer.body.get("status") == "completed"
        ):
            return Answer(body=self.change_state(dict(answer.body)))
        if step == "content" and isinstance(answer.body, bytes):
            return Answer(body=self.change_file(answer.body), headers=answer.headers)
        return answer


def step_of(method: str, path: str) -> Step:
    if method == "POST":
        return "upload" if path.endswith("files") else "make"
    if path.endswith("content"):
        return "content"
    return "look" if "/batches/" in path else "list"


def run(
    server: BatchServer, folder: Path, *earlier: Path, patience: float = 0.1, **more: Any
) -> list[str]:
    """The texts or errors of some calls in a run that continues earlier ones."""
    folder.mkdir()
    settings = ModelSettings(base_url=server.url, batch=math.inf, patience=patience, **more)

    def ask(number: int) -> str:
        try:
            return models.chat("m").complete([Message("user", f"p{number}")]).text
        except ModelError as problem:
            return f"{type(problem).__name__}: {problem}"

    with (
        ModelPool(settings, journal=Journal(folder, earlier)) as models,
        ThreadPoolExecutor(ASKED) as threads,
    ):
        return list(threads.map(ask, range(ASKED)))


WHOLE = [f"You said: p{number}" for number in range(ASKED)]


def check(server: Faulty, folder: Path) -> list[str]:
    """Runs with the fault, and then without it; returns what the first run got."""
    first = run(server, folder / "first")
    server.mend()
    assert run(server, folder / "second", folder / "first", patience=5.0) == WHOLE
    assert not server.twice
    for text in first:
        assert "\n" not in text
        assert text in WHOLE or text.startswith("ConfigurationError: m: ")
    return first


@pytest.mark.parametrize("name", REPLIES)
@pytest.mark.parametrize("step", ["upload", "make", "list", "look", "content"])
def test_a_reply_that_is_wrong_until_the_run_ends(step: Step, name: str, tmp_path: Path) -> None:
    with Faulty(step, REPLIES[name]) as server:
        first = check(server, tmp_path)
        if step in {"look", "content"}:
            assert not set(first) & set(WHOLE)


@pytest.mark.parametrize("name", [name for name in REPLIES if name != "401"])
@pytest.mark.parametrize("step", ["look", "content"])
def test_a_reply_that_is_wrong_for_a_while(step: Step, name: str, tmp_path: Path) -> None:
    with Faulty(step, REPLIES[name]) as server:
        server.left = 3
        assert run(server, tmp_path / "run", patience=5.0) == WHOLE
        assert len(server.batches) == 1


@pytest.mark.parametrize("acts", [True, False])
@pytest.mark.parametrize("name", ["500", "502 in HTML", "HTML", "empty", "a list", "an object"])
def test_a_batch_whose_making_seemed_to_fail_is_made_once(
    name: str, acts: bool, tmp_path: Path
) -> None:
    with Faulty("make", REPLIES[name], acts=acts) as server:
        server.left = 1
        assert run(server, tmp_path / "run", patience=5.0) == WHOLE
        assert len(server.batches) == 1


def test_a_batch_is_found_by_its_file_at_a_server_that_returns_no_token(tmp_path: Path) -> None:
    with Faulty("make", REPLIES["500"]) as server:
        server.left = 1
        listed = server._list
        server._list = lambda query: Answer(  # type: ignore[method-assign]
            body={
                **(page := listed(query).body),
                "data": [{**each, "metadata": None} for each in page["data"]],
            }
        )
        assert run(server, tmp_path / "run", patience=5.0) == WHOLE
        assert len(server.batches) == 1


NO_COUNTS: dict[str, Any] = {"output_file_id": None, "request_counts": None}
STATES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no output file is named": lambda state: state | {"output_file_id": None},
    "the name of the file is empty": lambda state: state | {"output_file_id": ""},
    "the name of the file is a number": lambda state: state | {"output_file_id": 7},
    "no file and no counts": lambda state: state | {"output_file_id": None, "request_counts": None},
    "no file and counts of zero": lambda state: (
        state | {"output_file_id": None, "request_counts": {"completed": 0}}
    ),
    "counts are a list": lambda state: state | {"output_file_id": None, "request_counts": [4]},
    "an unknown status": lambda state: state | {"status": "paused"},
    "no status": lambda state: state | {"status": None},
    "another batch": lambda state: state | {"id": "batch_99"},
    "expired, and no file": lambda state: state | {"status": "expired", "output_file_id": None},
    "expired, no file and no counts": lambda state: state | NO_COUNTS | {"status": "expired"},
    "cancelled, no file and no counts": lambda state: state | NO_COUNTS | {"status": "cancelled"},
    "failed, no file, and counts": lambda state: (
        state | {"status": "failed", "output_file_id": None}
    ),
    "a status in a list": lambda state: state | {"status": ["completed"]},
}


@pytest.mark.parametrize("name", STATES)
def test_a_state_that_does_not_show_the_answers(name: str, tmp_path: Path) -> None:
    with Faulty() as server:
        server.change_state = STATES[name]
        assert not set(check(server, tmp_path)) & set(WHOLE)


FILES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "blank lines": lambda content: b"\n\n\n",
    "HTML": lambda content: b"<!doctype html>\n<html>",
    "an error": lambda content: b'{"error": {"message": "later"}}',
    "cut in a line": lambda content: content[: len(content) // 2 + 9],
    "cut in the last line": lambda content: content[:-10],
    "not UTF-8": lambda content: b"\xff\xfe" * 100,
    "NULs": lambda content: bytes(len(content)),
    "the answers of others": lambda content: content.replace(b'"custom_id": "', b'"custom_id": "x'),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_the_answers_that_the_server_counts(name: str, tmp_path: Path) -> None:
    with Faulty() as server:
        server.change_file = FILES[name]
        assert not set(check(server, tmp_path)) & set(WHOLE)


LINES: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "missing": lambda lines: lines[1:],
    "damaged": lambda lines: [b"{" + lines[0], *lines[1:]],
    "of another request": lambda lines: [
        lines[0].replace(b'"custom_id": "', b'"custom_id": "x'),
        *lines[1:],
    ],
    "without a response": lambda lines: [
        json.dumps({**json.loads(lines[0]), "response": None}).encode(),
        *lines[1:],
    ],
}


@pytest.mark.parametrize("name", LINES)
def test_a_line_that_a_whole_file_lacks_at_every_look_is_asked_again_alone(
    name: str, tmp_path: Path
) -> None:
    with Faulty() as server:

        def change(content: bytes) -> bytes:
            lines = content.splitlines()
            return b"\n".join(LINES[name](lines) if len(lines) == ASKED else lines)

        server.change_file = change
        assert run(server, tmp_path / "run", patience=0.3) == WHOLE
        assert sorted(map(len, server.lines.values())) == [1, ASKED]


def test_lines_that_come_later_are_not_asked_again(tmp_path: Path) -> None:
    looks: list[bytes] = []

    def change(content: bytes) -> bytes:
        looks.append(content)
        return b"\n".join(content.splitlines()[: len(looks) // 3]) + b"\n"

    with Faulty() as server:
        server.change_file = change
        assert run(server, tmp_path / "run", patience=5.0) == WHOLE
        assert len(server.batches) == 1


@pytest.mark.parametrize(
    "more",
    [
        pytest.param(lambda lines: [*lines, *lines], id="doubled"),
        pytest.param(
            lambda lines: [*lines, b'{"custom_id": "foreign", "response": null}'],
            id="and foreign ones",
        ),
        pytest.param(
            lambda lines: [line for each in lines for line in (b"", each)], id="and blank ones"
        ),
        pytest.param(lambda lines: [b'{"custom_id": 3}', b"[]", b"7", *lines], id="and odd ones"),
    ],
)
def test_further_lines_change_nothing(
    more: Callable[[list[bytes]], list[bytes]], tmp_path: Path
) -> None:
    with Faulty() as server:
        server.change_file = lambda content: b"\n".join(more(content.splitlines()))
        assert run(server, tmp_path / "run", patience=5.0) == WHOLE
        assert len(server.batches) == 1


def changed_line(
    change: Callable[[dict[str, Any]], list[dict[str, Any]]],
) -> Callable[[bytes], bytes]:
    """A change of a file: its first line becomes other ones."""

    def changed(content: bytes) -> bytes:
        first, *rest = content.splitlines()
        return b"\n".join(
            [*(json.dumps(line).encode() for line in change(json.loads(first))), *rest]
        )

    return changed


def response(**members: Any) -> Callable[[dict[str, Any]], list[dict[str, Any]]]:
    return lambda line: [line | {"response": line["response"] | members}]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(response(status_code="200"), id="the status is a text"),
        pytest.param(response(status_code="OK"), id="the status is in words"),
        pytest.param(response(status_code=None), id="the status is missing"),
        pytest.param(response(status_code=0), id="the status is none of HTTP"),
        pytest.param(
            lambda line: response(body=json.dumps(line["response"]["body"]))(line),
            id="the body is a text",
        ),
        pytest.param(
            lambda line: [line | {"response": line["response"]["body"]}],
            id="the body is the response",
        ),
        pytest.param(lambda line: [*response(status_code=500)(line), line], id="after a failure"),
        pytest.param(
            lambda line: [line | {"response": None, "error": {"code": "x"}}, line],
            id="after an error",
        ),
        pytest.param(lambda line: [line, *response(status_code=500)(line)], id="before a failure"),
    ],
)
def test_an_answer_in_a_line_of_another_form_is_not_asked_again(
    change: Callable[[dict[str, Any]], list[dict[str, Any]]], tmp_path: Path
) -> None:
    with Faulty() as server:
        server.change_file = changed_line(change)
        assert run(server, tmp_path / "run", patience=5.0) == WHOLE
        assert len(server.batches) == 1


@pytest.mark.parametrize("error_of_line", ["lost", {"message": "lost"}, {"code": None}])
def test_a_line_with_an_error_of_any_form_is_asked_again_at_once(
    error_of_line: object, tmp_path: Path
) -> None:
    with Faulty() as server:
        change = changed_line(lambda line: [line | {"response": None, "error": error_of_line}])
        server.change_file = lambda content: (
            change(content) if len(server.batches) == 1 else content
        )
        server.change_state = lambda state: (
            state | {"request_counts": {"completed": 3, "failed": 1}}
        )
        assert run(server, tmp_path / "run", patience=5.0) == WHOLE
        # A busy machine makes two batches of the first.
        assert sum(map(len, server.lines.values())) == ASKED + 1


def test_of_two_answers_to_one_request_none_is_taken(tmp_path: Path) -> None:
    with Faulty() as server:

        def mixed(content: bytes) -> bytes:
            lines = [json.loads(line) for line in content.splitlines()]
            lines.append(lines[0] | {"response": lines[1]["response"]})
            return b"\n".join(json.dumps(line).encode() for line in lines)

        server.change_file = mixed
        texts = run(server, tmp_path / "run", patience=5.0)
        [problem] = set(texts) - set(WHOLE)
        assert problem.startswith("CallError: m: ")
        assert "several answers to this request, which differ" in problem
        assert [text for text in texts if text != problem] == [
            text for text in WHOLE if text in texts
        ]


def test_counts_that_lag_behind_the_status_are_not_believed(tmp_path: Path) -> None:
    looks: list[bytes] = []

    def change(content: bytes) -> bytes:
        looks.append(content)
        return b"\n".join(content.splitlines()[: 2 if len(looks) < 4 else ASKED]) + b"\n"

    with Faulty() as server:
        server.change_file = change
        server.change_state = lambda state: (
            state | {"request_counts": {"total": 4, "completed": 2, "failed": 0}}
        )
        assert run(server, tmp_path / "run", patience=5.0) == WHOLE
        assert len(server.batches) == 1


def test_a_batch_that_failed_midway_gives_the_answers_that_it_has(tmp_path: Path) -> None:
    def halved(content: bytes) -> bytes:
        return b"\n".join(content.splitlines()[:2]) + b"\n"

    with Faulty() as server:
        server.change_file = halved
        server.change_state = lambda state: (
            state
            | {"status": "failed", "request_counts": {"total": 4, "completed": 2, "failed": 2}}
        )
        first = run(server, tmp_path / "first")
        assert len(set(first) & set(WHOLE)) == 2
        assert any(
            "batch_1 failed; --autoeval-resume asks for the rest again" in text for text in first
        )
        server.mend()
        assert run(server, tmp_path / "second", tmp_path / "first", patience=5.0) == WHOLE
        assert sorted(map(len, server.lines.values())) == [2, ASKED]


@pytest.mark.parametrize("file", ["a/b", "a?b=c", "a b#1", "ä", "../files"])
def test_the_name_of_a_file_may_have_any_characters(file: str, tmp_path: Path) -> None:
    with Faulty() as server:

        def renamed(state: dict[str, Any]) -> dict[str, Any]:
            server.files[quote(file, safe="")] = server.files[state["output_file_id"]]
            return state | {"output_file_id": file}

        server.change_state = renamed
        assert run(server, tmp_path / "run") == WHOLE


def test_a_batch_is_made_once_its_file_is_there(tmp_path: Path) -> None:
    with Faulty("make", Answer(404, error("No such file: file-1"), SOON), acts=False) as server:
        server.left = 2
        assert run(server, tmp_path / "run", patience=5.0) == WHOLE
    with Faulty("make", Answer(404, error("No such file: file-1"), SOON), acts=False) as server:
        assert all("No such file: file-1" in text for text in run(server, tmp_path / "other"))


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_a_line_that_failed_is_asked_again_by_the_next_run_and_no_other(
    status: int, tmp_path: Path
) -> None:
    failing = [True]

    def behave(request: Received) -> Answer:
        if failing[0] and request.prompt == "p1":
            return Answer(status, error("no", "some_code"), SOON)
        return echo(request)

    with BatchServer(behave) as server:
        first = run(server, tmp_path / "first")
        assert first[1] not in WHOLE
        failing[0] = False
        assert run(server, tmp_path / "second", tmp_path / "first", patience=5.0) == WHOLE
        again = {line["body"]["messages"][0]["content"] for line in list(server.lines.values())[-1]}
        assert again == {"p1"}
        assert len(server.settled) == ASKED


@pytest.mark.parametrize("end", ["expired", "cancelled", "refused"])
def test_what_a_batch_did_not_carry_out_is_asked_again_and_the_rest_is_not(
    end: str, tmp_path: Path
) -> None:
    faults = Faults()
    setattr(faults, end, frozenset({1}))
    faults.ready.set()
    with BatchServer(echo, faults) as server:
        run(server, tmp_path / "first")
        assert run(server, tmp_path / "second", tmp_path / "first", patience=5.0) == WHOLE
        assert not server.twice


def test_a_limit_in_the_middle_pays_nothing_twice(tmp_path: Path) -> None:
    with BatchServer(echo) as server:
        run(server, tmp_path / "first", max_calls=2)
        assert len(server.settled) == 2
        assert run(server, tmp_path / "second", tmp_path / "first", patience=5.0) == WHOLE
        assert not server.twice


def test_a_run_that_failed_twice_in_different_ways_is_continued_by_a_third(tmp_path: Path) -> None:
    with Faulty("look", REPLIES["404"]) as server:
        run(server, tmp_path / "first")
        server.step, server.reply = "content", REPLIES["401"]
        run(server, tmp_path / "second", tmp_path / "first")
        server.mend()
        places = tmp_path / "first", tmp_path / "second"
        assert run(server, tmp_path / "third", *places, patience=5.0) == WHOLE
        assert not server.twice
        assert len(server.batches) == 1
