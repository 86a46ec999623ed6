"""Rows of older files: a value of a wrong type is refused with its line and key, and joined parts are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.result_rows import keys_of, row

from pytest_autoeval.record.file import ResultsError, read_file
from pytest_autoeval.record.merging import merge

GOOD = keys_of(row())
#: Changes of a row, with the beginning of what is said of them.
WRONG: list[tuple[dict[str, Any], str]] = [
    *(
        ({key: value}, f"{key}: Expected `{kind}`, got ")
        for value in ({"a": 1}, ["a"])
        for key, kind in (
            *((key, "str") for key in ("suite", "model", "grammar", "vocabulary", "outcome")),
            *(
                (key, "str | null")
                for key in ("first_outcome", "interface", "way", "variant", "incomparable")
            ),
            *(
                (key, "str | null")
                for key in ("reader", "task", "form", "figures", "benchmark", "copies")
            ),
            *((key, "str") for key in ("test", "language")),
            ("constrained", "bool | null"),
            *((key, "float | null") for key in ("threshold", "agreement_gate")),
            ("operators", "int"),
            ("planned", "int | null"),
        )
    ),
    ({"run_suites": ["a"]}, "run_suites: Expected `object | null`, got `array`"),
    ({"run_suites": {"a": 1}}, "run_suites[...]: Expected `array`, got `int`"),
    ({"sizes_without_samples": 3}, "sizes_without_samples: Expected `array | null`, got `int`"),
    ({"shrunk_to": 3}, "shrunk_to: Expected `str | null`, got `int`"),
    ({"run_not_collected": 3}, "run_not_collected: Expected `array | null`, got `int`"),
    ({"calls": 3}, "calls: Expected `array`, got `int`"),
    (
        {"calls": [{"stage": "a", "messages": 3}]},
        "calls[0].messages: Expected `array | null`, got `int`",
    ),
    ({"calls": 3, "asked_again": True}, "calls: Expected `array`, got `int`"),
    ({"calls": [{"stage": 3}], "asked_again": True}, "calls[0].stage: Expected `str`, got `int`"),
    ({"formula": 3}, "formula: Expected `str`, got `int`"),
    ({"formalization": 3}, "formalization: Expected `str | null`, got `int`"),
    ({"blame": {"half": "both"}}, "half: Invalid enum value 'both'"),
    (
        {"blame": {"half": "\ud800"}},
        "the row has half of a surrogate pair where only some words may stand",
    ),
]


@pytest.mark.parametrize("line", [1, 2])
@pytest.mark.parametrize(
    ("changes", "message"), WRONG, ids=[json.dumps(changes) for changes, _ in WRONG]
)
def test_a_value_of_a_wrong_type_is_named(
    tmp_path: Path, changes: dict[str, Any], message: str, line: int
) -> None:
    rows = [{**GOOD, "index": index} for index in range(3)]
    rows[line - 1] |= changes
    path = tmp_path / "old.jsonl"
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in rows), "utf-8")
    with pytest.raises(ResultsError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}:{line}: {message}")


def test_a_key_of_a_users_own_may_have_any_text(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text(f"{json.dumps({**GOOD, chr(0xD800): 1})}\n", "utf-8")
    assert len(read_file(path).samples) == 1


def test_the_joined_parts_of_a_run_have_the_suites_that_it_planned(tmp_path: Path) -> None:
    """Each part has its own suites, and the first row alone may say what all of them planned."""
    plan = {
        "run_suites": {
            "first": [GOOD["model"]],
            "second": [GOOD["model"]],
            "third": [GOOD["model"]],
        }
    }
    parts = [("first", "1/2"), ("first", "2/2"), ("second", "2/2")]
    rows = [
        {
            **GOOD,
            **plan,
            "suite": name,
            "index": index,
            "shard": shard,
            "shard_settings": "a",
            "planned": 2,
        }
        for index, (name, shard) in enumerate(parts)
    ]
    path = tmp_path / "parts.jsonl"
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in rows), "utf-8")
    assert [planned.name for planned in merge([path]).absent] == ["third"]
