"""Compares the models of a run: which is significantly better on a suite, and which leads over all suites."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import inf

from msgspec import Struct, structs

from pytest_autoeval.judging.item_groups import (
    Item,
    SuiteKey,
    by_item,
    cluster_of_each,
    clusters_over_suites,
    pass_rate,
    side_by_side,
    trials,
)
from pytest_autoeval.judging.run_differences import stopped_early
from pytest_autoeval.record.figure_sentences import listed, number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.statistics.clusters import Trials
from pytest_autoeval.statistics.multiplicity import holm
from pytest_autoeval.statistics.over_suites import mean_ranks
from pytest_autoeval.statistics.paired import two_sided_test
from pytest_autoeval.statistics.pass_rate import PassRate

#: The suites that ask the same, of one model each, in order of the models' names, with their answered items.
_Answers = Mapping[SuiteRecord, Mapping[Item, Sequence[Sample]]]
#: The trials that passed, and all of them, by model and item.
_Counts = dict[str, dict[Item, Trials]]
#: Why the formulas of a suite are not paired.
_STOPPED = "stopped early, which biases a comparison"
_OLDER = (
    "a run of an older release asked in a way that does not exist any more; horizons are compared"
)
_DISJOINT = "no formula was answered by all of its models"


class ModelResult(Struct, frozen=True, kw_only=True):
    """A model on one suite: the suite's number, its pass rate, and what it reached by the first measure of suites."""

    model: str
    number: SuiteKey
    rate: PassRate
    reached: Figure | None


class Difference(Struct, frozen=True, kw_only=True):
    """Two models on one suite, compared on the ``pairs`` of formulas that both answered.

    ``won`` and ``lost`` count the pairs that only the first or only the second model passed, ``both`` and ``neither``
    those of which both passed all trials, and no trial. ``difference`` is the
    first's rate − the second's, with its 95 % interval. ``p`` is two-sided and exact; ``p_corrected`` is corrected by
    Holm's method over all pairs of all suites. If formulas cannot be paired, the counts are 0 and the other numbers
    None. The difference is then ``significant`` if the first reached more and the intervals do not overlap.
    """

    first: str
    second: str
    pairs: int = 0
    won: int = 0
    lost: int = 0
    both: int = 0
    neither: int = 0
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_corrected: float | None = None
    significant: bool = False

    @property
    def worse(self) -> str:
        """The model with the lower pass rate."""
        return self.first if self.difference is not None and self.difference < 0 else self.second


class SuiteComparison(Struct, frozen=True, kw_only=True):
    """The models of one suite, the best first, and each pair of them; ``unpaired`` says why formulas are not paired, or
    is empty.

    ``shared`` has a row for each formula that all models answered: its pass rate for each model, in order of names.
    """

    suite: str
    models: tuple[ModelResult, ...]
    pairs: tuple[Difference, ...]
    shared: Sequence[Sequence[float]]
    unpaired: str

    @property
    def differences(self) -> list[Difference]:
        """The pairs of models that answered the same formulas."""
        return [pair for pair in self.pairs if pair.difference is not None]


class OverallRank(Struct, frozen=True, kw_only=True):
    """A model's mean rank over ``suites`` with its 95 % bootstrap interval; None if no suite has ranks."""

    model: str
    mean_rank: float | None
    low: float | None
    high: float | None
    suites: int


class ModelComparison(Struct, frozen=True, kw_only=True):
    """Two or more models: over all suites, the best first, and on each suite; ``notes`` about missing comparisons."""

    models: tuple[OverallRank, ...]
    suites: tuple[SuiteComparison, ...]
    notes: tuple[Sentence, ...]


