"""`python -m pytest_autoeval check`: the report on data files."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest
from support.program import Program
from support.result_rows import row as sample
from support.result_rows import write_rows

import pytest_autoeval
from pytest_autoeval.by_name import shipped_folder
from pytest_autoeval.datasets import data_set, file_problems
from pytest_autoeval.datasets.checking import DEFAULT_SENTENCE_COUNT, DataCheck, check
from pytest_autoeval.languages.ltl.oracle.lassos import LassoSearch
from pytest_autoeval.running import check_command
from pytest_autoeval.studies.first_order_translation import stories as entailment
from pytest_autoeval.studies.first_order_translation.candidates import Refusal
from pytest_autoeval.studies.first_order_translation.file_check import REASONS, ExaminedSentences
from pytest_autoeval.studies.first_order_translation.stories import checked_labels
from pytest_autoeval.studies.temporal_logic import data_sets as ltl_sets

pytestmark = pytest.mark.usefixtures("here")
#: FOLIO's validation set, where somebody has put it beside the checkout.
FOLIO = Path(__file__).parents[3] / "shared" / "data" / "folio-validation.jsonl"
GULLS = {
    "premises": ["Every gull is a bird.", "No bird is a fish."],
    "premises-FOL": ["∀x (Gull(x) → Bird(x))", "∀x (Bird(x) → ¬Fish(x))"],
}
SURE = ("No gull is a fish.", "∀x (Gull(x) → ¬Fish(x))", "True")
WRONG = ("Some gull is a fish.", "∃x (Gull(x) ∧ Fish(x))", "True")
MENDED = ("Jonathan is a gull, a bird.", "Gull(jonathan) and Bird(jonathan)", "Uncertain")
UNCLEAR = ("A or B, and C.", "(A ∨ B) ∧ C)", "Uncertain")
REQUIREMENTS = """\
Natural Language,Ground Truth,Atomic Proposition
The alarm never rings.,G !x1,x1: the alarm rings
The alarm once rang.,O x1,x1: the alarm rings
The alarm rings.,F x1 x2,x1: the alarm rings
The alarm never rings.,F !x1,x1: the alarm rings
One,too,many,cells
"""
#: What is told of the stories of the fixture, and of the requirements.
OF_STORIES = """\
gulls.jsonl: 4 rows: 2 read, 1 repaired, 1 reported
  reported: 1 (left out: correct it, or do without it)
    gulls.jsonl:4: column 'conclusion-FOL': line 1, column 12: ')' closes nothing; expected a connective, the end
  repaired: 1 (only one meaning was possible)
    gulls.jsonl:3: column 'conclusion-FOL': another notation, read as Gull(jonathan) ∧ Bird(jonathan)
6 formulas of first-order logic, each text once: 4 read, 1 repaired, 1 reported
4 labels of conclusions, computed again: 2 confirmed, 1 contradicted, 1 left out
  contradicted: 1 (their rows are left out)
    gulls.jsonl:2: column 'label': says 'True', but the premises entail the negation of the conclusion; a model of \
the premises and not of the conclusion: domain {1}; Gull {}; Bird {}; Fish {}; premises true; conclusion false
fol_most_similar, seed 0: candidates for 5 of 5 sentences
  perturbations  5  6
  sentences      4  1
fol_ranking, seed 0: candidates for 5 of 5 sentences
  perturbations  3
  sentences      5
items that a run makes from these rows, by data set
  fol_translation   5
  fol_most_similar  5
  fol_ranking       5
  fol_entailment    2
next: pytest FOL_SUITES --autoeval-dataset=gulls.jsonl --autoeval-plan
"""
OF_REQUIREMENTS = """\
requirements.csv: 5 rows: 2 read, 3 reported
  reported: 3 (left out: correct it, or do without it)
    requirements.csv:4: column 'Ground Truth': line 1, column 6: unexpected 'x2'; expected a connective, the end
    requirements.csv:5: requirements.csv:2 has G !x1 for the same sentence, which is not equivalent to F !x1
    requirements.csv:6: 4 cells, but the header names 3 columns; put a cell with commas or quotes in double \
quotes, and double each quote inside it
items that a run makes from these rows, by data set
  ltl_future         1
  ltl_past           1
  ltl_propositions   2
  ltl_trace_writing  4
