"""Where the samples of a suite come from: a grammar or a data set."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pytest_autoeval.datasets.catalogue import (
    SENTENCES,
    data_set,
    data_set_names,
    doubts_in,
    has_text_alone,
    is_read_by_language,
    needs_of,
    takes_files,
    why_languages,
)
from pytest_autoeval.datasets.data_set import DataSet, DataSetError, DrawnDataSet, Item
from pytest_autoeval.engine.formula_files import (
    OF_SENTENCES,
    drawn_or_given,
    given_glossary,
    source_of_file,
)
from pytest_autoeval.engine.option_values import columns_text
from pytest_autoeval.engine.suite import (
    DEFAULT_SAMPLES,
    SENTENCE_FILES,
    LeftOutError,
    MarkerError,
    PassRateTest,
    Source,
)
from pytest_autoeval.errors import near_names
from pytest_autoeval.generation.drawing import DrawingOptions, formula_space
from pytest_autoeval.generation.drawing_errors import DrawingError, UnknownGrammarError
from pytest_autoeval.generation.grammars import grammar_names
from pytest_autoeval.generation.measure_bounds import bounds_of
from pytest_autoeval.generation.samples import Sample, check_sizes, draw_samples, sample_of
from pytest_autoeval.languages import Formula, Vocabulary, language

if TYPE_CHECKING:
    from pytest_autoeval.datasets.columns import Columns
    from pytest_autoeval.generation.vocabularies import Names

_NO_COLUMNS = "columns= names the columns of a file, and {} is none; for --autoeval-dataset give --autoeval-columns"
#: How far below and above the marker's sizes to look for formulas, and how many sizes and data sets a message
#: names.
_HINT_RANGE, _SIZES_IN_MESSAGE = 20, 5
_DATA_SETS_IN_MESSAGE = 2


class GrammarSource(Source):
    """Formulas drawn from a grammar.

    Raises :class:`AutoevalError`, :class:`TypeError` or :class:`ValueError` if the marker's arguments do not allow
    drawing.
    """

    can_shrink = True

    def __init__(self, test: PassRateTest) -> None:
        self.grammar = test.source
        self._given: dict[str, Any] = {"vocabulary": test.vocabulary, "language": test.language}
        trivial = test.task is not None if test.trivial is None else test.trivial
        self._options = DrawingOptions(**{"exclude": () if trivial else None, **test.drawing})
        self.name = f"the grammar {test.source}"
        self.space = formula_space(self.grammar, test.vocabulary, test.language, self._options)
        self.language = self.space.language.name

    def sizes(self, requested: Sequence[int] | None) -> tuple[int, ...]:
        chosen = super().sizes(requested)
        check_sizes(chosen)
        return chosen

    def hint(self, sizes: Sequence[int]) -> str:
        if any(size in self.space for size in sizes):
            if self.space.measured.bounds:
                return f"{self._rare()}; give a wider range in measures=, or other sizes"
            return "all formulas of these sizes are trivial; trivial=True in the marker keeps them"
        tried = range(max(min(sizes) - _HINT_RANGE, 0), max(sizes) + _HINT_RANGE)
        if available := [str(size) for size in tried if size in self.space][:_SIZES_IN_MESSAGE]:
            return f"there are formulas of size {', '.join(available)}"
        return f"there are none of size {tried.start} to {tried.stop - 1}"

    def _rare(self) -> str:
        return (
            f"none with {self.space.measured} was found by drawing: there is none, or they are rare"
        )

    def is_variant(self, formula: Formula, original: Sample) -> bool:
        _ = original
        return not self.space.is_excluded(formula)

    def shortfall(self, size: int, available: int, requested: int) -> str:
        """Why a size has fewer formulas than requested; empty if the suite reports anyway that it has none."""
        if self.space.measured.bounds and size in self.space:
            return (
                f"{self.grammar}: of size {size}, {available} formulas with {self.space.measured} were found by "
                f"drawing; {requested} were wanted"
            )
        if not available and size in self.space:
            return f"{self.grammar} has only trivial formulas of size {size}"
        if not available:
            return ""
        kind = "non-trivial formulas" if self.space.excluded else "formulas"
        return (
            f"{self.grammar} has only {available} {kind} of size {size}, and all are samples; "
            f"{requested} were wanted"
        )

    def samples(self, size: int, count: int | None, seed: int) -> list[Sample]:
        number = count or DEFAULT_SAMPLES
        return draw_samples(
            self.grammar,
            [size],
            number,
            seed=seed,
            options=self._options,
            warn=False,
            **self._given,
        )

    def typed(self, text: str, seed: int) -> list[Sample]:
        _ = seed
        return [sample_of(text, self.grammar, **self._given)]


class DataSetSource(Source):
    """Items of a data set, shipped or the user's. Raises :class:`LeftOutError` if the user's items do not fit."""

    def __init__(self, name: str, files: tuple[Path, ...], columns: Columns = ()) -> None:
        dataset = data_set(name, files, columns)
        if dataset is None and not files:
            reason = f"for your own data: --autoeval-dataset=FILE takes {needs_of(name)}"
            raise LeftOutError("file", reason)
        # Files that do not fit may be for another suite: one command may name the files of several.
        if dataset is None:
            nothing = (
                f"nothing in {', '.join(file.name for file in files)} fits the data set {name}"
            )
            why = why_languages(files, columns) if is_read_by_language(name) else ""
            reason = "; ".join(filter(None, (f"{nothing}: it needs {needs_of(name)}", why)))
            raise LeftOutError("data", f"--autoeval-dataset: {reason}")
        self.dataset: DataSet = dataset
        self.language = dataset.language
        self.name = f"the data set {name}"
        self.is_users_data = bool(files) and takes_files(name)
        if self.is_users_data and is_read_by_language(name):
            self.doubts = doubts_in(files, columns)
        self.default_count = None if dataset.sizes is not None else DEFAULT_SAMPLES

    def take_names(self, vocabulary: Vocabulary | Names) -> None:
        """Gives a generated data set other names. The user's rows keep theirs. Raises `MarkerError` for other data."""
        if isinstance(self.dataset, DrawnDataSet):
            self.dataset = self.dataset.over(vocabulary)
        elif not self.is_users_data:
            reason = f"{self.dataset.name} is a data set with names of its own"
            raise MarkerError(
                f"vocabulary= is for grammars and for generated data sets, and {reason}; leave it out"
            )

    @property
    def problems(self) -> tuple[str, ...]:
        return self.dataset.problems

    @property
    def shortfalls(self) -> tuple[str, ...]:
        return self.dataset.shortfalls

    def sizes(self, requested: Sequence[int] | None) -> tuple[int, ...]:
        if self.dataset.sizes is None:
            return super().sizes(requested)
        return tuple(size for size in self.dataset.sizes if not requested or size in requested)

    def samples(self, size: int, count: int | None, seed: int) -> list[Sample]:
        return list(self.dataset.items(size, count, seed))

    def formulas_of(self, sample: Sample) -> tuple[Formula, ...]:
        return self.dataset.formulas_of(cast(Item, sample))

    def hint(self, sizes: Sequence[int]) -> str:
        _ = sizes
        return "; ".join((*self.problems, *self.shortfalls)[:_SIZES_IN_MESSAGE])

    def typed(self, text: str, seed: int) -> list[Sample]:
        return [*(self.dataset.named(text, seed) or self.dataset.typed(text, seed))]


