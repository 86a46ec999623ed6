"""A headless Chromium that opens pages from files, and tells everything that it asked the network for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.page_canvas import Canvas, PageOf

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Every test of this folder needs a browser."""
    item.add_marker(pytest.mark.extra("selenium", "chromedriver"))


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """One browser for all tests; :func:`page_of` gives each of them a clean page."""
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService

    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""  # else chromedriver finds Chrome
    for flag in (*_FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(
        options=options, service=ChromeService(executable_path=shutil.which("chromedriver"))
    )
    yield driver
    driver.quit()


class Page:
    """A page that is open in the browser."""

    def __init__(self, browser: Chrome, path: Path) -> None:
        self.browser = browser
        self.address = path.as_uri()

    def open(self, hash_: str = "") -> None:
        """Opens the page afresh at a hash, and waits until its list can be used."""
        self.browser.get("about:blank")
        self.browser.get(self.address + hash_)
        self.until("document.documentElement.dataset.ready === 'true'")

    def size(self, width: int, height: int = 900) -> None:
        """The room that the page has, in CSS pixels."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def prefers(self, **features: str) -> None:
        """What the system is said to prefer, as in ``prefers_color_scheme="dark"``."""
        told = [
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()
        ]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": told})

    def value(self, expression: str) -> Any:
        """What an expression is in the page."""
        return self.browser.execute_script(f"return ({expression})")

    def until(self, expression: str) -> None:
        """Waits until an expression is true in the page."""
        from selenium.webdriver.support.ui import WebDriverWait

        message = f"never true: {expression}"
        WebDriverWait(self.browser, 20, 0.02).until(lambda _: self.value(expression), message)

    def press(self, *keys: str) -> None:
        """Presses keys, on whatever has the focus."""
        from selenium.webdriver import ActionChains

        ActionChains(self.browser).send_keys(*keys).perform()

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that a selector finds."""
        found: list[str] = self.value(
            f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)"
        )
        return found

    def text(self, selector: str) -> str:
        """The text of the only element that a selector finds."""
        (found,) = self.texts(selector)
        return found

    def complaints(self) -> list[str]:
        """What the console was told since it was asked last: errors and warnings."""
        return [entry["message"] for entry in self._log("browser") if entry["level"] != "INFO"]

    def requests(self) -> list[str]:
        """The addresses that were asked for since that was asked last."""
        entries = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        sent = [
            entry["params"] for entry in entries if entry["method"] == "Network.requestWillBeSent"
        ]
        return [one["request"]["url"] for one in sent]

    def _log(self, name: str) -> list[Any]:
        browser: Any = self.browser  # get_log has no types
        told: list[Any] = browser.get_log(name)
        return told


@pytest.fixture
def page_of(browser: Chrome, tmp_path: Path) -> Iterator[PageOf]:
    """Opens some HTML at a hash, in a window of a laptop's size; None: only makes the page.

    What the test changed is undone after it. No page may complain or ask for anything but itself.
    """
    last: list[Page] = []

    def made(html: str, hash_: str | None = "") -> Page:
        check_silence(last)
        path = tmp_path / "page.html"
        path.write_bytes(html.encode())
        page = Page(browser, path)
        page.size(1280)
        browser.get("about:blank")
        page.complaints()
        page.requests()
        last[:] = [page]
        if hash_ is not None:
            page.open(hash_)
        return page

    yield made
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    check_silence(last)


def check_silence(pages: list[Page]) -> None:
    for page in pages:
        assert page.complaints() == []
        assert {address.partition("#")[0] for address in page.requests()} <= {
            page.address,
            "about:blank",
        }


@pytest.fixture
def canvas(page_of: PageOf) -> Canvas:
    """A page to draw on."""
    return Canvas(page_of)
