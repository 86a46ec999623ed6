"""Data sets: items with more than a drawn formula. Imports languages and generation."""

from __future__ import annotations

from pytest_autoeval.datasets.base import DataSet, DataSetError, Item
from pytest_autoeval.datasets.catalogue import UnknownDataSetError, data_set, data_set_names, file_problems

__all__ = [
    "DataSet",
    "DataSetError",
    "Item",
    "UnknownDataSetError",
    "data_set",
    "data_set_names",
    "file_problems",
]
