"""The sentences of files with their formulas, as a set: from the results of a run, or from the files themselves."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_autoeval.datasets.cells import Cells
from pytest_autoeval.datasets.columns import Columns, RawRow, RowError, language_in
from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.file_language import doubt_about, formula_in
from pytest_autoeval.datasets.plain_sentences import (
    PlainSentence,
    read_plain_sentences,
    sentences_in,
)
from pytest_autoeval.datasets.sentence_glossaries import own_glossary, read_glossary
from pytest_autoeval.datasets.table_files import read_table
from pytest_autoeval.datasets.temporal_formulas import words_in
from pytest_autoeval.errors import AutoevalError, unknown_name
from pytest_autoeval.languages import (
    Formula,
    FormulaSyntaxError,
    Language,
    language,
    language_names,
)
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.merging import merge
from pytest_autoeval.record.task_parts import Formalized, Given
from pytest_autoeval.requirements.fret import FretRow, fret_rows
from pytest_autoeval.requirements.meanings import TASK, glossary_of
from pytest_autoeval.requirements.whole_set import Progress

_NO_SAMPLES = (
    "{}: it has no results of the task {} for the sentences of {}; mark a test with @autoeval.sentences and run it "
    "with --autoeval-results"
)
_LIST_WITHOUT_FORMULAS = (
    "{}: a list of sentences has no formulas; take those of a run with --formulas=RUN.jsonl instead of --set, or write "
    "a table with the columns sentence, formula, language"
)
#: Why a row without a formula is left out. A formula that cannot be read has another reason.
HAS_NO_FORMULA = "it has no formula"
_NO_FORMULAS = (
    "{}: no sentence has a formula that can be read; write a table with the columns sentence, formula, language, or "
    "take the formulas of a run with --formulas=RUN.jsonl"
)


@dataclass(frozen=True, slots=True)
class SetFormulas:
    """The sentences of files, as a set.

    Attributes:
        files: the files, as shown.
        model: whose formulas they are; empty if they are the author's.
        language: the language of the formulas.
        taken: the sentences with a formula.
        left_out: the sentences without one, and why.
        glossary: names and phrases, each pair once.
        suites: the results that the formulas come from.
        samples: the samples that the formulas come from, by the ids of their sentences; none without a run.
        problems: a line for each row of the files that was left out.
        doubtful_numbers: lines about what looks like a number and stays in a sentence.
        repeated_ids: a line for each row that is in the set, although an earlier one has its id.
    """

    files: str
    model: str
    language: Language
    taken: Sequence[tuple[PlainSentence, Formula]]
    left_out: Sequence[tuple[PlainSentence, str]]
    glossary: Sequence[tuple[str, str]]
    suites: Sequence[SuiteRecord] = ()
    samples: Mapping[str, Sample] = field(default_factory=dict)
    problems: Sequence[str] = ()
    doubtful_numbers: Sequence[str] = ()
    repeated_ids: Sequence[str] = ()

    @property
    def phrases(self) -> dict[str, str]:
        """The phrases of the names that have one meaning in all files."""
        # A name with two phrases would be described by the wrong one in some sentences.
        times = Counter(name for name, _ in self.glossary)
        return {name: phrase for name, phrase in self.glossary if times[name] == 1}


# ---- with the formulas of a run --------------------------------------------------------------------------------------


def formulas_of_run(args: Namespace, progress: Progress) -> SetFormulas:
    """The sentences of `args.files` with the formulas of `args.formulas`. Raises :class:`AutoevalError`."""
    files = list(dict.fromkeys(args.files))
    columns = tuple((args.columns or {}).items())
    sentences_by_file = [
        (file, sentence) for file in files for sentence in read_plain_sentences(file, columns)
    ]
    sentences = [sentence for _, sentence in sentences_by_file]
    merged = merge([args.formulas], progress)
    texts = {sentence.sentence for sentence in sentences}
    answers = [
        sample
        for suite in merged.suites
        for sample in suite.counted
        if suite.asked.task == TASK and _sentence(sample) in texts
    ]
    samples = _samples_of_model(answers, args)
    lang = language(samples[0].suite.asked.language)
    named = _told_apart(sentences_by_file)
    written = list(_samples_of_sentences(sentences, samples))
    formalized = [
        (sentence, _formula_in(sample, sentence, lang))
        for sentence, sample in zip(named, written, strict=True)
    ]
    taken = [
        (sentence, formula) for sentence, formula in formalized if isinstance(formula, Formula)
    ]
    model = samples[0].model
    if not taken:
        raise AutoevalError(
            f"{args.formulas}: no sentence of {shown_files(args.files)} has a formula by {model}"
        )
    return SetFormulas(
        files=shown_files(args.files),
        model=model,
        language=lang,
        taken=taken,
        left_out=[(sentence, why) for sentence, why in formalized if isinstance(why, str)],
        glossary=list(
            dict.fromkeys(entry for sample in samples for entry in glossary_of(sample).items())
        ),
        suites=merged.suites,
        samples={
            sentence.item: sample
            for sentence, sample in zip(named, written, strict=True)
            if sample is not None
        },
        problems=sentences_in(files, columns).problems,
        doubtful_numbers=sentences_in(files, columns).notes,
    )


def _told_apart(sentences_by_file: Iterable[tuple[Path, PlainSentence]]) -> list[PlainSentence]:
    """The sentences with distinct ids.

    Rows of one file with one id are named by their lines. Where another file has the id, the file is named too:
    ``r.md:1 of old/r.md``.
    """
    named = _named_by_line(list(sentences_by_file))
    times = Counter(sentence.item for _, sentence in named)
    return [
        sentence
        if times[sentence.item] == 1
        else replace(sentence, item=f"{sentence.item} of {file}")
        for file, sentence in named
    ]


def _named_by_line(
    sentences_by_file: Sequence[tuple[Path, PlainSentence]],
) -> list[tuple[Path, PlainSentence]]:
    """The sentences of files; those of one file that have one id have their lines in place of it."""
    times = Counter((file, sentence.item) for file, sentence in sentences_by_file)
    positions: Counter[tuple[Path, str]] = Counter()
    named = []
    for file, sentence in sentences_by_file:
        key = file, sentence.item
        positions[key] += 1
        if times[key] > 1:
            # A file of FRET shows no lines.
            has_line = sentence.source != file.name
            item = sentence.source if has_line else f"{sentence.item} ({positions[key]})"
            named.append((file, replace(sentence, item=item)))
        else:
            named.append((file, sentence))
    return named


def _repeated_ids(sentences_by_file: Iterable[tuple[Path, PlainSentence]]) -> Iterator[str]:
    """A line for each row whose id an earlier row of its file has."""
    first_source: dict[tuple[Path, str], str] = {}
    for file, sentence in sentences_by_file:
        key = file, sentence.item
        if key in first_source:
            line = sentence.source.removeprefix(file.name)
            yield f"{file}{line}: the id {sentence.item!r} is already used by {first_source[key]}"
        first_source.setdefault(key, sentence.source)


def _sentence(sample: Sample) -> str | None:
    return sample.part_or_empty(Given).sentence


def _samples_of_model(samples: Sequence[Sample], args: Namespace) -> list[Sample]:
    """The samples of one model for the sentences themselves, asked for the first time."""
    if not samples:
        raise AutoevalError(_NO_SAMPLES.format(args.formulas, TASK, shown_files(args.files)))
    models = sorted({sample.model for sample in samples})
    if args.model is not None and args.model not in models:
        raise AutoevalError(f"--model: {unknown_name('model', args.model, models)}")
    if args.model is None and len(models) > 1:
        raise AutoevalError(
            f"{args.formulas}: it has formulas of {', '.join(models)}; choose one with --model=NAME"
        )
    model = args.model or models[0]
    of_model = [
        sample
        for sample in samples
        if (sample.model, sample.repeat, sample.paraphrase) == (model, 0, 0)
    ]
    if not of_model:
        raise AutoevalError(
            f"{args.formulas}: {model} has no sample of a sentence itself with repeat 0"
        )
    languages = sorted({sample.suite.asked.language for sample in of_model})
    if len(languages) > 1:
        raise AutoevalError(
            f"{args.formulas}: the formulas are of {' and '.join(languages)}; give one language"
        )
    return of_model


def _samples_of_sentences(
    sentences: Iterable[PlainSentence], samples: Iterable[Sample]
) -> Iterator[Sample | None]:
    """For each sentence the sample with its id and text, else with its text; None without one.

    Raises :class:`AutoevalError` if samples of one sentence have different formulas.
    """
    texts: dict[tuple[str | None, str | None], Sample] = {}
    for sample in samples:
        item = sample.part_or_empty(Given).item
        # A sentence that moved to another line has a new id, and is still found by its text.
        for key in ((item, _sentence(sample)), (None, _sentence(sample))):
            earlier, current = map(_formalized, (texts.setdefault(key, sample), sample))
            if key[0] and earlier != current:
                problem = f"two formulas of {sample.model}: {earlier} and {current}"
                raise AutoevalError(
                    f"the sentence {item} has {problem}; give the results of one suite"
                )
    for sentence in sentences:
        by_id = texts.get((sentence.item, sentence.sentence))
        yield by_id or texts.get((None, sentence.sentence))


def _formula_in(sample: Sample | None, sentence: PlainSentence, lang: Language) -> Formula | str:
    """The formula of a sentence, or why it has none. Raises :class:`AutoevalError` if it cannot be read."""
    if sample is None:
        return "not in the results; the text may have changed since the run"
    text = _formalized(sample)
    if text is None:
        return sample.outcome
    try:
        return lang.parse(text)
    except FormulaSyntaxError as problem:
        where = f"the formula of {sentence.item} in the results"
        raise AutoevalError(f"{where} cannot be read: {problem}") from None


def _formalized(sample: Sample) -> str | None:
    return sample.part_or_empty(Formalized).formula


# ---- with the formulas of the files themselves -----------------------------------------------------------------------


def formulas_of_files(files: Iterable[Path], columns: Columns) -> SetFormulas:
    """The sentences of tables with the formulas beside them; a formula may also stand alone.

    Raises :class:`AutoevalError`, also if the formulas are of several languages.
    """
    rows = [(file, row) for file in dict.fromkeys(files) for row in _rows(file, columns)]
    lang = _language_of([row for _, row in rows], shown_files(files))
    sentences_by_file = [(file, row.sentence) for file, row in rows]
    named = _told_apart(sentences_by_file)
    formalized = list(zip(named, (row.formula for _, row in rows), strict=True))
    glossary: dict[tuple[str, str], None] = {}
    for file, row in rows:
        beside = file.with_suffix(".toml")
        own = row.sentence.glossary or (read_glossary(beside) if beside.is_file() else {})
        glossary |= dict.fromkeys(own.items())
    return SetFormulas(
        files=shown_files(files),
        model="",
        language=lang,
        taken=[
            (sentence, formula) for sentence, formula in formalized if isinstance(formula, Formula)
        ],
        left_out=[(sentence, why) for sentence, why in formalized if isinstance(why, str)],
        glossary=list(glossary),
        repeated_ids=list(_repeated_ids(sentences_by_file)),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a table: its sentence with its number, its formula or why it has none, and the formula's language."""

    sentence: PlainSentence
    formula: Formula | str
    language: str


