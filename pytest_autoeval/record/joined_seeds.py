"""Joins runs that sent other seeds with the same requests: each seed is a repeat of the joined suite."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from pytest_autoeval.record.lines import SuiteRecord


class Seeds:
    """The seeds of the suites that are one, each with the number of its repeat."""

    def __init__(self) -> None:
        self._repeats: dict[int, int] = {}

    def number(self, suite: SuiteRecord) -> None:
        """Gives the samples of a suite the repeats of their seeds; a suite without seeds keeps its repeats."""
        seeds = suite.asked.api_seeds
        repeats = [self._repeats.setdefault(seed, len(self._repeats)) for seed in seeds]
        if repeats == list(range(len(seeds))):
            return
        # A repeat beyond the seeds is a mistake of the file, and stays what it is.
        in_file = dict(enumerate(repeats))
        suite.samples = [
            replace(one, repeat=in_file.get(one.repeat, one.repeat)) for one in suite.samples
        ]
        if suite.end is not None:
            found = (
                replace(one, repeat=in_file.get(one.repeat, one.repeat))
                for one in suite.end.counterexamples
            )
            suite.end = replace(suite.end, counterexamples=tuple(found))


def seeds_of(suites: Iterable[SuiteRecord]) -> tuple[int, ...]:
    """The seeds of the suites, in the order of their repeats."""
    return tuple(dict.fromkeys(seed for suite in suites for seed in suite.asked.api_seeds))
