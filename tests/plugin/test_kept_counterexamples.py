"""`--autoeval-keep-counterexamples`: what a model failed on stays, and every later run asks about it again."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pytest_autoeval.engine.kept_counterexamples
from pytest_autoeval.engine.kept_counterexamples import KeptCounterexample, read_folder

from .conftest import ROUND_TRIP, Rows, Run, Suite, marked, said

KEEP = "--autoeval-keep-counterexamples=kept"
FAULTY = "--autoeval-model=offline/or-for-and"
NAME = "test_suite-test_round_trip-e583f006fb88.json"
FIRST, LATER = "2026-01-02", "2026-03-04"


#: What a run keeps whose model reads ∧ as ∨.
COUNTEREXAMPLE: dict[str, Any] = {
    "schema_version": 1,
    "suite": "test_suite.py::test_round_trip",
    "grammar": "propositional",
    "language": "propositional",
    "vocabulary": "default",
    "operators": 1,
    "formula": "p1 ∧ p2",
    "first_seen": FIRST,
    "last_seen": FIRST,
}


def on(day: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What day it is."""
    monkeypatch.setattr(pytest_autoeval.engine.kept_counterexamples, "today", lambda: day)


@pytest.fixture
def kept(pytester: pytest.Pytester, suite: Suite, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder as an earlier run left it."""
    suite()
    on(LATER, monkeypatch)
    folder = pytester.mkdir("kept")
    (folder / NAME).write_text(json.dumps(COUNTEREXAMPLE), encoding="utf-8")
    return folder


def told(file: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


def test_a_minimal_counterexample_is_kept_and_says_nothing_of_the_model(
    pytester: pytest.Pytester, suite: Suite, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite()
    on(FIRST, monkeypatch)
    run(FAULTY, KEEP, "-q")
    [file] = (pytester.path / "kept").iterdir()
    assert file.name == NAME
    assert told(file) == COUNTEREXAMPLE


def test_a_later_run_asks_again_and_counts_it_in_no_rate(kept: Path, run: Run, rows: Rows) -> None:
    result = run(KEEP, "--autoeval-threshold=1", "--autoeval-results=out.jsonl", "-rA", "-n", "2")
    assert result.ret == 0
    found = rows("out.jsonl")
    assert [row["formula"] for row in found if row.get("kept")] == ["p1 ∧ p2"]
    assert len(found) == 17
    result.stdout.fnmatch_lines(
        ["✓ test_suite.py::test_round_trip *100.0 % (* 16", "PASSED test_suite.py::test_round_trip?offline/faithful?*"]
    )
    result.stdout.fnmatch_lines(
        [
            "kept counterexamples: 1 fixed",
            "  test_suite.py::test_round_trip",
            "    ✓ fixed: p1 ∧ p2 (first seen 2026-01-02, last seen 2026-01-02)",
        ]
    )
    assert [file.name for file in kept.iterdir()] == [NAME]
    assert told(kept / NAME)["last_seen"] == "2026-01-02"


def test_what_some_model_fails_is_still_failing_and_named_in_the_summary_alone(kept: Path, run: Run) -> None:
    result = run(KEEP, FAULTY, "--autoeval-model=offline/faithful")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "kept counterexamples: 1 still failing",
            "    ✗ still failing: p1 ∧ p2 (first seen 2026-01-02, last seen 2026-03-04)*: offline/or-for-and *",
        ]
    )
    assert (told(kept / NAME)["first_seen"], told(kept / NAME)["last_seen"]) == ("2026-01-02", "2026-03-04")
    assert "offline" not in (kept / NAME).read_text(encoding="utf-8")


def test_what_another_model_fails_on_is_new(kept: Path, run: Run) -> None:
    result = run(KEEP, "--autoeval-model=offline/negation-scope")
    result.stdout.fnmatch_lines(["kept counterexamples: 1 new, 1 fixed", "    ✗ new: ¬p* (first seen 2026-03-04);*"])
    assert len(list(kept.iterdir())) == 2


def test_the_same_run_again_changes_no_file(kept: Path, run: Run) -> None:
    run(KEEP, FAULTY, "-q")
    before = {file: file.read_bytes() for file in kept.iterdir()}
    run(KEEP, FAULTY, "-q", "--autoeval-prompting=zero-shot", "--autoeval-prompting=few-shot")
    assert {file: file.read_bytes() for file in kept.iterdir()} == before


def test_a_torn_file_is_not_overwritten(kept: Path, run: Run) -> None:
    (kept / NAME).write_text("", encoding="utf-8")
    result = run(KEEP, FAULTY)
    assert (kept / NAME).read_text(encoding="utf-8") == ""
    result.stdout.fnmatch_lines(
        ["kept counterexamples: 1 not asked, 1 not kept", f"    ! p1 ∧ p2: {NAME} is in its place"]
    )


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("formula", "p1 ∧ (p2", "*(p1 ∧ (p2): line 1, column 9: *"),
        ("vocabulary", "english", "*it was kept from propositional with the vocabulary"),
        ("suite", "test_gone.py::test_it", "*its suite test_gone.py::test_it did not run*"),
    ],
)
def test_what_cannot_be_asked_any_more_is_listed(kept: Path, run: Run, key: str, value: str, problem: str) -> None:
    (kept / NAME).write_text(json.dumps({**told(kept / NAME), key: value}), encoding="utf-8")
    result = run(KEEP)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["kept counterexamples: 1 not asked", f"    ! {NAME} {problem}"])
    assert (kept / NAME).exists()


def test_a_choice_of_other_tests_says_nothing_of_what_it_leaves_out(kept: Path, run: Run, suite: Suite) -> None:
    suite(ROUND_TRIP.replace("{more}", "") + ROUND_TRIP.replace("{more}", "").replace("test_round", "test_other"))
    assert "kept" not in said(run(KEEP, "-k", "test_other"))
    run(KEEP, "-k", "test_round").stdout.fnmatch_lines(["kept counterexamples: 1 fixed"])


def test_no_answer_is_no_proof(kept: Path, run: Run, suite: Suite) -> None:
    body = "if sample.operators == 1:\n    raise UndecidedError('who knows')"
    imported = "from pytest_autoeval.tasks.trial import UndecidedError"
    suite(
        marked('"propositional", operators=[3], samples=2', body, before=imported).replace("test_it", "test_round_trip")
    )
    result = run(KEEP)
    result.stdout.fnmatch_lines(["kept counterexamples: 1 undecided", "    [?] undecided: p1 ∧ p2 *"])
    assert told(kept / NAME)["last_seen"] == "2026-01-02"


def test_an_interrupted_run_keeps_what_it_found(pytester: pytest.Pytester, suite: Suite, run: Run) -> None:
    body = "if sample.operators == 2:\n    raise KeyboardInterrupt\nassert False"
    suite(marked('"propositional", operators=[1, 2], samples=2', body))
    pytester.makepyfile(test_other="def test_stop():\n    raise KeyboardInterrupt\n")
    result = run(KEEP, "test_suite.py::test_it[offline/faithful]", "test_other.py", apart=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["kept counterexamples: 1 new"])
    assert len(list((pytester.path / "kept").iterdir())) == 1


def test_a_folder_that_cannot_be_written_in_the_end_costs_no_verdict(suite: Suite, run: Run) -> None:
    body = "pathlib.Path('kept').touch()\nassert False"
    suite(marked('"propositional", operators=[1], samples=2, threshold=0.99', body, before="import pathlib"))
    result = run(KEEP)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*offline/faithful?*", "    ✗ new: *", "*File exists*"])


def test_the_plan_counts_what_was_kept(kept: Path, run: Run) -> None:
    result = run(KEEP, "--autoeval-plan")
    result.stdout.fnmatch_lines(["*17 *34 *in all*"])
    assert told(kept / NAME)["last_seen"] == "2026-01-02"


def test_an_item_is_kept_by_its_name_and_one_without_is_not(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        test_suite="""
        import pytest

        @pytest.mark.autoeval("ltl_future", task="translate")
        def test_named(sample):
            assert sample.index

        @pytest.mark.autoeval("ltl_traces", task="judge_trace", operators=[1], samples=2)
        def test_made(sample):
            assert sample.index
        """
    )
    (pytester.path / "wishes.csv").write_text(
        "id,Natural Language,Ground Truth,Atomic Proposition\n"
        'bell,The bell never rings.,G !x1,"""the bell rings"" : x1"\n',
        encoding="utf-8",
    )
    result = run(KEEP, "--autoeval-dataset=wishes.csv")
    result.stdout.fnmatch_lines(["kept counterexamples: 1 new", "    ✗ new: G !x1 *"])
    (file,) = (pytester.path / "kept").iterdir()
    assert told(file)["item"] == "bell"
    result = run(KEEP, "--autoeval-dataset=wishes.csv")
    result.stdout.fnmatch_lines(["kept counterexamples: 1 still failing", "    ✗ still failing: G !x1 *"])
    result = run(KEEP, "-k", "test_named")
    result.stdout.fnmatch_lines([f"    ! {file.name} *"])
    before = {*(pytester.path / "kept").iterdir()}
    result = run(KEEP, "-k", "test_made")
    result.stdout.fnmatch_lines(
        ["kept counterexamples: 1 not kept", "    ! *: its item has no id by which a later run finds it"]
    )
    assert before == {*(pytester.path / "kept").iterdir()}


