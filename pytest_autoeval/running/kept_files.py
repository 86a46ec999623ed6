"""Kept counterexamples on disk: a folder of small JSON files, one for each, that say nothing of any model.

Only the standard library is imported here: the folder is read while tests are collected. A file that is not ours, or
not whole, is named and left alone: nothing in the folder is ever deleted or overwritten that could not be read.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

SCHEMA_VERSION = 1
#: What identifies a kept counterexample: of two files that agree in these one is enough.
Identity = tuple[str, str, str, str]

_TEXTS = ("suite", "grammar", "language", "vocabulary", "formula", "first_seen", "last_seen")
_LONGEST_SLUG = 80
#: A file of ours has a few hundred bytes.
_LARGEST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFormula:
    """A formula on which some model once failed.

    ``suite`` is the test function without model and variant; ``item`` the name of the item, where the formula is that
    of an item of a data set; ``first_seen`` and ``last_seen`` the days on which it failed. ``more`` is what else its
    file says, which stays in it; ``file`` the file's name, empty where there is none yet.
    """

    suite: str
    grammar: str
    language: str
    vocabulary: str
    operators: int
    formula: str
    first_seen: date
    last_seen: date
    item: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""

    @property
    def identity(self) -> Identity:
        """What it is a counterexample of, and which."""
        return self.suite, self.grammar, self.vocabulary, self.item or self.formula

    @property
    def name(self) -> str:
        """The file that it is to stand in: the same wherever and whenever it is found."""
        path, _, test = self.suite.partition("::")
        slug = re.sub(r"[^A-Za-z0-9_]+", "-", f"{Path(path).stem} {test}").strip("-")[:_LONGEST_SLUG]
        return f"{slug}-{sha256(json.dumps(self.identity).encode()).hexdigest()[:12]}.json"

    @property
    def text(self) -> str:
        """What stands in its file: keys in a fixed order, a line each, so that a change is a line in a diff."""
        data = {
            "schema_version": SCHEMA_VERSION,
            "suite": self.suite,
            "grammar": self.grammar,
            "language": self.language,
            "vocabulary": self.vocabulary,
            "operators": self.operators,
            "formula": self.formula,
            **({"item": self.item} if self.item is not None else {}),
            "first_seen": self.first_seen.isoformat(),
            "last_seen": self.last_seen.isoformat(),
            **self.more,
        }
        return json.dumps(data, ensure_ascii=False, indent=2) + "\n"

    def seen(self, day: date) -> KeptFormula:
        """The same, having failed on a day too."""
        return replace(self, first_seen=min(self.first_seen, day), last_seen=max(self.last_seen, day))

    def write(self, folder: Path) -> KeptFormula:
        """Writes its file as a whole, and returns what is there now; raises :class:`OSError`."""
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / (self.file or self.name)
        fresh = folder / f".{target.name}.{os.getpid()}.tmp"
        try:
            fresh.write_text(self.text, encoding="utf-8")
            fresh.replace(target)
        finally:
            fresh.unlink(missing_ok=True)
        return replace(self, file=target.name)


@dataclass(frozen=True, slots=True)
class KeptFolder:
    """What a folder holds: counterexamples in the order of their files' names, and what is wrong with other files."""

    counterexamples: tuple[KeptFormula, ...] = ()
    problems: Mapping[str, str] = field(default_factory=dict)


def read_folder(folder: Path) -> KeptFolder:
    """What was kept in a folder; one that is not there yet is empty. Hidden files and notes (no .json) are not ours."""
    found: list[KeptFormula] = []
    problems: dict[str, str] = {}
    try:
        files = sorted(folder.iterdir(), key=lambda file: file.name)
    except FileNotFoundError:
        return KeptFolder()
    except OSError as problem:
        return KeptFolder(problems={str(folder): f"the folder cannot be read: {problem.strerror}"})
    for file in files:
        if file.name.startswith(".") or file.suffix != ".json":
            continue
        try:
            found.append(_read(file))
        except OSError as problem:
            problems[file.name] = f"cannot be read: {problem.strerror}"
        except ValueError as problem:
            problems[file.name] = str(problem)
    return KeptFolder(tuple(found), problems)


def _read(file: Path) -> KeptFormula:
    """A file's counterexample; raises :class:`OSError`, and :class:`ValueError` with what is wrong with it."""
    if not file.is_file():
        raise ValueError("is no ordinary file")
    with file.open("rb") as stream:
        raw = stream.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise ValueError("is too large to be a kept counterexample")
    try:
        data = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError("is no kept counterexample: it is not UTF-8") from None
    except json.JSONDecodeError as problem:
        place = f"line {problem.lineno}, column {problem.colno}"
        raise ValueError(f"is no kept counterexample: {place}: {problem.msg}") from None
    except (ValueError, RecursionError):
        raise ValueError("is no kept counterexample: it is no JSON that can be read") from None
    return _checked(data, file.name)


def _checked(data: Any, file: str) -> KeptFormula:
    if not isinstance(data, dict) or "formula" not in data:
        raise ValueError("is no kept counterexample: it has no key 'formula'")
    more = dict(data)
    if (version := more.pop("schema_version", None)) != SCHEMA_VERSION:
        raise ValueError(f"has schema_version {version!r}; this release of pytest-autoeval reads {SCHEMA_VERSION}")
    texts: dict[str, Any] = {key: more.pop(key, None) for key in _TEXTS}
    if wrong := [key for key, text in texts.items() if not isinstance(text, str) or not text]:
        raise ValueError(f"lacks a text under {', '.join(wrong)}")
    operators, item = more.pop("operators", None), more.pop("item", None)
    if type(operators) is not int or not (item is None or isinstance(item, str)):
        raise ValueError("'operators' is to be a whole number, and 'item', if there is one, a text")
    first_seen, last_seen = (_day(texts.pop(key), key) for key in ("first_seen", "last_seen"))
    return KeptFormula(
        **texts,
        operators=operators,
        item=item,
        first_seen=first_seen,
        last_seen=last_seen,
        more=more,
        file=file,
    )


def _day(text: str, key: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{key!r} is to be a day, such as 2026-01-31") from None
