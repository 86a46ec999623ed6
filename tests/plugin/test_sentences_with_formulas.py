"""A file of sentences with their formulas, for a test with a body of its own that asks no model."""

from __future__ import annotations

import json

import pytest

from .conftest import Rows, Run, said

SUITE = """
import json
from pathlib import Path
from pytest_autoeval import autoeval

ANSWERS = json.loads(Path("answers.json").read_text())

def to_formula(sentence):
    return ANSWERS[sentence]

@autoeval("{file}"{more})
def test_rules(sample, assert_equivalent):
    assert_equivalent(to_formula(sample.sentence), sample.formula)
"""
RAIN, DRY = "If it rains, the street gets wet.", "It does not rain."

WITH_PROPOSITIONS = (
    "sentence,formula,propositions\n"
    f'"{RAIN}",G (rain -> wet),"""it rains"": rain, ""the street is wet"": wet"\n'
    f'{DRY},G !rain,"""it rains"": rain"\n'
)
AS_OBJECTS = [
    {"sentence": RAIN, "formula": "G (rain -> wet)", "language": "ltl"},
    {"sentence": DRY, "formula": "G !rain"},
]


def suite(
    pytester: pytest.Pytester, table: str, answers: str, more: str = "", file: str = "rules.csv"
) -> None:
    (pytester.path / file).write_text(table, "utf-8")
    (pytester.path / "answers.json").write_text(answers, "utf-8")
    pytester.makepyfile(test_suite=SUITE.replace("{file}", file).replace("{more}", more))


def answers(first: str, second: str) -> str:
    return f'{{"{RAIN}": "{first}", "{DRY}": "{second}"}}'


@pytest.mark.parametrize(
    ("lang", "formulas", "right", "wrong"),
    [
        ("propositional", ("rain → wet", "¬rain"), ("¬wet → ¬rain", "¬¬¬rain"), "rain"),
        ("ltl", ("G (rain -> F wet)", "G !rain"), ("G (!rain | F wet)", "!F rain"), "F !rain"),
        (
            "first_order",
            ("∀x (Rain(x) → Wet(x))", "¬∃x Rain(x)"),
            ("∀x (¬Rain(x) ∨ Wet(x))", "∀x ¬Rain(x)"),
            "∃x Rain(x)",
        ),
        ("regex", ("(01)*", "0|1"), ("(01)*", "1|0"), "1"),
    ],
)
@pytest.mark.parametrize("is_named_by_column", [False, True])
def test_a_row_gives_sentence_and_formula_in_every_language(
    pytester: pytest.Pytester,
    run: Run,
    rows: Rows,
    lang: str,
    formulas: tuple[str, str],
    right: tuple[str, str],
    wrong: str,
    is_named_by_column: bool,
) -> None:
    header, last, more = "sentence,formula", "", f', language="{lang}", threshold=1'
    if is_named_by_column:
        header, last, more = f"{header},language", f",{lang}", ", threshold=1"
    table = f'{header}\n"{RAIN}",{formulas[0]}{last}\n{DRY},{formulas[1]}{last}\n'
    suite(pytester, table, answers(*right), more)
    assert run("--autoeval-results=out.jsonl").ret == 0
    found = rows("out.jsonl")
    assert {(row["sentence"], row["outcome"], row["source"]) for row in found} == {
        (RAIN, "equivalent", "rules.csv:2"),
        (DRY, "equivalent", "rules.csv:3"),
    }
    assert {row["language"] for row in found} == {lang}

    suite(pytester, table, answers(right[0], wrong), more)
    result = run("--autoeval-results=out.jsonl")
    assert result.ret == 1
    assert {row["sentence"]: row["outcome"] for row in rows("out.jsonl")} == {
        RAIN: "equivalent",
        DRY: "different",
    }
    assert "understands only its own English" not in said(result)


@pytest.mark.parametrize(
    ("file", "table"),
    [
        ("rules.csv", WITH_PROPOSITIONS),
        ("rules.txt", f"{RAIN};G (rain -> wet)\n{DRY};G !rain\n"),
        ("rules.json", json.dumps(AS_OBJECTS)),
    ],
)
def test_other_columns_and_files_have_their_formulas_too(
    pytester: pytest.Pytester, run: Run, rows: Rows, file: str, table: str
) -> None:
    suite(pytester, table, answers("G (rain -> wet)", "G !rain"), ", threshold=1", file)
    assert run("--autoeval-results=out.jsonl").ret == 0
    assert {row["sentence"]: row["formula"] for row in rows("out.jsonl")} == {
        RAIN: "G (rain -> wet)",
        DRY: "G !rain",
    }


def test_a_glossary_beside_the_file_does_not_take_the_formulas_away(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    (pytester.path / "rules.toml").write_text('rain = "it rains"\nwet = "the street is wet"\n')
    table = f'sentence,formula\n"{RAIN}",rain -> wet\n{DRY},!rain\n'
    suite(pytester, table, answers("rain -> wet", "!rain"), ', language="propositional"')
    assert run("--autoeval-results=out.jsonl").ret == 0
    found = rows("out.jsonl")
    assert {row["formula"] for row in found} == {"rain → wet", "¬rain"}
    assert found[0]["glossary"] == {"rain": "it rains", "wet": "the street is wet"}


def test_a_language_in_doubt_is_asked_for(pytester: pytest.Pytester, run: Run) -> None:
    suite(pytester, f'sentence,formula\n"{RAIN}",rain -> wet\n', answers("", ""))
    result = run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    text = " ".join(said(result).split())
    assert "its formulas are of propositional and of first_order and of ltl" in text
    assert 'or give language="propositional" in the marker' in text


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (
            "sentence,formula,language\na,G wet,ltl\nb,0*,regex\n",
            'its formulas are of ltl and regex; give language="ltl" in the marker, which reads these alone',
        ),
        ("formula,language\nG wet,ltl\n0*,regex\n", "its formulas are of ltl and regex; give "),
        (
            "sentence,formula\na,wet &\nb,wet |\n",
            'no language can read its formulas; to see why, give language="ltl" (or another)',
        ),
        ("formula\nwet &\nwet |\n", "no language can read its formulas; to see why, "),
    ],
)
def test_a_language_that_the_rows_do_not_show_is_asked_for(
    pytester: pytest.Pytester, run: Run, table: str, problem: str
) -> None:
    suite(pytester, table, answers("", ""))
    result = run()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert problem in " ".join(said(result).split())


