"""Any document as Markdown: what its readers see on GitHub, and that nothing in it can be taken for anything else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it.token import Token
from support.documents import documents
from support.hostile_markdown import HOSTILE, LINKED, PARSER
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
    Table,
    Verdict,
)
from pytest_autoeval.report.renderers.markdown import SHORTEST, markdown
from pytest_autoeval.report.renderers.markdown_text import code, prose, sentence, table_row
from pytest_autoeval.text import one_line

signs = st.text(st.sampled_from("ab1@#[]()<>!`~|\\*_-+=:/.&;$ \n\t\"'é∀\u202e\x1b"), max_size=30)
pieces = st.lists(st.sampled_from(HOSTILE) | signs | st.text(max_size=20), max_size=3)


def hostile(test: Callable[[str], None]) -> Callable[[], None]:
    """Runs a test on each of the texts above, and on many more."""
    given_texts: Callable[[], None] = given(pieces.map("".join))(test)
    for text in HOSTILE:
        given_texts = example(text)(given_texts)
    return given_texts


def leaves(tokens: Iterable[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from leaves(token.children or ())


def kinds(markdown: str) -> set[str]:
    return {token.type for token in leaves(PARSER.parse(markdown))}


def words(markdown: str) -> str:
    """What a reader sees outside of code."""
    return " ".join(
        token.content for token in leaves(PARSER.parse(markdown)) if token.type == "text"
    )


def inline_code(markdown: str) -> list[str]:
    return [
        token.content for token in leaves(PARSER.parse(markdown)) if token.type == "code_inline"
    ]


FRAME = ("<details>\n<summary>Details</summary>", "</details>")
#: What becomes of a text that acts as Markdown.
ACTIVE = {
    "link_open",
    "image",
    "html_inline",
    "em_open",
    "strong_open",
    "s_open",
    "hr",
    "blockquote_open",
    *("ordered_list_open", "code_block", "softbreak", "hardbreak"),
}
slowly = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


def assert_inert(text: str) -> None:
    """Nothing in a text acts, but our headings, lists, tables, blocks of code, and the frame of the details."""
    assert not kinds(text) & ACTIVE
    frames = [
        token.content.strip() for token in leaves(PARSER.parse(text)) if token.type == "html_block"
    ]
    assert frames in ([], list(FRAME))
    assert not LINKED.search(words(text))
    assert not [sign for sign in text if not sign.isprintable() and sign != "\n"]


@slowly
@given(
    documents(),
    st.sampled_from((SHORTEST, SHORTEST + 1, 6_000, 20_000, 1_000_000)),
    st.sampled_from(HOSTILE),
)
def test_no_text_of_a_document_is_markdown(document: Document, limit: int, title: str) -> None:
    text = markdown(document, title=title, limit=limit)
    assert len(text.encode()) <= limit
    assert_inert(text)
    first = document.sections[0].blocks[0]
    assert isinstance(first, Verdict)
    signs = {"failed": "✗", "interrupted": "!", "inconclusive": "?", "passed": "✓"}
    assert text.startswith(f"## {signs.get(first.state, '·')} ")
    assert "Left out" in text or all(
        inline_code(code(section.suite.name))[0] in text
        for section in document.sections
        if section.suite is not None and any(shows(block) for block in section.blocks)
    )


def shows(block: AnyBlock) -> bool:
    """Whether a block has anything to show."""
    match block:
        case Figures():
            return bool(block.figures)
        case Table():
            return bool(block.rows)
        case Curve():
            return any(series.points or series.fitted for series in block.series)
        case Note():
            return bool(one_line(str(sentence(block.text, block.values))))
        case _:
            return True


def test_the_verdict_comes_first_and_details_are_closed() -> None:
    text = markdown(large_document(failing=1, suites=3), title="gpt-5-mini, nightly")
    assert text.startswith("## ✗ gpt-5-mini, nightly: 2 of 6 failed (3 suites, 2 models)\n")
    shown, details = text.split(FRAME[0])
    assert shown.count("### ✗ `suites/test_file_0.py::test_round_trip_00[") == 2
    assert "### ✓" not in shown
    assert details.count("### ✓ `suites/") == 4
    assert details.endswith("\n</details>\n")


def test_a_suite_has_its_reason_and_its_counterexample() -> None:
    text = markdown(document_of(verdict_section("failed"), suite_section("t.py::test[m]", "m", 1)))
    start = (
        "### ✗ `t.py::test`\n\n- ✗ pass rate 33.3 % (20 of 60) is below the "
        "threshold 80.0 %\n- by operators: `0 █▇"
    )
    assert start in text
    assert (
        "\ndifferent (AE101), 40 samples:\n\n```text\nformula      ¬(p0 ∧ (q ∨ ¬r)) → (p0" in text
    )
    assert "\nreproduce    pytest 't.py::test[m]' --autoeval-model=m" in text


def test_without_room_the_details_go_first_then_counterexamples() -> None:
    document = large_document(failing=15)
    whole = markdown(document)
    assert "Left out" not in whole
    shown = {}
    for limit in (SHORTEST, 8_000, 12_000, 24_000, len(whole.encode()) - 1):
        text = markdown(document, limit=limit)
        assert len(text.encode()) <= limit
        assert_inert(text)
        assert "\nLeft out, for there is no room: " in text
        shown[limit] = (
            text.count("| `suites/"),
            text.count("- ✗ pass rate"),
            text.count("```text\nformula"),
        )
    assert shown[SHORTEST][0] > 0
    assert shown[12_000][:2] == (30, 30)
    assert 0 < shown[24_000][2] < 30
    assert shown[len(whole.encode()) - 1] == (30, 30, 30)
    with pytest.raises(ValueError, match="4000 bytes or more: 3999"):
        markdown(document, limit=SHORTEST - 1)


def block_of(*blocks: AnyBlock) -> str:
    return markdown(document_of(verdict_section("x"), Section(name="x", blocks=blocks))).partition(
        "\n"
    )[2]


def test_numbers_of_a_table_are_right_aligned_and_names_are_code() -> None:
    rows = (
        Row(("a|b", "p | q", 3, rate(1, 2)), state="failed"),
        Row(("mean", "", 4, None), total=True),
    )
    columns = (
        Column("suite"),
        Column("of", "formula"),
        Column("n", "count"),
        Column("pass rate", "rate"),
    )
    assert block_of(Table(columns=columns, rows=rows, title="by name")) == (
        "\nby name\n\n"
        "| suite | of | n | pass rate (95 %) |\n"
        "| --- | --- | ---: | ---: |\n"
        "| ✗ `a\\|b` | `p \\| q` | 3 | 50.0 % (14.6–85.4) |\n"
        "| mean |  | 4 |  |\n"
    )


def test_models_across_head_their_columns_and_cells_have_their_signs() -> None:
    states = [["failed", "passed"]]
    text = block_of(matrix(["a.py::test"], ["gpt", "qwen"], states, mark="worse"))  # type: ignore[arg-type]
    assert (
        "| suite | `gpt` pass rate (95 %) | `gpt` horizon 50 % | `qwen` pass rate (95 %) |" in text
    )
    assert "| `a.py::test` | ✗ 33.3 % (" in text
    assert "| ✓ 100.0 % (" in text


def test_rows_for_verbose_stand_in_the_details() -> None:
    rows = (Row(("a", 1)), Row(("b", 2), level="verbose"))
    text = block_of(
        Table(columns=(Column("suite"), Column("n", "count")), rows=rows, thing="suite")
    )
    shown, details = text.split(FRAME[0])
    assert "| `a` | 1 |" in shown
    assert "- 1 other suite in the details" in shown
    assert "| `b` | 2 |" in details


def test_lines_are_one_list() -> None:
    curve = Curve(
        over="operators", unit="rate", series=(Series("x", (Point(1, 1.0), Point(2, 0.0))),)
    )
    blocks = (
        Note(text="said by {who}", values={"who": "@octocat"}),
        Figures(figures=(rate(1, 2, name="kappa"),)),
        curve,
    )
    assert block_of(*blocks) == (
        "\n- said by `@octocat`\n- kappa 50.0 % (14.6–85.4) of 2\n- by operators: `1 █▁ 2`\n"
    )


def test_a_command_is_a_block_of_code_that_changes_nothing() -> None:
    command = "pytest 'a`b`' --autoeval-formula='x | y'"
    assert (
        block_of(Command(purpose="reproduce", command=command))
        == f"\nreproduce:\n\n```text\n{command}\n```\n"
    )


def test_a_fence_is_longer_than_those_in_the_texts() -> None:
    fields = (Field("formula", "p"), Field("answer", "```\nout\n````"))
    text = block_of(
        Counterexample(
            outcome="different", code="AE101", loses_meaning=True, samples=1, fields=fields
        )
    )
    assert "`````text\n" in text
    assert "html_block" not in kinds(text)


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        ("{name}", "`a b`"),
        ("of {name}, {n}", "of `a b`, 3 samples"),
        ("--x={name}", "`--x=` `a b`"),
        ("“{name}” ({n})", "“`a b`” (3 samples)"),
        ("{name}{name}", "`a b` `a b`"),
        ("costs {cost}.", "costs `$0.42`."),
        ("{unknown} of {n}", "`{unknown}` of 3 samples"),
    ],
)
def test_foreign_texts_of_a_sentence_are_code(template: str, shown: str) -> None:
    figures = {"n": Figure("n", 3, "count", measure="sample"), "cost": Figure("cost", 0.42, "usd")}
    assert sentence(template, {"name": "a b", **figures}) == shown


@hostile
def test_code_shows_the_text_and_nothing_else(text: str) -> None:
    shown = one_line(text).replace("`", r"\x60")
    assert kinds(f"- {code(text)}: x") <= {
        *("bullet_list_open", "list_item_open", "paragraph_open", "inline", "code_inline", "text"),
        *("paragraph_close", "list_item_close", "bullet_list_close"),
    }
    assert inline_code(f"- {code(text)}: x") == ([shown] if shown else [])
    assert "\n" not in code(text)


@hostile
def test_prose_is_words_and_code(text: str) -> None:
    for start, around in (
        ("", set()),
        ("seen: ", set()),
        ("- ", {"bullet_list", "list_item"}),
        ("## ", {"heading"}),
    ):
        allowed = {f"{name}_{end}" for name in {"paragraph", *around} for end in ("open", "close")}
        assert kinds(f"{start}{prose(text)}\n") <= allowed | {
            "inline",
            "text",
            "code_inline",
            "text_special",
        }
        assert not LINKED.search(words(f"{start}{prose(text)}"))


@hostile
def test_a_table_keeps_its_columns(text: str) -> None:
    cells = [code(text), prose(text), code(f"{text}|")]
    table = "\n".join(
        [
            table_row(["a", "b", "c"]),
            table_row(["---"] * 3),
            table_row(cells),
            table_row(["1", "2", "3"]),
        ]
    )
    tokens = PARSER.parse(table)
    assert [token.type for token in tokens].count("td_open") == 6
    assert tokens[0].type == "table_open"
    assert tokens[-1].type == "table_close"
    assert not kinds(table) & {
        "link_open",
        "image",
        "html_inline",
        "html_block",
        "em_open",
        "strong_open",
        "s_open",
    }
    assert not LINKED.search(words(table))
