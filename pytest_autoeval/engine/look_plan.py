"""Planned looks (`--autoeval-stop-early`): which suites have them, and which samples run before which look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, cast

from msgspec.structs import replace

from pytest_autoeval.engine.engine import Engine, rules_of
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.suite import Suite
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.judging.item_groups import clusters, grouped
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.record.stop_reasons import Stopped
from pytest_autoeval.statistics.look_levels import LOOKS
from pytest_autoeval.tasks.trial import Trial
from pytest_autoeval.text import count

_OPTION = "--autoeval-stop-early"


class TrialGroup(NamedTuple):
    """Trials that all end before the next batch starts. ``look`` is the planned look after them; 0 if there is none."""

    trials: Sequence[Trial]
    look: int = 0


class PlannedLooks:
    """The planned looks at one suite. ``notes`` grow with the looks; ``stopped`` is set by the look that ends it."""

    def __init__(self, suite: Suite, engine: Engine) -> None:
        self._engine = engine
        why_not = _why_without_looks(suite, engine.settings) if engine.settings.stop_early else ""
        #: Whether looks may end the suite.
        self.are_planned = engine.settings.stop_early and not why_not
        self.notes = [why_not] if why_not else []
        self.stopped: Stopped | None = None

    def batches(self, trials: Sequence[Trial], samples: Sequence[Sample]) -> list[TrialGroup]:
        """The trials before each look, in their order. A look after which no trial is left is none."""
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
            self.notes = [*dict.fromkeys([*self.notes, note])]
        if verdict.stopped is None:
            return False
        calls, saved = _saved_calls(
            [len(sample.calls) for sample in suite.regular], verdict.stopped.left
        )
        self.stopped = replace(verdict.stopped, calls=calls, saved=saved)
        return True


def _why_without_looks(suite: Suite, settings: Settings) -> str:
    """Why no look can end a suite, as a note; empty if one can.

    The note names no suite, so that it stands once in a run of many.
    """
    if settings.formula:
        return f"{_OPTION}: the formulas of --autoeval-formula are too few for looks, and all are asked"
    if suite.threshold is None and not rules_of(settings).judges_falls:
        return f"{_OPTION}: a suite without a threshold runs whole, because no look can decide it"
    return ""


def looks_of_samples(samples: Sequence[Sample], seed: int) -> dict[tuple[int, int], int]:
    """The look before which each sample runs, by its size and index.

    The order is drawn from the seed, and each fifth has about as many samples of every size. Samples whose results are
    not independent, such as those of one formula or of one document, are in one fifth.
    """
    members = grouped(
        zip(clusters([*_shared(sample)] for sample in samples), samples, strict=True),
        lambda entry: entry[0],
    )
    units = [[sample for _, sample in entries] for entries in members.values()]
    # Units of one size stand together, so that the rule below spreads each size over the fifths.
    units.sort(key=lambda unit: (unit[0].operators, _drawn_place(unit[0], seed)))
    of_size: Counter[tuple[int, int]] = Counter()
    of_look: Counter[int] = Counter()
    looks: dict[tuple[int, int], int] = {}
    for unit in units:
        size = unit[0].operators
        # The fifth with the fewest samples of this size; among several, the one with the fewest of all sizes.
        look = min(
            range(1, LOOKS + 1),
            key=lambda candidate: (of_size[size, candidate], of_look[candidate]),
        )
        for sample in unit:
            of_size[sample.operators, look] += 1
            of_look[look] += 1
            looks[sample.operators, sample.index] = look
    return looks


def _saved_calls(calls: Sequence[int], unasked: int) -> tuple[int, str]:
    """About how many calls ``unasked`` samples would have made, as a number and as a text.

    ``calls`` are those of each sample that ran. If they differ, the number is an estimate, and the text says so.
    """
    saved = round(unasked * sum(calls) / len(calls)) if calls else 0
    if not saved:
        return 0, ""
    about = "" if len(set(calls)) == 1 else "about "
    return saved, f"{about}{count(saved, 'call')}"


def _shared(sample: Sample) -> Iterator[Hashable]:
    """What makes samples dependent; :func:`pytest_autoeval.judging.item_groups.cluster_keys` says it of results."""
    facts: Any = getattr(sample, "facts", {})
    shared = [text for text in (sample.text, facts.get("sentence"), facts.get("text")) if text]
    yield from shared
    if not shared:
        yield "sample", sample.operators, sample.index
    if (cluster := facts.get("cluster")) is not None:
        yield "cluster", cluster


def _drawn_place(sample: Sample, seed: int) -> bytes:
    # A digest of the sample alone, so that every process and every part of a run draws the same order.
    return sha256(f"{seed} look {sample.operators} {sample.index} {sample.text}".encode()).digest()
