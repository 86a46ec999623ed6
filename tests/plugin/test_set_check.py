"""`check FILE --formulas=RESULTS`: sentences as a whole, from the results of a run."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.page_blocks import PageBlocks
from support.program import Program
from support.result_rows import changed, row, write_rows
from support.snapshot import assert_text_snapshot

from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.plain_sentences import read_plain_sentences
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.ltl import LinearTemporalLogic
from pytest_autoeval.record.lines import Sample

from .conftest import Run

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
    "G (open -> light)",
    "G F open",
    "F G !light",
    "F open",
    "open | !open",
    "F open",
    None,
    "G (open -> bell)",
    "light & !light",
]
GLOSSARY = {
    "open": "the door is open",
    "light": "the light is on",
    "bell": "the bell rings",
    "lamp": "the lamp is on",
}


def sentences() -> list[str]:
    lines = REQUIREMENTS.replace("\n  ", " ").splitlines()
    return [line.removeprefix("- ") for line in lines if line.startswith("- ")]


def rows(outcome: str = "", **changes: Any) -> list[Sample]:
    made = []
    for number, (sentence, formula) in enumerate(zip(sentences(), FORMULAS, strict=False), 1):
        about = {
            "sentence": sentence,
            "item": f"door:{number}",
            "source": f"door.md:{number}",
            "group": "Door",
        }
        result = {"formalization": formula, "glossary": GLOSSARY, "paraphrase": 0}
        whole = {
            "task": "sentence_round_trip",
            "language": "ltl",
            "index": number,
            "formula": "",
            **about,
            **result,
        }
        made.append(
            row(outcome or ("consistent" if formula else "unparseable"), **{**whole, **changes})
        )
    return made


@pytest.fixture
def check(here: Path, program: Program) -> Program:
    """The requirements in the current folder, the results of a run, and the check of both."""
    (here / "door.md").write_text(REQUIREMENTS, "utf-8")
    write_rows("run.jsonl", rows())
    return partial(program, "check", "--formulas=run.jsonl")


def requirements(*numbers: int, name: str = "door.md") -> str:
    """Leaves only these sentences in the file; the first is 0."""
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text("".join(f"- {sentences()[number]}\n" for number in numbers), "utf-8")
    return name


def test_the_report_in_the_terminal(check: Program) -> None:
    shown = check("door.md", code=1).out
    assert max(map(len, shown.splitlines())) <= 80
    assert_text_snapshot("whole_set.txt", shown)


def test_the_report_as_json_and_in_the_page(check: Program) -> None:
    data = check("door.md", "--html=page.html", "--json", code=1).data
    assert data["satisfiable"] is False
    assert data["contradictions"] == [
        {"sentences": ["door.md:3", "door.md:4", "door.md:5"], "proved": "smallest"}
    ]
    assert data["repeats"] == [["door.md:6", "door.md:8"]]
    assert data["consequences"] == [
        {"sentence": "door.md:6", "premises": ["door.md:4"], "proved": "smallest"}
    ]
    assert data["always_true"] == ["door.md:7"]
    assert data["never_true"] == ["door.md:15"]
    assert data["kept"] == ["door.md:3", "door.md:4", "door.md:6", "door.md:10"]
    assert data["witness"]["kind"] == "trace"
    assert data["names_used_once"] == [{"name": "bell", "item": "door.md:10"}]
    assert data["unused_names"] == ["lamp"]
    assert [one["item"] for one in data["without_formula"]] == ["door.md:9", "door.md:16"]
    assert data["undecided"] == {}
    page = PageBlocks(Path("page.html").read_text("utf-8")).data("overview")["document"]
    about = {
        section["title"]: section["blocks"]
        for section in page["sections"]
        if section["name"] == "whole set"
    }
    assert about["repeated: the same meaning"][-1]["values"] == {"others": "8", "first": "6"}
    assert page["exit_code"] == 1
    # The reader asked about the set: its verdict is the headline, and that of the run stands behind.
    assert page["sections"][0]["title"] == "the sentences as a set"
    assert page["state"] == "failed"
    (verdict,) = (one for one in page["sections"] if one["name"] == "verdict")
    assert verdict["title"] == "the run that wrote the formulas"


def german_table(name: str, *numbers: int) -> str:
    """A table of these sentences, as a German spreadsheet saves it."""
    lines = [f"D-{number};{sentences()[number]}" for number in numbers]
    Path(name).write_text("\n".join(["Nr;Anforderung", *lines, ""]), "utf-8-sig")
    return name


def test_columns_are_read_by_the_names_that_the_user_gives(check: Program) -> None:
    file = german_table("door.csv", 1, 3)
    data = check(file, "--columns=sentence=Anforderung,id=Nr", "--json").data
    assert [(one["item"], one["formula"]) for one in data["sentences"]] == [
        ("D-1", "G F open"),
        ("D-3", "F open"),
    ]


def test_a_command_names_its_own_option_for_columns_and_each_problem_once(
    check: Program, program: Program
) -> None:
    file = german_table("door.csv", 0, 1, 3)
    refused = check(file, code=2).err
    assert refused.count("there is no column 'sentence'") == 1
    assert "name one with --columns=sentence=NAME." in refused
    plain = program("check", file, code=2).err
    assert "unknown columns: 'Nr', 'Anforderung'; if one of them" in plain
    assert "--columns=sentence=NAME" in plain
    assert "autoeval-columns" not in refused + plain
    # In a run of pytest the option has its other name.
    with pytest.raises(DataSetError, match="or --autoeval-columns=sentence=NAME"):
        read_plain_sentences(Path(file))


def test_a_list_of_sentences_has_no_formulas_of_its_own(here: Path, program: Program) -> None:
    assert here
    Path("list.md").write_text("- The door is open.\n", "utf-8")
    shown = program("check", "list.md", "--set", code=2).err
    assert "list.md: a list of sentences has no formulas; take those of a run" in shown


def test_a_set_without_contradictions_has_the_exit_code_0(check: Program) -> None:
    assert (
        "the sentences can all hold together, and none is trivial" in check(requirements(0, 1)).out
    )


def test_sentences_of_two_files_with_one_id_are_told_apart(check: Program) -> None:
    files = [requirements(number, 1, 2, name=f"part{number}/door.md") for number in (0, 8)]
    data = check(*files, "--json", code=1).data
    assert len({one["item"] for one in data["sentences"]}) == len(data["sentences"])
    assert data["never_true"] == [f"door.md:1 of {Path(files[1])}"]
    assert data["contradictions"][0]["sentences"] == [
        f"door.md:{number} of {Path(files[0])}" for number in (1, 2, 3)
    ]
    assert "all sentences can hold together" not in check(*files, code=1).out


def test_the_claim_on_all_sentences_leaves_out_those_without_a_formula(check: Program) -> None:
    shown = check(requirements(0, 1, 6)).out
    assert "all sentences with a formula can hold together, as here" in shown
    assert " ".join(shown.split()).startswith(
        "1 sentence has no formula and is left out; "
        "the sentences with a formula can all hold together, and none is trivial door.md:"
    )


def test_a_later_contradiction_is_smallest_among_the_sentences_that_are_left(
    check: Program,
) -> None:
    pairs = ["open", "!open", "light", "!light"]
    write_rows(
        "run.jsonl",
        [changed(one, formalization=it) for one, it in zip(rows(), pairs, strict=False)],
    )
    shown = check(requirements(0, 1, 2, 3), code=1).text
    assert "these 2 contradict each other (no smaller set does):" in shown
    assert (
        "these 2 contradict each other (of the sentences that are not above: no smaller set does):"
        in shown
    )


def test_a_model_says_what_holds_of_names_that_it_does_not_mention(check: Program) -> None:
    """A witness of some sentences may do for others, whose names it does not interpret."""
    formulas, glossary = (
        ["Tall(alice)", "Tall(bob) → Tall(alice)"],
        {"Tall(x)": "x is tall", "alice": "Alice"},
    )
    some = [
        changed(one, language="first_order", formalization=it, glossary=glossary)
        for one, it in zip(rows(), formulas, strict=False)
    ]
    write_rows("run.jsonl", some)
    assert check(requirements(0, 1), "--json").data["witness_text"] == (
        "Suppose there is exactly 1 thing: thing 1. Alice is thing 1. For all x, x is tall. "
        "What is not mentioned does not hold, and other terms are thing 1."
    )


def test_a_phrase_of_two_meanings_is_not_used(check: Program) -> None:
    other = {"open": "the shop is open", "light": "the light is on"}
    write_rows("run.jsonl", [rows()[0], changed(rows()[1], glossary=other)])
    text = check(requirements(0, 1), "--json").data["witness_text"]
    assert text.startswith(
        "Suppose the following. The light is on at every step. “open” holds at every step."
    )


def test_a_sentence_that_moved_keeps_its_formula(check: Program) -> None:
    Path("moved.md").write_text(f"- A new one.\n- {sentences()[1]}\n", "utf-8")
    data = check("moved.md", "--json").data
    assert [(one["item"], one["formula"]) for one in data["sentences"]] == [
        ("moved.md:2", "G F open")
    ]


def test_only_the_first_answer_to_the_sentence_itself_counts(check: Program) -> None:
    other = {"formalization": "F light", "outcome": "consistent"}
    write_rows(
        "run.jsonl", [*rows(), *rows(repeat=1, **other), *rows(paraphrase=1, repeat=2, **other)]
    )
    shown = check("door.md", "--json", code=1).data["sentences"]
    assert [one["formula"] for one in shown] == [formula for formula in FORMULAS if formula]


def test_the_model_is_chosen_where_there_are_several(check: Program) -> None:
    other = rows(model="maker/other", formalization="F open", outcome="consistent")
    write_rows("run.jsonl", [*rows(), *other])
    assert "choose one with --model=NAME" in check("door.md", code=2).err
    assert len(check("door.md", "--model=maker/other", "--json").data["repeats"][0]) == len(other)
    assert "maker/other" in check("door.md", "--model=maker/else", code=2).err


@pytest.mark.parametrize(
    ("results", "problem"),
    [
        (
            [
                *rows(),
                *rows(suite="another.py::test_it", formalization="F open", outcome="consistent"),
            ],
            "give the results of one suite",
        ),
        (
            rows(formalization="G (open"),
            "the formula of door.md:3 in the results cannot be read: line 1, column",
        ),
        ([row()], "no results of the task sentence_round_trip for the sentences of door.md"),
    ],
    ids=["two formulas for one sentence", "an unreadable formula", "no such sentences"],
)
def test_results_that_do_not_suit_are_refused(
    check: Program, results: list[Sample], problem: str
) -> None:
    write_rows("run.jsonl", results)
    assert problem in check("door.md", code=2).err


@pytest.mark.parametrize(
    "option", ["--model=m", "--timeout=1", "--seconds=1", "--html=page.html", "--markdown=set.md"]
)
def test_options_of_the_set_need_formulas(option: str, check: Program, program: Program) -> None:
    assert check
    assert "needs --formulas" in program("check", "door.md", option, code=2).err


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_a_time_limit_is_a_number_of_seconds(seconds: str, check: Program) -> None:
    assert (
        "is not a number of seconds above 0" in check("door.md", f"--seconds={seconds}", code=2).err
    )


def test_what_was_not_decided_in_time_is_named(check: Program) -> None:
    shown = check("door.md", "--seconds=1e-9", code=10).out
    assert "The time limit (--seconds) ended the check" in shown
    assert "whether the sentences can hold together" in shown
    assert "whether a sentence follows from the others: 3" in shown


def test_an_interruption_prints_what_is_known(
    check: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    entails, asked = LinearTemporalLogic.entails, iter(range(12))

    def interrupted(*arguments: Any, **options: Any) -> Any:
        if next(asked, None) is None:
            raise KeyboardInterrupt
        return entails(*arguments, **options)

    monkeypatch.setattr(LinearTemporalLogic, "entails", interrupted)
    shown = check("door.md", code=130).out
    assert "The check was interrupted" in shown
    assert "door.md:7: The door is open or it is not." in shown


def test_no_sentence_is_called_contingent_if_that_was_not_decided(
    check: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negation of each sentence alone is never decided."""
    entails = LinearTemporalLogic.entails

    def half_decided(self: Any, left: Any, right: Any, timeout: float | None = None) -> Any:
        verdict = entails(self, left, right, timeout)
        return (
            replace(verdict, outcome=VerdictOutcome.UNDECIDED, witness=None)
            if str(left) == "true"
            else verdict
        )

    monkeypatch.setattr(LinearTemporalLogic, "entails", half_decided)
    shown = check(requirements(0, 1), code=10).out
    assert "the sentences can all hold together\n" in shown
    assert "whether a sentence is always or never true: 1" in shown


