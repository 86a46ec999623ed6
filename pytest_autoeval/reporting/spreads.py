"""How far a suite's pass rate scatters: over repeats of its formulas, and over batches of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean

from pytest_autoeval.reporting.items import Item, trials
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.text import count, percent, points
from pytest_autoeval.statistics.repeats import Spread, pass_at_k, pass_hat_k, spread

#: As many as the AutoEval paper takes the mean and deviation over.
BATCHES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """What several trials of each formula show.

    ``number`` is how often the formulas were tried, ``formulas`` how many were tried so often without an error: the
    probabilities that any (``any_passes``) and that all (``all_pass``) of 1…``number`` trials pass are the means
    over these. ``over_repeats`` is the spread of the pass rates of the first, second … trials.
    """

    number: int
    formulas: int
    any_passes: Mapping[int, float]
    all_pass: Mapping[int, float]
    over_repeats: Spread


def repeats_of(items: Mapping[Item, Sequence[Row]]) -> Repeats | None:
    """What the repeats of some formulas show; None where each was tried once. Undecided trials count as not passed."""
    in_turn: dict[int, list[Row]] = defaultdict(list)
    for row in chain.from_iterable(items.values()):
        in_turn[row.repeat].append(row)
    number = len(in_turn)
    whole = [trials(rows) for rows in items.values() if len(rows) >= number]
    if number < 2 or not whole:
        return None
    return Repeats(
        number=number,
        formulas=len(whole),
        any_passes={k: fmean(pass_at_k(*one, k) for one in whole) for k in range(1, number + 1)},
        all_pass={k: fmean(pass_hat_k(*one, k) for one in whole) for k in range(1, number + 1)},
        over_repeats=spread(_rates(in_turn)),
    )


def over_batches(items: Mapping[Item, Sequence[Row]]) -> Spread | None:
    """The spread of the pass rate over ten batches; None where there are too few formulas to fill them.

    A batch holds a tenth of the formulas of each size, neighbours by their index.
    """
    sizes: dict[int, list[Sequence[Row]]] = defaultdict(list)
    for rows in items.values():
        sizes[rows[0].operators].append(rows)
    batches: dict[int, list[Row]] = defaultdict(list)
    for listed in sizes.values():
        listed.sort(key=lambda rows: (rows[0].index, rows[0].formula))
        for place, rows in enumerate(listed):
            batches[place * BATCHES // len(listed)] += rows
    return spread(_rates(batches)) if len(batches) == BATCHES else None


def spread_lines(repeats: Repeats | None, batches: Spread | None) -> Iterator[str]:
    """The spreads, a line each."""
    if repeats is not None:
        k = repeats.number
        yield (
            f"pass@{k} {percent(repeats.any_passes[k])} %, pass^{k} {percent(repeats.all_pass[k])} % (any, and all, of "
            f"{k} trials pass; {count(repeats.formulas, 'formula')})"
        )
        yield f"pass rate over {repeats.over_repeats.count} repeats: {_spread(repeats.over_repeats)}"
    if batches is not None:
        yield f"pass rate over {batches.count} batches: {_spread(batches)}"


def _spread(of: Spread) -> str:
    deviation = "" if of.deviation is None else f", standard deviation {points(of.deviation)}"
    return f"mean {percent(of.mean)} %{deviation}"


def _rates(groups: Mapping[int, Sequence[Row]]) -> list[float]:
    counts = [trials(groups[key]) for key in sorted(groups)]
    return [passed / total for passed, total in counts]
