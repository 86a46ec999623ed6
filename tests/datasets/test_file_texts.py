"""What is no table is named, and tables of other programs are read."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from pytest_autoeval.datasets import DataSetError
from pytest_autoeval.datasets.table_files import check_file, read_table

TABLE = "sentence;formula\nEvery a holds.;G a\n"


def zipped(*names: str) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return whole.getvalue()


@pytest.mark.parametrize("ending", ["csv", "jsonl", "txt", "json"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"sentence", mtime=0), "a gzip archive, and no text: unpack it"),
        (zipped("data.csv"), "a zip archive, and no text: unpack it"),
        (
            zipped("xl/workbook.xml"),
            r"an Excel workbook \(.xlsx\), and no text: save it as CSV in UTF-8",
        ),
        (b"PAR1\x15\x04", "a Parquet file, and no text: convert it"),
        (b"%PDF-1.7\n%\xe2", "a PDF, and no text"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00", r"an old Office file \(.xls or .doc\)"),
        (b"\x89PNG\r\n\x1a\n", "a picture"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS.*git lfs pull"),
        (b"<!DOCTYPE html><html>", "an HTML page"),
        (TABLE.encode("utf-16-le"), "looks like UTF-16 without its mark"),
        ("é".encode("latin-1"), "not UTF-8 at byte 0; save the file as UTF-8"),
    ],
)
def test_a_file_that_is_no_text_is_named(
    tmp_path: Path, ending: str, content: bytes, message: str
) -> None:
    path = tmp_path / f"data.{ending}"
    path.write_bytes(content)
    with pytest.raises(DataSetError, match=message):
        read_table(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        f"sep=;\r\n{TABLE}",
        f'"sep=;"\n{TABLE}',
        "sep=^\nsentence^formula\nEvery a holds.^G a\n",
        TABLE.replace(";", "|"),
    ],
)
def test_tables_of_other_programs_are_read(tmp_path: Path, encoding: str, text: str) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(text.encode(encoding))
    (row,) = read_table(path)
    assert row.values == {"sentence": "Every a holds.", "formula": "G a"}
    assert row.place == str(text.count("\n"))


def test_a_header_that_is_one_column_is_named(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("sentence : formula\nEvery a holds. : G a\n")
    with pytest.raises(
        DataSetError,
        match="the header 'sentence : formula' is one column: separate columns by commas",
    ):
        check_file(path)
