"""Which files an output may replace: ordinary ones that are empty or an earlier output of the same kind."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pytest_autoeval.written_file import (
    FORMULAS,
    MARKDOWN,
    PAGE,
    QUESTIONS,
    RESULTS,
    SUMMARY,
    TRENDS,
    OutputKind,
    target_of,
    write_file,
)

KINDS = (RESULTS, PAGE, SUMMARY, MARKDOWN, QUESTIONS, TRENDS, FORMULAS)
#: Files of other programs, by how they begin.
FOREIGN = (
    '{"name": "a-package"}',
    "<!doctype html><title>Shop</title>",
    "# Notes\n",
    "import os\n",
    "a,b\n1,2\n",
    "[]",
)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_file_of_another_kind_is_left_alone(kind: OutputKind, tmp_path: Path) -> None:
    file = tmp_path / "file"
    for text in (
        *FOREIGN,
        *(other.begins[0] for other in KINDS if other is not kind and other.begins != kind.begins),
    ):
        file.write_text(text, "utf-8")
        with pytest.raises(FileExistsError, match="does not contain"):
            write_file(file, ["new"], kind)
        assert file.read_text("utf-8") == text
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("before", ["", " \n", '{\n  "schema_version": 1\n}'])
def test_an_empty_file_and_an_earlier_output_are_replaced(before: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(before, "utf-8")
    file.chmod(0o600)
    write_file(file, ["new"], SUMMARY)
    assert file.read_text("utf-8") == "new"
    assert file.stat().st_mode & 0o777 == 0o600 or sys.platform == "win32"


def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    link, target = tmp_path / "link", tmp_path / "below" / "target"
    link.symlink_to(target)  # whose target is not there yet
    for text in ("first", "second"):
        write_file(link, [text])
        assert link.is_symlink()
        assert target.read_text("utf-8") == text


def loop(path: Path) -> None:
    path.symlink_to(path.with_name("other"))
    path.with_name("other").symlink_to(path)


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes, no devices")
@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (Path.mkdir, "Is a directory"),
        (os.mkfifo, "not an ordinary file"),
        (loop, "Too many levels of symbolic links"),
        (lambda path: path.symlink_to("/dev/null"), "not an ordinary file"),
        (lambda path: path.symlink_to("/dev/full"), "not an ordinary file"),
    ],
    ids=["a folder", "a pipe", "a loop", "a device", "a full device"],
)
def test_what_is_no_ordinary_file_is_refused_and_stays(make, problem: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "path"
    make(path)
    before = os.lstat(path)
    for work in (lambda: target_of(path), lambda: write_file(path, ["new"])):
        with pytest.raises(OSError, match=problem):
            work()
    assert os.lstat(path) == before


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_an_impossible_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="name"):
        write_file(tmp_path / name, ["new"])