class SentenceSource(DataSetSource):
    """Sentences without formulas: of the file that a marker names, or of the user's ``files``.

    Raises :class:`LeftOutError` if there are no such files.
    """

    preparation = "sentences"

    def __init__(self, test: PassRateTest, files: tuple[Path, ...], columns: Columns = ()) -> None:
        from pytest_autoeval.datasets.plain_sentence_set import PlainSentenceSet
        from pytest_autoeval.datasets.plain_sentences import has_sentences_alone

        name = test.source
        if name in SENTENCES:
            alone = [file for file in files if has_sentences_alone(file, columns)]
            if not alone:
                if not files:
                    reason = (
                        f"for your own sentences: --autoeval-dataset=FILE takes {needs_of(name)}"
                    )
                    raise LeftOutError("file", reason)
                nothing = f"nothing in {', '.join(file.name for file in files)} is"
                raise LeftOutError(
                    "data", f"--autoeval-dataset: {nothing} sentences alone: {needs_of(name)}"
                )
            if test.language not in (None, SENTENCES[name]):
                raise MarkerError(
                    f"{name} is for the language {SENTENCES[name]}; leave language= out"
                )
        else:
            alone, name, columns = [Path(name)], _sentence_set(test), test.columns
        glossary = given_glossary(test.vocabulary)
        try:
            self.sentences = PlainSentenceSet(name, SENTENCES[name], alone, glossary, columns)
        except DataSetError as problem:
            # The names of a glossary may be of another language.
            other_sets = SENTENCES.keys() - {name} if test.source in SENTENCES else set[str]()
            for sentence_set in other_sets:
                with suppress(DataSetError):
                    PlainSentenceSet(
                        sentence_set, SENTENCES[sentence_set], alone, glossary, columns
                    )
                    raise LeftOutError("data", f"--autoeval-dataset: {problem}") from None
            raise
        self.dataset = self.sentences
        self.name = f"the data set {name}" if test.source in SENTENCES else test.source
        self.is_users_data = test.source in SENTENCES
        self.default_count = None
        # Names and a model that reads the sentences are for prompts. A body without a task may ask no model.
        if test.task is None:
            self.preparation = ""

    def unasked(self, samples: Sequence[Sample]) -> list[str]:
        asked = {sample.facts["item"] for sample in samples if isinstance(sample, Item)}
        items = [item for size in self.sentences.sizes for item in self.sentences.items(size)]
        return [
            f"{item.facts['source']}: the sentence was not asked, since the run asks only some of them"
            for item in items
            if item.facts["item"] not in asked
        ]


