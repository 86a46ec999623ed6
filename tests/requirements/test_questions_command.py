"""`python -m pytest_autoeval questions`: a list of questions for the author, whose answers are kept."""

from __future__ import annotations

import codecs
import csv
import json
from pathlib import Path

import pytest
from support.program import Program
from support.result_rows import changed, row, write_rows
from support.sentence_rows import GLOSSARY, sentence_row

from pytest_autoeval.datasets.author_answers import (
    answers_beside,
    answers_by_sentence,
    cases_beside,
    read_questions,
)
from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.languages import language
from pytest_autoeval.languages.author_cases import contradicted_answer
from pytest_autoeval.languages.glossary import describe_in_phrases

STRONG, WEAK, OTHER = "G (door_open -> X red)", "G (door_open -> F red)", "G (door_open -> red)"
ROWS = [
    *(sentence_row(text, repeat=at) for at, text in enumerate([WEAK, WEAK, STRONG, STRONG, OTHER])),
    *(
        sentence_row("G bell", item="requirements-2", sentence="The bell rings.", repeat=at)
        for at in range(3)
    ),
]


@pytest.fixture
def results(tmp_path: Path) -> str:
    return write_rows(tmp_path / "results.jsonl", ROWS)


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def put(path: Path, *rows: dict[str, str]) -> None:
    """Writes the rows into the file, the first of which has all columns."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


def answered(path: Path, answer: str) -> None:
    """Writes the answer into each row that has none."""
    put(path, *({**one, "answer": one["answer"] or answer} for one in table(path)))


def in_english(formula: str) -> str:
    return describe_in_phrases(language("ltl").parse(formula), GLOSSARY, "ltl")


@pytest.fixture
def asked(results: str, tmp_path: Path, program: Program) -> Path:
    """The file with the question on the results."""
    file = answers_beside(tmp_path / "requirements.md")
    program("questions", results, "--csv", str(file))
    return file


def test_a_sentence_that_was_read_in_two_ways_is_a_question(
    results: str, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    shown = program("questions", results)
    assert shown.out == (
        "\n"
        "requirements-1\n"
        "  “If the door opens, the light is red.” can be read in two ways. Suppose the following for steps 1\n"
        "  and 2. The door is open at step 1, but not at step 2. The light is red at step 1, but not at step\n"
        "  2. From step 2 on, everything stays the same. Is that allowed?\n"
        "    yes: G (door_open -> F red), read by gpt (2 answers)\n"
        "    no: G (door_open -> X red), read by gpt (2 answers)\n"
    )
    assert shown.err.splitlines()[-2:] == [
        "1 question",
        "to answer: --csv requirements.answers.csv writes a table",
    ]


def test_the_command_says_which_file_a_run_reads(
    results: str, asked: Path, tmp_path: Path, program: Program
) -> None:
    to_answer = "to answer: write yes or no into the column answer"
    right = program("questions", results, "--csv", str(asked)).err
    assert right.splitlines()[-1] == to_answer
    other = program("questions", results, "--csv", str(tmp_path / "answers.csv")).err
    assert other.splitlines()[-2:] == [
        to_answer,
        "a run reads only the answers in requirements.answers.csv, beside requirements.md",
    ]


def test_sentences_that_were_read_once_have_a_hint(tmp_path: Path, program: Program) -> None:
    file = write_rows(tmp_path / "a.jsonl", [sentence_row(WEAK)])
    assert program("questions", file).err.splitlines()[-2:] == [
        "no open question",
        "each sentence was read once; --autoeval-repeats=3 or --autoeval-paraphrases=2 reads it several times",
    ]


def test_answers_that_lost_their_meaning_are_counted(tmp_path: Path, program: Program) -> None:
    rows = [sentence_row(WEAK, outcome="different"), sentence_row(None, repeat=1)]
    file = write_rows(tmp_path / "a.jsonl", rows)
    shown = program("questions", file).err
    assert (
        "1 of 2 answers did not keep the meaning of their formula; to read them: "
        f"python -m pytest_autoeval report {file} -v\n"
    ) in shown


def test_a_formula_against_an_answer_did_not_lose_its_meaning(
    tmp_path: Path, program: Program
) -> None:
    rows = [
        sentence_row(WEAK, outcome="contradicts an answer"),
        sentence_row(WEAK, repeat=1, outcome="different"),
        sentence_row(WEAK, repeat=2),
    ]
    shown = program("questions", write_rows(tmp_path / "a.jsonl", rows)).err
    assert "1 of 3 answers did not keep the meaning of their formula;" in shown
    assert "1 of 3 answers gave a formula that contradicts an answer of the author;" in shown


def test_the_author_answers_in_the_file_and_gets_the_next_question(
    results: str, asked: Path, program: Program
) -> None:
    assert asked.name == "requirements.answers.csv"
    [first] = table(asked)
    assert (first["answer"], first["requirement"]) == ("", "requirements-1")
    assert [first["yes_means"], first["no_means"]] == list(map(in_english, (WEAK, STRONG)))
    answered(asked, "yes")
    program("questions", results, "--csv", str(asked))
    second, kept = table(asked)
    assert kept == {**first, "answer": "yes"}
    assert second["answer"] == ""
    assert {second["yes_means"], second["no_means"]} == set(map(in_english, (WEAK, OTHER)))
    answered(asked, "no")
    told = program("questions", results, "--csv", str(asked)).err
    assert [one["answer"] for one in table(asked)] == ["no", "yes"]
    assert told.splitlines()[-1] == "no open question; 2 answers kept"


def test_the_answers_check_formulas(asked: Path) -> None:
    assert answers_by_sentence(read_questions(asked)) == {}
    answered(asked, "No")
    answers = answers_by_sentence(read_questions(asked))[
        "ltl", "If the door opens, the light is red."
    ]
    ltl = language("ltl")
    assert contradicted_answer(ltl, ltl.parse(STRONG), answers) is None
    assert contradicted_answer(ltl, ltl.parse(WEAK), answers) == answers[0]
    # The case says nothing of the bell.
    assert contradicted_answer(ltl, ltl.parse("F bell"), answers) is None
    assert answers[0].question.endswith("Is that allowed?")
    assert not answers[0].allowed


def test_the_questions_of_two_models_as_markdown(tmp_path: Path, program: Program) -> None:
    one = write_rows(tmp_path / "one.jsonl", [sentence_row(WEAK)])
    two = write_rows(tmp_path / "two.jsonl", [sentence_row(STRONG, model="qwen")])
    file = tmp_path / "questions.md"
    program("questions", one, two, "--markdown", str(file))
    text = file.read_text(encoding="utf-8")
    assert text.startswith(
        "# Questions\n\n- `requirements-1`: “If the door opens, the light is red.” can be read in two ways."
    )
    assert f"    - yes: `{WEAK}`, read by gpt\n    - no: `{STRONG}`, read by qwen\n" in text


def test_questions_are_in_the_order_of_the_file(tmp_path: Path, program: Program) -> None:
    rows = [
        sentence_row(
            text,
            repeat=at,
            item=f"r{line}",
            sentence=f"Sentence {line}.",
            source=f"requirements.md:{line}",
        )
        for line in (10, 9, 2)
        for at, text in enumerate([WEAK, STRONG])
    ]
    file = tmp_path / "a.answers.csv"
    program("questions", write_rows(tmp_path / "a.jsonl", rows), "--csv", str(file))
    assert [one["requirement"] for one in table(file)] == ["r2", "r9", "r10"]


def test_the_table_of_the_author_has_no_columns_for_programs(asked: Path) -> None:
    [question] = table(asked)
    assert list(question) == [
        "answer",
        "question",
        "requirement",
        "sentence",
        "yes_means",
        "no_means",
    ]
    [case] = json.loads(cases_beside(asked).read_text("utf-8"))["questions of pytest-autoeval"]
    assert (case["question"], case["language"]) == (question["question"], "ltl")
    assert case["case"]["kind"] == "trace"


def test_an_editor_may_wrap_the_text_of_a_question(asked: Path) -> None:
    [question] = table(asked)
    put(asked, question | {"answer": "yes", "question": question["question"].replace(" ", "\n ")})
    [row] = read_questions(asked)
    assert (row["answer"], row["sentence"]) == ("yes", question["sentence"])


@pytest.mark.parametrize("change", ["question", "cases"])
def test_an_answer_whose_case_is_not_known_is_refused(asked: Path, change: str) -> None:
    [question] = table(asked)
    if change == "question":
        put(asked, question | {"answer": "yes", "question": "Is that so?"})
    else:
        cases_beside(asked).unlink()
    reasons = {"question": "does not have this question", "cases": "is missing; it has the cases"}
    with pytest.raises(DataSetError, match=rf"answers\.cases\.json {reasons[change]}"):
        read_questions(asked)


def test_cases_that_are_no_json_are_refused(asked: Path) -> None:
    for text in ("[", "[]", '{"questions of pytest-autoeval": [1]}'):
        cases_beside(asked).write_text(text, "utf-8")
        with pytest.raises(DataSetError, match="the cases of the questions cannot be read"):
            read_questions(asked)


def test_a_table_of_an_earlier_release_is_read_and_gets_the_columns_of_this_one(
    results: str, asked: Path, program: Program
) -> None:
    [row] = read_questions(asked)
    earlier = {"answer": "yes", "question": row["question"], "place": "requirements.md:3"}
    earlier |= {key: row[key] for key in ("sentence", "id", "language", "case", "names")}
    put(asked, earlier)
    cases_beside(asked).unlink()
    assert [row["answer"] for row in read_questions(asked)] == ["yes"]
    program("questions", results, "--csv", str(asked))
    _, kept = table(asked)
    assert "case" not in kept
    assert (kept["answer"], kept["requirement"]) == ("yes", "requirements.md:3")
    assert [row["answer"] for row in read_questions(asked)] == ["", "yes"]


def test_a_spreadsheet_takes_no_text_for_a_command(tmp_path: Path, program: Program) -> None:
    rows = [
        sentence_row(text, repeat=at, sentence="=cmd|' /C calc'!A0")
        for at, text in enumerate([WEAK, STRONG])
    ]
    file = tmp_path / "a.answers.csv"
    program("questions", write_rows(tmp_path / "a.jsonl", rows), "--csv", str(file))
    assert table(file)[0]["sentence"].startswith("'=")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"answer": "perhaps"},
            "csv:2: the answer 'perhaps' is neither yes nor no; leave the cell empty",
        ),
        ({"case": "{"}, "csv:2: the case cannot be read: line 1"),
        (
            {"case": json.dumps({"kind": "assignment", "values": {}})},
            "csv:2: the case cannot be read: this is no witness",
        ),
        ({"language": "latin"}, "csv:2: the case cannot be read: there is no language 'latin'"),
        ({"names": "["}, "csv:2: the names cannot be read: line 1"),
        ({"names": "[1]"}, "csv:2: the names are [1], and not an object"),
        ({"sentence": ""}, "csv:2: the column 'sentence' is empty"),
    ],
)
def test_a_wrong_row_of_the_answers_is_named(
    asked: Path, change: dict[str, str], message: str
) -> None:
    [whole] = read_questions(asked)
    put(asked, {**whole, **change})
    with pytest.raises(DataSetError) as problem:
        read_questions(asked)
    assert message in str(problem.value)


def test_results_without_sentences_are_refused(tmp_path: Path, program: Program) -> None:
    told = program("questions", write_rows(tmp_path / "a.jsonl", [row()]), code=2).err
    assert "no sample is of the task sentence_round_trip" in told


def test_sentences_in_place_of_results_are_refused(tmp_path: Path, program: Program) -> None:
    (file := tmp_path / "rules.md").write_text("- The door is open.\n", encoding="utf-8")
    told = program("questions", str(file), code=2).err
    assert "give the results of a run (--autoeval-results=RUN.jsonl)" in told


def test_opposite_answers_to_one_question_are_refused(asked: Path) -> None:
    [whole] = read_questions(asked)
    case = json.dumps(dict(sorted(json.loads(whole["case"]).items(), reverse=True)))
    for second, problem in (
        ("YES", ""),
        ("no", "csv:3: the same question has the opposite answer in "),
    ):
        put(
            asked,
            {**whole, "answer": "yes"},
            {**whole, "answer": second, "case": case, "id": "other"},
        )
        if problem:
            with pytest.raises(DataSetError) as found:
                read_questions(asked)
            assert problem in str(found.value)
        else:
            assert len(read_questions(asked)) == 2


def test_a_column_of_the_author_is_kept_with_its_answer(
    results: str, asked: Path, program: Program
) -> None:
    [whole] = table(asked)
    put(asked, whole | {"answer": "yes", "remark": "see issue 7"})
    program("questions", results, "--csv", str(asked))
    assert [one["remark"] for one in table(asked)] == ["", "see issue 7"]


def test_sentences_in_a_language_of_a_conftest_are_not_compared(
    tmp_path: Path, program: Program
) -> None:
    own = [
        sentence_row(text, language="shouted", repeat=at) for at, text in enumerate(["RED", "BELL"])
    ]
    file = write_rows(tmp_path / "a.jsonl", [*own, *(changed(one, suite="known") for one in ROWS)])
    line = "not compared: the formulas of 1 sentence in shouted, a language that only the conftest.py of the run adds"
    assert program("questions", file).err.splitlines()[-3:-1] == [line, "1 question"]
    assert line in program("report", file).text
    alone = write_rows(tmp_path / "b.jsonl", own)
    # Nothing was compared, so that nothing passes.
    program("report", alone, "--agreement=0.1", code=10)
    program("report", alone, f"--baseline={alone}", "--fail-on=agreement:5%", code=10)


def test_an_answered_question_is_not_asked_again_without_the_table(
    results: str, asked: Path, program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answered(asked, "no")
    # Beside the results.
    shown = program("questions", results)
    assert "The light is red at step 1, but not at step 2" not in shown.out
    assert f"already answered, and not asked again: 1 answer in {asked}\n" in shown.err
    # In the current folder, whose table a run reads first; another table of questions knows the answer too.
    monkeypatch.chdir(tmp_path)
    shown = program("questions", results, "--csv", "more.csv")
    assert "not asked again: 1 answer in requirements.answers.csv\n" in shown.err
    # No question is open, so that there is nothing to write.
    assert "no open question" in shown.err
    assert not Path("more.csv").exists()
    # The table itself keeps the answer, and says nothing twice.
    shown = program("questions", results, "--csv", "requirements.answers.csv")
    assert "not asked again" not in shown.err


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        ("anser,question", "there is no column 'answer'. Did you mean 'anser'?"),
        ("antwort,question", "there is no column 'answer'."),
        ("answer,frage", "there is no column 'question'."),
    ],
)
def test_a_table_of_answers_without_its_columns_is_refused(
    asked: Path, header: str, problem: str
) -> None:
    answers = asked.read_text("utf-8").replace("answer,question", header, 1)
    asked.write_text(answers, encoding="utf-8")
    with pytest.raises(DataSetError) as refused:
        read_questions(asked)
    assert str(refused.value) == f"{asked}:2: {problem}"


def test_the_answers_of_a_german_spreadsheet_are_read(asked: Path) -> None:
    answered(asked, "yes")
    rows = table(asked)
    with asked.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), delimiter=";", lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
    assert [row["answer"] for row in read_questions(asked)] == ["yes"]
    asked.write_text(asked.read_text("utf-8-sig").replace("\nyes;", "\nja;"), encoding="utf-8")
    with pytest.raises(DataSetError, match=r"answers.csv:2: the answer 'ja' is neither yes nor no"):
        read_questions(asked)


@pytest.mark.parametrize(
    ("encoding", "delimiter"),
    [("utf-8-sig", ";"), ("utf-8-sig", ","), ("utf-8", ";"), ("utf-16", "\t")],
)
def test_a_table_that_a_spreadsheet_saved_is_continued_in_its_dialect(
    encoding: str, delimiter: str, asked: Path, results: str, program: Program
) -> None:
    answered(asked, "yes")
    rows = table(asked)
    with asked.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    program("questions", results, "--csv", str(asked))
    # The answer leads to the next question, which is in the same table.
    assert [row["answer"] for row in read_questions(asked)] == ["", "yes"]
    content = asked.read_bytes()
    assert content.startswith(codecs.BOM_UTF8) is (encoding != "utf-8")
    assert content.decode("utf-8-sig").startswith(f"answer{delimiter}question{delimiter}")


def test_a_line_about_the_separator_is_kept(asked: Path, results: str, program: Program) -> None:
    answered(asked, "yes")
    asked.write_text("sep=,\n" + asked.read_text("utf-8"), "utf-8")
    program("questions", results, "--csv", str(asked))
    assert asked.read_text("utf-8").startswith("sep=,\nanswer,question,")
    assert [row["answer"] for row in read_questions(asked)] == ["", "yes"]


def test_a_file_of_another_kind_is_not_overwritten(
    tmp_path: Path, results: str, program: Program
) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# My notes\n", "utf-8")
    refused = program("questions", results, "--markdown", str(notes), code=2).err
    assert f"{notes}: cannot be written: the file exists and does not contain questions" in refused
    assert "summary" not in refused
    assert notes.read_text("utf-8") == "# My notes\n"


def test_a_report_names_its_files_and_its_own_options(results: str, program: Program) -> None:
    shown = program("report", results, "--baseline", results).out
    assert f"answer them:  python -m pytest_autoeval questions {results} --csv" in shown
    assert "--fail-on=drop:5%" in shown
    assert "--autoeval-fail-on" not in shown
