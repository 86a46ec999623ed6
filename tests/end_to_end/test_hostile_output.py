"""A model, a server and a data file write commands to a terminal or a CI runner: nothing printed carries one."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from time import process_time

import pytest
from support.chat_server import Answer, ChatServer, Received, completion
from support.result_rows import keys_of, row, write_rows
from support.small_project import Ran, SmallProject

from pytest_autoeval.__main__ import main
from pytest_autoeval.inert import inert, inert_in_shell

COMMAND = "::error file=a.py,line=1::evil"
#: What ends a line, or is trimmed from its start, for somebody.
WHITE = (
    "\n",
    "\r\n",
    "\r",
    "\n\t ",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x85",
    "\u2028",
    "\xa0",
    "\u200b",
    "\ufeff",
    " ",
)
#: To a terminal: a title, a clipboard, a cleared screen, the same in one sign, a line that is written over, a bell.
CONTROLS = "\x1b]0;evil\x07 \x1b]52;c;ZXZpbA==\x1b\\ \x1b[2J\x1b[31mevil \x9b2Jevil evil\rfine \x08\x7f\0evil"
HOSTILE = (
    "".join(f"evil{white}{COMMAND}" for white in WHITE)
    + " ##[error]evil ###[group]evil ##vso[task.debug]evil"
)
HOSTILE += CONTROLS
LONG = f"{COMMAND}{'a' * 71}{COMMAND}{HOSTILE}"
SUITES = """
import logging, sys, warnings
import pytest

def said(llm):
    text = llm.ask("Speak")
    print(text)
    print(text, file=sys.stderr)
    logging.getLogger("mine").warning(text)
    warnings.warn(text)
    return text

marked = pytest.mark.autoeval("propositional", operators=range(1, 2), samples=2, threshold=0.5)

@marked
def test_round_trip(sample, llm, assert_equivalent):
    said(llm)
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)

@marked
def test_assertion(sample, llm):
    assert said(llm) == "fine"

@marked
def test_mistake(sample, llm):
    raise ValueError(said(llm))

def test_plain(llm):
    assert said(llm).splitlines() == ["fine"]

def test_skipped(llm):
    pytest.skip(said(llm))

@pytest.mark.xfail
def test_expected(llm):
    pytest.xfail(said(llm))

def test_that_asks_no_model():
    print("\\n::notice::deliberate")

def test_subtests(llm, subtests):
    text = said(llm)
    with subtests.test(text, text=text):
        print(text)
        assert text == "fine"
