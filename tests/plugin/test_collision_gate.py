"""The gate `collisions=` of a suite of sentences."""

from __future__ import annotations

import pytest
from support.documents_read import blocks, read_summary, sentence
from support.documents_read import suite as the_suite

from pytest_autoeval.requirements.questions_command import main as questions
from pytest_autoeval.running.check_command import main as check
from pytest_autoeval.running.report_command import main

from .conftest import FAITHFUL, SENTENCES_SUITE, Run, Suite, said

START = "At the start, at this and every later step, if"
RULES = {
    "locked": f"{START} the account is locked, then it is not the case that access is granted.",
    "override": f"{START} an override is given, then access is granted.",
    "guest": f"{START} a guest comes, then access is granted.",
    "never": f"{START} an override is given, then it is not the case that access is granted.",
    "apart": "At the start, at this and every later step, it is not the case that both the account is locked and "
    "an override is given.",
}
NAMES = {
    "locked": "the account is locked",
    "granted": "access is granted",
    "override": "an override is given",
    "guest": "a guest comes",
}


def write(pytester: pytest.Pytester, *names: str) -> None:
    (pytester.path / "requirements.md").write_text(
        "".join(f"- {RULES[name]}\n" for name in names), "utf-8"
    )
    glossary = "".join(f'{name} = "{phrase}"\n' for name, phrase in NAMES.items())
    (pytester.path / "requirements.toml").write_text(glossary, "utf-8")


def verdict(name: str) -> tuple[str, str]:
    """The state of the gate's verdict, and its sentence."""
    found = [
        one
        for one in blocks(the_suite(read_summary(name)), "verdict")
        if sentence(one).startswith("collisions")
    ]
    (one,) = found
    return str(one["state"]), sentence(one)


@pytest.mark.parametrize(
    ("rules", "allowed", "code", "text"),
    [
        (
            ["locked", "override"],
            0,
            1,
            "1 found, 0 allowed: requirements.md:1 and requirements.md:2",
        ),
        (["locked", "override"], 1, 0, "1 found, 1 allowed, among 2 rules with a condition"),
        (
            ["locked", "override", "guest"],
            1,
            1,
            "2 found, 1 allowed: requirements.md:1 and requirements.md:2; requirements.md:1 and requirements.md:3",
        ),
        (["override", "guest"], 0, 0, "0 found, 0 allowed, among 2 rules with a condition"),
        # One condition and opposite effects: each case of it breaks one of them.
        (
            ["override", "never", "guest"],
            0,
            1,
            "2 rules can never apply, 0 allowed: requirements.md:1; requirements.md:2",
        ),
        (
            ["override", "never"],
            2,
            0,
            "2 rules can never apply, 2 allowed, among 2 rules with a condition",
        ),
        (
            ["override", "never", "locked", "guest"],
            2,
            1,
            "2 allowed: requirements.md:3 and requirements.md:4; requirements.md:1; requirements.md:2",
        ),
    ],
)
def test_rules_may_collide_as_often_as_the_marker_allows(
    suite: Suite,
    run: Run,
    pytester: pytest.Pytester,
    rules: list[str],
    allowed: int,
    code: int,
    text: str,
) -> None:
    write(pytester, *rules)
    suite(SENTENCES_SUITE, f", collisions={allowed}")
    result = run(FAITHFUL, "--autoeval-results=out.jsonl", "--autoeval-summary=run.json")
    assert result.ret == code, said(result)
    state, why = verdict("run.json")
    assert (state, text in why) == ("failed" if code else "passed", True), why
    assert main(["out.jsonl", "--summary=report.json"]) == code
    assert verdict("report.json") == (state, why)


