"""What it costs that a grammar constrains the answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_autoeval.judging.items import Comparable, by_item, grouped, trials
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.record.names import named
from pytest_autoeval.record.sentences import number, sentence
from pytest_autoeval.statistics.paired import paired_test


def syntax_costs(suites: Iterable[SuiteRecord]) -> Iterator[Sentence]:
    """What syntax costs: one line for suites that differ in free and constrained answers alone, paired by formula.

    The cost is the difference of the two pass rates in points, with its 95 % interval.
    """
    for key, group in grouped(suites, lambda suite: Comparable.of(suite)._replace(constrained=False)).items():
        sides = [
            [sample for suite in group if suite.asked.constrained is constrained for sample in suite.counted]
            for constrained in (False, True)
        ]
        free, constrained = map(by_item, sides)
        pairs = [(trials(tried), trials(constrained[item])) for item, tried in free.items() if item in constrained]
        if not pairs:
            continue
        test = paired_test(pairs)
        unparseable = [sum(one.outcome == Outcome.UNPARSEABLE for one in side) for side in sides]
        costs = "syntax costs" if test.difference > 0 else "constrained against free:"
        yield sentence(
            f"{{suite}}: {costs} {{difference}} points ({{interval}}): "
            "{free} free, {constrained} constrained, {formulas}; unparseable {unparseable} and {then}",
            suite=named(key.test, key.model),
            difference=Figure("difference", test.difference, "points", n=test.pairs),
            interval=Figure("interval", None, "points", low=test.interval.low, high=test.interval.high),
            free=Figure("pass rate, free", test.before, "rate"),
            constrained=Figure("pass rate, constrained", test.after, "rate"),
            formulas=number(test.pairs, "formula"),
            unparseable=number(unparseable[0], name="unparseable, free"),
            then=number(unparseable[1], name="unparseable, constrained"),
        )
