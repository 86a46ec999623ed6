"""Data sets: items with more than a drawn formula, such as a sentence, a trace or the right answer."""

from __future__ import annotations

from pytest_autoeval.datasets.catalogue import UnknownDataSetError as UnknownDataSetError
from pytest_autoeval.datasets.catalogue import data_set as data_set
from pytest_autoeval.datasets.catalogue import data_set_names as data_set_names
from pytest_autoeval.datasets.catalogue import file_problems as file_problems
from pytest_autoeval.datasets.data_set import DataSet as DataSet
from pytest_autoeval.datasets.data_set import DataSetError as DataSetError
from pytest_autoeval.datasets.data_set import Item as Item
