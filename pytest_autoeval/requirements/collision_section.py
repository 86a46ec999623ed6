"""The rules of a run that collide or never apply, with their texts and a case: for suites with `collisions=`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from pytest_autoeval.datasets.plain_sentences import PlainSentence
from pytest_autoeval.engine.settings import shown_name
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.languages import FormulaSyntaxError, language
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.record.task_parts import Formalized, Given
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import AnyBlock, Command, Section
from pytest_autoeval.requirements.collision_gate import examined_rules, samples_with_formulas
from pytest_autoeval.requirements.meanings import glossary_of
from pytest_autoeval.requirements.permission_section import file_and_line
from pytest_autoeval.requirements.rule_sections import Numbered, collisions, vacuous
from pytest_autoeval.requirements.set_answers import CheckedByAnswers
from pytest_autoeval.requirements.set_data import SetData, data_of
from pytest_autoeval.requirements.set_formulas import SetFormulas

_DATASET = f"{shown_name('dataset')}="


def colliding_rules(analysis: Analysis) -> Iterator[Section]:
    """What the gate only counts: the rules, the case in which they collide, and the command that says more."""
    for suite in analysis.suites:
        if suite.asked.collisions is None or suite.asked.ungated:
            continue
        data = _set_data(suite)
        if data is None or not (data["collisions"] or data["vacuous"]):
            continue
        numbered = Numbered(data)
        blocks: list[AnyBlock] = [*collisions(data, numbered), *vacuous(data, numbered)]
        results = [*analysis.results] or ["RESULTS.jsonl"]
        # `check` takes the formulas of one file.
        if len(results) == 1:
            model = f" --model={shlex.quote(suite.model)}" if len(analysis.suites) > 1 else ""
            option = f"--formulas={shlex.quote(results[0])}{model}"
            command = f"python -m pytest_autoeval check {data['file']} {option}"
            blocks.append(Command(purpose="all that they say together", command=command))
        yield Section(name="collisions", title=f"collisions: {suite.name}", blocks=tuple(blocks))


def _set_data(suite: SuiteRecord) -> SetData | None:
    """What the formulas of a suite say as a set, with the sentences by their ids; None if they cannot be joined."""
    samples = samples_with_formulas(suite)
    try:
        lang = language(suite.asked.language)
        texts = [sample.part_or_empty(Formalized).formula or "" for sample in samples.values()]
        formulas = [lang.parse(text) for text in texts]
        examined, rules = examined_rules(suite)
    except (AutoevalError, FormulaSyntaxError):
        return None
    sentences = []
    for item, sample in samples.items():
        given = sample.part_or_empty(Given)
        sentences.append(
            PlainSentence(given.sentence or "", given.group or "", given.source or item, item)
        )
    files = dict.fromkeys(file_and_line(sentence.source)[0] for sentence in sentences)
    phrases = [entry for sample in samples.values() for entry in glossary_of(sample).items()]
    set_formulas = SetFormulas(
        files=shlex.join(_as_typed(files, suite.run.options)),
        model=suite.model,
        language=lang,
        taken=list(zip(sentences, formulas, strict=True)),
        left_out=[],
        glossary=list(dict.fromkeys(phrases)),
        samples=samples,
    )
    data = data_of(CheckedByAnswers(set_formulas), examined, rules)
    # The gate names whole ids. A line alone would be another name for the same rule.
    for entry in data["sentences"]:
        entry["number"] = entry["item"]
    return data


def _as_typed(names: Iterable[str], options: Sequence[str]) -> list[str]:
    """The files of some names as the command line of the run had them: samples have their names without folders."""
    typed = [word.removeprefix(_DATASET) for word in options if word.startswith(_DATASET)]
    files = []
    for name in names:
        files += [path for path in typed if PurePath(path).name == name] or [name]
    return files
