"""The verdict on a whole run: its sentence in each state, and where every screen shows it."""

from __future__ import annotations

import re
from html import unescape

import pytest
from support.whole_runs import (
    BothRuns,
    fell_as_a_whole,
    name_of,
    one_fell,
    pairs,
    states,
    unchanged,
)

from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.blocks import Document, Figures, Table
from pytest_autoeval.report.document import document
from pytest_autoeval.report.renderers.csv import tables
from pytest_autoeval.report.renderers.junit import properties, run_properties
from pytest_autoeval.report.renderers.markdown import markdown
from pytest_autoeval.report.renderers.page import render_page
from pytest_autoeval.report.renderers.terminal import lines

STATES = dict(states())
MINUS = str.maketrans({"−": "-"})
REGEX, FUTURE = name_of("regex"), name_of("ltl_future")
OTHER = "the baseline is of another model (gpt-5-mini); "
ONE = f"{OTHER}gpt-5.1-mini is worse than gpt-5-mini"
OPEN = f"{OTHER}whether gpt-5.1-mini is worse than gpt-5-mini is"
FELL = "-5.0 points over 480 pairs (95 % interval -7.8 to -2.6), p < 0.0001"
SAME = "0.0 points over 480 pairs (95 % interval -1.8 to +1.8)"
SENTENCES = {
    "fell as a whole": f"{ONE}: {FELL}",
    "fell as a whole, one model": f"gpt-5.1-mini is worse than in the baseline: {FELL}",
    "fell by less than the drop": f"{ONE}, though by less than 20 points: {FELL}",
    "suites fell by themselves": (
        f"{ONE}: -7.3 points over 480 pairs (95 % interval -10.3 to -4.7), p < 0.0001; "
        f"fell by themselves: {FUTURE} (-33.3), {REGEX} (-25.0)"
    ),
    "one suite fell, and others with it": (
        f"{ONE}: -2.2 points over 540 pairs (95 % interval -4.3 to -0.3), p 0.018; fell by itself: {REGEX} (-20.0)"
    ),
    "one suite fell, and the whole run did not": (
        f"{ONE} in 1 of 41 suites ({REGEX} (-20.0)); "
        "together: -0.5 points over 2,460 pairs (95 % interval -1.3 to +0.3), p 0.126"
    ),
    "suites fell in a run that was interrupted": (
        f"{ONE} in 2 of 8 suites ({FUTURE} (-33.3), {REGEX} (-25.0)); "
        "together: -7.3 points over 480 pairs (95 % interval -10.3 to -4.7), p < 0.0001; the run was interrupted"
    ),
    "the only suite that ran fell": (
        f"{ONE} in {REGEX}: -20.0 points over 60 pairs (95 % interval -31.8 to -11.8), p 0.0002; "
        "the run was interrupted"
    ),
    "passed": f"{OTHER}gpt-5.1-mini is not worse than gpt-5-mini: {SAME}; a drop of 3 points is excluded",
    "passed in each suite": (
        f"{OTHER}gpt-5.1-mini is not worse than gpt-5-mini: {SAME}; a drop of 20 points is excluded in each suite"
    ),
    "open": (
        f"{OPEN} open: {SAME}, p 0.598; a drop of 0.5 points or more is not ruled out; "
        "a decision needs about 13,021 pairs (more samples)"
    ),
    "open in the suites": (
        f"{OPEN} open: {SAME}, p 0.598; a drop of 1 point or more is not ruled out in 8 of 8 suites"
    ),
    "interrupted": f"{OPEN} open, since the run was interrupted: {SAME}, p 0.598",
    "a budget ran out": (
        f"{OPEN} not judged: the budget ran out before all samples of the suite had run ({name_of('suite_0')}); "
        f"{SAME}, p 0.598"
    ),
    "a new suite": (
        f"{OTHER}gpt-5.1-mini is not worse than gpt-5-mini: {SAME}; a drop of 3 points is excluded; "
        f"not in the baseline: {name_of('new')}"
    ),
    "nothing in common": (
        f"{OTHER}gpt-5.1-mini is not compared with gpt-5-mini: "
        "the baseline has formulas of size 99, this run of size 2: 0 of 40 formulas are the same"
    ),
    "other seed": (
        "the baseline is of another model (gpt-5-mini) and of another seed (1; this run: 0); "
        "60 of 180 formulas are the same; "
        f"{OPEN.removeprefix(OTHER)} open: 0.0 points over 60 pairs (95 % interval -9.6 to +9.6), p 0.656; "
        "a drop of 3 points or more is not ruled out"
    ),
}


def first(analysis: Analysis) -> str:
    return str(analysis.headlines()[0][1]).translate(MINUS)


@pytest.mark.parametrize("name", SENTENCES)
def test_the_sentence_says_what_was_found_and_decided(name: str) -> None:
    assert first(STATES[name]) == SENTENCES[name]


def test_errors_are_named_with_how_they_count() -> None:
    reason = STATES["errors"].whole_runs[0].reason
    counted = "; 9 errors count at worst as lost and at best as kept; "
    assert re.search(
        f"{counted}the interval at worst, which decides on the drop, is .* to .*", reason
    )
    assert first(STATES["errors"]) == "1 suite with errors", (
        "the errors fail the run, whatever was compared"
    )


def test_the_worst_model_comes_first() -> None:
    told = [(state, str(text).translate(MINUS)) for state, text in STATES["two models"].headlines()]
    assert [state for state, _ in told] == ["failed", "passed"]
    assert told[0][1] == f"a is worse than in the baseline: {FELL}"
    assert told[1][1].startswith("b is not worse than in the baseline: ")


