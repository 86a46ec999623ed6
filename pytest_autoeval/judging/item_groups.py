"""Groups the samples of results by item, by size and by suite."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias, TypeVar

from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.suite_names import suite_name
from pytest_autoeval.record.task_parts import Given
from pytest_autoeval.statistics.clusters import Trials, cluster_numbers, design_effect
from pytest_autoeval.statistics.pass_rate import PassRate

#: The source of an item: its file, then the line.
_AT_LINE = lazy_pattern(r"(?P<file>.+?):\d")
#: The kinds of trace that a model is asked to write.
_REQUESTED_TRACES = ("satisfying", "violating")

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

Item = tuple[str, ...]
#: The number of a suite.
SuiteKey: TypeAlias = int


class Comparable(NamedTuple):
    """What is asked of whom: suites of two runs are compared if these are equal.

    ``reader`` is the model that read the descriptions, empty if the model read its own. ``constrained``: a grammar
    constrained the answers. ``prompts`` are the folders of the user's prompts.
    """

    function: str
    parameters: str
    interface: str
    prompting: str
    reader: str
    constrained: bool
    prompts: tuple[str, ...]
    model: str

    @classmethod
    def of(cls, suite: SuiteRecord) -> Comparable:
        """The group of a suite."""
        line = suite.asked
        has_other_reader = line.reader not in (None, line.model)
        return cls(
            function=line.function,
            parameters=line.parameters,
            interface=line.form_of_prompt,
            prompting=line.prompting,
            reader=(line.reader or "") if has_other_reader else "",
            constrained=line.constrained,
            prompts=line.prompts,
            model=line.model,
        )

    @property
    def test(self) -> str:
        """The test with its own parameters, without the variant."""
        return suite_name(self.function, self.parameters)


def side_by_side(
    suites: Iterable[SuiteRecord],
    group_of: Callable[[SuiteRecord], Hashable] = lambda suite: suite.name,
    member_of: Callable[[SuiteRecord], Hashable] = lambda suite: suite.model,
) -> list[list[SuiteRecord]]:
    """The suites in groups of equal ``group_of``, each with one suite of each ``member_of``.

    By default the groups are suites of one name, each with one suite of each model. Two suites of one name and model
    are in two groups: the first ones stand together, then the second ones.
    """
    groups: dict[tuple[Hashable, int], list[SuiteRecord]] = {}
    times: Counter[tuple[Hashable, Hashable]] = Counter()
    for suite in suites:
        group, member = group_of(suite), member_of(suite)
        groups.setdefault((group, times[group, member]), []).append(suite)
        times[group, member] += 1
    return list(groups.values())


#: What stands for what a task asks besides the formula, if it asks nothing: as many fields as `item_of` takes.
_NO_DETAILS = ("",) * 6


def item_of(sample: Sample) -> Item:
    """The identity of a sample's item within its suite: the formula, and what a task asks besides it.

    It contains nothing that a model wrote. If the model was asked to write a trace, it contains the requested kind of
    trace.
    """
    details = sample.part(Given)
    if details is None:
        return (str(sample.size), sample.formula, *_NO_DETAILS)
    trace = details.expected if details.expected in _REQUESTED_TRACES else details.trace
    fields = (
        sample.size,
        sample.formula,
        details.own_id,
        trace,
        details.text,
        details.sentence,
        details.other,
        details.premises,
    )
    return tuple("" if value is None else str(value) for value in fields)


def item_name(sample: Sample) -> str:
    """The item's name: its formula, else its text or sentence."""
    details = sample.part_or_empty(Given)
    return sample.formula or details.text or details.sentence or details.name


