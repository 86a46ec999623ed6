"""Sentences of a run that permit something, whose formula says that it happens: a section of the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_autoeval.languages import FormulaSyntaxError, language, language_names
from pytest_autoeval.record.figure_sentences import sentence
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Formalized, Given
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Level, Note, Section
from pytest_autoeval.report.sections.values import note
from pytest_autoeval.requirements.meanings import glossary_of, is_answer
from pytest_autoeval.requirements.permission import ADVICE, lost_permission

#: How many sentences are shown without -v.
_SENTENCES = 3


def permissions(analysis: Analysis) -> Iterator[Section]:
    """The sentences whose permission is lost in the formula of a model, each once, with the words of the permission.

    The round trip cannot see this: a formula that says "does" for "may" is described as "does", and comes back.
    """
    notes: list[Note] = []
    for number, (sample, words) in enumerate(_lost_permissions(analysis.samples)):
        level: Level = "default" if number < _SENTENCES else "verbose"
        notes += _notes(sample, words, level)
    if notes:
        yield Section(
            name="permissions", title="permission lost in the formula", blocks=tuple(notes)
        )


def _lost_permissions(samples: Iterable[Sample]) -> list[tuple[Sample, str]]:
    """The first sample of each sentence whose formula lost its permission, in the order of the author's file."""
    by_sentence: dict[tuple[str, str], tuple[Sample, str]] = {}
    for sample in samples:
        # A paraphrase is the model's: it may permit what the author's sentence demands.
        if not is_answer(sample) or sample.paraphrase:
            continue
        given = sample.part_or_empty(Given)
        words = _lost_in(sample)
        if words is not None:
            by_sentence.setdefault((given.name, given.sentence or ""), (sample, words))
    return sorted(by_sentence.values(), key=lambda entry: place_of(entry[0]))


def _lost_in(sample: Sample) -> str | None:
    """The words of the permission that the formula of a sample lost; None if it lost none, or cannot be read here."""
    formula = sample.part_or_empty(Formalized).formula
    lang_name = sample.suite.asked.language
    # Only the conftest.py of the run knows a language of the user's.
    if not formula or lang_name not in language_names():
        return None
    lang = language(lang_name)
    try:
        parsed = lang.parse(formula)
    except FormulaSyntaxError:
        return None
    text = sample.part_or_empty(Given).sentence or ""
    return lost_permission(text, parsed, lang, glossary_of(sample))


def place_of(sample: Sample) -> tuple[str, int]:
    """File and line of a sentence."""
    return file_and_line(sample.part_or_empty(Given).source or "")


def file_and_line(source: str) -> tuple[str, int]:
    """A place such as ``rules.md:10`` as file and line: as text, line 10 would be before line 9."""
    file, _, line = source.rpartition(":")
    return file, int(line) if line.isdecimal() else 0


def _notes(sample: Sample, words: str, level: Level) -> Iterator[Note]:
    given = sample.part_or_empty(Given)
    text = sentence("{id}: {english}", id=given.name, english=given.sentence or "")
    yield note(text, "finding", level=level)
    formula = sample.part_or_empty(Formalized).formula or ""
    yield note(sentence("{formula} ({model})", formula=formula, model=sample.model), level=level)
    yield note(sentence(ADVICE, words=words), "warning", level=level)
