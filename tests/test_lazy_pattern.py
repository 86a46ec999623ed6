"""Patterns that are compiled when they are used first do the same as compiled ones, and all of the package compile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import pytest_autoeval
from pytest_autoeval.lazy_pattern import LazyPattern, lazy_pattern


def test_it_does_what_a_compiled_pattern_does() -> None:
    text, flags = r"(?P<word>[a-z]+)\d", re.IGNORECASE
    lazy, compiled = lazy_pattern(text, flags), re.compile(text, flags)
    assert lazy.sub("x", "Ab1 c2") == compiled.sub("x", "Ab1 c2")
    assert lazy.findall("Ab1 c2") == compiled.findall("Ab1 c2")
    assert (lazy.pattern, lazy.flags) == (compiled.pattern, compiled.flags)
    found = lazy.search("?Ab1")
    assert found is not None
    assert found["word"] == "Ab"
    assert lazy_pattern(rb"\d").split(b"a1b") == [b"a", b"b"]


def test_it_is_compiled_at_its_first_use_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_pattern = re.compile

    def compile_and_count(text: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(text)
        return compile_pattern(text, flags)

    monkeypatch.setattr(re, "compile", compile_and_count)
    lazy = lazy_pattern("a+")
    assert not compiled
    for _ in range(3):
        assert lazy.fullmatch("aa")
    assert compiled == ["a+"]


def _lazy_patterns(value: object) -> Iterator[LazyPattern[Any]]:
    """Those in a value of a module, also in a list or table of them."""
    if isinstance(value, LazyPattern):
        yield lazy_pattern(*value._arguments)
    elif isinstance(value, dict):
        yield from _lazy_patterns([*value, *value.values()])
    elif isinstance(value, list | tuple | set | frozenset):
        items: Iterable[object] = value
        for item in items:
            yield from _lazy_patterns(item)


def test_all_of_the_package_compile() -> None:
    """A mistake in one would otherwise show at its first use."""
    package = Path(pytest_autoeval.__file__).parent
    files = [
        file for file in package.rglob("*.py") if " = lazy_pattern(" in file.read_text("utf-8")
    ]
    number = 0
    for file in files:
        module = import_module(".".join(file.relative_to(package.parent).with_suffix("").parts))
        for value in vars(module).values():
            for pattern in _lazy_patterns(value):
                assert isinstance(pattern.pattern, str | bytes)
                number += 1
    assert number > 200
