"""``python -m pytest_autoeval serve``, in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import openai
import pytest

import pytest_autoeval
from pytest_autoeval.models.offline.offline_models import offline_models
from pytest_autoeval.models.offline.server import OfflineServer, main

CODE = "import sys; from pytest_autoeval.models.offline.server import main; sys.exit(main(sys.argv[1:]))"


@contextmanager
def served(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    root = Path(pytest_autoeval.__file__).parents[1]
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": str(root), "PYTHONIOENCODING": "utf-8"},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def welcome(process: subprocess.Popen[str]) -> str:
    """What is printed before the server waits for Ctrl-C."""
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if line.startswith("Ctrl-C"):
            break
    return "".join(lines)


def test_serve_tells_how_to_ask_and_ends_quietly() -> None:
    with served("--port", "0") as process:
        told = welcome(process)
        found = re.search(r"http://127\.0\.0\.1:\d+/v1", told)
        assert found
        assert f"curl {found[0]}/chat/completions" in told
        assert all(name in told and line in told for name, line in offline_models())
        assert (
            len(
                {
                    told.index(line) - told.rindex("\n", 0, told.index(line))
                    for _, line in offline_models()
                }
            )
            == 1
        )
        for label in (
            "Formula",
            "Description",
            "Propositions",
            "Requirement",
            "Sentence",
            "String",
            "Trace",
            "Wanted",
        ):
            assert f'"{label}:"' in told
        with openai.OpenAI(base_url=found[0], api_key="any", max_retries=0) as client:
            completion = client.chat.completions.create(
                model="offline/faithful", messages=[{"role": "user", "content": "Formula: 0*"}]
            )
            assert completion.choices[0].message.content == "The string is made of zero or more 0s."
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out.strip(), err) == (0, "", "")


def test_a_port_in_use_is_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    with OfflineServer() as url:
        port = urlsplit(url).port
        assert main(["--port", str(port)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert f"127.0.0.1:{port}" in err