def _rows(file: Path, columns: Columns) -> Iterator[_Row]:
    """The rows of a table. Each has its number, also if it cannot be read: that of the author's file."""
    exported = fret_rows(file)
    if exported is not None:
        yield from (_fret_row(file, row) for row in exported)
        return
    if file.suffix.casefold() == ".md":
        raise AutoevalError(_LIST_WITHOUT_FORMULAS.format(file))
    table = read_table(file, columns)
    doubt = doubt_about(file, table)
    if doubt is not None:
        raise AutoevalError(str(doubt))
    for raw in map(_of_any_language, table):
        source = f"{file.name}:{raw.place}"
        empty = PlainSentence("", "", source, source)
        try:
            yield _row(file, raw, empty)
        except RowError as problem:
            yield _Row(empty, "; ".join(map(str, problem.args)), "")


def _fret_row(file: Path, row: FretRow) -> _Row:
    sentence = PlainSentence(row.sentence, "", file.name, row.id)
    if row.problem:
        return _Row(sentence, row.problem, "")
    try:
        return _Row(sentence, formula_in("ltl", row.formula), "ltl")
    except FormulaSyntaxError as problem:
        return _Row(sentence, f"its formula cannot be read: {problem}", "")


def _of_any_language(raw: RawRow) -> RawRow:
    """A row of the language that it names. Only data sets restrict the languages of sentences."""
    name = language_in(raw.values)
    if name not in language_names():
        return raw
    return replace(raw, problem="" if raw.values else raw.problem, language=name)


