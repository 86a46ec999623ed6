"""The action's work: runs pytest, or reports on results that other jobs left, and writes the job's summary.

Its own exit code is 0 whatever the verdict: the steps that keep the files and comment come after it, the verdict last.
"""

# ruff: noqa: INP001, S603  (a script, not a module; commands are lists, and no shell sees them)
from __future__ import annotations

import json
import os
import secrets
import shlex
import subprocess
import sys
from collections import deque
from glob import glob
from pathlib import Path


def main() -> int:
    """Runs what the environment asks for; returns 1 where that cannot be understood."""
    folder = Path(_given("FOLDER") or "autoeval-report")
    if len(str(folder).splitlines()) > 1:
        return _refuse(f"folder: {str(folder)!r} has more than one line")
    if (inconclusive := _given("INCONCLUSIVE") or "fail") not in {"fail", "warn"}:
        return _refuse(f"inconclusive: {inconclusive!r} is neither fail nor warn")
    try:
        arguments = shlex.split(_given("ARGUMENTS"))
    except ValueError as problem:
        return _refuse(f"arguments: {problem}; quote them as in a shell")
    patterns = _lines("RESULTS")
    files = sorted({file for pattern in patterns for file in glob(pattern, recursive=True)})  # noqa: PTH207  (absolute ones too)
    if patterns and not files:
        return _refuse(f"results: no file matches {', '.join(patterns)}")
    if (requirements := _lines("INSTALL")) and _unmistakably(
        [sys.executable, "-m", "pip", "install", *requirements]
    ):
        return _refuse(f"install: pip could not install {', '.join(requirements)}")
    folder.mkdir(parents=True, exist_ok=True)
    summary = folder / "summary.md"
    summary.write_text("", "utf-8")
    code = _unmistakably(
        _report(files, folder, summary) + arguments if files else _run(arguments, folder, summary)
    )
    _append("GITHUB_STEP_SUMMARY", summary.read_text("utf-8"))
    results = folder / "results.jsonl"
    verdict, reason = _ending(results, code)
    outputs = {"exit-code": code, "verdict": verdict, "reason": reason, "results": results}
    outputs["html"] = folder / "report.html"
    _append("GITHUB_OUTPUT", "".join(f"{name}={value}\n" for name, value in outputs.items()))
    return 0


def _ending(results: Path, code: int) -> tuple[str, str]:
    """The verdict on the run and its reason, each in one line, from the last line of its results.

    Empty if the run left none: then the file is of an earlier run, is torn, or is not there.
    """
    try:
        with results.open(encoding="utf-8") as lines:
            last = json.loads(deque(lines, 1)[0])
    except (OSError, IndexError, ValueError):
        return "", ""
    if last.get("kind") != "run_end" or last["exit_code"] != code:
        return "", ""
    verdict, *reasons = (
        " ".join(str(text).split()) for text in (last["verdict"], *last.get("reasons", ()))
    )
    return verdict, "; ".join(reasons)


def _run(arguments: list[str], folder: Path, summary: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "pytest", *arguments),
        f"--autoeval-results={folder / 'results.jsonl'}",
        f"--autoeval-html={folder / 'report.html'}",
        f"--autoeval-github-summary={summary}",
        f"--junitxml={folder / 'junit.xml'}",
    ]


def _report(files: list[str], folder: Path, summary: Path) -> list[str]:
    return [
        *(sys.executable, "-m", "pytest_autoeval", "report", *files),
        f"--results={folder / 'results.jsonl'}",
        f"--html={folder / 'report.html'}",
        f"--github-summary={summary}",
    ]


def _unmistakably(command: list[str]) -> int:
    """Runs a command and returns its exit code; nothing that it prints is taken for an order to GitHub's runner."""
    token = secrets.token_hex(16)
    # Files that are named in the command may come from other jobs.
    _say(f"::stop-commands::{token}\n$ {shlex.join(command)}")
    # The summary goes through our own file: it is needed for the comment too.
    environment = {
        name: value for name, value in os.environ.items() if name != "GITHUB_STEP_SUMMARY"
    }
    try:
        return subprocess.run(command, check=False, env=environment).returncode
    finally:
        _say(f"\n::{token}::")  # on a line of its own, whatever was printed last


def _given(name: str) -> str:
    return os.environ.get(f"AUTOEVAL_{name}", "").strip()


def _lines(name: str) -> list[str]:
    return [line.strip() for line in _given(name).splitlines() if line.strip()]


def _append(variable: str, text: str) -> None:
    if path := os.environ.get(variable):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)


def _refuse(problem: str) -> int:
    _say(
        "::error title=pytest-autoeval::"
        + problem.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    )
    return 1


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
