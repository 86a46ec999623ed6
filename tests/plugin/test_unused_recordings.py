"""Recordings that no run uses: the end of a run names a command, which lists them, and removes them on request."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.program import Program

from .conftest import Run, Suite, said

RECORD = ("--autoeval-record-mode=new_episodes", "--autoeval-shrink-budget=0")
REPLAY = ("--autoeval-record-mode=none", "--autoeval-shrink-budget=0")
COMMAND = "python -m pytest_autoeval recordings cassettes"


def recordings(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*.yaml")}


@pytest.fixture
def cassettes(pytester: pytest.Pytester) -> Path:
    return pytester.path / "cassettes"


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_the_command_lists_first_and_removes_on_request(
    suite: Suite, run: Run, program: Program, cassettes: Path, workers: tuple[str, ...]
) -> None:
    suite()
    run("--autoeval-seed=1", *RECORD)
    old = recordings(cassettes)
    run("--autoeval-seed=2", *RECORD)
    needed = run("--autoeval-seed=2", *REPLAY, *workers, cache=True)
    assert needed.ret == 0
    assert COMMAND in said(needed)
    listed = program("recordings", "cassettes", "-v").out
    out_of_use = {name for name in old if name in listed}
    assert out_of_use
    assert recordings(cassettes) >= old, "listing removes nothing"
    removed = program("recordings", "cassettes", "--remove").out
    assert f"removed {len(out_of_use)} recordings" in removed
    assert not recordings(cassettes) & out_of_use
    again = run("--autoeval-seed=2", *REPLAY, *workers)
    assert again.ret == 0, "what the run needs is still there"
    assert "no recording is out of use" in program("recordings", "cassettes").out


def test_a_folder_elsewhere_has_its_whole_path(suite: Suite, run: Run, tmp_path: Path) -> None:
    suite()
    elsewhere = f"--autoeval-cassettes={tmp_path / 'elsewhere'}"
    for seed in "12":
        run(f"--autoeval-seed={seed}", elsewhere, *RECORD)
    shown = said(run("--autoeval-seed=2", elsewhere, *REPLAY, cache=True))
    assert f"recordings {tmp_path / 'elsewhere'}" in shown
    assert ".." not in shown


def test_a_recording_that_another_run_used_is_kept(
    suite: Suite, run: Run, program: Program, cassettes: Path
) -> None:
    suite()
    for seed in "12":
        run(f"--autoeval-seed={seed}", *RECORD, cache=True)
    before = recordings(cassettes)
    assert "unused recordings in" in said(run("--autoeval-seed=2", *REPLAY, cache=True))
    shown = program("recordings", "cassettes", "--remove").out
    assert "used by 2 runs" in shown
    assert "no recording is out of use" in shown
    assert recordings(cassettes) == before
    [old] = [line for line in shown.splitlines() if "--autoeval-seed=1" in line]
    assert "used by it alone" in old
    assert "there is no run 'x'" in program("recordings", "--without=x", code=2).err
    assert "removed" in program("recordings", f"--without={old.split()[0]}", "--remove").out
    # The run of seed 1 is still known, but what it used is gone.
    left = len(recordings(cassettes))
    assert program("recordings", "cassettes").out.startswith(f"{left} recordings used by 2 runs")
    assert run("--autoeval-seed=2", *REPLAY).ret == 0


def test_nothing_is_removed_while_a_suite_did_not_run(
    pytester: pytest.Pytester, suite: Suite, run: Run, program: Program, cassettes: Path
) -> None:
    file = suite()
    pytester.makepyfile(test_other=file.read_text(encoding="utf-8").replace("range(", "range(1 + "))
    run(*RECORD)
    before = recordings(cassettes)
    assert "unused recordings in" in said(run("test_suite.py", *REPLAY, cache=True))
    refused = program("recordings", "cassettes", "--remove", code=2)
    assert "test_other.py" in refused.err
    assert "nothing is removed" in refused.err
    assert recordings(cassettes) == before
    run("test_other.py", *REPLAY, cache=True)
    assert "no recording is out of use" in program("recordings", "cassettes", "--remove").out
    assert recordings(cassettes) == before


def test_a_part_of_a_run_shows_nothing_out_of_use(
    suite: Suite, run: Run, program: Program, cassettes: Path
) -> None:
    suite()
    run("--autoeval-seed=1", *RECORD)
    run("--autoeval-seed=2", *RECORD)
    before = recordings(cassettes)
    run("--autoeval-seed=2", "-k", "test", *REPLAY, cache=True)
    refused = program("recordings", "cassettes", "--remove", code=2)
    assert "no whole run" in refused.err
    assert recordings(cassettes) == before


def test_a_recording_that_is_newer_than_the_runs_is_kept(
    suite: Suite, run: Run, program: Program, cassettes: Path
) -> None:
    suite()
    run("--autoeval-seed=1", *RECORD)
    run("--autoeval-seed=2", *RECORD, cache=True)
    kept = recordings(cassettes)
    # Another run of seed 1 records again, and leaves no trace here.
    run("--autoeval-seed=1", "--autoeval-record-mode=all", "--autoeval-shrink-budget=0")
    shown = program("recordings", "cassettes", "--remove").out
    assert "no recording is known to be out of use" in shown
    assert recordings(cassettes) == kept


def test_recordings_of_a_run_that_is_left_out_are_listed_once_the_others_were_replayed(
    suite: Suite, run: Run, program: Program, cassettes: Path
) -> None:
    suite()
    run("--autoeval-seed=1", *RECORD, cache=True)
    kept = recordings(cassettes)
    run("--autoeval-seed=2", *RECORD, cache=True)
    rejected = recordings(cassettes) - kept
    lines = program("recordings", "cassettes").out.splitlines()
    [key] = [line.split()[0] for line in lines if "--autoeval-seed=2" in line]
    left_out = program("recordings", "cassettes", f"--without={key}").out
    assert f"since the other {len(rejected)} were made. Run what counts once" in left_out
    run("--autoeval-seed=1", *REPLAY, cache=True)
    removed = program("recordings", "cassettes", f"--without={key}", "--remove").out
    assert f"removed {len(rejected)} recordings" in removed
    assert recordings(cassettes) == kept


def test_recordings_of_shrinking_stay_until_they_are_asked_for(
    suite: Suite, run: Run, program: Program, cassettes: Path
) -> None:
    """No run that passes makes such calls, so that no run can list them: the command says how to."""
    suite()
    run("--autoeval-seed=1", *RECORD)
    kept = recordings(cassettes)
    model = next(iter(kept)).partition("/")[0]
    shrunk = cassettes / model / "shrunk.yaml"
    shrunk.write_text("interactions: []\npurpose: shrinking\n", "utf-8")
    run("--autoeval-seed=1", *REPLAY, cache=True)
    shown = program("recordings", "cassettes").out
    assert "1 recording of shrinking stay: " in shown
    assert "no whole run that counts" not in shown, "another run would change nothing"
    assert "--purpose=shrinking" in shown
    assert (
        program("recordings", "cassettes", "--remove").out.rstrip().endswith("removed 0 recordings")
    )
    listed = program("recordings", "cassettes", "--purpose=shrinking").out
    assert f"{model}/shrunk.yaml" in listed
    # One that is newer than all runs may be needed by a run that is not known.
    new = cassettes / model / "new.yaml"
    new.write_text(shrunk.read_text("utf-8"), "utf-8")
    removed = program("recordings", "cassettes", "--purpose=shrinking", "--remove").out
    assert "removed 1 recording" in removed
    assert recordings(cassettes) == {*kept, f"{model}/new.yaml"}
    assert "newer than the last whole run" in program("recordings", "--purpose=shrinking").out
    unknown = program("recordings", "--purpose=shrink", code=2).err
    assert "Did you mean 'shrinking'?" in unknown


def test_recordings_of_a_model_that_no_run_asks_are_named_with_their_folder(
    suite: Suite, run: Run, program: Program, cassettes: Path
) -> None:
    suite()
    run("--autoeval-seed=1", *RECORD, cache=True)
    (cassettes / "retired").mkdir()
    (cassettes / "retired" / "old.yaml").write_text("interactions: []\n", "utf-8")
    run("--autoeval-seed=1", *REPLAY, cache=True)
    shown = program("recordings", "cassettes").out
    assert "none of these runs asked the model of retired (1 recording)" in shown
    assert "no whole run that counts" not in shown


def test_without_a_run_the_command_says_what_to_do(
    pytester: pytest.Pytester, program: Program
) -> None:
    assert "there is no folder cassettes" in program("recordings", code=2).err
    pytester.mkdir("cassettes")
    assert "--autoeval-record-mode=none" in program("recordings", code=2).err
