"""Reading results: a cut file, a bad line, and files that are no results."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from record.test_results_file import RUN, SUITE, asked, sample

from pytest_autoeval import read_results
from pytest_autoeval.record.coding import encoded
from pytest_autoeval.record.file import Results, ResultsError, first_run, lines_of, read_file
from pytest_autoeval.record.lines import AnyLine, Run, RunEnd, SuiteEnd

END = (
    SuiteEnd(suite=1, verdict="passed", reasons=("all passed — ✓",)),
    RunEnd(verdict="passed", exit_code=0),
)


def written(path: Path, *more: str) -> Path:
    """A file with a run and a suite, and more lines."""
    path.write_bytes(
        encoded(RUN) + encoded(SUITE.asked) + "".join(f"{line}\n" for line in more).encode()
    )
    return path


def test_a_file_cut_after_any_byte_is_read(tmp_path: Path) -> None:
    known: set[str] = set()
    log: list[AnyLine] = [RUN, SUITE.asked, *map(asked, range(6)), *END]
    lines = [text for line in log for text in lines_of(line, known)]
    whole = b"".join(lines)
    path = tmp_path / "cut.jsonl"
    draw = random.Random(43)
    for cut in [draw.randrange(len(whole) + 1) for _ in range(1000)]:
        path.write_bytes(whole[:cut])
        results = read_file(path)
        ends = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
        # A line without its line break is whole, too.
        complete = sum(cut >= end - 1 for end in ends[1:])
        torn = cut > ends[complete]
        assert results.torn == (complete + 1 if torn else None), cut
        assert len(results.samples) == sum(b'"kind":"sample"' in line for line in lines[:complete])
        assert bool(results.runs) == (complete > 0)


def test_a_shipped_part_has_its_type_in_a_script_that_imports_nothing_else(tmp_path: Path) -> None:
    path = written(
        tmp_path / "given.jsonl", json.dumps(SAMPLE | {"parts": {"given": {"item": "a"}}})
    )
    script = f"from pytest_autoeval import read_results; print(read_results({str(path)!r}).samples[0].parts['given'])"
    shown = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert shown.stdout.startswith("Given(item='a'")


def test_an_empty_file_has_no_run(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(b"")
    assert read_file(path) == Results()
    assert first_run(path) is None
    with pytest.raises(ResultsError, match="there is no run"):
        _ = read_file(path).run


SAMPLE: dict[str, Any] = json.loads(encoded(sample()))
CALL = {"stage": "informalize"}
#: Changes of a sample that make it wrong, with what is said of them.
WRONG_VALUES: list[tuple[dict[str, Any], str]] = [
    ({"size": "2"}, "size: Expected `int`, got `str`"),
    ({"size": True}, "size: Expected `int`, got `bool`"),
    ({"suite": 9}, "suite: there is no suite 9 above"),
    ({"suite": "1"}, 'suite: there is no suite "1" above'),
    ({"outcome": "fine"}, 'there is no outcome "fine"'),
    ({"chance": 1.0}, "chance is 1.0, not a number ≥ 0 and below 1"),
    ({"counts": "no"}, "counts: Invalid enum value 'no'"),
    ({"measures": {"depth": "deep"}}, "measures[...]: Expected `int | float`, got `str`"),
    ({"calls": [CALL | {"cost": "1"}]}, "calls[0].cost: Expected `float | null`, got `str`"),
    ({"calls": [{}]}, "calls[0]: Object missing required field `stage`"),
    (
        {"calls": [CALL | {"messages": [{"role": "user"}]}]},
        "calls: a message lacks both content and digest",
    ),
    ({"parts": []}, "parts: Expected `object`"),
    ({"parts": {"own": 5}}, "parts.own: Expected `object`"),
    ({"parts": {"given": {"item": 3}}}, "parts.given.item: Expected `str | null`, got `int`"),
    ({"parts": {"blame": {"half": "both"}}}, "parts.blame.half: Invalid enum value 'both'"),
]
BAD_LINES = [
    ("{oops}", "not JSON: "),
    ("[1]", "Expected `object`, got `array`"),
    ("{}", "Object missing required field `kind`"),
    ('{"kind":"verse"}', "kind: Invalid value 'verse'"),
    ('{"kind":"sample"}', "Object missing required field `suite`"),
    (json.dumps({**SAMPLE, "outcome": None}), "outcome: Expected `str`, got `null`"),
    (encoded(sample()).decode()[:60], "not JSON: "),
    (
        encoded(sample()).decode().replace('"size":2', '"size":2,"size":3').strip(),
        "the key 'size' occurs twice in one",
    ),
    (
        json.dumps(SAMPLE).replace('"size": 2', '"size" : 2, "size" : 3'),
        "the key 'size' occurs twice in one object",
    ),
    # A space before one colon, or an escaped quotation mark in a text, must not hide the second key.
    (
        encoded(sample()).decode().replace('"size":2', '"size":2,"size" :3').strip(),
        "the key 'size' occurs twice in one object",
    ),
    (
        '{"kind":"text","digest":"a","digest":"b","content":"one\\u0022:"}',
        "the key 'digest' occurs twice in one object",
    ),
    ('{"kind":"text","digest":"a","content":NaN}', "not JSON: "),
    ("[" * 100_000, ""),
    ("\0", "not JSON: "),
    ("x" * 10 + "\x1b[2J", "not JSON: "),
    *((json.dumps(SAMPLE | changes), message) for changes, message in WRONG_VALUES),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES)
def test_a_bad_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = written(tmp_path / "results.jsonl", line, json.dumps(SAMPLE))
    with pytest.raises(ResultsError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}:3: {message}")


def test_a_later_schema_and_a_file_without_a_run_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(encoded(Run(schema_version=3)))
    with pytest.raises(
        ResultsError, match=":1: schema_version is 3; this release of pytest-autoeval reads 1 and 2"
    ):
        read_file(path)
    path.write_bytes(encoded(SUITE.asked))
    with pytest.raises(ResultsError, match=":1: the first line is not that of the run"):
        read_file(path)


def test_only_an_ordinary_file_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    messages = {
        "fifo": "this is not an ordinary file",
        ".": "this is a folder",
        "none.jsonl": "No such file",
    }
    for name, message in messages.items():
        with pytest.raises(ResultsError, match=f"results cannot be read: {message}"):
            read_file(tmp_path / name)


def test_a_line_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "results.jsonl")
    path.write_bytes(path.read_bytes() + b'{"kind":"text","digest":"a","content":"\xff"}\n')
    with pytest.raises(ResultsError, match=":3: not JSON: "):
        read_file(path)


def test_keys_of_later_releases_are_ignored(tmp_path: Path) -> None:
    path = written(
        tmp_path / "results.jsonl", json.dumps(SAMPLE | {"a key": {"of": ["a later release"]}})
    )
    assert encoded(read_results(path).samples[0]) == encoded(sample())


@pytest.mark.parametrize(
    ("name", "text", "is_data"),
    [
        ("theirs.jsonl", '{"prompt": "p", "output": "q"}\n', True),
        ("theirs.csv", "formula,other\np,q\n", True),
        ("notes.md", "Some notes.\n", False),
    ],
)
def test_a_file_of_another_program_says_how_a_judge_takes_its_answers(
    name: str, text: str, is_data: bool, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ResultsError, match=rf"{name}:1: .*give the results of a run") as caught:
        read_file(tmp_path / name)
    assert ("name their columns formula and other" in str(caught.value)) is is_data
