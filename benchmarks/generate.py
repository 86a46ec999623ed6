"""How long a paper-sized data set takes: 40 sizes, 50 formulas each, with measures, in a process of its own.

    python benchmarks/generate.py

`draw` and `measure` are the seconds that drawing and measuring take within the process, `command` is the whole command
`python -m pytest_autoeval generate`, imports and writing included; `limit` is what the project allows for it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pytest_autoeval.generation.samples import draw_samples
from pytest_autoeval.languages import language

GRAMMARS = {
    "ksat": ("0:40", 1.0),
    "propositional": ("0:40", 1.0),
    "first_order": ("0:40", 1.0),
    "regex": ("1:41", 5.0),
}


def main() -> None:
    """Prints the table."""
    print(
        f"{'grammar':<14}{'formulas':>9}{'draw':>8}{'measure':>9}{'command':>9}{'limit':>7}{'share':>8}"
    )
    for grammar, (sizes, limit) in GRAMMARS.items():
        first, end = map(int, sizes.split(":"))
        draw_samples(grammar, [first], 1, warn=False)
        started = time.perf_counter()
        samples = draw_samples(grammar, range(first, end), 50, seed=1, warn=False)
        drawn = time.perf_counter()
        for sample in samples:
            language(sample.language).measure(sample.formula)
        measured = time.perf_counter()
        command = min(command_seconds(grammar, sizes) for _ in range(3))
        print(
            f"{grammar:<14}{len(samples):>9}{drawn - started:>8.2f}{measured - drawn:>9.2f}"
            f"{command:>9.2f}{limit:>7.1f}{command / limit:>8.0%}"
        )


def command_seconds(grammar: str, sizes: str) -> float:
    """The wall-clock seconds of the command."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "data.jsonl")
        arguments = [
            "generate",
            grammar,
            "--operators",
            sizes,
            "--count",
            "50",
            "--seed",
            "1",
            "--out",
            out,
        ]
        started = time.perf_counter()
        command = [sys.executable, "-m", "pytest_autoeval", *arguments]
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - started


if __name__ == "__main__":
    main()
