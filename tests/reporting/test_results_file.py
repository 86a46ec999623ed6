"""The results file: whole lines from many writers, one order whatever the order of the run, clear errors."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.documented import PAGES, documented
from support.result_rows import call, row

from pytest_autoeval.judging.gates import StoppedEarly
from pytest_autoeval.reporting.results import Results, ResultsError, ResultsFile, read, to_line, wrong_keys
from pytest_autoeval.reporting.row import CALL_KEYS, KEYS, NEVER_NULL, ROW_KEYS, Row, counted
from pytest_autoeval.reporting.row_check import Facts, wrong_value

ROOT = Path(__file__).parents[2]
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
any_text = st.text(st.characters(exclude_categories=()))


@pytest.fixture
def results(tmp_path: Path) -> Iterator[ResultsFile]:
    file = ResultsFile(tmp_path / "results.jsonl")
    file.start()
    yield file
    file.close()


def test_a_row_comes_back_as_it_was(results: ResultsFile) -> None:
    results.append(row())
    results.append(row("different", index=1, witness={"kind": "assignment", "p1": True}))
    assert read(results.path) == Results([row(), row("different", index=1, witness={"kind": "assignment", "p1": True})])


#: Keys that no note of a model can have: they hold objects of the row.
OBJECTS = ("stopped_early", "shrinking")


@given(st.dictionaries(any_text.filter(lambda key: key not in (*ROW_KEYS, *OBJECTS)), plain, max_size=3), any_text)
def test_a_row_is_one_line_of_json_whatever_a_model_wrote(extra: dict[str, Any], text: str) -> None:
    whole = row(description=text, **extra)
    line = to_line(whole)
    assert json.loads(line.encode()) == whole.to_json()
    assert line.splitlines() == [line[:-1]]


def test_every_key_is_there_in_a_stable_order(results: ResultsFile) -> None:
    results.append(row(zeta=1, translation=None, calls=[dict(reversed(call("x").items()))], alpha={"b": 1, "a": 2}))
    written = json.loads(results.path.read_text("utf-8"))
    assert tuple(written) == (*ROW_KEYS, "alpha", "zeta")
    assert list(written["alpha"]) == ["a", "b"]
    assert tuple(written["calls"][0]) == CALL_KEYS
    assert (written["schema_version"], written["translation"]) == (1, None)


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"interface": None, "threshold": None, "relation": None, "task": "translate"},
        {"way": "few-shot", "prompting": "a key of its own", "facts": {"b": 1, "a": [None]}},
        {"shrunk": False, "unfinished": True, "expected": False, "answered": 0, "threshold": 0.0},
        {"stopped_early": asdict(StoppedEarly(verdict="failed", ran=20, planned=40, saved="40 calls"))},
        {"expected": ["b", "a"], "scores": {"f1": 1}, "le_score": 1},
    ],
)
def test_a_key_that_a_file_has_is_written_again_and_no_other(results: ResultsFile, keys: dict[str, Any]) -> None:
    always = {key: value if key in NEVER_NULL else None for key, value in row().to_json().items()}
    data = {**always, "schema_version": 1, "calls": [], **keys}
    line = to_line(Row.from_json(data))
    assert json.loads(line) == data
    results.path.write_text(line, "utf-8")
    assert "".join(map(to_line, read(results.path).rows)) == line


def test_every_key_can_be_asked_for_by_its_name_in_the_file() -> None:
    one = row(way="few-shot", shrunk=True, law="De Morgan")
    asked = [one.value(key) for key in ("formula", "way", "shrunk", "law", "prompting", "nothing")]
    assert asked == [one.formula, "few-shot", True, "De Morgan", None, None]
    assert (one.prompting, one.kind, one.passed, counted([one])) == ("few-shot", "pass", True, [])


def test_signs_stay_readable_but_orders_to_a_terminal_do_not() -> None:
    line = to_line(row(formula="∀x. ¬P(x)", description="\u202eevil\x1b[2J\x9b\ud800\u2028"))
    assert '"∀x. ¬P(x)"' in line
    assert r"\u202eevil\u001b[2J\u009b\ud800\u2028" in line


@pytest.mark.parametrize("value", [10**45, json.loads("[" * 60 + "]" * 60)])
def test_what_could_not_be_read_again_is_named(value: object) -> None:
    assert "more than" in wrong_keys(row(count=value))["count"]
    assert not wrong_keys(row(count=3))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}])
def test_what_is_no_json_is_refused(results: ResultsFile, value: object) -> None:
    with pytest.raises(ResultsError, match="is not JSON"):
        results.append(row(seed=value))
    assert results.path.read_bytes() == b""


WRITER = """
import sys
from pathlib import Path
from support.result_rows import row
from pytest_autoeval.reporting.results import ResultsFile
file = ResultsFile(Path(sys.argv[1]))
for index in range(100):
    file.append(row(suite=sys.argv[2], index=index, description=sys.argv[2] * 9000))
