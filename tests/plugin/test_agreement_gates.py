"""Gates over the agreement of the answers to each sentence: `agreement=`, its option, and a baseline."""

from __future__ import annotations

from typing import Any

import pytest
from support.documents_read import blocks, lasting, read_summary, section, sentence, table
from support.documents_read import suite as the_suite

from pytest_autoeval.running.report_command import main

from .conftest import FAITHFUL, MISREAD, SENTENCES_SUITE, Rows, Run, Suite, said

SENTENCES = [
    f"At the start, at this and every later step, the bell {number} rings."
    for number in range(1, 9)
]
ASKED = ("--autoeval-paraphrases=2", "--autoeval-results=out.jsonl", "--autoeval-summary=run.json")


@pytest.fixture(autouse=True)
def requirements(pytester: pytest.Pytester) -> None:
    (pytester.path / "requirements.md").write_text(
        "".join(f"- {text}\n" for text in SENTENCES), encoding="utf-8"
    )
    names = "".join(f'bell_{number} = "the bell {number} rings"\n' for number in range(1, 9))
    (pytester.path / "requirements.toml").write_text(names, encoding="utf-8")
    (pytester.path / "wrong.txt").write_text("\n".join(SENTENCES[:4]), encoding="utf-8")


def suite_in(name: str) -> dict[str, Any]:
    """The section of the suite in a summary, but for its commands."""
    found = lasting(the_suite(read_summary(name)))
    for example in blocks(found, "counterexample"):
        del example["command"]
    return dict(found)


def verdict_on_agreement(found: dict[str, Any]) -> str:
    """The state of the verdict of the gate over the agreement."""
    [state] = [
        one["state"] for one in blocks(found, "verdict") if sentence(one).startswith("agreement: ")
    ]
    return str(state)


@pytest.mark.parametrize(
    ("model", "asked", "rule", "code"),
    [
        (MISREAD, "0.8", "point", 0),
        (MISREAD, '"85%"', "point", 1),
        (MISREAD, "0.7", "interval", 10),
        (MISREAD, "0.999", "interval", 1),
        (FAITHFUL, "0.6", "interval", 0),
        (FAITHFUL, "1.0", "interval", 10),
    ],
)
def test_the_answers_must_agree_as_far_as_the_marker_asks(
    suite: Suite, run: Run, model: str, asked: str, rule: str, code: int
) -> None:
    suite(SENTENCES_SUITE, f", agreement={asked}")
    result = run(model, *ASKED, f"--autoeval-gate={rule}")
    assert result.ret == code, said(result)
    assert main(["out.jsonl", f"--gate={rule}", "--summary=report.json"]) == code
    assert suite_in("run.json") == suite_in("report.json")
    state = verdict_on_agreement(suite_in("run.json"))
    assert state == {0: "passed", 1: "failed", 10: "inconclusive"}[code]
    if code == 1:
        assert (
            f"are in the largest class: {'the whole interval' if rule == 'interval' else 'this share'} is below"
            in (" ".join(said(result).split()))
        )


def test_the_option_is_for_suites_without_an_agreement_of_their_own(
    suite: Suite, run: Run, rows: Rows
) -> None:
    suite(SENTENCES_SUITE)
    assert run(MISREAD, *ASKED, "--autoeval-agreement=0.9").ret == 1
    assert {row["agreement_gate"] for row in rows("out.jsonl")} == {0.9}
    suite(SENTENCES_SUITE, ", agreement=0.5")
    assert run(MISREAD, *ASKED, "--autoeval-agreement=0.9").ret == 0
    assert main(["out.jsonl"]) == 0, "the rows keep the agreement of the marker"
    assert main(["out.jsonl", "--agreement=0.9"]) == 1, "a given one judges anew"


def test_a_report_can_ask_for_agreement(suite: Suite, run: Run) -> None:
    suite(SENTENCES_SUITE)
    assert run(MISREAD, *ASKED).ret == 0
    assert main(["out.jsonl", "--agreement=90%"]) == 1


def test_one_answer_for_each_sentence_decides_nothing(suite: Suite, run: Run) -> None:
    suite(SENTENCES_SUITE, ", agreement=0.5")
    result = run(FAITHFUL)
    assert result.ret == 10
    assert (
        "this model gave no sentence several answers to compare, and other models do not count; "
        "--autoeval-repeats or --autoeval-paraphrases asks for more"
    ) in " ".join(said(result).split())


def test_two_models_with_one_answer_each_are_not_judged_together(suite: Suite, run: Run) -> None:
    suite(SENTENCES_SUITE, ", agreement=0.5")
    result = run(FAITHFUL, MISREAD)
    assert result.ret == 10
    text = " ".join(said(result).split())
    # Their agreement is shown, and the reason says why it does not count.
    assert "all models" in text
    assert text.count("and other models do not count; --autoeval-repeats") == 2


def test_a_suite_without_sentences_takes_no_agreement(suite: Suite, run: Run) -> None:
    suite(more=", agreement=0.9")
    assert "agreement= is for sentences" in said(run())
    suite(SENTENCES_SUITE, ", agreement=2")
    assert "agreement: '2' is not a rate" in said(run()) or "agreement=2" in said(run())
    suite()
    assert run("--autoeval-agreement=0.9").ret == 0, "the option leaves other suites alone"


@pytest.mark.parametrize(
    ("drop", "alpha", "code"),
    [
        ("agreement:5%", 0.1, 1),
        ("agreement:60%", 0.1, 1),  # a significant fall fails, also if it is smaller
        ("agreement:60%", 0.05, 0),
        ("agreement:5%", 0.05, 10),
        ("drop:5%", 0.1, 10),
    ],
)
def test_agreement_is_compared_with_the_baseline_by_sentence(
    suite: Suite, run: Run, drop: str, alpha: float, code: int
) -> None:
    suite(SENTENCES_SUITE)
    run(FAITHFUL, "--autoeval-paraphrases=2", "--autoeval-results=old.jsonl")
    against = (
        "--autoeval-baseline=old.jsonl",
        f"--autoeval-fail-on={drop}",
        f"--autoeval-alpha={alpha}",
    )
    result = run(MISREAD, *ASKED, *against)
    comparison = section(read_summary("run.json"), "comparison")
    title = "answers in the largest class of their sentence"
    (found,) = table(comparison, title)
    assert (found["sentences"], found["before"]) == (8, 1.0)
    assert round(found["difference"]["value"], 3) == -0.167
    (row,) = next(
        block["rows"] for block in blocks(comparison, "table") if block.get("title") == title
    )
    if drop.startswith("agreement"):
        assert row["state"] == {0: "passed", 1: "failed", 10: "inconclusive"}[code]
    else:
        assert row["state"] == "no gate"
    assert result.ret == code, said(result)
    report = [
        "out.jsonl",
        "--baseline=old.jsonl",
        f"--fail-on={drop}",
        f"--alpha={alpha}",
        "--summary=report.json",
    ]
    assert main(report) == result.ret
    assert suite_in("report.json") == suite_in("run.json")


def test_other_numbers_of_answers_are_not_judged(suite: Suite, run: Run) -> None:
    suite(SENTENCES_SUITE)
    run(FAITHFUL, "--autoeval-paraphrases=1", "--autoeval-results=old.jsonl")
    result = run(
        FAITHFUL, *ASKED, "--autoeval-baseline=old.jsonl", "--autoeval-fail-on=agreement:5%"
    )
    assert result.ret == 10
    assert "fewer answers agree more" in " ".join(said(result).split())
