"""Several `--autoeval-prompts`: each folder is a variant, compared with the others on the same formulas."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.program import Program

from pytest_autoeval import read_results

from .conftest import Run, Suite, said

#: It overlooks a "not" at the beginning, unless the prompt asks for exact English.
CONFTEST = """
from pytest_autoeval import language

LOGIC = language("propositional")


class Hasty:
    def complete(self, messages, *, repeat=0):
        *_, label, text = messages[-1].content.splitlines()
        if label != "Formula:":
            return str(LOGIC.read_description(text))
        if "exact" not in messages[0].content:
            text = text.removeprefix("¬")
        return LOGIC.describe(LOGIC.parse(text))


def pytest_autoeval_register(registry):
    registry.add_model("hasty", Hasty)
"""
HASTY = ("--autoeval-model=hasty", "--autoeval-shrink-budget=0")
BOTH = (*HASTY, "--autoeval-prompts=terse", "--autoeval-prompts=exact")
TEMPLATE = 'system = "Write {kind} English."\nuser = """\nVocabulary:\n${{vocabulary}}\n\nFormula:\n${{formula}}"""\n'

Wording = Callable[..., None]


@pytest.fixture
def wording(pytester: pytest.Pytester) -> Wording:
    """Writes a folder of prompts, of kind ``exact`` or another."""

    def write(folder: str, kind: str = "", language: str = "propositional") -> None:
        path = pytester.path / folder / "informalize" / f"{language}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEMPLATE.format(kind=kind or folder), encoding="utf-8")

    return write


@pytest.fixture
def both(pytester: pytest.Pytester, suite: Suite, wording: Wording) -> None:
    """A suite, a model that reads its prompt, and two wordings."""
    suite()
    pytester.makeconftest(CONFTEST)
    wording("terse")
    wording("exact")


@pytest.mark.usefixtures("both")
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_two_folders_are_two_suites_that_are_compared(
    run: Run, program: Program, workers: tuple[str, ...]
) -> None:
    result = run(*BOTH, "--autoeval-results=out.jsonl", "--autoeval-html=page.html", *workers)
    results = read_results("out.jsonl")
    assert [(suite.asked.variant, suite.asked.prompts) for suite in results.suites] == [
        ("terse", ("terse",)),
        ("exact", ("exact",)),
    ]
    terse, exact = results.suites
    assert [one.formula for one in terse.counted] == [one.formula for one in exact.counted]
    lost = [sample for sample in terse.counted if not sample.passed]
    assert lost
    assert all(sample.passed for sample in exact.counted)
    shown = program("report", "out.jsonl").text
    for text in (" ".join(said(result).split()), shown):
        assert "pass rates by interface, prompting and prompts" in text
        assert f"{len(lost)} formulas passed with exact alone, 0 with terse alone" in text
        assert "passed: exact" in text
        assert "failed: terse" in text
    assert {suite.name for suite in read_results(["out.jsonl"]).suites} == {
        suite.name for suite in results.suites
    }, "a report has the names of the run"


@pytest.mark.usefixtures("both")
def test_each_wording_has_recordings_of_its_own_and_the_plan_counts_both(run: Run) -> None:
    plan = " ".join(said(run(*BOTH, "--autoeval-plan")).split())
    assert "[hasty-terse]" in plan
    assert "[hasty-exact]" in plan
    recorded = run(*BOTH, "--autoeval-record-mode=new_episodes")
    assert "replayed 0.0 %" in said(recorded)
    replayed = run(*BOTH, "--autoeval-record-mode=none", "-n", "2")
    assert "replayed 100.0 %" in said(replayed)
    assert "ended in an error" not in said(replayed)


@pytest.mark.usefixtures("both")
def test_the_command_of_a_failure_asks_with_its_own_wording(
    run: Run, pytester: pytest.Pytester
) -> None:
    shown = said(run(*BOTH, "--autoeval-threshold=100%"))
    [command] = {line.strip() for line in shown.splitlines() if "reproduce  " in line}
    assert "--autoeval-prompts=terse" in command
    assert "exact" not in command
    pytester.makeini("[pytest]\nautoeval_prompts =\n    terse\n    exact\n")
    shown = said(run(*HASTY, "--autoeval-threshold=100%"))
    [command] = {line.strip() for line in shown.splitlines() if "reproduce  " in line}
    assert "--autoeval-prompts=terse" in command


@pytest.mark.usefixtures("both")
def test_each_wording_is_compared_with_itself_in_a_baseline(run: Run, program: Program) -> None:
    run(*BOTH, "--autoeval-results=before.jsonl")
    again = " ".join(said(run(*BOTH, "--autoeval-baseline=before.jsonl")).split())
    assert "other prompts" not in again
    assert "not compared" not in again
    # Another folder: the baseline has two, so it must be named.
    Path("third").symlink_to("terse")
    third = (*HASTY, "--autoeval-prompts=third", "--autoeval-baseline=before.jsonl")
    assert "several folders of prompts, but not with third" in " ".join(said(run(*third)).split())
    named = run(
        *third, "--autoeval-baseline-variant=prompts:terse", "--autoeval-results=third.jsonl"
    )
    named_once = " ".join(said(named).split())
    assert named_once.count("the baseline is of other prompts (terse; this run: third)") == 1
    shown = program(
        "report", "third.jsonl", "--baseline=before.jsonl", "--baseline-variant=prompts:exact"
    ).text
    assert "the baseline is of other prompts (exact; this run: third)" in " ".join(shown.split())
    refused = run(*third, "--autoeval-baseline-variant=prompts:fourth")
    assert "there is no folder of prompts of the baseline 'fourth'" in said(refused)
    refused = run(*third, "--autoeval-baseline-variant=terse")
    assert "For the folder of prompts, write prompts:terse" in said(refused)


@pytest.mark.usefixtures("both")
def test_two_runs_with_other_prompts_are_compared_in_one_report(run: Run, program: Program) -> None:
    for folder in ("terse", "exact"):
        run(*HASTY, f"--autoeval-prompts={folder}", f"--autoeval-results={folder}.jsonl")
    shown = program("report", "terse.jsonl", "exact.jsonl").text
    assert "test_round_trip[exact]" in shown
    assert "formulas passed with exact alone, 0 with terse alone" in shown


@pytest.mark.usefixtures("both")
def test_folders_of_one_name_are_told_apart(run: Run, wording: Wording) -> None:
    wording("v1/prompts", "terse")
    wording("v2/prompts", "exact")
    folders = ("--autoeval-prompts=v1/prompts", "--autoeval-prompts=v2/prompts")
    run(*HASTY, *folders, "--autoeval-results=out.jsonl")
    assert [suite.asked.variant for suite in read_results("out.jsonl").suites] == [
        "v1/prompts",
        "v2/prompts",
    ]


@pytest.mark.usefixtures("both")
def test_a_folder_that_is_missing_or_given_twice_is_refused(run: Run) -> None:
    missing = run(*HASTY, "--autoeval-prompts=terse", "--autoeval-prompts=nowhere")
    assert missing.ret == pytest.ExitCode.USAGE_ERROR
    assert "--autoeval-prompts: there is no folder" in said(missing)
    Path("link").symlink_to("terse")
    for second, problem in (("terse", "is given twice"), ("link", "are one folder")):
        twice = run(*HASTY, "--autoeval-prompts=terse", f"--autoeval-prompts={second}")
        assert twice.ret == pytest.ExitCode.USAGE_ERROR
        assert problem in said(twice)


@pytest.mark.usefixtures("both")
def test_a_suite_without_a_prompt_in_any_folder_runs_once(
    run: Run, pytester: pytest.Pytester, suite: Suite
) -> None:
    file = suite()
    pytester.makepyfile(test_ltl=file.read_text(encoding="utf-8").replace("propositional", "ltl"))
    run(
        *("test_ltl.py", "--autoeval-prompts=terse", "--autoeval-prompts=exact"),
        *("--autoeval-results=out.jsonl", "--autoeval-shrink-budget=0"),
    )
    [alone] = read_results("out.jsonl").suites
    assert (alone.asked.variant, alone.asked.prompts) == ("", ())
    # A single folder without a prompt for it is not named either: a comparison has nothing else to say then.
    shown = run(
        *("test_ltl.py", "--autoeval-prompts=terse", "--autoeval-baseline=out.jsonl"),
        *("--autoeval-results=again.jsonl", "--autoeval-shrink-budget=0"),
    )
    [again] = read_results("again.jsonl").suites
    assert again.asked.prompts == ()
    assert "other prompts" not in said(shown)


IN_ANOTHER_LANGUAGE = """
from pytest_autoeval import autoeval, language


