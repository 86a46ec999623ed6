"""How near a run comes to a plain loop over the same client: whole commands, side by side, against a server of our own.

    python benchmarks/full_speed.py [--quick] [--rounds 5] [--concurrency 64] [--only REGEX]

Both sides make the same 4,000 calls with 64 in flight. The bare loop is 64 threads over one `openai.OpenAI`, and keeps
nothing. A run draws its samples, keeps every answer and row, and judges. The two take turns; a ratio is that of one
turn, the median and range of all turns are shown. `first call` is from the start of the process, `exit` from the last
answer. `CPU` is that of the run's processes, for a call. Replay times are those of the items alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

MODEL = "benchmark"
IN_FLIGHT = 64
#: What every installation has; whatever else stands in this environment is left out.
PLUGINS = ("hypothesispytest", "xdist", "autoeval")
SIZES = range(3, 13)
#: As long as a short prompt of the packaged suites.
PROMPT = (
    "Say what the formula means in plain English, in one sentence, and copy no sign of it. " * 8
    + "{} {} {} {}"
)
#: A suite that asks twice for a sample. Its prompts are those of the bare loop.
SUITE = """
import pytest

@pytest.mark.autoeval(
    "propositional", operators=range({first}, {end}), samples={samples}, threshold=0.9, verified=False
)
def test_suite_{number}(sample, llm):
    for turn in range(2):
        llm.ask({prompt!r}.format({number}, sample.operators, sample.index, turn))
"""
REPLY = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": MODEL,
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "It rains, or it snows."},
        }
    ],
    "usage": {"prompt_tokens": 150, "completion_tokens": 7, "total_tokens": 157},
}


# --- the server ---


@dataclass
class Served:
    """What the server saw since it was last asked, in seconds of the clock that all processes share."""

    calls: int = 0
    first: float = 0.0
    last: float = 0.0
    in_flight: int = 0
    most: int = 0


@dataclass
class Server(asyncio.Protocol):
    """One connection. It answers each request, without reading it, after a while; `GET` gives the notes."""

    seconds: float
    notes: Served
    transport: asyncio.Transport = field(init=False)
    unread: bytes = b""

    _BODY = json.dumps(REPLY).encode()
    _HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    _ANSWER = _HEAD % len(_BODY) + _BODY

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.unread += data
        head, found, body = self.unread.partition(b"\r\n\r\n")
        if not found:
            return
        if head.startswith(b"GET"):
            text = json.dumps(asdict(self.notes)).encode()
            self.transport.write(self._HEAD % len(text) + text)
            vars(self.notes).update(asdict(Served()))
        elif len(body) >= int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]):
            notes = self.notes
            notes.calls += 1
            notes.first = notes.first or time.monotonic()
            notes.in_flight += 1
            notes.most = max(notes.most, notes.in_flight)
            if self.seconds:
                asyncio.get_running_loop().call_later(self.seconds, self.answer)
            else:
                self.answer()
        else:
            return
        self.unread = b""

    def answer(self) -> None:
        self.notes.in_flight -= 1
        self.notes.last = time.monotonic()
        self.transport.write(self._ANSWER)


async def serve(seconds: float) -> None:
    """Serves until it is killed, and prints its port first."""
    notes = Served()
    server = await asyncio.get_running_loop().create_server(
        lambda: Server(seconds, notes), "127.0.0.1", backlog=512
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def serving(seconds: float) -> Iterator[str]:
    """A server in a process of its own; its base URL."""
    command = [sys.executable, __file__, "--serve", str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


# --- the two sides ---


@dataclass(frozen=True)
class Case:
    """One shape of a run: so many suites of so many samples of each size; replies come after some seconds."""

    name: str
    suites: int
    samples: int
    latency: float
    options: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """Two for each sample."""
        return self.suites * self.samples * len(SIZES) * 2


def bare(url: str, suites: int, samples: int) -> None:
    """The plain loop, in this process."""
    from openai import OpenAI

    client = OpenAI(base_url=url, api_key="none")

    def asked(sample: tuple[int, int, int]) -> str | None:
        for turn in range(2):
            message = {"role": "user", "content": PROMPT.format(*sample, turn)}
            reply = client.chat.completions.create(model=MODEL, messages=[message])  # type: ignore[list-item]
        return reply.choices[0].message.content

    todo = [
        (suite, size, index)
        for suite in range(suites)
        for size in SIZES
        for index in range(samples)
    ]
    with ThreadPoolExecutor(IN_FLIGHT) as threads:
        assert all(threads.map(asked, todo))


def run_command(case: Case, url: str, concurrency: str, folder: Path) -> list[str]:
    """The run of a case, whose suites are written into the folder."""
    drawn = {"first": SIZES.start, "end": SIZES.stop, "samples": case.samples, "prompt": PROMPT}
    suites = "".join(SUITE.format(number=number, **drawn) for number in range(case.suites))
    (folder / "test_suites.py").write_text(suites, "utf-8")
    options = [
        f"--autoeval-{name}"
        for name in (f"base-url={url}", f"model={MODEL}", f"concurrency={concurrency}")
    ]
    plugins = [part for name in PLUGINS for part in ("-p", name)]
    pytest = [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir=.", *plugins]
    return [*pytest, *options, *case.options, "test_suites.py"]


@dataclass(frozen=True)
class Measured:
    """One command: its seconds, those before its first call and after its last answer, and its CPU seconds."""

    seconds: float
    before: float
    after: float
    cpu: float
    most: int


def measured(command: Sequence[str], url: str, folder: Path, calls: int) -> Measured:
    """Carries out a command; raises :class:`RuntimeError` where it fails or makes another number of calls."""
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    environment |= {"OPENAI_API_KEY": "none", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    cpu, started = children_cpu(), time.monotonic()
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    ended = time.monotonic()
    with urllib.request.urlopen(url) as notes:  # noqa: S310 - our own server
        served = Served(**json.load(notes))
    if done.returncode or served.calls != calls:
        raise RuntimeError(
            f"{served.calls} of {calls} calls, exit code {done.returncode}:\n{done.stdout[-3000:]}"
        )
    return Measured(
        ended - started,
        served.first - started,
        ended - served.last,
        children_cpu() - cpu,
        served.most,
    )


def children_cpu() -> float:
    """The CPU seconds of all processes that this one has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


