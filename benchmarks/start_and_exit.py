"""How long a run takes from its start to the first call, and from the last answer to its exit, in several checkouts.

    python benchmarks/start_and_exit.py [CHECKOUT ...] [--rounds 7]

A checkout is a folder with the package and `.venv/bin/python`; without any, this one is measured. Each runs one suite
of round trips against the server of `full_speed.py`, which answers after 0.2 seconds. They take turns. Figures are
seconds: the median of all turns, and the range. The first turn, which fills the caches, does not count.

Other work on the machine makes the seconds longer, and hardly the processor time. That is measured from the start to
the first body, which then imports its client, and from the end of the last body to the exit.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from full_speed import SIZES, Case, Measured, measured, run_command, serving, spread

_SAMPLES = 2
#: The answer of the server is no formula: the sample then ends after its second call, as all others do.
ROUND_TRIPS = f"""
import atexit
import time
from pathlib import Path

import pytest

begun, ended = [], []

@atexit.register
def note():
    at_exit = time.process_time()
    Path("cpu.txt").write_text(f"{{min(begun)}} {{at_exit - max(ended)}}")

@pytest.mark.autoeval("propositional", operators=range({SIZES.start}, {SIZES.stop}), samples={_SAMPLES}, threshold=0)
def test_round_trip(sample, llm, assert_equivalent):
    begun.append(time.process_time())
    try:
        description = llm.informalize(sample.formula)
        assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
    finally:
        ended.append(time.process_time())
"""
CASE = Case("", suites=1, samples=_SAMPLES, latency=0.2)
#: One for each description, and one that reads them all: they are equal, and an equal request is sent once.
CALLS = _SAMPLES * len(SIZES) + 1


def compared(checkouts: list[Path], rounds: int) -> list[str]:
    """A line of the table for each checkout."""
    found: dict[Path, list[tuple[Measured, float, float]]] = {
        checkout: [] for checkout in checkouts
    }
    with serving(CASE.latency) as url, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = run_command(CASE, url, "64", folder)
        (folder / "test_suites.py").write_text(ROUND_TRIPS, "utf-8")
        for turn in range(rounds + 1):
            for checkout in checkouts:
                python = checkout / ".venv" / "bin" / "python"
                once = measured([str(python), *command[1:]], url, folder, CALLS)
                first, last = map(float, (folder / "cpu.txt").read_text("utf-8").split())
                if turn:
                    found[checkout].append((once, first, last))
    return [
        f"| {checkout.name} | {spread([one.before for one, _, _ in turns], '.2f')}"
        f" | {spread([one.after for one, _, _ in turns], '.2f')}"
        f" | {spread([first for _, first, _ in turns], '.2f')} | {spread([last for _, _, last in turns], '.2f')} |"
        for checkout, turns in found.items()
    ]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "checkouts", nargs="*", type=Path, default=[Path(__file__).resolve().parent.parent]
    )
    parser.add_argument("--rounds", type=int, default=7, help="turns of each checkout")
    asked = parser.parse_args()
    checkouts = [checkout.resolve() for checkout in asked.checkouts]
    print(f"Seconds: the median of {asked.rounds}, and the range.\n")
    print(
        "| checkout | first call | exit | CPU to the first body | CPU from the last body |\n|---|---|---|---|---|"
    )
    print("\n".join(compared(checkouts, asked.rounds)))


if __name__ == "__main__":
    main()
