"""The table of `docs/reference/tasks.md` that says how many examples a few-shot prompt has."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from pytest_autoeval.prompts.template import shipped_folders

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "tasks.md").read_text("utf-8")
#: The rows of the table, in its order.
ROUND_TRIP, OF_TEMPORAL_LOGIC, OF_SENTENCES, JUDGE, OTHERS = (
    "round trips in propositional logic, first-order logic and regular expressions",
    "round trips in temporal logic",
    "`sentence_round_trip`",
    "`judge`",
    "all other tasks",
)
#: Prompts that ask for texts, and are no task.
_NO_TASK = {"list_names", "paraphrase"}


def row_of(task: str, language: str) -> str:
    if task in {"informalize", "autoformalize"}:
        return OF_TEMPORAL_LOGIC if language == "ltl" else ROUND_TRIP
    if task in {"formalize_sentence", "describe_formula"}:
        return OF_SENTENCES
    return JUDGE if task == "judge" else OTHERS


def test_the_numbers_are_those_of_the_templates() -> None:
    numbers: dict[str, dict[str, set[int]]] = {}
    for file in (file for folder in shipped_folders() for file in folder.glob("*/*.toml")):
        task, language = file.parent.name, file.name.partition(".")[0]
        if task not in _NO_TASK:
            count = len(tomllib.loads(file.read_text("utf-8"))["examples"])
            numbers.setdefault(row_of(task, language), {}).setdefault(language, set()).add(count)
    assert numbers.pop(OF_SENTENCES) == {"propositional": {2}, "first_order": {3}, "ltl": {3}}
    found = {row: set[int]().union(*counts.values()) for row, counts in numbers.items()}
    assert found == {ROUND_TRIP: {2}, OF_TEMPORAL_LOGIC: {3}, JUDGE: {4}, OTHERS: {3}}


def test_the_table_says_these_numbers() -> None:
    table = PAGE.partition("| prompts | examples |\n")[2].partition("\n\n")[0]
    rows = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", table, re.MULTILINE))
    assert rows == {
        ROUND_TRIP: "2",
        OF_TEMPORAL_LOGIC: "3",
        OF_SENTENCES: "2 in propositional logic, else 3",
        JUDGE: "4",
        OTHERS: "3",
    }