def _row(file: Path, raw: RawRow, empty: PlainSentence) -> _Row:
    cells = Cells(raw)
    glossary = own_glossary(cells, file)
    sentence = replace(
        empty,
        sentence=" ".join((cells.text("sentence") or "").split()),
        group=cells.name("group") or "",
        item=cells.name("id") or empty.item,
        glossary=glossary,
    )
    if "formula" not in cells.values:
        return _Row(sentence, HAS_NO_FORMULA, "")
    names = {name for name in glossary or {} if name.isidentifier()} or words_in(sentence.sentence)
    try:
        formula = formula_in(raw.language, cells.needed("formula").strip(), raw.temporal, names)
    except FormulaSyntaxError as problem:
        return _Row(sentence, f"its formula cannot be read: {problem}", "")
    return _Row(sentence, formula, raw.language)


def _language_of(rows: Sequence[_Row], files: str) -> Language:
    names = sorted({row.language for row in rows if row.language})
    if not names:
        # That a row has no formula is said by the first line.
        reasons = [
            row.formula
            for row in rows
            if isinstance(row.formula, str) and row.formula != HAS_NO_FORMULA
        ]
        # The first few show what is wrong: often all rows have one reason.
        lines = [_NO_FORMULAS.format(files), *dict.fromkeys(reasons[:3])]
        raise DataSetError("\n".join(lines))
    if len(names) > 1:
        raise AutoevalError(
            f"{files}: the formulas are of {' and '.join(names)}; a set has one language"
        )
    return language(names[0])


def shown_files(files: Iterable[Path]) -> str:
    """The names of files, each once."""
    return ", ".join(str(file) for file in dict.fromkeys(files))