"""
LOUD = (
    "-vv",
    "-rA",
    "-l",
    "--log-level=DEBUG",
    "-olog_cli=true",
    "-olog_cli_format=%(message)s",
    "--capture=fd",
)


def is_command(line: str) -> bool:
    """As GitHub's runner and others see it; other white space is trimmed than Python's."""
    return (
        line.strip(" \t\0\u200b\ufeff").strip().startswith("::")
        or re.search(r"##\w*\[", line) is not None
    )


def controls(text: str) -> list[str]:
    """The lines that a terminal would not show as they are."""
    return [
        line
        for line in text.replace("\r\n", "\n").split("\n")
        if re.search(r"[\0-\x08\x0b-\x1f\x7f-\x9f]", line)
    ]


def commands(text: str) -> list[str]:
    """The lines that carry one, whatever ends a line."""
    return [
        line
        for line in re.split(r"[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", text)
        if is_command(line)
    ]


def hostile(request: Received) -> Answer:
    """Speaks in commands; refuses with them where it is asked for the model `refusing` or `useless`."""
    heard = {
        "x-evil": " ".join(COMMAND for _ in range(3)) + " ##[error]evil",
        "retry-after": "##[error]evil",
    }
    if request.body["model"] == "useless":
        return Answer(402, {"error": {"message": HOSTILE, "code": HOSTILE}}, heard)
    if request.body["model"] == "refusing":
        return Answer(
            400,
            {"error": {"message": HOSTILE, "code": HOSTILE, "param": HOSTILE, "type": HOSTILE}},
            heard,
        )
    return Answer(body=completion(LONG) | {"model": HOSTILE, HOSTILE: HOSTILE}, headers=heard)


@pytest.fixture
def project(tmp_path: Path) -> SmallProject:
    project = SmallProject(tmp_path)
    (tmp_path / "test_suite.py").write_text(SUITES, "utf-8")
    return project


def run(
    project: SmallProject, *arguments: str, models: tuple[str, ...] = ("talking", "refusing")
) -> Ran:
    names = [f"--autoeval-model={name}" for name in models]
    files = [
        f"--autoeval-{name}"
        for name in ("html=page.html", "github-summary=summary.md", "summary=summary.json")
    ]
    with ChatServer(hostile) as server:
        return project.run(
            *names,
            *files,
            *arguments,
            OPENAI_BASE_URL=server.url,
            OPENAI_API_KEY="sk-of-this-test",
            GITHUB_ACTIONS="true",
            CI="true",
            GITHUB_STEP_SUMMARY=str(project.folder / "job.md"),
            PYTHONIOENCODING="utf-8",
        )


def written(project: SmallProject) -> dict[str, str]:
    names = ("page.html", "summary.md", "summary.json", "job.md", "results.jsonl", "junit.xml")
    return {name: (project.folder / name).read_text("utf-8") for name in names}


@pytest.mark.parametrize(
    ("models", "arguments"),
    [
        (("talking", "refusing"), LOUD),
        (("talking",), (*LOUD, "-n2")),
        (("talking",), ("--capture=tee-sys", "-rA")),
        (("useless",), ("-s",)),
    ],
)
def test_a_run_prints_and_writes_no_command(
    project: SmallProject, models: tuple[str, ...], arguments: tuple[str, ...]
) -> None:
    ran = run(project, *arguments, models=models)
    assert ran.text.count("evil") > (100 if "talking" in models else 10)
    assert controls(ran.text) == []
    assert set(commands(ran.text)) <= {"::notice::deliberate"}
    # That one stops the run.
    assert ("\n::notice::deliberate" in ran.text) == ("useless" not in models)
    for name, text in written(project).items():
        assert set(commands(text)) <= {"::notice::deliberate"}, name
    assert {sample.description for sample in ran.rows if sample.description} <= {LONG}


def test_pytest_keeps_its_own_colours(project: SmallProject) -> None:
    ran = run(project, "--color=yes", "-olog_cli=true", models=("talking",))
    assert "\x1b[33mWARNING" in ran.text  # of the live log
    assert not any(
        control in ran.text
        for control in ("\x1b]", "\x1b[2J", "\x1b[31mevil", "\x9b", "\x07", "\x7f")
    )


@pytest.mark.parametrize(
    "command",
    [
        "report -v",
        "report --summary=-",
        "report --markdown=-",
        "correlate --scores=scores.csv",
        "check",
        "generate",
    ],
)
@pytest.mark.parametrize("schema_version", [1, 2])
@pytest.mark.usefixtures("here")
def test_a_command_prints_none(
    command: str, schema_version: int, capsys: pytest.CaptureFixture[str]
) -> None:
    names = (
        "language",
        "vocabulary",
        "test",
        "model",
        "grammar",
        "formula",
        "description",
        "translation",
        "error",
    )
    sample = row(
        "different", **dict.fromkeys(names, HOSTILE), measures={}, witness_text=HOSTILE, suite=LONG
    )
    file = Path(f"##[error]evil{CONTROLS}.jsonl".replace("\0", ""))
    if schema_version == 1:
        file.write_text(f"{json.dumps(keys_of(sample))}\n", "utf-8")
    else:
        write_rows(file, [sample])
    Path("scores.csv").write_text(f'model,score\n"{HOSTILE}",1\n', "utf-8", newline="")
    main([*command.split(), str(file)])
    printed = "".join(capsys.readouterr())
    assert "evil" in printed
    assert commands(printed) == controls(printed) == []


def test_what_is_inert_is_the_same_in_json_and_to_a_shell() -> None:
    text = json.dumps({HOSTILE: [LONG, "\\##[a]", CONTROLS]}, ensure_ascii=False)
    assert inert(text) != text
    assert json.loads(inert(text)) == json.loads(text)
    words = ["pytest", "a.py::test_x[m]", HOSTILE, "it's ::error::"]
    command = inert_in_shell(shlex.join(words))
    assert shlex.split(command) == words
    assert commands(command) == []


@pytest.mark.parametrize(
    "text", ["a.py::test_x[m]", "é::x", "…::test_x", "1::2", "#[a]", "# # [a]", "::"[:1], "##"]
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert inert(text) == text


def test_the_time_to_make_text_inert_grows_with_its_length() -> None:
    began = process_time()
    for piece in (":", "::", " ::", "#", "##", "##a", "\n", " ", "\r", "\x1b", "##aaaa["):
        inert(piece * (300_000 // len(piece)))
    assert process_time() - began < 5