@autoeval("regex", operators=[2], samples=2)
def test_it(sample, llm, assert_equivalent):
    formula = language("propositional").parse("p1 & ~p2")
    assert_equivalent(llm.autoformalize(llm.informalize(formula), like=formula), formula)
"""


def test_a_body_that_asks_in_another_language_uses_the_prompts_of_the_only_folder(
    pytester: pytest.Pytester, run: Run, wording: Wording
) -> None:
    pytester.makepyfile(test_other=IN_ANOTHER_LANGUAGE)
    wording("terse")
    result = run("--autoeval-prompts=terse", "--autoeval-results=out.jsonl")
    result.assert_outcomes(passed=1)
    assert "prompts of your own in use: terse/informalize/propositional.toml" in said(result)
    # The folder has none in the language of the samples.
    assert read_results("out.jsonl").suites[0].asked.prompts == ()


@pytest.mark.usefixtures("both")
def test_promptings_and_wordings_make_all_combinations(run: Run) -> None:
    shipped_examples = ("--autoeval-prompting=zero-shot", "--autoeval-prompting=self-refine")
    run(*BOTH, *shipped_examples, "--autoeval-results=out.jsonl")
    assert {suite.asked.variant for suite in read_results("out.jsonl").suites} == {
        f"{prompting}-{folder}"
        for prompting in ("zero-shot", "self-refine")
        for folder in ("terse", "exact")
    }


@pytest.mark.usefixtures("both")
def test_a_wording_that_is_not_compared_is_named_with_the_reason(
    run: Run, pytester: pytest.Pytester
) -> None:
    refuses = """
        if "exact English" in messages[0].content:
            raise ValueError("this prompt is refused")
"""
    first_line = "        *_, label, text = messages[-1].content.splitlines()\n"
    pytester.makeconftest(CONFTEST.replace(first_line, first_line + refuses.lstrip("\n")))
    shown = " ".join(said(run(*BOTH)).split())
    assert "test_round_trip[hasty]: exact is not compared: no sample was answered" in shown
    assert "terse is not compared" not in shown


@pytest.mark.usefixtures("both")
def test_the_verdict_names_the_wording_of_the_baseline(run: Run, wording: Wording) -> None:
    wording("fresh")
    run(*HASTY, "--autoeval-prompts=terse", "--autoeval-results=before.jsonl")
    against = (*HASTY, "--autoeval-baseline=before.jsonl", "--autoeval-fail-on=drop:5%")
    one = " ".join(said(run(*against, "--autoeval-prompts=fresh")).split())
    assert one.count("the baseline is of other prompts (terse; this run: fresh); ") == 1
    two = " ".join(
        said(run(*against, "--autoeval-prompts=terse", "--autoeval-prompts=fresh")).split()
    )
    assert "the baseline is of other prompts in 1 of 2 suites (terse; this run: fresh); " in two
    same = " ".join(said(run(*against, "--autoeval-prompts=terse")).split())
    assert "of other prompts" not in same
