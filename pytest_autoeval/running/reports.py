"""What the end of a run must know of pytest's reports."""

from __future__ import annotations

from typing import Protocol


class Reports(Protocol):
    """The ids of the tests with a report, and of those that failed outside of their teardown or in it, were skipped or
    xfailed.

    A suite that is inconclusive or has no gate counts as neither failed nor skipped.
    """

    seen: set[str]
    failed: set[str]
    failed_in_teardown: set[str]
    skipped: set[str]
    xfailed: set[str]
    #: The numbers of the suites whose failures have their verdict and a counterexample.
    explained: set[int]