def test_every_report_has_the_rules_that_collide_and_a_case(
    suite: Suite, run: Run, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    write(pytester, "locked", "override")
    suite(SENTENCES_SUITE, ", collisions=0")
    result = run(FAITHFUL, "--autoeval-results=out.jsonl", "-v")
    assert "allowed collisions 0 points" not in said(result)
    assert main(["out.jsonl", "--markdown=report.md"]) == 1
    printed = " ".join(capsys.readouterr().out.split())
    markdown = (pytester.path / "report.md").read_text("utf-8")
    for shown in (
        " ".join(said(result).split()),
        printed,
        " ".join(markdown.replace("`", "").split()),
    ):
        assert "requirements.md:1 and requirements.md:2" in shown
        assert "their conditions can never occur together; 2 rules forbid it" in shown
        assert RULES["override"] in shown
        assert "requirements.md:1 says: it is not the case that access is granted." in shown
        assert "This case breaks requirements.md:2." in shown
        assert "check requirements.md --formulas=out.jsonl" in shown


def test_every_report_has_the_rules_that_can_never_apply(
    suite: Suite, run: Run, pytester: pytest.Pytester
) -> None:
    write(pytester, "override", "never")
    suite(SENTENCES_SUITE, ", collisions=0")
    result = run(FAITHFUL)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    shown = " ".join(said(result).split())
    assert "their conditions can never occur; 2 rules forbid it" in shown
    assert RULES["override"] in shown
    assert "This case breaks requirements.md:" in shown


def test_a_command_is_named_for_one_file_of_results(
    suite: Suite, run: Run, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    write(pytester, "locked", "override")
    suite(SENTENCES_SUITE, ", collisions=0")
    for part in ("1/2", "2/2"):
        run(FAITHFUL, f"--autoeval-shard={part}", f"--autoeval-results={part[0]}.jsonl")
    assert main(["1.jsonl", "2.jsonl"]) == 1
    shown = capsys.readouterr().out
    assert "their conditions can never occur together" in shown
    # `check` would take the second one for a file of sentences.
    assert "--formulas" not in shown


def test_rules_of_which_a_row_could_not_be_read_do_not_pass(
    suite: Suite, run: Run, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the row says might collide with the others."""
    write(pytester, "override", "guest")
    with (pytester.path / "requirements.md").open("a", encoding="utf-8") as file:
        file.write("- G (locked -> !granted)\n")
    suite(SENTENCES_SUITE, ", collisions=0")
    result = run(FAITHFUL, "--autoeval-results=out.jsonl", "--autoeval-summary=run.json")
    state, why = verdict("run.json")
    assert (state, result.ret) == ("inconclusive", 10), said(result)
    assert "1 row left out, so that not all rules are known; the first is" in why
    assert "requirements.md:3" in why
    assert main(["out.jsonl", "--summary=report.json"]) == 10
    assert verdict("report.json") == (state, why)
    capsys.readouterr()
    assert questions(["out.jsonl"]) == 0
    assert (
        "1 row of the data left out, so that nothing is asked about it" in capsys.readouterr().err
    )


def test_rules_of_which_only_some_are_asked_do_not_pass(
    suite: Suite, run: Run, pytester: pytest.Pytester
) -> None:
    # Both have as many words, and the option asks about one sentence of each size.
    write(pytester, "override", "override")
    suite(SENTENCES_SUITE, ", collisions=0")
    option = "--autoeval-samples=1"
    result = run(FAITHFUL, option, "--autoeval-results=out.jsonl", "--autoeval-summary=run.json")
    state, why = verdict("run.json")
    assert (state, result.ret) == ("inconclusive", 10), said(result)
    assert (
        "1 row left out, so that not all rules are known; the first is requirements.md:2: " in why
    )
    assert main(["out.jsonl", "--summary=report.json"]) == 10
    assert verdict("report.json") == (state, why)
    # In parts too, which ask about different sentences.
    for part in ("1/2", "2/2"):
        run(FAITHFUL, option, f"--autoeval-shard={part}", f"--autoeval-results={part[0]}.jsonl")
    assert main(["1.jsonl", "2.jsonl", "--summary=joined.json"]) == 10
    assert verdict("joined.json") == (state, why)


def test_rules_of_two_files_with_one_id_are_two_rules(pytester: pytest.Pytester, run: Run) -> None:
    """The formula of one hid that of the other, so that nothing collided."""
    write(pytester)
    names = (pytester.path / "requirements.toml").read_text("utf-8")
    folder = pytester.mkdir("rules")
    for name in ("locked", "guest"):
        (folder / f"{name}.csv").write_text(f'id,sentence\nR1,"{RULES[name]}"\n', "utf-8")
        (folder / f"{name}.toml").write_text(names, "utf-8")
    suite = SENTENCES_SUITE.replace('"requirements.md", language="ltl"', '"sentences_ltl"')
    pytester.makepyfile(test_rules=suite.format(more=", collisions=0"))
    files = ("rules/locked.csv", "rules/guest.csv")
    options = (FAITHFUL, *(f"--autoeval-dataset={file}" for file in files))
    result = run(*options, "--autoeval-results=out.jsonl")
    result.assert_outcomes(failed=1)
    shown = said(result)
    assert "collisions: 1 found, 0 allowed: guest.csv/R1 and locked.csv/R1" in shown
    # The command finds the files again.
    (command,) = {line for line in shown.splitlines() if "python -m pytest_autoeval check" in line}
    words = command.partition(" check ")[2].split()
    assert sorted(words) == sorted([*files, "--formulas=out.jsonl"])
    assert check(words) == 1


def test_a_sentence_that_is_named_is_not_judged_as_a_set(
    suite: Suite, run: Run, pytester: pytest.Pytester
) -> None:
    write(pytester, "override", "never")
    suite(SENTENCES_SUITE, ", collisions=0")
    named = "--autoeval-formula=requirements.md:1"
    assert run(FAITHFUL, named, "--autoeval-summary=run.json").ret == 0
    state, why = verdict("run.json")
    assert state != "passed"
    assert "not judged, since the run asked only about what --autoeval-formula names" in why


@pytest.mark.parametrize(
    ("marker", "problem"),
    [
        (", collisions=-1", "is not an integer ≥ 0"),
        (", collisions='none'", "is not an integer ≥ 0"),
    ],
)
def test_other_numbers_are_refused(
    suite: Suite, run: Run, pytester: pytest.Pytester, marker: str, problem: str
) -> None:
    write(pytester, "locked")
    suite(SENTENCES_SUITE, marker)
    assert problem in said(run(FAITHFUL))


def test_a_suite_of_formulas_has_no_such_gate(
    suite: Suite, run: Run, pytester: pytest.Pytester
) -> None:
    (pytester.path / "test_one.py").write_text(
        "import pytest\n\n@pytest.mark.autoeval('propositional', collisions=0)\ndef test_it(sample, llm):\n    pass\n",
        "utf-8",
    )
    assert "collisions= is for sentences" in said(run(FAITHFUL))
