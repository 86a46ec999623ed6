"""Coverage-guided fuzzing of the readers of foreign text: what they raise, how long they take, whether memory is flat.

    pip install atheris
    python benchmarks/fuzz.py [--seconds 600] [READER…]        # without names: every reader, one after the other

A line for each reader says how many inputs it met and which took longest. Reported are crashes, errors that are not
documented, more than the reader's seconds (processor time) for an input of up to 100,000 characters, and the growth of
memory from a tenth of the time on; libFuzzer's own corpus is a part of it. Inputs behind findings are kept in
`fuzz-findings/`. Exit code 1 where anything was found.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
import traceback
from multiprocessing import get_context
from pathlib import Path
from random import Random
from time import process_time
from typing import TYPE_CHECKING

import atheris

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

if TYPE_CHECKING:
    from support.readers import Reader

#: Seconds of one input after which libFuzzer ends a reader.
_LONGEST = 300


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "readers", nargs="*", metavar="READER", help="names as in tests/support/readers.py"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=600,
        help="of processor time for each (default %(default)s)",
    )
    parser.add_argument(
        "--findings", type=Path, default=Path("fuzz-findings"), help="where inputs are kept"
    )
    asked = parser.parse_args()
    asked.findings.mkdir(parents=True, exist_ok=True)
    with atheris.instrument_imports(include=["pytest_autoeval"]):
        from support.readers import READERS
    codes = []
    for name in asked.readers or READERS:
        process = get_context("fork").Process(
            target=Target(READERS[name], asked.seconds, asked.findings).run
        )
        process.start()
        process.join()
        codes.append(process.exitcode)
        if process.exitcode not in {0, 1}:
            print(
                f"{name}: crashed, or took {_LONGEST} s ({process.exitcode}), on {asked.findings}/current",
                flush=True,
            )
    return int(any(codes))


class Target:
    """One reader under libFuzzer, in this process."""

    def __init__(self, reader: Reader, seconds: float, findings: Path) -> None:
        self.reader = reader
        self.seconds = seconds
        self.findings = findings
        self.inputs = 0
        self.slowest = (0.0, "")
        self.found: dict[str, str] = {}
        self.memory: int | None = None

    def run(self) -> None:
        """Fuzzes until the time is over, then ends the process."""
        from support.pumping import seconds_of

        with tempfile.TemporaryDirectory() as corpus:
            for number, text in enumerate(self.reader.texts):
                seconds_of(self.reader, text)  # what it imports is imported
                Path(corpus, str(number)).write_bytes(_bytes(text))
            arguments = [
                sys.argv[0],
                corpus,
                "-max_len=100000",
                "-verbosity=0",
                f"-timeout={_LONGEST}",
            ]
            atheris.Setup(arguments, self.read, custom_mutator=self.mutated)
            atheris.Fuzz()

    def mutated(self, data: bytes, longest: int, seed: int) -> bytes:
        """An input made of another: by our changes to texts, or by those of libFuzzer to bytes."""
        if seed % 4 == 0:
            return bytes(atheris.Mutate(data, longest))
        from support.mutations import mutated

        return _bytes(mutated(self.reader, Random(seed), _text(data)))[:longest]

    def read(self, data: bytes) -> None:
        """One input."""
        from support.pumping import seconds_of

        if (passed := process_time()) > self.seconds:
            self._end()
        text = _text(data)
        (self.findings / "current").write_bytes(data)
        try:
            seconds = seconds_of(self.reader, text)
        except Exception as error:  # noqa: BLE001 - the finding
            at = traceback.extract_tb(error.__traceback__)[-1]
            self._find(f"{type(error).__name__} in {Path(at.filename).name}:{at.lineno}", data)
            return
        self.inputs += 1
        if seconds > self.slowest[0]:
            self.slowest = seconds, text
        if seconds > self.reader.seconds:
            self._find("too slow", data)
        if self.memory is None and passed > self.seconds / 10:
            self.memory = _resident()

    def _find(self, what: str, data: bytes) -> None:
        """Keeps the shortest input behind each finding."""
        name = hashlib.sha256(what.encode()).hexdigest()[:8]
        file = self.findings / f"{self.reader.name.replace(' ', '-')}-{name}.txt"
        if what not in self.found or len(data) < file.stat().st_size:
            file.write_bytes(data)
            self.found[what] = f"{what} ({file})"

    def _end(self) -> None:
        grown = (_resident() - (self.memory or _resident())) / 2**20
        found = "; ".join(self.found.values()) or "nothing"
        print(
            f"{self.reader.name}: {process_time():.0f} s, {self.inputs:,} inputs, slowest "
            f"{self.slowest[0]:.2f} s ({len(self.slowest[1]):,} characters), memory +{grown:.0f} MB; found: {found}",
            flush=True,
        )
        os._exit(1 if self.found else 0)  # libFuzzer has no other end


def _resident() -> int:
    """The bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