# --- the tables ---


def compared(case: Case, rounds: int, concurrency: str) -> str:
    """A line of the first table."""
    plain, ours = [], []
    with serving(case.latency) as url, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        loop = [sys.executable, __file__, "--bare", url, str(case.suites), str(case.samples)]
        sides = loop, run_command(case, url, concurrency, folder)
        for turn in range(rounds + 1):
            one, other = (measured(side, url, folder, case.calls) for side in sides)
            if turn:  # the first one warms the caches
                plain.append(one)
                ours.append(other)
    cells = [
        case.name,
        spread([one.seconds for one in plain], ".1f"),
        spread([one.seconds for one in ours], ".1f"),
        f"**{spread([other.seconds / one.seconds for one, other in zip(plain, ours, strict=True)], '.2f')}**",
        spread([one.before for one in ours], ".2f"),
        spread([one.after for one in ours], ".2f"),
        f"{statistics.median(one.cpu for one in plain) / case.calls * 1000:.2f}",
        f"{statistics.median(one.cpu for one in ours) / case.calls * 1000:.2f}",
        str(max(one.most for one in ours)),
    ]
    return f"| {' | '.join(cells)} |"


def replayed(recordings: int, rounds: int, concurrency: str) -> str:
    """The milliseconds for a replayed call."""
    with serving(0.0) as url, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        case = Case("", suites=1, samples=recordings // len(SIZES) // 2, latency=0.0)
        command = [*run_command(case, url, concurrency, folder), "--autoeval-cassettes=recordings"]
        measured([*command, "--autoeval-record-mode=all"], url, folder, case.calls)
        command += ["--autoeval-record-mode=none", "--junitxml=junit.xml"]
        found = []
        for _ in range(rounds):
            measured(command, url, folder, 0)
            item = ET.parse(folder / "junit.xml").find(".//testcase")  # noqa: S314 - our own file
            assert item is not None
            found.append(float(item.attrib["time"]) / recordings * 1000)
    return spread(found, ".2f")


def spread(figures: Sequence[float], form: str) -> str:
    """The median, and the range where there are several figures."""
    middle = f"{statistics.median(figures):{form}}"
    return (
        middle if len(figures) == 1 else f"{middle} ({min(figures):{form}}–{max(figures):{form}})"
    )


def cases(samples: int) -> list[Case]:
    """What is compared, with so many samples in a run."""
    each = samples // len(SIZES)
    two = ("-n", "2")
    return [
        Case("one suite", 1, each, 0.2),
        Case("one suite, `-n 2`", 1, each, 0.2, two),
        Case("20 suites", 20, each // 20, 0.2),
        Case("20 suites, `-n 2`", 20, each // 20, 0.2, two),
        Case("one suite, at once", 1, each, 0.0),
        Case("4 suites, at once, `-n 2`", 4, each // 4, 0.0, two),
        Case("20 suites, at once", 20, each // 20, 0.0),
    ]


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples, one turn")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each side")
    parser.add_argument(
        "--concurrency", default=str(IN_FLIGHT), help="the value of --autoeval-concurrency"
    )
    parser.add_argument(
        "--only", default="", metavar="REGEX", help="the lines to print, by their names"
    )
    parser.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--bare", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve is not None:
        asyncio.run(serve(asked.serve))
    elif asked.bare:
        url, suites, samples = asked.bare
        bare(url, int(suites), int(samples))
    else:
        samples, rounds = (200, 1) if asked.quick else (2000, asked.rounds)
        tables(samples, rounds, asked.concurrency, asked.only)


def tables(samples: int, rounds: int, concurrency: str, only: str) -> None:
    """Prints the lines whose names match ``only``."""
    print(
        f"{samples:,} samples of 2 calls, {IN_FLIGHT} in flight. Seconds: the median of {rounds}, and the range.\n"
    )
    print(
        "| run | bare loop | run | ratio | first call | exit | CPU ms: bare | CPU ms: run | most in flight |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for case in cases(samples):
        if re.search(only, case.name):
            print(compared(case, rounds, concurrency), flush=True)
    print("\n| replay | ms for a call |\n|---|---|")
    for recordings in (200, 2000, 20_000)[: 2 if samples < 2000 else 3]:
        if re.search(only, name := f"{recordings:,} recordings"):
            print(f"| {name} | {replayed(recordings, rounds, concurrency)} |", flush=True)


if __name__ == "__main__":
    main()
