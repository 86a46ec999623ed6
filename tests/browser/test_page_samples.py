"""The samples of a page in a browser: load, filter, search, open, by keyboard and by link, on a phone, and unharmed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from support.page_canvas import PageOf
from support.page_documents import (
    HOSTILE,
    VISIBLE,
    counterexample,
    document,
    page_html,
    suite_section,
)
from support.result_rows import call, changed, keys_of, suites_of
from support.result_rows import row as plain_row
from support.wordings import worded

from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.blocks import Note
from pytest_autoeval.report.renderers.page import render_page

SHOWN = 20
COUNT = 620
#: The address of all samples; without it those that failed are listed.
ALL = "#outcome="
#: Only one sample says this, in its description, and it is in the last piece of rows.
NEEDLE = "the needle in the haystack"


def row(outcome: str = "equivalent", **changes: Any) -> Sample:
    about = {"prompt_tokens": 1210, "cost": 0.0004, "seconds": 0.25}
    calls = [call("informalize", replayed=True, **about), call("autoformalize", **about)]
    return plain_row(outcome, **{"seed": 7, "calls": calls, **changes})


def different(**changes: Any) -> Sample:
    values = {"p1": False, "p2": False}
    witness = {"kind": "assignment", "left": True, "right": False, "values": values}
    text = "p1 = false, p2 = false (left: true, right: false)"
    return row("different", witness=witness, witness_text=text, **changes)


@cache
def samples() -> tuple[Sample, ...]:
    """Every fourth failed; sizes 0 to 9 in turn; the second suite has the odd ones, by another model."""
    made = []
    for number in range(COUNT):
        make = different if number % 4 == 0 else row
        second = number % 2 == 1
        made.append(
            make(
                formula=f"p{number} ∧ p1",
                operators=number % 10,
                suite=f"suites/test_{'regex' if second else 'propositional'}.py::test_round_trip",
                model="offline/faithful" if second else "offline/student",
                description=NEEDLE if number == COUNT - 5 else f"p{number} holds and p1 holds.",
            )
        )
    return tuple(made)


@cache
def html() -> str:
    """A page of these samples, with a section on each suite."""
    suites = suites_of(samples())
    sections = [
        suite_section(suite, Note(text="about it"), counterexample(suite.samples[0]))
        for suite in suites
    ]
    shown = document(*sections, headline="1 of 2 failed (2 suites, 2 models)")
    return render_page(
        shown,
        suites,
        title="Nightly",
        command_of=lambda one: f"pytest '--autoeval-formula={one.formula}'",
    )


@pytest.fixture
def page(page_of: PageOf) -> Any:
    return page_of(html(), ALL)


def listed(page: Any) -> list[str]:
    return list(page.texts("#list td.title a"))


def filtered(page: Any, control: str, value: str) -> None:
    """Sets a control of the filter as a user does, and waits for the list."""
    page.value(
        f"""(() => {{
          const control = document.getElementById("filter-{control}");
          control.value = {value!r};
          control.dispatchEvent(new Event("input", {{ bubbles: true }}));
          document.getElementById("count").textContent = "";
        }})()"""
    )
    page.until("document.getElementById('count').textContent !== ''")


def formulas(numbers: Iterable[int]) -> list[str]:
    """The formulas of some samples in the order of the page: first those of the first suite."""
    return [f"p{number} ∧ p1" for number in sorted(numbers, key=lambda number: number % 2)]


def test_the_verdict_comes_first_then_the_figures_then_the_samples(page: Any) -> None:
    assert page.text("h1") == "Nightly"
    assert page.text("#headline") == "1 of 2 failed (2 suites, 2 models)"
    sections = page.value(
        "[...document.querySelectorAll('main section[id]')].map((section) => section.id)"
    )
    assert (sections[0], sections[-1]) == ("verdict", "samples")
    assert page.texts("#sections a") == ["Suite by suite", "Samples"]
    levels = page.value(
        "[...document.querySelectorAll('main :is(h1, h2, h3, h4)')].map((one) => Number(one.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_list_shows_a_page_of_the_samples_in_their_order(page: Any) -> None:
    assert page.text("#count") == "620 samples"
    assert listed(page) == formulas(range(COUNT))[:SHOWN]
    page.value("[...document.querySelectorAll('#pages button')].at(-1).click()")
    assert listed(page) == formulas(range(COUNT))[600:]
    assert "601–620 of 620" in page.text("#pages")


def test_each_filter_leaves_what_it_says(page: Any) -> None:
    wanted: dict[tuple[str, str], Callable[[int], bool]] = {
        ("suite", "suites/test_regex.py::test_round_trip"): lambda n: n % 2 == 1,
        ("model", "offline/student"): lambda n: n % 2 == 0,
        ("outcome", "different"): lambda n: n % 4 == 0,
        ("outcome", "pass"): lambda n: n % 4 != 0,
        ("from", "8"): lambda n: n % 10 >= 8,
        ("to", "0"): lambda n: n % 10 == 0,
    }
    for (control, value), fits in wanted.items():
        filtered(page, control, value)
        left = [number for number in range(COUNT) if fits(number)]
        assert page.text("#count") == f"{len(left)} of 620 samples", control
        assert listed(page) == formulas(left)[:SHOWN]
        filtered(page, control, "")


def test_the_page_opens_on_the_samples_that_failed_and_leads_to_all(
    page: Any, page_of: PageOf
) -> None:
    page.open()
    assert listed(page) == formulas(range(0, COUNT, 4))[:SHOWN]
    page.value("document.querySelector('#filter [type=reset]').click()")
    page.until("document.getElementById('count').textContent === '620 samples'")
    page.open(page.value("location.hash"))
    assert page.text("#count") == "620 samples", "the address of all samples is kept"
    green = page_of(page_html([row()]))
    assert green.text("#count") == "1 sample"


def test_filters_work_together_and_are_cleared_together(page: Any) -> None:
    filtered(page, "outcome", "different")
    filtered(page, "from", "4")
    filtered(page, "to", "4")
    left = [n for n in range(COUNT) if n % 4 == 0 and n % 10 == 4]
    assert listed(page) == formulas(left)[:SHOWN]
    page.value("document.querySelector('#filter [type=reset]').click()")
    page.until("document.getElementById('count').textContent === '620 samples'")
    assert page.value("location.hash") == ALL


def test_text_is_looked_for_in_every_sample_whatever_its_case(page: Any) -> None:
    filtered(page, "text", NEEDLE.upper())
    assert page.text("#count") == "1 of 620 samples"
    assert listed(page) == formulas([COUNT - 5])
    filtered(page, "text", "no sample says this")
    assert page.text("#list") == "No sample matches the filter."


def test_a_new_search_ends_the_one_before(page: Any) -> None:
    page.value(
        """["p1", "p61", "p619 holds"].forEach((text) => {
          const control = document.getElementById("filter-text");
          control.value = text;
          control.dispatchEvent(new Event("input", { bubbles: true }));
        })"""
    )
    page.until("document.getElementById('count').textContent === '1 of 620 samples'")
    assert listed(page) == formulas([619])
    assert page.value("document.getElementById('progress').hidden")


def test_an_opened_sample_shows_all_of_it(page: Any) -> None:
    page.open("#sample=1")
    assert page.text("#sample-title").startswith("Sample 1 ")
    terms = dict(zip(page.texts("#sample .story dt"), page.texts("#sample .story dd"), strict=True))
    assert terms == {
        "Formula": "p0 ∧ p1",
        "Description": "p0 holds and p1 holds.",
        "Translation": "¬p1 ∧ p2",
    }
    assert page.texts("#sample mark") == []
    assert page.text("#sample .witness") == "p1 = false, p2 = false (given: true, model's: false)"
    assert page.value("document.querySelector('#sample .drawing').childElementCount") > 0
    calls = [
        [cell.strip() for cell in line.split("|")]
        for line in rows_of(page, "#sample [aria-label='Calls to the model']")
    ]
    assert calls == [
        ["informalize", "1,210", "14", "250 ms", "$0.00040", "stop", "recording", "5f0c5d3b8a16"],
        [
            "autoformalize",
            "1,210",
            "14",
            "250 ms",
            "$0.00040",
            "stop",
            "offline model",
            "5f0c5d3b8a16",
        ],
    ]
    assert page.text("#sample .command code") == "pytest '--autoeval-formula=p0 ∧ p1'"
    others = dict(
        zip(page.texts("#sample details dt"), page.texts("#sample details dd"), strict=True)
    )
    assert (others["seed"], others["grammar"], others["depth"]) == ("7", "propositional", "1")


@pytest.mark.parametrize("answer", ["¬(p1 ∧ 𝛼2)", "It is `¬(p1 ∧ 𝛼2)`."])
def test_the_parts_in_which_two_formulas_differ_are_marked_in_both(
    answer: str, page_of: PageOf
) -> None:
    formula, translation = "¬p1 ∧ 𝛼1", "¬(p1 ∧ 𝛼2)"
    spans = {"formula": [[0, 1], [6, 8]], "translation": [[0, 1], [7, 9]]}
    one = different(formula=formula, translation=translation, answer=answer, differences=spans)
    page = page_of(page_html([one], command_of=lambda _: ""))
    for theme in ("light", "dark"):
        page.prefers(prefers_color_scheme=theme)
        page.open("#sample=1")
        terms = dict(
            zip(page.texts("#sample .story dt"), page.texts("#sample .story dd"), strict=True)
        )
        below = f"{translation}Underlined: the parts that differ."
        plain = {"Translation": below}
        assert list(terms.items())[:2] == [("Formula", formula), *plain.items()]
        assert terms.get("Answer") == (None if answer == translation else answer)
        assert page.texts("#sample .story mark") == ["¬", "𝛼1", "¬", "𝛼2"]
        for mark in range(4):
            style = f"getComputedStyle(document.querySelectorAll('#sample .story mark')[{mark}])"
            assert page.value(f"{style}.textDecorationLine") == "underline"
            assert page.value(f"{style}.color !== {style}.backgroundColor")
    assert "differences" not in page.texts("#sample details dt")


@pytest.mark.parametrize("spans", [[[3, 1]], [[0, 2], [1, 3]], [[0, 99]], [[-1, 2]]])
def test_places_outside_a_formula_are_not_marked(spans: list[list[int]], page_of: PageOf) -> None:
    one = different(differences={"formula": spans, "translation": [[0, 1]]})
    page = page_of(page_html([one]), "#sample=1")
    assert page.texts("#sample .story mark") == ["¬"]


def rows_of(page: Any, selector: str) -> list[str]:
    found: list[str] = page.value(
        f"""[...document.querySelectorAll("{selector} tbody tr")]
          .map((row) => [...row.cells].map((cell) => cell.textContent).join("|"))"""
    )
    return found


def test_the_facts_of_other_tasks_and_blame_are_shown(page_of: PageOf) -> None:
    blame = {
        "half": "reading",
        "description": "Faithful words.",
        "answer": "p2",
        "translation": "p2",
        "outcome": "different",
    }
    judged = row(
        "wrong answer",
        other="p9 ∨ p8",
        pair="edited",
        expected=True,
        answered=False,
        sentence="A sentence.",
    )
    blamed = different(blame=blame, reader="maker/reader")
    page = page_of(page_html([judged, blamed]), "#sample=1")
    terms = dict(zip(page.texts("#sample .story dt"), page.texts("#sample .story dd"), strict=True))
    assert (terms["Second formula"], terms["Right answer"], terms["Answer as read"]) == (
        "p9 ∨ p8",
        "yes",
        "no",
    )
    assert terms["Sentence"] == "A sentence."
    assert "edited" in page.texts("#sample details dd")
    page.open("#sample=2")
    assert "The reading lost the meaning" in page.text("#sample")
    terms = dict(zip(page.texts("#sample .story dt"), page.texts("#sample .story dd"), strict=True))
    assert terms["Correct description"] == "Faithful words."
    assert terms["Read by"] == "maker/reader"


@pytest.mark.parametrize(
    ("leaked", "why"),
    [(True, "the description is a copy"), (False, "the model gave no description")],
)
def test_a_half_that_is_blamed_without_a_call_says_so(
    page_of: PageOf, leaked: bool, why: str
) -> None:
    copied = row(
        "copied" if leaked else "refused or empty", leaked=leaked, blame={"half": "description"}
    )
    page = page_of(page_html([copied]), "#sample=1")
    shown = page.text("#sample")
    assert f"The model was not asked to read a correct description: {why}." in shown
    assert "reads it correctly" not in shown


def test_a_half_that_is_unknown_says_why(page_of: PageOf) -> None:
    problem = "the recording of the question is missing"
    blame = {"half": "undecided", "outcome": "error", "problem": problem}
    page = page_of(page_html([different(blame=blame)]), "#sample=1")
    terms = dict(zip(page.texts("#sample .story dt"), page.texts("#sample .story dd"), strict=True))
    assert terms["Reason"] == problem


def test_what_was_chosen_from_and_ranked_is_told_by_its_numbers(page_of: PageOf) -> None:
    ranked = row(
        "wrong answer",
        task="ranking_formulas",
        form="formulas",
        data_set="blocks_world",
        sentence="Every cube is small.",
        candidates=["P(a)", "¬P(a)", "Q(a)", "¬¬P(a)", "¬Q(a)"],
        kinds=["reference", "negation", "perturbation", "equivalent", "negation normal form"],
        ontology=[
            ["P(x)", "predicate", "x is a cube", "x is no cube"],
            ["a", "term", "block a", ""],
        ],
        expected=[[1, 4], [2, 5]],
        answered=[4, 1, 3, 5, 2],
    )
    concluded = row(
        "correct",
        task="entailment_english",
        form="english",
        data_set="blocks_world",
        premises=["It rains.", "It pours."],
        conclusion="It is wet.",
        expected="Uncertain",
        answered="Uncertain",
    )
    page = page_of(page_html([ranked, concluded]), "#sample=1")
    terms = dict(zip(page.texts("#sample .story dt"), page.texts("#sample .story dd"), strict=True))
    assert terms["Right answer"] == "1 and 4 first, 2 and 5 last"
    assert terms["Answer as read"] == "4, 1, 3, 5, 2"
    assert terms["Candidates"].splitlines()[:2] == ["1. P(a)", "2. ¬P(a)"]
    assert terms["Symbols"].splitlines() == ["P(x): x is a cube", "a: block a"]
    page.open("#sample=2")
    terms = dict(zip(page.texts("#sample .story dt"), page.texts("#sample .story dd"), strict=True))
    assert terms["Premises"].splitlines() == ["1. It rains.", "2. It pours."]
    assert terms["Right answer"] == "Uncertain"


def test_everything_is_done_by_keyboard(page: Any) -> None:
    from selenium.webdriver import Keys

    page.press("/")
    assert page.value("document.activeElement.id") == "filter-text"
    page.press("p61")
    page.until("document.getElementById('count').textContent === '11 of 620 samples'")
    # Keys of the page do nothing while one types.
    assert page.value("document.activeElement.value") == "p61"
    page.value("document.activeElement.blur()")
    page.press("j")
    assert page.value("document.activeElement.textContent") == "p610 ∧ p1"
    page.press("j", Keys.ARROW_DOWN, "k")
    assert page.value("document.activeElement.textContent") == "p612 ∧ p1"
    page.press(Keys.ENTER)
    page.until("document.getElementById('sample').open")
    assert page.text("#sample-title").startswith("Sample 307 ")
    page.press("j")
    page.until("document.getElementById('sample-title').textContent.startsWith('Sample 308 ')")
    page.press(Keys.ESCAPE)
    page.until("!document.getElementById('sample').open")
    assert page.value("document.activeElement.textContent") == "p614 ∧ p1"


def test_the_address_says_what_is_looked_at_and_brings_it_back(page: Any) -> None:
    filtered(page, "outcome", "different")
    filtered(page, "text", "p1")
    filtered(page, "from", "2")
    page.value("document.querySelector('#pages button:nth-of-type(3)').click()")
    shown = listed(page)
    page.value("document.querySelectorAll('#list td.title a')[2].click()")
    page.until("document.getElementById('sample').open")
    title, address = page.text("#sample-title"), page.value("location.hash")
    page.open(address)
    assert page.text("#sample-title") == title
    assert listed(page) == shown
    assert page.value("document.getElementById('filter-outcome').value") == "different"
    assert page.value("document.getElementById('filter-text').value") == "p1"
    assert page.value("document.getElementById('filter-from').value") == "2"


def test_back_closes_what_was_opened(page: Any) -> None:
    page.value("document.querySelector('#list td.title a').click()")
    page.until("document.getElementById('sample').open")
    page.browser.back()
    page.until("!document.getElementById('sample').open")
    assert listed(page) == formulas(range(COUNT))[:SHOWN]


def test_the_colours_follow_the_system(page: Any) -> None:
    for theme, is_light in (("light", True), ("dark", False)):
        page.prefers(prefers_color_scheme=theme)
        colour = page.value(
            "getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).slice(0, 3)"
        )
        assert (sum(map(int, colour)) > 380) is is_light


def hostile() -> Sample:
    plain = keys_of(different())
    texts = {
        key: HOSTILE
        for key, value in plain.items()
        if isinstance(value, str) and key not in ("outcome", "code", "language")
    }
    texts_of_call = dict.fromkeys(("stage", "finish_reason", "prompt_digest"), HOSTILE)
    messages = [{"role": HOSTILE, "content": HOSTILE}]
    calls = [{**call, **texts_of_call, "messages": messages} for call in plain["calls"]]
    witness = {"kind": "assignment", "left": True, "right": False, "values": {HOSTILE: True}}
    blame = {
        "half": "reading",
        "description": HOSTILE,
        "answer": HOSTILE,
        "translation": HOSTILE,
        "outcome": HOSTILE,
    }
    more: dict[str, Any] = {"trace": HOSTILE, "other": HOSTILE, "error": HOSTILE, HOSTILE: HOSTILE}
    more |= {"calls": calls, "witness": witness, "blame": blame, "measures": {HOSTILE: 3}}
    return changed(different(), **{**texts, **more})


def test_hostile_text_is_shown_and_changes_nothing(page_of: PageOf) -> None:
    html = page_html([hostile()], title=HOSTILE, command_of=lambda _: HOSTILE)
    page = page_of(html, f"{ALL}&sample=1")
    assert page.texts("img, b:not([class] *), bdi script") == []
    assert page.value("document.querySelectorAll('script:not([type])').length") == 1
    shown = page.value(
        "[...document.body.querySelectorAll(':not(script)')].map((one) => one.innerText ?? '').join('')"
    )
    assert not {"\x1b", "\u202e", "\x00", "\ud800"} & set(shown)
    for place in ("h1", "#list td.title", "#sample .story dd", "#sample .command code"):
        assert all(VISIBLE in text for text in page.texts(place)), place
        assert "<img src=x onerror=alert(2)>" in page.texts(place)[0]
    assert page.texts("#sample .command button") == []  # what cannot be seen is not copied


def test_the_prompts_are_folded_beside_the_answer(page_of: PageOf) -> None:
    system = "You put formulas of propositional logic into plain English.\n\nAnswer with the description alone."
    rows = []
    # The last stands in the second piece, and the text in the first as well.
    for number in range(300):
        messages = [
            {"role": "system", "content": system},
            {"role": "user", "content": f"Formula:\np{number}"},
        ]
        calls = [call("informalize", messages=messages), call("autoformalize", messages=None)]
        rows.append(row(formula=f"p{number}", calls=calls))
    page = page_of(page_html(rows), "#sample=300")
    prompts = "#sample section details"
    assert page.texts(f"{prompts} summary") == ["informalize"]
    assert page.value(f"document.querySelector('{prompts}').open") is False
    page.value(f"document.querySelector('{prompts} summary').click()")
    assert page.texts(f"{prompts} dt") == ["system", "user"]
    assert page.texts(f"{prompts} dd") == [system, "Formula:\np299"]


def test_a_megabyte_is_shown_from_its_start_and_told_to_be_longer(page_of: PageOf) -> None:
    long = dict.fromkeys(("description", "answer", "error"), "A" * 1_000_000)
    long |= {"translation": " ∧ ".join(["p1"] * 200_000), "witness_text": "1" * 1_000_000}
    row_ = changed(different(), **long)
    suites = suites_of([row_])
    shown = document(suite_section(suites[0], counterexample(suites[0].samples[0])))
    page = page_of(render_page(shown, suites), "#sample=1")
    page.until("document.querySelector('.suite-section .story')")
    told = page.texts("#sample .sign")
    assert any("990,000 more characters" in said for said in told)
    assert len(told) == 5
    assert max(map(len, page.texts(".suite-section .story dd"))) < 11_000


def test_a_browser_that_cannot_unpack_says_so_and_shows_the_figures(page_of: PageOf) -> None:
    page = page_of(html(), None)
    old = page.browser.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument", {"source": "delete globalThis.DecompressionStream"}
    )
    try:
        page.browser.get("about:blank")
        page.browser.get(page.address)
        page.until("!document.getElementById('unreadable').hidden")
    finally:
        page.browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", old)
    assert "DecompressionStream" in page.text("#unreadable")
    assert page.text("#headline") == "1 of 2 failed (2 suites, 2 models)"
    page.until("document.querySelector('.suite-section .block-note')")


def test_the_answers_of_two_models_to_one_formula_stand_side_by_side(page_of: PageOf) -> None:
    rows = []
    # The strong model fails each tenth, the weak one each third: pieces apart.
    for number in range(300):
        for model, every in (("strong", 10), ("weak", 3)):
            make = different if number % every == 0 else row
            rows.append(
                make(
                    model=model,
                    formula=f"p{number}",
                    index=number,
                    description=f"{model} says p{number}.",
                )
            )
    rows.sort(key=lambda one: one.model)
    page = page_of(page_html(rows), "#model=weak&outcome=model+failure&right=strong")
    wrong = [f"p{number}" for number in range(300) if number % 3 == 0 and number % 10]
    assert page.text("#count") == f"{len(wrong)} of 600 samples"
    assert listed(page) == wrong[:SHOWN]
    assert page.value("document.getElementById('filter-right').value") == "strong"
    page.open("#sample=361")  # p60, on which both fail
    cards = [text.split("says")[0] for text in page.texts("#sample .answers .card")]
    assert cards == ["weak ✗differentDescriptionweak ", "strong ✗differentDescriptionstrong "]
    assert (
        page.texts("#sample .answers .witness")
        == ["p1 = false, p2 = false (given: true, model's: false)"] * 2
    )
    assert page.value(
        "[...document.querySelectorAll('#sample .answers .drawing')].every((one) => one.firstChild)"
    )
    page.value("document.querySelector('#sample .answers a').click()")
    page.until("document.getElementById('sample-title').textContent.startsWith('Sample 61 ')")
    page.browser.back()
    page.until("document.getElementById('sample-title').textContent.startsWith('Sample 361 ')")


@pytest.mark.parametrize("width", [390, 1280])
def test_the_answers_to_two_wordings_of_one_prompt_stand_side_by_side(
    page_of: PageOf, width: int
) -> None:
    suites = [
        worded([make(formula="p1 ∧ p2", description=f"{folder} words")], folder, number=number)
        for number, (folder, make) in enumerate({"exact": row, "terse": different}.items(), 1)
    ]
    sections = [suite_section(suite, Note(text="about it")) for suite in suites]
    page = page_of(render_page(document(*sections), suites), "#outcome=&sample=2")
    room = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", room)
    try:
        cards = page.texts("#sample .answers .card")
        assert len(cards) == 2
        assert all(word in cards[0] for word in ("terse", "different", "terse words"))
        assert all(word in cards[1] for word in ("exact", "equivalent", "exact words"))
        first, second = page.value(
            "[...document.querySelectorAll('#sample .answers .card')].map((one) => {"
            "const box = one.getBoundingClientRect(); return [box.left, box.right, box.top]; })"
        )
        if width > 1000:
            assert second[0] >= first[1], "beside each other"
        else:
            assert second[2] > first[2], "below each other"
            assert second[1] <= width
        assert page.value("document.getElementById('by-another').hidden"), "there is one model"
    finally:
        page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
