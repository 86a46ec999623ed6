"""Planned looks (`--autoeval-stop-early`): which suites have them, and which samples run before which look.

A look judges a suite while it runs, each time after a fifth of its samples, and may end it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, cast

from msgspec.structs import replace

from pytest_autoeval.engine.engine import Engine, rules_of
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.suite import Suite
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.judging.item_groups import grouped
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.statistics.clusters import cluster_numbers
from pytest_autoeval.statistics.look_levels import LOOKS
from pytest_autoeval.tasks.trial import Trial
from pytest_autoeval.text import count

_OPTION = "--autoeval-stop-early"


class TrialGroup(NamedTuple):
    """Trials that all end before the next group starts. ``look`` is the planned look after them; 0 if there is none."""

    trials: Sequence[Trial]
    look: int = 0


class PlannedLooks:
    """The planned looks at one suite.

    ``notes`` are sentences about the looks for the end of the run. ``stopped`` is set by the look that ends the suite.
    """

    def __init__(self, suite: Suite, engine: Engine) -> None:
        self._engine = engine
        why_not = _why_without_looks(suite, engine.settings) if engine.settings.stop_early else ""
        #: Whether looks may end the suite.
        self.are_planned = engine.settings.stop_early and not why_not
        self.notes = [why_not] if why_not else []
        self.stopped: Stopped | None = None

    def batches(self, trials: Sequence[Trial], samples: Sequence[Sample]) -> list[TrialGroup]:
        """The trials in groups: those before each look, in the order of the looks."""
        if not self.are_planned:
            return [TrialGroup(trials)]
        looks = looks_of_samples(samples, self._engine.settings.seed)

        def look_of(trial: Trial) -> int:
            sample = cast("Sample", trial.subject)
            return looks[sample.operators, sample.index]

        # A shard may have no trial before some look: only the looks of its own trials are planned.
        trials_of_look = grouped(trials, look_of)
        groups = [TrialGroup(group, look) for look, group in sorted(trials_of_look.items())]
        # After the last trial the suite is judged as a whole, which is no look.
        return [*groups[:-1], TrialGroup(groups[-1].trials)]

    def is_decided(self, look: int, suite: SuiteRecord, planned: int) -> bool:
        """Whether a look ends the suite. All of its samples before the look have ended, and no other has begun."""
        from pytest_autoeval.judging.look_verdict import judge_look

        verdict = judge_look(
            suite,
            rules_of(self._engine.settings),
            look=look,
            planned=planned,
            baseline=self._engine.baseline,
            suites=self._engine.number_of_suites,
            own_gates=bool(self._engine.gates),
        )
        if verdict.goes_on:
            note = f"{_OPTION}: a suite that met its threshold went on, because {verdict.goes_on}"
            # Each later look may give the same reason again.
            if note not in self.notes:
                self.notes.append(note)
        if verdict.stopped is None:
            return False
        calls_of_samples = [len(sample.calls) for sample in suite.regular]
        number, text = _saved_calls(calls_of_samples, verdict.stopped.left)
        self.stopped = replace(verdict.stopped, calls=number, saved=text)
        return True


def _why_without_looks(suite: Suite, settings: Settings) -> str:
    """Why no look can end a suite, as a note; empty if one can.

    The note names no suite. Equal notes of several suites are then shown once.
    """
    if settings.formula:
        return f"{_OPTION}: the formulas of --autoeval-formula are too few for looks, and all are asked"
    if suite.threshold is None and not rules_of(settings).judges_falls:
        return f"{_OPTION}: a suite without a threshold runs whole, because no look can decide it"
    return ""


def looks_of_samples(samples: Sequence[Sample], seed: int) -> dict[tuple[int, int], int]:
    """The look before which each sample runs, by its size and index.

    A fifth of the samples runs before each look. Each fifth has about as many samples of every size, in an order drawn
    from the seed. Samples whose results are not independent, such as those of one formula or of one document, are in
    one fifth.
    """
    numbers = cluster_numbers([*_dependence_keys(sample)] for sample in samples)
    samples_of_cluster: defaultdict[int, list[Sample]] = defaultdict(list)
    for number, sample in zip(numbers, samples, strict=True):
        samples_of_cluster[number].append(sample)
    units = list(samples_of_cluster.values())
    # Units of one size stand together, so that the rule below spreads each size over the fifths.
    units.sort(key=lambda unit: (unit[0].operators, _random_rank(unit[0], seed)))
    samples_of_size_and_look: Counter[tuple[int, int]] = Counter()
    samples_of_look: Counter[int] = Counter()
    looks: dict[tuple[int, int], int] = {}
    for unit in units:
        size = unit[0].operators
        # The fifth with the fewest samples of this size; among several, the one with the fewest of all sizes.
        look = min(
            range(1, LOOKS + 1),
            key=lambda candidate: (
                samples_of_size_and_look[size, candidate],
                samples_of_look[candidate],
            ),
        )
        for sample in unit:
            samples_of_size_and_look[sample.operators, look] += 1
            samples_of_look[look] += 1
            looks[sample.operators, sample.index] = look
    return looks


def _saved_calls(calls: Sequence[int], unasked: int) -> tuple[int, str]:
    """About how many calls ``unasked`` samples would have made, as a number and as a text.

    ``calls`` are the numbers of calls of the samples that ran. If they differ, the result is an estimate, and the text
    says so.
    """
    saved = round(unasked * sum(calls) / len(calls)) if calls else 0
    if not saved:
        return 0, ""
    about = "" if len(set(calls)) == 1 else "about "
    return saved, f"{about}{count(saved, 'call')}"


def _dependence_keys(sample: Sample) -> Iterator[Hashable]:
    """Keys of a sample. The results of samples with a common key are not independent.

    The same rule for results is :func:`pytest_autoeval.judging.item_groups.cluster_keys`.
    """
    # Only an item of a data set has facts; a drawn formula has its text alone.
    facts: Any = getattr(sample, "facts", {})
    texts = [text for text in (sample.text, facts.get("sentence"), facts.get("text")) if text]
    yield from texts
    if not texts:
        yield "sample", sample.operators, sample.index
    cluster = facts.get("cluster")
    if cluster is not None:
        yield "cluster", cluster


def _random_rank(sample: Sample, seed: int) -> bytes:
    """Sorts samples in an order that looks random, and that is the same in every process."""
    return sha256(f"{seed} look {sample.operators} {sample.index} {sample.text}".encode()).digest()
