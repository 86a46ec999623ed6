"""What a run takes, row by row, in this checkout and in another: processor time, and seconds where nothing else counts.

    python benchmarks/before_and_after.py --against CHECKOUT [--samples 1000] [--suites 1 100] [--sizes 5 20 50]
        [--rounds 5] [--only REGEX]

Both checkouts take turns. Each figure is the median of all turns, and `times` is the median of the ratios of a turn.
Runs are whole commands: user and system time of all their processes. In a run over a server, that of `full_speed.py`
answers at once; its own time does not count. In all others the model answers inside the process: `right` always gives
the formula back, and `wrong` always its negation, in ten microseconds a sample.

Python's start, pytest and the end are a part of each run, divided by its samples; the rows "a further sample" have none
of it. Beside other rows that are mostly the time of other programs stands the time of the plugin alone: without that of
pytest with xdist and a plain test, which makes the same calls in a bare loop of aiohttp.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from full_speed import IN_FLIGHT, MODEL, PROMPT, SIZES, children_cpu, serving
from full_speed import SUITE as CALLS

LANGUAGES = ("propositional", "first_order", "past_ltl", "regex")
PYTEST = ("-m", "pytest", "-q", "-c", os.devnull, "--rootdir=.", "-p", "autoeval", "-p", "xdist")
ROUND_TRIPS = """
import pytest

