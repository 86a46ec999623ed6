"""Stories: premises and a conclusion, each in English and in logic, with a label; in FOLIO's form, or with an ontology.

Source of the form: Han et al., "FOLIO: Natural Language Reasoning with First-Order Logic" (EMNLP 2024).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pytest_autoeval.datasets.columns import columns_of, is_story, plain
from pytest_autoeval.datasets.first_order.ontologies import ontology_version
from pytest_autoeval.datasets.first_order.rows import ReadRow, read_rows_of
from pytest_autoeval.datasets.tables import RawRow, Version, read_table, version_of
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology

Label = Literal["True", "False", "Uncertain"]

_LABELS: Mapping[str, Label] = {"true": "True", "false": "False", "uncertain": "Uncertain", "unknown": "Uncertain"}
#: What the name of a file of stories may end in, beside that of the sentences that they are made of.
_SUFFIX = "_stories"


@dataclass(frozen=True, slots=True)
class Story:
    """What one row says.

    ``label`` is the answer about the conclusion in our words, ``label_text`` in those of the row. ``data_set`` is the
    name of its file without ending, and without ``_stories``; ``source`` the name of its file and its line, ``place``
    the same with the file's folder. ``repair`` says what of the formulas had to be mended, and where; ``notes`` what is
    odd in them as they stand.
    """

    source: str
    place: str
    data_set: str
    premises: tuple[str, ...]
    premises_formulas: tuple[Sentence, ...]
    conclusion: str
    conclusion_formula: Sentence
    label: Label
    label_text: str
    ontology: Ontology
    id: str | None = None
    repair: str = ""
    notes: tuple[str, ...] = ()

    @property
    def question(self) -> tuple[tuple[str, ...], str]:
        """The English, which has one right answer."""
        return self.premises, self.conclusion


@dataclass(frozen=True, slots=True)
class Stories:
    """The stories that can be used, in the order of the files; how many rows cannot, and what is wrong, a line each."""

    stories: tuple[Story, ...]
    left_out: int = 0
    problems: tuple[str, ...] = ()


class _StoryError(Exception):
    """A row cannot be used."""


def read_stories(files: Sequence[Path]) -> Stories:
    """The stories of files; one that was there before, or contradicts an earlier one, is left out.

    A row with anything that cannot be read is left out whole: what follows depends on all premises. Rows without a
    label are for other data sets, and no problem. Raises :class:`DataSetError` for a file that cannot be read.
    """
    kept: dict[object, Story] = {}
    names: dict[str, Story] = {}
    problems: list[str] = []
    rows = 0
    for file in dict.fromkeys(files):
        found = _read_file(file)
        problems += found.problems
        rows += len(found.stories) + found.left_out
        for story in found.stories:
            same, namesake = kept.get(story.question), names.get(story.id or "")
            if same is not None:
                says = "the same as" if same.label == story.label else "another label than"
                problems.append(f"{story.place}: says {says} {same.source} of the same premises and conclusion")
            elif namesake is not None:
                problems.append(f"{story.place}: the id {story.id!r} is that of {namesake.source}")
            else:
                kept[story.question] = story
                if story.id is not None:
                    names[story.id] = story
    return Stories(tuple(kept.values()), rows - len(kept), tuple(problems))


def _read_file(path: Path) -> Stories:
    raw = _raw_stories(path, version_of(path))
    ontologies = dict.fromkeys(ontology_version(row.values.get("ontology"), path) for row in raw)
    return _read_version(path, version_of(path), tuple(ontologies))


@lru_cache(maxsize=32)
def _raw_stories(path: Path, _version: Version) -> tuple[RawRow, ...]:
    """The rows with stories that have a label, and those that cannot be read at all."""
    return tuple(row for row in read_table(path) if row.problem or _has_label(row.values))


def _has_label(values: Mapping[str, Any]) -> bool:
    return is_story(values) and any(plain(name) == "label" for name in values)


@lru_cache(maxsize=32)
def _read_version(path: Path, version: Version, _ontologies: tuple[Version | None, ...]) -> Stories:
    stories: list[Story] = []
    problems: list[str] = []
    rows = _raw_stories(path, version)
    for raw, row in zip(rows, read_rows_of(path, rows), strict=True):
        try:
            stories.append(_story(path, raw, row))
        except _StoryError as problem:
            problems += [f"{path}:{raw.place}: {line}" for line in problem.args]
    return Stories(tuple(stories), len(rows) - len(stories), tuple(problems))


def _story(path: Path, raw: RawRow, row: ReadRow) -> Story:
    """The story of a row; raises :class:`_StoryError` with a line for all that is wrong with it."""
    if row.problems:
        raise _StoryError(*row.problems)
    names = columns_of(raw.values)
    label_text = _text(raw, names.get("label"))
    if label_text.casefold() not in _LABELS:
        raise _StoryError(
            f"column {names.get('label', 'label')!r}: {label_text!r} is none of True, False and Uncertain"
        )
    if "conclusion" not in names or "premises" not in names:
        raise _StoryError("a premise, or a conclusion, is lacking")
    *premises, conclusion = row.statements
    return Story(
        source=f"{path.name}:{raw.place}",
        place=f"{path}:{raw.place}",
        data_set=path.stem.removesuffix(_SUFFIX),
        premises=tuple(premise.sentence for premise in premises),
        premises_formulas=tuple(premise.formula for premise in premises),
        conclusion=conclusion.sentence,
        conclusion_formula=conclusion.formula,
        label=_LABELS[label_text.casefold()],
        label_text=label_text,
        ontology=conclusion.ontology,
        id=_text(raw, names.get("id")) or None,
        repair="; ".join(row.repairs),
        notes=row.notes,
    )


def _text(raw: RawRow, column: str | None) -> str:
    """What a row says in a column, as text; nothing where it has none."""
    value: Any = raw.values.get(column) if column is not None else None
    return str(value).strip() if value is not None else ""
