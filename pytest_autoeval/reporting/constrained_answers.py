"""What syntax costs a model: free answers against constrained ones, on the same formulas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.reporting.items import Comparable, by_item, grouped, trials
from pytest_autoeval.reporting.names import named
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.text import count, points, signed_points
from pytest_autoeval.statistics.paired import paired_test


def syntax_costs(rows: Iterable[Row]) -> Iterator[str]:
    """One line for each suite and model with free and with constrained answers, paired by formula.

    The cost is the difference of the two pass rates in points, with its 95 % interval.
    """
    for key, group in grouped(rows, lambda row: Comparable.of(row)._replace(constrained=False)).items():
        sides = [[row for row in group if row.constrained is constrained] for constrained in (False, True)]
        free, constrained = map(by_item, sides)
        pairs = [(trials(some), trials(constrained[item])) for item, some in free.items() if item in constrained]
        if not pairs:
            continue
        test = paired_test(pairs)
        interval = f"{signed_points(test.interval.low)} to {signed_points(test.interval.high)}"
        cost = f"syntax costs {points(test.difference)} ({interval})"
        if test.difference <= 0:
            cost = f"constrained against free: {signed_points(test.difference)} points ({interval})"
        rates = f"{100 * test.before:.1f} % free, {100 * test.after:.1f} % constrained"
        unparseable = " and ".join(str(sum(row.outcome == Outcome.UNPARSEABLE for row in side)) for side in sides)
        pairs_text = f"{count(test.pairs, 'formula')}; unparseable {unparseable}"
        yield f"{named(key.suite, key.model)}: {cost}: {rates}, {pairs_text}"
