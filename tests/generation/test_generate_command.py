"""`python -m pytest_autoeval generate`, as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.program import Program

from pytest_autoeval.generation.ambiguity import ambiguity
from pytest_autoeval.generation.drawing import formula_space
from pytest_autoeval.generation.grammars import grammar_names
from pytest_autoeval.generation.vocabularies import ready_made
from pytest_autoeval.languages import language


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_data_set_is_one_object_a_line(here: Path, program: Program) -> None:
    arguments = "generate propositional --operators 0:40 --count 50 --seed 1 --out data.jsonl"
    out, err = program(*arguments.split())
    assert out == ""
    assert "1974 formulas" in err
    data = rows((here / "data.jsonl").read_text(encoding="utf-8"))
    assert len(data) == 24 + 39 * 50
    assert [row["operators"] for row in data if row["index"] == 0] == list(range(40))
    lang = language("propositional")
    for row in data[::37]:
        assert row["measures"] == lang.measure(row["formula"])
        assert row["measures"]["operators"] == row["operators"]
        assert {row["grammar"], row["language"], row["vocabulary"], row["seed"]} == {
            "propositional",
            "default",
            1,
        }


def test_options_reach_the_formulas(program: Program) -> None:
    arguments = "generate first_order --vocabulary english --operators 5 --count 20 --quantifiers 2"
    data = rows(program(*arguments.split()).out)
    assert {row["vocabulary"] for row in data} == {"english"}
    assert {row["measures"]["quantifiers"] for row in data} == {2}
    constants = {
        name for row in data for name in language("first_order").symbols(row_tree(row)).constants
    }
    assert constants <= {*ready_made("english").constants}


def test_only_formulas_with_a_measure_within_bounds(program: Program) -> None:
    arguments = "generate regex --depth 20:22 --count 5 --measure states=2:7 --measure stars=8:15"
    data = rows(program(*arguments.split()).out)
    assert len(data) == 10
    assert {row["measures"]["depth"] for row in data} == {20, 21}
    assert all(
        2 <= row["measures"]["states"] <= 7 and 8 <= row["measures"]["stars"] <= 15 for row in data
    )


def row_tree(row: dict[str, Any]) -> Any:
    return language("first_order").parse(row["formula"])


def test_trivial_formulas_are_told_and_left_out(tmp_path: Path, program: Program) -> None:
    names = tmp_path / "names.json"
    names.write_text('{"propositions": ["a"]}', "utf-8")
    arguments = [
        "generate",
        "propositional",
        "--operators",
        "3",
        "--count",
        "200",
        "--prevalence",
        "--vocabulary",
    ]
    arguments.append(str(names))
    assert "tautology 0.0%" not in program(*arguments).err
    told = program(*arguments, "--exclude", "tautology", "--exclude", "contradiction").err
    assert "tautology 0.0%, contradiction 0.0%, undecided 0.0%" in told


def test_a_grammar_of_the_users_own(tmp_path: Path, program: Program) -> None:
    path = tmp_path / "mine.lark"
    path.write_text(
        'start: PROPOSITION | "(" start "↔" start ")"\nPROPOSITION: /p/\n', encoding="utf-8"
    )
    text = program(
        "generate", str(path), "--language=propositional", "--operators=2", "--count=3"
    ).out
    assert [row["grammar"] for row in rows(text)] == ["mine"] * 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("generate k-sat", "there is no grammar 'k-sat'"),
        ("generate parity", "What a conftest.py adds is known to pytest only."),
        ("generate ltl --language=parity", "What a conftest.py adds is known to pytest only."),
        ("generate propositional --out /dev/null", "--out: "),
        ("generate first_order --quantifiers 3:1", "quantifiers="),
        (
            "generate ltl --depth 2",
            "in ltl a size is the number of operators: write --operators, and --measure depth=2:5",
        ),
        (
            "generate regex --depth 2 --operators 2",
            "--operators and --depth both give the size; give only one",
        ),
        ("generate ltl --measure states=2", "there is no measure 'states'"),
        ("generate ltl --measure depth=3:2", "measures: depth is (3.0, 2.0)"),
        ("generate first_order --vocabulary nowhere.toml", "nowhere.toml cannot be read"),
        ("generte", "there is no command 'generte'"),
    ],
)
@pytest.mark.usefixtures("here")
def test_mistakes_are_one_clear_line(arguments: str, told: str, program: Program) -> None:
    error = program(*arguments.split(), code=2).err
    assert told in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("wrong", ["4:4", "a:b", "-3"])
def test_spans_that_hold_no_size_are_refused(wrong: str, program: Program) -> None:
    assert repr(wrong) in program("generate", "propositional", f"--operators={wrong}", code=2).err


def test_a_reader_that_has_seen_enough_ends_it_quietly(tmp_path: Path) -> None:
    line = f"{sys.executable} -m pytest_autoeval generate propositional --operators 5:20 --count 50 | head -n 1"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PYTHONIOENCODING": "utf-8",
    }
    done = subprocess.run(
        ["sh", "-c", line],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=environment,
        encoding="utf-8",
    )
    assert len(rows(done.stdout)) == 1
    assert "Traceback" not in done.stderr
    assert "Broken" not in done.stderr


def test_the_last_line_names_the_sizes_that_were_found(program: Program) -> None:
    assert program("generate", "ksat", "--operators=0:6", "--count=1").err.endswith(
        "ksat: 2 formulas, sizes 2 to 5\n"
    )
    told = "size 1 (operators) with 5 to 6 quantifiers; the nearest sizes with formulas: 7 and 8\n"
    assert told in program("generate", "first_order", "--operators=1:3", "--quantifiers=5:6").err


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        (
            'start: a | b\na: PROPOSITION\nb: PROPOSITION | "(" b "∧" b ")"',
            "p1 has two derivations",
        ),
        (
            'start: PROPOSITION | "¬" start | "(" start "∧" start ")" | "(" "¬" start "∧" start ")"',
            "¬p1 ∧ p1 has two",
        ),
        ('start: PROPOSITION | "¬" start | "(" start "∧" start ")"', ""),
    ],
)
def test_a_formula_with_two_derivations_is_named_with_its_rules(
    rules: str, named: str, tmp_path: Path, program: Program
) -> None:
    file = tmp_path / "mine.lark"
    file.write_text(f"// language: propositional\n{rules}\nPROPOSITION: /p/\n", "utf-8")
    told = program("generate", str(file), "--operators=1", "--count=1").err
    notes = [line for line in told.splitlines() if line.startswith("note: ")]
    assert len(notes) == bool(named)
    assert all(named in note and "is drawn more often; see the rules " in note for note in notes)


def test_no_formula_of_a_shipped_grammar_has_two_derivations() -> None:
    assert [ambiguity(formula_space(name)) for name in grammar_names()] == [""] * len(
        grammar_names()
    )
