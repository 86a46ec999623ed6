"""Kept counterexamples on disk: what stands in a file, and what is said of a file that is not ours."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval.running.kept import KeptFormula, read_folder

KEPT = KeptFormula(
    suite="suites/test_propositional.py::test_round_trip",
    grammar="propositional",
    language="propositional",
    vocabulary="default",
    operators=2,
    formula="¬(p1 ∧ p2)",
    first_seen="2026-01-02",
    last_seen="2026-03-04",
)
NAME = "test_propositional-test_round_trip-86cb191abee8.json"
TEXT = """\
{
  "schema_version": 1,
  "suite": "suites/test_propositional.py::test_round_trip",
  "grammar": "propositional",
  "language": "propositional",
  "vocabulary": "default",
  "operators": 2,
  "formula": "¬(p1 ∧ p2)",
  "first_seen": "2026-01-02",
  "last_seen": "2026-03-04"
}
"""


def test_a_file_reads_well_and_says_nothing_of_a_model(tmp_path: Path) -> None:
    written = KEPT.write(tmp_path / "new" / "folder")
    (file,) = (tmp_path / "new" / "folder").iterdir()
    assert (file.name, file.read_text(encoding="utf-8")) == (NAME, TEXT)
    assert read_folder(file.parent).counterexamples == [written]


names = st.text(min_size=1, max_size=30).filter(lambda text: text.isprintable())


@given(suite=names, formula=names, item=st.none() | names, operators=st.integers(0, 99))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, suite: str, formula: str, item: str | None, operators: int
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    kept = KeptFormula(
        suite=suite,
        grammar="g",
        language="regex",
        vocabulary="custom",
        operators=operators,
        formula=formula,
        item=item,
        first_seen="2026-01-02",
        last_seen="2026-01-02",
    )
    assert kept.write(folder) in read_folder(folder).counterexamples


def test_the_name_depends_on_what_is_kept_and_not_on_the_days() -> None:
    assert replace(KEPT, last_seen="2027-01-01").name == KEPT.name
    others: list[dict[str, Any]] = [{"suite": "other.py::test"}, {"grammar": "ksat"}, {"formula": "p1"}]
    assert len({KEPT.name, *(replace(KEPT, **other).name for other in others)}) == 4


def test_seeing_it_again_widens_the_days_and_keeps_what_else_the_file_says(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(TEXT.replace('"formula"', '"why": "issue 12",\n  "formula"'), "utf-8")
    (kept,) = read_folder(tmp_path).counterexamples
    kept.seen("2026-05-06").write(tmp_path)
    told = json.loads((tmp_path / "mine.json").read_text("utf-8"))
    assert (told["first_seen"], told["last_seen"], told["why"]) == ("2026-01-02", "2026-05-06", "issue 12")
    assert [file.name for file in tmp_path.iterdir()] == ["mine.json"]
    assert KEPT.seen("2026-02-01") == KEPT, "a clock that went back never shortens the days"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "line 1, column 1: *"),
        (b"\xff\xfe", "it is not UTF-8"),
        (b"[" * 200_000, "*recursion*"),
        (b'{"name": "package", "version": 1}', "it has no key 'formula'"),
        (TEXT.replace("1,", "2,", 1).encode(), "it has schema_version 2; *"),
        (TEXT.replace('"¬(p1 ∧ p2)"', "7").encode(), "it lacks a text under formula"),
        (TEXT.replace(": 2", ": true").encode(), "'operators' must be an integer*"),
        (TEXT.replace('"operators"', '"item": 3, "operators"').encode(), "*'item', if there is one, a text"),
        (TEXT.replace("2026-01-02", "last week").encode(), "Invalid isoformat string: 'last week'"),
    ],
)
def test_what_is_not_ours_or_not_whole_is_named(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "odd.json").write_bytes(content)
    KEPT.write(tmp_path)
    folder = read_folder(tmp_path)
    assert [kept.formula for kept in folder.counterexamples] == [KEPT.formula]
    ((name, text),) = folder.problems.items()
    assert name == "odd.json"
    assert fnmatch(text, f"is no kept counterexample: {problem}")


def test_folders_pipes_and_links_to_nothing_are_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / ".gitkeep").touch()
    (tmp_path / "README.md").touch()
    (tmp_path / "notes.txt").write_text("ask Ada about the second one", "utf-8")
    problem = "is no kept counterexample: it is no ordinary file"
    assert read_folder(tmp_path).problems == dict.fromkeys(("folder.json", "link.json", "pipe.json"), problem)
    assert read_folder(tmp_path / "later") == ([], {})
