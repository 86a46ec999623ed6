"""Secrets are planted, and every byte that a run writes is searched for them."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from support.chat_server import SOON, Answer, ChatServer, Received, always, completion, error
from support.formula_server import asked, sensible
from support.small_project import Ran, SmallProject

KEY = "sk-planted?/>key+0123456789"
ORGANISATION = "org-planted-organisation"
HEADER = 'custom "planted" header'
USER, PASSWORD = "us3r", "pl/nted p@ssword"
QUERY = "planted-query/value"
#: In tables of parameters, by the side of a secret that is short.
PARAMETER, NESTED, SHORT = "planted-parameter", "planted\\nested", "sh0rt"
COOKIE = "planted-cookie-value"
SECRETS = (
    KEY,
    ORGANISATION,
    HEADER,
    PASSWORD,
    f"{USER}:{PASSWORD}",
    QUERY,
    PARAMETER,
    NESTED,
    SHORT,
    COOKIE,
)
PARAMETERS = {
    "api_key": PARAMETER,
    "extra_headers": {"X-Any": NESTED},
    "more": [{"deep": {"password": SHORT}}],
}
#: Short ones, such as words may be: these may not be hidden everywhere.
WEAK = ("qzxvkj", "vqzxwk", "zkqxvw", "xvqkzj")
LOUD = (
    "-vv",
    "--log-cli-level=DEBUG",
    "--showlocals",
    "--full-trace",
    "-rA",
    "-ojunit_logging=all",
    "--debug",
)


def in_text(secret: str) -> set[str]:
    """The secret as it is, in a URL, and in texts of JSON and Python."""
    urls = (quote(secret), quote(secret, safe=""), quote_plus(secret))
    return {secret, *urls, json.dumps(secret)[1:-1], repr(secret)[1:-1]}


def in_base64(secret: str, around: int = 0) -> set[str]:
    """The secret in Base64, amid so many other bytes on both sides."""
    content = b" " * around + secret.encode() + b" " * around
    return {b64encode(content).decode(), urlsafe_b64encode(content).decode()}


def traces(secret: str) -> set[str]:
    """What any form leaves that is not hidden; amid other bytes the ends of Base64 are other ones."""
    amid = {form[4:-4] for around in (1, 2, 3) for form in in_base64(secret, around)}
    return in_text(secret) | in_base64(secret) | {form for form in amid if len(secret) >= 12}


GOSSIP = " ".join(
    form
    for secret in SECRETS
    for form in in_text(secret).union(*(in_base64(secret, around) for around in range(4)))
)


def telltale(request: Received) -> Answer:
    """Answers rightly, sets a cookie, and repeats all that it knows, in a description and in headers."""
    answer = sensible(request)
    heard = f"{json.dumps(request.headers)} {request.path} {json.dumps(request.body)} {GOSSIP}"
    if "Formula" in asked(request).payloads:
        answer.body["choices"][0]["message"]["reasoning_content"] = heard
        answer.body["x_request"] = {
            "headers": request.headers,
            "weak": " ".join(WEAK),
            heard: heard,
        }
    told = quote(heard, safe=" %")
    return Answer(
        body=answer.body, headers={"set-cookie": f"session={COOKIE}; Path=/", "x-heard": told}
    )


def refuses(status: int, then: str = "") -> Answer:
    """An error that repeats what it got."""
    return Answer(
        status, error(f"You sent {then}"), {"set-cookie": f"session={COOKIE}; Path=/", **SOON}
    )


#: Bodies that show what they should not.
TELLING = """
import logging, os, warnings
import pytest

def tell():
    key = os.environ["OPENAI_API_KEY"]
    print(key)
    logging.getLogger("mine").warning(key)
    warnings.warn(key)
    raise ValueError(f"no access with {key}")

@pytest.mark.autoeval("propositional", operators=range(1, 2), samples=1)
def test_suite(sample, llm):
    tell()

def test_plain(llm):
    tell()