def test_from_sentences_to_the_check(pytester: pytest.Pytester, run: Run, program: Program) -> None:
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
        run("--autoeval-results=run.jsonl", *workers).assert_outcomes(passed=1)
        printed = program("check", "rules.md", "--formulas=run.jsonl", code=1)
        assert "these 2 contradict each other (no smaller set does):" in printed.out


ACCESS = """\
id,sentence,formula,language
A1,A locked account is never granted access.,G (locked -> !granted),ltl
A2,An emergency override always grants access at once.,G (override -> granted),ltl
A3,Every guard can see the log.,G (guard -> sees),ltl
A4,A guard never sees anything.,G (guard -> !sees),ltl
A5,This formula is broken.,G (guard,ltl
A6,Closed and override exclude each other.,G !(closed & override),ltl
"""


@pytest.fixture
def access(here: Path) -> str:
    Path("access.csv").write_text(ACCESS, "utf-8")
    Path("access.toml").write_text(
        'locked = "the account is locked"\nsees = "the guard sees the log"\n', "utf-8"
    )
    return str(here) and "access.csv"


def test_the_formulas_of_a_file_are_examined_without_a_run(access: str, program: Program) -> None:
    shown = program("check", access, "--set", code=1).out
    assert max(map(len, shown.splitlines())) <= 80
    assert_text_snapshot("rules_of_a_file.txt", shown)


