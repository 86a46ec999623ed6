"""Which rows of two runs are compared, and what is said of those that are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from support.analyses import analyse, baseline_of
from support.result_rows import call, changed, row, suites_of
from support.screens import texts
from support.wordings import worded

from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.baseline_runs import Baseline, Variant
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.suite_names import suite_name
from pytest_autoeval.report.analysis import analyse as analyse_suites

SUITE = "suites/test_propositional.py::test_round_trip"


def run(outcomes: Sequence[str], **changes: Any) -> list[Sample]:
    """A run with an outcome for each formula."""
    return [row(outcome, index=n, formula=f"p{n}", **changes) for n, outcome in enumerate(outcomes)]


def compared(
    here: list[Sample], there: list[Sample], drop: float | None = 0.05
) -> list[BaselineGate]:
    return analyse(here, Rules(drop=drop), baseline=baseline_of(there)).comparisons


def only(here: list[Sample], there: list[Sample], drop: float | None = 0.05) -> BaselineGate:
    (gate,) = compared(here, there, drop)
    return gate


PASS, FAIL = "equivalent", "different"


def test_a_formula_is_compared_with_itself_wherever_it_stands() -> None:
    before = run([PASS, PASS, FAIL, PASS])
    after = [changed(one, index=9 - one.index) for one in reversed(run([PASS, FAIL, PASS, PASS]))]
    test = only(after, before).test
    assert test is not None
    assert (test.pairs, test.won, test.lost, test.tied) == (4, 1, 1, 2)


def test_formulas_of_one_run_alone_are_listed_and_not_compared() -> None:
    gate = only(run([PASS] * 5), [*run([FAIL] * 3), row(FAIL, formula="gone")])
    assert (len(gate.compared.pairs), gate.compared.only_now, gate.compared.only_before) == (
        3,
        ("p3", "p4"),
        ("gone",),
    )


def test_repeats_are_the_trials_of_one_pair() -> None:
    before = [row(PASS, repeat=n, formula="p") for n in range(4)]
    after = [row(outcome, repeat=n, formula="p") for n, outcome in enumerate([PASS, FAIL])]
    gate = only(after, before)
    assert gate.test is not None
    assert (len(gate.compared.pairs), gate.test.before, gate.test.after) == (1, 1.0, 0.5)
    assert "the repeats differ: 2 (baseline: 4)" in map(str, gate.flags)


@pytest.mark.parametrize("key", ["item", "text", "sentence", "other", "trace", "operators"])
def test_what_is_asked_beside_the_formula_tells_items_apart(key: str) -> None:
    one, two = (
        row(PASS, **{key: value}) for value in ((1, 2) if key == "operators" else ("a", "b"))
    )
    assert len(only([one], [two]).compared.pairs) == 0
    assert len(only([one, two], [two, one]).compared.pairs) == 2


def test_a_trace_that_a_model_wrote_tells_no_items_apart() -> None:
    before = row("correct", expected="satisfying", trace="{a}; cycle {}")
    for after in (
        row("wrong answer", expected="satisfying", trace="cycle {a}"),
        row("refused or empty", expected="satisfying"),
    ):
        gate = only([after], [before])
        assert gate.test is not None
        assert (len(gate.compared.pairs), gate.test.lost) == (1, 1)


def test_errors_are_pairs_with_bounds_and_named() -> None:
    gate = only(run([PASS, "error", PASS]), run(["error", PASS, PASS]))
    assert gate.test is not None
    assert gate.bounds is not None
    assert (len(gate.compared.pairs), gate.test.pairs, gate.errors) == (3, 1, 2)
    assert (gate.bounds.worst.lost, gate.bounds.best.won) == (1, 1)
    assert "1 sample ended in an error, at worst as lost and at best as kept" in map(
        str, gate.flags
    )
    assert (
        "1 sample of the baseline ended in an error, at worst as lost and at best as kept"
        in map(str, gate.flags)
    )


def test_an_undecided_sample_did_not_pass_on_either_side_and_is_named() -> None:
    gate = only(run(["undecided", "undecided", PASS]), run([PASS, FAIL, "undecided"]))
    assert gate.test is not None
    assert (gate.test.won, gate.test.lost, gate.test.tied) == (1, 1, 1)
    assert "undecided, at worst as lost and at best as kept: 2 (baseline: 1)" in map(
        str, gate.flags
    )


def test_a_row_that_shrinking_made_is_not_compared() -> None:
    assert (
        only([*run([PASS]), row(FAIL, formula="p7", shrunk=True)], run([PASS])).compared.only_now
        == ()
    )


@pytest.mark.parametrize(
    ("suite", "interface", "way", "plain"),
    [
        ("t.py::test_a", "minimal", "zero-shot", "t.py::test_a"),
        ("t.py::test_a[zero-shot]", "", "zero-shot", "t.py::test_a"),
        ("t.py::test_a[minimal-few-shot]", "minimal", "few-shot", "t.py::test_a"),
        ("t.py::test_a[few-shot-formal]", "", "few-shot", "t.py::test_a[formal]"),
        ("t.py::test_a[formal]", "", "few-shot", "t.py::test_a[formal]"),
        ("t.py::test_a[minimality]", "minimal", "few-shot", "t.py::test_a[minimality]"),
    ],
)
def test_a_suite_is_known_without_its_variant(
    suite: str, interface: str, way: str, plain: str
) -> None:
    """In files that are older than the key `variant`, the variant is found by interface and prompting."""
    asked = row(suite=suite, interface=interface or None, way=way).suite.asked
    assert suite_name(asked.function, asked.parameters) == plain


def test_a_run_of_several_ways_is_compared_with_runs_of_one_way_each() -> None:
    zero, few = run([PASS, PASS], way="zero-shot"), run([FAIL, FAIL], way="few-shot")
    both = [changed(one, suite=f"{SUITE}[{one.suite.asked.prompting}]") for one in zero + few]
    gates = {gate.suite: gate for gate in compared(both, zero)}
    assert len(gates[f"{SUITE}[zero-shot]"].compared.pairs) == 2
    refusal = str(gates[f"{SUITE}[few-shot]"].compared.refusal)
    assert (
        refusal
        == "this run has the prompting few-shot, and the baseline zero-shot (--autoeval-prompting)"
    )


@pytest.mark.parametrize(
    ("here", "there", "reason"),
    [
        (
            {"way": "few-shot"},
            {"way": "zero-shot"},
            "the prompting few-shot, and the baseline zero-shot",
        ),
        (
            {"interface": "minimal"},
            {"interface": "python"},
            "the interface minimal, and the baseline python",
        ),
        ({"reader": "r"}, {}, "the reader r, and the baseline none"),
        ({}, {"reader": "r"}, "the reader none, and the baseline r"),
    ],
)
def test_a_suite_that_was_asked_in_another_way_is_not_compared(
    here: Any, there: Any, reason: str
) -> None:
    before = run([PASS, FAIL], **there)
    analysis = analyse(run([PASS, PASS], **here), Rules(drop=0.05), baseline=baseline_of(before))
    (gate,) = analysis.comparisons
    assert (gate.verdict, gate.test, analysis.verdict) == ("with the run", None, "inconclusive")
    assert gate.reason.startswith(f"not compared: this run has {reason} (--autoeval-")
    assert analysis.notes == []


def test_a_prompting_that_this_run_left_out_is_named() -> None:
    both = [
        changed(one, suite=f"{SUITE}[{way}]")
        for way in ("few-shot", "zero-shot")
        for one in run([PASS], way=way)
    ]
    notes = analyse(run([PASS], way="few-shot"), Rules(), baseline=baseline_of(both)).notes
    assert [*map(str, notes)] == [
        f"in the baseline but not in this run (renamed?): {SUITE}[offline/student-zero-shot]"
    ]


def test_a_suite_that_did_not_run_is_not_taken_for_a_renamed_one() -> None:
    before = [*run([PASS], suite="one"), *run([PASS], suite="two")]
    cut = {("two", "offline/student"): Extent(planned=1, interrupted=True)}
    analysis = analyse(
        run([PASS], suite="one"), Rules(drop=0.05), baseline=baseline_of(before), extents=cut
    )
    assert {judgement.gate.suite: judgement.verdict for judgement in analysis.judgements}[
        "two"
    ] == "interrupted"
    assert analysis.notes == []


def test_an_unknown_combination_of_prompting_and_interface_is_not_compared() -> None:
    ways = (("few-shot", "python"), ("zero-shot", "minimal"))
    before = [
        one
        for way, interface in ways
        for one in run([PASS], suite=f"{SUITE}[{interface}-{way}]", way=way, interface=interface)
    ]
    gate = only(run([PASS], way="few-shot", interface="minimal"), before)
    assert gate.reason.endswith(
        "only with another combination of prompting, interface, prompts and reader"
    )


def test_a_row_that_ended_before_it_was_asked_belongs_to_its_suite() -> None:
    asked = run([PASS, PASS], interface="minimal", way="zero-shot")
    broken = [*asked[:1], row("error", index=1, formula="p1", way="zero-shot")]
    assert [pair.answered for pair in only(broken, asked).compared.pairs] == [True, False]


def test_an_unknown_model_is_compared_with_the_only_one_and_said_by_name() -> None:
    gate = only(run([PASS], model="new"), run([PASS], model="old"))
    assert gate.compared.before is not None
    assert (gate.model, gate.compared.before.model, len(gate.compared.pairs)) == ("new", "old", 1)
    # The run says it once, and no suite.
    assert gate.flags == ()
    [whole_run] = analyse(
        run([PASS], model="new"), Rules(), baseline=baseline_of(run([PASS], model="old"))
    ).whole_runs
    assert whole_run.reason.startswith("the baseline is of another model (old); ")


def test_an_unknown_model_is_compared_with_none_of_several() -> None:
    before = run([PASS], model="a") + run([PASS], model="b")
    analysis = analyse(run([PASS], model="new"), Rules(drop=0.05), baseline=baseline_of(before))
    (gate,) = analysis.comparisons
    assert (gate.test, gate.compared.is_new, analysis.verdict) == (None, False, "inconclusive")
    several = "the baseline has several models for this suite, but not new: a, b"
    assert gate.reason == f"not compared: {several} (--autoeval-baseline-model=NAME names one)"


def test_a_named_model_of_the_baseline_is_compared_with_every_model() -> None:
    before = [*run([PASS, PASS], model="a"), *run([FAIL, FAIL], model="b")]
    for model in ("new", "b"):
        after = run([PASS, FAIL], model=model)
        (gate,) = analyse(after, Rules(), baseline=Baseline(suites_of(before), "a")).comparisons
        assert gate.test is not None
        assert gate.compared.before is not None
        assert (gate.compared.before.model, gate.test.won, gate.test.lost) == ("a", 0, 1)


def test_with_a_named_model_only_its_suites_are_missed() -> None:
    """Suites of its other models are not what this run is compared with."""
    before = [
        one
        for model in ("a", "b")
        for name in ("one", "two")
        for one in run([PASS], suite=name, model=model)
    ]
    analysis = analyse(
        run([PASS], suite="one", model="new"), Rules(), baseline=Baseline(suites_of(before), "a")
    )
    assert [*map(str, analysis.notes)] == ["in the baseline but not in this run (renamed?): two[a]"]
    otherwise = run([PASS], suite="two", model="new", way="few-shot")
    after = [*run([PASS], suite="one", model="new"), *otherwise]
    assert analyse(after, Rules(), baseline=Baseline(suites_of(before), "a")).notes == []


@pytest.mark.parametrize("named", [None, "old"])
def test_a_suite_that_the_baseline_has_only_of_other_models_is_new(named: str | None) -> None:
    """A model that the baseline knows is compared with no other one, suite by suite."""
    before = [*run([PASS] * 3, suite="one", model="old"), *run([PASS] * 3, suite="two", model="x")]
    after = [one for name in ("one", "two") for one in run([PASS] * 3, suite=name, model="old")]
    baseline = Baseline(suites_of(before), named)
    one, two = analyse(after, Rules(drop=0.9), baseline=baseline).comparisons
    assert (one.compared.is_new, two.compared.is_new) == (False, True)
    assert two.reason == "not compared: the baseline has this suite only of other models"


def test_a_suite_of_one_run_alone_is_named() -> None:
    here = run([PASS], suite="new")
    there = run([PASS], suite="old\x1b[2J")
    assert (
        only(here, there).reason == "not compared: the baseline does not have this suite (renamed?)"
    )
    notes = [
        [*map(str, analyse(rows, Rules(), baseline=baseline_of(there)).notes)]
        for rows in (here, there)
    ]
    assert notes == [
        ["in the baseline but not in this run (renamed?): old\\x1b[2J[offline/student]"],
        [],
    ]


@pytest.mark.parametrize(
    ("key", "value", "flag"),
    [
        ("grammar", "mine", "the grammar differs: mine (baseline: propositional)"),
        ("vocabulary", "\x1b[1m", "the vocabulary differs: \\x1b[1m (baseline: synthetic)"),
    ],
)
def test_what_formulas_were_drawn_with_is_flagged_where_it_differs(
    key: str, value: object, flag: str
) -> None:
    assert [*map(str, only(run([PASS], **{key: value}), run([PASS])).flags)] == [flag]


def test_formulas_that_were_put_in_other_words_are_counted() -> None:
    other = [call("informalize", prompt_digest="other"), call("autoformalize")]
    after = [*run([PASS])[:1], row(PASS, formula="p1", calls=other)]
    assert [*map(str, only(after, run([PASS, PASS])).flags)] == [
        "the prompts differ for 1 of 2 formulas"
    ]


def test_the_second_prompt_differs_only_where_it_holds_the_same_description() -> None:
    calls = [call("informalize"), call("autoformalize", prompt_digest="other")]
    same, another = row(PASS, calls=calls), row(PASS, calls=calls, description="Neither.")
    assert [*map(str, only([same], [row(PASS)]).flags)] == ["the prompts differ for 1 of 1 formula"]
    assert only([another], [row(PASS)]).flags == ()


def several(*runs: Sequence[Sample]) -> Baseline:
    """The baseline of several runs."""
    return Baseline([suite for samples in runs for suite in suites_of(samples)])


def test_several_runs_are_one_baseline_with_more_repeats() -> None:
    before = [run([PASS, FAIL]), run([PASS, PASS]), run([FAIL, PASS, PASS])]
    (gate,) = analyse(run([PASS, PASS]), Rules(drop=0.05), baseline=several(*before)).comparisons
    assert [pair.trials for pair in gate.compared.pairs] == [((2, 3), (1, 1)), ((2, 3), (1, 1))]
    assert (len(gate.compared.only_now), gate.compared.only_before) == (0, ("p2",))
    assert "the repeats differ: 1 (baseline: 3)" in map(str, gate.flags)


def test_suites_of_several_runs_are_joined_by_what_they_asked_and_not_by_number() -> None:
    """A run with other suites, or in another order, has other numbers."""
    first = [*run([PASS], suite="a"), *run([FAIL], suite="b")]
    second = run([FAIL], suite="b")
    assert [suite.number for suite in suites_of(first)] == [1, 2]
    assert [suite.number for suite in suites_of(second)] == [1]
    after = [*run([PASS], suite="a"), *run([PASS], suite="b")]
    one, two = analyse(after, Rules(), baseline=several(first, second)).comparisons
    assert [len(gate.compared.pairs[0].before) for gate in (one, two)] == [1, 2]


def test_runs_of_several_seeds_add_pairs_and_are_no_mismatch() -> None:
    other = [changed(one, seed=7, formula=f"q{one.index}") for one in run([PASS] * 4)]
    (gate,) = analyse(
        run([PASS] * 4), Rules(drop=0.05), baseline=several(run([PASS] * 4), other)
    ).comparisons
    assert (len(gate.compared.pairs), len(gate.compared.only_before)) == (4, 4)
    assert gate.compared.mismatch is None


def test_what_the_runs_of_a_baseline_were_asked_otherwise_is_flagged() -> None:
    other = [call("informalize", prompt_digest="other"), call("autoformalize")]
    before = run([PASS]), run([PASS], calls=other)
    (gate,) = analyse(run([PASS]), Rules(), baseline=several(*before)).comparisons
    assert "the prompts differ for 1 of 1 formula" in map(str, gate.flags)


def test_one_of_several_runs_that_is_this_run_is_noticed() -> None:
    here = run([PASS, PASS], started="2026-11-24T05:45:12+00:00")
    elsewhere = [
        changed(one, verdict_seconds=0.5, started="2026-11-25T05:45:12+00:00") for one in here
    ]
    for before in ((here, elsewhere), (elsewhere, here)):
        (note,) = analyse(here, Rules(), baseline=several(*before)).notes
        assert str(note).startswith(
            "2 samples of this run are also in the baseline, from the same calls"
        )
    assert analyse(here, Rules(), baseline=several(elsewhere)).notes == []


def folder_of_match(baseline: Baseline, *folders: str) -> tuple[str, ...] | str:
    """The folders of prompts of the suite that a suite with these folders is compared with, or why there is none."""
    found = baseline.compared_with(worded(run([PASS]), *folders))
    return str(found.refusal) if found.before is None else found.before.asked.prompts


def test_a_wording_is_compared_with_itself_else_with_the_only_one_before() -> None:
    exact, terse = (worded(run([PASS]), folder) for folder in ("v1/exact", "terse"))
    both = Baseline([exact, terse])
    assert folder_of_match(both, "terse") == ("terse",)
    assert folder_of_match(both, "v1/exact") == ("v1/exact",)
    assert folder_of_match(Baseline([exact]), "terse") == ("v1/exact",)
    assert folder_of_match(Baseline([worded(run([PASS]))]), "terse") == ()


def test_a_wording_is_compared_with_none_of_several_before_unless_one_is_named() -> None:
    suites = [worded(run([PASS]), folder) for folder in ("v1/exact", "terse")]
    why = folder_of_match(Baseline(suites), "new")
    assert why == (
        "the baseline has this suite with several folders of prompts, but not with new: terse; v1/exact "
        "(--autoeval-baseline-variant=prompts:FOLDER names one)"
    )
    assert "not with default" in str(folder_of_match(Baseline(suites)))
    for name in ("exact", "v1/exact", "v1/exact/"):
        named = Baseline(suites, variant=Variant(prompts=name))
        assert folder_of_match(named, "new") == ("v1/exact",)
        assert folder_of_match(named, "terse") == ("v1/exact",), "the name decides"
    shipped = Baseline([*suites, worded(run([PASS]))], variant=Variant(prompts="default"))
    assert folder_of_match(shipped, "terse") == ()


OTHER_TEST = "suites/test_ltl.py::test_round_trip"


def with_a_test_of_no_folder(*folders: str) -> list[SuiteRecord]:
    """A run with these folders of prompts, and with a test that none of them has a prompt for."""
    wordings = [
        worded(run([PASS] * 4, suite=SUITE), folder, number=number)
        for number, folder in enumerate(folders, 1)
    ]
    # Of several folders, such a test is asked once, and names none. A single folder it names.
    own = folders if len(folders) == 1 else ()
    other = worded(run([PASS] * 4, suite=OTHER_TEST), *own, number=len(folders) + 1)
    return [*wordings, other]


@pytest.mark.parametrize("here", [("shipped",), ("shipped", "v2")])
def test_a_test_without_the_named_variant_is_compared_as_usual(here: tuple[str, ...]) -> None:
    baseline = Baseline(
        with_a_test_of_no_folder("exact", "terse"), variant=Variant(prompts="exact")
    )
    analysis = analyse_suites(with_a_test_of_no_folder(*here), Rules(drop=0.9), baseline=baseline)
    suites_before = [gate.compared.before for gate in analysis.comparisons]
    folders = [suite.asked.prompts for suite in suites_before if suite is not None]
    assert sorted(folders) == sorted([*[("exact",)] * len(here), ()])
    assert [*map(str, analysis.notes)] == [], "the user named the wording: the other is not missing"
    assert analysis.verdict == "passed"


@pytest.mark.parametrize("kind", ["interface", "prompting", "reader"])
def test_a_kind_of_variant_that_a_test_does_not_have_is_not_asked_of_it(kind: str) -> None:
    field = "way" if kind == "prompting" else kind
    values = {"interface": "minimal", "prompting": "few-shot", "reader": "r"}
    of_variant = run([PASS] * 4, suite=SUITE, **{field: values[kind]})
    suites = [*suites_of(of_variant), *suites_of(run([PASS] * 4, suite=OTHER_TEST))]
    baseline = Baseline(suites, variant=Variant(**{kind: values[kind]}))
    here = suites_of([*run([PASS] * 4), *run([PASS] * 4, suite=OTHER_TEST)])
    compared_suites = [baseline.compared_with(suite).before for suite in here]
    assert None not in compared_suites


def test_a_wording_that_was_not_named_is_missed_only_if_nothing_was_named() -> None:
    suites = with_a_test_of_no_folder("exact", "terse")
    here = with_a_test_of_no_folder("exact")
    [note] = analyse_suites(here, Rules(), baseline=Baseline(suites)).notes
    assert str(note).endswith(f"(renamed?): {SUITE}[offline/student]")
    # Without the test itself, its wording is missing whatever was named.
    named = Baseline(suites, variant=Variant(prompts="exact"))
    [note] = analyse_suites(here[1:], Rules(), baseline=named).notes
    assert str(note).endswith(f"(renamed?): {SUITE}[offline/student]")


@pytest.mark.parametrize("drop", [None, 0.9])
def test_a_dash_in_the_table_has_its_reason_beside_it_once(drop: float | None) -> None:
    """Also if falls are judged: the verdict on the run names such suites alone."""
    here = with_a_test_of_no_folder("shipped", "v2")
    baseline = Baseline(with_a_test_of_no_folder("exact", "terse"))
    analysis = analyse_suites(here, Rules(drop=drop), baseline=baseline)
    shown = " ".join(" ".join(texts(analysis, width=200)).split())
    for folder in ("shipped", "v2"):
        reason = f"several folders of prompts, but not with {folder}: exact; terse"
        assert shown.count(reason) == 1


def test_a_reason_in_the_headline_does_not_stand_below_it_again() -> None:
    here = with_a_test_of_no_folder("shipped", "v2")[:1]
    baseline = Baseline(with_a_test_of_no_folder("exact", "terse"))
    analysis = analyse_suites(here, Rules(drop=0.9), baseline=baseline)
    shown = " ".join(" ".join(texts(analysis, width=200)).split())
    assert shown.count("several folders of prompts, but not with shipped") == 1
    new = analyse(run([PASS], suite="new"), Rules(drop=0.9), baseline=baseline_of(run([PASS])))
    shown = " ".join(" ".join(texts(new, width=200)).split())
    assert shown.count("the baseline does not have this suite") == 1


def test_a_new_model_with_several_wordings_before_is_compared_with_its_own() -> None:
    suites = [worded(run([PASS], model="old"), folder) for folder in ("exact", "terse")]
    found = Baseline(suites).compared_with(worded(run([PASS], model="new"), "terse"))
    assert found.before is not None
    assert found.before.asked.prompts == ("terse",)
