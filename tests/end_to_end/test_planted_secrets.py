"""Secrets are planted, and every byte that a run writes is searched for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.chat_server import SOON, Answer, ChatServer, Received, always, completion, error
from support.formula_server import asked, sensible
from support.small_project import Ran, SmallProject

KEY = "sk-planted-key-0123456789"
ORGANISATION = "org-planted-organisation"
PASSWORD = "planted-password"
COOKIE = "planted-cookie-value"
SECRETS = (KEY, ORGANISATION, PASSWORD, COOKIE)
LOUD = ("-vv", "--log-cli-level=DEBUG", "--showlocals", "--full-trace", "-rA", "-ojunit_logging=all")


def telltale(request: Received) -> Answer:
    """Answers rightly, sets a cookie, and repeats every header that it got, in a description and in headers."""
    answer = sensible(request)
    heard = json.dumps(request.headers)
    if "Formula" in asked(request).payloads:
        message = answer.body["choices"][0]["message"]
        message["reasoning_content"] = heard
        answer.body["x_request"] = {"headers": request.headers}
    return Answer(body=answer.body, headers={"set-cookie": f"session={COOKIE}; Path=/", "x-heard": heard})


def refuses(status: int, then: str = "") -> Answer:
    """An error that repeats what it got."""
    return Answer(status, error(f"You sent {then}"), {"set-cookie": f"session={COOKIE}; Path=/", **SOON})


@pytest.fixture
def project(tmp_path: Path) -> SmallProject:
    """A project whose run deletes nothing that it wrote."""
    project = SmallProject(tmp_path, "operators=range(1, 3), samples=2, threshold=0.9")
    (tmp_path / "keeper.py").write_text("import shutil\nshutil.rmtree = lambda *_, **__: None\n")
    return project


def run(project: SmallProject, server: ChatServer, *arguments: str) -> Ran:
    """A loud run with key and organisation planted; whatever it prints stands in a file as well."""
    ran = project.run(
        *("-p", "keeper", *LOUD, "--autoeval-model=m", "--autoeval-record-mode=all", *arguments),
        OPENAI_BASE_URL=server.url,
        OPENAI_API_KEY=KEY,
        OPENAI_ORG_ID=ORGANISATION,
    )
    (project.folder / "terminal.txt").write_text(ran.text, encoding="utf-8")
    return ran


def assert_clean(project: SmallProject) -> None:
    """No file below the project's folder holds a secret."""
    written = [path for path in project.folder.rglob("*") if path.is_file()]
    found = [
        f"{secret} in {path.relative_to(project.folder)}"
        for path in written
        for secret in SECRETS
        if secret.encode() in path.read_bytes()
    ]
    assert found == []


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_a_recorded_run_writes_no_secret(project: SmallProject, workers: tuple[str, ...]) -> None:
    with ChatServer(telltale) as server:
        ran = run(project, server, *workers)
        heard = [json.dumps(request.headers) for request in server.requests]
    assert ran.outcomes == {"equivalent": 4}
    assert all(any(secret in text for text in heard) for secret in (KEY, ORGANISATION, COOKIE))
    assert len(project.recordings()) == 8
    assert any("[REDACTED]" in file.read_text(encoding="utf-8") for file in project.recordings())
    assert list((project.folder / "temporary").glob("pytest-autoeval-*")) or not workers
    assert_clean(project)


@pytest.mark.parametrize("status", [401, 500])
def test_a_run_of_errors_writes_no_secret(project: SmallProject, status: int) -> None:
    def repeat(request: Received) -> Answer:
        return refuses(status, f"{request.headers['authorization']} {ORGANISATION} {COOKIE}")

    with ChatServer(repeat) as server:
        ran = run(project, server, "--autoeval-patience=0.5s")
    assert ran.outcomes.keys() == {"error"}
    assert "You sent Bearer [REDACTED] [REDACTED] [REDACTED]" in ran.text
    assert_clean(project)


def test_the_command_that_reproduces_a_failure_shows_no_password(project: SmallProject) -> None:
    with ChatServer(always(Answer(body=completion("p1")))) as server:
        address = server.url.removeprefix("http://")
        ran = project.run("--autoeval-model=m", f"--autoeval-base-url=http://someone:{PASSWORD}@{address}")
    (project.folder / "terminal.txt").write_text(ran.text, encoding="utf-8")
    assert "--autoeval-formula=" in ran.text
    assert_clean(project)
