"""`check FILE --formulas=RESULTS`: sentences as a whole, from the results of a run."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.page_blocks import PageBlocks
from support.result_rows import row
from support.snapshot import assert_text_snapshot

from pytest_autoeval import __main__ as command
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.ltl import LinearTemporalLogic
from pytest_autoeval.reporting.results import ResultsFile
from pytest_autoeval.reporting.row import Row

REQUIREMENTS = """\
# Door

- The light is on whenever the door is open.
- The door is open again and again.
- From some step on, the light is off for good.
- Some time, the door is open.
- The door is open or it is not.
- Sooner or later the door is open.
- The alarm rings when somebody shouts.
- The bell rings if the door is open and the light
  is off or on.

# Light

- The light is on and off.
- This sentence was written after the run.
"""
FORMULAS: list[str | None] = [
    *("G (open -> light)", "G F open", "F G !light", "F open", "open | !open", "F open", None, "G (open -> bell)"),
    "light & !light",
]
GLOSSARY = {"open": "the door is open", "light": "the light is on", "bell": "the bell rings", "lamp": "the lamp is on"}


def sentences() -> list[str]:
    lines = REQUIREMENTS.replace("\n  ", " ").splitlines()
    return [line.removeprefix("- ") for line in lines if line.startswith("- ")]


def rows(outcome: str = "", **changes: Any) -> list[Row]:
    made = []
    for number, (sentence, formula) in enumerate(zip(sentences(), FORMULAS, strict=False), 1):
        about = {"sentence": sentence, "item": f"door:{number}", "source": f"door.md:{number}", "group": "Door"}
        result = {"formalization": formula, "glossary": GLOSSARY, "paraphrase": 0}
        whole = {"task": "sentence_round_trip", "language": "ltl", "index": number, "formula": "", **about, **result}
        made.append(row(outcome or ("consistent" if formula else "unparseable"), **{**whole, **changes}))
    return made


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The requirements in the current folder, and the results of a run."""
    monkeypatch.chdir(tmp_path)
    Path("door.md").write_text(REQUIREMENTS, "utf-8")
    return written(rows())


def written(some: list[Row]) -> Path:
    path = Path("run.jsonl")
    ResultsFile(path).finish(some)
    return path


def test_the_report_in_the_terminal(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["check", "door.md", f"--formulas={results}"]) == 1
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert_text_snapshot("whole_set.txt", shown)


