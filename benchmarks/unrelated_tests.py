"""What the plugin costs a project that does not use it: trivial tests with it and without it, side by side.

    python benchmarks/unrelated_tests.py [--rounds 9] [--tests 3000] [--only REGEX]

Both sides run the same tests with the plugins that every installation has; the second side adds `-p autoeval`. The two
take turns. The figure is processor time, of xdist's workers too; a ratio is that of one turn. Each line shows the
median of all turns and their range, and the ratio of the fastest turns, which other work on the machine disturbs least.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

#: Tests in a file.
_IN_FILE = 100
_OTHERS = ("hypothesispytest", "xdist")
_CASES = {
    "`-n 0`": ("-n", "0"),
    "`-n 0`, `--junitxml`": ("-n", "0", "--junitxml=junit.xml"),
    "`-n 2`": ("-n", "2"),
}


def processor_seconds(folder: Path, *arguments: str) -> float:
    """Of a run of all tests in the folder."""
    plugins = [part for name in _OTHERS for part in ("-p", name)]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-c",
        os.devnull,
        "--rootdir=.",
        *plugins,
        *arguments,
    ]
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    before = children_cpu()
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return children_cpu() - before


def children_cpu() -> float:
    """The processor seconds of all processes that this one has waited for, and of their own."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def spread(figures: Sequence[float], form: str) -> str:
    """The median and the range."""
    return f"{statistics.median(figures):{form}} ({min(figures):{form}}–{max(figures):{form}})"


def compared(name: str, folder: Path, rounds: int) -> str:
    """A line of the table."""
    plain, ours = [], []
    for turn in range(rounds + 1):
        sides = {False: 0.0, True: 0.0}
        for with_ours in (True, False) if turn % 2 else (False, True):
            more = ("-p", "autoeval") if with_ours else ()
            sides[with_ours] = processor_seconds(folder, *_CASES[name], *more)
        if turn:  # the first one warms the caches
            plain.append(sides[False])
            ours.append(sides[True])
    ratios = [other / one for one, other in zip(plain, ours, strict=True)]
    cells = name, spread(plain, ".2f"), spread(ours, ".2f"), f"**{spread(ratios, '.3f')}**"
    return f"| {' | '.join(cells)} | {min(ours) / min(plain):.3f} |"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9, help="turns of each side")
    parser.add_argument("--tests", type=int, default=3000, help="the number of tests")
    parser.add_argument(
        "--only", default="", metavar="REGEX", help="the lines to print, by their names"
    )
    asked = parser.parse_args()
    print(
        f"{asked.tests:,} trivial tests. Processor seconds: the median of {asked.rounds}, and the range.\n"
    )
    print("| run | without | with | ratio | ratio of the fastest |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for first in range(0, asked.tests, _IN_FILE):
            tests = (
                f"def test_{number}(): pass\n"
                for number in range(first, min(first + _IN_FILE, asked.tests))
            )
            (folder / f"test_{first}.py").write_text("".join(tests), "utf-8")
        for case in _CASES:
            if re.search(asked.only, case):
                print(compared(case, folder, asked.rounds), flush=True)


if __name__ == "__main__":
    main()
