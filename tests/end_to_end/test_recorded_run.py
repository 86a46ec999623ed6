"""A run is recorded, and replayed with the server gone: the same results, and a miss where a prompt was changed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import pytest
from support.chat_server import Answer, ChatServer, Received
from support.formula_server import moody, sensible
from support.small_project import Ran, SmallProject

from pytest_autoeval.models.cassette import read_request
from pytest_autoeval.models.purposes import read_purpose

STUDENT = "offline/student?strength=0.8"
NOWHERE = "http://127.0.0.1:1/v1"
SAMPLES = 3 * 4  # of the small project's suite


@dataclass(frozen=True)
class Recorded:
    """A run that was recorded, and the options of whoever runs it again."""

    project: SmallProject
    ran: Ran
    options: tuple[str, ...]

    def replay(self, *arguments: str) -> Ran:
        """The run again, with no server and no key."""
        return self.project.run(*self.options, "--autoeval-record-mode=none", *arguments)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Each formula three times, with a model that errs, and of which no two answers need to be the same."""
    project = SmallProject(tmp_path_factory.mktemp("recorded"))
    options = ("--autoeval-model=org/some-model", "--autoeval-repeats=3")
    with ChatServer(moody()) as server:
        recording = ("--autoeval-record-mode=once", f"--autoeval-base-url={server.url}")
        ran = project.run(*options, *recording, OPENAI_API_KEY="sk-some-long-key")
    return Recorded(project, ran, (*options, f"--autoeval-base-url={NOWHERE}"))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(sensible) as server:
        yield server


def counterexample(ran: Ran) -> list[str]:
    """What a run's summary shows of the smallest counterexample, but for the command that leads to it."""
    _, _, text = ran.text.partition(" calls")
    return [
        line
        for line in text.splitlines()
        if line.startswith("    ") and "    reproduce" not in line
    ]


@pytest.mark.parametrize(
    "arguments", [("-n", "2"), ("-p", "backwards")], ids=["two workers", "in reversed order"]
)
def test_a_replay_without_server_and_key_gives_the_same_results(
    recorded: Recorded, arguments: tuple[str, ...]
) -> None:
    again = recorded.replay(*arguments)
    assert again.lasting == recorded.ran.lasting
    assert len(again.rows) == SAMPLES * 3
    assert again.outcomes.keys() > {"equivalent"}
    assert (recorded.ran.replayed, again.replayed) == ({False}, {True})
    assert counterexample(again) == counterexample(recorded.ran) != []
    assert again.code == recorded.ran.code == 0
    assert "unused recordings" not in again.text
    answers: dict[str, set[tuple[str | None, str | None]]] = {}
    for row in again.rows:
        answers.setdefault(row.formula, set()).add((row.description, row.answer))
    assert max(map(len, answers.values())) == 3, "repeats of a formula have answers of their own"


def test_a_changed_prompt_misses_and_the_difference_is_shown_once(
    recorded: Recorded, tmp_path: Path
) -> None:
    template = files("pytest_autoeval") / "prompts" / "informalize" / "propositional.toml"
    text = template.read_text(encoding="utf-8")
    (tmp_path / "informalize").mkdir()
    (tmp_path / "informalize" / "propositional.toml").write_text(
        text.replace('system = """\n', 'system = """\nBe as brief as you can.\n'), encoding="utf-8"
    )
    missed = recorded.replay(f"--autoeval-prompts={tmp_path}")
    assert missed.code == 1
    assert missed.outcomes == {"error": SAMPLES * 3}
    assert "36 of 36 samples ended in an error" in missed.failure("org/some-model")
    [difference] = [
        line for line in missed.text.splitlines() if line.strip() == "+Be as brief as you can."
    ]
    assert difference
    assert "the test did not ask the model" not in missed.text
    assert (
        missed.text.count("Record what is missing with --autoeval-record-mode=new_episodes.") == 1
    )
    whole = " ".join(missed.text.split())
    assert whole.count("Nearest recording: ") == 1
    assert any(f"Nearest recording: {file}" in whole for file in recorded.project.recordings())


def test_a_part_of_the_run_leaves_recordings_over_and_lists_them(recorded: Recorded) -> None:
    part = recorded.replay("--autoeval-operators=1:3", "--autoeval-shrink-budget=0", "-n", "2")
    small = [
        {**row, "sizes": [1, 2], "planned": 24}
        for row in recorded.ran.lasting
        if row["operators"] < 3
    ]
    for row in small:
        row.pop("shrunk_to", None)  # the part shrinks nothing
    assert part.lasting == small
    used = len({(row.formula, row.description, row.repeat) for row in part.rows})
    shrinking = sum(read_purpose(file) == "shrinking" for file in recorded.project.recordings())
    unused = len(recorded.project.recordings()) - 2 * used - shrinking
    assert shrinking
    assert (
        f"note: recordings that this run did not need, but others may: {shrinking} of shrinking"
        in part.text
    )
    assert f"unused recordings in {recorded.project.cassettes}: {unused}" in part.text
    assert part.text.count(".yaml") == 5
    assert f"… and {unused - 5} more, which -v lists" in part.text


