"""The data set of sentences without formulas: their names, and the answers of their author."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.author_answers import (
    answers_beside,
    answers_by_sentence,
    read_questions,
)
from pytest_autoeval.datasets.columns import Columns
from pytest_autoeval.datasets.data_set import DataSet, DataSetError, Item
from pytest_autoeval.datasets.phrase_typos import likely_typos
from pytest_autoeval.datasets.plain_sentences import (
    PlainSentence,
    is_without_formulas,
    sentences_in,
)
from pytest_autoeval.datasets.sentence_formulas import has_formulas_beside
from pytest_autoeval.datasets.sentence_glossaries import (
    checked_glossary,
    read_glossary,
    vocabulary_of,
)
from pytest_autoeval.languages.author_cases import AuthorAnswer
from pytest_autoeval.languages.base import NoFormula

#: What a run says of formulas beside sentences that a model is to formalize.
_FORMULAS_UNUSED = (
    "its formulas are not used, since the model writes a formula for each sentence; "
    "a test with a body of its own and without task= has yours as sample.formula"
)


class PlainSentenceSet(DataSet):
    """The sentences of files, with the names of their glossaries. The size of a sentence is its number of words.

    An id that several files have gets the name of the folder: ``old/rules.md:1``. See :func:`_distinct_ids`.

    A sentence has the names of its own row, else the given ``glossary`` (or its file), else those of a ``.toml`` file
    beside its file. Sentences without any wait for `add_names`. Raises :class:`DataSetError`.
    """

    def __init__(
        self,
        name: str,
        lang: str,
        files: Sequence[Path],
        glossary: Mapping[str, str] | Path | None = None,
        columns: Columns = (),
    ) -> None:
        self.name = name
        self.language = lang
        self._problems: list[str] = []
        #: What may be wrong although no sentence is left out.
        self._remarks: list[str] = []
        self._sentences: dict[Path, tuple[PlainSentence, ...]] = {}
        #: The names of each file, and of each sentence with names of its own.
        self._names: dict[Path, Mapping[str, str]] = {}
        self._answers: dict[tuple[Path, str], list[AuthorAnswer]] = {}
        for file in files:
            read = sentences_in([file], columns)
            self._problems += read.problems
            self._remarks += read.notes
            self._sentences[file] = tuple(filter(self._has_usable_names, read.rows))
            texts = [row.sentence for row in read.rows]
            self._take_answers(file, set(texts))
            if not is_without_formulas(file, columns) and has_formulas_beside(file, columns):
                self._remarks.append(f"{file}: {_FORMULAS_UNUSED}")
            self._take_glossary(file, glossary, texts)
        #: The ids by file and by the ids in the file.
        self._ids = _distinct_ids(self._sentences)
        #: How many sentences have each size.
        self._sizes = Counter(_words(row) for rows in self._sentences.values() for row in rows)

    def _has_usable_names(self, row: PlainSentence) -> bool:
        """Whether a formula can have the names in a row; a problem is noted."""
        try:
            vocabulary_of(tuple((row.glossary or {}).items()), self.language, row.source)
        except DataSetError as problem:
            self._problems.append(str(problem))
            return False
        return True

    def _take_glossary(
        self, file: Path, glossary: Mapping[str, str] | Path | None, sentences: Sequence[str]
    ) -> None:
        """Takes the names of a file, if there are any, and notes likely typos in their phrases."""
        # What the marker names counts more than a file that happens to lie beside the sentences.
        if isinstance(glossary, Mapping):
            self.add_names(file, checked_glossary(glossary, "vocabulary"))
            return
        path = glossary or file.with_suffix(".toml")
        if glossary is None and not path.is_file():
            return
        names = read_glossary(path)
        self.add_names(file, names, str(path))
        self._remarks += likely_typos(names, sentences, str(path))

    def add_names(self, file: Path, names: Mapping[str, str], where: str = "vocabulary") -> None:
        """Gives the sentences of a file their names; raises :class:`DataSetError` if one cannot be used."""
        vocabulary_of(tuple(names.items()), self.language, where)
        self._names[file] = names

    def _take_answers(self, file: Path, sentences: Collection[str]) -> None:
        """Takes the answers of the author beside a file, and notes those that belong to no sentence of it."""
        beside = answers_beside(file)
        all_answers = answers_by_sentence(read_questions(beside))
        for (language_name, sentence), answers in all_answers.items():
            # The author may have been asked in several languages: their cases differ.
            if language_name != self.language:
                continue
            if sentence in sentences:
                self._answers[file, sentence] = answers
            else:
                self._remarks.append(
                    f"{beside}: no sentence of {file.name} is “{sentence}”, so that its answers are not checked"
                )

    @property
    def unnamed(self) -> Mapping[Path, tuple[str, ...]]:
        """The texts of the sentences that still lack names, by file."""
        lacking = {}
        for file, rows in self._sentences.items():
            texts = tuple(row.sentence for row in rows if row.glossary is None)
            if texts and file not in self._names:
                lacking[file] = texts
        return lacking

    @property
    def number_of_sentences(self) -> int:
        return sum(map(len, self._sentences.values()))

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted(self._sizes))

    def items(self, size: int, count: int | None = None, seed: int = 0) -> list[Item]:  # noqa: ARG002
        return list(self._items(size))[:count]

    def most_items(self, size: int) -> int:
        # Without names there are no items yet, and names may cost calls.
        return self._sizes[size]

    def typed(self, text: str, seed: int = 0) -> list[Item]:  # noqa: ARG002
        """None: the sentences have no formulas."""
        return []

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(self._problems)

    @property
    def shortfalls(self) -> tuple[str, ...]:
        """What may be wrong although all sentences are asked about: answers that do not count, typos of phrases."""
        return (*self._remarks, *dict.fromkeys(self._outdated()))

    def _outdated(self) -> Iterator[str]:
        """A line for each sentence with answers that were given for other phrases of its names."""
        for file, rows in self._sentences.items():
            if file not in self._names:
                continue
            for row in rows:
                glossary = self._glossary(file, row)
                answers = self._answers.get((file, row.sentence), ())
                if not all(answer.fits(glossary) for answer in answers):
                    names = f"the names of “{row.sentence}” have other phrases now"
                    yield f"{answers_beside(file)}: {names}, so that its earlier answers are not checked"

    def _glossary(self, file: Path, row: PlainSentence) -> dict[str, str]:
        # A suite whose names cannot be listed ends before its sentences are drawn, and its sizes are still counted.
        names = self._names.get(file, {})
        return dict(names if row.glossary is None else row.glossary)

    def _items(self, size: int) -> Iterator[Item]:
        rows = []
        for file, sentences in self._sentences.items():
            rows += [(file, row) for row in sentences if _words(row) == size]
        for index, (file, row) in enumerate(rows):
            glossary = self._glossary(file, row)
            facts: dict[str, Any] = {
                "sentence": row.sentence,
                "glossary": glossary,
                "item": self._ids[file, row.item],
                "source": row.source,
                "group": row.group,
            }
            if row.cluster is not None:
                facts["cluster"] = row.cluster
            answers = self._answers.get((file, row.sentence), ())
            # An answer about other phrases says nothing of these; `problems` lists it.
            checked = [answer.to_fact() for answer in answers if answer.fits(glossary)]
            if checked:
                facts["answers"] = checked
            names = vocabulary_of(tuple(glossary.items()), self.language, row.source)
            yield Item(
                grammar=self.name,
                language=self.language,
                vocabulary=names,
                vocabulary_name="custom",
                operators=size,
                seed=0,
                index=index,
                formula=NoFormula(),
                facts=facts,
            )


def _distinct_ids(
    sentences: Mapping[Path, Sequence[PlainSentence]],
) -> dict[tuple[Path, str], str]:
    """The ids of sentences, by their files and their ids there.

    Of an id that several files have, each gets what tells its file apart: the name of the folder, else that of the file
    (``limits.csv/R1``), else more of its path. A report would take two sentences of one id for one.
    """
    files_of_id: defaultdict[str, dict[Path, None]] = defaultdict(dict)
    for file, rows in sentences.items():
        for row in rows:
            files_of_id[row.item][file] = None
    distinct: dict[tuple[Path, str], str] = {}
    for item, files in files_of_id.items():
        if len(files) == 1:
            ids = [item]
        else:
            ids = _ids_in_files(item, files, files_of_id)
        for file, distinct_id in zip(files, ids, strict=True):
            distinct[file, item] = distinct_id
    return distinct


def _ids_in_files(item: str, files: Collection[Path], taken: Collection[str]) -> list[str]:
    """An id for each file that has this one, different from each other and from all others that are ``taken``."""
    folders = [file.parent.parts for file in files]
    # The place of a sentence begins with the name of its file.
    are_places = all(item.startswith(f"{file.name}:") for file in files)
    paths = folders if are_places else [file.parts for file in files]
    longest = max(map(len, paths))
    ids = _with_last_names(item, folders, 1)
    for length in range(1, longest + 1):
        # A file without a folder keeps the id.
        are_free = all(new_id == item or new_id not in taken for new_id in ids)
        if are_free and len(set(ids)) == len(files):
            break
        ids = _with_last_names(item, paths, length)
    return ids


def _with_last_names(item: str, paths: Sequence[Sequence[str]], length: int) -> list[str]:
    """The id behind the last names of each path: ``old/rules.md/R1``."""
    return ["/".join((*names[-length:], item)) for names in paths]


def _words(row: PlainSentence) -> int:
    return len(row.sentence.split())