def test_the_report_as_json(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["check", "door.md", f"--formulas={results}", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["satisfiable"] is False
    assert data["contradictions"] == [{"sentences": ["door:1", "door:2", "door:3"], "proved": "smallest"}]
    assert data["repeats"] == [["door:4", "door:6"]]
    assert data["consequences"] == [{"sentence": "door:4", "premises": ["door:2"], "proved": "smallest"}]
    assert data["always_true"] == ["door:5"]
    assert data["never_true"] == ["door:9"]
    assert data["kept"] == ["door:1", "door:2", "door:4", "door:8"]
    assert data["witness"]["kind"] == "trace"
    assert data["names_used_once"] == [{"name": "bell", "item": "door:8"}]
    assert data["unused_names"] == ["lamp"]
    assert [one["item"] for one in data["without_formula"]] == ["door:7", "door:10"]
    assert data["undecided"] == {}


def test_a_set_without_contradictions_has_the_exit_code_0(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("door.md").write_text("".join(f"- {sentence}\n" for sentence in sentences()[:2]), "utf-8")
    assert command.main(["check", "door.md", f"--formulas={results}"]) == 0
    assert "the sentences can all hold together, and none is trivial" in capsys.readouterr().out


def test_sentences_of_two_files_with_one_id_are_told_apart(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (0, 8):
        file = Path(f"part{number}", "door.md")
        file.parent.mkdir()
        file.write_text(f"- {sentences()[number]}\n- {sentences()[1]}\n- {sentences()[2]}\n", "utf-8")
    files = [str(Path(f"part{number}", "door.md")) for number in (0, 8)]
    assert command.main(["check", *files, f"--formulas={results}", "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert len({one["item"] for one in data["sentences"]}) == len(data["sentences"])
    assert data["never_true"] == [f"door:1 of {files[1]}"]
    assert data["contradictions"][0]["sentences"] == [f"door:{number} of {files[0]}" for number in (1, 2, 3)]
    command.main(["check", *files, f"--formulas={results}"])
    assert "all sentences can hold together" not in capsys.readouterr().out


def test_the_claim_on_all_sentences_leaves_out_those_without_a_formula(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("door.md").write_text("".join(f"- {sentences()[number]}\n" for number in (0, 1, 6)), "utf-8")
    assert command.main(["check", "door.md", f"--formulas={results}"]) == 0
    shown = capsys.readouterr().out
    assert "all sentences with a formula can hold together, as here" in shown
    assert shown.endswith("the sentences with a formula can all hold together, and none is trivial\n")


def test_a_later_contradiction_is_smallest_among_the_sentences_that_are_left(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = ["open", "!open", "light", "!light"]
    Path("door.md").write_text("".join(f"- {sentence}\n" for sentence in sentences()[:4]), "utf-8")
    written([replace(one, facts={**one.facts, "formalization": it}) for one, it in zip(rows(), pairs, strict=False)])
    command.main(["check", "door.md", f"--formulas={results}"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "these 2 contradict each other (no smaller set does):" in shown
    assert "these 2 contradict each other (of the sentences that are not above: no smaller set does):" in shown


def test_a_model_says_what_holds_of_names_that_it_does_not_mention(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A witness of some sentences may do for others, whose names it does not interpret."""
    formulas, glossary = ["Tall(alice)", "Tall(bob) → Tall(alice)"], {"Tall(x)": "x is tall", "alice": "Alice"}
    Path("door.md").write_text("".join(f"- {sentence}\n" for sentence in sentences()[:2]), "utf-8")
    some = [
        replace(one, language="first_order", facts={**one.facts, "formalization": it, "glossary": glossary})
        for one, it in zip(rows(), formulas, strict=False)
    ]
    command.main(["check", "door.md", f"--formulas={written(some)}", "--json"])
    assert json.loads(capsys.readouterr().out)["witness_text"] == (
        "Suppose there is exactly 1 thing: thing 1. Alice is thing 1. For all x, x is tall. "
        "What is not mentioned does not hold, and other terms are thing 1."
    )


def test_a_phrase_of_two_meanings_is_not_used(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("door.md").write_text("".join(f"- {sentence}\n" for sentence in sentences()[:2]), "utf-8")
    other = {"open": "the shop is open", "light": "the light is on"}
    written([rows()[0], replace(rows()[1], facts={**rows()[1].facts, "glossary": other})])
    command.main(["check", "door.md", f"--formulas={results}", "--json"])
    text = json.loads(capsys.readouterr().out)["witness_text"]
    assert text.startswith("Suppose the following. The light is on at every step. “open” holds at every step.")


def test_a_sentence_that_moved_keeps_its_formula(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("moved.md").write_text(f"- A new one.\n- {sentences()[1]}\n", "utf-8")
    command.main(["check", "moved.md", f"--formulas={results}", "--json"])
    data = json.loads(capsys.readouterr().out)
    assert [(one["item"], one["formula"]) for one in data["sentences"]] == [("moved:2", "G F open")]


def test_only_the_first_answer_to_the_sentence_itself_counts(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = {"formalization": "F light", "outcome": "consistent"}
    written([*rows(), *rows(repeat=1, **other), *rows(paraphrase=1, repeat=2, **other)])
    assert command.main(["check", "door.md", f"--formulas={results}", "--json"]) == 1
    shown = json.loads(capsys.readouterr().out)["sentences"]
    assert [one["formula"] for one in shown] == [formula for formula in FORMULAS if formula]


def test_the_model_is_chosen_where_there_are_several(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = rows(model="maker/other", formalization="F open", outcome="consistent")
    written([*rows(), *other])
    assert command.main(["check", "door.md", f"--formulas={results}"]) == 2
    assert "choose one with --model=NAME" in capsys.readouterr().err
    assert command.main(["check", "door.md", f"--formulas={results}", "--model=maker/other", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["repeats"][0]) == len(other)
    assert command.main(["check", "door.md", f"--formulas={results}", "--model=maker/else"]) == 2
    assert "maker/other" in capsys.readouterr().err


def test_two_formulas_for_one_sentence_are_refused(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written([*rows(), *rows(suite="another.py::test_it", formalization="F open", outcome="consistent")])
    assert command.main(["check", "door.md", f"--formulas={results}"]) == 2
    assert "give the results of one suite" in capsys.readouterr().err


def test_a_formula_that_cannot_be_read_is_named(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(rows(formalization="G (open"))
    assert command.main(["check", "door.md", f"--formulas={results}"]) == 2
    assert "the formula of door:1 in the results cannot be read: line 1, column" in capsys.readouterr().err


def test_results_without_such_sentences_are_refused(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written([row()])
    assert command.main(["check", "door.md", f"--formulas={results}"]) == 2
    assert "no results of the task sentence_round_trip for the sentences of door.md" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--model=m", "--timeout=1", "--seconds=1", "--html=page.html"])
def test_options_of_the_set_need_formulas(option: str, results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert results.exists()
    assert command.main(["check", "door.md", option]) == 2
    assert "needs --formulas" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_a_time_limit_is_a_number_of_seconds(seconds: str, results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["check", "door.md", f"--formulas={results}", f"--seconds={seconds}"])
    assert "is not a number of seconds above 0" in capsys.readouterr().err


def test_what_was_not_decided_in_time_is_named(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["check", "door.md", f"--formulas={results}", "--seconds=1e-9"]) == 10
    shown = capsys.readouterr().out
    assert "The time limit (--seconds) ended the check" in shown
    assert "whether the sentences can hold together" in shown
    assert "whether a sentence follows from the others: door:1" in shown


def test_an_interruption_prints_what_is_known(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    entails, asked = LinearTemporalLogic.entails, iter(range(12))

    def interrupted(*arguments: Any, **options: Any) -> Any:
        if next(asked, None) is None:
            raise KeyboardInterrupt
        return entails(*arguments, **options)

    monkeypatch.setattr(LinearTemporalLogic, "entails", interrupted)
    assert command.main(["check", "door.md", f"--formulas={results}"]) == 130
    shown = capsys.readouterr().out
    assert "The check was interrupted" in shown
    assert "[door:5] The door is open or it is not." in shown


def test_the_page_has_the_section(results: Path) -> None:
    assert command.main(["check", "door.md", f"--formulas={results}", "--html=page.html", "--json"]) == 1
    overview = PageBlocks(Path("page.html").read_text("utf-8")).data("overview")
    assert overview["wholeSet"]["repeats"] == [["door:4", "door:6"]]


def test_from_sentences_to_the_check(pytester: pytest.Pytester) -> None:
    """The offline model understands the plain English of its formulas."""
    lines = ["the door is open", "it is not the case that the door is open"]
    pytester.makefile(".md", rules="".join(f"- At the start, {line}.\n" for line in lines))
    pytester.makefile(".toml", rules='door_open = "the door is open"\n')
    pytester.makepyfile(
        """
        from pytest_autoeval import autoeval

        @autoeval.sentences("rules.md", language="ltl")
        def test_rules(perform):
            perform()
        """
    )
    for workers in ((), ("-n", "2")):
        pytester.runpytest_subprocess("--autoeval-results=run.jsonl", *workers).assert_outcomes(passed=1)
        run = [sys.executable, "-m", "pytest_autoeval", "check", "rules.md", "--formulas=run.jsonl"]
        done = subprocess.run(run, cwd=pytester.path, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "these 2 contradict each other (no smaller set does):" in done.stdout


def test_no_sentence_is_called_contingent_if_that_was_not_decided(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negation of each sentence alone is never decided."""
    entails = LinearTemporalLogic.entails

    def half_decided(self: Any, left: Any, right: Any, timeout: float | None = None) -> Any:
        verdict = entails(self, left, right, timeout)
        return replace(verdict, outcome=VerdictOutcome.UNDECIDED, witness=None) if str(left) == "true" else verdict

    monkeypatch.setattr(LinearTemporalLogic, "entails", half_decided)
    Path("door.md").write_text("".join(f"- {sentence}\n" for sentence in sentences()[:2]), "utf-8")
    assert command.main(["check", "door.md", f"--formulas={results}"]) == 10
    shown = capsys.readouterr().out
    assert "the sentences can all hold together\n" in shown
    assert "whether a sentence is always or never true: door:1" in shown
