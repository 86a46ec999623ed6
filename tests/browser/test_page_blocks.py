"""Each kind of block as the page draws it: its numbers to the eye, in words, by keys, and on a phone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec import structs
from support.page_canvas import Canvas, PageOf
from support.page_documents import (
    HOSTILE,
    VISIBLE,
    counterexample,
    document,
    page_html,
    section,
    suite_section,
)
from support.result_rows import row, suites_of

from pytest_autoeval.judging.gate_verdicts import STATES, State
from pytest_autoeval.record.figures import Figure, Value
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.report.blocks import (
    Cell,
    Column,
    Command,
    Counterexample,
    Curve,
    Field,
    Figures,
    Mark,
    Note,
    Point,
    Row,
    Section,
    Series,
    SuiteName,
    Table,
    Verdict,
)
from pytest_autoeval.report.renderers.page import render_page

ENTER, RIGHT, LEFT, END, ESCAPE = "\ue007", "\ue014", "\ue012", "\ue010", "\ue00c"


def rate(value: float, low: float, high: float, n: int | None = 20) -> Figure:
    return Figure("pass rate", value, "rate", low, high, n=n)


def numbers(path: str) -> list[tuple[float, float]]:
    """The points of a path of straight lines."""
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]?(-?[\d.]+),(-?[\d.]+)", path)]


def test_a_sentence_has_its_figures_and_foreign_texts(canvas: Canvas) -> None:
    values: dict[str, Value] = {
        "needed": Figure("needed", 368, "count", measure="sample"),
        "model": HOSTILE,
    }
    text = "{model}: about {needed} would decide at this rate; {unknown} {model"
    canvas.show(
        Note(text=text, values=values),
        Verdict(state="inconclusive", text=text, values=values, what="baseline"),
    )
    said = ": about 368 samples would decide at this rate; {unknown} {model"
    assert canvas.one(".block-note").endswith(f"{VISIBLE}{said}")
    assert canvas.one(".block-verdict").startswith("?inconclusive baseline: </bdi></script>")
    assert canvas.one(".block-verdict").endswith(said)
    assert canvas.all(":is(img, script)") == []


def test_the_tone_of_a_note_is_told_by_a_sign_and_a_word(canvas: Canvas) -> None:
    canvas.show(
        *(Note(text=f"a {tone}", tone=tone) for tone in ("remark", "finding", "warning", "error"))
    )
    assert canvas.all(".block-note") == [
        "a remark",
        "a finding",
        "!warning: a warning",
        "✗error: a error",
    ]


def test_every_state_has_a_word_and_a_sign_that_no_other_judgement_has(canvas: Canvas) -> None:
    states = list(STATES.values())
    canvas.show(*(Verdict(state=state, text="") for state in states))
    assert [text.strip() for text in canvas.all(".block-verdict .word")] == states
    signs = dict(zip(states, canvas.all(".block-verdict .mark"), strict=True))
    unjudged = [signs.pop(state) for state in ("not judged alone", "no gate")]
    assert unjudged == ["·", "·"], "what was not judged looks like no judgement"
    assert len({*signs.values(), "·"}) == len(signs) + 1


def test_figures_stand_in_a_row_and_a_rate_has_a_bar_with_its_interval(canvas: Canvas) -> None:
    undecided = Figure("open", 0.25, "rate", 0.1, 0.9, upper=0.75, n=8)
    difference = Figure("difference", -0.2, "points", -0.4, 0.0, confidence=0.9875)
    canvas.show(
        Figures(
            figures=(rate(0.5, 0.25, 0.75), undecided, difference, Figure("calls", 1200, "count")),
            title="All",
        )
    )
    assert canvas.one(".block-figures h4") == "All"
    assert canvas.all(".figures dt") == [
        "pass rate",
        "open",
        "difference (98.75 % interval)",
        "calls",
    ]
    assert canvas.all(".figures dd") == [
        "50.0 % (25.0–75.0)of 20", "25.0–75.0 % (10.0–90.0)of 8", "−20.0 (−40.0 to 0.0)", "1,200",
    ]  # fmt: skip
    assert canvas.count(".bar") == 2
    boxes = {
        part: canvas.all(
            f".figures div:first-child > dd .bar {part}", "element.getBoundingClientRect()"
        )[0]
        for part in (".track", ".share", ".interval")
    }
    track, share, whisker = boxes.values()
    assert share["width"] == pytest.approx(track["width"] / 2, abs=0.1)
    for end, value in (("left", 0.25), ("right", 0.75)):
        assert (whisker[end] - track["left"]) / track["width"] == pytest.approx(value, abs=0.02)


MODELS = ("maker/large", "maker/small")


def matrix(
    names: tuple[str, ...] = ("s.py::test_a", "s.py::test_b", "s.py::test_c"), models: Any = MODELS
) -> Table:
    """Suites down, models across, each with a rate and a horizon, and a mean."""
    columns = [Column("suite")]
    for model in models:
        columns += [
            Column("pass rate", "rate", model),
            Column("horizon", "size", model, optional=True, measure="operators"),
        ]
    rows = []
    for place, name in enumerate(names):
        cells: list[Cell] = [name]
        for at, _ in enumerate(models):
            value = ((0.9, 0.5), (0.6, 0.6), (0.75, 0.25))[place % 3][at % 2]
            horizon = (
                Figure("horizon", 14.2, "size", 12.25, 16.5)
                if at
                else Figure("horizon", 40, "size", bound="above")
            )
            cells += [rate(value, value - 0.1, value + 0.1), horizon]
        states: tuple[State | None, ...] = (None, "passed", None, "failed", None)
        rows.append(Row(tuple(cells), states=states[: len(cells)], marked=(3,)))
    cells = [
        "All suites",
        *(cell for _ in models for cell in (Figure("mean", 0.75, "rate", 0.7, 0.8), None)),
    ]
    return Table(
        columns=tuple(columns),
        rows=(*rows, Row(tuple(cells), total=True)),
        title="Matrix",
        thing="suite",
        mark="worse",
    )


def test_a_table_has_models_across_states_as_signs_and_stars_with_their_meaning(
    canvas: Canvas,
) -> None:
    canvas.show(matrix())
    assert canvas.one(".block-table h4") == "Matrix"
    assert canvas.all("[scope=colgroup]") == ["large", "small"], (
        "the beginning that all share stands once above"
    )
    assert canvas.all(".tabled > .about")[0] == "maker/…"
    assert canvas.all("[scope=colgroup] .model-mark", "element.title") == list(MODELS)
    assert canvas.rows(".board")[0] == [
        "test_a s.py", "✓passed90.0 % (80.0–100.0)", "> 40", "✗failed50.0 % (40.0–60.0)*", "14.2 (12.2–16.5)",
    ]  # fmt: skip
    assert canvas.all("tfoot .cell") == [
        "All suites",
        "75.0 % (70.0–80.0)",
        "",
        "75.0 % (70.0–80.0)",
        "",
    ]
    assert canvas.all(".tabled > .about")[1] == "* worse"


def test_every_kind_of_cell_is_written_by_the_unit_of_its_column(canvas: Canvas) -> None:
    units = {
        "rate": 0.5,
        "points": -0.05,
        "count": 1200,
        "usd": 0.42,
        "seconds": 150,
        "size": 3,
        "p": 0.00001,
    }
    more: dict[str, Cell] = {"number": 1.5, "name": "a name", "formula": "p1 ∧ p2", "text": HOSTILE}
    columns = tuple(Column(unit, unit) for unit in (*units, *more))  # type: ignore[arg-type]
    canvas.show(
        Table(
            columns=columns,
            rows=(Row((*units.values(), *more.values())), Row((None,) * len(columns))),
        )
    )
    first, second = canvas.rows(".board")
    assert first[:-1] == [
        "50.0 %", "−5.0", "1,200", "$0.42", "2 min", "3.0", "< 0.0001", "1.50", "a name", "p1 ∧ p2",
    ]  # fmt: skip
    assert first[-1].endswith(VISIBLE)
    assert second == ["–"] * len(columns)
    assert canvas.one("td .formula") == "p1 ∧ p2"
    assert canvas.all("thead th")[1] == "pointspoints", "points have no sign of their own"


def test_a_table_is_sorted_by_any_column_by_keys(canvas: Canvas) -> None:
    canvas.show(matrix())

    def order() -> str:
        return "".join(name[-1] for name in canvas.all("tbody .function"))

    orders = {
        0: ("abc", "cba", "abc"),
        1: ("bca", "acb", "abc"),
        3: ("cab", "bac", "abc"),
        2: ("abc", "abc", "abc"),
    }
    for column, wanted in orders.items():
        for way, letters in zip(("ascending", "descending", "none"), wanted, strict=True):
            canvas.press(f"[data-place='{column}'] .sort", ENTER)
            assert order() == letters, (column, way)
            assert (
                canvas.one(f"[data-place='{column}']", "element.getAttribute('aria-sort')") == way
            )
            others = set(
                canvas.all(
                    f"[aria-sort]:not([data-place='{column}'])", "element.getAttribute('aria-sort')"
                )
            )
            assert others == {"none"}


@pytest.mark.parametrize(
    ("thing", "things"), [("suite", "suites"), ("kind of error", "kinds of error")]
)
def test_rows_for_readers_who_ask_for_more_are_counted_and_shown_on_demand(
    canvas: Canvas, thing: str, things: str
) -> None:
    table = Table(
        columns=(Column("suite"), Column("p", "p")),
        rows=(
            Row(("a", 0.5)),
            Row(("b", 0.05), level="verbose"),
            Row(("c", None), level="verbose"),
        ),
        thing=thing,
    )
    canvas.show(table)
    assert canvas.one(".tabled > button") == f"Show 2 more {things}"
    assert canvas.count("tbody tr:not([hidden])") == 1
    canvas.press(".tabled > button", ENTER)
    assert canvas.count("tbody tr:not([hidden])") == 3
    assert canvas.count(".tabled > button") == 0


def points(values: dict[int, float], n: int = 10) -> tuple[Point, ...]:
    return tuple(
        Point(x, value, max(0, value - 0.1), min(1, value + 0.1), n) for x, value in values.items()
    )


def test_points_lie_at_their_values_and_intervals_reach_from_end_to_end(canvas: Canvas) -> None:
    canvas.show(
        Curve(
            over="operators", unit="rate", series=(Series("gpt", points({0: 1.0, 4: 0.5, 8: 0.0})),)
        )
    )
    (x0, top), (x4, middle), (x8, bottom) = numbers(
        canvas.one("path.line", "element.getAttribute('d')")
    )
    assert x4 - x0 == pytest.approx(x8 - x4)
    assert middle == pytest.approx((top + bottom) / 2)
    assert bottom == pytest.approx(float(canvas.one(".axes .base", "element.getAttribute('y1')")))
    ends = [
        (bottom - y) / (bottom - top)
        for _, y in numbers(canvas.one("path.band", "element.getAttribute('d')"))
    ]
    assert ends == pytest.approx([1.0, 0.6, 0.1, 0.0, 0.4, 0.9], abs=0.005)
    assert canvas.one(".axis-name") == "operators"


def test_values_that_are_no_rates_have_a_scale_that_holds_them_all(canvas: Canvas) -> None:
    series = Series("horizon", (Point(0, 9.5, 7.0, 12.0), Point(1, None), Point(2, 4.0, None, 6.0)))
    canvas.show(
        Curve(
            over="runs",
            unit="size",
            series=(series,),
            title="Horizon",
            marks=(Mark("most", value=14.0),),
        )
    )
    line = numbers(canvas.one("path.line", "element.getAttribute('d')"))
    assert len(line) == 2, "a place without a value has no point"
    heights = [y for _, y in line] + [
        float(canvas.one(".chart-read .threshold", "element.getAttribute('y1')"))
    ]
    assert all(12 <= y <= 178 for y in heights)
    assert canvas.one("figcaption") == "Horizon"


def test_each_series_has_a_look_of_its_own_beyond_colour(canvas: Canvas) -> None:
    series = tuple(
        Series(f"vendor/model-{number}", points({1: 0.75, 2: 0.5})) for number in range(10)
    )
    canvas.show(Curve(over="size", unit="rate", series=series))
    assert canvas.count("path.line") == 10
    assert canvas.all(".chart-key li") == [one.name for one in series]
    looks = canvas.all(
        ".chart-key li path", "element.getAttribute('d') + element.classList.contains('hollow')"
    )
    assert len(set(looks)) == 10


def test_one_name_has_one_look_in_all_tables_and_curves(canvas: Canvas) -> None:
    curve = Curve(
        over="size",
        unit="rate",
        series=tuple(Series(name, points({1: 0.75, 2: 0.5})) for name in MODELS[::-1]),
    )
    canvas.show(curve, matrix())
    looks = [
        dict(
            zip(
                canvas.all(names),
                canvas.all(f"{names} path", "element.getAttribute('class')"),
                strict=True,
            )
        )
        for names in (".chart-key li", "[scope=colgroup]")
    ]
    assert [looks[0][name] for name in MODELS] == list(looks[1].values())


def test_heights_and_places_of_note_are_drawn_and_named(canvas: Canvas) -> None:
    marks = (
        Mark("baseline", value=0.5, low=0.4, high=0.6),
        Mark("horizon", value=0.5, x=4.0, low=3.0, high=6.0, series="gpt"),
        Mark("open", low=6.0, series="gpt"),
    )
    canvas.show(
        Curve(
            over="operators",
            unit="rate",
            series=(Series("gpt", points({0: 1.0, 8: 0.0})),),
            marks=marks,
        )
    )
    middle = canvas.all(".axes .grid", "element.getAttribute('y1')")[1]
    assert canvas.one(".chart-read .threshold", "element.getAttribute('y1')") == middle
    assert canvas.one(".axes .threshold-label") == "50", "a place at a height is no line across"
    assert canvas.one(".drop", "element.getAttribute('y1')") == middle
    assert canvas.one(".chart-key li") == "baseline 50.0 %"
    (left, _), (right, _) = numbers(canvas.one("path.line", "element.getAttribute('d')"))
    place = float(canvas.one(".drop", "element.getAttribute('x1')"))
    assert (place - left) / (right - left) == pytest.approx(0.5)
    bars = [
        re.findall(r"[MH](-?[\d.]+)", path)[:2]
        for path in canvas.all(".horizon", "element.getAttribute('d')")
    ]
    reached = [[(float(x) - left) / (right - left) * 8 for x in bar] for bar in bars]
    assert [x for bar in reached for x in bar] == pytest.approx([3.0, 6.0, 6.0, 8.0])
    assert canvas.all(".mark-label") == ["horizon 4.0 (3.0–6.0)", "open  (6.0–…)"]


def test_an_interval_never_crosses_its_name(canvas: Canvas) -> None:
    marks = (
        Mark("horizon 50 %", value=0.5, x=1.0, low=0.0, high=2.0, series="gpt"),
        Mark("horizon 90 %", value=0.9, x=4.0, low=0.0, high=8.0, series="gpt"),
        Mark("horizon 95 %", value=0.9, x=1.0, low=0.0, high=2.0, series="gpt"),
    )
    canvas.show(
        Curve(
            over="operators",
            unit="rate",
            series=(Series("gpt", points({0: 1.0, 8: 0.0})),),
            marks=marks,
        )
    )
    box = "(({left, right, top, bottom}) => [left, right, top, bottom])(element.getBoundingClientRect())"
    boxes = [*canvas.all(".horizon", box), *canvas.all(".mark-label", box)]
    # The long interval has its name below it, and what comes next stands below both.
    for number, (left, right, top, bottom) in enumerate(boxes):
        for others_left, others_right, others_top, others_bottom in boxes[number + 1 :]:
            is_apart = right <= others_left or others_right <= left
            assert is_apart or bottom <= others_top or others_bottom <= top


def test_a_fitted_curve_lies_over_its_points_with_its_band(canvas: Canvas) -> None:
    series = Series("gpt", points({0: 0.9, 4: 0.6, 8: 0.1}), points({0: 0.95, 4: 0.5, 8: 0.05}))
    canvas.show(Curve(over="operators", unit="rate", series=(series,)))
    assert len(numbers(canvas.one("path.line:not(.tone-muted)", "element.getAttribute('d')"))) == 3
    assert canvas.count("path.band") == 1
    assert canvas.count("path.bars") == 1, "the points keep their intervals"
    assert canvas.one(".chart-key li").startswith("fitted curve")


def test_a_chart_is_read_by_keys_place_by_place(canvas: Canvas) -> None:
    one, two = points({1: 0.9, 3: 0.5}), points({3: 0.0}, n=5)
    canvas.show(
        Curve(
            over="operators",
            unit="rate",
            series=(Series("one", one), Series("two", two)),
            title="Rate",
        )
    )
    said = "element.getAttribute('aria-valuetext')"
    assert canvas.one("[role=slider]", said) == "operators 1: one 90.0 % (80.0–100.0), of 10"
    assert (
        canvas.one("[role=slider]", "element.getAttribute('aria-label')") == "Rate over operators"
    )
    canvas.press("[role=slider]", RIGHT)
    last = "operators 3: one 50.0 % (40.0–60.0), of 10; two 0.0 % (0.0–10.0), of 5"
    assert canvas.one("[role=slider]", said) == last
    assert "50.0 % (40.0–60.0)" in canvas.one(".chart-tip:not([hidden])", "element.innerText")
    canvas.page.press(RIGHT)
    assert canvas.one("[role=slider]", said) == last, "there is no further place"
    canvas.page.press(LEFT, END)
    assert canvas.one("[role=slider]", said) == last
    canvas.page.press(ESCAPE)
    assert canvas.count(".chart-tip:not([hidden])") == 0


def test_places_have_names_few_of_which_are_written_and_all_numbers_stand_in_a_table(
    canvas: Canvas,
) -> None:
    runs = tuple(Point(run, 0.5, 0.25, 0.75, 20, f"2026-{run:03}") for run in range(300))
    mark = Mark("fell", x=7, series="gpt")
    canvas.show(Curve(over="runs", unit="rate", series=(Series("gpt", runs),), marks=(mark,)))
    assert canvas.count("path.band") == 1
    assert 2 <= len([text for text in canvas.all(".axes text") if text.startswith("2026-")]) <= 8
    assert canvas.one(".mark-label") == "fell 2026-007"
    assert canvas.count(".chart-numbers tr") == 0, (
        "thousands of cells are made only when they are asked for"
    )
    assert canvas.open_numbers()[7] == ["2026-007", "50.0 % (25.0–75.0), of 20"]


def test_a_curve_without_values_says_so(canvas: Canvas) -> None:
    canvas.show(
        Curve(over="size", unit="rate", series=(Series("gpt", (Point(1, None),)),), title="Rate")
    )
    assert canvas.one(".block-curve") == "Rate: no values."


WITNESS = {"kind": "assignment", "left": True, "right": False, "values": {"p1": False, "p2": False}}


def test_a_counterexample_has_its_texts_its_drawing_and_its_command(canvas: Canvas) -> None:
    fields = (
        Field("formula", "¬(p1 ∧ p2)"),
        Field("translation", "¬p1 ∧ p2"),
        Field("answer", " "),
        Field("reason", HOSTILE),
    )
    values: dict[str, Value] = {
        "before": Figure("before", 5, "number"),
        "spent": Figure("spent", 11, "count", measure="round trip"),
    }
    block = Counterexample(
        outcome="different", code="AE101", loses_meaning=True, samples=3, fields=fields, witness=WITNESS,
        history="from size {before} in {spent}", values=values, command="pytest again",
    )  # fmt: skip
    canvas.show(block)
    assert canvas.one("details.counterexample summary") == "✗different AE101 3 samples"
    canvas.page.value("document.querySelector('details.counterexample').open = true")
    canvas.page.until("document.querySelector('.counterexample .drawing')")
    texts = dict(zip(canvas.all(".story dt"), canvas.all(".story dd"), strict=True))
    assert texts.pop("reason").endswith(VISIBLE)
    assert texts == {
        "formula": "¬(p1 ∧ p2)", "translation": "¬p1 ∧ p2", "answer": "(empty)",
        "shrunk": "from size 5 in 11 round trips",
    }  # fmt: skip
    assert canvas.all(".story .formula") == ["¬(p1 ∧ p2)", "¬p1 ∧ p2"]
    assert canvas.all(".assignment th") == ["p1", "p2"]
    assert canvas.one(".command code") == "pytest again"
    assert canvas.all("details.counterexample a") == [], "it is no sample of the run"


def test_a_command_is_copied_unless_it_has_signs_that_cannot_be_seen(canvas: Canvas) -> None:
    canvas.show(
        Command(purpose="see why", command="pytest -v"),
        Command(purpose="reproduce", command=HOSTILE),
    )
    assert canvas.all(".block-command h4") == ["see why", "reproduce"]
    assert canvas.all(".command code")[0] == "pytest -v"
    assert canvas.count(".command button") == 1


def test_blocks_and_sections_for_readers_who_ask_for_more_are_there_closed(canvas: Canvas) -> None:
    more = (
        Note(text="first", level="verbose"),
        Command(purpose="second", command="pytest", level="verbose"),
    )
    canvas.show_sections(
        section(Note(text="plain"), *more),
        section(Note(text="third"), level="verbose", title="Whole"),
    )
    assert canvas.all(".block") == ["plain"]
    assert canvas.all("summary") == ["More", "Show"]
    canvas.page.value("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    canvas.page.until("document.querySelectorAll('.block').length === 4")
    assert canvas.all(".block-note") == ["plain", "first", "third"]


def test_the_contents_lead_to_the_sections_and_a_user_may_add_any(canvas: Canvas) -> None:
    own = Section(
        name="my own <section>", title="What <b>we</b> found", blocks=(Note(text="found"),)
    )
    canvas.show_sections(section(Note(text="a"), title=""), own)
    # This page has no samples, so that its contents do not lead to them.
    assert canvas.page.texts("#sections a") == ["Suites", "My own <section>"]
    assert canvas.all("h2") == ["Suites", "What <b>we</b> found"], (
        "a section without a title has its name"
    )
    canvas.page.value("document.querySelectorAll('#sections a')[1].click()")
    assert (
        canvas.page.value("document.activeElement.querySelector('h2').textContent")
        == "What <b>we</b> found"
    )


def test_a_block_that_cannot_be_drawn_takes_its_own_place_only(canvas: Canvas) -> None:
    broken = Counterexample(
        outcome="different",
        code="",
        loses_meaning=True,
        samples=1,
        fields=(),
        witness={"kind": "assignment"},
    )
    canvas.show(broken, Note(text="after it"))
    canvas.page.value("document.querySelector('details.counterexample').open = true")
    canvas.page.until("document.querySelector('details.counterexample > .folded').firstChild")
    assert canvas.one(".block-note") == "after it"
    assert canvas.page.complaints() != []


def page_of_suites(count: int = 4, **more: Any) -> str:
    """A page of suites by two models, every second of which failed, with a matrix and a section on each."""
    rows = [
        row(
            "different" if at % 2 == 0 else "equivalent",
            suite=f"s.py::test_{at}",
            model=model,
            formula=f"p{at}",
            witness=WITNESS,
        )
        for at in range(count)
        for model in MODELS
    ]
    suites = suites_of(rows)
    names = tuple(dict.fromkeys(suite.name for suite in suites))
    sections = [
        suite_section(
            suite,
            Verdict(
                state="failed" if int(suite.name[-1]) % 2 == 0 else "passed", text="it is below"
            ),
            Figures(figures=(rate(0.5, 0.25, 0.75),)),
            counterexample(suite.samples[0]),
            state="failed" if int(suite.name[-1]) % 2 == 0 else "passed",
            level="quiet" if int(suite.name[-1]) % 2 == 0 else "verbose",
        )
        for suite in sorted(suites, key=lambda one: int(one.name[-1]) % 2)
    ]
    return render_page(document(section(matrix(names)), *sections), suites, **more)


def test_the_name_of_a_suite_leads_to_its_samples(page_of: PageOf) -> None:
    page = page_of(page_of_suites())
    page.value("document.querySelectorAll('.board tbody a')[1].click()")
    page.until("document.getElementById('count').textContent === '2 of 8 samples'")
    assert page.value("document.getElementById('filter-suite').value") == "s.py::test_1"
    page.value("document.querySelector('.suite-section .folded a').click()")
    page.until("document.getElementById('count').textContent === '1 of 8 samples'")
    assert page.value("document.getElementById('filter-model').value") == MODELS[0]


def test_the_sign_of_a_cell_opens_the_section_on_its_suite_and_model(page_of: PageOf) -> None:
    page = page_of(page_of_suites())
    titles = page.texts(".suite-section summary .function")
    wanted = titles.index(named("test_1", MODELS[1]))
    assert page.value(f"document.querySelectorAll('.suite-section')[{wanted}].hidden")
    page.value(
        "document.querySelectorAll('.board tbody tr')[1].querySelectorAll('.state')[1].click()"
    )
    assert page.value(f"document.querySelectorAll('.suite-section')[{wanted}].open")
    assert not page.value(f"document.querySelectorAll('.suite-section')[{wanted}].hidden")


def test_the_worst_suite_is_open_and_those_that_passed_are_shown_on_demand(page_of: PageOf) -> None:
    page = page_of(page_of_suites())
    assert (
        page.value("[...document.querySelectorAll('.suite-section')].map((one) => one.open)")
        == [True] + [False] * 7
    )
    assert (
        page.value(
            "[...document.querySelectorAll('.suite-section')].filter((one) => one.hidden).length"
        )
        == 4
    )
    page.until("document.querySelector('.suite-section details.counterexample[open] .drawing')")
    page.value(
        "[...document.querySelectorAll('button')].find((one) => one.textContent === 'Show 4 more suites').click()"
    )
    assert (
        page.value(
            "[...document.querySelectorAll('.suite-section')].filter((one) => one.hidden).length"
        )
        == 0
    )
    assert page.texts(".suite-section > summary")[0] == "✗failedtest_0[maker/large] s.pyit is below"


def test_a_counterexample_leads_to_its_sample(page_of: PageOf) -> None:
    page = page_of(page_of_suites())
    page.until("document.querySelector('.suite-section details.counterexample .folded a')")
    page.value("document.querySelector('.suite-section details.counterexample .folded a').click()")
    page.until("document.getElementById('sample').open")
    assert "test_0 s.py maker/large" in page.text("#sample header .about")


def test_a_suite_that_is_not_in_the_samples_has_a_section_without_links(canvas: Canvas) -> None:
    name = SuiteName(number=7, name="s.py::test_gone[m]", model="m")
    canvas.show_sections(
        Section(
            name="suite", title=name.name, suite=name, state="failed", blocks=(Note(text="gone"),)
        )
    )
    canvas.page.until("document.querySelector('.suite-section .block-note')")
    assert canvas.all(".suite-section a") == []


def test_a_table_of_many_models_is_scrolled_in_its_own_box(canvas: Canvas) -> None:
    models = tuple(f"maker/a-model-with-a-long-name?temperature=0.{number}" for number in range(8))
    canvas.show(matrix(models=models))
    board, root = "document.querySelector('.board')", "document.documentElement"
    assert canvas.page.value(f"{board}.scrollWidth > {board}.clientWidth")
    assert canvas.page.value(f"{root}.scrollWidth <= {root}.clientWidth")
    canvas.page.value(f"{board}.scrollLeft = 400")
    place = canvas.one("tbody tr:first-child th", "element.getBoundingClientRect()")
    assert place["left"] >= 0, "the name of the row stays"


def test_the_headings_of_a_long_table_stay_in_sight(canvas: Canvas) -> None:
    canvas.show(matrix(tuple(f"s.py::test_{number}" for number in range(60))))
    canvas.page.value("scrollTo({ top: 1500, behavior: 'instant' })")
    place = canvas.one("thead", "element.getBoundingClientRect()")
    assert 0 <= place["top"] < 100


def test_on_a_phone_a_row_becomes_lines_with_the_names_of_their_columns(canvas: Canvas) -> None:
    canvas.show(matrix())
    canvas.page.size(390)
    named_ = canvas.all("tbody tr:first-child td", "getComputedStyle(element, '::before').content")
    assert named_ == ['"large"', '"horizon"', '"small"', '"horizon"']
    tops = canvas.all("tbody tr:first-child > *", "element.getBoundingClientRect().top")
    assert tops == sorted(tops)
    assert tops[0] < tops[1] < tops[3]


def test_on_a_phone_bars_begin_below_each_other(canvas: Canvas) -> None:
    canvas.show(matrix(models=("a-1", "a-model-with-a-rather-long-name")))
    canvas.page.size(390)
    first, second = canvas.all(
        "tbody tr:first-child td:has(.rate) .cell", "element.getBoundingClientRect().left"
    )
    assert first == second


def test_on_a_phone_each_model_begins_a_line_also_without_a_rate(canvas: Canvas) -> None:
    whole = matrix()
    first = whole.rows[0]
    # The second model has neither a rate nor a horizon, so that its cells are short.
    without = Row((*first.cells[:3], None, None), states=first.states)
    canvas.show(structs.replace(whole, rows=(without,)))
    canvas.page.size(390)
    tops = canvas.all("tbody tr:first-child > *", "element.getBoundingClientRect().top")
    _, _, horizon_of_large, small, horizon_of_small = tops
    assert horizon_of_large < small <= horizon_of_small


def everything() -> str:
    """A page with every kind of block, with long names and texts, and hostile ones."""
    long = f"suites/folder_of_{'long_' * 8}names/test_{'very_' * 9}long.py::test_{'round_' * 6}trip"
    rows = [
        row(
            "different",
            suite=name,
            model=model,
            formula=" ∧ ".join(["p1"] * 60),
            description=HOSTILE * 3,
            witness=WITNESS,
        )
        for name in (long, "s.py::test_short", HOSTILE)
        for model in ("maker/a-model-with-a-long-name?temperature=0.7", HOSTILE)
    ]
    suites = suites_of(rows)
    curve = Curve(
        over="operators",
        unit="rate",
        title=long,
        marks=(Mark(long, x=3, low=2, series=HOSTILE), Mark(HOSTILE, value=0.3)),
        series=(
            Series(HOSTILE, points({1: 0.9, 3: 0.5, 9: 0.1})),
            Series(long, points({1: 0.9}), points({1: 0.5, 9: 0.4})),
        ),
    )
    blocks = (
        matrix(
            (long, "s.py::test_short", HOSTILE),
            ("maker/a-model-with-a-long-name?temperature=0.7", HOSTILE),
        ),
        Figures(figures=tuple(rate(0.5, 0.25, 0.75) for _ in range(9)), title=long),
        curve,
        Note(text="{long}", values={"long": long}, tone="warning"),
        Command(purpose=HOSTILE, command=f"pytest {'--option=value ' * 20}"),
        Table(
            columns=(Column(HOSTILE), Column("f", "formula"), Column("t", "text")),
            rows=(Row((HOSTILE, long, HOSTILE * 9)),),
        ),
    )
    sections = [
        suite_section(suite, *blocks[1:4], counterexample(suite.samples[0], command=HOSTILE))
        for suite in suites
    ]
    own = Section(name=HOSTILE, title=HOSTILE, blocks=blocks)
    return render_page(document(own, *sections, headline=long), suites, title="pytest " * 40)


@pytest.fixture(scope="module")
def whole_page() -> str:
    return everything()


def test_nothing_is_wider_than_the_window(page_of: PageOf, whole_page: str) -> None:
    page = page_of(whole_page, None)
    for width in (320, 390, 768, 1280):
        page.size(width)
        page.open()
        page.until(OPENED)
        page.until("[...document.querySelectorAll('.chart-holder')].every((one) => one.firstChild)")
        assert page.value(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        ), width
        assert page.value(OUTSIDE) == [], width


#: Opens all that is closed, and says whether nothing is empty: what was opened may hold more to open.
OPENED = """(() => {
  document.querySelectorAll("details").forEach((one) => { one.open = true; });
  return [...document.querySelectorAll("main details > .folded")].every((one) => one.firstChild);
})()"""
#: What reaches over the right edge, but for what can be scrolled there.
OUTSIDE = """[...document.querySelectorAll("main *")].filter((one) => one.checkVisibility()
  && !one.closest(".scrolled, .board, .unseen, #list, svg") && one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => `${one.tagName}.${one.className}`)"""


def test_hostile_texts_are_shown_in_every_block_and_change_nothing(
    page_of: PageOf, whole_page: str
) -> None:
    page = page_of(whole_page)
    page.value("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.until(
        "document.querySelectorAll('.suite-section details.counterexample .command').length === 6"
    )
    assert page.texts("img, bdi script, bdi b") == []
    assert page.value("document.querySelectorAll('script:not([type])').length") == 1
    shown = page.value(
        "[...document.body.querySelectorAll(':not(script)')].map((one) => one.innerText ?? '').join('')"
    )
    assert not {"\x1b", "\u202e", "\x00", "\ud800"} & set(shown)
    attributes = page.value(
        "[...document.querySelectorAll('#overview-sections *')]"
        ".flatMap((one) => [...one.attributes].map((two) => two.value))"
    )
    assert not {"\x1b", "\u202e", "\x00", "\ud800"} & set("".join(attributes))
    for place in ("h2 bdi", "td bdi", ".purpose h4", ".story dd", ".counterexample .command code"):
        assert any(VISIBLE in text for text in page.texts(place)), place


def test_headings_are_in_order(page_of: PageOf, whole_page: str) -> None:
    page = page_of(whole_page)
    levels = page.value(
        "[...document.querySelectorAll('main :is(h1, h2, h3, h4)')].map((one) => Number(one.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1


def test_hundreds_of_suites_are_drawn_when_they_are_opened(page_of: PageOf) -> None:
    suites = suites_of([row(suite=f"s.py::test_{number}") for number in range(300)])
    sections = [
        suite_section(suite, Note(text="about it"), counterexample(suite.samples[0]))
        for suite in suites
    ]
    page = page_of(render_page(document(*sections), suites))
    assert page.value("document.querySelectorAll('.suite-section').length") == 300
    assert page.value("document.querySelectorAll('.suite-section .block-note').length") == 1
    assert page_html([])
