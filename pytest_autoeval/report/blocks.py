"""The types of a document: a run as sections of blocks, of seven kinds, that every screen prints.

A block is data. It has no markup, no colour, no escape, and no text that is cut to a width: a screen adds these. It has
no sentence with numbers in it either: a sentence names the places of its figures (:class:`Sentence`).
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from pytest_autoeval.judging.gate_verdicts import State
from pytest_autoeval.record.figures import Figure, Unit, Value
from pytest_autoeval.record.witness_words import GIVEN_AND_MODELS

#: How much a screen shows: below pytest's usual output (``-q``), as usual, or with ``-v``.
Level = Literal["quiet", "default", "verbose"]
#: How much a note matters: it explains (``remark``), says something (``finding``), needs attention (``warning``), or
#: is why the run or suite cannot pass (``error``).
Tone = Literal["remark", "finding", "warning", "error"]


class Block(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="block"):
    """A piece of a section.

    Attributes:
        level: from which level on it is shown, if its section is.
    """

    level: Level = "quiet"


class Verdict(Block, frozen=True, tag="verdict"):
    """The verdict on the run, or on a suite.

    Attributes:
        state: what was decided.
        text: the reason, in one sentence. A name in braces is the place of one of the ``values``.
        values: the figures and foreign texts of the sentence, by name.
        what: what was judged, if there are several verdicts on one thing: ``threshold``, ``baseline``, ``agreement``.
    """

    state: State
    text: str
    values: dict[str, Value] = {}
    what: str = ""


class Figures(Block, frozen=True, tag="figures"):
    """Some figures, shown in a row.

    Attributes:
        figures: the figures.
        title: what they have in common; may be empty.
    """

    figures: tuple[Figure, ...]
    title: str = ""


class Column(Struct, frozen=True, omit_defaults=True):
    """A column of a table, and what its cells are.

    Attributes:
        name: its heading.
        unit: what its cells are: numbers by their unit; ``name`` (of a suite, model or data set), ``formula`` or
            ``text`` (prose of a model or a file).
        group: a heading over this column and its neighbours of the same group, such as a model.
        optional: a screen without room leaves the column out.
        measure: what a size or a count counts.
    """

    name: str
    unit: Unit | Literal["name", "formula", "text"] = "name"
    group: str = ""
    optional: bool = False
    measure: str = ""


#: None: there is no such value. A plain number has the unit of its column; a figure has its own.
Cell = Figure | str | int | float | None


class Row(Struct, frozen=True, omit_defaults=True):
    """The cells of a row, and what they are about.

    Attributes:
        cells: one for each column.
        state: the state of what the row is about, if it has one.
        states: the states of the cells, where they differ: one for each column, None without a state.
        marked: the numbers of the cells, from 0, that the ``mark`` of the table stands at.
        level: from which level on it is shown. A screen says how many rows it leaves out.
        total: the row is a sum or mean over those above it.
    """

    cells: tuple[Cell, ...]
    state: State | None = None
    states: tuple[State | None, ...] = ()
    marked: tuple[int, ...] = ()
    level: Level = "quiet"
    total: bool = False


class Table(Block, frozen=True, tag="table"):
    """Rows of cells under named columns.

    Attributes:
        columns: its columns.
        rows: its rows, the most important ones first.
        title: its heading; may be empty.
        thing: what a row is, in the singular: ``suite``, ``comparison``.
        mark: what a star at a cell means; empty if no cell has one.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    title: str = ""
    thing: str = "row"
    mark: str = ""


class Point(Struct, frozen=True, omit_defaults=True):
    """A value at one place.

    Attributes:
        x: the size, or the number of the run.
        value: the value there; None if there is none.
        low: the lower end of its 95 % interval.
        high: the upper end.
        n: of how many samples.
        label: the name of the place, such as the date of a run.
    """

    x: float
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    label: str = ""


class Series(Struct, frozen=True, omit_defaults=True):
    """What was measured of one thing, from left to right.

    Attributes:
        name: what it is of, such as a model.
        points: the values.
        fitted: a smooth curve through them, if one was fitted.
    """

    name: str
    points: tuple[Point, ...]
    fitted: tuple[Point, ...] = ()


class Mark(Struct, frozen=True, omit_defaults=True):
    """A mark in a curve: a height, such as a threshold, or a place, such as a horizon.

    Attributes:
        name: what it marks.
        value: the height.
        x: the place.
        low: the lower end of its 95 % interval.
        high: the upper end.
        series: the name of the line that it belongs to; empty if it belongs to all.
    """

    name: str
    value: float | None = None
    x: float | None = None
    low: float | None = None
    high: float | None = None
    series: str = ""


