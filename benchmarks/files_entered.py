"""How many files and rooms of the package does one replayed sample enter, from the test's body to its line?

    python benchmarks/files_entered.py [--list]

It runs two samples of the propositional suite, one after the other, replayed from a recording that it makes first. It
counts for the second one, for which everything is imported and read that all samples share.

Counted is the time from the start of the test's body to the return of `SuiteRun._record_sample`, which writes the line
of the sample to the results file.

- *Files*: files of the package of which a function runs in that time, in any thread but the main one, which waits for
  the results and meanwhile imports what ends a suite. A function is a function, a method, a property, a lambda or a
  comprehension. The bodies of modules and classes are none, nor are default values of fields, which `dataclasses`
  calls.
- *Changes of room*: the functions that start in that time in the thread of the sample, in order. Each that is in
  another room than the one before it is a change. The first one, which the body calls, is a change, too. A room is a
  folder of the package. The files beside the folders, which all rooms use, are in no room and change none. A return is
  no start, nor is the resumption of a generator. A comprehension is part of its function.
- *Without reads of values*: the same, without properties and without special methods such as `__str__`.
- *Files of the whole run*: from the start of pytest to its exit. The older count also counts the bodies of classes.

`--list` also prints the functions that start in the thread of the sample, indented by the depth of the call, with the
number of the change where there is one, and the files that only other threads enter. A read of a value has a point.
"""

from __future__ import annotations

import dis
import inspect
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import pytest_autoeval

PACKAGE = Path(pytest_autoeval.__file__).parent
SUITE = "suites/test_propositional.py"
BODY = "test_round_trip"
RECORDER = "_record_sample"
RUN = (SUITE, "--autoeval-samples=2", "--autoeval-operators=3:4", "-q", "-p", "no:cacheprovider")
#: One sample after the other: a second thread would mix its functions into the count.
ONE_AT_A_TIME = "--autoeval-concurrency=1"
COUNTED_SAMPLE = 2
COMPREHENSIONS = frozenset({"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"})


@dataclass
class Count:
    """What is noted while the run goes on."""

    #: The files that any function or class of the run enters, and those that a function enters.
    of_run: set[str] = field(default_factory=set)
    of_functions: set[str] = field(default_factory=set)
    #: The files that the counted sample enters: in its own thread, in any thread.
    of_thread: set[str] = field(default_factory=set)
    of_sample: set[str] = field(default_factory=set)
    #: The functions that start in the thread of the sample, in order, each with its depth.
    calls: list[tuple[int, CodeType]] = field(default_factory=list)
    bodies: int = 0
    thread: int | None = None
    outermost: FrameType | None = None

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """The profile function of all threads."""
        code = frame.f_code
        if event == "return" and self.thread == threading.get_ident() and _is_recorder(code):
            self.thread = None
        if event != "call":
            return
        if _is_body(code):
            self.bodies += 1
            if self.bodies == COUNTED_SAMPLE:
                self.thread, self.outermost = threading.get_ident(), frame.f_back
            return
        if not code.co_filename.startswith(str(PACKAGE)) or code.co_name == "<module>":
            return
        self.of_run.add(code.co_filename)
        if not _is_function(frame):
            return
        self.of_functions.add(code.co_filename)
        if self.thread is None or threading.current_thread() is threading.main_thread():
            return
        self.of_sample.add(code.co_filename)
        if threading.get_ident() == self.thread:
            self.of_thread.add(code.co_filename)
            if code.co_name not in COMPREHENSIONS and not _is_resumed(frame):
                self.calls.append((_depth(frame, self.outermost), code))


