"""The site has every page, and the pages that are read on GitHub link to what is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def files(entries: Any) -> list[str]:
    """The pages in a part of the navigation."""
    if isinstance(entries, str):
        return [entries]
    return [
        file
        for entry in (entries.values() if isinstance(entries, dict) else entries)
        for file in files(entry)
    ]


def test_the_navigation_names_every_page_once() -> None:
    # The generator does not check this.
    listed = files(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"])
    docs = ROOT / "docs"
    assert sorted(listed) == sorted(
        path.relative_to(docs).as_posix() for path in docs.rglob("*.md")
    )


def test_the_first_page_leads_to_every_other_page() -> None:
    docs = ROOT / "docs"
    linked = set(re.findall(r"\]\(([^)#]+\.md)", (docs / "index.md").read_text("utf-8")))
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    assert pages - {"index.md"} <= linked


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "how-to").glob("*.md")), ids=lambda page: page.stem
)
def test_a_how_to_starts_from_a_goal_and_says_what_comes_next(page: Path) -> None:
    text = page.read_text("utf-8")
    assert text.splitlines()[2].startswith("Goal: ")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE)[-1] == "Next"


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("docs/**/*.md")), ids=lambda page: str(page.relative_to(ROOT))
)
def test_no_table_is_cut_by_an_empty_line(page: Path) -> None:
    code = False
    lines = ["", *page.read_text("utf-8").splitlines(), ""]
    for above, line, below in zip(lines, lines[1:], lines[2:], strict=False):
        code ^= line.startswith("```")
        if not code and line.startswith("|") and not above.startswith("|"):
            assert set(below) <= set("|-: "), line


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 170


@pytest.mark.parametrize(
    "page",
    [
        *(
            ROOT / name
            for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md")
        ),
        *sorted(ROOT.glob("examples/*/README.md")),
    ],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_links_outside_the_site_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target
