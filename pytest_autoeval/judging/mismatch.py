"""Why two runs have few formulas in common: they drew from other seeds, other sizes, another grammar, fewer samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from pytest_autoeval.judging.item_groups import by_size
from pytest_autoeval.judging.run_differences import DRAWN_FROM, suites_in
from pytest_autoeval.record.figure_sentences import listed, number, sentence
from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.text import one_line


class Overlap(Struct, frozen=True):
    """A suite of this run and that of the baseline: ``shared`` of the ``formulas`` of this run are in both.

    ``shared`` and ``formulas`` are numbers of formulas.
    """

    now: SuiteRecord
    before: SuiteRecord
    shared: int
    formulas: int

    @property
    def is_small(self) -> bool:
        """Whether the baseline has less than half of the formulas."""
        return _is_less_than_half(self.shared, self.formulas)


def mismatch(overlaps: Iterable[Overlap]) -> Sentence | None:
    """Why the baseline has less than half of the formulas of all suites, with the numbers; None if it has more.

    Suites may have several causes. The one that explains most of the lacking formulas is given.
    """
    overlaps = list(overlaps)
    shared = sum(overlap.shared for overlap in overlaps)
    formulas = sum(overlap.formulas for overlap in overlaps)
    if not _is_less_than_half(shared, formulas):
        return None
    # Equal causes are counted together by their text: a sentence has a dict of values, and is no key.
    lacking: Counter[str] = Counter()
    causes: dict[str, Sentence] = {}
    for overlap in overlaps:
        if overlap.is_small:
            cause = _cause(overlap)
            causes.setdefault(str(cause), cause)
            lacking[str(cause)] += overlap.formulas - overlap.shared
    # If the baseline lacks half of all formulas, it lacks half of those of some suite: there is a cause.
    main_cause = max(lacking, key=lacking.__getitem__)
    text = "{shared} of {asked} are the same"
    if main_cause:
        text = f"{{cause}}: {text}"
    return sentence(
        text,
        cause=causes[main_cause],
        shared=number(shared, name="common formulas"),
        asked=number(formulas, "formula"),
    )


def _is_less_than_half(part: int, whole: int) -> bool:
    return 2 * part < whole


def _cause(overlap: Overlap) -> Sentence:
    """Why the baseline lacks formulas of a suite; empty for another seed, which the run says for all its suites.

    What changes all formulas is tried first, then other sizes, and then fewer samples of each size: a later cause is
    only of interest if no earlier one holds.
    """
    now, before = overlap.now, overlap.before
    for name, values_of in DRAWN_FROM.items():
        values_now, values_before = values_of(now), values_of(before)
        baseline_lacks_some = bool(values_now - values_before)
        if baseline_lacks_some:
            if name == "seed":
                return Sentence("")
            text = f"the baseline has the {name} {{theirs}}, this run {{ours}}"
            return sentence(text, theirs=_names(values_before), ours=_names(values_now))
    sizes_now, sizes_before = _sizes(now), _sizes(before)
    if _lacks_most(sizes_now, sizes_before):
        text = "the baseline has formulas of size {theirs}, this run of size {ours}"
        return sentence(text, theirs=_ranges(sizes_before), ours=_ranges(sizes_now))
    most_now, most_before = _most_of_a_size(now), _most_of_a_size(before)
    if most_before < most_now:
        return sentence(
            "the baseline has {theirs} of each size, this run {ours}",
            theirs=number(most_before, "formula", name="formulas of a size, baseline"),
            ours=number(most_now, name="formulas of a size"),
        )
    releases_now, releases_before = _releases(now), _releases(before)
    # Files of older releases do not say their release.
    releases_are_known = all(releases_now) and all(releases_before)
    if releases_are_known and releases_now != releases_before:
        text = "release {theirs} drew the formulas of the baseline, and {ours} those of this run"
        return sentence(text, theirs=_names(releases_before), ours=_names(releases_now))
    return Sentence("the runs have few formulas in common, though they were drawn alike")


def _sizes(suite: SuiteRecord) -> set[int]:
    return {sample.size for sample in suite.regular}


def _releases(suite: SuiteRecord) -> set[str]:
    """The releases of this package that asked the suite: several, if several runs are one baseline."""
    return {suite_of_run.run.release for suite_of_run in suites_in(suite)}


def _lacks_most(sizes_now: set[int], sizes_before: set[int]) -> bool:
    """Whether the baseline lacks at least half of the sizes."""
    return 2 * len(sizes_now & sizes_before) <= len(sizes_now)


def _most_of_a_size(suite: SuiteRecord) -> int:
    """The largest number of formulas of one size."""
    # By index: repeats and paraphrases of a formula have one.
    indices = [{sample.index for sample in samples} for samples in by_size(suite.regular).values()]
    return max(map(len, indices), default=0)


def _names(values: Iterable[str]) -> Sentence:
    return listed([one_line(value) for value in sorted(values)])


def _ranges(sizes: Iterable[int]) -> Sentence:
    """Sizes as text: ``4 to 7``, ``2, 5, 8 and 3 more``."""
    ordered = sorted(sizes)
    # Two sizes are listed: "4 and 5" is as short as "4 to 5".
    if len(ordered) > 2:
        smallest, largest = ordered[0], ordered[-1]
        has_no_gap = ordered == list(range(smallest, largest + 1))
        if has_no_gap:
            return sentence("{first} to {last}", first=str(smallest), last=str(largest))
    return listed([str(size) for size in ordered])
