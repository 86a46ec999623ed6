"""`--autoeval-paraphrases`: sentences in other words. The author's answers check every formula of a sentence."""

from __future__ import annotations

import csv
import json
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.documents_read import read_summary, section, table, value
from support.documents_read import suite as suite_in
from support.program import Program

from pytest_autoeval.datasets.author_answers import read_questions

from .conftest import FAITHFUL, MISREAD, SENTENCES_SUITE, Rows, Run, Suite, lasting, said

REQUIREMENTS = """
# Door

- At the start, at this and every later step, if the door is open, then at this or some later step, the light is red.
- At the start, at this and every later step, the bell rings.
"""
GLOSSARY = 'door_open = "the door is open"\nred = "the light is red"\nbell = "the bell rings"\n'
OUT = "--autoeval-results=out.jsonl"


@pytest.fixture(autouse=True)
def requirements(pytester: pytest.Pytester, suite: Suite) -> Path:
    """The files of a project with two requirements. The model of :data:`MISREAD` misreads the first one."""
    suite(SENTENCES_SUITE)
    file = pytester.path / "requirements.md"
    file.write_text(REQUIREMENTS, encoding="utf-8")
    file.with_suffix(".toml").write_text(GLOSSARY, encoding="utf-8")
    first = REQUIREMENTS.split("- ")[1]
    (pytester.path / "wrong.txt").write_text(first, encoding="utf-8")
    return file


def rewritten(rows: list[dict[str, Any]]) -> dict[tuple[str, int], set[str | None]]:
    found: dict[tuple[str, int], set[str | None]] = {}
    for row in rows:
        found.setdefault((row["item"], row["paraphrase"]), set()).add(row.get("paraphrased"))
    return found


def test_each_sentence_is_read_in_other_words_too(run: Run, rows: Rows) -> None:
    result = run(FAITHFUL, OUT, "--autoeval-paraphrases=2", "--autoeval-repeats=2")
    assert result.ret == 0
    found = rows("out.jsonl")
    assert len(found) == 2 * 3 * 2
    texts = rewritten(found)
    assert texts["requirements.md:4", 0] == {None}
    one, two = (texts["requirements.md:4", number] for number in (1, 2))
    # The repeats share the rewriting.
    assert len(one) == len(two) == 1
    assert one != two
    assert all(
        row["outcome"] == "consistent" and row["sentence"].startswith("At the start")
        for row in found
    )
    stages = Counter(
        call["stage"] for row in found for call in row["calls"] if not call.get("repeated")
    )
    assert stages["paraphrase"] == 2


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_paraphrase_in_the_words_of_the_sentence_counts_nowhere(
    requirements: Path, run: Run, rows: Rows, report: Program, workers: str
) -> None:
    simple = "At the start, the bell rings."  # the model knows no other words for it
    requirements.write_text(f"- {simple}\n{REQUIREMENTS}", encoding="utf-8")
    result = run(
        FAITHFUL, OUT, "--autoeval-paraphrases=2", "--autoeval-summary=run.json", "-n", workers
    )
    assert [row.get("paraphrased") for row in rows("out.jsonl") if row["sentence"] == simple] == [
        None,
        simple,
        simple,
    ]
    said_so = "not counted: 2 paraphrases in the words of the sentence or of an earlier paraphrase"
    assert said_so in " ".join(said(result).split())
    report("out.jsonl", "--summary=report.json")
    for name in ("run.json", "report.json"):
        summary = read_summary(name)
        whole, found = section(summary, "verdict"), suite_in(summary)
        counts = [
            value(one, name) for one in (whole, found) for name in ("samples", "passed", "errors")
        ]
        assert counts == [7, 7, 0] * 2
        assert [(row["outcome"], row["samples"]) for row in table(found, "outcomes")] == [
            ("consistent", 7)
        ]


PRICED = """
from pytest_autoeval import Reply

class Priced:
    def complete(self, messages, *, repeat=0):
        rewrites = "Sentence to rewrite" in messages[-1].content
        return Reply("1. The bell rings." if rewrites else "bell", cost=1.0)

def pytest_autoeval_register(registry):
    registry.add_model("priced", Priced)
"""


def test_the_cost_of_an_equal_paraphrase_is_not_that_of_a_failed_call(
    requirements: Path, pytester: pytest.Pytester, run: Run
) -> None:
    requirements.write_text("- The bell rings.\n", encoding="utf-8")
    pytester.makeconftest(PRICED)
    result = run("--autoeval-model=priced", "--autoeval-paraphrases=1")
    assert "not counted: 1 paraphrase" in said(result)
    assert "this run paid for" not in said(result)


def test_two_workers_give_the_same_rows(pytester: pytest.Pytester, run: Run) -> None:
    options = (FAITHFUL, MISREAD, "--autoeval-paraphrases=1", "--autoeval-repeats=2")
    run(*options, "--autoeval-results=one.jsonl")
    run(*options, "--autoeval-results=two.jsonl", "-n", "2")
    assert lasting("one.jsonl") == lasting("two.jsonl")


def test_the_plan_counts_paraphrases(run: Run) -> None:
    alone = run(FAITHFUL, "--autoeval-plan")
    alone.stdout.re_match_lines([r" +2 +6 +0 .*test_requirements"])
    several = run(FAITHFUL, "--autoeval-plan", "--autoeval-paraphrases=2")
    # Four paraphrases with three calls each; one question in other words for each sentence.
    several.stdout.re_match_lines([r" +6 +22 +0 +2 .*test_requirements"])


