"""The suites of earlier runs: which of them a suite is compared with, and why there is none."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from pytest_autoeval.judging.items import (
    Comparable,
    grouped,
)
from pytest_autoeval.judging.pairing import Comparison
from pytest_autoeval.outcomes import Prompting
from pytest_autoeval.record.figure_sentences import sentence
from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.text import one_line

_ABSENT = Sentence("the baseline does not have this suite (renamed?)")
_ABSENT_OF_MODEL = Sentence("the baseline has this suite only of other models")
_OTHERWISE = Sentence(
    "the baseline has this suite only with another combination of prompting, interface and reader"
)


class Variant(NamedTuple):
    """How the suites of a baseline were asked: prompting, interface, reader; None for what this run has too."""

    prompting: str | None = None
    interface: str | None = None
    reader: str | None = None

    @classmethod
    def read(cls, text: str) -> Variant:
        """The variant of ``few-shot``, ``structured``, ``reader:NAME`` or several of them by commas.

        Raises `ValueError` for an empty name, and if two are of one kind.
        """
        found: dict[str, str] = {}
        for part in (piece.strip() for piece in text.split(",")):
            kind, name = "prompting" if part in tuple(Prompting) else "interface", part
            if part.startswith("reader:"):
                kind, name = "reader", part.removeprefix("reader:").strip()
            if not name:
                raise ValueError(f"{text!r} has an empty name")
            if kind in found:
                raise ValueError(f"{text!r} names two of one kind: {found[kind]} and {name}")
            found[kind] = name
        return cls(**found)

    def of(self, key: Comparable) -> Comparable:
        """What a suite is compared with."""
        return key._replace(
            **{name: value for name, value in self._asdict().items() if value is not None}
        )


class Baseline:
    """The suites of an earlier run, or of several, grouped once for all comparisons.

    Suites that were asked the same of the same model are one: several runs are one baseline. ``model`` is the model of
    the baseline that all models are compared with; None if each is compared with itself. ``variant`` is the variant of
    the baseline that all variants are compared with; by default each is compared with itself.
    """

    def __init__(
        self,
        suites: Iterable[SuiteRecord],
        model: str | None = None,
        variant: Variant | None = None,
    ) -> None:
        self._model = model
        self._variant = variant or Variant()
        with_samples = [suite for suite in suites if suite.regular]
        self._groups = grouped(with_samples, Comparable.of)
        self._suites = {key: _together(group) for key, group in self._groups.items()}

    @property
    def suites(self) -> list[SuiteRecord]:
        """The suites that others are compared with."""
        return [*self._suites.values()]

    def compared_with(self, suite: SuiteRecord) -> Comparison:
        """A suite with its match.

        A model that the baseline does not have in any suite is compared with the baseline's only model of that suite.
        If the baseline has several, none is chosen. Constrained answers are compared with free ones, and free ones with
        constrained ones, if the baseline has no others.
        """
        key = self._variant.of(Comparable.of(suite))
        wanted = key.model if self._model is None else self._model
        known = any(other.model == wanted for other in self._suites)
        for constrained in (key.constrained, not key.constrained):
            kind = key._replace(constrained=constrained)
            if (there := self._suites.get(kind._replace(model=wanted))) is not None:
                return Comparison.of(suite, there)
        others = [] if known else self._of_other_models(key)
        if len(others) == 1:
            return Comparison.of(suite, self._suites[others[0]])
        if not others:
            why = self._why_absent(key, wanted if known else None)
            return Comparison(
                here=suite, refusal=why, is_new=why is _ABSENT or why is _ABSENT_OF_MODEL
            )
        text = "the baseline has several models for this suite, but not {model}: {models} ({option}=NAME names one)"
        models = one_line(", ".join(sorted(other.model for other in others)))
        refusal = sentence(
            text, model=one_line(key.model), models=models, option="--autoeval-baseline-model"
        )
        return Comparison(here=suite, refusal=refusal)

    def _of_other_models(self, key: Comparable) -> list[Comparable]:
        """The suites that asked the same of other models; if there are none, those with or without constraints."""
        for constrained in (key.constrained, not key.constrained):
            alike = key._replace(constrained=constrained, model="")
            if found := [other for other in self._suites if other._replace(model="") == alike]:
                return found
        return []

    def _why_absent(self, key: Comparable, model: str | None) -> Sentence:
        """Why the baseline has no match for a suite: how it asked the suite, if it has it.

        Only the suites of ``model`` count, if it is given.
        """
        test = key.function, key.parameters
        asked = [other for other in self._suites if (other.function, other.parameters) == test]
        others = [other for other in asked if model in (None, other.model)]
        if asked and not others:
            return _ABSENT_OF_MODEL
        for what in ("prompting", "interface", "reader"):
            ours, theirs = getattr(key, what), sorted({getattr(other, what) for other in others})
            if theirs and ours not in theirs and (ours or what == "reader"):
                names = one_line(", ".join(name or "none" for name in theirs))
                text = f"this run has the {what} {{ours}}, and the baseline {{theirs}} (--autoeval-{what})"
                return sentence(text, ours=one_line(ours or "none"), theirs=names)
        return _OTHERWISE if others else _ABSENT

    def left_over(
        self, compared: Iterable[Comparison], did_not_run: Container[str] = ()
    ) -> list[SuiteRecord]:
        """The suites of the baseline that are in none of the comparisons, by their names. A suite that this run
        asked in another way is not listed: its comparison says so. Nor are suites of this run that ``did_not_run``, by
        their names, and those of other models, if one is named.
        """
        compared = list(compared)
        tests = [
            (_test_of(one.here), self._model or one.here.model)
            for one in compared
            if one.refusal is not None and one.there is None
        ]
        used = {Comparable.of(one.there) for one in compared if one.there is not None}
        found = {
            named(suite.name, suite.model): suite
            for key, group in self._groups.items()
            if key not in used
            and ((key.function, key.parameters), key.model) not in tests
            and self._model in (None, key.model)
            for suite in group
            if suite.name not in did_not_run
        }
        return [found[name] for name in sorted(found)]


def _test_of(suite: SuiteRecord) -> tuple[str, str]:
    return suite.asked.function, suite.asked.parameters


def _together(suites: Sequence[SuiteRecord]) -> SuiteRecord:
    """The samples of several suites as one; each sample keeps its own suite."""
    if len(suites) == 1:
        return suites[0]
    first = suites[0]
    return SuiteRecord(
        first.asked, first.run, [sample for suite in suites for sample in suite.samples], first.end
    )
