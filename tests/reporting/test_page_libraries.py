"""The libraries that the page carries: known, licensed, small, and free of what the page's policy forbids."""

from __future__ import annotations

import re
from importlib.resources import files

from pytest_autoeval.reporting.page import DRAWINGS, LIBRARIES, drawing_scripts

PAGE = files("pytest_autoeval.reporting.page")
VENDOR = PAGE.joinpath("vendor")
MOST_BYTES = 600_000


def test_every_library_is_listed_with_version_licence_and_origin() -> None:
    table = VENDOR.joinpath("README.md").read_text("utf-8")
    present = {file.name for file in VENDOR.iterdir() if file.name.endswith(".js")}
    assert {f"vendor/{name}" for name in present} == {script for scripts in LIBRARIES.values() for script in scripts}
    for name in present:
        assert re.search(
            rf"^\| `{re.escape(name)}` \| \S+ \d+\.\d+\.\d+ \| \w+ \(`LICENSE-\w+\.txt`\) \| `dist/\S+` \|$",
            table,
            re.MULTILINE,
        )
    assert "registry" not in table


def test_the_libraries_are_small_and_make_no_code_of_text() -> None:
    texts = [PAGE.joinpath(script).read_text("utf-8") for scripts in LIBRARIES.values() for script in scripts]
    assert sum(len(text.encode()) for text in texts) < MOST_BYTES
    for text in texts:
        assert not re.search(r"\beval\(|new Function|</script|<!--|sourceMappingURL", text)


def test_the_page_carries_the_licences_of_its_libraries() -> None:
    whole = "\n".join(drawing_scripts())
    for licence in LIBRARIES:
        text = PAGE.joinpath(licence).read_text("utf-8")
        assert "Permission" in text
        assert whole.count(text) == 1


def test_our_scripts_write_no_markup_and_no_inline_styles() -> None:
    for name in DRAWINGS:
        text = PAGE.joinpath(name).read_text("utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\bstyle: |\bon\w+=", text), name
