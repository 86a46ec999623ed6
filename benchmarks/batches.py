"""A large run in batches against a server with faults, killed five times and resumed: samples, uploads, time, memory.

    python benchmarks/batches.py [--samples 2000] [--workers 0]

The samples must be those of the live run. No request may be uploaded again, but after a failure that allows a retry.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from support.batch_server import BatchServer, Faults, failing
from support.formula_server import erring
from support.small_project import SmallProject

from pytest_autoeval.record.lines import Sample

SIZES = 20
#: How many batches there are before each kill, which follows after some random seconds.
KILLS = (0, 1, 1, 2, 3)
HASTY = """
import os, resource, threading
from pytest_autoeval.features.batches import connection as batches
batches.QUIET, batches.FIRST_PAUSE, batches.LONGEST_PAUSE = 3.0, 0.2, 0.5
most = 0

def pytest_runtest_logreport():
    global most
    most = max(most, threading.active_count())

def pytest_unconfigure():
    if "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB, {most} threads")
"""


def facts(sample: Sample) -> object:
    """A sample without times, costs, and what an error says of the server and its attempts."""
    calls = [(call.messages, call.completion_tokens) for call in sample.calls]
    return sample.formula, sample.repeat, sample.outcome, calls


class Runs:
    """The runs of one project at one server."""

    def __init__(self, project: SmallProject, server: BatchServer, workers: int) -> None:
        self._project, self._server = project, server
        self._options = [
            "--autoeval-model=a",
            f"--autoeval-base-url={server.url}",
            f"-n{workers}",
            "-s",
        ]
        self._output = project.folder / "output.txt"

    def start(self, *more: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "pytest", *self._project.arguments(*self._options, *more)]
        with self._output.open("wb") as output:
            environment = self._project.environment()
            return subprocess.Popen(
                command, cwd=self._project.folder, env=environment, stdout=output, stderr=output
            )

    def kill(self, process: subprocess.Popen[bytes], batches: int, seconds: float) -> None:
        """Kills a run some seconds after the server has so many batches."""
        while len(self._server.batches) < batches and process.poll() is None:
            time.sleep(0.05)
        time.sleep(seconds)
        process.kill()
        process.wait()
        print(
            f"killed {seconds:.1f} s after batch {batches}, with {len(self._server.batches)} batches"
        )

    def finish(self, process: subprocess.Popen[bytes]) -> list[object]:
        """The facts of a run's samples, after its end."""
        process.wait()
        memory = re.search("memory: .*", self._output.read_text())
        print(memory[0] if memory else self._output.read_text())
        return [facts(sample) for sample in self._project.rows()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=0)
    given = parser.parse_args()
    chance, faults = (
        Random(0),
        Faults(expired=frozenset({2}), limited=2, unmade=2, broken=5, looks=5),
    )
    faults.ready.set()
    with tempfile.TemporaryDirectory() as folder:
        marker = f"operators=range(1, {SIZES + 1}), samples={given.samples // SIZES}"
        project = SmallProject(Path(folder), marker, cache=True)
        (project.folder / "conftest.py").write_text(HASTY)
        with BatchServer(failing(erring)) as server:
            runs, began = Runs(project, server, given.workers), time.monotonic()
            live = runs.finish(runs.start("--autoeval-shrink-budget=0"))
            print(f"live: {len(live)} samples, {time.monotonic() - began:.1f} s")
        with BatchServer(failing(erring), faults) as server:
            runs, began, more = (
                Runs(project, server, given.workers),
                time.monotonic(),
                ["--autoeval-batch"],
            )
            for batches in KILLS:
                runs.kill(runs.start(*more), batches, chance.uniform(0, 4))
                more = ["--autoeval-batch", "--autoeval-resume"]
            samples = runs.finish(runs.start(*more))
            lines = sum(map(len, server.lines.values()))
            print(
                f"batches: {len(samples)} samples, {time.monotonic() - began:.1f} s, {len(server.batches)} batches"
            )
            print(
                f"{lines} lines for {len({line['custom_id'] for batch in server.lines.values() for line in batch})} ids"
            )
            print(
                f"samples as live: {samples == live}; uploaded twice without need: {len(server.twice)}"
            )
            sys.exit(samples != live or bool(server.twice))


if __name__ == "__main__":
    main()