def grouped(values: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The values of each key, in the order in which the keys first occur."""
    # A plain dict: to look up a missing key must not add a group.
    groups: dict[K, list[T]] = {}
    for value in values:
        group = key(value)
        if group in groups:
            groups[group].append(value)
        else:
            # A list of one has no room for more, and most items have one sample.
            groups[group] = [value]
    return groups


def by_suite(samples: Iterable[Sample]) -> dict[SuiteRecord, list[Sample]]:
    """The samples of each suite, in the order in which the suites first occur."""
    return grouped(samples, lambda sample: sample.suite)


def by_size(samples: Iterable[Sample]) -> dict[int, list[Sample]]:
    """The samples of each size, the smallest first."""
    return dict(sorted(grouped(samples, lambda sample: sample.size).items()))


def size_name(samples: Sequence[Sample]) -> str:
    """What the sizes measure: operators, depth for some languages, or the words of sentences."""
    for name in ("operators", "depth", "words"):
        if all(sample.measures.get(name) == sample.size for sample in samples):
            return name
    return "size"


def by_item(samples: Iterable[Sample]) -> dict[Item, list[Sample]]:
    """The samples of each item, its repeats and paraphrases in order; errors are left out."""
    answered = grouped((sample for sample in samples if sample.kind != OutcomeKind.ERROR), item_of)
    for tried in answered.values():
        if len(tried) > 1:
            tried.sort(key=_repeat_and_paraphrase)
    return answered


def _repeat_and_paraphrase(sample: Sample) -> tuple[int, int]:
    return sample.repeat, sample.paraphrase


def errors_by_item(samples: Iterable[Sample]) -> dict[Item, list[Sample]]:
    """The samples of each item that ended in an error."""
    return grouped((sample for sample in samples if sample.kind is OutcomeKind.ERROR), item_of)


def trials(samples: Sequence[Sample]) -> Trials:
    """The numbers of passed samples and of all samples. An undecided sample counts as not passed."""
    return sum(sample.kind is OutcomeKind.PASS for sample in samples), len(samples)


class Paired(NamedTuple):
    """The samples of one item in this run and in an earlier one, and those of both that ended in errors.

    An item without an answer is a pair too: its errors might have been answers.
    """

    item: Item
    now: Sequence[Sample]
    before: Sequence[Sample]
    errors_now: Sequence[Sample] = ()
    errors_before: Sequence[Sample] = ()

    @property
    def answered(self) -> bool:
        """Whether both runs have an answer."""
        return bool(self.now and self.before)

    @property
    def errors(self) -> int:
        """How many samples of both runs ended in errors."""
        return len(self.errors_now) + len(self.errors_before)

    @property
    def sample(self) -> Sample:
        """A sample of this run. What it asked is that of the pair."""
        return (self.now or self.errors_now)[0]

    @property
    def trials(self) -> tuple[Trials, Trials]:
        """The trials before and after, without errors."""
        return trials(self.before), trials(self.now)

    @property
    def undecided(self) -> int:
        """How many undecided samples may hide a change.

        An answer with one formula means the same in both runs. If it has the same share in both, whatever it means
        changes nothing.
        """
        shares = self._undecided_answers.values()
        return sum(before + after for before, after in shares if self._gain(before, after))

    @property
    def _undecided_answers(self) -> Mapping[Hashable, Trials]:
        """How many undecided samples before and after have each answer. An answer without a formula is like no other.

        All those of one answer passed, or none of them did.
        """
        before = _undecided_answers(self.before)
        after = _undecided_answers(self.now)
        counts: dict[Hashable, Trials] = {}
        # No set: what a report computes must not depend on the order of hashes.
        for answer in dict.fromkeys([*before, *after]):
            counts[answer] = (before.count(answer), after.count(answer))
        return counts

    def _gain(self, before: int, after: int) -> int:
        """By how much the rate rises if so many more samples passed before and after: only the sign means something."""
        # after / tried_after − before / tried_before, times both denominators: integers compare exactly.
        tried_before = len(self.before) + len(self.errors_before)
        tried_after = len(self.now) + len(self.errors_now)
        return after * tried_before - before * tried_after

    @property
    def bounds(self) -> tuple[tuple[Trials, Trials], tuple[Trials, Trials]]:
        """The trials before and after, at worst and at best.

        At worst all errors of this run had failed and those of the earlier one had passed, and undecided samples passed
        where that makes this run worse; those of one answer pass together. At best it is the other way round.
        """
        (before, tried_before), (after, tried_after) = self.trials
        undecided = self._undecided_answers.values()
        # Nearly all pairs end here, and a run has thousands of them.
        if not (undecided or self.errors):
            exact = (before, tried_before), (after, tried_after)
            return exact, exact
        worst_before, worst_after = before + len(self.errors_before), after
        best_before, best_after = before, after + len(self.errors_now)
        for undecided_before, undecided_after in undecided:
            gain = self._gain(undecided_before, undecided_after)
            if gain < 0:
                worst_before += undecided_before
                worst_after += undecided_after
            elif gain > 0:
                best_before += undecided_before
                best_after += undecided_after
        tried_before += len(self.errors_before)
        tried_after += len(self.errors_now)
        worst = (worst_before, tried_before), (worst_after, tried_after)
        best = (best_before, tried_before), (best_after, tried_after)
        return worst, best


def _undecided_answers(samples: Iterable[Sample]) -> list[Hashable]:
    return [_answer_of(sample) for sample in samples if sample.kind is OutcomeKind.UNDECIDED]


def _answer_of(sample: Sample) -> Hashable:
    """What decides whether an undecided sample passed: the formula in its answer. Else it is like no other sample.

    Without a verdict or a task it was the body of the test that gave up, for reasons of its own.
    """
    about_formula = sample.verdict_method is not None or sample.suite.asked.task is not None
    answer = sample.compared or sample.translation
    return answer if about_formula and answer else id(sample)


def cluster_keys(sample: Sample) -> Sequence[Hashable]:
    """What a sample shares with others whose results are not independent: its formula, sentence or text, and the
    cluster that the user's data give it.
    """
    details = sample.part(Given)
    if details is None:
        return (sample.formula or item_of(sample),)
    keys: list[Hashable] = [
        text for text in (sample.formula, details.sentence, details.text) if text
    ]
    if not keys:
        keys.append(item_of(sample))
    # Rows of one document fail together. Taken as independent, they made 13 to 27 % of runs fall that did not change.
    if details.cluster is not None:
        # A tuple of three, so that no formula is equal to it.
        keys.append(("cluster", _file_of(sample, details), details.cluster))
    return keys


def _file_of(sample: Sample, details: Given) -> str:
    """The file that an item is from, so that a cluster of it holds in all suites; else the data set."""
    at_line = None if details.source is None else _AT_LINE.match(details.source)
    return sample.suite.asked.source if at_line is None else at_line["file"]


def cluster_of_each(items: Iterable[Sequence[Sample]]) -> list[int]:
    """The number of each item's cluster, from its samples: items that depend on each other have one number."""
    return cluster_numbers(cluster_keys(tried[0]) for tried in items)


def clusters_over_suites(suites: Sequence[Sequence[Sequence[Sample]]]) -> list[list[int]]:
    """The number of the cluster of each item of each suite, from its samples; suites may share clusters."""
    # Over all suites at once: a formula of several suites changes in all of them. Taken as independent, they gave
    # 95 % intervals that cover the truth in 15 to 87 % (simulated).
    numbers = iter(cluster_of_each(tried for items in suites for tried in items))
    return [list(islice(numbers, len(items))) for items in suites]


def dependent_samples(items: Mapping[Item, Sequence[Sample]]) -> list[list[Sample]]:
    """The samples of each cluster: repeats of an item, and items that depend on each other, are together."""
    return _together(cluster_of_each(items.values()), items.values())


def _together(numbers: Iterable[int], items: Iterable[Sequence[Sample]]) -> list[list[Sample]]:
    """The samples of the items of each number."""
    samples_of: dict[int, list[Sample]] = defaultdict(list)
    for number, tried in zip(numbers, items, strict=True):
        samples_of[number] += tried
    return list(samples_of.values())


def pass_rate(items: Mapping[Item, Sequence[Sample]]) -> PassRate:
    """The pass rate of some items. Repeats of one item are not independent."""
    counts = Counter(sample.kind for tried in items.values() for sample in tried)
    return PassRate(
        passed=counts[OutcomeKind.PASS],
        undecided=counts[OutcomeKind.UNDECIDED],
        total=counts.total() - counts[OutcomeKind.ERROR],
        design_effect=clusters_design_effect(items),
    )


def clusters_design_effect(items: Mapping[Item, Sequence[Sample]]) -> float:
    """The design effect of repeats and of clusters: the larger of those for the lower and the upper bound of the pass
    rate.
    """
    numbers = cluster_of_each(items.values())
    if len(set(numbers)) == sum(map(len, items.values())):  # one sample in each cluster
        return 1.0
    dependent = _together(numbers, items.values())
    # What undecided samples are moves whole clusters, and with them the design effect.
    if_undecided_failed, if_undecided_passed = [], []
    for samples in dependent:
        passes, total = trials(samples)
        undecided = sum(sample.kind is OutcomeKind.UNDECIDED for sample in samples)
        if_undecided_failed.append((passes, total))
        if_undecided_passed.append((passes + undecided, total))
    return max(design_effect(if_undecided_failed), design_effect(if_undecided_passed))
