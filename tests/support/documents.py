"""A strategy for documents of runs with hostile texts and extreme numbers, for tests of the renderers."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal, TypeVar, get_args

from hypothesis import strategies as st

from pytest_autoeval.judging.gate_verdicts import STATES_WORST_FIRST, State
from pytest_autoeval.record.figures import Figure, Unit, Value
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Cell,
    Column,
    Command,
    Counterexample,
    Curve,
    Document,
    Field,
    Figures,
    Level,
    Mark,
    Note,
    Point,
    Row,
    SampleKey,
    Section,
    Series,
    SuiteName,
    Table,
    Tone,
    Verdict,
)

#: Texts of models, files and users that would do harm if a screen printed them as they are.
HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J",
    "\u202eesrever\u2066 \u200bhidden\u200f \u2028line\u2029 \ufeff",
    "line one\r\nline two\rline three\n\nline five",
    "::error::all gates passed",
    "\n::set-output name=x::y\n##[group]x ##vso[task.complete] ##teamcity[x]",
    "<script>alert(1)</script> <!-- x --> --> <b>bold</b>",
    "</script><img src=x onerror=alert(1)>",
    "`` ` ``` out of the code",
    "```\nout of the block\n```",
    "a | b | c\n--- | --- | ---",
    "a \\| b \\\\| c \\",
    "@octocat @org/team fixes #123, #1, GH-7 and GH-1, 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "[passed](https://evil.example) ![x](https://evil.example/p.png) www.evil.example mail@evil.example",
    "# heading\n- item\n1. one\n> quoted\n===\n---",
    "*bold* _it_ ~~gone~~ __x__ $x$ :rocket: &amp; &#64;octocat",
    "about {needed} would decide {0} {} {{x}} %s %(x)s",
    "=1+1 +2 -3 @sum\t=HYPERLINK(1)",
    "日本語の文章です。これは長いです。 ｗｉｄｅ 🙂",
    "e\u0301" * 40 + "\u0336" * 40,
    "w" * 300,
    "-" * 200,
    "\ud800 half, \U000e0041 tag, \x00 null",
    "'quoted' \"twice\" $(date) ; rm -rf / #",
    "suites/a_very_long_folder/and_another/test_file_of_a_suite.py::test_round_trip[offline/student-strength-0.97]",
    "]]> <![CDATA[ & < >",
    "",
    " ",
)
FORMULAS = (
    "¬(p1 ∧ p2) → ((p3 ∨ ¬p4) ↔ (p5 ⊕ ⊤))",
    "∀x. ∃y. ((call(x, y) ∨ ¬help(y, mary)) ∧ (sleep(x) ∨ call(john, y)))",
    "G (!door_open | F red) & " * 20 + "true",
    "p",
    "(a|b)*[^\\]`|]{2,3}",
)
#: Sentences of ours, with places for figures and foreign texts.
TEMPLATES = (
    "nothing to say",
    "about {needed} would decide at this rate",
    "{errors} ended in an error: {message}",
    "compared with {name}: {pairs}, {won} won, {lost} lost; significantly worse, and the drop may be {drop} or more",
    "the threshold {threshold} lies within the interval; about {needed} would decide at this rate",
    "fails more often: {sort}: {rate} pass, of the others {others}",
    "{message}",
)
#: Names that are foreign texts in these templates; all others are figures.
FOREIGN = frozenset({"message", "name", "sort"})
MODELS = (
    "gpt-5-mini",
    "offline/student?strength=0.97",
    "organisation/a-model-with-a-long-name-4-instruct",
    "日本語/模型",
)
FIELDS = (
    "formula",
    "description",
    "translation",
    "answer",
    "witness",
    "reason",
    "candidates",
    "names",
    "text read",
)
LEVELS: tuple[Level, ...] = get_args(Level)
UNITS: tuple[Unit, ...] = get_args(Unit)
#: What the cells of a column can be.
CELLS: tuple[Unit | Literal["name", "formula", "text"], ...] = (*UNITS, "name", "formula", "text")
TONES: tuple[Tone, ...] = get_args(Tone)

#: Words of ours, such as the names of figures.
WORDS = ("pass rate", "asked again", "kappa", "calls", "entropy (95 %)")
WITNESS = "domain  {0, 1}\nmary    0\ncall    {(0, 0), (1, 1)}\nleft    true\nright   false"
#: Extreme numbers that a unit allows, and the ends of all others.
NUMBERS: dict[str, tuple[float, ...]] = {
    "rate": (0.0, 1.0, 0.5, 1e-9, 1 - 1e-9),
    "points": (0.0, 1.0, -1.0, -1e-9),
    "count": (0, 1, 2, 1_000, 10**12),
    "usd": (0.0, 0.001, 0.42, 1e9),
    "seconds": (0.0, 0.5, 89.9, 1e9),
    "size": (0.0, 0.7499999999999999, 14.25, 1e6),
    "p": (0.0, 1.0, 1e-300, 0.00011, 0.05),
    "number": (0.0, -1.0, 1e12, -1e12, 1e-300, 3.14159),
}

Chosen = TypeVar("Chosen")
_signs = st.text(
    st.sampled_from("ab1 @#[](){}<>!`~|\\*_-+=:/.&;$\n\r\t\"'é∀\u202e\x1b日"), max_size=12
)


@cache
def _below(number: int) -> st.SearchStrategy[int]:
    return st.integers(0, number - 1)


class Choices:
    """Makes the pieces of documents from what Hypothesis draws. It builds no strategy while it draws, which is slow."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def one_of(self, values: Sequence[Chosen]) -> Chosen:
        return values[self._draw(_below(len(values)))]

    def is_so(self) -> bool:
        return self.one_of((False, True))

    def several(self, make: Callable[[], Chosen], most: int) -> tuple[Chosen, ...]:
        return tuple(make() for _ in range(self._draw(_below(most + 1))))

    def text(self) -> str:
        """A text from outside."""
        signs = "" if self.is_so() else self._draw(_signs)
        return signs + self.one_of(("", *HOSTILE))

    def name(self) -> str:
        """A text from outside that is not empty."""
        text = self.text()
        return text if text.strip() else f"n{text}"

    def words(self) -> str:
        """Words of ours; users may choose hostile ones."""
        return self.one_of(WORDS) if self.is_so() else self.name()

    def formula(self) -> str:
        return self.one_of(FORMULAS) if self.is_so() else self.text()

    def command(self) -> str:
        return shlex.join(["pytest", *self.several(self.text, 2)])

    def level(self) -> Level:
        return self.one_of(LEVELS)

    def state(self) -> State:
        return self.one_of(STATES_WORST_FIRST)

    def figure(self, name: str = "") -> Figure:
        """A figure whose numbers its unit allows, its interval around its value."""
        name = name or self.words()
        unit = self.one_of(UNITS)
        least, most = sorted((self.one_of(NUMBERS[unit]), self.one_of(NUMBERS[unit])))
        form = self.one_of(
            ("none", "plain", "both", "low", "high", "range", "deviation", "above", "not known")
        )
        if form == "none":
            return Figure(name, None, unit)
        if form == "range" and unit == "rate":
            return Figure(name, least, unit, low=least, high=1.0, upper=most, n=20)
        if form == "deviation" and unit in {"rate", "points", "number"}:
            return Figure(name, most, unit, deviation=0.25, n=3)
        if unit == "size" and form == "above":
            return Figure(name, least, unit, high=most, measure="depth", bound="above")
        if unit == "size" and form == "not known":
            return Figure(name, None, unit, measure="depth", bound="not known")
        return Figure(
            name,
            least,
            unit,
            low=least if form in {"both", "low"} else None,
            high=most if form in {"both", "high"} else None,
            confidence=0.9938 if form == "both" else 0.95,
            measure={"count": "sample", "size": "operators"}.get(unit, ""),
        )

    def sentence(self) -> tuple[str, dict[str, Value]]:
        """A template with its values."""
        text = self.one_of(TEMPLATES)
        places = dict.fromkeys(part.partition("}")[0] for part in text.split("{")[1:])
        return text, {
            place: self.text() if place in FOREIGN else self.figure(place) for place in places
        }

    def cell(self, column: Column) -> Cell:
        """A cell that its column allows."""
        if column.unit == "formula":
            return self.formula()
        if column.unit in {"name", "text"}:
            return self.text()
        return self.one_of((None, self.one_of(NUMBERS[column.unit]), self.figure(column.name)))

    def table(self) -> Table:
        """A table: of suites and models (a name, then groups of columns), or any other."""
        columns = [Column(self.words(), self.one_of(CELLS))]
        if self.is_so():
            for model in dict.fromkeys(
                self.several(lambda: self.one_of((*MODELS, self.name())), 3)
            ):
                columns.append(Column("pass rate", "rate", group=model))
                columns.append(
                    Column("horizon 50 %", "size", group=model, optional=True, measure="operators")
                )
        else:
            columns += self.several(
                lambda: Column(self.words(), self.one_of(CELLS), optional=self.is_so()), 4
            )
        return Table(
            columns=tuple(columns),
            rows=self.several(lambda: self.row(columns), 3),
            title=self.one_of(("", self.words())),
            thing=self.one_of(("row", "suite", "comparison")),
            mark=self.one_of(("", "significantly worse than another model")),
            level=self.level(),
        )

    def row(self, columns: Sequence[Column]) -> Row:
        return Row(
            tuple(map(self.cell, columns)),
            state=self.one_of((None, self.state())),
            states=tuple(self.one_of((None, self.state())) for _ in columns)
            if self.is_so()
            else (),
            marked=tuple(at for at in range(len(columns)) if self.is_so()),
            level=self.level(),
            total=self.is_so(),
        )

    def points(self, unit: Unit) -> tuple[Point, ...]:
        """Points of a line, from left to right."""
        xs = sorted(
            {
                self.one_of((0, 1, 2, 3, 4.5, 5, 100))
                for _ in range(self.one_of((0, 1, 2, 4, 60)) % 7)
            }
        )
        return tuple(self.point(x, unit) for x in xs)

    def point(self, x: float, unit: Unit) -> Point:
        value = self.one_of((None, *NUMBERS[unit]))
        low, high = (value, value) if self.is_so() else (None, None)
        return Point(
            x,
            value,
            low=low,
            high=high,
            n=self.one_of((None, 5)),
            label=self.one_of(("", self.text())),
        )

    def curve(self) -> Curve:
        """A curve with up to two lines."""
        unit: Unit = self.one_of(("rate", "rate", "number", "points", "usd"))
        height = self.one_of((None, *NUMBERS[unit]))
        return Curve(
            over=self.one_of(("operators", "depth", "runs", self.name())),
            unit=unit,
            series=self.several(
                lambda: Series(self.name(), self.points(unit), self.points(unit)), 2
            ),
            marks=self.several(
                lambda: Mark(self.words(), height, None if height else 3.5, series=self.text()), 1
            ),
            title=self.one_of(("", self.words())),
            level=self.level(),
        )

    def field(self, name: str) -> Field:
        if name == "witness" and self.is_so():
            return Field(name, WITNESS)
        text = self.formula() if name in {"formula", "translation"} else self.text()
        return Field(name, text, detail=self.is_so())

    def counterexample(self, suite: int = 1) -> Counterexample:
        """A counterexample whose texts are formulas, tables of values, and anything else."""
        history, values = self.sentence() if self.is_so() else ("", {})
        names = dict.fromkeys(self.several(lambda: self.one_of(FIELDS), 5))
        return Counterexample(
            outcome=self.one_of(("different", "unparseable", self.name())),
            code=self.one_of(("AE101", "AE102", self.name())),
            loses_meaning=self.is_so(),
            samples=self.one_of((1, 2, 10**6)),
            fields=tuple(map(self.field, names)),
            witness={self.name(): self.text()} if self.is_so() else None,
            history=history,
            values=values,
            command=self.command() if self.is_so() else "",
            sample=SampleKey(suite, self.one_of((0, 7)), self.one_of((0, 10**6)))
            if self.is_so()
            else None,
            level=self.level(),
        )

    def block(self, suite: int = 1) -> AnyBlock:
        """A block of any kind."""
        makers: tuple[Callable[[], AnyBlock], ...] = (
            self.note,
            self.verdict,
            self.figures,
            self.command_to_paste,
            self.table,
            self.curve,
            lambda: self.counterexample(suite),
        )
        return self.one_of(makers)()

    def note(self) -> Note:
        text, values = self.sentence()
        return Note(text=text, values=values, tone=self.one_of(TONES), level=self.level())

    def verdict(self) -> Verdict:
        text, values = self.sentence()
        what = self.one_of(("", "threshold"))
        return Verdict(state=self.state(), text=text, values=values, what=what, level=self.level())

    def figures(self) -> Figures:
        title = self.one_of(("", self.words()))
        return Figures(figures=self.several(self.figure, 4), title=title, level=self.level())

    def command_to_paste(self) -> Command:
        return Command(purpose=self.words(), command=self.command(), level=self.level())

    def section(self, suite: SuiteName | None = None) -> Section:
        """A section, of the run or about a suite."""
        number = 0 if suite is None else suite.number
        return Section(
            name=self.one_of(("suites", "models", "notes", "a user's"))
            if suite is None
            else "suite",
            title=self.one_of(("", self.words())) if suite is None else suite.name,
            blocks=self.several(lambda: self.block(number), 3),
            level=self.level(),
            suite=suite,
            state=None if suite is None else self.state(),
        )

    def document(self) -> Document:
        """A whole document. It begins with a verdict, as all documents do; nothing else of it is sure."""
        text, values = self.sentence()
        state = self.state()
        first = Section(
            name="verdict", blocks=(Verdict(state=state, text=text, values=values),), level="quiet"
        )
        names = dict.fromkeys(self.several(self.name, 2))
        suites = [SuiteName(number, name, self.text()) for number, name in enumerate(names, 1)]
        return Document(
            state=state,
            exit_code=self.one_of((0, 1, 10)),
            sections=(
                first,
                *self.several(self.section, 1),
                *map(self.section, suites),
                *self.several(self.section, 1),
            ),
            release="1.0.0",
            created="2026-11-26T12:00:00Z",
        )


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Texts from outside."""
    return Choices(draw).text()


@st.composite
def blocks(draw: st.DrawFn) -> AnyBlock:
    """Blocks of any kind."""
    return Choices(draw).block()


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Whole documents."""
    return Choices(draw).document()
