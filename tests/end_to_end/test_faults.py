"""Servers and machines that misbehave: every run ends as `docs/reference/faults.md` says.

With AUTOEVAL_WRITE_DOCS=1 the document is written instead of compared.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Semaphore
from time import sleep
from typing import Any

import pytest
from support.chat_server import Answer, ChatServer, Received
from support.faults import CALLS, FAULTS, FLOOD, MIDWAY, SAMPLES, Fault
from support.formula_server import sensible
from support.misbehaving import stall
from support.small_project import Ran, SmallProject

SUITE = f"operators=2, samples={SAMPLES}, threshold=0.9"
#: A message is one line of what is printed.
WIDE = {"COLUMNS": "400"}
#: How a run that a signal ended goes on: at most the calls in flight are paid twice.
RESUMED: dict[str, Any] = {
    "codes": (0,),
    "signals": (),
    "outcomes": {"equivalent": SAMPLES},
    "says": "continued from an earlier run: ",
    "requests": CALLS + SAMPLES,
}
#: Which process runs the suite.
TELLTALE = """
import os
from pathlib import Path

def pytest_runtest_setup():
    Path("runs-suite").write_text(str(os.getpid()))
"""
FULL_DISK = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))\n"
#: Most of these runs wait.
AT_ONCE = 16
HEAD = ("| fault | samples | the run prints | exit code |", "|---|---|---|---|")
#: What differs from run to run, and how the document shows it.
VOLATILE = {
    r"http://[\w.:]+/v1": "URL",
    r"\(ConnectionRefusedError: .*\)\)": "(ConnectionRefusedError)",
    r"/[\w./-]+/(?=(results|test_suite)\.)": "",
    r"[0-9a-f]{32}": "DIGEST",
    # Which of the calls in flight were answered in time differs too.
    r"\b\d+ of (?=\d+ samples)": "N of ",
    r"\b\d+ (attempt|sample|call|answer)s?\b": r"N \1s",
    r"worker 'gw\d'": "worker 'gw0'",
    r"^E +": "",
}
DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "faults.md"


@dataclass(frozen=True)
class Happened:
    """What became of a run under a fault."""

    fault: Fault
    ran: Ran
    requests: int

    @property
    def line(self) -> str:
        """The first line that has what the run must say, without what differs from run to run; empty if none has it."""
        found = next((line for line in self.ran.text.splitlines() if self.fault.says in line), "")
        for pattern, text in VOLATILE.items():
            found = re.sub(pattern, text, found)
        return found.strip(" !")

    @property
    def document(self) -> str:
        """The row of the document."""
        counted = sorted(self.ran.outcomes.items(), key=lambda pair: -pair[1])
        ends = ", ".join(f"{number} {outcome}" for outcome, number in counted) or "none"
        if self.fault.outcomes is None:
            ends = "cut off"
        says = f"`{self.line}`" if self.fault.says else ""
        codes = " or ".join(map(str, self.fault.codes))
        return f"| {self.fault.name} | {ends} | {says} | {codes} |"

    def problems(self) -> list[str]:
        """What should have been otherwise."""
        fault, ran = self.fault, self.ran
        checks = {
            f"exit code {ran.code}, not {fault.codes}": ran.code in fault.codes,
            f"outcomes {dict(ran.outcomes)}, not {fault.outcomes}": fault.outcomes
            in (None, ran.outcomes),
            f"{len(ran.rows)} rows": len({row.index for row in ran.rows})
            == len(ran.rows)
            <= SAMPLES,
            f"nothing says {fault.says!r}": bool(self.line),
            f"{self.requests} requests, more than {fault.requests}": self.requests
            <= fault.requests,
            # A second Ctrl-C is pytest's own affair.
            "a traceback": len(fault.signals) > 1
            or not re.search("Traceback|INTERNALERROR|^E  ", ran.text, re.MULTILINE),
        }
        return [problem for problem, holds in checks.items() if not holds]


def carried_out(fault: Fault, folder: Path) -> list[Happened]:
    """A run under a fault; where a signal ended it, also the same run resumed."""
    folder.mkdir()
    with ChatServer(fault.server()) as server:
        options = (
            "--autoeval-model=m",
            f"--autoeval-base-url={server.url}",
            "--autoeval-shrink-budget=0",
            *fault.options,
        )
        if fault.signals:
            return signalled(fault, SmallProject(folder, SUITE, cache=True), server, options)
        project = SmallProject(folder, SUITE, cache=True)
        if fault.largest_file:
            (folder / "conftest.py").write_text(FULL_DISK.format(fault.largest_file))
        return [Happened(fault, project.run(*options, **WIDE), len(server.requests))]


def signalled(
    fault: Fault, project: SmallProject, server: ChatServer, options: Sequence[str]
) -> list[Happened]:
    """A run that gets a signal while calls are in flight, and its resumption."""
    (project.folder / "conftest.py").write_text(TELLTALE)
    midway = Semaphore(0)

    def kept_waiting(request: Received) -> Answer:
        if len(server.requests) < MIDWAY:
            return sensible(request)
        midway.release()
        return Answer(wire=stall)

    server.behaviour = kept_waiting
    process = project.start(*options, **WIDE)
    while not midway.acquire(timeout=0.1):
        if process.poll() is not None:  # it ended by itself, and by mistake
            return [Happened(fault, project.end_of(process), len(server.requests))]
    victim = (
        process.pid
        if fault.victim == "controller"
        else int((project.folder / "runs-suite").read_text())
    )
    for number in fault.signals:
        os.kill(victim, number)
        sleep(0.2)
    if fault.victim == "worker":
        server.behaviour = sensible
    happened = Happened(fault, project.end_of(process), len(server.requests))
    server.behaviour = sensible
    resumed = project.carry_out(*options, "--autoeval-resume", **WIDE)
    assert not list((project.folder / "temporary").glob("pytest-autoeval-*"))
    ending = replace(fault, name=f"{fault.name}, then `--autoeval-resume`", **RESUMED)
    return [happened, Happened(ending, resumed, len(server.requests))]


@pytest.mark.parametrize("group", FAULTS)
def test_a_run_ends_as_the_table_says(
    tmp_path: Path, group: str, subtests: pytest.Subtests
) -> None:
    faults = FAULTS[group]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        folders = (tmp_path / str(number) for number in range(len(faults)))
        happened = [one for several in pool.map(carried_out, faults, folders) for one in several]
    for one in happened:
        with subtests.test(one.fault.name):
            assert not one.problems(), one.ran.text
    with subtests.test("a reply of 100 MB is not read whole"):
        assert FLOOD.sent < 30_000_000
    with subtests.test("document"):
        assert_documented(group, [one.document for one in happened])


def assert_documented(group: str, rows: list[str]) -> None:
    """Asserts that a section of the document has these rows, and writes them where that is asked for."""
    section = "\n".join([f"## {group}", "", *HEAD, *rows, ""])
    text = DOCUMENT.read_text("utf-8")
    found = re.search(rf"^## {re.escape(group)}\n.*?(?=\n## |\Z)", text, re.MULTILINE | re.DOTALL)
    if os.environ.get("AUTOEVAL_WRITE_DOCS"):
        DOCUMENT.write_text(
            text.replace(found[0], section) if found else f"{text.rstrip()}\n\n{section}", "utf-8"
        )
    else:
        assert found is not None
        assert found[0] == section, "run with AUTOEVAL_WRITE_DOCS=1 to accept"
