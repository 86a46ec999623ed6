"""Which rows are about the same thing: the item that a row asked about, its trials, and its suite."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.reporting.results import Row
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.statistics.clusters import design_effect

#: What identifies an item within its suite: the formula, and what a task asks beside it.
_IDENTITY = ("operators", "formula", "item", "trace", "text", "sentence", "other", "premises")
#: Tasks in whose rows the trace is the answer.
_TRACE_WRITTEN = frozenset({"write_trace"})

Item = tuple[str, ...]
#: Of how many trials how many passed: ``(passed, total)``.
Trials = tuple[int, int]


class Comparable(NamedTuple):
    """A suite and model and how it was asked, whether or not the name of the suite says so.

    A run that asks in one way leaves the way out of its suites' names, and a run that asks in several puts it there.
    """

    suite: str
    interface: str
    way: str
    model: str

    @classmethod
    def of(cls, row: Row, interface: str = "") -> Comparable:
        """What a row belongs to; ``interface`` is that of its suite, for a row that ended before it was asked."""
        interface, way = row.get("interface") or interface, row.get("way") or "zero-shot"
        return cls(plain_suite(row["suite"], interface, way), interface, way, row["model"])


def plain_suite(suite: str, interface: str, way: str) -> str:
    """The suite's name without its variant, which comes first in its brackets."""
    base, _, inside = suite.partition("[")
    inside = inside.removesuffix("]")
    for label in (f"{interface}-{way}", interface, way):
        if label and (inside == label or inside.startswith(f"{label}-")):
            inside = inside.removeprefix(label).removeprefix("-")
            break
    return f"{base}[{inside}]" if inside else base


def item_of(row: Row) -> Item:
    """What identifies the item that a row is about, within its suite: nothing that a model wrote is among it."""
    # Of a trace that is to be written, which sort of trace is wanted makes the question.
    asked = {**row, "trace": row.get("expected")} if row.get("task") in _TRACE_WRITTEN else row
    return tuple("" if asked.get(key) is None else str(asked[key]) for key in _IDENTITY)


def named_item(row: Row) -> str:
    """The item in the words that tell it best: its formula, else the text or sentence that was given."""
    return next((str(row[key]) for key in ("formula", "text", "sentence", "item") if row.get(key)), "")


def by_item(rows: Iterable[Row]) -> dict[Item, list[Row]]:
    """The rows of each item, its repeats, in order; rows that ended in an error are left out."""
    found: dict[Item, list[Row]] = defaultdict(list)
    for row in rows:
        if outcome_named(row["outcome"]).kind != "error":
            found[item_of(row)].append(row)
    return {item: sorted(trials, key=lambda row: row["repeat"] or 0) for item, trials in found.items()}


def trials(rows: Sequence[Row]) -> Trials:
    """How many of some rows passed, and of how many; an undecided one did not."""
    return sum(outcome_named(row["outcome"]).kind == "pass" for row in rows), len(rows)


class Paired(NamedTuple):
    """The rows of one item in this run and in an earlier one, errors left out."""

    item: Item
    here: Sequence[Row]
    there: Sequence[Row]


def pass_rate(items: Mapping[Item, Sequence[Row]]) -> PassRate:
    """The pass rate of some items, whose repeats are not independent."""
    counts = Counter(outcome_named(row["outcome"]).kind for rows in items.values() for row in rows)
    return PassRate(counts["pass"], counts["undecided"], counts.total() - counts["error"], effect_of(items))


def effect_of(items: Mapping[Item, Sequence[Row]]) -> float:
    """The design effect of repeats, on the lower or the upper bound of the pass rate, whichever is larger."""
    if all(len(rows) == 1 for rows in items.values()):
        return 1.0
    told = [(trials(rows), sum(row["outcome"] == "undecided" for row in rows)) for rows in items.values()]
    passed, possible = [one for one, _ in told], [(one[0] + undecided, one[1]) for one, undecided in told]
    return max(design_effect(passed), design_effect(possible))
