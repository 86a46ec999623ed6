"""Where the samples of a suite come from: a grammar that formulas are drawn from, or a data set."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_autoeval.datasets import DataSet, data_set, data_set_names, is_data_set, needs_of, takes_files
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation import DrawingOptions, Sample, UnknownGrammarError, draw_samples
from pytest_autoeval.generation.drawing import formula_space
from pytest_autoeval.generation.samples import sample_of
from pytest_autoeval.languages import Formula, language
from pytest_autoeval.running.options import UNSUITED
from pytest_autoeval.running.spec import DEFAULT_SAMPLES, DEFAULT_SIZES, Spec


class NothingSuitsError(AutoevalError):
    """The user's data have nothing for a suite: it is skipped, and says so."""


class Source(ABC):
    """What a suite is about."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    @property
    @abstractmethod
    def name(self) -> str:
        """The source in a message."""

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be read and is left out, a line each."""
        return ()

    @property
    def shortfalls(self) -> tuple[str, ...]:
        """What could be read and makes no sample, in sums, a line each."""
        return ()

    #: How many samples of a size there are where nobody says; None for all.
    usual_count: int | None = DEFAULT_SAMPLES
    #: Whether a sample with a smaller formula in its place asks the same question.
    shrinks = False
    #: Whether the samples are the user's own data.
    own = False

    @abstractmethod
    def sizes(self, wanted: Sequence[int] | None) -> tuple[int, ...]:
        """The sizes to run, of those that are wanted; the usual ones where nobody says."""

    @abstractmethod
    def samples(self, size: int, count: int | None, seed: int) -> list[Sample]:
        """At most ``count`` samples of a size."""

    @abstractmethod
    def typed(self, text: str, seed: int) -> list[Sample]:
        """The samples about a formula that was typed, or the one of that name; raises :class:`FormulaSyntaxError`."""


def with_formula(sample: Sample, formula: Formula) -> Sample:
    """The sample with another formula in its place."""
    tongue = language(sample.language)
    return replace(sample, formula=formula, operators=int(tongue.measure(formula)[tongue.size_measure]))


class GrammarSource(Source):
    """Formulas drawn from a grammar."""

    shrinks = True

    @property
    def name(self) -> str:
        return f"the grammar {self.spec.source}"

    def check(self) -> None:
        """Raises :class:`AutoevalError`, :class:`TypeError` or :class:`ValueError` for what cannot be drawn."""
        spec = self.spec
        try:
            formula_space(spec.source, spec.vocabulary, spec.language, DrawingOptions(**dict(spec.drawing)))
        except UnknownGrammarError as problem:
            near = difflib.get_close_matches(spec.source, data_set_names(), n=1)
            hint = f" There is a data set {near[0]!r}." if near else ""
            if Path(spec.source).suffix in (".jsonl", ".json", ".csv", ".tsv"):
                hint = (
                    " Data of your own are given with --autoeval-dataset, or as autoeval_dataset in the ini file; the "
                    "marker names the data set whose place they take, such as 'fol_translation'."
                )
            raise UnknownGrammarError(f"{problem}{hint}") from None

    def sizes(self, wanted: Sequence[int] | None) -> tuple[int, ...]:
        return tuple(dict.fromkeys(wanted or DEFAULT_SIZES))

    def samples(self, size: int, count: int | None, seed: int) -> list[Sample]:
        spec = self.spec
        return draw_samples(
            spec.source,
            [size],
            count or DEFAULT_SAMPLES,
            seed=seed,
            vocabulary=spec.vocabulary,
            language=spec.language,
            options=DrawingOptions(**dict(spec.drawing)),
            warn=False,
        )

    def typed(self, text: str, seed: int) -> list[Sample]:
        _ = seed
        spec = self.spec
        return [sample_of(text, spec.source, vocabulary=spec.vocabulary, language=spec.language)]


class DataSetSource(Source):
    """Items of a data set, the shipped one or the user's. Raises :class:`NothingSuitsError` where those do not suit."""

    def __init__(self, spec: Spec, files: tuple[Path, ...]) -> None:
        super().__init__(spec)
        found = data_set(spec.source, files)
        if found is None:
            names = ", ".join(file.name for file in files)
            raise NothingSuitsError(
                f"{UNSUITED} in {names} suits the data set {spec.source}: it needs {needs_of(spec.source)}"
            )
        self.data: DataSet = found
        self.own = bool(files) and takes_files(spec.source)
        self.usual_count = None if found.sizes is not None else DEFAULT_SAMPLES

    @property
    def name(self) -> str:
        return f"the data set {self.spec.source}"

    @property
    def problems(self) -> tuple[str, ...]:
        return self.data.problems

    @property
    def shortfalls(self) -> tuple[str, ...]:
        return self.data.shortfalls

    def sizes(self, wanted: Sequence[int] | None) -> tuple[int, ...]:
        if self.data.sizes is None:
            return tuple(dict.fromkeys(wanted or DEFAULT_SIZES))
        return tuple(size for size in self.data.sizes if not wanted or size in wanted)

    def samples(self, size: int, count: int | None, seed: int) -> list[Sample]:
        return list(self.data.items(size, count, seed))

    def typed(self, text: str, seed: int) -> list[Sample]:
        return [*(self.data.named(text, seed) or self.data.typed(text, seed))]


def source_of(spec: Spec, files: tuple[Path, ...] = ()) -> Source:
    """The source that a marker names. Raises :class:`AutoevalError`."""
    return DataSetSource(spec, files) if is_data_set(spec.source) else GrammarSource(spec)
