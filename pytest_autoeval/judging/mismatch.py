"""Why two runs have few formulas in common: they drew from other seeds, other sizes, another grammar, fewer samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pytest_autoeval.judging.items import by_size
from pytest_autoeval.judging.run_differences import seeds, suites_in
from pytest_autoeval.record.figure_sentences import listed, number, sentence
from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.text import one_line


@dataclass(frozen=True, slots=True)
class Overlap:
    """A suite of this run and that of the baseline: ``shared`` formulas of the ``asked`` ones are in both."""

    here: SuiteRecord
    there: SuiteRecord
    shared: int
    asked: int

    @property
    def is_small(self) -> bool:
        """Whether the baseline has less than half of the formulas."""
        return 2 * self.shared < self.asked


def mismatch(overlaps: Iterable[Overlap]) -> Sentence | None:
    """Why the baseline has less than half of the formulas of some suites, with the numbers; None if it has more.

    The cause is that of the suites which lack most formulas.
    """
    overlaps = list(overlaps)
    shared, asked = sum(one.shared for one in overlaps), sum(one.asked for one in overlaps)
    if 2 * shared >= asked:
        return None
    lacking: Counter[str] = Counter()
    causes: dict[str, Sentence] = {}
    for one in overlaps:
        if one.is_small:
            cause = _cause(one)
            causes.setdefault(str(cause), cause)
            lacking[str(cause)] += one.asked - one.shared
    (most, _), *_ = lacking.most_common(1)
    return sentence(
        "{cause}: {shared} of {asked} are the same",
        cause=causes[most],
        shared=number(shared, name="common formulas"),
        asked=number(asked, "formula"),
    )


def _cause(one: Overlap) -> Sentence:
    """Why the baseline lacks formulas of a suite. A seed changes all formulas, so it comes first."""
    drawn: dict[str, Callable[[SuiteRecord], set[str]]] = {
        "seed": seeds,
        "grammar": lambda suite: {each.asked.source for each in suites_in(suite)},
        "vocabulary": lambda suite: {each.asked.vocabulary for each in suites_in(suite)},
    }
    for name, values_of in drawn.items():
        ours, theirs = values_of(one.here), values_of(one.there)
        if ours - theirs:
            text = f"the baseline has {'' if name == 'seed' else 'the '}{name} {{theirs}}, this run {{ours}}"
            return sentence(text, theirs=_names(theirs), ours=_names(ours))
    sizes = [{sample.size for sample in suite.regular} for suite in (one.here, one.there)]
    if _lacks_most(*sizes):
        text = "the baseline has formulas of size {theirs}, this run of size {ours}"
        return sentence(text, theirs=_ranges(sizes[1]), ours=_ranges(sizes[0]))
    most, before = (_most_of_a_size(suite) for suite in (one.here, one.there))
    if before < most:
        return sentence(
            "the baseline has {theirs} of each size, this run {ours}",
            theirs=number(before, "formula", name="formulas of a size, baseline"),
            ours=number(most, name="formulas of a size"),
        )
    releases = [{each.run.release for each in suites_in(suite)} for suite in (one.here, one.there)]
    if releases[0] != releases[1] and all(map(all, releases)):
        text = "release {theirs} drew the formulas of the baseline, and {ours} those of this run"
        return sentence(text, theirs=_names(releases[1]), ours=_names(releases[0]))
    return Sentence("the runs have few formulas in common, though they were drawn alike")


def _lacks_most(ours: set[int], theirs: set[int]) -> bool:
    """Whether the baseline lacks at least half of the sizes."""
    return 2 * len(ours & theirs) <= len(ours)


def _most_of_a_size(suite: SuiteRecord) -> int:
    """The largest number of formulas of one size."""
    return max(
        (len({sample.index for sample in some}) for some in by_size(suite.regular).values()),
        default=0,
    )


def _names(values: Iterable[str]) -> Sentence:
    return listed([one_line(value) for value in sorted(values)])


def _ranges(sizes: Iterable[int]) -> Sentence:
    """Sizes as text: ``4 to 7``, ``2, 5, 8 and 3 more``."""
    known: Sequence[int] = sorted(sizes)
    if len(known) > 2 and known == list(range(known[0], known[-1] + 1)):
        return sentence("{first} to {last}", first=str(known[0]), last=str(known[-1]))
    return listed([str(size) for size in known])
