"""The text of a data file, or a message that names what the file is instead."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import NamedTuple

from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.given_file import read_given

#: What to do about a file that is no text.
_UNPACK, _EXPORT = "unpack it, and name the file inside", "save it as CSV in UTF-8"
_CONVERT = "convert it to CSV or JSON lines, for example with pandas"


class _Kind(NamedTuple):
    """A kind of file that is no text: how it begins, what it is called, and what to do."""

    beginning: bytes
    name: str
    advice: str


#: By the first bytes: so the message says what the file is, and not which character is wrong.
_KINDS = (
    _Kind(b"\x1f\x8b", "a gzip archive", _UNPACK),
    _Kind(b"BZh", "a bzip2 archive", _UNPACK),
    _Kind(b"\xfd7zXZ\x00", "an xz archive", _UNPACK),
    _Kind(b"\x28\xb5\x2f\xfd", "a zstd archive", _UNPACK),
    _Kind(b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    _Kind(b"Rar!", "a rar archive", _UNPACK),
    _Kind(b"PAR1", "a Parquet file", _CONVERT),
    _Kind(b"ARROW1", "an Arrow file", _CONVERT),
    _Kind(b"FEA1", "a Feather file", _CONVERT),
    _Kind(b"Obj\x01", "an Avro file", _CONVERT),
    _Kind(b"\x89HDF", "an HDF5 file", _CONVERT),
    _Kind(b"SQLite format 3\x00", "an SQLite database", _CONVERT),
    _Kind(b"\x93NUMPY", "a NumPy file", _CONVERT),
    _Kind(b"\x80\x04\x95", "a Python pickle", _CONVERT),
    _Kind(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file (.xls or .doc)", _EXPORT),
    _Kind(b"%PDF", "a PDF", "copy its table into a CSV file in UTF-8"),
    _Kind(b"{\\rtf", "a rich text document", "save it as plain text in UTF-8"),
    _Kind(b"\x89PNG", "a picture", "a data file is text"),
    _Kind(b"\xff\xd8\xff", "a picture", "a data file is text"),
    _Kind(b"GIF8", "a picture", "a data file is text"),
    _Kind(
        b"version https://git-lfs",
        "only a pointer of Git LFS",
        "fetch the file itself with `git lfs pull`",
    ),
)
#: What a zip archive is, by a name that stands in it.
_ZIPPED = (
    (b"xl/", "an Excel workbook (.xlsx)", _EXPORT),
    (b"word/", "a Word document (.docx)", _EXPORT),
    (b"opendocument.spreadsheet", "an OpenDocument spreadsheet (.ods)", _EXPORT),
    (b"opendocument.text", "an OpenDocument text (.odt)", _EXPORT),
)
#: How a page of the web begins, which may have been saved in place of a file.
_PAGE = ("<!doctype html", "<html")
#: Encodings by the mark at the beginning. That of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: In UTF-16, about half of the bytes of English are NUL.
_NULS_OF_UTF16 = 0.3


def text_of(path: Path) -> str:
    """The text of a file in UTF-8, or in UTF-16 or UTF-32 with its mark; raises :class:`DataSetError`.

    Line ends stay as they are, since a cell may have some of its own.
    """
    try:
        content = read_given(path)
    except FileNotFoundError:
        raise DataSetError(f"{path}: there is no such file") from None
    except OSError as problem:
        raise DataSetError(f"{path}: cannot be read: {problem.strerror}") from None
    kind = _kind_of(content)
    if kind:
        raise DataSetError(f"{path}: this is {kind[0]}, and no text: {kind[1]}")
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as problem:
        named = encoding.removesuffix("-sig").upper()
        place = str(path)
        # In other encodings the bytes of a line end may be parts of two characters.
        if named == "UTF-8":
            line = content.count(b"\n", 0, problem.start) + 1
            place = f"{path}:{line}"
        advice = "save the file as UTF-8 (in Excel: CSV UTF-8)"
        raise DataSetError(f"{place}: not {named} at byte {problem.start}; {advice}") from None
    if text.lstrip()[: len(_PAGE[0])].casefold().startswith(_PAGE):
        raise DataSetError(
            f"{path}: this is an HTML page, perhaps of an error or a login: download the file itself"
        )
    if content and content.count(0) / len(content) > _NULS_OF_UTF16 and encoding == "utf-8":
        raise DataSetError(
            f"{path}: this looks like UTF-16 without its mark; save the file as UTF-8"
        )
    return text


def _kind_of(content: bytes) -> tuple[str, str] | None:
    """What a file is that is no text, and what to do; None for a text."""
    for kind in _KINDS:
        if content.startswith(kind.beginning):
            return kind.name, kind.advice
    if content.startswith(b"PK\x03\x04"):
        return next(
            ((name, advice) for member, name, advice in _ZIPPED if member in content),
            ("a zip archive", _UNPACK),
        )
    is_tar = content[257:262] == b"ustar"
    return ("a tar archive", _UNPACK) if is_tar else None
