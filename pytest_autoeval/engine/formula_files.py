"""Formulas of the user's files in place of drawn ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_autoeval.by_name import added
from pytest_autoeval.datasets.catalogue import doubts_in, has_text_alone, why_languages
from pytest_autoeval.datasets.data_set import DataSetError, WrittenDataSet
from pytest_autoeval.engine.suite import LeftOutError, MarkerError, PassRateTest, Source, Suite
from pytest_autoeval.generation.drawing import FormulaSpace
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.languages import Vocabulary
from pytest_autoeval.record.suite_names import suite_name

if TYPE_CHECKING:
    from pytest_autoeval.datasets.columns import Columns
    from pytest_autoeval.datasets.file_language import Doubt
    from pytest_autoeval.generation.vocabularies import Names

#: How many rows an error lists.
_MOST_PROBLEMS = 5
#: The tasks that ask about sentences, whatever else is in a file.
OF_SENTENCES = frozenset(("sentence_round_trip",))
#: The endings of files that may have formulas alone.
_ENDINGS = frozenset((".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".txt"))


class FormulaFileSource(Source):
    """The formulas of one language in files. All are asked, at the sizes that they have."""

    can_shrink = True
    default_count = None

    def __init__(
        self, formulas: WrittenDataSet, files: Sequence[Path], *, is_users_data: bool
    ) -> None:
        self.formulas = formulas
        self.is_users_data = is_users_data
        self.language = formulas.language
        self.name = f"the formulas in {', '.join(file.name for file in files)}"

    @property
    def problems(self) -> tuple[str, ...]:
        return self.formulas.problems

    def sizes(self, requested: Sequence[int] | None) -> tuple[int, ...]:
        return tuple(size for size in self.formulas.sizes if not requested or size in requested)

    def samples(self, size: int, count: int | None, seed: int) -> list[Sample]:
        return [*self.formulas.items(size, count, seed)]

    def hint(self, sizes: Sequence[int]) -> str:
        _ = sizes
        available = (
            f"there are formulas of size {', '.join(map(str, self.formulas.sizes))}"
            if self.formulas.sizes
            else ""
        )
        return available or "; ".join(self.problems[:_MOST_PROBLEMS])

    def typed(self, text: str, seed: int) -> list[Sample]:
        """The formulas with this id, line or text; else the text as a formula, as a shrunk one is typed."""
        matches = self.formulas.named(text, seed) or self.formulas.typed(text, seed)
        return [*matches] or [self.formulas.item(text, {}, seed)]


class SentenceFormulaSource(FormulaFileSource):
    """Sentences with their formulas in a file. Nothing is shrunk: a smaller formula has no sentence."""

    can_shrink = False

    def typed(self, text: str, seed: int) -> list[Sample]:
        """The sentences with this id, line or formula."""
        return [*(self.formulas.named(text, seed) or self.formulas.typed(text, seed))]


def drawn_or_given(
    test: PassRateTest, drawn: Source, space: FormulaSpace, files: Sequence[Path], columns: Columns
) -> Source:
    """The source of a marker that names a grammar: the grammar, or formulas of its language in the user's files.

    Raises :class:`LeftOutError` if the files have formulas of other languages only, and :class:`DataSetError`.
    """
    formula_files = _files_of_formulas(files, columns)
    # Files of sentences are for other suites, and this one draws.
    if not formula_files:
        return drawn
    from pytest_autoeval.datasets.formulas import FormulaSet, read_formulas

    lang = space.language.name
    formulas = FormulaSet(lang, read_formulas(formula_files, columns), test.source, test.vocabulary)
    if not formulas.sizes:
        nothing = f"nothing in {', '.join(file.name for file in formula_files)} fits the grammar {space.name}"
        needed = f"it needs formulas of the language {lang}"
        why = why_languages(formula_files, columns)
        reason = "; ".join(filter(None, (f"{nothing}: {needed}", why)))
        raise LeftOutError("data", f"--autoeval-dataset: {reason}")
    source = FormulaFileSource(formulas, formula_files, is_users_data=True)
    source.doubts = doubts_in(formula_files, columns)
    return source


def takes_formulas(files: Sequence[Path], columns: Columns) -> bool:
    """Whether suites that name a grammar ask about the formulas in these files instead of drawn ones."""
    with suppress(DataSetError):  # a file may have been changed during the run
        return bool(_files_of_formulas(files, columns))
    return False


def source_of_file(test: PassRateTest, columns: Columns) -> Source | None:
    """The formulas of a file that a marker names, alone or beside their sentences; None for a file of something else.

    Raises :class:`MarkerError` if the language of the formulas is not clear, and :class:`DataSetError`.
    """
    file = Path(test.source)
    if test.task in OF_SENTENCES or not file.is_file():
        return None
    if not _files_of_formulas([file], columns):
        return _sentences_with_formulas(test, file, columns)
    from pytest_autoeval.datasets.formulas import FormulaSet, formula_reader

    read = formula_reader(test.language or "")([file], columns)
    named = sorted({row.language for row in read.rows if row.language})
    if test.language is None and len(named) != 1:
        doubts = doubts_in([file], columns)
        raise MarkerError(_why_language_is_open(file, named, doubts[0] if doubts else None))
    lang = test.language or named[0]
    formulas = FormulaSet(lang, read, vocabulary=test.vocabulary)
    if not formulas.sizes:
        problems = (
            "; ".join(formulas.problems[:_MOST_PROBLEMS])
            or f"its formulas are of {' and '.join(named)}"
        )
        raise MarkerError(f"{file}: it has no formula of the language {lang}: {problems}")
    source = FormulaFileSource(formulas, [file], is_users_data=False)
    if test.language is None and (why := why_languages([file], columns)):
        source.why_language = f'{why}, or give language="…" in the marker'
    return source


def _why_language_is_open(file: Path, named: Sequence[str], doubt: Doubt | None) -> str:
    """Why a test must say in which language the formulas of a file are. ``named`` are those that its rows have."""
    if doubt is not None:
        return f'{doubt}; or give language="{doubt.languages[0]}" in the marker'
    if named:
        languages = " and ".join(named)
        advice = f'give language="{named[0]}" in the marker, which reads these alone'
        return f"{file}: its formulas are of {languages}; {advice}"
    return f'{file}: no language can read its formulas; to see why, give language="ltl" (or another) in the marker'


def _sentences_with_formulas(test: PassRateTest, file: Path, columns: Columns) -> Source | None:
    """The sentences of a file with their formulas, for a body or a task of the user's; None for another file or task.

    A shipped task needs more than a sentence, and a data set knows what. Raises :class:`MarkerError`, and
    :class:`DataSetError`.
    """
    is_users_own = test.task is None or test.task in added("task")
    if not is_users_own or file.suffix.casefold() not in _ENDINGS or has_text_alone(file):
        return None
    from pytest_autoeval.datasets.sentence_formulas import (
        has_formulas_beside,
        languages_beside,
        sentence_set,
    )

    if not has_formulas_beside(file, columns):
        return None
    lang = test.language
    if lang is None:
        named, doubt = languages_beside(file, columns)
        if doubt is not None or len(named) != 1:
            raise MarkerError(_why_language_is_open(file, named, doubt))
        lang = named[0]
    sentences = sentence_set(file, lang, columns, given_glossary(test.vocabulary))
    if not sentences.sizes:
        problems = "; ".join(sentences.problems[:_MOST_PROBLEMS])
        raise MarkerError(f"{file}: it has no formula of the language {lang}: {problems}")
    return SentenceFormulaSource(sentences, [file], is_users_data=False)


def given_glossary(vocabulary: Vocabulary | Names | None) -> Mapping[str, str] | Path | None:
    """The phrases of names that a marker gives, or the file that has them; raises :class:`MarkerError` for others."""
    if isinstance(vocabulary, Mapping):
        return vocabulary
    if vocabulary is None:
        return None
    if str(vocabulary).endswith(".toml"):
        return Path(str(vocabulary))
    problem = 'write {"door_open": "the door is open"}, or the name of a .toml file with such lines'
    raise MarkerError(f"vocabulary={vocabulary!r:.80} gives sentences no names: {problem}")


def refuse_two_languages(suites: Iterable[Suite]) -> None:
    """Raises :class:`DataSetError` if suites of different languages would read the same formulas of a user's file."""
    readers: dict[str, dict[str, str]] = {}
    for suite in suites:
        for doubt in suite.source.doubts:
            readers.setdefault(str(doubt), {}).setdefault(
                suite.source.language, suite_name(suite.function, suite.parameters or "")
            )
    for problem, names in readers.items():
        if len(names) > 1:
            reading = " and ".join(f"{suite} as {lang}" for lang, suite in names.items())
            raise DataSetError(
                f"--autoeval-dataset: {problem}, or run the suites of one language: {reading} reads them"
            )


def unused_files(files: Iterable[Path]) -> str:
    """Why a run is refused whose suites take nothing of the user's files."""
    names = ", ".join(file.name for file in files)
    return (
        f"no suite of this run takes {names}; a suite over a data set takes rows with sentences, traces or pairs, "
        "and a round trip takes files of formulas alone"
    )


def _files_of_formulas(files: Sequence[Path], columns: Columns) -> list[Path]:
    """Those of the files that have formulas. The readers of files are imported only if a file may have some."""
    possible = [file for file in files if file.suffix.casefold() in _ENDINGS]
    tables = [
        file for file in possible if file.suffix.casefold() != ".txt" or not has_text_alone(file)
    ]
    if not tables:
        return []
    from pytest_autoeval.datasets.formulas import files_of_formulas

    return files_of_formulas(tables, columns)
