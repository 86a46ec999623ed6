"""The command that asks about a sample again, made for each of many samples."""

from __future__ import annotations

from collections.abc import Iterator

from support.result_rows import row, suites_of

from pytest_autoeval.engine.reproducing import command_of
from pytest_autoeval.record.lines import Sample


class Counted(list[Sample]):
    """A list that counts how often it is gone through."""

    times = 0

    def __iter__(self) -> Iterator[Sample]:
        self.times += 1
        return super().__iter__()


def test_the_commands_of_a_suite_take_linear_time() -> None:
    """A page has one for each sample, and may not go through all samples for each of them."""
    [suite] = suites_of(row(index=index) for index in range(50))
    samples = [*suite.samples]
    suite.samples = counted = Counted(samples)
    assert all(map(command_of, samples))
    assert counted.times == 0
