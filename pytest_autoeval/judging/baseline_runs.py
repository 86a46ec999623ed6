"""The suites of earlier runs: which of them a suite is compared with, and why there is none."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from pytest_autoeval.judging.item_groups import Comparable, grouped
from pytest_autoeval.judging.pairing import Comparison
from pytest_autoeval.judging.run_differences import was_cut_off
from pytest_autoeval.option_names import option_name
from pytest_autoeval.outcomes import Prompting
from pytest_autoeval.record.figure_sentences import sentence
from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.record.lines import Suite, SuiteRecord
from pytest_autoeval.record.suite_names import named, named_by, shown_prompts
from pytest_autoeval.text import one_line

_ABSENT = Sentence("the baseline does not have this suite (renamed?)")
_ABSENT_OF_MODEL = Sentence("the baseline has this suite only of other models")
_NOT_REACHED = Sentence("the run of the baseline was cut off before it asked this suite")
_OTHERWISE = Sentence(
    "the baseline has this suite only with another combination of prompting, interface, prompts and reader"
)


class Variant(NamedTuple):
    """How the suites of a baseline were asked. None stands for what this run has too."""

    prompting: str | None = None
    interface: str | None = None
    reader: str | None = None
    prompts: str | None = None

    @classmethod
    def read(cls, text: str) -> Variant:
        """The variant of ``few-shot``, ``structured``, ``reader:NAME``, ``prompts:FOLDER`` or several by commas.

        Raises `ValueError` for an empty name, and if two are of one kind.
        """
        names: dict[str, str] = {}
        for entry in text.split(","):
            name = entry.strip()
            named_kind, colon, named = name.partition(":")
            if colon and named_kind in ("reader", "prompts"):
                kind, name = named_kind, named.strip()
            else:
                kind = "prompting" if name in tuple(Prompting) else "interface"
            if not name:
                raise ValueError(f"{text!r} has an empty name")
            if kind in names:
                raise ValueError(f"{text!r} names two of one kind: {names[kind]} and {name}")
            names[kind] = name
        return cls(**names)

    def of(self, key: Comparable, variants: Sequence[Comparable]) -> Comparable:
        """What a suite is compared with. ``variants`` are those that the baseline has of its test.

        A test that has nothing of the named kind, such as a task without interfaces, is compared as usual.
        """
        # A folder has several names: `Baseline` looks for it.
        chosen = {**self._asdict(), "prompts": None}
        named_values = {
            name: value
            for name, value in chosen.items()
            if value is not None and any(getattr(variant, name) == value for variant in variants)
        }
        return key._replace(**named_values)

    def has(self, key: Comparable) -> bool:
        """Whether a suite of the baseline was asked as this variant says."""
        if self.prompts is not None and not named_by(self.prompts, key.prompts):
            return False
        names = ("prompting", "interface", "reader")
        return all(getattr(self, name) in (None, getattr(key, name)) for name in names)


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
        # A suite without samples can be compared with nothing: it counts as one that the baseline does not have.
        with_samples: list[SuiteRecord] = []
        # But a run that was cut off was to ask it: the suite is not new, and may have fallen.
        self._not_reached: set[tuple[str, str]] = set()
        for suite in suites:
            if suite.regular:
                with_samples.append(suite)
            elif was_cut_off(suite):
                self._not_reached.add((suite.name, suite.model))
        self._groups = grouped(with_samples, Comparable.of)
        self._suites: dict[Comparable, SuiteRecord] = {}
        for key, group in self._groups.items():
            self._suites[key] = _together(group)
        self._whatever_prompts = grouped(self._suites, _without_prompts)

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
        own = Comparable.of(suite)
        key = self._variant.of(own, self._variants_of(own))
        model = key.model if self._model is None else self._model
        for constrained in (key.constrained, not key.constrained):
            candidates = self._of_prompts(key._replace(constrained=constrained, model=model))
            if len(candidates) == 1:
                return Comparison.of(suite, self._suites[candidates[0]])
            if candidates:
                return Comparison(now=suite, refusal=_several_prompts(key, candidates))
        # A model that the baseline has in other suites must not be compared with another model here.
        has_model = any(candidate.model == model for candidate in self._suites)
        candidates = [] if has_model else self._of_other_models(key)
        if len(candidates) == 1:
            return Comparison.of(suite, self._suites[candidates[0]])
        if candidates and len({candidate.model for candidate in candidates}) == 1:
            return Comparison(now=suite, refusal=_several_prompts(key, candidates))
        if not candidates:
            return self._without_match(suite, key, model, has_model=has_model)
        text = "the baseline has several models for this suite, but not {model}: {models} ({option}=NAME names one)"
        models = one_line(", ".join(sorted(candidate.model for candidate in candidates)))
        refusal = sentence(
            text, model=one_line(key.model), models=models, option=option_name("baseline-model")
        )
        return Comparison(now=suite, refusal=refusal)

    def _without_match(
        self, suite: SuiteRecord, key: Comparable, model: str, *, has_model: bool
    ) -> Comparison:
        """A suite that the baseline does not have, or that its run did not reach."""
        if self._was_not_reached(suite.name, model, has_model=has_model):
            return Comparison(now=suite, refusal=_NOT_REACHED, was_cut_off=True)
        why = self._why_absent(key, model if has_model else None)
        return Comparison(now=suite, refusal=why, is_new=why is _ABSENT or why is _ABSENT_OF_MODEL)

    def _was_not_reached(self, name: str, model: str, *, has_model: bool) -> bool:
        """Whether a run was cut off before it asked a suite of this name: of the model, or of any that may stand in."""
        models = {asked for suite, asked in self._not_reached if suite == name}
        may_be_another = self._model is None and not has_model
        return model in models or (may_be_another and bool(models))

    def _of_other_models(self, key: Comparable) -> list[Comparable]:
        """The suites that asked the same of other models; if there are none, those with or without constraints."""
        for constrained in (key.constrained, not key.constrained):
            question = key._replace(constrained=constrained)
            models = dict.fromkeys(candidate.model for candidate in self._suites)
            candidates: list[Comparable] = []
            for model in models:
                candidates += self._of_prompts(question._replace(model=model))
            # Free answers are compared with constrained ones only if there are no others: syntax has its price.
            if candidates:
                return candidates
        return []

    def _of_prompts(self, key: Comparable) -> list[Comparable]:
        """The suites that asked the same with the same folder of prompts, or with any if the baseline lacks this one.

        A changed prompt often has a new folder, and is compared with the prompt before.
        """
        candidates = self._whatever_prompts.get(_without_prompts(key), [])
        folder = self._variant.prompts
        if folder is not None:
            named = [candidate for candidate in candidates if named_by(folder, candidate.prompts)]
            # A suite that no folder has a prompt for was asked once, and is compared as usual.
            return named or [candidate for candidate in candidates if not candidate.prompts]
        of_same_folder = [candidate for candidate in candidates if candidate.prompts == key.prompts]
        return of_same_folder or candidates

    def _variants_of(self, key: Comparable) -> list[Comparable]:
        """All that the baseline has of the test of a suite, of any model and variant."""
        return [variant for variant in self._suites if _test_of(variant) == _test_of(key)]

    def _why_absent(self, key: Comparable, model: str | None) -> Sentence:
        """Why the baseline has no match for a suite: how it asked the suite, if it has it.

        Only the suites of ``model`` count, if it is given.
        """
        of_test = self._variants_of(key)
        variants = [variant for variant in of_test if model in (None, variant.model)]
        if of_test and not variants:
            return _ABSENT_OF_MODEL
        for attribute in ("prompting", "interface", "reader"):
            value = getattr(key, attribute)
            values_before = sorted({getattr(variant, attribute) for variant in variants})
            # A task without interfaces cannot differ by one. A suite without a reader can: the model read for itself.
            may_explain = bool(value) or attribute == "reader"
            if values_before and value not in values_before and may_explain:
                names = one_line(", ".join(name or "none" for name in values_before))
                text = f"this run has the {attribute} {{ours}}, and the baseline {{theirs}} (--autoeval-{attribute})"
                return sentence(text, ours=one_line(value or "none"), theirs=names)
        return _OTHERWISE if variants else _ABSENT

    def left_over(
        self, compared: Iterable[Comparison], did_not_run: Container[str] = ()
    ) -> list[SuiteRecord]:
        """The suites of the baseline that are in none of the comparisons, by their names. A suite that this run
        asked in another way is not listed: its comparison says so. Nor are suites of this run that ``did_not_run``, by
        their names, and those of other models or variants, if one is named.
        """
        used: set[Comparable] = set()
        used_tests: set[tuple[tuple[str, str], str]] = set()
        refused: set[tuple[tuple[str, str], str]] = set()
        for comparison in compared:
            if comparison.before is not None:
                key_before = Comparable.of(comparison.before)
                used.add(key_before)
                used_tests.add((_test_of(key_before), key_before.model))
            elif comparison.refusal is not None:
                suite = comparison.now
                refused.add((_test_of(suite.asked), self._model or suite.model))
        absent: dict[str, SuiteRecord] = {}
        for key, group in self._groups.items():
            is_asked = key in used or (_test_of(key), key.model) in refused
            if is_asked or self._model not in (None, key.model):
                continue
            # The user named the variant that the test is compared with: the others are not missing.
            if (_test_of(key), key.model) in used_tests and not self._variant.has(key):
                continue
            for suite in group:
                if suite.name not in did_not_run:
                    absent[named(suite.name, suite.model)] = suite
        return [absent[name] for name in sorted(absent)]


def _test_of(suite: Suite | Comparable) -> tuple[str, str]:
    """The test of a suite, whatever its variant."""
    return suite.function, suite.parameters


def _without_prompts(key: Comparable) -> Comparable:
    return key._replace(prompts=())


def _several_prompts(key: Comparable, candidates: Sequence[Comparable]) -> Sentence:
    """Why a suite is compared with none of those that the baseline has with several folders of prompts."""
    text = (
        "the baseline has this suite with several folders of prompts, but not with {ours}: {theirs} "
        "({option}=prompts:FOLDER names one)"
    )
    folders = sorted(shown_prompts(candidate.prompts) for candidate in candidates)
    return sentence(
        text,
        ours=one_line(shown_prompts(key.prompts)),
        theirs=one_line("; ".join(folders)),
        option=option_name("baseline-variant"),
    )


def _together(suites: Sequence[SuiteRecord]) -> SuiteRecord:
    """The samples of several suites as one; each sample keeps its own suite."""
    if len(suites) == 1:
        return suites[0]
    # Several runs as one baseline, since a run that was chosen for its good result is no fair one: after the best of 5,
    # an unchanged model falls in 6 to 12 % of runs (docs/reference/gate-error-rates.md).
    samples = [sample for suite in suites for sample in suite.samples]
    return SuiteRecord(suites[0].asked, suites[0].run, samples, suites[0].end)
