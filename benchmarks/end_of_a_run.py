"""How long pytest takes to end after a run: processor seconds from the summary to the end of the process.

    python benchmarks/end_of_a_run.py [--samples 10000] [--rounds 5] [--against CHECKOUT]

The suite asks `offline/faithful`. `searches` is the part for reference cycles. With another checkout of the project,
both take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = range(3, 13)
SUITE = """
import pytest

@pytest.mark.autoeval("propositional", operators=range({first}, {end}), samples={samples}, threshold=0.5)
def test_round_trip(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample)
"""
#: Measures from the first hook after the summary on, and writes the figures last of all.
CONFTEST = """
import atexit
import gc
import json
import pathlib
import time

import pytest

started, searches, began = None, 0.0, 0.0

def noted(phase, _):
    global searches, began
    if phase == "start":
        began = time.process_time()
    elif started is not None:
        searches += time.process_time() - began

@pytest.hookimpl(tryfirst=True)
def pytest_unconfigure():
    global started
    started = time.process_time()

def written():
    figures = {"end": time.process_time() - started, "searches": searches}
    pathlib.Path("figures.json").write_text(json.dumps(figures))

gc.callbacks.append(noted)
atexit.register(written)
"""


def measured(checkout: Path, samples: int) -> dict[str, float]:
    """The figures of one run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        suite = SUITE.format(first=SIZES.start, end=SIZES.stop, samples=samples // len(SIZES))
        (folder / "test_suite.py").write_text(suite, "utf-8")
        (folder / "conftest.py").write_text(CONFTEST, "utf-8")
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-c",
            os.devnull,
            "--rootdir=.",
            "-p",
            "no:cacheprovider",
        ]
        command += ["--autoeval-model=offline/faithful"]
        environment = {**os.environ, "PYTHONPATH": str(checkout)}
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        figures: dict[str, float] = json.loads((folder / "figures.json").read_text("utf-8"))
        return figures


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--against", type=Path, help="another checkout, such as one from before a change"
    )
    asked = parser.parse_args()
    checkouts = {"this": Path(__file__).parents[1]}
    if asked.against:
        checkouts["other"] = asked.against
    rounds = [
        {name: measured(path.resolve(), asked.samples) for name, path in checkouts.items()}
        for _ in range(asked.rounds)
    ]
    print(f"{asked.samples:,} samples\n\n| checkout | end | searches |\n|---|---|---|")
    for name in checkouts:
        cells = [
            f"{statistics.median(turn[name][what] for turn in rounds):.2f}"
            for what in ("end", "searches")
        ]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
