"""Measures of suites besides the pass rate, each a column of the matrix. Models are ordered by the first one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_autoeval.built_in import provided, shipped
from pytest_autoeval.judging.item_groups import Item
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.blocks import Column, Note

if TYPE_CHECKING:
    from pytest_autoeval.report.suite_summary import SuiteSummary


class Measure(ABC):
    """A measure of a suite, of which more is better."""

    #: Its column in the matrix.
    column: Column

    @abstractmethod
    def of(self, items: Mapping[Item, Sequence[Sample]]) -> Figure | None:
        """The value for the samples of each item; None if there are too few. One that is not known has a bound."""

    def legend(self, _summaries: Sequence[SuiteSummary], /) -> Iterable[Note]:
        """What stands below the matrix about the values in it."""
        return ()


def measures() -> list[Measure]:
    """The measures that shipped plugins add."""
    return [shipped("measure", name) for name in provided("measure")]