@pytest.mark.parametrize("name", ["fell as a whole", "suites fell by themselves", "passed", "open"])
def test_every_screen_begins_with_it(name: str) -> None:
    analysis = STATES[name]
    shown = document(analysis)
    for verbosity in (-1, 0, 1):
        text = " ".join(
            line.text for line in lines(shown, verbosity=verbosity, width=80)
        ).translate(MINUS)
        # pytest's own last line is green here: a terminal says first how the run ends.
        beginning = "inconclusive (exit code 10): " if name == "open" else ""
        assert text.startswith(beginning + SENTENCES[name])
        of_script = lines(shown, verbosity=verbosity, width=80, exits=False)
        assert of_script[0].text.startswith(beginning.replace(" (exit code 10)", ""))
    assert SENTENCES[name] in markdown(shown).splitlines()[0].translate(MINUS).replace("`", "")
    [heading] = re.findall(r'id="headline"[^>]*><bdi>([^<]*)<', render_page(shown, analysis.suites))
    told = SENTENCES[name].replace("the baseline", "The baseline", 1)
    assert unescape(heading).translate(MINUS) == told
    assert (
        dict(run_properties(shown))["autoeval.reason"].translate(MINUS).startswith(SENTENCES[name])
    )
    assert analysis.end(interrupted=False).reasons[0].translate(MINUS) == SENTENCES[name]


def test_a_suite_that_did_not_fall_has_no_sign_of_a_proof() -> None:
    shown = document(fell_as_a_whole().judged())
    text = [line.text for line in lines(shown, width=80)]
    assert not [line for line in text if "✓" in line]
    assert sum(line.startswith(f"· {name_of('suite_')[:15]}") for line in text) == 8
    assert "  · not judged alone: no fall shows in the suite alone; the drop is judged over" in text
    assert "| · `suites/test_suite_0.py::test_round_trip` |" in markdown(shown)
    [section, *_] = [section for section in shown.sections if section.suite is not None]
    values = dict(properties(section))
    assert (values["autoeval.verdict"], values["autoeval.baseline_verdict"]) == (
        "with the run",
        "with the run",
    )
    assert "not judged alone" in values["autoeval.baseline_reason"]
    assert "autoeval.drop" not in values, "the suite need not exclude it"


def test_a_suite_that_meets_its_threshold_has_the_sign_for_that() -> None:
    shown = document(fell_as_a_whole(threshold=0.5).judged())
    assert {section.state for section in shown.sections if section.suite is not None} == {"passed"}
    assert shown.state == "failed"


def whole_run_figures(
    shown: Document,
) -> dict[str, dict[str, tuple[float | None, float | None, float | None]]]:
    """The figures of each model's whole run, by title and name: value and ends."""
    [verdict] = [section for section in shown.sections if section.name == "verdict"]
    return {
        block.title: {
            figure.name: (figure.value, figure.low, figure.high) for figure in block.figures
        }
        for block in verdict.blocks
        if isinstance(block, Figures) and block.title
    }


def test_programs_find_the_figures_of_each_model() -> None:
    found = whole_run_figures(document(STATES["two models"]))
    assert set(found) == {"a against the baseline", "b against the baseline"}
    values = {name: value for name, (value, _, _) in found["a against the baseline"].items()}
    assert (values["pairs"], values["won"], values["lost"]) == (480, 8, 32)
    assert (values["difference"], values["allowed drop"], values["level"]) == (-0.05, 0.03, 0.0125)
    _, low, high = found["a against the baseline"]["difference"]
    assert low is not None
    assert high is not None
    assert low < -0.05 < high < 0
    assert "pairs for a decision" not in values
    assert (
        "pairs for a decision"
        in whole_run_figures(document(STATES["open"]))["gpt-5.1-mini against the baseline"]
    )


def fallen_rows(analysis: Analysis) -> list[tuple[str, str | None, bool]]:
    """Of each row of the comparison: the suite, its state, and whether it is listed as fallen."""
    [section] = [section for section in document(analysis).sections if section.name == "comparison"]
    table = next(block for block in section.blocks if isinstance(block, Table))
    return [(str(row.cells[0]), row.state, bool(row.marked)) for row in table.rows]


def test_suites_that_fell_lead_the_comparison_and_are_marked() -> None:
    runs = one_fell().add("listed", lost=7, kept=53)
    rows = fallen_rows(runs.judged())
    named = [f"{name_of(suite)}[gpt-5.1-mini]" for suite in ("ltl_future", "regex", "listed")]
    assert rows[:3] == [
        (named[0], "failed", True),
        (named[1], "failed", True),
        (named[2], "not judged alone", True),
    ]
    assert not any(marked for _, _, marked in rows[3:])
    assert not any(marked for _, _, marked in fallen_rows(unchanged().judged()))


def test_of_one_suite_the_sentence_is_enough() -> None:
    analysis = BothRuns().add("regex", lost=12, kept=48).judged()
    assert (
        first(analysis)
        == f"{ONE}: -20.0 points over 60 pairs (95 % interval -31.8 to -11.8), p 0.0002"
    )
    assert not any(marked for _, _, marked in fallen_rows(analysis))


def test_a_new_suite_does_not_keep_a_run_from_passing() -> None:
    runs = unchanged()
    runs.here += pairs("new", lost=0)[1]
    for rules in (Rules(drop=0.03), Rules(suite_drop=0.2)):
        assert runs.judged(rules).verdict == "passed"


def test_csv_names_the_state() -> None:
    texts = tables(document(fell_as_a_whole().judged()))
    assert any("not judged alone" in text for text in texts.values())