next: pytest LTL_SUITES --autoeval-dataset=requirements.csv --autoeval-plan
"""


def story(conclusion: str, formula: str, label: str) -> dict[str, Any]:
    return {**GULLS, "conclusion": conclusion, "conclusion-FOL": formula, "label": label}


def written(path: Path, *rows: Mapping[str, Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def stories() -> Path:
    return written(Path("gulls.jsonl"), *(story(*one) for one in (SURE, WRONG, MENDED, UNCLEAR)))


@pytest.fixture
def report(program: Program) -> Program:
    """Runs the command ``check``, which prints a report."""
    return partial(program, "check")


def test_the_report_on_stories(stories: Path, report: Program) -> None:
    out, err = report(str(stories))
    assert err == ""
    suites = files_of("test_translation", "test_most_similar", "test_ranking", "test_entailment")
    assert out == OF_STORIES.replace("FOL_SUITES", suites)


def examined(found: DataCheck) -> ExaminedSentences:
    """What the study of first-order translation says of the files."""
    (sentences,) = found.examined
    assert isinstance(sentences, ExaminedSentences)
    return sentences


def test_reported_rows_and_contradicted_labels_fail_a_strict_check(
    stories: Path, report: Program
) -> None:
    report("--strict", "--no-candidates", str(stories), code=1)
    for name, row, code in (
        ("sure", SURE, 0),
        ("mended", MENDED, 0),
        ("wrong", WRONG, 1),
        ("unclear", UNCLEAR, 1),
    ):
        path = written(Path(f"{name}.jsonl"), story(*row))
        report("--strict", "--no-candidates", str(path), code=code)


def test_json_has_file_line_column_and_position(stories: Path, report: Program) -> None:
    found = report(str(stories), "--no-candidates", "--json").data
    assert found["sound"] is False
    (file,) = found["files"]
    assert (file["file"], file["rows"]) == (
        "gulls.jsonl",
        {"read": 2, "repaired": 1, "reported": 1, "unused": 0},
    )
    (reported,) = file["reported"]
    assert (reported["source"], reported["line"], reported["column"]) == (
        "gulls.jsonl:4",
        4,
        "conclusion-FOL",
    )
    assert reported["position"] == {"line": 1, "column": 12}
    (repaired,) = file["repaired"]
    assert (repaired["line"], repaired["column"], repaired["position"]) == (
        3,
        "conclusion-FOL",
        None,
    )
    assert found["formulas"] == {"read": 4, "repaired": 1, "reported": 1}
    (label,) = found["labels"]["rows"]
    assert {key: label[key] for key in ("source", "said", "derived", "check")} == {
        "source": "gulls.jsonl:2",
        "said": "True",
        "derived": "False",
        "check": "contradicted",
    }
    assert found["data_sets"] == {
        "fol_translation": 5,
        "fol_most_similar": None,
        "fol_ranking": None,
        "fol_entailment": 2,
    }


def test_the_counts_are_those_of_a_run(stories: Path, report: Program) -> None:
    """Labels, candidates and items are what the data sets have, for the same seed."""
    for path in (stories, shipped_folder("data") / "ltl_past.jsonl"):
        found = check([path], seed=3)
        for name, number in found.data_sets.items():
            items = data_set(name, [path])
            assert items is not None
            assert number == sum(len(items.items(size, seed=3)) for size in items.sizes or ())
    sentences = examined(check([stories], seed=3))
    assert sentences.labels is not None
    assert sentences.labels.counts == checked_labels([stories]).counts
    choices = data_set("fol_most_similar", [stories])
    assert choices is not None
    made = [
        item.facts["perturbations"]
        for size in choices.sizes or ()
        for item in choices.items(size, seed=3)
    ]
    counts = sentences.candidates["fol_most_similar"].perturbations
    assert counts == {number: made.count(number) for number in sorted(set(made))}
    assert (
        report(str(stories), "--seed=3", "--json").data["candidates"]["fol_most_similar"]["seed"]
        == 3
    )


def test_why_sentences_have_no_candidates(report: Program) -> None:
    rows = [{"sentence": f"It is {n}.", "formula": f"P(c{n})"} for n in range(1, 6)]
    path = written(
        Path("atoms.jsonl"), *rows, {"sentence": "It is or not.", "formula": "P(a) ∨ ¬P(a)"}
    )
    out = report(str(path)).out
    assert (
        "fol_most_similar, seed 0: candidates for 5 of 6 sentences\n  perturbations  1\n  sentences      5\n"
        in out
    )
    assert "  tautology: 1 (always true)\n    atoms.jsonl:6\n" in out
    assert (
        "as for an atom, or that form is too large)\n    atoms.jsonl:1\n    atoms.jsonl:2\n" in out
    )
    assert "  fol_ranking" not in out
    assert set(REASONS) == set(get_args(Refusal))


def files_of(*suites: str) -> str:
    """The files of shipped suites as they are told outside of the checkout."""
    folder = Path(__file__).parents[2] / "suites"
    return " ".join(shlex.quote(str(folder / f"{suite}.py")) for suite in suites)


def test_suites_are_named_as_they_can_be_run(
    monkeypatch: pytest.MonkeyPatch, report: Program
) -> None:
    path = written(Path("gulls.jsonl"), {"sentence": "It is.", "formula": "P(a) ∧ Q(a)"}).resolve()
    monkeypatch.chdir(Path(__file__).parents[2])
    assert (
        f"next: pytest {Path('suites', 'test_translation.py')} "
        in report("--no-candidates", str(path)).out
    )
    monkeypatch.setattr(
        check_command, "SHIPPED_SUITES", Path(pytest_autoeval.__file__).parent / "suites"
    )
    assert (
        "next: pytest --pyargs pytest_autoeval.suites.test_translation "
        in report("--no-candidates", str(path)).out
    )


def test_rows_of_temporal_logic(report: Program) -> None:
    Path("requirements.csv").write_text(REQUIREMENTS, encoding="utf-8")
    assert report("requirements.csv").out == OF_REQUIREMENTS.replace(
        "LTL_SUITES", files_of("test_ltl_tasks")
    )


def test_the_results_of_a_run(report: Program) -> None:
    usual = {"language": "regex", "formula": "0*", "translation": "0*0*"}
    right = [sample(**usual), sample(index=1, **usual)]
    wrong = [sample("unparseable", index=2, **{**usual, "translation": None})]
    wrong.append(sample(index=3, **{**usual, "translation": "0"}))
    path = write_rows("run.jsonl", [*right, *wrong])
    out = report(str(path)).out
    assert out.startswith("run.jsonl: 4 rows: 1 read, 1 reported, 2 unused\n")
    assert (
        "    run.jsonl:6: column 'outcome': says that they mean the same, but 0* and 0 differ"
        in out
    )
    assert "\n  judge_regex  1\n" in out


def test_the_first_ones_of_a_list_are_shown_and_all_if_asked(report: Program) -> None:
    rows = [{"sentence": f"It is {n}.", "formula": f"P(c{n}) ∧"} for n in range(1, 8)]
    path = written(Path("cut.jsonl"), *rows, {"sentence": "It is.", "formula": "P(a)"})
    out = report("--no-candidates", str(path)).out
    assert "    cut.jsonl:5: " in out
    assert "    cut.jsonl:6: " not in out
    assert "    … and 2 more, which -v lists\n" in out
    out = report("--no-candidates", "-v", str(path)).out
    assert "    cut.jsonl:7: " in out
    assert "more, which" not in out


def test_rows_that_no_data_set_takes(report: Program) -> None:
    path = written(Path("cut.jsonl"), {"sentence": "It is.", "formula": "P(a) ∧"})
    out = report(str(path), code=1).out
    assert out.endswith("no item can be made from these rows: no suite can use them\n")
    assert "--autoeval-dataset" not in out


def test_a_language_of_a_conftest_is_checked_by_pytest(report: Program) -> None:
    path = Path("words.csv")
    path.write_text("formula,language\nab,firstmatch\nb,firstmatch\n", encoding="utf-8")
    out = report(str(path), code=1).out
    assert "languages that are not known here: firstmatch\n" in out
    assert "pytest --autoeval-dataset=words.csv --autoeval-plan\n" in out
    assert "no suite can use them" not in out
    assert json.loads(report(str(path), "--json", code=1).out)["unknown_languages"] == [
        "firstmatch"
    ]


def test_items_that_valid_rows_do_not_make_are_reported(
    monkeypatch: pytest.MonkeyPatch, report: Program
) -> None:
    monkeypatch.setattr(
        ltl_sets, "satisfying", lambda _: LassoSearch("undecided", reason="out of time")
    )
    path = written(Path("formulas.jsonl"), {"formula": "G x1"})
    assert report("--strict", str(path)).out.splitlines()[:5] == [
        "formulas.jsonl: 1 row: 1 read",
        "  left out: 1 (though their rows could be read)",
        "    formulas.jsonl:1: cannot decide whether G x1 has a satisfying trace: out of time",
        "1 formula of ltl, for round trips",
        "items that a run makes from these rows, by data set",
    ]


def test_control_characters_of_a_file_do_not_reach_the_terminal(report: Program) -> None:
    path = written(Path("hostile.jsonl"), {**story(*SURE), "label": "\x1b[2J\u202e"})
    out = report("--no-candidates", str(path)).out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "hostile.jsonl:1" in out


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        (
            "notes.xml",
            "a",
            "notes.xml: the name of a data file ends in .csv, .tsv, .jsonl, .json or .txt",
        ),
        (
            "other.csv",
            "a,b\n1,2\n",
            "other.csv: these columns make no row; known columns: 'sentence' ",
        ),
    ],
)
def test_a_file_that_cannot_be_read_at_all(
    name: str, content: str, problem: str, report: Program
) -> None:
    Path(name).write_text(content, encoding="utf-8")
    out, err = report(name, code=2)
    assert out == ""
    assert err.startswith(f"pytest_autoeval check: {problem}")
    assert err.count("\n") == 1


def test_progress_is_shown_and_an_interruption_ends_the_check(
    stories: Path, monkeypatch: pytest.MonkeyPatch, report: Program
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    err = report(str(stories)).err
    assert "\r\x1b[Klabels: 2 of 3" in err
    assert "\r\x1b[Kfol_ranking: 5 of 5 sentences" in err
    assert err.endswith("\r\x1b[K")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(entailment, "derived_label", interrupted)
    out, err = report(str(stories), code=130)
    assert out == ""
    assert err.endswith("labels: 1 of 3\r\x1b[K")


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in (FOLIO, shipped_folder("data") / "blocks_world_stories.jsonl")
        if path.exists()
    ],
)
def test_the_counts_of_real_data_add_up(path: Path) -> None:
    rows = len(path.read_text(encoding="utf-8").splitlines())
    found = check([path], candidates=0)
    (file,) = found.files
    assert sum(file.rows.values()) == rows
    labels = examined(found).labels
    assert labels is not None
    assert sum(labels.counts.values()) == rows
    assert labels.counts["left out"] == file.rows["reported"]
    assert found.data_sets["fol_entailment"] == labels.counts["confirmed"]
    assert [str(remark) for remark in file.reported] == sorted(
        file_problems([path]), key=lambda line: int(line.removeprefix(f"{path}:").partition(":")[0])
    )
    if path == FOLIO:
        assert rows == 204


def test_candidates_are_made_for_the_first_sentences_only(report: Program) -> None:
    rows = [
        {"sentence": f"Sentence {number}.", "formula": f"P(a) → Q(b{number})"}
        for number in range(5)
    ]
    path = written(Path("many.jsonl"), *rows)
    said = report(str(path), "--candidates=3").out
    assert "fol_ranking, seed 0: candidates for 3 of 3 sentences" in said
    assert "fol_ranking       not counted (--candidates=N)" in said
    assert "candidates for 5 of 5 sentences" in report(str(path)).out
    assert DEFAULT_SENTENCE_COUNT == 200


def test_sentences_alone_are_checked_with_the_formulas_of_a_run(report: Program) -> None:
    Path("rules.md").write_text("- The door is open.\n- It rains.\n", encoding="utf-8")
    shown = report("rules.md").out
    assert shown.splitlines()[:2] == [
        "rules.md: 2 sentences without formulas",
        "  read: 2 (each with its id)",
    ]
    assert shown.splitlines()[-1].endswith("check rules.md --formulas=RUN.jsonl")


def test_the_ids_of_sentences_are_seen_before_a_model_is_asked(report: Program) -> None:
    lines = ["- R-1: The door is open.", "- It rains.", "- R-1: It pours."]
    Path("rules.md").write_text("# Weather\n\n" + "\n".join(lines), encoding="utf-8")
    shown = " ".join(report("rules.md", "-v").out.split())
    assert "R-1: The door is open." in shown
    assert "rules.md:4: It rains." in shown
    assert "rules.md:5: the id 'R-1' is already used by rules.md:3" in shown
    data = report("rules.md", "--json").data
    assert [(row["item"], row["group"]) for row in data["sentences"]] == [
        ("R-1", "Weather"),
        ("rules.md:4", "Weather"),
    ]
    assert (data["sound"], len(data["left_out"])) == (False, 1)
    report("rules.md", "--strict", code=1)
    Path("rules.md").write_text("\n".join(lines[:2]), encoding="utf-8")
    report("rules.md", "--strict")
    # Files of another kind are checked in another way.
    Path("pairs.csv").write_text("formula,language\na -> b,propositional\n", "utf-8")
    assert "check such files by themselves" in report("rules.md", "pairs.csv", code=2).err


@pytest.mark.parametrize(
    ("table", "reported", "lacking"),
    [
        # In doubt: what first-order logic reads is not left out.
        ("sentence,formula\nFirst thing.,rain -> wet\nSecond thing.,¬rain\n", 0, 2),
        # Temporal logic alone: without phrases no suite can use the row.
        (
            "sentence,formula,language\nFirst thing.,G (rain -> wet),ltl\nSecond thing.,P(a) -> b,first_order\n",
            1,
            0,
        ),
    ],
)
def test_a_sentence_that_one_language_reads_is_not_left_out(
    table: str, reported: int, lacking: int
) -> None:
    path = Path("mine.csv")
    path.write_text(table, "utf-8")
    (file,) = check([path], candidates=0).files
    assert file.rows["reported"] == len(file.reported) == reported
    assert file.lack_phrases == lacking