def compare_models(
    suites: Iterable[SuiteRecord], reached: Mapping[SuiteKey, Figure], alpha: float
) -> ModelComparison | None:
    """Compares the models of suites that ask the same; None if no suite has answers of two models.

    ``reached`` are the values of the first measure of suites, such as the horizon. A difference is significant below
    ``alpha`` after Holm's correction over all pairs of all suites, since users look for the clearest difference in the
    table.
    """
    in_order = sorted(suites, key=lambda suite: (suite.name, suite.model, suite.number))
    compared_answers: list[_Answers] = []
    for group in side_by_side(in_order):
        items_of_suites = {suite: by_item(suite.counted) for suite in group}
        answered = {suite: items for suite, items in items_of_suites.items() if items}
        if len(answered) > 1:
            compared_answers.append(answered)
    if not compared_answers:
        return None
    compared = _corrected([_suite(group, reached) for group in compared_answers], alpha)
    models = sorted({suite.model for answers in compared_answers for suite in answers})
    rates_by_suite, samples_by_suite = [], []
    for suite, answers in zip(compared, compared_answers, strict=True):
        # A rank among some of the models says nothing beside a rank among all.
        if suite.shared and len(suite.models) == len(models):
            # Every model answered the same items, so the samples of any one show which formulas belong together.
            items = next(iter(answers.values()))
            rates_by_suite.append(suite.shared)
            samples_by_suite.append([items[item] for item in _shared(answers)])
    ranks: list[tuple[float | None, ...]] = [(None, None, None)] * len(models)
    if rates_by_suite:
        # Suites may have formulas in common: the bootstrap draws these together.
        clusters = clusters_over_suites(samples_by_suite)
        ranks = [structs.astuple(rank) for rank in mean_ranks(rates_by_suite, clusters)]
    # Without ranks, the order in the first suites counts.
    order = list(dict.fromkeys(model.model for suite in compared for model in suite.models))
    overall = [
        OverallRank(model=model, mean_rank=mean, low=low, high=high, suites=len(rates_by_suite))
        for model, (mean, low, high) in zip(models, ranks, strict=True)
    ]
    overall.sort(
        key=lambda rank: (
            rank.mean_rank or 0.0,
            0 if rates_by_suite else order.index(rank.model),
            rank.model,
        )
    )
    return ModelComparison(
        models=tuple(overall),
        suites=tuple(compared),
        notes=tuple(_notes(compared_answers, compared, models)),
    )


def _suite(answers: _Answers, reached: Mapping[SuiteKey, Figure]) -> SuiteComparison:
    """The models of a suite; p-values are not corrected yet."""
    unpaired = _unpaired_reason(answers)
    items_by_model = {suite.model: items for suite, items in answers.items()}
    # Once for each model, and not for each pair of them.
    counts: _Counts = {}
    for model, items in items_by_model.items():
        counts[model] = {item: trials(tried) for item, tried in items.items()}
    results = _results(answers, reached)
    pairs = []
    for leader, follower in combinations(results, 2):
        common: list[Item] = []
        if not unpaired:
            common = [item for item in counts[leader.model] if item in counts[follower.model]]
        if common:
            clusters = cluster_of_each(items_by_model[leader.model][item] for item in common)
            pairs.append(_difference((leader.model, follower.model), common, counts, clusters))
            continue
        # Early stopping biases the figures of a suite too, and not only its pairs.
        apart = unpaired != _STOPPED and _above(leader.reached, follower.reached)
        pairs.append(Difference(first=leader.model, second=follower.model, significant=apart))
    shared_rates = []
    for item in _shared(answers):
        counts_of_models = [counts_of_model[item] for counts_of_model in counts.values()]
        shared_rates.append([passed / total for passed, total in counts_of_models])
    return SuiteComparison(
        suite=next(iter(answers)).name,
        models=tuple(results),
        pairs=tuple(pairs),
        shared=shared_rates,
        unpaired=unpaired or ("" if shared_rates else _DISJOINT),
    )


def _results(answers: _Answers, reached: Mapping[SuiteKey, Figure]) -> list[ModelResult]:
    """The models of a suite, the best first: by what they reached if that is known of all, else by their rates."""
    results = [
        ModelResult(
            model=suite.model,
            number=suite.number,
            rate=pass_rate(items),
            reached=reached.get(suite.number),
        )
        for suite, items in answers.items()
    ]
    # A horizon that is not known cannot be ordered. Then the pass rates alone decide, for all models.
    all_reaches_known = all(
        result.reached is not None and result.reached.bound != "not known" for result in results
    )

    def rank(result: ModelResult) -> tuple[float, float]:
        return _reach(result.reached) if all_reaches_known else 0.0, result.rate.lower

    return sorted(results, key=rank, reverse=True)