def test_collisions_and_vacuous_rules_as_json_markdown_and_page(
    access: str, program: Program
) -> None:
    data = program(
        "check", access, "--set", "--json", "--markdown=set.md", "--html=page.html", code=1
    ).data
    (collision,) = data["collisions"]
    assert (collision["rules"], collision["forbidden_by"], collision["without"]) == (
        ["A1", "A2"],
        ["A1", "A2"],
        "A2",
    )
    assert collision["case"]["loop"] == [["locked", "override"]]
    assert "The account is locked at every step." in collision["case_text"]
    assert [(one["rule"], one["forbidden_by"]) for one in data["vacuous"]] == [
        ("A3", ["A3", "A4"]),
        ("A4", ["A3", "A4"]),
    ]
    assert data["excluded"] == [{"rules": ["A2", "A6"], "by": "A6"}]
    assert data["permissions"] == [{"item": "A3", "words": "can see"}]
    assert [(one["number"], one["why"][:25]) for one in data["without_formula"]] == [
        ("A5", "its formula cannot be rea")
    ]
    assert {one["item"]: one["condition"] for one in data["rules"]}["A6"] == "closed"
    assert data["model"] == ""
    markdown = Path("set.md").read_text("utf-8")
    assert "✗ collide" in markdown
    assert "### vacuous rules" in markdown
    page = PageBlocks(Path("page.html").read_text("utf-8")).data("overview")["document"]
    assert [one["title"] for one in page["sections"]][1:3] == ["collisions", "vacuous rules"]


