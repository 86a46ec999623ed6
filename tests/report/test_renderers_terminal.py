"""Any document on a terminal: harmless, within its columns and lines, and what stands where."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.documents import FORMULAS, MODELS, documents
from support.written_documents import (
    document_of,
    large_document,
    matrix,
    rate,
    suite_section,
    verdict_section,
)

from pytest_autoeval.record.figures import Figure
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Column,
    Command,
    Counterexample,
    Curve,
    Document,
    Field,
    Figures,
    Note,
    Point,
    Row,
    Section,
    Series,
    SuiteName,
    Table,
    Verdict,
)
from pytest_autoeval.report.renderers.block_lines import blocks_lines
from pytest_autoeval.report.renderers.screen import Screen
from pytest_autoeval.report.renderers.short_names import with_short_names
from pytest_autoeval.report.renderers.terminal import lines
from pytest_autoeval.text import Line, harmless, one_line, to_ascii
from pytest_autoeval.text import width as columns

slowly = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
verbosities = st.sampled_from((-1, 0, 1))
KSAT = "suites/test_ksat.py::test_round_trip[gpt-5-mini]"


def texts(shown: Sequence[Line]) -> list[str]:
    return [line.text for line in shown]


def block_lines(
    blocks: Sequence[AnyBlock], width: int, verbosity: int = 0, *, unicode: bool = True
) -> list[Line]:
    return list(blocks_lines(blocks, Screen(verbosity, width, unicode), indent=2))


def whole(text: str, *, unicode: bool) -> str:
    return text if unicode else to_ascii(text)


def unbroken(document: Document) -> Iterator[str]:
    """What may be longer than a line: commands, and names of suites on lines of their own."""
    for section in document.sections:
        if section.suite is not None:
            yield one_line(section.suite.name)
        for block in section.blocks:
            match block:
                case Command() | Counterexample():
                    yield harmless(block.command)
                case Table():
                    yield from (
                        one_line(str(row.cells[0]))
                        for row in block.rows
                        if isinstance(row.cells[0], str)
                    )
                case Curve():
                    yield one_line(block.title)
                    yield from (one_line(series.name) for series in block.series)
                case _:
                    pass


@slowly
@given(documents(), verbosities, st.sampled_from((40, 80, 81, 120)), st.booleans())
def test_every_line_is_harmless_and_fits(
    document: Document, verbosity: int, width: int, unicode: bool
) -> None:
    shown = texts(lines(document, verbosity=verbosity, width=width, unicode=unicode))
    long = {whole(text, unicode=unicode).rstrip() for text in unbroken(document)} - {""}
    for line in shown:
        assert not [
            sign for sign in line if unicodedata.category(sign)[0] == "C" or sign in "\u2028\u2029"
        ]
        assert harmless(line) == line
        assert unicode or line.isascii()
        assert line == line.rstrip()
        assert columns(line) <= max(80, width) or any(line.endswith(text) for text in long)


@slowly
@given(documents(), verbosities)
def test_each_level_shows_more(document: Document, verbosity: int) -> None:
    """Each verdict that has its place at a level is there: nothing but the sections of suites is left out."""
    shown = " ".join(" ".join(texts(lines(document, verbosity=verbosity))).split())
    first = document.sections[0].blocks[0]
    assert isinstance(first, Verdict)
    if not first.values:
        assert first.text in shown


@pytest.mark.parametrize("failing", [0, 1, 15, 30])
@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("verbosity", [-1, 0])
def test_two_models_and_thirty_suites_fit_45_lines(
    failing: int, unicode: bool, verbosity: int
) -> None:
    document = large_document(failing=failing)
    shown = texts(lines(document, verbosity=verbosity, unicode=unicode))
    assert len(shown) <= 45
    assert sum("::test_round_trip_" in line and "%" in line for line in shown) == 30
    assert any(line.startswith(("  mean  ", "  * significantly worse")) for line in shown)
    headings = [line for line in shown if line.startswith(("✗ suites", "x suites"))]
    assert len(headings) >= bool(failing)
    if failing and verbosity == 0:
        for field in ("formula", "translation", "witness"):
            assert any(line.strip().startswith(field) for line in shown)
        left_out = 60 - len(headings)
        assert any(
            f"and {left_out} other suites (failed {2 * failing - len(headings)}" in line
            for line in shown
        )


def test_verbose_shows_every_suite_whole() -> None:
    shown = texts(lines(large_document(failing=30), verbosity=1))
    assert sum(line.startswith("✗ suites/") for line in shown) == 60
    assert not any("other suites" in line for line in shown)
    assert sum(line.strip().startswith("reproduce    ") for line in shown) == 60


@pytest.mark.parametrize("number", [1, 2, 3])
def test_few_suites_have_a_section_each_of_14_lines(number: int) -> None:
    notes = [
        Note(text="this is said about the suite, and it is long enough for a line")
        for _ in range(20)
    ]
    sections = [suite_section(f"t.py::test_{at}[m]", "m", at, *notes) for at in range(number)]
    shown = texts(lines(document_of(verdict_section("failed"), *sections)))
    starts = [at for at, line in enumerate(shown) if line.startswith("✗ t.py")]
    assert len(starts) == number
    for start, end in zip(starts, [*[start - 1 for start in starts[1:]], len(shown)], strict=True):
        assert end - start + 1 == 14  # with the blank line
        assert "    … -v shows more" in shown[start:end]
        assert any(line.startswith("    formula ") for line in shown[start:end])


@pytest.mark.parametrize("number", [9, 20])
def test_many_failing_suites_share_the_room(number: int) -> None:
    sections = [suite_section(f"t.py::test_{at}[m]", "m", at) for at in range(number)]
    shown = texts(lines(document_of(verdict_section("all failed"), *sections)))
    headings = [line for line in shown if line.startswith("✗ t.py")]
    assert len(shown) <= 45
    assert len(headings) >= 3
    left_out = number - len(headings)
    assert shown[-1] == f"  and {left_out} other suites (failed {left_out}); -v shows them"


def test_of_few_suites_three_are_shown_however_long_the_rest_is() -> None:
    sections = [suite_section(f"t.py::test_{at}[m]", "m", at) for at in range(4)]
    long = Section(
        name="x", title="compared", blocks=tuple(Note(text=f"note {at}") for at in range(40))
    )
    shown = texts(lines(document_of(verdict_section("bad"), long, *sections)))
    assert sum(line.startswith("✗ t.py") for line in shown) == 3
    assert "  and 1 other suite (failed 1); -v shows it" in shown
    assert sum(line.startswith("    witness ") for line in shown) == 3


def test_a_table_longer_than_the_screen_is_whole() -> None:
    names = [f"t.py::test_{number}" for number in range(90)]
    table = matrix(names, ["m"], [["passed"]] * 90)
    sections = [suite_section(f"t.py::test_{at}[m]", "m", at) for at in range(12)]
    shown = texts(
        lines(
            document_of(verdict_section("bad"), Section(name="suites", blocks=(table,)), *sections)
        )
    )
    assert sum("100.0 %" in line for line in shown) == 90
    assert len(shown) <= 105
    assert any(line == "✗ t.py::test_0" for line in shown)


def test_what_pytest_has_printed_is_not_said_again() -> None:
    section = suite_section(KSAT, "gpt-5-mini", 3, Note(text="the prompts differ"))
    document = document_of(verdict_section("failed"), section)
    shown = texts(lines(document, said={3}))
    assert any("by operators" in line for line in shown)
    assert any("the prompts differ" in line for line in shown)
    assert not any("threshold" in line or "formula" in line for line in shown)
    nothing_more = document_of(
        verdict_section("failed"),
        Section(
            name="suite",
            title=KSAT,
            blocks=section.blocks[:1],
            suite=section.suite,
            state="failed",
            level="quiet",
        ),
    )
    assert texts(lines(nothing_more, said={3})) == ["failed"]


LEVELLED: tuple[AnyBlock, ...] = (
    Note(text="always", level="quiet"),
    Note(text="usually", level="default"),
    Note(text="in detail", level="verbose"),
)


@pytest.mark.parametrize(
    ("verbosity", "said"),
    [
        (-2, ["always"]),
        (-1, ["always"]),
        (0, ["always", "usually"]),
        (2, ["always", "usually", "in detail"]),
    ],
)
def test_a_block_is_shown_from_its_level_on(verbosity: int, said: list[str]) -> None:
    document = document_of(Section(name="x", blocks=LEVELLED, level="quiet"))
    assert texts(lines(document, verbosity=verbosity)) == [f"  {text}" for text in said]
    hidden = document_of(Section(name="x", blocks=LEVELLED, level="verbose"))
    assert bool(lines(hidden, verbosity=verbosity)) == (verbosity > 0)


@pytest.mark.parametrize(
    ("thing", "things"), [("suite", "suites"), ("kind of error", "kinds of error")]
)
def test_rows_that_are_not_shown_are_counted(thing: str, things: str) -> None:
    rows = (Row(("a", 1)), Row(("b", 2), level="verbose"), Row(("c", 3), level="verbose"))
    table = Table(columns=(Column("suite"), Column("n", "count")), rows=rows, thing=thing)
    assert texts(block_lines([table], width=80)) == [
        "  suite  n",
        "  a      1",
        f"  and 2 other {things}; -v shows them",
    ]
    assert len(block_lines([table], width=80, verbosity=1)) == 4


MATRIX_STATES = [["failed", "passed"], ["passed", "no gate"]]


def test_signs_stand_at_the_cells_of_several_models_and_before_the_names_of_one() -> None:
    both = matrix(["a.py::test", "b.py::test"], ["gpt", "qwen"], MATRIX_STATES)  # type: ignore[arg-type]
    shown = block_lines([both], width=120)
    assert [line.style for line in shown] == ["dim", "dim", "bad", "good"][-len(shown) :]
    assert "✗ " in shown[-2].text
    assert shown[-2].text.startswith("  a.py::test")
    one = Table(columns=both.columns[:2], rows=(Row(("a.py::test", rate(1, 3)), state="failed"),))
    assert block_lines([one], width=80)[-1].text.startswith("✗ a.py::test  33.3 % (")


def test_a_star_stands_at_marked_cells_and_is_explained() -> None:
    rows = (Row(("a", 0.5), marked=(1,)), Row(("b", 0.75)))
    table = Table(
        columns=(Column("suite"), Column("rate", "rate")), rows=rows, mark="worse than another"
    )
    assert texts(block_lines([table], width=80))[1:] == [
        "  a      50.0 %*",
        "  b      75.0 %",
        "  * worse than another",
    ]


def differences(*suites: str | Figure | None) -> Table:
    """A table of differences of two models, one for each suite."""
    return Table(
        columns=(Column("suite", "name"), Column("model", "name"), Column("difference", "points")),
        rows=tuple(Row((suite, "gpt", 0.125), marked=(2,)) for suite in suites),
        mark="significant",
    )


def test_the_only_suite_of_a_table_stands_once_above_it() -> None:
    assert texts(block_lines([differences("a.py::test", "a.py::test")], width=80)) == [
        "  a.py::test",
        "  model  difference",
        "  gpt        +12.5*",
        "  gpt        +12.5*",
        "  * significant",
    ]
    # Of two suites, each row names its own.
    assert "suite" in texts(block_lines([differences("a.py::a", "a.py::b")], width=80))[0]
    # A table of the user's may have no suite there.
    for number in (None, Figure("n", 3, "count")):
        assert texts(block_lines([differences(number)], width=80))[0].split()[0] == "suite"


def test_a_suite_keeps_its_model_beside_suites_of_earlier_models() -> None:
    name = "a.py::test[new]"
    of_suite = Section(name="suite", title=name, suite=SuiteName(1, name, "new"))
    for earlier, shown_name in (
        (name, "a.py::test"),
        ("a.py::gone[new]", "a.py::test"),
        ("a.py::test[old]", name),
    ):
        trends = Section(name="trends", title="trends", blocks=(differences(name, earlier),))
        _, shown = with_short_names([of_suite, trends])
        [table] = shown.blocks
        assert isinstance(table, Table)
        assert table.rows[0].cells[0] == shown_name


def test_columns_are_aligned_also_with_wide_signs() -> None:
    rows = (Row(("日本語", 1)), Row(("abc", 1_000_000)))
    table = Table(columns=(Column("suite"), Column("n", "count")), rows=rows)
    shown = texts(block_lines([table], width=80))
    assert len(set(map(columns, shown))) == 1
    assert shown[1] == "  日本語          1"


def test_optional_columns_give_way_to_names() -> None:
    names = ["suites/test_propositional.py::test_round_trip_with_a_long_name"]
    table = matrix(names, ["gpt"], [["passed"]])
    assert "horizon 50 %" in block_lines([table], width=130)[0].text
    narrow = texts(block_lines([table], width=80))
    assert not any("horizon" in line for line in narrow)


def test_short_names_stand_beside_the_parts_of_a_wide_table() -> None:
    columns_of_table = (
        Column("id", "name"),
        Column("sentence", "text"),
        Column("answers", "count"),
        Column("place", "name", optional=True),
        Column("group", "name", optional=True),
    )
    rows = (Row(("R-2", "The door is open. " * 6, 3, "lift.md:4", "Door")),)
    table = Table(title="", thing="sentence", columns=columns_of_table, rows=rows)
    shown = texts(block_lines([table], width=80))
    assert shown[1].startswith("  R-2  The door is open. The door")
    assert shown[2:] == ["  id   answers  place      group", "  R-2        3  lift.md:4  Door"]


def test_models_without_room_stand_below_each_other_under_what_they_share() -> None:
    models = [f"organisation/a-model-with-a-long-name-{number}-instruct" for number in range(5)]
    table = matrix(
        ["suites/test_a.py::test_one", "suites/test_b.py::test_two"], models, [["passed"] * 5] * 2
    )
    shown = texts(block_lines([table], width=80))
    assert shown[0] == "  headings begin with organisation/"
    assert sum("test_a.py::test_one" in line for line in shown) == 3
    assert sum("a-model-with-a-long-" in line for line in shown) == 3
    assert all(columns(line) <= 80 for line in shown)


@pytest.mark.parametrize("number", [3, 5, 8])
def test_each_model_of_a_divided_table_is_there_once(number: int) -> None:
    models = [f"organisation/a-model-with-a-long-name-{model}-instruct" for model in range(number)]
    table = matrix(
        ["suites/test_a.py::test_one", "suites/test_b.py::test_two"],
        models,
        [["passed"] * number] * 2,
    )
    shown = texts(block_lines([table], width=80))
    of_one = [line for line in shown if "::test_one" in line]
    assert len(of_one) == -(-number // 2)
    assert sum(line.count("✓") for line in of_one) == number


def test_no_name_of_a_model_looks_like_a_figure() -> None:
    models = ["gpt/student?strength=0.9", "gpt/student?strength=0.97"]
    alike = matrix(["t.py::test"], models, [["passed", "passed"]])
    shown = texts(block_lines([alike], width=80))
    assert "headings begin with gpt/student?" in shown[0]
    assert any("strength=0.97" in line for line in shown)
    numbered = matrix(["t.py::test"], ["org/0.5", "org/70"], [["passed", "passed"]])
    shown = texts(block_lines([numbered], width=80))
    assert not any("begin with" in line for line in shown)
    assert any("org/0.5" in line and "org/70" in line for line in shown)


LONG = "suites/of/several/kinds/test_a_file_with_a_long_name.py::test_round_trip[offline/or-for-and-plain]"


def test_a_name_is_cut_in_the_middle_of_its_file_and_stands_whole_once() -> None:
    rows = (Row((LONG, rate(1, 3))), Row(("other/test_b.py::test_b", rate(1, 3))))
    table = Table(columns=(Column("suite"), Column("pass rate", "rate", group="m")), rows=rows)
    shown = texts(block_lines([table], width=100))
    assert "::test_round_trip[offline/or-for-and-plain]" in shown[1]
    assert "suites/" in shown[1]
    assert "….py" not in shown[1]
    assert "….py::" not in shown[2]
    assert " ".join(shown[-1].split()) == f"shortened: {LONG.partition('::')[0]}"


def test_a_test_whose_name_has_no_room_stands_above_its_numbers() -> None:
    name = f"t.py::test[{'a-parameter-' * 10}]"
    table = Table(
        columns=(Column("suite"), Column("pass rate", "rate")),
        rows=(Row((name, rate(1, 3)), state="failed"),),
    )
    shown = texts(block_lines([table], width=80))
    assert shown[1] == f"✗ {name}"
    assert shown[2].strip() == "33.3 % (4.5–62.2)"


def test_below_such_a_name_models_stand_beside_each_other_without_the_columns_that_have_no_room() -> (
    None
):
    name = f"t.py::test[{'a-parameter-' * 10}]"
    shown = texts(
        block_lines(
            [matrix([name], ["gpt", "qwen", "yi"], [["failed", "passed", "passed"]])], width=80
        )
    )
    assert [line.strip() for line in shown].count(name) == 1
    assert {"gpt", "qwen", "yi"} <= set(shown[0].split())
    assert "horizon" not in " ".join(shown)
    assert " ".join(shown[-1].split()) == "✗ 33.3 % (27–40) ✓ 100.0 % (94–100) ✓ 100.0 % (94–100)"


def test_a_table_wider_than_the_screen_is_divided() -> None:
    table = Table(
        columns=(Column("suite"), *(Column(f"column {at}", "usd") for at in range(20))),
        rows=(Row(("a", *range(20))),),
    )
    shown = texts(block_lines([table], width=80))
    assert all(columns(line) <= 80 for line in shown)
    for at in range(20):
        assert sum(f"column {at}" in line.replace(f"column {at}0", "") for line in shown) >= 1


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("limited", [True, False])
def test_a_formula_is_whole_or_ends_in_a_mark(formula: str, limited: bool) -> None:
    example = Counterexample(
        outcome="different",
        code="AE101",
        loses_meaning=True,
        samples=1,
        fields=(Field("formula", formula),),
    )
    shown = texts(block_lines([example], width=80, verbosity=0 if limited else 1))
    text = " ".join(line[17:] for line in shown[1:])
    assert text == formula or (
        limited
        and text.endswith("…")
        and formula.replace(" ", "").startswith(text[:-1].replace(" ", ""))
    )


def test_formulas_in_a_table_are_cut_with_a_mark() -> None:
    rows = tuple(Row((formula, formula)) for formula in FORMULAS)
    table = Table(columns=(Column("formula", "formula"), Column("other", "formula")), rows=rows)
    for line, formula in zip(texts(block_lines([table], width=80))[1:], FORMULAS, strict=True):
        first, _, second = line.strip().partition("  ")
        for cell in (first, second.strip()):
            assert cell == formula or (
                cell.endswith("…") and formula.startswith(cell[:-1].rstrip())
            )


def test_a_long_text_in_the_last_column_is_cut_and_verbose_shows_it_whole() -> None:
    message = "429: the quota is spent " * 9
    table = Table(
        columns=(Column("errors", "count"), Column("message", "text")),
        rows=(Row((2, message)), Row((1, "x"))),
    )
    assert texts(block_lines([table], width=80))[1].endswith("…")
    shown = texts(block_lines([table], width=80, verbosity=1))
    assert " ".join(line[10:].strip() for line in shown[1:-1]) == message.strip()
    assert shown[-1] == "       1  x"
    assert all(columns(line) <= 80 for line in shown)


def fields(example: Counterexample, verbosity: int = 0) -> list[str]:
    return texts(block_lines([example], width=80, verbosity=verbosity))


def failed(*given: Field, **more: object) -> Counterexample:
    facts = {"outcome": "different", "code": "AE101", "loses_meaning": True, "samples": 2, **more}
    return Counterexample(fields=given, **facts)  # type: ignore[arg-type]


def test_a_counterexample_has_labelled_fields_and_a_command_that_is_never_wrapped() -> None:
    command = "pytest " + "a" * 200
    history = "from size {before} to {after}"
    values = {"before": Figure("before", 7, "count"), "after": Figure("after", 2, "count")}
    example = failed(
        Field("formula", "p"), Field("answer", " "), history=history, values=values, command=command
    )
    assert fields(example) == [
        "  different (AE101), 2 samples",
        "    formula      p",
        "    answer       (empty)",
        "    shrunk       from size 7 to 2",
        f"    reproduce    {command}",
    ]


def test_a_witness_of_several_lines_is_a_row_with_the_values_of_the_formulas_first_or_a_table() -> (
    None
):
    witness = "domain   {0, 1}\nmary     0\ngiven    true\nmodel's  false"
    assert fields(failed(Field("witness", witness)))[1:] == [
        "    witness      (given: true, model's: false) domain = {0, 1}; mary = 0",
    ]
    assert [
        line[17:] for line in fields(failed(Field("witness", witness)), verbosity=1)[1:]
    ] == witness.split("\n")


GRID = "domain {0, 1}\n\ncall | 0 1\n-----+----\n0    | ⊤ ⊥\n1    | ⊥ ⊤\n\nsleep | 0 1\n------+----\n      | ⊤ ⊥"


def test_a_witness_that_is_drawn_keeps_its_spaces_and_fits_into_14_lines() -> None:
    drawn = [line for line in GRID.split("\n") if line]
    assert [line[17:] for line in fields(failed(Field("witness", GRID)))[1:]] == drawn
    long = GRID + "\n0" * 20
    assert fields(failed(Field("witness", long)))[-1].endswith("… 18 more lines; -v shows all")
    section = suite_section(KSAT, "gpt-5-mini", 1)
    blocks = (
        *section.blocks[:-1],
        failed(Field("formula", "p"), Field("witness", long), command="pytest"),
    )
    whole = Section(
        name="suite", title=KSAT, blocks=blocks, level="quiet", suite=section.suite, state="failed"
    )
    shown = texts(lines(document_of(whole)))
    assert len(shown) == 14
    assert "    witness      domain {0, 1}" in shown
    assert shown[-1] == "    reproduce    pytest"


@pytest.mark.parametrize(("width", "is_shown"), [(100, True), (40, False)])
def test_a_note_about_a_column_stands_only_below_a_table_that_has_it(
    width: int, is_shown: bool
) -> None:
    models = ("first model", "second model")
    heads = [
        column
        for model in models
        for column in (
            Column("pass rate", "rate", group=model),
            Column("horizon 50 %", "size", group=model, optional=True),
        )
    ]
    cells = (rate(1, 3), Figure("horizon 50 %", 4.0, "size")) * 2
    rows = [Row((f"a long name of a suite {number}", *cells)) for number in range(6)]
    table = Table(columns=(Column("suite"), *heads), rows=tuple(rows))
    note = Note("a horizon that is not known may lie anywhere", column="horizon 50 %")
    other = Note("all notes but that one stay")
    shown = "\n".join(texts(block_lines([table, note, other], width)))
    assert ("4.0" in shown) is is_shown
    assert ("may lie anywhere" in " ".join(shown.split())) is is_shown
    assert "all notes but" in shown
    # Without a table above it, a note explains nothing that was left out.
    assert "may lie" in "\n".join(texts(block_lines([note], width)))


def test_a_single_long_text_has_up_to_four_lines() -> None:
    message = "the sample has no 'sentence', which this task needs: " + "name a data set, " * 30
    columns_of_errors = (Column("errors", "count"), Column("message", "text"))
    rows = (Row((3, message)), Row((2, "another one"), level="verbose"))
    table = Table(columns=columns_of_errors, rows=rows, thing="message")
    shown = texts(block_lines([table], 60))
    # The heading, four lines of the text, and the number of other messages.
    assert len(shown) == 6
    assert "needs: name a data set" in " ".join(shown)
    assert shown[4].endswith("…")
    whole = " ".join(" ".join(texts(block_lines([table], 60, verbosity=1))).split())
    assert message.strip() in whole
    # Beside other rows, a text has one line.
    both = Table(columns=columns_of_errors, rows=(rows[0], Row((2, "another one"))))
    assert len(texts(block_lines([both], 60))) == 3


def test_long_texts_have_four_lines_and_verbose_ones_all() -> None:
    text = "every word of this text counts " * 30
    assert len(fields(failed(Field("description", text)))) == 5
    assert fields(failed(Field("description", text)))[-1].endswith("…")
    assert len(fields(failed(Field("description", text)), verbosity=1)) > 10


def test_only_the_first_counterexample_of_a_suite_is_shown_and_the_others_are_counted() -> None:
    other = failed(
        Field("formula", "q"), outcome="unparseable", code="AE102", samples=7, level="verbose"
    )
    section = suite_section(KSAT, "gpt-5-mini", 1, state="failed")
    both = Section(
        name="suite",
        title=KSAT,
        blocks=(*section.blocks, other),
        level="quiet",
        suite=section.suite,
        state="failed",
    )
    shown = texts(lines(document_of(both)))
    assert "  different (AE101), 40 samples; other failures, which -v shows: unparseable 7" in shown
    assert not any("AE102" in line for line in shown)
    assert any(
        "unparseable (AE102), 7 samples" in line
        for line in texts(lines(document_of(both), verbosity=1))
    )


def test_figures_are_one_line() -> None:
    figures = (
        rate(20, 60, name="accuracy"),
        Figure("calls", 1_200, "count"),
        Figure("cost", 0.42, "usd"),
    )
    assert texts(block_lines([Figures(figures=figures, title="of the task")], width=120)) == [
        "  of the task: accuracy 33.3 % (26.9–39.8) of 60; calls 1,200; cost $0.42"
    ]


def line_of(*values: float | None) -> tuple[Point, ...]:
    return tuple(Point(x, value, n=10) for x, value in enumerate(values, 1))


@pytest.mark.parametrize(("unicode", "bars"), [(True, "█▇▄·▁"), (False, "*95-0")])
def test_a_curve_is_a_line_of_bars_between_its_ends(unicode: bool, bars: str) -> None:
    curve = Curve(
        over="operators",
        unit="rate",
        series=(Series("pass rate", line_of(1.0, 0.99, 0.5, None, 0.0)),),
    )
    assert texts(block_lines([curve], width=80, unicode=unicode)) == [f"  by operators: 1 {bars} 5"]


def test_only_all_is_a_full_bar() -> None:
    curve = Curve(
        over="operators", unit="rate", series=(Series("pass rate", line_of(0.9999999999, 0.9)),)
    )
    assert "█" not in block_lines([curve], width=80)[0].text


def test_several_lines_of_a_curve_have_their_last_values() -> None:
    series = (Series("a", line_of(0.5, 0.75)), Series("a longer name", line_of(0.75, 1.0)))
    shown = texts(
        block_lines([Curve(over="runs", unit="rate", series=series, title="trends")], width=80)
    )
    bars = ["    a              ▁▄  75.0 %", "    a longer name  ▄█  100.0 %"]
    assert shown == ["  trends", *bars, "    bars: 50.0 % to 100.0 %"]


def test_tones_and_states_have_their_colours() -> None:
    blocks: list[AnyBlock] = [
        Note(text="a", tone="remark"),
        Note(text="b", tone="finding"),
        Note(text="c", tone="warning"),
        Note(text="d", tone="error"),
        Verdict(state="inconclusive", text="e"),
    ]
    assert [line.style for line in block_lines(blocks, width=80)] == [
        "dim",
        "plain",
        "warn",
        "bad",
        "warn",
    ]


def test_commands_are_aligned_under_their_heading() -> None:
    steps = (
        Command(purpose="see why", command="pytest a"),
        Command(purpose="reproduce", command="pytest 'b c'"),
    )
    document = document_of(
        verdict_section("all good", "passed"), Section(name="x", title="next steps", blocks=steps)
    )
    assert texts(lines(document)) == [
        *("all good", "", "next steps"),
        "  see why:    pytest a",
        "  reproduce:  pytest 'b c'",
    ]


def test_foreign_texts_cannot_name_places_of_a_sentence() -> None:
    note = Note(
        text="{message} of {n}", values={"message": "about {n}", "n": Figure("n", 3, "count")}
    )
    assert texts(block_lines([note], width=80)) == ["  about {n} of 3"]


def test_a_suite_is_headed_by_its_whole_name() -> None:
    name = f"{LONG}{'x' * 90}"
    section = Section(
        name="suite",
        title=name,
        blocks=(Note(text="x"),),
        suite=SuiteName(1, name, MODELS[0]),
        state="inconclusive",
    )
    assert lines(document_of(section))[1] == Line(f"? {name}", "warn")