class Curve(Block, frozen=True, tag="curve"):
    """Values over a size or over time.

    Attributes:
        over: what the places are: ``operators``, ``depth``, ``runs``.
        unit: what the values are.
        series: the lines.
        marks: heights and places of note.
        title: its heading; may be empty.
    """

    over: str
    unit: Unit
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()
    title: str = ""


class Field(Struct, frozen=True, omit_defaults=True):
    """A text of a counterexample: ``formula``, ``description``, ``translation``, ``witness``, ``reason`` and others.

    Attributes:
        name: what the text is.
        text: the text, as it came.
        detail: it is left out first if there is no room.
    """

    name: str
    text: str
    detail: bool = False


class SampleKey(Struct, frozen=True):
    """Which sample it is: its suite, and its place there.

    Attributes:
        suite: the number of the suite.
        size: its size.
        index: which of the samples of this size it is, from 0.
        repeat: which of the trials of this formula it is, from 0.
        paraphrase: which of the paraphrases of its description it is, from 0.
    """

    suite: int
    size: int
    index: int
    repeat: int = 0
    paraphrase: int = 0


class Counterexample(Block, frozen=True, tag="counterexample"):
    """A sample on which a model failed, the smallest one of its kind of failure.

    Attributes:
        outcome: how it ended.
        code: the code of this outcome, such as ``AE101``.
        loses_meaning: the formula that came back means something else: the failure is not one of form.
        samples: how many samples of the suite ended in this way.
        fields: its texts, in the order of reading.
        witness: a case on which the two formulas differ, as data for a drawing.
        sides: what these two formulas are called, in the order of the witness's ``left`` and ``right``.
        history: how it was found: what shrinking did, in one sentence with ``values``; may be empty.
        values: the figures of that sentence, by name.
        command: the command that asks for it again; may be empty.
        sample: the sample of the run; None if shrinking found it.
    """

    outcome: str
    code: str
    loses_meaning: bool
    samples: int
    fields: tuple[Field, ...]
    witness: dict[str, Any] | None = None
    sides: tuple[str, str] = GIVEN_AND_MODELS
    history: str = ""
    values: dict[str, Value] = {}
    command: str = ""
    sample: SampleKey | None = None


class Note(Block, frozen=True, tag="note"):
    """One sentence.

    Attributes:
        text: the sentence. A name in braces is the place of one of the ``values``.
        values: its figures and foreign texts, by name.
        tone: how much it matters: it explains (``remark``), says something (``finding``), needs attention
            (``warning``), or is why the run or suite cannot pass (``error``).
        state: the state whose meaning it explains.
        column: the column of the table above that it explains: a screen that leaves it out leaves out the note.
    """

    text: str
    values: dict[str, Value] = {}
    tone: Tone = "remark"
    state: State | None = None
    column: str = ""


class Command(Block, frozen=True, tag="command"):
    """One line to paste into a shell.

    Attributes:
        purpose: what it is good for, in a word or two: ``reproduce``, ``see why``.
        command: the line.
    """

    purpose: str
    command: str


AnyBlock = Verdict | Figures | Table | Curve | Counterexample | Note | Command


class SuiteName(Struct, frozen=True):
    """Which suite it is.

    Attributes:
        number: its number in the document.
        name: its name, which can be pasted to pytest.
        model: its model.
    """

    number: int
    name: str
    model: str


class Section(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a document.

    Attributes:
        name: its name for programs: ``verdict``, ``suites``, ``suite``, ``comparison`` and others.
        title: its heading; may be empty. Of a section about a suite it is the suite's name.
        blocks: its blocks, the most important ones first.
        level: from which level on it is shown: always (``quiet``), usually (``default``), or with ``-v`` (``verbose``).
        suite: the suite that it is about.
        state: the state of that suite.
    """

    name: str
    title: str = ""
    blocks: tuple[AnyBlock, ...] = ()
    level: Level = "default"
    suite: SuiteName | None = None
    state: State | None = None


class Document(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A judged run, for programs and for screens.

    Attributes:
        schema_version: the version of these types.
        release: the release of pytest-autoeval that wrote it.
        created: when it was written, in ISO 8601 and UTC.
        state: the verdict on the run.
        exit_code: the exit code of the run, by which CI decides.
        sections: all that was found, in the order in which every screen shows it.
    """

    schema_version: Literal[2] = 2
    release: str
    created: str = ""
    state: State
    exit_code: int
    sections: tuple[Section, ...]