def test_rules_about_things_are_told_in_the_phrases_of_the_glossary(
    here: Path, program: Program
) -> None:
    assert here
    lab = (
        ("A-1", "Employee(x) → Enter(x)"),
        ("A-2", "Suspended(x) → ¬Enter(x)"),
        ("A-3", "Enter(x) → Known(x)"),
    )
    lines = [f"{name},{name} is a rule.,∀x ({text}),first_order" for name, text in lab]
    Path("lab.csv").write_text("\n".join(["id,sentence,formula,language", *lines]), "utf-8")
    phrases = '"Employee(x)" = "x is an employee"\n"Enter(x)" = "x may enter the lab"\n'
    Path("lab.toml").write_text(phrases, "utf-8")
    data = program("check", "lab.csv", "--set", "--json", code=1).data
    assert {rule["item"]: rule["says"] for rule in data["rules"]} == {
        "A-1": "x may enter the lab",
        "A-2": "it is not the case that x may enter the lab",
        "A-3": "Known(x)",
    }


def test_rows_with_one_id_are_reported_and_named_by_their_lines(
    here: Path, program: Program
) -> None:
    table = "id,sentence,formula,language\nA,One.,G (a -> b),ltl\nB,Two.,G (b -> c),ltl\nB,Three.,G (a -> c),ltl\n"
    (here / "r.csv").write_text(table, "utf-8")
    data = program("check", "r.csv", "--set", "--json").data
    assert [(one["item"], one["number"]) for one in data["sentences"]] == [
        ("A", "A"),
        ("r.csv:3", "3"),
        ("r.csv:4", "4"),
    ]
    assert data["repeated_ids"] == ["r.csv:4: the id 'B' is already used by r.csv:3"]
    shown = program("check", "r.csv", "--set").text
    assert "r.csv:4: Three. G (a -> c) follows from A, 3 " in shown
    assert "r.csv:4: the id 'B' is already used by r.csv:3" in shown