def test_paraphrases_are_recorded_and_replayed(run: Run, rows: Rows) -> None:
    options = (FAITHFUL, OUT, "--autoeval-paraphrases=1", "--autoeval-cassettes=tapes")
    run(*options, "--autoeval-record-mode=once")
    first = rewritten(rows("out.jsonl"))
    result = run(*options, "--autoeval-record-mode=none")
    assert result.ret == 0
    found = rows("out.jsonl")
    assert rewritten(found) == first
    assert all(call["replayed"] for row in found for call in row["calls"])


def test_an_answer_without_the_paraphrases_is_unreadable(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    folder = pytester.path / "prompts" / "paraphrase"
    folder.mkdir(parents=True)
    user = "Propositions:\\n${names}\\n\\nSentence:\\n${sentence}\\n${number}"
    (folder / "ltl.toml").write_text(f'user = "{user}"', encoding="utf-8")
    run(FAITHFUL, OUT, "--autoeval-paraphrases=1", "--autoeval-prompts=prompts")
    found = {
        row["paraphrase"]: row for row in rows("out.jsonl") if row["item"] == "requirements.md:5"
    }
    assert found[0]["outcome"] == "consistent"
    assert (found[1]["outcome"], found[1]["formalization"]) == ("unreadable answer", None)
    assert "no line with the number 1 of 1" in found[1]["error"]


def test_from_the_requirements_to_a_question_and_to_checks(
    requirements: Path, run: Run, rows: Rows, program: Program
) -> None:
    options = (FAITHFUL, MISREAD, OUT, "--autoeval-threshold=0.9")
    result = run(*options)
    assert result.ret == 0
    assert "1 question for the author" in said(result)
    answers = requirements.with_name("requirements.answers.csv")
    program("questions", "out.jsonl", "--csv", str(answers))
    with answers.open(encoding="utf-8", newline="") as file:
        [question] = csv.DictReader(file)
    assert question["requirement"] == "requirements.md:4"
    assert question["no_means"].startswith("At the start, at this and every later step, if ")
    [case] = read_questions(answers)
    with answers.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, question.keys())
        writer.writeheader()
        writer.writerow({**question, "answer": "no"})
    result = run(*options, "--autoeval-repeats=2")
    assert result.ret == 1
    found = [row for row in rows("out.jsonl") if row["item"] == "requirements.md:4"]
    misread = [row for row in found if row["model"] != "offline/faithful"]
    assert {row["outcome"] for row in found if row["model"] == "offline/faithful"} == {"consistent"}
    assert {(row["outcome"], row["code"], row["contradicted"]) for row in misread} == {
        ("contradicts an answer", "AE118", case["id"])
    }
    # The answer and the case come first, and neither is cut.
    result.stdout.fnmatch_lines(
        [
            "*author says  this case is not allowed, but the formula allows it",
            "*case         Suppose the following for steps 1 and 2. *",
            "*step 2 on, everything stays the same.",
            "*reproduce*",
        ]
    )
    assert "translation" not in said(result)
    assert misread[0]["error"].startswith(
        "the author says: this case is not allowed, but the formula allows it. Suppose "
    )
    assert [call["stage"] for call in misread[0]["calls"]] == ["formalize_sentence"]
    assert "no open question" in program("questions", "out.jsonl").err


def test_an_answer_without_its_sentence_is_reported(
    requirements: Path, run: Run, program: Program
) -> None:
    run(FAITHFUL, MISREAD, OUT)
    answers = requirements.with_name("requirements.answers.csv")
    program("questions", "out.jsonl", "--csv", str(answers))
    answers.write_text(answers.read_text("utf-8").replace("\n,", "\nyes,"), encoding="utf-8")
    requirements.write_text("- At the start, the bell rings.\n", encoding="utf-8")
    result = run(FAITHFUL, OUT)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["*requirements.answers.csv: no sentence of requirements.md is*its answers are not checked"]
    )


def test_a_wrong_answer_file_is_named(requirements: Path, run: Run) -> None:
    case = json.dumps({"kind": "trace", "atoms": [], "prefix": [], "loop": [[]]}).replace('"', '""')
    text = f'answer,sentence,id,language,case\nperhaps,x,1,ltl,"{case}"\n'
    requirements.with_name("requirements.answers.csv").write_text(text, encoding="utf-8")
    result = run(FAITHFUL)
    assert result.ret != 0
    assert "requirements.answers.csv:2: the answer 'perhaps' is neither yes nor no" in said(result)


@pytest.mark.parametrize("own_file", [True, False])
def test_the_command_for_the_answers_can_be_pasted(
    own_file: bool, pytester: pytest.Pytester, run: Run, program: Program
) -> None:
    options = [OUT] if own_file else ["--autoeval-agreement=1"]
    shown = said(run(MISREAD, "--autoeval-paraphrases=2", *options, cache=True))
    start = "python -m pytest_autoeval "
    (line,) = [line for line in shown.splitlines() if f"{start}questions" in line]
    command = shlex.split(line.partition(start)[2])
    # Without a file of its own, a run that failed has its results in the cache.
    assert (command[1] == "out.jsonl") is own_file
    program(*command)
    assert read_questions(pytester.path / "requirements.answers.csv")