def test_shrinking_claims_no_minimum_where_it_could_not_ask(tmp_path: Path) -> None:
    project = SmallProject(tmp_path, "operators=3, samples=4")
    project.run(
        f"--autoeval-model={STUDENT}", "--autoeval-record-mode=once", "--autoeval-shrink-budget=0"
    )
    again = project.run(f"--autoeval-model={STUDENT}", "--autoeval-record-mode=none")
    assert again.outcomes.keys() > {"equivalent"}
    assert "no smaller variant fails" not in again.text


def test_each_mode_asks_and_records_what_it_promises(tmp_path: Path, server: ChatServer) -> None:
    project = SmallProject(tmp_path, "operators=2")

    def run(samples: int, *mode: str) -> tuple[int, int, Ran]:
        before = len(server.requests)
        options = (
            "--autoeval-model=some-model",
            f"--autoeval-base-url={server.url}",
            f"--autoeval-samples={samples}",
        )
        ran = project.run(*options, *(f"--autoeval-record-mode={name}" for name in mode))
        return len(server.requests) - before, len(project.recordings()), ran

    assert run(3, "once")[:2] == (6, 6)
    asked, kept, missed = run(4, "once")
    assert (asked, kept) == (0, 6)
    assert missed.outcomes == {"equivalent": 3, "error": 1}
    assert "record mode 'once' sends no request" in " ".join(missed.text.split())
    assert run(4)[:2] == (2, 6)
    assert run(4, "new_episodes")[:2] == (2, 8)
    assert run(4, "all")[:2] == (8, 8)


def test_a_run_that_was_killed_is_completed(tmp_path: Path, server: ChatServer) -> None:
    project = SmallProject(tmp_path)
    at_once = 4
    asked = (
        *("--autoeval-model=some-model", f"--autoeval-base-url={server.url}"),
        f"--autoeval-concurrency={at_once}",
    )
    options = (*asked, "--autoeval-record-mode=new_episodes")
    victims: list[int] = []

    def kill_in_the_middle(request: Received) -> Answer:
        if len(server.requests) > SAMPLES:
            os.kill(victims[0], signal.SIGKILL)
        return sensible(request)

    server.behaviour = kill_in_the_middle
    process = project.start(*options)
    victims.append(process.pid)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    kept = [file for file in project.recordings() if file.suffix == ".yaml"]
    assert SAMPLES - 2 * at_once <= len(kept) <= SAMPLES
    assert all(read_request(file) for file in kept)
    assert {row.outcome for row in project.rows()} == {"equivalent"}

    server.behaviour = sensible
    completed = project.run(*options)
    assert completed.outcomes == {"equivalent": SAMPLES}
    # The server may still be busy with requests of the killed run: the rows show what this one asked.
    assert sum(call.replayed for row in completed.rows for call in row.calls) == len(kept)
    assert sum(file.suffix == ".yaml" for file in project.recordings()) == 2 * SAMPLES
    assert project.run(*asked, "--autoeval-record-mode=none").lasting == completed.lasting

    kept[0].write_text("[" * 200_000, "utf-8")
    left = kept[0].with_name(".by-a-kill.1.1.draft")
    left.touch()
    for draft in kept[0].parent.glob(".*.draft"):
        os.utime(draft, (0, 0))
    mended = project.run(*options)
    assert f"asked again: {kept[0]} is not a recording that can be read (" in mended.text
    assert mended.lasting == completed.lasting
    assert read_request(kept[0])
    assert not left.exists()
    assert not [file for file in project.recordings() if file.suffix == ".draft"]


def test_two_workers_record_what_one_replays(tmp_path: Path, server: ChatServer) -> None:
    project = SmallProject(tmp_path, "operators=range(1, 5), samples=2")
    server.behaviour = moody()
    models = ("--autoeval-model=some-model", "--autoeval-model=other-model")
    options = (*models, f"--autoeval-base-url={server.url}", "--autoeval-shrink-budget=0")
    recording = project.run(*options, "--autoeval-record-mode=once", "-n", "2")
    assert len(recording.rows) == 16
    assert len(project.recordings()) == len(server.requests) == 32
    server.requests.clear()
    assert project.run(*options, "--autoeval-record-mode=none").lasting == recording.lasting
    assert not server.requests
