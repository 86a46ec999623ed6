"""Data sets: what a test can be about besides drawn formulas. Imports languages and generation.

Names are loaded on first use: reading rows and drawing items cost nothing until a data set is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_autoeval.datasets.base import DataSet as DataSet
    from pytest_autoeval.datasets.base import DataSetError as DataSetError
    from pytest_autoeval.datasets.base import Item as Item
    from pytest_autoeval.datasets.catalogue import UnknownDataSetError as UnknownDataSetError
    from pytest_autoeval.datasets.catalogue import data_set as data_set
    from pytest_autoeval.datasets.catalogue import data_set_names as data_set_names
    from pytest_autoeval.datasets.catalogue import file_problems as file_problems
    from pytest_autoeval.datasets.catalogue import is_data_set as is_data_set
    from pytest_autoeval.datasets.catalogue import needs_of as needs_of
    from pytest_autoeval.datasets.catalogue import takes_files as takes_files
    from pytest_autoeval.datasets.rows import check_file as check_file

_HOMES = {
    "DataSet": "base",
    "DataSetError": "base",
    "Item": "base",
    "UnknownDataSetError": "catalogue",
    "check_file": "rows",
    "data_set": "catalogue",
    "data_set_names": "catalogue",
    "file_problems": "catalogue",
    "is_data_set": "catalogue",
    "needs_of": "catalogue",
    "takes_files": "catalogue",
}
__all__ = sorted(_HOMES)  # noqa: PLE0605 - the names are those of the table


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