def test_a_line_is_not_mistaken_for_an_id_that_is_a_number(here: Path, program: Program) -> None:
    table = "id,formula,language\n3,G a,ltl\nB,G b,ltl\nB,G c,ltl\n"
    (here / "r.csv").write_text(table, "utf-8")
    data = program("check", "r.csv", "--set", "--json").data
    assert [one["number"] for one in data["sentences"]] == ["3", "r.csv:3", "r.csv:4"]


def test_ids_that_are_numbers_are_not_called_lines(here: Path, program: Program) -> None:
    """No line has the number of an id here, and still a reader would look for rule 10 at line 10."""
    rules = {
        "10": "G (a -> b)",
        "20": "G (c -> !b)",
        "": "G (d -> e)",
        "31": "G !(a & d)",
    }
    lines = [f"{own_id},{rule},ltl\n" for own_id, rule in rules.items()]
    (here / "r.csv").write_text(f"id,formula,language\n{''.join(lines)}", "utf-8")
    data = program("check", "r.csv", "--set", "--json", code=1).data
    assert [entry["number"] for entry in data["sentences"]] == ["10", "20", "r.csv:4", "31"]
    shown = program("check", "r.csv", "--set", code=1).text
    assert "is a line of it" not in shown
    assert "10 and 20; 20 and 31: their conditions can never occur together" in shown
    assert "c (20), e (r.csv:4)" in shown


def test_a_word_of_the_table_of_rules_stands_beside_its_sign(here: Path, program: Program) -> None:
    """Also where another cell of the column is wider."""
    rules = {"Rule-1": "G (a -> b)", "Rule-2": "G (c -> !b)", "Rule-3": "G (e -> !a)"}
    lines = [f"{own_id},{rule},ltl\n" for own_id, rule in rules.items()]
    (here / "r.csv").write_text(f"id,formula,language\n{''.join(lines)}", "utf-8")
    table = program("check", "r.csv", "--set", code=1).out.partition("rules × rules")[2]
    assert "by Rule-3" in table
    assert table.count("✗ collide") == 2


@pytest.mark.parametrize(("own_id", "number"), [("4.2", "r.csv:3"), ("R-4", "3"), ("4a", "3")])
def test_lines_stand_alone_where_no_id_could_be_one(
    own_id: str, number: str, here: Path, program: Program
) -> None:
    (here / "r.csv").write_text(f"id,formula,language\n{own_id},G a,ltl\n,G b,ltl\n", "utf-8")
    data = program("check", "r.csv", "--set", "--json").data
    assert [entry["number"] for entry in data["sentences"]] == [own_id, number]


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        # The letter of the second sentence is that of its formula, so that only the first row lacks propositions.
        ("The door opens.,G door_open\nIt holds that p,G p\n", 0),
        ("The door opens.,G door_open\n", 2),
    ],
)
def test_a_table_of_rules_without_propositions_has_the_command_for_a_set(
    rows: str, code: int, here: Path, program: Program
) -> None:
    (here / "r.csv").write_text(
        f"Rule,formula,language\n{rows.replace(chr(10), ',ltl' + chr(10))}", "utf-8"
    )
    shown = program("check", "r.csv", "--columns=sentence=Rule", code=code)
    said = shown.out + shown.err
    assert "also need" in said
    command = said.partition("python -m pytest_autoeval ")[2].partition("\n")[0]
    assert command == "check r.csv --set --columns=sentence=Rule"
    assert "the sentences can all hold together" in program(*command.split()).out