"""


def test_lines_of_many_processes_never_mix(results: ResultsFile) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, Path(__file__).parents[1])))}
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, results.path, name], env=environment) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    finished = results.finish()
    assert [(one.suite, one.index) for one in finished] == [(name, i) for name in "abc" for i in range(100)]
    assert all(one.description == one.suite * 9000 for one in finished)


def test_any_order_of_the_run_gives_the_same_file(tmp_path: Path) -> None:
    rows = [
        row(outcome, suite=suite, model=model, operators=size, index=index, repeat=repeat)
        for suite in "ab"
        for model in "mn"
        for size in (0, 2, 10)
        for index in range(2)
        for repeat, outcome in enumerate(["equivalent", "undecided"])
    ]
    contents = set()
    for seed in range(5):
        random.Random(seed).shuffle(rows)
        file = ResultsFile(tmp_path / f"{seed}.jsonl")
        file.start()
        for one in rows:
            file.append(one)
        assert file.finish() == read(file.path).rows
        contents.add(file.path.read_bytes())
    assert len(contents) == 1
    assert [one.operators for one in read(file.path).rows[:12:4]] == [0, 2, 10]


def test_a_row_that_comes_after_the_end_is_in_no_count(results: ResultsFile) -> None:
    results.append(row())
    finished = results.finish()
    results.append(row(index=1))
    assert read(results.path).rows == finished == [row()]


def test_finishing_leaves_nothing_else_behind_and_keeps_a_link(results: ResultsFile) -> None:
    link = results.path.with_name("link.jsonl")
    link.symlink_to(results.path)
    results.append(row())
    ResultsFile(link).finish()
    results.close()
    assert link.is_symlink()
    assert sorted(path.name for path in results.path.parent.iterdir()) == ["link.jsonl", "results.jsonl"]


def test_start_makes_folders_and_a_new_file(tmp_path: Path) -> None:
    file = ResultsFile(tmp_path / "new" / "folder" / "results.jsonl")
    file.start()
    file.append(row())
    with pytest.raises(ResultsError, match="another run is writing its results to this file"):
        ResultsFile(file.path).start()
    file.close()
    orphan, later = ResultsFile(file.path), ResultsFile(file.path)
    orphan.append(row(index=1))
    assert later.start() is None
    later.append(row(index=2))
    orphan.append(row(index=3))  # by whom the controller's death has not been noticed yet
    assert read(file.path) == Results([row(index=2)])


def test_start_keeps_the_rows_of_an_interrupted_run(tmp_path: Path) -> None:
    names = set()
    for index in range(3):
        file = ResultsFile(tmp_path / "results.jsonl")
        file.start()
        file.append(row(index=index, unfinished=True))
        file.close()
        file = ResultsFile(tmp_path / "results.jsonl")
        aside = file.start()
        file.close()
        assert aside is not None
        assert read(aside).rows == [row(index=index, unfinished=True)]
        assert not aside.match("*.jsonl")  # no report over a folder of results takes it for one of them
        names.add(aside)
    assert len(names) == 3


FULL = """
import resource, sys
from pathlib import Path
from support.result_rows import row
from pytest_autoeval.reporting.results import ResultsError, ResultsFile
file = ResultsFile(Path(sys.argv[1]))
file.append(row(index=0))
resource.setrlimit(resource.RLIMIT_FSIZE, (file.path.stat().st_size + 100,) * 2)
try:
    file.append(row(index=1))