def test_rows_that_cannot_be_used_are_listed_and_the_others_are_asked(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    table = (
        "id,sentence,formula,language\n"
        f'R-1,"{RAIN}",rain -> wet,\n'
        f"R-2,{DRY},rain -> ,\n"
        f'R-3,"{RAIN}",wet -> rain,\n'
        "R-4,It never rains.,G !rain,ltl\n"
        "R-5,It snows.,,\n"
    )
    suite(pytester, table, answers("rain -> wet", ""), ', language="propositional"')
    result = run("--autoeval-results=out.jsonl", "-v")
    assert [row["item"] for row in rows("out.jsonl")] == ["R-1"]
    text = " ".join(said(result).split())
    assert "rules.csv:3: column 'formula'" in text
    assert "rules.csv:4: rules.csv:2 has rain → wet for the same sentence" in text
    assert "the formula is of ltl, and the test reads propositional" in text
    assert "rules.csv:6: column 'formula': the cell is empty" in text


OWN_TASK = """
from pytest_autoeval import Task, judge_formula

class Formalizing(Task):
    name = "formalizing"

    def slots(self, trial):
        return {"sentence": trial.fact("sentence", str)}

    def judge(self, answer, trial):
        return judge_formula(answer, trial)

class Formalizer:
    def complete(self, messages, *, repeat=0):
        return "¬rain ∨ wet"

def pytest_autoeval_register(registry):
    registry.add_task(Formalizing())
    registry.add_prompts("prompts")
    registry.add_model("formalizer", Formalizer)
"""
PROMPT = """
system = "Answer with one formula."
user = "${sentence}"

[[examples]]
sentence = "It snows."
answer = "snow"
"""


@pytest.mark.parametrize(
    ("task", "problem"),
    [("formalizing", ""), ("translate", "has more than sentences or formulas alone")],
)
def test_a_task_of_the_users_own_gets_the_formulas_and_a_shipped_one_says_what_it_needs(
    pytester: pytest.Pytester, run: Run, rows: Rows, task: str, problem: str
) -> None:
    (pytester.path / "rules.csv").write_text(f'sentence,formula\n"{RAIN}",rain -> wet\n')
    (pytester.mkdir("prompts") / "formalizing").mkdir()
    (pytester.path / "prompts/formalizing/propositional.toml").write_text(PROMPT)
    pytester.makeconftest(OWN_TASK)
    pytester.makepyfile(
        test_suite=f"""
        from pytest_autoeval import autoeval

        @autoeval("rules.csv", language="propositional", task="{task}", threshold=1)
        def test_rules(perform):
            perform()
        """
    )
    result = run("--autoeval-model=formalizer", "--autoeval-results=out.jsonl")
    if problem:
        assert result.ret == pytest.ExitCode.INTERRUPTED
        assert problem in " ".join(said(result).split())
        return
    assert result.ret == 0
    (row,) = rows("out.jsonl")
    assert (row["formula"], row["translation"]) == ("rain → wet", "¬rain ∨ wet")


def test_sentences_alone_need_no_model_in_a_body_that_asks_none(
    pytester: pytest.Pytester, run: Run
) -> None:
    (pytester.path / "rules.csv").write_text(f'sentence\n"{RAIN}"\n')
    pytester.makepyfile(
        test_suite="""
        from pytest_autoeval import autoeval

        @autoeval("rules.csv", language="propositional", threshold=1)
        def test_rules(sample):
            assert sample.sentence.startswith("If")
        """
    )
    assert run().ret == 0


def test_a_sentence_without_a_formula_says_so(pytester: pytest.Pytester, run: Run) -> None:
    suite(pytester, f'sentence\n"{RAIN}"\n', answers("rain", ""), ', language="propositional"')
    result = run()
    text = " ".join(said(result).split())
    assert "has only a sentence and no formula" in text
    assert "no language owns" not in text


def test_a_formula_in_a_file_of_sentences_alone_is_left_out_and_says_why(
    pytester: pytest.Pytester, run: Run
) -> None:
    table = f'sentence,formula,language\n"{RAIN}",rain -> wet,propositional\n{DRY},,propositional\n'
    suite(pytester, table, answers("rain", "!rain"), ', language="propositional"')
    text = " ".join(said(run()).split())
    assert "rules.csv:2: column 'language': such rows are read in ltl and first_order" in text
    assert "if its marker names the file and most rows of the file have a formula" in text


def test_a_round_trip_of_sentences_names_the_formulas_that_it_does_not_use(
    pytester: pytest.Pytester, run: Run
) -> None:
    sentence = "At the start, it rains."
    (pytester.path / "rules.csv").write_text(f'sentence,formula\n"{sentence}",rain\n')
    (pytester.path / "rules.toml").write_text('rain = "it rains"\n')
    pytester.makepyfile(
        test_suite="""
        from pytest_autoeval import autoeval

        @autoeval.sentences("rules.csv", language="ltl")
        def test_rules(perform):
            perform()
        """
    )
    text = " ".join(said(run()).split())
    assert "rules.csv: its formulas are not used, since the model writes a formula" in text