def test_an_effect_about_all_things_is_said_in_english_too(here: Path, program: Program) -> None:
    formulas = {
        "L1": "∀x. (Member(x) → ∃y. Borrows(x, y))",
        "L2": "∀x. (Suspended(x) → ∀y. ¬Borrows(x, y))",
        "L3": "∀x. ∀y. (Borrows(x, y) → ∀z. ¬Lends(x, y, z))",
    }
    lines = [f'{name},"{formula}",first_order\n' for name, formula in formulas.items()]
    (here / "lib.csv").write_text("".join(["id,formula,language\n", *lines]), "utf-8")
    (here / "lib.toml").write_text(
        '"Member(x)" = "x is a member"\n"Borrows(x, y)" = "x borrows y"\n'
        '"Suspended(x)" = "x is suspended"\n"Lends(x, y, z)" = "x lends y to z"\n',
        "utf-8",
    )
    data = program("check", "lib.csv", "--set", "--json", code=1).data
    assert [rule["says"] for rule in data["rules"]] == [
        "there is some y such that x borrows y",
        "for every y, it is not the case that x borrows y",
        "for every z, it is not the case that x lends y to z",
    ]


def test_rules_that_never_matter_are_said_in_the_first_line(here: Path, program: Program) -> None:
    assert here
    Path("r.csv").write_text(
        "formula,language\nG (a -> b),ltl\nG (c -> a),ltl\nG !a,ltl\n", "utf-8"
    )
    first, second = program("check", "r.csv", "--set", code=1).out.splitlines()[:2]
    assert f"{first} {second}".startswith(
        "the sentences can all hold together, but only where no condition of a rule occurs; found: 2 vacuous rules"
    )


def test_propositional_sentences_are_read_too(here: Path, program: Program) -> None:
    assert here
    Path("r.csv").write_text(
        "sentence,formula,language\nIf paid then sent.,paid → sent,propositional\nIf late then not.,late → ¬sent,"
        "propositional\n",
        "utf-8",
    )
    assert [
        one["rules"]
        for one in program("check", "r.csv", "--set", "--json", code=1).data["collisions"]
    ] == [["r.csv:2", "r.csv:3"]]


def test_lines_with_a_sentence_and_its_formula_are_read(here: Path, program: Program) -> None:
    """The form of nl2spec's files."""
    assert here
    Path("r.txt").write_text(
        "Whenever a holds, b holds.;G (a -> b)\nWhenever c holds, b does not.;G (c -> !b)\n",
        "utf-8",
    )
    assert len(program("check", "r.txt", "--set", "--json", code=1).data["collisions"]) == 1


def test_requirements_of_fret_are_read(here: Path, program: Program) -> None:
    """With its past formulas and its equations: a variable has one value at a time."""
    assert here
    rows = [
        (
            "P-1",
            "if standby & state = idle then NEXT = off",
            "(H <b><i>((standby & state = idle) -> NEXT = off)</i></b>)",
        ),
        (
            "P-2",
            "if state = idle & good then NEXT = run",
            "(H ((state = idle & good) -> NEXT = run))",
        ),
        ("P-3", "when level > 3 shall satisfy stop", "(H ((level > 3) -> stop))"),
    ]
    listed = [
        {"reqid": i, "fulltext": t, "semantics": {"timing": "always", "ptExpanded": f}}
        for i, t, f in rows
    ]
    for data in (listed, {"requirements": listed}):
        Path("fret.json").write_text(json.dumps(data), "utf-8")
        found = program("check", "fret.json", "--set", "--json", code=1).data
        (collision,) = found["collisions"]
        assert (collision["rules"], collision["without"]) == (["P-1", "P-2"], "P-2")
        assert collision["forbidden_by"] == ["P-1", "P-2", "values of NEXT"]
        assert [one["item"] for one in found["without_formula"]] == ["P-3"]