def _sentence_set(test: PassRateTest) -> str:
    """The name of the data set for a file of sentences in the language of its marker."""
    by_language = {language: name for name, language in SENTENCES.items()}
    if test.language not in by_language:
        languages = ", ".join(f'language="{name}"' for name in by_language)
        if test.language is None:
            problem = "the language of the formulas is missing"
        else:
            problem = f"no sentences are read in the language {test.language!r}"
        raise MarkerError(f"{test.source}: {problem}; give one of {languages}")
    return by_language[test.language]


def source_of(test: PassRateTest, files: tuple[Path, ...] = (), columns: Columns = ()) -> Source:
    """The source that a marker names; ``columns`` are named for the user's ``files``.

    Raises :class:`AutoevalError`, and :class:`LeftOutError`.
    """
    source = _source_of(test, files, columns)
    bounds = bounds_of(test.drawing.get("measures") or ())
    if bounds and isinstance(source, SentenceSource):
        raise DrawingError(
            f"{bounds[0].name} is a measure of formulas, and {source.name} has sentences alone"
        )
    # A grammar draws nothing else.
    if bounds and not isinstance(source, GrammarSource):
        source.keep_within(bounds)
    return source


def _source_of(test: PassRateTest, files: tuple[Path, ...], columns: Columns) -> Source:
    if test.source in SENTENCES or test.source.lower().endswith(SENTENCE_FILES):
        return _source_of_sentences(test, files, columns)
    if test.columns:
        raise MarkerError(_NO_COLUMNS.format(test.source))
    if test.source not in data_set_names():
        return _source_of_grammar(test, files, columns)
    keywords = {
        "language": test.language,
        "trivial": test.trivial,
        **test.drawing,
        "measures": None,
    }
    if unused := [name for name, value in keywords.items() if value is not None]:
        raise MarkerError(
            f"{unused[0]}= is for grammars, and {test.source} is a data set; leave it out"
        )
    source = DataSetSource(test.source, files, columns)
    if test.vocabulary is not None:
        source.take_names(test.vocabulary)
    _check_depth(test, source.dataset.language)
    return source