@pytest.mark.autoeval({grammar!r}, operators={sizes}, samples={each}, threshold=0, copies="count")
def test_suite_{number}(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
"""
CONFTEST = """
def text_in(messages):
    return messages[-1].content.strip().splitlines()[-1].rpartition(": ")[2]

class Right:
    def complete(self, messages, *, repeat=0):
        return text_in(messages)

class Wrong:
    def complete(self, messages, *, repeat=0):
        text = text_in(messages)
        return text if text.startswith("¬(") else f"¬({text})"

def pytest_autoeval_register(registry):
    registry.add_model("right", Right)
    registry.add_model("wrong", Wrong)
"""
#: A plain test that makes so many calls, as many at once as a run.
PLAIN = """
import asyncio
import itertools

async def ask(session, numbers):
    for number in numbers:
        content = {prompt!r}.format(0, 3, number, 0)
        body = {{"model": {model!r}, "messages": [{{"role": "user", "content": content}}]}}
        async with session.post("{url}/chat/completions", json=body) as response:
            assert (await response.json())["choices"]

async def ask_all():
    import aiohttp

    numbers = iter(range({calls}))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(*(ask(session, numbers) for _ in range({in_flight})))

def test_calls():
    if {calls}:
        asyncio.run(ask_all())
"""
#: A recording of a prompt of two messages, and of the answer to it.
RECORDINGS = """
import json, sys, tempfile, time
from pathlib import Path
from pytest_autoeval.models.cassette import write_recording
from pytest_autoeval.models.recording import file_of

prompt, reply, number = json.load(sys.stdin), {"choices": [{"index": 0, "message": {"content": "It rains."}}]}, 1000
with tempfile.TemporaryDirectory() as name:
    for at in range(-1, number):
        texts = {"system": "Be brief.\\nCopy nothing.", "user": f"{prompt}{at}"}
        body = {"model": "m", "messages": [{"role": role, "content": text} for role, text in texts.items()]}
        write_recording(Path(name) / file_of(body, 0), body, reply)
        if at == -1:  # the first one imports libraries
            started = time.process_time()
    print((time.process_time() - started) / number * 1000)
"""
DRAWING = """
import json, sys, time, tracemalloc
from pytest_autoeval import sample_formulas

grammar, size, memory = json.load(sys.stdin)
sample_formulas(grammar, operators=3, count=1, exclude=None)
started = time.process_time()
if memory:
    tracemalloc.start()
formulas = sample_formulas(grammar, operators=size, count=300, seed=5, exclude=None)
took = (time.process_time() - started) * 1000
print((tracemalloc.get_traced_memory()[0] / 1000 if memory else took) / len(formulas))
"""


@dataclass(frozen=True)
class Row:
    """A line of the table: its name, its unit, and what measures a checkout.

    ``others`` measures, in the same unit, how much of it is not the plugin's.
    """

    name: str
    unit: str
    measure: Callable[[Path], float]
    others: Callable[[], float] | None = None


def processor_seconds(
    checkout: Path, folder: Path, *arguments: str, loads_all_plugins: bool = False
) -> float:
    """Those of a command of Python in a folder; it may end with failed tests."""
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    environment |= {
        "OPENAI_API_KEY": "none",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "" if loads_all_plugins else "1",
        "PYTHONPATH": str(checkout),
    }
    command = [sys.executable, *arguments]
    before = children_cpu()
    done = subprocess.run(
        command, cwd=folder, env=environment, check=False, capture_output=True, text=True
    )
    if done.returncode not in {0, 1, 10}:
        raise RuntimeError(
            f"{command}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return children_cpu() - before


def printed(checkout: Path, program: str, given: object) -> float:
    """The number that a program prints, which gets a value as JSON."""
    # Python looks for modules in the working directory first.
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(
        command,
        cwd=checkout,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        input=json.dumps(given),
    )
    return float(done.stdout)


def write_suites(
    folder: Path, suites: int, samples: int, grammar: str, sizes: Sequence[int]
) -> None:
    """Suites of round trips in files of their own, with so many samples in all."""
    (folder / "conftest.py").write_text(CONFTEST, "utf-8")
    each = max(samples // suites // len(sizes), 1)
    for number in range(suites):
        text = ROUND_TRIPS.format(grammar=grammar, sizes=[*sizes], each=each, number=number)
        (folder / f"test_{number}.py").write_text(text, "utf-8")


def round_trips(
    suites: int, samples: int, grammar: str, sizes: Sequence[int], *options: str
) -> Callable[[Path], float]:
    """Measures the milliseconds for a sample of a run."""

    def measure(checkout: Path) -> float:
        with tempfile.TemporaryDirectory() as name:
            write_suites(Path(name), suites, samples, grammar, sizes)
            took = processor_seconds(
                checkout, Path(name), *PYTEST, "--autoeval-shrink-budget=0", *options
            )
            return took / samples * 1000

    return measure


def installed_start(checkout: Path) -> float:
    """The milliseconds of a run with one sample. pytest takes the checkout for an installed package.

    Of an installed plugin pytest rewrites all modules, and of a checkout none.
    """
    with tempfile.TemporaryDirectory() as name:
        packages, tests = Path(name, "packages"), Path(name, "tests")
        tests.mkdir()
        write_suites(tests, 1, 1, "propositional", [3])
        about = packages / "pytest_autoeval-0.dist-info"
        about.mkdir(parents=True)
        (packages / "pytest_autoeval").symlink_to(checkout / "pytest_autoeval")
        (about / "METADATA").write_text("Name: pytest-autoeval\nVersion: 0\n", "utf-8")
        entry = "[pytest11]\nautoeval = pytest_autoeval.plugin\n"
        (about / "entry_points.txt").write_text(entry, "utf-8")
        files = checkout.glob("pytest_autoeval/**/*.py")
        record = "".join(f"{file.relative_to(checkout)},,\n" for file in files)
        (about / "RECORD").write_text(record, "utf-8")
        options = ("--autoeval-shrink-budget=0", "--autoeval-model=right")
        return 1000 * processor_seconds(packages, tests, *PYTEST, *options, loads_all_plugins=True)


def right_runs(suites: int, sizes: Sequence[int], samples: int) -> Callable[[Path], float]:
    """Measures runs of the right model, with so many samples."""
    return round_trips(suites, samples, "propositional", sizes, "--autoeval-model=right")


def language_runs(model: str, grammar: str, size: int, samples: int) -> Callable[[Path], float]:
    """Measures runs of a model with formulas of one size, with so many samples."""
    return round_trips(1, samples, grammar, [size], f"--autoeval-model={model}")


def report(samples: int, checkout: Path) -> float:
    """The milliseconds of `report` for a sample."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_suites(folder, 1, samples, "propositional", SIZES)
        options = ("--autoeval-model=right", "--autoeval-results=results.jsonl")
        processor_seconds(checkout, folder, *PYTEST, *options)
        return (
            processor_seconds(checkout, folder, "-m", "pytest_autoeval", "report", "results.jsonl")
            / samples
            * 1000
        )


def further(
    measure: Callable[[int], Callable[[Path], float]], samples: int
) -> Callable[[Path], float]:
    """Measures the milliseconds for each sample beyond so many, from three times as many."""

    def measure_slope(checkout: Path) -> float:
        fewer, more = (measure(number)(checkout) * number for number in (samples, samples * 3))
        return (more - fewer) / (samples * 2)

    return measure_slope


def served(samples: int, url: str, folder: Path, checkout: Path, *options: str) -> float:
    """The processor seconds of a suite whose samples ask a server twice."""
    drawn = {
        "first": SIZES.start,
        "end": SIZES.stop,
        "samples": samples // len(SIZES),
        "prompt": PROMPT,
    }
    (folder / "test_calls.py").write_text(CALLS.format(number=0, **drawn), "utf-8")
    server = (
        f"--autoeval-base-url={url}",
        f"--autoeval-model={MODEL}",
        "--autoeval-concurrency=64",
    )
    return processor_seconds(checkout, folder, *PYTEST, *server, *options)


def calls(samples: int, url: str, checkout: Path) -> float:
    """The milliseconds for a call."""
    with tempfile.TemporaryDirectory() as name:
        return served(samples, url, Path(name), checkout) / samples / 2 * 1000


def without_plugin(calls: int, url: str) -> float:
    """The processor seconds of pytest with a plain test that makes so many calls."""
    with tempfile.TemporaryDirectory() as name:
        text = PLAIN.format(calls=calls, url=url, model=MODEL, prompt=PROMPT, in_flight=IN_FLIGHT)
        (Path(name) / "test_plain.py").write_text(text, "utf-8")
        plugin = PYTEST.index("autoeval")
        options = (*PYTEST[: plugin - 1], *PYTEST[plugin + 1 :])
        return processor_seconds(Path(name), Path(name), *options)


def resumed(samples: int, url: str, checkout: Path) -> float:
    """The milliseconds for a call that an interrupted run made: nine of ten."""
    with tempfile.TemporaryDirectory() as name:
        served(samples, url, Path(name), checkout, f"--autoeval-max-calls={samples * 18 // 10}")
        return served(samples, url, Path(name), checkout, "--autoeval-resume") / samples / 2 * 1000


def rows(samples: int, suites: Sequence[int], sizes: Sequence[int], url: str) -> Iterator[Row]:
    """All lines."""
    yield Row(
        "start and end: one sample",
        "ms",
        round_trips(1, 1, "propositional", [3], "--autoeval-model=right"),
        lambda: without_plugin(0, url) * 1000,
    )
    yield Row("start and end, as installed: one sample", "ms", installed_start)
    number = 2 * samples
    yield Row(
        f"calls of a server: {samples:,} samples",
        "ms a call",
        partial(calls, samples, url),
        lambda: without_plugin(number, url) / number * 1000,
    )
    yield Row(
        f"resume: {samples:,} samples",
        "ms a call",
        partial(resumed, samples, url),
        lambda: without_plugin(number // 10, url) / number * 1000,
    )
    yield Row("recording", "ms", lambda checkout: printed(checkout, RECORDINGS, f"{PROMPT}\n"))
    models = [f"--autoeval-model={name}" for name in ("m1", "m2", "m3")]
    for number in suites:
        if number > samples // 10:
            continue
        drawn = SIZES if number * len(SIZES) <= samples else [5]
        for model in ("right", "wrong"):
            measure = round_trips(
                number, samples, "propositional", drawn, f"--autoeval-model={model}"
            )
            yield Row(f"run, {model}: {samples:,} samples, {number} suites", "ms a sample", measure)
        of_right_model = partial(right_runs, number, drawn)
        slope = further(of_right_model, samples)
        yield Row(f"run, right: a further sample beyond {samples:,}, {number} suites", "ms", slope)
        plan = round_trips(number, samples, "propositional", drawn, *models, "--autoeval-plan")
        yield Row(f"plan, 3 models: {samples:,} samples, {number} suites", "ms a sample", plan)
    for grammar in LANGUAGES:
        # A size of a regular expression is its depth.
        for size in sizes[:1] if grammar == "regex" else sizes:
            for model in ("right", "wrong"):
                runs = partial(language_runs, model, grammar, size)
                name = f"run, {model}: {grammar} {size}"
                yield Row(f"{name}, 200 samples", "ms a sample", runs(200))
                yield Row(f"{name}, a further sample beyond 400", "ms", further(runs, 400))
            plan = round_trips(1, 200, grammar, [size], "--autoeval-model=m1", "--autoeval-plan")
            yield Row(f"plan: {grammar} {size}, 200 samples", "ms a sample", plan)
    for grammar in LANGUAGES:
        for size in sizes[:1] if grammar == "regex" else sizes:
            for memory, unit in ((False, "ms a formula"), (True, "KB a formula")):
                measure = partial(printed, program=DRAWING, given=[grammar, size, memory])
                yield Row(f"drawing: {grammar} {size}", unit, measure)
    yield Row(f"report: {samples:,} samples", "ms a sample", partial(report, samples))
    slope = further(lambda number: partial(report, number), samples)
    yield Row(f"report: a further sample beyond {samples:,}", "ms", slope)


def compared(turns: Sequence[tuple[float, float]]) -> str:
    """Three cells: the medians before and after, and that of the ratios."""
    before, after = (statistics.median(turn[side] for turn in turns) for side in (0, 1))
    times = statistics.median(before / after for before, after in turns)
    return f"{before:.3g} | {after:.3g} | {times:.2f}"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--against", type=Path, required=True, help="another checkout, from before a change"
    )
    parser.add_argument(
        "--samples", type=int, nargs="*", default=[1000], help="the samples of a run"
    )
    parser.add_argument(
        "--suites", type=int, nargs="*", default=[1, 100], help="the suites that have them"
    )
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[5, 20, 50], help="sizes of formulas"
    )
    parser.add_argument("--rounds", type=int, default=5, help="turns of each checkout")
    parser.add_argument(
        "--only", default="", metavar="REGEX", help="the lines to print, by their names"
    )
    asked = parser.parse_args()
    this, other = Path(__file__).resolve().parents[1], asked.against.resolve()
    print("| row | unit | before | after | times | plugin before | plugin after | times |")
    print("|---|---|---|---|---|---|---|---|")
    shown = set()
    with serving(0.0) as url:
        for samples in asked.samples:
            for row in rows(samples, asked.suites, asked.sizes, url):
                if (row.name, row.unit) in shown or not re.search(asked.only, row.name):
                    continue
                shown.add((row.name, row.unit))
                turns, turns_of_plugin = [], []
                for _ in range(asked.rounds):
                    before, after = row.measure(other), row.measure(this)
                    turns.append((before, after))
                    if row.others is not None:
                        others = row.others()
                        turns_of_plugin.append((before - others, after - others))
                of_plugin = compared(turns_of_plugin) if turns_of_plugin else " |  | "
                print(f"| {row.name} | {row.unit} | {compared(turns)} | {of_plugin} |", flush=True)


if __name__ == "__main__":
    main()
