"""Groups the rows of results by item, by size and by suite."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from pytest_autoeval.outcomes import Outcome, OutcomeKind, Prompting
from pytest_autoeval.record.names import function_and_parameters, plain_suite, reader_label, suite_name
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.statistics import PassRate
from pytest_autoeval.statistics.clusters import Trials, design_effect

#: The kinds of trace that a model is asked to write.
_REQUESTED_TRACES = ("satisfying", "violating")
#: A word, or a sign that changes the meaning of a sentence: ``x > 5``, ``-5``.
_WORD = re.compile(r"\w+|[<>=≠≤≥+−×÷%]|-(?=\d)")

T = TypeVar("T")
K = TypeVar("K")

Item = tuple[str, ...]
#: A suite and a model.
SuiteKey = tuple[str, str]


class Comparable(NamedTuple):
    """A suite, a model and how the model was asked, also where the name of the suite does not show this.

    A run with one prompting leaves the prompting out of its suites' names; a run with several includes it. ``reader``
    is the model that read the descriptions, empty if the model read its own. ``constrained``: a grammar constrained the
    answers.
    """

    suite: str
    interface: str
    prompting: str
    reader: str
    constrained: bool
    model: str

    @classmethod
    def of(cls, row: Row) -> Comparable:
        """The group of a row."""
        interface, prompting = row.interface or "", row.prompting or Prompting.ZERO_SHOT
        suite = plain_suite(row.suite, interface, prompting, row.variant)
        reader = "" if row.reader is None or row.reader == row.model else row.reader
        return cls(suite, interface, prompting, reader, row.constrained, row.model)


def without_reader(row: Row) -> str:
    """The name of a row's suite without the reader."""
    base, inside = function_and_parameters(row.suite)
    before, _, after = inside.partition(reader_label(row.reader)) if row.reader else (inside, "", "")
    return suite_name(base, before.removesuffix("-"), after.removeprefix("-"))


def item_of(row: Row) -> Item:
    """The identity of a row's item within its suite: the formula, and what a task asks besides it.

    It contains nothing that a model wrote. If the model was asked to write a trace, it contains the requested kind of
    trace.
    """
    trace = row.expected if row.expected in _REQUESTED_TRACES else row.trace
    premises = row.facts.get("premises")
    asked = (row.operators, row.formula, row.item, trace, row.text, row.sentence, row.other, premises)
    return tuple("" if part is None else str(part) for part in asked)


#: What distinguishes the samples of a suite: nothing that a model wrote or that was measured.
_SAMPLE_KEYS = (
    *("task", "grammar", "language", "vocabulary", "seed", "operators", "index", "repeat"),
    *("formula", "other", "item", "source", "sentence", "text", "paraphrase"),
)


def identity_of(row: Row) -> tuple[object, ...]:
    """The identity of a row's sample, the same in all runs. Each run has one row with it."""
    return *Comparable.of(row), row.shrunk, *(repr(row.value(key)) for key in _SAMPLE_KEYS)


def item_name(row: Row) -> str:
    """The item's name: its formula, else its text or sentence."""
    return row.formula or row.text or row.sentence or row.item or ""


def grouped(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The values of each key, in the order in which the keys first occur."""
    groups: dict[K, list[T]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(groups)


def by_suite(rows: Iterable[Row]) -> dict[SuiteKey, list[Row]]:
    """The rows of each suite and model, in order of their names."""
    return dict(sorted(grouped(rows, lambda row: (row.suite, row.model)).items()))


def by_size(rows: Iterable[Row]) -> dict[int, list[Row]]:
    """The rows of each size, the smallest first."""
    return dict(sorted(grouped(rows, lambda row: row.operators).items()))


def size_name(rows: Sequence[Row]) -> str:
    """What the sizes measure: operators, depth for some languages, or the words of sentences."""
    for name in ("operators", "depth", "words"):
        if all(row.measures.get(name) == row.operators for row in rows):
            return name
    return "size"


def without_equal_paraphrases(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """The rows that count, and those whose paraphrase has the words of its sentence or of an earlier paraphrase.

    The latter repeat the answer to a question that was already asked.
    """
    said: set[tuple[object, ...]] = set()
    rows, equal = list(rows), set()
    for row in sorted((row for row in rows if row.facts.get("paraphrased")), key=_turn):
        texts = row.sentence or "", str(row.facts["paraphrased"])
        of_sentence, words = (tuple(_WORD.findall(text.casefold())) for text in texts)
        question = (Comparable.of(row), item_of(row), row.repeat, words)
        if words == of_sentence or question in said:
            equal.add(id(row))
        said.add(question)
    return [row for row in rows if id(row) not in equal], [row for row in rows if id(row) in equal]


def by_item(rows: Iterable[Row]) -> dict[Item, list[Row]]:
    """The rows of each item, its repeats and paraphrases in order; errors and equal paraphrases are left out."""
    answered = [row for row in rows if row.kind != OutcomeKind.ERROR]
    by_name = grouped(without_equal_paraphrases(answered)[0], item_of)
    return {item: sorted(some, key=_turn) for item, some in by_name.items()}


def _turn(row: Row) -> tuple[int, int]:
    return row.repeat, row.facts.get("paraphrase") or 0


def trials(rows: Sequence[Row]) -> Trials:
    """The numbers of passed rows and of all rows. An undecided row counts as not passed."""
    return sum(row.passed for row in rows), len(rows)


class Paired(NamedTuple):
    """The rows of one item in this run and in an earlier one, without errors."""

    item: Item
    here: Sequence[Row]
    there: Sequence[Row]


def pass_rate(items: Mapping[Item, Sequence[Row]]) -> PassRate:
    """The pass rate of some items. Repeats of one item are not independent."""
    counts = Counter(row.kind for rows in items.values() for row in rows)
    return PassRate(
        counts[OutcomeKind.PASS],
        counts[OutcomeKind.UNDECIDED],
        counts.total() - counts[OutcomeKind.ERROR],
        repeats_design_effect(items),
    )


def repeats_design_effect(items: Mapping[Item, Sequence[Row]]) -> float:
    """The design effect of repeats: the larger of those for the lower and the upper bound of the pass rate."""
    if all(len(rows) == 1 for rows in items.values()):
        return 1.0
    passed, possible = [], []
    for rows in items.values():
        passes, total = trials(rows)
        passed.append((passes, total))
        possible.append((passes + sum(row.outcome == Outcome.UNDECIDED for row in rows), total))
    return max(design_effect(passed), design_effect(possible))