def _difference(
    models: tuple[str, str], common: Sequence[Item], counts: _Counts, clusters: Sequence[int]
) -> Difference:
    """The difference of two models, the leader first, on the items that both answered."""
    leader_counts, follower_counts = (counts[model] for model in models)
    pairs = [(leader_counts[item], follower_counts[item]) for item in common]
    both = neither = 0
    for (leader_passed, leader_total), (follower_passed, follower_total) in pairs:
        both += leader_passed == leader_total and follower_passed == follower_total
        neither += leader_passed == follower_passed == 0
    # The test is of the follower against the leader, so that signs, and the ends of the interval, change places.
    test, p_value = two_sided_test(pairs, clusters)
    return Difference(
        first=models[0],
        second=models[1],
        pairs=test.pairs,
        won=test.lost,
        lost=test.won,
        both=both,
        neither=neither,
        difference=-test.difference,
        low=-test.interval.high,
        high=-test.interval.low,
        p=p_value,
    )


def _shared(answers: _Answers) -> list[Item]:
    """The items that all models answered, in the order of the first model; none if they must not be paired."""
    if _unpaired_reason(answers):
        return []
    items_of_first, *items_of_others = answers.values()
    shared = list(items_of_first)
    for items in items_of_others:
        shared = [item for item in shared if item in items]
    return shared


def _unpaired_reason(answers: _Answers) -> str:
    """Why the formulas of a suite must not be paired; empty if they may."""
    if any(map(stopped_early, answers)):
        return _STOPPED
    return _OLDER if any(suite.asked.incomparable is not None for suite in answers) else ""


def _reach(figure: Figure | None) -> float:
    if figure is None or figure.value is None or figure.bound == "below":
        return -inf
    return inf if figure.bound == "above" else figure.value


def _above(figure: Figure | None, compared_figure: Figure | None) -> bool:
    """Whether the whole interval of the first figure lies above that of the second."""
    if (
        figure is None
        or compared_figure is None
        or figure.low is None
        or compared_figure.high is None
    ):
        return False
    return figure.low > compared_figure.high


def _corrected(suites: Sequence[SuiteComparison], alpha: float) -> list[SuiteComparison]:
    # Corrected values have the order of their p-values, in which the loops below visit the pairs again.
    adjusted = iter(
        holm([pair.p for suite in suites for pair in suite.pairs if pair.p is not None])
    )

    def judged(pair: Difference) -> Difference:
        if pair.p is None:
            return pair
        p_value = next(adjusted)
        return structs.replace(pair, p_corrected=p_value, significant=p_value < alpha)

    return [structs.replace(suite, pairs=tuple(map(judged, suite.pairs))) for suite in suites]


def _models_of(suite: SuiteComparison) -> set[str]:
    return {result.model for result in suite.models}


def _notes(
    answers: Sequence[_Answers], suites: Sequence[SuiteComparison], models: Sequence[str]
) -> Iterator[Sentence]:
    for model in models:
        lacking = [suite.suite for suite in suites if model not in _models_of(suite)]
        if lacking:
            left_out = "the mean rank leaves out suites that only some models answered"
            yield sentence(
                f"{{model}} has no answers in {{suites}}: {left_out}",
                model=model,
                suites=listed(lacking),
            )
    for why in (_STOPPED, _OLDER, _DISJOINT):
        unpaired_suites = [suite.suite for suite in suites if suite.unpaired == why]
        if unpaired_suites:
            yield sentence(f"{{suites}}: {why}", suites=listed(unpaired_suites))
    # The model that answered most formulas shows how many are missing for the others.
    most = [max(map(len, group.values())) for group in answers]
    for suite, answered in zip(suites, most, strict=True):
        if 0 < len(suite.shared) < answered:
            shared = number(len(suite.shared), name="formulas that every model answered")
            text = "{suite}: only the {shared} of {every} that every model answered count"
            yield sentence(
                text, suite=suite.suite, shared=shared, every=number(answered, "formula")
            )