def main(arguments: list[str]) -> int:
    """Records the samples, replays them under a profile function, and prints the counts."""
    count = Count()
    with tempfile.TemporaryDirectory() as folder:
        run = [
            *RUN,
            ONE_AT_A_TIME,
            f"--autoeval-cassettes={folder}/cassettes",
            f"--autoeval-results={folder}/results.jsonl",
        ]
        recording = [sys.executable, "-m", "pytest", *run, "--autoeval-record-mode=all"]
        subprocess.run(recording, check=True)
        threading.setprofile(count.note)
        sys.setprofile(count.note)
        status = pytest.main(run)
        sys.setprofile(None)
        threading.setprofile(None)
    if count.bodies != COUNTED_SAMPLE or count.thread is not None or not count.calls:
        print(
            f"the run had {count.bodies} bodies, or no line of the second sample was made",
            file=sys.stderr,
        )
        return 1
    reads = {code for _, code in count.calls if is_read(code)}
    if arguments == ["--list"]:
        print_calls(count, reads)
    for room, number in by_room(count.of_sample).items():
        print(f"{number:5}  {room}")
    changes = number_of_changes(count.calls)
    without_reads = number_of_changes([call for call in count.calls if call[1] not in reads])
    print(
        f"{len(count.of_sample):5}  files are entered by one replayed sample, {len(count.of_thread)} in its thread"
    )
    print(f"{changes:5}  changes of room from the body to its line")
    print(f"{without_reads:5}  changes of room, without reads of values")
    print(f"{len(count.of_functions):5}  files are entered by the whole run")
    print(f"{len(count.of_run):5}  files are entered by the whole run, by the older count")
    return int(status)


def print_calls(count: Count, reads: set[CodeType]) -> None:
    """The functions of the sample's thread, then the files of other threads."""
    for (depth, code), change in zip(count.calls, numbered_changes(count.calls), strict=True):
        sign = "·" if code in reads else " "
        print(
            f"{change or '':>4} {sign}{'  ' * depth}{Path(code.co_filename).relative_to(PACKAGE)}  {code.co_qualname}"
        )
    for name in sorted(count.of_sample - count.of_thread):
        print(f"      another thread: {Path(name).relative_to(PACKAGE)}")


def numbered_changes(calls: list[tuple[int, CodeType]]) -> list[int]:
    """For each call the number of its change of room, 0 if it changes none."""
    numbers, last_room, last = [], "", 0
    for _, code in calls:
        room = room_of(code.co_filename) or last_room
        number = 0
        if room != last_room:
            number = last = last + 1
        numbers.append(number)
        last_room = room
    return numbers


def number_of_changes(calls: list[tuple[int, CodeType]]) -> int:
    """How often the room changes."""
    return max(numbered_changes(calls), default=0)


def is_read(code: CodeType) -> bool:
    """Whether a function is a property or a special method."""
    if code.co_name.startswith("__") and code.co_name.endswith("__"):
        return True
    owner: Any = next(
        (
            module
            for module in list(sys.modules.values())
            if getattr(module, "__file__", None) == code.co_filename
        ),
        None,
    )
    for name in code.co_qualname.split(".")[:-1]:
        owner = getattr(owner, name, None)
    return isinstance(owner, type) and isinstance(
        vars(owner).get(code.co_name), property | cached_property
    )


def room_of(file: str) -> str:
    """The folder of the package in which a file is; empty for a file beside the folders."""
    parts = Path(file).relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def by_room(files: set[str]) -> dict[str, int]:
    """The number of files in each room."""
    rooms = [room_of(file) for file in files]
    return {room or "(no room)": rooms.count(room) for room in sorted(set(rooms))}


def _is_body(code: CodeType) -> bool:
    return code.co_name == BODY and code.co_filename.endswith(SUITE)


def _is_recorder(code: CodeType) -> bool:
    return code.co_name == RECORDER and code.co_filename.startswith(str(PACKAGE))


def _is_function(frame: FrameType) -> bool:
    """Whether a frame is that of a function, and not that of a class or of the default of a field."""
    code, caller = frame.f_code, frame.f_back
    is_default = (
        code.co_name == "<lambda>"
        and caller is not None
        and caller.f_code.co_filename == "<string>"
    )
    return bool(code.co_flags & inspect.CO_OPTIMIZED) and not is_default


def _is_resumed(frame: FrameType) -> bool:
    """Whether a frame is that of a generator or coroutine that goes on, and does not start."""
    return frame.f_lasti > _start_of(frame.f_code)


@cache
def _start_of(code: CodeType) -> int:
    """Where a function starts: the place of its first `RESUME`."""
    return next(each.offset for each in dis.get_instructions(code) if each.opname == "RESUME")


def _depth(frame: FrameType, outermost: FrameType | None) -> int:
    depth, here = 0, frame
    while here.f_back is not None and here.f_back is not outermost:
        depth += here.f_back.f_code.co_filename.startswith(str(PACKAGE))
        here = here.f_back
    return depth


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
