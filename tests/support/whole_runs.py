"""Runs against a baseline in each state of their verdict as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import structs

from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.analysis import Analysis
from support.analyses import Names, analyse, baseline_of
from support.result_rows import row

OLD, NEW = "gpt-5-mini", "gpt-5.1-mini"
PASS, FAIL, ERROR = "equivalent", "different", "error"


def name_of(suite: str) -> str:
    """The name of a suite by the one word that differs: ``regex``."""
    return f"suites/test_{suite}.py::test_round_trip"


def pairs(
    suite: str,
    *,
    lost: int,
    won: int = 0,
    kept: int = 40,
    errors: int = 0,
    models: tuple[str, str] = (OLD, NEW),
    **changes: Any,
) -> tuple[list[Sample], list[Sample]]:
    """The samples of a suite before and after, of formulas that no other suite has.

    ``lost`` formulas passed only before, ``won`` ones only after, and ``kept`` ones in both. The first ``errors`` of
    the kept ones ended in an error after.
    """
    before = [PASS] * lost + [FAIL] * won + [PASS] * kept
    after = [FAIL] * lost + [PASS] * won + [ERROR] * errors + [PASS] * (kept - errors)

    def samples(outcomes: Sequence[str], model: str) -> list[Sample]:
        return [
            row(
                outcome,
                suite=name_of(suite),
                model=model,
                index=place,
                formula=f"{suite}{place}",
                error="connection refused" if outcome == ERROR else None,
                **changes,
            )
            for place, outcome in enumerate(outcomes)
        ]

    return samples(before, models[0]), samples(after, models[1])


@dataclass
class BothRuns:
    """The samples of a run and of its baseline."""

    here: list[Sample] = field(default_factory=list)
    there: list[Sample] = field(default_factory=list)

    def add(self, suite: str, **options: Any) -> BothRuns:
        """Adds the pairs of a suite; see :func:`pairs`."""
        before, after = pairs(suite, **options)
        self.there += before
        self.here += after
        return self

    def judged(
        self, rules: Rules | None = None, extents: dict[Names, Extent] | None = None
    ) -> Analysis:
        """The analysis of the run against the baseline."""
        return analyse(
            self.here,
            rules or Rules(drop=0.03),
            baseline=baseline_of(self.there),
            baseline_name="release.jsonl",
            extents=extents,
        )


def fell_as_a_whole(**options: Any) -> BothRuns:
    """Eight suites that each lost a little: none fell by itself, all together did."""
    runs = BothRuns()
    for place in range(8):
        runs.add(f"suite_{place}", lost=4, won=1, kept=55, **options)
    return runs


def one_fell(**options: Any) -> BothRuns:
    """Two of eight suites fell by themselves."""
    runs = BothRuns()
    for place in range(6):
        runs.add(f"suite_{place}", lost=1, won=1, kept=58, **options)
    return runs.add("regex", lost=15, kept=45, **options).add(
        "ltl_future", lost=20, kept=40, **options
    )


def unchanged(suites: int = 8, **options: Any) -> BothRuns:
    """Suites in which as much was won as lost."""
    runs = BothRuns()
    for place in range(suites):
        runs.add(f"suite_{place}", lost=1, won=1, kept=58, **options)
    return runs


def _extent(suite: str, **options: Any) -> dict[Names, Extent]:
    return {(name_of(suite), NEW): Extent(**options)}


def states() -> Iterator[tuple[str, Analysis]]:
    """A name for each state, and a run in it."""
    yield "fell as a whole", fell_as_a_whole().judged()
    yield "fell as a whole, one model", fell_as_a_whole(models=(NEW, NEW)).judged()
    yield "fell by less than the drop", fell_as_a_whole().judged(Rules(drop=0.2))
    yield "suites fell by themselves", one_fell().judged()
    yield "one suite fell, and others with it", unchanged().add("regex", lost=12, kept=48).judged()
    yield (
        "one suite fell, and the whole run did not",
        unchanged(40).add("regex", lost=12, kept=48).judged(),
    )
    yield (
        "suites fell in a run that was interrupted",
        one_fell().judged(extents=_extent("suite_0", planned=99, interrupted=True)),
    )
    yield (
        "the only suite that ran fell",
        structs.replace(
            BothRuns().add("regex", lost=12, kept=48).judged(),
            number_of_suites=3,
            not_collected=["test_b.py"],
        ),
    )
    yield "passed", unchanged().judged()
    yield "passed in each suite", unchanged().judged(Rules(suite_drop=0.2))
    yield "open", unchanged().judged(Rules(drop=0.005))
    yield "open in the suites", unchanged().judged(Rules(suite_drop=0.01))
    yield (
        "open over all pairs, asked for both",
        unchanged().judged(Rules(drop=0.005, suite_drop=0.01)),
    )
    yield (
        "interrupted",
        unchanged().judged(extents=_extent("suite_0", planned=99, interrupted=True)),
    )
    spent = "--autoeval-max-calls=100 is reached"
    yield (
        "a budget ran out",
        unchanged().judged(extents=_extent("suite_0", planned=99, interrupted=True, spent=spent)),
    )
    yield "a new suite", _with_new_suite().judged()
    yield "errors", unchanged().add("lossy", lost=0, kept=60, errors=9).judged()
    yield "only reported", unchanged().judged(Rules())
    yield "two models", _two_models().judged()
    yield "nothing in common", _nothing_in_common().judged()
    yield "other seed", _other_seed().judged()


def _with_new_suite() -> BothRuns:
    runs = unchanged()
    runs.here += pairs("new", lost=0)[1]
    return runs


def _two_models() -> BothRuns:
    runs = fell_as_a_whole(models=("a", "a"))
    other = unchanged(models=("b", "b"))
    return BothRuns(runs.here + other.here, runs.there + other.there)


def _nothing_in_common() -> BothRuns:
    return BothRuns(pairs("regex", lost=0)[1], pairs("regex", lost=0, operators=99, size=99)[0])


def _other_seed() -> BothRuns:
    runs = BothRuns()
    for place in range(3):
        before, _ = pairs(f"suite_{place}", lost=1, won=1, kept=58, seed=1)
        runs.there += before[:20]
        runs.here += pairs(f"suite_{place}", lost=1, won=1, kept=58, seed=0)[1]
    return runs
