"""What runs of many samples take beside the calls themselves: processor time, memory and disk.

    python benchmarks/scale.py [--samples 10000 100000] [--reports 10000 100000 1000000] [--recordings 2000 20000]

The model answers at once, inside the process: what is left is what a run does itself. Each sample is a round trip over
a formula of its own, with the packaged prompts; one half of the answers is right. `report` reads the results of that
run, and makes the page. Times are processor time, which other work on the machine changes little; memory is the
highest of each process (VmHWM).

``--reports`` reads results without a run of that size: the samples of a small run stand in the file several times, each
time with other indices.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pytest_autoeval.models.cassette import write_recording
from pytest_autoeval.models.recording import file_of

SIZES = range(6, 16)
PLUGINS = ("-p", "xdist", "-p", "pytest_autoeval.plugin")
SUITE = """
import pytest

@pytest.mark.autoeval("propositional", operators=range({first}, {end}), samples={each}, threshold=0.1, copies="count")
def test_many(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
"""
#: The model, and the notes that each process leaves at its end.
CONFTEST = """
import json
import os
import time
from pathlib import Path

class Instant:
    '''Says of every second formula what it is, and of the others that nothing holds.'''

    def complete(self, messages, *, repeat=0):
        last = messages[-1].content.strip().splitlines()[-1]
        return last.rpartition(": ")[2] if len(last) % 2 else "p1 ∧ ¬p1"

def pytest_autoeval_register(registry):
    registry.add_model("instant", Instant)

def note(name):
    status = Path("/proc/self/status").read_text()
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    Path(f"note-{name}.json").write_text(json.dumps({"cpu": time.process_time(), "peak": peak}))

def pytest_configure(config):
    name = os.environ.get("PYTEST_XDIST_WORKER", "controller")
    config.add_cleanup(lambda: note(name))
"""
#: The same notes of a report.
REPORT = """
import runpy
import sys
sys.path.insert(0, ".")
from conftest import note
sys.argv = ["pytest_autoeval", "report", "results.jsonl", *sys.argv[1:]]
try:
    runpy.run_module("pytest_autoeval", run_name="__main__", alter_sys=True)
except SystemExit:
    note("report")
"""


def notes(folder: Path, command: Sequence[str]) -> dict[str, dict[str, float]]:
    """Carries out a command; the processor time in seconds and the peak in MB of each of its processes, by name."""
    for file in folder.glob("note-*.json"):
        file.unlink()
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    environment |= {"OPENAI_API_KEY": "none", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, check=False, capture_output=True, text=True
    )
    found = {
        file.stem.removeprefix("note-"): json.loads(file.read_text())
        for file in folder.glob("note-*.json")
    }
    if done.returncode or not found:
        raise RuntimeError(
            f"{command}: exit code {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        )
    return found


def row(name: str, samples: int, found: dict[str, dict[str, float]], more: str = "") -> str:
    """A line of the first table."""
    controller = found.get("controller") or found["report"]
    workers = [one for other, one in found.items() if other.startswith("gw")]
    cells: list[Any] = [
        name,
        f"{samples:,}",
        f"{sum(one['cpu'] for one in found.values()):.0f}",
        f"{controller['cpu']:.0f}",
        f"{controller['peak']:.0f}",
        f"{max(one['peak'] for one in workers):.0f}" if workers else "",
        more,
    ]
    return f"| {' | '.join(cells)} |"


def run_of(samples: int, numbers_of_workers: Sequence[int]) -> list[str]:
    """The lines about one number of samples."""
    lines = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        each = samples // len(SIZES) // 2
        suite = SUITE.format(first=SIZES.start, end=SIZES.stop, each=each)
        for number in (1, 2):  # two suites, for two workers
            (folder / f"test_{number}.py").write_text(
                suite.replace("test_many", f"test_many_{number}")
            )
        (folder / "conftest.py").write_text(CONFTEST)
        (folder / "report.py").write_text(REPORT)
        plain = [sys.executable, "-m", "pytest", *PLUGINS, "-q", "--autoeval-model=instant"]
        plain += ["--autoeval-results=results.jsonl", "--autoeval-shrink-budget=0"]
        for workers in numbers_of_workers:
            found = notes(folder, [*plain, "-n", str(workers)])
            size = (folder / "results.jsonl").stat().st_size / 1e6
            lines.append(row(f"run, `-n {workers}`", samples, found, f"results {size:.0f} MB"))
        lines.append(row("report", samples, notes(folder, [sys.executable, "report.py"])))
        found = notes(folder, [sys.executable, "report.py", "--html", "page.html"])
        size = (folder / "page.html").stat().st_size / 1e6
        lines.append(row("report with page", samples, found, f"page {size:.1f} MB"))
    return lines


def reports_of(samples: int) -> list[str]:
    """The lines about reports of results with so many samples."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        each = min(samples, 10_000) // len(SIZES)
        (folder / "test_1.py").write_text(
            SUITE.format(first=SIZES.start, end=SIZES.stop, each=each)
        )
        (folder / "conftest.py").write_text(CONFTEST)
        (folder / "report.py").write_text(REPORT)
        plain = [sys.executable, "-m", "pytest", *PLUGINS, "-q", "--autoeval-model=instant"]
        notes(folder, [*plain, "--autoeval-results=small.jsonl", "--autoeval-shrink-budget=0"])
        times = samples // (each * len(SIZES))
        with (
            (folder / "small.jsonl").open("rb") as small,
            (folder / "results.jsonl").open("wb") as large,
        ):
            for line in small:
                large.writelines(again(line, times, each))
        (folder / "before.jsonl").hardlink_to(folder / "results.jsonl")
        size = (folder / "results.jsonl").stat().st_size / 1e6
        report = [sys.executable, "report.py"]
        against = [*report, "--baseline", "before.jsonl", "--fail-on", "drop:5%"]
        return [
            row("report", samples, notes(folder, report), f"results {size:.0f} MB"),
            row("report with a baseline of that size", samples, notes(folder, against)),
        ]


def again(line: bytes, times: int, each: int) -> Iterator[bytes]:
    """A line of results as often as it stands in the larger file: a sample with other indices."""
    values = json.loads(line)
    if values["kind"] == "suite":
        values["planned"] *= times
    if values["kind"] != "sample":
        times = 1
    for _ in range(times):
        # As a run writes it: `json` writes small numbers in another way, and such lines are read more slowly.
        yield msgspec.json.encode(values) + b"\n"
        values["index"] = values.get("index", 0) + each


def recordings(number: int) -> str:
    """The size on disk of so many recordings of a usual prompt."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prompt = (
            "Say what the formula means in plain English, in one sentence, and copy no sign of it. "
            * 8
        )
        reply = {
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": "It rains."},
                }
            ]
        }
        for at in range(number):
            body = {"model": "m", "messages": [{"role": "user", "content": f"{prompt}{at}"}]}
            write_recording(folder / file_of(body, 0), body, reply)
        states = [file.stat() for file in folder.iterdir()]
    written, used = (sum(getattr(one, key) for one in states) for key in ("st_size", "st_blocks"))
    return f"| {number:,} | {written / number:.0f} | {used * 512 / number:.0f} |"


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--reports", type=int, nargs="*", default=[])
    parser.add_argument("--workers", type=int, nargs="*", default=[0, 2])
    parser.add_argument("--recordings", type=int, nargs="*", default=[2_000, 20_000])
    arguments = parser.parse_args()
    print(
        "| what | samples | CPU s, all | CPU s, controller | peak MB, controller | peak MB, worker | |"
    )
    print("|---|---|---|---|---|---|---|")
    for samples in arguments.samples:
        for line in run_of(samples, arguments.workers):
            print(line, flush=True)
    for samples in arguments.reports:
        for line in reports_of(samples):
            print(line, flush=True)
    print("\n| recordings | bytes each | bytes each on disk |\n|---|---|---|")
    for number in arguments.recordings:
        print(recordings(number), flush=True)


if __name__ == "__main__":
    main()
