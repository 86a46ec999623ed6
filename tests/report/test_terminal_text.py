"""Text that goes to a terminal: harmless, within its width, and plain where the terminal is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_autoeval.languages import language
from pytest_autoeval.text import (
    harmless,
    one_line,
    percent,
    shorten,
    shorten_apart,
    shorten_start,
    to_ascii,
    width,
    wrap,
)

anything = st.text(st.characters(exclude_categories=()))
rooms = st.integers(8, 40)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b2J", r"\x9b2J"),
        ("a\u202eb\u2066c", r"a\u202eb\u2066c"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("half \ud800", r"half \ud800"),
        ("tag \U000e0041", r"tag \U000e0041"),
        ("back\bspace\x00", r"back\x08space\x00"),
        ("∀x. ¬P(x) 日本 é 🙂", "∀x. ¬P(x) 日本 é 🙂"),
    ],
)
def test_what_acts_on_a_terminal_is_written_out(text: str, shown: str) -> None:
    assert harmless(text) == shown


@given(anything)
def test_a_line_is_one_line_of_visible_signs(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert all(unicodedata.category(sign)[0] != "C" for sign in line)
    assert one_line(line) == line


@given(anything, rooms)
def test_shortened_text_fits_and_is_whole_where_it_can_be(text: str, room: int) -> None:
    for short in (shorten(text, room), shorten_start(text, room)):
        assert width(short) <= room
        assert (short == text) == (width(text) <= room) or short.endswith("…")
    if width(text) > room:
        assert text.startswith(shorten(text, room)[:-1])
        assert text.endswith(shorten_start(text, room)[1:])


def test_names_that_are_cut_keep_what_tells_them_apart() -> None:
    ends = (
        "propositional_round_trip[offline/faithful]",
        "temporal_round_trip[offline/faithful]",
        "temporal[gpt-5-mini]",
    )
    names = [f"suites/test_release.py::test_{end}" for end in ends]
    cut = shorten_apart(names, 36)
    assert len(set(cut)) == 3
    assert all(width(name) <= 36 for name in cut)
    assert shorten_apart(names, 80) == names
    assert shorten_apart(names[:1], 36) == ["suites/test_release.p…line/faithful]"]
    assert shorten_apart([], 36) == []


def test_the_work_of_wrapping_grows_with_the_text_and_not_with_its_square(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at = 0

    def columns(_character: str) -> int:
        nonlocal looked_at
        looked_at += 1
        return 1

    monkeypatch.setattr("pytest_autoeval.text._columns", columns)
    size = 20_000
    assert len(wrap("A" * size, 80)) == size // 80
    assert looked_at <= 5 * size


@given(anything, rooms)
def test_wrapped_text_fits_and_loses_nothing_but_space(text: str, room: int) -> None:
    assume("::" not in text)  # a sign of it is written out, which takes six columns
    lines = wrap(text, room)
    assert all(0 < width(line) <= room for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@pytest.mark.parametrize("room", range(8, 24))
def test_a_line_that_begins_like_a_command_fits_as_well(room: int) -> None:
    lines = wrap("path/to::error::name::" * 4, room)
    assert all(width(line) <= room for line in lines)
    assert not any(line.startswith("::") for line in lines)
    assert "".join(lines).replace(r"\u003a", ":") == "path/to::error::name::" * 4


@given(anything, rooms, st.integers(1, 4))
def test_wrapped_text_keeps_to_its_limit(text: str, room: int, limit: int) -> None:
    lines, whole = wrap(text, room, limit), wrap(text, room)
    assert len(lines) <= limit
    assert all(width(line) <= room for line in lines)
    assert lines == whole or lines[-1].endswith("…")


def test_a_cut_is_made_at_a_word_and_a_number_keeps_its_sign() -> None:
    assert shorten("the quick brown fox jumps", 20) == "the quick brown fox…"
    assert shorten("extraordinarily_long_name", 10) == "extraordi…"
    assert shorten_start("suites/test_it.py::test_x", 15) == "…_it.py::test_x"
    assert wrap("it is 90 % of all", 8) == ["it is", "90 % of", "all"]
    assert wrap("日本語 text", 6) == ["日本語", "text"]


@pytest.mark.parametrize("name", ["propositional", "first_order"])
def test_a_formula_in_ascii_is_still_that_formula(name: str) -> None:
    tongue = language(name)
    text = "¬(p ∧ q) ∨ ((p ⊕ ⊤) → (q ↔ ⊥))"
    if name == "first_order":
        text = f"∀x. ∃y. (P(x, y) ∧ ({text}))"
    assert to_ascii(text).isascii()
    assert tongue.parse(to_ascii(text)) == tongue.parse(text)


@given(st.integers(1, 5000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
def test_only_all_is_100_percent_and_only_none_is_0(counts: tuple[int, int]) -> None:
    passed, total = counts
    shown = percent(passed / total)
    assert abs(float(shown) - 100 * passed / total) <= 0.1
    assert (shown == "100.0") == (passed == total)
    assert (shown == "0.0") == (passed == 0)
