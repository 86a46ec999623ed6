"""How suites, their gates and their items are named: the same, whatever folder, module or worker a test ran from."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

import pytest_autoeval
from pytest_autoeval.running.cells import Cell

_PACKAGE = Path(pytest_autoeval.__file__).resolve().parent
#: The packaged suites: inside the package where it was installed, beside it in a checkout.
SHIPPED_SUITES = next(filter(Path.is_dir, (_PACKAGE / "suites", _PACKAGE.parent / "suites")), _PACKAGE / "suites")
_SHIPPED = "suites/"
#: A cell's label in an item's id.
_LABEL = r"{model}(?:-(?P<variant>[a-z]+(?:-[a-z]+)*))?-(?:ops|formula)=(?:\d+|all|kept)"


def test_of(node: Any) -> str:
    """A test's name, however pytest was called: its file from the root folder, then its class and function.

    Pytest's own id leaves the file out where a module was named (``--pyargs``), and begins elsewhere in another folder.
    """
    return f"{_file_of(node.path, node.config.rootpath)}::{node.nodeid.partition('::')[2]}"


def suite_of(item: pytest.Item, cell: Cell) -> str:
    """The test's name without model and size: what a gate is over. The variant and other parameters stay in it."""
    return _without(cell.label, test_of(item), cell.variant.label)


def plain_suite_of(item: pytest.Item, cell: Cell) -> str:
    """The test's name without model, size and variant: what a kept counterexample is of."""
    return _without(cell.label, test_of(item))


def in_suite(nodeid: str, suite: str, model: str) -> bool:
    """Whether a gate's samples were an item's, told from its id alone: the item may have died with its process.

    Those that were kept are no gate's.
    """
    label = re.search(_LABEL.format(model=re.escape(model)), nodeid)
    if label is None or label[0].endswith("=kept"):
        return False
    file, _, test = _without(label[0], nodeid, label["variant"] or "").partition("::")
    its_file, _, its_test = suite.partition("::")
    # An id may lack its file, or have it from another folder: rather too many suites are not judged than one too few.
    return test == its_test and (not file or PurePosixPath(file).name == PurePosixPath(its_file).name)


def formula_id(row: dict[str, Any]) -> str:
    """What to name to pytest to have a row's test run on one typed formula: the suite, or its one item of that."""
    if "[" not in row["suite"]:
        return str(row["suite"])
    label = re.search(_LABEL.format(model=re.escape(row["model"])), row["test"])
    if label is None:
        return str(row["test"])
    # The command names one variant, so that it stands in no id.
    other = _without(label[0], row["test"])
    base, _, rest = other.partition("[")
    return f"{base}[{row['model']}-formula=0{'-' + rest if rest else ']'}"


def is_shipped(file: str) -> bool:
    """Whether the file part of a suite's name is that of a packaged suite."""
    return file.startswith(_SHIPPED) and (SHIPPED_SUITES / file.removeprefix(_SHIPPED)).is_file()


def _file_of(path: Path, root: Path) -> str:
    if path.is_relative_to(SHIPPED_SUITES):
        return _SHIPPED + path.relative_to(SHIPPED_SUITES).as_posix()
    return Path(os.path.relpath(path, root)).as_posix()


def _without(label: str, nodeid: str, variant: str = "") -> str:
    """The id with the cell's label taken out of its bracket, the variant left in."""
    base, bracket, inside = nodeid.partition("[")
    if not bracket:
        return base
    others = inside.removesuffix("]").replace(label, variant, 1).strip("-")
    return f"{base}[{others}]" if others else base


def gate_id(suite: str, model: str, kind: str = "gate") -> str:
    """The id of the gate over a suite and a model: ``gate``, or ``baseline``."""
    base, bracket, others = suite.partition("[")
    return f"{base}[{model}-{others}::{kind}" if bracket else f"{base}[{model}]::{kind}"