WRITTEN = {**COUNTEREXAMPLE, "suite": "suites/test_propositional.py::test_round_trip", "formula": "¬(p1 ∧ p2)"}
WRITTEN |= {"operators": 2, "last_seen": LATER}
KEPT = KeptCounterexample(**{key: value for key, value in WRITTEN.items() if key != "schema_version"})
TEXT = json.dumps(WRITTEN, ensure_ascii=False, indent=2)


names = st.text(min_size=1, max_size=30).filter(lambda text: text.isprintable())


@given(suite=names, formula=names, item=st.none() | names, operators=st.integers(0, 99))
def test_what_is_written_is_read_back(suite: str, formula: str, item: str | None, operators: int) -> None:
    kept = replace(KEPT, suite=suite, operators=operators, formula=formula, item=item)
    with TemporaryDirectory() as name:
        folder = Path(name)
        assert kept.write(folder) in read_folder(folder).counterexamples


def test_seeing_it_again_widens_the_days_and_keeps_what_else_the_file_says(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(TEXT.replace('"formula"', '"why": "issue 12",\n  "formula"'), "utf-8")
    (kept,) = read_folder(tmp_path).counterexamples
    kept.seen("2026-05-06").write(tmp_path)
    told = json.loads((tmp_path / "mine.json").read_text("utf-8"))
    assert (told["first_seen"], told["last_seen"], told["why"]) == ("2026-01-02", "2026-05-06", "issue 12")
    assert [file.name for file in tmp_path.iterdir()] == ["mine.json"]
    assert KEPT.seen("2026-02-01") == KEPT, "a clock that went back never shortens the days"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "line 1, column 1: *"),
        (b"[" * 200_000, "*recursion*"),
        (b'{"name": "package", "version": 1}', "it has no key 'formula'"),
        (TEXT.replace("1,", "2,", 1).encode(), "it has schema_version 2; *"),
        (TEXT.replace('"¬(p1 ∧ p2)"', "7").encode(), "it has no text under formula"),
        (TEXT.replace(": 2", ": true").encode(), "'operators' must be an integer*"),
        (TEXT.replace("2026-01-02", "last week").encode(), "Invalid isoformat string: 'last week'"),
    ],
)
def test_what_is_not_ours_or_not_whole_is_named(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "odd.json").write_bytes(content)
    KEPT.write(tmp_path)
    folder = read_folder(tmp_path)
    assert [kept.formula for kept in folder.counterexamples] == [KEPT.formula]
    ((name, text),) = folder.problems.items()
    assert name == "odd.json"
    assert fnmatch(text, f"is not a kept counterexample: {problem}")


def test_folders_pipes_and_links_to_nothing_are_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / ".gitkeep").touch()
    (tmp_path / "README.md").touch()
    (tmp_path / "notes.txt").write_text("ask Ada about the second one", "utf-8")
    problem = "is not a kept counterexample: it is not an ordinary file"
    assert read_folder(tmp_path).problems == dict.fromkeys(("folder.json", "link.json", "pipe.json"), problem)
    assert read_folder(tmp_path / "later") == ([], {})