"""


@pytest.fixture
def project(tmp_path: Path) -> SmallProject:
    """A project whose run deletes nothing that it wrote."""
    project = SmallProject(tmp_path, "operators=range(1, 3), samples=2, threshold=0.9")
    (tmp_path / "keeper.py").write_text("import shutil\nshutil.rmtree = lambda *_, **__: None\n")
    return project


def run(
    project: SmallProject,
    server: ChatServer,
    *arguments: str,
    key: str = KEY,
    user: str = f"{USER}:{quote(PASSWORD, safe='')}@",
    query: str = quote(QUERY, safe=""),
    **parameters: object,
) -> Ran:
    """A loud run with every secret planted; whatever it prints stands in a file as well."""
    address = server.url.removeprefix("http://")
    files = [
        f"--autoeval-{name}"
        for name in ("html=page.html", "github-summary=summary.md", "summary=summary.json")
    ]
    ran = project.run(
        "-p",
        "keeper",
        *LOUD,
        "--autoeval-model=m",
        "--autoeval-record-mode=all",
        *files,
        *arguments,
        f"--autoeval-base-url=http://{user}{address}?token={query}",
        f"--autoeval-parameters={json.dumps(parameters or PARAMETERS)}",
        OPENAI_API_KEY=key,
        OPENAI_ORG_ID=ORGANISATION,
        OPENAI_CUSTOM_HEADERS=f"X-Tenant: {HEADER}",
    )
    (project.folder / "terminal.txt").write_text(ran.text, encoding="utf-8")
    return ran


def assert_clean(project: SmallProject, secrets: Iterable[str] = SECRETS) -> None:
    """No file below the project's folder holds a secret, in no form."""
    written = [path for path in project.folder.rglob("*") if path.is_file()]
    found = [
        f"{form!r} in {path.relative_to(project.folder)}"
        for path in written
        for secret in secrets
        for form in traces(secret)
        if form.encode() in path.read_bytes()
    ]
    assert found == []


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_a_recorded_run_writes_no_secret(project: SmallProject, workers: tuple[str, ...]) -> None:
    with ChatServer(telltale) as server:
        ran = run(project, server, *workers)
        heard = [
            json.dumps([request.headers, request.path, request.body]) for request in server.requests
        ]
    assert ran.outcomes == {"equivalent": 4}
    basic = b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    for secret in (
        basic,
        ORGANISATION,
        COOKIE,
        json.dumps(PARAMETERS)[1:-1],
        quote(QUERY, safe=""),
    ):
        assert any(secret in text for text in heard)
    assert len(project.recordings()) == 8
    assert any("[REDACTED]" in file.read_text(encoding="utf-8") for file in project.recordings())
    assert list((project.folder / "temporary").glob("pytest-autoeval-*")) or not workers
    assert "args=" in (project.folder / "pytestdebug.log").read_text("utf-8")
    assert_clean(project)


@pytest.mark.parametrize("status", [401, 500])
def test_a_run_of_errors_writes_no_secret(project: SmallProject, status: int) -> None:
    def repeat(_request: Received) -> Answer:
        return refuses(status, f"Bearer {KEY} {ORGANISATION} {COOKIE} {GOSSIP}")

    with ChatServer(repeat) as server:
        ran = run(project, server, "--autoeval-patience=0.5s")
    assert ran.outcomes.keys() == {"error"}
    assert "You sent Bearer [REDACTED] [REDACTED] [REDACTED]" in ran.text
    assert_clean(project)


def test_short_secrets_are_shown_nowhere_beside_answers(project: SmallProject) -> None:
    key, user, query, parameter = WEAK
    first = iter([True])

    def answer(request: Received) -> Answer:
        return (
            telltale(request)
            if next(first, False)
            else refuses(400, f"{json.dumps(request.headers)} {WEAK}")
        )

    with ChatServer(answer) as server:
        ran = run(
            project,
            server,
            "--autoeval-concurrency=1",
            key=key,
            user=f"{user}:x@",
            query=query,
            token=parameter,
        )
    assert ran.outcomes == {"error": 4}
    assert "[REDACTED]" in ran.text
    assert_clean(project, WEAK)


def test_a_key_with_a_line_break_is_not_shown(project: SmallProject) -> None:
    with ChatServer(telltale) as server:
        ran = run(project, server, key="sk-first-part\nsecond-part", user="")
    assert "cannot be sent in a header" in ran.text
    assert_clean(project, ("sk-first-part", "second-part"))


def test_failures_show_no_secret(project: SmallProject) -> None:
    (project.folder / "test_telling.py").write_text(TELLING, "utf-8")
    with ChatServer(always(Answer(body=completion("p1")))) as server:
        ran = run(project, server)
    assert ran.text.count("ValueError: no access with [REDACTED]") >= 2
    assert "--autoeval-formula=" in ran.text
    assert "/v1?…" in ran.text
    assert (
        '--autoeval-parameters={"api_key": "[REDACTED]", "extra_headers": {"X-Any": "[REDACTED]"}'
        in ran.text
    )
    assert_clean(project)
