"""Makes `docs/page.png`: the page of a run of two real models, as README and the site's home show it.

    python docs/screenshot.py [--to FILE.png]

The answers are the recordings of `cassettes/`, so the run asks no server. It needs Pillow, selenium, Chromium and
chromedriver.
"""

from __future__ import annotations

import argparse
import base64
import os
import shutil
import subprocess
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image as Picture
    from selenium.webdriver import Chrome

ROOT = Path(__file__).parents[1]
#: The free answers of the last run in `cassettes/README.md`, and a threshold that one model meets on one suite.
RUN = (
    *(f"suites/test_{name}.py" for name in ("propositional", "first_order", "ltl", "regex")),
    *("-k", "not english and not past", "--autoeval-prompting=few-shot"),
    *(
        f"--autoeval-model={name}"
        for name in ("Qwen2.5-Coder-0.5B-Instruct", "SmolLM2-135M-Instruct")
    ),
    *("--autoeval-samples=4", "--autoeval-operators=1,2,3", "--autoeval-shrink-budget=0"),
    *("--autoeval-temperature=0", "--autoeval-max-tokens=150", "--autoeval-copies=count"),
    *("--autoeval-record-mode=none", "--autoeval-threshold=25%"),
)
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
)
WIDTH, SCALE, COLOURS = 1120, 1.5, 128
#: Opens the suite of the better model whose witness is drawn, and gives where its first counterexample ends.
OPEN = """
const suites = [...document.querySelectorAll(".suite-section")];
const shown = suites.find(({ textContent }) => textContent.includes("[Qwen") && textContent.includes("test_regex.py"));
suites[0].open = false;
shown.open = true;
const end = () => shown.querySelector("details.counterexample").getBoundingClientRect().bottom + scrollY;
return new Promise((done) => setTimeout(() => done(end()), 500));
"""


def main() -> None:
    """Writes the picture."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--to", type=Path, default=ROOT / "docs/page.png", help="where the picture is written"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            *RUN,
            f"--autoeval-html={page}",
        ]
        # Its exit code is that of the gates.
        subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
        smaller(picture(page, Path(folder))).save(arguments.to, optimize=True)
    print(f"{arguments.to}: {arguments.to.stat().st_size / 1000:.0f} kB")


def picture(page: Path, folder: Path) -> bytes:
    """The upper part of the page as PNG, with one suite open."""
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    with Chrome(
        options=options, service=ChromeService(shutil.which("chromedriver"), log_output=os.devnull)
    ) as browser:
        room = {"width": WIDTH, "height": 900, "deviceScaleFactor": SCALE, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", room)
        browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        browser.get(page.as_uri())
        wait_until_ready(browser)
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": browser.execute_script(OPEN), "scale": 1}
        shot = browser.execute_cdp_cmd(
            "Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip}
        )
        return base64.b64decode(shot["data"])


def smaller(png: bytes) -> Picture:
    """The picture with a palette, which makes its file a third as large."""
    from PIL import Image

    return Image.open(BytesIO(png)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)


def wait_until_ready(browser: Chrome) -> None:
    """Waits until the list of samples can be used."""
    deadline = time.monotonic() + 60
    while browser.execute_script("return document.documentElement.dataset.ready") != "true":
        if time.monotonic() > deadline:
            raise SystemExit("the page was never ready")
        time.sleep(0.02)


if __name__ == "__main__":
    main()