@pytest.mark.parametrize(
    ("text", "options", "problem"),
    [
        ("formula,language\nG a,ltl\n", ["--set", "--formulas=run.jsonl"], "give one"),
        ("formula,language\nG a,ltl\n", ["--set", "--model=m"], "--model needs --formulas"),
        (
            "formula,language\nG a,ltl\na → b,propositional\n",
            ["--set"],
            "of ltl and propositional; a set has one",
        ),
        ("formula,language\nG (a,ltl\n", ["--set"], "no sentence has a formula that can be read"),
        ("sentence,formula,language\nThe door is open.,,\n", ["--set"], "--formulas=RUN.jsonl\n"),
        ("formula\nG(pump)\n", ["--set"], "add a column 'language'"),
    ],
)
def test_files_and_options_that_do_not_suit_a_set_are_refused(
    text: str, options: list[str], problem: str, here: Path, program: Program
) -> None:
    assert here
    Path("r.csv").write_text(text, "utf-8")
    assert problem in program("check", "r.csv", *options, code=2).err


def test_pairs_that_were_not_decided_are_named(
    here: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every question about two conditions at once stays open."""
    assert here
    entails = LinearTemporalLogic.entails

    def some_open(self: Any, left: Any, right: Any, timeout: float | None = None) -> Any:
        verdict = entails(self, left, right, timeout)
        is_pair = "F (a & c)" in str(left)
        return (
            replace(verdict, outcome=VerdictOutcome.UNDECIDED, witness=None) if is_pair else verdict
        )

    monkeypatch.setattr(LinearTemporalLogic, "entails", some_open)
    Path("r.csv").write_text("formula,language\nG (a -> !c & b),ltl\nG (c -> d),ltl\n", "utf-8")
    shown = program("check", "r.csv", "--set", code=10).out
    assert "whether the conditions of two rules can occur together: 2 and 3" in shown
    assert "no collision was found, but not all pairs of rules were decided" in " ".join(
        shown.split()
    )


def answer(allowed: str, sentence: str = "Some time, the door is open.", phrase: str = "") -> None:
    """Writes the author's answer to a question about the case that the door is open at the first step alone."""
    case = {"kind": "trace", "atoms": ["open"], "prefix": [["open"]], "loop": [[]]}
    names = {"open": phrase or GLOSSARY["open"]}
    question = f"“{sentence}” can be read in two ways. The door is open once. Is that allowed?"
    about = {"question": question, "sentence": sentence, "id": "1", "language": "ltl"}
    entries = {"questions of pytest-autoeval": [{**about, "case": case, "names": names}]}
    Path("door.answers.cases.json").write_text(json.dumps(entries), "utf-8")
    Path("door.answers.csv").write_text(f'answer,question\n{allowed},"{question}"\n', "utf-8")


def test_a_formula_that_contradicts_the_author_is_a_finding_and_says_nothing_of_the_set(
    check: Program,
) -> None:
    requirements(0, 3)
    answer("yes")
    assert "contradicts an answer" not in check("door.md", code=0).out
    answer("no")
    shown = check("door.md", code=1).out
    assert shown.startswith("found: 1 formula that contradicts an answer of the author\n")
    part = shown.partition("contradicts an answer of the author\n  The")[2].partition("\n\n")[0]
    assert part.splitlines() == [
        " answer counts: these formulas are left out of all that follows.",
        "  door.md:2: Some time, the door is open.",
        "  F open",
        "  the author says: this case is not allowed, but the formula allows it",
        "  The door is open once.",
    ]
    data = check("door.md", "--json", code=1).data
    assert [one["item"] for one in data["contradicts_answer"]] == ["door.md:2"]
    assert data["kept"] == ["door.md:1"]
    # The last sentence, too: then nothing is left to examine.
    requirements(3)
    assert check("door.md", "--json", code=1).data["sentences"] == []


@pytest.mark.parametrize(
    ("outcome", "is_doubtful"), [("contradicts an answer", False), ("different", True)]
)
def test_a_formula_against_an_answer_is_not_said_to_have_lost_its_meaning(
    outcome: str, is_doubtful: bool, check: Program
) -> None:
    write_rows("run.jsonl", rows(outcome))
    requirements(0, 3)
    answer("no")
    shown = check("door.md", code=1).text
    assert ("did not keep the meaning in the run" in shown) == is_doubtful
    assert "found: 1 formula that contradicts an answer of the author" in shown


def test_an_answer_that_cannot_be_used_is_named(check: Program) -> None:
    requirements(3)
    answer("no", "The door is never open.")
    assert "no sentence of door.md is “The door is never open.”, so that" in check("door.md").out
    answer("no", phrase="the gate is open")
    shown = " ".join(check("door.md").out.split())
    assert "“Some time, the door is open.” have other phrases now, so that its earlier" in shown


def test_formulas_beside_the_sentences_are_compared_with_the_answers_too(
    here: Path, program: Program
) -> None:
    table = 'sentence,formula,language\n"Some time, the door is open.",F open,ltl\n'
    Path("door.csv").write_text(table, "utf-8")
    Path("door.toml").write_text('open = "the door is open"\n', "utf-8")
    answer("no")
    assert "contradicts an answer" in program("check", "door.csv", "--set", code=1).out


def test_a_row_that_was_left_out_is_named(check: Program) -> None:
    Path("door.md").write_text(f"- R-1: {sentences()[3]}\n- R-1: {sentences()[0]}\n", "utf-8")
    shown = check("door.md").out
    assert shown.startswith(
        "1 row could not be read and is left out; the sentences with a formula can all"
    )
    heading, line = "rows of the file that were left out\n", "door.md:2: the id 'R-1' is already"
    assert line in shown.partition(heading)[2]


#: A set without a finding, and rows that are left out of it.
SOUND = "id,sentence,formula,language\nA1,One.,G (a -> b),ltl\nA2,Two.,G (c -> d),ltl\n"
UNREAD = "A3,Three.,G (a -> (!b),ltl\n"
WITHOUT = "A4,Four.,,ltl\n"


@pytest.mark.parametrize(
    ("rows", "beginning"),
    [
        ("", "the sentences can all hold together"),
        (UNREAD, "1 row could not be read and is left out; the sentences with a formula can all"),
        (WITHOUT, "1 sentence has no formula and is left out; the sentences with a formula can"),
        (
            UNREAD + UNREAD.replace("A3", "A5") + WITHOUT,
            "2 rows could not be read and are left out; 1 sentence has no formula and is left out;",
        ),
    ],
    ids=["nothing", "a slip", "no formula", "both"],
)
def test_what_is_left_out_stands_before_any_finding_and_a_strict_check_refuses_it(
    rows: str, beginning: str, here: Path, program: Program
) -> None:
    (here / "r.csv").write_text(SOUND + rows, "utf-8")
    shown = program("check", "r.csv", "--set").out
    assert " ".join(shown.split()).startswith(beginning)
    assert "--strict" not in shown
    strict = program("check", "r.csv", "--set", "--strict", "--html=p.html", code=bool(rows)).out
    assert ("--strict: the check fails" in strict) == bool(rows)
    page = PageBlocks(Path("p.html").read_text("utf-8")).data("overview")["document"]
    assert (page["state"], page["exit_code"]) == (("failed", 1) if rows else ("passed", 0))
    # It does not matter what else is asked.
    for option in ("--json", "-v", "--markdown=r.md"):
        program("check", "r.csv", "--set", "--strict", option, code=bool(rows))


@pytest.mark.parametrize("slip", ["", ")"])
def test_a_typing_slip_makes_no_failing_set_pass_a_strict_check(
    slip: str, here: Path, program: Program
) -> None:
    rules = ("G (a -> b)", f"G (a -> {'!b' if slip else '!b)'}")
    lines = [f"A{number},Rule.,{rule},ltl\n" for number, rule in enumerate(rules)]
    (here / "r.csv").write_text(f"id,sentence,formula,language\n{''.join(lines)}", "utf-8")
    shown = program("check", "r.csv", "--set", "--strict", code=1).out
    assert ("2 vacuous rules" in shown) == (not slip)


def test_a_strict_check_of_a_run_needs_a_formula_for_each_sentence(check: Program) -> None:
    check(requirements(0, 1), "--strict")
    check(requirements(0, 1, 6), "--strict", code=1)
    check(requirements(0, 1, 6))
    # A row that was left out has no sentence that could be asked about.
    Path("door.md").write_text(f"- R-1: {sentences()[3]}\n- R-1: {sentences()[0]}\n", "utf-8")
    check("door.md", "--strict", code=1)
