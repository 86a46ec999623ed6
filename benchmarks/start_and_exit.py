"""How long a run takes from its start to the first call, and from the last answer to its exit, in several checkouts.

    python benchmarks/start_and_exit.py [CHECKOUT ...] [--rounds 7]

A checkout is a folder with the package and `.venv/bin/python`; without any, this one is measured. All ask the server of
`full_speed.py`, which answers at once, and take turns. There are two runs: prompts of the test's own, as in
`full_speed.py`, and a suite of round trips, whose answers are not read. Figures are seconds: the median of all turns,
and the range. The first turn, which fills the caches, does not count.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from full_speed import SIZES, Case, Measured, measured, run_command, serving, spread

_SAMPLES = 2
#: The answer of the server is no formula: the sample then ends after its second call, as all others do.
ROUND_TRIPS = f"""
import pytest

@pytest.mark.autoeval("propositional", operators=range({SIZES.start}, {SIZES.stop}), samples={_SAMPLES}, threshold=0)
def test_round_trip(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
"""
CASE = Case("", suites=1, samples=_SAMPLES, latency=0.0)
#: One for each description, and one that reads them all, as all are equal and an equal request is sent once.
CALLS_OF_ROUND_TRIPS = _SAMPLES * len(SIZES) + 1


def compared(checkouts: list[Path], rounds: int, suite: str) -> list[str]:
    """A line of the table for each checkout; an empty ``suite`` is that of `full_speed.py`."""
    found: dict[Path, list[Measured]] = {checkout: [] for checkout in checkouts}
    with serving(CASE.latency) as url, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command, calls = run_command(CASE, url, "64", folder), CASE.calls
        if suite:
            calls = CALLS_OF_ROUND_TRIPS
            (folder / "test_suites.py").write_text(suite, "utf-8")
        for turn in range(rounds + 1):
            for checkout in checkouts:
                python = checkout / ".venv" / "bin" / "python"
                once = measured([str(python), *command[1:]], url, folder, calls)
                if turn:
                    found[checkout].append(once)
    kind = "round trips" if suite else "own prompts"
    return [
        f"| {kind} | {checkout.name} | {spread([one.before for one in turns], '.2f')}"
        f" | {spread([one.after for one in turns], '.2f')} | {spread([one.cpu for one in turns], '.2f')} |"
        for checkout, turns in found.items()
    ]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkouts", nargs="*", type=Path, default=[Path(__file__).resolve().parent.parent])
    parser.add_argument("--rounds", type=int, default=7, help="turns of each checkout")
    asked = parser.parse_args()
    checkouts = [checkout.resolve() for checkout in asked.checkouts]
    print(f"Seconds: the median of {asked.rounds}, and the range.\n")
    print("| run | checkout | first call | exit | CPU |\n|---|---|---|---|---|")
    for suite in ("", ROUND_TRIPS):
        print("\n".join(compared(checkouts, asked.rounds, suite)), flush=True)


if __name__ == "__main__":
    sys.exit(main())
