"""Answers that are kept the moment they arrive: nothing is lost by a kill, and nothing is torn by a full device."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pytest_autoeval.models import ConfigurationError
from pytest_autoeval.models.journal import EarlierAnswers, Journal, JournalEntry
from pytest_autoeval.models.protocols import digest_of

ROOT = Path(__file__).parents[2]
ANSWER = JournalEntry({"text": 'p → "q"\n\ud800'}, 0.25, 1.5)


def key(number: int) -> bytes:
    return bytes.fromhex(digest_of(number))


def test_answers_that_nobody_needs_are_not_read_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Journal(tmp_path).keep(key(1), ANSWER)
    opened: list[Path] = []
    open_file = Path.open

    def open_and_note(path: Path, *arguments: Any, **more: Any) -> Any:
        opened.append(path)
        return open_file(path, *arguments, **more)

    monkeypatch.setattr(Path, "open", open_and_note)
    journal = Journal(None, [tmp_path])
    journal.close()
    assert journal.find(key(1)) is None
    assert not opened
    assert Journal(None, [tmp_path]).find(key(1)) is not None
    assert opened


def test_a_later_run_finds_what_an_earlier_one_was_given(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    writing = Journal(first)
    writing.keep(key(1), ANSWER)
    writing.keep(key(2), JournalEntry([1], None, 0.0))
    assert writing.find(key(1)) == replace(ANSWER, again=True)
    assert writing.find(key(3)) is None
    (cut,) = first.glob("*.jsonl")
    cut.write_bytes(cut.read_bytes()[:-3])  # as a kill leaves it
    Journal(second).keep(key(1), JournalEntry("asked once more", None, 0.0))
    later = Journal(None, [first, second])
    assert later.find(key(1)) == replace(ANSWER, taken_over=True)
    assert later.find(key(2)) is None
    assert later.find(key(1)) == replace(ANSWER, taken_over=True, again=True)
    assert later.taken_over == 1


def test_the_answer_to_another_request_is_never_taken(tmp_path: Path) -> None:
    """A forked process moves the position in the file, which it shares with its parent."""
    writing = Journal(tmp_path)
    # Longer than what Python keeps of a file.
    writing.keep(key(1), JournalEntry("one" * 10_000, None, 0.0))
    writing.keep(key(2), JournalEntry("two" * 10_000, None, 0.0))
    later = Journal(None, [tmp_path])
    assert later.find(key(1)) is not None
    (file,) = tmp_path.glob("*.jsonl")
    first, second = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(second + first)
    for journal in (later, writing):
        assert journal.find(key(1)) is None
        assert journal.find(key(2)) is None


def test_threads_that_look_at_once_find_each_answer_once_for_the_first_time(tmp_path: Path) -> None:
    numbers = range(50)
    answers = [JournalEntry({"text": "x" * 97 * number}, 0.25, 1.5) for number in numbers]
    writing = Journal(tmp_path)
    for number in numbers:
        writing.keep(key(number), answers[number])
    earlier = EarlierAnswers([tmp_path])
    with ThreadPoolExecutor(8) as threads:
        entries = [*threads.map(lambda number: earlier.find(key(number)), [*numbers] * 8)]
    for number in numbers:
        first = replace(answers[number], taken_over=True)
        looks = entries[number :: len(numbers)]
        assert looks.count(first) == 1
        assert looks.count(replace(first, again=True)) == 7
    assert earlier.taken_over == len(numbers)
    earlier.close()
    assert earlier.find(key(1)) is None


@pytest.mark.parametrize("in_a_folder", [True, False])
def test_answers_are_added_at_the_end_after_each_look(tmp_path: Path, in_a_folder: bool) -> None:
    journal = Journal(tmp_path if in_a_folder else None)
    # Some lines end exactly where a piece that is read at a time ends.
    lengths = [*range(10), *range(3990, 4110), 9000, 40_000]
    answers = [JournalEntry({"text": f"é{'x' * length}"}, None, 0.0) for length in lengths]
    for number, answer in enumerate(answers):
        journal.keep(key(number), answer)
        earlier = number // 2
        assert journal.find(key(earlier)) == replace(answers[earlier], again=True)
    assert all(
        journal.find(key(number)) == replace(answer, again=True)
        for number, answer in enumerate(answers)
    )
    journal.close()


FULL = """
import resource, sys
from pathlib import Path
from pytest_autoeval.models import ConfigurationError
from pytest_autoeval.models.journal import Journal, JournalEntry
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
journal = Journal(Path(sys.argv[1]))
try:
    for number in range(9):
        journal.keep(number.to_bytes(32), JournalEntry("p" * 40, None, 0.0))
except ConfigurationError as problem:
    print(problem)
"""


def test_a_full_device_ends_the_run_with_one_line_and_no_torn_answer(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    said = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout
    (file,) = tmp_path.glob("*.jsonl")
    assert said == f"{file}: answers cannot be kept: File too large\n"
    assert file.read_text().count("\n") == 2
    assert file.read_text().endswith("\n")


def test_a_decision_is_that_of_the_first_run(tmp_path: Path) -> None:
    for name, decision in (("first", False), ("second", True)):
        (tmp_path / name).mkdir()
        Journal(tmp_path / name).decide("recorded", decision)
    earlier = [tmp_path / "empty", tmp_path / "first", tmp_path / "second"]
    assert Journal(None, earlier).decision("recorded") is False
    assert Journal(None, earlier).decision("another") is None


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=r"gone/answers-.*: answers cannot be kept: No such file"
    ):
        Journal(tmp_path / "gone").keep(key(1), ANSWER)


@pytest.mark.parametrize(
    "line",
    [
        b'["KEY",null,1.5,{"text":"cut o\n',
        b'["KEY",null,1.5]\n',
        b'["KEY","free",1.5,{}]\n',
        b'["KEY",null,1.5,"\xff"]\n',
        b'["KEY",null,1.5,' + b"[" * 100_000 + b"\n",
        b"\xff" * 100 + b"\n",
    ],
)
def test_a_damaged_answer_is_asked_for_again_and_the_others_count(
    tmp_path: Path, line: bytes
) -> None:
    Journal(tmp_path).keep(key(2), ANSWER)
    (file,) = tmp_path.glob("*.jsonl")
    file.write_bytes(line.replace(b"KEY", key(1).hex().encode()) + b"\n\0\r\n" + file.read_bytes())
    (tmp_path / "answers-1-1.jsonl").mkdir()
    os.mkfifo(tmp_path / "answers-2-2.jsonl")
    (tmp_path / "recorded").write_text("tr")
    later = Journal(None, [tmp_path])
    assert later.find(key(1)) is None
    assert later.find(key(2)) == replace(ANSWER, taken_over=True)
    assert later.taken_over == 1
    assert later.decision("recorded") is None
