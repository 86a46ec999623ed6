"""The page holds every row whole, and nothing in it can end an element, load or send anything."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from support.page_blocks import PageBlocks
from support.page_documents import counterexample, document, page_html, section, suite_section
from support.result_rows import call, changed, keys_of, row, suites_of

from pytest_autoeval.record.figures import Figure, Value
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.blocks import Column, Figures, Note, Row, Table, Verdict
from pytest_autoeval.report.flat_sample import flat_sample
from pytest_autoeval.report.renderers.page import LIBRARIES, PageError, render_page, write_page
from pytest_autoeval.report.renderers.page.page_samples import PIECE

#: What ends a script, opens another, orders a terminal about, reverses the reading direction, or is no text at all.
HOSTILE = "</script><script>alert(1)</script><!--\x1b[31m\u202e\u2066\x00\ud800 $title &amp; '\"`"


def rows(count: int = 6) -> list[Sample]:
    """Rows of two suites and models, every third of which failed."""
    return [
        row(
            "different" if number % 3 == 0 else "equivalent",
            suite=f"suites/test_{'ab'[number % 2]}.py::test_round_trip",
            model=f"offline/student-{number % 2}",
            formula=f"p{number} ∧ p1",
            operators=number % 5,
            repeat=number % 2,
        )
        for number in range(count)
    ]


def hostile_row(**changes: Any) -> Sample:
    """A row in which every text is hostile, but the outcome."""
    plain = row("different")
    texts = {
        key: HOSTILE
        for key, value in keys_of(plain).items()
        if isinstance(value, str) and key not in ("outcome", "code")
    }
    more = {
        "answer": HOSTILE,
        "trace": HOSTILE,
        "witness_text": HOSTILE,
        "witness": {"kind": HOSTILE, HOSTILE: HOSTILE},
        "error": HOSTILE,
        "calls": [
            call(
                HOSTILE,
                prompt_digest=HOSTILE,
                finish_reason=HOSTILE,
                messages=[{"role": HOSTILE, "content": HOSTILE}],
            )
        ],
        HOSTILE: HOSTILE,
    }
    return changed(plain, **{**texts, **more, **changes})


def page_of(rows: list[Sample], **options: Any) -> PageBlocks:
    return PageBlocks(page_html(rows, **options))


def test_every_row_is_in_the_page_whole_and_in_its_place() -> None:
    given = rows(PIECE + 3)
    page = page_of(given)
    pieces = page.pieces()
    assert [len(piece["rows"]) for piece in pieces] == [PIECE, 3]
    assert [one for piece in pieces for one in piece["rows"]] == [
        flat_sample(one) for one in sorted(given, key=lambda one: one.suite.name)
    ]


def test_a_text_that_many_prompts_share_stands_once_in_the_page() -> None:
    system = {"role": "system", "content": "You put formulas into English. " * 3}
    asked = sorted(rows(3), key=lambda one: one.suite.name)
    users = [{"role": "user", "content": one.formula} for one in asked]
    given = [
        changed(one, calls=[call("ask", messages=[system, user])])
        for one, user in zip(asked, users, strict=True)
    ]
    page = page_of(given)
    ((digest, text),) = page.data("texts").items()
    assert text == system["content"]
    messages = [piece["calls"][0]["messages"] for piece in page.pieces()[0]["rows"]]
    assert messages == [[{"role": "system", "digest": digest}, user] for user in users]


def test_the_index_says_in_columns_what_the_rows_say() -> None:
    given = sorted(rows(7), key=lambda one: one.suite.name)
    index = page_of(given).data("index")
    assert index["count"] == 7
    assert [index["suites"][place] for place in index["suite"]] == [one.suite.name for one in given]
    assert [index["models"][place] for place in index["model"]] == [one.model for one in given]
    assert [index["outcomes"][place]["name"] for place in index["outcome"]] == [
        one.outcome for one in given
    ]
    assert {one["name"]: one["kind"] for one in index["outcomes"]} == {
        "equivalent": "pass",
        "different": "model failure",
    }
    assert index["size"] == [one.size for one in given]
    assert index["repeat"] == [one.repeat for one in given]
    assert index["text"] == [one.formula for one in given]


def test_the_command_of_a_row_stands_beside_it_and_is_left_out_where_none_is_known() -> None:
    (piece,) = page_of(rows(3), command_of=lambda one: f"pytest '{one.formula}'").pieces()
    assert piece["commands"] == ["pytest 'p0 ∧ p1'", "pytest 'p2 ∧ p1'", "pytest 'p1 ∧ p1'"]
    assert page_of(rows(3)).pieces()[0]["commands"] == []


def test_the_overview_is_the_document_and_says_where_its_names_lead() -> None:
    suites = suites_of(rows(6))
    first = suites[0].samples[1]
    shown = document(
        section(Table(columns=(Column("suite"),), rows=(Row((suites[0].name,)),))),
        suite_section(
            suites[0],
            Figures(figures=(Figure("pass rate", 0.5, "rate", n=2),)),
            counterexample(first),
        ),
    )
    page = PageBlocks(render_page(shown, suites, title="Nightly"))
    overview, index = page.data("overview"), page.data("index")
    assert overview["title"] == "Nightly"
    assert page.document() == shown
    test, model = "suites/test_a.py::test_round_trip", "offline/student-0"
    assert overview["links"]["suites"]["1"] == [test, model]
    filters = overview["links"]["filters"]
    assert filters[test] == [test, ""]
    assert filters[f"{test}[{model}]"] == [test, model]
    ((key, place),) = overview["links"]["places"].items()
    assert key == f"1/{first.size}/{first.index}/{first.repeat}/0"
    assert index["text"][place] == first.formula


def test_the_first_verdict_heads_the_page_as_text_without_scripts() -> None:
    values: dict[str, Value] = {
        "failed": Figure("failed", 2, "count", measure="suite"),
        "model": "<b>\u202emodel",
    }
    verdict = Verdict(state="failed", text="{failed} of {model} failed", values=values)
    later = Verdict(state="passed", text="not this one")
    shown = document(headline="")
    shown = replace(shown, sections=(section(verdict, title=""), section(later)))
    assert r"2 suites of <b>\u202emodel failed" in PageBlocks(page_html([], shown)).shown
    without = replace(shown, sections=(), state="no gate")
    assert "No gate" in PageBlocks(page_html([], without)).shown, (
        "without a verdict it is the state"
    )


def test_hostile_text_adds_no_element_and_arrives_as_it_was() -> None:
    hostile = hostile_row()
    page = page_of([hostile], title=HOSTILE, command_of=lambda _: HOSTILE)
    plain = page_of([row("different")], title="plain", command_of=lambda _: "pytest")
    assert page.tags == plain.tags
    assert {name for name, _, _ in page.attributes} == {name for name, _, _ in plain.attributes}
    (piece,) = page.pieces()
    words = {"sides": ["given", "model's"], "witness_text": hostile.witness_text}
    assert piece == {"rows": [{**flat_sample(hostile), **words}], "commands": [HOSTILE]}


def test_hostile_text_stands_in_the_markup_only_harmless() -> None:
    hostile = document(section(Note(text="{said}", values={"said": HOSTILE})), headline=HOSTILE)
    page = page_of([hostile_row()], shown=hostile, title=HOSTILE)
    assert r"\x1b[31m\u202e\u2066\x00\ud800 $title &amp; '" in page.shown
    assert not re.search("[\x00\x1b\u202a-\u202e\u2066-\u2069\ud800-\udfff]", page.shown)


def test_the_policy_lets_only_the_blocks_of_the_page_itself_run() -> None:
    page = page_of(rows(3))
    (policy,) = (
        value
        for tag, name, value in page.attributes
        if (tag, name) == ("meta", "content") and "-src" in (value or "")
    )
    directives = dict(part.split(" ", 1) for part in (policy or "").split("; "))
    assert directives["default-src"] == "'none'"
    for name, block in (("script-src", "script"), ("style-src", "style")):
        digest = base64.b64encode(hashlib.sha256(page.blocks[block].encode()).digest()).decode()
        assert directives[name] == f"'sha256-{digest}'"
    # Drawings of a user's own, which stand in the page itself.
    assert directives["img-src"] == "data:"
    others = {name for name in directives if name.endswith("-src")} - {"img-src"}
    assert others == {"default-src", "script-src", "style-src"}
    assert directives["require-trusted-types-for"] == "'script'"


def test_the_page_names_no_other_file_and_no_other_host() -> None:
    page = page_of(rows(3))
    assert not [
        attribute
        for attribute in page.attributes
        if attribute[1] in ("src", "srcset", "action", "data", "style")
    ]
    assert [value for _, name, value in page.attributes if name == "href"] == ["#samples"]
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    assert not re.search(r"url\(|@import", page.blocks["style"])


def test_numbers_that_a_browser_would_round_are_text() -> None:
    (piece,) = page_of([row(seed=2**53 - 1), row(seed=2**60 + 1)]).pieces()
    assert [one["seed"] for one in piece["rows"]] == [2**53 - 1, "1152921504606846977"]
    figures = Figures(
        figures=(Figure("tokens", 2**60 + 1, "count"), Figure("calls", 2**53 - 1, "count"))
    )
    overview = page_of([], shown=document(section(figures))).data("overview")
    found = overview["document"]["sections"][1]["blocks"][0]["figures"]
    assert [one["value"] for one in found] == ["1152921504606846977", 2**53 - 1]


def test_rows_that_are_no_json_are_refused() -> None:
    (suite,) = suites_of([row()])
    suite.samples[0] = replace(suite.samples[0], measures={"operators": float("nan")})
    with pytest.raises(PageError, match="not JSON"):
        render_page(document(), [suite])
    endless = document(section(Figures(figures=(Figure("rate", float("inf"), "rate"),))))
    with pytest.raises(PageError, match="not JSON"):
        page_html([], endless)


def test_writing_makes_the_folders_and_replaces_an_old_page(tmp_path: Path) -> None:
    path = tmp_path / "reports" / "nightly" / "page.html"
    suites = suites_of(rows(3))
    write_page(path, document(), suites, title="Before the change")
    write_page(path, document(), suites, title="After the change")
    assert "Before the change" not in path.read_text("utf-8")
    assert path.read_bytes() == render_page(document(), suites, title="After the change").encode()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("occupied", ["page.html", "folder"])
def test_a_page_that_cannot_be_written_says_why_and_leaves_nothing(
    tmp_path: Path, occupied: str
) -> None:
    path = tmp_path / ("page.html" if occupied == "page.html" else "folder/page.html")
    if occupied == "page.html":
        path.mkdir()
    else:
        path.parent.write_text("no folder")
    with pytest.raises(PageError, match=re.escape(str(path))):
        write_page(path, document(), [])
    assert [one.name for one in tmp_path.iterdir()] == [occupied]


PAGE = files("pytest_autoeval.report.renderers.page")
VENDOR = PAGE.joinpath("vendor")
MOST_BYTES = 600_000


def test_every_library_is_listed_with_version_licence_and_origin() -> None:
    table = VENDOR.joinpath("README.md").read_text("utf-8")
    present = {file.name for file in VENDOR.iterdir() if file.name.endswith(".js")}
    assert {f"vendor/{name}" for name in present} == {
        script for scripts in LIBRARIES.values() for script in scripts
    }
    for name in present:
        assert re.search(
            rf"^\| `{re.escape(name)}` \| \S+ \d+\.\d+\.\d+ \| \w+ \(`LICENSE-\w+\.txt`\) \| `dist/\S+` \|$",
            table,
            re.MULTILINE,
        )
    assert "registry" not in table


def test_the_libraries_are_small_and_make_no_code_of_text() -> None:
    texts = [
        PAGE.joinpath(script).read_text("utf-8")
        for scripts in LIBRARIES.values()
        for script in scripts
    ]
    assert sum(len(text.encode()) for text in texts) < MOST_BYTES
    for text in texts:
        assert not re.search(r"\beval\(|new Function|</script|<!--|sourceMappingURL", text)


def test_the_page_carries_the_licences_of_its_libraries() -> None:
    whole = page_of([]).blocks["script"]
    for licence in LIBRARIES:
        text = PAGE.joinpath(licence).read_text("utf-8")
        assert "Permission" in text
        assert whole.count(text) == 1


_PAPERS = ("paper", "panel", "wash")
_TEXTS = ("ink", "muted", "accent", "good", "bad", "warn", "undecided")
_SIGNS = ("edge", *(f"series-{number}" for number in range(1, 9)))
_COLOUR = re.compile(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")


def palette(theme: str) -> dict[str, str]:
    style = (
        files("pytest_autoeval.report.renderers.page").joinpath("palette.css").read_text("utf-8")
    )
    return {
        name: light if theme == "light" else dark for name, light, dark in _COLOUR.findall(style)
    }


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2.2."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("colours", "least"), [(_TEXTS, 4.5), (_SIGNS, 3.0)], ids=["texts", "signs"]
)
def test_contrast_is_enough_on_every_paper(
    theme: str, colours: tuple[str, ...], least: float
) -> None:
    known = palette(theme)
    poor = {
        f"{name} on {paper}": round(found, 2)
        for name in colours
        for paper in _PAPERS
        if (found := contrast(known[name], known[paper])) < least
    }
    assert not poor


def test_samples_of_several_models_are_paired_by_item_variant_and_repeat_aside() -> None:
    about = {"formula": "p1", "suite": "s.py::test_a", "interface": "chat", "way": "zero-shot"}
    given = [
        row("equivalent", model="a", **about),
        row("equivalent", model="a", repeat=1, **about),
        row(
            "different",
            model="b",
            **about | {"suite": "s.py::test_a[few-shot]", "variant": "few-shot"},
        ),
        row("different", model="b", **about | {"formula": "p2"}),
        row("different", model="b", **about | {"suite": "s.py::test_b"}),
    ]
    # The page has the suites in the order of their names, and then the models.
    first, repeated, formula, other, suite = page_of(given).data("index")["item"]
    assert other == first
    assert len({first, repeated, formula, suite}) == 4
    assert page_of([*given[:2], given[0]]).data("index")["item"] is None, (
        "one model has nobody beside it"
    )
