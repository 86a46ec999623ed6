"""A page of the documentation, run from top to bottom in one empty folder; what its commands print is compared.

A block with ``title="PATH"`` is written to that file. A GitHub workflow is also read: its pytest commands are run.
``console``: each line ``$ COMMAND`` is run; the lines under it are its output, and a line ``…`` stands for any lines.
A command with an output reaches no provider's server: its figures come from the model that it names.
``bash``: each command must end with exit code 0, or with N if its line ends with ``# exit code N``.
``pycon`` is a doctest; ``python`` without a title is executed. Both share their names over the page.
``text`` is neither run nor compared. Any other block needs the line ``<!-- not run: REASON -->`` before it.
"""

from __future__ import annotations

import difflib
import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from io import StringIO
from itertools import groupby
from pathlib import Path
from traceback import format_exception_only
from typing import Any

import yaml
from markdown_it import MarkdownIt

from pytest_autoeval.__main__ import main
from support.forked import Fork
from support.snapshot import UPDATE, assert_same

_NOT_RUN = re.compile(r"<!-- (not run|command): \S.*-->\s*")
#: Commands that a fork runs, which is faster than a shell.
_FORKED = re.compile(r"(pytest|python -m pytest_autoeval)( [^;|&<>$`*]*)?$")
_EXIT_CODE = re.compile(r"# exit code (\d+)$")
#: Texts that differ between runs, folders and machines.
_PASSING = (
    (re.compile(r"\b\d+(\.\d+)? ?(s|ms|seconds|min)\b"), "TIME"),
    (re.compile(r"\b\d+\.\d+\.\d+\b"), "VERSION"),
    (re.compile(r"127\.0\.0\.1:\d+"), "HOST"),
    (re.compile(r"([=_-])\1{2,}"), "RULE"),  # its width depends on the time in its middle
)
#: Environment variables that lead to a provider's server.
_PROVIDER = {"OPENAI_BASE_URL", "OPENAI_API_KEY"}
_SHORT = "--autoeval-samples=1 --autoeval-operators=1:3 -n 0"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file it shows, its text, the number of its first line, and of its lines."""

    language: str
    title: str
    text: str
    line: int
    length: int


def blocks(text: str) -> Iterator[Block]:
    """The blocks that can be run or written. Raises `AssertionError` for one in no known form that is not marked."""
    marked = False
    for token in MarkdownIt().parse(text):
        if token.type in {"fence", "code_block"} and not marked:
            assert token.map is not None
            language, _, rest = token.info.partition(" ")
            titles = [
                word.removeprefix("title=")
                for word in shlex.split(rest)
                if word.startswith("title=")
            ]
            block = Block(
                language,
                "".join(titles),
                token.content,
                token.map[0] + 2,
                token.content.count("\n"),
            )
            form = block.title or language in {"console", "bash", "pycon", "python", "text"}
            assert form, (
                f"line {block.line}: a block needs a title, or the line <!-- not run: REASON --> before it"
            )
            yield block
        marked = bool(token.type == "html_block" and _NOT_RUN.fullmatch(token.content))


@dataclass
class Page:
    """A page that is run in a folder, with the environment of its commands."""

    path: Path
    folder: Path
    environment: dict[str, str]
    #: What its Python examples have defined.
    names: dict[str, Any] = field(default_factory=dict)

    def run(self) -> None:
        """Runs every block. Raises `AssertionError`, or what an example raises."""
        page = self.path.read_text("utf-8")
        lines = page.splitlines()
        now = [self._run(block) for block in blocks(page)]
        if not os.environ.get(UPDATE):
            return
        for block in reversed(now):
            start = block.line - 1
            indent = " " * (len(lines[start - 1]) - len(lines[start - 1].lstrip()))
            lines[start : start + block.length] = [
                (indent + line).rstrip() for line in block.text.splitlines()
            ]
        self.path.write_text("\n".join(lines) + "\n", "utf-8")

    def _run(self, block: Block) -> Block:
        """Runs a block; returns it with its new text."""
        if block.title:
            self._write(block)
        elif block.language == "bash":
            for command in block.text.replace("\\\n", " ").splitlines():
                self._command(command, block)
        elif block.language == "python":
            exec(compile(block.text, f"{self.path.name}, line {block.line}", "exec"), self.names)
        elif block.language in {"console", "pycon"}:
            steps = self._session(block) if block.language == "console" else self._examples(block)
            return self._compared(block, "\n".join(steps))
        return block

    def _write(self, block: Block) -> None:
        file = self.folder / block.title
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.text, "utf-8")
        if ".github/workflows/" in block.title:
            for command in workflow_commands(block.text):
                self._command(f"{command} {_SHORT}", block)

    def _session(self, block: Block) -> Iterator[str]:
        """The lines of a session as printed now, with the same omissions."""
        assert block.text.startswith("$ "), (
            f"{self.path.name}, line {block.line}: a session begins with `$ COMMAND`"
        )
        for command, printed in re.findall(
            r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE
        ):
            shown = printed.splitlines()
            now = self._command(command, block, is_shown=bool(shown)).strip("\n").splitlines()
            yield f"$ {command}"
            yield from left_out(now, shown) if shown else ()

    def _command(self, command: str, block: Block, *, is_shown: bool = False) -> str:
        """The output of a command in a shell. Its exit code must be 0, or the one in its comment."""
        outside = {
            name: value
            for name, value in self.environment.items()
            if not (is_shown and name in _PROVIDER)
        }
        run = self._fork if _FORKED.match(command) else self._shell
        code, printed = run(command, outside)
        said = _EXIT_CODE.search(command)
        if said or not is_shown:
            where = f"{self.path.name}, line {block.line}: {command}\n{printed}\nexit code {code}"
            assert code == (int(said[1]) if said else 0), where
        return re.sub(
            r"[ \t]+$",
            "",
            printed.replace(str(self.folder), "/home/me/project"),
            flags=re.MULTILINE,
        )

    def _fork(self, command: str, outside: dict[str, str]) -> tuple[int, str]:
        """The exit code and output of pytest or one of our commands, in a fork that has imported what they need."""
        name, *arguments = shlex.split(command.replace("\\\n", " "), comments=True)
        if name == "pytest":
            run = Fork(self.folder, arguments, outside)
        else:
            run = Fork(self.folder, arguments[2:], outside, main)
        printed, _ = run.communicate(timeout=120)
        return run.returncode, printed

    def _shell(self, command: str, outside: dict[str, str]) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=outside,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
        return done.returncode, done.stdout

    def _examples(self, block: Block) -> Iterator[str]:
        """The lines of a Python session as printed now, with the same omissions."""
        for example in doctest.DocTestParser().get_examples(block.text):
            first, *more = example.source.splitlines()
            yield from (f">>> {first}", *(f"... {line}".rstrip() for line in more))
            printed = StringIO()
            with redirect_stdout(printed):
                try:
                    exec(compile(example.source, self.path.name, "single"), self.names)
                except Exception as problem:  # noqa: BLE001  # the page may show it
                    printed.write(
                        "\n".join(
                            [
                                "Traceback (most recent call last):",
                                "…",
                                *format_exception_only(problem),
                            ]
                        )
                    )
            yield from left_out(printed.getvalue().splitlines(), example.want.splitlines())

    def _compared(self, block: Block, now: str) -> Block:
        stands = block.text.rstrip("\n")
        if os.environ.get(UPDATE):
            return block if lasting(stands) == lasting(now) else replace(block, text=now)
        assert_same(lasting(stands), lasting(now), f"{self.path.name}, line {block.line}")
        return block


def lasting(text: str) -> str:
    """A text without what differs between runs."""
    for pattern, name in _PASSING:
        text = pattern.sub(name, text)
    return text


def left_out(printed: list[str], shown: list[str]) -> list[str]:
    """The output with the omissions of before: a line `…` stands for any lines, even if the lines around it changed."""
    lines = [line.strip() for line in shown]
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…" else re.escape(lasting(line)) + r"\n" for line in lines
    )
    if re.fullmatch(pattern, "".join(lasting(line.strip()) + "\n" for line in printed)):
        return shown
    if "…" not in lines:
        return printed
    kept: list[str] = []
    start = 0
    for gap, group in groupby(shown, lambda line: line.strip() == "…"):
        part = list(group)
        if not gap:
            near = difflib.get_close_matches(part[0], printed[start:], 1, 0.5)
            assert near, "\n".join(
                ["nothing like this is printed any more:", part[0], "but:", *printed]
            )
            start = printed.index(near[0], start)
            part = printed[start : start + len(part)]
            start += len(part)
        kept += part
    return kept


def workflow_commands(text: str) -> Iterator[str]:
    """The commands of a GitHub workflow that run pytest, for the first entry of each matrix."""
    for job in yaml.safe_load(text)["jobs"].values():
        matrix = job.get("strategy", {}).get("matrix", {})
        for step in job.get("steps", ()):
            for line in step.get("run", "").replace("\\\n", " ").splitlines():
                command = line
                for name, entries in matrix.items():
                    command = command.replace(f"${{{{ matrix.{name} }}}}", str(entries[0]))
                if command.startswith("pytest "):
                    yield command


def environment(server: str) -> dict[str, str]:
    """The environment of a page's commands: this Python, a server for every model, and no other settings of ours."""
    foreign = (
        "OPENAI_",
        "PYTEST_",
        "PYTHONDONT",
        "COV_",
        "GITHUB_",
        "AUTOEVAL_",
        "CI",
        "FORCE_COLOR",
        "NO_COLOR",
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return kept | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "OPENAI_BASE_URL": server,
        "OPENAI_API_KEY": "sk-none",
        "COLUMNS": "80",
        "PYTEST_ADDOPTS": "-p no:anyio -p no:asyncio -p no:faker -p no:timeout",
    }