except ResultsError as problem:
    print(problem)
"""


def test_a_row_for_which_there_is_no_space_leaves_nothing_behind(results: ResultsFile) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, Path(__file__).parents[1])))}
    command = [sys.executable, "-c", FULL, str(results.path)]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert said == f"{results.path}: results cannot be written: File too large\n"
    assert read(results.path) == Results([row(index=0)])


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "results cannot be written: Is a directory"),
        ("file.txt/results.jsonl", "results cannot be written: "),
        ("x" * 300, "results cannot be written: "),
    ],
)
def test_a_path_that_cannot_be_written_is_told_at_once(tmp_path: Path, path: str, message: str) -> None:
    (tmp_path / "file.txt").write_text("")
    with pytest.raises(ResultsError, match=message) as caught:
        ResultsFile(tmp_path / path).start()
    assert str(tmp_path / path) in str(caught.value)


SYSTEM = "You put formulas of propositional logic into plain English, and add nothing."


def asked(number: int) -> Row:
    """A row of two calls that share a system prompt with all others, and a short text with each other."""
    turns = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": f"p{number}"}]
    return row(index=number, calls=[call(stage, messages=turns) for stage in ("informalize", "autoformalize")])


def test_a_text_that_many_prompts_share_stands_in_the_first_row_alone(results: ResultsFile) -> None:
    rows = [asked(number) for number in range(3)]
    for one in reversed(rows):
        results.append(one)
    assert results.path.read_text("utf-8").count(SYSTEM) == 6  # whatever a kill leaves can be read
    assert read(results.path).rows == rows[::-1]
    assert results.finish() == rows
    lines = results.path.read_text("utf-8").splitlines(keepends=True)
    assert [line.count(SYSTEM) for line in lines] == [2, 0, 0]
    assert read(results.path).rows == rows
    # Where lines were put in another order, or the first is gone.
    results.path.write_text("".join(lines[::-1]), "utf-8")
    assert read(results.path).rows == rows[::-1]
    results.path.write_text(lines[2], "utf-8")
    (left,) = read(results.path).rows
    assert [message["content"] for message in left.calls[0].messages or ()] == ["", "p2"]


def test_a_call_of_an_older_release_has_no_messages(results: ResultsFile) -> None:
    older = call("informalize")
    del older["messages"]
    results.path.write_text(json.dumps(row().to_json() | {"calls": [older]}) + "\n", "utf-8")
    assert read(results.path).rows[0].calls[0].messages is None
    assert results.finish() == read(results.path).rows


def test_a_torn_last_line_is_left_out_and_told(results: ResultsFile) -> None:
    results.append(row())
    results.append(row(index=1))
    whole = results.path.read_bytes()
    for cut in range(2, 400, 7):
        results.path.write_bytes(whole[:-cut])
        assert read(results.path) == Results([row()], torn=2)
    results.path.write_bytes(whole[:-1])
    assert read(results.path) == Results([row(), row(index=1)])
    results.path.write_bytes(whole[:-9])
    assert results.finish() == [row()]
    assert read(results.path) == Results([row()])


CALL = {"stage": "informalize"}
#: Values of a wrong type, with what is said of them.
WRONG_VALUES: list[tuple[dict[str, Any], str]] = [
    ({"operators": "2"}, 'operators is "2", not integer'),
    ({"operators": True}, "operators is true, not integer"),
    ({"suite": ["s"]}, "suite is a list, not text"),
    ({"outcome": "fine"}, 'there is no outcome "fine"'),
    ({"first_outcome": "fine"}, 'there is no outcome "fine"'),
    ({"measures": {"depth": "deep"}}, "measures is an object, not an object of number"),
    ({"calls": [CALL | {"cost": "1"}]}, "calls is a list, not a list of an object with stage, prompt_tokens, "),
    ({"calls": [CALL | {"surprise": 1}]}, "calls is a list, not a list of an object with stage, "),
    ({"calls": [{}]}, "calls is a list, not a list of an object with stage, "),
    ({"calls": [CALL | {"messages": [{"role": "user"}]}]}, "calls: a message lacks its role, or both content and"),
    ({"stopped_early": {"verdict": "maybe", "ran": 1, "planned": 2}}, "stopped_early is an object, not an object "),
    ({"propositions": [["a", "b", "c"]]}, "propositions is a list, not a list of 2 values in a list"),
    ({"way": "x" * 1000, "threshold": "x" * 1000}, f'threshold is "{"x" * 59}…, not number or null'),
]
#: Lines that cannot be read, with what is said of them.
BAD_LINES = [
    ("{oops}", ":2: not a JSON object: column 2: "),
    ("[1]", ":2: not a JSON object: list"),
    ('{"schema_version": 2}', ":2: schema_version is 2; this release of pytest-autoeval reads 1"),
    ("{}", ":2: schema_version is null; "),
    ('{"schema_version": 1, "suite": "s"}', ":2: the row lacks test, model, grammar, "),
    (json.dumps(row().to_json() | {"index": None}), ":2: the row has no value for index"),
    (to_line(row())[:200], ":2: not a JSON object: column "),
    ('{"a": 1, "a": 2}', ":2: not a JSON object: the key 'a' occurs twice in one object"),
    ('{"a": NaN}', ":2: not a JSON object: NaN is not a JSON value"),
    ('{"a": -1e999}', ":2: not a JSON object: -1e999 is too large for a number"),
    ('{"a": ' + "9" * 5000 + "}", ":2: not a JSON object: an integer of more than 40 digits"),
    ('{"a": ' + "[" * 51 + "]" * 51 + "}", ":2: not a JSON object: more than 50 lists and objects"),
    ("[" * 100_000, ":2: not a JSON object: more than 50 lists and objects"),
    ("\0", ":2: not a JSON object: column 1: "),
    ("x" * 10 + "\x1b[2J", ":2: not a JSON object: column 1: "),
    *((json.dumps(row().to_json() | changes), f":2: {message}") for changes, message in WRONG_VALUES),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES)
def test_a_bad_line_is_named(results: ResultsFile, line: str, message: str) -> None:
    results.path.write_text(to_line(row()) + line + "\n" + to_line(row()), "utf-8")
    with pytest.raises(ResultsError) as caught:
        read(results.path)
    assert str(caught.value).startswith(f"{results.path}{message}")


def test_only_an_ordinary_file_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    messages = {"fifo": "this is not an ordinary file", ".": "this is a folder", "none.jsonl": "No such file"}
    for name, message in messages.items():
        with pytest.raises(ResultsError, match=f"results cannot be read: {message}"):
            read(tmp_path / name)


def test_a_line_that_is_not_utf_8_is_named(results: ResultsFile) -> None:
    results.path.write_bytes(b'"\xff"\n' + to_line(row()).encode())
    with pytest.raises(ResultsError, match=":1: not a JSON object: not UTF-8"):
        read(results.path)


def test_every_key_is_documented_with_its_type() -> None:
    tables = documented("results.md")
    assert [*tables["Keys of every row"]] == [*ROW_KEYS]
    assert [*tables["A call"]] == [*CALL_KEYS]
    kinds = {key: kind for table in tables.values() for key, kind in table.items()}
    for key in (*KEYS, *Facts.__annotations__):
        values: tuple[Any, ...] = ({"": [{}]}, [[{}]], 0.5)
        wrong = filter(None, (wrong_value({"calls": [], key: value}) for value in values))
        message = next(wrong, "not any value")
        assert re.sub(r" or null$| (of|with) .*", "", re.split("not (?:an? )?", message)[1]) == kinds[key], key


def test_the_documented_row_is_a_row() -> None:
    page = (PAGES / "results.md").read_text("utf-8")
    example = json.loads(page.partition('```json title="row.json"\n')[2].partition("```")[0])
    assert (tuple(example), tuple(example["calls"][0])) == (ROW_KEYS, CALL_KEYS)
    assert wrong_value(example) == ""