def _source_of_sentences(test: PassRateTest, files: tuple[Path, ...], columns: Columns) -> Source:
    """The sentences of a file or of the user's files; or the formulas of a file that has formulas alone."""
    formulas = None if test.source in SENTENCES else source_of_file(test, test.columns)
    drawing = [name for name in test.drawing if name != "measures"]
    if unused := [name for name in ("trivial", *drawing) if getattr(test, name, True) is not None]:
        content = "sentences" if formulas is None else "formulas"
        raise MarkerError(
            f"{unused[0]}= is for grammars, and {test.source} has {content}; leave it out"
        )
    if formulas is not None:
        _check_depth(test, formulas.language)
        return formulas
    if test.by_depth:
        raise MarkerError(
            "depth= is for regular expressions; the size of a sentence is its number of words"
        )
    if test.columns and test.source in SENTENCES:
        raise MarkerError(_NO_COLUMNS.format(test.source))
    # Said first: without a file, nothing else is worth a change.
    if test.source not in SENTENCES and not Path(test.source).exists():
        raise MarkerError(f"{test.source}: there is no such file")
    if test.task is not None and test.source not in SENTENCES and test.task not in OF_SENTENCES:
        _refuse_rows_with_more(test)
    return SentenceSource(test, files, columns)


def _refuse_rows_with_more(test: PassRateTest) -> None:
    """Refuses a file that has more than sentences: only its task, or a data set, knows what the rest is for.

    Raises :class:`MarkerError` with what to do instead.
    """
    from pytest_autoeval.datasets.plain_sentences import has_sentences_alone

    file = Path(test.source)
    if not file.is_file() or has_text_alone(file) or has_sentences_alone(file, test.columns):
        return
    problem = f"{test.source} has more than sentences or formulas alone"
    fitting = []
    for name in filter(takes_files, data_set_names()):
        # A file may fit some data sets, and be refused by the others.
        with suppress(DataSetError):
            dataset = None if name in SENTENCES else data_set(name, [file], test.columns)
            if dataset is not None and test.language in (None, dataset.language):
                fitting.append(name)
    if fitting:
        names = " or ".join(fitting[:_DATA_SETS_IN_MESSAGE])
        instead = f"name the data set {names} instead of the file, and give the file with"
        options = f"--autoeval-dataset={test.source}"
        if test.columns:
            named = columns_text(dict(test.columns))
            options += f" and --autoeval-columns={shlex.quote(named)}"
        of_another = "" if test.language else "; for formulas of another language, give language="
        raise MarkerError(f"{problem}: {instead} {options}{of_another}")
    # The rows may be of another language than the marker says.
    why = why_languages([file], test.columns)
    if why and test.language:
        raise MarkerError(f"{problem}, and no data set reads its rows in {test.language}: {why}")
    name, lang = file.stem, test.language or "propositional"
    in_language = f" in {lang}" if test.language else ""
    items = f'DataSet.of("{name}", "{lang}", [(formula, {{"other": other}}), …])'
    raise MarkerError(
        f"{problem}, and no data set reads its rows{in_language}: make items of them with {items}, "
        f'add these with registry.add_data_set, and name "{name}" instead of the file'
    )


def _source_of_grammar(test: PassRateTest, files: tuple[Path, ...], columns: Columns) -> Source:
    try:
        drawn = GrammarSource(test)
    except UnknownGrammarError as error:
        if test.task == "sentence_round_trip":
            raise MarkerError(
                f"{test.source}: a file of sentences ends in {', '.join(SENTENCE_FILES)}"
            ) from None
        # The error itself proposes a grammar. Only without one may a data set have been meant.
        close = get_close_matches(test.source, data_set_names(), 1)
        if not close or near_names(test.source, grammar_names()):
            raise
        raise MarkerError(f"{error} Did you mean the data set {close[0]!r}?") from None
    _check_depth(test, drawn.space.language.name, drawn=True)
    return drawn_or_given(test, drawn, drawn.space, files, columns)


def _check_depth(test: PassRateTest, name: str, *, drawn: bool = False) -> None:
    """Raises `MarkerError` for sizes that are given as depths, in a language whose sizes are something else."""
    measure = language(name).size_measure
    if test.by_depth and measure != "depth":
        problem = f"depth= is the size of regular expressions; in {name} a size is the number of {measure}"
        advice = f"write {measure}="
        if drawn:
            advice += (
                ', and beside it measures={"depth": (2, 5)} for formulas of these depths alone'
            )
        raise MarkerError(f"{problem}: {advice}")
