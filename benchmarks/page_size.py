"""How large the page of 20,000 samples is, and how long it takes to make, to show in a browser, and to search.

    python benchmarks/page_size.py [--samples 20000] [--keep PAGE.html]

The samples are real ones, of four packaged suites that two offline students run, repeated with other names, digests and
times until there are enough: no two say the same. `usable` is the time from the navigation to the mark that the page
sets when its list can be used, `filter` and `search` from a key to the list that it leaves, the search once before
and once after the rows have been unpacked; `longest task` is the longest that the page did not answer meanwhile.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.report.analysis import analyse
from pytest_autoeval.report.document import document
from pytest_autoeval.report.renderers.page import render_page

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

ROOT = Path(__file__).parent.parent
SUITES = ("propositional", "first_order", "regex", "ltl")
MODELS = ("offline/student?strength=0.90", "offline/student?strength=0.97")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
)
#: Tells of every stretch of more than 50 ms in which the page did nothing else.
WATCH = """
window.longest = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
}).observe({ type: "longtask", buffered: true });
"""
#: Changes a control of the filter, and gives the milliseconds until the count is written anew.
TIMED = """
const [id, value, done] = arguments;
const control = document.getElementById(id);
const started = performance.now();
new MutationObserver((_, observer) => {
  observer.disconnect();
  done([performance.now() - started, document.getElementById("count").textContent]);
}).observe(document.getElementById("count"), { childList: true, characterData: true, subtree: true });
control.value = value;
control.dispatchEvent(new Event("input", { bubbles: true }));
"""


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--keep", type=Path, help="where the page is to stay")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        suites = multiplied(real_suites(Path(folder)), arguments.samples)
        started = time.perf_counter()
        analysis = analyse(suites, Rules(threshold=0.8))
        analysed = time.perf_counter()
        shown = document(analysis)
        documented = time.perf_counter()
        page = render_page(
            shown, suites, title="benchmark", command_of=lambda sample: sample.suite.asked.test
        ).encode()
        rendered = time.perf_counter()
        path = arguments.keep or Path(folder) / "page.html"
        path.write_bytes(page)
        print(f"{'samples':<14}{sum(len(suite.samples) for suite in suites):>10,}")
        print(f"{'size':<14}{len(page) / 1e6:>10.2f} MB")
        print(f"{'analyse':<14}{analysed - started:>10.2f} s")
        print(f"{'document':<14}{documented - analysed:>10.2f} s")
        print(f"{'render':<14}{rendered - documented:>10.2f} s")
        for name, milliseconds, note in in_browser(path, Path(folder)):
            print(f"{name:<14}{milliseconds:>10.0f} ms  {note}")


def real_suites(folder: Path) -> list[SuiteRecord]:
    """The suites of a real run of offline models."""
    results = folder / "results.jsonl"
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *(str(ROOT / f"suites/test_{name}.py") for name in SUITES),
        *(f"--autoeval-model={model}" for model in MODELS),
        *("--autoeval-samples=12", "--autoeval-shrink-budget=0", f"--autoeval-results={results}"),
    ]
    # Its exit code is that of the gates, which do not matter here.
    subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
    return read_file(results).suites


def multiplied(suites: list[SuiteRecord], count: int) -> list[SuiteRecord]:
    """The suites with so many samples: copies with other names in them, and digests, tokens and times of their own."""
    chance = random.Random(1)
    samples = [sample for suite in suites for sample in suite.samples]
    for suite in suites:
        suite.samples = []
    for number in range(count):
        sample = samples[number % len(samples)]
        sample.suite.samples.append(renamed(sample, number // len(samples), chance))
    for suite in suites:
        suite.samples.sort(key=lambda sample: sample.key)
    return suites


def renamed(sample: Sample, turn: int, chance: random.Random) -> Sample:
    """A copy of a sample as if another formula had been drawn in another run."""

    def other(text: Any) -> Any:
        return (
            re.sub(r"\d+", lambda number: str((int(number[0]) * 7 + turn) % 97), text)
            if text
            else text
        )

    texts = {
        key: other(getattr(sample, key))
        for key in ("formula", "answer", "translation", "witness_text")
    }
    calls = tuple(
        replace(
            call,
            prompt_digest=f"{chance.getrandbits(256):064x}",
            seconds=chance.uniform(0.2, 4.0),
            cost=chance.uniform(1e-5, 1e-3),
            prompt_tokens=(call.prompt_tokens or 0) + chance.randrange(40),
        )
        for call in sample.calls
    )
    description = (
        f"{other(sample.description)} Number {turn} of its kind." if sample.description else None
    )
    return replace(
        sample, **texts, description=description, calls=calls, index=turn * 1000 + sample.index
    )


def in_browser(path: Path, folder: Path) -> list[tuple[str, float, str]]:
    """What a headless Chromium takes to show the page, and to filter and search it."""
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    with Chrome(
        options=options, service=ChromeService(shutil.which("chromedriver"), log_output=os.devnull)
    ) as browser:
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        usable = min(opened(browser, path) for _ in range(3))
        measured = [
            ("usable", usable, "best of 3"),
            ("longest task", longest(browser), "while it is opened"),
        ]
        for name, control, value in (
            ("filter", "filter-outcome", "different"),
            ("unfilter", "filter-outcome", ""),
            ("search", "filter-text", "number 7 of its kind"),
            ("longest task", "", "while it is searched"),
            ("search again", "filter-text", "number 8 of its kind"),
        ):
            if control:
                took, count = browser.execute_async_script(TIMED, control, value)
                measured.append((name, took, count))
            else:
                measured.append((name, longest(browser), value))
        return measured


def opened(browser: Chrome, path: Path) -> float:
    """Opens the page; gives the milliseconds after which its list can be used."""
    browser.get("about:blank")
    browser.get(path.as_uri())
    mark = "return performance.getEntriesByName('autoeval-ready')[0]?.startTime"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if (milliseconds := browser.execute_script(mark)) is not None:
            return float(milliseconds)
        time.sleep(0.02)
    raise SystemExit("the page was never ready")


def longest(browser: Chrome) -> float:
    """The longest stretch since this was asked last in which the page did not answer, in milliseconds."""
    return float(
        browser.execute_script("const found = window.longest; window.longest = 0; return found")
    )


if __name__ == "__main__":
    main()
